//! Key generation: FIPS 204, Algorithm 6.
use oaklath_hash::blocks::write_words;
use oaklath_hash::keccak::RATE_256;
use oaklath_poly::q8380417::{self as ring, Entry, NttPoly, Poly};
use oaklath_simd::{Simd, ct, dispatch, pieces, pieces_mut, scratch, secret, vectorize, wipe};

use super::expand_a::ExpandedMatrix;
use super::expand_s::SecretVectors;
use super::hash::expand_seed;
use super::params::{MlDsaParams, SEED, T0, T1};
use super::row_hash::hash_rows;
use super::sampler::{
    Nibbles, QueueSampler, SamplerMemory, SamplingMethod, SamplingQueue, SqueezedRows,
};
use crate::error::Error;

/// Bytes of the largest public key in padded blocks: 20 blocks.
const KEY_BLOCKS: usize = 20 * RATE_256;

/// Memory for two rows of the matrix and the vectors of a set.
pub(super) struct KeygenMemory<'a> {
    pub(super) matrix: &'a mut [Entry],
    pub(super) s1: &'a mut [Poly],
    pub(super) s2: &'a mut [Poly],
    pub(super) s1_hat: &'a mut [NttPoly],
}

/// ML-DSA.`KeyGen_internal`: FIPS 204, Algorithm 6, from xi and the suffix of the variant.
pub(super) fn keygen<G: SamplingMethod>(
    p: &MlDsaParams,
    seed: &[&[u8]; 2],
    (pk, sk): (&mut [u8], &mut [u8]),
    memory: KeygenMemory<'_>,
) {
    dispatch!(s => keygen_at::<_, G>(s, p, seed, (pk, sk), memory));
}

#[inline(always)]
fn keygen_at<S: Simd, G: SamplingMethod>(
    s: S,
    p: &MlDsaParams,
    seed: &[&[u8]; 2],
    (pk, sk): (&mut [u8], &mut [u8]),
    memory: KeygenMemory<'_>,
) {
    let (head, t0) = sk.split_at_mut(p.t0_offset());
    let (head, packed) = head.split_at_mut(2 * SEED + p.tr);
    let (head, tr) = head.split_at_mut(2 * SEED);
    // 1: (rho, rho', K) <- H(xi || k || l, 128)
    secret!(rho1: [u8; 64]);
    let mut rho = [0; SEED];
    expand_seed(seed, (&mut rho, rho1, &mut head[SEED..]));
    ct::declassify_bytes(&mut rho); // a part of the public key
    head[..SEED].copy_from_slice(&rho);

    // 3: A_hat <- ExpandA(rho), two rows at a time; starts after line 4
    // 4: (s1, s2) <- ExpandS(rho')
    secret!(rows: SqueezedRows, nibbles: Nibbles);
    let memory_of_lanes =
        SamplerMemory { rows: &mut rows[..], nibbles: &mut nibbles[..], streams: &mut [] };
    let mut sampler = G::Sampler::new(s, memory_of_lanes);
    let matrix = ExpandedMatrix::rows(p, memory.matrix);
    let mut queue = SamplingQueue {
        seed: rho1,
        secrets: SecretVectors::new(memory.s1, memory.s2),
        ..SamplingQueue::matrix(p, &rho, matrix, memory.s1_hat)
    };
    while !queue.secrets.all_ready() {
        sampler.step(&mut queue, None);
    }
    // 10: sk <- skEncode(rho, K, tr, s1, s2, t0), Algorithm 24; here s1 and s2 are encoded
    let secrets = queue.secrets.s1.iter().chain(queue.secrets.s2.iter());
    for (f, bytes) in secrets.zip(pieces_mut(packed, p.eta_bytes())) {
        ring::encode_eta(s, p.eta, f, bytes);
    }
    public_part(s, &mut sampler, &mut queue, pk, t0, tr);
}

