//! Products, rounding, encryption and decryption: SABER round 3, sections 8.4.1 to 8.4.3.
use oaklath_ring::fields;
use oaklath_ring::pow2::{
    Points, Poly, Products, Room, evaluate, inner_product, interpolate_negacyclic,
};
use oaklath_simd::{Simd, scratch, secret};

use super::params::{POLY_P, Params};
use super::sample::Matrix;

/// The constant that makes truncation rounding: half of q / p, and of p / T where that is added.
const H1: i16 = 1 << (13 - 10 - 1);

/// A vector of polynomials as points.
#[inline(always)]
pub(super) fn evaluate_all<S: Simd, const K: usize>(
    s: S,
    v: &[Poly<16>; K],
    points: &mut [Points<16>; K],
) {
    for (v, points) in v.iter().zip(points) {
        evaluate(s, v, points);
    }
}

/// The sum of `a_j` `b_j`.
#[inline(always)]
fn sum_of_products<'a, S: Simd, const K: usize>(
    s: S,
    a: impl Fn(usize) -> &'a Points<16>,
    b: &[Points<16>; K],
    sum: &mut Poly<16>,
    room: &mut Room,
) {
    secret!(products: Products<16>);
    let (mut row, mut j) = ([a(0); K], 1);
    while j < K {
        row[j] = a(j);
        j += 1;
    }
    inner_product(s, row, b, products, room);
    interpolate_negacyclic(s, products, sum, room);
}

/// Writes the product of A, or of its transpose, and s, rounded to 10 bits.
#[inline(always)]
pub(super) fn rounded_product<S: Simd, const K: usize, const TRANSPOSED: bool>(
    s: S,
    A: &Matrix<K>,
    secret: &[Points<16>; K],
    bytes: &mut [u8],
) {
    secret!(row: Poly<16>, room: Room);
    for (i, bytes) in bytes.chunks_exact_mut(POLY_P).enumerate() {
        let entry = |j: usize| if TRANSPOSED { &A[j][i] } else { &A[i][j] };
        sum_of_products(s, entry, secret, row, room);
        for x in row.as_flattened_mut() {
            *x = (x.wrapping_add(H1) as u16 >> 3) as i16;
        }
        fields::pack::<_, 10>(s, row.as_flattened(), bytes);
    }
}

/// Reads a vector modulo p as points.
#[inline(always)]
pub(super) fn read_vector<S: Simd, const K: usize>(
    s: S,
    bytes: &[u8],
    points: &mut [Points<16>; K],
) {
    scratch!(f: Poly<16>);
    for (bytes, points) in bytes.chunks_exact(POLY_P).zip(points) {
        fields::unpack::<_, 10>(s, bytes, f.as_flattened_mut());
        evaluate(s, f, points);
    }
}

/// `Saber.PKE.Enc` with the secret s' at hand: b' = A s', `c_m` = <b, s'> + h1 - 2^9 m, rounded.
#[inline(always)]
pub(super) fn encrypt<S: Simd, const K: usize>(
    s: S,
    A: &Matrix<K>,
    b: &[Points<16>; K],
    m: &[u8; 32],
    secret: &[Poly<16>; K],
    c: &mut [u8],
) {
    secret!(points: [Points<16>; K], v: Poly<16>, bits: [i16; 256], room: Room);
    let (b_bytes, cm_bytes) = c.split_at_mut(POLY_P * K);
    evaluate_all(s, secret, points);
    rounded_product::<S, K, false>(s, A, points, b_bytes);
    sum_of_products(s, |j| &b[j], points, v, room);
    fields::unpack::<_, 1>(s, m, bits);
    let log_t = const { Params::of_rank(K).log_t };
    for (v, bit) in v.as_flattened_mut().iter_mut().zip(bits.iter()) {
        let sum = v.wrapping_add(H1).wrapping_sub(bit << 9);
        *v = ((sum & 0x3ff) as u16 >> (10 - log_t)) as i16;
    }
    match log_t {
        3 => fields::pack::<_, 3>(s, v.as_flattened(), cm_bytes),
        4 => fields::pack::<_, 4>(s, v.as_flattened(), cm_bytes),
        _ => fields::pack::<_, 6>(s, v.as_flattened(), cm_bytes),
    }
}

/// `Saber.PKE.Dec`: m = <b', s> + h2 - 2^(10 - log T) `c_m`, the highest bit of each.
#[inline(always)]
pub(super) fn decrypt<S: Simd, const K: usize>(
    s: S,
    secret: &[Points<16>; K],
    c: &[u8],
    m: &mut [u8; 32],
) {
    secret!(b: [Points<16>; K], v: Poly<16>, cm: [i16; 256], room: Room);
    let (b_bytes, cm_bytes) = c.split_at(POLY_P * K);
    read_vector(s, b_bytes, b);
    sum_of_products(s, |j| &b[j], secret, v, room);
    let log_t = const { Params::of_rank(K).log_t };
    match log_t {
        3 => fields::unpack::<_, 3>(s, cm_bytes, cm),
        4 => fields::unpack::<_, 4>(s, cm_bytes, cm),
        _ => fields::unpack::<_, 6>(s, cm_bytes, cm),
    }
    // p / 4 - p / (2 T) + q / (2 p).
    let h2 = const { (1 << 8) - (1 << (9 - Params::of_rank(K).log_t)) + H1 };
    for (v, cm) in v.as_flattened_mut().iter_mut().zip(cm.iter()) {
        *v = v.wrapping_add(h2).wrapping_sub(cm << (10 - log_t)) >> 9;
    }
    fields::pack::<_, 1>(s, v.as_flattened(), m);
}
