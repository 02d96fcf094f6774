//! The modulus, the sizes of the integers of each depth, and the reasons to reject a candidate.

/// The right side of the NTRU equation, f G - g F = q, and the modulus of h.
pub(super) const Q: u32 = 12289;

/// Digits of 31 bits of f and g at each depth.
pub(super) const SMALL: [usize; 11] = [1, 1, 2, 2, 4, 7, 14, 27, 53, 106, 209];
/// Digits of F and G at each depth before they are reduced.
pub(super) const LARGE: [usize; 10] = [2, 2, 5, 7, 12, 21, 40, 78, 157, 308];
/// Bits of the largest coefficient of f and g at each depth: mean and deviation, as measured for
/// the reference.
pub(super) const SIZES: [(i32, i32); 10] = [
    (4, 0),
    (11, 1),
    (24, 1),
    (50, 1),
    (102, 1),
    (202, 2),
    (401, 4),
    (794, 5),
    (1577, 8),
    (3138, 13),
];

/// Bits of the largest coefficient of F and G before they are reduced: means for depths 0 to 5.
pub(super) const LARGE_SIZES: [i32; 6] = [20, 40, 78, 154, 304, 600];

/// The reasons to reject a candidate, in the order of the checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rejection {
    /// A coefficient of f or g does not fit the encoding.
    Coefficient,
    /// (f, g) is too long.
    Norm,
    /// The orthogonalized vector is too long.
    Orthogonal,
    /// f has no inverse modulo q.
    NotInvertible,
    /// The resultants have a common factor, or the solution is longer than the reference allows.
    CommonFactor,
    /// A quotient of the reduction is out of range.
    Reduction,
    /// A coefficient of F or G does not fit a byte, or f G - g F is not q.
    Large,
}
