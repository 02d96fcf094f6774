//! The complex FFT of real polynomials modulo x^n + 1, with the roundings of the reference (round
//! 3, `fft.c`): no fused operations, and the same order.
//!
//! Slot j has its real part at j and its imaginary part at j + n / 2; slots are in bit-reversed
//! order.
use oaklath_simd::each;

use crate::fn_dsa::fpr::{Real, compute, root_bits};

/// The bits of exp(i pi rev(2^u + i) / 1024), with 10 bits reversed, at index 2^(u - 1) + i.
static ROOTS: [[u64; 2]; 512] = {
    let mut roots = [[0; 2]; 512];
    each!(i in 1_usize..512 => {
        let leading = 1 << i.ilog2();
        let index = (i + leading) as u16;
        roots[i] = root_bits((index.reverse_bits() >> 6) as usize);
    });
    roots
};

/// Evaluates at the roots of x^n + 1. Out of line, as are all kernels here.
#[inline(never)]
pub(super) fn fft<R: Real>(a: &mut [R]) {
    compute!(R, _s => {
        let half = a.len() >> 1;
        let (re, im) = a.split_at_mut(half);
        let (mut blocks, mut len) = (1, half);
        while len > 1 {
            for (i, root) in ROOTS[blocks..2 * blocks].iter().enumerate() {
                let block = i * len..(i + 1) * len;
                butterflies(&mut re[block.clone()], &mut im[block], root.map(R::from_bits));
            }
            (blocks, len) = (2 * blocks, len >> 1);
        }
    });
}

/// Computes one block of a layer: x + w y and x - w y of its halves.
#[inline(always)]
fn butterflies<R: Real>(re: &mut [R], im: &mut [R], [c, s]: [R; 2]) {
    let half = re.len() >> 1;
    let ((x_re, y_re), (x_im, y_im)) = (re.split_at_mut(half), im.split_at_mut(half));
    for (((x_re, x_im), y_re), y_im) in x_re.iter_mut().zip(x_im).zip(y_re).zip(y_im) {
        let (re, im) = (*y_re * c - *y_im * s, *y_re * s + *y_im * c);
        (*y_re, *y_im) = (*x_re - re, *x_im - im);
        (*x_re, *x_im) = (*x_re + re, *x_im + im);
    }
}

/// Computes the inverse of [`fft`].
#[inline(never)]
pub(super) fn inverse_fft<R: Real>(a: &mut [R]) {
    compute!(R, _s => {
        let half = a.len() >> 1;
        let (re, im) = a.split_at_mut(half);
        let (mut blocks, mut len) = (half >> 1, 2);
        while blocks > 0 {
            for (i, [c, s]) in ROOTS[blocks..2 * blocks].iter().enumerate() {
                let block = i * len..(i + 1) * len;
                let root = [R::from_bits(*c), -R::from_bits(*s)];
                inverse_butterflies(&mut re[block.clone()], &mut im[block], root);
            }
            (blocks, len) = (blocks >> 1, 2 * len);
        }
        // 2 / n.
        let scale = R::scaled(1, 1 - a.len().ilog2() as i32);
        for x in a {
            *x = *x * scale;
        }
    });
}

/// Computes one block of an inverse layer: x + y and w (x - y), where w is the inverse root.
#[inline(always)]
fn inverse_butterflies<R: Real>(re: &mut [R], im: &mut [R], [c, s]: [R; 2]) {
    let half = re.len() >> 1;
    let ((x_re, y_re), (x_im, y_im)) = (re.split_at_mut(half), im.split_at_mut(half));
    for (((x_re, x_im), y_re), y_im) in x_re.iter_mut().zip(x_im).zip(y_re).zip(y_im) {
        let (re, im) = (*x_re - *y_re, *x_im - *y_im);
        (*x_re, *x_im) = (*x_re + *y_re, *x_im + *y_im);
        (*y_re, *y_im) = (re * c - im * s, re * s + im * c);
    }
}

/// Writes `1 / (|a|^2 + |b|^2)`, n / 2 real numbers.
#[inline(never)]
pub(super) fn inverse_norm<R: Real>(a: &[R], b: &[R], out: &mut [R]) {
    compute!(R, _s => {
        let half = out.len();
        let (a, b) = ((&a[..half], &a[half..2 * half]), (&b[..half], &b[half..2 * half]));
        for (i, out) in out.iter_mut().enumerate() {
            let norms = (a.0[i].square() + a.1[i].square(), b.0[i].square() + b.1[i].square());
            *out = (norms.0 + norms.1).inverse();
        }
    });
}

/// Computes `a = a b`.
#[inline(never)]
pub(super) fn multiply<R: Real>(a: &mut [R], b: &[R]) {
    compute!(R, _s => {
        let half = a.len() >> 1;
        let (re, im) = a.split_at_mut(half);
        let (b_re, b_im) = b[..2 * half].split_at(half);
        for i in 0..half {
            let product =
                (re[i] * b_re[i] - im[i] * b_im[i], re[i] * b_im[i] + im[i] * b_re[i]);
            (re[i], im[i]) = product;
        }
    });
}

/// Computes `a = a b`, with `b` real in all slots.
#[inline(never)]
pub(super) fn multiply_real<R: Real>(a: &mut [R], b: &[R]) {
    compute!(R, _s => {
        let half = a.len() >> 1;
        let (re, im) = a.split_at_mut(half);
        for i in 0..half {
            (re[i], im[i]) = (re[i] * b[i], im[i] * b[i]);
        }
    });
}

/// Computes `a = conj(a)`, the adjoint.
pub(super) fn conjugate<R: Real>(a: &mut [R]) {
    let half = a.len() >> 1;
    a[half..].iter_mut().for_each(|x| *x = -*x);
}

/// Computes `a = a + b`.
pub(super) fn add<R: Real>(a: &mut [R], b: &[R]) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a = *a + *b);
}

/// Computes `a = a - b`.
pub(super) fn subtract<R: Real>(a: &mut [R], b: &[R]) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a = *a - *b);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fn_dsa::fpr::Emulated;
    use oaklath_simd::Level;
    use std::vec::Vec;

    /// Products of small integers are exact, and their bits are the same in both arithmetics.
    fn product<R: Real>(a: &[i64], b: &[i64]) -> (Vec<i64>, Vec<u64>) {
        let [mut a, mut b] = [a, b].map(|a| a.iter().map(|x| R::of(*x)).collect::<Vec<R>>());
        fft(&mut a);
        fft(&mut b);
        multiply(&mut a, &b);
        inverse_fft(&mut a);
        (a.iter().map(|x| x.rint()).collect(), a.iter().map(|x| x.to_bits()).collect())
    }

    #[test]
    fn products_of_integers() {
        for n in [2, 4, 8, 16, 64, 512, 1024] {
            let a: Vec<i64> = (0..n as i64).map(|i| (i * i * 7 + i) % 200 - 100).collect();
            let b: Vec<i64> = (0..n as i64).map(|i| (i * i * i + 5) % 100 - 50).collect();
            let mut want = std::vec![0; n];
            for (i, x) in a.iter().enumerate() {
                for (j, y) in b.iter().enumerate() {
                    want[(i + j) % n] += if i + j < n { x * y } else { -x * y };
                }
            }
            let emulated = product::<Emulated>(&a, &b);
            assert_eq!(emulated.0, want, "{n}");
            for level in Level::available() {
                let got = level.with(|| product::<f64>(&a, &b));
                assert_eq!(got, emulated, "{level} {n}");
            }
        }
    }
}
