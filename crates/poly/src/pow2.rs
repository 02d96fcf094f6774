//! Polynomials modulo powers of two: products in `Z_q[x] / (x^n - 1)` for NTRU and in
//! `Z_8192[x] / (x^256 + 1)` for SABER, q a power of two up to 2^13.
//!
//! Coefficients are 16-bit numbers, all arithmetic wraps. A product costs three bits (Toom-Cook
//! divides by 8): of inputs that are right modulo 2^16, or of the same class modulo q, the result
//! is right modulo 2^13. A caller that needs a canonical number masks it.
//!
//! A product has three steps, so that a factor used twice is evaluated once and sums are made
//! before the last step: [`evaluate`], [`multiply`] or [`add_product`], [`interpolate_cyclic`] or
//! [`interpolate_negacyclic`].
//!
//! ```
//! use oaklath_poly::pow2::{
//!     Points, Poly, Products, Room, evaluate, interpolate_cyclic, multiply,
//! };
//! use oaklath_simd::{A64, dispatch};
//!
//! // x^508 x^2 = x in the ring of n = 509.
//! let (mut a, mut b) = (Poly::<32>::new([[0; 32]; 16]), Poly::new([[0; 32]; 16]));
//! a.as_flattened_mut()[508] = 1;
//! b.as_flattened_mut()[2] = 1;
//! let mut points = [Points::new([[0; 64]; 32]); 2];
//! let mut products = Products::new([[[0; 64]; 32]; 2]);
//! let mut room = Room::new([[[0; 32]; 32]; 3]);
//! dispatch!(s => {
//!     evaluate(s, &a, &mut points[0], room.as_flattened_mut());
//!     evaluate(s, &b, &mut points[1], room.as_flattened_mut());
//!     multiply(s, &points[0], &points[1], &mut products, &mut room);
//!     interpolate_cyclic(s, 509, &products, &mut a, &mut room);
//! });
//! assert_eq!((a[0][0] & 0x7ff, a[0][1] & 0x7ff, a[15][28] & 0x7ff), (0, 1, 0));
//! ```
#[cfg(feature = "small-fields")]
mod newton;
#[cfg(oaklath_proof)]
mod proofs;
mod toom;

use oaklath_simd::A64;

#[cfg(feature = "small-fields")]
pub use newton::invert;
#[cfg(oaklath_proof)]
pub use proofs::THEOREMS;
pub use toom::{
    add_product, evaluate, free_of, interpolate_cyclic, interpolate_negacyclic, multiply,
};

/// A polynomial of `16 L` coefficients, as 16 chunks: L is 16, 32, 44 or 52. Coefficients from n on
/// are zero.
pub type Poly<const L: usize> = A64<[[i16; L]; 16]>;

/// Marks values of polynomials at the points of [`evaluate`].
#[derive(Clone, Copy, Debug)]
pub struct Evaluated;

/// A polynomial at 63 points: coefficient i of small polynomials of `L` coefficients in row i.
pub type Points<const L: usize> = A64<[[i16; 64]; L], Evaluated>;

/// Products of small polynomials: coefficient i in row i, of which the last is zero.
pub type Products<const L: usize> = A64<[[[i16; 64]; L]; 2], Evaluated>;

/// Memory that products take meanwhile, those of chunks of 16 as much as those of 32. A caller that
/// multiplies often gives the same again and erases it once: that costs as much as a tenth of a
/// product.
pub type Room<const L: usize> = A64<[[[i16; 32]; L]; 3]>;

/// Memory that [`evaluate`] takes, of a caller that has no [`Room`].
pub type PointsRoom = A64<[[i16; 32]; 64]>;

/// What products of two factors take, lent to a caller that makes several.
pub type Memory<'a, const L: usize> =
    (&'a mut [Points<L>; 2], &'a mut Products<L>, &'a mut Room<L>);
