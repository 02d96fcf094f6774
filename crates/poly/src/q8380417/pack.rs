//! Encodings of polynomials: FIPS 204, section 7.1.
use oaklath_simd::{I32s, Simd, each, vectorize};

use super::{D, Poly, outside};
use crate::offset;

/// `SimpleBitPack` of a vector of t1, with 10 bits each.
#[inline(always)]
pub(super) fn pack_t1<V: I32s<S>, S>(t1: V, i: usize, bytes: &mut [u8]) {
    t1.pack::<10>(&mut bytes[offset::<10>(i)..]);
}

/// `BitPack` of a vector of t0: 2^12 - t0, with 13 bits each.
#[inline(always)]
pub(super) fn pack_t0<S: Simd>(s: S, t0: S::I32, i: usize, bytes: &mut [u8]) {
    (S::I32::splat(s, 1 << (D - 1)) - t0).pack::<D>(&mut bytes[offset::<D>(i)..]);
}

/// Encodes t1 in 320 bytes: 0 <= t1 < 2^10.
#[inline(always)]
pub fn encode_t1<S: Simd>(s: S, f: &Poly, bytes: &mut [u8]) {
    let bytes = &mut bytes[..320];
    each!(i in 0..256, S::I32::LANES => pack_t1(S::I32::load(s, &f[i..]), i, bytes));
}

/// Decodes 320 bytes of t1, times 2^13: 0 <= f <= 8380416.
#[inline(always)]
pub fn decode_t1<S: Simd>(s: S, bytes: &[u8], f: &mut Poly) {
    let bytes = &bytes[..320];
    each!(i in 0..256, S::I32::LANES => {
        S::I32::unpack::<10>(s, &bytes[offset::<10>(i)..]).sll::<{ D as u32 }>().store(&mut f[i..]);
    });
}

/// Encodes t0 in 416 bytes: -2^12 < t0 <= 2^12.
#[inline(always)]
pub fn encode_t0<S: Simd>(s: S, f: &Poly, bytes: &mut [u8]) {
    let bytes = &mut bytes[..416];
    each!(i in 0..256, S::I32::LANES => pack_t0(s, S::I32::load(s, &f[i..]), i, bytes));
}

/// Decodes 416 bytes of t0: -2^12 < f <= 4096.
#[inline(always)]
pub fn decode_t0<S: Simd>(s: S, bytes: &[u8], f: &mut Poly) {
    let bytes = &bytes[..416];
    each!(i in 0..256, S::I32::LANES => {
        let x = S::I32::unpack::<D>(s, &bytes[offset::<D>(i)..]);
        (S::I32::splat(s, 1 << (D - 1)) - x).store(&mut f[i..]);
    });
}

/// Evaluates an expression with a number as a constant, which is one of two.
macro_rules! either {
    ($x:ident: $name:ident in $a:literal $b:literal => $e:expr) => {
        if $x == $a {
            const $name: usize = $a;
            $e
        } else {
            debug_assert!($x == $b);
            const $name: usize = $b;
            $e
        }
    };
}

/// Returns the bits of a coefficient of s1 or s2: 3 for eta = 2, 4 for eta = 4.
#[inline(always)]
fn eta_bits(eta: i32) -> usize {
    if eta == 2 { 3 } else { 4 }
}

/// Encodes a polynomial of s1 or s2: eta - f in 3 bits each (eta = 2, 96 bytes) or in 4 (eta = 4,
/// 128 bytes). |f| <= eta. Out of line.
#[inline(never)]
pub fn encode_eta<S: Simd>(s: S, eta: i32, f: &Poly, bytes: &mut [u8]) {
    let bits = eta_bits(eta);
    vectorize!(s => {
        either!(bits: BITS in 3 4 => {
            let bytes = &mut bytes[..32 * BITS];
            each!(i in 0..256, S::I32::LANES => {
                let x = S::I32::splat(s, eta) - S::I32::load(s, &f[i..]);
                x.pack::<BITS>(&mut bytes[offset::<BITS>(i)..]);
            });
        });
    });
}

/// Decodes a polynomial of s1 or s2. Returns whether all |f| <= eta, as in every key that was
/// generated correctly. Out of line.
#[inline(never)]
pub fn decode_eta<S: Simd>(s: S, eta: i32, bytes: &[u8], f: &mut [i8; 256]) -> bool {
    let bits = eta_bits(eta);
    vectorize!(s => {
        let mut wrong = S::I32::splat(s, 0);
        either!(bits: BITS in 3 4 => {
            let bytes = &bytes[..32 * BITS];
            each!(i in 0..256, S::I32::LANES => {
                let x = S::I32::unpack::<BITS>(s, &bytes[offset::<BITS>(i)..]);
                wrong = wrong | (S::I32::splat(s, 2 * eta) - x);
                (S::I32::splat(s, eta) - x).narrow(&mut f[i..]);
            });
        });
        !wrong.any_negative()
    })
}

/// Returns gamma1 - x, where gamma1 = 2^17 for fields of `BITS` = 18, and 2^19 for fields of 20.
#[inline(always)]
fn from_gamma1<S: Simd, const BITS: usize>(s: S, x: S::I32) -> S::I32 {
    S::I32::splat(s, 1 << (BITS - 1)) - x
}

