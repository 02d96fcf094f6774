//! Barriers: values and memory about which the optimiser knows nothing.
//!
//! The `unsafe` here is sound: the assembly contains no instruction; it only claims to change a
//! register, or to read and write memory.

/// Selects one of two modules: with assembly on the listed architectures, else with a hint.
macro_rules! by_architecture {
    ($($arch:literal)*; $assembly:item $hint:item) => {
        #[cfg(all(any($(target_arch = $arch),*), not(any(miri, oaklath_sanitize))))]
        $assembly
        #[cfg(not(all(any($(target_arch = $arch),*), not(any(miri, oaklath_sanitize)))))]
        $hint
    };
}

by_architecture! {
    "x86_64" "x86" "aarch64" "arm" "riscv64" "riscv32" "loongarch64" "s390x";

    mod by {
        #![expect(unsafe_code, reason = "empty assembly is the barrier")]
        use core::arch::asm;

        /// Whether the optimiser must assume that [`touch`] wrote the bytes.
        pub(crate) const WRITES: bool = true;

        #[inline(always)]
        pub(crate) fn touch<T>(at: *mut T) {
            // SAFETY: no instruction at all.
            unsafe { asm!("/* {0} */", in(reg) at, options(nostack, preserves_flags)) };
        }

        #[inline(always)]
        pub(crate) fn word(mut x: usize) -> usize {
            // SAFETY: no instruction at all.
            unsafe {
                asm!("/* {0} */", inout(reg) x, options(pure, nomem, nostack, preserves_flags));
            }
            x
        }
    }

    /// For targets where Rust has no assembly (such as wasm32): it promises less. Assembly hides
    /// secrets from Miri and from the sanitizer that tracks them: for these, words pass unchanged.
    mod by {
        use core::hint::black_box;

        /// Whether the optimiser must assume that [`touch`] wrote the bytes.
        pub(crate) const WRITES: bool = false;

        #[inline(always)]
        pub(crate) fn touch<T>(at: *mut T) {
            black_box(at);
        }

        #[inline(always)]
        pub(crate) fn word(x: usize) -> usize {
            if cfg!(any(miri, oaklath_sanitize)) { x } else { black_box(x) }
        }
    }
}

pub(crate) use by::{WRITES, touch};

/// Returns the value, about which the optimiser then knows nothing.
#[inline(always)]
pub(crate) fn opaque(x: u64) -> u64 {
    if usize::BITS == 64 {
        by::word(x as usize) as u64
    } else {
        (by::word((x >> 32) as usize) as u64) << 32 | by::word(x as u32 as usize) as u64
    }
}
