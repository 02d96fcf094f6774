//! Encoding, compression and their inverses: FIPS 203, section 4.2.1.
//!
//! Instead of dividing by q, functions multiply by 20159, about 2^26 / q (6.6e-6 too much). The
//! high half of x 20159 is the floor of 1024 x / q, or one off, which the remainder reveals.
use oaklath_simd::{I16s, Simd, each};

use super::{NttPoly, Poly, Q, barrett, lift, multiply_by};
use crate::offset;

/// `ByteDecode_12` (FIPS 203, Algorithm 6) of 384 bytes, without reduction: 0 <= result <= 4095.
#[inline(always)]
pub fn decode_12<S: Simd>(s: S, bytes: &[u8], f: &mut NttPoly) {
    let bytes = &bytes[..384];
    each!(i in 0..256, S::I16::LANES => {
        S::I16::unpack::<12>(s, &bytes[offset::<12>(i)..]).store(&mut f[i..]);
    });
}

/// Decodes 384 bytes like [`decode_12`] and returns whether all coefficients are below q: the
/// modulus check of FIPS 203, section 7.2.
#[inline(always)]
pub fn decode_12_checked<S: Simd>(s: S, bytes: &[u8], f: &mut NttPoly) -> bool {
    let bytes = &bytes[..384];
    let mut too_large = S::I16::splat(s, 0);
    each!(i in 0..256, S::I16::LANES => {
        let v = S::I16::unpack::<12>(s, &bytes[offset::<12>(i)..]);
        too_large = too_large | (S::I16::splat(s, Q - 1) - v);
        v.store(&mut f[i..]);
    });
    !too_large.any_negative()
}

/// `ByteEncode_12` (FIPS 203, Algorithm 5) to 384 bytes, for 0 <= f <= 4095.
#[inline(always)]
pub fn encode_12<S: Simd>(s: S, f: &NttPoly, bytes: &mut [u8]) {
    let bytes = &mut bytes[..384];
    each!(i in 0..256, S::I16::LANES => {
        S::I16::load(s, &f[i..]).pack::<12>(&mut bytes[offset::<12>(i)..]);
    });
}

/// `ByteEncode_12` (FIPS 203, Algorithm 5) of f / 2^16 to 384 bytes, for any f.
#[inline(always)]
pub fn encode_12_from_montgomery<S: Simd>(s: S, f: &NttPoly, bytes: &mut [u8]) {
    let bytes = &mut bytes[..384];
    each!(i in 0..256, S::I16::LANES => {
        // |product| <= 1665 + 2^15 / 39 < q
        let v = lift(s, multiply_by(s, S::I16::load(s, &f[i..]), 1));
        v.pack::<12>(&mut bytes[offset::<12>(i)..]);
    });
}

/// Returns the quotient y and the remainder r of 1024 x = y q + r, for any x: -221 <= r <= q + 221.
#[inline(always)]
fn divide_1024<S: Simd>(s: S, x: S::I16) -> (S::I16, S::I16) {
    let y = x.mulhi(S::I16::splat(s, 20159));
    // The difference is exact in 16 bits, although neither product is.
    (y, x.sll::<10>() - y.mullo(S::I16::splat(s, Q)))
}

/// Returns -1 where r > bound, else 0. Subtracting it adds 1 there.
#[inline(always)]
fn minus_above<S: Simd>(s: S, r: S::I16, bound: i16) -> S::I16 {
    (S::I16::splat(s, bound) - r).sra::<15>()
}

/// `Compress_10` of any representative: 1024 x / q, rounded according to its remainder.
#[inline(always)]
fn compress_10<S: Simd>(s: S, x: S::I16) -> S::I16 {
    let (y, r) = divide_1024(s, x);
    (y - minus_above(s, r, 1664)) & S::I16::splat(s, 1023)
}

/// `Compress_11` of any representative: 2 y + 2 r / q, rounded.
#[inline(always)]
fn compress_11<S: Simd>(s: S, x: S::I16) -> S::I16 {
    let (y, r) = divide_1024(s, x);
    let twice = y + y - minus_above(s, r, 832) - minus_above(s, r, 2496);
    twice & S::I16::splat(s, 2047)
}

/// `Compress_4` of any representative with |x| <= 4000: 1024 x / q is at least 32 / q away from the
/// points where 16 x / q rounds up, and the error is at most 28 / q.
#[inline(always)]
fn compress_4<S: Simd>(s: S, x: S::I16) -> S::I16 {
    let y = x.mulhi(S::I16::splat(s, 20159));
    y.mulhrs(S::I16::splat(s, 1 << 9)) & S::I16::splat(s, 15)
}

