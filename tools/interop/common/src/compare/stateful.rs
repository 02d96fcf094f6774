//! The operations of stateful signatures.
//!
//! A key signs a bounded number of messages, and some libraries do the work of many signatures in
//! one of them. So each signature is timed by itself, and median (of a key whose nodes are
//! computed), mean and maximum are printed. Our hierarchies grow their trees in three ways, each
//! measured for its purpose. Slow libraries are stopped after a while.

use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::Context;
use oaklath_measure::{Level, Summary, Unit};
use oaklath_stateful::Growth;

use super::report::{Reporter, Row};
use crate::stateful::{Implementation, Key, ours_growing};

/// Notes of the head on the figures.
pub(super) const NOTES: &str = "\
nanoseconds, on one thread where the name says nothing else; every call is timed, eight of a contender in a row
keygen: a key; of a hierarchy as much as the library makes: what it leaves to the first signature is in no row
sign, sign-mean: the median and the mean of consecutive signatures, as of a key whose nodes are kept
of a hierarchy over two trees of the lowest level at least; those in Rust grow a whole tree in one signature:
sign-even-mean, sign-even-max: ours grows two leaves of the next tree in each (Growth::Even), so that all work is in the mean;
      its median, with those leaves, is in no row: what it buys is the maximum
sign-idle, sign-idle-max: the median and the maximum; ours grows between signatures, which is not timed (Growth::Idle)
sign-lazy, sign-lazy-mean: the median and the mean; ours grows a whole tree in one signature, too, and twice (Growth::Lazy)
verify: with a key as bytes
";

/// The most signatures of a key: those of the smallest tree that is timed.
const MOST: usize = 1000;
/// Signatures of a hierarchy, whatever was asked for: two of the largest lowest trees.
const OF_HIERARCHY: usize = 2048;
/// How many signatures a contender makes in a row. After calls of others, vectors of 512 bits run
/// slowly for some ten microseconds, which are in one call of so many.
const IN_TURN: usize = 8;
/// The time limit for one library and operation.
const LIMIT: Duration = Duration::from_secs(4);

/// One implementation at work.
struct Contender<'a> {
    row: Row,
    /// How ours grows its trees; none for a peer.
    growth: Option<Growth>,
    implementation: &'a dyn Implementation,
    key: Box<dyn Key>,
    signature: Vec<u8>,
    keygen: Times,
    sign: Times,
    verify: Times,
}

/// The times of calls in order, in nanoseconds.
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

fn maximum(sorted: &[f64]) -> f64 {
    sorted[sorted.len() - 1]
}

fn mean(all: &[f64]) -> f64 {
    all.iter().sum::<f64>() / all.len() as f64
}

impl Contender<'_> {
    fn name(&self) -> &str {
        self.implementation.library()
    }

    /// Runs a call at the level of the row.
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
        if self.growth == Some(Growth::Idle) {
            Self::with(self.row, || key.grow());
        }
        Ok(())
    }

    /// Reports whether this is a peer, or ours with this growth.
    fn grows(&self, growth: Growth) -> bool {
        self.growth.is_none_or(|own| own == growth)
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
    let is_hierarchy = !["L1", "XMSS-"].iter().any(|single| set.starts_with(single));
    let growths = if is_hierarchy { &GROWTHS[..] } else { &GROWTHS[..1] };
    let mine: Vec<_> = growths.iter().map(|growth| (*growth, ours_growing(set, *growth))).collect();
    let levels = mine.iter().flat_map(|(growth, mine)| {
        let row = |level: &Level| (Row::Ours(*level), Some(*growth), &**mine);
        reporter.levels.iter().map(row)
    });
    let others = peers.iter().map(|peer| (Row::Peer(peer.library()), None, &**peer));
    let all: Result<Vec<_>, _> = levels.chain(others).map(new).collect();
    let mut all = all?;

    let rounds = (samples as usize).clamp(1, MOST);
    // Growing a tree takes constant time, so fewer rounds do.
    for round in 0..rounds.div_ceil(40) {
        let is_timed = |contender: &&mut Contender<'_>| {
            contender.grows(Growth::Even) && contender.keygen.goes_on()
        };
        for contender in all.iter_mut().filter(is_timed) {
            contender.keygen(round as u8)?;
        }
    }
    for contender in &mut all {
        let key = &mut contender.key;
        Contender::with(contender.row, || key.sign(b"first"))?;
    }
    let last = all.len() - 1;
    let rounds = (0..if is_hierarchy { OF_HIERARCHY } else { rounds }).step_by(IN_TURN);
    for (round, backwards) in rounds.zip([false, true].into_iter().cycle()) {
        for at in 0..=last {
            // To and fro, since the first of ours after the peers finds vectors cold, and the next
            // ones find them warm.
            let contender = &mut all[if backwards { last - at } else { at }];
            if !contender.sign.goes_on() {
                continue;
            }
            for message in (round..round + IN_TURN).map(|number| [number as u8; 32]) {
                contender.sign(&message)?;
                contender.verify(&message)?;
            }
        }
    }
    let signing = if is_hierarchy { &OF_HIERARCHIES[..] } else { &OF_TREES[..] };
    let [keygen, verify] = KEYGEN_AND_VERIFY;
    for (operation, growth, summary) in [keygen].iter().chain(signing).chain(&[verify]) {
        let part: Vec<_> = all.iter().filter(|contender| contender.grows(*growth)).collect();
        let rows: Vec<Row> = part.iter().map(|contender| contender.row).collect();
        let summaries: Vec<Summary> = part.iter().map(|contender| summary(contender)).collect();
        reporter.operation(set, operation, &rows, &summaries);
    }
    Ok(())
}

/// A row: its name, how ours grows, and the figure taken from the times.
type Operation = (&'static str, Growth, fn(&Contender<'_>) -> Summary);

const GROWTHS: [Growth; 3] = [Growth::Even, Growth::Idle, Growth::Lazy];
const KEYGEN_AND_VERIFY: [Operation; 2] = [
    ("keygen", Growth::Even, |c| c.keygen.summary(c.name(), median)),
    ("verify", Growth::Even, |c| c.verify.summary(c.name(), median)),
];
const OF_TREES: [Operation; 2] = [
    ("sign", Growth::Even, |c| c.sign.summary(c.name(), median)),
    ("sign-mean", Growth::Even, |c| c.sign.summary(c.name(), mean)),
];
const OF_HIERARCHIES: [Operation; 6] = [
    ("sign-even-mean", Growth::Even, |c| c.sign.summary(c.name(), mean)),
    ("sign-even-max", Growth::Even, |c| c.sign.summary(c.name(), maximum)),
    ("sign-idle", Growth::Idle, |c| c.sign.summary(c.name(), median)),
    ("sign-idle-max", Growth::Idle, |c| c.sign.summary(c.name(), maximum)),
    ("sign-lazy", Growth::Lazy, |c| c.sign.summary(c.name(), median)),
    ("sign-lazy-mean", Growth::Lazy, |c| c.sign.summary(c.name(), mean)),
];

/// Makes a first key and a first signature, so that errors are found before anything is timed.
fn new(
    (row, growth, implementation): (Row, Option<Growth>, &dyn Implementation),
) -> anyhow::Result<Contender<'_>> {
    let (keygen, sign, verify) = (Times::default(), Times::default(), Times::default());
    let key = implementation.generate(&[1; 32]).context(implementation.library())?;
    let signature = Vec::new();
    Ok(Contender { row, growth, implementation, key, signature, keygen, sign, verify })
}
