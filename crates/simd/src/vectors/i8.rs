//! The vocabulary of kernels on bytes: sums of small polynomials.
use core::ops::Add;

/// A vector of bytes. All arithmetic wraps.
pub trait I8s<S>: Copy + Add<Output = Self> {
    /// Number of lanes: 32.
    const LANES: usize;

    /// Returns a vector with `x` in every lane.
    fn splat(s: S, x: i8) -> Self;
    /// Loads the first `LANES` elements.
    ///
    /// # Panics
    /// If there are fewer elements.
    fn load(s: S, from: &[i8]) -> Self;
    /// Stores the lanes to the first `LANES` elements.
    ///
    /// # Panics
    /// If there are fewer elements.
    fn store(self, to: &mut [i8]);
    /// Returns in bit `i` whether lane `i` is not zero.
    fn nonzero(self) -> u32;
}
