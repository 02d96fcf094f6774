//! The vocabulary of SHA-2: words of several states side by side, and the CPU's unit for SHA-256.
use core::fmt::Debug;
use core::ops::{Add, BitXor};

use crate::memory::Erase;
use crate::vectorize::Token;

/// One word of `LANES` states of SHA-256 (`T = u32`) or SHA-512 (`T = u64`). Sums wrap.
pub trait HashWords<S, T: Copy>: Copy + Add<Output = Self> + BitXor<Output = Self> + Erase {
    /// Number of lanes: 1, 4, 8 or 16.
    const LANES: usize;

    /// `x` in every lane.
    fn splat(s: S, x: T) -> Self;
    /// The first `LANES` elements.
    ///
    /// # Panics
    /// If there are fewer.
    fn load(s: S, from: &[T]) -> Self;
    /// Into the first `LANES` elements.
    ///
    /// # Panics
    /// If there are fewer.
    fn store(self, to: &mut [T]);
    /// Word `i` of each of `LANES` rows, for all `i`.
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

    /// Bits of `b` where those of `self` are set, else of `c`: Ch of FIPS 180-4, section 4.1.
    fn choose(self, b: Self, c: Self) -> Self;
    /// Maj of FIPS 180-4, section 4.1.
    fn majority(self, b: Self, c: Self) -> Self;
    /// The sum of three bits each.
    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        self ^ b ^ c
    }
    /// Rotates every lane right by `N`, at least 1 and less than a word has bits.
    fn ror<const N: u32>(self) -> Self;
    /// Shifts every lane right by `N`.
    fn shr<const N: u32>(self) -> Self;
    /// Shifts every lane left by `N`.
    fn shl<const N: u32>(self) -> Self;
}

/// A unit that computes rounds of SHA-256, as a proof token like [`Simd`](crate::Simd).
pub trait ShaUnit: Token + Debug + Send + Sync + 'static {
    /// Four words, the first lowest.
    type Words: Copy + Add<Output = Self::Words> + BitXor<Output = Self::Words>;
    /// A state, in whatever order the unit has it.
    type State: Copy + Add<Output = Self::State>;

    /// Four words.
    fn load(self, from: &[u32; 4]) -> Self::Words;
    /// Four words.
    fn store(self, words: Self::Words, to: &mut [u32; 4]);
    /// Byte `table[i]` at place `i`, and zero where the table says 255. Bytes are counted in the
    /// order of memory.
    fn shuffle(self, words: Self::Words, table: &[u8; 16]) -> Self::Words;
    /// The state of the words a to d and e to h.
    fn state(self, abcd: Self::Words, efgh: Self::Words) -> Self::State;
    /// The words a to d and e to h of a state.
    fn words(self, state: Self::State) -> [Self::Words; 2];
    /// Four rounds. `sums` are message words plus constants.
    fn rounds(self, state: Self::State, sums: Self::Words) -> Self::State;
    /// Words t + 16 to t + 19 of the message schedule from words t to t + 15.
    fn schedule(self, words: [Self::Words; 4]) -> Self::Words;
}
