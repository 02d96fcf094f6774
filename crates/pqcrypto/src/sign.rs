//! Signatures: the traits, and a module for each parameter set.
#![cfg_attr(
    not(any(
        feature = "ml-dsa",
        feature = "falcon",
        feature = "slh-dsa",
        feature = "sphincs-plus",
        feature = "dilithium",
        feature = "dilithium-aes"
    )),
    allow(dead_code, unused_imports, unused_macros, reason = "no family is compiled")
)]
use alloc::vec;
use alloc::vec::Vec;
use core::marker::PhantomData;

pub use oaklath_pqcrypto_traits::sign::{
    DetachedSignature, PublicKey, SecretKey, SignedMessage, VerificationError,
};
use oaklath_sig::{Message, Signature, SignatureSet, SigningKey};
use zeroize::Zeroizing;

use crate::objects::{
    SignDetachedSignature, SignModule, SignPublicKey, SignSecretKey, SignSignedMessage,
    SignatureFormat,
};

/// Calls a macro with the table of the modules.
macro_rules! with_modules {
    ($macro:ident) => {
        $macro! { sign
            // feature       module                    set               format
            "ml-dsa"         mldsa44                   MlDsa44           Fixed with_context;
            "ml-dsa"         mldsa65                   MlDsa65           Fixed with_context;
            "ml-dsa"         mldsa87                   MlDsa87           Fixed with_context;
            "falcon"         falcon512                 Falcon512         Compressed;
            "falcon"         falcon1024                Falcon1024        Compressed;
            "falcon"         falconpadded512           Falcon512         Padded;
            "falcon"         falconpadded1024          Falcon1024        Padded;
            "slh-dsa"        sphincssha2128ssimple     SlhDsaSha2_128s   Fixed;
            "slh-dsa"        sphincssha2128fsimple     SlhDsaSha2_128f   Fixed;
            "slh-dsa"        sphincssha2192ssimple     SlhDsaSha2_192s   Fixed;
            "slh-dsa"        sphincssha2192fsimple     SlhDsaSha2_192f   Fixed;
            "slh-dsa"        sphincssha2256ssimple     SlhDsaSha2_256s   Fixed;
            "slh-dsa"        sphincssha2256fsimple     SlhDsaSha2_256f   Fixed;
            "slh-dsa"        sphincsshake128ssimple    SlhDsaShake128s   Fixed;
            "slh-dsa"        sphincsshake128fsimple    SlhDsaShake128f   Fixed;
            "slh-dsa"        sphincsshake192ssimple    SlhDsaShake192s   Fixed;
            "slh-dsa"        sphincsshake192fsimple    SlhDsaShake192f   Fixed;
            "slh-dsa"        sphincsshake256ssimple    SlhDsaShake256s   Fixed;
            "slh-dsa"        sphincsshake256fsimple    SlhDsaShake256f   Fixed;
            "sphincs-plus"   sphincsshake256128ssimple SphincsShake128s  Fixed;
            "sphincs-plus"   sphincsshake256128fsimple SphincsShake128f  Fixed;
            "sphincs-plus"   sphincsshake256192ssimple SphincsShake192s  Fixed;
            "sphincs-plus"   sphincsshake256192fsimple SphincsShake192f  Fixed;
            "sphincs-plus"   sphincsshake256256ssimple SphincsShake256s  Fixed;
            "sphincs-plus"   sphincsshake256256fsimple SphincsShake256f  Fixed;
            "dilithium"      dilithium2                Dilithium2        Fixed;
            "dilithium"      dilithium3                Dilithium3        Fixed;
            "dilithium"      dilithium5                Dilithium5        Fixed;
            "dilithium-aes"  dilithium2aes             Dilithium2Aes     Fixed;
            "dilithium-aes"  dilithium3aes             Dilithium3Aes     Fixed;
            "dilithium-aes"  dilithium5aes             Dilithium5Aes     Fixed;
        }
    };
}
pub(crate) use with_modules;

