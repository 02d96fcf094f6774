//! Where the random bytes of the sampler come from.
//!
//! They are counted in refills, of which the last eight are kept: the sampler reads ahead, and may
//! come back.
use oaklath_hash::sha3::Squeeze;
use oaklath_simd::Simd;

/// Bytes of a refill.
pub(crate) const REFILL: usize = 512;
/// Refills that are kept.
pub(crate) const KEPT: usize = 8;
/// Their bytes.
pub(crate) const RING: usize = KEPT * REFILL;
/// Bytes of the beginning that are there once more behind the end.
pub(crate) const AGAIN: usize = REFILL;
/// Numbers that the half Gaussian is made of.
pub(crate) const HALF_GAUSSIAN: usize = 18;

/// Where random bytes come from, and how a trial takes them: ten for z0 and its sign, then as many
/// as decide, one mostly.
pub(crate) trait Source<S: Simd>: Sized {
    /// The last byte of a refill that a trial may begin at.
    const LAST: usize;
    /// The upper four of the bytes of z0.
    #[cfg_attr(
        all(feature = "falcon-emulated", not(test)),
        expect(dead_code, reason = "the exact sampler does without")
    )]
    const TOP: usize;
    /// The byte whose lowest bit is the sign.
    const SIGN: usize;
    /// The half Gaussian: z0 is the number of these above the random bits.
    const THRESHOLDS: [u128; HALF_GAUSSIAN];
    /// Bits of them below the upper 31.
    #[cfg_attr(
        all(feature = "falcon-emulated", not(test)),
        expect(dead_code, reason = "the exact sampler does without")
    )]
    const BELOW: u32;

    /// The bits of z0.
    fn number(trial: &[u8; 10]) -> u128;

    /// Without a seed yet: it gets one where it stays, and no copy of it is left anywhere.
    fn empty(s: S) -> Self;
    /// Begins with a stream, which may be used up.
    fn start(&mut self, seed: &mut Squeeze<136>);
    /// Refills that are ready, from the first on.
    fn ready(&self) -> usize;
    /// `LEN` bytes from byte `at` of refill `n` on, which is one of the last eight. Beyond
    /// the refill is the next one, if that is ready.
    fn bytes<const LEN: usize>(&self, n: usize, at: usize) -> &[u8; LEN];
    /// A part of the next bytes.
    fn step(&mut self);

    /// Goes on until so many refills are ready.
    #[inline(never)]
    fn ensure(&mut self, ready: usize) {
        while self.ready() < ready {
            self.step();
        }
    }
}

/// Bytes of those that are kept.
#[inline(always)]
pub(crate) fn kept<const LEN: usize>(
    bytes: &[u8; RING + AGAIN],
    n: usize,
    at: usize,
) -> &[u8; LEN] {
    const { assert!(LEN <= AGAIN) };
    bytes[REFILL * (n & (KEPT - 1)) + at..].first_chunk().expect("no more than is there again")
}