/// `Compress_5` of any representative: the floor of 1024 x / q, then (y + 16) / 32.
#[inline(always)]
fn compress_5<S: Simd>(s: S, x: S::I16) -> S::I16 {
    let (y, r) = divide_1024(s, x);
    let floor = y + r.sra::<15>() - minus_above(s, r, Q - 1);
    floor.mulhrs(S::I16::splat(s, 1 << 10)) & S::I16::splat(s, 31)
}

/// `Compress_1` of any representative: the sign bit of the result.
#[inline(always)]
fn compress_1<S: Simd>(s: S, x: S::I16) -> S::I16 {
    let y = x.mulhi(S::I16::splat(s, 20159));
    S::I16::splat(s, 0) - ((y + S::I16::splat(s, 256)) & S::I16::splat(s, 512))
}

/// `Decompress_D` of fields of `D` bits: round(q y / 2^D).
#[inline(always)]
fn decompress<S: Simd, const D: usize>(s: S, y: S::I16) -> S::I16 {
    let shifted = match D {
        4 => y.sll::<11>(),
        5 => y.sll::<10>(),
        10 => y.sll::<5>(),
        11 => y.sll::<4>(),
        _ => unreachable!("the widths of FIPS 203, table 2"),
    };
    shifted.mulhrs(S::I16::splat(s, Q))
}

/// `ByteEncode_D(Compress_D(u + e1))` to 32 D bytes, `D` = 10 or 11, for any 16-bit u + e1.
#[inline(always)]
pub fn encode_u<S: Simd, const D: usize>(s: S, u: &Poly, e1: &Poly, bytes: &mut [u8]) {
    let bytes = &mut bytes[..32 * D];
    each!(i in 0..256, S::I16::LANES => {
        let x = S::I16::load(s, &u[i..]) + S::I16::load(s, &e1[i..]);
        let y = if D == 10 { compress_10(s, x) } else { compress_11(s, x) };
        y.pack::<D>(&mut bytes[offset::<D>(i)..]);
    });
}

/// `ByteEncode_D(Compress_D(v + e2 + Decompress_1(m)))` to 32 D bytes, `D` = 4 or 5, for any v and
/// |e2| <= 3.
#[inline(always)]
pub fn encode_v<S: Simd, const D: usize>(
    s: S,
    v: &Poly,
    e2: &Poly,
    m: &[u8; 32],
    bytes: &mut [u8],
) {
    let bytes = &mut bytes[..32 * D];
    each!(i in 0..256, S::I16::LANES => {
        let mu = S::I16::from_bits(s, message_bits(m, i), (Q + 1) >> 1);
        // |x| <= 2160 + 3 + 1665 <= 4000
        let x = barrett(s, S::I16::load(s, &v[i..])) + S::I16::load(s, &e2[i..]) + mu;
        let y = if D == 4 { compress_4(s, x) } else { compress_5(s, x) };
        y.pack::<D>(&mut bytes[offset::<D>(i)..]);
    });
}

/// Returns up to 32 bits of the message from bit `i` on, a multiple of 8.
#[inline(always)]
fn message_bits(m: &[u8; 32], i: usize) -> u32 {
    let (at, skip) = if i <= 224 { (offset::<1>(i), 0) } else { (28, i - 224) };
    u32::from_le_bytes(*m[at..].first_chunk().expect("four bytes")) >> skip
}

/// `Decompress_D(ByteDecode_D(bytes))` of 32 D bytes, `D` = 10 or 11: 0 <= u <= 3327.
#[inline(always)]
pub fn decompress_u<S: Simd, const D: usize>(s: S, bytes: &[u8], u: &mut Poly) {
    let bytes = &bytes[..32 * D];
    each!(i in 0..256, S::I16::LANES => {
        let y = S::I16::unpack::<D>(s, &bytes[offset::<D>(i)..]);
        decompress::<S, D>(s, y).store(&mut u[i..]);
    });
}

