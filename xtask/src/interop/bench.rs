//! `cargo xtask compare tls`: compares handshakes per second and throughput with wolfSSL's own
//! benchmark `tls_bench`, and handshakes with rustls over aws-lc-rs alone.
//!
//! All rows of handshakes are measured alike: one process on one core has both sides, a thread
//! each, connected by memory; each connection is a handshake and 16 bytes each way; certificates
//! are those of `certs/`, one below a root. The programs take turns, round after round, and the
//! best round of each counts.
//!
//! Rows of throughput use the defaults of `tls_bench`: sockets, 131,072 bytes each way in packets
//! of 16,384. The system decides which side waits for the other, so the median of the rounds
//! counts.

use std::{collections::BTreeMap, env::consts::EXE_SUFFIX, fs, path::PathBuf};

use anyhow::{Context, Result, ensure};
use oaklath_params::{curve, group};
use serde::Deserialize;
use serde_json::json;

use super::{
    build::target,
    chains::{self, Chain},
    peer::{Peer, Site},
    rustls, site,
    tls_bench::{self, SideRates, Traffic},
    wolfssl::{self, WolfSsl},
};
use crate::{
    machine::now,
    shell::{capture, cargo, command, run as run_shown},
    tables,
};

/// The extent of the measurement.
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

/// A kind of connection.
#[derive(Clone, Copy)]
struct Row {
    group: &'static str,
    codepoint: u16,
    chain: &'static Chain,
    /// Whether the client shows a certificate, too: `tls_bench` has no flag for that.
    mutual: bool,
}

/// The groups of the rows of throughput.
const DATA_GROUPS: [&group::GroupInfo; 2] = [&group::X25519MLKEM768, &group::P521_KYBER_LEVEL5];

/// Microseconds that a side polls in the rows of polling.
const POLL: u32 = 200;

/// Runs of a row of throughput in each round.
const DATA_RUNS: u32 = 5;

/// The programs that are compared. The order is that of the columns.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Contender {
    WolfSsl,
    /// rustls over aws-lc-rs, with nothing of ours.
    Alone,
    Oaklath,
}

const CONTENDERS: [Contender; 3] = [Contender::WolfSsl, Contender::Alone, Contender::Oaklath];

/// Returns every group that both have with the certificate that `tls_bench` is made for, and some
/// with others.
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

/// Builds all programs, runs them in turn and prints connections per second.
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
    let mut lines = rows.iter().zip(&best).map(|(row, best)| line(row, best)).collect::<String>();
    lines += &throughput(args, &programs)?;
    let all = args.groups.is_empty();
    let path =
        if all { tables::CONNECTIONS.into() } else { programs.site.folder.join("rows.jsonl") };
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    fs::write(&path, measured + &lines).with_context(|| path.display().to_string())?;
    tables::print_connections(&path)?;
    if all { tables::connections() } else { Ok(()) }
}

/// Returns the rows of throughput: on two cores and on one, with sides that sleep and that poll.
fn throughput(args: &Args, programs: &Programs) -> Result<String> {
    let wanted = |group: &group::GroupInfo| {
        args.groups.is_empty()
            || args.groups.iter().any(|name| name.eq_ignore_ascii_case(group.name))
    };
    let mut lines = String::new();
    for group in DATA_GROUPS.into_iter().filter(|group| wanted(group)) {
        for cores in [2, 1] {
            for poll in [0, POLL] {
                lines += &throughput_of(args.rounds, programs, group, cores, poll)?;
            }
        }
    }
    Ok(lines)
}

