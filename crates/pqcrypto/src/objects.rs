//! The generic types behind those of the modules: byte strings, most of them of a fixed length.
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use oaklath_kem::{DecapsulationKey, EncapsulationKey, Set};
use oaklath_pqcrypto_traits::{Error, Result, kem, sign};
use oaklath_sig::{SignatureSet, SigningKey};
use oaklath_simd::ct;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// The parameter set of a module, and the format of its signatures.
pub trait SignModule: Sized {
    /// The parameter set.
    type Set: SignatureSet;
    /// The format of signatures.
    const FORMAT: SignatureFormat;
    /// The maximum length of a signature in bytes.
    const SIGNATURE: usize = match (Self::FORMAT, &Self::Set::INFO.variable) {
        (SignatureFormat::Compressed, Some(variable)) => variable.longest,
        (SignatureFormat::Padded, Some(variable)) => variable.padded,
        _ => Self::Set::INFO.signature,
    };
}

/// The format of a module's signatures, which determines their length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignatureFormat {
    /// All signatures have the same length.
    Fixed,
    /// Falcon signatures of variable length.
    Compressed,
    /// Falcon signatures, padded with zeros to a fixed length.
    Padded,
}

/// Copies bytes into an array, or fails if the length is wrong.
pub(crate) fn to_array<const N: usize>(name: &'static str, bytes: &[u8]) -> Result<[u8; N]> {
    let length = Error::BadLength { name, actual: bytes.len(), expected: N };
    bytes.try_into().map_err(|_| length)
}

/// Defines a type by its documentation and name, the bound of its parameter, its trait, its name in
/// errors, and the check applied to bytes of the right length.
macro_rules! object {
    ($(#[$doc:meta])* $object:ident of $set:ident is $trait:path as $name:literal: $check:expr) => {
        $(#[$doc])*
        #[repr(transparent)]
        pub struct $object<P: $set, const N: usize>(pub(crate) [u8; N], pub(crate) PhantomData<P>);

        impl<P: $set, const N: usize> $trait for $object<P, N> {
            fn as_bytes(&self) -> &[u8] {
                &self.0
            }

            fn from_bytes(bytes: &[u8]) -> Result<Self> {
                let check: fn(&[u8]) -> bool = $check;
                let object = Self(to_array($name, bytes)?, PhantomData);
                if check(&object.0) { Ok(object) } else { Err(Error::Malformed { name: $name }) }
            }
        }

        /// Compares in constant time.
        impl<P: $set, const N: usize> PartialEq for $object<P, N> {
            fn eq(&self, other: &Self) -> bool {
                !ct::differ(&self.0, &other.0).declassify()
            }
        }

        /// Writes the name and the length.
        impl<P: $set, const N: usize> fmt::Debug for $object<P, N> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{} ({N} bytes)", $name)
            }
        }
    };
}

/// Implements `Clone` and `Copy`.
macro_rules! copied {
    ($($object:ident of $set:ident)*) => { $(
        impl<P: $set, const N: usize> Clone for $object<P, N> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<P: $set, const N: usize> Copy for $object<P, N> {}
    )* };
}

/// Implements `Clone`, and erasure on drop.
macro_rules! erased {
    ($($object:ident of $set:ident)*) => { $(
        impl<P: $set, const N: usize> Clone for $object<P, N> {
            fn clone(&self) -> Self {
                Self(self.0, PhantomData)
            }
        }

        impl<P: $set, const N: usize> Drop for $object<P, N> {
            fn drop(&mut self) {
                self.0.zeroize();
            }
        }

        impl<P: $set, const N: usize> ZeroizeOnDrop for $object<P, N> {}
    )* };
}

object! {
    /// The public key of a KEM, checked.
    KemPublicKey of Set is kem::PublicKey as "PublicKey":
    |bytes| EncapsulationKey::<P>::from_bytes(bytes).is_ok()
}
object! {
    /// The secret key of a KEM, checked. Erased when dropped.
    KemSecretKey of Set is kem::SecretKey as "SecretKey":
    |bytes| DecapsulationKey::<P>::from_bytes(bytes).is_ok()
}
object! {
    /// The ciphertext of a KEM.
    KemCiphertext of Set is kem::Ciphertext as "Ciphertext": |_| true
}
object! {
    /// The shared secret of a KEM. It may be copied and is **not erased** when dropped.
    KemSharedSecret of Set is kem::SharedSecret as "SharedSecret": |_| true
}
object! {
    /// The public key of a signature scheme. A key that is not a valid encoding verifies nothing.
    SignPublicKey of SignModule is sign::PublicKey as "PublicKey": |_| true
}
object! {
    /// The secret key of a signature scheme, checked. Erased when dropped.
    SignSecretKey of SignModule is sign::SecretKey as "SecretKey":
    |bytes| SigningKey::<P::Set>::from_bytes(bytes).is_ok()
}
copied! { KemPublicKey of Set  KemCiphertext of Set  KemSharedSecret of Set  SignPublicKey of SignModule }
erased! { KemSecretKey of Set  SignSecretKey of SignModule }

/// A signature without its message, of at most `N` bytes.
pub struct SignDetachedSignature<M: SignModule, const N: usize> {
    bytes: [u8; N],
    len: usize,
    module: PhantomData<M>,
}

impl<M: SignModule, const N: usize> SignDetachedSignature<M, N> {
    pub(crate) fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

/// Shorter signatures are accepted by `from_bytes`; if the format is fixed, they do not verify.
impl<M: SignModule, const N: usize> sign::DetachedSignature for SignDetachedSignature<M, N> {
    fn as_bytes(&self) -> &[u8] {
        self.as_slice()
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let (name, len) = ("DetachedSignature", bytes.len());
        if len > N {
            return Err(Error::BadLength { name, actual: len, expected: N });
        }
        let mut signature = Self { bytes: [0; N], len, module: PhantomData };
        signature.bytes[..len].copy_from_slice(bytes);
        Ok(signature)
    }
}

impl<M: SignModule, const N: usize> Clone for SignDetachedSignature<M, N> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M: SignModule, const N: usize> Copy for SignDetachedSignature<M, N> {}

/// Writes the name and the length.
impl<M: SignModule, const N: usize> fmt::Debug for SignDetachedSignature<M, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DetachedSignature ({} bytes)", self.len)
    }
}

/// A message together with its signature.
pub struct SignSignedMessage<M: SignModule>(pub(crate) Vec<u8>, pub(crate) PhantomData<M>);

impl<M: SignModule> SignSignedMessage<M> {
    /// Joins the parts.
    pub(crate) fn new(parts: &[&[u8]]) -> Self {
        Self(parts.concat(), PhantomData)
    }

    /// Returns the length of message and signature in bytes.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "as in the pqcrypto crates")]
    pub fn len(&self) -> usize {
        self.0.len()
    }
}

/// Accepts bytes of any length; opening the message checks whether it contains a signature.
impl<M: SignModule> sign::SignedMessage for SignSignedMessage<M> {
    fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Ok(Self::new(&[bytes]))
    }
}

impl<M: SignModule> Clone for SignSignedMessage<M> {
    fn clone(&self) -> Self {
        Self::new(&[&self.0])
    }
}

/// Writes the name and the length.
impl<M: SignModule> fmt::Debug for SignSignedMessage<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SignedMessage ({} bytes)", self.0.len())
    }
}
