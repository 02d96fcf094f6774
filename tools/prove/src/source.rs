//! What the source says: which public functions there are, and which ranges they document.
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use oaklath_prove_engine::Theorem;

/// The crates with theorems: the source from this package, the theorems, and the public functions
/// without one, each with the reason.
const CRATES: [(&str, &[&[Theorem]], Reasons); 2] = [
    (
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../crates/hash/src"),
        oaklath_prove_hash::proofs::THEOREMS,
        oaklath_prove_hash::proofs::WITHOUT,
    ),
    (
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../crates/poly/src"),
        oaklath_prove_poly::proofs::THEOREMS,
        oaklath_prove_poly::proofs::WITHOUT,
    ),
];

/// Functions, each with the reason why it has no theorem.
type Reasons = &'static [(&'static str, &'static str)];

/// The documentation of functions, by `module::function`.
pub(crate) type Functions = BTreeMap<String, (bool, String)>;

/// Returns all theorems.
pub(crate) fn theorems() -> impl Iterator<Item = &'static Theorem> {
    let of_crates = CRATES.iter().flat_map(|(_, theorems, _)| theorems.iter().copied().flatten());
    of_crates.chain(oaklath_prove_kem::THEOREMS)
}

/// Returns the functions of the crates: whether they are public, and their documentation.
pub(crate) fn functions() -> Result<Functions> {
    let mut functions = Functions::new();
    for (sources, ..) in CRATES {
        read_folder(Path::new(sources), None, &mut functions)?;
    }
    Ok(functions)
}

fn read_folder(folder: &Path, module: Option<&str>, functions: &mut Functions) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let name = path.file_stem().context("a name")?.to_string_lossy().into_owned();
        let module = module.unwrap_or(&name);
        if path.is_dir() {
            read_folder(&path, Some(module), functions)?;
        } else if name != "proofs" && name != "lib" {
            read_functions(&fs::read_to_string(&path)?, module, functions);
        }
    }
    Ok(())
}

/// Adds the functions of a file, without those of its tests.
fn read_functions(text: &str, module: &str, functions: &mut Functions) {
    let mut docs = String::new();
    for line in text.lines().take_while(|line| *line != "#[cfg(test)]") {
        let line = line.trim_start();
        if let Some(doc) = line.strip_prefix("///") {
            docs += doc;
        } else if let Some((before, rest)) = line.split_once("fn ")
            && ["", "pub ", "pub const ", "const ", "pub(crate) ", "pub(super) "].contains(&before)
        {
            let name = rest.split(['<', '(']).next().unwrap_or_default();
            let public = before.starts_with("pub ") && !name.starts_with('$');
            functions.insert(format!("{module}::{name}"), (public, std::mem::take(&mut docs)));
        } else if !line.starts_with("#[") {
            docs.clear();
        }
    }
}

/// Checks that the documentation of functions has the largest results that were proven.
pub(crate) fn check_results(theorem: &Theorem, functions: &Functions) -> Result<(), String> {
    for (kernel, most) in theorem.results {
        let (_, docs) = functions.get(*kernel).ok_or(format!("{kernel} is no function"))?;
        let mut numbers = docs.split(|c: char| !c.is_ascii_digit());
        if !numbers.any(|number| number == most.to_string()) {
            return Err(format!("the documentation of {kernel} does not say {most}"));
        }
    }
    Ok(())
}

/// Returns the public functions without a theorem, each with the reason; fails if one has neither,
/// or both.
pub(crate) fn without_theorem(functions: &Functions) -> Result<Vec<(&'static str, &'static str)>> {
    let proven: Vec<&str> = theorems().flat_map(|theorem| theorem.kernels).copied().collect();
    let reasons: Vec<_> = CRATES.iter().flat_map(|(.., reasons)| *reasons).copied().collect();
    for (name, (public, _)) in functions {
        let has_theorem = proven.contains(&&**name);
        let has_reason = reasons.iter().any(|(function, _)| function == name);
        if has_theorem && has_reason {
            bail!("{name} has a theorem and a reason why it has none");
        }
        ensure!(!public || has_theorem || has_reason, "{name} has neither a theorem nor a reason");
    }
    for (name, _) in &reasons {
        ensure!(functions.contains_key(*name), "{name} is no function");
    }
    Ok(reasons)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_public_function_has_a_theorem_or_a_reason() {
        without_theorem(&functions().unwrap()).unwrap();
    }

    #[test]
    fn documented_ranges_are_those_of_theorems() {
        let functions = functions().unwrap();
        for theorem in theorems() {
            check_results(theorem, &functions).unwrap();
        }
    }

    #[test]
    fn functions_are_found_with_their_documentation() {
        let text = "/// |x| <= 5.\n#[inline(always)]\npub fn a<S>(s: S) {}\nfn b() {}\n";
        let mut functions = Functions::new();
        read_functions(text, "m", &mut functions);
        assert_eq!(functions["m::a"], (true, " |x| <= 5.".into()));
        assert_eq!(functions["m::b"], (false, String::new()));
    }
}
