//! Helpers shared by both backends: shifts, stores of a few bytes, tables of indices, values that
//! the optimiser does not see through.
//!
//! The `unsafe` is sound because values are made only from tokens: see `x86.rs`.
use core::arch::x86_64::*;

use crate::memory::Plain;
use crate::registers::{lanes, load, store};

/// Permutes the lanes of two vectors by a table with one row for each of two results.
macro_rules! permute {
    ($intrinsic:ident, $a:expr, $b:expr, $table:ident) => {
        op!((
            Self($intrinsic($a.0, load(&$table[0]), $b.0)),
            Self($intrinsic($a.0, load(&$table[1]), $b.0)),
        ))
    };
}
pub(super) use permute;

/// Returns a shift count in a register: constants of the form `64 - N` cannot be const arguments,
/// and LLVM folds this count to an immediate.
#[inline(always)]
pub(super) fn count(n: u32) -> __m128i {
    op!(_mm_cvtsi32_si128(n as i32))
}

macro_rules! opaque {
    ($($name:ident $register:ident $class:ident $feature:literal;)*) => { $(
        /// Returns the vector, about which the optimiser then knows nothing: see `ct.rs`.
        #[inline]
        #[target_feature(enable = $feature)]
        pub(super) fn $name(v: $register) -> $register {
            #[cfg(not(any(miri, oaklath_sanitize)))]
            let v = {
                let mut v = v;
                // SAFETY: no instruction at all.
                unsafe {
                    core::arch::asm!(
                        "/* {0} */",
                        inout($class) v,
                        options(pure, nomem, nostack, preserves_flags)
                    );
                }
                v
            };
            v
        }
    )* };
}
opaque! {
    opaque_256 __m256i ymm_reg "avx2";
    opaque_512 __m512i zmm_reg "avx512f";
}

/// Loads the first eight bytes of the elements; the other bytes are zero.
#[inline(always)]
pub(super) fn load_half<T: Plain>(from: &[T]) -> __m128i {
    op!(_mm_cvtsi64_si128(load(from)))
}

/// Stores the first eight bytes of `v` to the first elements.
#[inline(always)]
pub(super) fn store_half<T: Plain>(v: __m128i, to: &mut [T]) {
    store(op!(_mm_cvtsi128_si64(v)), to);
}

/// Stores the first `N` bytes of `v` to the first of `to`.
#[inline(always)]
pub(super) fn store_bytes<const N: usize>(v: __m128i, to: &mut [u8]) {
    let bytes: [u8; 16] = lanes(v);
    if N > 8 {
        to[..8].copy_from_slice(&bytes[..8]);
        to[8..N].copy_from_slice(&bytes[8..N]);
    } else {
        to[..N].copy_from_slice(&bytes[..N]);
    }
}

/// Transposes blocks of `len` elements of two arrays, to make tables of indices.
const fn transpose_table<T: Copy, const W: usize>(v: [[T; W]; 2], len: usize) -> [[T; W]; 2] {
    let mut out = v;
    each!(i in 0..W => {
        if i & len == 0 {
            out[1][i] = v[0][i + len];
        } else {
            out[0][i] = v[1][i - len];
        }
    });
    out
}

macro_rules! transposes {
    ($($name:ident $ty:ty)*) => { $(
        /// Returns the indices into a pair of vectors that do four transposes in succession.
        pub(super) const fn $name<const W: usize>(lens: [usize; 4]) -> [[$ty; W]; 2] {
            let mut v = [[0; W]; 2];
            each!(i in 0..W => (v[0][i], v[1][i]) = (i as $ty, (W + i) as $ty));
            each!(n in 0..4 => v = transpose_table(v, lens[n]));
            v
        }
    )* };
}
transposes!(transposes_16 i16 transposes_32 i32);

#[cfg(test)]
mod tests {
    use super::*;

    /// Tables of indices do what the operation does: even blocks of both go to the first vector,
    /// odd ones to the second.
    #[test]
    fn tables_of_transposes() {
        let start: [[i16; 32]; 2] = [0, 32].map(|first| core::array::from_fn(|i| first + i as i16));
        for len in [1, 2, 4, 8, 16] {
            let [even, odd] = transpose_table(start, len);
            for i in 0..32 {
                let from = |block: usize| start[i / len % 2][i % len + len * block];
                let of_pair = (i / len) & !1;
                assert_eq!((even[i], odd[i]), (from(of_pair), from(of_pair + 1)), "{len} {i}");
            }
            assert_eq!(transpose_table([even, odd], len), start, "its own inverse");
        }
    }
}