macro_rules! define_modules {
    (sign $($feature:literal $module:ident $set:ident $format:ident $($context:ident)?;)*) => { $(
        #[doc = concat!("[`", stringify!($set), "`](oaklath_sig::", stringify!($set), ").")]
        #[cfg(feature = $feature)]
        pub mod $module {
            use alloc::vec::Vec;

            use oaklath_pqcrypto_traits::sign::VerificationError;
            use oaklath_sig::{Message, SignatureSet, $set};

            use crate::objects::{
                SignDetachedSignature, SignModule, SignPublicKey, SignSecretKey, SignSignedMessage,
                SignatureFormat,
            };

            /// The parameter set and the signature format of this module.
            #[derive(Clone, Copy, Debug)]
            pub struct Module;

            impl SignModule for Module {
                type Set = $set;
                const FORMAT: SignatureFormat = SignatureFormat::$format;
            }

            /// The key that verifies.
            pub type PublicKey = SignPublicKey<Module, { public_key_bytes() }>;
            /// The key that signs.
            pub type SecretKey = SignSecretKey<Module, { secret_key_bytes() }>;
            /// A message together with its signature.
            pub type SignedMessage = SignSignedMessage<Module>;
            /// A signature without its message.
            pub type DetachedSignature = SignDetachedSignature<Module, { signature_bytes() }>;

            /// Returns the length of a public key in bytes.
            #[must_use]
            pub const fn public_key_bytes() -> usize {
                $set::INFO.public_key
            }

            /// Returns the length of a secret key in bytes.
            #[must_use]
            pub const fn secret_key_bytes() -> usize {
                $set::INFO.secret_key
            }

            /// Returns the length of a signature in bytes; for compressed ones the maximum.
            #[must_use]
            pub const fn signature_bytes() -> usize {
                Module::SIGNATURE
            }

            /// Returns a new key pair.
            ///
            /// # Panics
            /// If the operating system provides no random bytes.
            #[must_use]
            pub fn keypair() -> (PublicKey, SecretKey) {
                super::generate_keypair()
            }

            define_operations! { Message::new:
                /// Returns the message with a signature.
                ///
                /// # Panics
                /// If the operating system provides no random bytes.
                sign
                /// Returns the message if its signature verifies.
                ///
                /// # Errors
                /// [`VerificationError::InvalidSignature`] if it does not verify.
                open
                /// Returns a signature of the message.
                ///
                /// # Panics
                /// If the operating system provides no random bytes.
                detached_sign
                /// Verifies a signature of the message.
                ///
                /// # Errors
                /// [`VerificationError::InvalidSignature`] if it does not verify.
                verify_detached_signature
            }
            $(define_operations! { Message::$context, ctx:
                /// Returns the message with a signature in a context.
                ///
                /// # Panics
                /// If the context has more than 255 bytes, or the operating system provides no
                /// random bytes.
                sign_ctx
                /// Returns the message if its signature verifies in this context.
                ///
                /// # Errors
                /// [`VerificationError::InvalidSignature`] if it does not verify.
                open_ctx
                /// Returns a signature of the message in a context.
                ///
                /// # Panics
                /// If the context has more than 255 bytes, or the operating system provides no
                /// random bytes.
                detached_sign_ctx
                /// Verifies a signature of the message in this context.
                ///
                /// # Errors
                /// [`VerificationError::InvalidSignature`] if it does not verify.
                verify_detached_signature_ctx
            })?
        }
    )* };
}

