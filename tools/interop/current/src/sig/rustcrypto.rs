//! RustCrypto's `ml-dsa`: portable Rust. Its keys of either kind hold the matrix, so that reading
//! one expands it.

use ml_dsa::{
    ExpandedSigningKey, MlDsa44, MlDsa65, MlDsa87, Signature, SigningKey, VerifyingKey,
    signature::Keypair,
};

use super::{Failure, Implementation, Keys, Signer, Verifier};

pub(super) fn implementation(algorithm: &str) -> Option<Box<dyn Implementation>> {
    Some(match algorithm {
        "ML-DSA-44" => Box::new(Set44),
        "ML-DSA-65" => Box::new(Set65),
        "ML-DSA-87" => Box::new(Set87),
        _ => return None,
    })
}

macro_rules! ml_dsa {
    ($set:ident, $name:literal, $params:ident) => {
        struct $set;

        impl Implementation for $set {
            fn library(&self) -> &'static str {
                "ml-dsa 0.1.2"
            }

            fn algorithm(&self) -> &'static str {
                $name
            }

            fn remark(&self) -> &'static str {
                "portable; feature zeroize; no checks of keys; kept keys hold the matrix; key \
                 generation writes the expanded key"
            }

            #[expect(deprecated, reason = "the expanded key is what the other libraries share")]
            fn keypair(&self, seed: &[u8], pk: &mut [u8], sk: &mut [u8]) -> Result<(), Failure> {
                let seed = seed.try_into().map_err(|_| Failure::Refused)?;
                let key = SigningKey::<$params>::from_seed(seed);
                pk.copy_from_slice(&key.verifying_key().encode());
                sk.copy_from_slice(&key.expanded_key().to_expanded());
                Ok(())
            }

            fn sign(
                &self,
                sk: &[u8],
                message: &[u8],
                coins: Option<&[u8]>,
                signature: &mut [u8],
            ) -> Result<usize, Failure> {
                sign(&$set::private(sk)?, message, coins, signature)
            }

            fn verify(&self, pk: &[u8], message: &[u8], signature: &[u8]) -> Result<(), Failure> {
                verify(&$set::public(pk)?, message, signature)
            }

            fn expand_secret(&self, keys: &Keys) -> Option<Signer> {
                let key = $set::private(&keys.secret).ok()?;
                Some(Box::new(move |message, coins, signature| {
                    sign(&key, message, coins, signature)
                }))
            }

            fn expand_public(&self, keys: &Keys) -> Option<Verifier> {
                let key = $set::public(&keys.public).ok()?;
                Some(Box::new(move |message, signature| verify(&key, message, signature)))
            }
        }

        impl $set {
            #[expect(deprecated, reason = "the expanded key is what the other libraries share")]
            fn private(sk: &[u8]) -> Result<ExpandedSigningKey<$params>, Failure> {
                let sk = sk.try_into().map_err(|_| Failure::Refused)?;
                Ok(ExpandedSigningKey::from_expanded(sk))
            }

            fn public(pk: &[u8]) -> Result<VerifyingKey<$params>, Failure> {
                Ok(VerifyingKey::decode(pk.try_into().map_err(|_| Failure::Refused)?))
            }
        }
    };
}

ml_dsa!(Set44, "ML-DSA-44", MlDsa44);
ml_dsa!(Set65, "ML-DSA-65", MlDsa65);
ml_dsa!(Set87, "ML-DSA-87", MlDsa87);

/// Signs with the internal function, which alone takes rnd: 0 for pure, 0 for an empty context.
fn sign<P: ml_dsa::MlDsaParams>(
    key: &ExpandedSigningKey<P>,
    message: &[u8],
    coins: Option<&[u8]>,
    signature: &mut [u8],
) -> Result<usize, Failure> {
    let rnd = coins.unwrap_or(&[0; 32]).try_into().map_err(|_| Failure::Refused)?;
    signature.copy_from_slice(&key.sign_internal(&[&[0, 0], message], rnd).encode());
    Ok(signature.len())
}

fn verify<P: ml_dsa::MlDsaParams>(
    key: &VerifyingKey<P>,
    message: &[u8],
    signature: &[u8],
) -> Result<(), Failure> {
    let signature = signature.try_into().map_err(|_| Failure::Refused)?;
    let signature = Signature::<P>::decode(signature).ok_or(Failure::Refused)?;
    let good = key.verify_with_context(message, b"", &signature);
    if good { Ok(()) } else { Err(Failure::Refused) }
}
