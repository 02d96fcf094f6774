//! Verification: FIPS 204, Algorithm 8; numbers in comments are its lines. All data is public.
use oaklath_hash::blocks::{Ends, write_words};
use oaklath_hash::keccak::RATE_256;
use oaklath_poly::q8380417::{self as ring, Challenge, Entry, NttPoly, Poly};
use oaklath_simd::{Simd, dispatch, pieces, scratch, vectorize};

use super::challenge::{equals, sample_in_ball};
use super::expand_a::ExpandedMatrix;
use super::hash::{absorb_blocks, ball_block, hash_side_by_side, pad};
use super::hint;
use super::params::{MlDsaParams, SEED, T1};
use super::row_hash::hash_rows;
use super::sampler::{QueueSampler, SamplerMemory, SamplingMethod, SamplingQueue, SqueezedRows};
use super::sign::{MU, MU_W1};

/// Memory for NTT(z) and the hints of a set.
pub(super) struct SignatureMemory<'a> {
    pub(super) z_hat: &'a mut [NttPoly],
    pub(super) hints: &'a mut [[i8; 256]],
}

/// Does lines 2 to 4 and checks the bound of z in line 13: `sigDecode`, FIPS 204, Algorithm 27.
/// Writes NTT(z) and the hints. Returns c~, or `None` if the signature is malformed. Out of line.
#[inline(never)]
fn decode_signature<'s, S: Simd>(
    s: S,
    p: &MlDsaParams,
    signature: &'s [u8],
    memory: &mut SignatureMemory<'_>,
) -> Option<&'s [u8]> {
    vectorize!(s => {
        let (c_tilde, rest) = signature.split_at(p.c_tilde);
        let (z_bytes, hints) = rest.split_at(rest.len() - p.hint_bytes());
        scratch!(z: Poly);
        for (z_hat, bytes) in memory.z_hat.iter_mut().zip(pieces(z_bytes, p.z_bytes())) {
            if !ring::decode_z(s, p.z_bits, bytes, z, p.z_bound()) {
                return None;
            }
            ring::ntt(s, z, z_hat);
        }
        hint::decode(hints, memory.hints).map(|()| c_tilde)
    })
}

/// Does line 8 and computes NTT(c), from the state that has absorbed c~.
#[inline(always)]
fn transform_challenge<S: Simd>(s: S, p: &MlDsaParams, state: &mut [u64; 25], c_hat: &mut NttPoly) {
    scratch!(f: Poly);
    let mut c = Challenge::EMPTY;
    sample_in_ball(s, p.tau, state, &mut c);
    ring::widen(s, &c.c, f);
    ring::ntt(s, f, c_hat);
}

