//! High and low parts (FIPS 204, section 7.4), fused with the steps before and after them in the
//! algorithms. `m` is the number of high parts, (q - 1) / (2 gamma2): 16, or 44 in ML-DSA-44.
use oaklath_simd::{I32s, Simd, ct, each, vectorize};

use super::pack::{pack_t0, pack_t1};
use super::small::widen_sums;
use super::{D, Poly, Q, Sums, lift, outside, q};
use crate::offset;

/// Returns gamma2.
#[cfg_attr(
    not(test),
    expect(clippy::integer_division_remainder_used, reason = "of constants, at compile time")
)]
const fn gamma2<const M: i32>() -> i32 {
    assert!(M == 16 || M == 44, "the parameters of FIPS 204, table 1");
    (Q - 1) / (2 * M)
}

/// Returns the number of bits of a high part.
const fn w1_bits<const M: i32>() -> usize {
    if M == 16 { 4 } else { 6 }
}

/// Calls a function with the number of high parts as a const generic argument.
macro_rules! with_m {
    ($m:ident, $f:ident($($x:expr),*)) => {
        if $m == 16 { $f::<S, 16>($($x),*) } else { $f::<S, 44>($($x),*) }
    };
}

/// `Power2Round` (FIPS 204, Algorithm 35) of t = f + e, with t1 encoded as in public keys (320
/// bytes) and t0 as in private keys (416 bytes). |f| < q, |e| <= 4.
#[inline(always)]
pub fn power2round<S: Simd>(s: S, f: &Poly, e: &Poly, t1: &mut [u8], t0: &mut [u8]) {
    each!(i in 0..256, S::I32::LANES => {
        // -4 <= t < q + 4, then 0 <= t < q + 4, then 0 <= t < q.
        let t = lift(s, S::I32::load(s, &f[i..])) + S::I32::load(s, &e[i..]);
        let t = lift(s, t);
        let t = t.min_unsigned(t - q(s));
        let high = (t + S::I32::splat(s, (1 << (D - 1)) - 1)).sra::<{ D as u32 }>();
        pack_t1(high, i, t1);
        pack_t0(s, t - high.sll::<{ D as u32 }>(), i, t0);
    });
}

/// `Decompose` (FIPS 204, Algorithm 36), for 0 <= a < q: 0 <= high < M and |low| <= gamma2.
#[inline(always)]
fn decompose<S: Simd, const M: i32>(s: S, a: S::I32) -> (S::I32, S::I32) {
    let (high, low) = decompose_raw::<S, M>(s, a);
    // low is above gamma2 only where high was M and became 0.
    let wrapped = (S::I32::splat(s, (Q - 1) >> 1) - low).negative();
    (high, low - (wrapped & q(s)))
}

/// Does [`decompose`], but leaves low unreduced, in 0..q, where high wrapped around.
#[inline(always)]
fn decompose_raw<S: Simd, const M: i32>(s: S, a: S::I32) -> (S::I32, S::I32) {
    // ceil(a / 2^7) times 1025 / 2^22 or 11275 / 2^24, rounded. This is exact for all a < q, which
    // the tests try.
    let a7 = (a + S::I32::splat(s, 127)).sra::<7>();
    let high = if M == 16 {
        let x = a7.mullo(S::I32::splat(s, 1025)) + S::I32::splat(s, 1 << 21);
        x.sra::<22>() & S::I32::splat(s, 15)
    } else {
        let x = a7.mullo(S::I32::splat(s, 11275)) + S::I32::splat(s, 1 << 23);
        let high = x.sra::<24>();
        // 44 becomes 0.
        high - ((S::I32::splat(s, M - 1) - high).negative() & S::I32::splat(s, M))
    };
    (high, a - high.mullo(S::I32::splat(s, 2 * const { gamma2::<M>() })))
}

/// Writes high parts of 4 or 6 bits: `w1Encode` (FIPS 204, Algorithm 28).
#[inline(always)]
fn pack_w1<S: Simd, const M: i32>(high: S::I32, i: usize, bytes: &mut [u8]) {
    if const { w1_bits::<M>() } == 4 {
        high.pack::<4>(&mut bytes[offset::<4>(i)..]);
    } else {
        high.pack::<6>(&mut bytes[offset::<6>(i)..]);
    }
}

/// Replaces w by `LowBits(w)` and writes `w1Encode(HighBits(w))`, which has 128 or 192 bytes, to
/// `bytes`. |w| < q, then |w| <= gamma2, which is 95232 or 261888. Out of line.
#[inline(never)]
pub fn decompose_encode<S: Simd>(s: S, m: i32, w: &mut Poly, bytes: &mut [u8]) {
    vectorize!(s => with_m!(m, decompose_encode_of(s, w, bytes)));
}

