//! `SamplerZ` for two numbers at a time, by comparisons. It draws the same numbers from the same
//! random bytes as [`exact`](super::exact), which explains the notation and why the rejection is
//! correct.
//!
//! The centres of both parts of a slot are known at once. The z that a trial draws and the first
//! byte w that decides it do not depend on the centre: trials are made ahead, many at a time. A
//! trial is accepted if 64 random bits u, of which w is the highest byte, are below 2^64 c exp(-x):
//!
//! ```text
//! u / 2^64  <  c exp(-x)        where w / 256 <= u / 2^64 < (w + 1) / 256
//! ```
//!
//! With d = 1 / (2 sigma'^2), the logarithms of the two bounds of u give a sufficient and a
//! necessary condition. The terms that depend on the leaf are on the right; t1 and t0 depend on the
//! trial only:
//!
//! ```text
//! accepted if    (z - r)^2  <=  (t1 + ln c) / d,     t1 = z0^2 / (2 sigma_0^2) - ln((w + 1) / 256)
//! rejected if    (z - r)^2   >  (t0 + ln c) / d,     t0 = z0^2 / (2 sigma_0^2) - ln( w      / 256)
//! ```
//!
//! Both sides are computed in f32, with a margin on ln c that is far above their errors
//! (`leaves.rs`). A trial between the two bounds, one in 256, is decided as in the exact sampler,
//! by integers. To get from a centre to its number takes no exponential, division or conversion to
//! an integer.
//!
//! As in the reference, the time reveals how many trials there were and how many bytes decided,
//! but not which numbers were accepted (Falcon, section 4.4). Addresses depend only on the number
//! of trials.
use oaklath_hash::sha3::Squeeze;
use oaklath_simd::{Complex, F32s, I32s, NativeComplex, Simd, ct, each, vectorize, wipe};

use super::exact::{INV_2_SQR_SIGMA_0, Target, half_gaussian};
use super::fpr::Real;
use super::leaves::{Leaves, Sampler};
use super::numbers::Native;
use super::stream::{REFILL, Source};

/// How many trials are kept.
const KEPT: usize = 320;
/// How many trials are made at a time.
const CHUNK: usize = 16;
/// How many trials are ready whenever a number is drawn: more than are compared at a time.
const AHEAD: usize = 24;
/// Bytes of a trial that one byte decides: ten for z0 and the sign, one for the decision.
const TRIAL: usize = 11;

/// Consecutive trials from one position of the stream.
#[derive(Clone, Copy)]
struct Segment {
    /// The index of the first trial, negative if that is no longer kept.
    first: isize,
    refill: usize,
    /// The byte of the refill at which the first trial begins.
    at: usize,
}

/// Draws numbers two at a time, from trials that are made ahead of the centres.
pub(super) struct PairSampler<S: Simd, B: Source<S>> {
    s: S,
    source: B,
    sigma_min: f64,
    /// The index of the next trial, and the end of the trials that are made.
    next: usize,
    end: usize,
    /// The last two segments, and the position of the next trials.
    segments: [Segment; 2],
    after: Segment,
    z: [f64; KEPT],
    z_f32: [f32; KEPT],
    t1: [f32; KEPT],
    t0: [f32; KEPT],
}

/// Returns how many trials begin in a refill from byte `at` on.
#[inline(always)]
#[cfg_attr(
    not(test),
    expect(clippy::integer_division_remainder_used, reason = "of a public number by a constant")
)]
fn trials_from<S: Simd, B: Source<S>>(at: usize) -> usize {
    if at > B::LAST { 0 } else { (B::LAST - at) / TRIAL + 1 }
}

/// Declassifies how many trials were rejected, or which are in doubt, neither of which reveals the
/// accepted numbers (Falcon, section 4.4).
#[inline(always)]
fn declassify_count(x: u32) -> u32 {
    ct::declassify(u64::from(x)) as u32
}

/// Returns a mask of the bits up to the lowest set bit of `x`, or of all bits if `x` is 0.
#[inline(always)]
fn up_to_lowest(x: u32) -> u32 {
    x ^ x.wrapping_sub(1)
}

