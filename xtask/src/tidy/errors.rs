//! Every variant of an error is named in a test of its crate, so that the test shows its cause.

use std::collections::BTreeSet;

use proc_macro2::TokenTree::{Ident, Punct};
use syn::{Item, ItemEnum, ItemImpl, Type, Visibility, spanned::Spanned};

use crate::tidy::{Finding, source::Source};

/// Checks the public errors of all crates.
pub(super) fn check(sources: &[Source]) -> Vec<Finding> {
    let named: BTreeSet<_> = sources.iter().flat_map(named_in_tests).collect();
    let mut findings = Vec::new();
    for source in sources.iter().filter(|source| !source.is_test()) {
        let Some(of_crate) = source.crate_name() else { continue };
        for error in errors(source) {
            for variant in &error.variants {
                let name = format!("{}::{}", error.ident, variant.ident);
                if !named.contains(&(of_crate, name.clone())) {
                    let line = variant.span().start().line;
                    let message = format!("{name} is in no test of its crate");
                    findings.push(Finding::new(&source.path, line, message));
                }
            }
        }
    }
    findings
}

/// Returns the public enums of a file for which the file implements `Error`.
fn errors(source: &Source) -> impl Iterator<Item = &ItemEnum> {
    let items = &source.syntax.items;
    items.iter().filter_map(move |item| match item {
        Item::Enum(item) if matches!(item.vis, Visibility::Public(_)) => items
            .iter()
            .any(|other| matches!(other, Item::Impl(block) if is_error(block, item)))
            .then_some(item),
        _ => None,
    })
}

fn is_error(block: &ItemImpl, item: &ItemEnum) -> bool {
    let of_error = block.trait_.as_ref().and_then(|(path, _)| path.segments.last());
    let Type::Path(of_type) = &*block.self_ty else { return false };
    of_error.is_some_and(|segment| segment.ident == "Error") && of_type.path.is_ident(&item.ident)
}

/// Returns every `Enum::Variant` that tests of a file name, with the crate.
fn named_in_tests(source: &Source) -> Vec<(&str, String)> {
    let Some(of_crate) = source.crate_name() else { return Vec::new() };
    let mut named = Vec::new();
    source.visit_code(&mut |tokens| {
        for window in tokens.windows(4) {
            if let [Ident(of), Punct(first), Punct(second), Ident(variant)] = window
                && [first.as_char(), second.as_char()] == [':', ':']
                && (source.is_test() || source.in_test(variant.span()))
            {
                named.push((of_crate, format!("{of}::{variant}")));
            }
        }
    });
    named
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIBRARY: &str = "pub enum E { A, B { found: u8 } }\nimpl core::error::Error for E {}\n\
        pub enum NoError { C }\nfn f() { E::A; }";

    fn findings(test: (&str, &str)) -> Vec<String> {
        let files = [("crates/kem/src/error.rs", LIBRARY), test];
        let sources = files.map(|(path, text)| Source::parse(path, text).unwrap());
        check(&sources).iter().map(Finding::to_string).collect()
    }

    #[test]
    fn every_variant_is_in_a_test_of_its_crate() {
        let names = "#[test] fn f() { assert_eq!(g(), E::A); let E::B { .. } = h(); }";
        assert_eq!(findings(("crates/kem/src/a.rs", names)), [""; 0]);
        assert_eq!(findings(("crates/kem/tests/a.rs", names)), [""; 0]);
        let missing =
            |name| format!("crates/kem/src/error.rs:1: E::{name} is in no test of its crate");
        assert_eq!(findings(("crates/sig/tests/a.rs", names)), ["A", "B"].map(missing));
        let only_b = ("crates/kem/src/a.rs", "fn f() { E::A } #[test] fn g() { E::B; }");
        assert_eq!(findings(only_b), [missing("A")]);
    }
}
