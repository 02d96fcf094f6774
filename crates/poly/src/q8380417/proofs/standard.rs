//! `Decompose` of FIPS 204, and numbers that proofs share.
use crate::q8380417::Q;

/// q - 1.
pub(super) const MOST: i64 = Q as i64 - 1;

/// A modulus so large that congruent numbers are equal.
pub(super) const NO_MODULUS: i64 = (1 << 61) - 1;

/// Computes `Decompose` exactly as written in FIPS 204, Algorithm 36.
pub(super) fn decompose(r: i64, m: i64) -> (i64, i64) {
    let (q, gamma2) = (i64::from(Q), MOST.div_euclid(2 * m));
    let r0 = r.rem_euclid(2 * gamma2);
    let r0 = if r0 > gamma2 { r0 - 2 * gamma2 } else { r0 };
    if r - r0 == q - 1 { (0, r0 - 1) } else { ((r - r0).div_euclid(2 * gamma2), r0) }
}
