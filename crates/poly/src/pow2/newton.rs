//! Inverses modulo q in `Z_q[x] / (x^n - 1)`.
use oaklath_simd::{Simd, secret, vectorize};

use super::{Memory, Poly, evaluate, interpolate_cyclic, multiply};
use crate::gf2;

/// Computes v with a v = 1 modulo `Phi_n` and 2^`right_bits`, at most 13, if `a` is invertible;
/// else the result is meaningless. Starts from the inverse modulo 2. With e = 1 - a v, the
/// iteration v (1 + e) doubles the number of correct bits, v (1 + e + e^2) triples it and
/// v (1 + e + ... + e^4) quintuples it, with two, three and four products. Up to twelve bits take
/// the steps 1, 3, 6, 12, and thirteen 1, 5, 15. n fits `L`: 16 L - 64 < n <= 16 L. The caller
/// lends the memory that it has for its own products.
#[inline(always)]
pub fn invert<S: Simd, const L: usize>(
    s: S,
    right_bits: u32,
    n: usize,
    a: &Poly<L>,
    v: &mut Poly<L>,
    memory: Memory<'_, L>,
) {
    debug_assert!(right_bits <= 13, "a product is right modulo 2^13");
    let (bits, inverse) = (a.as_flattened(), v.as_flattened_mut());
    match L {
        32 => gf2::invert::<S, 8>(s, n, bits, inverse),
        44 => gf2::invert::<S, 11>(s, n, bits, inverse),
        _ => gf2::invert::<S, 13>(s, n, bits, inverse),
    }
    lift(s, right_bits, n, a, v, memory);
}

/// Runs the iterations. Out of line, so that they share stack memory with the inverse modulo 2.
#[inline(never)]
fn lift<S: Simd, const L: usize>(
    s: S,
    right_bits: u32,
    n: usize,
    a: &Poly<L>,
    v: &mut Poly<L>,
    (points, products, room): Memory<'_, L>,
) {
    vectorize!(s => {
        secret!(bits: [i16; L]);
        let mut right = 1;
        while right < right_bits {
            let times = match (right, right_bits) {
                (1, 13) => 5,
                (1, _) | (5, _) => 3,
                _ => 2,
            };
            // The points of a are computed each time: this is cheap, and memory for two suffices.
            evaluate(s, a, &mut points[0], room.as_flattened_mut());
            evaluate(s, v, &mut points[1], room.as_flattened_mut());
            multiply(s, &points[0], &points[1], products, room);
            // e overwrites v, of which the points remain, or the bits if the points do not.
            if times == 5 {
                pack(v, bits);
            }
            interpolate_cyclic(s, n, products, v, room);
            v.as_flattened_mut().iter_mut().for_each(|e| *e = e.wrapping_neg());
            add_one(v);
            sum_powers(s, n, times, v, (&mut *points, &mut *products, &mut *room));
            evaluate(s, v, &mut points[0], room.as_flattened_mut());
            if times == 5 {
                unpack(bits, v);
                evaluate(s, v, &mut points[1], room.as_flattened_mut());
            }
            multiply(s, &points[1], &points[0], products, room);
            interpolate_cyclic(s, n, products, v, room);
            right *= times;
        }
    });
}

/// Computes e := 1 + e + ... + e^(times - 1) for `times` 2, 3 or 5; only 5 overwrites `more`.
#[inline(always)]
fn sum_powers<S: Simd, const L: usize>(
    s: S,
    n: usize,
    times: u32,
    e: &mut Poly<L>,
    ([points, more], products, room): Memory<'_, L>,
) {
    if times > 2 {
        evaluate(s, e, points, room.as_flattened_mut());
        multiply(s, points, points, products, room);
        // The points are no longer needed, so their memory is reused.
        let square = poly_in(points.as_flattened_mut());
        interpolate_cyclic(s, n, products, square, room);
        for (e, square) in e.as_flattened_mut().iter_mut().zip(square.as_flattened()) {
            *e = e.wrapping_add(*square);
        }
    }
    if times == 5 {
        // (e + e^2)(1 + e^2) = e + e^2 + e^3 + e^4.
        let square = poly_in(products.as_flattened_mut().as_flattened_mut());
        square.copy_from_slice(poly_in::<L>(points.as_flattened_mut()));
        add_one(square);
        evaluate(s, square, more, room.as_flattened_mut());
        evaluate(s, e, points, room.as_flattened_mut());
        multiply(s, points, more, products, room);
        interpolate_cyclic(s, n, products, e, room);
    }
    add_one(e);
}

/// Reuses the memory of points or products for a polynomial.
#[inline(always)]
fn poly_in<const L: usize>(memory: &mut [i16]) -> &mut [[i16; L]; 16] {
    memory.as_chunks_mut().0.first_chunk_mut().expect("four polynomials at least")
}

#[inline(always)]
fn add_one<const L: usize>(f: &mut [[i16; L]; 16]) {
    f[0][0] = f[0][0].wrapping_add(1);
}

/// Packs coefficients that are 0 or 1: coefficient i of all 16 chunks into number i.
#[inline(always)]
pub(super) fn pack<const L: usize>(f: &Poly<L>, bits: &mut [i16; L]) {
    for (i, bits) in bits.iter_mut().enumerate() {
        *bits = f.iter().rev().fold(0, |bits, chunk| bits << 1 | chunk[i] & 1);
    }
}

#[inline(always)]
pub(super) fn unpack<const L: usize>(bits: &[i16; L], f: &mut Poly<L>) {
    for (i, bits) in bits.iter().enumerate() {
        let mut bits = *bits;
        for chunk in f.iter_mut() {
            (chunk[i], bits) = (bits & 1, bits >> 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use oaklath_simd::{Level, dispatch};

    use super::*;
    use crate::pow2::{Points, Products, Room};

    fn check<const L: usize>(right_bits: u32, n: usize) {
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
                invert::<_, L>(s, right_bits, n, &a, &mut v, memory);
            });
            let (a, v, mut c) = (a.as_flattened(), v.as_flattened(), std::vec![0_i16; n]);
            for i in 0..n {
                for j in 0..n {
                    c[(i + j) % n] = c[(i + j) % n].wrapping_add(a[i].wrapping_mul(v[j]));
                }
            }
            for (i, x) in c.iter().enumerate() {
                let found = x.wrapping_sub(c[n - 1]) & ((1 << right_bits) - 1);
                assert_eq!(found, i16::from(i == 0), "{level} {n} {i}");
            }
        }
    }

    #[test]
    fn products_with_inverses_are_one_modulo_q() {
        check::<32>(12, 509);
        check::<44>(12, 677);
        check::<44>(13, 701);
        check::<52>(12, 821);
    }
}
