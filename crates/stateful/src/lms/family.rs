//! The hash functions of LMS in lanes: SHA-256 (RFC 8554) and SHAKE256, of 32 or 24 bytes (RFC 9858).
use oaklath_hash::ValueSpan;
use oaklath_hash::keccak::SUFFIX_SHAKE;
use oaklath_hash::sha2::{self, Head, Midstate, Sha256Lanes};
use oaklath_hash::shake_lanes;
use oaklath_simd::{Simd, scratch, secret};
use oaklath_tree::wots::ChainJob;

/// Bytes before the nodes of a hash: I, a number and what is hashed.
pub(super) const HEAD: usize = 22;
/// Bytes before the value of a chain: I, q, the chain and the step.
pub(super) const CHAIN: usize = 23;

/// The most lanes of SHA-256: those of AVX-512. SHAKE256 has fewer.
pub(super) const MOST_LANES: usize = 16;
const _: () = assert!(shake_lanes::MOST <= MOST_LANES, "lanes of SHAKE256");

/// A hash function of `N` bytes.
pub(super) trait Family<const N: usize>: Copy + Send + Sync {
    /// A message for each lane, on its way.
    type Fold;
    /// Chains that are on their way at a time in verification: enough to fill the lanes.
    type Jobs: AsMut<[ChainJob]>;
    const JOBS: Self::Jobs;
    /// Their values, and one for each key.
    type Values: AsMut<[[u8; N]]>;
    const VALUES: Self::Values;

    /// At most [`MOST_LANES`].
    fn lanes(self) -> usize;
    /// `steps` times, each value becomes the hash of its head and itself, and the last byte of the head
    /// counts one up.
    fn chain(self, head: impl Fn(usize) -> [u8; CHAIN], steps: u32, values: &mut [[u8; N]]);
    fn fold(self, heads: &[[u8; HEAD]]) -> Self::Fold;
    fn absorb(self, fold: &mut Self::Fold, nodes: &[[u8; N]]);
    fn finish(self, fold: &mut Self::Fold, out: &mut [[u8; N]]);
}

/// SHA-256, cut to `N` bytes, with folds of up to `KEYS` messages.
#[derive(Clone, Copy)]
pub(super) struct Sha2<S: Simd, const KEYS: usize>(Sha256Lanes<S>);

impl<S: Simd, const KEYS: usize> Sha2<S, KEYS> {
    pub(super) fn new(s: S) -> Self {
        Self(Sha256Lanes::new(s))
    }
}

impl<S: Simd, const KEYS: usize, const N: usize> Family<N> for Sha2<S, KEYS> {
    type Fold = sha2::Fold<Sha256Lanes<S>, KEYS>;
    // All chains of a key whose digits have eight bits, half of one whose digits have four.
    type Jobs = [ChainJob; 34];
    const JOBS: Self::Jobs = [ChainJob::NONE; 34];
    type Values = [[u8; N]; 36];
    const VALUES: Self::Values = [[0; N]; 36];

    fn lanes(self) -> usize {
        self.0.lanes()
    }
    fn chain(self, head: impl Fn(usize) -> [u8; CHAIN], steps: u32, values: &mut [[u8; N]]) {
        scratch!(heads: [Head; MOST_LANES]);
        let heads = &mut heads[..values.len()];
        for (i, words) in heads.iter_mut().enumerate() {
            let mut bytes = [0; 24];
            bytes[..CHAIN].copy_from_slice(&head(i));
            for (word, bytes) in words.iter_mut().zip(bytes.as_chunks::<4>().0) {
                *word = u32::from_be_bytes(*bytes);
            }
        }
        let start = const { Midstate::new() };
        let chains = (ValueSpan { at: CHAIN, n: N }, &*heads);
        self.0.advance_chains(&start, chains, steps, values.as_flattened_mut(), &mut []);
    }
    fn fold(self, heads: &[[u8; HEAD]]) -> Self::Fold {
        let start = const { Midstate::new().words() };
        let mut fold = sha2::Fold::new(self.0, &start, 0, heads.len());
        fold.absorb_pieces(HEAD, heads.as_flattened());
        fold
    }
    fn absorb(self, fold: &mut Self::Fold, nodes: &[[u8; N]]) {
        fold.absorb_pieces(N, nodes.as_flattened());
    }
    fn finish(self, fold: &mut Self::Fold, out: &mut [[u8; N]]) {
        fold.finish_digests(N, out.as_flattened_mut());
    }
}

