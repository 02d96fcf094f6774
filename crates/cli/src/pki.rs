//! The test PKI of `certs/`, embedded: test keys that everybody has, never for production.

use anyhow::{Context, Result};
use rustls::RootCertStore;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use x509_cert::Certificate;
use x509_cert::der::Decode;

/// A root and two leaves below it, as PEM.
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
    ($(#[$doc:meta])* $id:ident, $prefix:literal, $name:literal, $published:literal) => {
        $(#[$doc])*
        pub(crate) static $id: Pki = Pki {
            name: $name,
            published: $published,
            root: include_str!(concat!("../../../certs/", $prefix, "_root_cert.pem")),
            server: Identity {
                cert: include_str!(concat!("../../../certs/", $prefix, "_server_cert.pem")),
                key: include_str!(concat!("../../../certs/", $prefix, "_server_key.pem")),
            },
            client: Identity {
                cert: include_str!(concat!("../../../certs/", $prefix, "_client_cert.pem")),
                key: include_str!(concat!("../../../certs/", $prefix, "_client_key.pem")),
            },
        };
    };
}
pki!(/** RSA with 2048 bits. */ RSA2048, "rsa2048", "RSA-2048", "RSA 2048 bit");
pki!(/** ECDSA on P-256. */ P256, "p256", "P-256", "ECDSA P-256");

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

#[cfg(test)]
mod tests {
    use super::{P256, RSA2048, subject};

    #[test]
    fn the_embedded_files_parse_and_name_their_roles() {
        for pki in [&RSA2048, &P256] {
            assert_eq!(pki.roots().unwrap().len(), 1);
            for (identity, role) in [(&pki.server, "server"), (&pki.client, "client")] {
                let name = subject(&identity.chain().unwrap()[0]).unwrap();
                assert_eq!(name, format!("CN={} test {role},O=Oaklath", pki.name));
                identity.key().unwrap();
            }
        }
    }
}
