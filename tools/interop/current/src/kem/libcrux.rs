//! libcrux, with its AVX2 backend where the CPU has AVX2. Bytes go through the functions that
//! choose the backend themselves; its "unpacked" keys hold the matrix: they are the expanded ones.

use super::{Decapsulator, Encapsulator, Failure, Implementation, Keys};

pub(super) fn implementation(algorithm: &str) -> Option<Box<dyn Implementation>> {
    Some(match algorithm {
        "ML-KEM-512" => Box::new(MlKem512),
        "ML-KEM-768" => Box::new(MlKem768),
        "ML-KEM-1024" => Box::new(MlKem1024),
        "Kyber512" => Box::new(Kyber512),
        "Kyber768" => Box::new(Kyber768),
        "Kyber1024" => Box::new(Kyber1024),
        _ => return None,
    })
}

const LIBRARY: &str = "libcrux-ml-kem 0.0.11";

macro_rules! ml_kem {
    ($set:ident, $name:literal, $module:ident, $public:ident, $secret:ident, $ciphertext:ident) => {
        struct $set;

        impl Implementation for $set {
            fn library(&self) -> &'static str {
                LIBRARY
            }

            fn algorithm(&self) -> &'static str {
                $name
            }

            fn remark(&self) -> &'static str {
                "feature simd256; `validate_public_key`, `validate_private_key` called on bytes; \
                 unpacked keys as expanded"
            }

            fn keypair(
                &self,
                seed: &[u8; 64],
                pk: &mut [u8],
                sk: &mut [u8],
            ) -> Result<(), Failure> {
                let keys = libcrux_ml_kem::$module::generate_key_pair(*seed);
                pk.copy_from_slice(keys.pk());
                sk.copy_from_slice(keys.sk());
                Ok(())
            }

            fn encapsulate(
                &self,
                m: &[u8; 32],
                pk: &[u8],
                ct: &mut [u8],
                ss: &mut [u8],
            ) -> Result<(), Failure> {
                use libcrux_ml_kem::$module::{encapsulate, validate_public_key, $public};
                let key = $public::try_from(pk).map_err(|_| Failure::Refused)?;
                if !validate_public_key(&key) {
                    return Err(Failure::Refused);
                }
                let (ciphertext, secret) = encapsulate(&key, *m);
                ct.copy_from_slice(ciphertext.as_ref());
                ss.copy_from_slice(&secret);
                Ok(())
            }

            fn decapsulate(&self, sk: &[u8], ct: &[u8], ss: &mut [u8]) -> Result<(), Failure> {
                use libcrux_ml_kem::$module::{
                    decapsulate, validate_private_key, $ciphertext, $secret,
                };
                let key = $secret::try_from(sk).map_err(|_| Failure::Refused)?;
                let ct = $ciphertext::try_from(ct).map_err(|_| Failure::Refused)?;
                if !validate_private_key(&key, &ct) {
                    return Err(Failure::Refused);
                }
                ss.copy_from_slice(&decapsulate(&key, &ct));
                Ok(())
            }

            fn prepare(&self, keys: &Keys) -> Option<Decapsulator> {
                use libcrux_ml_kem::$module::{decapsulate, $ciphertext, $secret};
                let key = $secret::try_from(&*keys.secret).ok()?;
                Some(Box::new(move |ct, ss| {
                    let ct = $ciphertext::try_from(ct).expect("a ciphertext of the right length");
                    ss.copy_from_slice(&decapsulate(&key, &ct));
                }))
            }

            #[cfg(target_arch = "x86_64")]
            fn expand_public(&self, keys: &Keys) -> Option<Encapsulator> {
                use libcrux_ml_kem::$module::{avx2::unpacked, $public};
                if !has_avx2() {
                    return None;
                }
                let mut key = Box::new(unpacked::init_public_key());
                unpacked::unpacked_public_key(&$public::try_from(&*keys.public).ok()?, &mut key);
                Some(Box::new(move |m, ct, ss| {
                    let (ciphertext, secret) = unpacked::encapsulate(&key, *m);
                    ct.copy_from_slice(ciphertext.as_ref());
                    ss.copy_from_slice(&secret);
                }))
            }

            #[cfg(target_arch = "x86_64")]
            fn expand_secret(&self, keys: &Keys) -> Option<Decapsulator> {
                use libcrux_ml_kem::$module::{avx2::unpacked, $ciphertext};
                if !has_avx2() {
                    return None;
                }
                let mut key = Box::new(unpacked::init_key_pair());
                unpacked::generate_key_pair_mut(keys.seed, &mut key);
                Some(Box::new(move |ct, ss| {
                    let ct = $ciphertext::try_from(ct).expect("a ciphertext of the right length");
                    ss.copy_from_slice(&unpacked::decapsulate(&key, &ct));
                }))
            }
        }
    };
}

