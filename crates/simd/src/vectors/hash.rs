//! The vocabulary of SHA-2: words of several states side by side, and the CPU's unit for SHA-256.
use core::fmt::Debug;
use core::ops::{Add, BitXor};

use crate::memory::Erase;
use crate::vectorize::Token;

/// One word of `LANES` states of SHA-256 (`T = u32`) or SHA-512 (`T = u64`). Sums wrap.
pub trait HashWords<S, T: Copy>: Copy + Add<Output = Self> + BitXor<Output = Self> + Erase {
    /// Number of lanes: 1, 4, 8, 16 or 32.
    const LANES: usize;

    /// Returns a vector with `x` in every lane.
    fn splat(s: S, x: T) -> Self;
    /// Loads the first `LANES` elements.
    ///
    /// # Panics
    /// If there are fewer elements.
    fn load(s: S, from: &[T]) -> Self;
    /// Stores the lanes to the first `LANES` elements.
    ///
    /// # Panics
    /// If there are fewer elements.
    fn store(self, to: &mut [T]);
    /// Returns at index `i` the words `i` of `LANES` rows.
    ///
    /// # Panics
    /// If there are fewer rows.
    #[inline(always)]
    fn columns(s: S, rows: &[[T; 16]]) -> [Self; 16]
    where
        S: Copy,
    {
        let rows = &rows[..Self::LANES];
        array!([Self::splat(s, rows[0][0]); 16]: i => {
            let mut column = [rows[0][i]; 16];
            each!(lane in 1..Self::LANES => column[lane] = rows[lane][i]);
            Self::load(s, &column)
        })
    }

    /// Selects bits of `b` where those of `self` are set, else of `c`: Ch of FIPS 180-4, 4.1.
    fn choose(self, b: Self, c: Self) -> Self;
    /// Computes Maj of FIPS 180-4, section 4.1.
    fn majority(self, b: Self, c: Self) -> Self;
    /// Returns the word, to which the compiler then adds as written: it moves constants to the end
    /// of a sum, where each round would wait for them.
    #[inline(always)]
    fn settled(self) -> Self {
        self
    }
    /// Returns the XOR of three words.
    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        self ^ b ^ c
    }
    /// Rotates every lane right by `N` bits, at least 1 and fewer than a word has.
    fn ror<const N: u32>(self) -> Self;
    /// Shifts every lane right by `N` bits.
    fn shr<const N: u32>(self) -> Self;
    /// Shifts every lane left by `N` bits.
    fn shl<const N: u32>(self) -> Self;
}

/// A unit that computes rounds of SHA-256, as a proof token like [`Simd`](crate::Simd).
pub trait ShaUnit: Token + Debug + Send + Sync + 'static {
    /// Four words, the first lowest.
    type Words: Copy + Add<Output = Self::Words> + BitXor<Output = Self::Words>;
    /// A state, with the words in the order of the unit.
    type State: Copy + Add<Output = Self::State>;

    /// Loads four words.
    fn load(self, from: &[u32; 4]) -> Self::Words;
    /// Stores four words.
    fn store(self, words: Self::Words, to: &mut [u32; 4]);
    /// Returns byte `table[i]` at index `i`, or zero where the table has 255. Bytes are numbered in
    /// memory order.
    fn shuffle(self, words: Self::Words, table: &[u8; 16]) -> Self::Words;
    /// Makes a state from the words a to d and e to h.
    fn state(self, abcd: Self::Words, efgh: Self::Words) -> Self::State;
    /// Returns the words a to d and e to h of a state.
    fn words(self, state: Self::State) -> [Self::Words; 2];
    /// Runs four rounds. `sums` are message words plus constants.
    fn rounds(self, state: Self::State, sums: Self::Words) -> Self::State;
    /// Computes words t + 16 to t + 19 of the message schedule from words t to t + 15.
    fn schedule(self, words: [Self::Words; 4]) -> Self::Words;
}
