//! Verification: FIPS 204, Algorithm 8. Everything here is public.
use oaklath_hash::blocks::{Ends, absorb_block, write_words};
use oaklath_hash::keccak::{RATE_256, permute};
use oaklath_poly::q8380417::{self as ring, Challenge, Entry, NttPoly, Poly};
use oaklath_simd::{Simd, scratch};

use super::Variant;
use super::hash::{ball_block, challenge_of, sample_in_ball};
use super::keygen::{block_at, hash_rows, pad};
use super::params::{Params, SEED, T1};
use super::run::{Matrix, NO_SEED, Noise, Rows, Run, Work, polys};
use super::shape::Shape;
use super::{hint, keys::VerifyingKey};

/// mu || w1 as padded blocks: nine of the largest one.
pub(super) const COMMITMENT: usize = 9 * RATE_256;
/// Where w1 begins.
pub(super) const MU: usize = 64;

/// A signature in parts.
struct Parts<'a> {
    c_tilde: &'a [u8],
    z: &'a [u8],
    hints: &'a [u8],
}

impl<'a> Parts<'a> {
    fn of(p: &Params, variant: Variant, signature: &'a [u8]) -> Self {
        let (c_tilde, rest) = signature.split_at(p.c_tilde(variant));
        let (z, hints) = rest.split_at(rest.len() - p.hint_bytes());
        Self { c_tilde, z, hints }
    }
}

/// `sigDecode`, FIPS 204, Algorithm 27, with the check of z, and the NTT of z. Nothing if the signature
/// cannot be one.
#[inline(always)]
fn decode<S: Simd, const K: usize, const L: usize>(
    s: S,
    parts: &Parts<'_>,
    z_hat: &mut [NttPoly; L],
    hints: &mut [[i8; 256]; K],
) -> Option<()> {
    scratch!(z: Poly);
    let bytes = const { Shape::<K, L>::P.z_bytes() };
    for (z_hat, bytes) in z_hat.iter_mut().zip(parts.z.chunks_exact(bytes)) {
        if !Shape::<K, L>::decode_z(s, bytes, z) {
            return None;
        }
        ring::ntt(s, z, z_hat);
    }
    hint::decode(parts.hints, hints)
}

/// ML-DSA.`Verify_internal`: FIPS 204, Algorithm 8, with a key from bytes: `SampleInBall` and tr beside
/// the first rows of the matrix, c~ beside the last ones. In memory for z, two rows and the hints.
#[inline(always)]
pub(super) fn verify_bytes<S: Simd, const K: usize, const L: usize>(
    s: S,
    variant: Variant,
    pk: &[u8],
    mu: &impl Fn(&[u8]) -> [u8; 64],
    signature: &[u8],
    (z_hat, matrix, hints): (&mut [NttPoly; L], &mut [[Entry; L]; 2], &mut [[i8; 256]; K]),
) -> bool {
    let p = const { Shape::<K, L>::P };
    let parts = Parts::of(&p, variant, signature);
    if decode::<S, K, L>(s, &parts, z_hat, hints).is_none() {
        return false;
    }
    scratch!(rows: Rows, c: Poly, c_hat: NttPoly);
    let (rho, t1) = pk.split_first_chunk::<SEED>().expect("a key begins with rho");
    let mut run = Run::new(s, variant, (&mut rows[..], &mut [], &mut []));
    let mut work = Work::<K, L>::new(rho, &NO_SEED, Matrix::rows(matrix), Noise::None, z_hat);
    run.reserve();
    run.step(&mut work, Some((true, &ball_block(parts.c_tilde))));
    let mut challenge = Challenge::EMPTY;
    sample_in_ball::<S, K, L>(s, &mut run.hash(), &mut challenge);
    ring::widen(s, &challenge.c, c);
    ring::ntt(s, c, c_hat);

    let mut commitment = [0; COMMITMENT];
    scratch!(t: Poly, t_hat: NttPoly, w_hat: NttPoly, w: Poly);
    let mut ends = Ends::empty();
    let then = |state: &[u64; 25], commitment: &mut [u8]| {
        let mut tr = [0; 64];
        write_words(state, &mut tr);
        commitment[..MU].copy_from_slice(&mu(&tr[..Params::tr(variant)]));
    };
    let state = hash_rows(
        s,
        (&mut run, &mut work),
        (&mut commitment, MU, p.w1_bytes()),
        Some((ends.shake(&[], pk), &then)),
        #[inline(always)]
        |work, i, w1| {
            ring::decode_t1(s, &t1[T1 * i..], t);
            ring::ntt(s, t, t_hat);
            work.row_minus(s, (c_hat, t_hat), w_hat);
            ring::inverse_ntt(s, w_hat, w);
            Shape::<K, L>::use_hint_encode(s, w, &hints[i], w1);
        },
    );
    let mut c_tilde = [0; 64];
    write_words(&state, &mut c_tilde);
    c_tilde[..parts.c_tilde.len()] == *parts.c_tilde
}

/// The same with a kept key.
#[inline(always)]
pub(super) fn verify<S: Simd, const K: usize, const L: usize>(
    s: S,
    variant: Variant,
    key: &VerifyingKey<K, L>,
    mu: &[u8; 64],
    signature: &[u8],
) -> bool {
    let p = const { Shape::<K, L>::P };
    let parts = Parts::of(&p, variant, signature);
    scratch!(z_hat: [NttPoly; L], hints: [[i8; 256]; K]);
    if decode::<S, K, L>(s, &parts, z_hat, hints).is_none() {
        return false;
    }
    scratch!(c: Poly, c_hat: NttPoly, w_hat: NttPoly, w: Poly);
    let mut challenge = Challenge::EMPTY;
    challenge_of::<S, K, L>(s, parts.c_tilde, &mut challenge);
    ring::widen(s, &challenge.c, c);
    ring::ntt(s, c, c_hat);
    let (mut commitment, each) = ([0; COMMITMENT], p.w1_bytes());
    commitment[..MU].copy_from_slice(mu);
    let rows = key.A_hat.iter().zip(&key.t1_hat).zip(hints);
    for (i, ((row, t1_hat), hint)) in rows.enumerate() {
        ring::dot_minus(s, polys(row), z_hat, (c_hat, t1_hat), w_hat);
        ring::inverse_ntt(s, w_hat, w);
        Shape::<K, L>::use_hint_encode(s, w, hint, &mut commitment[MU + each * i..]);
    }
    hash_commitment::<S, K, L>(s, &mut commitment)[..parts.c_tilde.len()] == *parts.c_tilde
}

/// H(mu || w1), the longest that there is.
#[inline(always)]
fn hash_commitment<S: Simd, const K: usize, const L: usize>(
    s: S,
    commitment: &mut [u8; COMMITMENT],
) -> [u8; 64] {
    let len = MU + K * const { Shape::<K, L>::P.w1_bytes() };
    let blocks = pad(commitment, len);
    let mut state = [0; 25];
    let mut i = 0;
    while i < blocks {
        absorb_block(&mut state, block_at(commitment, i));
        permute(s, &mut state);
        i += 1;
    }
    let mut c_tilde = [0; 64];
    write_words(&state, &mut c_tilde);
    c_tilde
}
