//! The differences of ML-DSA and Dilithium: the lengths of hashes, and what is hashed.
use core::fmt::Debug;

use super::params::{MlDsaParams, SEED};
use super::sampler::SamplingMethod;
use crate::error::Error;
use crate::message::{Formatted, Message};

/// ML-DSA or one of its predecessors, as a type.
pub(crate) trait MlDsaVariant: Debug + Send + Sync + 'static {
    /// Bytes of tr.
    const TR: usize;
    /// Bytes of c~ in the three sets.
    const C_TILDE: [usize; 3];
    /// Bytes of the randomness of a signature.
    const COINS: usize;
    /// The method by which the matrix, the secrets and the masks are sampled.
    type Sampling: SamplingMethod;

    /// Returns the bytes, out of k and l, that key generation hashes after the seed.
    fn seed_suffix(dimensions: &[u8; 2]) -> &[u8];

    /// Returns the message M' that is hashed with tr.
    ///
    /// # Errors
    /// [`Error::ContextLength`], [`Error::DigestLength`], [`Error::MessageForm`].
    fn format<'a>(message: &Message<'a>) -> Result<Formatted<'a>, Error>;

    /// Computes rho'', the seed of the masks, from K, the randomness (of `COINS` bytes, if there is
    /// any) and mu.
    fn mask_seed(key: &[u8; SEED], coins: Option<&[u8]>, mu: &[u8; 64], rho2: &mut [u8; 64]);

    /// Returns mu, or the message from which it is computed.
    ///
    /// # Errors
    /// Those of [`format`](Self::format).
    fn represent<'a>(message: &Message<'a>) -> Result<Representative<'a>, Error> {
        match message {
            Message::Mu(mu) => Ok(Representative::Given(mu)),
            _ => Self::format(message).map(Representative::Of),
        }
    }
}

/// The message that is hashed with tr to mu, or mu itself.
#[derive(Clone, Copy)]
pub(crate) enum Representative<'a> {
    Given(&'a [u8; 64]),
    Of(Formatted<'a>),
}

impl Representative<'_> {
    /// Returns mu, given tr of the key.
    pub(super) fn mu(&self, tr: &[u8]) -> [u8; 64] {
        match self {
            Self::Given(mu) => **mu,
            Self::Of(message) => message.mu(tr),
        }
    }
}

/// Returns the parameters of a variant with a matrix of k times l polynomials.
pub(crate) const fn params<V: MlDsaVariant>(k: usize, l: usize) -> MlDsaParams {
    MlDsaParams::new(k, l, V::TR, V::C_TILDE)
}
