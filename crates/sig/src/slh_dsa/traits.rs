//! The traits of the crate `signature`. Messages are whole and have no context.
use alloc::boxed::Box;

#[cfg(feature = "getrandom")]
use signature::Signer;
use signature::rand_core::TryCryptoRng;
use signature::{Error, Keypair, RandomizedSigner, SignatureEncoding, Verifier};
use zeroize::Zeroizing;

use super::{EncodedSignature, ExpandedSigningKey, Set, SigningKey, VerifyingKey};
use crate::Message;

impl<P: Set> AsRef<[u8]> for EncodedSignature<P> {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl<P: Set> TryFrom<&[u8]> for EncodedSignature<P> {
    type Error = Error;

    fn try_from(bytes: &[u8]) -> Result<Self, Error> {
        Self::from_bytes(bytes).map_err(|_| Error::new())
    }
}

impl<P: Set> From<EncodedSignature<P>> for Box<[u8]> {
    fn from(signature: EncodedSignature<P>) -> Self {
        signature.0
    }
}

impl<P: Set> SignatureEncoding for EncodedSignature<P> {
    type Repr = Box<[u8]>;
}

macro_rules! signer {
    ($($key:ident)*) => { $(
        /// Hedged, with the generator of the operating system.
        #[cfg(feature = "getrandom")]
        impl<P: Set> Signer<EncodedSignature<P>> for $key<P> {
            fn try_sign(&self, message: &[u8]) -> Result<EncodedSignature<P>, Error> {
                self.sign_message(&Message::new(message)).map_err(|_| Error::new())
            }
        }

        /// Hedged, with the given generator.
        impl<P: Set> RandomizedSigner<EncodedSignature<P>> for $key<P> {
            fn try_sign_with_rng<R: TryCryptoRng + ?Sized>(
                &self,
                rng: &mut R,
                message: &[u8],
            ) -> Result<EncodedSignature<P>, Error> {
                let mut coins = Zeroizing::new([0; 32]);
                let coins = &mut coins[..P::SLH.coins_len()];
                rng.try_fill_bytes(coins).map_err(|_| Error::new())?;
                self.sign_from(&Message::new(message), Some(coins)).map_err(|_| Error::new())
            }
        }
    )* };
}
signer! { SigningKey ExpandedSigningKey }

impl<P: Set> Verifier<EncodedSignature<P>> for VerifyingKey<P> {
    fn verify(&self, message: &[u8], signature: &EncodedSignature<P>) -> Result<(), Error> {
        self.verify_message(&Message::new(message), signature).map_err(|_| Error::new())
    }
}

impl<P: Set> Keypair for SigningKey<P> {
    type VerifyingKey = VerifyingKey<P>;

    fn verifying_key(&self) -> VerifyingKey<P> {
        self.verifying_key().clone()
    }
}
