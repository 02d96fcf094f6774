//! purecrypto: portable Rust, without allocation.

use purecrypto::mlkem::{
    MlKem512Ciphertext, MlKem512DecapsKey, MlKem512EncapsKey, MlKem768Ciphertext,
    MlKem768DecapsKey, MlKem768EncapsKey, MlKem1024Ciphertext, MlKem1024DecapsKey,
    MlKem1024EncapsKey,
};

use super::{Decapsulator, Failure, Implementation, Keys};

pub(super) fn implementation(algorithm: &str) -> Option<Box<dyn Implementation>> {
    Some(match algorithm {
        "ML-KEM-512" => Box::new(Set512),
        "ML-KEM-768" => Box::new(Set768),
        "ML-KEM-1024" => Box::new(Set1024),
        _ => return None,
    })
}

macro_rules! ml_kem {
    ($set:ident, $name:literal, $decaps:ident, $encaps:ident, $ciphertext:ident) => {
        struct $set;

        impl Implementation for $set {
            fn library(&self) -> &'static str {
                "purecrypto 0.10.4"
            }

            fn algorithm(&self) -> &'static str {
                $name
            }

            fn remark(&self) -> &'static str {
                "`from_bytes_validated` called on bytes: checks ek, dk and the hash"
            }

            fn keypair(
                &self,
                seed: &[u8; 64],
                pk: &mut [u8],
                sk: &mut [u8],
            ) -> Result<(), Failure> {
                let (d, z) = seed.split_first_chunk().ok_or(Failure::Refused)?;
                let z = z.try_into().map_err(|_| Failure::Refused)?;
                let (secret, public) = $decaps::from_seeds(d, z);
                pk.copy_from_slice(&public.to_bytes());
                sk.copy_from_slice(&secret.to_bytes());
                Ok(())
            }

            fn encapsulate(
                &self,
                m: &[u8; 32],
                pk: &[u8],
                ct: &mut [u8],
                ss: &mut [u8],
            ) -> Result<(), Failure> {
                let pk = pk.try_into().map_err(|_| Failure::Refused)?;
                let key = $encaps::from_bytes_validated(pk).map_err(|_| Failure::Refused)?;
                let (ciphertext, secret) = key.encapsulate_deterministic(m);
                ct.copy_from_slice(&ciphertext.to_bytes());
                ss.copy_from_slice(&secret);
                Ok(())
            }

            fn decapsulate(&self, sk: &[u8], ct: &[u8], ss: &mut [u8]) -> Result<(), Failure> {
                let sk = sk.try_into().map_err(|_| Failure::Refused)?;
                let key = $decaps::from_bytes_validated(sk).map_err(|_| Failure::Refused)?;
                let ct = ct.try_into().map_err(|_| Failure::Refused)?;
                ss.copy_from_slice(&key.decapsulate(&$ciphertext::from_bytes(ct)));
                Ok(())
            }

            fn prepare(&self, keys: &Keys) -> Option<Decapsulator> {
                let key = $decaps::from_bytes(keys.secret.as_slice().try_into().ok()?);
                Some(Box::new(move |ct, ss| {
                    let ct = ct.try_into().expect("a ciphertext of the right length");
                    ss.copy_from_slice(&key.decapsulate(&$ciphertext::from_bytes(ct)));
                }))
            }
        }
    };
}

ml_kem!(Set512, "ML-KEM-512", MlKem512DecapsKey, MlKem512EncapsKey, MlKem512Ciphertext);
ml_kem!(Set768, "ML-KEM-768", MlKem768DecapsKey, MlKem768EncapsKey, MlKem768Ciphertext);
ml_kem!(Set1024, "ML-KEM-1024", MlKem1024DecapsKey, MlKem1024EncapsKey, MlKem1024Ciphertext);
