//! `oaklath speed`: a quick table in the manner of wolfSSL's benchmark.

use std::hint::black_box;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use getrandom::SysRng;
use oaklath_hybrid::Group;
use oaklath_kem::Kem;
use oaklath_params::{group, kem, sig};
use oaklath_sig::{Message, Signature};
use serde::Serialize;

use crate::encapsulation;
use crate::failure::{usage, with_hint};
use crate::machine::cpu;
use crate::table::{objects, print_json, table};
use crate::text;

/// Arguments of `oaklath speed`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// KEMs, signature schemes, or groups of TLS, by any name; all KEMs and
    /// signature schemes if left out
    names: Vec<String>,
    /// Seconds for each operation
    #[arg(long, value_name = "N", default_value = "0.25", value_parser = text::seconds)]
    seconds: Duration,
    /// Print one JSON array instead of a table, one object a line
    #[arg(long)]
    json: bool,
}

/// How one operation went.
#[derive(Debug, Serialize)]
struct SpeedRow {
    kind: &'static str,
    algorithm: &'static str,
    operation: &'static str,
    ops: u64,
    seconds: f64,
    avg_ms: f64,
    ops_per_second: f64,
}

/// What can be measured.
enum Subject {
    Kem(&'static dyn Kem),
    Signature(&'static dyn Signature),
    Group(Group),
}

/// Measures one operation after the other.
pub(crate) fn run(args: &Args) -> Result<()> {
    let subjects = if args.names.is_empty() {
        let kems = oaklath_kem::all().iter().copied().map(Subject::Kem);
        kems.chain(oaklath_sig::all().iter().copied().map(Subject::Signature)).collect()
    } else {
        args.names.iter().map(|name| find(name)).collect::<Result<Vec<_>>>()?
    };
    let mut rows = Vec::new();
    for subject in subjects {
        match subject {
            Subject::Kem(kem) => measure_kem(kem, args.seconds, &mut rows)?,
            Subject::Signature(scheme) => measure_signature(scheme, args.seconds, &mut rows)?,
            Subject::Group(group) => measure_group(&group, args.seconds, &mut rows)?,
        }
    }
    let mut out = io::stdout().lock();
    if args.json {
        return Ok(print_json(&mut out, &objects(&rows)?)?);
    }
    Ok(print(&mut out, &rows)?)
}

/// A KEM, a signature scheme, or else a group. wolfSSL calls a KEM and the group of it alone by one
/// name.
fn find(name: &str) -> Result<Subject> {
    if let Some(info) = sig::by_name(name) {
        let scheme = oaklath_sig::by_info(info).map(Subject::Signature);
        let hint = "`oaklath list signatures` prints the names";
        let error = || with_hint(anyhow!("{} is not in this build", info.name), hint);
        return scheme.ok_or_else(|| usage(error()));
    }
    if kem::by_name(name).is_some() {
        return encapsulation::find(name).map(Subject::Kem);
    }
    if group::by_name(name).is_none() {
        let near =
            kem::suggest(name).or_else(|| sig::suggest(name)).or_else(|| group::suggest(name));
        let list = "`oaklath list` prints the names and what is built".to_owned();
        let hint = near.map_or(list, |near| format!("is it `{near}`?"));
        return Err(usage(with_hint(
            anyhow!("no algorithm and no group is called `{name}`"),
            hint,
        )));
    }
    Group::by_name(name).map(Subject::Group).map_err(|error| {
        let hint = "`oaklath list groups` prints the names and what is built";
        usage(with_hint(anyhow!("{error}"), hint))
    })
}

fn print(out: &mut impl Write, rows: &[SpeedRow]) -> io::Result<()> {
    writeln!(out, "{}, vector code {}, one thread", cpu(), oaklath_simd::Level::get())?;
    if cfg!(debug_assertions) {
        writeln!(out, "This build is for debugging: `cargo run --release` is faster.")?;
    }
    let cells = rows.iter().map(|row| {
        [
            row.algorithm.to_owned(),
            row.operation.to_owned(),
            row.ops.to_string(),
            format!("{:.3}", row.seconds),
            format!("{:.4}", row.avg_ms),
            format!("{:.0}", row.ops_per_second),
        ]
    });
    let header = ["algorithm", "operation", "ops", "seconds", "avg ms", "ops/s"];
    writeln!(out, "\n{}", table(header, cells).trim_fmt())?;
    writeln!(out, "\nAverages, whatever else the machine did.")
}

/// Keys, coins and ciphertext are fixed: neither randomness nor their making is measured.
fn measure_kem(kem: &dyn Kem, time: Duration, rows: &mut Vec<SpeedRow>) -> Result<()> {
    let info = kem.info();
    let (seed, coins) = (vec![1; kem.seed_len()], vec![2; kem.coins_len()]);
    let (mut pk, mut sk) = (vec![0; info.public_key], vec![0; info.secret_key]);
    let (mut ct, mut ss) = (vec![0; info.ciphertext], vec![0; info.shared_secret]);
    rows.push(timed(info.name, "key gen", time, || {
        Ok(kem.keypair_from(black_box(&seed), &mut pk, &mut sk)?)
    })?);
    rows.push(timed(info.name, "encap", time, || {
        Ok(kem.encapsulate_from(&coins, black_box(&pk), &mut ct, &mut ss)?)
    })?);
    rows.push(timed(info.name, "decap", time, || {
        Ok(kem.decapsulate(&sk, black_box(&ct), &mut ss)?)
    })?);
    Ok(())
}

/// Keys are fixed; every call signs another message, since schemes that reject take another time for
/// each. Signatures take no randomness, but for those of Falcon and FN-DSA, whose random bytes are fixed.
fn measure_signature(
    scheme: &dyn Signature,
    time: Duration,
    rows: &mut Vec<SpeedRow>,
) -> Result<()> {
    let info = scheme.info();
    let seed = vec![1; scheme.seed_len()];
    let (mut pk, mut sk) = (vec![0; info.public_key], vec![0; info.secret_key]);
    let (mut signature, mut number, mut len) = (vec![0; info.signature], 0u64, 0);
    let coins = scheme.needs_coins().then(|| vec![2; scheme.coins_len()]);
    rows.push(timed(info.name, "key gen", time, || {
        Ok(scheme.keypair_from(black_box(&seed), &mut pk, &mut sk)?)
    })?);
    rows.push(timed(info.name, "sign", time, || {
        number += 1;
        let message = number.to_le_bytes();
        len = scheme.sign(
            black_box(&sk),
            &Message::new(&message),
            coins.as_deref(),
            &mut signature,
        )?;
        Ok(())
    })?);
    let (message, signature) = (number.to_le_bytes(), &signature[..len]);
    rows.push(timed(info.name, "verify", time, || {
        Ok(scheme.verify(black_box(&pk), &Message::new(&message), signature)?)
    })?);
    Ok(())
}

/// Both sides of a key exchange, randomness included.
fn measure_group(group: &Group, time: Duration, rows: &mut Vec<SpeedRow>) -> Result<()> {
    let name = group.info().name;
    let client = group.generate(&mut SysRng)?;
    let share = client.share().to_vec();
    rows.push(timed(name, "client", time, || {
        black_box(group.generate(&mut SysRng)?);
        Ok(())
    })?);
    rows.push(timed(name, "server", time, || {
        black_box(group.respond(&mut SysRng, black_box(&share))?);
        Ok(())
    })?);
    // A client's keys serve once: its two steps are measured together.
    let answer = group.respond(&mut SysRng, &share)?;
    rows.push(timed(name, "client, both", time, || {
        black_box(group.generate(&mut SysRng)?.finish(black_box(&answer.share))?);
        Ok(())
    })?);
    Ok(())
}

/// Repeats an operation for `time`, and once before: the first call pays for what is prepared once.
fn timed(
    algorithm: &'static str,
    operation: &'static str,
    time: Duration,
    mut run: impl FnMut() -> Result<()>,
) -> Result<SpeedRow> {
    let mut measure = || -> Result<(u64, f64)> {
        run()?;
        let (start, mut ops) = (Instant::now(), 0);
        loop {
            run()?;
            ops += 1;
            let elapsed = start.elapsed();
            if elapsed >= time {
                return Ok((ops, elapsed.as_secs_f64()));
            }
        }
    };
    let (ops, seconds) = measure().with_context(|| format!("{algorithm}, {operation}"))?;
    let (avg_ms, ops_per_second) = (seconds * 1e3 / ops as f64, ops as f64 / seconds);
    Ok(SpeedRow { kind: "speed", algorithm, operation, ops, seconds, avg_ms, ops_per_second })
}
