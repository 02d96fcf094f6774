//! Ours against the libraries of round 3; see `interop_common::differential`.

use std::thread;

use interop_common::{
    differential::{agree, kept_keys_give_what_bytes_give},
    kem::algorithms,
};
use interop_round3::kem::peers;

/// Every Kyber that we have, side by side, with both libraries.
#[test]
fn every_kyber_agrees() {
    let kybers: Vec<_> = algorithms().filter(|name| name.starts_with("Kyber")).collect();
    assert_eq!(kybers.len(), 6, "{kybers:?}");
    thread::scope(|scope| {
        for algorithm in kybers {
            scope.spawn(move || {
                let peers = peers(algorithm);
                assert_eq!(peers.len(), 2, "a peer of {algorithm} is missing");
                agree(algorithm, &peers, |_| true);
            });
        }
    });
}

/// ML-KEM came after the round: none of these libraries is taken for one of it.
#[test]
fn no_peer_has_the_standard() {
    for algorithm in algorithms().filter(|name| name.starts_with("ML-KEM")) {
        assert!(peers(algorithm).is_empty(), "{algorithm}");
    }
}

#[test]
fn kept_keys() {
    // Of ours alone three ways an algorithm, six algorithms, ten times.
    let seen = kept_keys_give_what_bytes_give(peers);
    assert!(seen >= 180, "{seen}");
}
