//! Key generation, encapsulation, decapsulation: FIPS 203, Algorithms 16 to 18, each one pass over
//! a plan of Keccak lanes.
use oaklath_ring::q3329::{self, Factor, NttPoly, Poly, dot_encode_12, ntt, prepare};
use oaklath_simd::{I16s, Simd, ct, scratch, secret, wipe};

use super::message::{Blocks, Ends, g, g_block, g_seed, h, kdf};
use super::params::{POLY_12, Params};
use super::pke::{decode_vector, decode_vector_checked, decrypt, encrypt, row};
use super::plan::{Plan, Plans};
use super::run::{Counts, Input, Matrix, Rows, Run, Samples, whole_entry};
use super::{Invalid, Variant};

/// ML-KEM.`KeyGen_internal`: FIPS 203, Algorithm 16, with K-PKE.KeyGen, Algorithm 13.
///
/// H(ek) is computed beside the matrix: row i of ek exists as far as its entries have been sampled.
/// If entries come too slowly for the next block of H (less than once in a thousand keys), or if
/// `COLD`, they are sampled once more beside the lanes; `COLD` exists for the tests.
#[inline(always)]
pub(super) fn keygen<S: Simd, const K: usize, const COLD: bool>(
    s: S,
    variant: Variant,
    seed: &[u8; 64],
    ek: &mut [u8],
    dk: &mut [u8],
) {
    let (d, z) = seed.split_first_chunk::<32>().expect("64 bytes");
    let (rho, sigma) = g_seed(s, d, if variant == Variant::MlKem { Some(K as u8) } else { None });
    scratch!(A_hat: Matrix<K>);
    secret!(y: [Poly; K], e1: [Poly; K], rows: Rows);
    let mut key = Progress::<K> { counts: [[0; K]; K], encoded: [0; K] };
    let mut run = Run::new(s, rows);
    run.sigma = sigma;
    secret!(s_hat: [Factor; K], e_hat: [NttPoly; K]);
    ek[POLY_12 * K..].copy_from_slice(&rho);
    let mut hashed = 0;
    for (t, step) in const { &Plans::<K>::KEYGEN }.steps().iter().enumerate() {
        if step.key {
            let needed = 136 * (hashed + 1);
            if key.ready() < needed || COLD {
                key.sample_rest(&rho, needed, A_hat);
                key.encode(s, A_hat, s_hat, e_hat, ek);
            }
            hashed += 1;
        }
        let input = Input { key: Blocks::whole(ek), ..Input::of(&rho) };
        let counts = &mut key.counts;
        run.step(step, &input, &mut Samples { A_hat, counts, y, e1, e2: &mut [] });
        if t == Plans::<K>::KEYGEN_NOISE {
            transform_noise(s, (y, e1), s_hat, e_hat, dk);
        }
        if t >= Plans::<K>::KEYGEN_NOISE {
            key.encode(s, A_hat, s_hat, e_hat, ek);
        }
    }
    debug_assert!(key.ready() == POLY_12 * K, "the plan samples all of A_hat");
    let rest = &mut dk[POLY_12 * K..];
    let (ek_copy, rest) = rest.split_at_mut(ek.len());
    ek_copy.copy_from_slice(ek);
    rest[..32].copy_from_slice(&run.finish(Ends::sha3(ek).of(ek), hashed));
    rest[32..].copy_from_slice(z);
}

/// How far the rows of the matrix, and of `ek`, have come.
struct Progress<const K: usize> {
    /// Coefficients sampled of each entry.
    counts: Counts<K>,
    /// Coefficients of each row of `t_hat` that stand in ek.
    encoded: [usize; K],
}

impl<const K: usize> Progress<K> {
    /// `t_hat` = `A_hat` o `s_hat` + `e_hat`, as far as entries are there, in whole vectors.
    #[inline(always)]
    fn encode<S: Simd>(
        &mut self,
        s: S,
        A_hat: &Matrix<K>,
        s_hat: &[Factor; K],
        e_hat: &[NttPoly; K],
        ek: &mut [u8],
    ) {
        let mut i = 0;
        while i < K {
            let (mut to, mut j) = (256, 0);
            while j < K {
                to = to.min(self.counts[i][j]);
                j += 1;
            }
            to &= !(S::I16::LANES - 1);
            let from = self.encoded[i];
            if from < to {
                let bytes = &mut ek[POLY_12 * i..POLY_12 * (i + 1)];
                dot_encode_12(s, row(A_hat, i), s_hat, &e_hat[i], from..to, bytes);
                self.encoded[i] = to;
            }
            i += 1;
        }
    }

