//! Compares our signatures of random messages with every peer's.
//!
//! `OAKLATH_CASES` sets the number of cases for each algorithm (100), a thousandth of it for hash
//! trees, whose portable implementations take seconds for a signature. A key of Falcon signs a
//! hundred messages.

use oaklath_measure::Level;

use super::{cases, run_seed};
use crate::{
    kem::{Failure, Randomness},
    random::Inputs,
    sig::{
        Coins, Implementation, Keys, Peers, algorithms, is_falcon, is_hash_tree, make_keys, ours,
        sizes,
    },
};

/// Tests ours against every one of `peers`, at every level.
///
/// # Panics
/// If two results differ, or a library rejects a good input. The message has the seed of the run.
pub fn agree(algorithm: &str, peers: &[Box<dyn Implementation>]) {
    let (cases, seed) = (cases().unwrap_or(100), run_seed());
    let cases = if is_hash_tree(algorithm) { cases.div_ceil(1000) } else { cases };
    let a_key = if is_falcon(algorithm) { 100 } else { 1 };
    let ours = ours(algorithm);
    for level in Level::available() {
        let mut inputs = Inputs::from_seed(seed);
        for case in (0..cases).step_by(a_key) {
            for peer in peers.iter().filter(|peer| !peer.is_relative()) {
                let peer = &**peer;
                let place = format!(
                    "{algorithm} at {level} against {}, case {case}, OAKLATH_SEED={seed}",
                    peer.library()
                );
                let messages =
                    if peer.is_slow() { 1 } else { cases.min(case + a_key as u64) - case };
                level.with(|| agree_on_a_key(&*ours, peer, messages, &mut inputs, &place));
            }
        }
    }
}

/// Makes the keys of a seed, equal where both take it, and compares signatures with them.
fn agree_on_a_key(
    ours: &dyn Implementation,
    peer: &dyn Implementation,
    messages: u64,
    inputs: &mut Inputs,
    place: &str,
) {
    let seed = bytes(inputs, sizes(ours.algorithm()).seed);
    let our_keys = make_keys(ours, &seed).expect(place);
    let peer_keys = match make_keys(peer, &seed) {
        Err(Failure::NotOffered) => None,
        made => Some(made.expect(place)),
    };
    let keys = match peer_keys {
        Some(keys) if peer.randomness() == Randomness::Given => {
            assert!(our_keys.public == keys.public, "public keys differ: {place}");
            assert!(our_keys.secret == keys.secret, "private keys differ: {place}");
            vec![our_keys]
        }
        other => [our_keys].into_iter().chain(other).collect(),
    };
    for _ in 0..messages {
        agree_on_a_message(ours, peer, &keys, inputs, place);
    }
}

/// Compares both directions, bytes where both take the same randomness, and changed inputs: with
/// our key, and with the peer's if it differs.
fn agree_on_a_message(
    ours: &dyn Implementation,
    peer: &dyn Implementation,
    keys: &[Keys],
    inputs: &mut Inputs,
    place: &str,
) {
    let coins = bytes(inputs, sizes(ours.algorithm()).coins);
    let length = inputs.below(300);
    let message = bytes(inputs, length);
    for keys in keys {
        let mut last = Vec::new();
        for coins in ways(peer.coins(), &coins) {
            let by_us = sign(ours, keys, &message, coins).expect(place);
            let by_peer = sign(peer, keys, &message, coins).expect(place);
            if matches!(peer.coins(), Coins::Own(_)) {
                assert!(by_us != by_peer, "signatures are the same: {place}");
            } else if !peer.rounds_otherwise() {
                assert!(by_us == by_peer, "signatures differ: {place}");
            }
            ours.verify(&keys.public, &message, &by_peer).expect(place);
            peer.verify(&keys.public, &message, &by_us).expect(place);
            last = by_peer;
        }
        refused([ours, peer], keys, &message, &last, inputs, place);
    }
}

