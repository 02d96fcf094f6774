//! Tests every operation on 32-bit lanes and bytes at every level against a plain loop.
use std::vec::Vec;

use crate::dispatch;
use crate::tests::{Random, each_level, times};
use crate::vectors::Simd;
use crate::vectors::i8::I8s;
use crate::vectors::i32::I32s;

const Q: i32 = 8_380_417;
const Q_INVERSE: i32 = 58_728_449;

/// Returns 16 lanes, extreme values among them.
fn lanes(random: &mut Random) -> Vec<i32> {
    const EXTREME: [i32; 6] = [0, 1, -1, i32::MAX, i32::MIN, Q];
    let lane = |r: u64| if r & 7 == 0 { EXTREME[(r >> 8) as usize % 6] } else { (r >> 16) as i32 };
    (0..16).map(|_| lane(random.next())).collect()
}

fn stored<S: Simd>(v: S::I32) -> Vec<i32> {
    let mut out = std::vec![0; S::I32::LANES];
    v.store(&mut out);
    out
}

#[test]
fn arithmetic() {
    #[inline(always)]
    fn check<S: Simd>(s: S, a: &[i32], b: &[i32]) {
        let (n, (x, y)) = (S::I32::LANES, (S::I32::load(s, a), S::I32::load(s, b)));
        let equal = |v: S::I32, f: &dyn Fn(i32, i32) -> i32| {
            let want: Vec<i32> = (0..n).map(|i| f(a[i], b[i])).collect();
            assert_eq!(stored::<S>(v), want, "{s:?} {a:?} {b:?}");
        };
        equal(x, &|a, _| a);
        equal(S::I32::splat(s, a[3]), &|_, _| a[3]);
        equal(x + y, &i32::wrapping_add);
        equal(x - y, &i32::wrapping_sub);
        equal(x & y, &|a, b| a & b);
        equal(x | y, &|a, b| a | b);
        equal(x.mullo(y), &i32::wrapping_mul);
        equal(x.min_unsigned(y), &|a, b| (a as u32).min(b as u32) as i32);
        equal(x.sort_pair(y).0, &i32::min);
        equal(x.sort_pair(y).1, &i32::max);
        equal(x ^ y, &|a, b| a ^ b);
        equal(x.negative(), &|a, _| a >> 31);
        equal(x.sra::<3>(), &|a, _| a >> 3);
        equal(x.sll::<11>(), &|a, _| a << 11);
        let bytes: Vec<i8> = a.iter().map(|a| *a as i8).collect();
        equal(S::I32::widen(s, &bytes), &|a, _| i32::from(a as i8));
        let mut narrow = [99; 17];
        x.narrow(&mut narrow);
        assert!(narrow[..n] == bytes[..n] && narrow[n] == 99, "{s:?}");
        let signs = (0..n).map(|i| u32::from(a[i] < 0) << i).sum::<u32>();
        assert_eq!(x.signs(), signs, "{s:?}");
    }
    each_level(|level, random| {
        for _ in 0..times(200) {
            let (a, b) = (lanes(random), lanes(random));
            dispatch!(level, s => check(s, &a, &b));
        }
    });
}

#[test]
fn products() {
    /// Tests sums of products, reduced by Montgomery's method, and single products.
    #[inline(always)]
    fn check<S: Simd>(s: S, a: &[i32], b: &[i32]) {
        // |a| <= 2^27, |b| < q: sums of two products are below 2^31 q.
        let a: Vec<i32> = a.iter().map(|a| a >> 4).collect();
        let b: Vec<i32> = b.iter().map(|b| b % Q).collect();
        let (x, y) = (S::I32::load(s, &a), S::I32::load(s, &b));
        let (q, q_inverse) = (S::I32::splat(s, Q), S::I32::splat(s, Q_INVERSE));
        let reduced = |p: i64| {
            let m = (p as i32).wrapping_mul(Q_INVERSE);
            ((p - i64::from(m) * i64::from(Q)) >> 32) as i32
        };
        let wide = |a: i32, b: i32| i64::from(a) * i64::from(b);
        let equal = |v: S::I32, f: &dyn Fn(i32, i32) -> i64| {
            let want: Vec<i32> = (0..S::I32::LANES).map(|i| reduced(f(a[i], b[i]))).collect();
            assert_eq!(stored::<S>(v), want, "{s:?} {a:?} {b:?}");
        };
        let (product, square) = (x.mul_wide(y), y.mul_wide(y));
        equal(S::I32::montgomery(product, q, q_inverse), &wide);
        equal(S::I32::montgomery(product + square, q, q_inverse), &|a, b| wide(a, b) + wide(b, b));
        equal(S::I32::montgomery(product - square, q, q_inverse), &|a, b| wide(a, b) - wide(b, b));
        let mut moved = b[1..].to_vec();
        moved.push(b[0]);
        let odd = S::I32::load(s, &moved);
        let z = [y, y.mullo(q_inverse), odd, odd.mullo(q_inverse)];
        equal(x.mul_montgomery(z, q), &wide);
    }
    each_level(|level, random| {
        for _ in 0..times(500) {
            let (a, b) = (lanes(random), lanes(random));
            dispatch!(level, s => check(s, &a, &b));
        }
    });
}

