//! Inverses modulo q in `Z_q[x] / (x^n - 1)`.
use oaklath_simd::{Simd, secret};

use super::{Points, Poly, Products, Room, evaluate, interpolate_cyclic, multiply};
use crate::powers;

/// v with a v = 1 modulo `Phi_n` and 2^`BITS`, which is at most 13, if `a` has an inverse there; else the
/// result means nothing. From the inverse modulo 2, with e = 1 - a v, the iteration v (1 + e) doubles
/// the number of right bits, and v (1 + e + e^2) triples it: up to twelve bits are 1, 3, 6, 12. n fits
/// `L`: 16 L - 64 < n <= 16 L. The memory is lent, since what calls has it for products of its own.
#[inline(always)]
pub fn invert<S: Simd, const BITS: u32, const L: usize>(
    s: S,
    n: usize,
    a: &Poly<L>,
    v: &mut Poly<L>,
    memory: (&mut [Points<L>; 2], &mut Products<L>, &mut Room<L>),
) {
    const { assert!(BITS <= 13) };
    let (bits, inverse) = (a.as_flattened(), v.as_flattened_mut());
    match L {
        32 => powers::invert::<S, 8>(s, n, bits, inverse),
        44 => powers::invert::<S, 11>(s, n, bits, inverse),
        _ => powers::invert::<S, 13>(s, n, bits, inverse),
    }
    lift::<S, BITS, L>(s, n, a, v, memory);
}

/// The iterations. Out of line, so that their memory and that of the inverse modulo 2 are one.
#[inline(never)]
fn lift<S: Simd, const BITS: u32, const L: usize>(
    s: S,
    n: usize,
    a: &Poly<L>,
    v: &mut Poly<L>,
    ([points, v_points], products, room): (&mut [Points<L>; 2], &mut Products<L>, &mut Room<L>),
) {
    s.vectorize(
        #[inline(always)]
        || {
            let mut right = 1;
            while right < BITS {
                // Those of a again each time: that is little, and memory for two is enough.
                evaluate(s, a, points);
                evaluate(s, v, v_points);
                multiply(s, points, v_points, products, room);
                // What multiplies v may stand in its place, since its points are there.
                if right == 1 && BITS <= 12 {
                    // 1 + e + e^2 = 3 - 3 (a v) + (a v)^2.
                    secret!(t: Poly<L>);
                    interpolate_cyclic(s, n, products, t, room);
                    evaluate(s, t, points);
                    multiply(s, points, points, products, room);
                    interpolate_cyclic(s, n, products, v, room);
                    for (v, t) in v.as_flattened_mut().iter_mut().zip(t.as_flattened()) {
                        *v = v.wrapping_sub(t.wrapping_mul(3));
                    }
                    v[0][0] = v[0][0].wrapping_add(3);
                    right = 3;
                } else {
                    // 1 + e = 2 - a v.
                    interpolate_cyclic(s, n, products, v, room);
                    v.as_flattened_mut().iter_mut().for_each(|v| *v = v.wrapping_neg());
                    v[0][0] = v[0][0].wrapping_add(2);
                    right *= 2;
                }
                evaluate(s, v, points);
                multiply(s, v_points, points, products, room);
                interpolate_cyclic(s, n, products, v, room);
            }
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use oaklath_simd::{Level, dispatch};

    fn check<const BITS: u32, const L: usize>(n: usize) {
        let (mut a, mut x) = (Poly::<L>::new([[0; L]; 16]), n as u32);
        for c in &mut a.as_flattened_mut()[..n] {
            x = x.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
            *c = (x >> 12) as i16;
        }
        for level in Level::available() {
            let (mut v, mut room) = (Poly::new([[7; L]; 16]), Room::new([[[7; 32]; L]; 3]));
            let mut points = [Points::new([[7; 64]; L]); 2];
            let mut products = Products::new([[[7; 64]; L]; 2]);
            dispatch!(level, s => {
                let memory = (&mut points, &mut products, &mut room);
                invert::<_, BITS, L>(s, n, &a, &mut v, memory);
            });
            let (a, v, mut c) = (a.as_flattened(), v.as_flattened(), std::vec![0_i16; n]);
            for i in 0..n {
                for j in 0..n {
                    c[(i + j) % n] = c[(i + j) % n].wrapping_add(a[i].wrapping_mul(v[j]));
                }
            }
            for (i, x) in c.iter().enumerate() {
                let found = x.wrapping_sub(c[n - 1]) & ((1 << BITS) - 1);
                assert_eq!(found, i16::from(i == 0), "{level} {n} {i}");
            }
        }
    }

    #[test]
    fn products_with_inverses_are_one_modulo_q() {
        check::<12, 32>(509);
        check::<12, 44>(677);
        check::<13, 44>(701);
        check::<12, 52>(821);
    }
}
