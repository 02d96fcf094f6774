//! The real numbers of Falcon: IEEE 754 doubles, rounded to nearest, ties to even (Falcon
//! specification 1.2, section 3.6), in two ways that give the same bits.
//!
//! `f64` uses the machine's floating-point unit. [`Emulated`] computes with integers only, for
//! machines that have no doubles or whose doubles are not constant-time. Callers are generic over
//! [`Real`]. There is no fused multiply-add: it would round once where the reference rounds twice,
//! and change keys and signatures.
//!
//! Numbers are never infinite or NaN. In [`Emulated`], results that are too small for a normal
//! number become zero; the numbers of Falcon are never that small.
use core::ops::{Add, Div, Mul, Neg, Sub};

use oaklath_simd::ct::{Mask, shl, shr};
use oaklath_simd::each;
use zeroize::{DefaultIsZeroes, Zeroize};

/// A double.
pub(crate) trait Real:
    Copy
    + Default
    + Zeroize
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// Whether vectors compute these numbers; else kernels are compiled without them only.
    const IN_VECTORS: bool;
    const ZERO: Self;
    const ONE: Self;

    /// Returns the number with these bits.
    fn from_bits(bits: u64) -> Self;
    /// Returns the bits of the number.
    fn to_bits(self) -> u64;
    /// Returns `i`, rounded.
    fn of(i: i64) -> Self;
    /// Returns `i 2^scale`, rounded. `i` must not be `i64::MIN`.
    fn scaled(i: i64, scale: i32) -> Self;

    /// Returns half of the number.
    fn half(self) -> Self;
    /// Returns the square root of a number that is not negative.
    fn sqrt(self) -> Self;
    /// Returns 1 divided by the number.
    #[inline(always)]
    fn inverse(self) -> Self {
        Self::ONE / self
    }
    /// Returns the square of the number.
    #[inline(always)]
    fn square(self) -> Self {
        self * self
    }

    /// Returns the nearest integer, ties to even. |self| is below 2^63, as in `floor` and `trunc`.
    fn rint(self) -> i64;
    /// Returns the largest integer that is not larger than the number.
    fn floor(self) -> i64;
    /// Rounds towards zero.
    fn trunc(self) -> i64;
    /// Returns 1 if the number is smaller than `b`, else 0.
    fn is_less(self, b: Self) -> u64;
    /// Returns a mask that is set if the number is smaller than `b`.
    #[inline(always)]
    fn less(self, b: Self) -> Mask {
        Mask::from_bit(self.is_less(b))
    }
}

/// Runs an expression as `dispatch!` does if vectors compute the numbers `R`, else on `Scalar`.
macro_rules! compute {
    ($R:ty, $s:ident => $e:expr) => {
        if const { <$R as $crate::fn_dsa::fpr::Real>::IN_VECTORS } {
            ::oaklath_simd::dispatch!($s => $e)
        } else {
            let $s = ::oaklath_simd::Scalar;
            ::oaklath_simd::vectorize!($s => $e)
        }
    };
}
pub(crate) use compute;

/// All bits except the sign.
const MAGNITUDE: u64 = !(1 << 63);
/// The leading bit of a mantissa, which is not stored.
const LEADING: u64 = 1 << 52;
/// The exponent of 1.
const BIAS: i64 = 1023;

impl Real for f64 {
    const IN_VECTORS: bool = true;
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;

