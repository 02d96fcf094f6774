//! `cargo xtask compare tls`: handshakes a second beside wolfSSL's own benchmark `tls_bench`, and
//! beside rustls over aws-lc-rs alone.
//!
//! Each row is measured alike: one process on one core has both sides, a thread each, connected by
//! memory; each connection is a handshake and 16 bytes each way; certificates are those of
//! `certs/`, one below a root. The programs take turns, round after round, and the best round of
//! each counts.

use std::{collections::BTreeMap, env::consts::EXE_SUFFIX, fs, path::PathBuf};

use anyhow::{Context, Result, ensure};
use oaklath_params::{curve, group};
use serde_json::{Value, json};

use super::{
    build::target,
    chains::{self, Chain},
    peer::{Peer, Site},
    rustls, site, tls_bench,
    wolfssl::{self, WolfSsl},
};
use crate::{
    machine::now,
    shell::{capture, cargo, command, run as run_shown},
    tables,
};

/// How much is measured.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Seconds for each figure and round
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    seconds: u32,
    /// Rounds
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Only these groups, comma-separated, and write nothing
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    groups: Vec<String>,
}

/// What is connected.
#[derive(Clone, Copy)]
struct Row {
    group: &'static str,
    codepoint: u16,
    chain: &'static Chain,
    /// Whether the client shows a certificate, too: `tls_bench` has no flag for that.
    mutual: bool,
}

/// Who connects. The order is that of the columns.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Contender {
    WolfSsl,
    /// rustls over aws-lc-rs, with nothing of ours.
    Alone,
    Oaklath,
}

const CONTENDERS: [Contender; 3] = [Contender::WolfSsl, Contender::Alone, Contender::Oaklath];

/// Every group that both have with the certificate that `tls_bench` is made for, and some with
/// others.
fn rows() -> Vec<Row> {
    let row = |(group, codepoint), chain, mutual| Row { group, codepoint, chain, mutual };
    let curves = [&curve::P256, &curve::P384, &curve::P521, &curve::X25519];
    let curves = curves.map(|curve| (curve.name, curve.codepoint));
    let of = |info: &group::GroupInfo| (info.name, info.codepoint);
    let all = curves.into_iter().chain(wolfssl::GROUPS.iter().map(|info| of(info)));
    let mut rows: Vec<_> = all.map(|group| row(group, &chains::RSA2048, false)).collect();
    let x25519_mlkem768 = of(&group::X25519MLKEM768);
    for chain in [&chains::P256, &chains::ML_DSA_65] {
        rows.extend([false, true].map(|mutual| row(x25519_mlkem768, chain, mutual)));
    }
    rows.push(row(of(&group::P521_KYBER_LEVEL5), &chains::FALCON_1024, false));
    rows
}

/// Builds all, runs them in turn and prints connections a second.
pub(crate) fn run(args: &Args) -> Result<()> {
    let missing = WolfSsl { has_tickets: false }.missing();
    ensure!(missing.is_none(), "{}", missing.unwrap_or_default());
    run_shown(&mut cargo("build --release --quiet -p oaklath-cli"))?;
    let oaklath = target()?.join(format!("release/oaklath{EXE_SUFFIX}"));
    let programs = Programs::build(site(oaklath)?)?;
    let mut rows = rows();
    if !args.groups.is_empty() {
        rows.retain(|row| args.groups.iter().any(|name| name.eq_ignore_ascii_case(row.group)));
    }
    let measured = now()?;
    let mut best = vec![BTreeMap::<Contender, f64>::new(); rows.len()];
    for _ in 0..args.rounds {
        for (row, best) in rows.iter().zip(&mut best) {
            for contender in CONTENDERS.into_iter().filter(|contender| contender.has(row)) {
                let rate = programs
                    .rate(contender, row, args.seconds)
                    .with_context(|| format!("{} with {}", row.group, row.chain.algorithm()))?;
                let known = best.entry(contender).or_insert(rate);
                *known = known.max(rate);
            }
        }
    }
    let lines = rows.iter().zip(&best).map(|(row, best)| line(row, best)).collect::<String>();
    let all = args.groups.is_empty();
    let path =
        if all { tables::CONNECTIONS.into() } else { programs.site.folder.join("rows.jsonl") };
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    fs::write(&path, measured + &lines).with_context(|| path.display().to_string())?;
    tables::print_connections(&path)?;
    if all { tables::connections() } else { Ok(()) }
}

