//! The published tables, one group each, under the names that they have there: `cargo bench -p
//! benches --bench tables [FILTER]`, in some minutes. Names and sizes, bytes and memory are no
//! times: `cargo xtask tables` has them, the published figures beside ours, and other levels.

use std::collections::BTreeSet;
use std::time::Duration;

use benches::quick;
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use oaklath_cli::setup::{Setup, Shown, Sides};
use oaklath_cli::testpki;
use oaklath_cli::tls_bench::engine::{BenchOptions, SideTotals, run};
use oaklath_lab::connections;
use oaklath_lab::published::{LIBOQS, TLS_BENCH, WOLFCRYPT, hash_based};
use oaklath_lab::speed;
use oaklath_lab::stateful::SetOperations;
use oaklath_lab::timing::Operation;

const GOOD: &str = "everything that is published is in this build";

fn setup() -> Setup {
    connections::setup(oaklath_tls::default_base(), Duration::ZERO)
}

fn bench(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, mut operation: Operation) {
    group.bench_function(name, |bencher| bencher.iter(|| operation().expect(GOOD)));
}

/// liboqs' `speed_kem`.
fn liboqs(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("liboqs");
    for [name, operation, ..] in LIBOQS.rows::<8>().expect(GOOD) {
        let case = speed::kem_operation(name, operation).expect(GOOD);
        bench(&mut group, &format!("{name} {operation}"), case);
    }
}

/// wolfCrypt's benchmark; several builds published the same row.
fn wolfcrypt(criterion: &mut Criterion) {
    let (setup, mut known) = (setup(), BTreeSet::new());
    let mut group = criterion.benchmark_group("wolfcrypt");
    for [_, operation, ..] in WOLFCRYPT.rows::<6>().expect(GOOD) {
        if known.insert(operation) {
            bench(&mut group, operation, speed::operation(&setup, operation).expect(GOOD));
        }
    }
}

/// LMS/HSS, XMSS and SHA-256.
fn hash_based_signatures(criterion: &mut Criterion) {
    let mut known = BTreeSet::new();
    let mut group = criterion.benchmark_group("hash-based");
    for row in hash_based().expect(GOOD) {
        // A key of a tall tree takes a second, which a filter saves.
        if known.insert(row.set) && benches::is_wanted(&format!("hash-based/{}", row.set)) {
            let SetOperations { sign, verify, .. } = SetOperations::of(row.set).expect(GOOD);
            if row.set == "SHA-256" {
                group.throughput(Throughput::Bytes(1 << 20));
                bench(&mut group, row.set, sign);
                continue;
            }
            bench(&mut group, &format!("{} sign", row.set), sign);
            bench(&mut group, &format!("{} verify", row.set), verify);
        }
    }
}

/// One of the times of a run.
type TimeOf = fn(&SideTotals) -> Duration;

/// `tls_bench`: the average handshake of a client; what it receives and sends in a connection.
fn tls_bench(criterion: &mut Criterion) {
    let (setup, mut known) = (setup(), BTreeSet::new());
    // What runs of some milliseconds say, for as many times as criterion asks.
    let options = BenchOptions { time: Duration::from_millis(10), ..BenchOptions::default() };
    let bytes = Throughput::Bytes(options.size as u64);
    let figures: [(&str, Throughput, TimeOf); 3] = [
        ("Connect", Throughput::Elements(1), |side| side.connect),
        ("Rx", bytes.clone(), |side| side.rx),
        ("Tx", bytes, |side| side.tx),
    ];
    let mut group = criterion.benchmark_group("tls_bench");
    for [_, _, suite, name, ..] in TLS_BENCH.rows::<12>().expect(GOOD) {
        if !known.insert((suite, name)) {
            continue;
        }
        let provider = setup.provider_with(name, suite).expect(GOOD);
        let sides = Sides::new(&provider, &testpki::RSA_2048, Shown::Server, 0).expect(GOOD);
        for (what, throughput, time) in &figures {
            group.throughput(throughput.clone());
            group.bench_function(format!("{suite} on {name}, {what}"), |bencher| {
                bencher.iter_custom(|times| {
                    let client = run(&sides, &options).expect(GOOD).client;
                    time(&client).mul_f64(times as f64 / client.connections as f64)
                });
            });
        }
    }
}

criterion_group! {
    name = tables;
    config = quick(10);
    targets = liboqs, wolfcrypt, hash_based_signatures, tls_bench
}
criterion_main!(tables);
