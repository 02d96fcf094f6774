//! Key generation, encryption and decryption of pairs: NTRU round 3, section 1.11.
use oaklath_poly::gf3;
use oaklath_poly::pow2::{
    self, Memory, Points, Poly, Products, Room, evaluate, interpolate_cyclic, multiply,
};
use oaklath_poly::trits;
use oaklath_simd::{I16s, Simd, ct::Mask, each, secret, vectorize};

use super::encode::{read_coefficients, read_trits, write_coefficients, write_trits};
use super::params::{NtruFamily, NtruParams};
use super::sample::sample_f_and_g;

/// `DPKE_Key_Pair`: writes h to `pk`, and f, 1/f and 1/h to `sk`. Out of line.
#[inline(never)]
pub(super) fn keygen<S: Simd, const L: usize>(
    s: S,
    p: &NtruParams,
    seed: &[u8],
    pk: &mut [u8],
    sk: &mut [u8],
) {
    vectorize!(s => {
        secret!(f: Poly<L>, g: Poly<L>, t: Poly<L>);
        let (f_bytes, rest) = sk.split_at_mut(p.trits());
        let (f_inverse_bytes, h_inverse_bytes) = rest.split_at_mut(p.trits());
        sample_f_and_g(s, p, seed, f.as_flattened_mut(), g.as_flattened_mut());
        write_trits(s, p, f.as_flattened(), f_bytes);
        invert_modulo_3(s, p, f, t);
        write_trits(s, p, t.as_flattened(), f_inverse_bytes);
        times_3_phi_1(p, g.as_flattened_mut());
        quotients(s, p, (f, g, t), f_bytes);
        write_coefficients(s, p, t.as_flattened(), h_inverse_bytes);
        write_coefficients(s, p, g.as_flattened(), pk);
    });
}

/// g := G / f = h and t := f / G = 1/h. g holds G on entry; f is overwritten, but read again from
/// `f_bytes`. Out of line, so that earlier calls can use the same stack.
#[inline(never)]
fn quotients<S: Simd, const L: usize>(
    s: S,
    p: &NtruParams,
    (f, g, t): (&mut Poly<L>, &mut Poly<L>, &mut Poly<L>),
    f_bytes: &[u8],
) {
    vectorize!(s => {
        secret!(points: [Points<L>; 2], products: Products<L>, room: Room<L>);
        let [f_points, g_points] = &mut *points;
        evaluate(s, f, f_points, room.as_flattened_mut());
        evaluate(s, g, g_points, room.as_flattened_mut());
        multiply(s, f_points, g_points, products, room);
        interpolate_cyclic(s, p.n, products, t, room);
        // v = 1 / (G f), so that h = G / f = v G^2 and 1/h = v f^2.
        let v = f;
        invert_modulo_q(s, p, t, v, (&mut *points, &mut *products, &mut *room));
        read_trits(s, p, f_bytes, t.as_flattened_mut());
        times_square(s, p, v, t, (&mut *points, &mut *products, &mut *room));
        reduce_phi(s, p, t.as_flattened_mut());
        times_square(s, p, v, g, (&mut *points, &mut *products, &mut *room));
    });
}

#[inline(always)]
fn invert_modulo_q<S: Simd, const L: usize>(
    s: S,
    p: &NtruParams,
    a: &Poly<L>,
    v: &mut Poly<L>,
    memory: Memory<'_, L>,
) {
    // Eleven bits take as many iterations as twelve.
    pow2::invert(s, p.log_q.max(12), p.n, a, v, memory);
}

/// f := v f^2.
#[inline(always)]
fn times_square<S: Simd, const L: usize>(
    s: S,
    p: &NtruParams,
    v: &Poly<L>,
    f: &mut Poly<L>,
    ([points, f_points], products, room): Memory<'_, L>,
) {
    evaluate(s, v, points, room.as_flattened_mut());
    evaluate(s, f, f_points, room.as_flattened_mut());
    multiply(s, points, f_points, products, room);
    interpolate_cyclic(s, p.n, products, f, room);
    evaluate(s, f, points, room.as_flattened_mut());
    multiply(s, points, f_points, products, room);
    interpolate_cyclic(s, p.n, products, f, room);
}

