//! Stateful signatures in both directions: each verifies the other's signatures. Among the sets are
//! those without published known answers: XMSS^MT with values of 24 bytes and with SHAKE256. HSS of
//! several levels with other hashes than SHA-256/256 has neither a known answer nor a peer; RFC
//! 9858 and ACVP cover one level.
#![expect(clippy::unwrap_used, reason = "tests")]

use interop_common::stateful::{Implementation, ours};
use interop_current::stateful::peers;

const SETS: [&str; 13] = [
    "L1_H10_W4",
    "L2_H10_W4",
    "L2_H10_W8",
    "L3_H5_W4",
    "XMSS-SHA2_10_256",
    "XMSS-SHA2_10_192",
    "XMSS-SHAKE256_10_256",
    "XMSSMT-SHA2_20/2_256",
    "XMSSMT-SHA2_20/4_256",
    "XMSSMT-SHA2_60/12_256",
    "XMSSMT-SHA2_20/4_192",
    "XMSSMT-SHAKE256_20/4_192",
    "XMSSMT-SHAKE256_20/4_256",
];

/// Signatures of each key: `MANY` reach a second tree of height 5, `FEW` are for signers that grow
/// a tree anew each time.
const FEW: usize = 3;
const MANY: usize = 40;

fn agree(set: &str, signer: &dyn Implementation, verifier: &dyn Implementation, count: usize) {
    let name = format!("{set}: {} by {}", signer.library(), verifier.library());
    let mut key = signer.generate(&[7; 32]).unwrap();
    let public = key.public();
    for number in 0..count {
        let message = vec![number as u8; 5 * number];
        let signature = key.sign(&message).unwrap();
        verifier.verify(&public, &message, &signature).expect(&name);
        if number == 0 {
            let mut other = signature.clone();
            *other.last_mut().unwrap() ^= 1;
            assert!(verifier.verify(&public, &message, &other).is_err(), "{name}");
            assert!(verifier.verify(&public, b"other", &signature).is_err(), "{name}");
        }
    }
}

#[test]
fn each_verifies_what_the_other_has_signed() {
    for set in SETS {
        let (mine, others) = (ours(set), peers(set));
        assert!(!others.is_empty(), "{set}");
        for other in others {
            agree(set, &*mine, &*other, MANY);
            agree(set, &*other, &*mine, FEW);
        }
    }
}
