//! PQClean's C and assembly, through `pqcrypto-kyber`, a crate whose versions have different sets,
//! and its sibling crates `pqcrypto-ntru` and `pqcrypto-saber`.

/// Writes the adapter for the version of `pqcrypto-kyber`, or of the crate named, that the calling
/// crate depends on: its name, and a row for each parameter set with a name for the adapter's type
/// and the module of the crate.
///
/// It uses the crate's safe functions, none of which takes randomness: that is drawn from the
/// system.
#[macro_export]
macro_rules! pqcrypto_kyber {
    ($library:literal: $($row:tt)*) => {
        $crate::pqcrypto_kyber! { $library of pqcrypto_kyber: $($row)* }
    };
    ($library:literal of $peer:ident: $($name:literal $set:ident $module:ident)*) => {
        use $crate::kem::{Failure, Implementation, Randomness};
        use pqcrypto_traits::kem::{Ciphertext, PublicKey, SecretKey, SharedSecret};

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
                    $library
                }

                fn algorithm(&self) -> &'static str {
                    $name
                }

                fn randomness(&self) -> Randomness {
                    Randomness::Own("getrandom, the system's")
                }

                fn remark(&self) -> &'static str {
                    "PQClean with AVX2; no checks"
                }

                fn keypair(
                    &self,
                    _: &[u8; 64],
                    pk: &mut [u8],
                    sk: &mut [u8],
                ) -> Result<(), Failure> {
                    let (public, secret) = $peer::$module::keypair();
                    pk.copy_from_slice(public.as_bytes());
                    sk.copy_from_slice(secret.as_bytes());
                    Ok(())
                }

                fn encapsulate(
                    &self,
                    _: &[u8; 32],
                    pk: &[u8],
                    ct: &mut [u8],
                    ss: &mut [u8],
                ) -> Result<(), Failure> {
                    let key = PublicKey::from_bytes(pk).map_err(|_| Failure::Refused)?;
                    let (secret, ciphertext) = $peer::$module::encapsulate(&key);
                    ct.copy_from_slice(ciphertext.as_bytes());
                    ss.copy_from_slice(secret.as_bytes());
                    Ok(())
                }

                fn decapsulate(&self, sk: &[u8], ct: &[u8], ss: &mut [u8]) -> Result<(), Failure> {
                    let key = SecretKey::from_bytes(sk).map_err(|_| Failure::Refused)?;
                    let ct = Ciphertext::from_bytes(ct).map_err(|_| Failure::Refused)?;
                    ss.copy_from_slice($peer::$module::decapsulate(&ct, &key).as_bytes());
                    Ok(())
                }
            }
        )*
    };
}
