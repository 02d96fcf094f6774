//! The token of the portable backend.

/// The token of the portable backend, which requires no CPU feature.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Scalar;
