//! What the benches share. `cargo bench -p benches` runs them all; names are paths,
//! `kem/ML-KEM-768/avx2/decapsulate`, so that a filter picks one: `cargo bench -p benches --
//! avx2/enc`.

pub mod published;

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Bencher, Criterion};
use oaklath_measure::Level;

/// Criterion with so many samples in a quarter of a second: all benches together are to end within
/// minutes, and there are hundreds. `--measurement-time` and `--sample-size` ask for more.
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

/// The same for a routine that may take seconds, and that criterion would call eleven times at
/// least: [`repeat`] calls it twice then.
pub fn briefly_at_every_level<R>(path: &str, operation: &str, mut routine: impl FnMut() -> R) {
    for level in Level::available() {
        let name = format!("{path}/{level}/{operation}");
        if is_wanted(&name) {
            let time = level.with(|| repeat(|_| routine()));
            println!("{name:55} time: {time:.4?}");
        }
    }
}

/// Whether the filter of the command line, if there is one, is a part of this name.
#[must_use]
pub fn is_wanted(name: &str) -> bool {
    // Numbers belong to options of criterion.
    let is_filter =
        |argument: &String| !argument.starts_with('-') && argument.parse::<f64>().is_err();
    std::env::args().skip(1).find(is_filter).is_none_or(|filter| name.contains(&filter))
}

/// How long an operation is repeated.
const TIME: Duration = Duration::from_millis(300);

/// The mean time of an operation that gets its number, after a first call that does not count.
///
/// # Panics
/// If it takes no time at all.
pub fn repeat<R>(mut operation: impl FnMut(u64) -> R) -> Duration {
    black_box(operation(0));
    let (start, mut count) = (Instant::now(), 0);
    while start.elapsed() < TIME {
        count += 1;
        black_box(operation(count));
    }
    start.elapsed() / u32::try_from(count).expect("not that fast")
}
