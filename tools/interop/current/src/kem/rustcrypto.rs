//! RustCrypto's `ml-kem`: portable Rust.

use ml_kem::{
    DecapsulationKey, EncapsulationKey, MlKem512, MlKem768, MlKem1024,
    kem::{Decapsulate, KeyExport},
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
    ($set:ident, $name:literal, $params:ident) => {
        struct $set;

        impl Implementation for $set {
            fn library(&self) -> &'static str {
                "ml-kem 0.3.4"
            }

            fn algorithm(&self) -> &'static str {
                $name
            }

            fn remark(&self) -> &'static str {
                "portable; checks ek, dk and the hash when it parses; key generation writes the \
                 expanded key"
            }

            #[expect(deprecated, reason = "the expanded key is what the other libraries share")]
            fn keypair(
                &self,
                seed: &[u8; 64],
                pk: &mut [u8],
                sk: &mut [u8],
            ) -> Result<(), Failure> {
                use ml_kem::ExpandedKeyEncoding;
                let key = DecapsulationKey::<$params>::from_seed((*seed).into());
                pk.copy_from_slice(&key.encapsulation_key().to_bytes());
                sk.copy_from_slice(&key.to_expanded_bytes());
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
                let key = EncapsulationKey::<$params>::new(pk).map_err(|_| Failure::Refused)?;
                let (ciphertext, secret) = key.encapsulate_deterministic(&(*m).into());
                ct.copy_from_slice(&ciphertext);
                ss.copy_from_slice(&secret);
                Ok(())
            }

            fn decapsulate(&self, sk: &[u8], ct: &[u8], ss: &mut [u8]) -> Result<(), Failure> {
                let key = $set::parse(sk)?;
                let ct = ct.try_into().map_err(|_| Failure::Refused)?;
                ss.copy_from_slice(&key.decapsulate(ct));
                Ok(())
            }

            fn prepare(&self, keys: &Keys) -> Option<Decapsulator> {
                let key = $set::parse(&keys.secret).ok()?;
                Some(Box::new(move |ct, ss| {
                    let ct = ct.try_into().expect("a ciphertext of the right length");
                    ss.copy_from_slice(&key.decapsulate(ct));
                }))
            }
        }

        impl $set {
            #[expect(deprecated, reason = "the expanded key is what the other libraries share")]
            fn parse(sk: &[u8]) -> Result<DecapsulationKey<$params>, Failure> {
                let sk = sk.try_into().map_err(|_| Failure::Refused)?;
                DecapsulationKey::from_expanded(sk).map_err(|_| Failure::Refused)
            }
        }
    };
}

ml_kem!(Set512, "ML-KEM-512", MlKem512);
ml_kem!(Set768, "ML-KEM-768", MlKem768);
ml_kem!(Set1024, "ML-KEM-1024", MlKem1024);
