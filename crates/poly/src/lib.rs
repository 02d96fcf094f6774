//! Polynomial rings of lattice cryptography, generic over SIMD tokens.
//!
//! | module | feature | ring | used by |
//! |---|---|---|---|
//! | `q3329` | `q3329` | `Z_3329[x] / (x^256 + 1)` | ML-KEM, Kyber |
//! | `q12289` | `q12289` | `Z_12289[x] / (x^n + 1)`, n = 512 and 1024 | FN-DSA, Falcon |
//! | `q8380417` | `q8380417` | `Z_8380417[x] / (x^256 + 1)` | ML-DSA, Dilithium |
//! | `pow2` | `pow2` | `Z_q[x]` modulo `x^n - 1` or `x^256 + 1`, q a power of two | NTRU, SABER |
//! | `bits` | `pow2` | packing into fields of 1 to 13 bits | NTRU, SABER |
//! | `gf3`, `gf2` | `small-fields` | inverses in GF(3), GF(2) modulo 1 + x + ... + x^(n-1) | NTRU |
//! | `trits` | `small-fields` | coefficients modulo 3 | NTRU |
//! | `sort` | `small-fields` | sorting, polynomials of fixed weight | NTRU |
//!
//! Functions take a token `s: S` and are to be inlined into a kernel that runs inside
//! [`vectorize!`](oaklath_simd::vectorize); those that say "out of line" vectorize themselves.
//! Ranges of coefficients are stated in the documentation: within these, 16 bits are enough.
//!
//! ```
//! use oaklath_poly::q3329::{self, NttPoly, Poly};
//! use oaklath_simd::dispatch;
//!
//! // x^255 + 1 in NTT form: the first residue is that modulo x^2 - 17.
//! let mut f = Poly::new([0; 256]);
//! (f[0], f[255]) = (1, 1);
//! let mut f_hat = NttPoly::new([0; 256]);
//! dispatch!(s => q3329::ntt(s, &f, &mut f_hat));
//! // Modulo x^2 - 17, x^255 = 17^127 x = -x / 17.
//! assert_eq!((f_hat[0], f_hat[1].rem_euclid(3329)), (1, 2154));
//! ```
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![warn(clippy::std_instead_of_core, clippy::alloc_instead_of_core)]
#![cfg_attr(not(test), warn(clippy::integer_division_remainder_used))]
#[cfg(any(test, oaklath_proof))]
extern crate std;

#[cfg(feature = "pow2")]
pub mod bits;
#[cfg(feature = "small-fields")]
pub mod gf2;
#[cfg(feature = "small-fields")]
pub mod gf3;
#[cfg(test)]
mod levels;
#[cfg(any(feature = "q3329", feature = "q8380417", feature = "q12289"))]
mod ntt;
#[cfg(feature = "pow2")]
pub mod pow2;
#[cfg(oaklath_proof)]
pub mod proofs;
#[cfg(feature = "q12289")]
pub mod q12289;
#[cfg(feature = "q3329")]
pub mod q3329;
#[cfg(feature = "q8380417")]
pub mod q8380417;
#[cfg(feature = "small-fields")]
pub mod sort;
#[cfg(feature = "small-fields")]
pub mod trits;

/// Returns the byte offset of coefficient `i` if each has `D` bits. `i` is a multiple of 8, or of
/// another number of coefficients that fill whole bytes.
#[cfg(any(feature = "q3329", feature = "q8380417"))]
#[inline(always)]
const fn offset<const D: usize>(i: usize) -> usize {
    (i * D) >> 3
}
