//! The functions of XMSS in lanes: RFC 8391, section 5.1; SP 800-208, sections 5.1 to 5.4.
use alloc::boxed::Box;

use oaklath_hash::keccak::{RATE_256, SUFFIX_SHAKE};
use oaklath_hash::sha2::{Block256, Midstate};
use oaklath_hash::shake_lanes::Block;
use oaklath_params::stateful::Hash;
use oaklath_simd::secret;
use oaklath_tree::{MAX_CHAINS, MAX_LANES, Trace, copy_node};

use crate::digest::digest;
use crate::engine::{self, Sha256Engine, ShakeEngine, load_words, store_words, take_step};
use crate::xmss::address::{Address, Addresses, Function, Use, prefix_len};
use crate::xmss::derivation::Derivation;
use crate::xmss::whole_blocks::WholeBlocks;

/// The most lanes where one signature is verified, which must use little stack: as many as AVX2
/// has, and twice as many as are interleaved on a SHA-256 unit, which CPUs of the AVX-512 level
/// have.
pub(super) const MOST_LANES: usize = 8;

/// The most lanes where keys are generated, messages signed and many signatures verified.
pub(super) const BATCH: usize = MAX_LANES;

/// The maximum number of bytes of the nodes of all lanes: nodes of 64 bytes have one lane.
pub(super) const MOST_BYTES: usize = MOST_LANES * 32;

/// SEED, the secret seed if it is known, and the derivation of the secrets of one-time keys.
#[derive(Clone, Copy)]
pub(super) struct XmssSeeds<'a> {
    pub(super) public: &'a [u8],
    pub(super) secret: Option<&'a [u8]>,
    pub(super) derivation: Derivation,
}

/// The implementation of the hash functions.
enum XmssEngine<const LANES: usize> {
    Words(WholeBlocks<LANES>),
    Sha256(Box<dyn Sha256Engine>),
    Shake256(Box<dyn ShakeEngine>),
    /// One hash after the other: functions of RFC 8391 for verification and known answers only.
    Serial(Hash),
}

/// A hash function with the seeds of a key, in at most `LANES` lanes.
pub(super) struct XmssHash<'a, const LANES: usize> {
    engine: XmssEngine<LANES>,
    seeds: XmssSeeds<'a>,
}

/// Writes a lane's message into a zeroed buffer, given the bytes that its hash will replace.
type Fill<'a> = dyn Fn(usize, &[u8], &mut [u8]) + 'a;

impl<'a, const LANES: usize> XmssHash<'a, LANES> {
    /// Returns the hash function at the current SIMD level.
    pub(super) fn new(hash: Hash, seeds: XmssSeeds<'a>) -> Self {
        let engine = match (hash, seeds.public.len()) {
            (Hash::Sha256, 32) => XmssEngine::Words(WholeBlocks::new(seeds.public, seeds.secret)),
            (Hash::Sha256, _) => XmssEngine::Sha256(engine::sha256()),
            (Hash::Shake256, 24 | 32) => XmssEngine::Shake256(engine::shake256()),
            (hash, _) => XmssEngine::Serial(hash),
        };
        Self { engine, seeds }
    }

    /// Returns the number of bytes of a node.
    pub(super) fn n(&self) -> usize {
        self.seeds.public.len()
    }

    /// Lanes that a call fills best: at most `LANES`.
    pub(super) fn lane_count(&self) -> usize {
        match &self.engine {
            XmssEngine::Words(words) => words.lanes().min(LANES),
            XmssEngine::Sha256(engine) => engine.lanes().min(LANES),
            XmssEngine::Shake256(engine) => engine.lanes(),
            XmssEngine::Serial(_) => 1,
        }
    }

    /// Chains that a call advances: those of whole blocks run in two vectors side by side.
    pub(super) fn chain_count(&self) -> usize {
        match &self.engine {
            XmssEngine::Words(_) if self.lane_count() == MAX_LANES => MAX_CHAINS,
            _ => self.lane_count(),
        }
    }

    /// Reports whether hashes leave little stack for verification, as all do except those of whole
    /// blocks.
    pub(super) fn has_little_stack(&self) -> bool {
        !matches!(self.engine, XmssEngine::Words(_))
    }

    /// Writes the hashes of messages of `len` bytes.
    fn hash(&self, len: usize, fill: &Fill<'_>, out: &mut [u8]) {
        let n = self.n();
        match &self.engine {
            XmssEngine::Words(words) => sha256_hash::<LANES>(words.engine(), n, len, fill, out),
            XmssEngine::Sha256(engine) => sha256_hash::<LANES>(&**engine, n, len, fill, out),
            XmssEngine::Shake256(engine) => shake_hash::<LANES>(&**engine, n, len, fill, out),
            XmssEngine::Serial(hash) => serial_hash(*hash, n, len, fill, out),
        }
    }

