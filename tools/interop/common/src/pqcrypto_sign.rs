//! PQClean's C and assembly, through the `pqcrypto` crates of signatures.

/// Writes the adapter for one of these crates, which the calling crate depends on: its name, a
/// remark, whether it is a relative only, where its randomness comes from, and a row for each
/// parameter set with a name for the adapter's type and the module.
///
/// It uses the crate's safe functions, none of which takes randomness: that is drawn from the
/// system.
#[macro_export]
macro_rules! pqcrypto_sign {
    ($package:ident $library:literal $remark:literal $is_relative:literal $coins:expr;
     $($name:literal $set:ident $module:ident)*) => {
        use $crate::kem::{Failure, Randomness};
        use $crate::sig::{Coins, Implementation};
        use pqcrypto_traits::sign::{DetachedSignature, PublicKey, SecretKey};

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

                fn coins(&self) -> Coins {
                    $coins
                }

                fn remark(&self) -> &'static str {
                    $remark
                }

                fn is_relative(&self) -> bool {
                    $is_relative
                }

                fn keypair(&self, _: &[u8], pk: &mut [u8], sk: &mut [u8]) -> Result<(), Failure> {
                    let (public, secret) = $package::$module::keypair();
                    pk.copy_from_slice(public.as_bytes());
                    sk.copy_from_slice(secret.as_bytes());
                    Ok(())
                }

                fn sign(
                    &self,
                    sk: &[u8],
                    message: &[u8],
                    coins: Option<&[u8]>,
                    signature: &mut [u8],
                ) -> Result<usize, Failure> {
                    if coins.is_some() == (self.coins() == Coins::None) {
                        return Err(Failure::NotOffered);
                    }
                    let key = SecretKey::from_bytes(sk).map_err(|_| Failure::Refused)?;
                    let made = $package::$module::detached_sign(message, &key);
                    signature[..made.as_bytes().len()].copy_from_slice(made.as_bytes());
                    Ok(made.as_bytes().len())
                }

                fn verify(
                    &self,
                    pk: &[u8],
                    message: &[u8],
                    signature: &[u8],
                ) -> Result<(), Failure> {
                    use $package::$module::verify_detached_signature;
                    let key = PublicKey::from_bytes(pk).map_err(|_| Failure::Refused)?;
                    let signature =
                        DetachedSignature::from_bytes(signature).map_err(|_| Failure::Refused)?;
                    verify_detached_signature(&signature, message, &key)
                        .map_err(|_| Failure::Refused)
                }
            }
        )*
    };
}