    #[inline(always)]
    fn from_bits(bits: u64) -> Self {
        Self::from_bits(bits)
    }
    #[inline(always)]
    fn to_bits(self) -> u64 {
        self.to_bits()
    }
    #[inline(always)]
    fn of(i: i64) -> Self {
        i as Self
    }
    #[inline(always)]
    fn scaled(i: i64, scale: i32) -> Self {
        i as Self * Self::from_bits(((BIAS + i64::from(scale)) as u64) << 52)
    }
    #[inline(always)]
    fn half(self) -> Self {
        self * 0.5
    }
    #[cfg(feature = "std")]
    #[inline(always)]
    fn sqrt(self) -> Self {
        self.sqrt()
    }
    /// The emulated one, since the core library has no square root.
    #[cfg(not(feature = "std"))]
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self::from_bits(Emulated(self.to_bits()).sqrt().0)
    }

    #[inline(always)]
    fn rint(self) -> i64 {
        // If |x| < 2^52, the low bits of |x| + 2^52 are those of the nearest integer. Otherwise x
        // is an integer below 2^63. (A conversion would branch on numbers out of range.)
        let magnitude = self.to_bits() & MAGNITUDE;
        let near = (Self::from_bits(magnitude) + Self::from_bits(TWO_52)).to_bits() - TWO_52;
        let exponent = (magnitude >> 52).wrapping_sub((BIAS + 52) as u64);
        let exact = shl(magnitude & (LEADING - 1) | LEADING, exponent & 63);
        let is_large = Mask::from_bit((TWO_52 - 1).wrapping_sub(magnitude) >> 63);
        with_sign(is_large.select(near, exact), self.to_bits() >> 63)
    }
    #[inline(always)]
    fn floor(self) -> i64 {
        Emulated(self.to_bits()).floor()
    }
    #[inline(always)]
    fn trunc(self) -> i64 {
        Emulated(self.to_bits()).trunc()
    }
    #[inline(always)]
    fn is_less(self, b: Self) -> u64 {
        u64::from(self < b)
    }
}

/// The bits of 2^52.
const TWO_52: u64 = 0x4330 << 48;

/// The bits of a double. Its operations use integers only and are constant-time.
#[derive(Clone, Copy, Default)]
pub(crate) struct Emulated(u64);

impl DefaultIsZeroes for Emulated {}

/// The parts of a number, `(-1)^sign mantissa 2^(exponent - 1075)`.
struct FloatParts {
    sign: u64,
    exponent: i64,
    /// From 2^52 to 2^53 - 1, or 0.
    mantissa: u64,
}

/// Returns 1 if `x` is not 0, else 0.
#[inline(always)]
fn nonzero(x: u64) -> u64 {
    (x | x.wrapping_neg()) >> 63
}

/// Shifts left until bit 63 is set; returns the result and the distance. 0 stays 0.
#[inline(always)]
fn normalize(mut x: u64) -> (u64, i64) {
    let mut count = 0;
    let mut n = 32;
    while n > 0 {
        let zeros = nonzero(x >> (64 - n)) ^ 1;
        x = Mask::from_bit(zeros).select(x, x << n);
        count += zeros * n;
        n >>= 1;
    }
    (x, count as i64)
}

/// Returns `-x` if `sign` is 1, else `x`.
#[inline(always)]
fn with_sign(x: u64, sign: u64) -> i64 {
    ((x ^ sign.wrapping_neg()).wrapping_add(sign)) as i64
}

impl Emulated {
    #[inline(always)]
    fn parts(self) -> FloatParts {
        let exponent = self.0 >> 52 & 0x7FF;
        let mantissa = Mask::from_nonzero(exponent).select(0, self.0 & (LEADING - 1) | LEADING);
        FloatParts { sign: self.0 >> 63, exponent: exponent as i64, mantissa }
    }

    /// Returns `(-1)^sign m 2^(exponent - 1086)`, rounded, or 0 if the exponent is not positive.
    /// `m` is 0 or has bit 63 set; its lowest bit is also set if any lower bit was dropped.
    #[inline(always)]
    fn pack(sign: u64, exponent: i64, m: u64) -> Self {
        let normal = m >> 63 & (exponent.wrapping_neg() as u64) >> 63;
        // Drops ten bits. A carry out of the mantissa increments the exponent, as it must.
        let m = m >> 1 | m & 1;
        let rounded = (m + 0x1FF + (m >> 10 & 1)) >> 10;
        let bits = ((exponent.wrapping_sub(1) as u64) << 52).wrapping_add(rounded);
        Self(sign << 63 | Mask::from_bit(normal).select(0, bits))
    }

