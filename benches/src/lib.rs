//! What the benches share. `cargo bench -p benches` runs them all; names are paths,
//! `kem/ML-KEM-768/avx2/decapsulate`, so that a filter picks one: `cargo bench -p benches -- avx2/enc`.

pub mod published;

use std::time::Duration;

use criterion::{Bencher, Criterion};
use oaklath_measure::Level;

/// Criterion with so many samples in a quarter of a second: all benches together are to end within minutes, and
/// there are hundreds. `--measurement-time` and `--sample-size` ask for more.
#[must_use]
pub fn quick(samples: usize) -> Criterion {
    Criterion::default()
        .sample_size(samples)
        .warm_up_time(Duration::from_millis(50))
        .measurement_time(Duration::from_millis(250))
        .nresamples(2000)
        .without_plots()
}

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
