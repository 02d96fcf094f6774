//! SIMD backends as *proof tokens*, and what constant-time code needs. This is the only crate of
//! the library with `unsafe` code.
//!
//! A token ([`Scalar`], `Avx2`, `Avx512`, `Neon`) is a zero-sized value that exists only on a CPU
//! with the features it proves: [`Level`] makes it after detection. Vectors are made from tokens,
//! so the holder of a vector may use the instructions, too. This is the whole argument for the
//! soundness of the crate's safe functions.
//!
//! A kernel is written once, generic over `S: Simd`, `#[inline(always)]` from the dispatch down,
//! and run by [`dispatch!`]:
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
//! A function that is neither inlined nor run inside [`vectorize!`] still computes the right
//! result, but 50 times slower: every instruction becomes a call. `cargo xtask disasm` finds these.
//!
//! | item | purpose |
//! |---|---|
//! | [`Simd`] | the trait of the tokens: the vector types of a backend |
//! | [`I16s`] | vectors of 16-bit lanes: arithmetic modulo 3329 and modulo powers of two |
//! | [`I32s`] | vectors of 32-bit lanes: arithmetic modulo 8380417 |
//! | [`I8s`] | vectors of bytes: sums of small polynomials |
//! | [`F64s`], [`Complex`], [`F32s`] | `f64` without fused operations, and `f32`: Falcon |
//! | [`U64s`], [`U64Lanes`] | 64-bit words of one, four or eight Keccak states |
//! | [`HashWords`], [`ShaUnit`] | words of several SHA-2 states, and the CPU's unit for SHA-256 |
//! | [`Aes256`] | the block cipher of Kyber-90s |
//! | [`aes256_key_stream`] | AES-256 in counter mode, for callers without kernels |
//! | [`Level`], [`dispatch!`] | the choice of the backend |
//! | [`vectorize!`], [`instances!`] | kernels out of line, under their names, compiled once |
//! | [`each!`], [`array!`], [`inlined!`] | loops in kernels and constants, one-line methods |
//! | [`each_group`] | loops over vectors that are a distance apart |
//! | [`arrays`] | arrays made from arrays |
//! | [`ct`] | masks that the optimiser cannot turn into branches |
//! | [`A64`], [`scratch!`], [`secret!`], [`wipe`] | memory: aligned, uncleared, erased |
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#[cfg(feature = "std")]
extern crate std;

// These two come before the modules that use their macros.
#[macro_use]
mod rows;
#[cfg(any(
    all(target_arch = "x86_64", target_feature = "sse2"),
    all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"),
))]
#[macro_use]
mod registers;

#[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
mod arm;
pub mod arrays;
#[cfg(feature = "test-levels")]
pub mod compare;
pub mod ct;
mod groups;
mod key_stream;
mod level;
mod memory;
mod opaque;
mod pieces;
#[cfg(oaklath_proof)]
pub mod proof;
mod scalar;
mod split;
#[cfg(any(
    all(target_arch = "x86_64", target_feature = "sse2"),
    all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"),
))]
mod tables;
#[cfg(test)]
mod tests;
mod timing;
mod token;
mod vectorize;
mod vectors;
#[cfg(any(feature = "watched", oaklath_proof))]
pub mod watch;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod x86;

#[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
pub use arm::tokens::Neon;
pub use groups::each_group;
pub use key_stream::aes256_key_stream;
pub use level::Level;
pub use memory::{A64, Erase, Plain, Secret, freeze, wipe};
pub use pieces::{Pieces, copy_node, pieces, pieces_mut};
pub use split::Split;
pub use timing::DataIndependentTiming;
pub use token::Scalar;
pub use vectorize::{Frames, Token};
pub use vectors::Simd;
pub use vectors::aes::Aes256;
pub use vectors::bits::Bits;
pub use vectors::f64::{Complex, F32s, F64s, NativeComplex};
pub use vectors::hash::{HashWords, ShaUnit};
pub use vectors::i8::I8s;
pub use vectors::i16::I16s;
pub use vectors::i32::I32s;
pub use vectors::words::{U64Lanes, U64s};
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
pub use x86::tokens::{Avx2, Avx512};
