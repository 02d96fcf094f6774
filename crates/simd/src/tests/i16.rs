//! Tests 16-bit lanes.
use std::vec::Vec;

use crate::dispatch;
use crate::tests::{each_level, times};
use crate::vectors::Simd;
use crate::vectors::i16::I16s;

fn stored<S: Simd>(v: S::I16) -> Vec<i16> {
    let mut out = std::vec![0; S::I16::LANES];
    v.store(&mut out);
    out
}

#[test]
fn arithmetic() {
    #[inline(always)]
    fn check<S: Simd>(s: S, a: &[i16], b: &[i16]) {
        let (n, (x, y)) = (S::I16::LANES, (S::I16::load(s, a), S::I16::load(s, b)));
        let equal = |v: S::I16, f: &dyn Fn(i16, i16) -> i16| {
            let want: Vec<i16> = (0..n).map(|i| f(a[i], b[i])).collect();
            assert_eq!(stored::<S>(v), want, "{s:?} {a:?} {b:?}");
        };
        let wide = |a: i16, b: i16| i32::from(a) * i32::from(b);
        equal(x, &|a, _| a);
        equal(S::I16::splat(s, a[3]), &|_, _| a[3]);
        equal(x + y, &i16::wrapping_add);
        equal(x - y, &i16::wrapping_sub);
        equal(x & y, &|a, b| a & b);
        equal(x | y, &|a, b| a | b);
        equal(x.mullo(y), &i16::wrapping_mul);
        // Without -2^15 as the second factor: `mulhi` excepts one product with it.
        let factor = |b: i16| b.max(-i16::MAX);
        let bounded: Vec<i16> = b.iter().map(|b| factor(*b)).collect();
        let z = S::I16::load(s, &bounded);
        equal(x.mulhi(z), &|a, b| (wide(a, factor(b)) >> 16) as i16);
        let montgomery =
            x.mul_montgomery([z, z.mullo(S::I16::splat(s, -3327))], S::I16::splat(s, 3329));
        equal(montgomery, &|a, b| {
            let p = wide(a, factor(b));
            let m = (p as i16).wrapping_mul(-3327);
            ((p - wide(m, 3329)) >> 16) as i16
        });
        equal(x.mulhrs(S::I16::splat(s, 20159)), &|a, _| {
            ((wide(a, 20159) + (1 << 14)) >> 15) as i16
        });
        equal(x.min_unsigned(y), &|a, b| (a as u16).min(b as u16) as i16);
        equal(x.sra::<15>(), &|a, _| a >> 15);
        equal(x.sra::<3>(), &|a, _| a >> 3);
        equal(x.srl::<5>(), &|a, _| (a as u16 >> 5) as i16);
        equal(x.sll::<11>(), &|a, _| a << 11);
    }
    each_level(|level, random| {
        for _ in 0..times(200) {
            let (a, b) = (random.lanes(), random.lanes());
            dispatch!(level, s => check(s, &a, &b));
        }
    });
}

#[test]
fn fewer_elements_than_lanes() {
    #[inline(always)]
    fn check<S: Simd>(s: S, from: &[i16]) {
        let want: Vec<i16> =
            (0..S::I16::LANES).map(|i| from.get(i).copied().unwrap_or(0)).collect();
        assert_eq!(stored::<S>(S::I16::load_up_to(s, from)), want, "{s:?}");
    }
    each_level(|level, random| {
        let from = [random.lanes(), random.lanes()].concat();
        for len in 0..=40 {
            dispatch!(level, s => check(s, &from[from.len() - len..]));
        }
    });
}

#[test]
fn bits_at_places() {
    #[inline(always)]
    fn check<S: Simd>(s: S, places: &[i16], from: &[u64; 16]) {
        let picked = S::I16::load(s, places).pick_bits(from);
        let bit = |i: usize| from[places[i] as usize / 64] >> (places[i] % 64) & 1;
        let want = (0..S::I16::LANES).fold(0, |want, i| want | bit(i) << i);
        assert_eq!(u64::from(picked), want, "{s:?}");
    }
    each_level(|level, random| {
        for _ in 0..times(200) {
            let places: Vec<i16> = random.lanes().iter().map(|lane| lane & 1023).collect();
            let from = core::array::from_fn(|_| random.next());
            dispatch!(level, s => check(s, &places, &from));
        }
    });
}

#[test]
fn pairs() {
    #[inline(always)]
    fn check<S: Simd>(s: S, a: &[i16], b: &[i16]) {
        let (n, (x, y)) = (S::I16::LANES, (S::I16::load(s, a), S::I16::load(s, b)));
        let dot = |a: &[i16], b: &[i16], i: usize| {
            let product = |i: usize| i32::from(a[i]) * i32::from(b[i]);
            product(i & !1).wrapping_add(product(i | 1))
        };
        let want = |f: &dyn Fn(usize) -> i16| (0..n).map(f).collect::<Vec<_>>();
        let (c, d) = (x.dot_pairs(y), x.dot_pairs(x));
        let half = |w: i32, i: usize| (w >> (16 * (i & 1))) as i16;
        assert_eq!(stored::<S>(S::I16::halves(c)), want(&|i| half(dot(a, b, i), i)));
        let sum = S::I16::halves(c + d);
        assert_eq!(stored::<S>(sum), want(&|i| half(dot(a, b, i).wrapping_add(dot(a, a, i)), i)));
        let difference = S::I16::halves(c - d);
        let of = |i: usize| half(dot(a, b, i).wrapping_sub(dot(a, a, i)), i);
        assert_eq!(stored::<S>(difference), want(&of));
        let high = |i: usize| ((if i & 1 == 0 { dot(a, b, i) } else { dot(a, a, i) }) >> 16) as i16;
        assert_eq!(stored::<S>(S::I16::high_halves(c, d)), want(&high));
        assert_eq!(stored::<S>(x.swap_pairs()), want(&|i| a[i ^ 1]));
        assert_eq!(stored::<S>(x.with_odd(y)), want(&|i| if i & 1 == 0 { a[i] } else { b[i] }));
    }
    each_level(|level, random| {
        for _ in 0..times(200) {
            let (a, b) = (random.lanes(), random.lanes());
            dispatch!(level, s => check(s, &a, &b));
        }
    });
}

