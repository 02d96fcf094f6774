//! Signing: FIPS 204, Algorithm 7.
use oaklath_hash::blocks::write_words;
use oaklath_poly::q8380417::{self as ring, Challenge, Entry, NttPoly, Poly, Small, Sums};
use oaklath_simd::{Simd, ct, scratch, secret};

use super::hash::{Seed, ball_block, sample_in_ball};
use super::keygen::{block_at, pad};
use super::keys::SigningKey;
use super::params::{Params, SEED, T0};
use super::run::{Matrix, Noise, Rows, Run, Streams, Work};
use super::shape::Shape;
use super::verify::{COMMITMENT, MU};
use super::{Invalid, Variant};

/// The secret polynomials of a key.
pub(super) enum Secrets<'a, const K: usize, const L: usize> {
    /// Ready for products.
    Ready { s1: &'a [Small; L], s2: &'a [Small; K], t0_hat: &'a [NttPoly; K] },
    /// Bytes of a key: made ready for each product, one at a time.
    Packed { s1: &'a [u8], s2: &'a [u8], t0: &'a [u8] },
}

impl<'a, const K: usize, const L: usize> Secrets<'a, K, L> {
    /// Of the bytes that follow tr.
    #[inline(always)]
    fn packed(bytes: &'a [u8]) -> Self {
        let each = const { Shape::<K, L>::P.eta_bytes() };
        let (s1, rest) = bytes.split_at(L * each);
        let (s2, t0) = rest.split_at(K * each);
        Self::Packed { s1, s2, t0 }
    }

    /// c s1 or c s2, polynomial `i`. Out of line.
    #[inline(never)]
    fn product<S: Simd>(&self, s: S, first: bool, i: usize, c: &Challenge, sums: &mut Sums) {
        s.vectorize(
            #[inline(always)]
            || match self {
                Self::Ready { s1, s2, .. } => {
                    let small = if first { &s1[i] } else { &s2[i] };
                    Shape::<K, L>::multiply_small(s, small, c, sums);
                }
                Self::Packed { s1, s2, .. } => {
                    secret!(small: Small);
                    let bytes = if first { s1 } else { s2 };
                    unpack_small::<S, K, L>(s, bytes, i, small);
                    Shape::<K, L>::multiply_small(s, small, c, sums);
                }
            },
        );
    }

    /// c t0, polynomial `i`. Out of line.
    #[inline(never)]
    fn product_t0<S: Simd>(&self, s: S, i: usize, c_hat: &NttPoly, product: &mut Poly) {
        s.vectorize(
            #[inline(always)]
            || {
                secret!(product_hat: NttPoly);
                match self {
                    Self::Ready { t0_hat, .. } => {
                        ring::multiply_ntt(s, c_hat, &t0_hat[i], product_hat);
                    }
                    Self::Packed { t0, .. } => {
                        secret!(t0_hat: NttPoly);
                        ring::decode_t0(s, &t0[T0 * i..], product);
                        ring::ntt(s, product, t0_hat);
                        ring::multiply_ntt(s, c_hat, t0_hat, product_hat);
                    }
                }
                ring::inverse_ntt(s, product_hat, product);
            },
        );
    }
}

/// Polynomial `i` of s1 or s2, ready for products; whether its coefficients are in range.
#[inline(always)]
pub(super) fn unpack_small<S: Simd, const K: usize, const L: usize>(
    s: S,
    bytes: &[u8],
    i: usize,
    small: &mut Small,
) -> bool {
    let each = const { Shape::<K, L>::P.eta_bytes() };
    secret!(f: [i8; 256]);
    let good = Shape::<K, L>::decode_eta(s, &bytes[each * i..each * (i + 1)], f);
    ring::fill_small(f, small);
    good
}

/// ML-DSA.`Sign_internal`: FIPS 204, Algorithm 7, from line 7 on, with the bytes of a key. The masks of
/// the first attempt follow the matrix.
#[inline(always)]
pub(super) fn sign_bytes<S: Simd, const K: usize, const L: usize>(
    s: S,
    variant: Variant,
    sk: &[u8],
    mu: &[u8; 64],
    seed: Seed<'_>,
    signature: &mut [u8],
) -> Result<(), Invalid> {
    let (rho, key, rest) = split(sk);
    let packed = &rest[Params::tr(variant)..];
    secret!(s1: [Small; L], s2: [Small; K], t0_hat: [NttPoly; K], rho2: [u8; 64]);
    if !ct::declassify_bool(unpack::<S, K, L>(s, packed, (s1, s2, t0_hat))) {
        return Err(Invalid::Range);
    }
    seed.expand(key, mu, rho2);
    scratch!(matrix: [[Entry; L]; K]);
    secret!(rows: Rows, streams: Streams, masks: [Poly; 16], y_hat: [NttPoly; L]);
    let mut run = Run::new(s, variant, (&mut rows[..], &mut [], streams));
    let noise = Noise::Masks { masks, ready: 0, limit: L };
    let mut work = Work::<K, L>::new(rho, rho2, Matrix::rows(matrix), noise, y_hat);
    while !work.matrix_ready() {
        run.step(&mut work, None);
    }
    let secrets = Secrets::Ready { s1, s2, t0_hat };
    attempts(s, variant, &secrets, (&mut run, &mut work), mu, signature);
    Ok(())
}

/// rho, K, and the rest of a key.
#[inline(always)]
fn split(sk: &[u8]) -> (&[u8; SEED], &[u8; SEED], &[u8]) {
    let (rho, rest) = sk.split_first_chunk().expect("a key begins with rho");
    let (key, rest) = rest.split_first_chunk().expect("then K");
    (rho, key, rest)
}

/// s1, s2 and t0 ready for products; whether the coefficients are in range.
#[inline(always)]
pub(super) fn unpack<S: Simd, const K: usize, const L: usize>(
    s: S,
    packed: &[u8],
    (s1, s2, t0_hat): (&mut [Small; L], &mut [Small; K], &mut [NttPoly; K]),
) -> bool {
    let each = const { Shape::<K, L>::P.eta_bytes() };
    let (s1_bytes, rest) = packed.split_at(L * each);
    let (s2_bytes, t0_bytes) = rest.split_at(K * each);
    let (mut good, mut i) = (true, 0);
    while i < L {
        good &= unpack_small::<S, K, L>(s, s1_bytes, i, &mut s1[i]);
        i += 1;
    }
    secret!(t0: Poly);
    i = 0;
    while i < K {
        good &= unpack_small::<S, K, L>(s, s2_bytes, i, &mut s2[i]);
        ring::decode_t0(s, &t0_bytes[T0 * i..], t0);
        ring::ntt(s, t0, &mut t0_hat[i]);
        i += 1;
    }
    good
}

/// The same with a kept key.
#[inline(always)]
pub(super) fn sign<S: Simd, const K: usize, const L: usize>(
    s: S,
    variant: Variant,
    key: &SigningKey<K, L>,
    mu: &[u8; 64],
    seed: Seed<'_>,
    signature: &mut [u8],
) {
    secret!(rho2: [u8; 64]);
    seed.expand(&key.K, mu, rho2);
    secret!(rows: Rows, streams: Streams, masks: [Poly; 16], y_hat: [NttPoly; L]);
    let mut run = Run::new(s, variant, (&mut rows[..], &mut [], streams));
    let noise = Noise::Masks { masks, ready: 0, limit: L };
    let matrix = Matrix::Kept(&key.A_hat);
    let mut work = Work::<K, L>::new(&[0; SEED], rho2, matrix, noise, y_hat);
    let secrets = Secrets::Ready { s1: &key.s1, s2: &key.s2, t0_hat: &key.t0_hat };
    attempts(s, variant, &secrets, (&mut run, &mut work), mu, signature);
}

/// The same with the bytes of a key in less than 48 KiB of stack: the matrix is made anew in each
/// attempt, entry by entry, and the secrets are unpacked one at a time.
#[inline(always)]
pub(super) fn sign_low_memory<S: Simd, const K: usize, const L: usize>(
    s: S,
    variant: Variant,
    sk: &[u8],
    mu: &[u8; 64],
    seed: Seed<'_>,
    signature: &mut [u8],
) -> Result<(), Invalid> {
    let (rho, key, rest) = split(sk);
    let packed = &rest[Params::tr(variant)..];
    if !ct::declassify_bool(in_range::<S, K, L>(s, packed)) {
        return Err(Invalid::Range);
    }
    secret!(rho2: [u8; 64]);
    seed.expand(key, mu, rho2);
    secret!(rows: Rows<4>, streams: Streams<4>, masks: [Poly; L], y_hat: [NttPoly; L]);
    secret!(flight: [Entry; 4], sums: [NttPoly; 2]);
    let mut run = Run::new(s, variant, (&mut rows[..], &mut [], streams));
    let noise = Noise::Masks { masks, ready: 0, limit: L };
    let matrix = Matrix::sums(flight, sums);
    let mut work = Work::<K, L>::new(rho, rho2, matrix, noise, y_hat);
    attempts(s, variant, &Secrets::packed(packed), (&mut run, &mut work), mu, signature);
    Ok(())
}

/// Whether the coefficients of s1 and s2 are in range.
#[inline(always)]
fn in_range<S: Simd, const K: usize, const L: usize>(s: S, packed: &[u8]) -> bool {
    let each = const { Shape::<K, L>::P.eta_bytes() };
    secret!(f: [i8; 256]);
    let mut good = true;
    for bytes in packed[..each * (K + L)].chunks_exact(each) {
        good &= Shape::<K, L>::decode_eta(s, bytes, f);
    }
    good
}

/// The loop of FIPS 204, Algorithm 7, lines 10 to 32. Which check fails, and for which polynomial,
/// depends on no secret but through the distribution that rejection makes independent of it; so the
/// checks end at the first that fails, the likeliest one (r0) first.
#[inline(always)]
fn attempts<S: Simd, const K: usize, const L: usize>(
    s: S,
    variant: Variant,
    secrets: &Secrets<'_, K, L>,
    (run, work): (&mut Run<'_, S>, &mut Work<'_, K, L>),
    mu: &[u8; 64],
    signature: &mut [u8],
) {
    let p = const { Shape::<K, L>::P };
    secret!(w: [Poly; K], commitment: [u8; COMMITMENT], sums: Sums);
    commitment.fill(0);
    commitment[..MU].copy_from_slice(mu);
    let blocks = pad(commitment, MU + K * p.w1_bytes());
    let (c_tilde, rest) = signature.split_at_mut(p.c_tilde(variant));
    let mut challenge = Challenge::EMPTY;
    let mut base = 0;
    loop {
        work.release_masks(base);
        while work.noise_ready() < base + L {
            // From the first attempt's last mask on lane 0 is the hash's, while the others make the
            // masks of attempts to come.
            if work.noise_begun() >= base + L {
                run.reserve_for_long();
            }
            run.step(work, None);
        }
        run.reserve_for_long();
        work.transform_masks(s, base);
        work.again();
        commit(s, run, work, w, &mut commitment[MU..]);
        while !run.hash_ready() {
            run.step(work, None);
        }
        let mut i = 0;
        while i < blocks {
            run.step(work, Some((i == 0, block_at(commitment, i))));
            i += 1;
        }
        write_words(&run.hash(), c_tilde);
        ct::declassify_bytes(c_tilde); // of attempts that are refused, too
        run.step(work, Some((true, &ball_block(c_tilde))));
        // A hash of c~ and nothing else, which memcheck does not see where a mask has put it over a lane's old state.
        let mut ball = run.hash();
        ct::declassify_words(&mut ball);
        sample_in_ball::<S, K, L>(s, &mut ball, &mut challenge);

        if respond(s, secrets, (work, base), w, &challenge, sums)
            && hints(s, secrets, w, &challenge, &commitment[MU..], rest)
        {
            let mut j = 0;
            while j < L {
                let bytes = &mut rest[p.z_bytes() * j..p.z_bytes() * (j + 1)];
                Shape::<K, L>::encode_z(s, work.mask(base + j), bytes);
                j += 1;
            }
            return;
        }
        base += L;
    }
}

/// w = A y: `LowBits(w)` stays in w, w1 goes to the commitment. Out of line.
#[inline(never)]
fn commit<S: Simd, const K: usize, const L: usize>(
    s: S,
    run: &mut Run<'_, S>,
    work: &mut Work<'_, K, L>,
    w: &mut [Poly; K],
    w1: &mut [u8],
) {
    s.vectorize(
        #[inline(always)]
        || {
            secret!(w_hat: NttPoly);
            let each = const { Shape::<K, L>::P.w1_bytes() };
            let mut i = 0;
            while i < K {
                while !work.row_ready() {
                    run.step(work, None);
                }
                work.row(s, w_hat);
                ring::inverse_ntt(s, w_hat, &mut w[i]);
                Shape::<K, L>::decompose_encode(s, &mut w[i], &mut w1[each * i..each * (i + 1)]);
                i += 1;
            }
        },
    );
}

/// r0 = `LowBits(w)` - c s2 in w and z = y + c s1 in the masks; whether both are within their bounds.
/// Out of line.
#[inline(never)]
fn respond<S: Simd, const K: usize, const L: usize>(
    s: S,
    secrets: &Secrets<'_, K, L>,
    (work, base): (&mut Work<'_, K, L>, usize),
    w: &mut [Poly; K],
    c: &Challenge,
    sums: &mut Sums,
) -> bool {
    s.vectorize(
        #[inline(always)]
        || {
            let p = const { Shape::<K, L>::P };
            let mut i = 0;
            while i < K {
                secrets.product(s, false, i, c, sums);
                let within = ring::subtract_within(s, &mut w[i], sums, p.r0_bound());
                // Which check refuses an attempt is public.
                if !ct::declassify_bool(within) {
                    return false;
                }
                i += 1;
            }
            let mut j = 0;
            while j < L {
                secrets.product(s, true, j, c, sums);
                let within = ring::add_within(s, work.mask(base + j), sums, p.z_bound());
                if !ct::declassify_bool(within) {
                    return false;
                }
                j += 1;
            }
            true
        },
    )
}

/// The hints of r0 in w, at the end of `rest`; whether c t0 is small enough and there are not too many.
/// Out of line.
#[inline(never)]
fn hints<S: Simd, const K: usize, const L: usize>(
    s: S,
    secrets: &Secrets<'_, K, L>,
    w: &[Poly; K],
    c: &Challenge,
    w1: &[u8],
    rest: &mut [u8],
) -> bool {
    s.vectorize(
        #[inline(always)]
        || {
            let p = const { Shape::<K, L>::P };
            let end = rest.len();
            let (positions, ends) = rest[end - p.hint_bytes()..].split_at_mut(p.omega);
            positions.fill(0);
            secret!(ct0: Poly, c_hat: NttPoly);
            ring::widen(s, &c.c, ct0);
            ring::ntt(s, ct0, c_hat);
            let (mut n, mut i, each) = (0, 0, p.w1_bytes());
            while i < K {
                secrets.product_t0(s, i, c_hat, ct0);
                let w1 = &w1[each * i..each * (i + 1)];
                let Some(more) = Shape::<K, L>::make_hint(s, &w[i], ct0, w1, positions, n) else {
                    return false;
                };
                n = more;
                ends[i] = n as u8;
                i += 1;
            }
            true
        },
    )
}
