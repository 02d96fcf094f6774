//! The hash functions with SHA-2: FIPS 205, section 11.2. For nodes of 16 bytes all functions use
//! SHA-256; for longer nodes H, `T_l` and the hashes of messages use SHA-512.
use oaklath_hash::ValueSpan;
use oaklath_hash::sha2::{
    Compress, Head, HmacSha256, HmacSha512, LaneStates, Sha2Thash, Sha2Word, Sha256, Sha256Lanes,
    Sha512, Sha512Lanes,
};
use oaklath_simd::{Simd, dispatch, scratch, wipe};
use oaklath_tree::{MAX_CHAINS, MAX_LANES, Trace, copy_node};

use crate::message::Formatted;
use crate::slh_dsa::hashes::{Adrs, PkSeed, SlhHash, have_one_seed, seed_of};
use crate::slh_dsa::params::MAX_N;

/// Prepares PK.seed.
pub(super) fn prepare(pk_seed: &[u8]) -> PkSeed {
    let mut block = [0; 128];
    block[..pk_seed.len()].copy_from_slice(pk_seed);
    let mut seed = PkSeed::NONE;
    seed.small = seed.small.absorb(&block.as_chunks::<64>().0[..1]);
    if is_large(pk_seed.len()) {
        let words = block.as_chunks().0;
        let block = Sha2Word::block(|i| u64::from_be_bytes(words[i]));
        let state = core::slice::from_mut(&mut seed.large);
        dispatch!(s => Sha512Lanes::new(s).compress(state, &[block]));
    }
    seed
}

/// Calls `compute` with the functions for nodes of `n` bytes at the current SIMD level.
pub(super) fn with_hash(
    n: usize,
    seeds: &[PkSeed],
    sk_seed: &[u8],
    compute: &mut dyn FnMut(&dyn SlhHash),
) {
    dispatch!(s => {
        let (small, large) = (Sha256Lanes::new(s), Sha512Lanes::new(s));
        let mut hash = Sha2 { n, small, large, seeds, sk_seed: [0; MAX_N] };
        // Written in place, since a move would leave a copy that is not erased.
        hash.sk_seed[..n].copy_from_slice(sk_seed);
        compute(&hash);
    });
}

/// Returns whether H, `T_l` and the hashes of messages use SHA-512 for nodes of `n` bytes.
fn is_large(n: usize) -> bool {
    n > 16
}

/// A hash function that continues after a block of PK.seed and zeros.
trait Seeded: Compress {
    fn start(seed: &PkSeed) -> [Self::Word; 8];
}

impl<S: Simd> Seeded for Sha256Lanes<S> {
    #[inline(always)]
    fn start(seed: &PkSeed) -> [u32; 8] {
        seed.small.words()
    }
}

impl<S: Simd> Seeded for Sha512Lanes<S> {
    #[inline(always)]
    fn start(seed: &PkSeed) -> [u64; 8] {
        seed.large
    }
}

/// Bytes of a compressed address.
const ADDRESS: usize = 22;

/// The hash functions with the seeds of keys.
struct Sha2<'a, S: Simd> {
    n: usize,
    small: Sha256Lanes<S>,
    large: Sha512Lanes<S>,
    seeds: &'a [PkSeed],
    sk_seed: [u8; MAX_N],
}

