//! The hash functions with SHA-2: FIPS 205, section 11.2. For nodes of 16 bytes all functions use
//! SHA-256; for longer nodes H, `T_l` and the hashes of messages use SHA-512.
use oaklath_hash::ValueSpan;
use oaklath_hash::sha2::{
    Compress, Head, HmacSha256, HmacSha512, IV512, Midstate, Sha2Thash, Sha2Word, Sha256,
    Sha256Lanes, Sha512, Sha512Lanes,
};
use oaklath_simd::{Simd, dispatch, scratch, wipe};
use oaklath_tree::{MAX_CHAINS, MAX_LANES, Trace, copy_node};

use crate::message::Formatted;
use crate::slh_dsa::hashes::{Adrs, SlhHash};
use crate::slh_dsa::params::MAX_N;

/// Calls `compute` with the functions for nodes of `n` bytes at the current SIMD level.
pub(crate) fn with_hash(
    n: usize,
    [pk_seed, sk_seed]: [&[u8]; 2],
    compute: &mut dyn FnMut(&dyn SlhHash),
) {
    dispatch!(s => {
        let mut hash = Sha2::new(s, n, pk_seed);
        // Written in place, since a move would leave a copy that is not erased.
        hash.sk_seed[..n].copy_from_slice(sk_seed);
        compute(&hash);
    });
}

/// Bytes of a compressed address.
const ADDRESS: usize = 22;

/// The states after PK.seed and its padding to a block, and SK.seed.
struct Sha2<S: Simd> {
    n: usize,
    small: Sha256Lanes<S>,
    large: Sha512Lanes<S>,
    small_start: Midstate,
    large_start: [u64; 8],
    sk_seed: [u8; MAX_N],
}

impl<S: Simd> Sha2<S> {
    /// Returns the functions without SK.seed.
    fn new(s: S, n: usize, pk_seed: &[u8]) -> Self {
        let mut block = [0; 128];
        block[..n].copy_from_slice(pk_seed);
        let small_start = Midstate::new().absorb(&block.as_chunks::<64>().0[..1]);
        let (small, large) = (Sha256Lanes::new(s), Sha512Lanes::new(s));
        let mut large_start = [IV512];
        let words = block.as_chunks().0;
        large.compress(&mut large_start, &[Sha2Word::block(|i| u64::from_be_bytes(words[i]))]);
        let [large_start] = large_start;
        Self { n, small, large, small_start, large_start, sk_seed: [0; MAX_N] }
    }

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
        self.small.advance_chains(&self.small_start, chains, steps, values, traces);
    }

    /// Returns whether H, `T_l` and the hashes of messages use SHA-512.
    fn is_large(&self) -> bool {
        self.n > 16
    }

    /// Computes H with a hash function whose state after the `len` bytes of PK.seed and its padding
    /// is `start`. An address and two nodes are one block.
    #[inline(always)]
    fn h_by<E: Compress>(
        &self,
        engine: E,
        start: &[E::Word; 8],
        len: usize,
        adrs: &[Adrs],
        children: &[u8],
        parents: &mut [u8],
    ) {
        const { assert!(ADDRESS + 64 < 128 - 16 && ADDRESS + 32 < 64 - 8) };
        let n = self.n;
        scratch!(states: [[E::Word; 8]; MAX_LANES], blocks: [[E::Word; 16]; MAX_LANES]);
        let (states, blocks) = (&mut states[..adrs.len()], &mut blocks[..adrs.len()]);
        let pairs = children.chunks_exact(2 * n);
        for (((state, block), adrs), pair) in
            states.iter_mut().zip(&mut *blocks).zip(adrs).zip(pairs)
        {
            let mut words = pair_words(adrs, pair);
            // FIPS 180-4, section 5.1: the length in bits, after a one and zeros.
            words[(len >> 3) - 1] = 8 * (len + ADDRESS + 2 * n) as u64;
            (*state, *block) = (*start, E::Word::block(|i| words[i]));
        }
        engine.compress(states, blocks);
        states
            .iter()
            .zip(parents.chunks_exact_mut(n))
            .for_each(|(state, out)| E::store(state, out));
    }

    /// Computes `T_l` with a hash function that has absorbed PK.seed.
    fn t_l_by<E: Compress>(
        &self,
        mut thash: Sha2Thash<E, MAX_LANES>,
        adrs: &[Adrs],
        l: usize,
        row: &mut dyn FnMut(u32, &mut [u8]),
        out: &mut [u8],
    ) {
        let mut addresses = [[0; ADDRESS]; MAX_LANES];
        for (bytes, adrs) in addresses.iter_mut().zip(adrs) {
            *bytes = adrs_bytes(adrs);
        }
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
    [layer << 24 | tree >> 8, tree << 56 | kind << 48 | key << 16 | last >> 48, last << 16]
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

impl<S: Simd> Drop for Sha2<S> {
    fn drop(&mut self) {
        wipe(&mut self.sk_seed);
    }
}

impl<S: Simd> SlhHash for Sha2<S> {
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
        if self.is_large() {
            self.h_by(self.large, &self.large_start, 128, adrs, children, parents);
        } else {
            self.h_by(self.small, &self.small_start.words(), 64, adrs, children, parents);
        }
    }
    fn t_l(&self, adrs: &[Adrs], l: usize, row: &mut dyn FnMut(u32, &mut [u8]), out: &mut [u8]) {
        if self.is_large() {
            let thash = Sha2Thash::new(self.large, &self.large_start, 128, adrs.len());
            self.t_l_by(thash, adrs, l, row, out);
        } else {
            let thash = Sha2Thash::new(self.small, &self.small_start.words(), 64, adrs.len());
            self.t_l_by(thash, adrs, l, row, out);
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
        if self.is_large() { hmac!(HmacSha512) } else { hmac!(HmacSha256) }
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
        if self.is_large() { mgf1!(Sha512 64) } else { mgf1!(Sha256 32) }
    }
}
