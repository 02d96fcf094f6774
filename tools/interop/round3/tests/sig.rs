//! Ours against the libraries of round 3; see `interop_common::differential::sig`.

use std::thread;

use interop_common::{
    differential::sig::{agree, kept_keys_do_what_bytes_do},
    sig::algorithms,
};
use interop_round3::sig::peers;

/// Every algorithm whose name begins so, of which there are `count`, side by side, each with
/// `of_each` peers.
fn every(name: &str, count: usize, of_each: usize) {
    let all: Vec<_> = algorithms().filter(|algorithm| algorithm.starts_with(name)).collect();
    assert_eq!(all.len(), count, "{all:?}");
    thread::scope(|scope| {
        for algorithm in all {
            scope.spawn(move || {
                let peers = peers(algorithm);
                assert_eq!(peers.len(), of_each, "a peer of {algorithm} is missing");
                agree(algorithm, &peers);
            });
        }
    });
}

/// With both libraries.
#[test]
fn every_dilithium_agrees() {
    every("Dilithium", 6, 2);
}

/// With PQClean.
#[test]
fn every_falcon_agrees() {
    every("Falcon", 2, 1);
}

/// With liboqs.
#[test]
fn every_sphincs_agrees() {
    every("SPHINCS", 6, 1);
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
