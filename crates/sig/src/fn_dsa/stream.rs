//! The sources of the sampler's random bytes.
//!
//! Bytes are counted in refills, of which the last eight are kept, since the sampler reads ahead
//! and may go back.
use oaklath_hash::sha3::Squeeze;
use oaklath_simd::Simd;

/// Bytes of a refill.
pub(crate) const REFILL: usize = 512;
/// How many refills are kept.
pub(crate) const KEPT: usize = 8;
/// Bytes of the refills that are kept.
pub(crate) const RING: usize = KEPT * REFILL;
/// Bytes of the beginning of the ring that are repeated after its end.
pub(crate) const AGAIN: usize = REFILL;
/// Thresholds of the half Gaussian.
pub(crate) const HALF_GAUSSIAN: usize = 18;

/// A source of random bytes, and how a trial uses them: ten for z0 and its sign, then as many as
/// the decision takes, mostly one.
pub(crate) trait Source<S: Simd>: Sized {
    /// The last byte of a refill at which a trial may begin.
    const LAST: usize;
    /// The index of the first of the upper four bytes of z0.
    #[cfg_attr(
        all(feature = "falcon-emulated", not(test)),
        expect(dead_code, reason = "the exact sampler does without")
    )]
    const TOP: usize;
    /// The index of the byte whose lowest bit is the sign.
    const SIGN: usize;
    /// The half Gaussian: z0 is the number of thresholds that are larger than the random bits.
    const THRESHOLDS: [u128; HALF_GAUSSIAN];
    /// How many bits of a threshold are below the upper 31.
    #[cfg_attr(
        all(feature = "falcon-emulated", not(test)),
        expect(dead_code, reason = "the exact sampler does without")
    )]
    const BELOW: u32;

    /// Returns the bits from which z0 is drawn.
    fn number(trial: &[u8; 10]) -> u128;

    /// Returns a source without a seed, which is set in place, so that no copy is left behind. Out
    /// of line: in line, its ring of bytes would be made elsewhere on the stack, and copied.
    fn empty(s: S) -> Self;
    /// Starts with a stream, which may be consumed.
    fn start(&mut self, seed: &mut Squeeze<136>);
    /// Returns how many refills are ready, counted from the first.
    fn ready(&self) -> usize;
    /// Returns `LEN` bytes from byte `at` of refill `n` on, which is one of the last eight. After
    /// its end the next refill follows, if it is ready.
    fn bytes<const LEN: usize>(&self, n: usize, at: usize) -> &[u8; LEN];
    /// Makes a part of the next refill.
    fn step(&mut self);

    /// Makes bytes until `ready` refills are ready.
    #[inline(never)]
    fn ensure(&mut self, ready: usize) {
        while self.ready() < ready {
            self.step();
        }
    }
}

/// Returns `LEN` bytes from byte `at` of refill `n` on in a ring of bytes.
#[inline(always)]
pub(crate) fn kept<const LEN: usize>(
    bytes: &[u8; RING + AGAIN],
    n: usize,
    at: usize,
) -> &[u8; LEN] {
    const { assert!(LEN <= AGAIN) };
    bytes[REFILL * (n & (KEPT - 1)) + at..].first_chunk().expect("no more than is there again")
}
