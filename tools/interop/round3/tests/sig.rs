//! Compares ours with the libraries of round 3; see `interop_common::differential::sig`.

use std::thread;

use interop_common::{
    differential::sig::{agree, kept_keys_do_what_bytes_do},
    sig::algorithms,
};
use interop_round3::sig::peers;

/// Tests every algorithm whose name begins with `name`, of which there are `count`, in parallel,
/// each with `of_each` peers.
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

/// Tests Dilithium with both libraries.
#[test]
fn every_dilithium_agrees() {
    every("Dilithium", 6, 2);
}

/// Tests Falcon with PQClean.
#[test]
fn every_falcon_agrees() {
    every("Falcon", 2, 1);
}

/// Tests SPHINCS+ with liboqs.
#[test]
fn every_sphincs_agrees() {
    every("SPHINCS", 6, 1);
}

/// The standards came after the round: none of these libraries may be mistaken for one of them.
#[test]
fn no_peer_has_the_standard() {
    for algorithm in algorithms().filter(|name| name.contains("DSA")) {
        assert!(peers(algorithm).is_empty(), "{algorithm}");
    }
}

#[test]
fn kept_keys() {
    // Ours keeps keys of both kinds, for eight algorithms ten times and for six once.
    let seen = kept_keys_do_what_bytes_do(peers);
    assert!(seen >= 160 + 12, "{seen}");
}
