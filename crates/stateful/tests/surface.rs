//! Keys on their way through their indices: in order, in jumps, to the end, after being stored.

use std::ops::ControlFlow;

use oaklath_params::stateful::lms::{self, LmotsType, LmsType};
use oaklath_params::stateful::xmss;
use oaklath_simd::Level;
use oaklath_stateful::{
    Error, HssGeneration, HssLevels, HssPublicKey, HssSigningKey, Index, LmsPublicKey, MOST_LEVELS,
    NODE_BYTES, StatefulKey, XmssGeneration, XmssPublicKey, XmssSigningKey, xmss_seed_len,
};

const MESSAGE: &[u8] = b"message";

/// Two layers of the smallest trees, the lower ones with short signatures.
fn small() -> HssLevels {
    let upper = (&lms::LMS_SHA256_M24_H5, &lms::LMOTS_SHA256_N24_W4);
    let lower = (&lms::LMS_SHA256_M24_H5, &lms::LMOTS_SHA256_N24_W2);
    HssLevels::new(&[upper, lower]).expect("types that go together")
}

fn hss(levels: &HssLevels, node_bytes: usize) -> HssSigningKey {
    let seed = vec![7; levels.seed_len()];
    HssSigningKey::generate(levels, &seed, node_bytes).expect("a seed")
}

fn sign(key: &mut impl StatefulKey, index: u64) -> Vec<u8> {
    let mut signature = vec![0xaa; key.signature_len() + 3];
    let len =
        key.sign_at(Index::from_durable_record(index), MESSAGE, &mut signature).expect("an index");
    assert_eq!(len, key.signature_len());
    assert_eq!(signature.split_off(len), [0; 3]);
    let checked = key.check(MESSAGE, &signature).expect("a signature");
    assert_eq!(checked.index, index);
    assert_eq!(checked.subtree_keys, key.subtree_keys(index).expect("an index"));
    signature
}

/// Whatever is kept, and whichever way a key came to an index, the signature is the same: so no key of
/// an upper layer ever signs two things.
fn same_by_all_ways<K: StatefulKey>(new: impl Fn(usize) -> K) {
    let of_tree = new(NODE_BYTES).signatures_of_tree();
    let mut keeps_all = new(NODE_BYTES);
    let want: Vec<_> = (0..2 * of_tree + 3).map(|index| sign(&mut keeps_all, index)).collect();
    let mut keeps_little = new(0);
    for (index, want) in (0..).zip(&want) {
        assert_eq!(sign(&mut keeps_little, index), *want, "index {index}");
    }
    let mut jumps = new(0);
    let ahead = [0, 3, 4, 17, of_tree - 1, of_tree + 9, 2 * of_tree, 2 * of_tree + 2];
    for index in ahead.into_iter().chain([5, of_tree + 1, 0]) {
        jumps.prepare(index).expect("an index");
        assert_eq!(sign(&mut jumps, index), want[index as usize], "index {index} after a jump");
    }
}

#[test]
fn hss_signs_the_same_by_all_ways() {
    for level in Level::available() {
        level.with(|| same_by_all_ways(|bytes| hss(&small(), bytes)));
    }
}

#[test]
fn xmss_mt_signs_the_same_by_all_ways() {
    let set = &xmss::XMSSMT_SHA2_20_4_192;
    let new = |bytes| XmssSigningKey::generate(set, &[7; 72], bytes).unwrap();
    for level in Level::available().filter(|level| level.name() != "scalar") {
        level.with(|| same_by_all_ways(new));
    }
}

/// What a store holds: a key of whichever scheme.
#[test]
fn keys_behind_one_trait() {
    let set = &xmss::XMSSMT_SHA2_20_4_192;
    let mut keys: [Box<dyn StatefulKey>; 2] =
        [Box::new(hss(&small(), 0)), Box::new(XmssSigningKey::generate(set, &[7; 72], 0).unwrap())];
    for key in &mut keys {
        let mut signature = vec![0; key.signature_len()];
        key.sign_at(Index::from_durable_record(3), MESSAGE, &mut signature).unwrap();
        assert_eq!(key.check(MESSAGE, &signature).unwrap().index, 3);
        assert_eq!(key.check(b"other", &signature), Err(Error::Invalid));
    }
}

/// Trees of which only parts are kept, across the borders of the parts.
#[test]
fn parts_of_tall_trees() {
    let levels = HssLevels::new(&[(&lms::LMS_SHA256_M24_H10, &lms::LMOTS_SHA256_N24_W1)]).unwrap();
    let (mut whole, mut parts) = (hss(&levels, NODE_BYTES), hss(&levels, 0));
    for index in (0..140).chain(700..740).chain([1023, 31, 32]) {
        assert_eq!(sign(&mut parts, index), sign(&mut whole, index), "index {index}");
    }
}

