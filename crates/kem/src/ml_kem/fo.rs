//! Key generation, encapsulation, decapsulation: FIPS 203, Algorithms 16 to 18, each one pass over
//! a plan of Keccak lanes. Numbers in comments are the steps of the algorithm that is named above
//! them.
use oaklath_hash::blocks::{Blocks, Ends};
use oaklath_poly::q3329::Entry;
use oaklath_simd::{Simd, ct, pieces_mut, secret, vectorize};

use super::hashes::{g, g_block, h};
use super::keygen::KeygenMemory;
use super::keys::{DecapsulationKeyParts, EncapsulationKeyParts, finish_key};
use super::lanes::{LaneExecutor, LaneInputs, LaneRows, whole_entry};
use super::memory::{LaneSamples, MatrixSource, PkeMemory};
use super::module_kem::ModuleOperations;
use super::params::{MAX_CIPHERTEXT, MlKemParams, POLY_12};
use super::pke::{decrypt, encrypt};
use super::plan::{hash_blocks, plans};
use super::variant::MlKemVariant;

impl<V: MlKemVariant> ModuleOperations for V {
    #[inline(always)]
    fn hash<S: Simd>(s: S, ek: &[u8]) -> [u8; 32] {
        h(s, ek)
    }

    /// ML-KEM.`KeyGen_internal`(d, z): FIPS 203, Algorithm 16, with K-PKE.KeyGen(d), Algorithm 13.
    /// Out of line.
    ///
    /// H(ek) is computed beside the matrix: row i of ek exists as far as its entries have been
    /// sampled. If entries come too slowly for the next block of H (less than once in a thousand
    /// keys), they are sampled once more beside the lanes.
    #[inline(never)]
    fn keygen<S: Simd>(
        s: S,
        p: &MlKemParams,
        seed: &[u8; 64],
        mut memory: KeygenMemory<'_>,
        ek: &mut [u8],
        dk: &mut [u8],
    ) {
        vectorize!(s => {
            let (d, z) = seed.split_first_chunk::<32>().expect("d and z");
            secret!(rows: LaneRows);
            let (mut rho, mut lanes) = ([0; 32], LaneExecutor::new(s, rows));
            // Algorithm 16, 1: (ek_PKE, dk_PKE) <- K-PKE.KeyGen(d)
            // Algorithm 13, 1: (rho, sigma) <- G(d || k)
            V::expand_seed(s, d, p.k, &mut rho, &mut lanes.sigma);
            ct::declassify_bytes(&mut rho); // a part of ek
            ek[POLY_12 * p.k..].copy_from_slice(&rho);
            let mut hashed = 0;
            for (t, step) in plans(p).keygen.steps().iter().enumerate() {
                if step.key {
                    let needed = 136 * (hashed + 1);
                    if memory.ready() < needed || memory.cold {
                        memory.complete_rows(s, &rho, needed, ek);
                    }
                    hashed += 1;
                }
                // 2: N <- 0: the plan has its values
                // 3-7: A_hat[i, j] <- SampleNTT(rho || j || i)
                // 8-11: s[i] <- SamplePolyCBD_eta1(PRF_eta1(sigma, N))
                // 12-15: e[i] <- SamplePolyCBD_eta1(PRF_eta1(sigma, N))
                let inputs = LaneInputs { key: Blocks::whole(ek), ..LaneInputs::of_rho(&rho) };
                lanes.run_step(step, &inputs, &mut memory.samples);
                if t == plans(p).keygen_noise {
                    memory.transform_noise(s, dk);
                }
                if t >= plans(p).keygen_noise {
                    memory.encode(s, ek);
                }
            }
            debug_assert!(memory.ready() == POLY_12 * p.k, "the plan samples all of A_hat");
            // Algorithm 16, 2: ek <- ek_PKE
            // 3: dk <- (dk_PKE || ek || H(ek) || z)
            let h_ek = lanes.finish(Ends::empty().sha3(ek), hashed);
            finish_key(p, ek, &h_ek, z, dk);
        });
    }

    /// Writes `A_hat` and returns H(ek), side by side: FIPS 203, Algorithm 14, lines 3 to 8, and H
    /// of Algorithm 17, line 1. Out of line.
    #[inline(never)]
    fn expand<S: Simd>(s: S, p: &MlKemParams, ek: &[u8], A_hat: &mut [Entry]) -> [u8; 32] {
        vectorize!(s => {
            // 3: rho <- ek[384 k : 384 k + 32]
            let rho = ek.last_chunk().expect("a key ends with rho");
            secret!(rows: LaneRows);
            let (mut ends, mut lanes) = (Ends::empty(), LaneExecutor::new(s, rows));
            let inputs = LaneInputs { key: ends.sha3(ek), ..LaneInputs::of_rho(rho) };
            // 4-8: A_hat[i, j] <- SampleNTT(rho || j || i)
            let mut samples = LaneSamples::of_matrix(p, A_hat);
            lanes.run(plans(p).expand.steps(), &inputs, &mut samples);
            lanes.h_ek
        })
    }

