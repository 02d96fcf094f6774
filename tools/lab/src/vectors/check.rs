//! Checks of cases at every level of this CPU.

use anyhow::{Context, Result};
use oaklath_cli::selftest::row::Row;
use oaklath_simd::Level;

/// Checks every case at every level; stops at the first failure.
pub(super) fn check_cases<T>(
    source: &str,
    algorithm: &str,
    cases: &[T],
    check: impl Fn(&T) -> Result<()>,
) -> Row {
    check_at(Level::available(), source, algorithm, cases, check)
}

/// Checks every case at the current level alone, because it takes long.
pub(super) fn check_cases_once<T>(
    source: &str,
    algorithm: &str,
    cases: &[T],
    check: impl Fn(&T) -> Result<()>,
) -> Row {
    check_at(std::iter::once(Level::get()), source, algorithm, cases, check)
}

fn check_at<T>(
    mut levels: impl Iterator<Item = Level>,
    source: &str,
    algorithm: &str,
    cases: &[T],
    check: impl Fn(&T) -> Result<()>,
) -> Row {
    Row::run(source, algorithm, cases.len(), || {
        levels.try_for_each(|level| {
            let mut cases = cases.iter();
            level.with(|| cases.try_for_each(&check)).with_context(|| format!("at {level}"))
        })
    })
}

#[cfg(test)]
mod tests {
    use anyhow::ensure;
    use oaklath_cli::selftest::row::Outcome;

    use super::*;

    #[test]
    fn failures_name_level_and_case() {
        let row = check_cases("source", "algorithm", &[1, 2, 3], |&case| {
            ensure!(case < 3, "case {case}");
            Ok(())
        });
        assert_eq!((row.cases, row.result), (Some(3), Outcome::Failed));
        let first = Level::available().next().unwrap();
        assert_eq!(row.reason, Some(format!("at {first}: case 3")));
    }
}
