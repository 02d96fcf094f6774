//! `oaklath selftest`: the algorithms of this build against known answers, at every SIMD level.

mod acvp;
mod cctv;
mod handshakes;
mod kat;
mod known;
mod operations;
mod vectors;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use oaklath_simd::Level;
use serde::Serialize;

use crate::selftest::vectors::VectorFile;
use crate::table::{cell, objects, print_json, table};

/// Arguments of `oaklath selftest`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Folder of test vectors to check as well: ACVP, C2SP/CCTV, NIST KAT
    /// records, recorded TLS handshakes; plain or .xz
    #[arg(long, value_name = "DIR")]
    vectors: Option<PathBuf>,
    /// Print one JSON array instead of a table, one object a line
    #[arg(long)]
    json: bool,
}

/// Checks of one algorithm against one source.
#[derive(Debug, Serialize)]
struct Row {
    kind: &'static str,
    source: String,
    algorithm: String,
    /// None where files were not read.
    cases: Option<usize>,
    result: &'static str,
    /// Why a case failed, or why all were skipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

impl Row {
    /// Checks every case at every level; the first failure ends it.
    fn check<T>(
        source: &str,
        algorithm: &str,
        cases: &[T],
        check: impl Fn(&T) -> Result<()>,
    ) -> Self {
        let run = || -> Result<()> {
            for level in Level::available() {
                for case in cases {
                    level.with(|| check(case)).with_context(|| format!("at {level}"))?;
                }
            }
            Ok(())
        };
        let (result, reason) = match run() {
            Ok(()) => (PASSED, None),
            Err(error) => (FAILED, Some(format!("{error:#}"))),
        };
        Self::new(source, algorithm, Some(cases.len()), result, reason)
    }

    fn skipped(source: &str, algorithm: &str, cases: usize, why: &str) -> Self {
        Self::new(source, algorithm, Some(cases), SKIPPED, Some(why.to_owned()))
    }

    fn new(
        source: &str,
        algorithm: &str,
        cases: Option<usize>,
        result: &'static str,
        reason: Option<String>,
    ) -> Self {
        let (source, algorithm) = (source.to_owned(), algorithm.to_owned());
        Self { kind: "selftest", source, algorithm, cases, result, reason }
    }
}

const PASSED: &str = "passed";
const FAILED: &str = "failed";
const SKIPPED: &str = "skipped";

/// Checks everything and prints it; an error if a case failed.
pub(crate) fn run(args: &Args) -> Result<()> {
    let mut rows = known::rows();
    if let Some(folder) = &args.vectors {
        let read = in_folder(&vectors::files(folder)?)?;
        let none = read.iter().all(|row| row.result == SKIPPED);
        ensure!(!none, "no vectors of this build's algorithms in {}", folder.display());
        rows.extend(read);
    }
    let mut out = io::stdout().lock();
    if args.json {
        print_json(&mut out, &objects(&rows)?)?;
    } else {
        print(&mut out, &rows)?;
    }
    let failed = rows.iter().filter(|row| row.result == FAILED).count();
    if failed > 0 {
        bail!("{failed} of {} checks failed", rows.len());
    }
    Ok(())
}

fn print(out: &mut impl Write, rows: &[Row]) -> io::Result<()> {
    let levels: Vec<_> = Level::available().map(Level::name).collect();
    writeln!(out, "Every case at every level of this CPU: {}.\n", levels.join(", "))?;
    let cells = rows.iter().map(|row| {
        let result = match &row.reason {
            Some(reason) => format!("{}: {reason}", row.result),
            None => row.result.to_owned(),
        };
        [row.source.clone(), row.algorithm.clone(), cell(row.cases), result]
    });
    let table = table(["source", "algorithm", "cases", "result"], cells);
    writeln!(out, "{}\n", table.trim_fmt())?;
    let cases = |result| -> usize {
        rows.iter().filter(|row| row.result == result).filter_map(|row| row.cases).sum()
    };
    let (passed, skipped) = (cases(PASSED), cases(SKIPPED));
    let failed = cases(FAILED);
    writeln!(out, "cases passed: {passed}, in checks that failed: {failed}, skipped: {skipped}")
}

/// The rows of all files, those without a check counted by folder.
fn in_folder(files: &[VectorFile]) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    let mut unread = BTreeMap::<(String, &'static str), usize>::new();
    for file in files {
        let read = match (file.parent(), file.stem()) {
            (_, stem) if stem.starts_with("ML-KEM-keyGen") => acvp::rows(file),
            (_, stem) if stem.starts_with("ML-KEM-encapDecap") => acvp::rows(file),
            (_, "accumulated-final.json") => cctv::accumulated(file),
            ("intermediate" | "strcmp" | "unluckysample", _) => cctv::encapsulations(file),
            ("modulus", _) => cctv::refused_keys(file),
            ("kat", "digests.json") => kat::digests(file),
            (_, stem) if stem.ends_with(".rsp") && kat::is_built(file) => kat::records(file),
            (_, "oqs-openssl-2022-transcripts.json") => handshakes::recorded(file),
            (_, "iana-hybrids-go1.26.json") => handshakes::shares(file),
            (_, stem) if stem.ends_with(".md") => continue,
            _ => {
                *unread.entry((file.folder().to_owned(), why_unread(file))).or_default() += 1;
                continue;
            }
        };
        rows.extend(read.with_context(|| file.name.clone())?);
    }
    rows.extend(unread.into_iter().map(|((folder, why), files)| {
        let folder = if folder.is_empty() { "." } else { &*folder };
        let plural = if files == 1 { "" } else { "s" };
        Row::new(folder, "-", None, SKIPPED, Some(format!("{files} file{plural} {why}")))
    }));
    Ok(rows)
}

/// Why no check reads a file.
fn why_unread(file: &VectorFile) -> &'static str {
    match file.stem() {
        stem if stem.ends_with(".rsp") => "of algorithms that are not in this build",
        _ => "that no check of this build reads",
    }
}

#[cfg(test)]
mod tests {
    use anyhow::ensure;

    use super::*;

    #[test]
    fn failures_name_level_and_case() {
        let row = Row::check("source", "algorithm", &[1, 2, 3], |&case| {
            ensure!(case < 3, "case {case}");
            Ok(())
        });
        assert_eq!((row.cases, row.result), (Some(3), FAILED));
        assert_eq!(row.reason.as_deref(), Some("at scalar: case 3"));
    }

    #[test]
    fn everything_built_in_passes() {
        let rows = known::rows();
        assert!(rows.iter().all(|row| row.result == PASSED), "{rows:?}");
        for kem in oaklath_kem::all() {
            let name = kem.info().name;
            assert!(rows.iter().any(|row| row.algorithm == name), "{name} has no known answer");
        }
    }
}