/// A row as the program that makes tables reads it.
fn line(row: &Row, best: &BTreeMap<Contender, f64>) -> String {
    let line = json!({
        "group": row.group,
        "certificates": row.chain.algorithm(),
        "mutual": row.mutual,
        "wolfssl": best.get(&Contender::WolfSsl),
        "alone": best.get(&Contender::Alone),
        "ours": best.get(&Contender::Oaklath),
    });
    format!("{line}\n")
}

impl Contender {
    /// Whether it can do what the row asks for.
    fn has(self, row: &Row) -> bool {
        let known = |info: &&group::GroupInfo| info.codepoint == row.codepoint;
        match self {
            Self::WolfSsl => !row.mutual,
            Self::Alone => {
                rustls::AWS_LC_RS_GROUPS.iter().any(known)
                    && row.chain.algorithm() != chains::FALCON_1024.algorithm()
            }
            Self::Oaklath => true,
        }
    }
}

/// What runs.
struct Programs {
    site: Site,
    /// wolfSSL's program for each kind of certificate.
    wolfssl: BTreeMap<&'static str, PathBuf>,
}

impl Programs {
    fn build(site: Site) -> Result<Self> {
        chains::make(&site)?;
        let folder = tls_bench::build(&site)?;
        let mut wolfssl = BTreeMap::new();
        for Row { chain, .. } in rows() {
            let name = chain.algorithm();
            if !wolfssl.contains_key(name) {
                wolfssl.insert(name, tls_bench::with_chain(&site, &folder, chain)?);
            }
        }
        Ok(Self { site, wolfssl })
    }

    /// Connections a second.
    fn rate(&self, contender: Contender, row: &Row, seconds: u32) -> Result<f64> {
        // A program and its threads; without this the system would give each thread a core.
        let mut on_core = command("taskset", "-c 0");
        let certificates = row.chain.algorithm();
        if contender == Contender::WolfSsl {
            return tls_bench::rate(on_core, &self.wolfssl[certificates], row.codepoint, seconds);
        }
        on_core.arg(&self.site.oaklath).args(["tls-bench", "-m", "--one-core", "--json"]);
        let size = tls_bench::MESSAGE.to_string();
        on_core.args(["-S", &size, "-p", &size, "-t", &seconds.to_string()]);
        on_core.args(["--certificates", certificates, "--pqc", row.group]);
        on_core.args(row.mutual.then_some("--mutual"));
        on_core.args((contender == Contender::Alone).then_some("--alone"));
        connections(&capture(&mut on_core)?).map(|connections| connections / f64::from(seconds))
    }
}

/// The connections of the server's row.
fn connections(json: &str) -> Result<f64> {
    let rows: Vec<Value> = serde_json::from_str(json)?;
    let server = rows.iter().find(|row| row["role"] == "server").context("no row of a server")?;
    server["connections"].as_f64().context("a row without connections")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_ours_and_has_somebody_beside_it() {
        for row in rows() {
            assert!(Contender::Oaklath.has(&row));
            assert!(CONTENDERS.iter().filter(|contender| contender.has(&row)).count() > 1);
        }
    }

    #[test]
    fn what_our_program_prints() {
        let text = r#"[{"role":"client","connections":2},{"role":"server","connections":3}]"#;
        assert_eq!(connections(text).unwrap(), 3.0);
        connections(r#"[{"role":"client","connections":2}]"#).unwrap_err();
    }
}
