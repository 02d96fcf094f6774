//! Certificates and keys from files, or the test PKI.

use std::path::Path;

use anyhow::{Result, anyhow, ensure};
use oaklath_params::sig;
use oaklath_sig::by_info;
use oaklath_tls::check_chain;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{InconsistentKeys, RootCertStore};

use crate::failure::{too_long, with_hint};
use crate::input::read_bytes;
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

impl Credentials {
    /// Returns certificate, key and authorities, from files or else from the test PKI.
    pub(crate) fn load(args: &PeerArgs, test: &TestIdentity) -> Result<Self> {
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
        // The post-quantum algorithm of the key, if it is in the table.
        match testpki::key_algorithm(&self.chain[0]).ok().and_then(|name| sig::by_name(&name)) {
            Some(algorithm) if by_info(algorithm).is_none() => with_hint(
                anyhow!("{}: {} is not in this build", self.source, algorithm.name),
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

/// Reads all certificates of a file.
fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let found = CertificateDer::pem_slice_iter(&read_bytes(path)?).collect::<Result<Vec<_>, _>>();
    let found = found.map_err(|error| no_pem(path, &error))?;
    ensure!(!found.is_empty(), "{}: no certificate in it, expected PEM", path.display());
    Ok(found)
}

fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>> {
    PrivateKeyDer::from_pem_slice(&read_bytes(path)?).map_err(|error| match error {
        pem::Error::NoItemsFound => {
            anyhow!("{}: no private key in it, expected PEM without a password", path.display())
        }
        other => no_pem(path, &other),
    })
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
