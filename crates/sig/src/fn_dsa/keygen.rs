//! Key generation, which makes the keys of the reference for the same seed (Falcon specification
//! 1.2, section 3.8; the checks, their order and their bounds are those of the reference
//! implementation of round 3, version of 2021-11-01).
//!
//! | module | contents |
//! |---|---|
//! | [`gauss`] | the stream of SHAKE256, and f and g drawn from it |
//! | [`fft`] | the FFT, with the roundings of the reference |
//! | [`solve`] | F, G with f G - g F = q |
//! | [`babai`] | the reduction of F and G, with the failures of the reference |
//! | [`gcd`] | the solution for integers, at degree 1 |
//! | [`big`], [`multiplier`] | polynomials of big integers, and products with small ones |
//! | [`sizes`] | the sizes of all integers, and the reasons to reject a candidate |
//!
//! The time depends on the seed only through how many candidates (f, g) are rejected and why, and
//! how often their last coefficients are drawn. A rejected candidate is not used.
#![expect(non_snake_case, reason = "the names of the specification")]

mod babai;
mod big;
mod fft;
mod gauss;
mod gcd;
mod multiplier;
mod sizes;
mod solve;

use alloc::boxed::Box;

use oaklath_hash::keccak::{RATE_256, SUFFIX_SHAKE};
use oaklath_hash::sha3::Squeeze;
use oaklath_poly::q12289::{self as ring, NttPoly, Poly};
use oaklath_simd::ct::Mask;
use oaklath_simd::{Secret, ct, dispatch, scratch, secret};

use super::fpr::{Real, compute};
use babai::{reals, reals_of};
use sizes::{Q, Rejection};

/// Generates a key pair of n = 512 or 1024 from a seed: f, g, F, each n coefficients, and h = g / f
/// modulo q.
///
/// # Panics
/// If n is neither 512 nor 1024, or if the lengths differ.
pub(crate) fn generate<R: Real>(
    seed: &[u8; 48],
    f: &mut [i8],
    g: &mut [i8],
    F: &mut [i8],
    h: &mut [i16],
) {
    let n = f.len();
    assert!(matches!(n, 512 | 1024), "512 or 1024 coefficients");
    assert_eq!([g.len(), F.len(), h.len()], [n; 3], "lengths are equal");
    let mut G = zeroize::Zeroizing::new(alloc::vec![0; n]);
    let mut stream = Squeeze::empty();
    stream.restart::<SUFFIX_SHAKE>(&[seed]);
    while candidate::<R>(&mut stream, [f, g], [F, &mut G], h).is_err() {}
}

/// Draws f and g and makes a key from them.
fn candidate<R: Real>(
    stream: &mut Squeeze<RATE_256>,
    [f, g]: [&mut [i8]; 2],
    [F, G]: [&mut [i8]; 2],
    h: &mut [i16],
) -> Result<(), Rejection> {
    gauss::polynomial(stream, f);
    gauss::polynomial(stream, g);
    compute!(R, _s => check::<R>(f, g))?;
    let divided = if f.len() == 512 { divide::<512>(f, g, h) } else { divide::<1024>(f, g, h) };
    if !divided {
        return Err(Rejection::NotInvertible);
    }
    solve::solve::<R>([f, g], [F, G])
}

/// Writes h = g / f. Returns false if f has no inverse.
fn divide<const N: usize>(f: &[i8], g: &[i8], h: &mut [i16]) -> bool {
    scratch!(wide_h: Poly<N>);
    secret_on_heap!(f_and_g: [Poly<N>; 2]);
    for (to, from) in f_and_g.iter_mut().zip([f, g]) {
        to.iter_mut().zip(from).for_each(|(to, from)| *to = i16::from(*from));
    }
    let [f, g] = &*f_and_g;
    let divided = quotient(f, g, wide_h);
    h.copy_from_slice(&wide_h[..]);
    divided
}

/// Writes h = g / f, with 0 <= h < q. Returns false if f has no inverse, which is public.
pub(super) fn quotient<const N: usize>(f: &Poly<N>, g: &Poly<N>, h: &mut Poly<N>) -> bool {
    dispatch!(s => {
        secret!(f_hat: NttPoly<N>, g_hat: NttPoly<N>, h_hat: NttPoly<N>);
        ring::ntt(s, f, f_hat);
        if ct::declassify_bool(ring::has_zero(s, f_hat)) {
            return false;
        }
        ring::ntt(s, g, g_hat);
        ring::divide(s, g_hat, f_hat, h_hat);
        ring::divide_by_n(s, h_hat);
        ring::inverse_ntt(s, h_hat, h);
        ring::lift(s, h);
        true
    })
}

