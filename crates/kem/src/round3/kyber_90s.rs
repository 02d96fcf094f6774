//! Kyber-90s of round 3, section 1.4: Kyber with AES-256 in counter mode and SHA-2 in place of
//! Keccak. Streams are computed one after another, not in lanes.
#![expect(non_snake_case, reason = "notation of FIPS 203")]
use core::slice;

use oaklath_hash::sha2::{Midstate, sha512};
use oaklath_poly::q3329::{self, Entry, NttPoly, Poly, ROW};
use oaklath_simd::arrays::map;
use oaklath_simd::{A64, Aes256, Simd, ct, dispatch, pieces_mut, secret, vectorize, wipe};

use crate::ml_kem::keys::finish_key;
use crate::ml_kem::memory::{MatrixSource, PkeMemory};
use crate::ml_kem::module_kem::ModuleOperations;
use crate::ml_kem::params::{MAX_CIPHERTEXT, MlKemParams, POLY_12};
use crate::ml_kem::pke::{decrypt, encrypt};
use crate::ml_kem::tasks::{DecapsulationTask, EncapsulationTask, KeygenTask};

/// Writes `A_hat`: entry (i, j) is sampled from the stream of key rho, nonce (j, i). Out of line.
#[inline(never)]
fn sample_matrix<S: Simd>(s: S, k: usize, rho: &[u8; 32], A_hat: &mut [Entry]) {
    vectorize!(s => {
        let cipher = S::Aes::new(s, rho);
        for (row, entries) in pieces_mut(A_hat, k).enumerate() {
            for (column, entry) in entries.iter_mut().enumerate() {
                let mut nonce = [0; 12];
                (nonce[0], nonce[1]) = (column as u8, row as u8);
                // A block of 192 bytes holds 128 candidates.
                let (mut bytes, mut n, mut counter) = ([0; ROW], 0, 0);
                while n < 256 {
                    cipher.key_stream(&nonce, counter, &mut bytes);
                    n = q3329::reject_block_vartime(s, &bytes, entry, n);
                    counter += (ROW as u32) >> 4;
                }
            }
        }
    });
}

/// Writes the noise of the PRF counters from `first` on: `SamplePolyCBD_eta` of the streams of the
/// cipher, whose key is sigma. Out of line.
#[inline(never)]
fn sample_noise<S: Simd, const MONTGOMERY: bool>(
    s: S,
    cipher: &S::Aes,
    first: usize,
    eta: usize,
    polys: &mut [Poly],
) {
    vectorize!(s => {
        secret!(bytes: A64<[u8; ROW]>);
        for (n, f) in (first..).zip(polys) {
            let mut nonce = [0; 12];
            nonce[0] = n as u8;
            cipher.key_stream(&nonce, 0, &mut bytes[..64 * eta]);
            if eta == 3 {
                q3329::cbd_3::<S, MONTGOMERY>(s, &bytes[..], f);
            } else {
                q3329::cbd_2::<S, MONTGOMERY>(s, &bytes[..], f);
            }
        }
    });
}

/// Computes K-PKE.Encrypt(ek, m, r), with ek decoded and its matrix sampled. Out of line.
#[inline(never)]
fn encrypt_with_seed<S: Simd>(
    s: S,
    p: &MlKemParams,
    A_hat: &[Entry],
    t_hat: &[NttPoly],
    MessageKeys { m, r, .. }: &MessageKeys,
    memory: &mut PkeMemory<'_>,
    c: &mut [u8],
) {
    vectorize!(s => {
        let cipher = S::Aes::new(s, r);
        sample_noise::<S, false>(s, &cipher, 0, p.eta1, memory.y);
        sample_noise::<S, false>(s, &cipher, p.k, p.eta2, memory.e1);
        sample_noise::<S, false>(s, &cipher, 2 * p.k, p.eta2, slice::from_mut(memory.e2));
        encrypt(s, p, A_hat, t_hat, m, memory, c);
    });
}

/// Computes H, which is SHA-256. Out of line.
#[inline(never)]
fn h<S: Simd>(s: S, message: &[u8]) -> [u8; 32] {
    vectorize!(s => Midstate::new().finish_by(s, message))
}

/// Writes the halves of G, which is SHA-512, to `a` and `b`.
fn g(message: &[u8], a: &mut [u8; 32], b: &mut [u8; 32]) {
    let mut digest = sha512(message);
    a.copy_from_slice(&digest[..32]);
    b.copy_from_slice(&digest[32..]);
    wipe(&mut digest);
}

/// A message m and G(m || H(ek)): K, from which the KDF derives the secret, and r, the noise seed.
struct MessageKeys {
    m: [u8; 32],
    K: [u8; 32],
    r: [u8; 32],
}

impl MessageKeys {
    const EMPTY: Self = Self { m: [0; 32], K: [0; 32], r: [0; 32] };

    /// Derives K and r from m.
    fn derive(&mut self, h_ek: &[u8; 32]) {
        secret!(message: [[u8; 32]; 2]);
        *message = [self.m, *h_ek];
        g(message.as_flattened(), &mut self.K, &mut self.r);
    }
}

