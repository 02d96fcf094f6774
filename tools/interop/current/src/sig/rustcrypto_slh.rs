//! RustCrypto's `slh-dsa`: portable Rust.

use std::marker::PhantomData;

use slh_dsa::{ParameterSet, Signature, SigningKey, VerifyingKey};

use super::{Failure, Implementation};

macro_rules! sets {
    ($($name:literal $set:ident)*) => {
        pub(super) fn implementation(algorithm: &str) -> Option<Box<dyn Implementation>> {
            Some(match algorithm {
                $($name => Box::new(Slh::<slh_dsa::$set>($name, PhantomData)),)*
                _ => return None,
            })
        }
    };
}
sets! {
    "SLH-DSA-SHA2-128s"    Sha2_128s
    "SLH-DSA-SHA2-128f"    Sha2_128f
    "SLH-DSA-SHA2-192s"    Sha2_192s
    "SLH-DSA-SHA2-192f"    Sha2_192f
    "SLH-DSA-SHA2-256s"    Sha2_256s
    "SLH-DSA-SHA2-256f"    Sha2_256f
    "SLH-DSA-SHAKE-128s"   Shake128s
    "SLH-DSA-SHAKE-128f"   Shake128f
    "SLH-DSA-SHAKE-192s"   Shake192s
    "SLH-DSA-SHAKE-192f"   Shake192f
    "SLH-DSA-SHAKE-256s"   Shake256s
    "SLH-DSA-SHAKE-256f"   Shake256f
}

struct Slh<P>(&'static str, PhantomData<P>);

impl<P: ParameterSet + Send + Sync> Implementation for Slh<P> {
    fn library(&self) -> &'static str {
        "slh-dsa 0.2.0-rc.5"
    }

    fn algorithm(&self) -> &'static str {
        self.0
    }

    fn remark(&self) -> &'static str {
        "portable; no checks of keys"
    }

    fn keypair(&self, seed: &[u8], pk: &mut [u8], sk: &mut [u8]) -> Result<(), Failure> {
        let mut seeds = seed.chunks_exact(pk.len() / 2);
        let mut next = || seeds.next().ok_or(Failure::Refused);
        let key = SigningKey::<P>::slh_keygen_internal(next()?, next()?, next()?);
        let public: &VerifyingKey<P> = key.as_ref();
        pk.copy_from_slice(&public.to_bytes());
        sk.copy_from_slice(&key.to_bytes());
        Ok(())
    }

    fn sign(
        &self,
        sk: &[u8],
        message: &[u8],
        coins: Option<&[u8]>,
        signature: &mut [u8],
    ) -> Result<usize, Failure> {
        let key = SigningKey::<P>::try_from(sk).map_err(|_| Failure::Refused)?;
        let made = key.try_sign_with_context(message, b"", coins);
        signature.copy_from_slice(&made.map_err(|_| Failure::Refused)?.to_bytes());
        Ok(signature.len())
    }

    fn verify(&self, pk: &[u8], message: &[u8], signature: &[u8]) -> Result<(), Failure> {
        let key = VerifyingKey::<P>::try_from(pk).map_err(|_| Failure::Refused)?;
        let signature = Signature::<P>::try_from(signature).map_err(|_| Failure::Refused)?;
        key.try_verify_with_context(message, b"", &signature).map_err(|_| Failure::Refused)
    }
}
