//! Signing of several messages by one key: attempts go side by side, so that their masks and hashes
//! fill the lanes. FIPS 204, Algorithm 7, by the numbers of its lines, as in [`sign`](super::sign),
//! which has the parts.
use oaklath_hash::blocks::write_words;
use oaklath_hash::keccak::{RATE_256, SUFFIX_SHAKE};
use oaklath_hash::lanes::{Lanes4, ROW};
use oaklath_poly::q8380417::{self as ring, Entry, NttPoly, Poly, Sums};
use oaklath_simd::{A64, Simd, ct, dispatch, each, pieces_mut, scratch, secret, vectorize};

use super::expand_a::ExpandedMatrix;
use super::expand_mask::{MaskQueue, STREAM};
use super::hash::{ball_block, hash_side_by_side, pad};
use super::lanes::ShakeLanes;
use super::params::{MlDsaParams, SEED};
use super::sampler::{QueueSampler, SamplerMemory, SamplingQueue, SqueezedRows};
use super::secrets::SigningSecrets;
use super::sign::{MU, MU_W1, accept, compute_w};

/// The most messages that are signed side by side.
pub(super) const BATCH: usize = 8;

/// Writes mu and rho'' of the next message, and returns where its signature goes; nothing if there
/// is none.
pub(super) type NextMessage<'m, 'a> =
    dyn FnMut(&mut [u8; MU], &mut [u8; 64]) -> Option<&'a mut [u8]> + 'm;

/// Memory for the vectors of a set, of each message side by side except the last one.
pub(super) struct BatchMemory<'a> {
    pub(super) y: &'a mut [Poly],
    pub(super) w: &'a mut [Poly],
    pub(super) y_hat: &'a mut [NttPoly],
}

/// What signs: the numbers of a set, a kept matrix, ready secrets.
type SigningParts<'a> = (&'a MlDsaParams, &'a [Entry], &'a SigningSecrets<'a>);

/// ML-DSA.`Sign_internal` of all messages.
pub(super) fn sign_many(
    parts: SigningParts<'_>,
    next: &mut NextMessage<'_, '_>,
    memory: BatchMemory<'_>,
) {
    dispatch!(s => sign_many_at(s, parts, next, memory));
}

