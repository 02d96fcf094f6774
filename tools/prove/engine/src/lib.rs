//! Proofs for every input. A kernel runs on the recording backend of `oaklath-simd`, which records
//! its operations on every lane; from that tape a [`Kernel`] proves
//!
//! - ranges: for each number an interval that contains it, for all inputs within their declared
//!   ranges;
//! - forms: for each number a polynomial of degree at most two in the inputs to which it is
//!   congruent modulo q;
//! - equality with a formula, for numbers that depend on only one number: at each of its values;
//! - that networks of comparisons sort, by the 0-1 principle;
//! - equality with an algorithm, for numbers made of words: as terms in a normal form ([`Terms`]);
//!   of what is above kernels, too, which are opaque functions there;
//! - duties: requirements that the documentation of an operation places on its caller.
//!
//! Plain code that cannot be recorded is [tried](Rows::try_all) on all that decides its result.
//!
//! A [`Theorem`] is a kernel, a claim and a range; [`prove!`] records the kernel at each number of
//! lanes and checks it.
//!
//! # Why it is sound
//! *Roots.* If a number depends on others only through a single number r, which has few values, r
//! is its root: the number is f(r), with f on the tape. f is evaluated at each value in the range
//! of r. That yields its smallest and largest values, and whether f(r) = a r + b modulo q for
//! *each* r: reductions, products with a constant, roundings need no theory. The range of r may be
//! too large, but never too small: so are the ranges derived from it.
//!
//! *Pairs.* What depends on two inputs is evaluated at each pair of their values, if these are few.
//!
//! *Filters.* On the tape a filter keeps every number. That it keeps those below its bound, in
//! order, is its contract, as the documentation of an operation is; so outputs are what it keeps of
//! those on the tape.
//!
//! *Ranges* of other numbers come from those of their arguments. A number that may overflow has the
//! full range.
//!
//! *Forms.* Sums, differences and products have the form that follows from their arguments' if the
//! exact result fits the bits; otherwise the number is an unknown of its own, which can make a
//! theorem fail but never makes a false one hold. `High(d)` is d / 2^w if the low half of d is
//! zero: then its form is that of d, times 2^-w.
//!
//! *Low halves.* d = p - m q, where m comes from the low half of p: both sides are polynomials
//! modulo 2^w in their operands. If all coefficients cancel, the low half is zero.
//!
//! *Memory that was not written* is any number, which idle lanes may compute with. Nothing that is
//! made of it is an output, a decision or what a call reads, even if it cancels.
//!
//! *An example*, the butterfly a + b, z (b - a) / 2^16: a + b is a sum, whose form is that of its
//! parts if it fits 16 bits. b - a has few values, so it is the root of its product, which is
//! linear modulo q at each of them. The duty that the division is exact is proven by low halves.
#![expect(missing_debug_implementations, reason = "no use")]
mod blocks;
mod checker;
mod claims;
mod forms;
mod functions;
mod kernel;
mod known;
mod order;
mod ranges;
mod terms;
mod theorem;

pub use blocks::{BLOCK, Evaluation, Values};
pub use kernel::Kernel;
pub use known::{Form, Range};
pub use oaklath_simd::{Level, proof, watch};
pub use terms::{Meaning, Term, Terms};
pub use theorem::{Proven, Rows, Theorem, prove_quick, run};
