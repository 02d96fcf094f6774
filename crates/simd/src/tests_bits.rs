//! Bit strings at every level against plain words.
use crate::{Bits, Level, Simd, dispatch};

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
        assert_eq!(x.up().to_words(), [a[3] << 1, a[0], a[1], a[2]]);
        assert_eq!(x.down().to_words(), [a[1], a[2], a[3], a[0] >> 1]);
    }
    for level in Level::available() {
        dispatch!(level, s => check(s));
    }
}
