//! The leaves of the tree, and the trait of the samplers that use them.
use oaklath_hash::sha3::Squeeze;
#[cfg(any(test, not(feature = "falcon-emulated")))]
use oaklath_simd::F64s;
use oaklath_simd::{A64, Simd};

use super::fpr::Real;
use super::numbers::Arithmetic;

/// The numbers of a leaf that the comparisons of a sampler need: 1 / d, (ln c - m) / d and
/// (ln c + m) / d with d = 1 / (2 sigma'^2), c = `sigma_min` / sigma', and a margin m.
pub(super) type Limits<const N: usize> = A64<[[f32; 4]; N]>;

/// The margin, far above the errors of f32 and of the approximation of a logarithm.
#[cfg(any(test, not(feature = "falcon-emulated")))]
const MARGIN: f64 = 1.0 / 4096.0;

/// Returns 1 / sigma for n = 512 or 1024, as in the reference.
pub(super) const fn inverse_sigma(n: usize) -> f64 {
    if n == 512 { 0.006_033_669_668_157_724 } else { 0.005_938_645_309_533_115_5 }
}

/// Returns the smallest sigma' of a leaf.
pub(super) const fn sigma_min(n: usize) -> f64 {
    if n == 512 { 1.277_833_696_912_833_7 } else { 1.298_280_334_344_292 }
}

/// Returns 1 if sigma' is between `sigma_min` and 1.8205, as the sampler requires, else 0: Falcon,
/// section 3.8.3. Keys made by key generation have no other leaves.
#[inline(always)]
pub(super) fn is_leaf<R: Real>(inverse: R, n: usize) -> u64 {
    let [low, high] = [1.0 / 1.8205, 1.0 / sigma_min(n)].map(|x| R::from_bits(x.to_bits()));
    low.is_less(inverse) & inverse.is_less(high)
}

/// Computes the limits of leaves with the machine's doubles, for decisions with a margin.
#[cfg(any(test, not(feature = "falcon-emulated")))]
#[inline(always)]
pub(super) fn limits<S: Simd>(
    s: S,
    inverse_sigmas: &[f64],
    smallest: f64,
    limits: &mut [[f32; 4]],
) {
    let splat = |x| S::F64::splat(s, x);
    let (one, two) = (splat(1.0), splat(2.0));
    let mut parts = [[0.0; 8]; 3];
    let chunks = inverse_sigmas.chunks_exact(S::F64::LANES);
    for (chunk, limits) in chunks.zip(limits.chunks_exact_mut(S::F64::LANES)) {
        let inverse_sigma = S::F64::load(s, chunk);
        let one_by_d = two / (inverse_sigma * inverse_sigma);
        // ln c = 2 artanh y; c is between 0.64 and 1.17.
        let c = inverse_sigma * splat(smallest);
        let y = (c - one) / (c + one);
        let square = y * y;
        let series = square * (splat(1.0 / 5.0) + square * splat(1.0 / 7.0)) + splat(1.0 / 3.0);
        let ln = two * y * (one + square * series);
        one_by_d.store(&mut parts[0]);
        ((ln - splat(MARGIN)) * one_by_d).store(&mut parts[1]);
        ((ln + splat(MARGIN)) * one_by_d).store(&mut parts[2]);
        for (lane, limits) in limits.iter_mut().enumerate() {
            *limits = [parts[0][lane] as f32, parts[1][lane] as f32, parts[2][lane] as f32, 0.0];
        }
    }
}

/// Draws integers around centres.
pub(super) trait Sampler<S: Simd, A: Arithmetic>: Sized {
    /// Returns a sampler without random bytes, to be started in place.
    fn empty(s: S) -> Self;
    /// Starts with the random bytes of a stream, which may be consumed, for the smallest sigma'.
    fn start(&mut self, seed: &mut Squeeze<136>, sigma_min: f64);
    /// Does work that does not depend on the next centre, while that is computed.
    fn step(&mut self);
    /// Draws around both parts of a complex number, with leaf `n`.
    fn pair(
        &mut self,
        s: S,
        mu: A::Complex<S>,
        leaves: &Leaves<'_, A::Cell>,
        n: usize,
    ) -> A::Complex<S>;
}

/// The leaves of a tree in the order of the walk.
pub(super) struct Leaves<'a, C> {
    /// 1 / sigma' of each.
    pub(super) inverse_sigmas: &'a [C],
    /// Used with the machine's doubles only.
    #[cfg_attr(
        all(feature = "falcon-emulated", not(test)),
        expect(dead_code, reason = "integers decide without limits")
    )]
    pub(super) limits: &'a [[f32; 4]],
}
