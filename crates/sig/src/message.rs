//! Messages to be signed: FIPS 204, sections 5.2 to 5.4 and 6.2; FIPS 205, section 10.
#[cfg(any(
    feature = "ml-dsa",
    feature = "dilithium",
    feature = "dilithium-aes",
    feature = "fn-dsa-draft"
))]
use oaklath_hash::sha3::Shake256;
#[cfg(any(feature = "ml-dsa", feature = "slh-dsa", feature = "fn-dsa-draft"))]
use oaklath_params::buffer::check_input;
use oaklath_params::hash::HashInfo;

use crate::error::Error;

/// A message in one of the forms that the standards sign.
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
    /// The whole message and a context of at most 255 bytes: "pure" ML-DSA and SLH-DSA. Round-3
    /// schemes have no context: it must be empty.
    Pure {
        /// The message.
        message: &'a [u8],
        /// The context, empty if there is none.
        context: &'a [u8],
    },
    /// The digest of a message: HashML-DSA, HashSLH-DSA. A signature of the digest is not a
    /// signature of the message.
    PreHashed {
        /// The hash function.
        hash: &'static HashInfo,
        /// The digest of the message.
        digest: &'a [u8],
        /// The context, empty if there is none.
        context: &'a [u8],
    },
    /// The message representative mu of FIPS 204, Algorithm 7, line 6, computed elsewhere from the
    /// public key and the message, as section 6.2 allows: ML-DSA, Dilithium and FN-DSA.
    Mu(&'a [u8; 64]),
    /// The formatted message M' of FIPS 204, Algorithm 7, and FIPS 205, Algorithm 19: for tests of
    /// the internal functions, and for callers that format messages otherwise. There is no domain
    /// separation from formatted messages of the other kinds.
    #[cfg(feature = "hazmat")]
    Internal(&'a [u8]),
}

impl<'a> Message<'a> {
    /// Returns a whole message without a context.
    #[must_use]
    pub const fn new(message: &'a [u8]) -> Self {
        Self::Pure { message, context: &[] }
    }

    /// Returns a whole message with a context, which must be the same for signer and verifier.
    #[must_use]
    pub const fn with_context(message: &'a [u8], context: &'a [u8]) -> Self {
        Self::Pure { message, context }
    }
}

/// A formatted message M' in pieces, to be absorbed one after the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Formatted<'a> {
    /// 0 (pure) or 1 (pre-hashed) and the length of the context; mu for FN-DSA; empty for round 3.
    head: [u8; 64],
    head_len: usize,
    pieces: [&'a [u8]; 4],
}

impl<'a> Formatted<'a> {
    /// Returns the pieces in order. A piece that does not exist is empty.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = &[u8]> {
        core::iter::once(&self.head[..self.head_len]).chain(self.pieces)
    }

    /// Formats as in FIPS 204, Algorithms 2 and 4, and FIPS 205, Algorithms 22 and 23.
    ///
    /// # Errors
    /// [`Error::ContextLength`], [`Error::DigestLength`], and [`Error::MessageForm`] for
    /// [`Message::Mu`].
    #[cfg(any(feature = "ml-dsa", feature = "slh-dsa", feature = "fn-dsa-draft"))]
    pub(crate) fn standard(message: &Message<'a>) -> Result<Self, Error> {
        match *message {
            Message::Pure { message, context } => {
                Ok(Self::new(&head(0, context)?, [context, &[], &[], message]))
            }
            Message::PreHashed { hash, digest, context } => {
                check_input(digest, hash.digest, Error::DigestLength)?;
                let pieces = [context, OID_HEADER, hash.oid_der(), digest];
                Ok(Self::new(&head(1, context)?, pieces))
            }
            #[cfg(feature = "hazmat")]
            Message::Internal(formatted) => Ok(Self::bare(formatted)),
            Message::Mu(_) => Err(Error::MessageForm),
        }
    }

    /// Formats for a round-3 scheme: the bytes of the message and nothing else.
    ///
    /// # Errors
    /// [`Error::MessageForm`] if there is a context, a digest or mu.
    #[cfg(any(
        feature = "dilithium",
        feature = "dilithium-aes",
        feature = "sphincs-plus",
        feature = "falcon"
    ))]
    pub(crate) fn round3(message: &Message<'a>) -> Result<Self, Error> {
        match *message {
            Message::Pure { message, context: [] } => Ok(Self::bare(message)),
            #[cfg(feature = "hazmat")]
            Message::Internal(message) => Ok(Self::bare(message)),
            _ => Err(Error::MessageForm),
        }
    }

    /// Formats for FN-DSA: only mu is hashed further.
    #[cfg(feature = "fn-dsa-draft")]
    pub(crate) fn of_mu(mu: &[u8; 64]) -> Self {
        Self::new(mu, [&[]; 4])
    }

    /// Wraps bytes that are already formatted.
    #[cfg(any(
        feature = "hazmat",
        feature = "dilithium",
        feature = "dilithium-aes",
        feature = "sphincs-plus",
        feature = "falcon"
    ))]
    pub(crate) fn bare(message: &'a [u8]) -> Self {
        Self::new(&[], [&[], &[], &[], message])
    }

    fn new(from: &[u8], pieces: [&'a [u8]; 4]) -> Self {
        let mut head = [0; 64];
        head[..from.len()].copy_from_slice(from);
        Self { head, head_len: from.len(), pieces }
    }
}

#[cfg(any(
    feature = "ml-dsa",
    feature = "dilithium",
    feature = "dilithium-aes",
    feature = "fn-dsa-draft"
))]
impl Formatted<'_> {
    /// Starts the hash H(tr || M').
    pub(crate) fn begin_mu(&self, tr: &[u8]) -> Shake256 {
        let mut hash = Shake256::new().chain(tr);
        self.pieces().for_each(|piece| hash.absorb(piece));
        hash
    }

    /// Returns mu = H(tr || M'): FIPS 204, Algorithm 7, line 6.
    pub(crate) fn mu(&self, tr: &[u8]) -> [u8; 64] {
        let mut mu = [0; 64];
        self.begin_mu(tr).finish().read(&mut mu);
        mu
    }
}

/// Tag and length of the object identifiers of [`oaklath_params::hash`].
#[cfg(any(feature = "ml-dsa", feature = "slh-dsa", feature = "fn-dsa-draft"))]
const OID_HEADER: &[u8] = &[0x06, 9];

#[cfg(any(feature = "ml-dsa", feature = "slh-dsa", feature = "fn-dsa-draft"))]
fn head(domain: u8, context: &[u8]) -> Result<[u8; 2], Error> {
    let len =
        u8::try_from(context.len()).map_err(|_| Error::ContextLength { found: context.len() })?;
    Ok([domain, len])
}
