//! Inverses modulo q in `Z_q[x] / (x^n - 1)`.
use oaklath_simd::{Simd, secret};

use super::{Points, Poly, Products, Room, evaluate, interpolate_cyclic, multiply};
use crate::powers;

/// v with a v = 1 modulo `Phi_n` and 2^`BITS`, which is at most 13, if `a` has an inverse there; else the
/// result means nothing. From the inverse modulo 2, with e = 1 - a v, the iteration v (1 + e) doubles
/// the number of right bits, and v (1 + e + e^2) triples it: up to twelve bits are 1, 3, 6, 12. n fits
/// `L`: 16 L - 64 < n <= 16 L. Out of line.
#[inline(never)]
pub fn invert<S: Simd, const BITS: u32, const L: usize>(
    s: S,
    n: usize,
    a: &Poly<L>,
    v: &mut Poly<L>,
    room: &mut Room,
) {
    const { assert!(BITS <= 13) };
    s.vectorize(
        #[inline(always)]
        || {
            secret!(t: Poly<L>, square: Poly<L>, a_points: Points<L>, v_points: Points<L>);
            secret!(t_points: Points<L>, products: Products<L>);
            let (bits, inverse) = (a.as_flattened(), v.as_flattened_mut());
            match L {
                32 => powers::invert::<S, 8>(s, n, bits, inverse),
                44 => powers::invert::<S, 11>(s, n, bits, inverse),
                _ => powers::invert::<S, 13>(s, n, bits, inverse),
            }
            evaluate(s, a, a_points);
            let mut right = 1;
            while right < BITS {
                evaluate(s, v, v_points);
                multiply(s, a_points, v_points, products, room);
                interpolate_cyclic(s, n, products, t, room);
                if right == 1 && BITS <= 12 {
                    // 1 + e + e^2 = 3 - 3 (a v) + (a v)^2.
                    evaluate(s, t, t_points);
                    multiply(s, t_points, t_points, products, room);
                    interpolate_cyclic(s, n, products, square, room);
                    for (t, square) in t.as_flattened_mut().iter_mut().zip(square.as_flattened()) {
                        *t = square.wrapping_sub(t.wrapping_mul(3));
                    }
                    t[0][0] = t[0][0].wrapping_add(3);
                    right = 3;
                } else {
                    // 1 + e = 2 - a v.
                    t.as_flattened_mut().iter_mut().for_each(|t| *t = t.wrapping_neg());
                    t[0][0] = t[0][0].wrapping_add(2);
                    right *= 2;
                }
                evaluate(s, t, t_points);
                multiply(s, v_points, t_points, products, room);
                interpolate_cyclic(s, n, products, v, room);
            }
        },
    );
}
