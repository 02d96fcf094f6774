//! Key generation: FIPS 204, Algorithm 6.
use oaklath_hash::blocks::{Blocks, absorb_block, write_words};
use oaklath_hash::keccak::{RATE_256, SUFFIX_SHAKE, permute};
use oaklath_poly::q8380417::{self as ring, Entry, NttPoly, Poly};
use oaklath_simd::{Simd, ct, scratch, secret, wipe};

use super::hash::expand_seed;
use super::params::{Params, SEED, T0, T1};
use super::run::{Matrix, NO_SEED, Nibbles, Noise, Rows, Run, Work};
use super::shape::Shape;
use super::{Invalid, Variant};

/// A public key as padded blocks: 20 of the largest one.
const KEY_BLOCKS: usize = 20 * RATE_256;

/// ML-DSA.`KeyGen_internal`: FIPS 204, Algorithm 6.
#[inline(always)]
pub(super) fn keygen<S: Simd, const K: usize, const L: usize>(
    s: S,
    variant: Variant,
    seed: &[u8; SEED],
    pk: &mut [u8],
    sk: &mut [u8],
) {
    let (head, t0) = sk.split_at_mut(const { Shape::<K, L>::P }.t0_offset(variant));
    let (head, secrets) = head.split_at_mut(2 * SEED + Params::tr(variant));
    let (head, tr) = head.split_at_mut(2 * SEED);
    secret!(rho1: [u8; 64]);
    let mut rho = [0; SEED];
    expand_seed::<K, L>(variant, seed, (&mut rho, rho1, &mut head[SEED..]));
    ct::declassify_bytes(&mut rho); // a part of the public key
    head[..SEED].copy_from_slice(&rho);

    scratch!(matrix: [[Entry; L]; 2]);
    secret!(rows: Rows, nibbles: Nibbles);
    secret!(s1: [Poly; L], s2: [Poly; K], s1_hat: [NttPoly; L]);
    let mut run = Run::new(s, variant, (&mut rows[..], nibbles, &mut []));
    let noise = Noise::Secrets { s1, s2, ready: 0 };
    let mut work = Work::<K, L>::new(&rho, rho1, Matrix::rows(matrix), noise, s1_hat);
    while work.noise_ready() < K + L {
        run.step(&mut work, None);
    }
    let bytes = const { Shape::<K, L>::P.eta_bytes() };
    let (s1, s2) = work.secrets();
    let polys = s1.iter().chain(s2);
    for (f, bytes) in polys.zip(secrets.chunks_exact_mut(bytes)) {
        Shape::<K, L>::encode_eta(s, f, bytes);
    }
    work.transform_secrets(s);
    public_part(s, &mut run, &mut work, pk, t0, tr);
}

/// t = A s1 + s2 of the factors and secrets of `work`, as public key and t0; and tr, the hash of the
/// public key, which is computed beside the last rows.
#[inline(always)]
fn public_part<S: Simd, const K: usize, const L: usize>(
    s: S,
    run: &mut Run<'_, S>,
    work: &mut Work<'_, K, L>,
    pk: &mut [u8],
    t0: &mut [u8],
    tr: &mut [u8],
) {
    let mut message = [0; KEY_BLOCKS];
    message[..SEED].copy_from_slice(work.rho());
    secret!(w_hat: NttPoly, w: Poly);
    let mut state = hash_rows(
        s,
        (run, work),
        (&mut message, SEED, T1),
        None,
        #[inline(always)]
        |work, i, t1| {
            work.row(s, w_hat);
            ring::inverse_ntt(s, w_hat, w);
            ring::power2round(s, w, &work.secrets().1[i], t1, &mut t0[T0 * i..T0 * (i + 1)]);
        },
    );
    pk.copy_from_slice(&message[..pk.len()]);
    write_words(&state, tr);
    wipe(&mut state);
}

/// Another message that is hashed in lane 0 before, and what is done with the state.
pub(super) type First<'a> = (Blocks<'a>, &'a dyn Fn(&[u64; 25], &mut [u8]));

