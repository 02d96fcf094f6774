//! fips205: portable Rust, without allocation.

use fips205::traits::{KeyGen, SerDes, Signer as _, Verifier as _};
use rand_core_06::{CryptoRng, Error, RngCore};

use super::{Failure, Implementation};

macro_rules! sets {
    ($($name:literal $set:ident $module:ident)*) => {
        pub(super) fn implementation(algorithm: &str) -> Option<Box<dyn Implementation>> {
            Some(match algorithm {
                $($name => Box::new($set),)*
                _ => return None,
            })
        }

        $(
            struct $set;

            impl Implementation for $set {
                fn library(&self) -> &'static str {
                    "fips205 0.5.0"
                }

                fn algorithm(&self) -> &'static str {
                    $name
                }

                fn remark(&self) -> &'static str {
                    "portable"
                }

                fn keypair(
                    &self,
                    seed: &[u8],
                    pk: &mut [u8],
                    sk: &mut [u8],
                ) -> Result<(), Failure> {
                    let mut given = Given(seed);
                    let made = fips205::$module::KG::try_keygen_with_rng(&mut given);
                    let (public, private) = made.map_err(|_| Failure::Refused)?;
                    pk.copy_from_slice(&public.into_bytes());
                    sk.copy_from_slice(&private.into_bytes());
                    Ok(())
                }

                fn sign(
                    &self,
                    sk: &[u8],
                    message: &[u8],
                    coins: Option<&[u8]>,
                    signature: &mut [u8],
                ) -> Result<usize, Failure> {
                    use fips205::$module::PrivateKey;
                    let sk = sk.try_into().map_err(|_| Failure::Refused)?;
                    let key = PrivateKey::try_from_bytes(sk).map_err(|_| Failure::Refused)?;
                    let mut given = Given(coins.unwrap_or_default());
                    let made = key.try_sign_with_rng(&mut given, message, b"", coins.is_some());
                    signature.copy_from_slice(&made.map_err(|_| Failure::Refused)?);
                    Ok(signature.len())
                }

                fn verify(
                    &self,
                    pk: &[u8],
                    message: &[u8],
                    signature: &[u8],
                ) -> Result<(), Failure> {
                    use fips205::$module::PublicKey;
                    let pk = pk.try_into().map_err(|_| Failure::Refused)?;
                    let key = PublicKey::try_from_bytes(pk).map_err(|_| Failure::Refused)?;
                    let signature = signature.try_into().map_err(|_| Failure::Refused)?;
                    let good = key.verify(message, signature, b"");
                    if good { Ok(()) } else { Err(Failure::Refused) }
                }
            }
        )*
    };
}
sets! {
    "SLH-DSA-SHA2-128s"    Sha2128s   slh_dsa_sha2_128s
    "SLH-DSA-SHA2-128f"    Sha2128f   slh_dsa_sha2_128f
    "SLH-DSA-SHA2-192s"    Sha2192s   slh_dsa_sha2_192s
    "SLH-DSA-SHA2-192f"    Sha2192f   slh_dsa_sha2_192f
    "SLH-DSA-SHA2-256s"    Sha2256s   slh_dsa_sha2_256s
    "SLH-DSA-SHA2-256f"    Sha2256f   slh_dsa_sha2_256f
    "SLH-DSA-SHAKE-128s"   Shake128s  slh_dsa_shake_128s
    "SLH-DSA-SHAKE-128f"   Shake128f  slh_dsa_shake_128f
    "SLH-DSA-SHAKE-192s"   Shake192s  slh_dsa_shake_192s
    "SLH-DSA-SHAKE-192f"   Shake192f  slh_dsa_shake_192f
    "SLH-DSA-SHAKE-256s"   Shake256s  slh_dsa_shake_256s
    "SLH-DSA-SHAKE-256f"   Shake256f  slh_dsa_shake_256f
}

/// A generator that returns the given bytes in order.
struct Given<'a>(&'a [u8]);

impl RngCore for Given<'_> {
    fn next_u32(&mut self) -> u32 {
        unreachable!("only bytes are asked for")
    }

    fn next_u64(&mut self) -> u64 {
        unreachable!("only bytes are asked for")
    }

    fn fill_bytes(&mut self, dest: &mut [u8]) {
        let (given, rest) = self.0.split_at(dest.len());
        dest.copy_from_slice(given);
        self.0 = rest;
    }

    fn try_fill_bytes(&mut self, dest: &mut [u8]) -> Result<(), Error> {
        self.fill_bytes(dest);
        Ok(())
    }
}

impl CryptoRng for Given<'_> {}
