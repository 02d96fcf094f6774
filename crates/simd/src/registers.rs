//! Code shared by the backends of all architectures: calls of intrinsics, registers and memory.
//!
//! The `unsafe` is sound because wrappers of registers are made only from tokens: see `x86.rs` and
//! `arm.rs`. A register alone proves nothing: it is just bytes.
#![expect(unsafe_code, reason = "registers are read from memory and written to it")]
#[cfg(target_arch = "aarch64")]
use core::arch::aarch64::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use crate::memory::Plain;

/// Calls intrinsics. This is the one place that turns "the caller holds a proof" into "the
/// instruction exists".
macro_rules! op {
    ($($e:tt)*) => {
        // SAFETY: reached through a token or a value made from one: see `x86.rs` and `arm.rs`.
        unsafe { $($e)* }
    };
}

/// A register, or an array of registers.
///
/// # Safety
/// The type has no padding, and every bit pattern is a value of it.
pub(crate) unsafe trait Register: Copy {}

macro_rules! registers {
    ($($register:ty)*) => { $(
        // SAFETY: these hold numbers without padding, and any bits are a number.
        unsafe impl Register for $register {}
    )* };
}
registers!(i64);
#[cfg(target_arch = "x86_64")]
registers!(__m128i __m256i __m512i __m128d __m256d __m512d __m256 __m512);
#[cfg(target_arch = "aarch64")]
registers!(
    int8x8_t int16x4_t int8x16_t uint8x16_t int16x8_t uint16x8_t int32x4_t uint32x4_t int64x2_t
    uint64x2_t float32x4_t float64x2_t
);
// SAFETY: the elements have no padding, and there is none between them.
unsafe impl<R: Register, const N: usize> Register for [R; N] {}

/// A register at any address. Its field is read and written in place: `read_unaligned` copies
/// through the stack wherever the standard library's assertions are compiled.
#[repr(C, packed)]
struct Unaligned<R>(R);

/// Loads a register from the first elements of `from`.
///
/// # Panics
/// If `from` is shorter than the register.
#[inline(always)]
pub(crate) fn load<R: Register, T: Plain>(from: &[T]) -> R {
    assert!(
        from.len() >= const { size_of::<R>().div_ceil(size_of::<T>()) },
        "an element for each lane"
    );
    // SAFETY: `from` has enough bytes, and every bit pattern is a register.
    unsafe { (*from.as_ptr().cast::<Unaligned<R>>()).0 }
}

/// Stores a register to the first elements of `to`.
///
/// # Panics
/// If `to` is shorter than the register.
#[inline(always)]
pub(crate) fn store<R: Register, T: Plain>(register: R, to: &mut [T]) {
    assert!(
        to.len() >= const { size_of::<R>().div_ceil(size_of::<T>()) },
        "an element for each lane"
    );
    // SAFETY: `to` has room for the register, and every bit pattern is a valid element.
    unsafe { (*to.as_mut_ptr().cast::<Unaligned<R>>()).0 = register };
}

/// Returns the lanes of a register.
#[inline(always)]
pub(crate) fn lanes<R: Register, T: Plain + Copy + Default, const N: usize>(register: R) -> [T; N] {
    let mut lanes = [T::default(); N];
    store(register, &mut lanes);
    lanes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "an element for each lane")]
    fn a_load_of_less_than_one_element() {
        let elements = [[0_u8; 16]];
        load::<i64, _>(&elements[..0]);
    }

    #[test]
    #[should_panic(expected = "an element for each lane")]
    fn a_store_to_less_than_one_element() {
        let mut elements = [[0_u8; 16]];
        store(0_i64, &mut elements[..0]);
    }
}