#[inline(always)]
fn invert_modulo_3<S: Simd, const L: usize>(
    s: S,
    p: &NtruParams,
    f: &Poly<L>,
    inverse: &mut Poly<L>,
) {
    let (f, (inverse, rest)) =
        (&f.as_flattened()[..p.n], inverse.as_flattened_mut().split_at_mut(p.n));
    match L {
        32 => gf3::invert::<S, 2>(s, f, inverse),
        44 => gf3::invert::<S, 3>(s, f, inverse),
        _ => gf3::invert::<S, 4>(s, f, inverse),
    }
    rest.fill(0);
}

/// g := 3 g (HPS) or 3 (x - 1) g (HRSS).
#[inline(always)]
fn times_3_phi_1(p: &NtruParams, g: &mut [i16]) {
    let g = &mut g[..p.n];
    match p.family {
        NtruFamily::Hps => g.iter_mut().for_each(|x| *x *= 3),
        NtruFamily::Hrss => {
            // From the end: the last coefficient of g is 0.
            let mut i = p.n - 1;
            while i > 0 {
                g[i] = 3 * (g[i - 1] - g[i]);
                i -= 1;
            }
            g[0] *= -3;
        }
    }
}

/// Reduces modulo `Phi_n` = 1 + x + ... + x^(n-1). Out of line.
#[inline(never)]
fn reduce_phi<S: Simd>(s: S, p: &NtruParams, f: &mut [i16]) {
    vectorize!(s => {
        let f = &mut f[..p.n];
        let last = f[p.n - 1];
        f.iter_mut().for_each(|x| *x = x.wrapping_sub(last));
    });
}

/// Reduces coefficients between -2^13 and 2^13 modulo 3 and `Phi_n`, centred.
#[inline(always)]
fn reduce_3_phi<S: Simd>(s: S, p: &NtruParams, f: &mut [i16]) {
    let last = S::I16::splat(s, f[p.n - 1]);
    each!(i in 0..f.len(), S::I16::LANES => {
        // The difference is below 2^14.
        trits::reduce(s, S::I16::load(s, &f[i..]) - last).store(&mut f[i..]);
    });
    f[p.n..].fill(0);
}

/// Sign-extends the low `bits` bits of each coefficient.
#[inline(always)]
fn centre(f: &mut [i16], bits: u32) {
    let shift = 16 - bits;
    f.iter_mut().for_each(|x| *x = *x << shift >> shift);
}

/// Reduces signed coefficients of `bits` bits modulo 3 and `Phi_n`. Out of line.
#[inline(never)]
fn centre_modulo_3<S: Simd>(s: S, p: &NtruParams, f: &mut [i16], bits: u32) {
    vectorize!(s => {
        centre(f, bits);
        reduce_3_phi(s, p, f);
    });
}

/// `DPKE_Encrypt`: writes c = r h + Lift(m), with `h` as points; r and m are overwritten. Out of
/// line, so that the sort before it can use the same stack.
#[inline(never)]
pub(super) fn encrypt<S: Simd, const L: usize>(
    s: S,
    p: &NtruParams,
    h: &Points<L>,
    (r, m): (&mut Poly<L>, &mut Poly<L>),
    c: &mut [u8],
) {
    vectorize!(s => {
        secret!(points: Points<L>, products: Products<L>, room: Room<L>);
        evaluate(s, r, points, room.as_flattened_mut());
        lift(s, p, m.as_flattened(), r.as_flattened_mut());
        multiply(s, points, h, products, room);
        interpolate_cyclic(s, p.n, products, m, room);
        for (sum, lifted) in m.as_flattened_mut().iter_mut().zip(r.as_flattened()) {
            *sum = sum.wrapping_add(*lifted);
        }
        write_coefficients(s, p, m.as_flattened(), c);
    });
}

/// `Lift`: m for HPS; (x - 1) S3(m / (x - 1)) for HRSS. Out of line.
#[inline(never)]
fn lift<S: Simd>(s: S, p: &NtruParams, m: &[i16], lifted: &mut [i16]) {
    vectorize!(s => match p.family {
        NtruFamily::Hps => lifted.copy_from_slice(m),
        NtruFamily::Hrss => {
            divide_by_phi_1(s, p, m, lifted);
            // Multiplies by x - 1 in place; the last coefficient of the quotient is 0.
            let mut before = 0;
            for b in &mut lifted[..p.n] {
                (before, *b) = (*b, before - *b);
            }
        }
    });
}

