//! Inverses modulo q in `Z_q[x] / (x^n - 1)`.
use oaklath_simd::{Simd, secret};

use super::{Points, Poly, Products, evaluate, interpolate_cyclic, multiply};
use crate::powers;

/// v with a v = 1 modulo `Phi_n` and 2^13, if `a` has an inverse there; else the result means nothing.
/// Newton's iteration from the inverse modulo 2: v (2 - a v) has twice as many right bits. n fits
/// `L`: 16 L - 64 < n <= 16 L. Out of line.
#[inline(never)]
pub fn invert<S: Simd, const L: usize>(s: S, n: usize, a: &Poly<L>, v: &mut Poly<L>) {
    s.vectorize(
        #[inline(always)]
        || {
            secret!(t: Poly<L>, a_points: Points<L>, v_points: Points<L>);
            secret!(t_points: Points<L>, products: Products<L>);
            let (bits, inverse) = (a.as_flattened(), v.as_flattened_mut());
            match L {
                32 => powers::invert::<S, 8>(s, n, bits, inverse),
                44 => powers::invert::<S, 11>(s, n, bits, inverse),
                _ => powers::invert::<S, 13>(s, n, bits, inverse),
            }
            evaluate(s, a, a_points);
            // 1, 2, 4, 8, 16 bits.
            let mut i = 0;
            while i < 4 {
                evaluate(s, v, v_points);
                multiply(s, a_points, v_points, products);
                interpolate_cyclic(s, n, products, t);
                for t in &mut t.as_flattened_mut()[..n] {
                    *t = t.wrapping_neg();
                }
                t[0][0] = t[0][0].wrapping_add(2);
                evaluate(s, t, t_points);
                multiply(s, v_points, t_points, products);
                interpolate_cyclic(s, n, products, v);
                i += 1;
            }
        },
    );
}
