//! Ours against the libraries of round 3; see `interop_common::differential::sig`.

use std::thread;

use interop_common::{
    differential::sig::{agree, kept_keys_do_what_bytes_do},
    sig::algorithms,
};
use interop_round3::sig::peers;

/// Every Dilithium that we have, side by side, with both libraries.
#[test]
fn every_dilithium_agrees() {
    let all: Vec<_> = algorithms().filter(|name| name.starts_with("Dilithium")).collect();
    assert_eq!(all.len(), 6, "{all:?}");
    thread::scope(|scope| {
        for algorithm in all {
            scope.spawn(move || {
                let peers = peers(algorithm);
                assert_eq!(peers.len(), 2, "a peer of {algorithm} is missing");
                agree(algorithm, &peers);
            });
        }
    });
}

/// Both Falcons, side by side, with PQClean.
#[test]
fn every_falcon_agrees() {
    let all: Vec<_> = algorithms().filter(|name| name.starts_with("Falcon")).collect();
    assert_eq!(all.len(), 2, "{all:?}");
    thread::scope(|scope| {
        for algorithm in all {
            scope.spawn(move || {
                let peers = peers(algorithm);
                assert_eq!(peers.len(), 1, "{algorithm}");
                agree(algorithm, &peers);
            });
        }
    });
}

/// Every SPHINCS+ that we have, side by side, with liboqs.
#[test]
fn every_sphincs_agrees() {
    let all: Vec<_> = algorithms().filter(|name| name.starts_with("SPHINCS")).collect();
    assert_eq!(all.len(), 6, "{all:?}");
    thread::scope(|scope| {
        for algorithm in all {
            scope.spawn(move || {
                let peers = peers(algorithm);
                assert_eq!(peers.len(), 1, "{algorithm}");
                agree(algorithm, &peers);
            });
        }
    });
}

/// The standards came after the round: none of these libraries is taken for one of them.
#[test]
fn no_peer_has_the_standard() {
    for algorithm in algorithms().filter(|name| name.contains("DSA")) {
        assert!(peers(algorithm).is_empty(), "{algorithm}");
    }
}

#[test]
fn kept_keys() {
    // Ours keep keys of both kinds; eight algorithms, ten times, and six once.
    let seen = kept_keys_do_what_bytes_do(peers);
    assert!(seen >= 160 + 12, "{seen}");
}
