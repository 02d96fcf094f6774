//! The secret parts of seeds, keys and coins.
#![expect(clippy::single_range_in_vec_init, reason = "there may be several parts")]

use std::hint::black_box;
use std::ops::Range;

use oaklath_params::sig::SigInfo;
use oaklath_params::stateful::{lms, xmss};
use oaklath_sig::Message;
use oaklath_stateful::{Error, HssLevels, HssSigningKey, NODE_BYTES, StatefulKey, XmssSigningKey};

pub(crate) const MESSAGE: Message<'_> = Message::new(b"a message");

/// Returns bytes that do not repeat: NTRU makes no usable keys from others.
pub(crate) fn bytes(len: usize, mut x: u32) -> Vec<u8> {
    let mut next = || {
        x = x.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
        (x >> 16) as u8
    };
    black_box((0..len).map(|_| next()).collect())
}

/// Returns the secret parts of a decapsulation key: all of it or, if it holds the encapsulation key
/// and a hash, the rest.
pub(crate) fn of_decapsulation_key(pk: &[u8], sk: &[u8]) -> Vec<Range<usize>> {
    let rest = sk.len().checked_sub(pk.len() + 64);
    match rest.filter(|at| sk[*at..].starts_with(pk)) {
        Some(at) => vec![0..at, sk.len() - 32..sk.len()],
        None => vec![0..sk.len()],
    }
}

pub(crate) fn is_falcon(info: &SigInfo) -> bool {
    info.name.contains("Falcon") || is_fn_dsa(info)
}

fn is_fn_dsa(info: &SigInfo) -> bool {
    info.name.contains("FN-DSA")
}

pub(crate) fn is_ml_dsa(info: &SigInfo) -> bool {
    info.name.starts_with("ML-DSA")
}

fn is_hash_based(info: &SigInfo) -> bool {
    info.name.starts_with("SLH-DSA") || info.name.starts_with("SPHINCS")
}

/// Returns those of a signing key's seed: all, or SK.seed and SK.prf before the public PK.seed.
pub(crate) fn of_seed(info: &SigInfo, seed: &[u8]) -> Vec<Range<usize>> {
    if is_hash_based(info) { vec![0..info.secret_key >> 1] } else { vec![0..seed.len()] }
}

/// Returns the secret parts of a signing key.
pub(crate) fn of_signing_key(info: &SigInfo) -> Vec<Range<usize>> {
    let len = info.secret_key;
    if is_hash_based(info) {
        vec![0..len >> 1]
    } else if is_fn_dsa(info) {
        vec![0..len - 64] // it ends with a hash of the public key
    } else if is_falcon(info) {
        vec![0..len]
    } else {
        // rho, then K, then tr of 64 or 32 bytes.
        vec![32..64, if is_ml_dsa(info) { 128..len } else { 96..len }]
    }
}

/// Returns the secret parts of a signature's random bytes: all of them, except Falcon's nonce,
/// which is in the signature.
pub(crate) fn of_coins(info: &SigInfo, coins: &[u8]) -> Vec<Range<usize>> {
    let public = if is_falcon(info) && !is_fn_dsa(info) { 40 } else { 0 };
    vec![public..coins.len()]
}

/// The stateful algorithms; XMSS is XMSS^MT with one tree.
pub(crate) const STATEFUL: [&str; 5] =
    ["LMS-SHA256", "LMS-SHAKE", "HSS-SHA256", "XMSSMT-SHA2", "XMSSMT-SHAKE"];

/// The bytes that [`stateful_key`] makes a key of; those of [`of_stateful_seed`] are secret.
pub(crate) const STATEFUL_SEED: usize = 96;

/// Returns the secret part: for LMS the seed, before the identifier; for XMSS both secret seeds.
pub(crate) fn of_stateful_seed(name: &str) -> Range<usize> {
    if name.starts_with("XMSS") { 0..64 } else { 0..32 }
}

/// Makes a key with trees of 32 leaves; larger ones only run the same code for longer.
pub(crate) fn stateful_key(name: &str, seed: &[u8]) -> Result<Box<dyn StatefulKey>, Error> {
    let sha2 = (&lms::LMS_SHA256_M32_H5, &lms::LMOTS_SHA256_N32_W4);
    let shake = (&lms::LMS_SHAKE_M32_H5, &lms::LMOTS_SHAKE_N32_W4);
    let hss = |levels: &[_]| -> Result<Box<dyn StatefulKey>, Error> {
        Ok(Box::new(HssSigningKey::from_seed(&HssLevels::new(levels)?, &seed[..48], NODE_BYTES)?))
    };
    match name {
        "LMS-SHA256" => hss(&[sha2]),
        "LMS-SHAKE" => hss(&[shake]),
        "HSS-SHA256" => hss(&[sha2, sha2]),
        _ => {
            let sha2 = name == "XMSSMT-SHA2";
            let set = if sha2 { &xmss::XMSSMT_SHA2_20_4_256 } else { &xmss::XMSSMT_SHAKE_20_4_256 };
            Ok(Box::new(XmssSigningKey::from_seed(set, seed, NODE_BYTES)?))
        }
    }
}
