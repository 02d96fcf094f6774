//! Certificates and keys from files, or the test PKI.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, anyhow, ensure};
use oaklath_params::sig::{self, SigIdentity};
use oaklath_sig::by_info;
use oaklath_tls::check_chain;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{InconsistentKeys, RootCertStore};
use x509_cert::Certificate;
use x509_cert::der::Decode;
use zeroize::Zeroizing;

use crate::failure::{too_long, with_hint};
use crate::peer::PeerArgs;
use crate::testpki::{self, TestIdentity};

/// The certificates that a peer presents and those that it trusts.
pub(crate) struct Credentials {
    pub(crate) chain: Vec<CertificateDer<'static>>,
    pub(crate) key: PrivateKeyDer<'static>,
    pub(crate) roots: RootCertStore,
    /// The origin of certificate and key, for messages.
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

    /// Explains why rustls rejects certificate and key.
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
            // The provider for TLS 1.2 is the base without our algorithms.
            Some(_) => with_hint(reason, "post-quantum signatures need TLS 1.3: leave `-v 3` out"),
            None => reason,
        }
    }

    /// Returns the first certificate, which belongs to the peer itself.
    pub(crate) fn own(&self) -> CertificateDer<'static> {
        self.chain[0].clone()
    }
}

/// Returns the post-quantum algorithm of the first certificate's key, if it is in the table.
fn algorithm(chain: &[CertificateDer<'_>]) -> Option<&'static SigIdentity> {
    let cert = Certificate::from_der(chain.first()?).ok()?;
    let oid = cert.tbs_certificate().subject_public_key_info().algorithm.oid.to_string();
    sig::by_oid(&oid)
}

/// The maximum length of a file in bytes, more than any system's root certificates have.
const LONGEST: u64 = 1 << 24;

/// Reads all certificates of a file.
fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let found = CertificateDer::pem_slice_iter(&read(path)?).collect::<Result<Vec<_>, _>>();
    let found = found.map_err(|error| no_pem(path, &error))?;
    ensure!(!found.is_empty(), "{}: no certificate in it, expected PEM", path.display());
    Ok(found)
}

fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>> {
    PrivateKeyDer::from_pem_slice(&read(path)?).map_err(|error| match error {
        pem::Error::NoItemsFound => {
            anyhow!("{}: no private key in it, expected PEM without a password", path.display())
        }
        other => no_pem(path, &other),
    })
}

/// Reads all bytes of a file.
fn read(path: &Path) -> Result<Zeroizing<Vec<u8>>> {
    let mut bytes = Zeroizing::new(Vec::new());
    let read = File::open(path).and_then(|file| file.take(LONGEST + 1).read_to_end(&mut bytes));
    read.with_context(|| format!("cannot read {}", path.display()))?;
    ensure!(bytes.len() as u64 <= LONGEST, "{} has over {LONGEST} bytes", path.display());
    Ok(bytes)
}

fn roots(path: &Path) -> Result<RootCertStore> {
    let mut roots = RootCertStore::empty();
    // A system's bundle may have certificates that do not parse; it is an error if none does.
    let (added, _) = roots.add_parsable_certificates(certificates(path)?);
    ensure!(added > 0, "{}: no certificate of an authority in it", path.display());
    Ok(roots)
}

fn no_pem(path: &Path, error: &pem::Error) -> anyhow::Error {
    anyhow!("{error}").context(format!("{} is not PEM", path.display()))
}
