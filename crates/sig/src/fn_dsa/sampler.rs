//! The sampler of each arithmetic: two numbers at a time, by comparisons, with the machine's
//! doubles; one after the other with emulated doubles. Both draw the same numbers.
use oaklath_simd::Simd;

use super::exact::ExactSampler;
#[cfg(any(test, not(feature = "falcon-emulated")))]
use super::leaves;
use super::leaves::Sampler;
#[cfg(any(test, not(feature = "falcon-emulated")))]
use super::numbers::Native;
use super::numbers::{Arithmetic, Integers};
#[cfg(any(test, not(feature = "falcon-emulated")))]
use super::pairs::PairSampler;
use super::stream::Source;

/// An arithmetic with its sampler.
pub(super) trait Sampling: Arithmetic {
    type Sampler<S: Simd, B: Source<S>>: Sampler<S, Self>;

    /// Writes the limits of leaves that the sampler needs. The number of leaves is a multiple of
    /// eight; `smallest` is the smallest sigma'.
    fn limits<S: Simd>(s: S, inverse_sigmas: &[Self::Cell], smallest: f64, limits: &mut [[f32; 4]]);
}

#[cfg(any(test, not(feature = "falcon-emulated")))]
impl Sampling for Native {
    type Sampler<S: Simd, B: Source<S>> = PairSampler<S, B>;

    #[inline(always)]
    fn limits<S: Simd>(s: S, inverse_sigmas: &[f64], smallest: f64, limits: &mut [[f32; 4]]) {
        leaves::limits(s, inverse_sigmas, smallest, limits);
    }
}

impl Sampling for Integers {
    type Sampler<S: Simd, B: Source<S>> = ExactSampler<S, Self, B>;

    #[inline(always)]
    fn limits<S: Simd>(_: S, _: &[u64], _: f64, _: &mut [[f32; 4]]) {}
}
