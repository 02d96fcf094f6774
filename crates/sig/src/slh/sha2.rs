//! SHA-2 as all of the functions: FIPS 205, section 11.2. With nodes of 16 bytes all of them are
//! SHA-256; with longer ones H, `T_l` and those of messages are SHA-512.
use oaklath_hash::ValueSpan;
use oaklath_hash::sha2::{
    self, Block256, Compress, Head, HmacSha256, HmacSha512, IV512, Midstate, Sha256, Sha256Lanes,
    Sha512, Sha512Lanes,
};
use oaklath_simd::{Simd, scratch, wipe};
use oaklath_tree::{Link, MAX_LANES, Nodes, OneTime, Place, Slot, Trace};

use crate::message::Formatted;
use crate::slh::hashes::{Address, Hashes, Kind};
use crate::slh::params::{DIGIT_BITS, chains};

/// Bytes of a compressed address.
const ADDRESS: usize = 22;

/// The states after PK.seed and its padding to a block, and the secret seed.
pub(super) struct Sha2<S: Simd, const N: usize> {
    small: Sha256Lanes<S>,
    large: Sha512Lanes<S>,
    small_start: Midstate,
    large_start: [u64; 8],
    secret: [u8; N],
}

impl<S: Simd, const N: usize> Sha2<S, N> {
    /// Whether H and `T_l` are SHA-512.
    const LARGE: bool = N > 16;

    pub(super) fn new(s: S, seed: &[u8; N], secret: &[u8; N]) -> Self {
        let mut block = [0; 128];
        block[..N].copy_from_slice(seed);
        let small_start = Midstate::new().absorb(&block.as_chunks::<64>().0[..1]);
        let mut large_start = [IV512];
        let large = Sha512Lanes::new(s);
        large.compress(&mut large_start, &[Sha512Lanes::<S>::words(&block)]);
        let [large_start] = large_start;
        Self { small: Sha256Lanes::new(s), large, small_start, large_start, secret: *secret }
    }

    /// F: one step of a chain.
    fn f(&self, addresses: impl Iterator<Item = Address>, values: &mut [[u8; N]]) {
        scratch!(heads: [Head; MAX_LANES]);
        let mut n = 0;
        for address in addresses {
            heads[n] = address_words(&address);
            n += 1;
        }
        let chains = (ValueSpan { at: ADDRESS, n: N }, &heads[..n]);
        let values = values.as_flattened_mut();
        self.small.advance_chains(&self.small_start, chains, 1, values, &mut []);
    }

    /// PRF, which is F of the secret seed.
    fn prf(&self, addresses: impl Iterator<Item = Address>, values: &mut [[u8; N]]) {
        values.fill(self.secret);
        self.f(addresses, values);
    }

    /// H at some places.
    fn h(&self, kind: Kind, places: &[Place], children: &[[[u8; N]; 2]], parents: &mut [[u8; N]]) {
        let n = places.len();
        // Between the children and the length in bits there is nothing but a one.
        const { assert!(ADDRESS + 64 < 128 - 16 && ADDRESS + 32 < 64 - 8) };
        if Self::LARGE {
            let mut states = [self.large_start; MAX_LANES];
            scratch!(blocks: [[u64; 16]; MAX_LANES]);
            for ((block, place), children) in blocks.iter_mut().zip(places).zip(children) {
                let mut message = [0; 128];
                put_pair(&Address::of_node(place, kind), children, &mut message);
                *block = Sha512Lanes::<S>::words(&message);
                block[15] = const { 8 * (128 + ADDRESS + 2 * N) as u64 };
            }
            self.large.compress(&mut states[..n], &blocks[..n]);
            states.iter().zip(parents).for_each(|(state, out)| Sha512Lanes::<S>::store(state, out));
        } else {
            let mut states = [self.small_start.words(); MAX_LANES];
            scratch!(blocks: [Block256; MAX_LANES]);
            for ((block, place), children) in blocks.iter_mut().zip(places).zip(children) {
                let mut message = [0; 64];
                put_pair(&Address::of_node(place, kind), children, &mut message);
                *block = Sha256Lanes::<S>::words(&message);
                block[15] = const { 8 * (64 + ADDRESS + 2 * N) as u32 };
            }
            self.small.compress(&mut states[..n], &blocks[..n]);
            states.iter().zip(parents).for_each(|(state, out)| Sha256Lanes::<S>::store(state, out));
        }
    }

