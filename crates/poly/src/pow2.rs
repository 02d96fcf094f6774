//! Polynomials modulo powers of two: products in `Z_q[x] / (x^n - 1)` for NTRU and in
//! `Z_8192[x] / (x^256 + 1)` for SABER, q a power of two up to 2^13.
//!
//! Coefficients are 16-bit numbers, and all arithmetic wraps. A product loses three bits (Toom-Cook
//! divides by 8): the result is correct modulo 2^13. So it is correct modulo q for any
//! representatives of the inputs. A caller that needs canonical coefficients masks them.
//!
//! A product has three steps: [`evaluate`], [`multiply`] or [`add_product`], [`interpolate_cyclic`]
//! or [`interpolate_negacyclic`]. So a factor used twice is evaluated once, and products are summed
//! before the last step.
//!
//! ```
//! use oaklath_poly::pow2::{
//!     Points, Poly, Products, Room, evaluate, interpolate_cyclic, multiply,
//! };
//! use oaklath_simd::{A64, dispatch};
//!
//! // x^508 x^2 = x in the ring with n = 509.
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

/// A polynomial of `16 L` coefficients in 16 chunks, where L is 16, 32, 44 or 52. Coefficients from
/// n on are zero.
pub type Poly<const L: usize> = A64<[[i16; L]; 16]>;

/// Marks values of polynomials at the points of [`evaluate`].
#[derive(Clone, Copy, Debug)]
pub struct Evaluated;

/// A polynomial at 63 points: row i holds coefficient i of small polynomials of `L` coefficients.
pub type Points<const L: usize> = A64<[[i16; 64]; L], Evaluated>;

/// Products of small polynomials: row i holds coefficient i, and the last row is zero.
pub type Products<const L: usize> = A64<[[[i16; 64]; L]; 2], Evaluated>;

/// Working memory of a product; products of chunks of 16 take that of chunks of 32. A caller that
/// multiplies often passes the same memory again and erases it once, since erasing takes a tenth of
/// the time of a product.
pub type Room<const L: usize> = A64<[[[i16; 32]; L]; 3]>;

/// Working memory of [`evaluate`], for a caller that has no [`Room`].
pub type PointsRoom = A64<[[i16; 32]; 64]>;

/// The memory of products of two factors, lent to a function that computes several.
pub type Memory<'a, const L: usize> =
    (&'a mut [Points<L>; 2], &'a mut Products<L>, &'a mut Room<L>);
