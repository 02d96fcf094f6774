//! Products, rounding, encryption and decryption: SABER round 3, sections 8.4.1 to 8.4.3.
use oaklath_ring::fields;
use oaklath_ring::pow2::{
    Points, Poly, Products, Room, evaluate, inner_product, interpolate_negacyclic,
};
use oaklath_simd::{Simd, scratch, secret};

use super::lanes::Stream;
use super::params::{POLY_P, POLY_Q, Params};
use super::sample::{Matrix, entry_of};

/// The constant that makes truncation rounding: half of q / p, and of p / T where that is added.
const H1: i16 = 1 << (13 - 10 - 1);

/// A factor as points that are kept, or as the bytes that it is made of when it is needed.
pub(super) enum Factor<'a, T, B: ?Sized = [u8]> {
    Kept(&'a T),
    Bytes(&'a B),
}

impl<T, B: ?Sized> Clone for Factor<'_, T, B> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, B: ?Sized> Copy for Factor<'_, T, B> {}

/// What products take.
pub(super) struct Memory<'a, const K: usize> {
    /// A row of the matrix, or a vector that is public.
    pub(super) row: &'a mut [Points<16>; K],
    /// s or s'.
    pub(super) secret: &'a mut [Points<16>; K],
    pub(super) products: &'a mut Products<16>,
    pub(super) room: &'a mut Room,
}

/// Memory for products, erased at the end of the scope.
macro_rules! memory {
    ($name:ident: $k:ident) => {
        oaklath_simd::scratch!(row: [Points<16>; $k]);
        oaklath_simd::secret!(secret: [Points<16>; $k]);
        oaklath_simd::secret!(products: oaklath_ring::pow2::Products<16>);
        oaklath_simd::secret!(room: oaklath_ring::pow2::Room);
        let $name = &mut $crate::saber::pke::Memory::<$k> { row, secret, products, room };
    };
}
pub(super) use memory;

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

/// K factors.
#[inline(always)]
fn each<'a, const K: usize>(factor: impl Fn(usize) -> &'a Points<16>) -> [&'a Points<16>; K] {
    let (mut all, mut j) = ([factor(0); K], 1);
    while j < K {
        all[j] = factor(j);
        j += 1;
    }
    all
}

/// Writes the product of A, or of its transpose, and the secret in memory, rounded to 10 bits.
#[inline(always)]
pub(super) fn rounded_product<S: Simd, const K: usize, const TRANSPOSED: bool>(
    s: S,
    A: Factor<'_, Matrix<K>, Stream<K>>,
    memory: &mut Memory<'_, K>,
    bytes: &mut [u8],
) {
    secret!(sum: Poly<16>);
    let Memory { row, secret, products, room } = memory;
    for (i, bytes) in bytes.chunks_exact_mut(POLY_P).enumerate() {
        let at = |j: usize| if TRANSPOSED { (j, i) } else { (i, j) };
        let factors = match A {
            Factor::Kept(A) => each(|j| &A[at(j).0][at(j).1]),
            Factor::Bytes(A) => {
                for (j, points) in row.iter_mut().enumerate() {
                    entry_of(s, &A[at(j).0][at(j).1], points);
                }
                each(|j| &row[j])
            }
        };
        inner_product(s, factors, secret, products, room);
        interpolate_negacyclic(s, products, sum, room);
        for x in sum.as_flattened_mut() {
            *x = (x.wrapping_add(H1) as u16 >> 3) as i16;
        }
        fields::pack::<_, 10>(s, sum.as_flattened(), bytes);
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

/// s as points.
#[inline(always)]
pub(super) fn read_secret<S: Simd, const K: usize>(
    s: S,
    bytes: &[u8],
    points: &mut [Points<16>; K],
) {
    secret!(f: Poly<16>);
    for (bytes, points) in bytes.chunks_exact(POLY_Q).zip(points) {
        fields::unpack::<_, 13>(s, bytes, f.as_flattened_mut());
        evaluate(s, f, points);
    }
}

/// `Saber.PKE.Enc` with the secret s' at hand: b' = A s', `c_m` = <b, s'> + h1 - 2^9 m, rounded.
#[inline(always)]
pub(super) fn encrypt<S: Simd, const K: usize>(
    s: S,
    (A, b): (Factor<'_, Matrix<K>, Stream<K>>, Factor<'_, [Points<16>; K]>),
    (m, secrets): (&[u8; 32], &[Poly<16>; K]),
    memory: &mut Memory<'_, K>,
    c: &mut [u8],
) {
    secret!(v: Poly<16>, bits: [i16; 256]);
    let (b_bytes, cm_bytes) = c.split_at_mut(POLY_P * K);
    evaluate_all(s, secrets, memory.secret);
    rounded_product::<S, K, false>(s, A, memory, b_bytes);
    let Memory { row, secret, products, room } = memory;
    let b = match b {
        Factor::Kept(b) => b,
        Factor::Bytes(bytes) => {
            read_vector(s, bytes, row);
            &**row
        }
    };
    inner_product(s, each(|j| &b[j]), secret, products, room);
    interpolate_negacyclic(s, products, v, room);
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
    secret: Factor<'_, [Points<16>; K]>,
    c: &[u8],
    memory: &mut Memory<'_, K>,
    m: &mut [u8; 32],
) {
    secret!(v: Poly<16>, cm: [i16; 256]);
    let (b_bytes, cm_bytes) = c.split_at(POLY_P * K);
    let Memory { row, secret: points, products, room } = memory;
    read_vector(s, b_bytes, row);
    let secret = match secret {
        Factor::Kept(secret) => secret,
        Factor::Bytes(bytes) => {
            read_secret(s, bytes, points);
            &**points
        }
    };
    inner_product(s, each(|j| &row[j]), secret, products, room);
    interpolate_negacyclic(s, products, v, room);
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