/// SHAKE256 with `N` bytes of output, with folds of up to `KEYS` messages.
#[derive(Clone, Copy)]
pub(super) struct Shake<S: Simd, const KEYS: usize>(S);

impl<S: Simd, const KEYS: usize> Shake<S, KEYS> {
    pub(super) fn new(s: S) -> Self {
        Self(s)
    }
}

/// Messages whose words are not those of their pieces: a head of 22 bytes goes before.
pub(super) struct ShakeFold<S: Simd, const KEYS: usize> {
    sponge: shake_lanes::Fold<S, KEYS>,
    /// The last six bytes of each message.
    rests: [u64; KEYS],
    lanes: usize,
}

/// Bits of the bytes that are left of a head after its whole words.
const REST: usize = 8 * (HEAD & 7);

impl<S: Simd, const KEYS: usize, const N: usize> Family<N> for Shake<S, KEYS> {
    type Fold = ShakeFold<S, KEYS>;
    // Three times the lanes of AVX2.
    type Jobs = [ChainJob; 12];
    const JOBS: Self::Jobs = [ChainJob::NONE; 12];
    type Values = [[u8; N]; 14];
    const VALUES: Self::Values = [[0; N]; 14];

    fn lanes(self) -> usize {
        shake_lanes::lanes(self.0)
    }
    fn chain(self, head: impl Fn(usize) -> [u8; CHAIN], steps: u32, values: &mut [[u8; N]]) {
        secret!(blocks: [shake_lanes::Block; shake_lanes::MOST]);
        for step in 0..steps {
            for (i, (block, value)) in blocks.iter_mut().zip(&*values).enumerate() {
                let mut bytes = [0; 64];
                bytes[..CHAIN].copy_from_slice(&head(i));
                bytes[CHAIN - 1] = bytes[CHAIN - 1].wrapping_add(step as u8);
                bytes[CHAIN..CHAIN + N].copy_from_slice(value);
                bytes[CHAIN + N] = SUFFIX_SHAKE;
                for (word, bytes) in block.iter_mut().zip(bytes.as_chunks::<8>().0) {
                    *word = u64::from_le_bytes(*bytes);
                }
                block[8..].fill(0);
                block[16] = 1 << 63;
            }
            let flat = values.as_flattened_mut();
            shake_lanes::hash_blocks(self.0, &blocks[..flat.len() / N], N, flat);
        }
    }
    fn fold(self, heads: &[[u8; HEAD]]) -> Self::Fold {
        let mut sponge = shake_lanes::Fold::new(self.0, heads.len());
        let (mut words, mut rests) = ([[0; 16]; KEYS], [0; KEYS]);
        for ((words, rest), head) in words.iter_mut().zip(&mut rests).zip(heads) {
            words.copy_from_slice(&head[..16]);
            let mut bytes = [0; 8];
            bytes[..HEAD - 16].copy_from_slice(&head[16..]);
            *rest = u64::from_le_bytes(bytes);
        }
        sponge.absorb_pieces(16, words[..heads.len()].as_flattened());
        ShakeFold { sponge, rests, lanes: heads.len() }
    }
    fn absorb(self, fold: &mut Self::Fold, nodes: &[[u8; N]]) {
        let mut shifted = [[0; N]; KEYS];
        for ((shifted, rest), node) in shifted.iter_mut().zip(&mut fold.rests).zip(nodes) {
            let words = node.as_chunks::<8>().0.iter().map(|bytes| u64::from_le_bytes(*bytes));
            for (to, word) in shifted.as_chunks_mut::<8>().0.iter_mut().zip(words) {
                *to = (*rest | word << REST).to_le_bytes();
                *rest = word >> (64 - REST);
            }
        }
        fold.sponge.absorb_pieces(N, shifted[..fold.lanes].as_flattened());
    }
    fn finish(self, fold: &mut Self::Fold, out: &mut [[u8; N]]) {
        let ends = fold.rests.map(|rest| rest | u64::from(SUFFIX_SHAKE) << REST);
        fold.sponge.finish_digests(&ends, N, out.as_flattened_mut());
    }
}