/// b = a / (x - 1) modulo 3 and `Phi_n`, centred.
///
/// Since 1 / (x - 1) = -(1/n) (`sum of i x^(i')`), the first three coefficients are sums over a
/// with multipliers that cycle modulo 3; then b(i) = b(i - 3) + 2 (a(i) + a(i - 1) + a(i - 2)).
/// With the sums P(i) = a(0) + ... + a(i), b(i) - 2 P(i) is the same for every third i.
#[inline(always)]
fn divide_by_phi_1<S: Simd>(s: S, p: &NtruParams, a: &[i16], b: &mut [i16]) {
    debug_assert!(p.n == NtruParams::of_degree(701).n, "the only set of its family");
    // t is -n modulo 3, and z[i] is t i modulo 3.
    let t = const { minus_modulo_3(NtruParams::of_degree(701).n) };
    let z = const { [0, t_times(1), t_times(2)] };
    {
        let (mut sum, mut sums) = (0, [0_i16; 3]);
        for (b, a) in b.as_chunks_mut::<3>().0.iter_mut().zip(a.as_chunks::<3>().0) {
            each!(k in 0..3 => {
                sum += a[k];
                b[k] = sum;
                sums[k] += a[k];
            });
        }
        // The sums from index 3 on. Since |a| <= 1, all numbers are below 2^13.
        let [s0, s1, s2] = [sums[0] - a[0], sums[1] - a[1], sums[2] - a[2]];
        let (all, round) = (s0 + s1 + s2, s1 * z[1] + s2 * z[2]);
        let end = const { t_times(NtruParams::of_degree(701).n) };
        let first = [
            a[0] * (2 - t) + a[2] * t + round + 2 * t * all,
            a[1] * (2 - t) + round + t * all + a[0] * (end + t),
            a[2] * (2 - t) + round + a[0] * end + a[1] * (end + t),
        ];
        secret!(rest: [i16; 36]);
        for rest in rest.as_chunks_mut::<3>().0 {
            *rest = [first[0] - 2 * b[0], first[1] - 2 * b[1], first[2] - 2 * b[2]];
        }
        // `place` is `at` modulo 3.
        let (mut at, mut place) = (0, 0);
        while at < b.len() {
            let sums = S::I16::load(s, &b[at..]);
            (sums + sums + S::I16::load(s, &rest[place..])).store(&mut b[at..]);
            at += S::I16::LANES;
            place += const { remainder_3(S::I16::LANES) };
            place = if place >= 3 { place - 3 } else { place };
        }
    }
    reduce_3_phi(s, p, b);
}

/// Returns -n modulo 3, for an n that is not a multiple of 3.
const fn minus_modulo_3(n: usize) -> i16 {
    3 - remainder_3(n) as i16
}

/// Returns -n i modulo 3, for n = 701.
const fn t_times(i: usize) -> i16 {
    remainder_3(minus_modulo_3(NtruParams::of_degree(701).n) as usize * i) as i16
}

#[cfg_attr(not(test), expect(clippy::integer_division_remainder_used, reason = "of constants"))]
const fn remainder_3(x: usize) -> usize {
    x % 3
}

/// A decapsulation key as points: f, 1/f and 1/h.
pub(super) type SecretPoints<const L: usize> = [Points<L>; 3];

/// `DPKE_Decrypt`: writes r and m, and returns whether they are invalid. `c` is in `Rq0`.
#[inline(always)]
pub(super) fn decrypt<S: Simd, const L: usize>(
    s: S,
    p: &NtruParams,
    [f, f_inverse, h_inverse]: &SecretPoints<L>,
    c: &Poly<L>,
    (r, m): (&mut Poly<L>, &mut Poly<L>),
) -> Mask {
    secret!(points: Points<L>, products: Products<L>, room: Room<L>, t: Poly<L>);
    // m = c f / f modulo 3.
    evaluate(s, c, points, room.as_flattened_mut());
    multiply(s, points, f, products, room);
    interpolate_cyclic(s, p.n, products, t, room);
    centre_modulo_3(s, p, t.as_flattened_mut(), p.log_q);
    evaluate(s, t, points, room.as_flattened_mut());
    multiply(s, points, f_inverse, products, room);
    interpolate_cyclic(s, p.n, products, m, room);
    // The coefficients are sums of n products of trits, which fit in 13 bits.
    centre_modulo_3(s, p, m.as_flattened_mut(), 13);

    // r = (c - Lift(m)) / h modulo q and Phi_n.
    lift(s, p, m.as_flattened(), t.as_flattened_mut());
    for (t, c) in t.as_flattened_mut().iter_mut().zip(c.as_flattened()) {
        *t = c.wrapping_sub(*t);
    }
    evaluate(s, t, points, room.as_flattened_mut());
    multiply(s, points, h_inverse, products, room);
    interpolate_cyclic(s, p.n, products, r, room);
    check_pair(s, p, r.as_flattened_mut(), m.as_flattened())
}

