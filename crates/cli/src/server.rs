//! `oaklath server`: wolfSSL's example server.

use std::io::{self, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use oaklath_tls::ServerOrder;
use rustls::ServerConfig;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::CertificateDer;
use rustls::server::WebPkiClientVerifier;

use crate::capture::Capture;
use crate::connection::{Link, SERVER_SAYS};
use crate::failure::{self, with_hint};
use crate::peer::{self, Credentials, explained};
use crate::testpki;
use crate::text::printable;
use crate::wire::Wire;

/// Arguments of `oaklath server`.
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true, after_help = peer::AFTER_HELP)]
pub(crate) struct ServerArgs {
    /// Address to listen on
    #[arg(short = 'h', value_name = "HOST", default_value = "127.0.0.1")]
    host: String,
    #[command(flatten)]
    peer: peer::PeerArgs,
    /// Listen on all interfaces
    #[arg(short = 'b', conflicts_with = "host")]
    any: bool,
    /// Accept connections without end
    #[arg(short = 'i')]
    forever: bool,
    /// Accept this many connections, one after the other [default: 1]
    #[arg(short = 'C', value_name = "N", conflicts_with = "forever",
        value_parser = clap::value_parser!(u32).range(1..))]
    count: Option<u32>,
    /// Accept a second connection, which may resume the session of the first
    #[arg(short = 'r', conflicts_with_all = ["count", "forever"])]
    resume: bool,
    /// Send no session tickets
    #[arg(short = 'T')]
    no_tickets: bool,
    /// Take the first group of its own list that the client has, not of the
    /// client's
    #[arg(long)]
    own_order: bool,
    /// Answer every message with a page of HTML, not only an HTTP GET
    #[arg(short = 'g')]
    page: bool,
}

/// The page for a browser or `oaklath client -g`, before and after the negotiated parameters.
const PAGE: (&str, &str) = (
    "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n\
        <!DOCTYPE html>\n<html><head><title>Oaklath</title></head><body>\n\
        <p>I hear you fa shizzle!</p>\n<pre>\n",
    "</pre>\n</body></html>\n",
);

/// Serves the connections one after the other, as wolfSSL's server does.
pub(crate) fn run(args: &ServerArgs) -> Result<()> {
    if args.peer.list {
        return args.peer.print_suites();
    }
    let provider = args.peer.provider()?;
    let credentials = Credentials::load(&args.peer, &testpki::P256.server)?;
    let capture = Capture::new();
    let make = |provider| config(args, &credentials, &capture, provider);
    let config = Arc::new(make(provider.clone())?);
    let order = args.own_order.then(|| ServerOrder::new(&provider, make)).transpose()?;
    let server = Server { args, config, order, own: credentials.own(), capture: &capture };
    let listener = listen(args)?;
    args.peer.capture.iter().try_for_each(|path| capture.begin(path))?;
    args.peer.tell_groups(&provider)?;
    println(&format!("listening on {}", listener.local_addr()?))?;
    let count = match (args.forever, args.count) {
        (true, _) => u64::MAX,
        (false, Some(count)) => count.into(),
        (false, None) => 1 + u64::from(args.resume),
    };
    let mut failed = 0;
    for _ in 0..count {
        let socket = accept(&listener)?;
        let Err(error) = server.serve(socket).map_err(explained) else {
            continue;
        };
        if count == 1 {
            return Err(error);
        }
        // One failed connection must not stop the server.
        failure::print(&error);
        failed += 1;
    }
    ensure!(failed == 0, "{failed} of {count} connections failed");
    Ok(())
}

fn config(
    args: &ServerArgs,
    credentials: &Credentials,
    capture: &Arc<Capture>,
    provider: Arc<CryptoProvider>,
) -> Result<ServerConfig> {
    let builder = ServerConfig::builder_with_provider(provider.clone())
        .with_protocol_versions(args.peer.versions())?;
    let builder = if args.peer.no_check {
        builder.with_no_client_auth()
    } else {
        let roots = Arc::new(credentials.roots.clone());
        let verifier = WebPkiClientVerifier::builder_with_provider(roots, provider);
        builder.with_client_cert_verifier(verifier.build()?)
    };
    let mut config = builder
        .with_single_cert(credentials.chain.clone(), credentials.key.clone_key())
        .map_err(|error| credentials.refused(error))?;
    config.key_log = capture.clone();
    if args.no_tickets {
        config.send_tls13_tickets = 0;
    }
    Ok(config)
}

fn listen(args: &ServerArgs) -> Result<TcpListener> {
    let host = if args.any { "0.0.0.0" } else { &args.host };
    let port = args.peer.port;
    TcpListener::bind((host, port)).map_err(|error| {
        let hint = match error.kind() {
            io::ErrorKind::AddrInUse => "another program listens there; `-p` takes another port",
            io::ErrorKind::PermissionDenied => "ports below 1024 need privileges; see `-p`",
            _ => "`-h` takes an address of this machine",
        };
        let error = anyhow::Error::new(error);
        with_hint(error.context(format!("cannot listen on {host}:{port}")), hint)
    })
}

/// Accepts the next connection, skipping aborted ones.
fn accept(listener: &TcpListener) -> Result<TcpStream> {
    loop {
        match listener.accept() {
            Ok((socket, _)) => return Ok(socket),
            // The peer disconnected while it was in the queue.
            Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
            Err(error) => return Err(error).context("cannot accept a connection"),
        }
    }
}

/// The state shared by all connections.
struct Server<'a> {
    args: &'a ServerArgs,
    config: Arc<ServerConfig>,
    /// The server's own order of groups, with `--own-order`.
    order: Option<ServerOrder>,
    /// The certificate that the server presents.
    own: CertificateDer<'static>,
    capture: &'a Arc<Capture>,
}

impl Server<'_> {
    /// Serves one connection: receives a message and answers it.
    fn serve(&self, socket: TcpStream) -> Result<()> {
        let wire = Wire::of_peer(socket, self.args.peer.timeout(), self.capture)?;
        let mut link = match &self.order {
            Some(order) => Link::accept_with(|hello| order.choose(hello), wire)?,
            None => Link::accept(self.config.clone(), wire)?,
        };
        peer::tell(link.state(), &self.own)?;
        // A client that only measures closes without sending a message.
        if let Some(message) = link.hear_if_any()? {
            println(&format!("Client message: {}", printable(message.trim_end())))?;
            if self.args.page || message.starts_with("GET ") {
                let negotiated = peer::negotiated(link.state())?;
                link.say(&[PAGE.0, &negotiated, PAGE.1].concat())?;
            } else {
                link.say(SERVER_SAYS)?;
            }
        }
        // The exchange is complete: a missing close_notify does no harm.
        let _ = link.close();
        Ok(())
    }
}

/// Prints a line and flushes it, since others may wait for it.
fn println(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}
