//! Signing: FIPS 204, Algorithm 7; numbers in comments are its lines. Line 6 (mu) is
//! [`Representative::mu`](super::variant::Representative::mu), line 7 (rho'') the variant's
//! `mask_seed`. Lines 2 and 3 are not needed: products of a challenge with s1 and s2 are sums of
//! their coefficients (`q8380417::small`). Lines 9, 24, 29, 30, 32 and 34 are control flow: the
//! loop ends when a signature is complete, and the functions of a rejected attempt return `false`.
//! Lines 14, 22 and 27 are comments.
//!
//! Rejections need not be hidden: an observer may learn c~ of each attempt, which check rejects it
//! and for which polynomial, but neither values nor signs of coefficients of z and r0. Rejection
//! makes the accepted signature independent of s1 and s2: FIPS 204, section 3.3 (Fiat-Shamir with
//! aborts), and the specification of Dilithium in round 3, section 5.5. Checks therefore end at the
//! first polynomial that fails.
use oaklath_hash::blocks::write_words;
use oaklath_hash::keccak::RATE_256;
use oaklath_poly::q8380417::{self as ring, Challenge, Entry, NttPoly, Poly, Sums};
use oaklath_simd::{Simd, ct, dispatch, each, pieces, pieces_mut, secret, vectorize};

use super::challenge::sample_in_ball;
use super::expand_a::ExpandedMatrix;
use super::expand_mask::MaskQueue;
use super::hash::{ball_block, block_at, pad};
use super::params::{MlDsaParams, SEED};
use super::sampler::{
    QueueSampler, SamplerMemory, SamplingMethod, SamplingQueue, SqueezedRows, Streams,
};
use super::secrets::{SecretsMemory, SigningSecrets, in_range, unpack};
use crate::error::Error;

/// Bytes of the longest mu || w1 in padded blocks: nine blocks.
pub(super) const MU_W1: usize = 9 * RATE_256;
/// Bytes of mu: the offset of w1 in mu || w1.
pub(super) const MU: usize = 64;

/// The message representative and the seed of the masks, and memory for the vectors of a set.
pub(super) struct SigningInput<'a> {
    pub(super) mu: &'a [u8; 64],
    /// rho''.
    pub(super) rho2: &'a [u8; 64],
    pub(super) y: &'a mut [Poly],
    pub(super) y_hat: &'a mut [NttPoly],
    pub(super) w: &'a mut [Poly],
}

/// Returns rho and the bytes after tr (s1, s2, t0) of a private key.
#[inline(always)]
fn split<'a>(p: &MlDsaParams, sk: &'a [u8]) -> (&'a [u8; SEED], &'a [u8]) {
    (sk.first_chunk().expect("a key begins with rho"), &sk[2 * SEED + p.tr..])
}

