//! Rules about the pages: what one says, no other repeats, and the page that is generated is what
//! its command writes.

use std::collections::HashMap;

use crate::{
    algorithms,
    tidy::{Finding, TextFile},
};

/// So many equal lines in a row are a repetition.
const REPEATED: usize = 3;

/// Checks README.md and what is below docs/, but not what `cargo xtask tables` writes.
pub(super) fn check(files: &[TextFile]) -> Vec<Finding> {
    let is_page = |file: &&TextFile| {
        let is_generated = file.path.starts_with("docs/benchmarks/");
        let is_doc = file.path == "README.md" || file.path.starts_with("docs/");
        is_doc && file.path.ends_with(".md") && !is_generated
    };
    let mut findings = repetitions(files.iter().filter(is_page));
    if let Some(page) = files.iter().find(|file| file.path == algorithms::PAGE) {
        let is_current = algorithms::renewed(&page.text).is_ok_and(|text| text == page.text);
        if !is_current {
            let message = "not what `cargo xtask algorithms` writes";
            findings.push(Finding::new(algorithms::PAGE, 1, message));
        }
    }
    findings
}

/// Lines that two pages share. Fences, empty lines and imports say nothing.
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
    fn a_table_of_yesterday_is_found() {
        let table = "<!-- table: kems -->\nold\n<!-- end -->\n";
        assert_eq!(lines([("README.md", ""), (algorithms::PAGE, table)]), [1]);
    }
}
