//! Names of types: each occurs once in a crate, and none is meaningless by itself.

use std::collections::BTreeMap;

use proc_macro2::Ident;
use syn::{ItemEnum, ItemStruct, ItemTrait, ItemType, ItemUnion, visit::Visit};

use crate::tidy::{Finding, source::Source};

/// Nouns that need a qualifier: `LaneTask`, `SignatureScheme`.
const WORN: &[&str] = &["Family", "Keys", "Parts", "Run", "Scheme", "Task", "Variant", "Work"];

/// Crates in which modules are columns of a table, and so have types of equal names, each with a
/// description of the columns.
const COLUMNS: &[(&str, &str)] = &[
    ("simd", "the backends, each with the vectors of all"),
    ("poly", "the rings, each with its polynomials"),
    ("pqcrypto-traits", "encapsulation and signatures, each with its keys"),
    ("lab", "the files of NIST's vectors, each with the form of its groups and tests"),
];

/// Checks the types of the crates, except those of tests.
pub(super) fn check(sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut seen = BTreeMap::<(&str, String), String>::new();
    for source in sources.iter().filter(|source| !source.is_test()) {
        let Some(name) = source.crate_name() else { continue };
        let mut types = Types { source, found: Vec::new() };
        types.visit_file(&source.syntax);
        for (ident, alternative) in types.found {
            let (word, line) = (ident.to_string(), ident.span().start().line);
            if WORN.contains(&word.as_str()) {
                let message = format!("{word} alone says nothing: what kind of {word} is it?");
                findings.push(Finding::new(&source.path, line, message));
            }
            if alternative || COLUMNS.iter().any(|(crate_name, _)| *crate_name == name) {
                continue;
            }
            let place = format!("{}:{line}", source.path);
            if let Some(first) = seen.insert((name, word.clone()), place) {
                let message = format!("{word} is also the name of another type: {first}");
                findings.push(Finding::new(&source.path, line, message));
            }
        }
    }
    findings
}

/// Collects names, and whether a condition of the build chooses between definitions.
struct Types<'a> {
    source: &'a Source,
    found: Vec<(&'a Ident, bool)>,
}

impl<'a> Types<'a> {
    fn add(&mut self, ident: &'a Ident, attributes: &[syn::Attribute]) {
        if !self.source.in_test(ident.span()) {
            let conditional = attributes.iter().any(|attribute| attribute.path().is_ident("cfg"));
            self.found.push((ident, conditional));
        }
    }
}

macro_rules! visit {
    ($($visit:ident $item:ident)*) => { $(
        fn $visit(&mut self, item: &'a $item) {
            self.add(&item.ident, &item.attrs);
            syn::visit::$visit(self, item);
        }
    )* };
}

impl<'a> Visit<'a> for Types<'a> {
    visit! {
        visit_item_enum ItemEnum
        visit_item_struct ItemStruct
        visit_item_trait ItemTrait
        visit_item_type ItemType
        visit_item_union ItemUnion
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(files: &[(&str, &str)]) -> Vec<String> {
        let sources: Vec<_> =
            files.iter().map(|(path, text)| Source::parse(path, text).unwrap()).collect();
        check(&sources).into_iter().map(|f| format!("{} {}", f.line, f.message)).collect()
    }

    #[test]
    fn a_name_is_used_once_in_a_crate() {
        let twice = [
            ("crates/kem/src/a.rs", "struct Matrix;"),
            ("crates/kem/src/b.rs", "fn f() {}\ntype Matrix = u8;"),
            ("crates/sig/src/a.rs", "struct Matrix;"),
        ];
        let want = ["2 Matrix is also the name of another type: crates/kem/src/a.rs:1"];
        assert_eq!(messages(&twice), want);
        let chosen = [("crates/kem/src/a.rs", "#[cfg(a)] struct A;\n#[cfg(not(a))] struct A;")];
        assert_eq!(messages(&chosen), [""; 0]);
        let test = [
            ("crates/kem/src/a.rs", "struct A;\n#[cfg(test)] mod tests { struct A; }"),
            ("crates/kem/tests/it/main.rs", "struct A;"),
        ];
        assert_eq!(messages(&test), [""; 0]);
    }

    #[test]
    fn worn_nouns_have_a_qualifier() {
        assert_eq!(messages(&[("crates/kem/src/a.rs", "trait Task {}")]).len(), 1);
        assert_eq!(messages(&[("crates/kem/src/a.rs", "enum LaneTask {}")]).len(), 0);
    }
}