    /// Returns the parts, the mantissa with its leading bit at bit 62, the shift right that leaves
    /// the integer part, and a mask that is set if the shift is too large and that part is 0.
    #[inline(always)]
    fn fixed(self) -> (FloatParts, u64, u64, Mask) {
        let parts = self.parts();
        let shift = BIAS + 62 - parts.exponent;
        let none = Mask::from_bit((63 - shift) as u64 >> 63);
        let m = parts.mantissa << 10;
        (parts, m, shift as u64 & 63, none)
    }
}

impl Add for Emulated {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        // x has the larger magnitude; of two equal numbers it is the positive one: x - x is +0.
        let (x, y) = (self.0 & MAGNITUDE, b.0 & MAGNITUDE);
        let smaller = x.wrapping_sub(y) >> 63;
        let swap = Mask::from_bit(smaller | (nonzero(x ^ y) ^ 1) & self.0 >> 63);
        let x = Self(swap.select(self.0, b.0)).parts();
        let y = Self(swap.select(b.0, self.0)).parts();
        // Ten more bits below the mantissas, the lowest of which is set if a bit is shifted out.
        let distance = (x.exponent - y.exponent) as u64;
        let far = Mask::from_nonzero(distance >> 6);
        let distance = far.select(distance, 63);
        let low = y.mantissa << 10;
        let shifted = shr(low, distance);
        let shifted = shifted | nonzero(low ^ shl(shifted, distance));
        let sum = (x.mantissa << 10).wrapping_add(with_sign(shifted, x.sign ^ y.sign) as u64);
        let (sum, zeros) = normalize(sum);
        Self::pack(x.sign, x.exponent + 1 - zeros, sum)
    }
}

impl Neg for Emulated {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(self.0 ^ !MAGNITUDE)
    }
}

impl Sub for Emulated {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        self + -b
    }
}

impl Mul for Emulated {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        let (x, y) = (self.parts(), b.parts());
        // From 2^126 to 2^128, or 0.
        let product = u128::from(x.mantissa << 11) * u128::from(y.mantissa << 11);
        let high = (product >> 64) as u64 | nonzero(product as u64);
        let two = high >> 63;
        // The bit shifted in from below does not affect rounding: the sticky bit covers it.
        let high = Mask::from_bit(two).select(high << 1 | high & 1, high);
        Self::pack(x.sign ^ y.sign, x.exponent + y.exponent - BIAS + two as i64, high)
    }
}

impl Div for Emulated {
    type Output = Self;
    #[inline(always)]
    fn div(self, b: Self) -> Self {
        let (x, y) = (self.parts(), b.parts());
        // 56 bits of the quotient, which is from 2^54 to 2^56, or 0.
        let (mut rest, mut quotient) = (x.mantissa, 0);
        each!(i in 0..56 => {
            let difference = rest.wrapping_sub(y.mantissa);
            let bit = difference >> 63 ^ 1;
            rest = Mask::from_bit(bit).select(rest, difference) << 1;
            quotient = quotient << 1 | bit;
        });
        let one = quotient >> 55;
        let quotient = quotient << 8 | nonzero(rest);
        let quotient = Mask::from_bit(one).select(quotient << 1, quotient);
        Self::pack(x.sign ^ y.sign, x.exponent - y.exponent + BIAS - 1 + one as i64, quotient)
    }
}

impl Real for Emulated {
    const IN_VECTORS: bool = false;
    const ZERO: Self = Self(0);
    const ONE: Self = Self((BIAS as u64) << 52);