#[test]
fn the_last_index_signs_and_none_after_it() {
    let mut key = hss(&small(), NODE_BYTES);
    assert_eq!((key.signatures(), key.signatures_of_tree()), (1024, 32));
    sign(&mut key, 1023);
    let mut out = vec![1; key.signature_len()];
    for index in [1024, u64::MAX] {
        let refused = key.sign_at(Index::from_durable_record(index), MESSAGE, &mut out);
        assert_eq!(refused, Err(Error::IndexBeyondEnd { index, signatures: 1024 }));
        assert!(out.iter().all(|byte| *byte == 0));
        assert!(key.prepare(index).is_err() && key.subtree_keys(index).is_err());
    }
}

#[test]
fn stored_keys_sign_on() {
    let levels = small();
    let mut key = hss(&levels, 0);
    let want = sign(&mut key, 40);
    let bytes = key.to_bytes();
    let mut loaded = HssSigningKey::from_bytes(&bytes, 0).unwrap();
    assert!(loaded.nodes().is_none());
    loaded.load_nodes(&key.nodes().unwrap()).unwrap();
    assert_eq!(sign(&mut loaded, 40), want);
    assert_eq!(loaded.to_bytes(), bytes);
    for len in 0..bytes.len() {
        assert!(HssSigningKey::from_bytes(&bytes[..len], 0).is_err(), "{len} bytes");
    }
    // Another root: no tree leads there.
    let mut wrong = bytes.to_vec();
    wrong[30] ^= 1;
    let mut wrong = HssSigningKey::from_bytes(&wrong, 0).unwrap();
    assert_eq!(wrong.prepare(0), Err(Error::SecretKeyInconsistent));

    let set = &xmss::XMSSMT_SHA2_20_4_256;
    let mut key = XmssSigningKey::generate(set, &[9; 96], 0).unwrap();
    let want = sign(&mut key, 40);
    let bytes = key.to_bytes();
    let mut loaded = XmssSigningKey::xmss_mt_from_bytes(&bytes, 0).unwrap();
    loaded.load_nodes(&key.nodes().unwrap()).unwrap();
    assert_eq!(sign(&mut loaded, 40), want);
    assert_eq!(loaded.to_bytes(), bytes);
    for len in 0..bytes.len() {
        let short = XmssSigningKey::xmss_mt_from_bytes(&bytes[..len], 0);
        let is_length =
            |error| matches!(error, Error::SecretKeyLength { found, .. } if found == len);
        assert!(short.is_err_and(is_length), "{len} bytes");
    }
    let mut wrong = bytes.to_vec();
    *wrong.last_mut().unwrap() = 3;
    let refused = XmssSigningKey::xmss_mt_from_bytes(&wrong, 0);
    assert_eq!(refused.unwrap_err(), Error::SecretKeyInconsistent);
}

/// A node that is not right is noticed when a cache is loaded.
#[test]
fn caches_are_not_trusted() {
    let mut key = hss(&small(), NODE_BYTES);
    let good = key.nodes().unwrap();
    let begin = good.len() - 32 * 24;
    for place in 0..good.len() {
        // Of each node one bit, of what is before them each byte.
        if place < begin || (place - begin).is_multiple_of(24) {
            let mut bad = good.clone();
            bad[place] ^= 4;
            assert_eq!(key.load_nodes(&bad), Err(Error::CacheForeign), "byte {place}");
        }
    }
    assert_eq!(key.load_nodes(&good[..good.len() - 24]), Err(Error::CacheForeign));
    key.load_nodes(&good).unwrap();
}