#[inline(always)]
fn decompose_encode_of<S: Simd, const M: i32>(s: S, w: &mut Poly, bytes: &mut [u8]) {
    let bytes = &mut bytes[..32 * const { w1_bits::<M>() }];
    each!(i in 0..256, S::I32::LANES => {
        let (high, low) = decompose::<S, M>(s, lift(s, S::I32::load(s, &w[i..])));
        low.store(&mut w[i..]);
        pack_w1::<S, M>(high, i, bytes);
    });
}

/// Writes `w1Encode(UseHint(h, w))` (FIPS 204, Algorithms 40 and 28), which has 128 or 192 bytes.
/// |w| < q, h is 0 or 1. Out of line.
#[inline(never)]
pub fn use_hint_encode<S: Simd>(s: S, m: i32, w: &Poly, hint: &[i8; 256], bytes: &mut [u8]) {
    vectorize!(s => with_m!(m, use_hint_encode_of(s, w, hint, bytes)));
}

#[inline(always)]
fn use_hint_encode_of<S: Simd, const M: i32>(s: S, w: &Poly, hint: &[i8; 256], bytes: &mut [u8]) {
    let bytes = &mut bytes[..32 * const { w1_bits::<M>() }];
    each!(i in 0..256, S::I32::LANES => {
        let (high, low) = decompose::<S, M>(s, lift(s, S::I32::load(s, &w[i..])));
        let zero = S::I32::splat(s, 0);
        // 1 where low is positive, else -1; added only where there is a hint.
        let positive = (zero - low).negative();
        let step = zero - S::I32::splat(s, 1) - positive - positive;
        let high = high + (step & (zero - S::I32::widen(s, &hint[i..])));
        let high = if M == 16 {
            high & S::I32::splat(s, 15)
        } else {
            let m = S::I32::splat(s, M);
            let high = high + (high.negative() & m);
            high - ((S::I32::splat(s, M - 1) - high).negative() & m)
        };
        pack_w1::<S, M>(high, i, bytes);
    });
}

macro_rules! within {
    ($(#[$doc:meta] $name:ident $operator:tt;)*) => { $(
        #[$doc]
        #[inline(never)]
        pub fn $name<S: Simd>(s: S, f: &mut Poly, sums: &Sums, bound: i32) -> bool {
            vectorize!(s => {
                let mut wrong = S::I32::splat(s, 0);
                each!(i in 0..256, S::I32::LANES => {
                    let x = S::I32::load(s, &f[i..]) $operator widen_sums(s, sums, i);
                    wrong = wrong | outside(s, x, bound);
                    x.store(&mut f[i..]);
                });
                !wrong.any_negative()
            })
        }
    )* };
}
within! {
    /// Subtracts `sums` from f, and returns whether every |f| is then below the bound. Out of line.
    subtract_within -;
    /// Adds `sums` to f, and returns whether every |f| is then below the bound. Out of line.
    add_within +;
}

/// `MakeHint` (FIPS 204, Algorithm 39) for `z` = -ct0 and r = w - cs2 + ct0. `r0` is `LowBits(w)` -
/// cs2 with |r0| < gamma2, `ct0` any representative in (-q, q), and `w1` the encoded high bits of
/// w. Writes the positions of ones to `positions[n..]` and returns the new n, or `None` if some
/// |ct0| >= gamma2 or there are too few places. Out of line.
#[inline(never)]
pub fn make_hint<S: Simd>(
    s: S,
    m: i32,
    r0: &Poly,
    ct0: &Poly,
    w1: &[u8],
    positions: &mut [u8],
    n: usize,
) -> Option<usize> {
    vectorize!(s => {
        let mut n = n;
        let are_small = each_hints(
            s,
            m,
            (r0, ct0, w1),
            #[inline(always)]
            |bits, i| {
                n = append_ones(ct::declassify(bits.into()), i, positions, n)?;
                Some(())
            },
        )?;
        if ct::declassify_bool(are_small) { Some(n) } else { None }
    })
}

/// Calls `see` with each vector of hints, as bits, and where it begins, until that returns `None`.
/// Returns whether every |ct0| is below gamma2.
#[inline(always)]
pub(super) fn each_hints<S: Simd>(
    s: S,
    m: i32,
    of: (&Poly, &Poly, &[u8]),
    mut see: impl FnMut(u32, usize) -> Option<()>,
) -> Option<bool> {
    let mut wrong = S::I32::splat(s, 0);
    let bound = if m == 16 { const { gamma2::<16>() } } else { const { gamma2::<44>() } };
    each!(i in 0..256, S::I32::LANES => see(hint_bits(s, (m, bound), of, i, &mut wrong), i)?);
    Some(!wrong.any_negative())
}

