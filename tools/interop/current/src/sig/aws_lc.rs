//! AWS-LC, the library beneath `aws-lc-rs` 1.19: its ML-DSA is mldsa-native with AVX2.
//!
//! `aws-lc-rs` has no functions that take rnd, and goes through objects that it allocates for every
//! call. This calls the underlying functions of `crypto/fipsmodule/ml_dsa/ml_dsa.h`, which take
//! keys as bytes: a kept key of `aws-lc-rs` holds nothing else.
//!
//! # Soundness
//! The symbols and their signatures are those of that header for the version pinned in
//! `Cargo.toml`, whose prefix they carry; every buffer is checked against the algorithm's lengths
//! before its address is passed on.

use interop_common::sig::sizes;

// Links the library.
use aws_lc_sys as _;

use super::{Failure, Implementation};

pub(super) fn implementation(algorithm: &str) -> Option<Box<dyn Implementation>> {
    let (algorithm, entries) = match algorithm {
        "ML-DSA-44" => ("ML-DSA-44", &ML_DSA_44),
        "ML-DSA-65" => ("ML-DSA-65", &ML_DSA_65),
        "ML-DSA-87" => ("ML-DSA-87", &ML_DSA_87),
        _ => return None,
    };
    Some(Box::new(AwsLc { algorithm, entries }))
}

struct AwsLc {
    algorithm: &'static str,
    entries: &'static Entries,
}

/// Public key, private key, seed.
type Keypair = unsafe extern "C" fn(*mut u8, *mut u8, *const u8) -> i32;
/// Private key; signature and its length; message and prefix, each with its length; rnd.
type Sign = unsafe extern "C" fn(
    *const u8,
    *mut u8,
    *mut usize,
    *const u8,
    usize,
    *const u8,
    usize,
    *const u8,
) -> i32;
/// Public key; signature, message, context, each with its length.
type Verify =
    unsafe extern "C" fn(*const u8, *const u8, usize, *const u8, usize, *const u8, usize) -> i32;

struct Entries {
    keypair: Keypair,
    sign: Sign,
    verify: Verify,
}

macro_rules! entries {
    ($($name:ident: $keypair:literal $sign:literal $verify:literal;)*) => { $(
        static $name: Entries = {
            unsafe extern "C" {
                #[link_name = $keypair]
                fn keypair(pk: *mut u8, sk: *mut u8, seed: *const u8) -> i32;
                #[link_name = $sign]
                fn sign(
                    sk: *const u8,
                    signature: *mut u8,
                    signature_length: *mut usize,
                    message: *const u8,
                    message_length: usize,
                    prefix: *const u8,
                    prefix_length: usize,
                    rnd: *const u8,
                ) -> i32;
                #[link_name = $verify]
                fn verify(
                    pk: *const u8,
                    signature: *const u8,
                    signature_length: usize,
                    message: *const u8,
                    message_length: usize,
                    context: *const u8,
                    context_length: usize,
                ) -> i32;
            }
            Entries { keypair, sign, verify }
        };
    )* };
}

entries! {
    ML_DSA_44: "aws_lc_0_47_0_ml_dsa_44_keypair_internal"
        "aws_lc_0_47_0_ml_dsa_44_sign_internal" "aws_lc_0_47_0_ml_dsa_44_verify";
    ML_DSA_65: "aws_lc_0_47_0_ml_dsa_65_keypair_internal"
        "aws_lc_0_47_0_ml_dsa_65_sign_internal" "aws_lc_0_47_0_ml_dsa_65_verify";
    ML_DSA_87: "aws_lc_0_47_0_ml_dsa_87_keypair_internal"
        "aws_lc_0_47_0_ml_dsa_87_sign_internal" "aws_lc_0_47_0_ml_dsa_87_verify";
}

/// FIPS 204, Algorithm 2: 0 for a pure message, 0 for the length of the context.
const PREFIX: [u8; 2] = [0; 2];

impl Implementation for AwsLc {
    fn library(&self) -> &'static str {
        "AWS-LC (aws-lc-rs 1.19)"
    }

    fn algorithm(&self) -> &'static str {
        self.algorithm
    }

    fn remark(&self) -> &'static str {
        "mldsa-native; below its allocating interface; keeps keys as bytes"
    }

    fn keypair(&self, seed: &[u8], pk: &mut [u8], sk: &mut [u8]) -> Result<(), Failure> {
        let sizes = sizes(self.algorithm);
        assert_eq!((pk.len(), sk.len()), (sizes.public_key, sizes.secret_key));
        assert_eq!(seed.len(), sizes.seed);
        // SAFETY: lengths as asserted.
        done(unsafe { (self.entries.keypair)(pk.as_mut_ptr(), sk.as_mut_ptr(), seed.as_ptr()) })
    }

    fn sign(
        &self,
        sk: &[u8],
        message: &[u8],
        coins: Option<&[u8]>,
        signature: &mut [u8],
    ) -> Result<usize, Failure> {
        let (sizes, rnd) = (sizes(self.algorithm), coins.unwrap_or(&[0; 32]));
        assert_eq!((sk.len(), signature.len()), (sizes.secret_key, sizes.signature));
        assert_eq!(rnd.len(), sizes.coins);
        let mut length = signature.len();
        // SAFETY: lengths as asserted; message and prefix are passed with theirs.
        done(unsafe {
            (self.entries.sign)(
                sk.as_ptr(),
                signature.as_mut_ptr(),
                &mut length,
                message.as_ptr(),
                message.len(),
                PREFIX.as_ptr(),
                PREFIX.len(),
                rnd.as_ptr(),
            )
        })?;
        Ok(length)
    }

    fn verify(&self, pk: &[u8], message: &[u8], signature: &[u8]) -> Result<(), Failure> {
        assert_eq!(pk.len(), sizes(self.algorithm).public_key);
        // SAFETY: the key's length as asserted; the others are passed with theirs; no context.
        done(unsafe {
            (self.entries.verify)(
                pk.as_ptr(),
                signature.as_ptr(),
                signature.len(),
                message.as_ptr(),
                message.len(),
                [].as_ptr(),
                0,
            )
        })
    }
}

/// Converts the status of these functions, which return 1 for success.
fn done(status: i32) -> Result<(), Failure> {
    if status == 1 { Ok(()) } else { Err(Failure::Refused) }
}
