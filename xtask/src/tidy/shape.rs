//! Rules about the shape of code: where `unsafe` and `cfg(target_arch)` may be, the length of
//! functions, nothing unfinished, no ignored test.

use proc_macro2::{Span, TokenTree};
use syn::{Block, ImplItemFn, ItemFn, Signature, TraitItemFn, spanned::Spanned, visit::Visit};

use crate::tidy::{Finding, source::Source};

/// The most lines of a function, so that it fits on a screen.
const MAX_LINES: usize = 60;

/// The crates whose own lint table lets them use `unsafe`.
pub(super) const UNSAFE_CRATES: &[&str] = &["simd", "measure"];

/// Functions that may be longer: file, name, reason. An unused entry is a finding.
const LONG_FUNCTIONS: &[(&str, &str, &str)] = &[];

/// Checks one file.
pub(super) fn check(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    check_words(source, &mut findings);
    check_soundness(source, &mut findings);
    let mut functions = Functions { source, long: Vec::new() };
    functions.visit_file(&source.syntax);
    let allowed: Vec<_> = LONG_FUNCTIONS.iter().filter(|entry| entry.0 == source.path).collect();
    for (line, name, length) in &functions.long {
        if !allowed.iter().any(|entry| entry.1 == name) {
            let message = format!("{name} has {length} lines, more than {MAX_LINES}");
            findings.push(Finding::new(&source.path, *line, message));
        }
    }
    for (file, name, reason) in allowed {
        if !functions.long.iter().any(|long| long.1 == *name) {
            let message = format!("{name} may be long ({reason}), but is not");
            findings.push(Finding::new(*file, 1, message));
        }
    }
    findings
}

fn check_words(source: &Source, findings: &mut Vec<Finding>) {
    let name = source.crate_name();
    let own_rules = name.is_some_and(|name| UNSAFE_CRATES.contains(&name));
    let outside = source.path.starts_with("tools/interop/") || source.path.starts_with("fuzz/");
    source.visit_code(&mut |tokens| {
        for (at, token) in tokens.iter().enumerate() {
            let TokenTree::Ident(word) = token else { continue };
            let next = tokens.get(at + 1);
            let call = matches!(next, Some(TokenTree::Punct(p)) if p.as_char() == '!');
            let attribute = tokens.len() == 1
                || matches!(next, Some(TokenTree::Punct(p)) if p.as_char() == '=');
            let message = match word.to_string().as_str() {
                "unsafe" if !own_rules && !outside => {
                    "unsafe is for crates/simd and tools/measure only"
                }
                "target_arch" if !own_rules && !outside && name.is_some() => {
                    "code that depends on the architecture belongs in crates/simd"
                }
                "todo" | "unimplemented" if call => "unfinished code",
                "ignore" if attribute && at == 0 => {
                    "choose a test by an environment variable or an xtask instead of ignoring it"
                }
                _ => continue,
            };
            findings.push(Finding::new(&source.path, line(word.span()), message));
        }
    });
}

/// Checks that a file with `unsafe` begins with the argument why it is sound.
fn check_soundness(source: &Source, findings: &mut Vec<Finding>) {
    let mut uses_unsafe = false;
    source.visit_code(&mut |tokens| {
        uses_unsafe |=
            tokens.iter().any(|token| matches!(token, TokenTree::Ident(w) if w == "unsafe"));
    });
    let outside = !source.crate_name().is_some_and(|name| UNSAFE_CRATES.contains(&name));
    if !uses_unsafe || outside || source.is_test() {
        return;
    }
    let mut head = String::new();
    for attribute in source.syntax.attrs.iter().filter(|a| a.path().is_ident("doc")) {
        if let syn::Meta::NameValue(pair) = &attribute.meta
            && let syn::Expr::Lit(literal) = &pair.value
            && let syn::Lit::Str(text) = &literal.lit
        {
            head += &text.value().to_lowercase();
        }
    }
    if !head.contains("sound") && !head.contains("safety") {
        let message = "a file with unsafe begins with the argument why it is sound";
        findings.push(Finding::new(&source.path, 1, message));
    }
}

fn line(span: Span) -> usize {
    span.start().line
}

/// Collects functions that are too long, tests included.
struct Functions<'a> {
    source: &'a Source,
    long: Vec<(usize, String, usize)>,
}

impl Functions<'_> {
    /// Measures from the line of `fn` to the closing brace, without documentation and attributes.
    fn measure(&mut self, signature: &Signature, block: &Block) {
        let first = line(signature.span());
        let length = block.span().end().line + 1 - first;
        if length > MAX_LINES && !self.source.path.starts_with("tools/interop/") {
            self.long.push((first, signature.ident.to_string(), length));
        }
    }
}

impl<'a> Visit<'a> for Functions<'_> {
    fn visit_item_fn(&mut self, item: &'a ItemFn) {
        self.measure(&item.sig, &item.block);
        syn::visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'a ImplItemFn) {
        self.measure(&item.sig, &item.block);
        syn::visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'a TraitItemFn) {
        if let Some(block) = &item.default {
            self.measure(&item.sig, block);
        }
        syn::visit::visit_trait_item_fn(self, item);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(path: &str, text: &str) -> Vec<String> {
        let source = Source::parse(path, text).unwrap();
        check(&source).into_iter().map(|f| format!("{} {}", f.line, f.message)).collect()
    }

    fn count(path: &str, text: &str) -> usize {
        messages(path, text).len()
    }

    #[test]
    fn unsafe_has_its_places() {
        let code = "fn f() { m!(unsafe { g() }) }";
        assert_eq!(count("crates/kem/src/lib.rs", code), 1);
        assert_eq!(count("crates/simd/src/lib.rs", code), 1, "no argument at the head");
        assert_eq!(count("crates/simd/src/lib.rs", &format!("//! Sound, because …\n{code}")), 0);
        assert_eq!(count("crates/kem/src/lib.rs", "//! unsafe\n#![forbid(unsafe_code)]"), 0);
    }

    #[test]
    fn architecture_belongs_to_simd() {
        let code = "#[cfg(target_arch = \"x86_64\")] fn f() {}";
        assert_eq!(count("crates/poly/src/ntt.rs", code), 1);
        assert_eq!(count("crates/simd/src/level.rs", code), 0);
    }

    #[test]
    fn nothing_is_unfinished_or_left_out() {
        assert_eq!(count("crates/kem/src/a.rs", "fn f() { todo!() }"), 1);
        assert_eq!(count("crates/kem/tests/a.rs", "#[test] #[ignore] fn f() {}"), 1);
        assert_eq!(count("crates/kem/tests/a.rs", "#[test] #[ignore = \"slow\"] fn f() {}"), 1);
        assert_eq!(count("crates/kem/src/a.rs", "fn f(ignore: bool) -> bool { g(ignore, 1) }"), 0);
    }

    #[test]
    fn functions_fit_a_screen() {
        let function =
            |lines: usize| format!("impl A {{\nfn f() {{{}}}\n}}", "\n".repeat(lines - 1));
        assert_eq!(count("crates/kem/src/a.rs", &function(60)), 0);
        assert_eq!(
            messages("crates/kem/src/a.rs", &function(61)),
            ["2 f has 61 lines, more than 60"]
        );
    }
}