/// Checks f and g.
#[inline(always)]
fn check<R: Real>(f: &[i8], g: &[i8]) -> Result<(), Rejection> {
    // From -(2^5 - 1) to 2^5 - 1 for n = 512, from -(2^4 - 1) to 2^4 - 1 for n = 1024.
    let bound = if f.len() == 512 { 32 } else { 16 };
    let coefficients = || f.iter().chain(g).map(|x| i32::from(*x));
    let outside = coefficients().fold(0, |outside, x| outside | (bound - 1 - x) | (bound - 1 + x));
    if Mask::from_bit(u64::from(outside as u32 >> 31)).declassify() {
        return Err(Rejection::Coefficient);
    }
    // 1.17^2 q = 16822.4. The sum is at most 2 n 31^2.
    let norm: i32 = coefficients().map(|x| x * x).sum();
    if Mask::from_bit((16_822 - norm) as u64 >> 63).declassify() {
        return Err(Rejection::Norm);
    }
    let short = orthogonal_norm::<R>(f, g).less(R::from_bits(ORTHOGONAL_BOUND));
    if short.declassify() { Ok(()) } else { Err(Rejection::Orthogonal) }
}

/// The bits of 16822.4121.
const ORTHOGONAL_BOUND: u64 = 0x40D0_6D9A_5FD8_ADAC;

/// Returns the squared norm of `(q f* / (f f* + g g*), q g* / (f f* + g g*))`.
#[inline(always)]
fn orthogonal_norm<R: Real>(f: &[i8], g: &[i8]) -> R {
    let [mut a, mut b] = [f, g].map(|f| reals_of::<R>(f.iter().map(|x| i64::from(*x))));
    fft::fft(&mut a);
    fft::fft(&mut b);
    let mut inverse = reals(f.len() >> 1);
    fft::inverse_norm(&a, &b, &mut inverse);
    for a in [&mut a, &mut b] {
        fft::conjugate(a);
        a.iter_mut().for_each(|x| *x = *x * R::of(i64::from(Q)));
        fft::multiply_real(a, &inverse);
        fft::inverse_fft(a);
    }
    let squares = a.iter().zip(b.iter()).map(|(x, y)| (x.square(), y.square()));
    squares.fold(R::ZERO, |sum, (x, y)| sum + x + y)
}

#[cfg(test)]
mod tests {
    mod levels;

    use super::*;
    use crate::fn_dsa::fpr::Emulated;
    use oaklath_hash::sha3::Shake256;
    use oaklath_kat::{Drbg, messages};
    use oaklath_simd::Level;
    use sha2::{Digest, Sha256};
    use std::vec;
    use std::vec::Vec;

    struct NtruKey {
        f: Vec<i8>,
        g: Vec<i8>,
        F: Vec<i8>,
        h: Vec<i16>,
    }

    fn key<R: Real>(n: usize, seed: &[u8; 48]) -> NtruKey {
        let mut key = NtruKey { f: vec![0; n], g: vec![0; n], F: vec![0; n], h: vec![0; n] };
        generate::<R>(seed, &mut key.f, &mut key.g, &mut key.F, &mut key.h);
        key
    }

    /// Packs fields of `bits` bits, the highest bit first.
    fn pack(fields: impl Iterator<Item = u32>, bits: u32, out: &mut Vec<u8>) {
        let (mut word, mut filled) = (0_u64, 0);
        for field in fields {
            word = word << bits | u64::from(field & ((1 << bits) - 1));
            filled += bits;
            while filled >= 8 {
                filled -= 8;
                out.push((word >> filled) as u8);
            }
        }
        assert_eq!(filled, 0);
    }

    /// Encodes both keys as in the specification (section 3.11).
    fn encode(key: &NtruKey) -> [Vec<u8>; 2] {
        let logn = key.f.len().ilog2();
        let (mut pk, mut sk) = (vec![logn as u8], vec![0x50 | logn as u8]);
        pack(key.h.iter().map(|x| *x as u32), 14, &mut pk);
        for (f, bits) in [(&key.f, 15 - logn), (&key.g, 15 - logn), (&key.F, 8)] {
            pack(f.iter().map(|x| i32::from(*x) as u32), bits, &mut sk);
        }
        [pk, sk]
    }

    fn seeds() -> impl Iterator<Item = [u8; 48]> {
        messages().map(|(entropy, _)| Drbg::new(&entropy).array())
    }