#[test]
fn transposes() {
    fn reference(v: &mut [Vec<i16>; 2], len: usize) {
        let [a, b] = v;
        for i in (0..a.len()).filter(|i| i & len == 0) {
            core::mem::swap(&mut a[i + len], &mut b[i]);
        }
    }
    #[inline(always)]
    fn check<S: Simd>(s: S) {
        let n = S::I16::LANES;
        let v: Vec<i16> = (0..2 * n as i16).collect();
        let (a, b) = (S::I16::load(s, &v), S::I16::load(s, &v[n..]));
        let start = [v[..n].to_vec(), v[n..].to_vec()];
        macro_rules! transpose {
            ($len:literal) => {{
                let mut want = start.clone();
                reference(&mut want, $len);
                let (x, y) = a.transpose::<$len>(b);
                assert_eq!([stored::<S>(x), stored::<S>(y)], want, "{s:?} {}", $len);
            }};
        }
        // Blocks of 8 and 16 lanes are tested through `unravel`, on backends that have them.
        transpose!(1);
        transpose!(2);
        transpose!(4);
        let mut want = start.clone();
        let mut len = n / 2;
        while len >= 2 {
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
    fn check<S: Simd, const D: usize>(s: S, bytes: &[u8], pack: bool) {
        let n = S::I16::LANES;
        let bit = |i: usize| i16::from(bytes[i / 8] >> (i % 8) & 1);
        let field = |j: usize| (0..D).map(|i| bit(j * D + i) << i).sum::<i16>();
        let v = S::I16::unpack::<D>(s, &bytes[..n * D / 8]);
        assert_eq!(stored::<S>(v), (0..n).map(field).collect::<Vec<_>>(), "{s:?} {D}");
        if pack {
            let mut out = [0xee; 64];
            v_pack::<S, D>(v, &mut out);
            assert_eq!(out[..n * D / 8], bytes[..n * D / 8], "{s:?} {D}");
            assert!(
                out[n * D / 8..].iter().all(|b| *b == 0xee),
                "no byte beyond the fields is written"
            );
        }
    }
    #[inline(always)]
    fn v_pack<S: Simd, const D: usize>(v: S::I16, out: &mut [u8]) {
        v.pack::<D>(&mut out[..S::I16::LANES * D / 8]);
    }
    #[inline(always)]
    fn all<S: Simd>(s: S, bytes: &[u8]) {
        check::<S, 4>(s, bytes, true);
        check::<S, 5>(s, bytes, true);
        check::<S, 10>(s, bytes, true);
        check::<S, 11>(s, bytes, true);
        check::<S, 12>(s, bytes, true);
        // Six bits are never written: no `pack::<6>`.
        let n = S::I16::LANES;
        let bit = |i: usize| i16::from(bytes[i / 8] >> (i % 8) & 1);
        let field = |j: usize| (0..6).map(|i| bit(j * 6 + i) << i).sum::<i16>();
        let v = S::I16::unpack::<6>(s, &bytes[..n * 6 / 8]);
        assert_eq!(stored::<S>(v), (0..n).map(field).collect::<Vec<_>>(), "{s:?} 6");
    }
    each_level(|level, random| {
        for _ in 0..times(200) {
            let bytes: Vec<u8> = (0..48).map(|_| random.next() as u8).collect();
            dispatch!(level, s => all(s, &bytes));
        }
    });
}

#[test]
fn selection() {
    #[inline(always)]
    fn check<S: Simd>(s: S, a: &[i16], table: &[i16; 16], bits: u32) {
        let n = S::I16::LANES;
        let x = S::I16::load(s, a);
        let small = x & S::I16::splat(s, 15);
        let want: Vec<i16> = a[..n].iter().map(|a| table[(a & 15) as usize]).collect();
        assert_eq!(stored::<S>(small.lookup(table)), want, "{s:?}");
        let signs = (0..n).map(|i| u32::from(a[i] < 0) << i).sum::<u32>();
        assert_eq!(x.signs(), signs, "{s:?}");
        let want: Vec<i16> = (0..n).map(|i| if bits >> i & 1 == 1 { 1665 } else { 0 }).collect();
        assert_eq!(stored::<S>(S::I16::from_bits(s, bits, 1665)), want, "{s:?}");
        let positive = x & S::I16::splat(s, 0xfff);
        let mut out = [-1; 80];
        let everything = positive.append_below_vartime(4096, &mut out[..5 + n], 5);
        assert!(everything == 5 + n && out[5..5 + n].iter().zip(a).all(|(o, a)| *o == a & 0xfff));
        let m = positive.append_below_vartime(3329, &mut out[..5 + n], 5);
        let want: Vec<i16> = a[..n].iter().map(|a| a & 0xfff).filter(|a| *a < 3329).collect();
        assert_eq!((m, &out[5..m]), (5 + want.len(), &want[..]), "{s:?}");
        assert_eq!(out[..5], [-1; 5]);
    }
    each_level(|level, random| {
        for _ in 0..times(500) {
            let (a, t) = (random.lanes(), random.lanes());
            let bits = random.next() as u32;
            dispatch!(level, s => check(s, &a, t.first_chunk().expect("16"), bits));
        }
    });
}
