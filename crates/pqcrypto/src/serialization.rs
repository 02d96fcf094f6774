//! Serde, in the same form as the derived implementations of the pqcrypto crates.
use alloc::vec::Vec;
use core::marker::PhantomData;

use oaklath_kem::Set;
use oaklath_pqcrypto_traits::sign::DetachedSignature;
use oaklath_pqcrypto_traits::{kem, sign};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_big_array::BigArray;
use zeroize::Zeroize;

use crate::objects::{
    KemCiphertext, KemPublicKey, KemSecretKey, KemSharedSecret, SignDetachedSignature, SignModule,
    SignPublicKey, SignSecretKey, SignSignedMessage,
};

/// The bytes of an object. Erased when dropped, since they may be secret.
#[derive(Serialize, Deserialize)]
struct FixedForm<const N: usize>(#[serde(with = "BigArray")] [u8; N]);

impl<const N: usize> Drop for FixedForm<N> {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

macro_rules! serialize_as_array {
    ($($object:ident of $set:ident is $trait:path;)*) => { $(
        impl<P: $set, const N: usize> Serialize for $object<P, N> {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                FixedForm(self.0).serialize(to)
            }
        }

        /// Deserialises with the checks of `from_bytes`.
        impl<'de, P: $set, const N: usize> Deserialize<'de> for $object<P, N> {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let form = FixedForm::<N>::deserialize(from)?;
                <Self as $trait>::from_bytes(&form.0).map_err(D::Error::custom)
            }
        }
    )* };
}
serialize_as_array! {
    KemPublicKey of Set is kem::PublicKey;
    KemSecretKey of Set is kem::SecretKey;
    KemCiphertext of Set is kem::Ciphertext;
    KemSharedSecret of Set is kem::SharedSecret;
    SignPublicKey of SignModule is sign::PublicKey;
    SignSecretKey of SignModule is sign::SecretKey;
}

/// A signature, padded with zeros, and its length in bytes.
#[derive(Serialize, Deserialize)]
struct DetachedForm<const N: usize>(#[serde(with = "BigArray")] [u8; N], usize);

impl<M: SignModule, const N: usize> Serialize for SignDetachedSignature<M, N> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut form = DetachedForm([0; N], self.as_slice().len());
        form.0[..form.1].copy_from_slice(self.as_slice());
        form.serialize(to)
    }
}

impl<'de, M: SignModule, const N: usize> Deserialize<'de> for SignDetachedSignature<M, N> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let form = DetachedForm::<N>::deserialize(from)?;
        let bytes =
            form.0.get(..form.1).ok_or_else(|| D::Error::custom("a signature is too long"))?;
        Self::from_bytes(bytes).map_err(D::Error::custom)
    }
}

impl<M: SignModule> Serialize for SignSignedMessage<M> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_newtype_struct("SignedMessage", &self.0)
    }
}

impl<'de, M: SignModule> Deserialize<'de> for SignSignedMessage<M> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct MessageForm(Vec<u8>);
        Ok(Self(MessageForm::deserialize(from)?.0, PhantomData))
    }
}