    /// Computes PRF(SEED, ADRS), with addresses advanced by `step` steps.
    fn prf(&self, addresses: &Addresses<'_>, step: u32, what: Use, out: &mut [u8]) {
        let n = self.n();
        let fill = |lane: usize, _: &[u8], message: &mut [u8]| {
            let rest = begin(Function::Prf, self.seeds.public, message);
            let mut address = addresses(lane).for_use(what);
            address.0[6] += step;
            copy_node(rest, &address.bytes());
        };
        self.hash(prefix_len(n) + n + 32, &fill, out);
    }

    /// Computes `RAND_HASH` of pairs of nodes: RFC 8391, Algorithm 7.
    pub(super) fn rand_hash(&self, addresses: &Addresses<'_>, pairs: &[u8], out: &mut [u8]) {
        match &self.engine {
            XmssEngine::Words(words) => words.rand_hash(addresses, pairs, out),
            _ => self.rand_hash_by_prf(addresses, pairs, out),
        }
    }

    #[inline(never)]
    fn rand_hash_by_prf(&self, addresses: &Addresses<'_>, pairs: &[u8], out: &mut [u8]) {
        let array = address_array::<LANES>(addresses, out.chunks_exact(self.n()).len());
        let addresses = &|lane: usize| array[lane];
        let (n, mut masked) = (self.n(), [[0; 64]; LANES]);
        let masked = &mut masked.as_flattened_mut()[..pairs.len()];
        masked.copy_from_slice(pairs);
        for (side, what) in [Use::Mask, Use::SecondMask].into_iter().enumerate() {
            self.prf(addresses, 0, what, out);
            let sides = masked.chunks_exact_mut(n).skip(side).step_by(2);
            sides.zip(out.chunks_exact(n)).for_each(|(node, mask)| add(node, mask));
        }
        self.prf(addresses, 0, Use::Key, out);
        let fill = |lane: usize, key: &[u8], message: &mut [u8]| {
            let (left, right) = begin(Function::H, key, message).split_at_mut(n);
            copy_node(left, &masked[2 * n * lane..][..n]);
            copy_node(right, &masked[2 * n * lane + n..][..n]);
        };
        self.hash(prefix_len(n) + 3 * n, &fill, out);
    }

    /// Advances chains: RFC 8391, Algorithm 2. Addresses are those of the first step.
    pub(super) fn chain(
        &self,
        addresses: &Addresses<'_>,
        steps: &[u32],
        values: &mut [u8],
        traces: &mut [Trace<'_>],
    ) {
        match &self.engine {
            XmssEngine::Words(words) if steps.len() > LANES => {
                words.chain::<MAX_CHAINS>(addresses, steps, values, traces);
            }
            XmssEngine::Words(words) => words.chain::<LANES>(addresses, steps, values, traces),
            _ => self.chain_by_prf(addresses, steps, values, traces),
        }
    }

    #[inline(never)]
    fn chain_by_prf(
        &self,
        addresses: &Addresses<'_>,
        steps: &[u32],
        values: &mut [u8],
        traces: &mut [Trace<'_>],
    ) {
        let array = address_array::<LANES>(addresses, values.chunks_exact(self.n()).len());
        let addresses = &|lane: usize| array[lane];
        let (n, mut keys, mut masked) = (self.n(), [[0; 32]; LANES], [[0; 32]; LANES]);
        let keys = &mut keys.as_flattened_mut()[..values.len()];
        let masked = &mut masked.as_flattened_mut()[..values.len()];
        for step in 0..steps.iter().copied().max().unwrap_or_default() {
            self.prf(addresses, step, Use::Mask, masked);
            add(masked, values);
            self.prf(addresses, step, Use::Key, keys);
            let fill = |lane: usize, value: &[u8], message: &mut [u8]| {
                copy_node(begin(Function::F, &keys[lane * n..][..n], message), value);
            };
            self.hash(prefix_len(n) + 2 * n, &fill, masked);
            take_step((n, step), steps, masked, values, traces);
        }
    }

    /// Derives the secret beginnings of chains.
    ///
    /// # Panics
    /// If the secret seed is not known.
    pub(super) fn beginnings(&self, addresses: &Addresses<'_>, out: &mut [u8]) {
        let XmssSeeds { public, secret, derivation } = self.seeds;
        let (n, secret) = (self.n(), secret.expect("a secret seed"));
        match (derivation, &self.engine) {
            (Derivation::Keygen, XmssEngine::Words(words)) => words.beginnings(addresses, out),
            (Derivation::Keygen, _) => {
                let fill = |lane: usize, _: &[u8], message: &mut [u8]| {
                    let (seed, address) = begin(Function::Keygen, secret, message).split_at_mut(n);
                    copy_node(seed, public);
                    copy_node(address, &addresses(lane).bytes());
                };
                self.hash(prefix_len(n) + 2 * n + 32, &fill, out);
            }
            (Derivation::Rfc8391, _) => {
                let fill = |lane: usize, _: &[u8], message: &mut [u8]| {
                    let mut address = addresses(lane);
                    address.0[5] = 0;
                    begin(Function::Prf, secret, message).copy_from_slice(&address.bytes());
                };
                let len = prefix_len(n) + n + 32;
                self.hash(len, &fill, out);
                let fill = |lane: usize, seed: &[u8], message: &mut [u8]| {
                    let number = begin(Function::Prf, seed, message);
                    number[28..].copy_from_slice(&addresses(lane).0[5].to_be_bytes());
                };
                self.hash(len, &fill, out);
            }
        }
    }
}

/// Collects addresses that are used more than once.
fn address_array<const LANES: usize>(addresses: &Addresses<'_>, lanes: usize) -> [Address; LANES] {
    let mut array = [Address::default(); LANES];
    array[..lanes].iter_mut().enumerate().for_each(|(lane, to)| *to = addresses(lane));
    array
}

/// Writes the beginning of a message, and returns the rest of the buffer.
fn begin<'a>(function: Function, key: &[u8], message: &'a mut [u8]) -> &'a mut [u8] {
    let (prefix, rest) = message.split_at_mut(prefix_len(key.len()));
    prefix[prefix.len() - 1] = function as u8;
    let (to, rest) = rest.split_at_mut(key.len());
    copy_node(to, key);
    rest
}

