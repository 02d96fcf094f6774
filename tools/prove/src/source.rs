//! Reads the source: its public functions, and the ranges that they document.
use std::collections::{BTreeMap, BTreeSet};
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

/// What joins kernels to schemes: theorems are about functions of it, too.
const SCHEMES: [&str; 2] = [
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../crates/kem/src/ml_kem"),
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../crates/sig/src/ml_dsa"),
];

/// Functions, each with the reason why it has no theorem.
type Reasons = &'static [(&'static str, &'static str)];

/// Functions by `module::function`, and what else has a name that they use.
pub(crate) type Functions = BTreeMap<String, Function>;

/// What the source says of a function, or of several of one name.
#[derive(Default)]
pub(crate) struct Function {
    is_public: bool,
    docs: String,
    /// How many lines it has. Constants and macros have none.
    lines: usize,
    text: String,
}

/// Returns all theorems.
pub(crate) fn theorems() -> impl Iterator<Item = &'static Theorem> {
    let of_crates = CRATES.iter().flat_map(|(_, theorems, _)| theorems.iter().copied().flatten());
    of_crates.chain(oaklath_prove_kem::THEOREMS).chain(oaklath_prove_sig::THEOREMS)
}

/// Returns the functions of the crates.
pub(crate) fn functions() -> Result<Functions> {
    let mut functions = Functions::new();
    for (sources, ..) in CRATES {
        read_folder(Path::new(sources), None, &mut functions)?;
    }
    Ok(functions)
}

/// Returns the functions of the schemes.
pub(crate) fn functions_of_schemes() -> Result<Functions> {
    let mut functions = Functions::new();
    for folder in SCHEMES.map(Path::new) {
        let scheme = folder.file_name().context("a name")?.to_string_lossy();
        read_folder(folder, Some(&scheme), &mut functions)?;
    }
    Ok(functions)
}

fn read_folder(folder: &Path, module: Option<&str>, functions: &mut Functions) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let name = path.file_stem().context("a name")?.to_string_lossy().into_owned();
        let module = module.unwrap_or(&name);
        if ["proofs", "tests", "levels", "lib"].contains(&&*name) {
            continue;
        }
        if path.is_dir() {
            read_folder(&path, Some(module), functions)?;
        } else {
            read_functions(&fs::read_to_string(&path)?, module, functions);
        }
    }
    Ok(())
}

/// Adds the functions of a file, without those of its tests.
fn read_functions(text: &str, module: &str, functions: &mut Functions) {
    let is_test = |line: &&str| line.starts_with("#[cfg(") && line.contains("test");
    let lines: Vec<&str> = text.lines().take_while(|line| !is_test(line)).collect();
    let (mut docs, mut i) = (String::new(), 0);
    while let Some(line) = lines.get(i) {
        let code = line.trim_start();
        let indent = &line[..line.len() - code.len()];
        i += 1;
        if let Some(doc) = code.strip_prefix("///") {
            docs += doc;
        } else if let Some(name) = row(line).filter(|_| !docs.is_empty()) {
            let function = functions.entry(format!("{module}::{name}")).or_default();
            (function.is_public, function.lines) = (true, 1);
            function.docs += &std::mem::take(&mut docs);
        } else if let Some((name, is_function, is_public)) = item(code) {
            let is_broken = line.ends_with('=');
            let is_last = |line: &&str| is_end(line, indent) || is_broken && line.ends_with(';');
            let len = lines[i - 1..].iter().position(is_last).map_or(1, |last| last + 1);
            let function = functions.entry(format!("{module}::{name}")).or_default();
            function.is_public |= is_public;
            function.docs += &std::mem::take(&mut docs);
            function.text += &lines[i - 1..i - 1 + len].join("\n");
            function.lines += if is_function { len } else { 0 };
            // A macro may have functions in it.
            i += if code.starts_with("macro_rules!") { 0 } else { len - 1 };
        } else if !code.starts_with("#[") {
            docs.clear();
        }
    }
}

/// The name of what begins here, whether it is a function, and whether a public one.
fn item(code: &str) -> Option<(&str, bool, bool)> {
    let end = |c: char| !c.is_alphanumeric() && c != '_' && c != '$';
    for (keyword, is_function) in
        [("fn ", true), ("const ", false), ("static ", false), ("macro_rules! ", false)]
    {
        let Some(at) = code.find(keyword).map(|at| at + keyword.len()) else { continue };
        let before = &code[..at - keyword.len()];
        if ["", "pub ", "pub const ", "const ", "pub(crate) ", "pub(super) "].contains(&before) {
            let name = code[at..].split(end).next()?;
            // Those that a macro names are counted where it is called.
            let is_named = !name.starts_with('$');
            return is_named.then_some((
                name,
                is_function,
                is_function && before.starts_with("pub "),
            ));
        }
    }
    None
}

/// The name that begins a row of a macro which makes public functions.
fn row(line: &str) -> Option<&str> {
    let (name, rest) = line.strip_prefix("    ")?.strip_suffix(';')?.split_once(' ')?;
    let is_name = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    (is_name && rest.chars().all(|c| c.is_ascii_punctuation())).then_some(name)
}

