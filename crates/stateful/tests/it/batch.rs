//! Many signatures verified at once: each has the result of a single verification.

use oaklath_params::stateful::lms::{self, LmotsType, LmsType};
use oaklath_params::stateful::xmss::{self, XmssInfo};
use oaklath_simd::Level;
use oaklath_stateful::{
    Error, HssLevels, HssPublicKey, HssSigningKey, Index, LmsPublicKey, NODE_BYTES, StatefulKey,
    XmssPublicKey, XmssSigningKey, XmssTrees, xmss_seed_len,
};

/// Several times the lanes, and about them.
const COUNTS: [usize; 9] = [0, 1, 2, 3, 7, 8, 9, 17, 64];

/// The number of a key, a message, and what may be its signature.
#[derive(Clone)]
struct Case {
    key: usize,
    message: &'static [u8],
    signature: Vec<u8>,
    is_valid: bool,
}

/// A few signatures of each of some keys, of which not all are valid.
fn cases(keys: &mut [Box<dyn StatefulKey>]) -> Vec<Case> {
    let mut cases = Vec::new();
    for i in 0..13_usize {
        let key = i % 5 % keys.len();
        let mut signature = vec![0; keys[key].signature_len()];
        let index = Index::from_durable_record(2 * i as u64);
        keys[key].sign_at(index, b"message", &mut signature).expect("an index");
        let mut case = Case { key, message: b"message", signature, is_valid: false };
        match i {
            2 => case.message = b"massage",
            4 => case.key = (key + 1) % keys.len(),
            5 => drop(case.signature.pop()),
            6 => case.signature.push(0),
            // The last node of the path of the top layer, or of the lowest one; the first chain.
            8 => *case.signature.last_mut().expect("bytes") ^= 1,
            9 => case.signature[100] ^= 0x80,
            _ => case.is_valid = true,
        }
        cases.push(case);
    }
    cases
}

/// Verifies cases one by one, then many at a time: at every level, sets that begin at any of them.
fn agree<K>(
    keys: &[K],
    cases: &[Case],
    one: impl Fn(&K, &[u8], &[u8]) -> Result<(), Error>,
    many: impl Fn(&[(&K, &[u8], &[u8])], &mut [Result<(), Error>]),
) {
    assert!(cases.iter().any(|case| case.is_valid) && cases.iter().any(|case| !case.is_valid));
    let result = |case: &Case| if case.is_valid { Ok(()) } else { Err(Error::Invalid) };
    for (i, case) in cases.iter().enumerate() {
        assert_eq!(one(&keys[case.key], case.message, &case.signature), result(case), "case {i}");
    }
    for level in Level::available() {
        for (first, count) in COUNTS.into_iter().enumerate() {
            let chosen = || (first..first + count).map(|i| &cases[i % cases.len()]);
            let signed = chosen().map(|case| (&keys[case.key], case.message, &case.signature[..]));
            let (signed, mut results) = (signed.collect::<Vec<_>>(), vec![Ok(()); count]);
            level.with(|| many(&signed, &mut results));
            let expected: Vec<_> = chosen().map(result).collect();
            assert_eq!(results, expected, "{count} from {first} at {level}");
        }
    }
}

fn hss(types: &[(&'static LmsType, &'static LmotsType)], seed: u8) -> HssSigningKey {
    let levels = HssLevels::new(types).expect("types that go together");
    HssSigningKey::from_seed(&levels, &vec![seed; levels.seed_len()], NODE_BYTES).expect("a seed")
}

/// Two keys of one type, and one of another, whose levels are of two types.
#[test]
fn of_hss() {
    let low = (&lms::LMS_SHA256_M24_H5, &lms::LMOTS_SHA256_N24_W4);
    let fast = (&lms::LMS_SHA256_M24_H5, &lms::LMOTS_SHA256_N24_W1);
    let shake = (&lms::LMS_SHAKE_M32_H5, &lms::LMOTS_SHAKE_N32_W4);
    for kinds in [[&[low, low][..], &[low, low], &[fast, low]], [&[shake, shake], &[shake], &[low]]]
    {
        let keys = (1..).zip(kinds).map(|(seed, types)| hss(types, seed));
        let mut keys: Vec<Box<dyn StatefulKey>> =
            keys.map(|key| Box::new(key) as Box<dyn StatefulKey>).collect();
        let cases = cases(&mut keys);
        let public = keys.iter().map(|key| HssPublicKey::from_bytes(key.public_key()));
        let public: Vec<_> = public.collect::<Result<_, _>>().expect("public keys");
        agree(&public, &cases, HssPublicKey::verify, HssPublicKey::verify_many);
    }
}

/// Without the number of levels around key and signature.
#[test]
fn of_lms() {
    let types = (&lms::LMS_SHA256_M32_H10, &lms::LMOTS_SHA256_N32_W2);
    let mut keys: [Box<dyn StatefulKey>; 2] =
        [Box::new(hss(&[types], 1)), Box::new(hss(&[types], 2))];
    let mut cases = cases(&mut keys);
    cases.iter_mut().for_each(|case| drop(case.signature.drain(..4)));
    let public = keys.each_ref().map(|key| LmsPublicKey::from_bytes(&key.public_key()[4..]));
    let public = public.map(|key| key.expect("a public key"));
    agree(&public, &cases, LmsPublicKey::verify, LmsPublicKey::verify_many);
}

/// Runs of signatures by one key, and keys in turn.
#[test]
fn of_xmss() {
    let sets: [&'static XmssInfo; 3] =
        [&xmss::XMSSMT_SHA2_20_4_256, &xmss::XMSSMT_SHA2_20_4_192, &xmss::XMSSMT_SHAKE256_20_4_256];
    for set in sets {
        let new =
            |seed| XmssSigningKey::from_seed(set, &vec![seed; xmss_seed_len(set)], NODE_BYTES);
        let mut keys =
            [1, 2].map(|seed| -> Box<dyn StatefulKey> { Box::new(new(seed).expect("a seed")) });
        let mut cases = cases(&mut keys);
        let public = keys.each_ref().map(|key| {
            XmssPublicKey::from_bytes(XmssTrees::of(set), key.public_key()).expect("a public key")
        });
        agree(&public, &cases, XmssPublicKey::verify, XmssPublicKey::verify_many);
        cases.retain(|case| case.key == 1);
        cases.extend(cases.clone());
        agree(&public, &cases, XmssPublicKey::verify, XmssPublicKey::verify_many);
    }
}