/// Makes all rows of the matrix. Each adds `each` bytes to a message that begins with `start` bytes and
/// is hashed by SHAKE256 in lane 0, as soon as this does not keep it waiting; another message before,
/// if there is one, which gives the beginning of this. Returns the state.
#[inline(always)]
pub(super) fn hash_rows<S: Simd, const K: usize, const L: usize>(
    s: S,
    (run, work): (&mut Run<'_, S>, &mut Work<'_, K, L>),
    (message, start, each): (&mut [u8], usize, usize),
    first: Option<First<'_>>,
    mut row: impl FnMut(&mut Work<'_, K, L>, usize, &mut [u8]),
) -> [u64; 25] {
    let blocks = pad(message, start + each * K);
    let first_blocks = first.map_or(0, |(first, _)| first.count());
    let (mut hashed_first, mut hashed) = (0, 0);
    loop {
        while work.rows_done() < K && work.row_ready() {
            let i = work.rows_done();
            row(work, i, &mut message[start + each * i..start + each * (i + 1)]);
        }
        let done = work.rows_done();
        if let Some((first, then)) = first
            && hashed_first < first_blocks
        {
            run.reserve();
            run.step(work, Some((hashed_first == 0, first.block(hashed_first))));
            hashed_first += 1;
            if hashed_first == first_blocks {
                then(&run.hash(), message);
                run.release();
            }
            continue;
        }
        if done == K {
            break;
        }
        if done + 2 >= K {
            run.reserve();
        }
        let ready = RATE_256 * (hashed + 1) <= start + each * done;
        if run.hash_ready() && ready {
            run.step(work, Some((hashed == 0, block_at(message, hashed))));
            hashed += 1;
        } else {
            run.step(work, None);
        }
    }
    let mut state = if hashed > 0 { run.hash() } else { [0; 25] };
    while hashed < blocks {
        absorb_block(&mut state, block_at(message, hashed));
        permute(s, &mut state);
        hashed += 1;
    }
    state
}

/// Pads a message of SHAKE256 for its last block; returns the number of blocks.
#[inline(always)]
#[cfg_attr(
    not(test),
    expect(clippy::integer_division_remainder_used, reason = "of a public length, by a constant")
)]
pub(super) fn pad(message: &mut [u8], len: usize) -> usize {
    let blocks = len / RATE_256 + 1;
    message[len] = SUFFIX_SHAKE;
    message[RATE_256 * blocks - 1] |= 0x80;
    blocks
}

/// Block `i` of a padded message.
#[inline(always)]
pub(super) fn block_at(message: &[u8], i: usize) -> &[u8; RATE_256] {
    message[RATE_256 * i..].first_chunk().expect("a whole block")
}

/// The public key of a private one, computed from rho, s1 and s2, if t0 and tr are what they must be.
#[inline(always)]
pub(super) fn public_key<S: Simd, const K: usize, const L: usize>(
    s: S,
    variant: Variant,
    sk: &[u8],
    pk: &mut [u8],
) -> Result<(), Invalid> {
    let p = const { Shape::<K, L>::P };
    let (head, t0) = sk.split_at(p.t0_offset(variant));
    let (head, secrets) = head.split_at(2 * SEED + Params::tr(variant));
    let rho = head.first_chunk().expect("a key begins with rho");
    scratch!(matrix: [[Entry; L]; 2]);
    scratch!(rows: Rows);
    secret!(s1: [Poly; L], s2: [Poly; K], s1_hat: [NttPoly; L], small: [i8; 256]);
    let polys = s1.iter_mut().chain(s2.iter_mut());
    for (f, bytes) in polys.zip(secrets.chunks_exact(p.eta_bytes())) {
        if !ct::declassify_bool(Shape::<K, L>::decode_eta(s, bytes, small)) {
            return Err(Invalid::Range);
        }
        ring::widen(s, small, f);
    }
    let mut run = Run::new(s, variant, (&mut rows[..], &mut [], &mut []));
    let noise = Noise::Secrets { s1, s2, ready: K + L };
    let mut work = Work::<K, L>::new(rho, &NO_SEED, Matrix::rows(matrix), noise, s1_hat);
    work.transform_secrets(s);
    secret!(t0_again: [[u8; T0]; K], tr_again: [u8; 64]);
    let t0_again = t0_again.as_flattened_mut();
    let tr = &head[2 * SEED..];
    let tr_again = &mut tr_again[..tr.len()];
    public_part(s, &mut run, &mut work, pk, t0_again, tr_again);
    // Whether a key is damaged, and where, is public.
    match (ct::differ(tr, tr_again).declassify(), ct::differ(t0, t0_again).declassify()) {
        (false, false) => Ok(()),
        (true, false) => Err(Invalid::Hash),
        (false, true) => Err(Invalid::LowBits),
        (true, true) => Err(Invalid::Inconsistent),
    }
}
