//! `ExpandMask`: FIPS 204, Algorithm 34. Its nonces kappa + r count through all attempts, so that
//! the polynomials y are a queue: lanes sample those of later attempts in advance.
use oaklath_hash::keccak::RATE_256;
use oaklath_poly::q8380417::{self as ring, NttPoly, Poly};
use oaklath_simd::Simd;

use super::params::MlDsaParams;

/// Bytes that are squeezed for a polynomial of y: five blocks, of which the last is cut.
pub(crate) const STREAM: usize = 5 * RATE_256 + 24;
/// How many polynomials are kept, except in little memory: a power of two.
pub(super) const MASKS: usize = 16;

/// The polynomials of y, which lanes sample in the order of their nonces.
pub(crate) struct MaskQueue<'a> {
    /// Memory for `MASKS` polynomials, or for one attempt.
    masks: &'a mut [Poly],
    /// The nonce of the next polynomial to be sampled.
    begun: usize,
    /// The nonce of the first polynomial that is not complete.
    ready: usize,
    /// The nonce of the first polynomial for which there is no memory.
    limit: usize,
}

impl<'a> MaskQueue<'a> {
    /// Returns a queue without polynomials.
    #[inline(always)]
    pub(super) fn none() -> Self {
        Self { masks: &mut [], begun: 0, ready: 0, limit: 0 }
    }

    /// Returns a queue of `MASKS` or of l polynomials. The first l may be sampled before the first
    /// attempt.
    #[inline(always)]
    pub(super) fn new(p: &MlDsaParams, masks: &'a mut [Poly]) -> Self {
        Self { masks, begun: 0, ready: 0, limit: p.l }
    }

    /// Frees the polynomials with nonces below kappa, which are no longer needed.
    #[inline(always)]
    pub(super) fn release(&mut self, kappa: usize) {
        self.limit = kappa + self.masks.len();
    }

    /// Returns the nonce of the next polynomial to be sampled, if there is memory for it.
    #[inline(always)]
    pub(super) fn next(&mut self) -> Option<usize> {
        (self.begun < self.limit).then(|| {
            self.begun += 1;
            self.begun - 1
        })
    }

    /// Returns the index of the polynomial of a nonce.
    #[inline(always)]
    fn place(&self, nonce: usize) -> usize {
        // Memory for one attempt holds its polynomials in order.
        let len = self.masks.len();
        if len == MASKS { nonce & (MASKS - 1) } else { nonce + len - self.limit }
    }

    /// Returns the polynomial of a nonce.
    #[inline(always)]
    pub(super) fn y(&mut self, nonce: usize) -> &mut Poly {
        let place = self.place(nonce);
        &mut self.masks[place]
    }

    /// Stores the polynomial of a nonce. `unfinished` is the first nonce that a lane still samples.
    #[inline(always)]
    pub(crate) fn finish<S: Simd>(
        &mut self,
        s: S,
        z_bits: usize,
        nonce: usize,
        stream: &[u8; STREAM],
        unfinished: usize,
    ) {
        ring::decode_mask(s, z_bits, stream, self.y(nonce));
        self.ready = unfinished.min(self.begun);
    }

    /// Returns whether all polynomials below a nonce have been begun.
    #[inline(always)]
    pub(super) fn begun_below(&self, nonce: usize) -> bool {
        self.begun >= nonce
    }

    /// Returns whether all polynomials below a nonce are complete.
    #[inline(always)]
    pub(super) fn ready_below(&self, nonce: usize) -> bool {
        self.ready >= nonce
    }

    /// Writes NTT(y) of the attempt with nonces from kappa on.
    #[inline(always)]
    pub(super) fn transform_y<S: Simd>(&self, s: S, kappa: usize, y_hat: &mut [NttPoly]) {
        for (r, y_hat) in y_hat.iter_mut().enumerate() {
            ring::ntt(s, &self.masks[self.place(kappa + r)], y_hat);
        }
    }
}