/// Encodes z in 32 `bits` bytes, `bits` = 18 or 20: -gamma1 < z <= gamma1. Out of line.
#[inline(never)]
pub fn encode_z<S: Simd>(s: S, bits: usize, f: &Poly, bytes: &mut [u8]) {
    vectorize!(s => {
        either!(bits: BITS in 18 20 => {
            let bytes = &mut bytes[..32 * BITS];
            each!(i in 0..256, S::I32::LANES => {
                let x = from_gamma1::<S, BITS>(s, S::I32::load(s, &f[i..]));
                x.pack::<BITS>(&mut bytes[offset::<BITS>(i)..]);
            });
        });
    });
}

/// Decodes 32 `bits` bytes of z, `bits` = 18 or 20: -gamma1 < f <= gamma1. Returns whether every
/// |f| < bound. Out of line.
#[inline(never)]
pub fn decode_z<S: Simd>(s: S, bits: usize, bytes: &[u8], f: &mut Poly, bound: i32) -> bool {
    vectorize!(s => {
        let mut wrong = S::I32::splat(s, 0);
        either!(bits: BITS in 18 20 => {
            let bytes = &bytes[..32 * BITS];
            each!(i in 0..256, S::I32::LANES => {
                let x = S::I32::unpack::<BITS>(s, &bytes[offset::<BITS>(i)..]);
                let x = from_gamma1::<S, BITS>(s, x);
                wrong = wrong | outside(s, x, bound);
                x.store(&mut f[i..]);
            });
        });
        !wrong.any_negative()
    })
}

/// Decodes 32 `bits` bytes like [`decode_z`], but without a bound: `BitUnpack` in `ExpandMask`
/// (FIPS 204, Algorithm 34). |f| <= gamma1, which is 131072 or 524288. Out of line.
#[inline(never)]
pub fn decode_mask<S: Simd>(s: S, bits: usize, bytes: &[u8], f: &mut Poly) {
    vectorize!(s => {
        either!(bits: BITS in 18 20 => {
            let bytes = &bytes[..32 * BITS];
            each!(i in 0..256, S::I32::LANES => {
                let x = S::I32::unpack::<BITS>(s, &bytes[offset::<BITS>(i)..]);
                from_gamma1::<S, BITS>(s, x).store(&mut f[i..]);
            });
        });
    });
}

#[cfg(test)]
mod tests {
    use super::super::testing::{bytes, poly};
    use super::*;
    use oaklath_simd::{Level, dispatch};

    #[test]
    fn there_and_back() {
        for level in Level::available() {
            for x in 0..20 {
                let mut f = Poly::new([0; 256]);
                macro_rules! same {
                    ($len:literal, $s:ident $from:ident $to:ident => $decode:expr, $encode:expr) => {{
                        let ($from, mut again) = (bytes($len, x), [0; $len]);
                        let $to = &mut again[..];
                        dispatch!(level, $s => $decode);
                        dispatch!(level, $s => $encode);
                        assert_eq!(again[..], $from[..], "{level} {}", $len);
                    }};
                }
                same!(416, s a b => decode_t0(s, &a, &mut f), encode_t0(s, &f, b));
                same!(640, s a b => {
                    decode_z(s, 20, &a, &mut f, 1 << 20);
                }, encode_z(s, 20, &f, b));
                same!(576, s a b => {
                    decode_z(s, 18, &a, &mut f, 1 << 18);
                }, encode_z(s, 18, &f, b));
                same!(320, s a b => decode_t1(s, &a, &mut f), {
                    let t1 = Poly::new(f.map(|c| c >> 13));
                    encode_t1(s, &t1, b);
                });
            }
        }
    }

    #[test]
    fn small_coefficients_and_those_out_of_range() {
        for level in Level::available() {
            for x in 0..20 {
                let (four, two) = (poly(x, 9).map(|c| c - 4), poly(x, 5).map(|c| c - 2));
                let (mut bytes, mut f) = ([0; 128], [0; 256]);
                dispatch!(level, s => encode_eta(s, 4, &Poly::new(four), &mut bytes));
                assert!(dispatch!(level, s => decode_eta(s, 4, &bytes, &mut f)));
                assert_eq!(f.map(i32::from), four, "{level}");
                bytes[x as usize] = 0x90;
                assert!(!dispatch!(level, s => decode_eta(s, 4, &bytes, &mut f)));
                dispatch!(level, s => encode_eta(s, 2, &Poly::new(two), &mut bytes));
                assert!(dispatch!(level, s => decode_eta(s, 2, &bytes[..96], &mut f)));
                assert_eq!(f.map(i32::from), two, "{level}");
                bytes[3 * x as usize] |= 7;
                assert!(!dispatch!(level, s => decode_eta(s, 2, &bytes, &mut f)));
            }
        }
    }

    #[test]
    fn bounds_of_z() {
        for level in Level::available() {
            for (z, bound, good) in
                [(99, 100, true), (100, 100, false), (-99, 100, true), (-100, 100, false)]
            {
                let (mut f, mut bytes) = (Poly::new([0; 256]), [0; 640]);
                f[77] = z;
                dispatch!(level, s => encode_z(s, 20, &f, &mut bytes));
                let got = dispatch!(level, s => decode_z(s, 20, &bytes, &mut f, bound));
                assert_eq!((got, f[77]), (good, z), "{level}");
            }
        }
    }
}
