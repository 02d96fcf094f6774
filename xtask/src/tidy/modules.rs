//! Rust files that no `mod` names: they are never compiled, and the compiler does not report them.

use std::collections::BTreeSet;

use syn::{Expr, ItemMod, Lit, Meta};

use crate::tidy::{
    Finding,
    source::{Source, is_first},
};

/// Finds the files that are neither a crate's first file nor a module of another file.
pub(super) fn check(sources: &[Source]) -> Vec<Finding> {
    let named: BTreeSet<String> = sources.iter().flat_map(names).collect();
    let forgotten =
        sources.iter().filter(|source| !is_first(&source.path) && !named.contains(&source.path));
    forgotten.map(|source| Finding::new(&source.path, 1, "no `mod` names this file")).collect()
}

fn names(source: &Source) -> Vec<String> {
    let files = source.modules().into_iter().flat_map(|(module, files)| match path(module) {
        Some(path) => vec![beside(&source.path, &path)],
        None => files.into(),
    });
    files.collect()
}

/// Returns the text of `#[path = "…"]`.
fn path(module: &ItemMod) -> Option<String> {
    let values = module.attrs.iter().filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("path") => Some(&pair.value),
        _ => None,
    });
    let mut texts = values.filter_map(|value| match value {
        Expr::Lit(literal) => Some(&literal.lit),
        _ => None,
    });
    texts.find_map(|literal| match literal {
        Lit::Str(text) => Some(text.value()),
        _ => None,
    })
}

/// Resolves a path that is relative to the folder of a file.
fn beside(file: &str, path: &str) -> String {
    let mut parts: Vec<&str> = file.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forgotten_files_are_found() {
        let files = [
            ("crates/kem/src/lib.rs", "mod fo; #[path = \"../common/x.rs\"] mod x;"),
            ("crates/kem/src/fo.rs", "mod inner; mod tests { mod levels; }"),
            ("crates/kem/src/fo/inner.rs", "mod deep;"),
            ("crates/kem/src/fo/inner/deep/mod.rs", ""),
            ("crates/kem/src/fo/tests/levels.rs", ""),
            ("crates/kem/common/x.rs", ""),
            ("crates/kem/tests/all.rs", "mod shared;"),
            ("crates/kem/tests/shared/mod.rs", ""),
            ("crates/kem/src/inner.rs", ""),
            ("crates/kem/src/fo/tests/edges.rs", ""),
        ];
        let sources: Vec<_> =
            files.iter().map(|(path, text)| Source::parse(path, text).unwrap()).collect();
        let found: Vec<_> = check(&sources).into_iter().map(|finding| finding.file).collect();
        assert_eq!(found, ["crates/kem/src/inner.rs", "crates/kem/src/fo/tests/edges.rs"]);
    }
}
