//! The targets: clients and servers of one group, all with certificates of the test PKI.

use std::sync::Arc;

use anyhow::{Context, Result};
use oaklath_hybrid::Group;
use oaklath_params::group::{self, GroupInfo};
use oaklath_tls::Builder;
use rustls::client::Resumption;
use rustls::crypto::CryptoProvider;
use rustls::crypto::aws_lc_rs::default_provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{NoServerSessionStorage, WebPkiClientVerifier};
use rustls::sign::SigningKey;
use rustls::version::TLS13;
use rustls::{ClientConfig, RootCertStore, ServerConfig};

use crate::hash_trees::HashTree;
use crate::wire::{AES_128_GCM_SHA256, AES_256_GCM_SHA384};

/// Includes a file of the test PKI.
macro_rules! pem {
    ($name:literal) => {
        include_bytes!(concat!("../../../certs/p256_", $name, ".pem"))
    };
}

/// The attacker's certificate and its key, by role.
#[derive(Debug)]
pub(crate) struct Credentials {
    pub(crate) chain: Vec<CertificateDer<'static>>,
    pub(crate) key: Arc<dyn SigningKey>,
}

/// The victims of one group.
#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) info: &'static GroupInfo,
    pub(crate) group: Group,
    /// The group of a client's first share if the client is to be asked for another one.
    pub(crate) other: &'static GroupInfo,
    pub(crate) client: ClientConfig,
    pub(crate) retried_client: ClientConfig,
    pub(crate) server: Arc<ServerConfig>,
    /// The attacker's own credentials.
    pub(crate) client_credentials: Credentials,
    pub(crate) server_credentials: Credentials,
    pub(crate) hash_tree: Arc<HashTree>,
}

impl Target {
    pub(crate) fn new(info: &'static GroupInfo, hash_tree: Arc<HashTree>) -> Result<Self> {
        let other = if info == &group::MLKEM512 { &group::MLKEM768 } else { &group::MLKEM512 };
        let only = provider(&[info])?;
        let both = provider(&[other, info])?;
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(pem!("root_cert"))?)?;
        roots.add(hash_tree.root.clone())?;
        let roots = Arc::new(roots);
        let chain = |pem: &[u8]| -> Result<_> { Ok(vec![CertificateDer::from_pem_slice(pem)?]) };
        let [client_chain, server_chain] =
            [chain(pem!("client_cert"))?, chain(pem!("server_cert"))?];
        let key = |pem: &[u8]| PrivateKeyDer::from_pem_slice(pem);
        let [client_key, server_key] = [key(pem!("client_key"))?, key(pem!("server_key"))?];

        let client = |provider: &Arc<CryptoProvider>| -> Result<ClientConfig> {
            let mut config = ClientConfig::builder_with_provider(provider.clone())
                .with_protocol_versions(&[&TLS13])?
                .with_root_certificates(roots.clone())
                .with_client_auth_cert(client_chain.clone(), client_key.clone_key())?;
            // Nothing is remembered between cases.
            config.resumption = Resumption::disabled();
            Ok(config)
        };
        let verifier = WebPkiClientVerifier::builder_with_provider(roots.clone(), only.clone());
        let mut server = ServerConfig::builder_with_provider(only.clone())
            .with_protocol_versions(&[&TLS13])?
            .with_client_cert_verifier(verifier.build()?)
            .with_single_cert(server_chain.clone(), server_key.clone_key())?;
        server.session_storage = Arc::new(NoServerSessionStorage {});
        server.send_tls13_tickets = 0;

        let load = |key| only.key_provider.load_private_key(key);
        Ok(Self {
            info,
            group: Group::new(info)?,
            other,
            client: client(&only)?,
            retried_client: client(&both)?,
            server: Arc::new(server),
            client_credentials: Credentials { chain: client_chain, key: load(client_key)? },
            server_credentials: Credentials { chain: server_chain, key: load(server_key)? },
            hash_tree,
        })
    }
}

/// Returns our provider with these groups and the two suites that the attacks need.
fn provider(groups: &[&GroupInfo]) -> Result<Arc<CryptoProvider>> {
    let mut base = default_provider();
    base.cipher_suites
        .retain(|suite| [AES_128_GCM_SHA256, AES_256_GCM_SHA384].contains(&suite.suite().into()));
    let names = groups.iter().map(|group| group.codepoint.to_string());
    let provider = Builder::new(base).groups(names).allow_legacy().build();
    Ok(Arc::new(provider.context("our provider")?))
}
