//! What a proof records is what is shipped: no kernel may know that it is being recorded, or built
//! without optimization.

use proc_macro2::{LineColumn, Span, TokenTree};
use syn::{Attribute, Item, UseTree, spanned::Spanned};

use crate::tidy::{Finding, source::Source};

/// The crates that are compiled again by tools/prove, whole or in part.
const CRATES: &[&str] = &["hash", "kem", "poly", "sig", "simd"];

/// Where the recording backend is, and what knows of it.
const RECORDER: &[&str] = &["lib.rs", "level.rs", "memory.rs", "proof.rs", "proof/", "watch.rs"];

/// Checks one file.
pub(super) fn check(source: &Source) -> Vec<Finding> {
    let Some(rest) = source.path.strip_prefix("crates/") else { return Vec::new() };
    let Some((name, file)) = rest.split_once("/src/") else { return Vec::new() };
    let records = name == "simd" && RECORDER.iter().any(|start| file.starts_with(start));
    let allowed = attributes_of_proofs(&source.syntax.items);
    let mut findings = Vec::new();
    source.visit_code(&mut |tokens| {
        for token in tokens {
            let TokenTree::Ident(word) = token else { continue };
            let at = word.span().start();
            let message = match word.to_string().as_str() {
                "oaklath_proof"
                    if !records && !allowed.iter().any(|(a, b)| (*a..=*b).contains(&at)) =>
                {
                    "only a module of proofs, and what it exports, may depend on a proof"
                }
                "debug_assertions" if CRATES.contains(&name) && !source.in_test(word.span()) => {
                    "a kernel is recorded in a build with debug_assertions, and shipped without"
                }
                _ => continue,
            };
            findings.push(Finding::new(&source.path, at.line, message));
        }
    });
    findings
}

/// Returns the first and last position of each attribute of `mod proofs`, of `use proofs::…`, and
/// of `extern crate std`.
fn attributes_of_proofs(items: &[Item]) -> Vec<(LineColumn, LineColumn)> {
    let attributes = items.iter().flat_map(|item| match item {
        Item::Mod(module) if module.ident == "proofs" => &module.attrs[..],
        Item::Use(item) if is_of_proofs(&item.tree) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        _ => &[],
    });
    let place = |span: Span| (span.start(), span.end());
    attributes.map(|attribute: &Attribute| place(attribute.span())).collect()
}

fn is_of_proofs(tree: &UseTree) -> bool {
    matches!(tree, UseTree::Path(path) if path.ident == "proofs")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        check(&Source::parse(path, text).unwrap()).into_iter().map(|f| f.line).collect()
    }

    #[test]
    fn kernels_do_not_know_that_they_are_recorded() {
        let proofs =
            "#[cfg(oaklath_proof)]\nmod proofs;\n#[cfg(oaklath_proof)]\npub use proofs::A;\n";
        assert_eq!(lines("crates/poly/src/gf2.rs", proofs), [0; 0]);
        let others = "#[cfg(oaklath_proof)]\nmod b;\n#[cfg(not(oaklath_proof))]\nuse a::b;\n\
                      fn f() { if cfg!(oaklath_proof) { g!(cfg!(oaklath_proof)) } }";
        assert_eq!(lines("crates/poly/src/gf2.rs", others), [1, 3, 5, 5]);
        assert_eq!(lines("crates/simd/src/x86.rs", others), [1, 3, 5, 5]);
        assert_eq!(lines("crates/simd/src/proof/io.rs", others), [0; 0]);
    }

    #[test]
    fn kernels_are_the_same_when_optimized() {
        let code = "fn f() { if cfg!(debug_assertions) { g() } }";
        assert_eq!(lines("crates/poly/src/gf2.rs", code), [1]);
        assert_eq!(lines("crates/cli/src/speed.rs", code), [0; 0]);
        assert_eq!(
            lines("crates/poly/src/gf2.rs", &format!("#[cfg(test)] mod tests {{ {code} }}")),
            [0; 0]
        );
    }
}
