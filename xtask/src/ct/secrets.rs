//! The examples `secrets` and `falcon_secrets` of `tools/measure`: operations whose secrets are
//! marked for the watching tool.

use anyhow::{Result, ensure};

use super::{Args, Operation, SHORT};
use crate::shell::{capture, command};

/// The arguments that tell cargo what to build.
pub(super) const EXAMPLES: &str =
    "-p oaklath-measure --features trace --example secrets --example falcon_secrets";

/// The operations of `falcon_secrets`; the last one is a planted leak.
const FALCON: [&str; 6] =
    ["keygen", "sign", "sign-prepared", "sign-low-memory", "sign-emulated", "leak"];

/// Its sets, and whether `--short` includes them.
const FALCON_SETS: [(&str, bool); 4] =
    [("Falcon-512", true), ("Falcon-1024", false), ("FN-DSA-512", true), ("FN-DSA-1024", false)];

/// One run of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) program: String,
    pub(super) args: Vec<String>,
    pub(super) operation: Operation,
}

impl Run {
    /// Returns all requested runs, and the planted leaks, of the programs in a folder.
    pub(super) fn all(folder: &str, args: &Args) -> Result<Vec<Self>> {
        let program = format!("{folder}/secrets");
        let listed = Operation::listed(&capture(&mut command(&program, "list"))?);
        let missing = SHORT.iter().find(|name| !listed.iter().any(|op| op.algorithm == **name));
        ensure!(missing.is_none(), "no algorithm is called {}", missing.unwrap_or(&""));
        let of_secrets = listed.into_iter().map(|operation| {
            let Operation { algorithm, name } = &operation;
            let args = vec!["run".into(), algorithm.clone(), name.clone()];
            (Self { program: program.clone(), args, operation }, None)
        });
        let mut runs: Vec<_> =
            of_secrets.chain(Self::of_falcon(&format!("{folder}/falcon_secrets"))).collect();
        runs.retain(|(run, in_short)| run.is_leak() || run.operation.is_wanted(args, *in_short));
        ensure!(runs.iter().any(|(run, _)| !run.is_leak()), "no operation is called so");
        Ok(runs.into_iter().map(|(run, _)| run).collect())
    }

    /// Returns the runs of `falcon_secrets`, and whether `--short` includes them.
    fn of_falcon(program: &str) -> impl Iterator<Item = (Self, Option<bool>)> {
        FALCON_SETS.into_iter().flat_map(move |(set, in_short)| {
            FALCON.map(|what| {
                let operation = Operation { algorithm: set.into(), name: what.into() };
                let args = vec![what.into(), set.into()];
                (Self { program: program.to_owned(), args, operation }, Some(in_short))
            })
        })
    }

    pub(super) fn is_leak(&self) -> bool {
        self.operation.is_leak()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn falcon_is_chosen_by_its_operations() {
        let of = |short, text: Option<&str>| {
            let args = Args { short, operation: text.map(str::to_owned), ..Args::default() };
            let runs = Run::of_falcon("falcon_secrets");
            runs.filter(|(run, in_short)| run.operation.is_wanted(&args, *in_short)).count()
        };
        assert_eq!(of(false, None), FALCON.len() * FALCON_SETS.len());
        assert_eq!(of(true, None), FALCON.len() * 2);
        assert_eq!(of(false, Some("keygen")), 4);
        assert_eq!(of(false, Some("Falcon-1024 sign")), 4);
        assert_eq!(of(false, Some("ML-KEM")), 0);
        assert_eq!(Run::of_falcon("").filter(|(run, _)| run.is_leak()).count(), 4);
    }
}
