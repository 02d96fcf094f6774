//! Tests bit strings at every level against plain words.
use crate::dispatch;
use crate::level::Level;
use crate::vectors::Simd;
use crate::vectors::bits::Bits;

#[test]
fn bit_strings() {
    #[inline(always)]
    fn check<S: Simd>(s: S) {
        let (a, b) = ([0x0123_4567_89ab_cdef, !0, 5, 1 << 63], [3, 0xfedc << 40, !7, 1]);
        let mask = [!0, 0, 0, !0];
        let bits = |words: &[u64; 4]| S::Bits::from_words(s, words);
        let zip = |f: fn(u64, u64) -> u64| core::array::from_fn(|i| f(a[i], b[i]));
        let (x, y) = (bits(&a), bits(&b));
        assert_eq!(S::Bits::splat(s, 7).to_words(), [7; 4]);
        assert_eq!((x & y).to_words(), zip(|a, b| a & b));
        assert_eq!((x | y).to_words(), zip(|a, b| a | b));
        assert_eq!((x ^ y).to_words(), zip(|a, b| a ^ b));
        assert_eq!(x.select(bits(&mask), y).to_words(), [b[0], a[1], a[2], b[3]]);
        assert_eq!(x.lowest_everywhere(s).to_words(), [!0; 4]);
        assert_eq!(x.up().up().lowest_everywhere(s).to_words(), [0; 4]);
        assert_eq!(x.up().to_words(), [a[3] << 1, a[0], a[1], a[2]]);
        assert_eq!(x.down().to_words(), [a[1], a[2], a[3], a[0] >> 1]);
    }
    for level in Level::available() {
        dispatch!(level, s => check(s));
    }
}

#[test]
fn products_of_bits() {
    let mut x = 1_u64;
    let mut random = || {
        x = x.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        x ^ x >> 31
    };
    let words = [0, 1, 1 << 63, !0, 0x1111_1111_1111_1111, random(), random(), random()];
    for a in words {
        for b in words {
            let mut want = 0_u128;
            each!(i in 0..64 => want ^= u128::from(a >> i & 1) * (u128::from(b) << i));
            for level in Level::available() {
                let got = dispatch!(level, s => s.multiply_bits(a, b));
                assert_eq!(got, [want as u64, (want >> 64) as u64], "{level} {a:x} {b:x}");
            }
        }
    }
}

#[test]
fn sums_of_products_of_bits() {
    let (a, b) = ([1, !0, 0x1234_5678, 1 << 63], [!0, 0xfedc_ba98, 1 << 62, 3]);
    for level in Level::available() {
        for n in 0..=4 {
            let got = dispatch!(level, s => s.multiply_bit_strings(&a[..n], &b[..n]));
            let mut want = [0; 2];
            for i in 0..n {
                let [low, high] = dispatch!(level, s => s.multiply_bits(a[i], b[n - 1 - i]));
                want = [want[0] ^ low, want[1] ^ high];
            }
            assert_eq!(got, want, "{level} {n}");
        }
    }
}
