//! Several sponges under one permutation. Each lane has a rate, a phase and a purpose of its own:
//! whoever drives it (a [`schedule`](crate::schedule)) knows them.
use core::fmt;
use core::marker::PhantomData;

use oaklath_simd::{Simd, U64Lanes, wipe};

use crate::keccak::{RATE_256, RATE_SHAKE128, permute_lanes, permute_two, words};

/// Four sponges.
pub type Lanes4<S> = Lanes<S, <S as Simd>::Four, 4>;
/// Eight sponges.
pub type Lanes8<S> = Lanes<S, <S as Simd>::Eight, 8>;

/// A row of squeezed bytes: one block of SHAKE128, and as much room as makes a multiple of 64.
pub const ROW: usize = 192;

/// `N` sponges, erased when dropped.
///
/// Its functions are to be inlined into a kernel: call them inside [`vectorize!`](oaklath_simd::vectorize).
pub struct Lanes<S: Simd, W: U64Lanes<S, N>, const N: usize> {
    s: S,
    state: [W; 25],
    lanes: PhantomData<[u64; N]>,
}

/// What lanes begin with: those of `mask` (all ones) as sponges of `seed || word`, with `word`
/// holding whatever follows the seed and the suffix.
#[derive(Clone, Copy, Debug)]
pub struct Start<const N: usize> {
    /// All ones in the lanes that begin.
    pub mask: [u64; N],
    /// The word after the seed of each.
    pub word: [u64; N],
}

/// Word `i` of a string.
#[inline(always)]
fn word(bytes: &[u8], i: usize) -> u64 {
    u64::from_le_bytes(*bytes[8 * i..].first_chunk().expect("eight bytes"))
}

/// The last bit of the pad, as a word.
const LAST_BIT: u64 = 1 << 63;

impl<S: Simd, W: U64Lanes<S, N>, const N: usize> Lanes<S, W, N> {
    /// All states zero.
    #[inline(always)]
    pub fn new(s: S) -> Self {
        Self { s, state: [W::splat(s, 0); 25], lanes: PhantomData }
    }

    /// Begins the lanes of `start.mask` anew with a whole padded message: `seed`, which is whole
    /// words, the words of `start`, and the last bit of the pad at the end of `RATE` bytes.
    #[inline(always)]
    pub fn start<const RATE: usize, const SEED: usize>(
        &mut self,
        start: &Start<N>,
        seed: &[u8; SEED],
    ) {
        let s = self.s;
        let mask = W::from_array(s, start.mask);
        let mut i = 0;
        while i < 25 {
            let new = if i < const { words(SEED) } {
                W::splat(s, word(seed, i))
            } else if i == const { words(SEED) } {
                W::from_array(s, start.word)
            } else {
                W::splat(s, if i == const { words(RATE) - 1 } { LAST_BIT } else { 0 })
            };
            self.state[i] = self.state[i].select(mask, new);
            i += 1;
        }
    }

    /// Begins one lane anew with a block of 136 bytes.
    #[inline(always)]
    pub fn load(&mut self, lane: usize, block: &[u8; RATE_256]) {
        let s = self.s;
        let mask = W::from_array(s, const { masks::<N>() }[lane]);
        let mut i = 0;
        while i < 25 {
            let new = if i < const { words(RATE_256) } { word(block, i) } else { 0 };
            self.state[i] = self.state[i].select(mask, W::splat(s, new));
            i += 1;
        }
    }

    /// Adds a block of 136 bytes to one lane.
    #[inline(always)]
    pub fn absorb(&mut self, lane: usize, block: &[u8; RATE_256]) {
        let mask = W::from_array(self.s, const { masks::<N>() }[lane]);
        let mut i = 0;
        while i < const { words(RATE_256) } {
            self.state[i] = self.state[i].xor_masked(mask, word(block, i));
            i += 1;
        }
    }

    /// Replaces the state of one lane.
    #[inline(always)]
    pub fn replace(&mut self, lane: usize, state: &[u64; 25]) {
        let mask = W::from_array(self.s, const { masks::<N>() }[lane]);
        let mut i = 0;
        while i < 25 {
            self.state[i] = self.state[i].select(mask, W::splat(self.s, state[i]));
            i += 1;
        }
    }

    /// Permutes all lanes, or at least those whose bit is set in `active`.
    #[inline(always)]
    pub fn permute(&mut self, active: u32) {
        permute_lanes(self.s, &mut self.state, active);
    }

    /// The first 168 bytes of every lane, each to its row.
    #[inline(always)]
    pub fn squeeze(&self, rows: &mut [[u8; ROW]; N]) {
        let a = &self.state;
        let mut i = 0;
        while i < 20 {
            W::store_words([a[i], a[i + 1], a[i + 2], a[i + 3]], rows, 8 * i);
            i += 4;
        }
        let last = a[20].to_array();
        let mut lane = 0;
        while lane < N {
            rows[lane][160..RATE_SHAKE128].copy_from_slice(&last[lane].to_le_bytes());
            lane += 1;
        }
    }

