//! `oaklath tls-bench`: a benchmark of connections like wolfSSL's, with the same flags.

pub mod engine;

use std::io::{self, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use serde::Serialize;

use crate::base;
use crate::failure::usage;
use crate::progress::side_by_side;
use crate::setup::{SUITE, Setup, Shown, Sides};
use crate::table::print_json;
use crate::testpki::{self, TestPki};
use crate::text;
use crate::tls_bench::engine::{BenchOptions, BenchOutcome, Cores, SideTotals};
use crate::wire::{Transport, Wire};

/// Arguments of `oaklath tls-bench`.
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct TlsBenchArgs {
    /// Run through each group of this build
    #[arg(short = 'g', conflicts_with_all = ["pqc", "server", "client"])]
    groups: bool,
    /// Groups, in any vocabulary, comma-separated [default: X25519MLKEM768]
    #[arg(long, alias = "oqs", value_name = "NAMES", value_delimiter = ',')]
    pqc: Vec<String>,
    /// Cipher suites of TLS 1.3, as IANA or wolfSSL spells them, between colons
    #[arg(short = 'l', value_name = "SUITES", value_delimiter = ':', default_value = SUITE)]
    suites: Vec<String>,
    /// Seconds for each group
    #[arg(short = 't', value_name = "N", default_value = "1", value_parser = text::seconds)]
    time: Duration,
    /// Bytes of a packet
    #[arg(short = 'p', value_name = "N", default_value_t = 16_384,
        value_parser = clap::value_parser!(u32).range(1..=16_384))]
    packet: u32,
    /// Bytes that a client sends in a connection, and receives back
    #[arg(short = 'S', value_name = "N", default_value_t = 131_072,
        value_parser = clap::value_parser!(u32).range(1..))]
    size: u32,
    /// Pairs of a client and a server that run at the same time
    #[arg(short = 'T', value_name = "N", default_value_t = 1,
        conflicts_with_all = ["server", "client"],
        value_parser = clap::value_parser!(u32).range(1..=256))]
    pairs: u32,
    /// Use local memory, not sockets
    #[arg(short = 'm', conflicts_with_all = ["server", "client"])]
    memory: bool,
    /// Microseconds that each side asks its socket for data before it sleeps, on Linux
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "memory",
        value_parser = clap::value_parser!(u32).range(..=1_000_000))]
    poll: u32,
    /// Run as server only, until it is interrupted
    #[arg(short = 's')]
    server: bool,
    /// Run as client only
    #[arg(short = 'c', conflicts_with = "server")]
    client: bool,
    /// Host to connect to, or to listen on
    #[arg(short = 'h', value_name = "HOST", default_value = "127.0.0.1")]
    host: String,
    /// Port
    #[arg(short = 'P', value_name = "PORT", default_value_t = 11_112)]
    port: u16,
    /// Both sides on one core
    #[arg(long, conflicts_with_all = ["server", "client"])]
    one_core: bool,
    /// Certificates of the test PKI: RSA-2048, P-256, ML-DSA-65, Falcon-1024 …
    #[arg(long, value_name = "NAME", default_value = "RSA-2048")]
    certificates: String,
    /// The client presents a certificate, too
    #[arg(long)]
    mutual: bool,
    /// Key shares that the client keeps ready and generates between connections,
    /// outside the measured time
    #[arg(long, value_name = "N", conflicts_with_all = ["server", "alone"],
        value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pool: Option<u32>,
    /// Base provider of TLS: aws-lc-rs, ring or graviola, as far as built in
    #[arg(long, value_name = "NAME")]
    base: Option<String>,
    /// The base provider alone with its own groups and signatures, to compare with
    #[arg(long, conflicts_with = "groups")]
    alone: bool,
    /// Print one JSON array, one object a line
    #[arg(long, conflicts_with = "server")]
    json: bool,
    /// Print help
    #[arg(long, action = clap::ArgAction::Help)]
    help: Option<bool>,
}

/// The measurements of one side with one group.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename = "tls-bench")]
struct BenchRow {
    role: &'static str,
    suite: String,
    group: String,
    total_bytes: u64,
    connections: u64,
    rx_total_ms: f64,
    tx_total_ms: f64,
    rx_mb_per_s: f64,
    tx_mb_per_s: f64,
    connect_total_ms: f64,
    connect_avg_ms: f64,
}

impl BenchRow {
    fn new(role: &'static str, suite: &str, group: &str, side: &SideTotals) -> Self {
        let millis = |time: Duration| time.as_secs_f64() * 1e3;
        Self {
            role,
            suite: suite.to_owned(),
            group: group.to_owned(),
            total_bytes: side.bytes,
            connections: side.connections,
            rx_total_ms: millis(side.rx),
            tx_total_ms: millis(side.tx),
            rx_mb_per_s: side.rate(side.rx),
            tx_mb_per_s: side.rate(side.tx),
            connect_total_ms: millis(side.connect),
            connect_avg_ms: side.connect_avg(),
        }
    }

    fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let role = if self.role == "server" { "Server" } else { "Client" };
        writeln!(out, "{role}: {} on {}", self.suite, self.group)?;
        writeln!(out, "\tTotal       : {:>12} bytes", self.total_bytes)?;
        writeln!(out, "\tNum Conns   : {:>12}", self.connections)?;
        for (name, value, unit) in [
            ("Rx Total", self.rx_total_ms, "ms"),
            ("Tx Total", self.tx_total_ms, "ms"),
            ("Rx", self.rx_mb_per_s, "MB/s"),
            ("Tx", self.tx_mb_per_s, "MB/s"),
            ("Connect", self.connect_total_ms, "ms"),
            ("Connect Avg", self.connect_avg_ms, "ms"),
        ] {
            writeln!(out, "\t{name:<11} : {value:>12.3} {unit}")?;
        }
        Ok(())
    }
}

/// Measures each suite with each group, and prints the results.
pub(crate) fn run(args: &TlsBenchArgs) -> Result<()> {
    let base = base::choose(args.base.as_deref())?;
    let provider = if args.alone { base.alone } else { base.provider };
    let setup = Setup::new(provider(), args.time);
    let groups: Vec<String> = match (args.groups, args.pqc.is_empty()) {
        (true, _) => oaklath_hybrid::all().map(|group| group.info().name.to_owned()).collect(),
        (false, true) => vec!["X25519MLKEM768".to_owned()],
        (false, false) => args.pqc.clone(),
    };
    if args.server && (groups.len() > 1 || args.suites.len() > 1) {
        return Err(usage(anyhow!("a server alone takes one group and one cipher suite")));
    }
    let mut rows = Vec::new();
    for (suite, group) in args.suites.iter().flat_map(|s| groups.iter().map(move |g| (s, g))) {
        let sides = sides(args, &setup, suite, group)?;
        let row = |role, side| BenchRow::new(role, suite, group, side);
        match (args.server, args.client) {
            (true, _) => return serve(args, &sides),
            (_, true) => rows.push(row("client", &client(args, &sides)?)),
            _ => {
                let BenchOutcome { server, client, .. } = pairs(args, &sides)?;
                rows.extend([row("server", &server), row("client", &client)]);
            }
        }
    }
    if args.json {
        return print_json(&rows);
    }
    let mut out = io::stdout().lock();
    Ok(rows.iter().try_for_each(|row| row.print(&mut out))?)
}

fn sides(args: &TlsBenchArgs, setup: &Setup, suite: &str, group: &str) -> Result<Sides> {
    let provider = match (args.alone, args.pool) {
        (true, _) => setup.base_alone(group, suite).map(|provider| (provider, None)),
        (_, None) => setup.provider_with(group, suite).map(|provider| (provider, None)),
        (_, Some(capacity)) => setup
            .pooled(group, suite, capacity as usize)
            .map(|(provider, pool)| (provider, Some(pool))),
    };
    let (provider, pool) = provider.map_err(usage)?;
    let named = |pki: &&&TestPki| pki.name.eq_ignore_ascii_case(&args.certificates);
    let pki = testpki::ALL.iter().find(named);
    let pki = pki.with_context(|| format!("no certificates of `{}` here", args.certificates));
    let shown = if args.mutual { Shown::Both } else { Shown::Server };
    Ok(Sides { pool, ..Sides::new(&provider, pki.map_err(usage)?, shown, 0)? })
}

fn options(args: &TlsBenchArgs) -> BenchOptions {
    BenchOptions {
        time: args.time,
        size: args.size as usize,
        packet: args.packet as usize,
        transport: if args.memory { Transport::Memory } else { Transport::Sockets },
        poll: Duration::from_micros(args.poll.into()),
        cores: if args.one_core { Cores::One } else { Cores::Two },
    }
}

/// Runs all pairs at the same time, and adds up their results.
fn pairs(args: &TlsBenchArgs, sides: &Sides) -> Result<BenchOutcome> {
    let options = options(args);
    let outcomes = side_by_side(args.pairs, || engine::run(sides, &options))?;
    let sum = outcomes.into_iter().reduce(|a, b| BenchOutcome {
        server: a.server.and(&b.server),
        client: a.client.and(&b.client),
        elapsed: a.elapsed.max(b.elapsed),
    });
    sum.context("no pair ran")
}

/// Serves every incoming connection on a thread of its own (`-s`).
fn serve(args: &TlsBenchArgs, sides: &Sides) -> Result<()> {
    let (options, address) = (options(args), (&*args.host, args.port));
    let listener = TcpListener::bind(address);
    let listener =
        listener.with_context(|| format!("cannot listen on {}:{}", args.host, args.port))?;
    writeln!(io::stdout(), "listening on {}", listener.local_addr()?)?;
    thread::scope(|scope| {
        for socket in listener.incoming() {
            let (wire, options) = (Wire::new(socket?)?, &options);
            scope.spawn(move || {
                let served = engine::accept(sides, options, wire, &mut SideTotals::default());
                // One failed connection must not stop the server.
                served.unwrap_or_else(|error| crate::failure::print(&error));
            });
        }
        Ok(())
    })
}

/// Connects again and again to a server that runs elsewhere (`-c`).
fn client(args: &TlsBenchArgs, sides: &Sides) -> Result<SideTotals> {
    let (options, mut side) = (options(args), SideTotals::default());
    let start = std::time::Instant::now();
    while start.elapsed() < options.time {
        let socket = TcpStream::connect((&*args.host, args.port));
        let socket =
            socket.with_context(|| format!("cannot connect to {}:{}", args.host, args.port))?;
        engine::call(sides, &options, Wire::new(socket)?, &mut side)?;
    }
    Ok(side)
}
