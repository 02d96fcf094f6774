//! The test PKI of `certs/`, embedded. Its keys are public: never use them in production.

use anyhow::{Context, Result};
use oaklath_params::sig;
use oaklath_pki::x509_cert::Certificate;
use oaklath_pki::x509_cert::der::Decode;
use oaklath_pki::x509_cert::der::oid::db::rfc5912::{ID_EC_PUBLIC_KEY, RSA_ENCRYPTION};
use oaklath_pki::x509_cert::der::oid::db::rfc8410::ID_ED_25519;
use rustls::RootCertStore;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// A root and its leaves, as PEM.
#[derive(Clone, Debug)]
pub struct TestPki {
    /// The algorithm of the keys.
    pub name: &'static str,
    /// The root's certificate.
    pub root: &'static str,
    /// The server's certificate and key.
    pub server: TestIdentity,
    /// The client's certificate and key.
    pub client: TestIdentity,
}

/// A certificate and its private key, as PEM.
#[derive(Clone, Debug)]
pub struct TestIdentity {
    cert: &'static str,
    key: &'static str,
}

macro_rules! pki {
    ($($id:ident $prefix:literal $server:literal $client:literal $name:literal)*) => {
        $(
            #[doc = concat!("Keys of ", $name, ".")]
            pub static $id: TestPki = TestPki {
                name: $name,
                root: include_str!(concat!("../certs/", $prefix, "_root_cert.pem")),
                server: identity!($prefix $server),
                client: identity!($prefix $client),
            };
        )*
        /// All test PKIs.
        pub static ALL: &[&TestPki] = &[$(&$id),*];
    };
}

macro_rules! identity {
    ($prefix:literal $role:literal) => {
        TestIdentity {
            cert: include_str!(concat!("../certs/", $prefix, "_", $role, "_cert.pem")),
            key: include_str!(concat!("../certs/", $prefix, "_", $role, "_key.pem")),
        }
    };
}

// Where both sides are `entity` they share a leaf; Falcon's have wolfSSL's object identifiers.
// `certs` links to the folder of that name beside `crates`; a package of this crate contains copies
// of its files.
pki! {
    // row            files                  server    client    name
    RSA_2048          "rsa2048"              "server"  "client"  "RSA-2048"
    P256              "p256"                 "server"  "client"  "P-256"
    FALCON_512        "falcon_level1"        "entity"  "entity"  "Falcon-512"
    FALCON_1024       "falcon_level5"        "entity"  "entity"  "Falcon-1024"
    DILITHIUM_2       "dilithium_level2"     "entity"  "entity"  "Dilithium2"
    DILITHIUM_3       "dilithium_level3"     "entity"  "entity"  "Dilithium3"
    DILITHIUM_5       "dilithium_level5"     "entity"  "entity"  "Dilithium5"
    DILITHIUM_2_AES   "dilithium_aes_level2" "entity"  "entity"  "Dilithium2-AES"
    DILITHIUM_3_AES   "dilithium_aes_level3" "entity"  "entity"  "Dilithium3-AES"
    DILITHIUM_5_AES   "dilithium_aes_level5" "entity"  "entity"  "Dilithium5-AES"
    ML_DSA_44         "mldsa_level2"         "entity"  "entity"  "ML-DSA-44"
    ML_DSA_65         "mldsa_level3"         "entity"  "entity"  "ML-DSA-65"
    ML_DSA_87         "mldsa_level5"         "entity"  "entity"  "ML-DSA-87"
    SLH_DSA_SHA2_128S "slhdsa_sha2_128s"     "entity"  "entity"  "SLH-DSA-SHA2-128s"
    SLH_DSA_SHA2_128F "slhdsa_sha2_128f"     "entity"  "entity"  "SLH-DSA-SHA2-128f"
}

impl TestPki {
    /// Returns a store that trusts only the root.
    ///
    /// # Errors
    /// If the file is damaged.
    pub fn roots(&self) -> Result<RootCertStore> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(self.root.as_bytes()).context("root")?)?;
        Ok(roots)
    }
}

impl TestIdentity {
    /// Returns the certificate, which the root issued.
    ///
    /// # Errors
    /// If the file is damaged.
    pub fn chain(&self) -> Result<Vec<CertificateDer<'static>>> {
        Ok(vec![CertificateDer::from_pem_slice(self.cert.as_bytes()).context("certificate")?])
    }

    /// Returns the private key.
    ///
    /// # Errors
    /// If the file is damaged.
    pub fn key(&self) -> Result<PrivateKeyDer<'static>> {
        PrivateKeyDer::from_pem_slice(self.key.as_bytes()).context("private key")
    }
}

/// Returns a certificate's subject in the form of RFC 4514: `CN=P-256 test server,O=Oaklath`.
///
/// # Errors
/// If the certificate does not parse.
pub fn subject(cert: &CertificateDer<'_>) -> Result<String> {
    let cert = Certificate::from_der(cert).context("the peer's certificate does not parse")?;
    Ok(cert.tbs_certificate().subject().to_string())
}

/// Returns the algorithm of a certificate's key.
///
/// # Errors
/// If the certificate does not parse.
pub fn key_algorithm(cert: &CertificateDer<'_>) -> Result<String> {
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
    use super::{ALL, key_algorithm, subject};

    #[test]
    fn the_embedded_files_parse_and_name_their_roles() {
        for pki in ALL {
            assert_eq!(pki.roots().unwrap().len(), 1);
            let classical = match pki.name {
                "RSA-2048" => Some("RSA"),
                "P-256" => Some("ECDSA"),
                _ => None,
            };
            for (identity, role) in [(&pki.server, "server"), (&pki.client, "client")] {
                let role = if classical.is_some() { role } else { "entity" };
                let cert = &identity.chain().unwrap()[0];
                let name = subject(cert).unwrap();
                assert_eq!(name, format!("CN={} test {role},O=Oaklath", pki.name));
                assert_eq!(key_algorithm(cert).unwrap(), classical.unwrap_or(pki.name));
                identity.key().unwrap();
            }
        }
    }
}
