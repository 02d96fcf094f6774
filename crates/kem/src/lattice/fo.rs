//! Key generation, encapsulation, decapsulation: FIPS 203, Algorithms 16 to 18, each one pass over
//! a plan of Keccak lanes.
use oaklath_hash::blocks::{Blocks, Ends};
use oaklath_poly::q3329::{self, Factor, NttPoly, Poly, dot_encode_12, ntt, prepare};
use oaklath_simd::{I16s, Simd, ct, scratch, secret, wipe};

use super::message::{g_block, g_message, g_seed, h, kdf};
use super::params::{POLY_12, Params};
use super::pke::{decode_vector, decode_vector_checked, decrypt, encrypt, row};
use super::plan::{Plan, Plans};
use super::run::{Counts, Input, Matrix, Rows, Run, Samples, whole_entry};
use super::{Invalid, Variant, nineties};

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
    let (mut rho, mut sigma) = ([0; 32], [0; 32]);
    g_seed(s, variant, d, K, (&mut rho, &mut sigma));
    ct::declassify_bytes(&mut rho); // a part of ek
    scratch!(A_hat: Matrix<K>);
    secret!(y: [Poly; K], e1: [Poly; K], rows: Rows);
    let mut key = Progress::<K> { counts: [[0; K]; K], encoded: [0; K] };
    secret!(s_hat: [Factor; K], e_hat: [NttPoly; K]);
    ek[POLY_12 * K..].copy_from_slice(&rho);
    if variant == Variant::Kyber90s {
        nineties::matrix(s, &rho, A_hat);
        let eta1 = const { Params::of_rank(K).eta1 };
        nineties::noise::<S, K, true>(s, &sigma, 0, eta1, y);
        nineties::noise::<S, K, false>(s, &sigma, K, eta1, e1);
        wipe(&mut sigma);
        transform_noise(s, (y, e1), s_hat, e_hat, dk);
        key.counts = [[256; K]; K];
        key.encode(s, A_hat, s_hat, e_hat, ek);
        return finish_key(dk, ek, &h(s, variant, ek), z);
    }
    let mut run = Run::new(s, rows);
    run.sigma = sigma;
    wipe(&mut sigma);
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
    finish_key(dk, ek, &run.finish(Ends::empty().sha3(ek), hashed), z);
}

/// What follows s in a decapsulation key.
#[inline(always)]
fn finish_key(dk: &mut [u8], ek: &[u8], h_ek: &[u8; 32], z: &[u8]) {
    let (rest, end) = dk.split_at_mut(dk.len() - 64);
    let at = rest.len() - ek.len();
    rest[at..].copy_from_slice(ek);
    end[..32].copy_from_slice(h_ek);
    end[32..].copy_from_slice(z);
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
    s: S,
    run: &mut Run<'_, S>,
    variant: Variant,
    ek: &[u8],
    A_hat: &mut Matrix<K>,
) -> [u8; 32] {
    let rho = ek.last_chunk().expect("a key ends with rho");
    if variant == Variant::Kyber90s {
        nineties::matrix(s, rho, A_hat);
        return h(s, variant, ek);
    }
    let mut ends = Ends::empty();
    let input = Input { key: ends.sha3(ek), ..Input::of(rho) };
    let counts = &mut [[0; K]; K];
    let mut samples = Samples { A_hat, counts, y: &mut [], e1: &mut [], e2: &mut [] };
    for step in const { &Plans::<K>::EXPAND }.steps() {
        run.step(step, &input, &mut samples);
    }
    run.key
}

