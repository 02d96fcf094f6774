//! Uses keys at their indices in order, in jumps, to the end, and after storing them.

use std::ops::ControlFlow;

use oaklath_params::stateful::lms::{self, LmotsType, LmsType};
use oaklath_params::stateful::xmss;
use oaklath_simd::Level;
use oaklath_stateful::{
    Absorb, Derivation, Error, Growth, HssGeneration, HssLevels, HssPublicKey, HssSigningKey,
    Index, LmsPublicKey, MOST_LEVELS, Message, NODE_BYTES, StatefulKey, XmssGeneration,
    XmssPublicKey, XmssSigningKey, XmssTrees, xmss_seed_len,
};

const MESSAGE: &[u8] = b"message";

/// Returns two layers of the smallest trees; their types of one-time signatures differ.
fn small() -> HssLevels {
    let upper = (&lms::LMS_SHA256_M24_H5, &lms::LMOTS_SHA256_N24_W4);
    let lower = (&lms::LMS_SHA256_M24_H5, &lms::LMOTS_SHA256_N24_W2);
    HssLevels::new(&[upper, lower]).expect("types that go together")
}

fn hss(levels: &HssLevels, node_bytes: usize) -> HssSigningKey {
    let seed = vec![7; levels.seed_len()];
    HssSigningKey::from_seed(levels, &seed, node_bytes).expect("a seed")
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

/// Checks that a signature depends neither on the nodes kept nor on the indices used before, so no
/// key of an upper layer ever signs two messages.
fn same_by_all_ways<K: StatefulKey>(new: impl Fn(usize) -> K) {
    let of_tree = new(NODE_BYTES).signatures_of_tree();
    let mut keeps_all = new(NODE_BYTES);
    let want: Vec<_> = (0..2 * of_tree + 3).map(|index| sign(&mut keeps_all, index)).collect();
    let mut keeps_little = new(0);
    for (index, want) in (0..).zip(&want) {
        assert_eq!(sign(&mut keeps_little, index), *want, "index {index}");
    }
    for (growth, leaves) in
        [(Growth::Idle, 0), (Growth::Idle, 1), (Growth::Idle, 100), (Growth::Lazy, 1)]
    {
        let mut key = new(0);
        key.set_growth(growth);
        for (index, want) in (0..).zip(&want) {
            assert_eq!(sign(&mut key, index), *want, "index {index}, {growth:?}, {leaves} leaves");
            key.grow(leaves);
        }
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
    let new = |bytes| XmssSigningKey::from_seed(set, &[7; 72], bytes).unwrap();
    for level in Level::available().filter(|level| level.name() != "scalar") {
        level.with(|| same_by_all_ways(new));
    }
}

/// A message may be given in pieces of any lengths.
#[test]
fn pieces_are_the_message() {
    let lower = hss(&small(), NODE_BYTES);
    let xmss = XmssSigningKey::from_seed(&xmss::XMSSMT_SHA2_20_4_192, &[7; 72], NODE_BYTES);
    let keys: [Box<dyn StatefulKey>; 2] = [Box::new(lower), Box::new(xmss.expect("a seed"))];
    for mut key in keys {
        for at in 0..=MESSAGE.len() {
            let pieces = |absorb: &mut Absorb<'_>| {
                absorb(&MESSAGE[..at]);
                absorb(&MESSAGE[at..]);
            };
            let (mut whole, mut parts) = ([0; 6000], [0; 6000]);
            let len = key.sign_at(Index::from_durable_record(3), MESSAGE, &mut whole);
            let message = Message::in_pieces(&pieces);
            let same = key.sign_message_at(Index::from_durable_record(3), message, &mut parts);
            assert!(len == same && whole == parts);
            let signature = &whole[..len.expect("an index")];
            assert_eq!(key.check_message(message, signature), key.check(MESSAGE, signature));
            assert!(key.check(&MESSAGE[1..], signature).is_err());
        }
    }
}

/// A store holds keys of any scheme as trait objects.
#[test]
fn keys_behind_one_trait() {
    let set = &xmss::XMSSMT_SHA2_20_4_192;
    let mut keys: [Box<dyn StatefulKey>; 2] = [
        Box::new(hss(&small(), 0)),
        Box::new(XmssSigningKey::from_seed(set, &[7; 72], 0).unwrap()),
    ];
    for key in &mut keys {
        let mut signature = vec![0; key.signature_len()];
        key.sign_at(Index::from_durable_record(3), MESSAGE, &mut signature).unwrap();
        assert_eq!(key.check(MESSAGE, &signature).unwrap().index, 3);
        assert_eq!(key.check(b"other", &signature), Err(Error::Invalid));
    }
}

/// The next tree of the lower layer grows and, unless all nodes are kept, the next part of both
/// layers: trees have 32 leaves, and their parts four.
#[test]
fn growth_is_what_was_chosen() {
    for (node_bytes, all, later) in [(NODE_BYTES, 32, 32), (0, 4 + 32 + 4, 4 + 32)] {
        for (growth, left) in [(Growth::Idle, all), (Growth::Lazy, 0)] {
            let mut key = hss(&small(), node_bytes);
            key.set_growth(growth);
            sign(&mut key, 0);
            assert_eq!(key.grow(3), left.min(3), "{growth:?}");
            assert_eq!(key.grow(u32::MAX), left.saturating_sub(3), "{growth:?}");
            assert_eq!(key.grow(1), 0, "{growth:?}");
            // A tree that was grown ahead is not grown again, and the one after it is next.
            sign(&mut key, 32);
            assert_eq!(key.grow(u32::MAX), left.min(later), "{growth:?}");
        }
        // One at a time, and the rest while the tree is two leaves ahead of its second root.
        let mut key = hss(&small(), node_bytes);
        key.set_growth(Growth::Idle);
        sign(&mut key, 0);
        assert!((0..all - 7).all(|_| key.grow(1) == 1));
        assert_eq!(key.grow(u32::MAX), 7);
        sign(&mut key, 32);
        let mut key = hss(&small(), node_bytes);
        for index in 0..32 {
            sign(&mut key, index);
        }
        // One leaf of the next part of the upper tree is due while its first leaf signs.
        assert_eq!(key.grow(u32::MAX), if later == all { 0 } else { 3 }, "even shares");
    }
}

/// Signs across the borders of the parts of a tree of which only parts are kept.
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
    let old = without_checksum(&bytes);
    assert_eq!(HssSigningKey::from_bytes(old, 0).unwrap().to_bytes(), bytes);
    for len in (0..bytes.len()).filter(|len| *len != old.len()) {
        assert!(HssSigningKey::from_bytes(&bytes[..len], 0).is_err(), "{len} bytes");
    }
    // Another root in the old bytes, which no tree has.
    let mut wrong = old.to_vec();
    wrong[30] ^= 1;
    let mut wrong = HssSigningKey::from_bytes(&wrong, 0).unwrap();
    assert_eq!(wrong.prepare(0), Err(Error::SecretKeyInconsistent));

    let set = &xmss::XMSSMT_SHA2_20_4_256;
    let mut key = XmssSigningKey::from_seed(set, &[9; 96], 0).unwrap();
    let want = sign(&mut key, 40);
    let bytes = key.to_bytes();
    let mut loaded = XmssSigningKey::from_bytes(XmssTrees::Multi, &bytes, 0).unwrap();
    loaded.load_nodes(&key.nodes().unwrap()).unwrap();
    assert_eq!(sign(&mut loaded, 40), want);
    assert_eq!(loaded.to_bytes(), bytes);
    let old = without_checksum(&bytes);
    assert_eq!(XmssSigningKey::from_bytes(XmssTrees::Multi, old, 0).unwrap().to_bytes(), bytes);
    for len in (0..bytes.len()).filter(|len| *len != old.len()) {
        let short = XmssSigningKey::from_bytes(XmssTrees::Multi, &bytes[..len], 0);
        let is_length =
            |error| matches!(error, Error::SecretKeyLength { found, .. } if found == len);
        assert!(short.is_err_and(is_length), "{len} bytes");
    }
    let mut wrong = old.to_vec();
    *wrong.last_mut().unwrap() = 3;
    let refused = XmssSigningKey::from_bytes(XmssTrees::Multi, &wrong, 0);
    assert_eq!(refused.unwrap_err(), Error::SecretKeyInconsistent);
}

