//! `oaklath speed`: a quick benchmark in the style of wolfSSL's.

use std::hint::black_box;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use getrandom::SysRng;
use oaklath_hash::sha2::{sha256, sha512};
use oaklath_hash::sha3::sha3_256;
use oaklath_hybrid::{Ecdh, Group};
use oaklath_kem::Kem;
use oaklath_params::stateful::{lms, xmss};
use oaklath_params::{curve, group, kem, sig};
use oaklath_sig::{Message, Signature};
use oaklath_simd::aes256_key_stream;
use oaklath_stateful::{
    HssLevels, HssSigningKey, Index, NODE_BYTES, StatefulKey, XmssSigningKey, xmss_seed_len,
};
use serde::Serialize;

use crate::encapsulation;
use crate::failure::{unknown_name, usage, with_hint};
use crate::machine::cpu;
use crate::progress::side_by_side;
use crate::table::{print_json, table};
use crate::{signature, text};

/// Arguments of `oaklath speed`.
#[derive(Debug, clap::Args)]
pub(crate) struct SpeedArgs {
    /// KEMs, signature schemes, LMS and XMSS sets, groups of TLS, curves, SHA-256,
    /// SHA-512, SHA3-256, AES-256-CTR; all KEMs and signature schemes if left out
    names: Vec<String>,
    /// Seconds for each operation
    #[arg(long, value_name = "N", default_value = "0.25", value_parser = text::seconds)]
    seconds: Duration,
    /// Threads that measure side by side, each with its own keys
    #[arg(short, long, value_name = "N", default_value_t = 1,
        value_parser = clap::value_parser!(u32).range(1..=1024))]
    jobs: u32,
    /// Print one JSON array instead of a table, one object a line
    #[arg(long)]
    json: bool,
    /// How to print it: table, or lines as wolfCrypt's benchmark prints them
    #[arg(long, value_name = "FORMAT", value_parser = ["table", "wolfcrypt"],
        default_value = "table", conflicts_with = "json")]
    format: String,
}

/// The name of the operation of algorithms that are measured by throughput.
const MIB: &str = "MiB";

/// The measurement of one operation.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename = "speed")]
struct SpeedRow {
    algorithm: &'static str,
    operation: &'static str,
    ops: u64,
    seconds: f64,
    avg_ms: f64,
    ops_per_second: f64,
}

impl SpeedRow {
    /// Adds the row of another thread.
    fn and(self, other: &Self) -> Self {
        let ops = self.ops + other.ops;
        let total = self.avg_ms * self.ops as f64 + other.avg_ms * other.ops as f64;
        Self {
            ops,
            seconds: self.seconds.max(other.seconds),
            avg_ms: total / ops as f64,
            ops_per_second: self.ops_per_second + other.ops_per_second,
            ..self
        }
    }
}

/// A function that measures the operations of an algorithm.
type Measure = dyn Fn(&mut Rows) -> Result<()> + Sync;

/// An algorithm that can be measured.
struct SpeedSubject {
    name: &'static str,
    measure: Box<Measure>,
}

impl SpeedSubject {
    fn new(name: &'static str, measure: impl Fn(&mut Rows) -> Result<()> + Sync + 'static) -> Self {
        Self { name, measure: Box::new(measure) }
    }
}

