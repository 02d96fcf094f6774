//! Several sponges under one permutation, as they are shipped, which remember of what each one is
//! the XOF. How many blocks a polynomial takes depends on that: see [`after_seed`].
use core::cell::RefCell;
use core::ops::{Deref, DerefMut};
use std::collections::HashMap;

use oaklath_prove_simd::Simd;

pub use shipped::{ROW, Start};

#[path = "../../../../crates/hash/src/lanes.rs"]
#[allow(unreachable_pub, reason = "shipped source")]
mod shipped;

std::thread_local! {
    /// By the address of a row that was squeezed, the word after the seed of its lane.
    static SQUEEZED: RefCell<HashMap<usize, u64>> = RefCell::default();
}

/// Four sponges.
pub struct Lanes4<S: Simd> {
    lanes: shipped::Lanes4<S>,
    /// What each was started with after the seed.
    words: [u64; 4],
}

impl<S: Simd> Lanes4<S> {
    /// Returns lanes whose states are all zero.
    pub fn new(s: S) -> Self {
        Self { lanes: shipped::Lanes4::new(s), words: [0; 4] }
    }

    /// Restarts lanes, and remembers the words after the seed.
    pub fn start<const RATE: usize, const SEED: usize>(
        &mut self,
        start: &Start,
        seed: &[u8; SEED],
    ) {
        for (lane, word) in self.words.iter_mut().enumerate() {
            *word = *word & !start.mask[lane] | start.word[lane] & start.mask[lane];
        }
        self.lanes.start::<RATE, SEED>(start, seed);
    }

    /// Writes blocks, and remembers whose they are.
    pub fn squeeze(&self, rows: &mut [[u8; ROW]; 4]) {
        self.lanes.squeeze(rows);
        let rows = rows.iter().map(|row| row.as_ptr().addr());
        SQUEEZED.with_borrow_mut(|squeezed| squeezed.extend(rows.zip(self.words)));
    }
}

impl<S: Simd> Deref for Lanes4<S> {
    type Target = shipped::Lanes4<S>;

    fn deref(&self) -> &Self::Target {
        &self.lanes
    }
}

impl<S: Simd> DerefMut for Lanes4<S> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.lanes
    }
}

/// Returns the two bytes after the seed of the sponge that a block was squeezed from. That is not
/// trusted: a theorem about numbers of another XOF would be about other terms.
///
/// # Panics
/// If the block is not where a lane has squeezed it to.
#[must_use]
pub fn after_seed(block: &[u8]) -> [u8; 2] {
    let word = SQUEEZED.with_borrow(|squeezed| squeezed.get(&block.as_ptr().addr()).copied());
    let [first, second, ..] = word.expect("a block of a lane").to_le_bytes();
    [first, second]
}
