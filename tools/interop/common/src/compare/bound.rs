//! Bounds for our times: what the hashing of an operation and its transforms and products cost at
//! a level if every lane is full, from [counts] and from kernels that are measured in the same run.

use std::{array, hint::black_box, ops::Range};

use oaklath_hash::{
    ValueSpan,
    keccak::{permute, permute_lanes},
    sha2::{IV512, Midstate, Sha256Lanes, Sha512Lanes},
    shake_lanes::{self, ChainPrefix},
};
use oaklath_measure::{
    Contender, Level, Sampler, Unit, clock,
    counts::{self, Counts, Hashes, Ring},
};
use oaklath_poly::{q3329, q8380417};
use oaklath_simd::{Simd, U64Lanes, U64s, dispatch};

use crate::stateful;

/// Returns the counts of an operation of any kind, if there is a formula for it.
pub(super) fn counts(algorithm: &str, operation: &str) -> Option<Counts> {
    if let Some(info) = oaklath_params::stateful::xmss::by_name(algorithm) {
        return counts::xmss(info, operation);
    }
    match stateful::TIMED.contains(&algorithm) {
        true => counts::hss(&stateful::hss_types(algorithm)?, operation),
        false => counts::of(algorithm, operation),
    }
}

/// What work costs at a level, in units of the clock.
#[derive(Clone, Debug)]
pub(super) struct Costs {
    level: Level,
    /// Costs of kinds of work, three each from these places on.
    of: [f64; 12],
    nanoseconds: f64,
}

/// A permutation, a compression of SHA-256, one of SHA-512, if all lanes are full.
const FULL: usize = 0;
/// The same three if nothing runs beside.
const ALONE: usize = 3;
/// A transform, an inverse one, and a product.
const Q3329: usize = 6;
const Q8380417: usize = 9;

/// The measured kernels: calls, the number of operations in a call, and the place of its cost.
type Kernel = (fn(Level, Range<usize>), fn(Level) -> usize, usize);

macro_rules! kernels {
    ($($function:ident $count:expr, $place:expr;)*) => {
        [$((|level, calls| dispatch!(level, s => $function(s, calls)), $count, $place)),*]
    };
}
const KERNELS: [Kernel; 14] = kernels! {
    permute_eight |_| 8, FULL;
    chains_keccak |level| STEPS * lanes_keccak(level), FULL;
    compress_256 lanes_256, FULL + 1;
    chains_256 |level| STEPS * lanes_256(level), FULL + 1;
    compress_512 |_| 8, FULL + 2;
    permute_one |_| 1, ALONE;
    compress_256_one |_| 1, ALONE + 1;
    compress_512_one |_| 1, ALONE + 2;
    ntt_q3329 |_| 1, Q3329;
    inverse_ntt_q3329 |_| 1, Q3329 + 1;
    dot_q3329 |_| 4, Q3329 + 2;
    ntt_q8380417 |_| 1, Q8380417;
    inverse_ntt_q8380417 |_| 1, Q8380417 + 1;
    dot_q8380417 |_| 4, Q8380417 + 2;
};

impl Costs {
    /// Measures all kernels at a level; of two for one place the cheaper counts.
    pub(super) fn measure(level: Level) -> Self {
        let contender = |(run, ..): &Kernel| {
            let run = *run;
            Contender::new("", move |calls| run(level, calls))
        };
        let mut contenders: Vec<_> = KERNELS.iter().map(contender).collect();
        let summaries = Sampler::new(SAMPLES).interleave(&mut contenders);
        let mut of = [f64::INFINITY; 12];
        for ((_, count, place), summary) in KERNELS.iter().zip(summaries) {
            of[*place] = of[*place].min(summary.median / count(level) as f64);
        }
        Self { level, of, nanoseconds: nanoseconds() }
    }

    pub(super) fn level(&self) -> Level {
        self.level
    }

    /// Returns the bound of an operation in this unit: its hashing in full lanes, or if that takes
    /// longer the chain in which each hash needs the one before; what must be hashed alone; and the
    /// transforms and products.
    pub(super) fn bound(&self, counts: &Counts, unit: Unit) -> f64 {
        let sum = |place: usize, counts: [f64; 3]| -> f64 {
            counts.iter().zip(&self.of[place..]).map(|(count, cost)| count * cost).sum()
        };
        let of = |hashes: Hashes| [hashes.keccak, hashes.sha256, hashes.sha512];
        let hashing = sum(FULL, of(counts.hashes)).max(sum(ALONE, of(counts.depth)));
        let ring = if counts.ring == Some(Ring::Q3329) { Q3329 } else { Q8380417 };
        let bound = hashing
            + sum(ALONE, of(counts.alone))
            + sum(ring, [counts.ntts, counts.inverse_ntts, counts.products]);
        if unit == clock::UNIT { bound } else { bound * self.nanoseconds }
    }

