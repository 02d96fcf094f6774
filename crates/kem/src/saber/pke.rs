//! Products, rounding, encryption and decryption: SABER round 3, sections 8.4.1 to 8.4.3.
use oaklath_poly::bits;
use oaklath_poly::pow2::{
    Points, Poly, Products, Room, add_product, evaluate, free_of, interpolate_negacyclic,
};
use oaklath_simd::{Simd, secret};

use super::lanes::Stream;
use super::params::{POLY_P, Params};
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
    /// The factor at hand: an entry of the matrix, or of a vector that is public.
    pub(super) factor: &'a mut Points<16>,
    /// s or s'.
    pub(super) secret: &'a mut [Points<16>; K],
    pub(super) products: &'a mut Products<16>,
    pub(super) room: &'a mut Room<32>,
}

/// Memory for products, erased at the end of the scope.
macro_rules! memory {
    ($name:ident: $k:ident) => {
        oaklath_simd::scratch!(factor: Points<16>);
        oaklath_simd::secret!(secret: [Points<16>; $k]);
        oaklath_simd::secret!(products: oaklath_poly::pow2::Products<16>);
        oaklath_simd::secret!(room: oaklath_poly::pow2::Room<32>);
        let $name = &mut $crate::saber::pke::Memory::<$k> { factor, secret, products, room };
    };
}
pub(super) use memory;

/// A vector of polynomials as points.
#[inline(always)]
pub(super) fn evaluate_all<S: Simd, const K: usize>(
    s: S,
    v: &[Poly<16>; K],
    points: &mut [Points<16>; K],
    room: &mut [[i16; 32]],
) {
    for (v, points) in v.iter().zip(points) {
        evaluate(s, v, points, room);
    }
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
    let Memory { factor, secret, products, room } = memory;
    for (i, bytes) in bytes.chunks_exact_mut(POLY_P).enumerate() {
        for (j, secret) in secret.iter().enumerate() {
            let (row, column) = if TRANSPOSED { (j, i) } else { (i, j) };
            let entry = match A {
                Factor::Kept(A) => &A[row][column],
                Factor::Bytes(A) => {
                    entry_of(s, &A[row][column], factor, free_of(room));
                    &**factor
                }
            };
            add_product(s, entry, secret, products, room, j == 0);
        }
        interpolate_negacyclic(s, products, sum, room);
        for x in sum.as_flattened_mut() {
            *x = (x.wrapping_add(H1) as u16 >> 3) as i16;
        }
        bits::pack::<_, 10>(s, sum.as_flattened(), bytes);
    }
}

/// Reads a vector of numbers of `BITS` bits as points: modulo p a public one, modulo q a secret.
#[inline(always)]
pub(super) fn read_vector<S: Simd, const BITS: usize, const K: usize>(
    s: S,
    bytes: &[u8],
    points: &mut [Points<16>; K],
    room: &mut [[i16; 32]],
) {
    for (bytes, points) in bytes.chunks_exact(32 * BITS).zip(points) {
        read::<S, BITS>(s, bytes, points, room);
    }
}

/// One of its polynomials.
#[inline(always)]
fn read<S: Simd, const BITS: usize>(
    s: S,
    bytes: &[u8],
    points: &mut Points<16>,
    room: &mut [[i16; 32]],
) {
    secret!(f: Poly<16>);
    bits::unpack::<_, BITS>(s, bytes, f.as_flattened_mut());
    evaluate(s, f, points, room);
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
    evaluate_all(s, secrets, memory.secret, free_of(memory.room));
    rounded_product::<S, K, false>(s, A, memory, b_bytes);
    let Memory { factor, secret, products, room } = memory;
    for (j, secret) in secret.iter().enumerate() {
        let b = match b {
            Factor::Kept(b) => &b[j],
            Factor::Bytes(b) => {
                read::<_, 10>(s, &b[POLY_P * j..][..POLY_P], factor, free_of(room));
                &**factor
            }
        };
        add_product(s, b, secret, products, room, j == 0);
    }
    interpolate_negacyclic(s, products, v, room);
    bits::unpack::<_, 1>(s, m, bits);
    let log_t = const { Params::of_rank(K).log_t };
    for (v, bit) in v.as_flattened_mut().iter_mut().zip(bits.iter()) {
        let sum = v.wrapping_add(H1).wrapping_sub(bit << 9);
        *v = ((sum & 0x3ff) as u16 >> (10 - log_t)) as i16;
    }
    match log_t {
        3 => bits::pack::<_, 3>(s, v.as_flattened(), cm_bytes),
        4 => bits::pack::<_, 4>(s, v.as_flattened(), cm_bytes),
        _ => bits::pack::<_, 6>(s, v.as_flattened(), cm_bytes),
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
    let Memory { factor, secret: points, products, room } = memory;
    if let Factor::Bytes(bytes) = secret {
        read_vector::<_, 13, K>(s, bytes, points, free_of(room));
    }
    let secret = match secret {
        Factor::Kept(secret) => secret,
        Factor::Bytes(_) => &**points,
    };
    for (j, (bytes, secret)) in b_bytes.chunks_exact(POLY_P).zip(secret).enumerate() {
        read::<_, 10>(s, bytes, factor, free_of(room));
        add_product(s, factor, secret, products, room, j == 0);
    }
    interpolate_negacyclic(s, products, v, room);
    let log_t = const { Params::of_rank(K).log_t };
    match log_t {
        3 => bits::unpack::<_, 3>(s, cm_bytes, cm),
        4 => bits::unpack::<_, 4>(s, cm_bytes, cm),
        _ => bits::unpack::<_, 6>(s, cm_bytes, cm),
    }
    // p / 4 - p / (2 T) + q / (2 p).
    let h2 = const { (1 << 8) - (1 << (9 - Params::of_rank(K).log_t)) + H1 };
    for (v, cm) in v.as_flattened_mut().iter_mut().zip(cm.iter()) {
        *v = v.wrapping_add(h2).wrapping_sub(cm << (10 - log_t)) >> 9;
    }
    bits::pack::<_, 1>(s, v.as_flattened(), m);
}
