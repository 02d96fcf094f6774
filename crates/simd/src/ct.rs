//! Constant-time choice: masks that the optimiser cannot turn into branches.
//!
//! LLVM recognises `x ^ (mask & (x ^ y))` with a mask made from one bit and may compile it to a
//! jump. Every [`Mask`] has passed through a barrier (empty assembly, or `black_box`, which
//! promises less, on targets without assembly), so the optimiser knows nothing about its value.
use core::fmt;
use core::ops::Not;

use crate::opaque::opaque;

/// Returns `x` through a general register, opaque to the optimiser: for chains of words that it
/// would pack into vectors and unpack again.
#[inline(always)]
#[must_use]
pub fn word(x: u64) -> u64 {
    opaque(x)
}

/// Returns `x`, marked as public: with the feature `watched`, valgrind is told.
#[inline(always)]
#[must_use]
pub fn declassify(x: u64) -> u64 {
    #[cfg(feature = "watched")]
    let x = crate::watch::public(x);
    x
}

/// Marks numbers as public, in place.
#[inline(always)]
pub fn declassify_all(x: &mut [i16]) {
    x.iter_mut().for_each(|x| *x = declassify(*x as u64) as i16);
}

/// Marks words as public, in place.
#[inline(always)]
pub fn declassify_words(words: &mut [u64]) {
    words.iter_mut().for_each(|word| *word = declassify(*word));
}

/// Marks bytes as public, in place.
#[inline(always)]
pub fn declassify_bytes(bytes: &mut [u8]) {
    #[cfg(feature = "watched")]
    crate::watch::publish(bytes);
    #[cfg(not(feature = "watched"))]
    let _ = bytes;
}

/// Returns `x`, marked as public.
#[inline(always)]
#[must_use]
pub fn declassify_bool(x: bool) -> bool {
    declassify(u64::from(x)) != 0
}

/// Whether a 64-bit shift takes several instructions, which compilers may turn into branches.
const NARROW: bool = cfg!(not(target_pointer_width = "64"));

/// Shifts right by a secret number of bits, less than 64.
#[inline(always)]
#[must_use]
pub fn shr(x: u64, n: u64) -> u64 {
    if NARROW { by_halves(x, n, |x, n| x >> n) } else { x >> (n & 63) }
}

/// Shifts left by a secret number of bits, less than 64.
#[inline(always)]
#[must_use]
pub fn shl(x: u64, n: u64) -> u64 {
    if NARROW { by_halves(x, n, |x, n| x << n) } else { x << (n & 63) }
}

/// Shifts by 32 bits if `n` is at least 32, then by the rest.
#[inline(always)]
fn by_halves(x: u64, n: u64, shift: impl Fn(u64, u64) -> u64) -> u64 {
    shift(Mask::from_bit(n >> 5).select(x, shift(x, 32)), n & 31)
}

/// A mask: all bits set, or none.
#[derive(Clone, Copy)]
pub struct Mask(u64);

impl Mask {
    /// Returns a mask that is set if the lowest bit of `bit` is.
    #[inline(always)]
    #[must_use]
    pub fn from_bit(bit: u64) -> Self {
        Self(opaque((bit & 1).wrapping_neg()))
    }

    /// Returns a mask that is set if `x` is not zero.
    #[inline(always)]
    #[must_use]
    pub fn from_nonzero(x: u64) -> Self {
        Self::from_bit((x | x.wrapping_neg()) >> 63)
    }

    /// Returns `b` if the mask is set, else `a`.
    #[inline(always)]
    #[must_use]
    pub fn select(self, a: u64, b: u64) -> u64 {
        a ^ (self.0 & (a ^ b))
    }

    /// Copies `from` to `to` if the mask is set. Reads both and writes `to` in either case.
    ///
    /// ```
    /// use oaklath_simd::ct::{self, Mask};
    ///
    /// let mut key = *b"accepted";
    /// ct::differ(b"tag", b"bag").copy_if(&mut key, b"rejected");
    /// assert_eq!(&key, b"rejected");
    /// ```
    ///
    /// # Panics
    /// If the lengths differ.
    #[inline(always)]
    pub fn copy_if(self, to: &mut [u8], from: &[u8]) {
        assert_eq!(to.len(), from.len(), "lengths are equal");
        let mask = self.0 as u8;
        for (to, from) in to.iter_mut().zip(from) {
            *to ^= mask & (*to ^ from);
        }
    }