    /// Begins `T_l` at the addresses of some keys.
    fn t(&self, kind: Kind, slots: &[Slot]) -> Fold<S> {
        let mut addresses = [[0; ADDRESS]; MAX_LANES];
        for (address, slot) in addresses.iter_mut().zip(slots) {
            *address = address_bytes(&Address::of_key(*slot, kind));
        }
        let lanes = slots.len();
        let mut fold = match Self::LARGE {
            true => Fold::Large(sha2::Fold::new(self.large, &self.large_start, 128, lanes)),
            false => Fold::Small(sha2::Fold::new(self.small, &self.small_start.words(), 64, lanes)),
        };
        fold.absorb(&addresses[..lanes]);
        fold
    }
}

/// `T_l` of several keys on its way.
#[expect(clippy::large_enum_variant, reason = "one at a time, on the stack; a box needs a heap")]
pub(super) enum Fold<S: Simd> {
    Small(sha2::Fold<Sha256Lanes<S>, MAX_LANES>),
    Large(sha2::Fold<Sha512Lanes<S>, MAX_LANES>),
}

impl<S: Simd> Fold<S> {
    fn absorb<const N: usize>(&mut self, pieces: &[[u8; N]]) {
        match self {
            Self::Small(fold) => fold.absorb_pieces(N, pieces.as_flattened()),
            Self::Large(fold) => fold.absorb_pieces(N, pieces.as_flattened()),
        }
    }
}

/// A compressed address as words; its last half word is zero. FIPS 205, Figure 18.
fn address_words(address: &Address) -> [u32; 6] {
    let Address { slot, kind, key, sixth, seventh } = *address;
    [
        slot.layer << 24 | (slot.tree >> 40) as u32,
        (slot.tree >> 8) as u32,
        (slot.tree as u32) << 24 | (kind as u32) << 16 | key >> 16,
        key << 16 | sixth >> 16,
        sixth << 16 | seventh >> 16,
        seventh << 16,
    ]
}

fn address_bytes(address: &Address) -> [u8; ADDRESS] {
    let mut bytes = [0; 24];
    for (bytes, word) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(address_words(address)) {
        *bytes = word.to_be_bytes();
    }
    *bytes.first_chunk().expect("22 of 24")
}

/// An address, two nodes, and a one after them.
#[inline(always)]
fn put_pair<const N: usize>(address: &Address, children: &[[u8; N]; 2], message: &mut [u8]) {
    message[..ADDRESS].copy_from_slice(&address_bytes(address));
    message[ADDRESS..ADDRESS + N].copy_from_slice(&children[0]);
    message[ADDRESS + N..ADDRESS + 2 * N].copy_from_slice(&children[1]);
    message[ADDRESS + 2 * N] = 0x80;
}

impl<S: Simd, const N: usize> Drop for Sha2<S, N> {
    fn drop(&mut self) {
        wipe(&mut self.secret);
    }
}

impl<S: Simd, const N: usize> Nodes<N> for Sha2<S, N> {
    fn lanes(&self) -> usize {
        self.small.lanes()
    }
    fn nodes(&self, places: &[Place], children: &[[[u8; N]; 2]], parents: &mut [[u8; N]]) {
        self.h(Kind::Tree, places, children, parents);
    }
}

impl<S: Simd, const N: usize> OneTime<N> for Sha2<S, N> {
    type Fold = Fold<S>;

