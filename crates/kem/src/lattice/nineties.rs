//! Kyber-90s: matrix and noise from AES-256 in counter mode (NIST round 3, section 1.4). No lanes:
//! one stream after the other.
use oaklath_hash::sha2::{Midstate, sha512};
use oaklath_poly::q3329::{self, Poly, ROW};
use oaklath_simd::{Aes256, Simd, secret, wipe};

use super::params::Params;
use super::run::Matrix;

/// `A_hat`: entry (i, j) is sampled from the stream of key rho and nonce j, i.
pub(super) fn matrix<S: Simd, const K: usize>(s: S, rho: &[u8; 32], A_hat: &mut Matrix<K>) {
    s.vectorize(
        #[inline(always)]
        || {
            let cipher = S::Aes::new(s, rho);
            for (row, entries) in A_hat.iter_mut().enumerate() {
                for (column, entry) in entries.iter_mut().enumerate() {
                    let mut nonce = [0; 12];
                    (nonce[0], nonce[1]) = (column as u8, row as u8);
                    // Rows of 192 bytes, which hold 128 candidates.
                    let (mut bytes, mut n, mut counter) = ([0; ROW], 0, 0);
                    while n < 256 {
                        cipher.key_stream(&nonce, counter, &mut bytes);
                        n = q3329::reject_block_vartime(s, &bytes, entry, n);
                        counter += (ROW as u32) >> 4;
                    }
                }
            }
        },
    );
}

/// Noise of the PRF counters from `first` on: `SamplePolyCBD_eta` of the stream of key sigma.
#[inline(always)]
pub(super) fn noise<S: Simd, const K: usize, const MONTGOMERY: bool>(
    s: S,
    sigma: &[u8; 32],
    first: usize,
    eta: usize,
    polys: &mut [Poly],
) {
    let cipher = S::Aes::new(s, sigma);
    secret!(bytes: [u8; ROW]);
    for (n, f) in (first..).zip(polys) {
        let mut nonce = [0; 12];
        nonce[0] = n as u8;
        cipher.key_stream(&nonce, 0, &mut bytes[..64 * eta]);
        if const { Params::of_rank(K).eta1 == 3 } && eta == 3 {
            q3329::cbd_3::<S, MONTGOMERY>(s, bytes, f);
        } else {
            q3329::cbd_2::<S, MONTGOMERY>(s, bytes, f);
        }
    }
}

/// y, e1 and e2 of K-PKE.Encrypt.
#[inline(always)]
pub(super) fn encryption_noise<S: Simd, const K: usize>(
    s: S,
    sigma: &[u8; 32],
    (y, e1, e2): (&mut [Poly; K], &mut [Poly; K], &mut [Poly; 1]),
) {
    let p = const { Params::of_rank(K) };
    noise::<S, K, false>(s, sigma, 0, p.eta1, y);
    noise::<S, K, false>(s, sigma, K, p.eta2, e1);
    noise::<S, K, false>(s, sigma, 2 * K, p.eta2, e2);
}

/// KDF: SHA-256.
#[inline(always)]
pub(super) fn kdf<S: Simd>(s: S, message: &[u8], key: &mut [u8; 32]) {
    let mut digest = h(s, message);
    key.copy_from_slice(&digest);
    wipe(&mut digest);
}

/// H: SHA-256.
#[inline(always)]
pub(super) fn h<S: Simd>(s: S, message: &[u8]) -> [u8; 32] {
    Midstate::new().finish_by(s, message)
}

/// G: SHA-512, in two halves.
pub(super) fn g(message: &[u8], a: &mut [u8; 32], b: &mut [u8; 32]) {
    let mut digest = sha512(message);
    a.copy_from_slice(&digest[..32]);
    b.copy_from_slice(&digest[32..]);
    wipe(&mut digest);
}
