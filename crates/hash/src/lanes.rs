//! Several sponges under one permutation. Each lane has its own rate, phase and purpose, which are
//! known to the [`schedule`](crate::schedule) that drives it.
use core::fmt;

use oaklath_simd::{Simd, U64Lanes, U64s, each, wipe};

use crate::keccak::{RATE_256, RATE_SHAKE128, permute_lanes, permute_two, words};

/// The length of a row of squeezed bytes: a block of SHAKE128, rounded up to a multiple of 64.
pub const ROW: usize = 192;

/// Four sponges, erased when dropped.
///
/// Its functions are to be inlined into a kernel: call them only inside
/// [`vectorize!`](oaklath_simd::vectorize).
pub struct Lanes4<S: Simd> {
    s: S,
    state: [S::Four; 25],
}

/// The start of lanes: those in `mask` become sponges of `seed || word`, where `word` holds what
/// follows the seed, and the suffix.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    /// All ones for each lane that starts, else zero.
    pub mask: [u64; 4],
    /// The word after the seed, for each lane.
    pub word: [u64; 4],
}

/// Returns word `i` of a byte string.
#[inline(always)]
fn word(bytes: &[u8], i: usize) -> u64 {
    u64::from_le_bytes(*bytes[8 * i..].first_chunk().expect("eight bytes"))
}

/// Masks of one lane each: row `i` is all ones in lane `i`.
const MASKS: [[u64; 4]; 4] = {
    let mut masks = [[0; 4]; 4];
    each!(i in 0..4 => masks[i][i] = u64::MAX);
    masks
};

/// The last bit of the padding, as a word.
const LAST_BIT: u64 = 1 << 63;

impl<S: Simd> Lanes4<S> {
    /// Returns lanes whose states are all zero.
    #[inline(always)]
    pub fn new(s: S) -> Self {
        Self { s, state: [S::Four::splat(s, 0); 25] }
    }

    /// Restarts the lanes of `start.mask` with a whole padded message: `seed`, which consists of
    /// whole words, the words of `start`, and the last bit of the padding at the end of the rate.
    #[inline(always)]
    pub fn start<const RATE: usize, const SEED: usize>(
        &mut self,
        start: &Start,
        seed: &[u8; SEED],
    ) {
        let s = self.s;
        let mask = S::Four::from_array(s, start.mask);
        each!(i in 0..25 => {
            let new = if i < const { words(SEED) } {
                S::Four::splat(s, word(seed, i))
            } else if i == const { words(SEED) } {
                S::Four::from_array(s, start.word)
            } else {
                S::Four::splat(s, if i == const { words(RATE) - 1 } { LAST_BIT } else { 0 })
            };
            self.state[i] = self.state[i].select(mask, new);
        });
    }

    /// Restarts one lane with a block of 136 bytes.
    #[inline(always)]
    pub fn load(&mut self, lane: usize, block: &[u8; RATE_256]) {
        let s = self.s;
        let mask = S::Four::from_array(s, MASKS[lane]);
        each!(i in 0..25 => {
            let new = if i < const { words(RATE_256) } { word(block, i) } else { 0 };
            self.state[i] = self.state[i].select(mask, S::Four::splat(s, new));
        });
    }

    /// XORs a block of 136 bytes into one lane.
    #[inline(always)]
    pub fn absorb(&mut self, lane: usize, block: &[u8; RATE_256]) {
        let mask = S::Four::from_array(self.s, MASKS[lane]);
        each!(i in 0..const { words(RATE_256) } => {
            self.state[i] = self.state[i].xor_masked(mask, word(block, i));
        });
    }

    /// Replaces the state of one lane.
    #[inline(always)]
    pub fn replace(&mut self, lane: usize, state: &[u64; 25]) {
        let mask = S::Four::from_array(self.s, MASKS[lane]);
        each!(i in 0..25 => {
            self.state[i] = self.state[i].select(mask, S::Four::splat(self.s, state[i]));
        });
    }

    /// Permutes all lanes, or at least those whose bit is set in `active`.
    #[inline(always)]
    pub fn permute(&mut self, active: u32) {
        permute_lanes(self.s, &mut self.state, active);
    }

    /// Writes the first 168 bytes of each lane to its row.
    #[inline(always)]
    pub fn squeeze(&self, rows: &mut [[u8; ROW]; 4]) {
        let a = &self.state;
        each!(i in 0..20, 4 => {
            S::Four::store_words([a[i], a[i + 1], a[i + 2], a[i + 3]], rows, 8 * i);
        });
        let last = a[20].to_array();
        each!(lane in 0..4 => {
            rows[lane][160..RATE_SHAKE128].copy_from_slice(&last[lane].to_le_bytes());
        });
    }