/// ML-KEM.Encaps: FIPS 203, Algorithm 20 without its random choice, from bytes, with the checks of
/// section 7.2. `c` and the shared secret are written.
#[inline(always)]
pub(super) fn encapsulate_bytes<S: Simd, const K: usize>(
    s: S,
    variant: Variant,
    ek: &[u8],
    coins: &[u8; 32],
    c: &mut [u8],
    shared: &mut [u8; 32],
) -> Result<(), Invalid> {
    scratch!(t_hat: [NttPoly; K], A_hat: Matrix<K>);
    if !decode_vector_checked(s, ek, t_hat) {
        return Err(Invalid::Coefficient);
    }
    secret!(rows: Rows);
    let mut run = Run::new(s, rows);
    let h_ek = expand(s, &mut run, variant, ek, A_hat);
    encapsulate(s, &mut run, variant, (t_hat, A_hat, &h_ek), coins, c, shared);
    Ok(())
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
    shared: &mut [u8; 32],
) {
    let mut m = match variant {
        Variant::MlKem => *coins,
        Variant::Kyber | Variant::Kyber90s => h(s, variant, coins),
    };
    g_message(s, variant, &m, h_ek, (&mut run.shared, &mut run.sigma));
    secret!(y: [Poly; K], e1: [Poly; K], e2: [Poly; 1]);
    if variant == Variant::Kyber90s {
        nineties::encryption_noise(s, &run.sigma, (y, e1, e2));
    } else {
        for step in const { &Plans::<K>::NOISE }.steps() {
            let mut samples = Samples::<K> { A_hat: &mut [], counts: &mut [], y, e1, e2 };
            run.step(step, &Input::of(&[0; 32]), &mut samples);
        }
    }
    encrypt(s, A_hat, t_hat, &m, (y, e1, &e2[0]), c);
    wipe(&mut m);
    if variant == Variant::MlKem {
        shared.copy_from_slice(&run.shared);
    } else {
        kdf(s, variant, &run.shared, &h(s, variant, c), shared);
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
    shared: &mut [u8; 32],
) -> Result<(), Invalid> {
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
    let place = Place::Sampled(A_hat);
    let computed = decapsulate(s, variant, plan, parts, Some(ek), place, c, shared);
    // Whether a key is damaged is public.
    let damaged = ct::differ(h_ek, &computed).declassify();
    if damaged || !canonical {
        wipe(shared);
        return Err(if damaged { Invalid::Hash } else { Invalid::Coefficient });
    }
    Ok(())
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

/// ML-KEM.`Decaps_internal`: FIPS 203, Algorithm 18. Returns H(ek) if it is given `ek` to check; the
/// plan has a lane for it then.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "the parts of a key and of an operation")]
pub(super) fn decapsulate<S: Simd, const K: usize>(
    s: S,
    variant: Variant,
    plan: &Plan,
    parts: Parts<'_, K>,
    ek: Option<&[u8]>,
    mut place: Place<'_, K>,
    c: &[u8],
    shared: &mut [u8; 32],
) -> [u8; 32] {
    secret!(m: [u8; 32], again: [[u8; 512]; K]);
    decrypt(s, parts.s_hat, c, m);
    secret!(y: [Poly; K], e1: [Poly; K], e2: [Poly; 1], rows: Rows);
    let mut run = Run::new(s, rows);
    if variant == Variant::Kyber90s {
        g_message(s, variant, m, parts.h_ek, (&mut run.shared, &mut run.sigma));
        if let Place::Sampled(A_hat) = &mut place {
            nineties::matrix(s, parts.rho, A_hat);
        }
        nineties::encryption_noise(s, &run.sigma, (y, e1, e2));
        run.ciphertext = h(s, variant, c);
        run.key = ek.map_or([0; 32], |ek| h(s, variant, ek));
    } else {
        let A_hat = match &mut place {
            Place::Kept(_) => &mut [][..],
            Place::Sampled(A_hat) => &mut A_hat[..],
        };
        let counts = &mut [[0; K]; K];
        let mut samples = Samples { A_hat, counts, y, e1, e2 };
        run_decapsulation(&mut run, variant, plan, &parts, (m, ek, c), &mut samples);
    }
    let A_hat = match &place {
        Place::Kept(A_hat) => *A_hat,
        Place::Sampled(A_hat) => &**A_hat,
    };
    let again = &mut again.as_flattened_mut()[..c.len()];
    encrypt(s, A_hat, parts.t_hat, m, (y, e1, &e2[0]), again);
    let rejected = ct::differ(c, again);
    if variant == Variant::MlKem {
        rejected.copy_if(&mut run.shared, &run.ciphertext);
        shared.copy_from_slice(&run.shared);
    } else {
        rejected.copy_if(&mut run.shared, parts.z);
        kdf(s, variant, &run.shared, &run.ciphertext, shared);
    }
    run.key
}

/// The plan of a decapsulation: the hashes of c, of m and, if it is given, of ek; the samples.
#[inline(always)]
fn run_decapsulation<S: Simd, const K: usize>(
    run: &mut Run<'_, S>,
    variant: Variant,
    plan: &Plan,
    parts: &Parts<'_, K>,
    (m, ek, c): (&[u8; 32], Option<&[u8]>, &[u8]),
    samples: &mut Samples<'_, K>,
) {
    secret!(message: [u8; 136]);
    g_block(m, parts.h_ek, message);
    let (mut c_ends, mut ek_ends) = (Ends::empty(), Ends::empty());
    let ciphertext = match variant {
        Variant::MlKem => c_ends.shake(parts.z, c),
        Variant::Kyber | Variant::Kyber90s => c_ends.sha3(c),
    };
    let key = ek.map_or(Blocks::whole(&[]), |ek| ek_ends.sha3(ek));
    let input = Input { rho: parts.rho, key, ciphertext, message };
    for step in plan.steps() {
        run.step(step, &input, samples);
    }
    if plan.steps().len() < Plans::<K>::HASH {
        run.ciphertext = run.finish(input.ciphertext, plan.steps().len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use oaklath_simd::{Level, dispatch};
    use std::vec;

    /// Sampling rows beside the lanes, always, gives the same keys.
    fn cold_keys_are_equal<const K: usize>() {
        let p = Params::of_rank(K);
        for i in 0..100 {
            let seed = [i; 64];
            let keys = |cold: bool| {
                let (mut ek, mut dk) = (vec![0; p.public_key()], vec![0; p.secret_key()]);
                if cold {
                    dispatch!(s => keygen::<_, K, true>(s, Variant::MlKem, &seed, &mut ek, &mut dk));
                } else {
                    dispatch!(s => keygen::<_, K, false>(s, Variant::MlKem, &seed, &mut ek, &mut dk));
                }
                (ek, dk)
            };
            assert!(keys(true) == keys(false), "k = {K}, seed {i}");
        }
    }

    #[test]
    fn the_cold_path_of_key_generation() {
        for level in Level::available() {
            level.with(|| {
                cold_keys_are_equal::<2>();
                cold_keys_are_equal::<3>();
                cold_keys_are_equal::<4>();
            });
        }
    }
}
