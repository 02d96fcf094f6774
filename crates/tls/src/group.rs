//! A group of the crate `oaklath-hybrid` as a key exchange group of rustls (RFC 8446, 4.2.8).

use std::fmt;
use std::sync::Weak;

use oaklath_hybrid::{ClientKey, Group};
use rustls::crypto::{
    ActiveKeyExchange, CompletedKeyExchange, SecureRandom, SharedSecret, SupportedKxGroup,
};
use rustls::ffdhe_groups::FfdheGroup;
use rustls::{NamedGroup, ProtocolVersion};

use crate::base::{BaseRandom, to_rustls};
use crate::pool::ReadyShares;

/// A group with the generator it draws from, and the ready shares of its pool while that lives.
pub(crate) struct KxGroup {
    pub(crate) group: Group,
    pub(crate) random: &'static dyn SecureRandom,
    pub(crate) ready: Weak<ReadyShares>,
}

impl SupportedKxGroup for KxGroup {
    fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, rustls::Error> {
        let key = match self.ready.upgrade().and_then(|shares| shares.take()) {
            Some(key) => key,
            None => self.group.generate(&mut BaseRandom(self.random)).map_err(to_rustls)?,
        };
        Ok(Box::new(Active(key)))
    }

    fn start_and_complete(&self, share: &[u8]) -> Result<CompletedKeyExchange, rustls::Error> {
        let mut random = BaseRandom(self.random);
        let answer = self.group.respond(&mut random, share).map_err(to_rustls)?;
        Ok(CompletedKeyExchange {
            group: self.name(),
            pub_key: answer.share,
            secret: SharedSecret::from(answer.secret.as_bytes()),
        })
    }

    fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
        None
    }

    fn name(&self) -> NamedGroup {
        named_group(&self.group)
    }

    // A TLS 1.2 key exchange cannot carry these shares.
    fn usable_for_version(&self, version: ProtocolVersion) -> bool {
        version == ProtocolVersion::TLSv1_3
    }
}

impl fmt::Debug for KxGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.group.info().name)
    }
}

/// The client's state between sending its share and receiving the server's.
struct Active(ClientKey);

impl ActiveKeyExchange for Active {
    fn complete(self: Box<Self>, share: &[u8]) -> Result<SharedSecret, rustls::Error> {
        let secret = self.0.finish(share).map_err(to_rustls)?;
        Ok(SharedSecret::from(secret.as_bytes()))
    }

    // If the provider also has the curve alone, rustls sends the classical share as a second one,
    // so that an old server answers without another round trip.
    fn hybrid_component(&self) -> Option<(NamedGroup, &[u8])> {
        let (curve, share) = self.0.classical()?;
        Some((NamedGroup::from(curve.codepoint), share))
    }

    fn complete_hybrid_component(
        self: Box<Self>,
        share: &[u8],
    ) -> Result<SharedSecret, rustls::Error> {
        let secret = self.0.finish_classical(share).map_err(to_rustls)?;
        Ok(SharedSecret::from(secret.as_bytes()))
    }

    fn pub_key(&self) -> &[u8] {
        self.0.share()
    }

    fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
        None
    }

    fn group(&self) -> NamedGroup {
        named_group(self.0.group())
    }
}

/// Converts by number: `NamedGroup::Unknown(512)` would not equal `NamedGroup::MLKEM512`.
fn named_group(group: &Group) -> NamedGroup {
    NamedGroup::from(group.info().codepoint)
}
