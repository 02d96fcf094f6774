//! The ranges of kernels, as their theorems have them.
use core::ops::RangeInclusive;

use oaklath_prove_engine::Theorem;

/// Returns the range of the results of a kernel, as its theorem proves them: of its first case.
///
/// # Panics
/// If there is no such theorem.
#[must_use]
pub fn results(theorems: &[Theorem], kernel: &str) -> RangeInclusive<i64> {
    let mut all = theorems.iter().flat_map(|theorem| theorem.results);
    let (_, most) = all.find(|(name, _)| *name == kernel).expect("a theorem about results");
    -most..=*most
}

/// Returns `-most` to `most`, which the theorem about a kernel proves of its results in some case.
///
/// # Panics
/// If there is no such theorem.
#[must_use]
pub fn results_of_case(theorems: &[Theorem], kernel: &str, most: i64) -> RangeInclusive<i64> {
    let is_proven = theorems.iter().any(|theorem| theorem.results.contains(&(kernel, most)));
    assert!(is_proven, "{kernel}: no theorem about results up to {most}");
    -most..=most
}

fn about<'a>(theorems: &'a [Theorem], kernel: &str) -> &'a Theorem {
    theorems.iter().find(|theorem| theorem.kernels.contains(&kernel)).expect("a theorem")
}

/// Returns the numbers modulo q that the theorem about a kernel takes for granted of an argument.
///
/// # Panics
/// If there is no such theorem, or if its claim states no range of the argument.
#[must_use]
pub fn given(theorems: &[Theorem], kernel: &str, argument: &str, q: i64) -> RangeInclusive<i64> {
    let (least, most) = about(theorems, kernel).given(argument, q);
    least..=most
}

/// Returns a range that the theorem about a kernel takes for granted of an argument in some case.
///
/// # Panics
/// If there is no such theorem, or if its claim does not state the range.
#[must_use]
pub fn given_in_case(
    theorems: &[Theorem],
    kernel: &str,
    (argument, range): (&str, RangeInclusive<i64>),
    q: i64,
) -> RangeInclusive<i64> {
    let is_stated = about(theorems, kernel).allows(argument, (*range.start(), *range.end()), q);
    assert!(is_stated, "{kernel}: {range:?} is no range of {argument}");
    range
}
