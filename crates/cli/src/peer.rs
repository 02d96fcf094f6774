//! Common parts of `oaklath server` and `oaklath client`: arguments, provider, certificates, and
//! the report about a connection. The options are those of wolfSSL's example programs.

mod advice;
mod credentials;
pub(crate) mod suites;

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, ensure};
use oaklath_params::{curve, group};
use oaklath_tls::{BuildError, Builder};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::CertificateDer;
use rustls::version::{TLS12, TLS13};
use rustls::{CommonState, HandshakeKind, ProtocolVersion, SupportedProtocolVersion};

use crate::base;
use crate::failure::{unknown_name, usage, with_hint};
use crate::testpki;
use crate::text::printable;

pub(crate) use advice::explained;
pub(crate) use credentials::Credentials;

/// The port of wolfSSL's example programs.
pub(crate) const PORT: u16 = 11111;

/// The text below the help of both programs.
pub(crate) const AFTER_HELP: &str = "\
Without -c and -k it shows the certificate of a built-in test PKI, without -A
it trusts the root of that. Everybody has those keys: never in production.
Either side checks the other's certificate, unless it has -d.

In two terminals:
  oaklath server --pqc P521_KYBER_LEVEL5
  oaklath client --pqc P521_KYBER_LEVEL5";

/// Arguments of both programs.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(crate) struct PeerArgs {
    /// Port
    #[arg(short = 'p', value_name = "PORT", default_value_t = PORT)]
    pub(crate) port: u16,
    /// Protocol: 4 is TLS 1.3, 3 is TLS 1.2
    #[arg(short = 'v', value_name = "VERSION", value_parser = ["4", "3"], default_value = "4",
        hide_possible_values = true)]
    version: String,
    /// Cipher suites in order, as IANA or wolfSSL spells them, between colons
    #[arg(short = 'l', value_name = "SUITES", value_delimiter = ':')]
    suites: Option<Vec<String>>,
    /// Groups of key exchange, by any name or number; several between commas
    #[arg(long, visible_alias = "oqs", value_name = "NAME", value_delimiter = ',')]
    pqc: Option<Vec<String>>,
    /// Reject classical key exchange
    #[arg(long)]
    pq_only: bool,
    /// Certificate, then those that issued it (PEM)
    #[arg(short = 'c', value_name = "FILE", requires = "key")]
    cert: Option<PathBuf>,
    /// Private key of the certificate (PEM)
    #[arg(short = 'k', value_name = "FILE", requires = "cert")]
    key: Option<PathBuf>,
    /// Certificates of the authorities that the peer's must come from (PEM)
    #[arg(short = 'A', value_name = "FILE")]
    pub(crate) authorities: Option<PathBuf>,
    /// Do not check the peer's certificate
    #[arg(short = 'd')]
    pub(crate) no_check: bool,
    /// Write what passes and its secrets into this new file, for Wireshark (pcapng)
    #[arg(long, value_name = "FILE")]
    pub(crate) capture: Option<PathBuf>,
    /// Seconds that the handshake may take, and each message after it
    #[arg(long, value_name = "N", default_value_t = 60,
        value_parser = clap::value_parser!(u32).range(1..))]
    timeout: u32,
    /// List the cipher suites and end
    #[arg(short = 'e')]
    pub(crate) list: bool,
    /// Base provider of TLS: aws-lc-rs, ring or graviola, as far as built in
    #[arg(long, value_name = "NAME")]
    base: Option<String>,
    /// Print help
    #[arg(long, action = clap::ArgAction::Help, display_order = 1000)]
    help: Option<bool>,
}

impl PeerArgs {
    /// Returns how long a peer may take for a step.
    pub(crate) fn timeout(&self) -> Duration {
        Duration::from_secs(self.timeout.into())
    }

