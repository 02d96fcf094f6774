//! What the files of the backend share: calls of intrinsics, and loads.
//!
//! Sound, because values come from tokens only: the argument is in `arm.rs`.
use core::arch::aarch64::*;

/// The one place that turns "somebody holds the proof" into "the instruction exists".
macro_rules! op {
    ($($e:tt)*) => {
        // SAFETY: reached through a token or a value made from one: see `arm.rs`.
        unsafe { $($e)* }
    };
}
pub(super) use op;

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
pub(super) use operators;

/// Operators that are one instruction a register, on two registers.
macro_rules! operators_of_two {
    ($($ty:ident $trait:ident $method:ident $intrinsic:ident;)*) => { $(
        impl $trait for $ty {
            type Output = Self;
            #[inline(always)]
            fn $method(self, b: Self) -> Self {
                let (a, b) = (self.0, b.0);
                Self(op!([$intrinsic(a[0], b[0]), $intrinsic(a[1], b[1])]))
            }
        }
    )* };
}
pub(super) use operators_of_two;

/// 16 bytes of a table.
#[inline(always)]
pub(super) fn load<T, const N: usize>(table: &[T; N]) -> uint8x16_t {
    const { assert!(size_of::<T>() * N >= 16) };
    op!(vld1q_u8(table.as_ptr().cast()))
}

/// The first 16 bytes.
#[inline(always)]
pub(super) fn load_bytes(from: &[u8]) -> uint8x16_t {
    load(from.first_chunk::<16>().expect("16 bytes"))
}

/// The first eight bytes.
#[inline(always)]
pub(super) fn first8(from: &[u8]) -> u64 {
    u64::from_le_bytes(*from.first_chunk().expect("8 bytes"))
}

/// One expression for each of two registers.
macro_rules! halves {
    ($i:ident => $e:expr) => {
        op!([
            {
                const $i: usize = 0;
                $e
            },
            {
                const $i: usize = 1;
                $e
            }
        ])
    };
}
pub(super) use halves;