impl<S: Simd, B: Source<S>> Sampler<S, Native> for PairSampler<S, B> {
    #[inline(always)]
    fn empty(s: S) -> Self {
        let after = Segment { first: 0, refill: 0, at: 0 };
        Self {
            s,
            source: B::empty(s),
            sigma_min: 0.0,
            next: 0,
            end: 0,
            segments: [after; 2],
            after,
            z: [0.0; KEPT],
            z_f32: [0.0; KEPT],
            t1: [0.0; KEPT],
            t0: [0.0; KEPT],
        }
    }

    #[inline(always)]
    fn start(&mut self, seed: &mut Squeeze<136>, sigma_min: f64) {
        self.sigma_min = sigma_min;
        self.source.start(seed);
        self.restart(0, 0);
    }

    /// Runs the generator, up to two refills ahead.
    #[inline(always)]
    fn step(&mut self) {
        if self.source.ready() <= self.after.refill + 2 {
            self.source.step();
        }
    }

    #[inline(always)]
    fn pair(&mut self, s: S, mu: S::C64, leaves: &Leaves<'_, f64>, n: usize) -> S::C64 {
        let limits = &leaves.limits[n];
        let load = |from: &[f32; KEPT]| S::F32::load(s, &from[self.next..]);
        let (z, t1, t0) = (load(&self.z_f32), load(&self.t1), load(&self.t0));
        let splat = |i: usize| S::F32::splat(s, limits[i]);
        let (sure, perhaps) = (t1 * splat(0) + splat(1), t0 * splat(0) + splat(2));
        let floor = mu.floor();
        let (a, b) = S::F32::splat_parts(mu - floor);
        let (a, b) = (z - a, z - b);
        let (a, b) = (a * a, b * b);
        let (a_sure, b_sure) = (a.at_most(sure), b.at_most(sure));
        let (a_perhaps, b_perhaps) = (a.at_most(perhaps), b.at_most(perhaps));
        // The first trial that a accepts, and the first one after it that b accepts.
        let used = up_to_lowest(a_sure);
        let b_left = b_sure & !used;
        let (i, j) =
            (declassify_count(a_sure.trailing_zeros()), declassify_count(b_left.trailing_zeros()));
        let doubt =
            (a_perhaps ^ a_sure) & used | (b_perhaps ^ b_sure) & up_to_lowest(b_left) & !used;
        if j < 32 && declassify_count(doubt) == 0 {
            let z = &self.z[self.next..self.next + 32];
            let drawn = S::C64::new(s, z[i as usize & 31], z[j as usize & 31]);
            self.next += j as usize + 1;
            if self.next + AHEAD > self.end {
                self.refill();
            }
            return floor + drawn;
        }
        let [re, im] = mu.parts();
        let [re, im] = self.two([re, im], leaves.inverse_sigmas[n], limits);
        S::C64::new(s, re, im)
    }
}

impl<S: Simd, B: Source<S>> PairSampler<S, B> {
    /// Starts again at a byte of the stream.
    #[inline(never)]
    pub(super) fn restart(&mut self, refill: usize, at: usize) {
        (self.next, self.end) = (0, 0);
        self.after = Segment { first: 0, refill, at };
        self.segments = [self.after; 2];
        self.source.ensure(refill + 2);
        self.refill();
    }

    /// Makes trials until enough are ahead.
    #[inline(never)]
    fn refill(&mut self) {
        vectorize!(self.s => {
            while self.next + AHEAD > self.end {
                self.chunk();
            }
        });
    }

    /// Makes up to 16 trials.
    #[inline(always)]
    fn chunk(&mut self) {
        if self.end + 2 * CHUNK > KEPT {
            let kept = self.next..self.end;
            self.z.copy_within(kept.clone(), 0);
            self.z_f32.copy_within(kept.clone(), 0);
            self.t1.copy_within(kept.clone(), 0);
            self.t0.copy_within(kept.clone(), 0);
            self.segments.iter_mut().for_each(|segment| segment.first -= kept.start as isize);
            (self.next, self.end) = (0, kept.len());
        }
        let mut n = trials_from::<S, B>(self.after.at).min(CHUNK);
        if n == 0 {
            // The last trial may have taken bytes of the next refill.
            self.after = Segment {
                first: self.end as isize,
                refill: self.after.refill + 1,
                at: self.after.at.saturating_sub(REFILL),
            };
            self.segments = [self.segments[1], self.after];
            if self.source.ready() < self.after.refill + 2 {
                self.source.ensure(self.after.refill + 2);
            }
            n = CHUNK;
        }
        each!(done in 0..n, S::I32::LANES => {
            self.trials(done);
        });
        self.end += n;
        self.after.at += TRIAL * n;
    }

