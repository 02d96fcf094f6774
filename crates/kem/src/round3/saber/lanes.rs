//! Sponges side by side. The matrix is one stream of SHAKE128 and takes most of the time; all other
//! hashes of an operation run in lanes beside it.
//!
//! | | lane 0 | lane 1 | lane 2 | lane 3 |
//! |---|---|---|---|---|
//! | key generation | seed of A, matrix | | secrets | |
//! | encapsulation | matrix | H(pk) | m, then G, secrets | |
//! | decapsulation | matrix | H(pk) | G, secrets | H(c) |
use oaklath_hash::blocks::{Blocks, Ends, write_words};
use oaklath_hash::keccak::{
    RATE_256, RATE_SHA3_512, RATE_SHAKE128, SUFFIX_SHA3, SUFFIX_SHAKE, permute,
};
use oaklath_hash::lanes::{Lanes4, ROW, Start};
use oaklath_poly::pow2::Poly;
use oaklath_simd::{A64, Simd, each, secret, vectorize, wipe};

use super::params::{POLY_Q, SaberParams};
use super::sample::secrets_of;

/// Memory for the random bytes of secrets of any rank.
type SecretBytes = [u8; 32 * 24];

const MATRIX: usize = 0;
const KEY: usize = 1;
const SECRETS: usize = 2;
const CIPHERTEXT: usize = 3;

/// Outputs besides the matrix. The caller erases them.
pub(super) struct DrawnSecrets<'a> {
    /// The output of G: the input of the KDF, and the seed of the secrets.
    pub(super) kr: &'a mut [u8; 64],
    /// s or s'.
    pub(super) secrets: &'a mut [Poly<16>],
}

/// Runs key generation: hashes the seed of A; samples A and s. Out of line.
#[inline(never)]
pub(super) fn run_keygen<S: Simd>(
    s: S,
    p: &SaberParams,
    (seed_A, seed_s): (&[u8; 32], &[u8; 32]),
    public_seed: &mut [u8; 32],
    matrix: &mut [[u8; POLY_Q]],
    secrets: &mut [Poly<16>],
) {
    vectorize!(s => {
        secret!(rows: SaberRows, bytes: SecretBytes);
        let bytes = &mut bytes[..p.secrets()];
        let mut lanes = SaberLanes::new(s, rows, matrix.as_flattened_mut());
        // The seed of A is hashed, since it is published.
        lanes.stream(MATRIX, seed_A);
        lanes.stream(SECRETS, seed_s);
        each!(at in 0..bytes.len(), RATE_SHAKE128 => {
            lanes.step();
            lanes.read(SECRETS, &mut bytes[at..]);
            if at == 0 {
                lanes.read(MATRIX, public_seed);
                lanes.stream(MATRIX, public_seed);
            } else {
                lanes.take_matrix();
            }
        });
        lanes.finish_matrix();
        secrets_of(s, p.mu, bytes, secrets);
    });
}

/// Runs the first half of an encapsulation: computes A, m = H(coins), H(pk), G, s'. Out of line.
#[inline(never)]
pub(super) fn run_encapsulation<S: Simd>(
    s: S,
    p: &SaberParams,
    pk: &[u8],
    coins: &[u8],
    m: &mut [u8; 32],
    matrix: &mut [[u8; POLY_Q]],
    drawn: DrawnSecrets<'_>,
) {
    vectorize!(s => {
        secret!(rows: SaberRows, bytes: SecretBytes);
        let bytes = &mut bytes[..p.secrets()];
        let (mut key_ends, mut coins_ends) = (Ends::empty(), Ends::empty());
        let (key, coins) = (key_ends.sha3(pk), coins_ends.sha3(coins));
        let mut lanes = SaberLanes::new(s, rows, matrix.as_flattened_mut());
        lanes.stream(MATRIX, seed_of(pk));
        lanes.lanes.load(SECRETS, coins.block(0));
        each!(i in 0..key.count() => {
            lanes.absorb(KEY, &key, i);
            lanes.step();
            lanes.take_matrix();
            if i == 0 {
                lanes.read(SECRETS, m);
            }
        });
        let mut h_pk = [0; 32];
        lanes.read(KEY, &mut h_pk);
        lanes.load_g(m, &h_pk);
        lanes.step();
        lanes.take_matrix();
        lanes.read(SECRETS, drawn.kr);
        lanes.stream(SECRETS, drawn.kr.last_chunk().expect("64 bytes"));
        each!(at in 0..bytes.len(), RATE_SHAKE128 => {
            lanes.step();
            lanes.take_matrix();
            lanes.read(SECRETS, &mut bytes[at..]);
        });
        lanes.finish_matrix();
        secrets_of(s, p.mu, bytes, drawn.secrets);
    });
}

