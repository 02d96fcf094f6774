//! The matrix and secrets from random bytes: SABER round 3, sections 8.3.5 and 8.3.6.
use oaklath_poly::bits;
use oaklath_poly::pow2::{Points, PointsRoom, Poly, evaluate};
use oaklath_simd::{Simd, scratch};

use super::lanes::Stream;
use super::params::{POLY_Q, Params};

/// A, row by row, as points.
pub(super) type Matrix<const K: usize> = [[Points<16>; K]; K];

/// `GenMatrix` from the bytes of its stream.
#[inline(always)]
pub(super) fn matrix_of<S: Simd, const K: usize>(s: S, bytes: &Stream<K>, A: &mut Matrix<K>) {
    scratch!(room: PointsRoom);
    for (bytes, points) in bytes.as_flattened().iter().zip(A.as_flattened_mut()) {
        entry_of(s, bytes, points, &mut **room);
    }
}

/// One of its entries.
#[inline(always)]
pub(super) fn entry_of<S: Simd>(
    s: S,
    bytes: &[u8; POLY_Q],
    points: &mut Points<16>,
    room: &mut [[i16; 32]],
) {
    scratch!(entry: Poly<16>);
    bits::unpack::<_, 13>(s, bytes, entry.as_flattened_mut());
    evaluate(s, entry, points, room);
}

/// `GenSecret` from the bytes of its stream: each coefficient is the difference of the weights of two
/// fields of mu / 2 bits.
#[inline(always)]
pub(super) fn secrets_of<S: Simd, const K: usize>(s: S, bytes: &[u8], secrets: &mut [Poly<16>; K]) {
    let mu = const { Params::of_rank(K).mu };
    for (secret, bytes) in secrets.iter_mut().zip(bytes.chunks_exact(32 * mu)) {
        let secret = secret.as_flattened_mut();
        match mu {
            10 => bits::unpack::<_, 10>(s, bytes, secret),
            8 => bits::unpack::<_, 8>(s, bytes, secret),
            _ => bits::unpack::<_, 6>(s, bytes, secret),
        }
        for x in secret {
            let (mut weight, mut bit) = (0, 0);
            while bit < mu >> 1 {
                weight += (*x >> bit & 1) - (*x >> (bit + (mu >> 1)) & 1);
                bit += 1;
            }
            *x = weight;
        }
    }
}
