//! The operations of `traces`, and the comparison of their steps.

use std::error::Error;
use std::hint::black_box;
use std::ops::Range;

use oaklath_kem::Kem;
use oaklath_measure::{Tape, Trace, follow};
use oaklath_sig::Signature;
use oaklath_stateful::Index;

use crate::layout::{self, MESSAGE, STATEFUL, bytes};

pub(crate) type Fallible<T> = Result<T, Box<dyn Error>>;

const OF_KEMS: [&str; 4] = ["keygen", "encapsulate", "decapsulate", "prepared"];
const OF_SIGNATURES: [&str; 3] = ["keygen", "sign", "sign-prepared"];
const OF_STATEFUL: [&str; 2] = ["keygen", "sign"];
/// The planted leaks: by a branch, by an address, and by an early exit, which also shows in time.
const LEAKS: [&str; 3] = ["branch", "address", "compare"];

/// The number of secrets that are compared, if there is time for all.
const SECRETS: u64 = 32;

pub(crate) fn list() {
    let print = |name: &str, operations: &[&str]| {
        operations.iter().for_each(|operation| println!("{name} {operation}"));
    };
    oaklath_kem::all().iter().for_each(|kem| print(kem.info().name, &OF_KEMS));
    oaklath_sig::all().iter().for_each(|scheme| print(scheme.info().name, &OF_SIGNATURES));
    STATEFUL.iter().for_each(|name| print(name, &OF_STATEFUL));
    print("leak", &LEAKS);
}

/// The keys that an operation gets as its secrets.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keys {
    /// The public part is that of the first key: everything public is equal, but signing takes more
    /// attempts.
    Spliced,
    /// As they were generated.
    Whole,
}

/// An operation that is ready to be followed.
type Run = Box<dyn FnOnce()>;

/// An operation, and the secrets that it must treat alike.
pub(crate) struct Case {
    /// The secrets, of equal length and with equal public parts.
    pub(crate) secrets: Vec<Vec<u8>>,
    /// The bytes of each that are a key; the rest are random bytes for one run with it.
    pub(crate) key_len: usize,
    pub(crate) prepare: Box<dyn Fn(Vec<u8>) -> Run>,
}

pub(crate) struct Verdict {
    pub(crate) text: String,
    pub(crate) is_equal: bool,
}

impl Case {
    pub(crate) fn of(algorithm: &str, operation: &str, kind: Keys) -> Fallible<Self> {
        if algorithm == "leak" {
            Ok(Self::leak(operation))
        } else if let Some(name) = STATEFUL.into_iter().find(|name| *name == algorithm) {
            Ok(Self::stateful(name, operation == "sign"))
        } else if let Some(kem) = oaklath_kem::all().iter().find(|k| k.info().name == algorithm) {
            Self::kem(*kem, operation)
        } else {
            let mut all = oaklath_sig::all().iter();
            let scheme = all.find(|scheme| scheme.info().name == algorithm);
            Self::signature(*scheme.ok_or("no such algorithm")?, operation, kind)
        }
    }

    fn new(secrets: Vec<Vec<u8>>, prepare: impl Fn(Vec<u8>) -> Run + 'static) -> Self {
        Self { key_len: secrets[0].len(), secrets, prepare: Box::new(prepare) }
    }

    fn leak(operation: &str) -> Self {
        let secrets = secrets(4096);
        let first = secrets[0].clone();
        match operation {
            "branch" => Self::new(secrets, |secret| {
                Box::new(move || {
                    if black_box(&secret)[3] & 1 == 1 {
                        black_box(7);
                    }
                })
            }),
            "address" => Self::new(secrets, |secret| {
                let table = black_box([3_u8; 256]);
                Box::new(move || {
                    black_box(table[usize::from(black_box(&secret)[3])]);
                })
            }),
            _ => Self::new(secrets, move |secret| {
                let first = first.clone();
                Box::new(move || {
                    let mut pairs = secret.iter().zip(&first);
                    black_box(pairs.position(|(a, b)| black_box(a) != b));
                })
            }),
        }
    }