    /// Returns the first `M` words of one lane, whose number is public.
    #[inline(always)]
    pub fn words<const M: usize>(&self, lane: usize) -> [u64; M] {
        let mut words = [0; M];
        each!(i in 0..M => words[i] = self.state[i].to_array()[lane]);
        words
    }

    /// Permutes these lanes and four others, at once where a register holds eight words.
    #[inline(always)]
    pub fn permute_with(&mut self, others: &mut Self) {
        permute_two(self.s, &mut self.state, &mut others.state);
    }

    /// Permutes at least the first `count` of these lanes and of the four others after them.
    #[inline(always)]
    pub fn permute_first(&mut self, others: &mut Self, count: usize) {
        if const { S::Eight::PARTS == 1 } && count > 4 {
            return self.permute_with(others);
        }
        let active = (1 << count) - 1;
        self.permute(active & 15);
        others.permute(active >> 4);
    }
}

impl<S: Simd> Drop for Lanes4<S> {
    #[inline(always)]
    fn drop(&mut self) {
        wipe(&mut self.state);
    }
}

impl<S: Simd> fmt::Debug for Lanes4<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lanes4").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keccak::{SUFFIX_SHA3, SUFFIX_SHAKE};
    use crate::sha3::{Shake128, Shake256, sha3_256};
    use oaklath_simd::{Level, dispatch};

    /// Runs different sponges: lane 0 hashes two blocks, lane 1 is SHAKE128, lane 2 SHAKE256, and
    /// lane 3 begins later.
    #[inline(always)]
    fn mixed<S: Simd>(s: S) {
        let seed: [u8; 32] = core::array::from_fn(|i| 3 * i as u8);
        let message: [u8; 200] = core::array::from_fn(|i| i as u8);
        let (mut first, mut second) = ([0; 136], [0; 136]);
        first.copy_from_slice(&message[..136]);
        second[..64].copy_from_slice(&message[136..]);
        second[64] = SUFFIX_SHA3;
        second[135] = 0x80;
        let shake = u64::from(SUFFIX_SHAKE);
        let shake128 = Start { mask: MASKS[1], word: [7 | shake << 8; 4] };
        let shake256 = Start { mask: MASKS[2], word: [9 | shake << 8; 4] };

        let mut lanes = Lanes4::new(s);
        lanes.load(0, &first);
        lanes.start::<RATE_SHAKE128, 32>(&shake128, &seed);
        lanes.start::<RATE_256, 32>(&shake256, &seed);
        lanes.permute(0xf);
        let mut rows = [[0; ROW]; 4];
        lanes.squeeze(&mut rows);
        let mut want = [0; 168];
        Shake128::new().chain(&seed).chain(&[7]).finish().read(&mut want);
        assert_eq!(rows[1][..168], want, "{s:?}");
        assert!(rows[3][..168] != want, "lane 3 has not begun");
        Shake256::new().chain(&seed).chain(&[9]).finish().read(&mut want);
        assert_eq!(rows[2][..136], want[..136], "{s:?}");

        lanes.absorb(0, &second);
        lanes.load(3, &first);
        lanes.permute(0xf);
        lanes.squeeze(&mut rows);
        assert_eq!(rows[0][..32], sha3_256(&message), "{s:?}");
        let mut more = [0; 336];
        Shake128::new().chain(&seed).chain(&[7]).finish().read(&mut more);
        assert_eq!(rows[1][..168], more[168..], "{s:?}");

        // A state is taken out and put back.
        let waiting = lanes.words::<25>(3);
        lanes.permute(0xf);
        lanes.replace(3, &waiting);
        lanes.absorb(3, &second);
        lanes.permute(8);
        let digest = lanes.words::<4>(3).map(u64::to_le_bytes);
        assert_eq!(*digest.as_flattened(), sha3_256(&message), "{s:?}");
    }

    #[test]
    fn lanes_hold_different_sponges() {
        for level in Level::available() {
            dispatch!(level, s => mixed(s));
        }
    }

    /// Checks that each mask selects its own lane and no other.
    #[test]
    fn masks_of_lanes() {
        for (i, mask) in MASKS.into_iter().enumerate() {
            assert_eq!(mask, core::array::from_fn(|lane| if lane == i { u64::MAX } else { 0 }));
        }
    }
}
