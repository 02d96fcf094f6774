//! The roots of unity of the transforms, correctly rounded: exp(i pi (1 + 4 j) / (2 k)) is at index
//! k / 2 + j, for k = 2, 4, .. 512 and j < k / 2. Signatures depend on every bit, and common
//! mathematical libraries differ from these values in most last bits.
use oaklath_simd::each;

use super::fpr::root_bits;

/// Real and imaginary parts.
#[derive(Debug)]
pub(super) struct Roots<C> {
    pub(super) re: [C; 512],
    pub(super) im: [C; 512],
}

const fn bits() -> Roots<u64> {
    let mut roots = Roots { re: [0; 512], im: [0; 512] };
    each!(i in 1..512_usize => {
        let log2_half = i.ilog2();
        // The angle in units of pi / 1024.
        let k = (1 + 4 * (i - (1 << log2_half))) << (8 - log2_half);
        [roots.re[i], roots.im[i]] = root_bits(k);
    });
    roots
}

/// The roots as bits.
pub(super) static BITS: Roots<u64> = bits();

#[cfg(any(test, not(feature = "falcon-emulated")))]
/// The roots as doubles.
pub(super) static DOUBLES: Roots<f64> = {
    let bits = bits();
    let mut roots = Roots { re: [0.0; 512], im: [0.0; 512] };
    each!(i in 0..512 => {
        roots.re[i] = f64::from_bits(bits.re[i]);
        roots.im[i] = f64::from_bits(bits.im[i]);
    });
    roots
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_of_unity() {
        assert_eq!(DOUBLES.re[1], core::f64::consts::FRAC_1_SQRT_2);
        assert_eq!(DOUBLES.im[1], core::f64::consts::FRAC_1_SQRT_2);
        for i in 1..512_usize {
            let k = 2.0 * f64::from(1 << i.ilog2());
            let j = (i - (1 << i.ilog2())) as f64;
            let angle = core::f64::consts::PI * (1.0 + 4.0 * j) / (2.0 * k);
            let (re, im) = (DOUBLES.re[i], DOUBLES.im[i]);
            assert!((re - angle.cos()).abs() < 1e-15 && (im - angle.sin()).abs() < 1e-15, "{i}");
            assert_eq!((re.to_bits(), im.to_bits()), (BITS.re[i], BITS.im[i]));
        }
        // cos and sin of pi / 1024, from 40 decimal digits.
        assert_eq!(DOUBLES.re[256], 0.999_995_293_809_576_2);
        assert_eq!(DOUBLES.im[256], 0.003_067_956_762_965_976);
    }

    /// Checks that the table is the same when it is computed at run time.
    #[test]
    fn roots_made_again() {
        let again = bits();
        assert_eq!((again.re, again.im), (BITS.re, BITS.im));
    }
}
