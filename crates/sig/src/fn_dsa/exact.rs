//! `SamplerZ` as in the reference, one number after the other: Falcon, Algorithms 12 to 15.
//!
//! It draws an integer z around a centre mu with a deviation sigma' between `sigma_min` and
//! `sigma_0` = 1.8205, by rejection from a distribution with two modes. Let r in
//! [0, 1) be mu - floor(mu):
//!
//! 1. Draw z0 >= 0 from a half Gaussian of deviation `sigma_0` centred at 0. This takes a table of
//!    18 thresholds, the same for every centre and every leaf.
//! 2. Draw a bit b and set z = b + (2 b - 1) z0: z is 1 + z0 or -z0, at least 1 or at most 0, and
//!    therefore never inside the interval of r. Its distribution has one mode at 0 and one at 1,
//!    and z0 is its distance to the nearer of them.
//! 3. Accept z with the probability
//!
//!    ```text
//!    c exp(-x),   x = (z - r)^2 / (2 sigma'^2) - z0^2 / (2 sigma_0^2),   c = sigma_min / sigma'
//!    ```
//!
//! z is drawn with a probability proportional to exp(-z0^2 / (2 `sigma_0`^2)), so the probability
//! that z is accepted is proportional to exp(-(z - r)^2 / (2 sigma'^2)), the desired Gaussian. For
//! this, x must not be negative, or the probability would exceed c. It is not: for b = 1, z - r is
//! z0 + (1 - r); for b = 0, r - z is z0 + r; both are at least z0, and sigma' is at most `sigma_0`,
//! so the first term is at least the second. With one mode this would not hold for every r in the
//! interval: on one side of the centre z0 would be larger than the distance to r.
//!
//! The factor c changes no distribution. Without it the mean number of trials would be proportional
//! to 1 / sigma', and sigma' is secret; with it, the probability that a trial is accepted is nearly
//! the same for every leaf. Hence the number of trials, which the time reveals, depends neither on
//! sigma' nor, since rejected trials are independent of the accepted one, on the number drawn
//! (Falcon, section 4.4).
//!
//! To compare with the probability, each trial draws random bytes, the highest first, until one
//! decides. How many it draws is independent of the accepted number, too.
use core::marker::PhantomData;

use oaklath_hash::sha3::Squeeze;
use oaklath_simd::ct::{self, shr};
use oaklath_simd::{Complex, Simd, each};

use super::fpr::Real;
use super::leaves::{Leaves, Sampler};
use super::numbers::Arithmetic;
use super::stream::{HALF_GAUSSIAN, REFILL, Source};

/// 1 / (2 `sigma_0`^2), `sigma_0` = 1.8205.
pub(super) const INV_2_SQR_SIGMA_0: f64 = 0.150_865_048_875_372_72;
/// ln 2.
const LN_2: f64 = core::f64::consts::LN_2;
/// 1 / ln 2.
const INV_LN_2: f64 = core::f64::consts::LOG2_E;

/// Coefficients of a polynomial close to exp(-x) on 0 <= x < ln 2, times 2^63, the highest first.
const EXP: [u64; 13] = [
    0x0000_0004_7411_83A3,
    0x0000_0036_548C_FC06,
    0x0000_024F_DCBF_140A,
    0x0000_171D_939D_E045,
    0x0000_D00C_F58F_6F84,
    0x0006_8068_1CF7_96E3,
    0x002D_82D8_305B_0FEA,
    0x0111_1111_0E06_6FD0,
    0x0555_5555_5507_0F00,
    0x1555_5555_5581_FF00,
    0x4000_0000_0002_B400,
    0x7FFF_FFFF_FFFF_4800,
    0x8000_0000_0000_0000,
];

/// Computes `BaseSampler`: Falcon, Algorithm 12. Constant-time.
#[inline(always)]
pub(super) fn half_gaussian<S: Simd, B: Source<S>>(bits: u128) -> i64 {
    let mut z = 0;
    each!(i in 0..HALF_GAUSSIAN => z += (bits.wrapping_sub(B::THRESHOLDS[i]) >> 127) as i64);
    z
}

/// Returns the high word of the product.
#[inline(always)]
fn high(a: u64, b: u64) -> u64 {
    ((u128::from(a) * u128::from(b)) >> 64) as u64
}

/// Computes `ApproxExp`: Falcon, Algorithm 13: 2^63 c exp(-x) for 0 <= x < ln 2 and 0 < c < 1.
#[inline(always)]
fn approximate_exp<R: Real>(x: R, c: R) -> u64 {
    let two_63 = R::scaled(1, 63);
    let fixed = |x: R| ((x * two_63).trunc() as u64) << 1;
    let z = fixed(x);
    let mut y = EXP[0];
    each!(i in 1..EXP.len() => y = EXP[i].wrapping_sub(high(z, y)));
    high(fixed(c), y)
}

/// The numbers of a centre and a leaf that a trial needs.
pub(super) struct Target<R> {
    /// The centre minus its floor.
    r: R,
    dss: R,
    ccs: R,
}

fn real<R: Real>(x: f64) -> R {
    R::from_bits(x.to_bits())
}

impl<R: Real> Target<R> {
    #[inline(always)]
    pub(super) fn new(r: R, inverse_sigma: R, sigma_min: R) -> Self {
        let dss = inverse_sigma.square().half();
        Self { r, dss, ccs: inverse_sigma * sigma_min }
    }