    fn kem(kem: &'static dyn Kem, operation: &str) -> Fallible<Self> {
        let info = kem.info();
        let buffers = move || {
            let secret = (vec![0; info.secret_key], vec![0; info.shared_secret]);
            (vec![0; info.public_key], vec![0; info.ciphertext], secret)
        };
        let keys = |seed: Vec<u8>| {
            let (mut pk, _, (mut sk, _)) = buffers();
            kem.keypair_from(&seed, &mut pk, &mut sk).map(|()| (pk, sk))
        };
        let seeds = secrets(kem.seed_len());
        if operation == "keygen" {
            return Ok(Self::new(seeds, move |seed| {
                let (mut pk, _, (mut sk, _)) = buffers();
                Box::new(move || done(kem.keypair_from(&seed, &mut pk, &mut sk)))
            }));
        }
        let keys = seeds.into_iter().map(keys).collect::<Result<Vec<_>, _>>()?;
        let (pk, sk) = keys[0].clone();
        if operation == "encapsulate" {
            return Ok(Self::new(secrets(kem.coins_len()), move |coins| {
                let ((_, mut ct, (_, mut ss)), pk) = (buffers(), pk.clone());
                Box::new(move || done(kem.encapsulate_from(&coins, &pk, &mut ct, &mut ss)))
            }));
        }
        // The ciphertext is for the first key; the others reject it, and nothing may reveal that.
        let (_, mut ct, (_, mut ss)) = buffers();
        kem.encapsulate_from(&bytes(kem.coins_len(), 1), &pk, &mut ct, &mut ss)?;
        let secret = layout::of_decapsulation_key(&pk, &sk);
        let keys = spliced(keys.into_iter().map(|(_, sk)| sk), &secret);
        let is_prepared = operation == "prepared";
        Ok(Self::new(keys, move |sk| {
            let ((_, _, (_, mut ss)), ct) = (buffers(), ct.clone());
            if is_prepared {
                let decapsulate = move || {
                    done(kem.prepare(&sk).and_then(|key| key.decapsulate(&ct, &mut ss)));
                };
                return Box::new(decapsulate);
            }
            Box::new(move || done(kem.decapsulate(&sk, &ct, &mut ss)))
        }))
    }

    fn signature(scheme: &'static dyn Signature, operation: &str, kind: Keys) -> Fallible<Self> {
        let info = scheme.info();
        let keys = move || (vec![0; info.public_key], vec![0; info.secret_key]);
        let seeds = secrets(scheme.seed_len());
        let parts = layout::of_seed(info, &seeds[0]);
        let seeds = spliced(seeds.into_iter(), &parts);
        if operation == "keygen" {
            return Ok(Self::new(seeds, move |seed| {
                let (mut pk, mut sk) = keys();
                Box::new(move || done(scheme.keypair_from(&seed, &mut pk, &mut sk)))
            }));
        }
        let key = |seed: Vec<u8>| {
            let (mut pk, mut sk) = keys();
            scheme.keypair_from(&seed, &mut pk, &mut sk).map(|()| sk)
        };
        let mut keys = seeds.into_iter().map(key).collect::<Result<Vec<_>, _>>()?;
        if kind == Keys::Spliced {
            keys = spliced(keys.into_iter(), &layout::of_signing_key(info));
        }
        let coins = secrets(scheme.coins_len());
        let parts = layout::of_coins(info, &coins[0]);
        let coins = spliced(coins.into_iter(), &parts);
        let both = keys.into_iter().zip(coins).map(|(key, coins)| [key, coins].concat());
        let is_prepared = operation == "sign-prepared";
        let case = Self::new(both.collect(), move |secret| {
            let mut out = vec![0; info.signature];
            if is_prepared {
                let signer = scheme.prepare_signer(&secret[..info.secret_key]).expect("a key");
                let sign = move || {
                    let coins = &secret[info.secret_key..];
                    done(signer.sign(&MESSAGE, Some(coins), &mut out).map(drop));
                };
                return Box::new(sign);
            }
            Box::new(move || {
                let (key, coins) = secret.split_at(info.secret_key);
                done(scheme.sign(key, &MESSAGE, Some(coins), &mut out).map(drop));
            })
        });
        Ok(Self { key_len: info.secret_key, ..case })
    }

