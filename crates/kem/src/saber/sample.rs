//! The matrix and secrets from seeds: SABER round 3, sections 8.3.5 and 8.3.6.
use oaklath_hash::keccak::{RATE_SHAKE128, SUFFIX_SHAKE};
use oaklath_hash::sha3::{Shake128, sponge};
use oaklath_ring::fields;
use oaklath_ring::pow2::{Points, Poly, evaluate};
use oaklath_simd::{Simd, scratch, secret};

use super::params::{POLY_Q, Params};

/// A, row by row, as points.
pub(super) type Matrix<const K: usize> = [[Points<16>; K]; K];

/// `GenMatrix`: one stream of SHAKE128.
#[inline(always)]
pub(super) fn matrix<S: Simd, const K: usize>(s: S, seed: &[u8; 32], A: &mut Matrix<K>) {
    scratch!(bytes: [u8; POLY_Q], entry: Poly<16>);
    let mut stream = Shake128::new().chain(seed).finish();
    for points in A.as_flattened_mut() {
        stream.read(bytes);
        fields::unpack::<_, 13>(s, bytes, entry.as_flattened_mut());
        evaluate(s, entry, points);
    }
}

/// `GenSecret`: one stream of SHAKE128; each coefficient is the difference of the weights of two
/// fields of mu / 2 bits.
#[inline(always)]
pub(super) fn secrets<S: Simd, const K: usize>(s: S, seed: &[u8], secrets: &mut [Poly<16>; K]) {
    secret!(bytes: [[u8; 32 * 10]; K]);
    let mu = const { Params::of_rank(K).mu };
    let bytes = &mut bytes.as_flattened_mut()[..32 * mu * K];
    sponge::<RATE_SHAKE128, SUFFIX_SHAKE>(&[seed], bytes);
    for (secret, bytes) in secrets.iter_mut().zip(bytes.chunks_exact(32 * mu)) {
        let secret = secret.as_flattened_mut();
        match mu {
            10 => fields::unpack::<_, 10>(s, bytes, secret),
            8 => fields::unpack::<_, 8>(s, bytes, secret),
            _ => fields::unpack::<_, 6>(s, bytes, secret),
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