/// Returns the bytes of a private key in the old format, which has no checksum.
fn without_checksum(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.len() - 32]
}

/// Types of lower levels and the derivation of secrets do not follow from any other field.
#[test]
fn one_wrong_bit_of_a_private_key_is_noticed() {
    let set = &xmss::XMSSMT_SHA2_20_4_192;
    let hss = hss(&small(), 0).to_bytes();
    let xmss = XmssSigningKey::from_seed(set, &[9; 72], 0).unwrap().to_bytes();
    for bit in 0..8 * hss.len() {
        let mut wrong = hss.to_vec();
        wrong[bit / 8] ^= 1 << (bit % 8);
        assert!(HssSigningKey::from_bytes(&wrong, 0).is_err(), "HSS, bit {bit}");
    }
    for bit in 0..8 * xmss.len() {
        let mut wrong = xmss.to_vec();
        wrong[bit / 8] ^= 1 << (bit % 8);
        assert!(
            XmssSigningKey::from_bytes(XmssTrees::Multi, &wrong, 0).is_err(),
            "XMSS, bit {bit}"
        );
    }
    assert!(XmssSigningKey::from_bytes(XmssTrees::Single, &xmss, 0).is_err(), "another registry");
}

/// Keys with the same public key have different identities if the types of a lower layer differ.
#[test]
fn an_identity_has_the_types_of_all_layers() {
    let upper = (&lms::LMS_SHA256_M24_H5, &lms::LMOTS_SHA256_N24_W4);
    let even = hss(&HssLevels::new(&[upper; 2]).unwrap(), 0);
    let uneven = hss(&small(), 0);
    assert_eq!(even.public_key(), uneven.public_key());
    assert_eq!(even.identity(), even.public_key());
    assert_ne!(even.identity(), uneven.identity());
}

