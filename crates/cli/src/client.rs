//! `oaklath client`: wolfSSL's example client.

use std::io::{self, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use rustls::client::Resumption;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, Error, HandshakeKind, SignatureScheme};

use crate::capture::Capture;
use crate::connection::{CLIENT_SAYS, Link, has_left};
use crate::failure::{usage, warn, with_hint};
use crate::peer::{self, Credentials, explained};
use crate::testpki;
use crate::text::printable;
use crate::wire::Wire;

/// Arguments of `oaklath client`.
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true, after_help = peer::AFTER_HELP)]
pub(crate) struct ClientArgs {
    /// Server to connect to
    #[arg(short = 'h', value_name = "HOST", default_value = "127.0.0.1")]
    host: String,
    #[command(flatten)]
    peer: peer::PeerArgs,
    /// Name that the server's certificate must have [default: HOST, or localhost
    /// with the test PKI]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Make this many connections and print the average time of one
    #[arg(short = 'b', value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    times: Option<u32>,
    /// Connect again and resume the session; with -b, time resumptions
    #[arg(short = 'r')]
    resume: bool,
    /// Send an HTTP GET and print the answer
    #[arg(short = 'g', conflicts_with = "times")]
    get: bool,
}

/// Connects, exchanges messages and prints what was negotiated.
pub(crate) fn run(args: &ClientArgs) -> Result<()> {
    if args.peer.list {
        return args.peer.print_suites();
    }
    let (mut config, own) = config(args)?;
    let name = server_name(args)?;
    let capture = Capture::new();
    config.key_log = capture.clone();
    args.peer.capture.iter().try_for_each(|path| capture.begin(path))?;
    let target = Target { args, config: Arc::new(config), own, name, capture };
    args.peer.tell_groups(target.config.crypto_provider())?;
    match args.times {
        Some(times) => time(&target, times),
        None => talk(&target, args.resume),
    }
    .map_err(explained)
}

/// Returns the configuration, and the certificate that it presents if asked for one.
fn config(args: &ClientArgs) -> Result<(ClientConfig, CertificateDer<'static>)> {
    let provider = args.peer.provider()?;
    let credentials = Credentials::load(&args.peer, &testpki::P256.client)?;
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_protocol_versions(args.peer.versions())?;
    let builder = if args.peer.no_check {
        builder.dangerous().with_custom_certificate_verifier(Arc::new(Trusting(provider)))
    } else {
        builder.with_root_certificates(credentials.roots.clone())
    };
    let mut config = builder
        .with_client_auth_cert(credentials.chain.clone(), credentials.key.clone_key())
        .map_err(|error| credentials.refused(error))?;
    if !args.resume {
        config.resumption = Resumption::disabled();
    }
    Ok((config, credentials.own()))
}

/// Returns the name to verify. The test PKI has only the name `localhost` and its addresses.
fn server_name(args: &ClientArgs) -> Result<ServerName<'static>> {
    let name = match &args.name {
        Some(name) => name,
        None if args.peer.authorities.is_none() => "localhost",
        None => &args.host,
    };
    let parsed = ServerName::try_from(name.to_owned());
    parsed.with_context(|| format!("`{name}` is neither a name nor an address")).map_err(usage)
}

/// The server to connect to, and the settings.
struct Target<'a> {
    args: &'a ClientArgs,
    config: Arc<ClientConfig>,
    own: CertificateDer<'static>,
    name: ServerName<'static>,
    capture: Arc<Capture>,
}

impl Target<'_> {
    fn connect(&self) -> Result<Link> {
        let (host, port) = (&*self.args.host, self.args.peer.port);
        let socket = TcpStream::connect((host, port)).map_err(|error| {
            let refused = error.kind() == io::ErrorKind::ConnectionRefused;
            let error = anyhow::Error::new(error);
            let error = error.context(format!("cannot connect to {host}:{port}"));
            let hint = "nobody listens there; start `oaklath server` first";
            if refused { with_hint(error, hint) } else { error }
        })?;
        let wire = Wire::of_peer(socket, self.args.peer.timeout(), &self.capture)?;
        Link::connect(self.config.clone(), self.name.clone(), wire)
    }

    /// Makes a connection with a message each way.
    fn talk(&self) -> Result<HandshakeKind> {
        let mut link = self.connect()?;
        peer::tell(link.state(), &self.own)?;
        let (answer, end) = if self.args.get {
            link.say(&format!(
                "GET / HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
                self.args.host
            ))?;
            link.hear_all()
        } else {
            link.say(CLIENT_SAYS)?;
            (link.hear()?, Ok(()))
        };
        writeln!(io::stdout(), "{}", printable(answer.trim_end()))?;
        match end {
            Err(error) if has_left(&error) => {
                warn("the peer left without close_notify, more may be missing");
            }
            end => end.context("cannot receive")?,
        }
        let kind = link.state().handshake_kind().context("the handshake is not over")?;
        // The exchange is complete: a missing close_notify does no harm.
        let _ = link.close();
        Ok(kind)
    }
}

fn talk(target: &Target<'_>, resume: bool) -> Result<()> {
    target.talk()?;
    if resume {
        let kind = target.talk().context("the second connection")?;
        ensure!(kind == HandshakeKind::Resumed, "the server did not resume the session");
    }
    Ok(())
}

/// Times connections (`-b`): from the first TCP packet to the end of the client's handshake.
fn time(target: &Target<'_>, times: u32) -> Result<()> {
    if target.args.resume {
        // Establishes the session that the others resume.
        target.connect()?.leave()?;
    }
    let mut total = Duration::ZERO;
    for i in 0..times {
        let start = Instant::now();
        let mut link = target.connect().with_context(|| format!("connection {}", i + 1))?;
        total += start.elapsed();
        if i == 0 {
            peer::tell(link.state(), &target.own)?;
        }
        if target.args.resume {
            let resumed = link.state().handshake_kind() == Some(HandshakeKind::Resumed);
            ensure!(resumed, "the server did not resume the session");
        }
        link.leave().with_context(|| format!("connection {}", i + 1))?;
    }
    let average = total.as_secs_f64() * 1e3 / f64::from(times);
    writeln!(
        io::stdout(),
        "connect avg took: {average:8.3} milliseconds over {times} connections"
    )?;
    Ok(())
}

/// A verifier that accepts every certificate whose key the peer has (`-d`).
#[derive(Debug)]
struct Trusting(Arc<CryptoProvider>);

impl ServerCertVerifier for Trusting {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, cert, dss, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, cert, dss, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