/// Computes one vector of hints, as bits. `wrong` becomes negative where |ct0| >= `bound`, which is
/// gamma2.
#[inline(always)]
fn hint_bits<S: Simd>(
    s: S,
    (m, bound): (i32, i32),
    (r0, ct0, w1): (&Poly, &Poly, &[u8]),
    i: usize,
    wrong: &mut S::I32,
) -> u32 {
    let (zero, half) = (S::I32::splat(s, 0), S::I32::splat(s, (Q - 1) >> 1));
    let x = S::I32::load(s, &ct0[i..]);
    // Centred: |x| <= (q - 1) / 2.
    let x = x - ((half - x).negative() & q(s));
    let x = x + ((half + x).negative() & q(s));
    *wrong = *wrong | outside(s, x, bound);
    let v = S::I32::load(s, &r0[i..]) + x;
    let gamma2 = S::I32::splat(s, bound);
    // There is a hint if v > gamma2, v < -gamma2, or v = -gamma2 and high is not zero.
    let from_below = v + gamma2;
    let not_equal = from_below | (zero - from_below);
    let equal = S::I32::splat(s, -1) - not_equal;
    let high = if m == 16 {
        S::I32::unpack::<4>(s, &w1[offset::<4>(i)..])
    } else {
        S::I32::unpack::<6>(s, &w1[offset::<6>(i)..])
    };
    ((gamma2 - v) | from_below | (equal & (zero - high))).signs()
}

