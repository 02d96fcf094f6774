//! Ours against everybody else's of today; see `interop_common::differential::sig`.

use interop_common::differential::sig::{agree, kept_keys_do_what_bytes_do};
use interop_common::sig::algorithms;
use interop_current::sig::peers;

/// One test an algorithm, so that they run side by side.
macro_rules! agreement {
    ($($test:ident: $algorithm:literal),* $(,)?) => {$(
        #[test]
        fn $test() {
            let peers = peers($algorithm);
            assert_eq!(peers.len(), 6, "a peer is missing");
            agree($algorithm, &peers);
        }
    )*};
}

agreement! {
    ml_dsa_44: "ML-DSA-44",
    ml_dsa_65: "ML-DSA-65",
    ml_dsa_87: "ML-DSA-87",
}

/// Dilithium went before the standard: none of these libraries is taken for one of it.
#[test]
fn no_peer_has_round_3() {
    for algorithm in algorithms().filter(|name| name.starts_with("Dilithium")) {
        assert!(peers(algorithm).is_empty(), "{algorithm}");
    }
}

#[test]
fn kept_keys() {
    // Ours and two libraries keep keys of both kinds; three algorithms, ten times.
    let seen = kept_keys_do_what_bytes_do(peers);
    assert!(seen >= 180, "{seen}");
}
