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
use crate::failure::{unknown_name, usage, with_hint};
use crate::machine::cpu;
use crate::table::{objects, print_json, table};
use crate::{signature, text};

/// Arguments of `oaklath speed`.
#[derive(Debug, clap::Args)]
pub(crate) struct SpeedArgs {
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
enum SpeedSubject {
    Kem(&'static dyn Kem),
    Signature(&'static dyn Signature),
    Group(Group),
}

/// Measures an operation and adds its row.
type AddRow<'a> = dyn FnMut(&'static str, &mut dyn FnMut() -> Result<()>) -> Result<()> + 'a;

/// Measures one operation after the other.
pub(crate) fn run(args: &SpeedArgs) -> Result<()> {
    let subjects = if args.names.is_empty() {
        let kems = oaklath_kem::all().iter().copied().map(SpeedSubject::Kem);
        kems.chain(oaklath_sig::all().iter().copied().map(SpeedSubject::Signature)).collect()
    } else {
        args.names.iter().map(|name| find(name)).collect::<Result<Vec<_>>>()?
    };
    let mut rows = Vec::new();
    for subject in subjects {
        let name = match &subject {
            SpeedSubject::Kem(kem) => kem.info().name,
            SpeedSubject::Signature(scheme) => scheme.info().name,
            SpeedSubject::Group(group) => group.info().name,
        };
        let mut add: Box<AddRow<'_>> = Box::new(|operation, run| {
            rows.push(timed(name, operation, args.seconds, run)?);
            Ok(())
        });
        match subject {
            SpeedSubject::Kem(kem) => measure_kem(kem, &mut add)?,
            SpeedSubject::Signature(scheme) => measure_signature(scheme, &mut add)?,
            SpeedSubject::Group(group) => measure_group(&group, &mut add)?,
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
fn find(name: &str) -> Result<SpeedSubject> {
    if sig::by_name(name).is_some() {
        return signature::find(name).map(SpeedSubject::Signature);
    }
    if kem::by_name(name).is_some() {
        return encapsulation::find(name).map(SpeedSubject::Kem);
    }
    if group::by_name(name).is_none() {
        let near =
            kem::suggest(name).or_else(|| sig::suggest(name)).or_else(|| group::suggest(name));
        let list = "`oaklath list` prints the names and what is built";
        return Err(unknown_name("algorithm and no group", name, near, list));
    }
    Group::by_name(name).map(SpeedSubject::Group).map_err(|error| {
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
fn measure_kem(kem: &dyn Kem, add: &mut AddRow<'_>) -> Result<()> {
    let info = kem.info();
    let (seed, coins) = (vec![1; kem.seed_len()], vec![2; kem.coins_len()]);
    let (mut pk, mut sk) = (vec![0; info.public_key], vec![0; info.secret_key]);
    let (mut ct, mut ss) = (vec![0; info.ciphertext], vec![0; info.shared_secret]);
    add("key gen", &mut || Ok(kem.keypair_from(black_box(&seed), &mut pk, &mut sk)?))?;
    add("encap", &mut || Ok(kem.encapsulate_from(&coins, black_box(&pk), &mut ct, &mut ss)?))?;
    add("decap", &mut || Ok(kem.decapsulate(&sk, black_box(&ct), &mut ss)?))?;
    Ok(())
}

/// Keys are fixed; every call signs another message, since schemes that reject take another time
/// for each. Signatures take no randomness, except those of Falcon and FN-DSA, whose random bytes
/// are fixed.
fn measure_signature(scheme: &dyn Signature, add: &mut AddRow<'_>) -> Result<()> {
    let info = scheme.info();
    let seed = vec![1; scheme.seed_len()];
    let (mut pk, mut sk) = (vec![0; info.public_key], vec![0; info.secret_key]);
    let (mut signature, mut number, mut len) = (vec![0; info.signature], 0u64, 0);
    let coins = scheme.needs_coins().then(|| vec![2; scheme.coins_len()]);
    add("key gen", &mut || Ok(scheme.keypair_from(black_box(&seed), &mut pk, &mut sk)?))?;
    add("sign", &mut || {
        number += 1;
        let message = number.to_le_bytes();
        len = scheme.sign(
            black_box(&sk),
            &Message::new(&message),
            coins.as_deref(),
            &mut signature,
        )?;
        Ok(())
    })?;
    let (message, signature) = (number.to_le_bytes(), &signature[..len]);
    add("verify", &mut || {
        Ok(scheme.verify(black_box(&pk), &Message::new(&message), signature)?)
    })?;
    Ok(())
}

/// Both sides of a key exchange, randomness included.
fn measure_group(group: &Group, add: &mut AddRow<'_>) -> Result<()> {
    let client = group.generate(&mut SysRng)?;
    let share = client.share().to_vec();
    add("client", &mut || {
        black_box(group.generate(&mut SysRng)?);
        Ok(())
    })?;
    add("server", &mut || {
        black_box(group.respond(&mut SysRng, black_box(&share))?);
        Ok(())
    })?;
    // A client's keys serve once: its two steps are measured together.
    let answer = group.respond(&mut SysRng, &share)?;
    add("client, both", &mut || {
        black_box(group.generate(&mut SysRng)?.finish(black_box(&answer.share))?);
        Ok(())
    })?;
    Ok(())
}

/// Repeats an operation for `time`, and once before: the first call pays for what is prepared once.
fn timed(
    algorithm: &'static str,
    operation: &'static str,
    time: Duration,
    run: &mut dyn FnMut() -> Result<()>,
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
