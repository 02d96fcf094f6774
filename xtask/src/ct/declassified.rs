//! Checks each place where something of a secret becomes public for a reason why it may.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use super::Outcome;
use crate::shell::{capture, command};

/// The reasons by file; paths are relative to the root of the workspace.
const LIST: &str = "xtask/declassified.toml";

/// The files that define the declassifying functions, and the measuring tools.
const ELSEWHERE: [&str; 2] = ["crates/simd/src/ct.rs", "tools/measure/"];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    files: BTreeMap<String, Reason>,
}

/// Why something of a secret may become public in a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reason {
    /// The number of places, so that an additional one is noticed.
    places: usize,
    because: String,
}

/// Prints the places. Returns an error if a file has no reason, or another number of places than
/// the list says.
pub(super) fn check() -> Result<Outcome> {
    let reasons = reasons(Path::new("."))?;
    let mut wrong = Vec::new();
    let (mut seen, mut count) = (BTreeSet::new(), 0);
    let files = capture(&mut command("git", "ls-files -- crates/*/src/*.rs"))?;
    for file in files.lines().filter(|file| !ELSEWHERE.iter().any(|other| file.starts_with(other)))
    {
        let source = fs::read_to_string(file).context(file.to_owned())?;
        let places = places(&source);
        if places.is_empty() {
            continue;
        }
        match reasons.get(file) {
            Some(reason) if reason.places == places.len() => println!("{file}: {}", reason.because),
            Some(reason) => {
                wrong.push(format!(
                    "{file}: {} places, listed are {}",
                    places.len(),
                    reason.places
                ));
            }
            None => wrong.push(format!("{file}: {} places without a reason", places.len())),
        }
        places.iter().for_each(|(line, text)| println!("  {line}: {text}"));
        count += places.len();
        seen.insert(file.to_owned());
    }
    let gone = reasons.into_keys().filter(|file| !seen.contains(file));
    wrong.extend(gone.map(|file| format!("{file}: a reason without a place")));
    ensure!(wrong.is_empty(), "{LIST}: {}", wrong.join("; "));
    println!("{count} places, each with a reason");
    Ok(Outcome::ran())
}

fn reasons(root: &Path) -> Result<BTreeMap<String, Reason>> {
    let text = fs::read_to_string(root.join(LIST)).context(LIST)?;
    Ok(toml::from_str::<List>(&text).context(LIST)?.files)
}

/// Returns the lines that declassify, with their numbers, except tests, which are at the end.
fn places(source: &str) -> Vec<(usize, &str)> {
    let code = source.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let lines = (1..).zip(code.lines().map(str::trim));
    lines.filter(|(_, line)| is_call(line)).collect()
}

fn is_call(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    code.match_indices("declassify").any(|(at, _)| {
        let name = code[at..].trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
        name.starts_with('(')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_found() {
        let source = "use crate::ct::declassify;\n// declassify()\nlet a = declassify(b);\n\
                      if c.declassify() {}\nct::declassify_bytes(&mut d);\n\
                      #[cfg(test)]\nmod tests {\ndeclassify(e);\n";
        let lines: Vec<_> = places(source).into_iter().map(|(line, _)| line).collect();
        assert_eq!(lines, [3, 4, 5]);
    }

    #[test]
    fn every_reason_has_its_file() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let reasons = reasons(root).unwrap();
        assert!(reasons.len() > 20);
        for (file, reason) in reasons {
            let source = fs::read_to_string(root.join(&file)).unwrap();
            assert_eq!(places(&source).len(), reason.places, "{file}");
            assert!(reason.places > 0 && !reason.because.is_empty(), "{file}");
        }
    }
}
