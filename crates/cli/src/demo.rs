//! `oaklath demo`: two connections, told in numbers.

use std::io::{self, Write};

use anyhow::{Context, Result, ensure};
use oaklath_params::Status;
use oaklath_params::group::{self, GroupInfo};
use oaklath_tables::machine::cpu;
use oaklath_tables::pki::{self, Pki};
use oaklath_tables::published;
use rustls::crypto::CryptoProvider;

use crate::base::{self, Base};
use crate::connection::{self, Report, SUITE};
use crate::text::thousands;

/// Arguments of `oaklath demo`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Base provider of TLS: aws-lc-rs, ring or graviola, as far as built in
    #[arg(long, value_name = "NAME")]
    base: Option<String>,
}

/// A connection to show.
struct Scene {
    group: &'static GroupInfo,
    pki: &'static Pki,
    /// Why one wants to see it.
    about: &'static str,
}

static SCENES: &[Scene] = &[
    Scene {
        group: &group::P521_KYBER_LEVEL5,
        pki: &pki::FALCON_1024,
        about: "the strongest connection of wolfSSL's post-quantum appendix",
    },
    Scene {
        group: &group::X25519MLKEM768,
        pki: &pki::ML_DSA_65,
        about: "today's standards: the key exchange that browsers speak, ML-DSA on both sides",
    },
];

/// Makes the connections and prints what happened.
pub(crate) fn run(args: &Args) -> Result<()> {
    let base = base::choose(args.base.as_deref())?;
    let mut out = io::stdout().lock();
    writeln!(out, "Oaklath {}: two quantum-safe TLS 1.3 connections", env!("CARGO_PKG_VERSION"))?;
    writeln!(out, "over loopback sockets; client and server authenticate with post-quantum")?;
    writeln!(out, "signatures.\n")?;
    field(&mut out, "processor", &cpu())?;
    field(&mut out, "vector code", oaklath_simd::Level::get().name())?;
    field(&mut out, "base provider", base.name)?;
    for (i, scene) in SCENES.iter().enumerate() {
        let (group, certs) = (scene.group.name, scene.pki.name);
        writeln!(out, "\n{}. {group}, {certs} certificates\n   {}\n", i + 1, scene.about)?;
        out.flush()?;
        let report = connect(scene, base).with_context(|| format!("{group} with {certs}"))?;
        tell(&mut out, scene, &report)?;
    }
    Ok(epilogue(&mut out)?)
}

fn connect(scene: &Scene, base: &Base) -> Result<Report> {
    let provider = provider(scene.group, base)?;
    let report = connection::connect(provider, scene.pki)?;
    ensure!(report.group == scene.group.codepoint, "group {} was negotiated", report.group);
    Ok(report)
}

/// The base with this group and no other.
fn provider(group: &GroupInfo, base: &Base) -> Result<CryptoProvider> {
    let builder = oaklath_tls::Builder::new((base.provider)()).groups([group.name]);
    Ok(builder.allow_legacy().build()?)
}

fn tell(out: &mut impl Write, scene: &Scene, report: &Report) -> io::Result<()> {
    let group = scene.group;
    field(out, "group", &format!("{} = {}: {}", group.name, group.codepoint, made_of(group)))?;
    field(out, "key shares", &shares(group))?;
    field(out, "cipher suite", SUITE)?;
    field(out, "server verified", &report.server_subject)?;
    field(out, "client verified", &report.client_subject)?;
    field(out, "handshake", &format!("{:.2} ms", report.handshake.as_secs_f64() * 1e3))?;
    field(out, "client says", &report.client_said)?;
    field(out, "server says", &report.server_said)?;
    let total = thousands(report.client_to_server + report.server_to_client);
    let bytes = |n| format!("{:>w$} bytes", thousands(n), w = total.len());
    field(out, "client to server", &bytes(report.client_to_server))?;
    field(out, "server to client", &bytes(report.server_to_client))?;
    let published = group.wolfssl.and_then(|g| published::tls_bytes(SUITE, scene.pki.published, g));
    let beside = published.map(|n| format!(" (published by wolfSSL: {}, see below)", thousands(n)));
    field(out, "both ways", &format!("{total} bytes{}", beside.unwrap_or_default()))
}

/// `P-521 then Kyber1024 (legacy)`.
fn made_of(group: &GroupInfo) -> String {
    let kem = match group.kem.status {
        Status::Legacy => format!("{} (legacy)", group.kem.name),
        _ => group.kem.name.to_owned(),
    };
    match group.curve {
        None => kem,
        Some(curve) if group.kem_first => format!("{kem} then {}", curve.name),
        Some(curve) => format!("{} then {kem}", curve.name),
    }
}

fn shares(group: &GroupInfo) -> String {
    let (client, server) = (group.client_share() as u64, group.server_share() as u64);
    format!("{} bytes from the client, {} from the server", thousands(client), thousands(server))
}

fn field(out: &mut impl Write, name: &str, value: &str) -> io::Result<()> {
    writeln!(out, "   {name:<16}  {value}")
}

fn epilogue(out: &mut impl Write) -> io::Result<()> {
    // `cargo run` sets CARGO for what it runs; then nothing is in the search path yet.
    let me = match std::env::var_os("CARGO") {
        Some(_) => "cargo run --release --",
        None => "oaklath",
    };
    writeln!(
        out,
        "
Bytes are all TCP payload from first to last: handshake, one message each way,
closing alerts; no session tickets. The published figure is from the appendix
\"Experimenting with Post-Quantum Cryptography\" of wolfSSL's manual. Its key
shares are as long as ours, its certificates are not: they are wolfSSL's own.

Next:
   {me} list groups
   {me} list signatures
   OAKLATH_SIMD=scalar {me} demo"
    )?;
    if let [_, other, ..] = base::ALL {
        writeln!(out, "   {me} demo --base {}", other.name)?;
    }
    Ok(())
}
