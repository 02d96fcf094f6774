//! PQClean's C and assembly, through `pqcrypto-mlkem`, but below the crate's safe functions: at
//! PQClean's own functions that take the randomness as an argument.
//!
//! # Soundness
//! The symbols and their signatures are those of PQClean's `kem.h` for the version pinned in
//! `Cargo.toml`; every buffer is checked against the lengths that the crate states before its
//! address is passed on. The AVX2 functions are called only where the CPU has the features that
//! they are compiled with.

use super::{Failure, Implementation};

pub(super) fn implementation(algorithm: &str) -> Option<Box<dyn Implementation>> {
    Some(match algorithm {
        "ML-KEM-512" => Box::new(MlKem512),
        "ML-KEM-768" => Box::new(MlKem768),
        "ML-KEM-1024" => Box::new(MlKem1024),
        _ => return None,
    })
}

/// Chooses the AVX2 function where the CPU has its features, otherwise the portable one.
macro_rules! choose {
    ($portable:ident, $avx2:ident) => {{
        #[cfg(target_arch = "x86_64")]
        let entry = if has_avx2() { $avx2 } else { $portable };
        #[cfg(not(target_arch = "x86_64"))]
        let entry = $portable;
        entry
    }};
}

/// Writes the adapter of one parameter set of ML-KEM: name, module of the crate, and PQClean's
/// functions, portable and AVX2.
macro_rules! ml_kem {
    ($set:ident, $name:literal, $module:ident,
     [$keypair:ident, $enc:ident, $dec:ident], [$keypair_avx2:ident, $enc_avx2:ident, $dec_avx2:ident]) => {
        struct $set;

        unsafe extern "C" {
            fn $keypair(pk: *mut u8, sk: *mut u8, coins: *const u8) -> i32;
            fn $enc(ct: *mut u8, ss: *mut u8, pk: *const u8, coins: *const u8) -> i32;
            fn $dec(ss: *mut u8, ct: *const u8, sk: *const u8) -> i32;
            #[cfg(target_arch = "x86_64")]
            fn $keypair_avx2(pk: *mut u8, sk: *mut u8, coins: *const u8) -> i32;
            #[cfg(target_arch = "x86_64")]
            fn $enc_avx2(ct: *mut u8, ss: *mut u8, pk: *const u8, coins: *const u8) -> i32;
            #[cfg(target_arch = "x86_64")]
            fn $dec_avx2(ss: *mut u8, ct: *const u8, sk: *const u8) -> i32;
        }

        impl Implementation for $set {
            fn library(&self) -> &'static str {
                "pqcrypto-mlkem 0.1.1"
            }

            fn algorithm(&self) -> &'static str {
                $name
            }

            fn remark(&self) -> &'static str {
                "PQClean with AVX2; checks neither ek nor dk"
            }

            fn keypair(
                &self,
                seed: &[u8; 64],
                pk: &mut [u8],
                sk: &mut [u8],
            ) -> Result<(), Failure> {
                use pqcrypto_mlkem::$module::{public_key_bytes, secret_key_bytes};
                assert_eq!((pk.len(), sk.len()), (public_key_bytes(), secret_key_bytes()));
                // SAFETY: lengths as asserted; 64 bytes of randomness.
                done(unsafe {
                    choose!($keypair, $keypair_avx2)(
                        pk.as_mut_ptr(),
                        sk.as_mut_ptr(),
                        seed.as_ptr(),
                    )
                })
            }

            fn encapsulate(
                &self,
                m: &[u8; 32],
                pk: &[u8],
                ct: &mut [u8],
                ss: &mut [u8],
            ) -> Result<(), Failure> {
                use pqcrypto_mlkem::$module::{
                    ciphertext_bytes, public_key_bytes, shared_secret_bytes,
                };
                assert_eq!((ct.len(), ss.len()), (ciphertext_bytes(), shared_secret_bytes()));
                assert_eq!(pk.len(), public_key_bytes());
                let (ct, ss) = (ct.as_mut_ptr(), ss.as_mut_ptr());
                // SAFETY: lengths as asserted; 32 bytes of randomness.
                done(unsafe { choose!($enc, $enc_avx2)(ct, ss, pk.as_ptr(), m.as_ptr()) })
            }

            fn decapsulate(&self, sk: &[u8], ct: &[u8], ss: &mut [u8]) -> Result<(), Failure> {
                use pqcrypto_mlkem::$module::{
                    ciphertext_bytes, secret_key_bytes, shared_secret_bytes,
                };
                assert_eq!((ct.len(), ss.len()), (ciphertext_bytes(), shared_secret_bytes()));
                assert_eq!(sk.len(), secret_key_bytes());
                let (ct, sk) = (ct.as_ptr(), sk.as_ptr());
                // SAFETY: lengths as asserted.
                done(unsafe { choose!($dec, $dec_avx2)(ss.as_mut_ptr(), ct, sk) })
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2")
}

ml_kem!(
    MlKem512,
    "ML-KEM-512",
    mlkem512,
    [
        PQCLEAN_MLKEM512_CLEAN_crypto_kem_keypair_derand,
        PQCLEAN_MLKEM512_CLEAN_crypto_kem_enc_derand,
        PQCLEAN_MLKEM512_CLEAN_crypto_kem_dec
    ],
    [
        PQCLEAN_MLKEM512_AVX2_crypto_kem_keypair_derand,
        PQCLEAN_MLKEM512_AVX2_crypto_kem_enc_derand,
        PQCLEAN_MLKEM512_AVX2_crypto_kem_dec
    ]
);
ml_kem!(
    MlKem768,
    "ML-KEM-768",
    mlkem768,
    [
        PQCLEAN_MLKEM768_CLEAN_crypto_kem_keypair_derand,
        PQCLEAN_MLKEM768_CLEAN_crypto_kem_enc_derand,
        PQCLEAN_MLKEM768_CLEAN_crypto_kem_dec
    ],
    [
        PQCLEAN_MLKEM768_AVX2_crypto_kem_keypair_derand,
        PQCLEAN_MLKEM768_AVX2_crypto_kem_enc_derand,
        PQCLEAN_MLKEM768_AVX2_crypto_kem_dec
    ]
);
ml_kem!(
    MlKem1024,
    "ML-KEM-1024",
    mlkem1024,
    [
        PQCLEAN_MLKEM1024_CLEAN_crypto_kem_keypair_derand,
        PQCLEAN_MLKEM1024_CLEAN_crypto_kem_enc_derand,
        PQCLEAN_MLKEM1024_CLEAN_crypto_kem_dec
    ],
    [
        PQCLEAN_MLKEM1024_AVX2_crypto_kem_keypair_derand,
        PQCLEAN_MLKEM1024_AVX2_crypto_kem_enc_derand,
        PQCLEAN_MLKEM1024_AVX2_crypto_kem_dec
    ]
);

fn done(status: i32) -> Result<(), Failure> {
    if status == 0 { Ok(()) } else { Err(Failure::Refused) }
}