/// An algorithm that processes a message: its name, and a function that processes a MiB.
type BulkSubject = (&'static str, fn(&mut [u8]));

static BULK: [BulkSubject; 4] = [
    ("SHA-256", |data| digest(data, sha256)),
    ("SHA-512", |data| digest(data, sha512)),
    ("SHA3-256", |data| digest(data, sha3_256)),
    ("AES-256-CTR", |data| aes256_key_stream(&[7; 32], &[0; 12], 0, data)),
];

/// Hashes all of `data`, and overwrites its beginning with the digest.
fn digest<const N: usize>(data: &mut [u8], hash: fn(&[u8]) -> [u8; N]) {
    let digest = hash(data);
    data[..N].copy_from_slice(&digest);
}

/// The measurements of an algorithm.
struct Rows {
    algorithm: &'static str,
    /// How long each operation is repeated.
    time: Duration,
    rows: Vec<SpeedRow>,
}

/// Measures the operations one after the other, and prints the results.
pub(crate) fn run(args: &SpeedArgs) -> Result<()> {
    let kems = oaklath_kem::all().iter().map(|kem| kem.info().name);
    let schemes = oaklath_sig::all().iter().map(|scheme| scheme.info().name);
    let all = kems.chain(schemes).filter(|_| args.names.is_empty());
    let names = args.names.iter().map(String::as_str).chain(all);
    let subjects = names.map(find).collect::<Result<Vec<_>>>()?;
    let mut rows = Vec::new();
    for subject in &subjects {
        rows.extend(measure_in_threads(subject, args)?);
    }
    if args.json {
        return print_json(&rows);
    }
    let mut out = io::stdout().lock();
    match &*args.format {
        "wolfcrypt" => Ok(rows.iter().try_for_each(|row| print_line(&mut out, row))?),
        _ => Ok(print(&mut out, &rows, args.jobs)?),
    }
}

/// Measures all operations of a subject in each thread, and adds up the rows of the threads.
fn measure_in_threads(subject: &SpeedSubject, args: &SpeedArgs) -> Result<Vec<SpeedRow>> {
    let of_threads = side_by_side(args.jobs, || {
        let mut rows = Rows { algorithm: subject.name, time: args.seconds, rows: Vec::new() };
        (subject.measure)(&mut rows)?;
        Ok(rows.rows)
    })?;
    let add = |a: Vec<SpeedRow>, b| a.into_iter().zip(b).map(|(a, b)| a.and(&b)).collect();
    of_threads.into_iter().reduce(add).context("no thread ran")
}

/// Prints a row as wolfCrypt's benchmark does.
fn print_line(out: &mut impl Write, row: &SpeedRow) -> io::Result<()> {
    let SpeedRow { algorithm, operation, ops, seconds, avg_ms, ops_per_second, .. } = row;
    if *operation == MIB {
        return writeln!(
            out,
            "{algorithm:<39} {ops:>9} MiB took {seconds:.3} seconds, {ops_per_second:8.3} MiB/s"
        );
    }
    writeln!(
        out,
        "{algorithm:<24} {operation:<14} {ops:>9} ops took {seconds:.3} sec, avg {avg_ms:.3} ms, \
         {ops_per_second:.3} ops/sec"
    )
}

/// Returns the algorithm with this name. wolfSSL has one name for a KEM and its pure group.
fn find(name: &str) -> Result<SpeedSubject> {
    if sig::by_name(name).is_some() {
        let scheme = signature::find(name)?;
        let measure = move |rows: &mut Rows| measure_signature(scheme, rows);
        return Ok(SpeedSubject::new(scheme.info().name, measure));
    }
    if kem::by_name(name).is_some() {
        let kem = encapsulation::find(name)?;
        return Ok(SpeedSubject::new(kem.info().name, move |rows| measure_kem(kem, rows)));
    }
    if let Some(info) = lms::by_name(name) {
        let levels = HssLevels::from(info);
        let seed = vec![7; levels.seed_len()];
        let new = move || Ok(HssSigningKey::from_seed(&levels, &seed, NODE_BYTES)?);
        return Ok(SpeedSubject::new(info.name, move |rows| measure_stateful(&new, rows)));
    }
    if let Some(info) = xmss::by_name(name) {
        let seed = vec![7; xmss_seed_len(info)];
        let new = move || Ok(XmssSigningKey::from_seed(info, &seed, NODE_BYTES)?);
        return Ok(SpeedSubject::new(info.name, move |rows| measure_stateful(&new, rows)));
    }
    if let Some(ecdh) = curve::by_name(name).and_then(oaklath_hybrid::by_curve) {
        return Ok(SpeedSubject::new(ecdh.curve().name, move |rows| measure_curve(ecdh, rows)));
    }
    if let Some((name, run)) = BULK.iter().find(|bulk| bulk.0.eq_ignore_ascii_case(name)) {
        return Ok(SpeedSubject::new(name, |rows| measure_bulk(*run, rows)));
    }
    if group::by_name(name).is_none() {
        let near =
            kem::suggest(name).or_else(|| sig::suggest(name)).or_else(|| group::suggest(name));
        let list =
            "`oaklath list` prints the names; also P-256, X25519, SHA-256, AES-256-CTR and others";
        return Err(unknown_name("algorithm and no group", name, near, list));
    }
    let group = Group::by_name(name).map_err(|error| {
        let hint = "`oaklath list groups` prints the names and what is built";
        usage(with_hint(anyhow!("{error}"), hint))
    })?;
    Ok(SpeedSubject::new(group.info().name, move |rows| measure_group(&group, rows)))
}

fn print(out: &mut impl Write, rows: &[SpeedRow], threads: u32) -> io::Result<()> {
    let (level, s) = (oaklath_simd::Level::get(), if threads == 1 { "" } else { "s" });
    writeln!(out, "{}, vector code {level}, {threads} thread{s}", cpu())?;
    if cfg!(debug_assertions) {
        writeln!(out, "This build is for debugging: `cargo run --release` is faster.")?;
    }
    let cells = |row: &SpeedRow| {
        vec![
            row.algorithm.to_owned(),
            row.operation.to_owned(),
            row.ops.to_string(),
            format!("{:.3}", row.seconds),
            format!("{:.4}", row.avg_ms),
            format!("{:.0}", row.ops_per_second),
        ]
    };
    let header = ["algorithm", "operation", "ops", "seconds", "avg ms", "ops/s"];
    writeln!(out, "\n{}", table(header, rows.iter().map(cells).collect()).trim_fmt())?;
    writeln!(out, "\nAverages, whatever else the machine did.")
}

/// Measures a KEM with fixed seed and coins, so that drawing randomness is not measured.
fn measure_kem(kem: &dyn Kem, rows: &mut Rows) -> Result<()> {
    let info = kem.info();
    let (seed, coins) = (vec![1; kem.seed_len()], vec![2; kem.coins_len()]);
    let (mut pk, mut sk) = (vec![0; info.public_key], vec![0; info.secret_key]);
    let (mut ct, mut ss) = (vec![0; info.ciphertext], vec![0; info.shared_secret]);
    rows.time("key gen", &mut || Ok(kem.keypair_from(black_box(&seed), &mut pk, &mut sk)?))?;
    rows.time("encap", &mut || {
        Ok(kem.encapsulate_from(&coins, black_box(&pk), &mut ct, &mut ss)?)
    })?;
    rows.time("decap", &mut || Ok(kem.decapsulate(&sk, black_box(&ct), &mut ss)?))?;
    Ok(())
}

/// Measures a signature scheme with a fixed key. Every call signs a different message, since the
/// time of schemes with rejection depends on the message. Signatures use no randomness, except
/// those of Falcon and FN-DSA, whose random bytes are fixed.
fn measure_signature(scheme: &dyn Signature, rows: &mut Rows) -> Result<()> {
    let info = scheme.info();
    let seed = vec![1; scheme.seed_len()];
    let (mut pk, mut sk) = (vec![0; info.public_key], vec![0; info.secret_key]);
    let (mut signature, mut number, mut len) = (vec![0; info.signature], 0u64, 0);
    let coins = scheme.needs_coins().then(|| vec![2; scheme.coins_len()]);
    rows.time("key gen", &mut || Ok(scheme.keypair_from(black_box(&seed), &mut pk, &mut sk)?))?;
    rows.time("sign", &mut || {
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
    rows.time("verify", &mut || {
        Ok(scheme.verify(black_box(&pk), &Message::new(&message), signature)?)
    })?;
    Ok(())
}

/// Measures a stateful scheme. Signing uses consecutive indices, so that each signature includes
/// its share of growing the next trees; a small key's indices are reused.
fn measure_stateful<K: StatefulKey>(new: impl Fn() -> Result<K>, rows: &mut Rows) -> Result<()> {
    const MESSAGE: &[u8] = b"a message";
    let mut key = new()?;
    rows.time("key gen", &mut || {
        key = new()?;
        Ok(())
    })?;
    key.prepare(0)?;
    let mut signature = vec![0; key.signature_len()];
    let (last, mut next) = (key.signatures() - 1, 0);
    rows.time("sign", &mut || {
        let index = Index::from_durable_record(next & last);
        next += 1;
        key.sign_at(index, MESSAGE, &mut signature)?;
        Ok(())
    })?;
    rows.time("verify", &mut || Ok(key.check(black_box(MESSAGE), &signature).map(drop)?))
}

/// Measures key generation, alone and with an agreement, including randomness.
fn measure_curve(ecdh: &dyn Ecdh, rows: &mut Rows) -> Result<()> {
    let peer = ecdh.generate(&mut SysRng)?.share().to_vec();
    rows.time("key gen", &mut || Ok(black_box(ecdh.generate(&mut SysRng)).map(drop)?))?;
    rows.time("key gen, agree", &mut || {
        Ok(black_box(ecdh.respond(&mut SysRng, black_box(&peer))).map(drop)?)
    })
}

/// Measures both sides of a key exchange, including randomness.
fn measure_group(group: &Group, rows: &mut Rows) -> Result<()> {
    let client = group.generate(&mut SysRng)?;
    let share = client.share().to_vec();
    rows.time("client", &mut || Ok(black_box(group.generate(&mut SysRng)).map(drop)?))?;
    rows.time("server", &mut || {
        Ok(black_box(group.respond(&mut SysRng, black_box(&share))).map(drop)?)
    })?;
    // A client's key can be used only once, so its two steps are measured together.
    let answer = group.respond(&mut SysRng, &share)?;
    rows.time("client, both", &mut || {
        let client = group.generate(&mut SysRng)?;
        Ok(black_box(client.finish(black_box(&answer.share))).map(drop)?)
    })
}

/// Measures a function that processes a MiB.
fn measure_bulk(run: fn(&mut [u8]), rows: &mut Rows) -> Result<()> {
    let mut data = vec![7; 1 << 20];
    rows.time(MIB, &mut || {
        run(black_box(&mut data));
        Ok(())
    })
}

impl Rows {
    /// Repeats an operation, after one unmeasured call that pays for one-time setup, and adds its
    /// row.
    fn time(&mut self, operation: &'static str, run: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        let algorithm = self.algorithm;
        let mut measure = || -> Result<(u64, f64)> {
            run()?;
            let (start, mut ops) = (Instant::now(), 0);
            loop {
                run()?;
                ops += 1;
                let elapsed = start.elapsed();
                if elapsed >= self.time {
                    return Ok((ops, elapsed.as_secs_f64()));
                }
            }
        };
        let (ops, seconds) = measure().with_context(|| format!("{algorithm}, {operation}"))?;
        let (avg_ms, ops_per_second) = (seconds * 1e3 / ops as f64, ops as f64 / seconds);
        self.rows.push(SpeedRow { algorithm, operation, ops, seconds, avg_ms, ops_per_second });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_add_up() {
        let row = |ops, seconds, avg_ms| SpeedRow {
            algorithm: "X25519",
            operation: "key gen",
            ops,
            seconds,
            avg_ms,
            ops_per_second: ops as f64 / seconds,
        };
        let sum = row(300, 1.0, 3.0).and(&row(100, 2.0, 7.0));
        assert_eq!((sum.ops, sum.seconds), (400, 2.0));
        assert_eq!((sum.avg_ms, sum.ops_per_second), (4.0, 350.0));
    }
}
