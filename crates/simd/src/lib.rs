//! SIMD backends as *proof tokens*, and what constant-time code needs. The only crate of the
//! library with `unsafe`.
//!
//! A token ([`Scalar`], `Avx2`, `Avx512`, `Neon`) is a zero-sized value that exists only on a CPU with the
//! features it stands for: [`Level`] makes it after looking. Vectors are made from tokens, so whoever
//! holds a vector may use the instructions too. That is the whole argument why the safe functions of
//! this crate are sound.
//!
//! A kernel is written once, generic over `S: Simd`, `#[inline(always)]` from the dispatch down, and
//! run by [`dispatch!`]:
//!
//! ```
//! use oaklath_simd::{I16s, Simd, dispatch};
//!
//! #[inline(always)]
//! fn double<S: Simd>(s: S, x: &mut [i16; 256]) {
//!     for x in x.chunks_exact_mut(S::I16::LANES) {
//!         let v = S::I16::load(s, x);
//!         (v + v).store(x);
//!     }
//! }
//!
//! let mut x = [21; 256];
//! dispatch!(s => double(s, &mut x));
//! assert_eq!(x, [42; 256]);
//! ```
//!
//! A function that is neither inlined nor run inside [`Simd::vectorize`] still computes the right
//! thing, but every instruction becomes a call: 50 times slower. `cargo xtask disasm` looks for that.
//!
//! | module | what |
//! |---|---|
//! | [`Simd`] | the tokens' trait: the vector types of a backend |
//! | [`I16s`] | vectors of 16-bit lanes: arithmetic modulo 3329 and modulo powers of two |
//! | [`I32s`] | vectors of 32-bit lanes: arithmetic modulo 8380417 |
//! | [`I8s`] | vectors of bytes: sums of small polynomials |
//! | [`F64s`], [`Complex`], [`F32s`] | doubles without fused operations, and singles: Falcon |
//! | [`U64s`], [`U64Lanes`] | 64-bit words of one, four or eight Keccak states |
//! | [`HashWords`], [`ShaUnit`] | words of several states of SHA-2, the CPU's unit for SHA-256 |
//! | [`Aes256`], [`Simd::sha256`] | the block primitives of Kyber-90s and SHA-2 |
//! | [`Level`], [`dispatch!`] | which backend runs |
//! | [`ct`] | masks that the optimiser cannot turn into branches |
//! | [`A64`], [`scratch!`], [`secret!`], [`wipe`] | aligned memory, uncleared memory, erased memory |
#![no_std]
#[cfg(feature = "std")]
extern crate std;

#[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
mod arm;
#[cfg(feature = "test-levels")]
pub mod compare;
pub mod ct;
mod level;
mod memory;
mod opaque;
mod portable;
mod scalar;
mod scalar32;
mod scalar_bits;
mod scalar_f64;
mod scalar_hash;
#[cfg(any(
    all(target_arch = "x86_64", target_feature = "sse2"),
    all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"),
))]
mod tables;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests32;
#[cfg(test)]
mod tests_bits;
#[cfg(test)]
mod tests_f64;
#[cfg(test)]
mod tests_hash;
mod vectorize;
mod vectors;
mod vectors32;
mod vectors_bits;
mod vectors_f64;
mod vectors_hash;
#[cfg(feature = "watched")]
pub mod watch;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod x86;

#[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
pub use arm::Neon;
pub use level::Level;
pub use memory::{A64, Erase, Plain, Secret, freeze, wipe};
pub use scalar::Scalar;
pub use scalar_hash::Word;
pub use vectorize::{Frames, Token};
pub use vectors::{Aes256, I16s, Simd, U64Lanes, U64s};
pub use vectors_bits::Bits;
pub use vectors_f64::{Complex, F32s, F64s, NativeComplex};
pub use vectors_hash::{HashWords, ShaUnit};
pub use vectors32::{I8s, I32s};
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
pub use x86::{Avx2, Avx512};
