//! Compares ours with every peer, with random keys and ciphertexts, at every SIMD level.
//!
//! `OAKLATH_CASES` sets the number of cases for each algorithm (1000), `OAKLATH_SEED` repeats the
//! run whose seed a failure printed.

pub mod sig;

use std::env;

use oaklath_measure::Level;

use crate::{
    kem::{Failure, Implementation, Keys, Peers, Randomness, algorithms, make_keys, ours, sizes},
    random::Inputs,
};

/// Tests ours against every one of `peers`, at every level.
///
/// `same_rejection` says whether a peer answers a changed ciphertext with the secret that the
/// specification requires.
///
/// # Panics
/// If two results differ, or a library rejects a good input. The message has the seed of the run.
pub fn agree(
    algorithm: &str,
    peers: &[Box<dyn Implementation>],
    same_rejection: fn(&dyn Implementation) -> bool,
) {
    for level in Level::available() {
        level.with(|| agree_at(algorithm, level.name(), peers, same_rejection));
    }
}

fn agree_at(
    algorithm: &str,
    level: &str,
    peers: &[Box<dyn Implementation>],
    same_rejection: fn(&dyn Implementation) -> bool,
) {
    let (cases, seed) = (cases().unwrap_or(1000), run_seed());
    let ours = ours(algorithm);
    let mut inputs = Inputs::from_seed(seed);
    for case in 0..cases {
        for peer in peers {
            let place = format!(
                "{algorithm} at {level} against {}, case {case}, OAKLATH_SEED={seed}",
                peer.library()
            );
            let rejected = agree_once(&*ours, &**peer, &mut inputs, &place);
            if same_rejection(&**peer) {
                assert_eq!(rejected.by_peer, rejected.by_us, "rejection: {place}");
            }
        }
    }
}

/// Compares both directions, bytes where both take the same randomness, and a changed ciphertext.
fn agree_once(
    ours: &dyn Implementation,
    peer: &dyn Implementation,
    inputs: &mut Inputs,
    place: &str,
) -> Rejected {
    let (seed, m) = (inputs.bytes(), inputs.bytes());
    let our_keys = make_keys(ours, &seed).expect(place);
    let peer_keys = make_keys(peer, &seed).expect(place);
    // Our key, the peer's ciphertext; the peer's key, our ciphertext.
    let (to_us, peer_secret) = encapsulate(peer, &m, &our_keys);
    assert_eq!(decapsulate(ours, &our_keys, &to_us), peer_secret, "to us: {place}");
    let (to_peer, our_secret) = encapsulate(ours, &m, &peer_keys);
    assert_eq!(decapsulate(peer, &peer_keys, &to_peer), our_secret, "to the peer: {place}");

    if peer.randomness() == Randomness::Given {
        assert!(our_keys.public == peer_keys.public, "encapsulation keys differ: {place}");
        assert!(our_keys.secret == peer_keys.secret, "decapsulation keys differ: {place}");
        assert!(to_us == to_peer, "ciphertexts differ: {place}");
        assert_eq!(our_secret, peer_secret, "secrets differ: {place}");
    }

    let mut changed = to_peer;
    let byte = inputs.below(changed.len());
    changed[byte] ^= 1 << inputs.below(8);
    let by_us = decapsulate(ours, &peer_keys, &changed);
    assert_ne!(by_us, our_secret, "a changed ciphertext was accepted: {place}");
    Rejected { by_us, by_peer: decapsulate(peer, &peer_keys, &changed) }
}

/// The secrets that both sides return for a changed ciphertext.
struct Rejected {
    by_us: Vec<u8>,
    by_peer: Vec<u8>,
}

/// Tests that kept keys, ours and every peer's, return what keys as bytes return, so that `compare`
/// measures the same work. Returns how many kept keys were tried.
///
/// # Panics
/// If a result differs, or a library rejects a good input.
#[must_use]
pub fn kept_keys_give_what_bytes_give(peers: Peers) -> usize {
    let mut inputs = Inputs::from_seed(run_seed());
    let mut seen = 0;
    for algorithm in algorithms().filter(|algorithm| !peers(algorithm).is_empty()) {
        let reference = ours(algorithm);
        for level in Level::available() {
            for implementation in peers(algorithm).into_iter().chain([ours(algorithm)]) {
                for _ in 0..10 {
                    let (seed, m) = (inputs.bytes(), inputs.bytes());
                    let keys = make_keys(&*reference, &seed).expect("a seed");
                    let (ciphertext, secret) = encapsulate(&*reference, &m, &keys);
                    seen += level.with(|| kept(&*implementation, &keys, &m, &ciphertext, &secret));
                }
            }
        }
    }
    seen
}

/// Checks every kind of kept key that is offered; returns their number.
fn kept(
    implementation: &dyn Implementation,
    keys: &Keys,
    m: &[u8; 32],
    ciphertext: &[u8],
    secret: &[u8],
) -> usize {
    let place = format!("{} of {}", implementation.algorithm(), implementation.library());
    let mut count = 0;
    let decapsulators = [implementation.prepare(keys), implementation.expand_secret(keys)];
    for decapsulate in decapsulators.into_iter().flatten() {
        let mut found = vec![0; secret.len()];
        decapsulate(ciphertext, &mut found);
        assert_eq!(found, secret, "{place}");
        count += 1;
    }
    if let Some(encapsulate) = implementation.expand_public(keys) {
        let (mut ct, mut ss) = (vec![0; ciphertext.len()], vec![0; secret.len()]);
        encapsulate(m, &mut ct, &mut ss);
        assert!((&*ct, &*ss) == (ciphertext, secret), "{place}");
        count += 1;
    }
    count
}

/// Returns a ciphertext and its shared secret.
///
/// # Panics
/// If the library rejects the key.
#[must_use]
pub fn encapsulate(
    implementation: &dyn Implementation,
    m: &[u8; 32],
    keys: &Keys,
) -> (Vec<u8>, Vec<u8>) {
    let sizes = sizes(implementation.algorithm());
    let (mut ct, mut ss) = (vec![0; sizes.ciphertext], vec![0; sizes.shared_secret]);
    implementation.encapsulate(m, &keys.public, &mut ct, &mut ss).expect("a good key");
    (ct, ss)
}

/// Returns the shared secret: from bytes, or with a kept key where the library reads no bytes.
///
/// # Panics
/// If the library rejects the key or the ciphertext.
#[must_use]
pub fn decapsulate(implementation: &dyn Implementation, keys: &Keys, ciphertext: &[u8]) -> Vec<u8> {
    let mut ss = vec![0; sizes(implementation.algorithm()).shared_secret];
    match implementation.decapsulate(&keys.secret, ciphertext, &mut ss) {
        Err(Failure::NotOffered) => {
            implementation.expand_secret(keys).expect("a kept key")(ciphertext, &mut ss);
        }
        result => result.expect("a good key"),
    }
    ss
}

fn run_seed() -> u64 {
    number("OAKLATH_SEED").unwrap_or_else(|| getrandom::u64().expect("the system's generator"))
}

/// Returns the number of cases that was asked for.
///
/// # Panics
/// If the variable is not a number.
#[must_use]
pub fn cases() -> Option<u64> {
    number("OAKLATH_CASES")
}

fn number(variable: &str) -> Option<u64> {
    env::var(variable).ok().map(|value| value.parse().expect("a number"))
}
