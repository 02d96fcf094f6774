//! `ExpandS`: FIPS 204, Algorithm 33.
use oaklath_poly::q8380417::{self as ring, Entry, NttPoly, Poly};
use oaklath_simd::Simd;

/// The vectors s1 and s2, which lanes sample in order.
pub(crate) struct SecretVectors<'a> {
    pub(super) s1: &'a mut [Poly],
    pub(super) s2: &'a mut [Poly],
    /// How many polynomials lanes have begun.
    begun: usize,
    /// How many polynomials are complete, up to the first that is not.
    ready: usize,
}

impl<'a> SecretVectors<'a> {
    /// Returns vectors without polynomials.
    #[inline(always)]
    pub(super) fn none() -> Self {
        Self::new(&mut [], &mut [])
    }

    /// Returns vectors to be sampled.
    #[inline(always)]
    pub(super) fn new(s1: &'a mut [Poly], s2: &'a mut [Poly]) -> Self {
        Self { s1, s2, begun: 0, ready: 0 }
    }

    /// Returns vectors that are complete.
    #[inline(always)]
    pub(super) fn given(s1: &'a mut [Poly], s2: &'a mut [Poly]) -> Self {
        let all = s1.len() + s2.len();
        Self { s1, s2, begun: all, ready: all }
    }

    /// Returns the number of the next polynomial of s1 || s2 to be sampled.
    #[inline(always)]
    pub(super) fn next(&mut self) -> Option<usize> {
        (self.begun < self.s1.len() + self.s2.len()).then(|| {
            self.begun += 1;
            self.begun - 1
        })
    }

    /// Stores polynomial `n` from its nibbles. `unfinished` is the first that a lane still samples.
    #[inline(always)]
    pub(crate) fn finish<S: Simd>(
        &mut self,
        s: S,
        eta: i32,
        n: usize,
        nibbles: &Entry<()>,
        unfinished: usize,
    ) {
        let l = self.s1.len();
        let secret = if n < l { &mut self.s1[n] } else { &mut self.s2[n - l] };
        ring::finish_nibbles(s, eta, nibbles, secret);
        self.ready = unfinished.min(self.begun);
    }

    /// Returns whether both vectors are complete.
    #[inline(always)]
    pub(super) fn all_ready(&self) -> bool {
        self.ready == self.s1.len() + self.s2.len()
    }

    /// Writes NTT(s1).
    #[inline(always)]
    pub(super) fn transform_s1<S: Simd>(&self, s: S, s1_hat: &mut [NttPoly]) {
        for (s1, s1_hat) in self.s1.iter().zip(s1_hat) {
            ring::ntt(s, s1, s1_hat);
        }
    }
}