    /// The first `M` words of one lane. The lane's number is public.
    #[inline(always)]
    pub fn words<const M: usize>(&self, lane: usize) -> [u64; M] {
        let mut words = [0; M];
        let mut i = 0;
        while i < M {
            words[i] = self.state[i].to_array()[lane];
            i += 1;
        }
        words
    }
}

impl<S: Simd> Lanes4<S> {
    /// Permutes all these lanes and four others, at once where a register holds eight words.
    #[inline(always)]
    pub fn permute_with(&mut self, others: &mut Self) {
        permute_two(self.s, &mut self.state, &mut others.state);
    }
}

impl<S: Simd, W: U64Lanes<S, N>, const N: usize> Drop for Lanes<S, W, N> {
    #[inline(always)]
    fn drop(&mut self) {
        wipe(&mut self.state);
    }
}

impl<S: Simd, W: U64Lanes<S, N>, const N: usize> fmt::Debug for Lanes<S, W, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lanes").finish_non_exhaustive()
    }
}

/// All ones in lane `i` of row `i`.
const fn masks<const N: usize>() -> [[u64; N]; N] {
    let mut masks = [[0; N]; N];
    let mut i = 0;
    while i < N {
        masks[i][i] = u64::MAX;
        i += 1;
    }
    masks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keccak::{SUFFIX_SHA3, SUFFIX_SHAKE};
    use crate::sha3::{Shake128, Shake256, sha3_256};
    use oaklath_simd::{Level, dispatch};

    /// In one run: lane 0 hashes two blocks, lane 1 is SHAKE128, lane 2 SHAKE256, lane 3 begins
    /// later; further lanes are SHAKE128 too.
    #[inline(always)]
    fn mixed<S: Simd, W: U64Lanes<S, N>, const N: usize>(s: S) {
        let seed: [u8; 32] = core::array::from_fn(|i| 3 * i as u8);
        let message: [u8; 200] = core::array::from_fn(|i| i as u8);
        let (mut first, mut second) = ([0; 136], [0; 136]);
        first.copy_from_slice(&message[..136]);
        second[..64].copy_from_slice(&message[136..]);
        second[64] = SUFFIX_SHA3;
        second[135] = 0x80;
        let shake = u64::from(SUFFIX_SHAKE);
        let (mut all, mut one) = ([u64::MAX; N], [0; N]);
        (all[0], all[2], all[3]) = (0, 0, 0);
        one[2] = u64::MAX;
        let shake128 = Start { mask: all, word: [7 | shake << 8; N] };
        let shake256 = Start { mask: one, word: [9 | shake << 8; N] };

        let mut lanes = Lanes::<S, W, N>::new(s);
        lanes.load(0, &first);
        lanes.start::<RATE_SHAKE128, 32>(&shake128, &seed);
        lanes.start::<RATE_256, 32>(&shake256, &seed);
        lanes.permute((1 << N) - 1);
        let mut rows = [[0; ROW]; N];
        lanes.squeeze(&mut rows);
        let mut want = [0; 168];
        Shake128::new().chain(&seed).chain(&[7]).finish().read(&mut want);
        assert_eq!(rows[1][..168], want, "{s:?} {N}");
        assert_eq!(rows[N - 1][..168] == want, N > 4, "lane 3 has not begun");
        Shake256::new().chain(&seed).chain(&[9]).finish().read(&mut want);
        assert_eq!(rows[2][..136], want[..136], "{s:?} {N}");

        lanes.absorb(0, &second);
        lanes.load(3, &first);
        lanes.permute((1 << N) - 1);
        lanes.squeeze(&mut rows);
        assert_eq!(rows[0][..32], sha3_256(&message), "{s:?} {N}");
        let mut more = [0; 336];
        Shake128::new().chain(&seed).chain(&[7]).finish().read(&mut more);
        assert_eq!(rows[1][..168], more[168..], "{s:?} {N}");

        // Taken out and put back.
        let waiting = lanes.words::<25>(3);
        lanes.permute((1 << N) - 1);
        lanes.replace(3, &waiting);
        lanes.absorb(3, &second);
        lanes.permute(8);
        let digest = lanes.words::<4>(3).map(u64::to_le_bytes);
        assert_eq!(*digest.as_flattened(), sha3_256(&message), "{s:?} {N}");
    }

    #[test]
    fn lanes_hold_different_sponges() {
        for level in Level::available() {
            dispatch!(level, s => four(s));
            dispatch!(level, s => eight(s));
        }
        #[inline(always)]
        fn four<S: Simd>(s: S) {
            mixed::<S, S::Four, 4>(s);
        }
        #[inline(always)]
        fn eight<S: Simd>(s: S) {
            mixed::<S, S::Eight, 8>(s);
        }
    }

    /// A mask chooses its lane and no other.
    #[test]
    fn masks_of_lanes() {
        for (i, mask) in masks::<8>().into_iter().enumerate() {
            assert_eq!(mask, core::array::from_fn(|lane| if lane == i { u64::MAX } else { 0 }));
        }
    }
}