/// Whether an item of that indentation ends with a line.
fn is_end(line: &str, indent: &str) -> bool {
    let Some(code) = line.strip_prefix(indent) else { return false };
    let is_whole = code.ends_with(';') || code.contains('{') && code.ends_with('}');
    code.starts_with('}') || !code.starts_with(' ') && is_whole
}

/// Returns of each crate how many lines of functions there are, and how many of them are of
/// functions with a theorem or of what these call by name.
pub(crate) fn coverage() -> Result<Vec<(&'static str, usize, usize)>> {
    let mut rows = Vec::new();
    for (sources, theorems, reasons) in CRATES {
        let mut functions = Functions::new();
        read_folder(Path::new(sources), None, &mut functions)?;
        let is_open = |name: &String| !reasons.iter().any(|(function, _)| function == name);
        let kernels = theorems.iter().copied().flatten().flat_map(|theorem| theorem.kernels);
        let mut todo: Vec<String> = kernels.map(|name| (*name).to_owned()).collect();
        let mut proven: BTreeSet<String> = todo.iter().cloned().collect();
        while let Some(name) = todo.pop() {
            let Some(function) = functions.get(&name) else { continue };
            let module = name.split("::").next().unwrap_or_default();
            for word in function.text.split(|c: char| !c.is_alphanumeric() && c != '_') {
                let near = format!("{module}::{word}");
                let mut elsewhere =
                    functions.keys().filter(|name| name.rsplit("::").next() == Some(word));
                let called = match functions.contains_key(&near) {
                    true => Some(near),
                    false => elsewhere.next().filter(|_| elsewhere.next().is_none()).cloned(),
                };
                todo.extend(called.filter(|name| is_open(name) && proven.insert(name.clone())));
            }
        }
        let lines = |wanted: &dyn Fn(&String) -> bool| -> usize {
            functions.iter().filter(|(name, _)| wanted(name)).map(|(_, f)| f.lines).sum()
        };
        let name = sources.trim_end_matches("/src").rsplit('/').next().unwrap_or_default();
        rows.push((name, lines(&|_| true), lines(&|name| proven.contains(name))));
    }
    Ok(rows)
}

/// Checks that the kernels of a theorem are functions of the source.
pub(crate) fn check_kernels(theorem: &Theorem, sources: &[&Functions]) -> Result<(), String> {
    let is_function = |functions: &&Functions, name: &str| {
        functions.get(name).is_some_and(|function| function.lines > 0)
    };
    let is_missing = |name: &&&str| !sources.iter().any(|functions| is_function(functions, name));
    match theorem.kernels.iter().find(is_missing) {
        Some(name) => Err(format!("{name} is no function")),
        None if theorem.kernels.is_empty() => Err(format!("of no kernel: {}", theorem.claim)),
        None => Ok(()),
    }
}

/// Checks that the documentation of functions states the largest results that were proven.
pub(crate) fn check_results(theorem: &Theorem, functions: &Functions) -> Result<(), String> {
    for (kernel, most) in theorem.results {
        let function = functions.get(*kernel).ok_or(format!("{kernel} is no function"))?;
        let mut numbers = function.docs.split(|c: char| !c.is_ascii_digit());
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
    for (name, Function { is_public, .. }) in functions {
        let has_theorem = proven.contains(&&**name);
        let has_reason = reasons.iter().any(|(function, _)| function == name);
        if has_theorem && has_reason {
            bail!("{name} has a theorem and a reason why it has none");
        }
        ensure!(
            !is_public || has_theorem || has_reason,
            "{name} has neither a theorem nor a reason"
        );
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
    fn theorems_are_about_functions() {
        let (of_kernels, of_schemes) = (functions().unwrap(), functions_of_schemes().unwrap());
        for theorem in theorems() {
            check_kernels(theorem, &[&of_kernels, &of_schemes]).unwrap();
        }
        let theorem = |kernels| Theorem {
            kernels,
            results: &[],
            claim: "nothing",
            is_quick: true,
            prove: |_| Ok(()),
        };
        for wrong in [&["ml_kem::keygen", "q3329::no_function"][..], &["q3329::Q"], &[]] {
            assert!(check_kernels(&theorem(wrong), &[&of_kernels, &of_schemes]).is_err());
        }
    }

    #[test]
    fn functions_are_found_with_their_documentation() {
        let text =
            "/// |x| <= 5.\n#[inline(always)]\npub fn a<S>(s: S) {\n    b();\n}\nfn b() {}\n";
        let mut functions = Functions::new();
        read_functions(text, "m", &mut functions);
        let [a, b] = ["m::a", "m::b"].map(|name| &functions[name]);
        assert_eq!((a.is_public, &*a.docs, a.lines), (true, " |x| <= 5.", 3));
        assert_eq!((b.is_public, &*b.docs, b.lines), (false, "", 1));
        assert!(a.text.contains("b();"));
    }

    #[test]
    fn most_lines_have_a_theorem() {
        for (name, all, proven) in coverage().unwrap() {
            assert!(3 * proven > 2 * all && proven < all, "{name}: {proven} of {all}");
        }
    }
}
