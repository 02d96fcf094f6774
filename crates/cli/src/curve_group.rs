//! A curve that no base provider has, as a group of TLS: P-521 by itself.

use getrandom::SysRng;
use oaklath_hybrid::{Ecdh, Ephemeral};
use oaklath_params::curve::CurveInfo;
use rustls::crypto::{ActiveKeyExchange, SharedSecret, SupportedKxGroup};
use rustls::ffdhe_groups::FfdheGroup;
use rustls::{Error, NamedGroup, PeerMisbehaved};

/// Returns a curve that the base does not have as a group, if this build has the curve. Leaks a few
/// bytes.
#[must_use]
pub fn curve_group(curve: &CurveInfo) -> Option<&'static dyn SupportedKxGroup> {
    Some(Box::leak(Box::new(CurveGroup(oaklath_hybrid::by_curve(curve)?))))
}

/// A curve by itself.
#[derive(Debug)]
struct CurveGroup(&'static dyn Ecdh);

impl SupportedKxGroup for CurveGroup {
    fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, Error> {
        let key = self.0.generate(&mut SysRng).map_err(|_| Error::FailedToGetRandomBytes)?;
        Ok(Box::new(CurveKey { name: self.name(), key }))
    }

    fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
        None
    }

    fn name(&self) -> NamedGroup {
        NamedGroup::from(self.0.curve().codepoint)
    }
}

struct CurveKey {
    name: NamedGroup,
    key: Box<dyn Ephemeral>,
}

impl ActiveKeyExchange for CurveKey {
    fn complete(self: Box<Self>, share: &[u8]) -> Result<SharedSecret, Error> {
        let secret = self
            .key
            .agree(share)
            .map_err(|_| Error::PeerMisbehaved(PeerMisbehaved::InvalidKeyShare))?;
        Ok(SharedSecret::from(secret.as_bytes()))
    }

    fn pub_key(&self) -> &[u8] {
        self.key.share()
    }

    fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
        None
    }

    fn group(&self) -> NamedGroup {
        self.name
    }
}

#[cfg(test)]
mod tests {
    use oaklath_params::curve;

    use super::*;

    #[test]
    fn both_sides_agree() {
        let Some(group) = curve_group(&curve::P521) else { return };
        let (client, server) = (group.start().unwrap(), group.start().unwrap());
        let (a, b) = (client.pub_key().to_vec(), server.pub_key().to_vec());
        let (client, server) = (client.complete(&b).unwrap(), server.complete(&a).unwrap());
        assert_eq!(client.secret_bytes(), server.secret_bytes());
        assert_eq!(client.secret_bytes().len(), 66);
        for bad in [vec![], vec![0; b.len()], vec![0xff; b.len()], b[1..].to_vec()] {
            assert!(group.start().unwrap().complete(&bad).is_err());
        }
    }
}
