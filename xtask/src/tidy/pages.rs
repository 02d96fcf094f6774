//! Rules about the pages: no two repeat each other; the generated page is what its command writes;
//! and the manifests that they show name packages that exist.

use std::collections::HashMap;

use toml::{Table, Value};

use crate::{
    algorithms,
    tidy::{Finding, TextFile},
};

/// The number of equal lines in a row that count as a repetition.
const REPEATED: usize = 3;

/// Checks README.md, that of the examples, and the pages below docs/, except those that `cargo
/// xtask tables` writes.
pub(super) fn check(files: &[TextFile]) -> Vec<Finding> {
    let is_page = |file: &&TextFile| {
        let is_generated = file.path.starts_with("docs/benchmarks/");
        let is_doc = ["README.md", "examples/README.md"].contains(&&*file.path)
            || file.path.starts_with("docs/");
        is_doc && file.path.ends_with(".md") && !is_generated
    };
    let mut findings = repetitions(files.iter().filter(is_page));
    findings.extend(files.iter().filter(is_page).flat_map(|page| manifests(page, files)));
    if let Some(page) = files.iter().find(|file| file.path == algorithms::PAGE) {
        let is_current = algorithms::renewed(&page.text).is_ok_and(|text| text == page.text);
        if !is_current {
            let message = "not what `cargo xtask algorithms` writes";
            findings.push(Finding::new(algorithms::PAGE, 1, message));
        }
    }
    findings
}

/// Finds lines that two pages share. Fences, empty lines and imports do not count.
fn repetitions<'a>(pages: impl Iterator<Item = &'a TextFile>) -> Vec<Finding> {
    let mut known: HashMap<Vec<&str>, &str> = HashMap::new();
    let mut findings = Vec::new();
    for page in pages {
        let lines: Vec<_> = (1..)
            .zip(page.text.lines().map(str::trim))
            .filter(|(_, line)| !line.is_empty() && !line.starts_with("use "))
            .filter(|(_, line)| !line.starts_with("```") && !line.starts_with("|---"))
            .collect();
        for window in lines.windows(REPEATED) {
            let text: Vec<_> = window.iter().map(|(_, line)| *line).collect();
            let first = *known.entry(text).or_insert(&page.path);
            if first != page.path {
                let message = format!("{REPEATED} lines that {first} has, too");
                findings.push(Finding::new(&page.path, window[0].0, message));
            }
        }
    }
    findings
}

/// Finds parts of a `Cargo.toml` that cannot be read, or whose dependencies by path do not exist.
/// Readers have the repository beside their own.
fn manifests(page: &TextFile, files: &[TextFile]) -> Vec<Finding> {
    let is_here = |path: &str| {
        let manifest = path.strip_prefix("../oaklath/").map(|path| format!("{path}/Cargo.toml"));
        files.iter().any(|file| Some(&file.path) == manifest.as_ref())
    };
    let mut findings = Vec::new();
    let blocks = page.text.split("```toml\n").skip(1).filter_map(|block| block.split("```").next());
    for block in blocks {
        let Ok(table) = block.parse::<Table>() else {
            findings.push(Finding::new(&page.path, 1, format!("not TOML: {block}")));
            continue;
        };
        let dependencies = table.get("dependencies").and_then(Value::as_table);
        for path in dependencies.into_iter().flat_map(|table| table.values()) {
            if let Some(path) = path.get("path").and_then(Value::as_str).filter(|p| !is_here(p)) {
                findings.push(Finding::new(&page.path, 1, format!("no package at {path}")));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(pages: [(&str, &str); 2]) -> Vec<usize> {
        let pages = pages.map(|(path, text)| TextFile { path: path.into(), text: text.into() });
        check(&pages).into_iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn what_two_pages_say_is_found() {
        let text = "a\n\nb\n```\nc\nd\n";
        assert_eq!(lines([("README.md", text), ("docs/x.md", "0\na\nb\nc\n1\n")]), [2]);
        assert_eq!(lines([("README.md", text), ("docs/x.md", "a\nb\nx\nc\nd")]), [0; 0]);
        assert_eq!(lines([("README.md", text), ("docs/benchmarks/x.md", text)]), [0; 0]);
        assert_eq!(lines([("README.md", text), ("other.md", text)]), [0; 0]);
    }

    #[test]
    fn manifests_name_what_is_here() {
        let block = |path| {
            format!("```toml\n[dependencies]\na = {{ path = \"../oaklath/{path}\" }}\n```\n")
        };
        let manifest = ("crates/a/Cargo.toml", "");
        assert_eq!(lines([("README.md", &block("crates/a")), manifest]), [0; 0]);
        assert_eq!(lines([("README.md", &block("crates/b")), manifest]), [1]);
        assert_eq!(lines([("README.md", "```toml\na = b\n```"), manifest]), [1]);
    }

    #[test]
    fn a_table_of_yesterday_is_found() {
        let table = "<!-- table: kems -->\nold\n<!-- end -->\n";
        assert_eq!(lines([("README.md", ""), (algorithms::PAGE, table)]), [1]);
    }
}