fn add(to: &mut [u8], what: &[u8]) {
    to.iter_mut().zip(what).for_each(|(to, what)| *to ^= what);
}

/// Blocks of the longest message with its padding: 96 bytes, in PRF with n = 32.
const MOST_BLOCKS: usize = 2;

/// Computes SHA-256. Out of line, so that the stack has the arrays of only one of these functions.
#[inline(never)]
fn sha256_hash<const LANES: usize>(
    engine: &dyn Sha256Engine,
    n: usize,
    len: usize,
    fill: &Fill<'_>,
    out: &mut [u8],
) {
    // Only one block of each message is in memory at a time.
    secret!(blocks: [Block256; LANES], states: [[u32; 8]; LANES]);
    secret!(message: [u8; 64 * MOST_BLOCKS]);
    let (lanes, count) = (out.chunks_exact(n).len(), (len + 9).div_ceil(64));
    states.fill(const { Midstate::new().words() });
    for number in 0..count {
        for (lane, (block, out)) in blocks.iter_mut().zip(out.chunks_exact(n)).enumerate() {
            message.fill(0);
            // FIPS 180-4, section 5.1.1: a one bit, zeros, and the length in bits.
            if 64 * number <= len {
                fill(lane, out, &mut message[..len]);
                message[len] = 0x80;
            }
            *block = load_words(&message[64 * number..][..64]);
            if number + 1 == count {
                block[15] = 8 * len as u32;
            }
        }
        engine.compress(&mut states[..lanes], &blocks[..lanes]);
    }
    out.chunks_exact_mut(n).zip(&*states).for_each(|(out, state)| store_words(state, out));
}

/// Computes SHAKE256 of messages of one block: the longest has 128 bytes.
#[inline(never)]
fn shake_hash<const LANES: usize>(
    engine: &dyn ShakeEngine,
    n: usize,
    len: usize,
    fill: &Fill<'_>,
    out: &mut [u8],
) {
    secret!(blocks: [Block; LANES], message: [u8; RATE_256]);
    let blocks = &mut blocks[..out.chunks_exact(n).len()];
    for (lane, (block, out)) in blocks.iter_mut().zip(out.chunks_exact(n)).enumerate() {
        message.fill(0);
        fill(lane, out, &mut message[..len]);
        message[len] = SUFFIX_SHAKE;
        message[RATE_256 - 1] |= 0x80;
        for (word, bytes) in block.iter_mut().zip(message.as_chunks::<8>().0) {
            *word = u64::from_le_bytes(*bytes);
        }
    }
    engine.hash_blocks(blocks, n, out);
}

#[inline(never)]
fn serial_hash(hash: Hash, n: usize, len: usize, fill: &Fill<'_>, out: &mut [u8]) {
    for (lane, out) in out.chunks_exact_mut(n).enumerate() {
        // The longest message is that of H: four times 64 bytes.
        secret!(message: [u8; 256]);
        message.fill(0);
        fill(lane, out, &mut message[..len]);
        digest(hash, &[&message[..len]], out);
    }
}
