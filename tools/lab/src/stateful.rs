//! LMS/HSS, XMSS and SHA-256, row by row.

use std::hint::black_box;
use std::time::Duration;

use anyhow::{Context, Error, Result, ensure};
use oaklath_cli::setup::Setup;
use oaklath_hash::sha2::sha256;
use oaklath_measure::Level;
use oaklath_params::stateful::{lms, xmss};
use oaklath_stateful::{
    HssLevels, HssPublicKey, HssSigningKey, Index, NODE_BYTES, StatefulKey, XmssPublicKey,
    XmssSigningKey, XmssTrees, xmss_seed_len,
};
use rayon::ThreadPoolBuilder;

use crate::published::{HashBased, hash_based};
use crate::report::{Cell, RATIO, Table};
use crate::timing::{Operation, Timing, repeat};

const MESSAGE: &[u8] = b"message";
const MIB: usize = 1 << 20;

/// Measures every published row beside ours.
///
/// # Errors
/// If a set is unknown, or an operation fails.
pub fn table(setup: &Setup) -> Result<Table> {
    let mut table = Table::new(
        "stateful",
        "LMS/HSS, XMSS and SHA-256",
        &[
            "published on",
            "set",
            "operation",
            "published, avg ms",
            "published, per s",
            "ops",
            "avg ms",
            "per s",
            "scalar, per s",
            "key generation, 1 thread, ms",
            "4 threads, ms",
            RATIO,
        ],
    );
    for note in NOTES {
        table = table.note(*note);
    }
    table = table.note(hand_over(setup.time)?).because(
        "SHA-256",
        "one message, block after block: the latency of this CPU's SHA instructions",
    );
    let mut known: Vec<(&str, Set)> = Vec::new();
    for HashBased { setting, set, operation, per_second } in hash_based()? {
        let measured = match known.iter().find(|(known, _)| *known == set) {
            Some((_, measured)) => *measured,
            None => {
                let measured = Set::measure(set, setup.time).with_context(|| set.to_owned())?;
                known.push((set, measured));
                measured
            }
        };
        let (best, scalar) = match operation {
            "verify" => measured.verify,
            _ => measured.sign,
        };
        let keygen = measured.keygen;
        table.push(vec![
            Cell::text(setting),
            Cell::text(set),
            Cell::text(if set == "SHA-256" { "hash, MiB" } else { operation }),
            Cell::Number(1e3 / per_second, 3),
            Cell::Number(per_second, 1),
            Cell::Count(best.ops),
            Cell::Number(best.micros.0 / 1e3, 4),
            Cell::Number(best.per_second(), 1),
            Cell::Number(scalar.per_second(), 1),
            Cell::some(keygen.map(|[one, _]| one.as_secs_f64() * 1e3), 1),
            Cell::some(keygen.map(|[_, four]| four.as_secs_f64() * 1e3), 1),
            Cell::Number(best.per_second() / per_second, 2),
        ]);
    }
    Ok(table)
}

const NOTES: &[&str] = &[
    "Signing walks through the indices, so that each signature grows its leaf of the next trees, as in practice; \
     nodes are kept. Several threads are used for key generation only; both columns are of one generation.",
    "At the best level of this machine with its SHA instructions, and scalar without them. A verification takes a key as bytes.",
];

/// Measures what it would cost to divide a signature or a verification among threads.
fn hand_over(time: Duration) -> Result<String> {
    let pool = ThreadPoolBuilder::new().num_threads(4).build()?;
    let there_and_back = repeat(time, || {
        pool.install(|| black_box(()));
        Ok(())
    })?;
    let micros = there_and_back.micros.0;
    Ok(format!(
        "Published rows with four threads are beside one thread here, whose hash chains run side by side in the lanes of \
         vectors. Passing work to another thread and waiting for it takes {micros:.1} microseconds on this machine, which \
         pays off for a signature or verification of W8, but hardly for one of W2 or W4. Threads that each run whole \
         operations pass nothing: `oaklath speed -j N` measures that."
    ))
}

/// A timing at the best level, and scalar.
type Both = (Timing, Timing);

/// The measurements of a set.
#[derive(Clone, Copy, Debug)]
struct Set {
    sign: Both,
    verify: Both,
    /// The times with one thread and with four.
    keygen: Option<[Duration; 2]>,
}

impl Set {
    fn measure(set: &str, time: Duration) -> Result<Self> {
        let SetOperations { generate, sign, verify } = SetOperations::of(set)?;
        let keygen =
            generate.map(|new| Ok::<_, Error>([generation(1, &new)?, generation(4, &new)?]));
        let keygen = keygen.transpose()?;
        Ok(Self { sign: both(time, sign)?, verify: both(time, verify)?, keygen })
    }
}

