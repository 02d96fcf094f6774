//! Solves the NTRU equation `f G - g F = q` modulo x^n + 1: norms lead down to integers, for which
//! it is Bezout's equation; the solution is lifted and reduced at each degree (Falcon specification
//! 1.2, section 3.8.2, Algorithm 6), with the lengths and the failures of the reference.
use alloc::vec::Vec;

use oaklath_simd::ct::Mask;
use zeroize::Zeroizing;

use super::babai::{KeygenReals, reals, reals_of, reduce, reduce_once, round};
use super::big::{Factor, Poly, limbs};
use super::fft::{add, conjugate, fft, inverse_fft, multiply, multiply_real, subtract};
use super::gcd::bezout;
use super::sizes::{LARGE, Q, Rejection, SMALL};
use crate::fn_dsa::fpr::Real;

/// Solves for F and G.
pub(super) fn solve<R: Real>([f, g]: [&[i8]; 2], [F, G]: [&mut [i8]; 2]) -> Result<(), Rejection> {
    let logn = f.len().ilog2() as usize;
    let levels = norms::<R>(f, g, logn);
    let [mut A, mut B] = deepest(&levels[logn], logn)?;
    for depth in (1..logn).rev() {
        let [f, g] = &levels[depth];
        if depth > 1 {
            (A, B) = (lift(&A, g, depth), lift(&B, f, depth));
            reduce::<R>(depth, [&mut A, &mut B], [f, g])?;
        } else {
            (A, B) = (lift_by_fft::<R>(&A, g), lift_by_fft::<R>(&B, f));
            reduce_once::<R>([&mut A, &mut B], [f, g])?;
        }
    }
    top::<R>(&levels[0], [&A, &B], [&mut *F, &mut *G])?;
    if holds::<R>([f, g], [F, G]) { Ok(()) } else { Err(Rejection::Large) }
}

/// Returns f and g, their norms, the norms of these, and so on down to degree 1.
fn norms<R: Real>(f: &[i8], g: &[i8], logn: usize) -> Vec<[Poly; 2]> {
    let first = [f, g].map(|f| Poly::small(f.iter().map(|x| i64::from(*x))));
    let mut levels = Vec::with_capacity(logn + 1);
    levels.push(first);
    for depth in 0..logn {
        let [f, g] = &levels[depth];
        let next = [f, g].map(|f| if depth < 2 { norm_by_fft::<R>(f) } else { norm(f, depth) });
        levels.push(next);
    }
    levels
}

/// Returns `f(x) f(-x)` as a polynomial in x^2: the square of the even half minus x times the
/// square of the odd half.
fn norm(f: &Poly, depth: usize) -> Poly {
    let bits = 31 * SMALL[depth + 1];
    let [even, odd] = [0, 1].map(|odd| {
        let half = f.half(odd);
        Factor::new(&half).multiply(&half, limbs(bits))
    });
    let mut norm = even;
    norm.subtract_times_x(&odd);
    norm.truncate(bits);
    norm
}

/// Returns the norm for coefficients of at most 11 bits, computed with reals, whose errors are far
/// below 1/2.
fn norm_by_fft<R: Real>(f: &Poly) -> Poly {
    let mut a = reals_of::<R>(f.row(0).iter().map(|x| *x as i64));
    let mut b = reals_of::<R>(f.row(0).iter().enumerate().map(|(i, x)| alternate(i, *x as i64)));
    fft(&mut a);
    fft(&mut b);
    multiply(&mut a, &b);
    inverse_fft(&mut a);
    let half = a.len() >> 1;
    Poly::small((0..half).map(|i| a[2 * i].rint()))
}

/// Returns coefficient i of f(-x), where `x` is that of f(x).
fn alternate(i: usize, x: i64) -> i64 {
    let odd = -(i as i64 & 1);
    (x ^ odd) - odd
}

/// Solves `f G - g F = q` for integers.
fn deepest([f, g]: &[Poly; 2], depth: usize) -> Result<[Poly; 2], Rejection> {
    let bits = 31 * SMALL[depth];
    let (G, F) = bezout(f.integer(), g.integer(), bits).ok_or(Rejection::CommonFactor)?;
    let mut solution = [F, G].map(|F| {
        let mut out = Poly::new(1, F.len());
        out.integer_mut().copy_from_slice(&F);
        out
    });
    let mut over = 0;
    for F in &mut solution {
        let mut carry = 0;
        for word in F.integer_mut() {
            let product = u128::from(*word) * u128::from(Q) + carry;
            (*word, carry) = (product as u64, product >> 64);
        }
        let top = F.integer()[F.limbs() - 1];
        over |= carry as u64 | top >> (bits - 64 * (F.limbs() - 1));
        F.truncate(bits);
    }
    // The reference rejects solutions that are longer than its memory.
    if Mask::from_nonzero(over).declassify() { Err(Rejection::CommonFactor) } else { Ok(solution) }
}

