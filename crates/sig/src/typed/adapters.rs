//! The traits of the crate `signature`. Messages are whole and have no context.
#[cfg(feature = "getrandom")]
use signature::Signer;
use signature::rand_core::TryCryptoRng;
use signature::{Error, Keypair, RandomizedSigner, SignatureEncoding, Verifier};
use zeroize::Zeroizing;

use super::{EncodedSignature, SigningKey, VerifyingKey};
#[cfg(feature = "alloc")]
use super::{ExpandedSigningKey, ExpandedVerifyingKey};
use crate::message::Message;
use crate::scheme::{Bytes, SignatureSet};

impl<P: SignatureSet> AsRef<[u8]> for EncodedSignature<P> {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl<P: SignatureSet> TryFrom<&[u8]> for EncodedSignature<P> {
    type Error = Error;

    fn try_from(bytes: &[u8]) -> Result<Self, Error> {
        Self::from_bytes(bytes).map_err(|_| Error::new())
    }
}

impl<P: SignatureSet> SignatureEncoding for EncodedSignature<P> {
    type Repr = Self;
}

macro_rules! signer {
    ($($(#[$attribute:meta])* $key:ident)*) => { $(
        /// Signs with random bytes of the operating system.
        $(#[$attribute])*
        #[cfg(feature = "getrandom")]
        impl<P: SignatureSet> Signer<EncodedSignature<P>> for $key<P> {
            fn try_sign(&self, message: &[u8]) -> Result<EncodedSignature<P>, Error> {
                self.sign_message(&Message::new(message)).map_err(|_| Error::new())
            }
        }

        /// Signs with the given generator.
        $(#[$attribute])*
        impl<P: SignatureSet> RandomizedSigner<EncodedSignature<P>> for $key<P> {
            fn try_sign_with_rng<R: TryCryptoRng + ?Sized>(
                &self,
                rng: &mut R,
                message: &[u8],
            ) -> Result<EncodedSignature<P>, Error> {
                let mut coins = Zeroizing::new(P::Coins::ZERO);
                let coins = (*coins).as_mut();
                rng.try_fill_bytes(coins).map_err(|_| Error::new())?;
                self.sign_by(&Message::new(message), Some(coins)).map_err(|_| Error::new())
            }
        }
    )* };
}
signer! {
    SigningKey
    #[cfg(feature = "alloc")] ExpandedSigningKey
}

macro_rules! verifier {
    ($($(#[$attribute:meta])* $key:ident)*) => { $(
        $(#[$attribute])*
        impl<P: SignatureSet> Verifier<EncodedSignature<P>> for $key<P> {
            fn verify(
                &self,
                message: &[u8],
                signature: &EncodedSignature<P>,
            ) -> Result<(), Error> {
                self.verify_message(&Message::new(message), signature).map_err(|_| Error::new())
            }
        }
    )* };
}
verifier! {
    VerifyingKey
    #[cfg(feature = "alloc")] ExpandedVerifyingKey
}

impl<P: SignatureSet> Keypair for SigningKey<P> {
    type VerifyingKey = VerifyingKey<P>;

    fn verifying_key(&self) -> VerifyingKey<P> {
        self.verifying_key().clone()
    }
}