    #[inline(always)]
    fn from_bits(bits: u64) -> Self {
        Self(bits)
    }
    #[inline(always)]
    fn to_bits(self) -> u64 {
        self.0
    }
    #[inline(always)]
    fn of(i: i64) -> Self {
        Self::scaled(i, 0)
    }
    #[inline(always)]
    fn scaled(i: i64, scale: i32) -> Self {
        let sign = i as u64 >> 63;
        let (m, zeros) = normalize(with_sign(i as u64, sign) as u64);
        Self::pack(sign, BIAS + 63 + i64::from(scale) - zeros, m)
    }
    #[inline(always)]
    fn half(self) -> Self {
        let exponent = self.0 >> 52 & 0x7FF;
        let normal = Mask::from_nonzero(exponent >> 1);
        Self(normal.select(self.0 & !MAGNITUDE, self.0.wrapping_sub(LEADING)))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        let FloatParts { exponent, mantissa, .. } = self.parts();
        // The root of mantissa 2^56, or of twice that to make the power of two even. Bit 54 leads.
        let odd = (exponent & 1) as u64;
        let square = Mask::from_bit(odd).select(mantissa << 1, mantissa);
        let (mut rest, mut root) = (0, 0);
        each!(i in 0..55 => {
            let pair = if i < 27 { square >> (52 - 2 * i) & 3 } else { 0 };
            rest = rest << 2 | pair;
            let difference = u64::wrapping_sub(rest, root << 2 | 1);
            let bit = difference >> 63 ^ 1;
            rest = Mask::from_bit(bit).select(rest, difference);
            root = root << 1 | bit;
        });
        let exponent = ((exponent - 1076 + odd as i64) >> 1) + 1049;
        Self::pack(0, exponent, root << 9 | nonzero(rest))
    }

    #[inline(always)]
    fn rint(self) -> i64 {
        let (parts, m, shift, none) = self.fixed();
        let integer = shr(m, shift);
        let dropped = shl(m << 1, 63 - shift);
        let up = dropped >> 63 & (nonzero(dropped << 1) | integer & 1);
        with_sign(none.select(integer + up, 0), parts.sign)
    }
    #[inline(always)]
    fn floor(self) -> i64 {
        let (parts, m, shift, none) = self.fixed();
        let integer = none.select(shr(m, shift), 0);
        // A fraction makes a negative number one smaller.
        let rest = none.select(m ^ shl(integer, shift), m);
        with_sign(integer + (nonzero(rest) & parts.sign), parts.sign)
    }
    #[inline(always)]
    fn trunc(self) -> i64 {
        let (parts, m, shift, none) = self.fixed();
        with_sign(none.select(shr(m, shift), 0), parts.sign)
    }
    #[inline(always)]
    fn is_less(self, b: Self) -> u64 {
        // As signed integers, numbers keep their order; both zeros become 0.
        let [x, y] = [self, b].map(
            #[inline(always)]
            |v| with_sign(v.0 & MAGNITUDE, v.0 >> 63),
        );
        u64::from(x < y)
    }
}

/// A right angle, in units of pi / 1024.
const RIGHT: usize = 512;

/// The bits of `sin(pi k / 1024)` for `k` from 0 to a right angle, correctly rounded.
static SINES: [u64; RIGHT + 1] = {
    // 256 multiples of the least angle, in fixed point. Their cosines are the sines of the rest.
    let mut sines = [0; RIGHT + 1];
    let (c, s) = least_root();
    let (mut x, mut y) = (FIXED_ONE, 0);
    let mut k = 0;
    while 2 * k <= RIGHT {
        sines[k] = double_of_fixed(y);
        sines[RIGHT - k] = double_of_fixed(x);
        (x, y) = (mul_fixed(x, c) - mul_fixed(y, s), mul_fixed(x, s) + mul_fixed(y, c));
        k += 1;
    }
    sines
};

/// Returns the parts of `exp(i pi k / 1024)`, correctly rounded, for `k` below 1024.
#[inline(always)]
pub(crate) const fn root_bits(k: usize) -> [u64; 2] {
    if k <= RIGHT {
        [SINES[RIGHT - k], SINES[k]]
    } else {
        [SINES[k - RIGHT] | !MAGNITUDE, SINES[2 * RIGHT - k]]
    }
}

/// 1 with 126 bits after the point.
const FIXED_ONE: u128 = 1 << 126;
/// pi with 124 bits after the point.
const PI: u128 = 0x3243_F6A8_885A_308D_3131_98A2_E037_0734;

/// Multiplies numbers with 126 bits after the point.
const fn mul_fixed(a: u128, b: u128) -> u128 {
    const LOW: u128 = u64::MAX as u128;
    let (a1, a0, b1, b0) = (a >> 64, a & LOW, b >> 64, b & LOW);
    let middle = a1 * b0 + ((a0 * b0) >> 64);
    let (low, carry) = middle.overflowing_add(a0 * b1);
    let high = a1 * b1 + (low >> 64) + ((carry as u128) << 64);
    high << 2 | (low & LOW) >> 62
}

