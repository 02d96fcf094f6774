//! The ranges of kernels, as their theorems have them.
use core::ops::RangeInclusive;

use oaklath_prove_engine::Theorem;

/// Returns the range of the results of a kernel, as its theorem proves them.
///
/// # Panics
/// If there is no such theorem.
#[must_use]
pub fn results(theorems: &[Theorem], kernel: &str) -> RangeInclusive<i64> {
    let mut all = theorems.iter().flat_map(|theorem| theorem.results);
    let (_, most) = all.find(|(name, _)| *name == kernel).expect("a theorem about results");
    -most..=*most
}

/// Returns the numbers modulo q that the theorem about a kernel takes for granted of an argument.
///
/// # Panics
/// If there is no such theorem, or if its claim states no range of the argument.
#[must_use]
pub fn given(theorems: &[Theorem], kernel: &str, argument: &str, q: i64) -> RangeInclusive<i64> {
    let mut all = theorems.iter().filter(|theorem| theorem.kernels.contains(&kernel));
    let (least, most) = all.next().expect("a theorem").given(argument, q);
    least..=most
}