/// Inputs of the hashes of a decapsulation.
pub(super) struct DecapsulationInputs<'a> {
    /// The decrypted message.
    pub(super) m: &'a [u8; 32],
    pub(super) h_pk: &'a [u8; 32],
    pub(super) c: &'a [u8],
    /// The encapsulation key, if its hash is to be computed.
    pub(super) pk: Option<&'a [u8]>,
    /// The seed of A and memory for A, unless A was expanded before.
    pub(super) matrix: Option<(&'a [u8; 32], &'a mut [[u8; POLY_Q]])>,
}

/// Runs the second half of a decapsulation: computes A, G, s' and H(c). Returns H(c) and, if
/// requested, H(pk). Out of line.
#[inline(never)]
pub(super) fn run_decapsulation<S: Simd>(
    s: S,
    p: &SaberParams,
    hashed: DecapsulationInputs<'_>,
    drawn: DrawnSecrets<'_>,
) -> ([u8; 32], [u8; 32]) {
    vectorize!(s => {
        secret!(rows: SaberRows, bytes: SecretBytes);
        let bytes = &mut bytes[..p.secrets()];
        let (mut key_ends, mut c_ends) = (Ends::empty(), Ends::empty());
        let (key, c) = (hashed.pk.map(|pk| key_ends.sha3(pk)), c_ends.sha3(hashed.c));
        // Without the matrix, the rest of H(c) is cheaper in single permutations than in lanes.
        let with_matrix = hashed.matrix.is_some();
        let steps =
            if with_matrix { c.count() } else { 1 + bytes.len().div_ceil(RATE_SHAKE128) };
        let mut lanes = match hashed.matrix {
            Some((seed_A, matrix)) => {
                let mut lanes = SaberLanes::new(s, rows, matrix.as_flattened_mut());
                lanes.stream(MATRIX, seed_A);
                lanes
            }
            None => SaberLanes::new(s, rows, &mut []),
        };
        let (mut h_c, mut h_pk) = ([0; 32], [0; 32]);
        lanes.load_g(hashed.m, hashed.h_pk);
        each!(i in 0..steps => {
            if let Some(key) = &key
                && i < key.count()
            {
                lanes.absorb(KEY, key, i);
            }
            lanes.absorb(CIPHERTEXT, &c, i);
            lanes.step();
            lanes.take_matrix();
            if i == 0 {
                lanes.read(SECRETS, drawn.kr);
                lanes.stream(SECRETS, drawn.kr.last_chunk().expect("64 bytes"));
            } else if RATE_SHAKE128 * (i - 1) < bytes.len() {
                lanes.read(SECRETS, &mut bytes[RATE_SHAKE128 * (i - 1)..]);
            }
            if key.is_some_and(|key| i + 1 == key.count()) {
                lanes.read(KEY, &mut h_pk);
            }
        });
        c.absorb(s, &mut lanes.lanes.words(CIPHERTEXT), steps, &mut h_c);
        lanes.finish_matrix();
        secrets_of(s, p.mu, bytes, drawn.secrets);
        (h_c, h_pk)
    })
}