/// Computes the cosine and the sine of pi / 1024 by their series, with 126 bits after the point.
#[expect(clippy::integer_division_remainder_used, reason = "of constants")]
const fn least_root() -> (u128, u128) {
    let x = PI >> 8;
    let mut sums = [FIXED_ONE, x];
    let mut term = x;
    let mut i = 2;
    // x^i / i! is negligible from i = 15 on.
    while i < 15 {
        term = mul_fixed(term, x) / i as u128;
        let sum = &mut sums[i & 1];
        *sum = if i & 2 == 0 { *sum + term } else { *sum - term };
        i += 1;
    }
    (sums[0], sums[1])
}

/// Returns the double nearest to a number with 126 bits after the point. Ties do not occur.
const fn double_of_fixed(x: u128) -> u64 {
    if x == 0 {
        return 0;
    }
    let top = 127 - x.leading_zeros();
    let rounded = ((x >> (top - 53)) as u64 + 1) >> 1;
    ((BIAS as u64 + top as u64 - 127) << 52) + rounded
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::f64::consts::{FRAC_1_SQRT_2, PI};
    use std::vec::Vec;

    struct Random(u64);

    impl Random {
        fn next(&mut self) -> u64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            self.0
        }

        /// Returns a double with exponent -`range` to `range` and few or many bits, or zero.
        fn double(&mut self, range: u64) -> f64 {
            let r = self.next();
            let exponent = BIAS as u64 - range + (r >> 8) % (2 * range + 1);
            let mantissa = self.next() & (LEADING - 1);
            let bits = match r & 15 {
                0 => 0,
                1..=4 => exponent << 52 | mantissa & !0 << (r >> 40 & 63).min(52),
                5 => exponent << 52 | (LEADING - 1) ^ (mantissa & ((1 << (r >> 40 & 7)) - 1)),
                _ => exponent << 52 | mantissa,
            };
            f64::from_bits(bits | (r >> 63) << 63)
        }
    }

    fn emulated(x: f64) -> Emulated {
        Emulated(x.to_bits())
    }

    fn same(what: &str, (x, y): (f64, f64), got: Emulated, want: f64) {
        assert_eq!(got.0, want.to_bits(), "{what} of {x:e} and {y:e}: {want:e}");
    }

    fn check_pair(x: f64, y: f64) {
        let (a, b) = (emulated(x), emulated(y));
        same("sum", (x, y), a + b, x + y);
        same("difference", (x, y), a - b, x - y);
        same("product", (x, y), a * b, x * y);
        if y != 0.0 {
            same("quotient", (x, y), a / b, x / y);
        }
        assert_eq!(a.less(b).declassify(), x < y, "{x:e} < {y:e}");
        assert_eq!(Real::less(x, y).declassify(), x < y, "{x:e} < {y:e}");
    }

    fn check_one(x: f64) {
        let (a, pair) = (emulated(x), (x, x));
        same("negative", pair, -a, -x);
        same("half", pair, a.half(), x / 2.0);
        same("square", pair, a.square(), x * x);
        same("root", pair, emulated(x.abs()).sqrt(), x.abs().sqrt());
        if x != 0.0 {
            same("inverse", pair, a.inverse(), 1.0 / x);
        }
        if x.abs() < 9e18 {
            let integers = [x.round_ties_even() as i64, x.floor() as i64, x.trunc() as i64];
            assert_eq!([a.rint(), a.floor(), a.trunc()], integers, "{x:e}");
            assert_eq!([x.rint(), Real::floor(x), Real::trunc(x)], integers, "{x:e}");
        }
    }

    #[test]
    fn pairs_of_many_kinds() {
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        for range in [0, 1, 2, 10, 60, 200, 400] {
            for _ in 0..300_000 {
                let (x, y) = (random.double(range), random.double(range));
                check_pair(x, y);
                // Cancellation, and results next to ties.
                let near = f64::from_bits(x.to_bits() ^ random.next() >> (random.next() & 63 | 12));
                if !near.is_subnormal() {
                    check_pair(x, near);
                    check_pair(x, -near);
                }
                check_pair(x, x * f64::from_bits((BIAS as u64 - 53) << 52));
            }
        }
        for x in [0.0, -0.0, 1.0, -1.0, 1.5] {
            for y in [0.0, -0.0, 1.0, -1.0, 1.5] {
                check_pair(x, y);
            }
        }
    }

    #[test]
    fn single_numbers() {
        let mut random = Random(1);
        for range in [0, 1, 2, 10, 52, 62, 200, 400] {
            for _ in 0..100_000 {
                let x = random.double(range);
                check_one(x);
                // Numbers next to integers and halves of integers.
                let half = (random.next() as i64 >> (random.next() & 63)) as f64 / 2.0;
                for x in [half, half.next_up(), half.next_down()] {
                    if x.is_normal() || x == 0.0 {
                        check_one(x);
                    }
                }
            }
        }
    }

    #[test]
    fn integers() {
        let mut random = Random(2);
        let check = |i: i64, scale: i32| {
            let want = (i as f64) * (2f64).powi(scale);
            assert_eq!(Emulated::of(i).0, (i as f64).to_bits(), "{i}");
            assert_eq!(Emulated::scaled(i, scale).0, want.to_bits(), "{i} {scale}");
            assert_eq!(<f64 as Real>::scaled(i, scale), want, "{i} {scale}");
            assert_eq!(<f64 as Real>::of(i), i as f64);
        };
        for _ in 0..500_000 {
            let i = random.next() as i64 >> (random.next() & 63);
            check(i.max(-i64::MAX), (random.next() % 200) as i32 - 100);
        }
        for i in [0, 1, -1, i64::MAX, -i64::MAX, (1 << 53) + 1, (1 << 54) + 2, (1 << 54) + 6] {
            check(i, 0);
        }
    }

    #[test]
    fn what_is_too_small_becomes_zero() {
        let least = Emulated(1 << 52);
        assert_eq!((least * emulated(0.5)).0, 0);
        assert_eq!((-least * emulated(0.25)).0, 1 << 63);
        assert_eq!((least / emulated(-2.0)).0, 1 << 63);
        assert_eq!((emulated(f64::MIN_POSITIVE * 1.5) - least).0, 0);
        assert_eq!(least.half().0, 0);
        assert_eq!(Emulated::scaled(1, -1023).0, 0);
        assert_eq!(Emulated::scaled(1, -1022).0, least.0);
    }

    #[test]
    fn sines() {
        let sines: Vec<f64> = SINES.iter().map(|bits| f64::from_bits(*bits)).collect();
        for (k, sine) in sines.iter().enumerate() {
            let x = PI * k as f64 / 1024.0;
            assert!((sine - x.sin()).abs() < 3e-16, "{k}");
        }
        assert!(sines.is_sorted());
        assert_eq!([sines[0], sines[512]], [0.0, 1.0]);
        assert_eq!(sines[256], FRAC_1_SQRT_2);
        for k in 0..1024 {
            let [re, im] = root_bits(k).map(f64::from_bits);
            let x = PI * k as f64 / 1024.0;
            assert!((re - x.cos()).abs() < 4e-16 && (im - x.sin()).abs() < 4e-16, "{k}");
        }
    }

    /// Checks the series at run time: cosine and sine of pi / 1024 against decimal constants, and
    /// that their squares add up to 1.
    #[test]
    fn the_least_root() {
        let (c, s) = least_root();
        assert_eq!(double_of_fixed(c), 0.999_995_293_809_576_2_f64.to_bits());
        assert_eq!(double_of_fixed(s), 0.003_067_956_762_965_976_f64.to_bits());
        let sum = mul_fixed(c, c) + mul_fixed(s, s);
        assert!(sum.abs_diff(FIXED_ONE) < 1 << 8);
        assert_eq!(mul_fixed(FIXED_ONE, s), s);
        assert_eq!([0, FIXED_ONE].map(double_of_fixed), [0, 1.0_f64.to_bits()]);
    }
}
