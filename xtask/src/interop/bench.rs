//! `cargo xtask compare tls`: handshakes a second beside wolfSSL's own benchmark `tls_bench`, both sides in one
//! process on one core and connected by memory, with a server's certificate of RSA-2048.

use std::{collections::BTreeMap, path::Path, process::Command};

use anyhow::{Context, Result, ensure};
use oaklath_params::{curve, group};
use serde_json::Value;

use super::{
    peer::Peer,
    prepare,
    wolfssl::{self, WolfSsl},
};
use crate::shell::{capture, cargo, run as run_shown};

/// How often each program runs, in turn: the best of these counts.
const ROUNDS: usize = 3;

/// Builds both, runs them in turn and prints connections a second for each group that both have.
pub(crate) fn run(seconds: u32) -> Result<()> {
    let missing = WolfSsl.missing();
    ensure!(missing.is_none(), "{}", missing.unwrap_or_default());
    let site = prepare()?;
    WolfSsl.build(&site)?;
    let theirs = wolfssl::build_bench(&site)?;
    run_shown(&mut cargo("build --release --quiet -p oaklath-cli"))?;
    let ours = site.target.join(format!("release/oaklath{}", std::env::consts::EXE_SUFFIX));

    let (mut best_theirs, mut best_ours) = (BTreeMap::new(), BTreeMap::new());
    for _ in 0..ROUNDS {
        keep_best(&mut best_theirs, of_wolfssl(&theirs, seconds)?);
        let groups: Vec<&str> = best_theirs.keys().map(String::as_str).collect();
        keep_best(&mut best_ours, of_oaklath(&ours, seconds, &groups)?);
    }
    println!("{:20} {:>12} {:>12} {:>8}", "group", "wolfSSL/s", "Oaklath/s", "ratio");
    for (group, theirs) in &best_theirs {
        let ours = best_ours.get(group).with_context(|| format!("no connections with {group}"))?;
        println!("{group:20} {theirs:12.0} {ours:12.0} {:8.2}", ours / theirs);
    }
    Ok(())
}

fn keep_best(best: &mut BTreeMap<String, f64>, rates: Vec<(String, f64)>) {
    for (group, rate) in rates {
        let known = best.entry(group).or_insert(rate);
        *known = known.max(rate);
    }
}

/// A program on one core, which every thread of it then shares.
fn on_one_core(program: &Path, args: &str, seconds: u32) -> Command {
    let mut command = Command::new("taskset");
    command.args(["-c", "0"]).arg(program).args(args.split_whitespace());
    command.args(["-t", &seconds.to_string()]);
    command
}

fn of_wolfssl(program: &Path, seconds: u32) -> Result<Vec<(String, f64)>> {
    let suite = wolfssl::SUITE;
    let args = format!("-m -g -S 1 -p 1 -l {suite}");
    let mut command = on_one_core(program, &args, seconds);
    let output = command.output().context("cannot start `taskset` (Debian: util-linux)")?;
    // Groups that this build of it lacks are failures to it: what it could run is printed.
    let rates = rates(&String::from_utf8_lossy(&output.stderr), seconds);
    ensure!(!rates.is_empty(), "tls_bench printed no connections ({})", output.status);
    Ok(rates)
}

/// Connections a second by the lines of a server, of groups that are known here.
fn rates(text: &str, seconds: u32) -> Vec<(String, f64)> {
    let lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let rate = |cells: Vec<&str>| {
        let ["Server", _, group, _, connections, ..] = cells[..] else {
            return None;
        };
        let connections: f64 = connections.parse().ok()?;
        let name = known(group)?;
        (connections > 0.0).then(|| (name.to_owned(), connections / f64::from(seconds)))
    };
    lines.filter_map(rate).collect()
}

/// The name here of a group as wolfSSL spells it.
fn known(name: &str) -> Option<&'static str> {
    let curve = || curve::by_name(name.trim_start_matches("ECC_")).map(|curve| curve.name);
    group::by_name(name).map(|group| group.name).or_else(curve)
}

fn of_oaklath(program: &Path, seconds: u32, groups: &[&str]) -> Result<Vec<(String, f64)>> {
    let args = format!("tls-bench -m --one-core -S 1 -p 1 --json --pqc {}", groups.join(","));
    let rows: Vec<Value> =
        serde_json::from_str(&capture(&mut on_one_core(program, &args, seconds))?)?;
    let servers = rows.iter().filter(|row| row["role"] == "server");
    let rate = |row: &Value| {
        let connections = row["connections"].as_f64().context("a row without connections")?;
        let group = row["group"].as_str().context("a row without a group")?;
        Ok((group.to_owned(), connections / f64::from(seconds)))
    };
    servers.map(rate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tls_bench_prints() {
        let text = "Running TLS Benchmarks...\n\
            Side    Cipher                  Group            Total Bytes  Num Conns\n\
            Server  TLS13-AES256-GCM-SHA384 ECC_SECP256R1            700        350  1.0  2.0\n\
            Client  TLS13-AES256-GCM-SHA384 ECC_SECP256R1            700        350  1.0  2.0\n\
            Server  TLS13-AES256-GCM-SHA384 ML_KEM_768               900        450  1.0  2.0\n\
            Server  TLS13-AES256-GCM-SHA384 P521_KYBER_LEVEL5        300        150  1.0  2.0\n\
            Server  TLS13-AES256-GCM-SHA384 ECC_BRAINPOOLP256R1      300        150  1.0  2.0\n\
            Server  TLS13-AES256-GCM-SHA384 X25519MLKEM768             0          0  0.0  0.0\n";
        let rates = rates(text, 2);
        let names: Vec<_> = rates.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["P-256", "MLKEM768", "P521_KYBER_LEVEL5"]);
        assert_eq!(rates.iter().map(|(_, rate)| *rate).collect::<Vec<_>>(), [175.0, 225.0, 75.0]);
    }

    #[test]
    fn the_best_round_counts() {
        let mut best = BTreeMap::new();
        for rate in [2.0, 3.0, 1.0] {
            keep_best(&mut best, vec![("A".to_owned(), rate)]);
        }
        assert_eq!(best["A"], 3.0);
    }
}