/// `ByteEncode_1(Compress_1(Decompress_D(ByteDecode_D(bytes)) - w))`, the message, for `D` = 4 or 5
/// and |w| <= 19560.
#[inline(always)]
pub fn decompress_message<S: Simd, const D: usize>(s: S, bytes: &[u8], w: &Poly, m: &mut [u8; 32]) {
    let bytes = &bytes[..32 * D];
    each!(i in 0..256, S::I16::LANES => {
        let v = decompress::<S, D>(s, S::I16::unpack::<D>(s, &bytes[offset::<D>(i)..]));
        let bits = compress_1(s, v - S::I16::load(s, &w[i..])).signs().to_le_bytes();
        let (from, to) = (offset::<1>(i), offset::<1>(i + S::I16::LANES));
        m[from..to].copy_from_slice(&bits[..to - from]);
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use oaklath_simd::{Level, dispatch};

    fn compress(x: i16, d: u32) -> i16 {
        let x = i64::from(x).rem_euclid(3329);
        // round(2^d x / q). There are no ties, since q is odd.
        (((x << (d + 1)) + 3329) / (2 * 3329) % (1 << d)) as i16
    }

    #[test]
    fn compressions_of_every_number() {
        #[inline(always)]
        fn all<S: Simd>(s: S, x: i16) -> [i16; 5] {
            let v = S::I16::splat(s, x);
            let mut out = [[0; 32]; 4];
            compress_10(s, v).store(&mut out[0]);
            compress_11(s, v).store(&mut out[1]);
            compress_5(s, v).store(&mut out[2]);
            compress_4(s, v).store(&mut out[3]);
            let one = (compress_1(s, v).signs() & 1) as i16;
            [out[0][0], out[1][0], out[2][0], out[3][0], one]
        }
        for level in Level::available() {
            for x in i16::MIN..=i16::MAX {
                let got = dispatch!(level, s => all(s, x));
                let want = [10, 11, 5, 4, 1].map(|d| compress(x, d));
                assert_eq!(got[..3], want[..3], "{level} {x}");
                assert_eq!(got[4], want[4], "{level} {x}");
                assert!(got[3] == want[3] || x.unsigned_abs() > 4000, "{level} {x}");
            }
        }
    }

    #[test]
    fn decompressions_of_every_field() {
        #[inline(always)]
        fn one<S: Simd, const D: usize>(s: S, y: i16) -> i16 {
            let mut out = [0; 32];
            decompress::<S, D>(s, S::I16::splat(s, y)).store(&mut out);
            out[0]
        }
        let want = |y: i16, d: u32| ((i64::from(y) * 3329 * 2 + (1 << d)) >> (d + 1)) as i16;
        for level in Level::available() {
            for y in 0..1 << 11 {
                assert_eq!(dispatch!(level, s => one::<_, 11>(s, y)), want(y, 11));
            }
            for y in 0..1 << 10 {
                assert_eq!(dispatch!(level, s => one::<_, 10>(s, y)), want(y, 10));
            }
            for y in 0..1 << 5 {
                assert_eq!(dispatch!(level, s => one::<_, 5>(s, y)), want(y, 5));
            }
            for y in 0..1 << 4 {
                assert_eq!(dispatch!(level, s => one::<_, 4>(s, y)), want(y, 4));
            }
        }
    }

    #[test]
    fn twelve_bits_there_and_back() {
        for level in Level::available() {
            let mut bytes = [0; 384];
            let mut f = NttPoly::new([0; 256]);
            for position in 0..256 {
                for x in [0, 1, 3328, 3329, 4095] {
                    f.fill(3328);
                    f[position] = x;
                    for (bytes, pair) in bytes.chunks_mut(3).zip(f.as_chunks::<2>().0) {
                        let x = u32::from(pair[0] as u16) | u32::from(pair[1] as u16) << 12;
                        bytes.copy_from_slice(&x.to_le_bytes()[..3]);
                    }
                    let mut g = NttPoly::new([0; 256]);
                    let fine = dispatch!(level, s => decode_12_checked(s, &bytes, &mut g));
                    assert_eq!((fine, &*g), (x < 3329, &*f), "{level} {position} {x}");
                    dispatch!(level, s => decode_12(s, &bytes, &mut g));
                    assert_eq!(*g, *f);
                    let mut again = [0; 384];
                    dispatch!(level, s => encode_12(s, &g, &mut again));
                    assert_eq!(again, bytes);
                }
            }
            // f / 2^16: 65536 = 2285 modulo q.
            f.iter_mut().enumerate().for_each(|(i, f)| *f = (i as i32 * 2285 % 3329) as i16 - 1000);
            let mut g = NttPoly::new([0; 256]);
            dispatch!(level, s => encode_12_from_montgomery(s, &f, &mut bytes));
            dispatch!(level, s => decode_12(s, &bytes, &mut g));
            for (f, g) in f.iter().zip(g.iter()) {
                assert_eq!((i32::from(*f) - i32::from(*g) * 2285) % 3329, 0, "{level}");
                assert!((0..3329).contains(g));
            }
        }
    }
}
