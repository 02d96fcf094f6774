//! Measures how much stack an operation writes.
//!
//! The closure runs on a thread whose stack is memory of ours, filled with a pattern beforehand.
//! After the thread has ended, the lowest word that no longer holds the pattern is the deepest that
//! anything wrote.
//!
//! # Soundness
//! The stack is a private mapping that outlives the thread: it is unmapped after the join. Nothing
//! else holds a reference into it; painting happens before the thread starts, reading after it has
//! ended. Its lowest page is inaccessible, so that an overflow is a fault and not a silent write
//! into other memory. The closure and its result are borrowed from a frame that waits for the
//! thread, and a panic is caught before it reaches the C caller.

use std::{
    any::Any,
    ffi::c_void,
    io, mem,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    ptr,
};

/// The result of a closure, and how deep its stack was.
#[derive(Clone, Copy, Debug)]
pub struct Painted<R> {
    /// The closure's result.
    pub result: R,
    /// Bytes between the frame that called the closure and the deepest word written. The closure's
    /// own frame counts; memory reserved below the deepest word but never written does not.
    pub depth: usize,
}

/// Runs `f` on a fresh thread with `size` bytes of painted stack (rounded up to pages).
///
/// The level of `oaklath-simd` is set per thread: force it inside `f`.
///
/// ```
/// use oaklath_measure::on_painted_stack;
///
/// let painted = on_painted_stack(1 << 20, || {
///     let mut scratch = [0u8; 10_000];
///     std::hint::black_box(&mut scratch).fill(1);
///     scratch[17]
/// })?;
/// assert_eq!(painted.result, 1);
/// assert!((10_000..30_000).contains(&painted.depth));
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// If the system denies the memory or the thread, for example because the stack is smaller than the
/// system's minimum.
///
/// # Panics
/// If `f` panics, with its message.
pub fn on_painted_stack<R: Send>(
    size: usize,
    f: impl FnOnce() -> R + Send,
) -> io::Result<Painted<R>> {
    let (stack, top, result) = run_painted(size, f)?;
    Ok(Painted { result, depth: top.saturating_sub(stack.lowest_written()) })
}

/// Runs `f` in the same way and returns, beside its result, everything that it left on the stack
/// without erasing it.
///
/// ```
/// use oaklath_measure::stack_left_by;
///
/// let (_, left) = stack_left_by(1 << 18, || {
///     let mut secret = [0u8; 32];
///     std::hint::black_box(&mut secret).fill(0xd7);
/// })?;
/// assert!(left.windows(32).any(|bytes| bytes == [0xd7; 32]));
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// See [`on_painted_stack`].
///
/// # Panics
/// If `f` panics, with its message.
pub fn stack_left_by<R: Send>(
    size: usize,
    f: impl FnOnce() -> R + Send,
) -> io::Result<(R, Vec<u8>)> {
    let (stack, _, result) = run_painted(size, f)?;
    Ok((result, stack.contents()))
}

/// Runs `f` on a painted stack; returns that, an address in the frame that called `f`, the result.
fn run_painted<R: Send>(
    size: usize,
    f: impl FnOnce() -> R + Send,
) -> io::Result<(Stack, usize, R)> {
    let stack = Stack::map(size)?;
    stack.paint();
    let mut job = Job { f: Some(f), outcome: None, top: 0 };
    run_thread(&stack, &mut job)?;
    match job.outcome.expect("the thread has ended, and sets the outcome before it does") {
        Ok(result) => Ok((stack, job.top, result)),
        Err(panic) => resume_unwind(panic),
    }
}

/// The data that caller and thread share.
struct Job<F, R> {
    f: Option<F>,
    outcome: Option<Result<R, Box<dyn Any + Send>>>,
    /// An address in the frame that calls `f`.
    top: usize,
}

/// Starts a thread on `stack` that completes `job`, and waits for its end.
fn run_thread<R: Send, F: FnOnce() -> R + Send>(
    stack: &Stack,
    job: &mut Job<F, R>,
) -> io::Result<()> {
    let check = |code: i32| match code {
        0 => Ok(()),
        code => Err(io::Error::from_raw_os_error(code)),
    };
    // SAFETY: the attributes are initialised before their first use and destroyed after their last;
    // the stack is mapped, page-aligned and longer lived than the thread; `job` is not touched here
    // until the thread has been joined.
    unsafe {
        let mut attributes: libc::pthread_attr_t = mem::zeroed();
        check(libc::pthread_attr_init(&mut attributes))?;
        let set =
            check(libc::pthread_attr_setstack(&mut attributes, stack.bottom(), stack.usable()));
        let mut thread: libc::pthread_t = mem::zeroed();
        let started = set.and_then(|()| {
            let argument = ptr::from_mut(job).cast();
            check(libc::pthread_create(&mut thread, &attributes, start::<R, F>, argument))
        });
        check(libc::pthread_attr_destroy(&mut attributes))?;
        started?;
        check(libc::pthread_join(thread, ptr::null_mut()))
    }
}