/// Returns `F(x^2) g(-x)`.
fn lift(F: &Poly, g: &Poly, depth: usize) -> Poly {
    let bits = 31 * LARGE[depth];
    let [even, mut odd] = [0, 1].map(|odd| Factor::new(&g.half(odd)).multiply(F, limbs(bits)));
    odd.negate();
    let mut lifted = Poly::interleave(&even, &odd);
    lifted.truncate(bits);
    lifted
}

/// Returns `F(x^2) g(-x)` in FFT slots.
fn lift_in_slots<R: Real>(F: &Poly, g: &Poly) -> KeygenReals<R> {
    let mut a = reals::<R>(g.n());
    a.iter_mut().step_by(2).zip(F.row(0)).for_each(|(a, x)| *a = R::of(*x as i64));
    let mut b = reals_of::<R>(g.row(0).iter().enumerate().map(|(i, x)| alternate(i, *x as i64)));
    fft(&mut a);
    fft(&mut b);
    multiply(&mut a, &b);
    a
}

/// Returns `F(x^2) g(-x)` at depth 1, where coefficients of F have about 24 bits and those of g
/// have 11: errors are far below 1/2.
fn lift_by_fft<R: Real>(F: &Poly, g: &Poly) -> Poly {
    let mut a = lift_in_slots::<R>(F, g);
    inverse_fft(&mut a);
    let mut lifted = Poly::small(a.iter().map(|x| x.rint()));
    lifted.truncate(31 * LARGE[1]);
    lifted
}

/// Does the last step up, where all products are small, and exact once they are rounded.
fn top<R: Real>(
    [f, g]: &[Poly; 2],
    [F, G]: [&Poly; 2],
    out: [&mut [i8]; 2],
) -> Result<(), Rejection> {
    let slots = |mut a: KeygenReals<R>| {
        fft(&mut a);
        a
    };
    let (mut F, mut G) = (lift_in_slots::<R>(F, g), lift_in_slots::<R>(G, f));
    let [mut f, mut g] = [f, g].map(|f| slots(reals_of(f.row(0).iter().map(|x| *x as i64))));
    // Computes a conj(f) + b conj(g), rounds it to integers and returns it in slots.
    let product = |[a, b]: [&KeygenReals<R>; 2], [f, g]: [&KeygenReals<R>; 2]| {
        let (mut f, mut g) = (f.clone(), g.clone());
        conjugate(&mut f);
        conjugate(&mut g);
        multiply(&mut f, a);
        multiply(&mut g, b);
        add(&mut f, &g);
        inverse_fft(&mut f);
        slots(reals_of(f.iter().map(|x| x.rint())))
    };
    let mut k = product([&F, &G], [&f, &g]);
    let norm = product([&f, &g], [&f, &g]);
    let inverse: KeygenReals<R> =
        Zeroizing::new(norm[..norm.len() >> 1].iter().map(|x| x.inverse()).collect());
    multiply_real(&mut k, &inverse);
    inverse_fft(&mut k);
    let k = slots(reals_of(k.iter().map(|x| x.rint())));
    for ((F, f), out) in [(&mut F, &mut f), (&mut G, &mut g)].into_iter().zip(out) {
        multiply(f, &k);
        subtract(F, f);
        inverse_fft(F);
        let rounded = round(F.iter().copied(), R::scaled(255, -1)).map_err(|_| Rejection::Large)?;
        out.iter_mut().zip(rounded.iter()).for_each(|(out, x)| *out = *x as i8);
    }
    Ok(())
}

/// Returns whether `f G - g F = q`. The sums are below 2^25, so they are exact when rounded.
pub(super) fn holds<R: Real>([f, g]: [&[i8]; 2], [F, G]: [&[i8]; 2]) -> bool {
    let [mut f, mut g, F, G] = [f, g, F, G].map(|f| {
        let mut a = reals_of::<R>(f.iter().map(|x| i64::from(*x)));
        fft(&mut a);
        a
    });
    multiply(&mut f, &G);
    multiply(&mut g, &F);
    subtract(&mut f, &g);
    inverse_fft(&mut f);
    let wrong = f.iter().enumerate().fold(0, |wrong, (i, x)| {
        let want = if i == 0 { i64::from(Q) } else { 0 };
        wrong | (x.rint() ^ want)
    });
    !Mask::from_nonzero(wrong as u64).declassify()
}
