//! Compares ours with all peers of today; see `interop_common::differential::sig`.

use interop_common::differential::sig::{agree, kept_keys_do_what_bytes_do};
use interop_common::sig::algorithms;
use interop_current::sig::peers;

/// Writes one test for each algorithm, so that they run in parallel.
macro_rules! agreement {
    ($($test:ident: $algorithm:literal $count:literal),* $(,)?) => {$(
        #[test]
        fn $test() {
            let peers = peers($algorithm);
            assert_eq!(peers.len(), $count, "a peer is missing");
            agree($algorithm, &peers);
        }
    )*};
}

agreement! {
    ml_dsa_44: "ML-DSA-44" 6,
    ml_dsa_65: "ML-DSA-65" 6,
    ml_dsa_87: "ML-DSA-87" 6,
    falcon_512: "Falcon-512" 3,
    falcon_1024: "Falcon-1024" 3,
    fn_dsa_512: "FN-DSA-512" 1,
    fn_dsa_1024: "FN-DSA-1024" 1,
    slh_dsa_sha2_128s: "SLH-DSA-SHA2-128s" 4,
    slh_dsa_sha2_128f: "SLH-DSA-SHA2-128f" 4,
    slh_dsa_sha2_192s: "SLH-DSA-SHA2-192s" 4,
    slh_dsa_sha2_192f: "SLH-DSA-SHA2-192f" 4,
    slh_dsa_sha2_256s: "SLH-DSA-SHA2-256s" 4,
    slh_dsa_sha2_256f: "SLH-DSA-SHA2-256f" 4,
    slh_dsa_shake_128s: "SLH-DSA-SHAKE-128s" 4,
    slh_dsa_shake_128f: "SLH-DSA-SHAKE-128f" 4,
    slh_dsa_shake_192s: "SLH-DSA-SHAKE-192s" 4,
    slh_dsa_shake_192f: "SLH-DSA-SHAKE-192f" 4,
    slh_dsa_shake_256s: "SLH-DSA-SHAKE-256s" 4,
    slh_dsa_shake_256f: "SLH-DSA-SHAKE-256f" 4,
}

/// Dilithium and SPHINCS+ preceded the standards: none of these libraries may be mistaken for one
/// of them.
#[test]
fn no_peer_has_round_3() {
    let is_round3 = |name: &&str| name.starts_with("Dilithium") || name.starts_with("SPHINCS");
    for algorithm in algorithms().filter(is_round3) {
        assert!(peers(algorithm).is_empty(), "{algorithm}");
    }
}

#[test]
fn kept_keys() {
    // Ours and two libraries keep keys of both kinds, for five algorithms, ten times; ours and one
    // library for twelve more, once.
    let seen = kept_keys_do_what_bytes_do(peers);
    assert!(seen >= 300 + 48, "{seen}");
}
