//! Compares ours with the libraries of round 3; see `interop_common::differential`.

use std::thread;

use interop_common::{
    differential::{agree, kept_keys_give_what_bytes_give},
    kem::algorithms,
};
use interop_round3::kem::{is_pqclean, peers};

/// Tests every Kyber, NTRU and SABER that we have, in parallel, against the libraries that have it;
/// with the feature `pqcrypto` NTRU and SABER alone.
#[test]
fn every_algorithm_of_the_round_agrees() {
    let round_3: Vec<_> = algorithms().filter(|name| !name.starts_with("ML-KEM")).collect();
    assert_eq!(round_3.len(), 6 + 4 + 3, "{round_3:?}");
    thread::scope(|scope| {
        for algorithm in round_3 {
            scope.spawn(move || {
                let peers = peers(algorithm);
                let expected = match (is_pqclean(algorithm), cfg!(feature = "pqcrypto")) {
                    (true, _) => 1,
                    (false, true) => 0,
                    (false, false) => 2,
                };
                assert_eq!(peers.len(), expected, "a peer of {algorithm} is missing");
                agree(algorithm, &peers, |_| true);
            });
        }
    });
}

/// ML-KEM came after the round: none of these libraries may be mistaken for it.
#[test]
fn no_peer_has_the_standard() {
    for algorithm in algorithms().filter(|name| name.starts_with("ML-KEM")) {
        assert!(peers(algorithm).is_empty(), "{algorithm}");
    }
}

#[test]
fn kept_keys() {
    // Ours alone has three kinds of kept keys for each of thirteen algorithms, ten times.
    let seen = kept_keys_give_what_bytes_give(peers);
    assert!(seen >= 390, "{seen}");
}