/// ML-DSA.`Sign_internal` with an encoded key, and memory for the matrix and the secrets. The
/// masks of the first attempt are sampled after the matrix.
///
/// # Errors
/// [`Error::SecretKeyEncoding`].
pub(super) fn sign_bytes<G: SamplingMethod>(
    p: &MlDsaParams,
    sk: &[u8],
    input: SigningInput<'_>,
    (matrix, secrets): (&mut [Entry], SecretsMemory<'_>),
    signature: &mut [u8],
) -> Result<(), Error> {
    // 1: (rho, K, tr, s1, s2, t0) <- skDecode(sk), Algorithm 25
    let (rho, packed) = split(p, sk);
    let SecretsMemory { s1, s2, t0_hat } = secrets;
    let memory = SecretsMemory { s1: &mut *s1, s2: &mut *s2, t0_hat: &mut *t0_hat };
    // 4: t0_hat <- NTT(t0). Whether the key is well-formed is public.
    if !ct::declassify_bool(dispatch!(s => unpack(s, p, packed, memory))) {
        return Err(Error::SecretKeyEncoding);
    }
    let secrets = SigningSecrets::ready(s1, s2, t0_hat);
    // 5: A_hat <- ExpandA(rho)
    let matrix = ExpandedMatrix::rows(p, matrix);
    sign_with::<G>(p, rho, matrix, &secrets, input, signature);
    Ok(())
}

/// ML-DSA.`Sign_internal` with a matrix, sampled or to be sampled, and secrets.
pub(super) fn sign_with<G: SamplingMethod>(
    p: &MlDsaParams,
    rho: &[u8; SEED],
    matrix: ExpandedMatrix<'_>,
    secrets: &SigningSecrets<'_>,
    input: SigningInput<'_>,
    signature: &mut [u8],
) {
    dispatch!(s => {
        secret!(rows: SqueezedRows, streams: Streams);
        let (rows, streams) = (&mut rows[..], &mut streams[..]);
        let memory = SamplerMemory { rows, nibbles: &mut [], streams };
        sign_at::<_, G>(s, p, (rho, matrix), secrets, input, memory, signature);
    });
}

/// ML-DSA.`Sign_internal` with an encoded key, in little memory: four lanes sample the matrix again
/// in each attempt, entry by entry, and the secrets are unpacked one at a time.
///
/// # Errors
/// [`Error::SecretKeyEncoding`].
pub(super) fn sign_low_memory<G: SamplingMethod>(
    p: &MlDsaParams,
    sk: &[u8],
    input: SigningInput<'_>,
    signature: &mut [u8],
) -> Result<(), Error> {
    // 1: (rho, K, tr, s1, s2, t0) <- skDecode(sk), Algorithm 25
    let (rho, packed) = split(p, sk);
    dispatch!(s => {
        if !ct::declassify_bool(in_range(s, p, packed)) {
            return Err(Error::SecretKeyEncoding);
        }
        secret!(rows: SqueezedRows<4>, streams: Streams<4>);
        secret!(flight: [Entry; 4], sums: [NttPoly; 2]);
        let (rows, streams) = (&mut rows[..], &mut streams[..]);
        let memory = SamplerMemory { rows, nibbles: &mut [], streams };
        // 5: A_hat <- ExpandA(rho), in each attempt; line 4 is done for each product
        let matrix = ExpandedMatrix::sums(p, flight, sums);
        let secrets = SigningSecrets::packed(p, packed);
        sign_at::<_, G>(s, p, (rho, matrix), &secrets, input, memory, signature);
        Ok(())
    })
}

/// Completes the matrix if it is kept, then does lines 8 to 33. Out of line.
#[inline(never)]
fn sign_at<S: Simd, G: SamplingMethod>(
    s: S,
    p: &MlDsaParams,
    (rho, matrix): (&[u8; SEED], ExpandedMatrix<'_>),
    secrets: &SigningSecrets<'_>,
    input: SigningInput<'_>,
    memory: SamplerMemory<'_>,
    signature: &mut [u8],
) {
    vectorize!(s => {
        let SigningInput { mu, rho2, y, y_hat, w } = input;
        let mut sampler = G::Sampler::new(s, memory);
        let mut queue = SamplingQueue {
            seed: rho2,
            masks: MaskQueue::new(p, y),
            ..SamplingQueue::matrix(p, rho, matrix, y_hat)
        };
        while !queue.matrix.all_ready() {
            sampler.step(&mut queue, None);
        }
        attempt_until_accepted(s, &mut sampler, &mut queue, secrets, (mu, w), signature);
    });
}

/// Does lines 8 to 33.
#[inline(always)]
fn attempt_until_accepted<'a, S: Simd, X: QueueSampler<'a, S>>(
    s: S,
    sampler: &mut X,
    queue: &mut SamplingQueue<'_>,
    secrets: &SigningSecrets<'_>,
    (mu, w): (&[u8; 64], &mut [Poly]),
    signature: &mut [u8],
) {
    let p = queue.p;
    secret!(mu_w1: [u8; MU_W1], product: Sums);
    mu_w1.fill(0);
    mu_w1[..MU].copy_from_slice(mu);
    let blocks = pad(mu_w1, MU + p.k * p.w1_bytes());
    let (c_tilde, z_and_h) = signature.split_at_mut(p.c_tilde);
    // 8: kappa <- 0
    let mut kappa = 0;
    // 10: while (z, h) = bottom do
    loop {
        // 11: y <- ExpandMask(rho'', kappa)
        expand_mask(sampler, queue, kappa);
        // 12: w <- NTT^-1(A_hat o NTT(y)), 13: w1 <- HighBits(w)
        compute_w(s, sampler, queue, kappa, w, &mut mu_w1[MU..]);
        // 15: c~ <- H(mu || w1Encode(w1), lambda / 4), with Algorithm 28
        while !sampler.hash_ready() {
            sampler.step(queue, None);
        }
        each!(i in 0..blocks => sampler.step(queue, Some((i == 0, block_at(mu_w1, i)))));
        write_words(&sampler.take_hash(), c_tilde);
        // c~ of rejected attempts may be public, too: see above.
        ct::declassify_bytes(c_tilde);
        sampler.step(queue, Some((true, &ball_block(c_tilde))));
        let mut ball = sampler.take_hash();
        // 16 to 33
        let hashes = (&mut ball, &mu_w1[MU..]);
        if accept(s, secrets, (queue, kappa), w, hashes, product, z_and_h) {
            return;
        }
        // 31: kappa <- kappa + l
        kappa += p.l;
    }
}

/// Does lines 16 to 33 of the attempt at `kappa`, from the state that has absorbed c~, and w1.
/// Returns whether the signature is complete.
#[inline(always)]
pub(super) fn accept<S: Simd>(
    s: S,
    secrets: &SigningSecrets<'_>,
    (queue, kappa): (&mut SamplingQueue<'_>, usize),
    w: &mut [Poly],
    (ball, w1): (&mut [u64; 25], &[u8]),
    product: &mut Sums,
    z_and_h: &mut [u8],
) -> bool {
    let (p, mut c) = (queue.p, Challenge::EMPTY);
    // 16: c <- SampleInBall(c~), of a hash of c~ only. Memcheck does not know this where a mask has
    // merged it with the old state of a lane.
    ct::declassify_words(ball);
    sample_in_ball(s, p.tau, ball, &mut c);
    // 17 to 30
    let accepted = compute_r0_and_z(s, secrets, queue, kappa, w, &c, product)
        && make_hints(s, p, secrets, w, &c, w1, z_and_h);
    if accepted {
        // 33: sigma <- sigEncode(c~, z, h), Algorithm 26; here z is encoded
        for (r, bytes) in pieces_mut(z_and_h, p.z_bytes()).take(p.l).enumerate() {
            ring::encode_z(s, p.z_bits, queue.masks.y(kappa + r), bytes);
        }
    }
    accepted
}

/// Does line 11: waits for y. From the last polynomial of the first attempt on, lane 0 is reserved
/// for the hash, while the others sample the polynomials of later attempts.
#[inline(always)]
fn expand_mask<'a, S: Simd, X: QueueSampler<'a, S>>(
    sampler: &mut X,
    queue: &mut SamplingQueue<'_>,
    kappa: usize,
) {
    let end = kappa + queue.p.l;
    queue.masks.release(kappa);
    while !queue.masks.ready_below(end) {
        if queue.masks.begun_below(end) {
            sampler.reserve_for_long();
        }
        sampler.step(queue, None);
    }
    sampler.reserve_for_long();
}

/// Does lines 12 and 13: leaves `LowBits(w)` in w, and writes `w1Encode(w1)` to `w1`. Out of line.
#[inline(never)]
pub(super) fn compute_w<'a, S: Simd, X: QueueSampler<'a, S>>(
    s: S,
    sampler: &mut X,
    queue: &mut SamplingQueue<'_>,
    kappa: usize,
    w: &mut [Poly],
    w1: &mut [u8],
) {
    vectorize!(s => {
        let p = queue.p;
        secret!(w_hat: NttPoly);
        queue.masks.transform_y(s, kappa, queue.factors);
        queue.matrix.restart();
        for (w, w1) in w.iter_mut().zip(pieces_mut(w1, p.w1_bytes())) {
            while !queue.matrix.row_ready() {
                sampler.step(queue, None);
            }
            queue.matrix.multiply_row(s, queue.factors, w_hat);
            ring::inverse_ntt(s, w_hat, w);
            ring::decompose_encode(s, p.m, w, w1);
        }
    });
}

/// Does lines 18 to 23: w becomes r0 and y becomes z. Returns whether both are within their bounds.
/// r0 comes before z since it fails more often; the same attempts are rejected. Out of line.
#[inline(never)]
fn compute_r0_and_z<S: Simd>(
    s: S,
    secrets: &SigningSecrets<'_>,
    queue: &mut SamplingQueue<'_>,
    kappa: usize,
    w: &mut [Poly],
    c: &Challenge,
    product: &mut Sums,
) -> bool {
    vectorize!(s => {
        let p = queue.p;
        for (i, w) in w.iter_mut().enumerate() {
            // 19: c s2, 21: r0 <- LowBits(w - c s2). Since |c s2| <= beta, this equals
            // LowBits(w) - c s2 if either is below gamma2 - beta; otherwise neither is.
            secrets.s2.multiply(s, p, i, c, product);
            // 23: ||r0|| >= gamma2 - beta
            let within = ring::subtract_within(s, w, product, p.r0_bound());
            if !ct::declassify_bool(within) {
                return false;
            }
        }
        for j in 0..p.l {
            // 18: c s1, 20: z <- y + c s1
            secrets.s1.multiply(s, p, j, c, product);
            // 23: ||z|| >= gamma1 - beta
            let y = queue.masks.y(kappa + j);
            if !ct::declassify_bool(ring::add_within(s, y, product, p.z_bound())) {
                return false;
            }
        }
        true
    })
}

/// Does lines 17 and 25 to 28, and `HintBitPack`, Algorithm 20: computes the hints from r0 and the
/// encoded w1, and writes them to the end of `z_and_h`. Returns whether c t0 is small enough and
/// there are at most omega hints. Out of line.
#[inline(never)]
fn make_hints<S: Simd>(
    s: S,
    p: &MlDsaParams,
    secrets: &SigningSecrets<'_>,
    r0: &[Poly],
    c: &Challenge,
    w1: &[u8],
    z_and_h: &mut [u8],
) -> bool {
    vectorize!(s => {
        let end = z_and_h.len();
        let (positions, ends) = z_and_h[end - p.hint_bytes()..].split_at_mut(p.omega);
        positions.fill(0);
        secret!(ct0: Poly, c_hat: NttPoly);
        // 17: c_hat <- NTT(c)
        ring::widen(s, &c.c, ct0);
        ring::ntt(s, ct0, c_hat);
        let mut ones = 0;
        let rows = r0.iter().zip(pieces(w1, p.w1_bytes())).zip(ends);
        for (i, ((r0, w1), end)) in rows.enumerate() {
            // 25: c t0 <- NTT^-1(c_hat o t0_hat)
            secrets.t0.multiply(s, i, c_hat, ct0);
            // 26: h <- MakeHint(-c t0, w - c s2 + c t0)
            // 28: ||c t0|| >= gamma2, or more than omega ones
            let Some(more) = ring::make_hint(s, p.m, r0, ct0, w1, positions, ones) else {
                return false;
            };
            ones = more;
            *end = ones as u8; // at most omega, 80
        }
        true
    })
}
