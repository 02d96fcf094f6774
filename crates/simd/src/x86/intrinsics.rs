//! What the files of both backends share: calls of intrinsics, loads and tables.
//!
//! Sound, because values come from tokens only: the argument is in `x86.rs`.
use core::arch::x86_64::*;

/// The one place that turns "somebody holds the proof" into "the instruction exists".
macro_rules! op {
    ($($e:tt)*) => {
        // SAFETY: reached through a token or a vector made from one: see `x86.rs`.
        unsafe { $($e)* }
    };
}
pub(crate) use op;

/// Operators that are one instruction.
macro_rules! operators {
    ($($ty:ident $trait:ident $method:ident $intrinsic:ident;)*) => { $(
        impl $trait for $ty {
            type Output = Self;
            #[inline(always)]
            fn $method(self, b: Self) -> Self {
                Self(op!($intrinsic(self.0, b.0)))
            }
        }
    )* };
}
pub(crate) use operators;

/// A shift count in a register: constants of the form `64 - N` cannot be const arguments, and
/// LLVM folds this one to an immediate.
#[inline(always)]
pub(super) fn count(n: u32) -> __m128i {
    op!(_mm_cvtsi32_si128(n as i32))
}

/// 32 bytes of a table.
#[inline(always)]
pub(super) fn load256<T, const N: usize>(table: &[T; N]) -> __m256i {
    const { assert!(size_of::<T>() * N >= 32) };
    op!(_mm256_loadu_si256(table.as_ptr().cast()))
}

/// 64 bytes of a table.
#[inline(always)]
pub(super) fn load512<T, const N: usize>(table: &[T; N]) -> __m512i {
    const { assert!(size_of::<T>() * N >= 64) };
    op!(_mm512_loadu_si512(table.as_ptr().cast()))
}

/// The first 16 bytes.
#[inline(always)]
pub(super) fn load128(from: &[u8]) -> __m128i {
    let from = from.first_chunk::<16>().expect("16 bytes");
    op!(_mm_loadu_si128(from.as_ptr().cast()))
}

/// The first `N` bytes of `v` to the first of `to`.
#[inline(always)]
pub(super) fn store_bytes<const N: usize>(v: __m128i, to: &mut [u8]) {
    // SAFETY: both are 16 bytes without an invalid pattern.
    let bytes: [u8; 16] = unsafe { core::mem::transmute(v) };
    if N > 8 {
        to[..8].copy_from_slice(&bytes[..8]);
        to[8..N].copy_from_slice(&bytes[8..N]);
    } else {
        to[..N].copy_from_slice(&bytes[..N]);
    }
}

/// One `transpose` by `len` on two vectors held as arrays: what tables of indices are made with.
pub(super) const fn transpose_table<const W: usize>(v: [[i16; W]; 2], len: usize) -> [[i16; W]; 2] {
    let mut out = v;
    let mut i = 0;
    while i < W {
        if i & len == 0 {
            out[1][i] = v[0][i + len];
        } else {
            out[0][i] = v[1][i - len];
        }
        i += 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tables of indices are what the operation does: even blocks of both go to the first, odd ones
    /// to the second.
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
