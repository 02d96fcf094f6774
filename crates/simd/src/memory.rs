//! Memory of kernels: aligned, not cleared before use, erased after it.
//!
//! Why the `unsafe` here is sound: [`Plain`] types have no invalid bit pattern and no padding, so
//! memory that holds *some* bytes holds a value; zeroing an [`Erase`] type is writing a value.
#![expect(unsafe_code, reason = "uncleared scratch memory and erasing that the optimiser keeps")]
use core::fmt;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ops::{Deref, DerefMut};

use crate::opaque::{WRITES, touch};

/// Types without padding for which zero bytes are a value: [`wipe`] erases them. Vectors are such
/// types; the owner of one had the token.
///
/// # Safety
/// The type has no padding, and zero bytes are a value of it.
pub unsafe trait Erase {
    /// Rejects at compile time sizes that would be padded.
    const NO_PADDING: () = ();
}

/// Types for which every bit pattern is a value. Not vectors: those are made only from tokens.
///
/// # Safety
/// Every bit pattern is a value of the type.
pub unsafe trait Plain: Erase {}

macro_rules! numbers {
    ($($ty:ty)*) => { $(
        // SAFETY: numbers.
        unsafe impl Erase for $ty {}
        // SAFETY: numbers.
        unsafe impl Plain for $ty {}
    )* };
}
numbers!(i8 u8 i16 u16 i32 u32 i64 u64 f32 f64);

// SAFETY: arrays have no padding of their own.
unsafe impl<T: Erase, const N: usize> Erase for [T; N] {
    const NO_PADDING: () = T::NO_PADDING;
}
// SAFETY: as above.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}
// SAFETY: a size that is a multiple of the alignment is not padded.
unsafe impl<T: Erase, Tag> Erase for A64<T, Tag> {
    const NO_PADDING: () =
        assert!(size_of::<T>().is_multiple_of(64), "the size is a multiple of 64");
}
// SAFETY: as above.
unsafe impl<T: Plain, Tag> Plain for A64<T, Tag> {}

/// A value aligned to a cache line of 64 bytes, of which its size is a multiple. The tag
/// distinguishes arrays of the same shape with different meanings.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
pub struct A64<T, Tag = ()>(T, PhantomData<Tag>);

impl<T, Tag> A64<T, Tag> {
    /// Aligns a value.
    #[inline(always)]
    pub const fn new(value: T) -> Self {
        const { assert!(size_of::<T>().is_multiple_of(64), "the size is a multiple of 64") };
        Self(value, PhantomData)
    }
}

impl<T, Tag> Deref for A64<T, Tag> {
    type Target = T;
    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T, Tag> DerefMut for A64<T, Tag> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

/// Does not print the contents, which may be secret.
impl<T, Tag> fmt::Debug for A64<T, Tag> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("A64").finish_non_exhaustive()
    }
}

/// Returns uncleared memory as a value with unspecified contents. Used through
/// [`scratch!`](crate::scratch).
#[inline(always)]
pub fn freeze<T: Plain>(memory: &mut MaybeUninit<T>) -> &mut T {
    const { T::NO_PADDING };
    // Miri and the sanitizers cannot follow the assembly: for them the memory is zeroed.
    if !WRITES {
        // SAFETY: the pointer is valid for one `T`, and zero bytes are a value.
        unsafe { memory.as_mut_ptr().write_bytes(0, 1) };
    }
    // In proofs it is seen whether the memory is read before it is written.
    #[cfg(oaklath_proof)]
    for at in (0..size_of::<T>()).step_by(8) {
        let (word, len) = (crate::proof::tape::unwritten(), usize::min(8, size_of::<T>() - at));
        let to = memory.as_mut_ptr().cast::<u8>();
        // SAFETY: these bytes are in one `T`, and any bytes are a value.
        unsafe { to.add(at).copy_from_nonoverlapping(word.as_ptr(), len) };
    }
    touch(memory.as_mut_ptr());
    // SAFETY: the assembly got the address and may have written all the memory; every bit pattern
    // is a value.
    unsafe { memory.assume_init_mut() }
}