    /// Describes the costs in a line of the head.
    pub(super) fn text(&self) -> String {
        let [keccak, sha256, sha512, one, one_256, one_512, a, b, c, d, e, f] = self.of;
        format!(
            "bounds at {}: Keccak {keccak:.0} a lane, {one:.0} alone; SHA-256 {sha256:.0}, {one_256:.0}; \
             SHA-512 {sha512:.0}, {one_512:.0}; ntt, inverse, product: q = 3329 {a:.0}, {b:.0}, {c:.0}; \
             q = 8380417 {d:.0}, {e:.0}, {f:.0}\n",
            self.level
        )
    }
}

/// Batches of 100 microseconds for each kernel.
const SAMPLES: usize = 31;

/// Returns the nanoseconds in a unit of the clock: the median of measurements of a millisecond.
fn nanoseconds() -> f64 {
    let measure = || {
        let (start, ticks) = (std::time::Instant::now(), clock::ticks());
        let units_a_tick = (0..10).map(|_| clock::calibrate()).fold(0.0, f64::max);
        let ticks = (clock::ticks() - ticks) as f64;
        start.elapsed().as_nanos() as f64 / (ticks * units_a_tick)
    };
    let mut all: [f64; 9] = array::from_fn(|_| measure());
    all.sort_by(f64::total_cmp);
    all[4]
}

#[inline(always)]
fn permute_eight<S: Simd>(s: S, calls: Range<usize>) {
    let mut state = [S::Eight::splat(s, 1); 25];
    for _ in calls {
        permute_lanes(s, &mut state, 0xff);
    }
    black_box(state[0].to_array());
}

#[inline(always)]
fn permute_one<S: Simd>(s: S, calls: Range<usize>) {
    let mut state = [1; 25];
    for _ in calls {
        permute(s, &mut state);
    }
    black_box(state);
}

fn lanes_keccak(level: Level) -> usize {
    dispatch!(level, s => shake_lanes::lanes(s))
}

#[inline(always)]
fn chains_keccak<S: Simd>(s: S, calls: Range<usize>) {
    const N: usize = 16;
    let lanes = shake_lanes::lanes(s);
    let (addresses, mut values) = ([[1; 4]; LANES], [1; N * LANES]);
    let prefix = ChainPrefix { seeds: &[&[1; 4]], addresses: &addresses[..lanes] };
    let (steps, values) = ([STEPS as u32; LANES], &mut values[..N * lanes]);
    for _ in calls {
        shake_lanes::advance_chains(s, (N, prefix), &steps[..lanes], values, &mut []);
    }
    black_box(values);
}

/// The most lanes of any hash function.
const LANES: usize = 16;
/// The steps of a chain of WOTS+ with w = 16.
const STEPS: usize = 15;

fn lanes_256(level: Level) -> usize {
    dispatch!(level, s => Sha256Lanes::new(s).lanes())
}

#[inline(always)]
fn compress_lanes<S: Simd>(s: S, lanes: usize, calls: Range<usize>) {
    let (engine, blocks) = (Sha256Lanes::new(s), [[1; 16]; LANES]);
    let mut states = [Midstate::new().words(); LANES];
    for _ in calls {
        engine.compress(&mut states[..lanes], black_box(&blocks[..lanes]));
    }
    black_box(states);
}

#[inline(always)]
fn compress_256<S: Simd>(s: S, calls: Range<usize>) {
    compress_lanes(s, Sha256Lanes::new(s).lanes(), calls);
}

#[inline(always)]
fn compress_256_one<S: Simd>(s: S, calls: Range<usize>) {
    compress_lanes(s, 1, calls);
}

#[inline(always)]
fn chains_256<S: Simd>(s: S, calls: Range<usize>) {
    let (engine, start) = (Sha256Lanes::new(s), Midstate::new().absorb(&[[1; 64]]));
    let span = ValueSpan { at: 22, n: 16 };
    let (lanes, mut values) = (engine.lanes(), [1; 16 * LANES]);
    let (heads, steps) = ([[1; 6]; LANES], [STEPS as u32; LANES]);
    for _ in calls {
        let values = &mut values[..span.n * lanes];
        engine.advance_chains(
            (&start).into(),
            (span, &heads[..lanes]),
            &steps[..lanes],
            values,
            &mut [],
        );
    }
    black_box(values);
}

#[inline(always)]
fn compress_512_lanes<S: Simd, const N: usize>(s: S, calls: Range<usize>) {
    let (engine, mut states, blocks) = (Sha512Lanes::new(s), [IV512; N], [[1; 16]; N]);
    for _ in calls {
        engine.compress(&mut states, black_box(&blocks));
    }
    black_box(states);
}

#[inline(always)]
fn compress_512<S: Simd>(s: S, calls: Range<usize>) {
    compress_512_lanes::<S, 8>(s, calls);
}