/// Writes the positions of the ones in `bits`, counted from `i`, to `positions[n..]`. Returns the
/// new n, or `None` if there are too few places.
#[inline(always)]
pub(super) fn append_ones(
    mut bits: u64,
    i: usize,
    positions: &mut [u8],
    mut n: usize,
) -> Option<usize> {
    while bits != 0 {
        *positions.get_mut(n)? = i as u8 + bits.trailing_zeros() as u8;
        n += 1;
        bits &= bits - 1;
    }
    Some(n)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{bytes, poly};
    use super::*;
    use oaklath_simd::{Level, dispatch};
    use std::vec::Vec;

    /// Computes `Decompose` exactly as written in FIPS 204, Algorithm 36.
    fn plain_decompose(r: i32, m: i32) -> (i32, i32) {
        let gamma2 = (Q - 1) / (2 * m);
        let mut r0 = r.rem_euclid(2 * gamma2);
        if r0 > gamma2 {
            r0 -= 2 * gamma2;
        }
        if r - r0 == Q - 1 { (0, r0 - 1) } else { ((r - r0) / (2 * gamma2), r0) }
    }

    /// Computes `UseHint`: FIPS 204, Algorithm 40.
    fn plain_use_hint(h: i8, r: i32, m: i32) -> i32 {
        let (r1, r0) = plain_decompose(r, m);
        match (h, r0 > 0) {
            (0, _) => r1,
            (_, true) => (r1 + 1) % m,
            (_, false) => (r1 - 1).rem_euclid(m),
        }
    }

    fn fields(bytes: &[u8], bits: usize) -> Vec<i32> {
        let bit = |i: usize| i32::from(bytes[i / 8] >> (i % 8) & 1);
        (0..256).map(|j| (0..bits).map(|i| bit(j * bits + i) << i).sum()).collect()
    }

    fn check<const M: i32>(level: Level, a: &Poly) {
        let bits = w1_bits::<M>();
        let (mut low, mut high) = (*a, std::vec![0; 32 * bits]);
        dispatch!(level, s => decompose_encode(s, M, &mut low, &mut high));
        let parts: Vec<_> = a.iter().map(|a| plain_decompose(a.rem_euclid(Q), M)).collect();
        assert!(low.iter().zip(&parts).all(|(low, want)| *low == want.1), "{level}");
        assert!(fields(&high, bits).iter().zip(&parts).all(|(h, want)| *h == want.0), "{level}");
        for hint in [[0; 256], [1; 256]] {
            dispatch!(level, s => use_hint_encode(s, M, a, &hint, &mut high));
            let want: Vec<_> =
                a.iter().map(|a| plain_use_hint(hint[0], a.rem_euclid(Q), M)).collect();
            assert_eq!(fields(&high, bits), want, "{level}");
        }
    }

    #[test]
    fn decompositions_of_every_number() {
        for level in Level::available() {
            // All numbers at the best level; at the others, those where high parts begin and end.
            let best = Level::available().last() == Some(level);
            let starts: Vec<i32> = if best {
                (0..Q).step_by(256).collect()
            } else {
                (0..=44).flat_map(|k| [16, 44].map(|m| k * ((Q - 1) / (2 * m)) - 128)).collect()
            };
            for start in starts {
                let a = Poly::new(core::array::from_fn(|i| (start + i as i32).clamp(1 - Q, Q - 1)));
                check::<16>(level, &a);
                check::<44>(level, &a);
            }
        }
    }

    #[test]
    fn rounding_to_a_power_of_two() {
        for level in Level::available() {
            for x in 0..40 {
                let mut f = poly(x, Q);
                // Both signs, and the ends of the range.
                f.iter_mut().skip(1).step_by(2).for_each(|c| *c -= Q - 1);
                (f[0], f[1], f[2], f[3]) = (1 - Q, Q - 1, 0, -1);
                let e = Poly::new(poly(x + 99, 9).map(|c| c - 4));
                let (mut t1, mut t0) = ([0; 320], [0; 416]);
                dispatch!(level, s => power2round(s, &f, &e, &mut t1, &mut t0));
                let (t1, t0) = (fields(&t1, 10), fields(&t0, 13));
                for i in 0..256 {
                    let t = (f[i] + e[i]).rem_euclid(Q);
                    let low = 4096 - t0[i];
                    assert!((-4096 < low) && low <= 4096);
                    assert_eq!(t1[i] * 8192 + low, t, "{level} {i}");
                }
            }
        }
    }

    fn hints<const M: i32>(level: Level) {
        let bits = w1_bits::<M>();
        let gamma2 = gamma2::<M>();
        for x in 0..60 {
            // w = 2 gamma2 w1 + r, also with ct0 at the bounds, and in both representatives.
            let r0 = Poly::new(poly(x, 2 * gamma2 - 1).map(|c| c - gamma2 + 1));
            let mut ct0 = Poly::new(poly(x + 77, 2 * gamma2 - 1).map(|c| c - gamma2 + 1));
            for i in (0..256).step_by(5) {
                ct0[i] = (-gamma2 - r0[i]).clamp(1 - gamma2, gamma2 - 1);
                let j = (i + 1) & 255;
                ct0[j] = (gamma2 - r0[j]).clamp(1 - gamma2, gamma2 - 1);
            }
            let w1 = bytes(32 * bits, x)
                .iter()
                .map(|b| if M == 16 { *b } else { b & 0x55 })
                .collect::<Vec<_>>();
            let high = fields(&w1, bits);
            assert!(high.iter().all(|h| *h < M));
            let want: Vec<usize> = (0..256)
                .filter(|i| {
                    let r = (high[*i] * 2 * gamma2 + r0[*i]).rem_euclid(Q);
                    let moved = (r + ct0[*i]).rem_euclid(Q);
                    plain_decompose(r, M).0 != plain_decompose(moved, M).0
                })
                .collect();
            assert!(!want.is_empty());
            let mut shifted = ct0;
            for c in shifted.iter_mut().step_by(3) {
                *c -= c.signum() * Q;
            }
            for ct0 in [ct0, shifted] {
                let mut positions = [0; 256];
                let found = dispatch!(level, s => {
                    make_hint(s, M, &r0, &ct0, &w1, &mut positions, 3)
                });
                assert_eq!(found, Some(3 + want.len()).filter(|n| *n <= 256), "{level}");
                let got = positions[3..3 + want.len()].iter().map(|p| usize::from(*p));
                assert!(got.eq(want.iter().copied()), "{level} {M}");
                // Too few places, and a product that is too large.
                let few = &mut positions[..2 + want.len()];
                let found = dispatch!(level, s => make_hint(s, M, &r0, &ct0, &w1, few, 3));
                assert_eq!(found, None);
                for large in [gamma2, -gamma2] {
                    let mut ct0 = ct0;
                    ct0[255] = large;
                    let positions = &mut [0; 300];
                    let found =
                        dispatch!(level, s => make_hint(s, M, &r0, &ct0, &w1, positions, 0));
                    assert_eq!(found, None, "{level}");
                }
            }
        }
    }

    #[test]
    fn hints_say_where_the_high_part_moves() {
        for level in Level::available() {
            hints::<16>(level);
            hints::<44>(level);
        }
    }

    /// Checks the numbers of FIPS 204, table 1.
    #[test]
    fn numbers_of_high_parts() {
        assert_eq!([gamma2::<16>(), gamma2::<44>()], [261_888, 95_232]);
        assert_eq!([w1_bits::<16>(), w1_bits::<44>()], [4, 6]);
    }
}