/// Checks that both reject a changed signature and a changed message.
fn refused(
    both: [&dyn Implementation; 2],
    keys: &Keys,
    message: &[u8],
    signature: &[u8],
    inputs: &mut Inputs,
    place: &str,
) {
    let mut changed = signature.to_vec();
    changed[inputs.below(signature.len())] ^= 1 << inputs.below(8);
    let longer = [message, &[0]].concat();
    for (message, signature) in [(message, &*changed), (&longer, signature)] {
        for implementation in both {
            let result = implementation.verify(&keys.public, message, signature);
            let library = implementation.library();
            assert_eq!(result, Err(Failure::Refused), "{library} takes what is wrong: {place}");
        }
    }
}

/// Returns the ways of signing that a library shares with ours: coins, or none if deterministic.
fn ways(offered: Coins, coins: &[u8]) -> Vec<Option<&[u8]>> {
    match offered {
        Coins::Any => vec![Some(coins), None],
        Coins::Given | Coins::Own(_) => vec![Some(coins)],
        Coins::None => vec![None],
    }
}

/// Tests that kept keys, ours and every peer's, do what keys as bytes do, so that `compare`
/// measures the same work. Returns how many kept keys were tried.
///
/// # Panics
/// If a result differs, or a library rejects a good input.
#[must_use]
pub fn kept_keys_do_what_bytes_do(peers: Peers) -> usize {
    let mut inputs = Inputs::from_seed(run_seed());
    let mut seen = 0;
    for algorithm in algorithms().filter(|algorithm| !peers(algorithm).is_empty()) {
        let (reference, sizes) = (ours(algorithm), sizes(algorithm));
        let times = if is_hash_tree(algorithm) { 1 } else { 10 };
        for level in Level::available() {
            for implementation in peers(algorithm).into_iter().chain([ours(algorithm)]) {
                // Relatives use keys that they make themselves.
                let relative = implementation.is_relative();
                let maker = if relative { &*implementation } else { &*reference };
                for _ in 0..times {
                    let keys = make_keys(maker, &bytes(&mut inputs, sizes.seed));
                    let coins = bytes(&mut inputs, sizes.coins);
                    let (keys, message) = (keys.expect("a seed"), bytes(&mut inputs, 40));
                    seen += level.with(|| kept(&*implementation, &keys, &message, &coins));
                }
            }
        }
    }
    seen
}

/// Checks every kind of kept key that is offered; returns their number.
fn kept(implementation: &dyn Implementation, keys: &Keys, message: &[u8], coins: &[u8]) -> usize {
    let place = format!("{} of {}", implementation.algorithm(), implementation.library());
    let mut count = 0;
    let mut expected = Vec::new();
    if let Some(signer) = implementation.expand_secret(keys) {
        for coins in ways(implementation.coins(), coins) {
            expected = sign(implementation, keys, message, coins).expect(&place);
            let mut found = vec![0; sizes(implementation.algorithm()).signature];
            let len = signer(message, coins, &mut found).expect(&place);
            assert!(found[..len] == expected, "{place}");
        }
        count += 1;
    }
    if let Some(verify) = implementation.expand_public(keys) {
        assert!(!expected.is_empty(), "who keeps public keys keeps private ones: {place}");
        verify(message, &expected).expect(&place);
        expected[0] ^= 1;
        assert_eq!(verify(message, &expected), Err(Failure::Refused), "{place}");
        count += 1;
    }
    count
}

fn sign(
    implementation: &dyn Implementation,
    keys: &Keys,
    message: &[u8],
    coins: Option<&[u8]>,
) -> Result<Vec<u8>, Failure> {
    let mut signature = vec![0; sizes(implementation.algorithm()).signature];
    let len = implementation.sign(&keys.secret, message, coins, &mut signature)?;
    signature.truncate(len);
    Ok(signature)
}

fn bytes(inputs: &mut Inputs, len: usize) -> Vec<u8> {
    (0..len).map(|_| inputs.number() as u8).collect()
}
