//! Memory whose size depends on the rank: declared by [`ModuleKem`](super::module_kem::ModuleKem),
//! borrowed by all other modules.
use oaklath_poly::q3329::{Entry, Factor, Poly};

use super::params::MlKemParams;

/// The noise polynomials (y, e1 and e2 in encryption, s and e in key generation) and scratch memory
/// for products. Declared by [`pke_memory`], which erases it at the end of the scope.
pub(crate) struct PkeMemory<'a> {
    /// y, in key generation s: the noise of the PRF counters from 0 on.
    pub(crate) y: &'a mut [Poly],
    /// `e_1`, in key generation e: the noise of the PRF counters from k on.
    pub(crate) e1: &'a mut [Poly],
    /// `e_2`: the noise of PRF counter 2 k.
    pub(crate) e2: &'a mut Poly,
    /// The vector that is multiplied, prepared for products.
    pub(crate) factors: &'a mut [Factor],
}

/// Declares an array of [`PkeMemory`] of rank `$k`, for `$n` operations.
macro_rules! pke_memory {
    ($name:ident: $k:ident, $n:ident) => {
        oaklath_simd::secret!(
            y: [[oaklath_poly::q3329::Poly; $k]; $n],
            e1: [[oaklath_poly::q3329::Poly; $k]; $n],
            e2: [oaklath_poly::q3329::Poly; $n],
            factors: [[oaklath_poly::q3329::Factor; $k]; $n],
        );
        let (noise, others) = (
            oaklath_simd::arrays::zip(y.each_mut(), e1.each_mut()),
            oaklath_simd::arrays::zip(e2.each_mut(), factors.each_mut()),
        );
        let both = oaklath_simd::arrays::zip(noise, others);
        let $name = oaklath_simd::arrays::map(both, |((y, e1), (e2, factors))| {
            $crate::ml_kem::memory::PkeMemory { y, e1, e2, factors }
        });
    };
}
pub(crate) use pke_memory;

/// The memory that samples are written to. A part that the plan does not fill is empty.
pub(crate) struct LaneSamples<'a> {
    /// Rank of the module.
    pub(crate) k: usize,
    /// Width of the noise in y.
    #[cfg(any(feature = "ml-kem", feature = "kyber"))]
    pub(crate) eta1: usize,
    /// `A_hat`, row by row.
    pub(crate) A_hat: &'a mut [Entry],
    /// How many coefficients of each entry have been sampled.
    pub(crate) counts: [usize; 16],
    /// s or y: the noise of the PRF counters from 0 on.
    pub(crate) y: &'a mut [Poly],
    /// e or `e_1`: the noise of the PRF counters from k on.
    pub(crate) e1: &'a mut [Poly],
    /// `e_2`: the noise of PRF counter 2 k.
    #[cfg(any(feature = "ml-kem", feature = "kyber"))]
    pub(crate) e2: &'a mut [Poly],
}

impl<'a> LaneSamples<'a> {
    /// Borrows memory for the matrix alone.
    #[inline(always)]
    pub(crate) fn of_matrix(p: &MlKemParams, A_hat: &'a mut [Entry]) -> Self {
        Self {
            k: p.k,
            #[cfg(any(feature = "ml-kem", feature = "kyber"))]
            eta1: p.eta1,
            A_hat,
            counts: [0; 16],
            y: &mut [],
            e1: &mut [],
            #[cfg(any(feature = "ml-kem", feature = "kyber"))]
            e2: &mut [],
        }
    }
}

/// Where the matrix of a decapsulation is.
pub(crate) enum MatrixSource<'a> {
    /// Already sampled, since the key is expanded.
    Expanded(&'a [Entry]),
    /// To be sampled into this memory.
    Sampled(&'a mut [Entry]),
    /// To be sampled, while a lane computes H(ek) from the bytes of ek: for a key whose hash has
    /// not been checked.
    SampledBesideHash(&'a mut [Entry], &'a [u8]),
}

impl MatrixSource<'_> {
    /// Returns the matrix, which must have been sampled.
    #[inline(always)]
    pub(crate) fn entries(&self) -> &[Entry] {
        match self {
            Self::Expanded(A_hat) => A_hat,
            Self::Sampled(A_hat) | Self::SampledBesideHash(A_hat, _) => A_hat,
        }
    }
}