    fn stateful(name: &'static str, signs: bool) -> Self {
        let seeds = secrets(layout::STATEFUL_SEED);
        let seeds = spliced(seeds.into_iter(), &[layout::of_stateful_seed(name)]);
        Self::new(seeds, move |seed| {
            if !signs {
                return Box::new(move || done(layout::stateful_key(name, &seed).map(drop)));
            }
            let mut key = layout::stateful_key(name, &seed).expect("a key");
            let mut out = vec![0; key.signature_len()];
            let index = Index::from_durable_record(5);
            Box::new(move || done(key.sign_at(index, b"a message", &mut out).map(drop)))
        })
    }

    /// Follows the operation with as many secrets as the budget of steps allows.
    pub(crate) fn compare(&self, budget: u64) -> Fallible<Verdict> {
        let half = budget >> 1;
        let tape = Tape::record(|| (self.prepare)(self.secrets[0].clone())());
        // Every child begins with the same heap, so the copies have the same address.
        let follow = |which: usize, limit: u64| {
            follow(&tape, limit, || (self.prepare)(self.secrets[which].clone()))
        };
        let (mut first, mut count) = (Trace::default(), 1);
        for which in 0..self.secrets.len() {
            let trace = follow(which, half)?;
            if which == 0 {
                (first, count) = (trace, (budget / trace.steps.max(1)).clamp(2, SECRETS));
            } else if trace != first {
                let text = difference(&first, &trace, |limit| {
                    Ok([follow(0, limit)?, follow(which, limit)?])
                })?;
                return Ok(Verdict { text, is_equal: false });
            }
            if which as u64 + 1 == count {
                break;
            }
        }
        let Trace { steps, unseen, .. } = first;
        let extent = if steps == half { "the first " } else { "" };
        let mut text = format!("{count} secrets, {extent}{steps} steps each");
        if unseen > 0 {
            text += &format!("; the addresses of {unseen} of them are not seen");
        }
        Ok(Verdict { text, is_equal: unseen == 0 })
    }
}

/// Describes where two runs first differ. `both` follows them for a number of steps.
fn difference(
    first: &Trace,
    other: &Trace,
    mut both: impl FnMut(u64) -> Fallible<[Trace; 2]>,
) -> Fallible<String> {
    let (mut equal, mut differ) = (0, first.steps.max(other.steps) + 1);
    while differ - equal > 1 {
        let middle = equal + (differ - equal) / 2;
        let [a, b] = both(middle)?;
        if a == b { equal = middle } else { differ = middle }
    }
    let [a, b] = both(differ)?;
    // Either the previous step jumped to different places, or this one names different addresses.
    let is_branch = a.instructions != b.instructions;
    let what = if is_branch { "a branch" } else { "an address" };
    let [at, _] = both(if is_branch { equal } else { differ })?;
    Ok(format!("{what} depends on the secret, at {:#x} (step {})", at.last - base()?, at.steps))
}

/// Returns where this program begins in memory.
fn base() -> Fallible<u64> {
    let maps = std::fs::read_to_string("/proc/self/maps")?;
    let first = maps.split('-').next().unwrap_or_default();
    Ok(u64::from_str_radix(first, 16)?)
}

fn done<E: std::fmt::Debug>(result: Result<(), E>) {
    result.expect("the operation succeeds");
}

fn secrets(len: usize) -> Vec<Vec<u8>> {
    (1..=SECRETS as u32).map(|which| bytes(len, which)).collect()
}

/// Returns copies of the first one, each with the secret parts of another.
fn spliced(all: impl Iterator<Item = Vec<u8>>, secret: &[Range<usize>]) -> Vec<Vec<u8>> {
    let all: Vec<_> = all.collect();
    let splice = |other: &Vec<u8>| {
        let mut bytes = all[0].clone();
        for part in secret {
            bytes[part.clone()].copy_from_slice(&other[part.clone()]);
        }
        bytes
    };
    all.iter().map(splice).collect()
}
