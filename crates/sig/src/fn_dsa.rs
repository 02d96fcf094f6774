//! FN-DSA, Falcon as NIST is to standardise it in FIPS 206, of which no draft is public: what is here is what the
//! crate `fn-dsa` 0.4 by one of Falcon's authors takes it to be, byte by byte. **It will change with the standard:
//! keys and signatures made today are for experiments**, and have neither object identifiers nor certificates.
//!
//! Against Falcon of round 3 ([`falcon`](crate::falcon)):
//!
//! | | FN-DSA |
//! |---|---|
//! | bits and words | from the low end of bytes on |
//! | what is hashed to a point | a hash of the public key and the message, with domain, context and pre-hash as of ML-DSA |
//! | public key | the values of h in the NTT domain, instead of its coefficients |
//! | private key | ends with the hash of the public one: SHAKE256, 64 bytes |
//! | signature | always padded, 666 or 1280 bytes |
//! | a coefficient of a signature | at most 840, of s1 too |
//! | nonce | hashed from f and g, the message and 40 random bytes, anew in each attempt |
//! | numbers of the sampler | 80 bits of SHAKE256 each, and those that decide |
//!
//! Keys are Falcon's of the same seed, and not those that `fn-dsa` makes of one: its generator draws other numbers.
//! Signatures are those of `fn-dsa` for the same 40 random bytes, but for one in thousands at most: where the centre of
//! a number to be sampled is an integer, the last bit of a double decides, and the two round differently. So two
//! libraries must never sign one message with the same key and the same random bytes. The level of instructions and
//! the system of numbers make no difference.
//!
//! ```
//! # #[cfg(feature = "getrandom")] {
//! use oaklath_sig::Message;
//! use oaklath_sig::fn_dsa::{FnDsa512, SigningKey, VerifyingKey};
//!
//! let key = SigningKey::<FnDsa512>::generate();
//! let message = Message::with_context(b"a message", b"a context");
//! let signature = key.sign_message(&message)?;
//! assert_eq!(signature.as_bytes().len(), 666);
//!
//! let public = VerifyingKey::<FnDsa512>::from_bytes(key.verifying_key().as_bytes())?;
//! public.verify_message(&message, &signature)?;
//! assert!(public.verify_message(&Message::new(b"a message"), &signature).is_err());
//! # }
//! # Ok::<(), oaklath_sig::Error>(())
//! ```
pub use crate::falcon::{
    EncodedSignature, ExpandedSigningKey, ExpandedVerifyingKey, FalconSet, FnDsa512, FnDsa1024,
    SEED, SigningKey, VerifyingKey,
};
