//! Values and memory of which the optimiser knows nothing.
//!
//! The `unsafe` here is sound: the assembly has no instruction; it says that it keeps its register,
//! or that it may read and write the memory it was given.

/// One of two modules: by assembly on the listed architectures, else by a hint.
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

        /// Whether [`touch`] counts as "somebody wrote these bytes".
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

    /// Where Rust has no assembly (wasm32 ...) this promises less. Assembly hides secrets from Miri
    /// and from the sanitizer that tracks them: there values pass as they are.
    mod by {
        use core::hint::black_box;

        /// Whether [`touch`] counts as "somebody wrote these bytes".
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

/// This value, of which the optimiser knows nothing.
#[inline(always)]
pub(crate) fn opaque(x: u64) -> u64 {
    if usize::BITS == 64 {
        by::word(x as usize) as u64
    } else {
        (by::word((x >> 32) as usize) as u64) << 32 | by::word(x as u32 as usize) as u64
    }
}