impl Drop for MessageKeys {
    fn drop(&mut self) {
        wipe(&mut self.m);
        wipe(&mut self.K);
        wipe(&mut self.r);
    }
}

/// Writes the shared secret KDF(K || H(c)), where KDF is SHA-256.
#[inline(always)]
fn kdf<S: Simd>(s: S, K: &[u8; 32], c: &[u8], shared: &mut [u8; 32]) {
    secret!(message: [[u8; 32]; 2]);
    *message = [*K, h(s, c)];
    let mut digest = h(s, message.as_flattened());
    shared.copy_from_slice(&digest);
    wipe(&mut digest);
}

/// Kyber-90s.
#[derive(Clone, Copy, Debug)]
pub struct Kyber90s;

impl ModuleOperations for Kyber90s {
    /// Its streams are not computed in lanes.
    const SIDE_BY_SIDE: bool = false;

    fn hash(ek: &[u8]) -> [u8; 32] {
        dispatch!(s => h(s, ek))
    }

    fn keygen<const N: usize>(p: &MlKemParams, tasks: [KeygenTask<'_>; N]) {
        tasks.into_iter().for_each(|task| dispatch!(s => generate(s, p, task)));
    }

    fn expand<const N: usize>(p: &MlKemParams, keys: [(&[u8], &mut [Entry]); N]) -> [[u8; 32]; N] {
        map(keys, |(ek, A_hat)| {
            let rho = ek.last_chunk().expect("ek ends with rho");
            dispatch!(s => {
                sample_matrix(s, p.k, rho, A_hat);
                h(s, ek)
            })
        })
    }

    fn encapsulate<const N: usize>(p: &MlKemParams, tasks: [EncapsulationTask<'_>; N]) {
        tasks.into_iter().for_each(|task| dispatch!(s => encapsulate(s, p, task)));
    }

    fn decapsulate<const N: usize>(
        p: &MlKemParams,
        tasks: [DecapsulationTask<'_>; N],
    ) -> [[u8; 32]; N] {
        map(tasks, |task| dispatch!(s => decapsulate(s, p, task)))
    }
}

/// Makes a key pair.
#[inline(always)]
fn generate<S: Simd>(s: S, p: &MlKemParams, task: KeygenTask<'_>) {
    let KeygenTask { seed, mut memory, ek, dk } = task;
    let (d, z) = seed.split_at(32);
    secret!(sigma: [u8; 32]);
    let mut rho = [0; 32];
    g(d, &mut rho, sigma);
    ct::declassify_bytes(&mut rho); // a part of ek
    let samples = &mut memory.samples;
    sample_matrix(s, p.k, &rho, samples.A_hat);
    samples.counts = [256; 16];
    let cipher = S::Aes::new(s, sigma);
    sample_noise::<S, true>(s, &cipher, 0, p.eta1, samples.y);
    sample_noise::<S, false>(s, &cipher, p.k, p.eta1, samples.e1);
    memory.transform_noise(s, dk);
    memory.encode(s, ek);
    ek[POLY_12 * p.k..].copy_from_slice(&rho);
    finish_key(p, ek, &h(s, ek), z, dk);
}

/// Encapsulates.
#[inline(always)]
fn encapsulate<S: Simd>(s: S, p: &MlKemParams, task: EncapsulationTask<'_>) {
    let EncapsulationTask { key, random, mut memory, c, shared } = task;
    let mut message = MessageKeys::EMPTY;
    message.m = h(s, random);
    message.derive(key.h_ek);
    encrypt_with_seed(s, p, key.A_hat, key.t_hat, &message, &mut memory, c);
    kdf(s, &message.K, c, shared);
}

/// Decapsulates. If re-encryption yields another ciphertext, the secret is KDF(z || H(c)). Returns
/// H(ek) of a [`MatrixSource::SampledBesideHash`] key.
#[inline(always)]
fn decapsulate<S: Simd>(s: S, p: &MlKemParams, task: DecapsulationTask<'_>) -> [u8; 32] {
    let DecapsulationTask { key, mut matrix, mut memory, c, shared } = task;
    secret!(again: [u8; MAX_CIPHERTEXT]);
    let (again, mut message) = (&mut again[..c.len()], MessageKeys::EMPTY);
    decrypt(s, p, key.s_hat, c, memory.factors, &mut message.m);
    message.derive(key.h);
    if let MatrixSource::Sampled(A_hat) | MatrixSource::SampledBesideHash(A_hat, _) = &mut matrix {
        sample_matrix(s, p.k, key.rho, A_hat);
    }
    encrypt_with_seed(s, p, matrix.entries(), key.t_hat, &message, &mut memory, again);
    ct::differ(c, again).copy_if(&mut message.K, key.z);
    kdf(s, &message.K, c, shared);
    match matrix {
        MatrixSource::SampledBesideHash(_, ek) => h(s, ek),
        MatrixSource::Expanded(_) | MatrixSource::Sampled(_) => [0; 32],
    }
}
