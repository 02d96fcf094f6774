//! The Fujisaki-Okamoto transform: FIPS 203, Algorithms 16 to 18, each in one pass over a plan of
//! Keccak lanes. Numbers in comments are steps of the algorithm that is named above them.
use core::{array, mem};

use oaklath_hash::blocks::{Blocks, Ends};
use oaklath_hash::keccak::RATE_256;
use oaklath_poly::q3329::Entry;
use oaklath_simd::arrays::{map, zip};
use oaklath_simd::{Simd, ct, dispatch, secret};

use super::hashes::{g_block, h};
use super::keys::finish_key;
use super::lanes::{LaneExecutor, LaneInputs, LaneMemory, LaneResults, LaneRows};
use super::memory::{LaneSamples, MatrixSource};
use super::module_kem::ModuleOperations;
use super::params::{MAX_CIPHERTEXT, MlKemParams, POLY_12};
use super::pke::{decrypt, encrypt};
use super::plan::{hash_blocks, plans};
use super::tasks::{DecapsulationTask, EncapsulationTask, KeygenTask};
use super::variant::MlKemVariant;

impl<V: MlKemVariant> ModuleOperations for V {
    const SIDE_BY_SIDE: bool = true;

    fn hash(ek: &[u8]) -> [u8; 32] {
        dispatch!(s => h(s, ek))
    }