    fn digit_bits(&self) -> u32 {
        DIGIT_BITS
    }
    fn chains(&self) -> usize {
        chains(N)
    }
    fn secrets(&self, links: &[Link], values: &mut [[u8; N]]) {
        let address = |link: &Link| {
            let key = Address::of_key(link.slot, Kind::ChainSecret);
            Address { sixth: link.chain, ..key }
        };
        self.prf(links.iter().map(address), values);
    }
    fn advance(
        &self,
        links: &[Link],
        steps: u32,
        values: &mut [[u8; N]],
        traces: &mut [Trace<'_, N>],
    ) {
        scratch!(heads: [Head; MAX_LANES]);
        for (head, link) in heads.iter_mut().zip(links) {
            *head = address_words(&Address::of_link(link));
        }
        let heads = &heads[..links.len()];
        let mut flat: [oaklath_hash::Trace<'_>; MAX_LANES] = Default::default();
        let count = traces.len();
        for (flat, (lane, trace)) in flat.iter_mut().zip(traces) {
            *flat = (*lane, trace.as_flattened_mut());
        }
        let (traces, values) = (&mut flat[..count], values.as_flattened_mut());
        let chains = (ValueSpan { at: ADDRESS, n: N }, heads);
        self.small.advance_chains(&self.small_start, chains, steps, values, traces);
    }
    fn fold(&self, slots: &[Slot]) -> Fold<S> {
        self.t(Kind::Leaf, slots)
    }
    fn absorb(&self, fold: &mut Fold<S>, _: u32, ends: &[[u8; N]]) {
        fold.absorb(ends);
    }
    fn finish(&self, fold: &mut Fold<S>, leaves: &mut [[u8; N]]) {
        match fold {
            Fold::Small(fold) => fold.finish_digests(N, leaves.as_flattened_mut()),
            Fold::Large(fold) => fold.finish_digests(N, leaves.as_flattened_mut()),
        }
    }
}

impl<S: Simd, const N: usize> Hashes<N> for Sha2<S, N> {
    fn fors_secrets(&self, places: &[Place], values: &mut [[u8; N]]) {
        self.prf(places.iter().map(|place| Address::of_node(place, Kind::ForsSecret)), values);
    }
    fn fors_leaves(&self, places: &[Place], values: &mut [[u8; N]]) {
        self.f(places.iter().map(|place| Address::of_node(place, Kind::ForsTree)), values);
    }
    fn fors_nodes(&self, places: &[Place], children: &[[[u8; N]; 2]], parents: &mut [[u8; N]]) {
        self.h(Kind::ForsTree, places, children, parents);
    }
    fn fors_fold(&self, slots: &[Slot]) -> Fold<S> {
        self.t(Kind::ForsRoots, slots)
    }
    fn randomizer(prf: &[u8; N], additional: &[u8; N], message: &Formatted<'_>) -> [u8; N] {
        let mut r = [0; N];
        if Self::LARGE {
            let mut mac = HmacSha512::new(prf);
            mac.absorb(additional);
            message.pieces().for_each(|piece| mac.absorb(piece));
            r.copy_from_slice(&mac.finish()[..N]);
        } else {
            let mut mac = HmacSha256::new(prf);
            mac.absorb(additional);
            message.pieces().for_each(|piece| mac.absorb(piece));
            r.copy_from_slice(&mac.finish()[..N]);
        }
        r
    }
    fn digest(
        r: &[u8; N],
        seed: &[u8; N],
        root: &[u8; N],
        message: &Formatted<'_>,
        out: &mut [u8],
    ) {
        // MGF1 (RFC 8017, section B.2.1) of R, PK.seed and a first digest.
        if Self::LARGE {
            let mut inner = Sha512::new().chain(r).chain(seed).chain(root);
            message.pieces().for_each(|piece| inner.absorb(piece));
            let outer = Sha512::new().chain(r).chain(seed).chain(&inner.finish());
            for (counter, out) in (0_u32..).zip(out.chunks_mut(64)) {
                let mask = outer.clone().chain(&counter.to_be_bytes()).finish();
                out.copy_from_slice(&mask[..out.len()]);
            }
        } else {
            let mut inner = Sha256::new().chain(r).chain(seed).chain(root);
            message.pieces().for_each(|piece| inner.absorb(piece));
            let outer = Sha256::new().chain(r).chain(seed).chain(&inner.finish());
            for (counter, out) in (0_u32..).zip(out.chunks_mut(32)) {
                let mask = outer.clone().chain(&counter.to_be_bytes()).finish();
                out.copy_from_slice(&mask[..out.len()]);
            }
        }
    }
}
