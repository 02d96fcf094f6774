//! `oaklath demo`: two connections, described in numbers.

use std::io::{self, Write};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use indicatif::HumanCount;
use oaklath_params::Status;
use oaklath_params::group::{self, GroupInfo};

use crate::base;
use crate::conversation::{SideReport, converse};
use crate::list::kinds::halves;
use crate::machine::cpu;
use crate::setup::{SUITE, Setup, Shown, Sides};
use crate::testpki::{self, TestPki};

/// Arguments of `oaklath demo`.
#[derive(Debug, clap::Args)]
pub(crate) struct DemoArgs {
    /// Base provider of TLS: aws-lc-rs, ring or graviola, as far as built in
    #[arg(long, value_name = "NAME")]
    base: Option<String>,
}

/// A connection to show.
struct Scene {
    group: &'static GroupInfo,
    pki: &'static TestPki,
    /// The number of bytes both ways that the appendix of wolfSSL's manual states.
    published: Option<u64>,
    /// Why the connection is of interest.
    about: &'static str,
}

static SCENES: &[Scene] = &[
    Scene {
        group: &group::P521_KYBER_LEVEL5,
        pki: &testpki::FALCON_1024,
        published: Some(14_257),
        about: "the strongest connection of wolfSSL's post-quantum appendix",
    },
    Scene {
        group: &group::X25519MLKEM768,
        pki: &testpki::ML_DSA_65,
        published: None,
        about: "today's standards: the key exchange that browsers speak, ML-DSA on both sides",
    },
];

/// Makes the connections and prints what happened.
pub(crate) fn run(args: &DemoArgs) -> Result<()> {
    let base = base::choose(args.base.as_deref())?;
    let mut out = io::stdout().lock();
    writeln!(out, "Oaklath {}: two quantum-safe TLS 1.3 connections", env!("CARGO_PKG_VERSION"))?;
    writeln!(out, "over loopback sockets; client and server authenticate with post-quantum")?;
    writeln!(out, "signatures.\n")?;
    field(&mut out, "processor", &cpu())?;
    field(&mut out, "vector code", oaklath_simd::Level::get().name())?;
    field(&mut out, "base provider", base.name)?;
    let setup = Setup::new((base.provider)(), Duration::ZERO);
    for (i, scene) in SCENES.iter().enumerate() {
        let (group, certs) = (scene.group.name, scene.pki.name);
        writeln!(out, "\n{}. {group}, {certs} certificates\n   {}\n", i + 1, scene.about)?;
        out.flush()?;
        let sides = connect(scene, &setup).with_context(|| format!("{group} with {certs}"))?;
        tell(&mut out, scene, &sides)?;
    }
    Ok(epilogue(&mut out)?)
}

fn connect(scene: &Scene, setup: &Setup) -> Result<[SideReport; 2]> {
    let provider = setup.provider(scene.group.name)?;
    let sides = converse(&Sides::new(&provider, scene.pki, Shown::Both, 0)?)?;
    let group = sides[0].group;
    ensure!(group == scene.group.codepoint, "group {group} was negotiated");
    Ok(sides)
}

fn tell(out: &mut impl Write, scene: &Scene, sides: &[SideReport; 2]) -> io::Result<()> {
    let (group, [client, server]) = (scene.group, sides);
    let legacy = if group.kem.status == Status::Legacy { " (legacy)" } else { "" };
    let parts = halves(group).join(" then ") + legacy;
    field(out, "group", &format!("{} = {}: {parts}", group.name, group.codepoint))?;
    field(out, "key shares", &shares(group))?;
    field(out, "cipher suite", SUITE)?;
    field(out, "server verified", &client.peer)?;
    field(out, "client verified", &server.peer)?;
    let handshake = client.done.max(server.done) - client.started;
    field(out, "handshake", &format!("{:.2} ms", handshake.as_secs_f64() * 1e3))?;
    field(out, "client says", &server.heard)?;
    field(out, "server says", &client.heard)?;
    let total = thousands(client.sent + client.received);
    let bytes = |n| format!("{:>w$} bytes", thousands(n), w = total.len());
    field(out, "client to server", &bytes(client.sent))?;
    field(out, "server to client", &bytes(client.received))?;
    let beside =
        scene.published.map(|n| format!(" (published by wolfSSL: {}, see below)", thousands(n)));
    field(out, "both ways", &format!("{total} bytes{}", beside.unwrap_or_default()))
}

fn shares(group: &GroupInfo) -> String {
    let (client, server) = (group.client_share() as u64, group.server_share() as u64);
    format!("{} bytes from the client, {} from the server", thousands(client), thousands(server))
}

fn field(out: &mut impl Write, name: &str, value: &str) -> io::Result<()> {
    writeln!(out, "   {name:<16}  {value}")
}

fn epilogue(out: &mut impl Write) -> io::Result<()> {
    // `cargo run` sets CARGO; the program is then probably not in the search path.
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

/// Formats a number with thousands separators, `8,467`, as text that can be padded.
fn thousands(n: u64) -> String {
    HumanCount(n).to_string()
}