    /// ML-KEM.`Encaps_internal`(ek, m): FIPS 203, Algorithm 17, with `expand` done before. Writes
    /// c and the shared secret. Out of line.
    #[inline(never)]
    fn encapsulate<S: Simd>(
        s: S,
        key: &EncapsulationKeyParts<'_>,
        random: &[u8; 32],
        memory: &mut PkeMemory<'_>,
        c: &mut [u8],
        shared: &mut [u8; 32],
    ) {
        vectorize!(s => {
            secret!(rows: LaneRows, m: [u8; 32]);
            V::message_from(s, random, m);
            let mut lanes = LaneExecutor::new(s, rows);
            // 1: (K, r) <- G(m || H(ek))
            g(s, m, key.h_ek, &mut lanes.K, &mut lanes.sigma);
            // 2: c <- K-PKE.Encrypt(ek, m, r)
            // Algorithm 14, 9-17: y, e1 and e2 in lanes, where the plan has N; 18-24: `encrypt`
            let mut samples = LaneSamples::of_encryption(key.p, &mut [], memory);
            lanes.run(plans(key.p).noise.steps(), &LaneInputs::of_rho(&[0; 32]), &mut samples);
            encrypt(s, key.p, key.A_hat, key.t_hat, m, memory, c);
            // 3: return (K, c)
            V::shared_secret(s, &lanes.K, || h(s, c), shared);
        });
    }

    /// ML-KEM.`Decaps_internal`(dk, c): FIPS 203, Algorithm 18, from line 5 on. Writes the shared
    /// secret; returns H(ek) of a [`MatrixSource::SampledBesideHash`] key. Out of line.
    #[inline(never)]
    fn decapsulate<S: Simd>(
        s: S,
        key: &DecapsulationKeyParts<'_>,
        matrix: MatrixSource<'_>,
        memory: &mut PkeMemory<'_>,
        c: &[u8],
        shared: &mut [u8; 32],
    ) -> [u8; 32] {
        vectorize!(s => {
            secret!(m_prime: [u8; 32], c_prime: [u8; MAX_CIPHERTEXT], rows: LaneRows);
            let c_prime = &mut c_prime[..c.len()];
            let mut lanes = LaneExecutor::new(s, rows);
            // 5: m' <- K-PKE.Decrypt(dk_PKE, c)
            decrypt(s, key.p, key.s_hat, c, memory.factors, m_prime);
            // 6: (K', r') <- G(m' || h)
            // 7: K_bar <- J(z || c)
            let A_hat = run_decapsulation::<S, V>(&mut lanes, key, matrix, memory, m_prime, c);
            // 8: c' <- K-PKE.Encrypt(ek_PKE, m', r')
            encrypt(s, key.p, A_hat, key.t_hat, m_prime, memory, c_prime);
            // 9-11: if c != c' then K' <- K_bar
            let LaneExecutor { K: K_prime, K_bar, h_ek, .. } = &mut lanes;
            ct::differ(c, c_prime).copy_if(K_prime, V::rejection_key(K_bar, key.z));
            // 12: return K'
            V::shared_secret(s, K_prime, || *K_bar, shared);
            *h_ek
        })
    }
}

/// Runs the plan of a decapsulation: the hashes of m', of c and, if it is to be checked, of ek; the
/// noise of line 8; and the matrix, which is returned.
#[inline(always)]
fn run_decapsulation<'a, S: Simd, V: MlKemVariant>(
    lanes: &mut LaneExecutor<'_, S>,
    key: &DecapsulationKeyParts<'_>,
    mut matrix: MatrixSource<'a>,
    memory: &mut PkeMemory<'_>,
    m_prime: &[u8; 32],
    c: &[u8],
) -> &'a [Entry] {
    secret!(message: [u8; 136]);
    g_block(m_prime, key.h, message);
    let (mut c_ends, mut ek_ends, plans) = (Ends::empty(), Ends::empty(), plans(key.p));
    let ciphertext = V::rejection_input(&mut c_ends, key.z, c);
    let mut inputs = LaneInputs { ciphertext, message, ..LaneInputs::of_rho(key.rho) };
    let (plan, A_hat) = match &mut matrix {
        MatrixSource::Expanded(_) => (&plans.decapsulate_expanded, &mut [][..]),
        MatrixSource::Sampled(A_hat) => (&plans.decapsulate, &mut **A_hat),
        MatrixSource::SampledBesideHash(A_hat, ek) => {
            inputs.key = ek_ends.sha3(ek);
            (&plans.decapsulate_and_hash, &mut **A_hat)
        }
    };
    lanes.run(plan.steps(), &inputs, &mut LaneSamples::of_encryption(key.p, A_hat, memory));
    // The rest of the longest hash, where the plan has no other work beside it.
    if plan.steps().len() < hash_blocks(key.p.k) {
        lanes.K_bar = lanes.finish(ciphertext, plan.steps().len());
    }
    match matrix {
        MatrixSource::Expanded(A_hat) => A_hat,
        MatrixSource::Sampled(A_hat) | MatrixSource::SampledBesideHash(A_hat, _) => A_hat,
    }
}

impl KeygenMemory<'_> {
    /// The bytes of ek that exist without a gap.
    #[inline(always)]
    fn ready(&self) -> usize {
        let mut ready = 0;
        for encoded in &self.encoded[..self.samples.k] {
            ready += encoded + (encoded >> 1);
            if *encoded < 256 {
                break;
            }
        }
        ready
    }

    /// Samples what is missing of the rows that reach up to byte `end` of ek, and encodes them.
    #[cold]
    #[inline(never)]
    fn complete_rows<S: Simd>(&mut self, s: S, rho: &[u8; 32], end: usize, ek: &mut [u8]) {
        let LaneSamples { k, A_hat, counts, .. } = &mut self.samples;
        let rows = pieces_mut(A_hat, *k).zip(pieces_mut(counts, *k)).enumerate();
        for (row, (entries, counts)) in rows.take_while(|(row, _)| row * POLY_12 < end) {
            for (column, (entry, n)) in entries.iter_mut().zip(counts).enumerate() {
                if *n < 256 {
                    whole_entry(rho, row, column, entry);
                    *n = 256;
                }
            }
        }
        self.encode(s, ek);
    }
}