macro_rules! kyber {
    ($set:ident, $name:literal, $module:ident, $types:ident, $public:ident, $secret:ident, $ciphertext:ident) => {
        struct $set;

        impl Implementation for $set {
            fn library(&self) -> &'static str {
                LIBRARY
            }

            fn algorithm(&self) -> &'static str {
                $name
            }

            fn remark(&self) -> &'static str {
                "features simd256, kyber; no checks; its secret for an invalid ciphertext is not \
                 round 3's"
            }

            fn keypair(
                &self,
                seed: &[u8; 64],
                pk: &mut [u8],
                sk: &mut [u8],
            ) -> Result<(), Failure> {
                let keys = libcrux_ml_kem::$module::generate_key_pair(*seed);
                pk.copy_from_slice(keys.pk());
                sk.copy_from_slice(keys.sk());
                Ok(())
            }

            fn encapsulate(
                &self,
                m: &[u8; 32],
                pk: &[u8],
                ct: &mut [u8],
                ss: &mut [u8],
            ) -> Result<(), Failure> {
                let key =
                    libcrux_ml_kem::$types::$public::try_from(pk).map_err(|_| Failure::Refused)?;
                let (ciphertext, secret) = libcrux_ml_kem::$module::encapsulate(&key, *m);
                ct.copy_from_slice(ciphertext.as_ref());
                ss.copy_from_slice(&secret);
                Ok(())
            }

            fn decapsulate(&self, sk: &[u8], ct: &[u8], ss: &mut [u8]) -> Result<(), Failure> {
                use libcrux_ml_kem::$types::{$ciphertext, $secret};
                let key = $secret::try_from(sk).map_err(|_| Failure::Refused)?;
                let ct = $ciphertext::try_from(ct).map_err(|_| Failure::Refused)?;
                ss.copy_from_slice(&libcrux_ml_kem::$module::decapsulate(&key, &ct));
                Ok(())
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
}

ml_kem!(
    MlKem512,
    "ML-KEM-512",
    mlkem512,
    MlKem512PublicKey,
    MlKem512PrivateKey,
    MlKem512Ciphertext
);
ml_kem!(
    MlKem768,
    "ML-KEM-768",
    mlkem768,
    MlKem768PublicKey,
    MlKem768PrivateKey,
    MlKem768Ciphertext
);
ml_kem!(
    MlKem1024,
    "ML-KEM-1024",
    mlkem1024,
    MlKem1024PublicKey,
    MlKem1024PrivateKey,
    MlKem1024Ciphertext
);
kyber!(
    Kyber512,
    "Kyber512",
    kyber512,
    mlkem512,
    MlKem512PublicKey,
    MlKem512PrivateKey,
    MlKem512Ciphertext
);
kyber!(
    Kyber768,
    "Kyber768",
    kyber768,
    mlkem768,
    MlKem768PublicKey,
    MlKem768PrivateKey,
    MlKem768Ciphertext
);
kyber!(
    Kyber1024,
    "Kyber1024",
    kyber1024,
    mlkem1024,
    MlKem1024PublicKey,
    MlKem1024PrivateKey,
    MlKem1024Ciphertext
);
