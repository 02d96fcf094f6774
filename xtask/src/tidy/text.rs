//! Rules about plain text: length of files, notes to oneself, machine-specific paths.

use crate::tidy::{Finding, TextFile};

/// The most lines of a file: a longer one hides a second concept.
pub(super) const MAX_LINES: usize = 800;

/// The most columns of a comment line: rustfmt wraps code only.
const MAX_COLUMNS: usize = 100;

/// Notes that something is unfinished; split, or this file would contain them.
const UNFINISHED: &[&str] = &[concat!("TO", "DO"), concat!("FIX", "ME"), concat!("X", "XX:")];

/// Directories that exist only on one person's machine; split likewise.
const MACHINE: &[&str] =
    &[concat!("/ho", "me/"), concat!("/ro", "ot/"), concat!("/Us", "ers/"), concat!("/wo", "rk/")];

/// Checks one file.
pub(super) fn check(file: &TextFile) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut add = |line, message| findings.push(Finding::new(&file.path, line, message));

    let lines = file.text.lines().count();
    if file.is_rust() && lines > MAX_LINES {
        add(lines, format!("{lines} lines, more than {MAX_LINES}"));
    }
    for (number, line) in (1..).zip(file.text.lines()) {
        if let Some(note) = UNFINISHED.iter().find(|note| has_word(line, note)) {
            add(number, format!("unfinished: {note}"));
        }
        if file.is_rust() && is_wide_comment(line) {
            add(number, format!("a comment of more than {MAX_COLUMNS} columns"));
        }
        if let Some(path) = MACHINE.iter().find(|path| has_path(line, path)) {
            add(number, format!("a machine-specific path: {path}"));
        }
    }
    findings
}

/// Reports whether a line is too wide a comment; addresses are exempt: they cannot be wrapped.
fn is_wide_comment(line: &str) -> bool {
    let is_comment = line.trim_start().starts_with("//");
    is_comment && line.chars().count() > MAX_COLUMNS && !line.contains("://")
}

pub(super) fn has_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        ![before, after].into_iter().flatten().any(|c| c.is_alphanumeric() || c == '_')
    })
}

/// Reports whether a line contains an absolute path, not as part of a longer path or a URL.
fn has_path(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || "._-*/}".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(path: &str, text: &str) -> Vec<usize> {
        let file = TextFile { path: path.into(), text: text.into() };
        check(&file).into_iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn long_files() {
        assert_eq!(findings("a.rs", &"\n".repeat(800)), [0; 0]);
        assert_eq!(findings("a.rs", &"\n".repeat(801)), [801]);
        assert_eq!(findings("a.csv", &"\n".repeat(801)), [0; 0]);
    }

    #[test]
    fn wide_comments() {
        let words = "word ".repeat(20);
        assert_eq!(findings("a.rs", &format!("/// {words}\n    // {words}")), [1, 2]);
        assert_eq!(findings("a.rs", &format!("/// | {words} |")), [1]);
        assert_eq!(findings("a.rs", &format!("// https://{words}")), [0; 0]);
        assert_eq!(findings("a.rs", &format!("// {}", &words[..97])), [0; 0]);
        assert_eq!(findings("a.md", &format!("// {words}")), [0; 0]);
    }

    #[test]
    fn unfinished_notes() {
        let note = UNFINISHED[0];
        assert_eq!(findings("a.md", &format!("a\nb {note}: later\n")), [2]);
        assert_eq!(findings("a.md", &format!("MAS{note}N ME{note}")), [0; 0]);
    }

    #[test]
    fn machine_paths() {
        let home = MACHINE[0];
        assert_eq!(findings("a.sh", &format!("cd \"{home}me/oaklath\"")), [1]);
        assert_eq!(findings("a.sh", &format!("https://example.org{home}page")), [0; 0]);
    }
}
