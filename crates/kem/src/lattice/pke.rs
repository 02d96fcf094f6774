//! K-PKE: FIPS 203, section 5, from a matrix and noise that are already sampled.
use oaklath_poly::q3329::{self, Entry, Factor, NttPoly, Poly, dot, inverse_ntt, ntt, prepare};
use oaklath_simd::{Simd, scratch, secret};

use super::params::{POLY_12, Params};
use super::run::Matrix;

/// The first 256 coefficients of an entry.
#[inline(always)]
pub(super) fn coefficients(entry: &Entry) -> &[i16; 256] {
    entry.first_chunk().expect("an entry has 288")
}

/// Row `i` of the matrix.
#[inline(always)]
pub(super) fn row<const K: usize>(matrix: &Matrix<K>, i: usize) -> [&[i16; 256]; K] {
    let mut row = [coefficients(&matrix[i][0]); K];
    let mut j = 1;
    while j < K {
        row[j] = coefficients(&matrix[i][j]);
        j += 1;
    }
    row
}

/// Column `i` of the matrix: row `i` of its transpose.
#[inline(always)]
fn column<const K: usize>(matrix: &Matrix<K>, i: usize) -> [&[i16; 256]; K] {
    let mut column = [coefficients(&matrix[0][i]); K];
    let mut j = 1;
    while j < K {
        column[j] = coefficients(&matrix[j][i]);
        j += 1;
    }
    column
}

/// A vector of polynomials as a row.
#[inline(always)]
fn vector<const K: usize>(v: &[NttPoly; K]) -> [&[i16; 256]; K] {
    let mut row = [&*v[0]; K];
    let mut j = 1;
    while j < K {
        row[j] = &v[j];
        j += 1;
    }
    row
}

/// `ByteDecode_12` of a vector, and whether every coefficient is below q.
#[inline(always)]
pub(super) fn decode_vector_checked<S: Simd, const K: usize>(
    s: S,
    bytes: &[u8],
    v: &mut [NttPoly; K],
) -> bool {
    let (mut fine, mut i) = (true, 0);
    while i < K {
        fine &= q3329::decode_12_checked(s, &bytes[POLY_12 * i..], &mut v[i]);
        i += 1;
    }
    fine
}

/// `ByteDecode_12` of a vector.
#[inline(always)]
pub(super) fn decode_vector<S: Simd, const K: usize>(s: S, bytes: &[u8], v: &mut [NttPoly; K]) {
    let mut i = 0;
    while i < K {
        q3329::decode_12(s, &bytes[POLY_12 * i..], &mut v[i]);
        i += 1;
    }
}

/// K-PKE.Encrypt: FIPS 203, Algorithm 14, with `A_hat` and the noise already sampled. Out of line.
#[inline(never)]
pub(super) fn encrypt<S: Simd, const K: usize>(
    s: S,
    A_hat: &Matrix<K>,
    t_hat: &[NttPoly; K],
    m: &[u8; 32],
    (y, e1, e2): (&[Poly], &[Poly], &Poly),
    c: &mut [u8],
) {
    s.vectorize(
        #[inline(always)]
        || {
            let du = const { Params::of_rank(K).du };
            secret!(y_hat: [Factor; K], f_hat: NttPoly, f: Poly);
            let mut i = 0;
            while i < K {
                ntt(s, &y[i], f_hat);
                prepare(s, f_hat, &mut y_hat[i]);
                i += 1;
            }
            i = 0;
            while i < K {
                // u = NTT^-1(A_hat^T o y_hat) + e1
                dot(s, column(A_hat, i), y_hat, f_hat);
                inverse_ntt(s, f_hat, f);
                let c = &mut c[32 * du * i..];
                match du {
                    10 => q3329::encode_u::<S, 10>(s, f, &e1[i], c),
                    _ => q3329::encode_u::<S, 11>(s, f, &e1[i], c),
                }
                i += 1;
            }
            // v = NTT^-1(t_hat^T o y_hat) + e2 + Decompress_1(m)
            dot(s, vector(t_hat), y_hat, f_hat);
            inverse_ntt(s, f_hat, f);
            let c = &mut c[32 * du * K..];
            match const { Params::of_rank(K).dv } {
                4 => q3329::encode_v::<S, 4>(s, f, e2, m, c),
                _ => q3329::encode_v::<S, 5>(s, f, e2, m, c),
            }
        },
    );
}

/// K-PKE.Decrypt: FIPS 203, Algorithm 15. Out of line.
#[inline(never)]
pub(super) fn decrypt<S: Simd, const K: usize>(
    s: S,
    s_hat: &[NttPoly; K],
    c: &[u8],
    m: &mut [u8; 32],
) {
    s.vectorize(
        #[inline(always)]
        || {
            let du = const { Params::of_rank(K).du };
            scratch!(u_hat: [Factor; K]);
            secret!(f_hat: NttPoly, f: Poly);
            let mut i = 0;
            while i < K {
                let c = &c[32 * du * i..];
                match du {
                    10 => q3329::decompress_u::<S, 10>(s, c, f),
                    _ => q3329::decompress_u::<S, 11>(s, c, f),
                }
                ntt(s, f, f_hat);
                prepare(s, f_hat, &mut u_hat[i]);
                i += 1;
            }
            // w = v - NTT^-1(s_hat^T o u_hat)
            dot(s, vector(s_hat), u_hat, f_hat);
            inverse_ntt(s, f_hat, f);
            let c = &c[32 * du * K..];
            match const { Params::of_rank(K).dv } {
                4 => q3329::decompress_message::<S, 4>(s, c, f, m),
                _ => q3329::decompress_message::<S, 5>(s, c, f, m),
            }
        },
    );
}
