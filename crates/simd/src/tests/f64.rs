//! Tests doubles, complex numbers and f32 at every level against plain numbers, bit by bit.
use std::vec::Vec;

use crate::dispatch;
use crate::tests::{Random, each_level, times};
use crate::vectors::Simd;
use crate::vectors::f64::{Complex, F32s, F64s, NativeComplex};
use crate::vectors::i32::I32s;

/// Returns a number of random magnitude; integers and halves are among them.
fn number(random: &mut Random) -> f64 {
    let x = random.next() as i64;
    match x & 3 {
        0 => (x >> 50) as f64 / 2.0,
        1 => (x >> 2) as f64 / (1_u64 << 50) as f64,
        2 => (x >> 20) as f64 / (1_u64 << 60) as f64,
        _ => (x >> 40) as f64,
    }
}

#[test]
fn doubles() {
    #[inline(always)]
    fn check<S: Simd>(s: S, a: &[f64; 8], b: &[f64; 8]) {
        let (n, x, y) = (S::F64::LANES, S::F64::load(s, a), S::F64::load(s, b));
        let equal = |v: S::F64, f: &dyn Fn(f64, f64) -> f64| {
            let mut got = [0.0; 9];
            v.store(&mut got);
            let got = got[..n].iter().map(|x| x.to_bits());
            assert!(got.eq((0..n).map(|i| f(a[i], b[i]).to_bits())), "{s:?} {a:?} {b:?}");
        };
        equal(x, &|a, _| a);
        equal(S::F64::splat(s, a[2]), &|_, _| a[2]);
        equal(x + y, &|a, b| a + b);
        equal(x - y, &|a, b| a - b);
        equal(x * y, &|a, b| a * b);
        equal(x / S::F64::splat(s, 3.1), &|a, _| a / 3.1);
        equal((x * x).sqrt(), &|a, _| (a * a).sqrt());
        // A sum of products is rounded twice.
        equal(x * y + x, &|a, b| a * b + a);
        let integers: Vec<i16> = a.iter().map(|a| a.to_bits() as i16).collect();
        equal(S::F64::widen(s, &integers), &|a, _| f64::from(a.to_bits() as i16));
        let mut rounded = [77; 9];
        x.round(&mut rounded);
        for (got, a) in rounded[..n].iter().zip(a) {
            let want = a.round_ties_even();
            let fits = want.abs() < 16384.0;
            assert!(if fits { f64::from(*got) == want } else { got.unsigned_abs() >= 16384 });
        }
        assert_eq!(rounded[n], 77);
    }
    each_level(|level, random| {
        for _ in 0..times(500) {
            let [a, b] = [0; 2].map(|_| [0; 8].map(|_| number(random)));
            dispatch!(level, s => check(s, &a, &b));
        }
    });
}

#[test]
fn complex_numbers() {
    #[inline(always)]
    fn check<S: Simd>(s: S, [a, b, c, d]: [f64; 4]) {
        let (x, y) = (S::C64::new(s, a, b), S::C64::new(s, c, d));
        let equal = |v: S::C64, re: f64, im: f64| {
            let bits = [re, im].map(f64::to_bits);
            assert_eq!(v.parts().map(f64::to_bits), bits, "{s:?} {a} {b} {c} {d}");
        };
        equal(x + y, a + c, b + d);
        equal(x - y, a - c, b - d);
        equal(x * y, a * c - b * d, a * d + b * c);
        equal(x.mul_conjugate(y), a * c + b * d, b * c - a * d);
        equal(x.half(), a / 2.0, b / 2.0);
        // Adding zero removes the sign of zero.
        equal(x.floor() + S::C64::new(s, 0.0, 0.0), a.floor() + 0.0, b.floor() + 0.0);
    }
    each_level(|level, random| {
        for _ in 0..times(2000) {
            let numbers = [0; 4].map(|_| number(random));
            dispatch!(level, s => check(s, numbers));
        }
    });
}

#[test]
fn singles() {
    #[inline(always)]
    fn check<S: Simd>(s: S, a: &[f32; 16], b: &[f32; 16]) {
        let (n, x, y) = (S::F32::LANES, S::F32::load(s, a), S::F32::load(s, b));
        assert_eq!(n, S::I32::LANES);
        let equal = |v: S::F32, f: &dyn Fn(f32, f32) -> f32| {
            let mut got = [0.0; 17];
            v.store(&mut got);
            let got = got[..n].iter().map(|x| x.to_bits());
            assert!(got.eq((0..n).map(|i| f(a[i], b[i]).to_bits())), "{s:?} {a:?} {b:?}");
        };
        equal(x, &|a, _| a);
        equal(S::F32::splat(s, a[2]), &|_, _| a[2]);
        equal(x + y, &|a, b| a + b);
        equal(x - y, &|a, b| a - b);
        equal(x * y, &|a, b| a * b);
        equal(x / S::F32::splat(s, 3.1), &|a, _| a / 3.1);
        let (re, im) = S::F32::splat_parts(S::C64::new(s, 1.0 / 3.0, -2.0 / 3.0));
        equal(re, &|_, _| (1.0_f64 / 3.0) as f32);
        equal(im, &|_, _| (-2.0_f64 / 3.0) as f32);
        equal(S::F32::from_bits(x.to_bits()), &|a, _| a);
        let mut bits = [0; 17];
        x.to_bits().store(&mut bits);
        assert!(bits[..n].iter().zip(a).all(|(bits, a)| *bits as u32 == a.to_bits()));
        equal(S::F32::of(x.to_bits()), &|a, _| a.to_bits() as i32 as f32);
        let mask = |f: &dyn Fn(usize) -> bool| (0..n).map(|i| u32::from(f(i)) << i).sum::<u32>();
        assert_eq!(x.at_most(y), mask(&|i| a[i] <= b[i]));
        assert_eq!(x.at_most(x), mask(&|_| true));
        let infinite = S::F32::splat(s, 1.0) / S::F32::splat(s, 0.0);
        assert_eq!((x.at_most(infinite), infinite.at_most(x)), (mask(&|_| true), 0));
    }
    each_level(|level, random| {
        for _ in 0..times(500) {
            let [a, b] = [0; 2].map(|_| [0; 16].map(|_| number(random) as f32));
            dispatch!(level, s => check(s, &a, &b));
        }
    });
}
