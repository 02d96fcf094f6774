//! Dilithium-AES: samples with AES-256 in counter mode, with the nonce in the first two bytes,
//! little endian (submission of round 3, section 4.2). Hashes are those of Dilithium.
use oaklath_hash::blocks::absorb_block;
use oaklath_hash::keccak::permute;
use oaklath_poly::q8380417::{self as ring, Entry, ROW};
use oaklath_simd::{Aes256, Simd, secret, vectorize, wipe};

use super::dilithium::Dilithium;
use crate::error::Error;
use crate::message::{Formatted, Message};
use crate::ml_dsa::expand_mask::STREAM;
use crate::ml_dsa::sampler::{
    HashBlock, LaneTask, QueueSampler, SamplerMemory, SamplingMethod, SamplingQueue,
};
use crate::ml_dsa::variant::MlDsaVariant;

/// Dilithium-AES, round 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DilithiumAes {}

impl MlDsaVariant for DilithiumAes {
    const TR: usize = Dilithium::TR;
    const C_TILDE: [usize; 3] = Dilithium::C_TILDE;
    const COINS: usize = Dilithium::COINS;
    type Sampling = AesSampling;

    fn seed_suffix(dimensions: &[u8; 2]) -> &[u8] {
        Dilithium::seed_suffix(dimensions)
    }

    fn format<'a>(message: &Message<'a>) -> Result<Formatted<'a>, Error> {
        Dilithium::format(message)
    }

    fn mask_seed(key: &[u8; 32], coins: Option<&[u8]>, mu: &[u8; 64], rho2: &mut [u8; 64]) {
        Dilithium::mask_seed(key, coins, mu, rho2);
    }
}

/// Sampling by AES-256.
pub(crate) struct AesSampling;

impl SamplingMethod for AesSampling {
    const SHARES_LANES: bool = false;
    type Sampler<'a, S: Simd> = AesSampler<'a, S>;
}

/// Samples one task after the other, and keeps the state of the hash.
pub(crate) struct AesSampler<'a, S: Simd> {
    s: S,
    /// The ciphers keyed by rho and by the seed of secrets or masks, once they are needed.
    ciphers: [Option<S::Aes>; 2],
    hash: [u64; 25],
    memory: SamplerMemory<'a>,
}

impl<'a, S: Simd> QueueSampler<'a, S> for AesSampler<'a, S> {
    #[inline(always)]
    fn new(s: S, memory: SamplerMemory<'a>) -> Self {
        Self { s, ciphers: [None, None], hash: [0; 25], memory }
    }

    /// Absorbs the block, if there is one, and completes one task. Out of line.
    #[inline(never)]
    fn step(&mut self, queue: &mut SamplingQueue<'_>, block: Option<HashBlock<'_>>) {
        let s = self.s;
        vectorize!(s => {
            if let Some((first, block)) = block {
                if first {
                    self.hash = [0; 25];
                }
                absorb_block(&mut self.hash, block);
                permute(s, &mut self.hash);
            }
            let Some(task) = queue.next() else { return };
            let [of_matrix, of_secrets] = &mut self.ciphers;
            let seed = queue.seed.first_chunk().expect("64 bytes");
            match task {
                LaneTask::MatrixEntry((row, column)) => {
                    let cipher = keyed(s, of_matrix, queue.rho);
                    let entry = queue.matrix.entry(0, (row, column));
                    sample_entry(s, cipher, (column | row << 8) as u16, entry);
                    queue.matrix.finish_entry(s, 0, (row, column), queue.factors);
                }
                LaneTask::Secret(n) => {
                    let nibbles = &mut self.memory.nibbles[0];
                    let (cipher, eta) = (keyed(s, of_secrets, seed), queue.p.eta);
                    sample_nibbles(s, cipher, n as u16, eta, nibbles);
                    queue.secrets.finish(s, eta, n, nibbles, usize::MAX);
                }
                LaneTask::Mask(n) => {
                    let stream = &mut self.memory.streams[0];
                    sample_mask(s, keyed(s, of_secrets, seed), n as u16, stream);
                    queue.masks.finish(s, queue.p.z_bits, n, stream, usize::MAX);
                }
            }
        });
    }

    #[inline(always)]
    fn take_hash(&mut self) -> [u64; 25] {
        self.hash
    }
}

impl<S: Simd> Drop for AesSampler<'_, S> {
    #[inline(always)]
    fn drop(&mut self) {
        wipe(&mut self.hash);
    }
}

/// Returns the cipher with a key, which is expanded at the first use.
#[inline(always)]
fn keyed<'a, S: Simd>(s: S, cipher: &'a mut Option<S::Aes>, key: &[u8; 32]) -> &'a S::Aes {
    if cipher.is_none() {
        *cipher = Some(S::Aes::new(s, key));
    }
    cipher.as_ref().expect("a cipher")
}

/// Writes the key stream of a nonce, from block `counter` on.
#[inline(always)]
fn key_stream<S: Simd>(cipher: &S::Aes, nonce: u16, counter: u32, out: &mut [u8]) {
    let mut full = [0; 12];
    full[..2].copy_from_slice(&nonce.to_le_bytes());
    cipher.key_stream(&full, counter, out);
}

/// Bytes of a stream that are sampled at a time: whole AES blocks, and whole triples.
const CHUNK: usize = 144;

/// Samples an entry of the matrix. Out of line.
#[inline(never)]
fn sample_entry<S: Simd>(s: S, cipher: &S::Aes, nonce: u16, entry: &mut Entry) {
    vectorize!(s => {
        // 256 candidates of three bytes take 768 bytes, and a few more if some are rejected.
        let (mut stream, mut n, mut counter) = ([[0; CHUNK]; 6], 0, 0);
        while n < 256 {
            key_stream::<S>(cipher, nonce, counter, stream.as_flattened_mut());
            for chunk in &stream {
                let mut row = [0xff; ROW];
                row[..CHUNK].copy_from_slice(chunk);
                n = ring::reject_block_vartime(s, &row, entry, n);
            }
            counter += 6 * 9;
        }
    });
}

/// Samples the nibbles of a polynomial of s1 or s2. Out of line.
#[inline(never)]
fn sample_nibbles<S: Simd>(s: S, cipher: &S::Aes, nonce: u16, eta: i32, nibbles: &mut Entry<()>) {
    vectorize!(s => {
        secret!(stream: [u8; 256]);
        let (mut n, mut counter) = (0, 0);
        while n < 256 {
            key_stream::<S>(cipher, nonce, counter, stream);
            n = ring::reject_nibbles_vartime(s, eta, stream, nibbles, n);
            counter += 16;
        }
    });
}

/// Writes the bytes of a mask. Out of line.
#[inline(never)]
fn sample_mask<S: Simd>(s: S, cipher: &S::Aes, nonce: u16, stream: &mut [u8; STREAM]) {
    vectorize!(s => key_stream::<S>(cipher, nonce, 0, &mut stream[..640]));
}