    fn keygen<const N: usize>(p: &MlKemParams, tasks: [KeygenTask<'_>; N]) {
        keygen(p, V::seed_suffix(&[p.k as u8]), tasks);
    }

    fn expand<const N: usize>(p: &MlKemParams, keys: [(&[u8], &mut [Entry]); N]) -> [[u8; 32]; N] {
        expand(p, keys)
    }

    /// ML-KEM.`Encaps_internal`(ek, m): FIPS 203, Algorithm 17, after [`expand`].
    /// Writes c and the shared secret.
    fn encapsulate<const N: usize>(p: &MlKemParams, mut tasks: [EncapsulationTask<'_>; N]) {
        dispatch!(s => {
            secret!(rows: [LaneRows; N], messages: [[u8; 32]; N]);
            let mut lanes = LaneExecutor::new(s, rows);
            for (task, m) in tasks.iter().zip(messages.iter_mut()) {
                V::message_from(s, task.random, m);
            }
            // 1: (K, r) <- G(m || H(ek))
            let inputs = zip(messages.each_ref(), tasks.each_ref());
            lanes.run_g(map(inputs, |(m, task)| [&m[..], &task.key.h_ek[..]]));
            // 2: c <- K-PKE.Encrypt(ek, m, r)
            // Algorithm 14, 9-17: y, e1 and e2 in lanes, with N from the plan; 18-24: `encrypt`
            let mut samples = map(tasks.each_mut(), |task| {
                LaneSamples::of_encryption(p, &mut [], &mut task.memory)
            });
            let inputs = LaneInputs::of_rho(&[0; 32]);
            let mut memory = map(samples.each_mut(), |samples| LaneMemory { inputs, samples });
            lanes.run(plans(p).noise.steps(), &mut memory);
            for ((task, m), results) in tasks.iter_mut().zip(&*messages).zip(&lanes.results) {
                let EncapsulationTask { key, memory, c, shared, .. } = task;
                encrypt(s, p, key.A_hat, key.t_hat, m, memory, c);
                // 3: return (K, c)
                V::shared_secret(s, &results.K, || h(s, c), shared);
            }
        });
    }

    /// ML-KEM.`Decaps_internal`(dk, c): FIPS 203, Algorithm 18, from line 5 on. Writes the shared
    /// secret; returns H(ek) of [`MatrixSource::SampledBesideHash`] keys.
    fn decapsulate<const N: usize>(
        p: &MlKemParams,
        mut tasks: [DecapsulationTask<'_>; N],
    ) -> [[u8; 32]; N] {
        dispatch!(s => {
            secret!(messages: [[u8; 32]; N], c_prime: [u8; MAX_CIPHERTEXT], rows: [LaneRows; N]);
            let mut lanes = LaneExecutor::new(s, rows);
            // 5: m' <- K-PKE.Decrypt(dk_PKE, c)
            for (task, m_prime) in tasks.iter_mut().zip(messages.iter_mut()) {
                decrypt(s, p, task.key.s_hat, task.c, task.memory.factors, m_prime);
            }
            // 6: (K', r') <- G(m' || h)
            // 7: K_bar <- J(z || c)
            run_decapsulation::<_, V, N>(p, &mut lanes, &mut tasks, messages);
            for ((task, m_prime), results) in tasks.iter_mut().zip(&*messages).zip(&mut lanes.results) {
                let DecapsulationTask { key, matrix, memory, c, shared } = task;
                let c_prime = &mut c_prime[..c.len()];
                // 8: c' <- K-PKE.Encrypt(ek_PKE, m', r'), whose lines 1 to 17 the lanes have done
                encrypt(s, p, matrix.entries(), key.t_hat, m_prime, memory, c_prime);
                // 9-11: if c != c' then K' <- K_bar
                let LaneResults { K: K_prime, K_bar, .. } = results;
                ct::differ(c, c_prime).copy_if(K_prime, V::rejection_key(K_bar, key.z));
                // 12: return K'
                V::shared_secret(s, K_prime, || *K_bar, shared);
            }
            map(lanes.results.each_ref(), |results| results.h_ek)
        })
    }
}

/// ML-KEM.`KeyGen_internal`(d, z): FIPS 203, Algorithm 16, with K-PKE.KeyGen(d), Algorithm 13. The
/// suffix is hashed after d.
///
/// H(ek) is computed while the matrix is sampled: row i of ek is known as far as its entries
/// have been sampled, in whole vectors. If that is too little for the next block of H, the missing
/// entries are sampled anew, outside the lanes: for about three in ten thousand keys of rank 4
/// where vectors have 32 lanes, and for none of 100,000 keys of each rank where they have 8 or 16.
fn keygen<const N: usize>(p: &MlKemParams, suffix: &[u8], mut tasks: [KeygenTask<'_>; N]) {
    dispatch!(s => {
        secret!(rows: [LaneRows; N]);
        let mut lanes = LaneExecutor::new(s, rows);
        // Algorithm 16, 1: (ek_PKE, dk_PKE) <- K-PKE.KeyGen(d)
        // Algorithm 13, 1: (rho, sigma) <- G(d || k)
        lanes.run_g(map(tasks.each_ref(), |task| [&task.seed[..32], suffix]));
        for (task, results) in tasks.iter_mut().zip(&mut lanes.results) {
            ct::declassify_bytes(&mut results.K); // rho, a part of ek
            task.ek[POLY_12 * p.k..].copy_from_slice(&results.K);
        }
        let mut hashed = 0;
        for (t, step) in plans(p).keygen.steps().iter().enumerate() {
            if step.key {
                let needed = RATE_256 * (hashed + 1);
                for KeygenTask { memory, ek, .. } in &mut tasks {
                    if memory.lacks(needed) {
                        memory.complete_rows(s, needed, ek);
                    }
                }
                hashed += 1;
            }
            // Algorithm 13, 2: N <- 0: the values of N are in the plan
            // Algorithm 13, 3-7: A_hat[i, j] <- SampleNTT(rho || j || i)
            // Algorithm 13, 8-11: s[i] <- SamplePolyCBD_eta1(PRF_eta1(sigma, N))
            // Algorithm 13, 12-15: e[i] <- SamplePolyCBD_eta1(PRF_eta1(sigma, N))
            let mut memory = map(tasks.each_mut(), |KeygenTask { memory, ek, .. }| {
                let inputs = LaneInputs { key: Blocks::whole(ek), ..LaneInputs::of_key(ek) };
                LaneMemory { inputs, samples: &mut memory.samples }
            });
            lanes.run_step(step, &mut memory);
            for KeygenTask { memory, ek, dk, .. } in &mut tasks {
                if t == plans(p).keygen_noise {
                    memory.transform_noise(s, dk);
                }
                if t >= plans(p).keygen_noise {
                    memory.encode(s, ek);
                }
            }
        }
        let mut ends = ends::<N>();
        let keys = map(zip(tasks.each_ref(), ends.each_mut()), |(task, ends)| ends.sha3(task.ek));
        lanes.finish(&keys, hashed, |results| &mut results.h_ek);
        // Algorithm 16, 2: ek <- ek_PKE
        // 3: dk <- (dk_PKE || ek || H(ek) || z)
        for (KeygenTask { seed, memory, ek, dk }, results) in tasks.iter_mut().zip(&lanes.results) {
            debug_assert!(memory.ready() == POLY_12 * p.k, "the plan samples all of A_hat");
            finish_key(p, ek, &results.h_ek, &seed[32..], dk);
        }
    });
}

/// Writes `A_hat` and returns H(ek), both from the same lanes: FIPS 203, Algorithm 14, lines 3
/// to 8, and H of Algorithm 17, line 1.
fn expand<const N: usize>(p: &MlKemParams, keys: [(&[u8], &mut [Entry]); N]) -> [[u8; 32]; N] {
    dispatch!(s => {
        secret!(rows: [LaneRows; N]);
        let (mut ends, mut lanes) = (ends::<N>(), LaneExecutor::new(s, rows));
        let mut inputs = [LaneInputs::of_rho(&[0; 32]); N];
        let places = zip(ends.each_mut(), inputs.each_mut());
        let mut samples = map(zip(keys, places), |((ek, A_hat), (ends, inputs))| {
            // 3: rho <- ek[384 k : 384 k + 32]
            *inputs = LaneInputs { key: ends.sha3(ek), ..LaneInputs::of_key(ek) };
            LaneSamples::of_matrix(p, A_hat)
        });
        // 4-8: A_hat[i, j] <- SampleNTT(rho || j || i)
        let mut memory =
            map(zip(inputs, samples.each_mut()), |(inputs, samples)| LaneMemory { inputs, samples });
        lanes.run(plans(p).expand.steps(), &mut memory);
        map(lanes.results.each_ref(), |results| results.h_ek)
    })
}

/// Runs the plan of decapsulations: the hashes of m', of c and, if H(ek) is to be checked, of ek;
/// the noise of line 8; and the matrix. The matrices of all tasks have the same source.
#[inline(always)]
fn run_decapsulation<S: Simd, V: MlKemVariant, const N: usize>(
    p: &MlKemParams,
    lanes: &mut LaneExecutor<'_, S, N>,
    tasks: &mut [DecapsulationTask<'_>; N],
    messages: &[[u8; 32]; N],
) {
    let source = mem::discriminant(&tasks[0].matrix);
    debug_assert!(tasks.iter().all(|task| mem::discriminant(&task.matrix) == source));
    let plan = match &tasks[0].matrix {
        MatrixSource::Expanded(_) => &plans(p).decapsulate_expanded,
        MatrixSource::Sampled(_) => &plans(p).decapsulate,
        MatrixSource::SampledBesideHash(..) => &plans(p).decapsulate_and_hash,
    };
    secret!(blocks: [[u8; RATE_256]; N]);
    let (mut c_ends, mut ek_ends) = (ends::<N>(), ends::<N>());
    for ((block, m_prime), task) in blocks.iter_mut().zip(messages).zip(&*tasks) {
        g_block(m_prime, task.key.h, block);
    }
    let mut inputs = [LaneInputs::of_rho(&[0; 32]); N];
    let ends = zip(c_ends.each_mut(), ek_ends.each_mut());
    let places = zip(zip(ends, blocks.each_ref()), inputs.each_mut());
    let mut samples =
        map(zip(tasks.each_mut(), places), |(task, (((c_ends, ek_ends), message), inputs))| {
            let DecapsulationTask { key, matrix, memory, c, .. } = task;
            let ciphertext = V::rejection_input(c_ends, key.z, c);
            *inputs = LaneInputs { ciphertext, message, ..LaneInputs::of_rho(key.rho) };
            let A_hat = match matrix {
                MatrixSource::Expanded(_) => &mut [][..],
                MatrixSource::Sampled(A_hat) => &mut **A_hat,
                MatrixSource::SampledBesideHash(A_hat, ek) => {
                    inputs.key = ek_ends.sha3(ek);
                    &mut **A_hat
                }
            };
            LaneSamples::of_encryption(p, A_hat, memory)
        });
    let mut memory =
        map(zip(inputs, samples.each_mut()), |(inputs, samples)| LaneMemory { inputs, samples });
    lanes.run(plan.steps(), &mut memory);
    // J(z || c) may have more blocks than the plan has steps.
    if plan.steps().len() < hash_blocks(p.k) {
        let ciphertexts = map(inputs, |inputs| inputs.ciphertext);
        lanes.finish(&ciphertexts, plan.steps().len(), |results| &mut results.K_bar);
    }
}

/// Returns empty buffers for the padded ends of the messages of lanes.
#[inline(always)]
fn ends<const N: usize>() -> [Ends; N] {
    array::from_fn(|_| Ends::empty())
}