/// ML-DSA.`Verify_internal` with an encoded key, and memory for two rows of the matrix. `mu`
/// computes mu from tr. `SampleInBall` and tr are computed while the first rows of the matrix are
/// sampled, c~ while the last ones are.
pub(super) fn verify_bytes<G: SamplingMethod>(
    p: &MlDsaParams,
    pk: &[u8],
    mu: &dyn Fn(&[u8]) -> [u8; 64],
    signature: &[u8],
    memory: (SignatureMemory<'_>, &mut [Entry]),
) -> bool {
    dispatch!(s => verify_bytes_at::<_, G>(s, p, pk, mu, signature, memory))
}

#[inline(always)]
fn verify_bytes_at<S: Simd, G: SamplingMethod>(
    s: S,
    p: &MlDsaParams,
    pk: &[u8],
    mu: &dyn Fn(&[u8]) -> [u8; 64],
    signature: &[u8],
    (mut memory, matrix): (SignatureMemory<'_>, &mut [Entry]),
) -> bool {
    // 1: (rho, t1) <- pkDecode(pk), Algorithm 23
    let (rho, t1) = pk.split_first_chunk::<SEED>().expect("a key begins with rho");
    // 2: (c~, z, h) <- sigDecode(sigma), 3: if h = bottom then return false
    let Some(c_tilde) = decode_signature(s, p, signature, &mut memory) else { return false };
    let SignatureMemory { z_hat, hints } = memory;
    scratch!(rows: SqueezedRows, c_hat: NttPoly);
    let mut sampler = G::Sampler::new(s, SamplerMemory::rows(&mut rows[..]));
    // 5: A_hat <- ExpandA(rho), two rows at a time
    let mut queue = SamplingQueue::matrix(p, rho, ExpandedMatrix::rows(p, matrix), z_hat);
    // 8: c <- SampleInBall(c~)
    sampler.reserve();
    sampler.step(&mut queue, Some((true, &ball_block(c_tilde))));
    transform_challenge(s, p, &mut sampler.take_hash(), c_hat);

    let mut mu_w1 = [0; MU_W1];
    scratch!(t: Poly, t_hat: NttPoly, w_hat: NttPoly, w: Poly);
    // 6: tr <- H(pk, 64), 7: mu <- H(tr || M', 64)
    let mut ends = Ends::empty();
    let write_mu = |state: &[u64; 25], mu_w1: &mut [u8]| {
        let mut tr = [0; 64];
        write_words(state, &mut tr);
        mu_w1[..MU].copy_from_slice(&mu(&tr[..p.tr]));
    };
    // 12: c~' <- H(mu || w1Encode(w1'), lambda / 4), from the first row on
    let state = hash_rows(
        s,
        (&mut sampler, &mut queue),
        (&mut mu_w1, MU, p.w1_bytes()),
        Some((ends.shake(&[], pk), &write_mu)),
        #[inline(always)]
        |queue, i, w1| {
            // 9: w'_Approx <- NTT^-1(A_hat o NTT(z) - NTT(c) o NTT(t1 2^d))
            ring::decode_t1(s, &t1[T1 * i..], t);
            ring::ntt(s, t, t_hat);
            queue.matrix.multiply_row_minus(s, queue.factors, (c_hat, t_hat), w_hat);
            ring::inverse_ntt(s, w_hat, w);
            // 10: w1' <- UseHint(h, w'_Approx)
            ring::use_hint_encode(s, p.m, w, &hints[i], w1);
        },
    );
    // 13: c~ = c~'
    equals(c_tilde, &state)
}

/// The kept parts of a public key: `A_hat` and NTT(t1 2^d).
pub(super) type VerifyingParts<'a> = (&'a [Entry], &'a [NttPoly]);

/// ML-DSA.`Verify_internal` with a kept key, from line 8 on.
pub(super) fn verify(
    p: &MlDsaParams,
    parts: VerifyingParts<'_>,
    mu: &[u8; 64],
    signature: &[u8],
    memory: SignatureMemory<'_>,
) -> bool {
    dispatch!(s => verify_at(s, p, parts, mu, signature, memory))
}

#[inline(always)]
fn verify_at<S: Simd>(
    s: S,
    p: &MlDsaParams,
    parts: VerifyingParts<'_>,
    mu: &[u8; 64],
    signature: &[u8],
    mut memory: SignatureMemory<'_>,
) -> bool {
    let Some(c_tilde) = decode_signature(s, p, signature, &mut memory) else { return false };
    // 8: c <- SampleInBall(c~)
    let (mut state, mut mu_w1) = ([0; 25], [0; MU_W1]);
    absorb_blocks(s, &mut state, &ball_block(c_tilde), 0, 1);
    let blocks = commit(s, p, parts, mu, &memory, &mut state, &mut mu_w1);
    // 12: c~' <- H(mu || w1Encode(w1'), lambda / 4)
    state.fill(0);
    absorb_blocks(s, &mut state, &mu_w1, 0, blocks);
    // 13: c~ = c~'
    equals(c_tilde, &state)
}

/// The maximum number of signatures that are verified side by side.
pub(super) const BATCH: usize = 8;

/// A kept key, mu, and the bytes of a signature.
pub(super) type SignedMu<'a> = (VerifyingParts<'a>, [u8; 64], &'a [u8]);

/// Verifies as [`verify`] does, at most [`BATCH`] signatures. Their hashes are computed side by
/// side.
pub(super) fn verify_many(
    p: &MlDsaParams,
    items: &[SignedMu<'_>],
    memory: SignatureMemory<'_>,
    valid: &mut [bool],
) {
    dispatch!(s => verify_many_at(s, p, items, memory, valid));
}

#[inline(always)]
fn verify_many_at<S: Simd>(
    s: S,
    p: &MlDsaParams,
    items: &[SignedMu<'_>],
    mut memory: SignatureMemory<'_>,
    valid: &mut [bool],
) {
    let (mut messages, mut states) = ([[0; MU_W1]; BATCH], [[0; 25]; BATCH]);
    let (messages, states) = (&mut messages[..items.len()], &mut states[..items.len()]);
    // 8: c <- SampleInBall(c~)
    for (message, (.., signature)) in messages.iter_mut().zip(items) {
        message[..RATE_256].copy_from_slice(&ball_block(&signature[..p.c_tilde]));
    }
    hash_side_by_side(s, messages, 1, states);
    let mut blocks = 0;
    for (i, (parts, mu, signature)) in items.iter().enumerate() {
        valid[i] = decode_signature(s, p, signature, &mut memory).is_some();
        messages[i].fill(0);
        if valid[i] {
            blocks = commit(s, p, *parts, mu, &memory, &mut states[i], &mut messages[i]);
        }
    }
    // 12: c~' <- H(mu || w1Encode(w1'), lambda / 4)
    hash_side_by_side(s, messages, blocks, states);
    // 13: c~ = c~'
    for ((valid, state), (.., signature)) in valid.iter_mut().zip(states).zip(items) {
        *valid &= equals(&signature[..p.c_tilde], state);
    }
}

/// Does lines 8 to 11 from the state that has absorbed c~: writes mu || w1Encode(w1'), padded, and
/// returns the number of its blocks.
#[inline(always)]
fn commit<S: Simd>(
    s: S,
    p: &MlDsaParams,
    (matrix, t1_hat): VerifyingParts<'_>,
    mu: &[u8; 64],
    memory: &SignatureMemory<'_>,
    state: &mut [u64; 25],
    mu_w1: &mut [u8; MU_W1],
) -> usize {
    scratch!(c_hat: NttPoly, w_hat: NttPoly, w: Poly);
    transform_challenge(s, p, state, c_hat);
    let each = p.w1_bytes();
    mu_w1[..MU].copy_from_slice(mu);
    let rows = pieces(matrix, p.l).zip(t1_hat).zip(memory.hints.iter());
    for (i, ((row, t1_hat), hint)) in rows.enumerate() {
        // 9: w'_Approx <- NTT^-1(A_hat o NTT(z) - NTT(c) o NTT(t1 2^d))
        ring::dot_minus(s, row, memory.z_hat, (c_hat, t1_hat), w_hat);
        ring::inverse_ntt(s, w_hat, w);
        // 10: w1' <- UseHint(h, w'_Approx)
        ring::use_hint_encode(s, p.m, w, hint, &mut mu_w1[MU + each * i..]);
    }
    pad(mu_w1, MU + p.k * each)
}