    /// Returns the probability that z, made from z0, is accepted, as 64 bits: `BerExp`, Falcon,
    /// Algorithm 14, without its comparison.
    #[inline(always)]
    pub(super) fn probability(&self, z: i64, z0: i64) -> u64 {
        let x = (R::of(z) - self.r).square() * self.dss;
        let x = x - R::of(z0 * z0) * real(INV_2_SQR_SIGMA_0);
        let s = (x * real(INV_LN_2)).trunc();
        let rest = x - R::of(s) * real(LN_2);
        // At most 63 halvings: more would leave nothing either way.
        let s = s ^ ((s ^ 63) & ((63 - s) >> 63));
        shr((approximate_exp(rest, self.ccs) << 1).wrapping_sub(1), s as u64)
    }
}

/// The sampler and its random bytes.
pub(super) struct ExactSampler<S: Simd, A: Arithmetic, B: Source<S>> {
    source: B,
    refill: usize,
    at: usize,
    sigma_min: A::Real,
    level: PhantomData<S>,
}

impl<S: Simd, A: Arithmetic, B: Source<S>> ExactSampler<S, A, B> {
    /// Starts at byte `at` of the first refill.
    #[cfg(test)]
    pub(super) fn begin_at(&mut self, at: usize) {
        self.at = at;
    }

    /// Reads the next bytes, at most ten.
    fn read<const LEN: usize>(&mut self) -> [u8; LEN] {
        let bytes = *self.source.bytes(self.refill, self.at);
        self.at += LEN;
        if self.at >= REFILL {
            self.next_refill();
        }
        bytes
    }

    fn next_refill(&mut self) {
        self.refill += 1;
        self.at = self.at.saturating_sub(REFILL);
        self.source.ensure(self.refill + 2);
    }

    /// Computes `SamplerZ`: Falcon, Algorithm 15. The time depends on the number of trials and on
    /// how many bytes decide each, which the specification allows.
    fn sample(&mut self, mu: A::Real, inverse_sigma: A::Real) -> A::Real {
        let floor = mu.floor();
        let target = Target::new(mu - A::Real::of(floor), inverse_sigma, self.sigma_min);
        loop {
            if self.at > B::LAST {
                self.next_refill();
            }
            let trial = self.read();
            let z0 = half_gaussian::<S, B>(B::number(&trial));
            let b = i64::from(trial[B::SIGN] & 1);
            let z = b + ((b << 1) - 1) * z0;
            if self.accept(target.probability(z, z0)) {
                return A::Real::of(floor + z);
            }
        }
    }

    /// Returns whether 64 random bits, drawn only until one byte decides, are below `probability`.
    fn accept(&mut self, probability: u64) -> bool {
        let mut shift = 64;
        loop {
            shift -= 8;
            let [byte] = self.read();
            let difference = i32::from(byte) - (probability >> shift & 0xff) as i32;
            // Declassified: the decision reveals nothing about the accepted numbers (section 4.4).
            if shift == 0 || ct::declassify_bool(difference != 0) {
                return ct::declassify_bool(difference < 0);
            }
        }
    }
}

impl<S: Simd, A: Arithmetic, B: Source<S>> Sampler<S, A> for ExactSampler<S, A, B> {
    #[inline(always)]
    fn empty(s: S) -> Self {
        let sigma_min = A::Real::ZERO;
        Self { source: B::empty(s), refill: 0, at: 0, sigma_min, level: PhantomData }
    }

    #[inline(always)]
    fn start(&mut self, seed: &mut Squeeze<136>, sigma_min: f64) {
        self.sigma_min = real(sigma_min);
        self.source.start(seed);
        self.source.ensure(2);
    }

    #[inline(always)]
    fn step(&mut self) {}

    #[inline(never)]
    fn pair(
        &mut self,
        s: S,
        mu: A::Complex<S>,
        leaves: &Leaves<'_, A::Cell>,
        n: usize,
    ) -> A::Complex<S> {
        let inverse_sigma = A::real(leaves.inverse_sigmas[n]);
        let [re, im] = mu.parts();
        let re = self.sample(A::real(re), inverse_sigma);
        let im = self.sample(A::real(im), inverse_sigma);
        A::Complex::<S>::new(s, A::cell(re), A::cell(im))
    }
}

#[cfg(all(test, feature = "falcon", feature = "fn-dsa-draft"))]
mod tests {
    use super::*;
    use crate::fn_dsa::shake::ShakeSource;
    use crate::round3::falcon::chacha::ChaChaSource;
    use oaklath_simd::Scalar;

    /// Checks that the thresholds are counted that are larger than the bits, not equal ones.
    fn at_its_thresholds<S: Simd, B: Source<S>>(_: S) {
        for (i, threshold) in (0..).zip(B::THRESHOLDS) {
            let around = [threshold - 1, threshold, threshold + 1].map(half_gaussian::<S, B>);
            assert_eq!(around, [i + 1, i, i], "{i}");
        }
        let all = half_gaussian::<S, B>((1 << (B::BELOW + 31)) - 1);
        assert_eq!([half_gaussian::<S, B>(0), all], [18, 0]);
        // The last seven thresholds are 0 in the upper 31 bits.
        assert_eq!(B::THRESHOLDS.map(|x| x >> B::BELOW != 0), core::array::from_fn(|i| i < 11));
    }

    #[test]
    fn half_gaussian_at_its_thresholds() {
        at_its_thresholds::<_, ChaChaSource<_>>(Scalar);
        at_its_thresholds::<_, ShakeSource>(Scalar);
    }
}
