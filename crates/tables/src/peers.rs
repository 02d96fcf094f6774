//! Other libraries beside ours, from the lines that `cargo xtask compare KIND --json` prints.

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::report::{Cell, RATIO, Table};

/// One operation and its fastest peer, in one run.
#[derive(Debug, Deserialize)]
struct Line {
    algorithm: String,
    operation: String,
    level: String,
    ours_cc: Option<f64>,
    ours_ns: Option<f64>,
    peer: String,
    peer_cc: Option<f64>,
    peer_ns: Option<f64>,
    ratio: f64,
}

/// Every line, the worst ratio first.
///
/// # Errors
/// If a line is not of that form.
pub fn table(lines: &str) -> Result<Table> {
    let mut table = Table::new(
        "peers",
        "The fastest peer of every operation, the worst ratio first",
        &["algorithm", "operation", "level", "ours", "fastest peer's", "peer", RATIO],
    )
    .note(
        "Contenders interleaved in one process, pinned to one core, in cycles of the core (nanoseconds where there is \
         no counter). A ratio above 1 means that ours takes less time. What each peer checks and where its randomness \
         comes from, `cargo xtask compare KIND` says.",
    );
    let parse = |line: &str| serde_json::from_str::<Line>(line).with_context(|| line.to_owned());
    let mut lines = lines.lines().map(parse).collect::<Result<Vec<_>>>()?;
    lines.sort_by(|a, b| a.ratio.total_cmp(&b.ratio));
    for line in lines {
        table.push(vec![
            Cell::text(line.algorithm),
            Cell::text(line.operation),
            Cell::text(line.level),
            Cell::some(line.ours_cc.or(line.ours_ns), 0),
            Cell::some(line.peer_cc.or(line.peer_ns), 0),
            Cell::text(line.peer),
            Cell::Number(line.ratio, 2),
        ]);
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_ratio_comes_first() {
        let line = |operation: &str, ratio: f64| {
            format!(
                r#"{{"algorithm":"A","operation":"{operation}","level":"avx2","ours_cc":5.0,"peer":"p","peer_cc":9.0,"ratio":{ratio}}}"#
            )
        };
        let made = table(&[line("x", 2.0), line("y", 1.25)].join("\n")).unwrap();
        let operations: Vec<_> = made.rows.iter().map(|row| row[1].shown()).collect();
        assert_eq!(operations, ["y", "x"]);
        assert_eq!(made.rows[0][3], Cell::Number(5.0, 0));
        assert!(table("{}").is_err());
    }
}