    /// SHA-256 of the public and the private keys of records 0 to 99 of the known answers of round
    /// 3.
    const KEYS: [(usize, &str); 2] = [
        (512, "dd785b89bb14c3e0c4eb87029492cce801736e3ebba5c56f32512d394a75825b"),
        (1024, "f98e83e9948ecfb1cf85020d1ebb5d0a8699da47617647cc80c6ac83f0fab8af"),
    ];

    /// The numbers of rejections for these keys: norm, orthogonalized norm, no inverse, common
    /// factor, reduction, F or G too large.
    const REJECTIONS: [(usize, [usize; 6]); 2] =
        [(512, [560, 427, 5, 0, 1, 0]), (1024, [1000, 890, 17, 0, 10, 1])];

    #[test]
    fn known_keys_at_every_level() {
        for level in Level::available() {
            for (n, want) in KEYS {
                let mut digest = Sha256::new();
                for seed in seeds().take(100) {
                    let key = level.with(|| key::<f64>(n, &seed));
                    encode(&key).iter().for_each(|bytes| digest.update(bytes));
                }
                assert_eq!(hex::encode(digest.finalize()), want, "{level} {n}");
            }
        }
    }

    /// Compares 3 keys, or as many as `OAKLATH_FALCON_KEYS` says.
    #[test]
    fn emulated_numbers_give_the_same_keys() {
        let count = std::env::var("OAKLATH_FALCON_KEYS").ok().and_then(|n| n.parse().ok());
        for n in [512, 1024] {
            for i in 0..count.unwrap_or(3_u32) {
                let mut seed = [n as u8; 48];
                seed[..4].copy_from_slice(&i.to_le_bytes());
                let want = encode(&key::<Emulated>(n, &seed));
                for level in Level::available() {
                    let got = level.with(|| encode(&key::<f64>(n, &seed)));
                    assert!(got == want, "{level} {n} {i}");
                }
            }
        }
    }

    #[test]
    fn every_rejection_is_taken() {
        for (n, want) in REJECTIONS {
            let mut key = NtruKey { f: vec![0; n], g: vec![0; n], F: vec![0; n], h: vec![0; n] };
            let mut G = vec![0; n];
            let mut counts = [0; 6];
            for seed in seeds().take(100) {
                let mut stream = Shake256::new().chain(&seed).finish();
                loop {
                    let (fg, FG) = ([&mut key.f[..], &mut key.g], [&mut key.F[..], &mut G]);
                    let h = &mut key.h;
                    match candidate::<f64>(&mut stream, fg, FG, h) {
                        Ok(()) => break,
                        Err(rejection) => counts[rejection as usize - 1] += 1,
                    }
                }
            }
            assert_eq!(counts, want, "{n}");
        }
        // None of them has a common factor, so that f = g is tried.
        let mut f = vec![0; 512];
        gauss::polynomial(&mut Shake256::new().chain(&[9; 48]).finish(), &mut f);
        let (mut F, mut G) = (vec![0; 512], vec![0; 512]);
        let rejection = solve::solve::<f64>([&f, &f], [&mut F, &mut G]);
        assert_eq!(rejection, Err(Rejection::CommonFactor));
        // Coefficients that are too large are hardly ever drawn.
        for (n, bound) in [(512, 32), (1024, 16)] {
            let mut f = vec![0; n];
            f[0] = 1;
            for (x, rejected) in [(bound, true), (-bound, true), (bound - 1, false)] {
                f[n - 1] = x;
                let [a, b] = [[&f, &vec![1; n]], [&vec![1; n], &f]]
                    .map(|[f, g]| check::<f64>(f, g) == Err(Rejection::Coefficient));
                assert_eq!([a, b], [rejected; 2], "{n} {x}");
            }
        }
    }

    #[test]
    fn the_public_key_is_the_quotient() {
        for level in Level::available() {
            for n in [512, 1024] {
                let NtruKey { f, g, h, .. } = key::<f64>(n, &[n as u8 ^ 5; 48]);
                let mut product = vec![0_i64; n];
                for (i, f) in f.iter().enumerate() {
                    for (j, h) in h.iter().enumerate() {
                        let sign = if i + j < n { 1 } else { -1 };
                        product[(i + j) % n] += sign * i64::from(*f) * i64::from(*h);
                    }
                }
                let left = product.iter().zip(&g).map(|(x, g)| x - i64::from(*g));
                assert!(left.into_iter().all(|x| x % i64::from(Q) == 0), "{level}");
            }
        }
    }

    #[test]
    fn zero_has_no_inverse() {
        for level in Level::available() {
            let mut h = vec![0; 512];
            assert!(!level.with(|| divide::<512>(&[0; 512], &[1; 512], &mut h)), "{level}");
        }
    }
}
