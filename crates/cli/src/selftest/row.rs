//! The result of one check.

use anyhow::Result;
use serde::{Deserialize, Serialize};

/// The outcome of a check, in ascending order of severity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Nothing was checked.
    Skipped,
    /// Every case is right.
    Passed,
    /// A case is wrong.
    Failed,
}

/// Checks of one algorithm against one source.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename = "selftest")]
pub struct Row {
    /// The source of the answers.
    pub source: String,
    /// The algorithm that is checked.
    pub algorithm: String,
    /// The number of cases; `None` if files were not read.
    pub cases: Option<usize>,
    /// The outcome.
    pub result: Outcome,
    /// The reason why a case failed, or why all were skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Row {
    /// Runs `check`, which covers that many cases.
    pub fn run(
        source: &str,
        algorithm: &str,
        cases: usize,
        check: impl FnOnce() -> Result<()>,
    ) -> Self {
        let reason = check().err().map(|error| format!("{error:#}"));
        let result = if reason.is_some() { Outcome::Failed } else { Outcome::Passed };
        let (source, algorithm) = (source.to_owned(), algorithm.to_owned());
        Self { source, algorithm, cases: Some(cases), result, reason }
    }

    /// Returns a row for a check that was skipped, with the reason.
    #[must_use]
    pub fn skipped(source: &str, algorithm: &str, cases: usize, why: &str) -> Self {
        let (source, algorithm) = (source.to_owned(), algorithm.to_owned());
        Self {
            source,
            algorithm,
            cases: Some(cases),
            result: Outcome::Skipped,
            reason: Some(why.to_owned()),
        }
    }
}
