//! The language of the project: words that README, documentation, comments and messages do not use,
//! each with a replacement.

use proc_macro2::TokenTree;

use crate::tidy::{Finding, TextFile, source::Source, text::has_word};

/// A word or phrase, its replacement, and phrases that may contain it.
const WORDS: &[(&str, &str, &[&str])] = &[
    ("one text", "one implementation, shared source", &[]),
    ("kin", "and similar", &[]),
    ("stands", "is, is stated", &["stands for", "stands in for", "as it stands"]),
    ("stand", "be, be stated", &["stand for", "stand in for"]),
    ("lies", "is", &[]),
    ("of the moment", "current", &[]),
    ("whoever", "the caller, or whom it is about", &[]),
    ("but for", "except", &[]),
    ("in earnest", "in production", &[]),
    ("says nothing of", "does not reveal", &[]),
    ("refuse", "reject", &[]),
    ("refuses", "rejects", &[]),
    ("refused", "rejected", &["connection refused", "{refused", "::refused"]),
    ("refusal", "rejection", &[]),
    ("singles", "f32", &[]),
    ("forth", "forward", &[]),
];

/// Checks the words in a page, or in the comments of a Rust file.
pub(super) fn check_text(file: &TextFile) -> Vec<Finding> {
    let is_page = file.path.ends_with(".md");
    let is_list = file.path == "xtask/src/tidy/words.rs";
    if !is_page && !file.is_rust() || is_list {
        return vec![];
    }
    let comment = |line| if is_page { Some(line) } else { comment(line) };
    let lines = (1..).zip(file.text.lines());
    let mut findings: Vec<_> = lines
        .filter_map(|(number, line)| Some((number, comment(line)?)))
        .flat_map(|(number, text)| findings(&file.path, number, text))
        .collect();
    if file.path.starts_with("crates/") && file.path.contains("/src/") {
        findings.extend(borrowed_descriptions(file));
    }
    findings
}

/// Checks the words in the strings of a Rust file: errors, help, output of programs.
pub(super) fn check_strings(source: &Source) -> Vec<Finding> {
    let mut all = Vec::new();
    if source.path == "xtask/src/tidy/words.rs" {
        return all;
    }
    source.visit_code(&mut |tokens| {
        for token in tokens {
            let TokenTree::Literal(literal) = token else { continue };
            let (text, line) = (literal.to_string(), literal.span().start().line);
            if text.starts_with('"') && text.contains(' ') {
                all.extend(findings(&source.path, line, &text));
            }
        }
    });
    all
}

fn findings(path: &str, line: usize, text: &str) -> Vec<Finding> {
    let text = text.to_lowercase();
    let is_used = |(word, _, allowed): &&(&str, &str, &[&str])| {
        let rest = allowed.iter().fold(text.clone(), |rest, phrase| rest.replace(phrase, ""));
        has_word(&rest, word)
    };
    let used = WORDS.iter().filter(is_used);
    used.map(|(word, instead, _)| Finding::new(path, line, format!("`{word}`: say {instead}")))
        .collect()
}

/// Returns the comment of a line of Rust. `//` within a string is taken for a comment, which does
/// no harm: strings may not use the words either.
fn comment(line: &str) -> Option<&str> {
    let at = line.find("//")?;
    Some(&line[at..]).filter(|_| at == 0 || line[..at].ends_with(' '))
}

/// Finds documentation that is useful only beside that of the preceding item.
fn borrowed_descriptions(file: &TextFile) -> impl Iterator<Item = Finding> {
    let begins = |line: &str| line.trim_start().starts_with("/// The same");
    let lines = (1..).zip(file.text.lines()).filter(move |(_, line)| begins(line));
    lines.map(|(number, _)| Finding::new(&file.path, number, "describe the item itself"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        let file = TextFile { path: path.into(), text: text.into() };
        check_text(&file).into_iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn words_are_found_in_pages_and_comments() {
        assert_eq!(lines("a.md", "It lies here.\nBeliefs, earliest\nKin."), [1, 3]);
        assert_eq!(lines("a.md", "a name stands for a group\nwhich stands below"), [2]);
        assert_eq!(lines("a.rs", "let refused = 1; // is refused\nfn refused() {}"), [1]);
        assert_eq!(lines("a.csv", "refused"), [0; 0]);
    }

    #[test]
    fn words_are_found_in_strings() {
        let text = "/// lies\nfn lies() { bail!(\"the key is refused\", \"lies\") }";
        let source = Source::parse("a.rs", text).unwrap();
        assert_eq!(check_strings(&source).len(), 1);
    }

    #[test]
    fn descriptions_are_complete() {
        assert_eq!(lines("crates/a/src/b.rs", "/// Adds.\n    /// The same modulo q."), [2]);
        assert_eq!(lines("tools/a/src/b.rs", "/// The same modulo q."), [0; 0]);
    }
}
