//! What the benches share. `cargo bench -p benches` runs them all; names are paths,
//! `kem/ML-KEM-768/avx2/decapsulate`, so that a filter picks one: `cargo bench -p benches -- avx2/enc`.

pub mod published;

use criterion::{Bencher, Criterion};
use oaklath_measure::Level;

/// Benches `routine` at every level of this CPU, as `path/LEVEL/operation`.
///
/// ```
/// use criterion::Criterion;
///
/// let mut criterion = Criterion::default().with_filter("none");
/// benches::at_every_level(&mut criterion, "sums", "hundred", |bencher| {
///     bencher.iter(|| (0..100u32).sum::<u32>());
/// });
/// ```
pub fn at_every_level(
    criterion: &mut Criterion,
    path: &str,
    operation: &str,
    mut routine: impl FnMut(&mut Bencher<'_>),
) {
    for level in Level::available() {
        let name = format!("{path}/{level}/{operation}");
        criterion.bench_function(&name, |bencher| level.with(|| routine(bencher)));
    }
}