    /// Makes a vector of trials, of which the first is number `done` after the last segment's end.
    #[inline(always)]
    fn trials(&mut self, done: usize) {
        let s = self.s;
        let bytes: &[u8; 16 * TRIAL + 8] =
            self.source.bytes(self.after.refill, self.after.at + TRIAL * done);
        let (mut tops, mut lows) = ([0; 16], [0; 16]);
        each!(i in 0..S::I32::LANES => {
            // The upper bits, the sign, and the byte that decides.
            let trial: &[u8; TRIAL] = bytes[TRIAL * i..].first_chunk().expect("a trial");
            let top = *trial[B::TOP..].first_chunk().expect("4 bytes");
            tops[i] = (u32::from_le_bytes(top) >> 1) as i32;
            lows[i] = i32::from(u16::from_le_bytes([trial[B::SIGN], trial[TRIAL - 1]]));
        });
        let (top, low) = (S::I32::load(s, &tops), S::I32::load(s, &lows));
        let splat = |x: i32| S::I32::splat(s, x);
        // Compares the upper 31 bits, which are 0 in the last seven thresholds. `least` is 0 where
        // they do not decide.
        let (mut minus_z0, mut least) = (splat(0), top);
        each!(i in 0..11 => {
            let difference = top - splat((B::THRESHOLDS[i] >> B::BELOW) as i32);
            minus_z0 = minus_z0 + difference.negative();
            least = least.min_unsigned(difference);
        });
        if ct::declassify_bool((least - splat(1)).signs() != 0) {
            let (mut exact, mut doubts) = ([0; 16], [1; 16]);
            minus_z0.store(&mut exact);
            least.store(&mut doubts);
            self.by_all_bits(&mut exact, &doubts, done);
            minus_z0 = S::I32::load(s, &exact);
        }
        let z0 = splat(0) - minus_z0;
        // For b = 1, z is z0 + 1; for b = 0 it is -z0, which is the complement of z0 plus one.
        let b = (splat(0) - (low & splat(1))) ^ splat(-1);
        let z = (z0 ^ b) + splat(1);
        let (mut integers, at) = ([0; 16], self.end + done);
        z.store(&mut integers);
        for (to, z) in self.z[at..at + S::I32::LANES].iter_mut().zip(integers) {
            *to = f64::from(z);
        }
        S::F32::of(z).store(&mut self.z_f32[at..]);
        let (t1, t0) = bounds(s, S::F32::of(z0), S::F32::of(low.sra::<8>()));
        t1.store(&mut self.t1[at..]);
        t0.store(&mut self.t0[at..]);
    }

    /// Computes -z0 from all bits where 31 bits do not decide: where `doubts` is 0.
    #[cold]
    #[inline(never)]
    fn by_all_bits(&self, minus_z0: &mut [i32; 16], doubts: &[i32; 16], done: usize) {
        let bytes: &[u8; 16 * TRIAL] =
            self.source.bytes(self.after.refill, self.after.at + TRIAL * done);
        for (i, z0) in
            minus_z0.iter_mut().enumerate().filter(|(i, _)| ct::declassify_bool(doubts[*i] == 0))
        {
            let trial = bytes[TRIAL * i..].first_chunk().expect("a trial");
            *z0 = -half_gaussian::<S, B>(B::number(trial)) as i32;
        }
    }

    /// Draws both numbers, one after the other.
    #[cold]
    #[inline(never)]
    fn two(&mut self, mu: [f64; 2], inverse_sigma: f64, limits: &[f32; 4]) -> [f64; 2] {
        let s = self.s;
        vectorize!(s => {
            let first = self.one(mu[0], inverse_sigma, limits);
            [first, self.one(mu[1], inverse_sigma, limits)]
        })
    }