impl<S: Simd> Sha2<'_, S> {
    /// Does [`SlhHash::f`] for at most `MOST` addresses. Out of line, so that only as many heads
    /// are on the stack.
    #[inline(never)]
    fn advance<const MOST: usize>(
        &self,
        adrs: &[Adrs],
        steps: &[u32],
        values: &mut [u8],
        traces: &mut [Trace<'_>],
    ) {
        scratch!(heads: [Head; MOST]);
        heads.iter_mut().zip(adrs).for_each(|(head, adrs)| *head = adrs_head(adrs));
        let chains = (ValueSpan { at: ADDRESS, n: self.n }, &heads[..adrs.len()]);
        if have_one_seed(adrs) {
            let start = (&self.seed(&adrs[0]).small).into();
            self.small.advance_chains(start, chains, steps, values, traces);
        } else {
            self.advance_by_keys(adrs, chains, steps, values, traces);
        }
    }

    /// Advances chains of many keys. Out of line, so that only these have states on the stack.
    #[inline(never)]
    fn advance_by_keys(
        &self,
        adrs: &[Adrs],
        chains: (ValueSpan, &[Head]),
        steps: &[u32],
        values: &mut [u8],
        traces: &mut [Trace<'_>],
    ) {
        let mut starts = LaneStates::splat(&self.seed(&adrs[0]).small);
        for (lane, adrs) in adrs.iter().enumerate() {
            starts.set(lane, &self.seed(adrs).small);
        }
        self.small.advance_chains((&starts).into(), chains, steps, values, traces);
    }

    #[inline(always)]
    fn seed(&self, adrs: &Adrs) -> &PkSeed {
        &self.seeds[seed_of(adrs)]
    }

    /// Computes H. An address and two nodes are one block.
    #[inline(always)]
    fn h_by<E: Seeded>(&self, engine: E, adrs: &[Adrs], children: &[u8], parents: &mut [u8]) {
        const { assert!(ADDRESS + 64 < 128 - 16 && ADDRESS + 32 < 64 - 8) };
        let (n, len) = (self.n, size_of::<E::Bytes>());
        scratch!(states: [[E::Word; 8]; MAX_LANES], blocks: [[E::Word; 16]; MAX_LANES]);
        let (states, blocks) = (&mut states[..adrs.len()], &mut blocks[..adrs.len()]);
        let pairs = children.chunks_exact(2 * n);
        for (((state, block), adrs), pair) in
            states.iter_mut().zip(&mut *blocks).zip(adrs).zip(pairs)
        {
            let mut words = pair_words(adrs, pair);
            // FIPS 180-4, section 5.1: the length in bits, after a one and zeros.
            words[(len >> 3) - 1] = 8 * (len + ADDRESS + 2 * n) as u64;
            (*state, *block) = (E::start(self.seed(adrs)), E::Word::block(|i| words[i]));
        }
        engine.compress(states, blocks);
        states
            .iter()
            .zip(parents.chunks_exact_mut(n))
            .for_each(|(state, out)| E::store(state, out));
    }

    /// Computes `T_l`.
    fn t_l_by<E: Seeded>(
        &self,
        engine: E,
        adrs: &[Adrs],
        l: usize,
        row: &mut dyn FnMut(u32, &mut [u8]),
        out: &mut [u8],
    ) {
        let mut states = [E::start(&self.seeds[0]); MAX_LANES];
        let mut addresses = [[0; ADDRESS]; MAX_LANES];
        for ((state, bytes), adrs) in states.iter_mut().zip(&mut addresses).zip(adrs) {
            (*state, *bytes) = (E::start(self.seed(adrs)), adrs_bytes(adrs));
        }
        let mut thash = Sha2Thash::new(engine, states, size_of::<E::Bytes>() as u64, adrs.len());
        thash.absorb_pieces(ADDRESS, addresses[..adrs.len()].as_flattened());
        for i in 0..l as u32 {
            row(i, out);
            thash.absorb_pieces(self.n, out);
        }
        thash.finish_digests(self.n, out);
    }
}

/// Compresses an address to words of eight bytes, the last two bytes zero: FIPS 205, Figure 18.
#[inline(always)]
fn adrs_words(adrs: &Adrs) -> [u64; 3] {
    let [layer, tree, kind_and_key, last] = *adrs;
    let (kind, key) = (kind_and_key >> 32, kind_and_key & u64::from(u32::MAX));
    [layer >> 32 << 56 | tree >> 8, tree << 56 | kind << 48 | key << 16 | last >> 48, last << 16]
}

fn adrs_bytes(adrs: &Adrs) -> [u8; ADDRESS] {
    let bytes = adrs_words(adrs).map(u64::to_be_bytes);
    *bytes.as_flattened().first_chunk().expect("22 of 24")
}

fn adrs_head(adrs: &Adrs) -> Head {
    let [a, b, c] = adrs_words(adrs).map(|word| [(word >> 32) as u32, word as u32]);
    [a[0], a[1], b[0], b[1], c[0], c[1]]
}

/// Returns an address, two nodes and the one bit of the padding. Shifts in registers, since bytes
/// that are stored unaligned are slow to load as words.
#[inline(always)]
fn pair_words(adrs: &Adrs, pair: &[u8]) -> [u64; 16] {
    let ([a, b, mut rest], mut words) = (adrs_words(adrs), [0; 16]);
    (words[0], words[1]) = (a, b);
    let (nodes, mut at) = (pair.as_chunks().0, 2);
    for node in nodes {
        let node = u64::from_be_bytes(*node);
        words[at] = rest | node >> 48;
        (rest, at) = (node << 16, at + 1);
    }
    words[at] = rest | 0x80 << 8;
    words
}

impl<S: Simd> Drop for Sha2<'_, S> {
    fn drop(&mut self) {
        wipe(&mut self.sk_seed);
    }
}

