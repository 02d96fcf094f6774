//! `oaklath selftest`: checks this build's algorithms against known answers, at every SIMD level.
//!
//! The level of a process is fixed, so each other level is checked by a separate process.

pub mod drbg;
pub mod kat;
mod known;
pub mod operations;
pub mod row;
mod stateful;

use std::env;
use std::io::{self, Write};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use oaklath_simd::Level;

use crate::selftest::row::{Outcome, Row};
use crate::table::{cell, print_json, table};

pub use known::accumulated;

/// Arguments of `oaklath selftest`.
#[derive(Debug, clap::Args)]
pub(crate) struct SelftestArgs {
    /// Print one JSON array instead of a table, one object a line
    #[arg(long)]
    json: bool,
    /// Check only the level of this process
    #[arg(long, hide = true)]
    this_level: bool,
}

/// Checks everything and prints the results; returns an error if a case failed.
pub(crate) fn run(args: &SelftestArgs) -> Result<()> {
    let this = Level::get();
    let levels: Vec<Level> =
        Level::available().filter(|level| !args.this_level || *level == this).collect();
    let rows_at = |level: &Level| -> Result<(&str, Vec<Row>)> {
        let rows = if *level == this { known::rows() } else { rows_of_process(*level)? };
        Ok((level.name(), rows))
    };
    let rows = levels.iter().map(rows_at).collect::<Result<Vec<_>>>()?;
    report(&merge(rows), args.json)
}

/// Runs the checks at another level in a process of its own, and returns their rows.
fn rows_of_process(level: Level) -> Result<Vec<Row>> {
    let run = || -> Result<Vec<Row>> {
        let mut command = Command::new(env::current_exe()?);
        command.args(["selftest", "--json", "--this-level"]).env("OAKLATH_SIMD", level.name());
        let output = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output()?;
        Ok(serde_json::from_slice(&output.stdout)?)
    };
    run().with_context(|| format!("cannot check level {level}"))
}

/// Merges the rows of all levels: keeps the worst of each row, or the first if they are equal.
fn merge(levels: Vec<(&str, Vec<Row>)>) -> Vec<Row> {
    let mut merged: Vec<Row> = Vec::new();
    for (level, rows) in levels {
        for (i, mut row) in rows.into_iter().enumerate() {
            if row.result == Outcome::Failed {
                row.reason = row.reason.map(|reason| format!("at {level}: {reason}"));
            }
            match merged.get_mut(i) {
                Some(known) if known.result >= row.result => {}
                Some(known) => *known = row,
                None => merged.push(row),
            }
        }
    }
    merged
}

/// Prints the rows.
///
/// # Errors
/// If a row failed.
pub fn report(rows: &[Row], json: bool) -> Result<()> {
    let printed = match json {
        true => print_json(rows),
        false => print(&mut io::stdout().lock(), rows).map_err(Into::into),
    };
    let failed = rows.iter().filter(|row| row.result == Outcome::Failed).count();
    if failed > 0 {
        bail!("{failed} of {} checks failed", rows.len());
    }
    printed
}

fn print(out: &mut impl Write, rows: &[Row]) -> io::Result<()> {
    let levels: Vec<_> = Level::available().map(Level::name).collect();
    writeln!(out, "Every case at every level of this CPU: {}.\n", levels.join(", "))?;
    let cells = |row: &Row| {
        let result = match (row.result, &row.reason) {
            (Outcome::Passed, _) => "passed".to_owned(),
            (Outcome::Failed, reason) => format!("failed: {}", cell(reason.as_ref())),
            (Outcome::Skipped, reason) => format!("skipped: {}", cell(reason.as_ref())),
        };
        vec![row.source.clone(), row.algorithm.clone(), cell(row.cases), result]
    };
    let table = table(["source", "algorithm", "cases", "result"], rows.iter().map(cells).collect());
    writeln!(out, "{}\n", table.trim_fmt())?;
    let cases = |result| -> usize {
        rows.iter().filter(|row| row.result == result).filter_map(|row| row.cases).sum()
    };
    let [skipped, passed, failed] = [Outcome::Skipped, Outcome::Passed, Outcome::Failed].map(cases);
    writeln!(out, "cases passed: {passed}, in checks that failed: {failed}, skipped: {skipped}")
}

#[cfg(test)]
mod tests {
    use anyhow::ensure;

    use super::*;

    fn row(result: Outcome, reason: Option<&str>) -> Row {
        Row { result, reason: reason.map(str::to_owned), ..Row::run("s", "a", 3, || Ok(())) }
    }

    #[test]
    fn failures_name_level_and_case() {
        let failed = || {
            Row::run("source", "algorithm", 3, || {
                (1..4).try_for_each(|case| {
                    ensure!(case < 3, "case {case}");
                    Ok(())
                })
            })
        };
        let passed = row(Outcome::Passed, None);
        for rows in [[passed.clone(), failed()], [failed(), passed]] {
            let first = if rows[0].result == Outcome::Failed { "scalar" } else { "avx2" };
            let [a, b] = rows;
            let merged = merge(vec![("scalar", vec![a]), ("avx2", vec![b])]);
            assert_eq!(merged[0].result, Outcome::Failed);
            assert_eq!(merged[0].reason, Some(format!("at {first}: case 3")));
        }
        report(&[failed()], true).unwrap_err();
    }

    /// A check that one level skips may run at another.
    #[test]
    fn a_level_that_skips_hides_nothing() {
        let skipped = row(Outcome::Skipped, Some("best level only"));
        let rows = vec![("scalar", vec![skipped]), ("avx2", vec![row(Outcome::Passed, None)])];
        let merged = merge(rows);
        assert_eq!((merged[0].result, merged[0].reason.as_deref()), (Outcome::Passed, None));
        report(&merged, false).unwrap();
    }

    #[test]
    fn rows_are_read_as_they_are_printed() {
        for row in [row(Outcome::Passed, None), row(Outcome::Failed, Some("why"))] {
            let text = serde_json::to_string(&row).unwrap();
            assert!(text.starts_with(r#"{"kind":"selftest","source":"s","#), "{text}");
            let read: Row = serde_json::from_str(&text).unwrap();
            assert_eq!((read.result, read.reason), (row.result, row.reason));
        }
    }
}