#[inline(always)]
fn compress_512_one<S: Simd>(s: S, calls: Range<usize>) {
    compress_512_lanes::<S, 1>(s, calls);
}

/// Makes functions that call the kernels of a ring.
macro_rules! rings {
    ($($ring:ident $ntt:ident $inverse:ident;)*) => { $(
        #[inline(always)]
        fn $ntt<S: Simd>(s: S, calls: Range<usize>) {
            let (f, mut f_hat) = ($ring::Poly::new([1; 256]), $ring::NttPoly::new([0; 256]));
            for _ in calls {
                $ring::ntt(s, black_box(&f), &mut f_hat);
            }
            black_box(f_hat);
        }

        #[inline(always)]
        fn $inverse<S: Simd>(s: S, calls: Range<usize>) {
            let (f_hat, mut f) = ($ring::NttPoly::new([1; 256]), $ring::Poly::new([0; 256]));
            for _ in calls {
                $ring::inverse_ntt(s, black_box(&f_hat), &mut f);
            }
            black_box(f);
        }
    )* };
}
rings! {
    q3329 ntt_q3329 inverse_ntt_q3329;
    q8380417 ntt_q8380417 inverse_ntt_q8380417;
}

#[inline(always)]
fn dot_q3329<S: Simd>(s: S, calls: Range<usize>) {
    let (a, b) = ([1; 256], [q3329::Factor::new([[1; 256]; 2]); 4]);
    let mut sum = q3329::NttPoly::new([0; 256]);
    for _ in calls {
        let (a, b) = black_box((&a, &b));
        q3329::dot(s, [a; 4], b, black_box(&mut sum));
    }
}

#[inline(always)]
fn dot_q8380417<S: Simd>(s: S, calls: Range<usize>) {
    let (a, b) = ([q8380417::Entry::new([1; 272]); 4], [q8380417::NttPoly::new([1; 256]); 4]);
    let mut sum = q8380417::NttPoly::new([0; 256]);
    for _ in calls {
        q8380417::dot(s, black_box(&a), black_box(&b), black_box(&mut sum));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bound is the larger of volume and chain, and the products beside it.
    #[test]
    fn what_a_bound_is_made_of() {
        let level = Level::by_name("scalar").expect("every CPU has it");
        let of = [4.0, 5.0, 6.0, 40.0, 50.0, 60.0, 1.0, 2.0, 3.0, 10.0, 20.0, 30.0];
        let costs = Costs { level, of, nanoseconds: 0.5 };
        let hashes = |keccak| Hashes { keccak, ..Hashes::default() };
        let counts = Counts {
            hashes: hashes(100.0),
            depth: hashes(3.0),
            alone: hashes(1.0),
            ring: Some(Ring::Q8380417),
            ntts: 1.0,
            inverse_ntts: 2.0,
            products: 3.0,
        };
        assert_eq!(costs.bound(&counts, clock::UNIT), 400.0 + 40.0 + 140.0);
        let deep = Counts { depth: hashes(11.0), ..counts };
        assert_eq!(costs.bound(&deep, clock::UNIT), 440.0 + 40.0 + 140.0);
        let other = Counts { ring: Some(Ring::Q3329), ..counts };
        assert_eq!(costs.bound(&other, clock::UNIT), 400.0 + 40.0 + 14.0);
    }

    /// Every kernel costs something, and a hash alone at least as much as in full lanes.
    #[test]
    fn every_kernel_is_measured() {
        for level in Level::available() {
            let costs = Costs::measure(level);
            assert!(costs.of.iter().all(|cost| *cost > 1.0 && cost.is_finite()), "{costs:?}");
            assert!((0..3).all(|i| 0.8 * costs.of[FULL + i] < costs.of[ALONE + i]), "{costs:?}");
            assert!(costs.nanoseconds > 0.0);
        }
    }

    #[test]
    fn rows_with_and_without_a_bound() {
        for (algorithm, operation) in [
            ("ML-KEM-768", "decapsulate-expanded"),
            ("Dilithium3", "sign-random"),
            ("SLH-DSA-SHA2-192s", "verify"),
            ("L1_H10_W4", "sign-mean"),
            ("L2_H10_W8", "sign-even-mean"),
            ("XMSSMT-SHA2_20/2_256", "sign-idle"),
        ] {
            assert!(counts(algorithm, operation).is_some(), "{algorithm} {operation}");
        }
        for (algorithm, operation) in [
            ("Falcon-512", "verify"),
            ("NTRU-HRSS-701", "keygen"),
            ("Dilithium3-AES", "sign"),
            ("L2_H10_W8", "sign-even-max"),
            ("XMSS-SHAKE256_10_256", "verify"),
        ] {
            assert!(counts(algorithm, operation).is_none(), "{algorithm} {operation}");
        }
    }
}
