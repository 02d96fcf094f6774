//! libcrux, with its AVX2 backend where the CPU has AVX2. It keeps keys only as bytes.

use super::{Failure, Implementation};

pub(super) fn implementation(algorithm: &str) -> Option<Box<dyn Implementation>> {
    Some(match algorithm {
        "ML-DSA-44" => Box::new(MlDsa44),
        "ML-DSA-65" => Box::new(MlDsa65),
        "ML-DSA-87" => Box::new(MlDsa87),
        _ => return None,
    })
}

macro_rules! ml_dsa {
    ($set:ident, $name:literal, $module:ident, $public:ident, $secret:ident, $signature:ident) => {
        struct $set;

        impl Implementation for $set {
            fn library(&self) -> &'static str {
                "libcrux-ml-dsa 0.0.11"
            }

            fn algorithm(&self) -> &'static str {
                $name
            }

            fn remark(&self) -> &'static str {
                "feature simd256; no checks of keys"
            }

            fn keypair(&self, seed: &[u8], pk: &mut [u8], sk: &mut [u8]) -> Result<(), Failure> {
                let seed = seed.try_into().map_err(|_| Failure::Refused)?;
                let keys = libcrux_ml_dsa::$module::generate_key_pair(seed);
                pk.copy_from_slice(keys.verification_key.as_slice());
                sk.copy_from_slice(keys.signing_key.as_slice());
                Ok(())
            }

            fn sign(
                &self,
                sk: &[u8],
                message: &[u8],
                coins: Option<&[u8]>,
                signature: &mut [u8],
            ) -> Result<usize, Failure> {
                use libcrux_ml_dsa::$module::{sign, $secret};
                let key = $secret::new(sk.try_into().map_err(|_| Failure::Refused)?);
                let rnd = coins.unwrap_or(&[0; 32]).try_into().map_err(|_| Failure::Refused)?;
                let made = sign(&key, message, b"", rnd).map_err(|_| Failure::Refused)?;
                signature.copy_from_slice(made.as_slice());
                Ok(signature.len())
            }

            fn verify(&self, pk: &[u8], message: &[u8], signature: &[u8]) -> Result<(), Failure> {
                use libcrux_ml_dsa::$module::{verify, $public, $signature};
                let key = $public::new(pk.try_into().map_err(|_| Failure::Refused)?);
                let signature =
                    $signature::new(signature.try_into().map_err(|_| Failure::Refused)?);
                verify(&key, message, b"", &signature).map_err(|_| Failure::Refused)
            }
        }
    };
}

ml_dsa!(
    MlDsa44,
    "ML-DSA-44",
    ml_dsa_44,
    MLDSA44VerificationKey,
    MLDSA44SigningKey,
    MLDSA44Signature
);
ml_dsa!(
    MlDsa65,
    "ML-DSA-65",
    ml_dsa_65,
    MLDSA65VerificationKey,
    MLDSA65SigningKey,
    MLDSA65Signature
);
ml_dsa!(
    MlDsa87,
    "ML-DSA-87",
    ml_dsa_87,
    MLDSA87VerificationKey,
    MLDSA87SigningKey,
    MLDSA87Signature
);
