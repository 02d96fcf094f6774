//! K-PKE: FIPS 203, section 5, from a matrix and noise that are already sampled, and the decoding
//! of vectors. The kernels are compiled for each rank and selected at run time.
use oaklath_poly::q3329::{self, Entry, Factor, NttPoly, Poly, dot, inverse_ntt, ntt, prepare};
use oaklath_simd::{Simd, dispatch, each, secret, vectorize};

use super::memory::PkeMemory;
use super::params::{MlKemParams, POLY_12, with_rank};

/// Returns the first 256 of the 288 coefficients of an entry.
#[inline(always)]
pub(super) fn coefficients(entry: &Entry) -> &[i16; 256] {
    entry.first_chunk().expect("an entry has 288")
}

/// Returns the K polynomials that `a` selects.
#[inline(always)]
pub(super) fn gather<'a, const K: usize>(
    a: impl Fn(usize) -> &'a [i16; 256],
) -> [&'a [i16; 256]; K] {
    let mut row = [a(0); K];
    each!(j in 1..K => row[j] = a(j));
    row
}

/// Decodes a vector with `ByteDecode_12`: FIPS 203, Algorithm 14, line 2. Returns whether every
/// coefficient is below q.
pub(crate) fn decode_vector_checked(bytes: &[u8], v: &mut [NttPoly]) -> bool {
    dispatch!(s => {
        let mut canonical = true;
        for (bytes, f) in bytes.chunks_exact(POLY_12).zip(v) {
            canonical &= q3329::decode_12_checked(s, bytes, f);
        }
        canonical
    })
}

/// Decodes a vector with `ByteDecode_12`: FIPS 203, Algorithm 14, line 2; Algorithm 15, line 5.
pub(crate) fn decode_vector(bytes: &[u8], v: &mut [NttPoly]) {
    dispatch!(s => {
        for (bytes, f) in bytes.chunks_exact(POLY_12).zip(v) {
            q3329::decode_12(s, bytes, f);
        }
    });
}

/// Encodes a vector with `ByteEncode_12`: FIPS 203, Algorithm 13, line 20.
pub(crate) fn encode_vector(v: &[NttPoly], bytes: &mut [u8]) {
    dispatch!(s => {
        for (f, bytes) in v.iter().zip(bytes.chunks_exact_mut(POLY_12)) {
            q3329::encode_12(s, f, bytes);
        }
    });
}

/// K-PKE.Encrypt: FIPS 203, Algorithm 14, from line 18 on, with `t_hat` decoded and `A_hat`, y,
/// `e_1` and `e_2` sampled.
#[inline(always)]
pub(crate) fn encrypt<S: Simd>(
    s: S,
    p: &MlKemParams,
    A_hat: &[Entry],
    t_hat: &[NttPoly],
    m: &[u8; 32],
    memory: &mut PkeMemory<'_>,
    c: &mut [u8],
) {
    with_rank!(p.k, K => encrypt_of_rank::<S, K>(s, A_hat, t_hat, m, memory, c));
}

/// Does [`encrypt`] for one rank. Out of line.
#[inline(never)]
fn encrypt_of_rank<S: Simd, const K: usize>(
    s: S,
    A_hat: &[Entry],
    t_hat: &[NttPoly],
    m: &[u8; 32],
    memory: &mut PkeMemory<'_>,
    c: &mut [u8],
) {
    vectorize!(s => {
        let p = const { MlKemParams::of_rank(K) };
        let y_hat: &mut [Factor; K] = memory.factors.try_into().expect("the rank");
        secret!(f_hat: NttPoly, f: Poly);
        // 18: y_hat <- NTT(y)
        for (y, y_hat) in memory.y.iter().zip(y_hat.iter_mut()) {
            ntt(s, y, f_hat);
            prepare(s, f_hat, y_hat);
        }
        // 19: u <- NTT^-1(A_hat^T o y_hat) + e1
        // 22: c1 <- ByteEncode_du(Compress_du(u))
        let (c1, c2) = c.split_at_mut(32 * p.du * K);
        for (i, c1) in c1.chunks_exact_mut(32 * p.du).enumerate() {
            dot(s, gather(|j| coefficients(&A_hat[K * j + i])), y_hat, f_hat);
            inverse_ntt(s, f_hat, f);
            if const { MlKemParams::of_rank(K).du == 10 } {
                q3329::encode_u::<S, 10>(s, f, &memory.e1[i], c1);
            } else {
                q3329::encode_u::<S, 11>(s, f, &memory.e1[i], c1);
            }
        }
        // 20: mu <- Decompress_1(ByteDecode_1(m))
        // 21: v <- NTT^-1(t_hat^T o y_hat) + e2 + mu
        // 23: c2 <- ByteEncode_dv(Compress_dv(v))
        dot(s, gather(|j| &t_hat[j]), y_hat, f_hat);
        inverse_ntt(s, f_hat, f);
        if const { MlKemParams::of_rank(K).dv == 4 } {
            q3329::encode_v::<S, 4>(s, f, memory.e2, m, c2);
        } else {
            q3329::encode_v::<S, 5>(s, f, memory.e2, m, c2);
        }
    });
}

/// K-PKE.Decrypt: FIPS 203, Algorithm 15, with `s_hat` decoded.
#[inline(always)]
pub(crate) fn decrypt<S: Simd>(
    s: S,
    p: &MlKemParams,
    s_hat: &[NttPoly],
    c: &[u8],
    u_hat: &mut [Factor],
    m: &mut [u8; 32],
) {
    with_rank!(p.k, K => decrypt_of_rank::<S, K>(s, s_hat, c, u_hat, m));
}

/// Does [`decrypt`] for one rank. Out of line.
#[inline(never)]
fn decrypt_of_rank<S: Simd, const K: usize>(
    s: S,
    s_hat: &[NttPoly],
    c: &[u8],
    u_hat: &mut [Factor],
    m: &mut [u8; 32],
) {
    vectorize!(s => {
        let p = const { MlKemParams::of_rank(K) };
        let u_hat: &mut [Factor; K] = u_hat.try_into().expect("the rank");
        secret!(f_hat: NttPoly, f: Poly);
        // 1: c1 <- c[0 : 32 du k]
        // 2: c2 <- c[32 du k : 32 (du k + dv)]
        let (c1, c2) = c.split_at(32 * p.du * K);
        // 3: u' <- Decompress_du(ByteDecode_du(c1))
        for (c1, u_hat) in c1.chunks_exact(32 * p.du).zip(u_hat.iter_mut()) {
            if const { MlKemParams::of_rank(K).du == 10 } {
                q3329::decompress_u::<S, 10>(s, c1, f);
            } else {
                q3329::decompress_u::<S, 11>(s, c1, f);
            }
            ntt(s, f, f_hat);
            prepare(s, f_hat, u_hat);
        }
        // 4: v' <- Decompress_dv(ByteDecode_dv(c2))
        // 6: w <- v' - NTT^-1(s_hat^T o NTT(u'))
        // 7: m <- ByteEncode_1(Compress_1(w))
        dot(s, gather(|j| &s_hat[j]), u_hat, f_hat);
        inverse_ntt(s, f_hat, f);
        if const { MlKemParams::of_rank(K).dv == 4 } {
            q3329::decompress_message::<S, 4>(s, c2, f, m);
        } else {
            q3329::decompress_message::<S, 5>(s, c2, f, m);
        }
    });
}