/// Expands the matrix alone. Out of line.
#[inline(never)]
pub(super) fn run_matrix<S: Simd>(s: S, seed_A: &[u8; 32], matrix: &mut [[u8; POLY_Q]]) {
    vectorize!(s => {
        secret!(rows: SaberRows);
        let mut lanes = SaberLanes::new(s, rows, matrix.as_flattened_mut());
        lanes.stream(MATRIX, seed_A);
        lanes.finish_matrix();
    });
}

/// Returns the seed of A in an encapsulation key.
#[inline(always)]
pub(super) fn seed_of(pk: &[u8]) -> &[u8; 32] {
    pk.last_chunk().expect("a key ends with a seed")
}

/// The output of the lanes: a row for each.
type SaberRows = A64<[[u8; ROW]; 4]>;

/// Four lanes, the first of which expands the matrix.
struct SaberLanes<'a, S: Simd> {
    s: S,
    lanes: Lanes4<S>,
    rows: &'a mut SaberRows,
    /// The part of the matrix that has not been written yet.
    matrix: &'a mut [u8],
}

impl<'a, S: Simd> SaberLanes<'a, S> {
    #[inline(always)]
    fn new(s: S, rows: &'a mut SaberRows, matrix: &'a mut [u8]) -> Self {
        Self { s, lanes: Lanes4::new(s), rows, matrix }
    }

    /// Starts SHAKE128 of a seed in a lane.
    #[inline(always)]
    fn stream(&mut self, lane: usize, seed: &[u8; 32]) {
        let mut start = Start { mask: [0; 4], word: [u64::from(SUFFIX_SHAKE); 4] };
        start.mask[lane] = u64::MAX;
        self.lanes.start::<RATE_SHAKE128, 32>(&start, seed);
    }

    /// Starts G, SHA3-512 of m and H(pk).
    #[inline(always)]
    fn load_g(&mut self, m: &[u8; 32], h_pk: &[u8; 32]) {
        secret!(block: [u8; RATE_256]);
        block.fill(0);
        block[..32].copy_from_slice(m);
        block[32..64].copy_from_slice(h_pk);
        block[64] = SUFFIX_SHA3;
        block[RATE_SHA3_512 - 1] = 0x80;
        self.lanes.load(SECRETS, block);
    }

    /// Absorbs block `i` of a message.
    #[inline(always)]
    fn absorb(&mut self, lane: usize, message: &Blocks<'_>, i: usize) {
        if i == 0 {
            self.lanes.load(lane, message.block(0));
        } else {
            self.lanes.absorb(lane, message.block(i));
        }
    }

    /// Permutes and squeezes all lanes. Out of line.
    #[inline(never)]
    fn step(&mut self) {
        vectorize!(self.s => {
            self.lanes.permute(0b1111);
            self.lanes.squeeze(self.rows);
        });
    }

    /// Copies the output of a lane to `out`, at most one block.
    #[inline(always)]
    fn read(&self, lane: usize, out: &mut [u8]) {
        let len = out.len().min(RATE_SHAKE128);
        out[..len].copy_from_slice(&self.rows[lane][..len]);
    }

    /// Appends the output of the matrix lane to the matrix.
    #[inline(always)]
    fn take_matrix(&mut self) {
        let len = self.matrix.len().min(RATE_SHAKE128);
        let (to, rest) = core::mem::take(&mut self.matrix).split_at_mut(len);
        to.copy_from_slice(&self.rows[MATRIX][..len]);
        self.matrix = rest;
    }

    /// Writes the rest of the matrix, with single permutations.
    #[inline(always)]
    fn finish_matrix(&mut self) {
        let mut state = self.lanes.words::<25>(MATRIX);
        for block in core::mem::take(&mut self.matrix).chunks_mut(RATE_SHAKE128) {
            permute(self.s, &mut state);
            write_words(&state, block);
        }
        // In key generation, the state derives from the hash of a secret seed.
        wipe(&mut state);
    }
}
