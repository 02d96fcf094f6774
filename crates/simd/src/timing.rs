//! The CPU mode in which the timing of instructions does not depend on data.
//!
//! The `unsafe` here is sound: the assembly only reads and writes the thread's register `DIT`, on a
//! CPU that has it, which changes no result.
#![cfg_attr(
    target_arch = "aarch64",
    expect(unsafe_code, reason = "a register without an intrinsic")
)]
use core::fmt;
use core::marker::PhantomData;

/// A guard: until it is dropped, the timing of the thread's instructions does not depend on their
/// data, as far as the architecture promises this.
///
/// On 64-bit Arm this mode is `PSTATE.DIT` (Arm ARM, `FEAT_DIT`), without which the architecture
/// promises nothing. Intel has such a mode, too (DOITM), which only the operating system can set.
///
/// The guards of a thread are to be dropped in the reverse order of their making, as scopes drop
/// them: the first one ends the mode, even where a later one still exists.
///
/// ```
/// use oaklath_simd::DataIndependentTiming;
///
/// let mode = DataIndependentTiming::set();
/// if mode.is_none() {
///     // This CPU has no such mode, or no program can set it.
/// }
/// ```
pub struct DataIndependentTiming {
    /// Whether the mode was set before.
    was: bool,
    /// The mode belongs to the thread, so the guard must stay on it.
    thread: PhantomData<*const ()>,
}

impl DataIndependentTiming {
    /// Sets the mode for this thread, or returns `None` where a program cannot.
    #[must_use = "the mode ends when this is dropped"]
    pub fn set() -> Option<Self> {
        #[cfg(target_arch = "aarch64")]
        if is_there() {
            let was = read();
            write(true);
            return Some(Self { was, thread: PhantomData });
        }
        None
    }
}

impl Drop for DataIndependentTiming {
    fn drop(&mut self) {
        #[cfg(target_arch = "aarch64")]
        write(self.was);
    }
}

impl fmt::Debug for DataIndependentTiming {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { was, thread: PhantomData } = self;
        f.debug_struct("DataIndependentTiming").field("was", was).finish()
    }
}

/// Reports whether the CPU has the register.
#[cfg(target_arch = "aarch64")]
fn is_there() -> bool {
    #[cfg(feature = "std")]
    let detected = std::arch::is_aarch64_feature_detected!("dit");
    #[cfg(not(feature = "std"))]
    let detected = cfg!(target_feature = "dit");
    detected && cfg!(not(miri))
}

/// The bit `PSTATE.DIT` in the register, whose name not all assemblers know, only its number.
#[cfg(target_arch = "aarch64")]
const DIT: u64 = 1 << 24;

#[cfg(target_arch = "aarch64")]
fn read() -> bool {
    let state: u64;
    // SAFETY: `is_there` has returned true.
    unsafe { core::arch::asm!("mrs {}, s3_3_c4_c2_5", out(reg) state, options(nomem, nostack)) };
    state & DIT != 0
}

#[cfg(target_arch = "aarch64")]
fn write(set: bool) {
    let state = if set { DIT } else { 0 };
    // SAFETY: `is_there` was asked. No memory access moves across this: what follows is to run in
    // the mode.
    unsafe { core::arch::asm!("msr s3_3_c4_c2_5, {}", in(reg) state, options(nostack)) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mode_ends_with_its_guard() {
        let Some(outer) = DataIndependentTiming::set() else {
            std::println!("there is no such mode here");
            return;
        };
        assert!(!outer.was);
        let inner = DataIndependentTiming::set().unwrap();
        assert!(inner.was);
        drop(inner);
        let again = DataIndependentTiming::set().unwrap();
        assert!(again.was);
        drop((again, outer));
        assert!(!DataIndependentTiming::set().unwrap().was);
    }
}