#[test]
fn generations_are_gone_on_with() {
    let levels = HssLevels::new(&[(&lms::LMS_SHA256_M24_H15, &lms::LMOTS_SHA256_N24_W1)]).unwrap();
    let seed = vec![7; levels.seed_len()];
    let whole = HssSigningKey::generate(&levels, &seed, NODE_BYTES).unwrap();
    let mut generation = HssGeneration::new(&levels, &seed, NODE_BYTES).unwrap();
    let stop = |done, all| {
        assert_eq!(all, 1 << 15);
        if done < 5000 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    assert_eq!(generation.run(stop), Err(Error::Cancelled));
    let kept = generation.to_bytes();
    for place in (0..kept.len()).step_by(101) {
        let mut bad = kept.clone();
        bad[place] ^= 1;
        let refused = HssGeneration::resume(&levels, &seed, NODE_BYTES, &bad);
        assert_eq!(refused.unwrap_err(), Error::CacheForeign, "byte {place}");
    }
    let mut later = HssGeneration::resume(&levels, &seed, NODE_BYTES, &kept).unwrap();
    assert!(later.done() >= 5000);
    later.run(|_, _| ControlFlow::Continue(())).unwrap();
    let mut later = later.finish();
    assert_eq!(later.to_bytes(), whole.to_bytes());
    sign(&mut later, 20_000);

    let set = &xmss::XMSS_SHA2_10_192;
    let other = XmssGeneration::new(set, &[1; 72], 0).unwrap().to_bytes();
    let refused = XmssGeneration::resume(set, &[2; 72], 0, &other);
    assert_eq!(refused.unwrap_err(), Error::CacheForeign);
}

#[test]
fn parameters_that_do_not_go_together() {
    let short = (&lms::LMS_SHA256_M24_H5, &lms::LMOTS_SHA256_N24_W4);
    let long = (&lms::LMS_SHA256_M32_H25, &lms::LMOTS_SHA256_N32_W4);
    let shake = (&lms::LMS_SHAKE_M24_H5, &lms::LMOTS_SHAKE_N24_W4);
    let refused =
        |levels: &[(&'static LmsType, &'static LmotsType)]| HssLevels::new(levels).unwrap_err();
    assert_eq!(refused(&[]), Error::Levels { found: 0 });
    assert_eq!(refused(&[short; 9]), Error::Levels { found: 9 });
    assert_eq!(refused(&[(short.0, long.1)]), Error::TypesDiffer);
    assert_eq!(refused(&[(short.0, shake.1)]), Error::TypesDiffer);
    assert_eq!(refused(&[short, shake]), Error::TypesDiffer);
    assert_eq!(refused(&[short, long]), Error::TypesDiffer);
    assert_eq!(refused(&[long; 3]), Error::TooTall { found: 75 });
    let seed = HssSigningKey::generate(&small(), &[0; 48], 0).unwrap_err();
    assert_eq!(seed, Error::SeedLength { expected: 40, found: 48 });
    assert_eq!(
        XmssSigningKey::generate(&xmss::XMSS_SHA2_10_192, &[0; 96], 0).unwrap_err(),
        Error::SeedLength { expected: 72, found: 96 }
    );
}

#[test]
fn public_keys_that_are_none() {
    let mut key = hss(&small(), 0).public_key().to_vec();
    assert_eq!(HssPublicKey::from_bytes(&key).unwrap().as_bytes(), key);
    assert_eq!(LmsPublicKey::from_bytes(&key[4..]).unwrap().as_bytes(), &key[4..]);
    for len in 0..key.len() {
        assert!(HssPublicKey::from_bytes(&key[..len]).is_err(), "{len} bytes");
    }
    for levels in [0, MOST_LEVELS as u8 + 1] {
        key[3] = levels;
        let refused = HssPublicKey::from_bytes(&key).unwrap_err();
        assert_eq!(refused, Error::Levels { found: levels.into() });
    }
    key[3] = 2;
    key[11] = 0x77;
    assert_eq!(HssPublicKey::from_bytes(&key).unwrap_err(), Error::UnknownType { found: 0x77 });
    key[11] = 3;
    assert_eq!(HssPublicKey::from_bytes(&key).unwrap_err(), Error::TypesDiffer);
    let number = [0, 0, 0, 0x39];
    let refused = XmssPublicKey::xmss_mt_from_bytes(&number).unwrap_err();
    assert_eq!(refused, Error::UnknownType { found: 0x39 });
    let refused = XmssPublicKey::xmss_from_bytes(&[0, 0, 0, 1, 0]).unwrap_err();
    assert_eq!(refused, Error::PublicKeyLength { expected: 68, found: 5 });
}

/// What a signature claims to be is checked: types, leaf numbers, how many keys it holds.
#[test]
fn fields_of_signatures() {
    let mut key = hss(&small(), NODE_BYTES);
    let good = sign(&mut key, 33);
    let public = key.public().clone();
    // Number of signed keys, q and the type of the upper one-time signature.
    for place in [3, 7, 11] {
        for bit in 0..8 {
            let mut bad = good.clone();
            bad[place] ^= 1 << bit;
            assert_eq!(public.verify(MESSAGE, &bad), Err(Error::Invalid), "byte {place}");
        }
    }
    let set = &xmss::XMSS_SHA2_10_192;
    let mut key = XmssSigningKey::generate(set, &vec![7; xmss_seed_len(set)], 0).unwrap();
    let good = sign(&mut key, 1023);
    for index in [0_u32, 1022, 1024, 1 << 31] {
        let bad = [&index.to_be_bytes(), &good[4..]].concat();
        assert_eq!(key.public().verify(MESSAGE, &bad), Err(Error::Invalid), "index {index}");
    }
}

/// Lengths by the formula of RFC 8554 and those of the tables.
#[test]
fn lengths_of_the_tables() {
    for set in lms::ALL {
        let levels = HssLevels::from(*set);
        let found = (levels.signature_len(), levels.signatures());
        assert_eq!(found, (set.signature, set.signatures), "{}", set.name);
    }
}

/// Every pair of types signs and verifies, in the lowest trees.
#[test]
fn all_types() {
    for lmots in lms::LMOTS_TYPES {
        let fits = |lms: &&&LmsType| (lms.hash, lms.m, lms.h) == (lmots.hash, lmots.n, 5);
        let lms = lms::LMS_TYPES.iter().find(fits).unwrap();
        let levels = HssLevels::new(&[(lms, lmots)]).unwrap();
        let mut want = None;
        for level in Level::available() {
            level.with(|| {
                let signature = sign(&mut hss(&levels, 0), 30);
                let same = *want.get_or_insert(signature.clone()) == signature;
                assert!(same, "{} at {level}", lmots.name);
            });
        }
    }
}