    /// Returns the protocol version of `-v`.
    pub(crate) fn versions(&self) -> &'static [&'static SupportedProtocolVersion] {
        static TLS12_ONLY: [&SupportedProtocolVersion; 1] = [&TLS12];
        static TLS13_ONLY: [&SupportedProtocolVersion; 1] = [&TLS13];
        if self.is_tls12() { &TLS12_ONLY } else { &TLS13_ONLY }
    }

    fn is_tls12(&self) -> bool {
        self.version == "3"
    }

    /// Returns the base provider with the requested groups and suites.
    pub(crate) fn provider(&self) -> Result<Arc<CryptoProvider>> {
        let mut base = (base::choose(self.base.as_deref())?.provider)();
        if let Some(names) = &self.suites {
            base.cipher_suites = suites::choose(&base, names).map_err(usage)?;
        }
        let version = self.versions()[0];
        base.cipher_suites.retain(|suite| suite.version() == version);
        let none = || anyhow!("no cipher suite of `-l` is one of -v {}", self.version);
        ensure!(!base.cipher_suites.is_empty(), usage(none()));
        if self.is_tls12() && (self.pqc.is_some() || self.pq_only) {
            let error = anyhow!("a post-quantum group needs TLS 1.3");
            return Err(usage(with_hint(error, "leave `-v 3` out")));
        }
        let provider = if self.is_tls12() {
            // TLS 1.2 supports only classical groups.
            base
        } else {
            let builder = Builder::new(base).allow_legacy();
            let builder = if self.pq_only { builder.post_quantum_only() } else { builder };
            build(self.pqc.iter().fold(builder, Builder::groups))?
        };
        // The first use in a process seeds the random generator, which takes aws-lc-rs 50 ms.
        provider.secure_random.fill(&mut [0; 32]).map_err(|_| anyhow!("no randomness"))?;
        Ok(Arc::new(provider))
    }

    /// Prints the suites of both versions, one per line (`-e`).
    pub(crate) fn print_suites(&self) -> Result<()> {
        let base = base::choose(self.base.as_deref())?;
        let mut out = io::stdout().lock();
        for suite in (base.provider)().cipher_suites {
            writeln!(out, "{}", suites::name(suite.suite()))?;
        }
        Ok(())
    }

    /// Prints which groups were requested.
    pub(crate) fn tell_groups(&self, provider: &CryptoProvider) -> io::Result<()> {
        let mut out = io::stdout().lock();
        if self.pqc.is_some() {
            for kx in &provider.kx_groups {
                let codepoint = u16::from(kx.name());
                let kind = match group::by_codepoint(codepoint) {
                    Some(_) => "Post-Quantum KEM",
                    None => "classical group",
                };
                writeln!(out, "Using {kind}: {}", group_name(codepoint))?;
            }
        }
        Ok(())
    }
}

fn build(builder: Builder) -> Result<CryptoProvider> {
    builder.build().map_err(|error| {
        const LIST: &str = "`oaklath list groups` prints the names and what is built";
        match error {
            BuildError::UnknownGroup { name, suggestion, .. } => {
                unknown_name("group", &name, suggestion, LIST)
            }
            BuildError::Unavailable(why) => usage(with_hint(anyhow!("{why}"), LIST)),
            other => usage(other.into()),
        }
    })
}

/// Prints what wolfSSL's programs print about a connection, the peer's name, and the signature
/// algorithms of the peer and of `own`.
pub(crate) fn tell(conn: &CommonState, own: &CertificateDer<'_>) -> Result<()> {
    let mut out = io::stdout().lock();
    if let Some(cert) = conn.peer_certificates().and_then(<[_]>::first) {
        writeln!(out, "peer's certificate: {}", printable(&testpki::subject(cert)?))?;
        writeln!(out, "peer's signature algorithm: {}", testpki::key_algorithm(cert)?)?;
    }
    writeln!(out, "own signature algorithm: {}", testpki::key_algorithm(own)?)?;
    write!(out, "{}", negotiated(conn)?)?;
    if conn.handshake_kind() == Some(HandshakeKind::Resumed) {
        writeln!(out, "SSL reused session")?;
    }
    Ok(out.flush()?)
}

/// Returns version, cipher suite and group, one per line.
pub(crate) fn negotiated(conn: &CommonState) -> Result<String> {
    let version = match conn.protocol_version().context("no version was negotiated")? {
        ProtocolVersion::TLSv1_2 => "TLSv1.2",
        _ => "TLSv1.3",
    };
    let suite = conn.negotiated_cipher_suite().context("no cipher suite was negotiated")?;
    let suite = suites::name(suite.suite());
    let mut text = format!("SSL version is {version}\nSSL cipher suite is {suite}\n");
    // TLS 1.2 resumes sessions without a key exchange.
    if let Some(group) = conn.negotiated_key_exchange_group() {
        text += &format!("SSL curve name is {}\n", group_name(group.name().into()));
    }
    Ok(text)
}

/// Returns the name of a group: ours, else the curve's, else the number.
fn group_name(codepoint: u16) -> String {
    let ours = group::by_codepoint(codepoint).map(|group| group.name);
    let name = ours.or_else(|| curve::by_codepoint(codepoint).map(|curve| curve.name));
    name.map_or_else(|| codepoint.to_string(), str::to_owned)
}
