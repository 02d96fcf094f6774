//! The groups of the old system: a KEM alone, or combined with a curve.

use aws_lc_rs::agreement::{
    Algorithm, ECDH_P256, ECDH_P384, ECDH_P521, PrivateKey, UnparsedPublicKey, agree,
};
use rustls::{
    Error, NamedGroup, PeerMisbehaved,
    crypto::{ActiveKeyExchange, CompletedKeyExchange, SharedSecret, SupportedKxGroup},
    ffdhe_groups::FfdheGroup,
};

use crate::oqs::Kem;

/// A group.
#[derive(Debug)]
struct Group {
    codepoint: u16,
    curve: Option<&'static Algorithm>,
    kem: &'static str,
}

const P256: Option<&Algorithm> = Some(&ECDH_P256);
const P384: Option<&Algorithm> = Some(&ECDH_P384);
const P521: Option<&Algorithm> = Some(&ECDH_P521);

macro_rules! groups {
    ($($codepoint:literal $curve:ident $kem:literal;)*) => {
        static GROUPS: &[Group] =
            &[$(Group { codepoint: $codepoint, curve: $curve, kem: $kem }),*];
    };
}

groups! {
      532 None "NTRU-HPS-2048-509";
      533 None "NTRU-HPS-2048-677";
      534 None "NTRU-HPS-4096-821";
      535 None "NTRU-HRSS-701";
      536 None "LightSaber-KEM";
      537 None "Saber-KEM";
      538 None "FireSaber-KEM";
      570 None "Kyber512";
      572 None "Kyber768";
      573 None "Kyber1024";
      574 None "Kyber512-90s";
      575 None "Kyber768-90s";
      576 None "Kyber1024-90s";
    12052 P256 "NTRU-HPS-2048-509";
    12053 P384 "NTRU-HPS-2048-677";
    12054 P521 "NTRU-HPS-4096-821";
    12055 P384 "NTRU-HRSS-701";
    12056 P256 "LightSaber-KEM";
    12057 P384 "Saber-KEM";
    12058 P521 "FireSaber-KEM";
    12090 P256 "Kyber512";
    12092 P384 "Kyber768";
    12093 P521 "Kyber1024";
    12094 P256 "Kyber512-90s";
    12095 P384 "Kyber768-90s";
    12096 P521 "Kyber1024-90s";
}

/// Returns the group with this code point.
pub(crate) fn by_codepoint(wanted: NamedGroup) -> Result<&'static dyn SupportedKxGroup, String> {
    let group = GROUPS.iter().find(|group| group.name() == wanted);
    group.map(|group| group as _).ok_or_else(|| format!("{wanted:?} is no group of that time"))
}

const FAILED: Error = Error::General(String::new());
const BAD_SHARE: Error = Error::PeerMisbehaved(PeerMisbehaved::InvalidKeyShare);

impl Group {
    fn kem(&self) -> Result<Kem, Error> {
        Kem::new(self.kem).ok_or(FAILED)
    }

    /// Makes the curve's private key, if there is a curve, and its public key.
    fn curve_keypair(&self) -> Result<(Option<PrivateKey>, Vec<u8>), Error> {
        let Some(curve) = self.curve else { return Ok((None, Vec::new())) };
        let private = PrivateKey::generate(curve).map_err(|_| FAILED)?;
        let public = private.compute_public_key().map_err(|_| FAILED)?.as_ref().to_vec();
        Ok((Some(private), public))
    }
}

impl SupportedKxGroup for Group {
    fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, Error> {
        let (curve, mut share) = self.curve_keypair()?;
        let [public, decapsulation] = self.kem()?.keypair().ok_or(FAILED)?;
        let curve = curve.map(|private| (private, share.len()));
        share.extend(public);
        let (group, kem) = (self.name(), self.kem);
        Ok(Box::new(Started { group, kem, curve, decapsulation, share }))
    }

    fn start_and_complete(&self, share: &[u8]) -> Result<CompletedKeyExchange, Error> {
        let (curve, mut pub_key) = self.curve_keypair()?;
        let (point, encapsulation) = share.split_at_checked(pub_key.len()).ok_or(BAD_SHARE)?;
        let mut secret = curve.map_or_else(|| Ok(Vec::new()), |private| ecdh(&private, point))?;
        let [ciphertext, shared] = self.kem()?.encapsulate(encapsulation).ok_or(BAD_SHARE)?;
        pub_key.extend(ciphertext);
        secret.extend(shared);
        Ok(CompletedKeyExchange { group: self.name(), pub_key, secret: secret.into() })
    }

    fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
        None
    }

    fn name(&self) -> NamedGroup {
        self.codepoint.into()
    }
}

/// The state of a client that waits for the server's share.
struct Started {
    group: NamedGroup,
    kem: &'static str,
    /// The curve's private key, and the length of its points in bytes.
    curve: Option<(PrivateKey, usize)>,
    decapsulation: Vec<u8>,
    share: Vec<u8>,
}

impl ActiveKeyExchange for Started {
    fn complete(self: Box<Self>, share: &[u8]) -> Result<SharedSecret, Error> {
        let (mut secret, mut ciphertext) = (Vec::new(), share);
        if let Some((private, len)) = &self.curve {
            let (point, rest) = share.split_at_checked(*len).ok_or(BAD_SHARE)?;
            secret = ecdh(private, point)?;
            ciphertext = rest;
        }
        let kem = Kem::new(self.kem).ok_or(FAILED)?;
        secret.extend(kem.decapsulate(&self.decapsulation, ciphertext).ok_or(BAD_SHARE)?);
        Ok(secret.into())
    }

    fn pub_key(&self) -> &[u8] {
        &self.share
    }

    fn group(&self) -> NamedGroup {
        self.group
    }
}

fn ecdh(private: &PrivateKey, point: &[u8]) -> Result<Vec<u8>, Error> {
    let point = UnparsedPublicKey::new(private.algorithm(), point);
    agree(private, point, BAD_SHARE, |secret| Ok(secret.to_vec()))
}