    /// Returns whether the mask is set, marked as public.
    #[inline(always)]
    #[must_use]
    pub fn declassify(self) -> bool {
        declassify(self.0) != 0
    }
}

impl Not for Mask {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self(!self.0)
    }
}

/// Does not print the value, which may be secret.
impl fmt::Debug for Mask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mask").finish_non_exhaustive()
    }
}

/// Returns a mask that is set if two strings differ. The time depends only on their length.
///
/// # Panics
/// If the lengths differ.
#[inline(always)]
#[must_use]
pub fn differ(a: &[u8], b: &[u8]) -> Mask {
    assert_eq!(a.len(), b.len(), "lengths are equal");
    let (a_words, a_rest) = a.as_chunks::<8>();
    let (b_words, b_rest) = b.as_chunks::<8>();
    let mut x = 0;
    for (a, b) in a_words.iter().zip(b_words) {
        x |= u64::from_ne_bytes(*a) ^ u64::from_ne_bytes(*b);
    }
    for (a, b) in a_rest.iter().zip(b_rest) {
        x |= u64::from(a ^ b);
    }
    Mask::from_nonzero(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks() {
        for x in [0, 1, 2, 1 << 63, u64::MAX] {
            assert_eq!(Mask::from_nonzero(x).declassify(), x != 0);
            assert_eq!(Mask::from_bit(x).declassify(), x & 1 == 1);
            assert_eq!((!Mask::from_bit(x)).declassify(), x & 1 == 0);
        }
        assert_eq!(Mask::from_bit(0).select(3, 4), 3);
        assert_eq!(Mask::from_bit(1).select(3, 4), 4);
    }

    #[test]
    fn shifts() {
        for n in 0..64 {
            for x in [1, 0x0123_4567_89ab_cdef, u64::MAX] {
                assert_eq!([shr(x, n), shl(x, n)], [x >> n, x << n]);
                assert_eq!(by_halves(x, n, |x, n| x >> n), x >> n);
                assert_eq!(by_halves(x, n, |x, n| x << n), x << n);
            }
        }
    }

    #[test]
    fn strings() {
        for len in 0..20 {
            let a = [7; 20];
            assert!(!differ(&a[..len], &a[..len]).declassify());
            for i in 0..len {
                let mut b = a;
                b[i] ^= 0x80;
                let mask = differ(&a[..len], &b[..len]);
                assert!(mask.declassify());
                let mut c = a;
                mask.copy_if(&mut c[..len], &b[..len]);
                assert_eq!(c[..len], b[..len]);
                (!mask).copy_if(&mut c[..len], &a[..len]);
                assert_eq!(c[..len], b[..len]);
            }
        }
    }

    /// Neither barriers nor declassification change a value.
    #[test]
    fn values_stay_what_they_are() {
        let mut numbers = [i16::MIN, -1, 0, i16::MAX];
        declassify_all(&mut numbers);
        assert_eq!(numbers, [i16::MIN, -1, 0, i16::MAX]);
        let mut words = [u64::MAX, 1 << 63, 0];
        declassify_words(&mut words);
        assert_eq!(words, [u64::MAX, 1 << 63, 0]);
        let mut bytes = [0, 0x80, 0xff];
        declassify_bytes(&mut bytes);
        assert_eq!(bytes, [0, 0x80, 0xff]);
        assert_eq!([word(u64::MAX), declassify(1 << 63)], [u64::MAX, 1 << 63]);
        assert!(declassify_bool(true) && !declassify_bool(false));
        assert_eq!(std::format!("{:?}", Mask::from_bit(1)), "Mask { .. }");
    }

    #[test]
    #[should_panic(expected = "lengths are equal")]
    fn strings_of_different_lengths() {
        let _ = differ(b"four", b"three");
    }
}
