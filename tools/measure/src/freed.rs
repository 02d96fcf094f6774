//! Contents of memory when it is freed: finds secrets that were not erased.
//!
//! # Soundness
//! The allocator looks at a block while it still belongs to the program. It reads the whole block,
//! also bytes that were never written: through volatile reads, so that the compiler concludes
//! nothing from them. The strings are borrowed by the frame that waits for the closure.

use std::cell::Cell;

/// The most strings that can be searched for at once.
const MOST: usize = 16;

/// Runs `f` and returns for each of the strings how many blocks contained it when they were freed
/// on the calling thread. Enlarging a block frees the old one. Strings of zeros occur everywhere;
/// other strings should have 16 bytes or more.
///
/// ```
/// use oaklath_measure::{CountingAllocator, found_in_freed};
///
/// #[global_allocator]
/// static ALLOCATOR: CountingAllocator = CountingAllocator;
///
/// let secret = [0x5a; 20];
/// let ((), found) = found_in_freed(&[&secret], || drop(std::hint::black_box(vec![0x5a_u8; 40])));
/// assert_eq!(found, [1]);
/// ```
///
/// # Panics
/// If there are more than 16 strings, or one is empty, or
/// [`CountingAllocator`](crate::CountingAllocator) is not the program's allocator.
pub fn found_in_freed<R>(strings: &[&[u8]], f: impl FnOnce() -> R) -> (R, Vec<usize>) {
    assert!(strings.len() <= MOST, "too many strings");
    assert!(strings.iter().all(|string| !string.is_empty()), "an empty string occurs everywhere");
    let mut found = Vec::with_capacity(MOST);
    let looking = Looking::begin(strings);
    drop(std::hint::black_box(Box::new(0_u8)));
    assert!(
        looking.blocks() > 0,
        "`CountingAllocator` is not the global allocator of this program"
    );
    let result = f();
    found.extend_from_slice(&looking.found()[..strings.len()]);
    drop(looking);
    (result, found)
}

/// The strings, and in how many blocks each was found.
#[derive(Clone, Copy)]
struct Search {
    strings: *const &'static [u8],
    len: usize,
    found: [usize; MOST],
    blocks: usize,
}

const NOTHING: Search = Search { strings: std::ptr::null(), len: 0, found: [0; MOST], blocks: 0 };

thread_local! {
    static SEARCH: Cell<Search> = const { Cell::new(NOTHING) };
}

/// A guard: while it lives, freed blocks are searched.
struct Looking;

impl Looking {
    fn begin(strings: &[&[u8]]) -> Self {
        SEARCH.set(Search { strings: strings.as_ptr().cast(), len: strings.len(), ..NOTHING });
        Self
    }

    fn blocks(&self) -> usize {
        SEARCH.get().blocks
    }

    fn found(&self) -> [usize; MOST] {
        SEARCH.get().found
    }
}

impl Drop for Looking {
    fn drop(&mut self) {
        SEARCH.set(NOTHING);
    }
}

/// Reports whether freed blocks are searched.
pub(crate) fn is_looking() -> bool {
    SEARCH.get().len > 0
}

/// Searches a block that is about to be freed.
///
/// # Safety
/// `block` has `size` bytes.
pub(crate) unsafe fn look(block: *const u8, size: usize) {
    let mut search = SEARCH.get();
    for i in 0..search.len {
        // SAFETY: the strings are borrowed for as long as the search lasts.
        let string = unsafe { *search.strings.add(i) };
        // SAFETY: the caller's promise.
        search.found[i] += usize::from(unsafe { holds(block, size, string) });
    }
    search.blocks += 1;
    SEARCH.set(search);
}

/// Reports whether a block contains a string.
///
/// # Safety
/// `block` has `size` bytes.
unsafe fn holds(block: *const u8, size: usize, string: &[u8]) -> bool {
    // SAFETY: `at` is below the size.
    let byte = |at: usize| unsafe { block.add(at).read_volatile() };
    let Some(last) = size.checked_sub(string.len()) else { return false };
    (0..=last).any(|from| (from..).zip(string).all(|(at, wanted)| byte(at) == *wanted))
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;

    use super::*;

    const SECRET: [u8; 16] = *b"sixteen letters!";

    #[test]
    fn what_is_freed_is_looked_at() {
        let other = [9; 16];
        let strings: [&[u8]; 2] = [&SECRET, &other];
        let free = |bytes: Vec<u8>| found_in_freed(&strings, || drop(black_box(bytes))).1;
        assert_eq!(free([&[1; 50][..], &SECRET, &[2; 3]].concat()), [1, 0]);
        assert_eq!(free([&SECRET[..], &other].concat()), [1, 1]);
        assert_eq!(free(SECRET[..15].to_vec()), [0, 0], "the block is shorter");
        assert_eq!(free([&[7; 40][..], &SECRET[..15]].concat()), [0, 0], "a part");
        assert_eq!(free([&[7; 40][..], &SECRET].concat()), [1, 0], "at the end");
    }

    #[test]
    fn what_is_left_behind_is_looked_at() {
        let (grown, found) = found_in_freed(&[&SECRET], || {
            let mut vector = black_box(SECRET.to_vec());
            vector.reserve_exact(1000);
            vector
        });
        assert_eq!(found, [1]);
        assert_eq!(grown, SECRET);
        let (held, found) = found_in_freed(&[&SECRET], || black_box(SECRET.to_vec()));
        assert_eq!(found, [0], "what is held is not freed");
        drop(held);
    }

    #[test]
    fn a_panic_ends_the_search() {
        let panicked = std::panic::catch_unwind(|| found_in_freed(&[&SECRET], || panic!("ends")));
        assert!(panicked.is_err() && !is_looking());
    }
}
