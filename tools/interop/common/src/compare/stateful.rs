//! The operations of stateful signatures.
//!
//! A key signs a bounded number of messages, and some libraries do the work of many signatures in
//! one of them: each signature is timed for itself, and both the median, which is that of a key
//! whose nodes are there, and the mean are printed. Who takes long is stopped after a while.

use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::Context;
use oaklath_measure::{Level, Summary, Unit};

use super::report::{Reporter, Row};
use crate::stateful::{Implementation, Key, ours};

/// What the head says of the figures.
pub(super) const NOTES: &str = "\
nanoseconds, on one thread; every call is timed
keygen: a key; of a hierarchy as much as the library makes: what it leaves to the first signature is in no row
sign: the median of consecutive signatures, as of a key whose nodes are kept; ours of a hierarchy grows a leaf of the next
      tree in each of them, others a whole tree in one of them
sign-mean: their mean, of a hierarchy over two trees of the lowest level at least, which has all of that in it
verify: with a key as bytes
";

/// Signatures of a key at most: those of the smallest tree that is timed.
const MOST: usize = 1000;
/// Signatures of a hierarchy, whatever was asked for: two of the largest trees of a lowest level.
const OF_HIERARCHY: usize = 2048;
/// For one library and operation.
const LIMIT: Duration = Duration::from_secs(4);

/// One implementation at work.
struct Contender<'a> {
    row: Row,
    implementation: &'a dyn Implementation,
    key: Box<dyn Key>,
    signature: Vec<u8>,
    keygen: Times,
    sign: Times,
    verify: Times,
}

/// Calls one after the other, in nanoseconds.
#[derive(Default)]
struct Times {
    all: Vec<f64>,
    spent: Duration,
}

impl Times {
    fn time<T>(&mut self, call: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = black_box(call());
        let spent = start.elapsed();
        self.spent += spent;
        self.all.push(spent.as_nanos() as f64);
        result
    }

    fn goes_on(&self) -> bool {
        self.spent < LIMIT
    }

    fn summary(&self, name: &str, of: impl Fn(&[f64]) -> f64) -> Summary {
        let mut sorted = self.all.clone();
        sorted.sort_by(f64::total_cmp);
        let p10 = sorted[sorted.len() / 10];
        let (median, unit) = (of(&sorted), Unit::Nanoseconds);
        Summary { name: name.to_owned(), median, p10, unit, batch: 1 }
    }
}

fn median(sorted: &[f64]) -> f64 {
    sorted[sorted.len() / 2]
}

fn mean(all: &[f64]) -> f64 {
    all.iter().sum::<f64>() / all.len() as f64
}

impl Contender<'_> {
    fn name(&self) -> &str {
        self.implementation.library()
    }

    /// At the level of the row.
    fn with<T>(row: Row, call: impl FnOnce() -> T) -> T {
        match row {
            Row::Ours(level) => level.with(call),
            Row::Peer(_) => call(),
        }
    }

    fn keygen(&mut self, round: u8) -> anyhow::Result<()> {
        let (times, implementation) = (&mut self.keygen, self.implementation);
        self.key = Self::with(self.row, || times.time(|| implementation.generate(&[round; 32])))?;
        Ok(())
    }

    fn sign(&mut self, message: &[u8]) -> anyhow::Result<()> {
        let (times, key) = (&mut self.sign, &mut self.key);
        self.signature = Self::with(self.row, || times.time(|| key.sign(message)))?;
        Ok(())
    }

    fn verify(&mut self, message: &[u8]) -> anyhow::Result<()> {
        let (times, implementation, signature) =
            (&mut self.verify, self.implementation, &self.signature);
        let public = self.key.public();
        let verify = || implementation.verify(&public, message, signature);
        Self::with(self.row, || times.time(verify)).context(implementation.library())
    }
}

/// Measures and prints every operation of a set.
pub(super) fn compare(
    set: &str,
    peers: &[Box<dyn Implementation>],
    samples: u32,
    reporter: &Reporter<'_>,
) -> anyhow::Result<()> {
    let mine = ours(set);
    let levels = reporter.levels.iter().map(|level: &Level| (Row::Ours(*level), &*mine));
    let others = peers.iter().map(|peer| (Row::Peer(peer.library()), &**peer));
    let contender = |(row, implementation): (Row, _)| new(row, implementation);
    let all: Result<Vec<_>, _> = levels.chain(others).map(contender).collect();
    let mut all = all?;

    let rounds = (samples as usize).clamp(1, MOST);
    // Growing a tree takes the same time each time.
    for round in 0..rounds.div_ceil(40) {
        for contender in all.iter_mut().filter(|contender| contender.keygen.goes_on()) {
            contender.keygen(round as u8)?;
        }
    }
    for contender in &mut all {
        let key = &mut contender.key;
        Contender::with(contender.row, || key.sign(b"first"))?;
    }
    let is_hierarchy = !["L1", "XMSS-"].iter().any(|single| set.starts_with(single));
    for round in 0..if is_hierarchy { OF_HIERARCHY } else { rounds } {
        let message = [round as u8; 32];
        for contender in all.iter_mut().filter(|contender| contender.sign.goes_on()) {
            contender.sign(&message)?;
            contender.verify(&message)?;
        }
    }
    let rows: Vec<Row> = all.iter().map(|contender| contender.row).collect();
    type Of = (&'static str, fn(&Contender<'_>) -> Summary);
    let operations: [Of; 4] = [
        ("keygen", |c| c.keygen.summary(c.name(), median)),
        ("sign", |c| c.sign.summary(c.name(), median)),
        ("sign-mean", |c| c.sign.summary(c.name(), mean)),
        ("verify", |c| c.verify.summary(c.name(), median)),
    ];
    for (operation, summary) in operations {
        let summaries: Vec<Summary> = all.iter().map(summary).collect();
        reporter.operation(set, operation, &rows, &summaries);
    }
    Ok(())
}

/// With a first key and a first signature: what fails is found before anything is timed.
fn new(row: Row, implementation: &dyn Implementation) -> anyhow::Result<Contender<'_>> {
    let (keygen, sign, verify) = (Times::default(), Times::default(), Times::default());
    let key = implementation.generate(&[1; 32]).context(implementation.library())?;
    let signature = Vec::new();
    Ok(Contender { row, implementation, key, signature, keygen, sign, verify })
}