    /// Draws one number with as many trials as needed, those in doubt decided as in the reference.
    #[inline(always)]
    fn one(&mut self, mu: f64, inverse_sigma: f64, limits: &[f32; 4]) -> f64 {
        let s = self.s;
        let zero = S::C64::new(s, mu, 0.0);
        let floor = zero.floor();
        let (r, _) = S::F32::splat_parts(zero - floor);
        let [floor, _] = floor.parts();
        let target = Target::new(mu - floor, inverse_sigma, self.sigma_min);
        let splat = |i: usize| S::F32::splat(s, limits[i]);
        loop {
            let load = |from: &[f32; KEPT]| S::F32::load(s, &from[self.next..]);
            let distance = load(&self.z_f32) - r;
            let distance = distance * distance;
            let sure = distance.at_most(load(&self.t1) * splat(0) + splat(1));
            let perhaps = distance.at_most(load(&self.t0) * splat(0) + splat(2));
            if !ct::declassify_bool(perhaps != 0) {
                self.pass(S::F32::LANES);
                continue;
            }
            let i = declassify_count(perhaps.trailing_zeros());
            let trial = self.next + i as usize;
            let z = self.z[trial];
            let accepted = if ct::declassify_bool(sure >> i & 1 == 1) {
                self.pass(i as usize + 1);
                true
            } else {
                self.decide(trial, z.rint(), &target)
            };
            if accepted {
                return floor + z;
            }
        }
    }

    /// Skips `n` trials.
    #[inline(always)]
    fn pass(&mut self, n: usize) {
        self.next += n;
        if self.next + AHEAD > self.end {
            self.refill();
        }
    }

    /// Decides a trial byte by byte, and skips it.
    #[inline(always)]
    fn decide(&mut self, trial: usize, z: i64, target: &Target<f64>) -> bool {
        // If b was 1, z is positive, and z0 is z - 1.
        let z0 = z - i64::from(z > 0);
        let probability = target.probability(z, z0);
        let [before, last] = self.segments;
        let segment = if trial as isize >= last.first { last } else { before };
        let n = (trial as isize - segment.first) as usize;
        let (mut refill, mut at) = (segment.refill, segment.at + TRIAL * n + TRIAL - 1);
        let mut shift = 64;
        loop {
            if at >= REFILL {
                (refill, at) = (refill + 1, at - REFILL);
                self.source.ensure(refill + 1);
            }
            shift -= 8;
            let [byte] = *self.source.bytes(refill, at);
            at += 1;
            let difference = i32::from(byte) - (probability >> shift & 0xff) as i32;
            if shift > 0 && ct::declassify_bool(difference == 0) {
                continue;
            }
            if shift == 56 {
                self.pass(trial + 1 - self.next);
            } else {
                // More than one byte was needed, so that the following trials begin elsewhere.
                let next = at > B::LAST;
                self.restart(
                    refill + usize::from(next),
                    if next { at.saturating_sub(REFILL) } else { at },
                );
            }
            return ct::declassify_bool(difference < 0);
        }
    }
}

/// Returns t1 and t0 of trials, with ln from the exponent and a polynomial of the mantissa.
#[inline(always)]
fn bounds<S: Simd>(s: S, z0: S::F32, w: S::F32) -> (S::F32, S::F32) {
    /// Coefficients of ln(1 + m) for 0 <= m <= 1, the lowest first: the error is below 1.1e-5.
    const LN: [f32; 6] =
        [9.975_033e-6, 0.999_235_5, -0.490_230_7, 0.285_272_7, -0.131_581_83, 0.030_449_005];
    let splat = |x: f32| S::F32::splat(s, x);
    let integer = |x: i32| S::I32::splat(s, x);
    let one = splat(1.0);
    let bits = (w + one).to_bits();
    let exponent = S::F32::of(bits.sra::<23>() - integer(127));
    let m = S::F32::from_bits(bits & integer(0x7f_ffff) | integer(0x3f80_0000)) - one;
    let square = m * m;
    let two = |i: usize| splat(LN[i + 1]) * m + splat(LN[i]);
    let ln = (two(4) * square + two(2)) * square + two(0);
    let ln = exponent * splat(core::f32::consts::LN_2) + ln;
    let gaussian = z0 * z0 * splat(INV_2_SQR_SIGMA_0 as f32);
    let t1 = gaussian + (splat(8.0 * core::f32::consts::LN_2) - ln);
    // ln(w + 1) - ln w <= 1 / w.
    (t1, t1 + splat(1.0001) / w)
}

impl<S: Simd, B: Source<S>> Drop for PairSampler<S, B> {
    fn drop(&mut self) {
        wipe(&mut self.z);
        wipe(&mut self.z_f32);
        wipe(&mut self.t1);
        wipe(&mut self.t0);
    }
}