/// Reduces r modulo q and `Phi_n`, and returns whether (r, m) is outside the message space. Out of
/// line.
#[inline(never)]
fn check_pair<S: Simd>(s: S, p: &NtruParams, r: &mut [i16], m: &[i16]) -> Mask {
    vectorize!(s => {
        reduce_phi(s, p, r);
        centre(r, p.log_q);
        r[p.n - 1..].fill(0);
        let mut wrong = 0;
        for r in r {
            // This keeps -1, 0 and 1, and changes any other value.
            let trit = (*r & 1) | (*r >> 15);
            wrong |= trit ^ *r;
            *r = trit;
        }
        let mut wrong = u64::from(wrong as u16);
        if p.family == NtruFamily::Hps {
            // As many coefficients are 1 as are -1.
            let (mut sum, mut weight) = (0_i16, 0_i16);
            for m in m {
                sum += m;
                weight += m & 1;
            }
            wrong |= u64::from((sum | (weight ^ p.weight() as i16)) as u16);
        }
        Mask::from_nonzero(wrong)
    })
}

/// Computes h from the encoding of 1/h in a decapsulation key; returns whether 1/h is invertible.
#[inline(always)]
pub(super) fn recover_h<S: Simd, const L: usize>(
    s: S,
    p: &NtruParams,
    h_inverse: &[u8],
    pk: &mut [u8],
) -> bool {
    secret!(a: Poly<L>, v: Poly<L>, t: Poly<L>);
    secret!(points: [Points<L>; 2], products: Products<L>, room: Room<L>);
    read_coefficients(s, p, h_inverse, a.as_flattened_mut());
    invert_modulo_q(s, p, a, v, (&mut *points, &mut *products, &mut *room));
    let [a_points, v_points] = &mut *points;
    evaluate(s, a, a_points, room.as_flattened_mut());
    evaluate(s, v, v_points, room.as_flattened_mut());
    multiply(s, a_points, v_points, products, room);
    interpolate_cyclic(s, p.n, products, t, room);
    reduce_phi(s, p, t.as_flattened_mut());
    centre(t.as_flattened_mut(), p.log_q);
    // h is public, and so is whether it exists.
    let t = t.as_flattened();
    let difference = t[1..].iter().fold(t[0] ^ 1, |difference, x| difference | x);
    let exists = !Mask::from_nonzero(u64::from(difference as u16)).declassify();
    // h has this residue modulo Phi_n, and its coefficients sum to 0: subtract sum / n from each.
    reduce_phi(s, p, v.as_flattened_mut());
    let sum = v.as_flattened()[..p.n].iter().fold(0_i16, |sum, x| sum.wrapping_add(*x));
    let missing = sum.wrapping_mul(inverse_modulo_2_16(p.n as u16) as i16);
    v.as_flattened_mut()[..p.n].iter_mut().for_each(|x| *x = x.wrapping_sub(missing));
    write_coefficients(s, p, v.as_flattened(), pk);
    exists
}

/// Returns 1 / n modulo 2^16 for an odd n, by Newton's iteration from three correct bits.
const fn inverse_modulo_2_16(n: u16) -> u16 {
    let mut v = n;
    each!(i in 0..3 => v = v.wrapping_mul(2_u16.wrapping_sub(n.wrapping_mul(v))));
    v
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the constants that are computed from n at compile time.
    #[test]
    fn constants_of_the_degrees() {
        for n in [509, 677, 701, 821] {
            assert_eq!(inverse_modulo_2_16(n).wrapping_mul(n), 1);
            assert_eq!((minus_modulo_3(n.into()) + n as i16) % 3, 0);
        }
        for i in 0..1000 {
            assert_eq!(i32::from(t_times(i)), (-701 * i as i32).rem_euclid(3), "{i}");
        }
    }
}