/// Runs a [`Job`], to which `job` points and which only this thread uses meanwhile.
extern "C" fn start<R: Send, F: FnOnce() -> R + Send>(job: *mut c_void) -> *mut c_void {
    // SAFETY: `run_thread` passes a pointer to such a job and waits before using it again.
    let job = unsafe { &mut *job.cast::<Job<F, R>>() };
    let f = job.f.take().expect("a job is run once");
    let marker = 0u8;
    job.top = ptr::from_ref(std::hint::black_box(&marker)).addr();
    job.outcome = Some(catch_unwind(AssertUnwindSafe(|| call(f))));
    ptr::null_mut()
}

/// Calls `f` out of line, so that its frame is below the marker.
#[inline(never)]
fn call<R>(f: impl FnOnce() -> R) -> R {
    f()
}

/// A mapping for a stack: one inaccessible page below, then the usable bytes.
struct Stack {
    mapping: *mut c_void,
    page: usize,
    length: usize,
}

impl Stack {
    fn map(size: usize) -> io::Result<Self> {
        // SAFETY: no pointers involved.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) }.max(4096) as usize;
        let too_large = || io::Error::from(io::ErrorKind::InvalidInput);
        let usable = size.checked_next_multiple_of(page).ok_or_else(too_large)?;
        let length = usable.checked_add(page).ok_or_else(too_large)?;
        // SAFETY: a fresh private mapping at an address that the system chooses.
        let mapping = unsafe {
            let access = libc::PROT_READ | libc::PROT_WRITE;
            let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            libc::mmap(ptr::null_mut(), length, access, kind, -1, 0)
        };
        if mapping == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let stack = Self { mapping, page, length };
        // SAFETY: the first page of the mapping, which nothing uses yet.
        match unsafe { libc::mprotect(mapping, page, libc::PROT_NONE) } {
            0 => Ok(stack),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Returns the lowest usable address.
    fn bottom(&self) -> *mut c_void {
        self.mapping.wrapping_byte_add(self.page)
    }

    fn usable(&self) -> usize {
        self.length - self.page
    }

    fn words(&self) -> usize {
        self.usable() / size_of::<usize>()
    }

    /// Writes the pattern into every word.
    fn paint(&self) {
        let words = self.bottom().cast::<usize>();
        for i in 0..self.words() {
            // SAFETY: within the usable part of the mapping; no thread runs on it yet.
            unsafe { words.add(i).write_volatile(pattern(i)) };
        }
    }

    /// Returns a copy of every byte.
    fn contents(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.usable()];
        // SAFETY: the usable part of the mapping; the thread that ran on it has ended.
        unsafe { ptr::copy_nonoverlapping(self.bottom().cast(), bytes.as_mut_ptr(), bytes.len()) };
        bytes
    }

    /// Returns the address of the lowest word that does not hold its pattern, or the top.
    fn lowest_written(&self) -> usize {
        let words = self.bottom().cast::<usize>();
        // SAFETY: within the usable part of the mapping; the thread that ran on it has ended.
        let untouched = |&i: &usize| unsafe { words.add(i).read_volatile() } == pattern(i);
        self.bottom().addr() + (0..self.words()).take_while(untouched).count() * size_of::<usize>()
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        // SAFETY: the mapping made in `map`, which nothing refers to any more.
        unsafe { libc::munmap(self.mapping, self.length) };
    }
}

/// Returns a pattern that differs from word to word, unlike any value that a program may repeat.
fn pattern(word: usize) -> usize {
    word.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes every byte of an array of `N` bytes on the stack.
    #[inline(never)]
    fn write_array<const N: usize>() -> u8 {
        let mut array = [0u8; N];
        std::hint::black_box(&mut array).fill(0xa5);
        std::hint::black_box(&array)[N / 2]
    }

    #[test]
    fn depth_follows_what_is_written() {
        let small = on_painted_stack(1 << 20, write_array::<1_000>).unwrap();
        let large = on_painted_stack(1 << 20, write_array::<101_000>).unwrap();
        assert_eq!((small.result, large.result), (0xa5, 0xa5));
        let difference = large.depth - small.depth;
        assert!(small.depth >= 1_000, "{}", small.depth);
        assert!((99_000..102_000).contains(&difference), "{difference}");
    }

    #[test]
    fn borrows_from_the_caller() {
        let mut log = Vec::new();
        let painted = on_painted_stack(1 << 18, || log.push(7)).unwrap();
        assert!(painted.depth > 0);
        assert_eq!(log, [7]);
    }

    #[test]
    fn a_panic_comes_back_to_the_caller() {
        let panic =
            catch_unwind(|| on_painted_stack(1 << 20, || resume_unwind(Box::new("from below"))));
        let message = *panic.unwrap_err().downcast::<&str>().unwrap();
        assert_eq!(message, "from below");
    }

    #[test]
    fn a_stack_too_small_is_an_error() {
        assert!(on_painted_stack(0, || ()).is_err());
        assert!(on_painted_stack(usize::MAX, || ()).is_err());
    }
}