/// Does lines 5 to 9 for the secrets of the queue: writes the public key, t0 and tr. Out of line.
#[inline(never)]
fn public_part<'a, S: Simd, X: QueueSampler<'a, S>>(
    s: S,
    sampler: &mut X,
    queue: &mut SamplingQueue<'_>,
    pk: &mut [u8],
    t0: &mut [u8],
    tr: &mut [u8],
) {
    vectorize!(s => {
        queue.secrets.transform_s1(s, queue.factors);
        // 8: pk <- pkEncode(rho, t1), Algorithm 22, from the first row on
        let mut message = [0; KEY_BLOCKS];
        message[..SEED].copy_from_slice(queue.rho);
        secret!(w_hat: NttPoly, w: Poly);
        // 9: tr <- H(pk, 64), while the last rows are sampled
        let mut state = hash_rows(
            s,
            (sampler, queue),
            (&mut message, SEED, T1),
            None,
            #[inline(always)]
            |queue, i, t1| {
                // 5: t <- NTT^-1(A_hat o NTT(s1)) + s2
                queue.matrix.multiply_row(s, queue.factors, w_hat);
                ring::inverse_ntt(s, w_hat, w);
                // 6: (t1, t0) <- Power2Round(t)
                let t0 = &mut t0[T0 * i..T0 * (i + 1)];
                ring::power2round(s, w, &queue.secrets.s2[i], t1, t0);
            },
        );
        pk.copy_from_slice(&message[..pk.len()]);
        write_words(&state, tr);
        wipe(&mut state);
    });
}

/// Computes the public key from rho, s1 and s2 of a private key; `t0_again` is memory for t0.
///
/// # Errors
/// [`Error::SecretKeyEncoding`] if a coefficient of s1 or s2 is larger than eta; else
/// [`Error::SecretKeyHash`] if tr is not the hash of the public key, [`Error::SecretKeyLowBits`] if
/// t0 is not that of s1 and s2, [`Error::SecretKeyInconsistent`] if both are wrong.
pub(super) fn public_key<G: SamplingMethod>(
    p: &MlDsaParams,
    sk: &[u8],
    pk: &mut [u8],
    memory: KeygenMemory<'_>,
    t0_again: &mut [u8],
) -> Result<(), Error> {
    dispatch!(s => public_key_at::<_, G>(s, p, sk, pk, memory, t0_again))
}

#[inline(always)]
fn public_key_at<S: Simd, G: SamplingMethod>(
    s: S,
    p: &MlDsaParams,
    sk: &[u8],
    pk: &mut [u8],
    memory: KeygenMemory<'_>,
    t0_again: &mut [u8],
) -> Result<(), Error> {
    let (head, t0) = sk.split_at(p.t0_offset());
    let (head, packed) = head.split_at(2 * SEED + p.tr);
    let rho = head.first_chunk().expect("a key begins with rho");
    secret!(small: [i8; 256]);
    let secrets = memory.s1.iter_mut().chain(memory.s2.iter_mut());
    for (f, bytes) in secrets.zip(pieces(packed, p.eta_bytes())) {
        if !ct::declassify_bool(ring::decode_eta(s, p.eta, bytes, small)) {
            return Err(Error::SecretKeyEncoding);
        }
        ring::widen(s, small, f);
    }
    scratch!(rows: SqueezedRows);
    let mut sampler = G::Sampler::new(s, SamplerMemory::rows(&mut rows[..]));
    let matrix = ExpandedMatrix::rows(p, memory.matrix);
    let mut queue = SamplingQueue::matrix(p, rho, matrix, memory.s1_hat);
    queue.secrets = SecretVectors::given(memory.s1, memory.s2);
    secret!(tr_again: [u8; 64]);
    let (tr, tr_again) = (&head[2 * SEED..], &mut tr_again[..p.tr]);
    public_part(s, &mut sampler, &mut queue, pk, t0_again, tr_again);
    // Whether a key is damaged, and where, is public.
    match (ct::differ(tr, tr_again).declassify(), ct::differ(t0, t0_again).declassify()) {
        (false, false) => Ok(()),
        (true, false) => Err(Error::SecretKeyHash),
        (false, true) => Err(Error::SecretKeyLowBits),
        (true, true) => Err(Error::SecretKeyInconsistent),
    }
}