/// Defines the four functions of a module, with or without a context.
macro_rules! define_operations {
    ($message:path $(, $context:ident)?:
     $(#[$sign_doc:meta])* $sign:ident
     $(#[$open_doc:meta])* $open:ident
     $(#[$detached_doc:meta])* $detached_sign:ident
     $(#[$verify_doc:meta])* $verify:ident) => {
        $(#[$sign_doc])*
        #[must_use]
        pub fn $sign(msg: &[u8], $($context: &[u8],)? sk: &SecretKey) -> SignedMessage {
            super::attach_signature(msg, &$message(msg $(, $context)?), sk)
        }

        $(#[$open_doc])*
        pub fn $open(
            sm: &SignedMessage,
            $($context: &[u8],)?
            pk: &PublicKey,
        ) -> Result<Vec<u8>, VerificationError> {
            super::open_message(sm, |msg| $message(msg $(, $context)?), pk)
        }

        $(#[$detached_doc])*
        #[must_use]
        pub fn $detached_sign(
            msg: &[u8],
            $($context: &[u8],)?
            sk: &SecretKey,
        ) -> DetachedSignature {
            super::sign_detached(&$message(msg $(, $context)?), sk)
        }

        $(#[$verify_doc])*
        pub fn $verify(
            sig: &DetachedSignature,
            msg: &[u8],
            $($context: &[u8],)?
            pk: &PublicKey,
        ) -> Result<(), VerificationError> {
            super::verify_signature(&$message(msg $(, $context)?), sig.as_slice(), pk)
        }
    };
}
with_modules!(define_modules);

/// The length in bytes of the nonce in a Falcon signature, after the header.
const NONCE: usize = 40;
/// The formats of Falcon signatures in the upper half of the header: detached, and in signed
/// messages.
const DETACHED: u8 = 0x30;
const IN_MESSAGE: u8 = 0x20;

fn generate_keypair<M: SignModule, const PK: usize, const SK: usize>()
-> (SignPublicKey<M, PK>, SignSecretKey<M, SK>) {
    let key = SigningKey::<M::Set>::generate();
    let mut public = SignPublicKey([0; PK], PhantomData);
    public.0.copy_from_slice(key.verifying_key().as_bytes());
    let mut secret = SignSecretKey([0; SK], PhantomData);
    secret.0.copy_from_slice(key.as_bytes());
    (public, secret)
}

/// Signs until the signature is short enough for the format; of Falcon's padded signatures, one in
/// thousands is too long.
fn make_signature<M: SignModule, const SK: usize>(
    message: &Message<'_>,
    sk: &SignSecretKey<M, SK>,
) -> Vec<u8> {
    let scheme = M::Set::default();
    let mut coins = Zeroizing::new(vec![0; scheme.coins_len()]);
    let mut signature = vec![0; M::Set::INFO.signature];
    loop {
        getrandom::fill(&mut coins).expect("the operating system has random bytes");
        let result = scheme.sign(&sk.0, message, Some(&coins), &mut signature);
        let len = result.expect("the key was checked, and the context has at most 255 bytes");
        if len <= M::SIGNATURE {
            signature.truncate(len);
            if M::FORMAT == SignatureFormat::Padded {
                signature.resize(M::SIGNATURE, 0);
            }
            return signature;
        }
    }
}

fn sign_detached<M: SignModule, const SK: usize, const N: usize>(
    message: &Message<'_>,
    sk: &SignSecretKey<M, SK>,
) -> SignDetachedSignature<M, N> {
    DetachedSignature::from_bytes(&make_signature(message, sk)).expect("a signature fits")
}

/// Joins a signature and its message, in this order; for compressed Falcon signatures, in the order
/// of the submission: length, nonce, message, header, compressed part.
fn attach_signature<M: SignModule, const SK: usize>(
    msg: &[u8],
    message: &Message<'_>,
    sk: &SignSecretKey<M, SK>,
) -> SignSignedMessage<M> {
    let signature = make_signature(message, sk);
    if M::FORMAT != SignatureFormat::Compressed {
        return SignSignedMessage::new(&[&signature, msg]);
    }
    let (nonce, compressed) = signature[1..].split_at(NONCE);
    let header = [signature[0] ^ DETACHED ^ IN_MESSAGE];
    let len = u16::try_from(header.len() + compressed.len()).expect("signatures are short");
    SignSignedMessage::new(&[&len.to_be_bytes(), nonce, msg, &header, compressed])
}

fn open_message<'a, M: SignModule, const PK: usize>(
    signed: &'a SignSignedMessage<M>,
    as_message: impl FnOnce(&'a [u8]) -> Message<'a>,
    pk: &SignPublicKey<M, PK>,
) -> Result<Vec<u8>, VerificationError> {
    let parts = match M::FORMAT {
        SignatureFormat::Compressed => split_falcon(signed.as_bytes()),
        _ => signed.as_bytes().split_at_checked(M::SIGNATURE).map(|(s, msg)| (s.to_vec(), msg)),
    };
    let (signature, msg) = parts.ok_or(VerificationError::InvalidSignature)?;
    verify_signature(&as_message(msg), &signature, pk)?;
    Ok(msg.to_vec())
}

/// Splits a signed message of Falcon into a detached signature and the message.
fn split_falcon(signed: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let (len, rest) = signed.split_first_chunk()?;
    let (nonce, rest) = rest.split_at_checked(NONCE)?;
    let message_len = rest.len().checked_sub(u16::from_be_bytes(*len).into())?;
    let (msg, end) = rest.split_at(message_len);
    let (header, compressed) = end.split_first()?;
    let header = header ^ IN_MESSAGE ^ DETACHED;
    Some(([&[header], nonce, compressed].concat(), msg))
}

/// Verifies a signature, which must have its only form, as in the pqcrypto crates: a compressed one
/// ends with a non-zero byte, and a padded one has the full length.
fn verify_signature<M: SignModule, const PK: usize>(
    message: &Message<'_>,
    signature: &[u8],
    pk: &SignPublicKey<M, PK>,
) -> Result<(), VerificationError> {
    let has_form = match M::FORMAT {
        SignatureFormat::Compressed => signature.last().is_some_and(|byte| *byte != 0),
        _ => signature.len() == M::SIGNATURE,
    };
    let is_falcon = M::FORMAT != SignatureFormat::Fixed;
    if !has_form || is_falcon && signature[0] & 0xF0 != DETACHED {
        return Err(VerificationError::InvalidSignature);
    }
    let result = M::Set::default().verify(&pk.0, message, signature);
    result.map_err(|_| VerificationError::InvalidSignature)
}