    /// The bytes of ek that exist without a gap.
    #[inline(always)]
    fn ready(&self) -> usize {
        let (mut ready, mut i) = (0, 0);
        while i < K {
            ready += self.encoded[i] + (self.encoded[i] >> 1);
            if self.encoded[i] < 256 {
                break;
            }
            i += 1;
        }
        ready
    }

    /// Samples what is missing of the rows that reach up to byte `end` of ek.
    #[cold]
    #[inline(never)]
    fn sample_rest(&mut self, rho: &[u8; 32], end: usize, A_hat: &mut Matrix<K>) {
        let rows = A_hat.iter_mut().zip(&mut self.counts).enumerate();
        for (row, (entries, counts)) in rows.take_while(|(row, _)| row * POLY_12 < end) {
            for (column, (entry, n)) in entries.iter_mut().zip(counts).enumerate() {
                if *n < 256 {
                    whole_entry(rho, row, column, entry);
                    *n = 256;
                }
            }
        }
    }
}

/// NTT of s and e, when all of them are there: `s_hat` into the decapsulation key and ready for
/// products, `e_hat`.
#[inline(always)]
fn transform_noise<S: Simd, const K: usize>(
    s: S,
    (y, e1): (&[Poly; K], &[Poly; K]),
    s_hat: &mut [Factor; K],
    e_hat: &mut [NttPoly; K],
    dk: &mut [u8],
) {
    secret!(f_hat: NttPoly);
    let mut i = 0;
    while i < K {
        ntt(s, &y[i], f_hat);
        q3329::encode_12_from_montgomery(s, f_hat, &mut dk[POLY_12 * i..]);
        prepare(s, f_hat, &mut s_hat[i]);
        ntt(s, &e1[i], &mut e_hat[i]);
        i += 1;
    }
}

/// `A_hat` and H(ek), side by side.
#[inline(always)]
pub(super) fn expand<S: Simd, const K: usize>(
    run: &mut Run<'_, S>,
    ek: &[u8],
    A_hat: &mut Matrix<K>,
) -> [u8; 32] {
    let ends = Ends::sha3(ek);
    let rho = ek.last_chunk().expect("a key ends with rho");
    let input = Input { key: ends.of(ek), ..Input::of(rho) };
    let counts = &mut [[0; K]; K];
    let mut samples = Samples { A_hat, counts, y: &mut [], e1: &mut [], e2: &mut [] };
    for step in const { &Plans::<K>::EXPAND }.steps() {
        run.step(step, &input, &mut samples);
    }
    run.key
}

/// ML-KEM.Encaps: FIPS 203, Algorithm 20 without its random choice, from bytes, with the checks of
/// section 7.2. `c` is written, the shared secret returned.
#[inline(always)]
pub(super) fn encapsulate_bytes<S: Simd, const K: usize>(
    s: S,
    variant: Variant,
    ek: &[u8],
    coins: &[u8; 32],
    c: &mut [u8],
) -> Result<[u8; 32], Invalid> {
    scratch!(t_hat: [NttPoly; K], A_hat: Matrix<K>);
    if !decode_vector_checked(s, ek, t_hat) {
        return Err(Invalid::Coefficient);
    }
    secret!(rows: Rows);
    let mut run = Run::new(s, rows);
    let h_ek = expand(&mut run, ek, A_hat);
    Ok(encapsulate(s, &mut run, variant, (t_hat, A_hat, &h_ek), coins, c))
}

/// ML-KEM.`Encaps_internal`: FIPS 203, Algorithm 17, with the matrix and H(ek) at hand.
#[inline(always)]
pub(super) fn encapsulate<S: Simd, const K: usize>(
    s: S,
    run: &mut Run<'_, S>,
    variant: Variant,
    (t_hat, A_hat, h_ek): (&[NttPoly; K], &Matrix<K>, &[u8; 32]),
    coins: &[u8; 32],
    c: &mut [u8],
) -> [u8; 32] {
    let mut m = match variant {
        Variant::MlKem => *coins,
        Variant::Kyber => h(s, coins),
    };
    let mut block = g_block(&m, h_ek);
    let shared;
    (shared, run.sigma) = g(s, &block);
    secret!(y: [Poly; K], e1: [Poly; K], e2: [Poly; 1]);
    for step in const { &Plans::<K>::NOISE }.steps() {
        let mut samples = Samples::<K> { A_hat: &mut [], counts: &mut [], y, e1, e2 };
        run.step(step, &Input::of(&[0; 32]), &mut samples);
    }
    encrypt(s, A_hat, t_hat, &m, (y, e1, &e2[0]), c);
    wipe(&mut m);
    wipe(&mut block);
    match variant {
        Variant::MlKem => shared,
        Variant::Kyber => kdf(s, &shared, &h(s, c)),
    }
}