/// The operations of the published rows of a set; for SHA-256, both hash a MiB.
#[expect(missing_debug_implementations, reason = "functions")]
pub struct SetOperations {
    /// Makes a key; `None` for SHA-256.
    generate: Option<Box<dyn Fn() -> Result<()> + Sync>>,
    /// Signs with the next index.
    pub sign: Operation,
    /// Verifies.
    pub verify: Operation,
}

impl SetOperations {
    /// Returns the operations of a set in the spelling of the published tables.
    ///
    /// # Errors
    /// If there is no such set.
    pub fn of(set: &str) -> Result<Self> {
        if set == "SHA-256" {
            let hash = || -> Operation {
                let message = vec![7; MIB];
                Box::new(move || {
                    black_box(sha256(black_box(&message)));
                    Ok(())
                })
            };
            return Ok(Self { generate: None, sign: hash(), verify: hash() });
        }
        if let Some(info) = set.strip_prefix("LMS/HSS ").and_then(lms::by_name) {
            let levels = HssLevels::from(info);
            let seed = vec![7; levels.seed_len()];
            let new = move || Ok(HssSigningKey::from_seed(&levels, &seed, NODE_BYTES)?);
            return Self::of_key(new, |key, signature| {
                Ok(HssPublicKey::from_bytes(key)?.verify(MESSAGE, signature)?)
            });
        }
        let info = xmss::by_name(set).context("no set is called so")?;
        let seed = vec![7; xmss_seed_len(info)];
        let new = move || Ok(XmssSigningKey::from_seed(info, &seed, NODE_BYTES)?);
        Self::of_key(new, |key, signature| {
            let key = XmssPublicKey::from_bytes(XmssTrees::of(info), key)?;
            Ok(key.verify(MESSAGE, signature)?)
        })
    }

    fn of_key<K: StatefulKey + 'static>(
        new: impl Fn() -> Result<K> + Sync + 'static,
        verify: impl Fn(&[u8], &[u8]) -> Result<()> + 'static,
    ) -> Result<Self> {
        let mut key = new()?;
        key.prepare(0)?;
        let (public, mut signature) = (key.public_key().to_vec(), vec![0; key.signature_len()]);
        key.sign_at(Index::from_durable_record(0), MESSAGE, &mut signature)?;
        let known = signature.clone();
        // A small key runs through its indices repeatedly, which is safe: the key is thrown away.
        let (last, mut next) = (key.signatures() - 1, 1);
        Ok(Self {
            generate: Some(Box::new(move || new().map(drop))),
            sign: Box::new(move || {
                let index = Index::from_durable_record(next & last);
                next += 1;
                key.sign_at(index, MESSAGE, &mut signature)?;
                Ok(())
            }),
            verify: Box::new(move || verify(black_box(&public), &known)),
        })
    }
}

/// Returns the time of a key generation in a pool of this many threads, all of them at the level of
/// this thread.
fn generation(threads: usize, new: &(impl Fn() -> Result<()> + Sync)) -> Result<Duration> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
    let start = std::time::Instant::now();
    pool.install(new)?;
    let elapsed = start.elapsed();
    ensure!(elapsed > Duration::ZERO, "the clock does not advance");
    Ok(elapsed)
}

/// Measures at the best level, and scalar.
fn both(time: Duration, mut operation: impl FnMut() -> Result<()>) -> Result<Both> {
    let best = repeat(time, &mut operation)?;
    let scalar = Level::by_name("scalar").context("no scalar code")?;
    Ok((best, scalar.with(|| repeat(time, &mut operation))?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_each_kind() {
        for set in ["LMS/HSS L3_H5_W4", "XMSSMT-SHA2_20/4_256", "SHA-256"] {
            let measured = Set::measure(set, Duration::ZERO).unwrap();
            assert!(measured.sign.0.ops > 0 && measured.verify.1.ops > 0, "{set}");
            assert_eq!(measured.keygen.is_some(), set != "SHA-256");
        }
        assert!(Set::measure("XMSS-SHA2_11_256", Duration::ZERO).is_err());
    }

    #[test]
    fn every_published_set_is_known() {
        for row in hash_based().unwrap() {
            let name = row.set.strip_prefix("LMS/HSS ");
            let known = match name {
                Some(name) => lms::by_name(name).is_some(),
                None => row.set == "SHA-256" || xmss::by_name(row.set).is_some(),
            };
            assert!(known, "{}", row.set);
        }
    }
}
