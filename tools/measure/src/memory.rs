//! Counts the allocations of a piece of code: their number, their bytes, the most at once.
//!
//! # Soundness
//! Every call goes to the system's allocator; while freed memory is searched, a block is enlarged
//! by making another one. The counters are thread-local cells without destructor and with a
//! constant initial value, so that using them allocates nothing and works while a thread ends.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

use crate::freed;

/// The system's allocator with counters for each thread; make it the program's to use
/// [`count_allocations`].
///
/// ```
/// use oaklath_measure::{CountingAllocator, count_allocations};
///
/// #[global_allocator]
/// static ALLOCATOR: CountingAllocator = CountingAllocator;
///
/// let (vector, allocations) = count_allocations(|| Vec::<u8>::with_capacity(1000));
/// assert_eq!((allocations.count, allocations.bytes, allocations.peak), (1, 1000, 1000));
/// # drop(vector);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct CountingAllocator;

/// The allocations that [`count_allocations`] saw on the calling thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allocations {
    /// Blocks requested; enlarging a block counts as requesting another.
    pub count: usize,
    /// Bytes requested in total.
    pub bytes: usize,
    /// The most bytes held at once beyond what was held at the start.
    pub peak: usize,
    /// Bytes held at the end beyond what was held at the start.
    pub kept: usize,
}

/// Runs `f` and counts what it allocates on the calling thread. May be nested: the outer count
/// includes the inner.
///
/// # Panics
/// If [`CountingAllocator`] is not the program's allocator: the counts would all be zero.
pub fn count_allocations<R>(f: impl FnOnce() -> R) -> (R, Allocations) {
    assert!(counts(), "`CountingAllocator` is not the global allocator of this program");
    let outer = COUNTERS.get();
    COUNTERS.set(Counters::default());
    let result = f();
    let inner = COUNTERS.get();
    COUNTERS.set(outer.followed_by(inner));
    let peak = usize::try_from(inner.peak).expect("a peak is never below the start");
    // Negative if more was freed than was allocated.
    let kept = usize::try_from(inner.live).unwrap_or(0);
    (result, Allocations { count: inner.count, bytes: inner.bytes, peak, kept })
}

/// Reports whether an allocation shows in the counters.
fn counts() -> bool {
    let before = COUNTERS.get();
    drop(std::hint::black_box(Box::new(0u8)));
    let counted = COUNTERS.get().count != before.count;
    COUNTERS.set(before);
    counted
}

thread_local! {
    static COUNTERS: Cell<Counters> = const { Cell::new(Counters { count: 0, bytes: 0, live: 0, peak: 0 }) };
}

#[derive(Clone, Copy, Default)]
struct Counters {
    count: usize,
    bytes: usize,
    /// Bytes held; negative if earlier blocks were freed.
    live: isize,
    peak: isize,
}

impl Counters {
    fn allocated(self, size: usize) -> Self {
        let live = self.live.wrapping_add_unsigned(size);
        Self {
            count: self.count + 1,
            bytes: self.bytes.wrapping_add(size),
            live,
            peak: self.peak.max(live),
        }
    }

    fn freed(self, size: usize) -> Self {
        Self { live: self.live.wrapping_sub_unsigned(size), ..self }
    }

    fn followed_by(self, later: Self) -> Self {
        Self {
            count: self.count + later.count,
            bytes: self.bytes.wrapping_add(later.bytes),
            live: self.live.wrapping_add(later.live),
            peak: self.peak.max(self.live.wrapping_add(later.peak)),
        }
    }
}

// SAFETY: every method passes its arguments to the system's allocator and returns its result.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNTERS.set(COUNTERS.get().allocated(layout.size()));
        // SAFETY: the caller keeps the contract of `GlobalAlloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        COUNTERS.set(COUNTERS.get().allocated(layout.size()));
        // SAFETY: the caller keeps the contract of `GlobalAlloc`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        COUNTERS.set(COUNTERS.get().freed(layout.size()));
        // SAFETY: the block is the caller's, and not yet freed.
        unsafe { freed::look(block, layout.size()) };
        // SAFETY: the caller keeps the contract of `GlobalAlloc`.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        if freed::is_looking() {
            // Otherwise the old block would not be searched. SAFETY: the caller keeps the contract
            // of `GlobalAlloc`: the new size makes a layout, and both blocks have at least as many
            // bytes as are copied.
            return unsafe {
                let new = self.alloc(Layout::from_size_align_unchecked(new_size, layout.align()));
                if !new.is_null() {
                    new.copy_from_nonoverlapping(block, layout.size().min(new_size));
                    self.dealloc(block, layout);
                }
                new
            };
        }
        COUNTERS.set(COUNTERS.get().freed(layout.size()).allocated(new_size));
        // SAFETY: the caller keeps the contract of `GlobalAlloc`.
        unsafe { System.realloc(block, layout, new_size) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[global_allocator]
    static ALLOCATOR: CountingAllocator = CountingAllocator;

    #[test]
    fn counts_blocks_bytes_and_peak() {
        let ((), seen) = count_allocations(|| {
            drop(std::hint::black_box(vec![1u8; 5000]));
            drop(std::hint::black_box(vec![0u8; 3000]));
        });
        assert_eq!(seen, Allocations { count: 2, bytes: 8000, peak: 5000, kept: 0 });
    }

    #[test]
    fn blocks_held_together_add_up() {
        let (held, seen) = count_allocations(|| (vec![1u8; 700], Box::new([2u8; 300])));
        assert_eq!(seen, Allocations { count: 2, bytes: 1000, peak: 1000, kept: 1000 });
        drop(held);
    }

    #[test]
    fn code_that_does_not_allocate_counts_nothing() {
        let (sum, seen) = count_allocations(|| (0..100u32).sum::<u32>());
        assert_eq!((sum, seen), (4950, Allocations::default()));
    }

    /// Freeing blocks of an earlier time does not make the peak negative.
    #[test]
    fn freeing_earlier_blocks_leaves_the_peak_at_zero() {
        let earlier = vec![1u8; 900];
        let ((), seen) = count_allocations(move || drop(earlier));
        assert_eq!(seen, Allocations::default());
    }

    #[test]
    fn an_outer_count_includes_the_inner() {
        let ((), outer) = count_allocations(|| {
            let held = std::hint::black_box(vec![0u8; 100]);
            let ((), inner) = count_allocations(|| drop(std::hint::black_box(vec![0u8; 50])));
            assert_eq!(inner, Allocations { count: 1, bytes: 50, peak: 50, kept: 0 });
            drop(held);
        });
        assert_eq!(outer, Allocations { count: 2, bytes: 150, peak: 150, kept: 0 });
    }

    #[test]
    fn growing_counts_again() {
        let (vector, seen) = count_allocations(|| {
            let mut vector = Vec::<u8>::with_capacity(10);
            vector.reserve_exact(100);
            vector
        });
        assert_eq!(seen, Allocations { count: 2, bytes: 110, peak: 100, kept: 100 });
        drop(vector);
    }
}
