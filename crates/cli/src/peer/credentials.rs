//! Certificates and keys from files, or the test PKI.

use std::fmt;
use std::path::Path;

use anyhow::{Result, anyhow, ensure};
use oaklath_params::sig::{self, SigIdentity};
use oaklath_sig::by_info;
use oaklath_tls::check_chain;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{InconsistentKeys, RootCertStore};
use x509_cert::Certificate;
use x509_cert::der::Decode;

use crate::failure::{too_long, with_hint};
use crate::peer::PeerArgs;
use crate::testpki::{self, TestIdentity};

/// What a peer shows, and whom it trusts.
pub(crate) struct Credentials {
    pub(crate) chain: Vec<CertificateDer<'static>>,
    pub(crate) key: PrivateKeyDer<'static>,
    pub(crate) roots: RootCertStore,
    /// Where certificate and key are from, for messages.
    source: String,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials").field("source", &self.source).finish_non_exhaustive()
    }
}

impl Credentials {
    pub(super) fn load(args: &PeerArgs, test: &TestIdentity) -> Result<Self> {
        let (chain, key, source) = match (&args.cert, &args.key) {
            (Some(cert), Some(key)) => {
                let source = format!("{} and {}", cert.display(), key.display());
                (certificates(cert)?, private_key(key)?, source)
            }
            _ => (test.chain()?, test.key()?, "the test PKI".to_owned()),
        };
        check_chain(&chain).map_err(|error| too_long(anyhow!("{source}: {error}")))?;
        let roots = match &args.authorities {
            Some(path) => roots(path)?,
            None => testpki::P256.roots()?,
        };
        Ok(Self { chain, key, roots, source })
    }

    /// Says what is wrong with certificate and key when rustls refuses them.
    pub(crate) fn refused(&self, error: rustls::Error) -> anyhow::Error {
        if error == rustls::Error::InconsistentKeys(InconsistentKeys::KeyMismatch) {
            return anyhow!("{}: the key is not that of the certificate", self.source);
        }
        let reason = anyhow!("{}: {error}", self.source);
        match algorithm(&self.chain) {
            Some(identity) if by_info(identity.algorithm).is_none() => with_hint(
                anyhow!("{}: {} is not in this build", self.source, identity.algorithm.name),
                "`oaklath list signatures` prints what is built",
            ),
            // The provider of TLS 1.2 is the base alone.
            Some(_) => with_hint(reason, "post-quantum signatures need TLS 1.3: leave `-v 3` out"),
            None => reason,
        }
    }

    /// The first certificate: the one that is shown.
    pub(crate) fn own(&self) -> CertificateDer<'static> {
        self.chain[0].clone()
    }
}

/// The post-quantum algorithm of the first certificate's key, if it is one of the table.
fn algorithm(chain: &[CertificateDer<'_>]) -> Option<&'static SigIdentity> {
    let cert = Certificate::from_der(chain.first()?).ok()?;
    let oid = cert.tbs_certificate().subject_public_key_info().algorithm.oid.to_string();
    sig::by_oid(&oid)
}

/// All certificates of a file.
fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let found = CertificateDer::pem_file_iter(path).and_then(Iterator::collect);
    let found: Vec<_> = found.map_err(|error| unreadable(path, error))?;
    ensure!(!found.is_empty(), "{}: no certificate in it, expected PEM", path.display());
    Ok(found)
}

fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>> {
    PrivateKeyDer::from_pem_file(path).map_err(|error| match error {
        pem::Error::NoItemsFound => {
            anyhow!("{}: no private key in it, expected PEM without a password", path.display())
        }
        other => unreadable(path, other),
    })
}

fn roots(path: &Path) -> Result<RootCertStore> {
    let mut roots = RootCertStore::empty();
    // A bundle of a system may hold one that does not parse; none at all is an error.
    let (added, _) = roots.add_parsable_certificates(certificates(path)?);
    ensure!(added > 0, "{}: no certificate of an authority in it", path.display());
    Ok(roots)
}

fn unreadable(path: &Path, error: pem::Error) -> anyhow::Error {
    let path = path.display();
    match error {
        pem::Error::Io(error) => anyhow::Error::new(error).context(format!("cannot read {path}")),
        other => anyhow!("{other}").context(format!("{path} is not PEM")),
    }
}