#[test]
fn transposes() {
    fn reference(v: &mut [Vec<i32>; 2], len: usize) {
        let [a, b] = v;
        for i in (0..a.len()).filter(|i| i & len == 0) {
            core::mem::swap(&mut a[i + len], &mut b[i]);
        }
    }
    #[inline(always)]
    fn check<S: Simd>(s: S) {
        let n = S::I32::LANES;
        let v: Vec<i32> = (0..2 * n as i32).collect();
        let (a, b) = (S::I32::load(s, &v), S::I32::load(s, &v[n..]));
        let start = [v[..n].to_vec(), v[n..].to_vec()];
        macro_rules! transpose {
            ($($len:literal)*) => { $(
                if $len < n {
                    let mut want = start.clone();
                    reference(&mut want, $len);
                    let (x, y) = a.transpose::<$len>(b);
                    assert_eq!([stored::<S>(x), stored::<S>(y)], want, "{s:?} {}", $len);
                }
            )* };
        }
        transpose!(1 2 4 8);
        let mut want = start.clone();
        let mut len = n / 2;
        while len >= 1 {
            reference(&mut want, len);
            len /= 2;
        }
        let (x, y) = a.unravel(b);
        assert_eq!([stored::<S>(x), stored::<S>(y)], want, "{s:?}");
        let (x, y) = x.ravel(y);
        assert_eq!([stored::<S>(x), stored::<S>(y)], start, "{s:?}");
    }
    each_level(|level, _| dispatch!(level, s => check(s)));
}

#[test]
fn packing() {
    #[inline(always)]
    fn check<S: Simd, const D: usize>(s: S, bytes: &[u8]) {
        let n = S::I32::LANES;
        let len = n * D / 8;
        let bit = |i: usize| i32::from(bytes[i / 8] >> (i % 8) & 1);
        let field = |j: usize| (0..D).map(|i| bit(j * D + i) << i).sum::<i32>();
        // Exactly as many bytes as the fields occupy.
        let v = S::I32::unpack::<D>(s, &bytes[..len]);
        assert_eq!(stored::<S>(v), (0..n).map(field).collect::<Vec<_>>(), "{s:?} {D}");
        if D < 24 {
            let mut out = [0xee; 64];
            v.pack::<D>(&mut out[..len]);
            assert_eq!(out[..len], bytes[..len], "{s:?} {D}");
            assert!(out[len..].iter().all(|b| *b == 0xee), "no byte beyond the fields is written");
        }
    }
    #[inline(always)]
    fn all<S: Simd>(s: S, bytes: &[u8]) {
        check::<S, 3>(s, bytes);
        check::<S, 4>(s, bytes);
        check::<S, 6>(s, bytes);
        check::<S, 10>(s, bytes);
        check::<S, 13>(s, bytes);
        check::<S, 18>(s, bytes);
        check::<S, 20>(s, bytes);
        check::<S, 24>(s, bytes);
    }
    each_level(|level, random| {
        for _ in 0..times(200) {
            let bytes: Vec<u8> = (0..48).map(|_| random.next() as u8).collect();
            dispatch!(level, s => all(s, &bytes));
        }
    });
}

#[test]
fn rejection() {
    #[inline(always)]
    fn check<S: Simd>(s: S, a: &[i32]) {
        let n = S::I32::LANES;
        let x = S::I32::load(s, a) & S::I32::splat(s, 0x7f_ffff);
        let below = |bound: i32| -> Vec<i32> {
            a[..n].iter().map(|a| a & 0x7f_ffff).filter(|a| *a < bound).collect()
        };
        for bound in [0x40_0000, Q, 1 << 23] {
            let mut out = [-1; 24];
            let m = x.append_below_vartime(bound, &mut out[..5 + n], 5);
            let want = below(bound);
            assert_eq!((m, &out[5..m]), (5 + want.len(), &want[..]), "{s:?}");
            assert_eq!(out[..5], [-1; 5]);
        }
    }
    each_level(|level, random| {
        for _ in 0..times(500) {
            let a = lanes(random);
            dispatch!(level, s => check(s, &a));
        }
    });
}

#[test]
fn bytes() {
    #[inline(always)]
    fn check<S: Simd>(s: S, a: &[i8], b: &[i8]) {
        let n = S::I8::LANES;
        let (x, y) = (S::I8::load(s, a), S::I8::load(s, b));
        let mut out = [0; 33];
        (x + y + S::I8::splat(s, 3)).store(&mut out);
        for i in 0..n {
            assert_eq!(out[i], a[i].wrapping_add(b[i]).wrapping_add(3), "{s:?}");
        }
        assert_eq!(out[n], 0);
        let nonzero = (0..n).map(|i| u32::from(a[i] != 0) << i).sum::<u32>();
        assert_eq!(x.nonzero(), nonzero, "{s:?}");
    }
    each_level(|level, random| {
        for _ in 0..times(100) {
            let mut half = || -> Vec<i8> {
                (0..32)
                    .map(|_| random.next())
                    .map(|r| if r & 1 == 0 { 0 } else { (r >> 8) as i8 })
                    .collect()
            };
            let (a, b) = (half(), half());
            dispatch!(level, s => check(s, &a, &b));
        }
    });
}
