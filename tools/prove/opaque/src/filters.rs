//! Filters that take coefficients of the blocks of an XOF, until there are 256.
//!
//! How many a block has depends on the input. A case says how many blocks an XOF takes. Until then
//! the count that a filter returns is any number below 256, in each run of a recording another one:
//! so an operation that does more with it than to pass it on and to compare it with 256 does not do
//! the same in all runs, which is an error. For an operation that does, a case says how many
//! coefficients each block has.
use core::cell::{Cell, RefCell};
use core::mem;
use std::collections::HashMap;

use oaklath_prove_engine::{Term, Terms};
use oaklath_prove_simd::proof::Number;
use oaklath_prove_simd::proof::call::OpaqueCall;
use oaklath_prove_simd::{Scalar, scratch};

/// The filter of `SampleNTT` and `RejNTTPoly`: FIPS 203, Algorithm 7, and FIPS 204, Algorithm 30.
pub const NUMBERS_BELOW_Q: &str = "numbers below q";
/// The filter of `RejBoundedPoly`: FIPS 204, Algorithm 31.
pub const SMALL_NIBBLES: &str = "small nibbles";

/// How many coefficients the blocks of an XOF have.
#[derive(Clone)]
pub enum Kept {
    /// Any numbers, of which there are 256 after as many blocks as this.
    Any(usize),
    /// As many in the first, second, ... block; in further ones as in the last.
    Exactly(Vec<usize>),
}

impl Kept {
    /// Returns how many coefficients there are after `blocks`, unless that is any number below 256.
    fn after(&self, blocks: usize) -> Option<usize> {
        match self {
            Self::Any(all) => (blocks >= *all).then_some(256),
            Self::Exactly(counts) => {
                let last = counts.last().expect("a block");
                let sum: usize = counts.iter().chain(core::iter::repeat(last)).take(blocks).sum();
                Some(sum.min(256))
            }
        }
    }

    /// Returns after how many blocks there are 256 coefficients.
    ///
    /// # Panics
    /// If there never are.
    #[must_use]
    pub fn blocks(&self) -> usize {
        let mut all = 1..;
        all.find(|blocks| self.after(*blocks) == Some(256)).expect("numbers in the last block")
    }

    /// Returns as many as a sponge has that absorbs a seed with two bytes behind it; `count` counts
    /// the coefficients of a block.
    #[must_use]
    pub fn of_sponge(
        rate: usize,
        seed: &[u8],
        two: [u8; 2],
        count: &dyn Fn(&[u8]) -> usize,
    ) -> Self {
        let mut block = [seed, &two, &[0x1f]].concat();
        block.resize(rate, 0);
        block[rate - 1] |= 0x80;
        let mut state = [0; 25];
        for (word, bytes) in state.iter_mut().zip(block.as_chunks().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        let (mut counts, mut n) = (Vec::new(), 0);
        while n < 256 {
            oaklath_prove_hash::keccak::permute(Scalar, &mut state);
            counts.push(count(&state.map(u64::to_le_bytes).as_flattened()[..rate]));
            n += counts[counts.len() - 1];
        }
        Self::Exactly(counts)
    }
}

/// A polynomial that is not complete.
#[derive(Default)]
struct Begun {
    /// Its blocks, and how many.
    stream: Vec<u8>,
    blocks: usize,
    /// How many of its coefficients are known.
    known: usize,
    /// The count that was returned for it.
    count: usize,
}

std::thread_local! {
    /// By address.
    static BEGUN: RefCell<HashMap<usize, Begun>> = RefCell::default();
    /// Which run of a recording this is, and what was drawn.
    static DRAWN: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
}

/// Begins a run of an operation.
pub(crate) fn begin_run() {
    BEGUN.with_borrow_mut(HashMap::clear);
    let (run, drawn) = DRAWN.get();
    DRAWN.set((run + 1, drawn));
}

/// Returns the least number below 256 in one run, the greatest in the next, or one that is drawn.
fn any_count() -> usize {
    let (run, drawn) = DRAWN.get();
    let drawn = drawn.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
    DRAWN.set((run, drawn));
    match run & 7 {
        0 => 0,
        1 => 255,
        _ => (drawn >> 40) as usize & 255,
    }
}

/// Continues a polynomial at coefficient `n` with a block, by a filter that keeps numbers below
/// `below`. Returns the new number of coefficients. Those from there on mean nothing.
///
/// # Panics
/// If `n` is neither zero nor what was returned for the polynomial before.
#[track_caller]
pub fn filter<T: Number>(
    (name, below): (&'static str, i64),
    block: &[u8],
    kept: &Kept,
    f: &mut [T],
    n: usize,
) -> usize {
    let at = f.as_ptr().addr();
    let begun = BEGUN.with_borrow_mut(|all| all.remove(&at)).filter(|begun| begun.count == n);
    assert!(n == 0 || begun.is_some(), "{n} is not the count of this polynomial");
    let mut begun = begun.unwrap_or_default();
    begun.stream.extend(block);
    begun.blocks += 1;
    let known = kept.after(begun.blocks);
    let first = mem::replace(&mut begun.known, known.unwrap_or(0));
    if first < begun.known {
        let numbers = [below, first as i64].map(|x| T::from_bytes(&x.to_le_bytes()));
        let call = OpaqueCall::new(name).reads(&numbers).reads(&begun.stream);
        call.writes(&mut f[first..begun.known], 0..=below - 1);
    }
    scratch!(nothing: [u8; 8]);
    f[begun.known..].fill(T::from_bytes(nothing));
    begun.count = known.unwrap_or_else(any_count);
    let count = begun.count;
    if count < 256 {
        BEGUN.with_borrow_mut(|all| all.insert(at, begun));
    }
    count
}

/// Returns what a filter writes: from the second argument on, the numbers below the first that it
/// keeps of the blocks which follow, and so of each stream that they begin, of which the algorithm
/// has one.
pub(crate) fn meaning(
    t: &mut Terms,
    filtered: &[(&'static str, Vec<Term>)],
    (name, count): (&'static str, usize),
    args: &[Term],
) -> Vec<Term> {
    let stream = [&args[..1], &args[2..]].concat();
    let first = t.number(args[1]).expect("a constant") as usize;
    let mut all = filtered.iter().filter(|(of, whole)| *of == name && whole.starts_with(&stream));
    let whole = all.next().map_or(&stream, |(_, whole)| whole);
    t.calls(name, whole, (first + count, t.bits(args[0]))).split_off(first)
}