/// Overwrites a value with zeros; the optimiser does not remove this.
///
/// ```
/// let mut key = [7_u8; 32];
/// oaklath_simd::wipe(&mut key);
/// assert_eq!(key, [0; 32]);
/// ```
#[inline(always)]
pub fn wipe<T: Erase>(value: &mut T) {
    const { T::NO_PADDING };
    // SAFETY: the reference is valid for one `T`, and zero bytes are a value.
    unsafe { core::ptr::from_mut(value).write_bytes(0, 1) };
    touch(core::ptr::from_mut(value));
}

/// Scratch memory that is erased when dropped. Used through [`secret!`](crate::secret).
pub struct Secret<'a, T: Plain>(&'a mut T);

impl<'a, T: Plain> Secret<'a, T> {
    /// Wraps uncleared memory.
    #[inline(always)]
    pub fn new(memory: &'a mut MaybeUninit<T>) -> Self {
        Self(freeze(memory))
    }
}

impl<T: Plain> Deref for Secret<'_, T> {
    type Target = T;
    #[inline(always)]
    fn deref(&self) -> &T {
        self.0
    }
}

impl<T: Plain> DerefMut for Secret<'_, T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        self.0
    }
}

impl<T: Plain> Drop for Secret<'_, T> {
    #[inline(always)]
    fn drop(&mut self) {
        wipe(self.0);
    }
}

impl<T: Plain> fmt::Debug for Secret<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secret").finish_non_exhaustive()
    }
}

/// Declares scratch memory that is not cleared: `scratch!(a: [i16; 256], b: [u8; 64]);` makes `a`
/// and `b` references to arrays with unspecified contents. Only for public data; for secrets there
/// is [`secret!`](crate::secret).
#[macro_export]
macro_rules! scratch {
    ($($name:ident: $type:ty),* $(,)?) => { $(
        let mut memory = ::core::mem::MaybeUninit::<$type>::uninit();
        let $name = $crate::freeze(&mut memory);
    )* };
}

/// Declares an over-aligned local, which makes LLVM align the frame of a kernel: otherwise spilled
/// registers straddle cache lines, and AVX2 code takes up to 1.7 times as long on some stacks.
#[macro_export]
macro_rules! aligned_frame {
    () => {
        $crate::scratch!(_frame: $crate::A64<[u64; 8]>);
    };
}

/// Declares scratch memory that is not cleared before use and is erased at the end of the scope.
#[macro_export]
macro_rules! secret {
    ($($name:ident: $type:ty),* $(,)?) => { $(
        let mut memory = ::core::mem::MaybeUninit::<$type>::uninit();
        let mut memory = $crate::Secret::new(&mut memory);
        let $name = &mut *memory;
    )* };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scratch_is_memory_and_secrets_are_erased() {
        scratch!(a: A64<[u64; 8]>, b: [u8; 3]);
        **a = [5; 8];
        *b = [1, 2, 3];
        assert_eq!((a[7], b[2]), (5, 3));
        assert_eq!(core::ptr::from_ref(a).addr() % 64, 0);

        let mut memory = MaybeUninit::<[u64; 4]>::uninit();
        {
            let mut secret = Secret::new(&mut memory);
            *secret = [9; 4];
        }
        assert_eq!(*freeze(&mut memory), [0; 4]);
    }

    /// `Debug` prints the contents of neither aligned arrays nor secrets.
    #[test]
    fn nothing_secret_is_printed() {
        let mut aligned = A64::<[u8; 64]>::new([0x5a; 64]);
        aligned[3] = 1;
        assert_eq!((aligned[3], aligned[4]), (1, 0x5a));
        assert_eq!(std::format!("{aligned:?}"), "A64 { .. }");
        let mut memory = MaybeUninit::<[u64; 4]>::uninit();
        let mut secret = Secret::new(&mut memory);
        secret[2] = 9;
        assert_eq!((secret[2], std::format!("{secret:?}").as_str()), (9, "Secret { .. }"));
        wipe(&mut aligned);
        assert_eq!(*aligned, [0; 64]);
    }
}
