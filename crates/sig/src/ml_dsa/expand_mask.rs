//! `ExpandMask`: FIPS 204, Algorithm 34. Its nonces kappa + r count through all attempts, so that
//! the polynomials y are a queue: lanes sample those of attempts to come.
use oaklath_hash::keccak::RATE_256;
use oaklath_poly::q8380417::{self as ring, NttPoly, Poly};
use oaklath_simd::Simd;

use super::params::MlDsaParams;

/// Bytes that are squeezed for a polynomial of y: five blocks, of which the last is cut.
pub(crate) const STREAM: usize = 5 * RATE_256 + 24;
/// Polynomials that are kept, except in little memory: a power of two.
pub(super) const MASKS: usize = 16;

/// The polynomials of y by their nonces, which lanes sample in order.
pub(crate) struct MaskQueue<'a> {
    /// Room for `MASKS`, or for one attempt.
    masks: &'a mut [Poly],
    /// The next nonce to be sampled.
    begun: usize,
    /// The nonce of the first polynomial that is not complete.
    ready: usize,
    /// The nonce of the first polynomial for which there is no room.
    limit: usize,
}

impl<'a> MaskQueue<'a> {
    /// Nothing to be sampled.
    #[inline(always)]
    pub(super) fn none() -> Self {
        Self { masks: &mut [], begun: 0, ready: 0, limit: 0 }
    }

    /// A queue of `MASKS` polynomials, or of l of them. The first l may be sampled before the first
    /// attempt.
    #[inline(always)]
    pub(super) fn new(p: &MlDsaParams, masks: &'a mut [Poly]) -> Self {
        Self { masks, begun: 0, ready: 0, limit: p.l }
    }

    /// Frees the polynomials below kappa, which are not needed any more.
    #[inline(always)]
    pub(super) fn release(&mut self, kappa: usize) {
        self.limit = kappa + self.masks.len();
    }

    /// Returns the next nonce to be sampled, if there is room.
    #[inline(always)]
    pub(super) fn next(&mut self) -> Option<usize> {
        (self.begun < self.limit).then(|| {
            self.begun += 1;
            self.begun - 1
        })
    }

    /// Where the polynomial of a nonce is.
    #[inline(always)]
    fn place(&self, nonce: usize) -> usize {
        // Room for one attempt holds its nonces in order.
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
