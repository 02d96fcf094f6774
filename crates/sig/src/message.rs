//! What is signed: FIPS 204, sections 5.2 to 5.4 and 6.2; FIPS 205, section 10.
use oaklath_params::hash::HashInfo;

use crate::Error;

/// A message, and which interface of the standard takes it.
///
/// ```
/// use oaklath_sig::Message;
///
/// let plain = Message::new(b"an update");
/// let bound = Message::with_context(b"an update", b"firmware of the left door");
/// # let _ = (plain, bound);
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Message<'a> {
    /// The whole message, and a context of at most 255 bytes: ML-DSA and SLH-DSA "pure". The
    /// round-3 schemes know no context: theirs is empty.
    Pure {
        /// The message.
        message: &'a [u8],
        /// The context, empty if there is none.
        context: &'a [u8],
    },
    /// The digest of a message: HashML-DSA, HashSLH-DSA. A signature of a digest is no signature of
    /// the message.
    PreHashed {
        /// The hash function.
        hash: &'static HashInfo,
        /// Its digest of the message.
        digest: &'a [u8],
        /// The context, empty if there is none.
        context: &'a [u8],
    },
    /// The message representative mu, which somebody else computed from the public key and the
    /// message: "external mu" of FIPS 204, section 6.2, Algorithm 7, line 6. ML-DSA and Dilithium.
    Mu(&'a [u8; 64]),
    /// The formatted message M' of FIPS 204, Algorithm 7, and FIPS 205, Algorithm 19: for tests of
    /// the internal functions, and for whoever formats messages otherwise.
    Internal(&'a [u8]),
}

impl<'a> Message<'a> {
    /// A whole message without context.
    #[must_use]
    pub const fn new(message: &'a [u8]) -> Self {
        Self::Pure { message, context: &[] }
    }

    /// A whole message with a context, which must be the same for signer and verifier.
    #[must_use]
    pub const fn with_context(message: &'a [u8], context: &'a [u8]) -> Self {
        Self::Pure { message, context }
    }
}

/// What a lattice scheme hashes with tr to mu, or mu itself.
#[derive(Clone, Copy)]
pub(crate) enum Representative<'a> {
    Given(&'a [u8; 64]),
    Of(Formatted<'a>),
}

/// A formatted message M' in pieces, to be absorbed one after the other.
#[derive(Clone, Copy)]
pub(crate) struct Formatted<'a> {
    /// 0 for pure or 1 for pre-hashed, and the context's length; nothing for round 3.
    head: Option<[u8; 2]>,
    pieces: [&'a [u8]; 4],
}

impl<'a> Formatted<'a> {
    /// The pieces in order. None is empty but those that are not there.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = &[u8]> {
        let head = self.head.as_ref().map_or(&[][..], |head| &head[..]);
        core::iter::once(head).chain(self.pieces)
    }

    /// FIPS 204, Algorithms 2 and 4, and FIPS 205, Algorithms 22 and 23.
    ///
    /// # Errors
    /// [`Error::ContextLength`], [`Error::DigestLength`], [`Error::MessageForm`] of [`Message::Mu`].
    pub(crate) fn standard(message: &Message<'a>) -> Result<Self, Error> {
        match *message {
            Message::Pure { message, context } => {
                Ok(Self { head: Some(head(0, context)?), pieces: [context, &[], &[], message] })
            }
            Message::PreHashed { hash, digest, context } => {
                let (expected, found) = (hash.digest, digest.len());
                if expected != found {
                    return Err(Error::DigestLength { expected, found });
                }
                let pieces = [context, OID_HEADER, hash.oid_der(), digest];
                Ok(Self { head: Some(head(1, context)?), pieces })
            }
            Message::Internal(formatted) => Ok(Self::bare(formatted)),
            Message::Mu(_) => Err(Error::MessageForm),
        }
    }

    /// The message of a round-3 scheme: its bytes and nothing else.
    ///
    /// # Errors
    /// [`Error::MessageForm`] if there is a context, a digest or mu.
    pub(crate) fn round3(message: &Message<'a>) -> Result<Self, Error> {
        match *message {
            Message::Pure { message, context: [] } | Message::Internal(message) => {
                Ok(Self::bare(message))
            }
            _ => Err(Error::MessageForm),
        }
    }

    /// Bytes that are formatted already.
    pub(crate) const fn bare(message: &'a [u8]) -> Self {
        Self { head: None, pieces: [&[], &[], &[], message] }
    }
}

/// Tag and length of the object identifiers of [`oaklath_params::hash`].
const OID_HEADER: &[u8] = &[0x06, 9];

fn head(domain: u8, context: &[u8]) -> Result<[u8; 2], Error> {
    let len =
        u8::try_from(context.len()).map_err(|_| Error::ContextLength { found: context.len() })?;
    Ok([domain, len])
}
