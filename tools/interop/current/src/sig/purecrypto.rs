//! purecrypto: portable Rust, without allocation. A kept public key holds its hash tr.

use purecrypto::mldsa::{
    MlDsa44PrivateKey, MlDsa44PublicKey, MlDsa65PrivateKey, MlDsa65PublicKey, MlDsa87PrivateKey,
    MlDsa87PublicKey,
};
use purecrypto::rng::RngCore;

use super::{Failure, Implementation, Keys, Signer, Verifier};

pub(super) fn implementation(algorithm: &str) -> Option<Box<dyn Implementation>> {
    Some(match algorithm {
        "ML-DSA-44" => Box::new(Set44),
        "ML-DSA-65" => Box::new(Set65),
        "ML-DSA-87" => Box::new(Set87),
        _ => return None,
    })
}

/// A generator that returns rnd.
struct Rnd<'a>(&'a [u8]);

impl RngCore for Rnd<'_> {
    fn fill_bytes(&mut self, dest: &mut [u8]) {
        dest.copy_from_slice(self.0);
    }
}

macro_rules! ml_dsa {
    ($set:ident, $name:literal, $private:ident, $public:ident) => {
        struct $set;

        impl Implementation for $set {
            fn library(&self) -> &'static str {
                "purecrypto 0.10.4"
            }

            fn algorithm(&self) -> &'static str {
                $name
            }

            fn remark(&self) -> &'static str {
                "portable; checks ranges in private keys; kept keys are bytes, public ones with tr"
            }

            fn keypair(&self, seed: &[u8], pk: &mut [u8], sk: &mut [u8]) -> Result<(), Failure> {
                let seed = seed.try_into().map_err(|_| Failure::Refused)?;
                let (private, public) = $private::from_seed(seed);
                pk.copy_from_slice(public.to_bytes());
                sk.copy_from_slice(private.to_bytes());
                Ok(())
            }

            fn sign(
                &self,
                sk: &[u8],
                message: &[u8],
                coins: Option<&[u8]>,
                signature: &mut [u8],
            ) -> Result<usize, Failure> {
                let key = $private::from_bytes(sk).map_err(|_| Failure::Refused)?;
                $set::sign(&key, message, coins, signature)
            }

            fn verify(&self, pk: &[u8], message: &[u8], signature: &[u8]) -> Result<(), Failure> {
                let key = $public::from_bytes(pk).map_err(|_| Failure::Refused)?;
                $set::verify(&key, message, signature)
            }

            fn expand_secret(&self, keys: &Keys) -> Option<Signer> {
                let key = $private::from_bytes(&keys.secret).ok()?;
                Some(Box::new(move |message, coins, signature| {
                    $set::sign(&key, message, coins, signature)
                }))
            }

            fn expand_public(&self, keys: &Keys) -> Option<Verifier> {
                let key = $public::from_bytes(&keys.public).ok()?;
                Some(Box::new(move |message, signature| $set::verify(&key, message, signature)))
            }
        }

        impl $set {
            fn sign(
                key: &$private,
                message: &[u8],
                coins: Option<&[u8]>,
                signature: &mut [u8],
            ) -> Result<usize, Failure> {
                let made = match coins {
                    Some(rnd) => key.sign(&mut Rnd(rnd), message, b""),
                    None => key.sign_deterministic(message, b""),
                };
                signature.copy_from_slice(&made.map_err(|_| Failure::Refused)?);
                Ok(signature.len())
            }

            fn verify(key: &$public, message: &[u8], signature: &[u8]) -> Result<(), Failure> {
                if key.verify(signature, message, b"") { Ok(()) } else { Err(Failure::Refused) }
            }
        }
    };
}

ml_dsa!(Set44, "ML-DSA-44", MlDsa44PrivateKey, MlDsa44PublicKey);
ml_dsa!(Set65, "ML-DSA-65", MlDsa65PrivateKey, MlDsa65PublicKey);
ml_dsa!(Set87, "ML-DSA-87", MlDsa87PrivateKey, MlDsa87PublicKey);