/// A wrong node is noticed when a cache is loaded.
#[test]
fn caches_are_not_trusted() {
    let mut key = hss(&small(), NODE_BYTES);
    let good = key.nodes().unwrap();
    assert_eq!(good.len(), key.nodes_len());
    for bit in 0..8 * good.len() {
        let mut bad = good.clone();
        bad[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(key.load_nodes(&bad), Err(Error::CacheForeign), "bit {bit}");
    }
    // Nodes of another height would be right, but with them each signature grows the whole tree.
    let other = hss(&small(), 0).nodes().unwrap();
    assert_eq!(key.load_nodes(&other), Err(Error::CacheForeign));
    assert_eq!(key.load_nodes(&good[..good.len() - 24]), Err(Error::CacheForeign));
    key.load_nodes(&good).unwrap();
}

#[test]
fn generations_are_gone_on_with() {
    let levels = HssLevels::new(&[(&lms::LMS_SHA256_M24_H15, &lms::LMOTS_SHA256_N24_W1)]).unwrap();
    let seed = vec![7; levels.seed_len()];
    let whole = HssSigningKey::from_seed(&levels, &seed, NODE_BYTES).unwrap();
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
    let seed = HssSigningKey::from_seed(&small(), &[0; 48], 0).unwrap_err();
    assert_eq!(seed, Error::SeedLength { expected: 40, found: 48 });
    assert_eq!(
        XmssSigningKey::from_seed(&xmss::XMSS_SHA2_10_192, &[0; 96], 0).unwrap_err(),
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
    let refused = XmssPublicKey::from_bytes(XmssTrees::Multi, &number).unwrap_err();
    assert_eq!(refused, Error::UnknownType { found: 0x39 });
    let refused = XmssPublicKey::from_bytes(XmssTrees::Single, &[0, 0, 0, 1, 0]).unwrap_err();
    assert_eq!(refused, Error::PublicKeyLength { expected: 68, found: 5 });
}

/// The fields of a signature are checked: types, leaf numbers, the number of keys that it holds.
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
    let mut key = XmssSigningKey::from_seed(set, &vec![7; xmss_seed_len(set)], 0).unwrap();
    let good = sign(&mut key, 1023);
    for index in [0_u32, 1022, 1024, 1 << 31] {
        let bad = [&index.to_be_bytes(), &good[4..]].concat();
        assert_eq!(key.public().verify(MESSAGE, &bad), Err(Error::Invalid), "index {index}");
    }
}

/// Lengths by the formula of RFC 8554 are those of the tables.
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

/// Private keys of other implementations are rejected if they are truncated, of unknown sets, or
/// end with an unknown tail.
#[test]
fn private_keys_that_are_none() {
    let wrong_length = |refused: Result<(XmssSigningKey, u64), Error>, len| {
        let refused = refused.unwrap_err();
        assert!(
            matches!(refused, Error::SecretKeyLength { found, .. } if found == len),
            "{len} bytes: {refused}"
        );
    };
    let set = &xmss::XMSS_SHA2_10_192;
    let number = set.oid.to_be_bytes();
    // The set's number, root, SEED, index, SK_PRF, secret seed; then a tail.
    let botan = [&number[..], &[1; 48], &7_u32.to_be_bytes(), &[2; 48]].concat();
    let (key, index) = XmssSigningKey::from_botan(&botan, 0).unwrap();
    assert_eq!((key.public().info(), index), (set, 7));
    let tail = |key: XmssSigningKey| without_checksum(&key.to_bytes()).last().copied();
    assert_eq!(tail(key), Some(1), "the derivation of RFC 8391");
    for (byte, derivation) in [(1, Ok(Some(1))), (2, Ok(Some(2))), (0, Err(())), (3, Err(()))] {
        let key = XmssSigningKey::from_botan(&[&botan[..], &[byte]].concat(), 0);
        let found = key.map(|(key, _)| tail(key));
        assert_eq!(found, derivation.map_err(|()| Error::SecretKeyInconsistent), "tail {byte}");
    }
    for len in 0..botan.len() {
        wrong_length(XmssSigningKey::from_botan(&botan[..len], 0), len);
    }
    wrong_length(XmssSigningKey::from_botan(&[&botan[..], &[1, 1]].concat(), 0), botan.len() + 2);

    // The set's number, index, secret seed, SK_PRF, root and SEED; then the state of liboqs.
    for set in [set, &xmss::XMSSMT_SHA2_20_4_192] {
        let trees = XmssTrees::of(set);
        let mut index = vec![0; set.index()];
        index[set.index() - 1] = 9;
        let liboqs = [&set.oid.to_be_bytes()[..], &index, &vec![3; 4 * set.n]].concat();
        for bytes in [liboqs.clone(), [&liboqs[..], b"their state"].concat()] {
            let (key, index) = XmssSigningKey::from_liboqs(trees, &bytes, 0).unwrap();
            assert_eq!((key.public().info(), index), (set, 9));
        }
        for len in 0..liboqs.len() {
            wrong_length(XmssSigningKey::from_liboqs(trees, &liboqs[..len], 0), len);
        }
        let unknown = XmssSigningKey::from_liboqs(trees, &[0xff; 300], 0).unwrap_err();
        assert_eq!(unknown, Error::UnknownType { found: u32::MAX });
    }

    // A key of Botan: the number of levels, the index, types, the seed and I.
    let types = [5, 3, 5, 4].map(u32::to_be_bytes);
    let hash_sigs = [&[0, 0, 0, 2][..], &[0; 8], types.as_flattened(), &[4; 48]].concat();
    let (key, index) = HssSigningKey::from_hash_sigs(&hash_sigs, 0).unwrap();
    assert_eq!((key.public().levels(), index), (2, 0));
    for len in 0..hash_sigs.len() {
        let refused = HssSigningKey::from_hash_sigs(&hash_sigs[..len], 0).unwrap_err();
        assert!(matches!(refused, Error::SecretKeyLength { .. }), "{len} bytes: {refused}");
    }
    let refused = HssSigningKey::from_hash_sigs(&[0xff; 100], 0).unwrap_err();
    assert_eq!(refused, Error::Levels { found: u32::MAX as usize });
}

/// The end of a key is the highest index that its file may have; the reference overwrites a key
/// that is used up with an index of ones and zeros.
#[test]
fn keys_of_other_programs_that_are_used_up() {
    let set = &xmss::XMSS_SHA2_10_192;
    let botan = |index: u32| {
        let number = set.oid.to_be_bytes();
        let bytes = [&number[..], &[1; 48], &index.to_be_bytes(), &[2; 48]].concat();
        XmssSigningKey::from_botan(&bytes, 0).map(|(_, next)| next)
    };
    let liboqs = |index: u32| {
        let bytes = [&set.oid.to_be_bytes()[..], &index.to_be_bytes(), &[0; 96]].concat();
        XmssSigningKey::from_liboqs(XmssTrees::Single, &bytes, 0).map(|(_, next)| next)
    };
    let hss = |index: u32| {
        let types = [5, 4].map(u32::to_be_bytes);
        let index = u64::from(index).to_be_bytes();
        let bytes = [&[0, 0, 0, 1], &index[..], types.as_flattened(), &[4; 48]].concat();
        HssSigningKey::from_hash_sigs(&bytes, 0).map(|(_, next)| next)
    };
    type Reader<'a> = &'a dyn Fn(u32) -> Result<u64, Error>;
    let readers: [Reader<'_>; 3] = [&botan, &liboqs, &hss];
    for (read, signatures) in readers.into_iter().zip([1 << 10, 1 << 10, 1 << 5]) {
        assert_eq!(read(signatures as u32), Ok(signatures));
        for index in [signatures + 1, u64::from(u32::MAX)] {
            assert_eq!(read(index as u32), Err(Error::IndexBeyondEnd { index, signatures }));
        }
    }
}

/// Stored keys are rejected if their types are not those of the public key or no tree has the root.
#[test]
fn stored_keys_that_do_not_fit_themselves() {
    let mut bytes = without_checksum(&hss(&small(), 0).to_bytes()).to_vec();
    // The public key: levels, both types, I, root. Then both types of both levels.
    let types = 12 + 16 + 24;
    assert_eq!(bytes[types..types + 8], bytes[4..12]);
    bytes[types + 7] = 6;
    let refused = HssSigningKey::from_bytes(&bytes, 0).unwrap_err();
    assert_eq!(refused, Error::SecretKeyInconsistent);

    let set = &xmss::XMSSMT_SHA2_20_4_192;
    let key = XmssSigningKey::from_seed(set, &[7; 72], 0).unwrap();
    let mut bytes = without_checksum(&key.to_bytes()).to_vec();
    bytes[4] ^= 1;
    let mut wrong = XmssSigningKey::from_bytes(XmssTrees::Multi, &bytes, 0).unwrap();
    assert!(wrong.nodes().is_none(), "nothing is grown yet");
    assert_eq!(wrong.prepare(0), Err(Error::SecretKeyInconsistent));
    assert_eq!(wrong.subtree_keys(0), Err(Error::SecretKeyInconsistent));
    assert_eq!(wrong.load_nodes(&key.nodes().unwrap()), Err(Error::CacheForeign));
    let mut out = vec![1; wrong.signature_len()];
    let refused = wrong.sign_at(Index::from_durable_record(0), MESSAGE, &mut out);
    assert_eq!(refused, Err(Error::SecretKeyInconsistent));
    assert!(out.iter().all(|byte| *byte == 0));
}

/// The generation of an XMSS key is stopped, stored and continued; the key is stored and goes on
/// signing.
#[test]
fn generations_of_xmss() {
    let (set, seed) = (&xmss::XMSS_SHA2_10_192, [5; 72]);
    let mut generation = XmssGeneration::new(set, &seed, 0).unwrap();
    let stop = |done, all| {
        assert_eq!((done, all), (0, 1024));
        ControlFlow::Break(())
    };
    assert_eq!(generation.run(stop), Err(Error::Cancelled));
    generation.run(|_, _| ControlFlow::Continue(())).unwrap();
    assert_eq!(generation.done(), 1024);
    let kept = generation.to_bytes();
    let refused = XmssGeneration::resume(set, &seed[1..], 0, &kept).unwrap_err();
    assert_eq!(refused, Error::SeedLength { expected: 72, found: 71 });
    let later = XmssGeneration::resume(set, &seed, 0, &kept).unwrap();
    assert_eq!(later.done(), 1024);
    let (mut key, mut later) = (generation.finish(), later.finish());
    assert_eq!(key.to_bytes(), later.to_bytes());
    let want = sign(&mut key, 1000);
    assert_eq!(sign(&mut later, 1000), want);

    let mut loaded = XmssSigningKey::from_bytes(XmssTrees::Single, &key.to_bytes(), 0).unwrap();
    loaded.load_nodes(&key.nodes().unwrap()).unwrap();
    assert_eq!(sign(&mut loaded, 1000), want);
}

/// The generation of an HSS key is stored, damaged and continued.
#[test]
fn generations_of_hss() {
    let (levels, seed) = (small(), [7; 40]);
    let mut generation = HssGeneration::new(&levels, &seed, 0).unwrap();
    assert_eq!(generation.run(|_, _| ControlFlow::Break(())), Err(Error::Cancelled));
    generation.run(|_, _| ControlFlow::Continue(())).unwrap();
    let kept = generation.to_bytes();
    let mut later = HssGeneration::resume(&levels, &seed, 0, &kept).unwrap();
    assert_eq!((later.done(), generation.done()), (32, 32));
    later.run(|_, _| ControlFlow::Continue(())).unwrap();
    assert_eq!(later.finish().to_bytes(), generation.finish().to_bytes());
    for (seed, kept) in [(&[8; 40], &kept[..]), (&seed, &kept[1..]), (&seed, &[])] {
        let refused = HssGeneration::resume(&levels, seed, 0, kept).unwrap_err();
        assert_eq!(refused, Error::CacheForeign);
    }
}

/// Every hash function of XMSS^MT signs and verifies in the lowest trees, alike at every level.
#[test]
fn all_hash_functions_of_xmss_mt() {
    let lowest = xmss::XMSS_MT.iter().filter(|set| (set.h, set.d) == (20, 4));
    assert_eq!(lowest.clone().count(), 7);
    for set in lowest {
        let mut want = None;
        for level in Level::available() {
            level.with(|| {
                let seed = vec![7; xmss_seed_len(set)];
                let mut key = XmssSigningKey::from_seed(set, &seed, 0).unwrap();
                key.set_growth(Growth::Lazy);
                let signature = sign(&mut key, 31);
                let same = *want.get_or_insert(signature.clone()) == signature;
                assert!(same, "{} at {level}", set.name);
            });
        }
    }
}

#[test]
fn generated_keys_differ_and_sign() {
    let levels = HssLevels::new(&[(&lms::LMS_SHAKE_M24_H5, &lms::LMOTS_SHAKE_N24_W4)]).unwrap();
    let [mut one, other] = [(); 2].map(|()| HssSigningKey::generate(&levels, 0).unwrap());
    assert_ne!(one.to_bytes(), other.to_bytes());
    let signature = sign(&mut one, 3);
    assert_eq!(one.check(MESSAGE, &signature).unwrap().index, 3);
    assert_eq!(other.check(MESSAGE, &signature), Err(Error::Invalid));
}

/// A public key of one level holds that of LMS; a signature is zero, the number of signed keys, and
/// the signature of LMS.
#[test]
fn one_level_of_hss_is_lms() {
    let (lms, lmots) = (&lms::LMS_SHAKE_M24_H5, &lms::LMOTS_SHAKE_N24_W4);
    let mut key = hss(&HssLevels::new(&[(lms, lmots)]).unwrap(), 0);
    let signature = sign(&mut key, 9);
    assert_eq!((key.public().levels(), &signature[..4]), (1, &[0; 4][..]));
    let public = LmsPublicKey::from_bytes(&key.public_key()[4..]).unwrap();
    assert_eq!(&public, key.public().top());
    assert_eq!((public.lms(), public.lmots()), (lms, lmots));
    assert_eq!(public.signature_len(), signature.len() - 4);
    public.verify(MESSAGE, &signature[4..]).unwrap();
    assert_eq!(public.verify(b"other", &signature[4..]), Err(Error::Invalid));
    assert_eq!(public.verify(MESSAGE, &signature[5..]), Err(Error::Invalid));
    let long = [public.as_bytes(), &[0]].concat();
    let refused = LmsPublicKey::from_bytes(&long).unwrap_err();
    assert_eq!(refused, Error::PublicKeyLength { expected: 48, found: 49 });
}

/// Both derivations of the secrets of one-time keys give keys that sign; the keys differ.
#[test]
fn derivations_of_secrets() {
    let new = |derivation| {
        let set = &xmss::XMSSMT_SHA2_20_4_192;
        XmssGeneration::with_derivation(set, &[5; 72], derivation, 0).unwrap().finish()
    };
    let [mut old, mut new] = [Derivation::Rfc8391, Derivation::Keygen].map(new);
    assert_ne!(old.public_key(), new.public_key());
    assert_ne!(sign(&mut old, 77), sign(&mut new, 77));
    let mut loaded = XmssSigningKey::from_bytes(XmssTrees::Multi, &old.to_bytes(), 0).unwrap();
    assert_eq!(sign(&mut loaded, 78), sign(&mut old, 78));
}

/// The keys of subtrees, by which a store separates trees, have one part for each layer of a key.
#[test]
fn layers_take_subtree_keys_apart() {
    let set = &xmss::XMSSMT_SHA2_20_4_192;
    let one = HssLevels::new(&[(&lms::LMS_SHA256_M24_H5, &lms::LMOTS_SHA256_N24_W4)]).unwrap();
    let mut keys: [Box<dyn StatefulKey>; 3] = [
        Box::new(hss(&small(), 0)),
        Box::new(XmssSigningKey::from_seed(set, &[7; 72], 0).unwrap()),
        Box::new(hss(&one, 0)),
    ];
    let of_trees = [vec![32], vec![1 << 15, 1 << 10, 1 << 5], vec![]];
    for (key, of_trees) in keys.iter_mut().zip(of_trees) {
        let layers = key.layers();
        let signatures: Vec<u64> = layers.iter().map(|layer| layer.signatures).collect();
        assert_eq!(signatures, of_trees);
        let of_tree = key.signatures_of_tree();
        assert_eq!(of_tree, signatures.last().copied().unwrap_or(key.signatures()));
        let len: usize = layers.iter().map(|layer| layer.public_key).sum();
        let [first, second] = [0, of_tree - 1].map(|index| key.subtree_keys(index).unwrap());
        assert_eq!((first.len(), &first), (len, &second), "one tree");
        if let Some(bottom) = layers.last() {
            let other = key.subtree_keys(of_tree).unwrap();
            let at = len - bottom.public_key;
            assert_eq!(other[..at], first[..at], "the layers above are the same");
            assert_ne!(other[at..], first[at..], "the next tree");
        }
    }
}

#[test]
fn nothing_secret_is_printed() {
    // I, the last 16 bytes, is public.
    let seed = [&[0x5a; 24][..], &[1; 16]].concat();
    let key = HssSigningKey::from_seed(&small(), &seed, 0).unwrap();
    let text = format!("{key:?}");
    assert!(text.starts_with("HssSigningKey { public: HssPublicKey") && text.ends_with(", .. }"));
    assert!(!text.contains("90, 90, 90"), "{text}");
    let generation = format!("{:?}", HssGeneration::new(&small(), &seed, 0).unwrap());
    assert_eq!(generation, "HssGeneration { done: 0, .. }");
    let set = &xmss::XMSSMT_SHA2_20_4_192;
    let generation = format!("{:?}", XmssGeneration::new(set, &[0x5a; 72], 0).unwrap());
    assert_eq!(generation, "XmssGeneration { done: 0, .. }");
    // SEED, the last third, is public.
    let seed = [&[0x5a; 48][..], &[1; 24]].concat();
    let text = format!("{:?}", XmssSigningKey::from_seed(set, &seed, 0).unwrap());
    assert!(text.starts_with("XmssSigningKey { public: XmssPublicKey") && text.ends_with(", .. }"));
    assert!(!text.contains("90, 90, 90"), "{text}");
}

#[test]
fn errors_say_what_was_expected_and_found() {
    let (expected, found) = (64, 63);
    for (error, text) in [
        (Error::PublicKeyLength { expected, found }, "public key of 63 bytes, expected 64"),
        (Error::SecretKeyLength { expected, found }, "private key of 63 bytes, expected 64"),
        (Error::SeedLength { expected, found }, "seed of 63 bytes, expected 64"),
        (Error::UnknownType { found: 0x77 }, "unknown parameter set 0x00000077"),
        (Error::TypesDiffer, "the types of tree and one-time signature do not go together"),
        (Error::Levels { found: 9 }, "9 levels, expected 1 to 8"),
        (Error::TooTall { found: 75 }, "heights add up to 75, expected at most 62"),
        (Error::SecretKeyInconsistent, "the parts of the private key do not belong together"),
        (Error::Fault, "a fault of the memory or the CPU"),
        (Error::IndexBeyondEnd { index: 32, signatures: 32 }, "index 32 of a key of 32 signatures"),
        (Error::Invalid, "the signature is not valid"),
        (Error::CacheForeign, "the node cache does not belong to the key"),
        (Error::Cancelled, "cancelled"),
    ] {
        assert_eq!(error.to_string(), text);
    }
}