/// ML-KEM.Decaps: FIPS 203, Algorithm 21, from bytes, with the checks of section 7.3: H(ek) is
/// computed in a lane, and the coefficients of ek are below q.
#[inline(always)]
pub(super) fn decapsulate_bytes<S: Simd, const K: usize>(
    s: S,
    variant: Variant,
    dk: &[u8],
    c: &[u8],
) -> Result<[u8; 32], Invalid> {
    let p = const { Params::of_rank(K) };
    let (s_bytes, rest) = dk.split_at(POLY_12 * K);
    let (ek, rest) = rest.split_at(p.public_key());
    let (h_ek, z) = rest.split_first_chunk::<32>().expect("a key has H(ek)");
    secret!(s_hat: [NttPoly; K]);
    scratch!(t_hat: [NttPoly; K], A_hat: Matrix<K>);
    decode_vector(s, s_bytes, s_hat);
    let canonical = decode_vector_checked(s, ek, t_hat);
    let rho = ek.last_chunk().expect("ek ends with rho");
    let z = z.first_chunk().expect("a key ends with z");
    let plan = const { &Plans::<K>::DECAPSULATE_CHECKED };
    let parts = Parts { s_hat, t_hat, rho, h_ek, z };
    let (ends, place) = (Ends::sha3(ek), Place::Sampled(A_hat));
    let (shared, computed) = decapsulate(s, variant, plan, parts, ends.of(ek), place, c);
    // Whether a key is damaged is public.
    if ct::differ(h_ek, &computed).declassify() {
        return Err(Invalid::Hash);
    }
    if canonical { Ok(shared) } else { Err(Invalid::Coefficient) }
}

/// A decapsulation key in parts.
#[derive(Clone, Copy)]
pub(super) struct Parts<'a, const K: usize> {
    pub(super) s_hat: &'a [NttPoly; K],
    pub(super) t_hat: &'a [NttPoly; K],
    pub(super) rho: &'a [u8; 32],
    pub(super) h_ek: &'a [u8; 32],
    pub(super) z: &'a [u8; 32],
}

/// Where the matrix is, or where it is to be put.
pub(super) enum Place<'a, const K: usize> {
    Kept(&'a Matrix<K>),
    Sampled(&'a mut Matrix<K>),
}

/// ML-KEM.`Decaps_internal`: FIPS 203, Algorithm 18. Also returns the digest of `key`, if the plan
/// makes it.
#[inline(always)]
pub(super) fn decapsulate<S: Simd, const K: usize>(
    s: S,
    variant: Variant,
    plan: &Plan,
    parts: Parts<'_, K>,
    key: Blocks<'_>,
    mut place: Place<'_, K>,
    c: &[u8],
) -> ([u8; 32], [u8; 32]) {
    secret!(m: [u8; 32], message: [u8; 136], again: [[u8; 512]; K]);
    decrypt(s, parts.s_hat, c, m);
    *message = g_block(m, parts.h_ek);
    let ends = match variant {
        Variant::MlKem => Ends::shake(parts.z, c),
        Variant::Kyber => Ends::sha3(c),
    };
    let (rho, ciphertext) = (parts.rho, ends.of(c));
    let input = Input { rho, key, ciphertext, message };
    secret!(y: [Poly; K], e1: [Poly; K], e2: [Poly; 1], rows: Rows);
    let mut run = Run::new(s, rows);
    let counts = &mut [[0; K]; K];
    for step in plan.steps() {
        let A_hat = match &mut place {
            Place::Kept(_) => &mut [][..],
            Place::Sampled(A_hat) => &mut A_hat[..],
        };
        run.step(step, &input, &mut Samples { A_hat, counts, y, e1, e2 });
    }
    let hashed = if plan.steps().len() < Plans::<K>::HASH {
        run.finish(ciphertext, plan.steps().len())
    } else {
        run.ciphertext
    };
    let A_hat = match &place {
        Place::Kept(A_hat) => *A_hat,
        Place::Sampled(A_hat) => &**A_hat,
    };
    let again = &mut again.as_flattened_mut()[..c.len()];
    encrypt(s, A_hat, parts.t_hat, m, (y, e1, &e2[0]), again);
    let rejected = ct::differ(c, again);
    let mut shared = run.shared;
    match variant {
        Variant::MlKem => rejected.copy_if(&mut shared, &hashed),
        Variant::Kyber => {
            rejected.copy_if(&mut shared, parts.z);
            shared = kdf(s, &shared, &hashed);
        }
    }
    (shared, run.key)
}
