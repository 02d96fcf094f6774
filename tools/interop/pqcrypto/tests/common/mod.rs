//! One test for each module, in both directions.

/// Returns the number of cases where one case takes the time of `slow` ordinary ones.
pub(crate) fn cases(slow: u32) -> u32 {
    let cases = std::env::var("OAKLATH_CASES").map_or(20, |cases| cases.parse().expect("a number"));
    u32::div_ceil(cases, slow)
}

/// Writes tests of KEMs: each side has a key, to which the other encapsulates, and both answer a
/// changed ciphertext alike. A module of theirs is ours of the same name, or of another one given.
#[macro_export]
macro_rules! kems {
    ($peer:ident: $($module:ident)*) => {
        $crate::kems! { $peer: $($module is $module;)* }
    };
    ($peer:ident: $($module:ident is $ours:ident;)*) => {
        mod $peer { $(
            #[test]
            fn $module() {
                use oaklath_pqcrypto::{kem::$ours as ours, prelude::*};
                use ::$peer::$module as theirs;
                use pqcrypto_traits::kem::{
                    Ciphertext as _, PublicKey as _, SecretKey as _, SharedSecret as _,
                };
                for case in 0..$crate::common::cases(1) {
                    let (our_pk, our_sk) = ours::keypair();
                    let (their_pk, their_sk) = theirs::keypair();
                    for (pk, sk) in [
                        (our_pk.as_bytes(), our_sk.as_bytes()),
                        (their_pk.as_bytes(), their_sk.as_bytes()),
                    ] {
                        let our_pk = ours::PublicKey::from_bytes(pk).unwrap();
                        let our_sk = ours::SecretKey::from_bytes(sk).unwrap();
                        let their_pk = theirs::PublicKey::from_bytes(pk).unwrap();
                        let their_sk = theirs::SecretKey::from_bytes(sk).unwrap();

                        let (sent, ct) = ours::encapsulate(&our_pk);
                        let to_them = theirs::Ciphertext::from_bytes(ct.as_bytes()).unwrap();
                        let received = theirs::decapsulate(&to_them, &their_sk);
                        assert_eq!(sent.as_bytes(), received.as_bytes(), "case {case}");

                        let (sent, ct) = theirs::encapsulate(&their_pk);
                        let to_us = ours::Ciphertext::from_bytes(ct.as_bytes()).unwrap();
                        let received = ours::decapsulate(&to_us, &our_sk);
                        assert_eq!(sent.as_bytes(), received.as_bytes(), "case {case}");

                        let mut changed = ct.as_bytes().to_vec();
                        changed[case as usize % 600] ^= 1;
                        let to_us = ours::Ciphertext::from_bytes(&changed).unwrap();
                        let to_them = theirs::Ciphertext::from_bytes(&changed).unwrap();
                        let by_us = ours::decapsulate(&to_us, &our_sk);
                        let by_them = theirs::decapsulate(&to_them, &their_sk);
                        assert_eq!(by_us.as_bytes(), by_them.as_bytes(), "rejection, case {case}");
                        assert_ne!(by_us.as_bytes(), sent.as_bytes(), "case {case}");
                    }
                }
            }
        )* }
    };
}

/// Writes tests of signatures with keys of both: each verifies the other's, detached and not.
#[macro_export]
macro_rules! signatures {
    ($peer:ident $slow:literal: $($module:ident)*) => {
        mod $peer { $(
            #[test]
            fn $module() {
                use oaklath_pqcrypto::{prelude::*, sign::$module as ours};
                use ::$peer::$module as theirs;
                use pqcrypto_traits::sign::{
                    DetachedSignature as _, PublicKey as _, SecretKey as _, SignedMessage as _,
                };
                for case in 0..$crate::common::cases($slow) {
                    let msg = vec![case as u8; case as usize % 300];
                    let (our_pk, our_sk) = ours::keypair();
                    let (their_pk, their_sk) = theirs::keypair();
                    for (pk, sk) in [
                        (our_pk.as_bytes(), our_sk.as_bytes()),
                        (their_pk.as_bytes(), their_sk.as_bytes()),
                    ] {
                        let our_pk = ours::PublicKey::from_bytes(pk).unwrap();
                        let our_sk = ours::SecretKey::from_bytes(sk).unwrap();
                        let their_pk = theirs::PublicKey::from_bytes(pk).unwrap();
                        let their_sk = theirs::SecretKey::from_bytes(sk).unwrap();

                        let by_us = ours::detached_sign(&msg, &our_sk);
                        let by_us = theirs::DetachedSignature::from_bytes(by_us.as_bytes()).unwrap();
                        theirs::verify_detached_signature(&by_us, &msg, &their_pk).unwrap();
                        let by_us = ours::sign(&msg, &our_sk);
                        let by_us = theirs::SignedMessage::from_bytes(by_us.as_bytes()).unwrap();
                        assert_eq!(theirs::open(&by_us, &their_pk).unwrap(), msg, "case {case}");

                        let by_them = theirs::detached_sign(&msg, &their_sk);
                        let to_us = ours::DetachedSignature::from_bytes(by_them.as_bytes()).unwrap();
                        ours::verify_detached_signature(&to_us, &msg, &our_pk).unwrap();
                        let by_them = theirs::sign(&msg, &their_sk);
                        let to_us = ours::SignedMessage::from_bytes(by_them.as_bytes()).unwrap();
                        assert_eq!(ours::open(&to_us, &our_pk).unwrap(), msg, "case {case}");

                        let mut changed = by_them.as_bytes().to_vec();
                        changed[case as usize % 600] ^= 1;
                        let to_us = ours::SignedMessage::from_bytes(&changed).unwrap();
                        let to_them = theirs::SignedMessage::from_bytes(&changed).unwrap();
                        assert!(ours::open(&to_us, &our_pk).is_err(), "case {case}");
                        assert!(theirs::open(&to_them, &their_pk).is_err(), "case {case}");
                    }
                }
            }
        )* }
    };
}

/// Writes tests of signatures in a context, with a key of theirs.
#[macro_export]
macro_rules! contexts {
    ($peer:ident: $($test:ident $module:ident)*) => { $(
        #[test]
        fn $test() {
            use oaklath_pqcrypto::{prelude::*, sign::$module as ours};
            use ::$peer::$module as theirs;
            use pqcrypto_traits::sign::{PublicKey as _, SecretKey as _, SignedMessage as _};
            for case in 0..$crate::common::cases(1) {
                let (msg, context) = (b"a message", vec![7; case as usize % 256]);
                let (their_pk, their_sk) = theirs::keypair();
                let pk = ours::PublicKey::from_bytes(their_pk.as_bytes()).unwrap();
                let sk = ours::SecretKey::from_bytes(their_sk.as_bytes()).unwrap();
                let by_us = ours::sign_ctx(msg, &context, &sk);
                let to_them = theirs::SignedMessage::from_bytes(by_us.as_bytes()).unwrap();
                assert_eq!(theirs::open_ctx(&to_them, &context, &their_pk).unwrap(), msg);
                let by_them = theirs::sign_ctx(msg, &context, &their_sk);
                let to_us = ours::SignedMessage::from_bytes(by_them.as_bytes()).unwrap();
                assert_eq!(ours::open_ctx(&to_us, &context, &pk).unwrap(), msg);
                assert!(ours::open_ctx(&to_us, b"another", &pk).is_err() || context == b"another");
            }
        }
    )* };
}
