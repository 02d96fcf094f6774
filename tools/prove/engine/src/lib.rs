//! Proofs for every input. A kernel runs on the recording backend of `oaklath-simd`, which writes
//! down what it does to every lane; of that tape a [`Kernel`] proves
//!
//! - ranges: of each number an interval that holds it, whatever the inputs (of their declared
//!   ranges) are;
//! - forms: of each number a polynomial of degree two at most in the inputs, to which it is
//!   congruent modulo q;
//! - equality with a formula, of what depends on one number only: for each of its values;
//! - that networks of comparisons sort, by the 0-1 principle;
//! - equality with an algorithm, of what is made of words: as terms in a normal form ([`Terms`]);
//!   of what is above kernels, too, which are opaque functions there;
//! - the duties: what the documentation of an operation asks of its caller.
//!
//! A [`Theorem`] is a kernel, a claim and a range; [`prove!`] records the kernel at each number of
//! lanes and checks it.
//!
//! # Why it is sound
//! *Roots.* A number that depends on others through a single number r only, which has few values,
//! has r as its root: it is f(r), with f on the tape. f is evaluated at each value in the range of
//! r. That gives its least and largest values, and whether f(r) = a r + b modulo q for *each* r:
//! reductions, products with a constant, roundings need no theory. The range of r may be too large,
//! never too small: so is what follows.
//!
//! *Pairs.* What depends on two inputs is evaluated at each pair of their values, if these are few.
//!
//! *Filters.* On the tape a filter keeps every number. That it keeps those below its bound, in
//! order, is its contract, as the documentation of an operation is; so outputs are what it keeps of
//! those on the tape.
//!
//! *Ranges* of others come from those of their arguments. What may leave its bits has the full
//! range.
//!
//! *Forms.* Sums, differences and products have those of their arguments where the range of the
//! exact result fits the bits; where it does not, the number is an unknown of its own, and no
//! theorem on outputs comes out that is not one. `High(d)` is d / 2^w if the low half of d is zero:
//! then its form is that of d, times 2^-w.
//!
//! *Low halves.* d = p - m q, where m has come from the low half of p: both sides as polynomials
//! modulo 2^w in the numbers they are made of. If all coefficients cancel, the low half is zero.
#![expect(missing_debug_implementations, reason = "no use")]
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

pub use functions::SeePairs;
pub use kernel::Kernel;
pub use known::{Form, Range};
pub use oaklath_simd::{Level, proof};
pub use terms::{Meaning, Term, Terms};
pub use theorem::{Proven, Rows, Theorem, prove_quick, run};
