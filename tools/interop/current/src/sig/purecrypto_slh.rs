//! purecrypto's SLH-DSA: Rust with vector code. Reading a private key recomputes its root.

use purecrypto::rng::RngCore;
use purecrypto::slhdsa::{ParamSet, PrivateKey, PublicKey};

use super::{Failure, Implementation, Keys, Signer, Verifier};

macro_rules! sets {
    ($($name:literal $set:ident)*) => {
        pub(super) fn implementation(algorithm: &str) -> Option<Box<dyn Implementation>> {
            let (name, set) = match algorithm {
                $($name => ($name, ParamSet::$set),)*
                _ => return None,
            };
            Some(Box::new(Slh { name, set }))
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
    "SLH-DSA-SHAKE-128s"   Shake_128s
    "SLH-DSA-SHAKE-128f"   Shake_128f
    "SLH-DSA-SHAKE-192s"   Shake_192s
    "SLH-DSA-SHAKE-192f"   Shake_192f
    "SLH-DSA-SHAKE-256s"   Shake_256s
    "SLH-DSA-SHAKE-256f"   Shake_256f
}

struct Slh {
    name: &'static str,
    set: ParamSet,
}

/// A generator that returns addrnd.
struct Given<'a>(&'a [u8]);

impl RngCore for Given<'_> {
    fn fill_bytes(&mut self, dest: &mut [u8]) {
        dest.copy_from_slice(self.0);
    }
}

impl Implementation for Slh {
    fn library(&self) -> &'static str {
        "purecrypto 0.10.4"
    }

    fn algorithm(&self) -> &'static str {
        self.name
    }

    fn remark(&self) -> &'static str {
        "checks the root of private keys; kept keys are bytes"
    }

    fn keypair(&self, seed: &[u8], pk: &mut [u8], sk: &mut [u8]) -> Result<(), Failure> {
        let mut seeds = seed.chunks_exact(pk.len() / 2);
        let mut next = || seeds.next().ok_or(Failure::Refused);
        let (private, public) = PrivateKey::from_seeds(self.set, next()?, next()?, next()?);
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
        let key = PrivateKey::from_bytes(self.set, sk).map_err(|_| Failure::Refused)?;
        sign(&key, message, coins, signature)
    }

    fn verify(&self, pk: &[u8], message: &[u8], signature: &[u8]) -> Result<(), Failure> {
        let key = PublicKey::from_bytes(self.set, pk).map_err(|_| Failure::Refused)?;
        verify(&key, message, signature)
    }

    fn expand_secret(&self, keys: &Keys) -> Option<Signer> {
        let key = PrivateKey::from_bytes(self.set, &keys.secret).ok()?;
        Some(Box::new(move |message, coins, signature| sign(&key, message, coins, signature)))
    }

    fn expand_public(&self, keys: &Keys) -> Option<Verifier> {
        let key = PublicKey::from_bytes(self.set, &keys.public).ok()?;
        Some(Box::new(move |message, signature| verify(&key, message, signature)))
    }
}

fn sign(
    key: &PrivateKey,
    message: &[u8],
    coins: Option<&[u8]>,
    signature: &mut [u8],
) -> Result<usize, Failure> {
    let made = match coins {
        Some(coins) => key.sign(&mut Given(coins), message, b""),
        None => key.sign_deterministic(message, b""),
    };
    signature.copy_from_slice(&made.map_err(|_| Failure::Refused)?);
    Ok(signature.len())
}

fn verify(key: &PublicKey, message: &[u8], signature: &[u8]) -> Result<(), Failure> {
    if key.verify(signature, message, b"") { Ok(()) } else { Err(Failure::Refused) }
}
