//! The kernels of key generation have the same outputs at every SIMD level.
use alloc::vec;
use alloc::vec::Vec;

use oaklath_hash::sha3::Shake256;
use oaklath_simd::compare::{Inputs, same_at_every_level};

use crate::fn_dsa::keygen::big::tests::{poly, random, values};
use crate::fn_dsa::keygen::big::{Factor, limbs};
use crate::fn_dsa::keygen::divide;
use crate::fn_dsa::keygen::fft::{fft, inverse_fft, multiply};
use crate::fn_dsa::keygen::gauss;
use crate::fn_dsa::keygen::gcd::bezout;
use crate::fn_dsa::keygen::multiplier::Multiplier;

/// The number of inputs that most kernels are tested with.
const FEW: u64 = 20;

#[test]
fn transforms_same_at_every_level() {
    same_at_every_level("Falcon keygen FFT", FEW, |inputs| {
        let n = 1 << inputs.within(1, 10);
        let mut reals = || -> Vec<f64> {
            (0..n).map(|_| f64::from(inputs.within(-(1 << 20), 1 << 20))).collect()
        };
        let (mut a, mut b) = (reals(), reals());
        fft(&mut a);
        fft(&mut b);
        multiply(&mut a, &b);
        inverse_fft(&mut a);
        a.into_iter().map(f64::to_bits).collect::<Vec<_>>()
    });
}

#[test]
fn big_products_same_at_every_level() {
    same_at_every_level("Falcon big product", FEW, |inputs| {
        let (n, mut state) = (1 << inputs.within(0, 5), inputs.bits());
        let (a, b) = (random(n, 128, &mut state), random(n, 101, &mut state));
        let (a, factor) = (poly(&a, 2), Factor::new(&poly(&b, 2)));
        values(&factor.multiply(&a, 2))
    });
    same_at_every_level("Falcon big difference", FEW, |inputs| {
        let (n, mut state) = (1 << inputs.within(1, 8), inputs.bits());
        let b = random(n, 93, &mut state);
        let k: Vec<i64> = (0..n).map(|_| inputs.within(-i32::MAX, i32::MAX).into()).collect();
        let multiplier = Multiplier::new(&poly(&b, limbs(93)), 93);
        let mut F = poly(&random(n, 127, &mut state), 2);
        let shift = (inputs.bits() % 70) as usize;
        multiplier.subtract(&k, shift, &mut F, 2);
        values(&F)
    });
}

#[test]
fn big_inverses_same_at_every_level() {
    /// Returns a random odd number whose top bits are zero.
    fn odd(inputs: &mut Inputs, len: usize) -> Vec<u64> {
        let mut x: Vec<u64> = (0..len).map(|_| inputs.bits()).collect();
        x[0] |= 1;
        x[len - 1] >>= 3;
        x
    }
    same_at_every_level("Falcon bezout", FEW, |inputs| {
        let len = inputs.within(1, 9) as usize;
        let (x, y) = (odd(inputs, len), odd(inputs, len));
        let found = bezout(&x, &y, 64 * len - 3);
        found.map(|(u, v)| (u.to_vec(), v.to_vec()))
    });
}

#[test]
fn small_polynomials_same_at_every_level() {
    same_at_every_level("Falcon quotient modulo q", FEW, |inputs| {
        let mut small = || -> Vec<i8> { (0..512).map(|_| inputs.within(-25, 25) as i8).collect() };
        let (f, g, mut out) = (small(), small(), vec![0; 512]);
        let exists = divide::<512>(&f, &g, &mut out);
        exists.then_some(out)
    });
    same_at_every_level("Falcon Gaussian", FEW, |inputs| {
        let (mut seed, mut f) = ([0; 48], vec![0; 512]);
        inputs.fill(&mut seed);
        let mut stream = Shake256::new().chain(&seed).finish();
        gauss::polynomial(&mut stream, &mut f);
        f
    });
}
