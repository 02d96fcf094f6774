//! Computes mu of messages given in pieces.
use core::fmt;
use core::marker::PhantomData;

use oaklath_hash::sha3::Shake256;

use super::scheme::MlDsaScheme;
use super::variant::MlDsaVariant;
use crate::error::Error;
use crate::message::Message;
use crate::scheme::SignatureSet;
use crate::typed::VerifyingKey;

/// The sets that sign mu, the message representative of FIPS 204: those of ML-DSA and Dilithium.
pub trait MuSet: SignatureSet {
    /// Starts mu of a message for a public key, with a context.
    #[doc(hidden)]
    fn begin_mu(pk: &[u8], context: &[u8]) -> Result<Shake256, Error>;
}

impl<V: MlDsaVariant, const K: usize, const L: usize, P> MuSet for P
where
    P: SignatureSet<Scheme = MlDsaScheme<V, K, L>>,
{
    fn begin_mu(pk: &[u8], context: &[u8]) -> Result<Shake256, Error> {
        let mut tr = [0; 64];
        let tr = &mut tr[..V::TR];
        Shake256::new().chain(pk).finish().read(tr);
        Ok(V::format(&Message::with_context(&[], context))?.begin_mu(tr))
    }
}

/// Computes mu, the message representative, from a message given in pieces: FIPS 204, Algorithm 7,
/// line 6. The signer needs nothing else of the message: [`Message::Mu`].
///
/// ```
/// # #[cfg(feature = "ml-dsa")] {
/// use oaklath_sig::{Message, MlDsa44, MuContext, SigningKey};
///
/// let key = SigningKey::<MlDsa44>::from_seed(&[1; 32]);
/// let mut mu = MuContext::new(key.verifying_key(), b"")?;
/// mu.update(b"a long ");
/// mu.update(b"message");
/// let signature = key.sign_deterministic(&Message::Mu(&mu.finish()))?;
/// key.verifying_key().verify_message(&Message::new(b"a long message"), &signature)?;
/// # }
/// # Ok::<(), oaklath_sig::Error>(())
/// ```
pub struct MuContext<P: MuSet>(Shake256, PhantomData<P>);

impl<P: MuSet> MuContext<P> {
    /// Starts a message for the signer of a public key, with a context.
    ///
    /// # Errors
    /// [`Error::ContextLength`]; for Dilithium, [`Error::MessageForm`] if there is a context.
    pub fn new(key: &VerifyingKey<P>, context: &[u8]) -> Result<Self, Error> {
        Ok(Self(P::begin_mu(key.as_bytes(), context)?, PhantomData))
    }

    /// Absorbs more of the message.
    pub fn update(&mut self, message: &[u8]) {
        self.0.absorb(message);
    }

    /// Ends the message and returns mu.
    #[must_use]
    pub fn finish(self) -> [u8; 64] {
        let mut mu = [0; 64];
        self.0.finish().read(&mut mu);
        mu
    }
}

impl<P: MuSet> Clone for MuContext<P> {
    fn clone(&self) -> Self {
        Self(self.0.clone(), PhantomData)
    }
}

/// Prints the name of the set, and nothing of the message.
impl<P: MuSet> fmt::Debug for MuContext<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("MuContext").field(&P::INFO.name).finish_non_exhaustive()
    }
}
