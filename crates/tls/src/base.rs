//! Adapters for a base provider: its curves as classical halves, and its randomness.

use oaklath_hybrid::{Ecdh, Ephemeral, Error, Random, SharedSecret};
use oaklath_params::curve::CurveInfo;
use rustls::PeerMisbehaved;
use rustls::crypto::{ActiveKeyExchange, CryptoProvider, SecureRandom, SupportedKxGroup};

/// Returns the base's own group with this codepoint.
pub(crate) fn find(base: &CryptoProvider, codepoint: u16) -> Option<&'static dyn SupportedKxGroup> {
    base.kx_groups.iter().copied().find(|group| u16::from(group.name()) == codepoint)
}

/// The base's group as an implementation of its curve, which uses the base's random generator.
#[derive(Debug)]
pub(crate) struct BaseEcdh {
    pub(crate) curve: &'static CurveInfo,
    pub(crate) group: &'static dyn SupportedKxGroup,
}

impl Ecdh for BaseEcdh {
    fn curve(&self) -> &'static CurveInfo {
        self.curve
    }

    fn generate(&self, _: &mut dyn Random) -> Result<Box<dyn Ephemeral>, Error> {
        Ok(Box::new(BaseEphemeral(self.group.start().map_err(from_rustls)?)))
    }

    fn respond(&self, _: &mut dyn Random, peer: &[u8]) -> Result<(Vec<u8>, SharedSecret), Error> {
        let done = self.group.start_and_complete(peer).map_err(from_rustls)?;
        Ok((done.pub_key, done.secret.secret_bytes().into()))
    }
}

struct BaseEphemeral(Box<dyn ActiveKeyExchange>);

impl Ephemeral for BaseEphemeral {
    fn share(&self) -> &[u8] {
        self.0.pub_key()
    }

    fn agree(self: Box<Self>, peer: &[u8]) -> Result<SharedSecret, Error> {
        let secret = self.0.complete(peer).map_err(from_rustls)?;
        Ok(secret.secret_bytes().into())
    }
}

/// The base's random generator.
pub(crate) struct BaseRandom(pub(crate) &'static dyn SecureRandom);

impl Random for BaseRandom {
    fn fill(&mut self, out: &mut [u8]) -> Result<(), Error> {
        self.0.fill(out).map_err(|_| Error::Random)
    }
}

/// Converts an error. Lengths and formats were checked, so the base only rejects invalid points.
fn from_rustls(error: rustls::Error) -> Error {
    match error {
        rustls::Error::FailedToGetRandomBytes => Error::Random,
        rustls::Error::PeerMisbehaved(_) => Error::PointNotOnCurve,
        _ => Error::Backend,
    }
}

/// Whatever the peer did wrong is one error, which rustls answers with `illegal_parameter`.
pub(crate) fn to_rustls(error: Error) -> rustls::Error {
    match error {
        Error::Random => rustls::Error::FailedToGetRandomBytes,
        Error::Backend | Error::NotHybrid => rustls::Error::General(error.to_string()),
        _ => rustls::Error::PeerMisbehaved(PeerMisbehaved::InvalidKeyShare),
    }
}