impl<S: Simd> SlhHash for Sha2<'_, S> {
    fn n(&self) -> usize {
        self.n
    }
    fn lanes(&self) -> usize {
        self.small.lanes()
    }
    /// PRF is F of SK.seed.
    fn prf(&self, adrs: &[Adrs], out: &mut [u8]) {
        let sk_seed = &self.sk_seed[..self.n];
        (0..adrs.len()).for_each(|i| copy_node(&mut out[i * self.n..], sk_seed));
        self.f(adrs, &[1; MAX_LANES][..adrs.len()], out, &mut []);
    }
    fn f(&self, adrs: &[Adrs], steps: &[u32], values: &mut [u8], traces: &mut [Trace<'_>]) {
        match adrs.len() {
            0..=MAX_LANES => self.advance::<MAX_LANES>(adrs, steps, values, traces),
            _ => self.advance::<MAX_CHAINS>(adrs, steps, values, traces),
        }
    }
    fn h(&self, adrs: &[Adrs], children: &[u8], parents: &mut [u8]) {
        if is_large(self.n) {
            self.h_by(self.large, adrs, children, parents);
        } else {
            self.h_by(self.small, adrs, children, parents);
        }
    }
    fn t_l(&self, adrs: &[Adrs], l: usize, row: &mut dyn FnMut(u32, &mut [u8]), out: &mut [u8]) {
        if is_large(self.n) {
            self.t_l_by(self.large, adrs, l, row, out);
        } else {
            self.t_l_by(self.small, adrs, l, row, out);
        }
    }
    fn prf_msg(&self, sk_prf: &[u8], opt_rand: &[u8], message: &Formatted<'_>, r: &mut [u8]) {
        macro_rules! hmac {
            ($hmac:ident) => {{
                let mut mac = $hmac::new(sk_prf);
                mac.absorb(opt_rand);
                message.pieces().for_each(|piece| mac.absorb(piece));
                r.copy_from_slice(&mac.finish()[..r.len()]);
            }};
        }
        if is_large(self.n) { hmac!(HmacSha512) } else { hmac!(HmacSha256) }
    }
    /// `H_msg` is MGF1 (RFC 8017, section B.2.1) of R, PK.seed and a first digest.
    fn h_msg(&self, prefix: [&[u8]; 3], message: &Formatted<'_>, digest: &mut [u8]) {
        let [r, pk_seed, pk_root] = prefix;
        macro_rules! mgf1 {
            ($hash:ident $len:literal) => {{
                let mut inner = $hash::new().chain(r).chain(pk_seed).chain(pk_root);
                message.pieces().for_each(|piece| inner.absorb(piece));
                let outer = $hash::new().chain(r).chain(pk_seed).chain(&inner.finish());
                for (counter, out) in (0_u32..).zip(digest.chunks_mut($len)) {
                    let mask = outer.clone().chain(&counter.to_be_bytes()).finish();
                    out.copy_from_slice(&mask[..out.len()]);
                }
            }};
        }
        if is_large(self.n) { mgf1!(Sha512 64) } else { mgf1!(Sha256 32) }
    }
}
