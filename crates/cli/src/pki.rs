//! The test PKI of `certs/`, embedded: test keys that everybody has, never for production.

use anyhow::{Context, Result};
use oaklath_params::sig;
use oaklath_pki::x509_cert::der::oid::db::rfc5912::{ID_EC_PUBLIC_KEY, RSA_ENCRYPTION};
use oaklath_pki::x509_cert::der::oid::db::rfc8410::ID_ED_25519;
use rustls::RootCertStore;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use x509_cert::Certificate;
use x509_cert::der::Decode;

/// A root and its leaves, as PEM.
#[derive(Clone, Debug)]
pub(crate) struct Pki {
    /// The kind of keys.
    pub(crate) name: &'static str,
    /// How the published tables spell it.
    pub(crate) published: &'static str,
    /// The root's certificate.
    pub(crate) root: &'static str,
    pub(crate) server: Identity,
    pub(crate) client: Identity,
}

/// A certificate and its private key, as PEM.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    cert: &'static str,
    key: &'static str,
}

macro_rules! pki {
    ($(#[$doc:meta])* $id:ident, $prefix:literal, $name:literal, $published:literal,
     $server:literal, $client:literal) => {
        $(#[$doc])*
        pub(crate) static $id: Pki = Pki {
            name: $name,
            published: $published,
            root: include_str!(concat!("../../../certs/", $prefix, "_root_cert.pem")),
            server: Identity {
                cert: include_str!(concat!("../../../certs/", $prefix, "_", $server, "_cert.pem")),
                key: include_str!(concat!("../../../certs/", $prefix, "_", $server, "_key.pem")),
            },
            client: Identity {
                cert: include_str!(concat!("../../../certs/", $prefix, "_", $client, "_cert.pem")),
                key: include_str!(concat!("../../../certs/", $prefix, "_", $client, "_key.pem")),
            },
        };
    };
}
pki!(/** ECDSA on P-256. */
    P256, "p256", "P-256", "ECDSA P-256", "server", "client");
pki!(/** Falcon-1024 under the appendix's object identifier, one leaf for both sides. */
    FALCON_1024, "falcon_level5", "Falcon-1024", "FALCON_LEVEL5", "entity", "entity");
pki!(/** ML-DSA-65, one leaf for both sides. */
    ML_DSA_65, "mldsa_level3", "ML-DSA-65", "ML-DSA-65", "entity", "entity");

impl Pki {
    /// A store that trusts the root and nothing else.
    pub(crate) fn roots(&self) -> Result<RootCertStore> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(self.root.as_bytes()).context("root")?)?;
        Ok(roots)
    }
}

impl Identity {
    pub(crate) fn chain(&self) -> Result<Vec<CertificateDer<'static>>> {
        Ok(vec![CertificateDer::from_pem_slice(self.cert.as_bytes()).context("certificate")?])
    }

    pub(crate) fn key(&self) -> Result<PrivateKeyDer<'static>> {
        PrivateKeyDer::from_pem_slice(self.key.as_bytes()).context("private key")
    }
}

/// The subject of a certificate in the form of RFC 4514: `CN=P-256 test server,O=Oaklath`.
pub(crate) fn subject(cert: &CertificateDer<'_>) -> Result<String> {
    let cert = Certificate::from_der(cert).context("the peer's certificate does not parse")?;
    Ok(cert.tbs_certificate().subject().to_string())
}

/// The algorithm of a certificate's key, with which its bearer signs.
pub(crate) fn key_algorithm(cert: &CertificateDer<'_>) -> Result<String> {
    let cert = Certificate::from_der(cert).context("a certificate does not parse")?;
    let oid = cert.tbs_certificate().subject_public_key_info().algorithm.oid;
    Ok(match oid {
        RSA_ENCRYPTION => "RSA".to_owned(),
        ID_EC_PUBLIC_KEY => "ECDSA".to_owned(),
        ID_ED_25519 => "Ed25519".to_owned(),
        _ => {
            let ours = sig::by_oid(&oid.to_string()).map(|identity| identity.algorithm.name);
            ours.map_or_else(|| oid.to_string(), str::to_owned)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::{FALCON_1024, ML_DSA_65, P256, key_algorithm, subject};

    #[test]
    fn the_embedded_files_parse_and_name_their_roles() {
        let (both, one) = (["server", "client"], ["entity"; 2]);
        for (pki, roles, algorithm) in [
            (&P256, both, "ECDSA"),
            (&FALCON_1024, one, "Falcon-1024"),
            (&ML_DSA_65, one, "ML-DSA-65"),
        ] {
            assert_eq!(pki.roots().unwrap().len(), 1);
            for (identity, role) in [&pki.server, &pki.client].into_iter().zip(roles) {
                let cert = &identity.chain().unwrap()[0];
                let name = subject(cert).unwrap();
                assert_eq!(name, format!("CN={} test {role},O=Oaklath", pki.name));
                assert_eq!(key_algorithm(cert).unwrap(), algorithm);
                identity.key().unwrap();
            }
        }
    }
}
