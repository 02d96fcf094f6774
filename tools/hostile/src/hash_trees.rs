//! A certificate whose key makes signatures of 50 KB.

use std::ops::RangeInclusive;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result};
use oaklath_pki::{Authority, Identity, PrivateKey, Template};
use rustls::pki_types::CertificateDer;

/// The fast variant of the scheme with the longest signatures.
const NAME: &str = "SLH-DSA-SHAKE-256f";

/// A root, and below it a certificate of [`NAME`] for both roles.
#[derive(Debug)]
pub(crate) struct HashTree {
    pub(crate) root: CertificateDer<'static>,
    pub(crate) chain: Vec<CertificateDer<'static>>,
    /// A certificate under a root that the victim does not trust.
    pub(crate) orphan: CertificateDer<'static>,
    pub(crate) key: PrivateKey,
    /// The TLS signature scheme of `key`, and the length of its signatures in bytes.
    pub(crate) scheme: u16,
    pub(crate) signature: usize,
}

impl HashTree {
    pub(crate) fn new() -> Result<Self> {
        let identity = oaklath_params::sig::by_name(NAME).and_then(|row| row.identities().next());
        let row = identity.with_context(|| format!("{NAME} has no identity"))?;
        let small = PrivateKey::generate(Identity::by_name("ML-DSA-44").context("no ML-DSA")?)?;
        let root = Template::new("CN=Hostile root", validity())?.root(&small)?;
        let authority = Authority::new(&root, &small)?;
        let identity = Identity::by_name(row.oid.as_str()).context("no object identifier")?;
        let key = PrivateKey::generate(identity)?;
        let template = Template::new("CN=localhost", validity())?.dns("localhost")?;
        let stranger = Template::new("CN=Stranger", validity())?.root(&small)?;
        let orphan = template.entity(&key.public_key(), &Authority::new(&stranger, &small)?)?;
        let entity = template.entity(&key.public_key(), &authority)?;
        Ok(Self {
            root: root.as_der().to_vec().into(),
            orphan: orphan.as_der().to_vec().into(),
            chain: vec![entity.as_der().to_vec().into()],
            key,
            scheme: row.codepoint,
            signature: row.algorithm.signature,
        })
    }
}

/// Returns a period of two days around now.
fn validity() -> RangeInclusive<SystemTime> {
    let day = Duration::from_secs(86_400);
    SystemTime::now() - day..=SystemTime::now() + day
}