#[inline(always)]
fn sign_many_at<'a, S: Simd>(
    s: S,
    parts: SigningParts<'_>,
    next: &mut NextMessage<'_, 'a>,
    mut memory: BatchMemory<'_>,
) {
    let (p, matrix, secrets) = parts;
    secret!(rho2: [[u8; 64]; BATCH], mu_w1: [[u8; MU_W1]; BATCH]);
    secret!(states: [[u64; 25]; BATCH], product: Sums);
    let mut out: [Option<&'a mut [u8]>; BATCH] = [const { None }; BATCH];
    let (mut kappa, mut count, mut blocks) = ([0; BATCH], 0, 0);
    for message in mu_w1.iter_mut() {
        message.fill(0);
        blocks = pad(message, MU + p.k * p.w1_bytes());
    }
    loop {
        // A message that is signed leaves its place to the next one.
        while count < BATCH
            && let mu = mu_w1[count].first_chunk_mut().expect("mu comes first")
            && let Some(signature) = next(mu, &mut rho2[count])
        {
            (out[count], kappa[count]) = (Some(signature), 0);
            count += 1;
        }
        if count == 0 {
            return;
        }
        // 11: y <- ExpandMask(rho'', kappa)
        expand_masks(s, p, &rho2[..count], &kappa, memory.y);
        compute_all_w(s, parts, &kappa, &mut memory, &mut mu_w1[..count]);
        // 15: c~ <- H(mu || w1Encode(w1), lambda / 4)
        hash_side_by_side(s, &mu_w1[..count], blocks, &mut states[..count]);
        absorb_challenges(s, p, &mut out[..count], &mut states[..count]);
        for i in (0..count).rev() {
            let signature = out[i].as_deref_mut().expect("a place for each signature");
            let w1 = &mu_w1[i][MU..];
            let BatchMemory { y, w, y_hat } = &mut memory;
            let queue = &mut queue_of(p, matrix, (&mut y[p.l * i..][..p.l], y_hat), kappa[i]);
            let (w, z_and_h) = (&mut w[p.k * i..][..p.k], &mut signature[p.c_tilde..]);
            // 16 to 33
            let hashes = (&mut states[i], w1);
            if accept(s, secrets, (queue, kappa[i]), w, hashes, product, z_and_h) {
                // The last message takes its place; y and w of all are made anew.
                count -= 1;
                (out[i], kappa[i]) = (out[count].take(), kappa[count]);
                rho2[i] = rho2[count];
                mu_w1.copy_within(count..=count, i);
            } else {
                // 31: kappa <- kappa + l
                kappa[i] += p.l;
            }
        }
    }
}

/// Lines 12 and 13 of all messages.
#[inline(always)]
fn compute_all_w<S: Simd>(
    s: S,
    (p, matrix, _): SigningParts<'_>,
    kappa: &[usize; BATCH],
    BatchMemory { y, w, y_hat }: &mut BatchMemory<'_>,
    mu_w1: &mut [[u8; MU_W1]],
) {
    scratch!(rows: SqueezedRows);
    let vectors = pieces_mut(y, p.l).zip(pieces_mut(w, p.k)).zip(kappa);
    for (((y, w), kappa), mu_w1) in vectors.zip(mu_w1) {
        // The matrix is complete, so that it samples nothing.
        let mut idle = ShakeLanes::new(s, SamplerMemory::rows(&mut rows[..]));
        let queue = &mut queue_of(p, matrix, (y, y_hat), *kappa);
        compute_w(s, &mut idle, queue, *kappa, w, &mut mu_w1[MU..]);
    }
}

/// Takes c~ of all messages from states of its hash, which become those that have absorbed it.
#[inline(always)]
fn absorb_challenges<S: Simd>(
    s: S,
    p: &MlDsaParams,
    out: &mut [Option<&mut [u8]>],
    states: &mut [[u64; 25]],
) {
    let mut balls = [[0; RATE_256]; BATCH];
    for ((out, state), ball) in out.iter_mut().flatten().zip(&*states).zip(&mut balls) {
        let c_tilde = &mut out[..p.c_tilde];
        write_words(state, c_tilde);
        // c~ of attempts that are rejected, too: see `sign`.
        ct::declassify_bytes(c_tilde);
        *ball = ball_block(c_tilde);
    }
    hash_side_by_side(s, &balls[..states.len()], 1, states);
}

/// The matrix, and y of an attempt of one message.
#[inline(always)]
fn queue_of<'a>(
    p: &'a MlDsaParams,
    matrix: &'a [Entry],
    (y, y_hat): (&'a mut [Poly], &'a mut [NttPoly]),
    kappa: usize,
) -> SamplingQueue<'a> {
    let matrix = ExpandedMatrix::kept(p, matrix);
    let mut queue = SamplingQueue::matrix(p, &[0; SEED], matrix, y_hat);
    queue.masks = MaskQueue::new(p, y);
    queue.masks.release(kappa);
    queue
}

/// Line 11 of several messages: y of each, from the nonce kappa on. Out of line.
#[inline(never)]
fn expand_masks<S: Simd>(
    s: S,
    p: &MlDsaParams,
    rho2: &[[u8; 64]],
    kappa: &[usize; BATCH],
    y: &mut [Poly],
) {
    vectorize!(s => {
        secret!(rows: A64<[[[u8; ROW]; 4]; 2]>, streams: [[u8; STREAM]; BATCH]);
        secret!(message: [u8; RATE_256]);
        message.fill(0);
        (message[66], message[RATE_256 - 1]) = (SUFFIX_SHAKE, 0x80);
        let (mut first, mut second) = (Lanes4::new(s), Lanes4::new(s));
        each!(r in 0..p.l => {
            for (i, rho2) in rho2.iter().enumerate() {
                // Algorithm 34, lines 3 and 4: rho'' || kappa + r
                message[..64].copy_from_slice(rho2);
                message[64..66].copy_from_slice(&((kappa[i] + r) as u16).to_le_bytes());
                if i < 4 {
                    first.load(i, message);
                } else {
                    second.load(i - 4, message);
                }
            }
            each!(at in 0..5 * RATE_256, RATE_256 => {
                first.permute_first(&mut second, rho2.len());
                first.squeeze(&mut rows[0]);
                second.squeeze(&mut rows[1]);
                for (stream, row) in streams.iter_mut().zip(rows.as_flattened()) {
                    stream[at..][..RATE_256].copy_from_slice(&row[..RATE_256]);
                }
            });
            for (i, stream) in streams[..rho2.len()].iter().enumerate() {
                ring::decode_mask(s, p.z_bits, stream, &mut y[p.l * i + r]);
            }
        });
    });
}