/// Returns the rows of both roles.
fn throughput_of(
    rounds: u32,
    programs: &Programs,
    group: &group::GroupInfo,
    cores: u32,
    poll: u32,
) -> Result<String> {
    let chain = &chains::RSA2048;
    let row = Row { group: group.name, codepoint: group.codepoint, chain, mutual: false };
    let traffic = Traffic { poll, ..Traffic::DATA };
    let mut runs: [Vec<[SideRates; 2]>; 2] = Default::default();
    for _ in 0..rounds * DATA_RUNS {
        for (runs, contender) in runs.iter_mut().zip([Contender::WolfSsl, Contender::Oaklath]) {
            runs.push(programs.rates(contender, &row, traffic, cores, 1)?);
        }
    }
    let line = |(side, role)| {
        let of = |figure: fn(&SideRates) -> f64| {
            runs.each_ref().map(|runs| median(runs.iter().map(|run| figure(&run[side]))))
        };
        let ([wolfssl_rx, ours_rx], [wolfssl_tx, ours_tx]) = (of(|r| r.rx), of(|r| r.tx));
        let line = json!({
            "group": group.name, "role": role, "cores": cores, "polls": poll > 0,
            "wolfssl_rx": wolfssl_rx, "wolfssl_tx": wolfssl_tx,
            "ours_rx": ours_rx, "ours_tx": ours_tx,
        });
        format!("{line}\n")
    };
    Ok(["server", "client"].into_iter().enumerate().map(line).collect())
}

/// Returns the median.
fn median(figures: impl Iterator<Item = f64>) -> f64 {
    let mut figures: Vec<_> = figures.collect();
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

/// Formats a row for the program that makes tables.
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
    /// Reports whether it supports what the row asks for.
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

/// The programs that run.
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

    /// Returns connections per second on one core.
    fn rate(&self, contender: Contender, row: &Row, seconds: u32) -> Result<f64> {
        let [server, _] = self.rates(contender, row, Traffic::HANDSHAKES, 1, seconds)?;
        Ok(server.connections / f64::from(seconds))
    }

    /// Measures both sides on this many cores; returns the server's figures first.
    fn rates(
        &self,
        contender: Contender,
        row: &Row,
        traffic: Traffic,
        cores: u32,
        seconds: u32,
    ) -> Result<[SideRates; 2]> {
        // Limits a program and its threads; otherwise the system would give each thread a core.
        let mut holder = command("taskset", &format!("-c 0-{}", cores - 1));
        let certificates = row.chain.algorithm();
        if contender == Contender::WolfSsl {
            let program = &self.wolfssl[certificates];
            return tls_bench::rates(holder, program, row.codepoint, traffic, seconds);
        }
        let Traffic { size, packet, memory, poll } = traffic;
        holder.arg(&self.site.oaklath).args(["tls-bench", "--json", "-t", &seconds.to_string()]);
        holder.args(["-S", &size.to_string(), "-p", &packet.to_string()]);
        holder.args(["--certificates", certificates, "--pqc", row.group]);
        holder.args(memory.then_some("-m"));
        if poll > 0 {
            holder.args(["--poll", &poll.to_string()]);
        }
        holder.args((cores == 1).then_some("--one-core"));
        holder.args(row.mutual.then_some("--mutual"));
        holder.args((contender == Contender::Alone).then_some("--alone"));
        both_sides(&capture(&mut holder)?)
    }
}

/// Returns the rows of a server and a client.
fn both_sides(json: &str) -> Result<[SideRates; 2]> {
    #[derive(Deserialize)]
    struct BenchRow {
        role: String,
        #[serde(flatten)]
        rates: SideRates,
    }
    let rows: Vec<BenchRow> = serde_json::from_str(json)?;
    let of = |role: &str| {
        let row = rows.iter().find(|row| row.role == role);
        row.map(|row| row.rates).with_context(|| format!("no row of a {role}"))
    };
    Ok([of("server")?, of("client")?])
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
        let row = |role: &str, connections: u32| {
            format!(
                r#"{{"role":"{role}","connections":{connections},"rx_mb_per_s":1.5,"tx_mb_per_s":2.5}}"#
            )
        };
        let text = format!("[{},{}]", row("client", 2), row("server", 3));
        let rates = |connections| SideRates { connections, rx: 1.5, tx: 2.5 };
        assert_eq!(both_sides(&text).unwrap(), [rates(3.0), rates(2.0)]);
        both_sides(&format!("[{}]", row("client", 2))).unwrap_err();
    }

    #[test]
    fn the_middle_is_what_counts() {
        assert_eq!(median([9.0, 1.0, 3.0].into_iter()), 3.0);
    }
}
