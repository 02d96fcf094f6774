//! Rust files as tokens, by which comments, strings and code are distinguished, and tests are
//! recognized.

use std::{collections::BTreeSet, str::FromStr};

use anyhow::{Context, Result};
use proc_macro2::{Delimiter, LineColumn, Span, TokenStream, TokenTree};
use syn::{Attribute, Item, ItemMod, spanned::Spanned, visit::Visit};

use crate::tidy::TextFile;

/// A Rust file, parsed.
pub(super) struct Source {
    pub(super) path: String,
    pub(super) syntax: syn::File,
    /// Everything but comments. Doc comments are `#[doc = "…"]` here: see [`Self::visit_code`].
    tokens: TokenStream,
    /// Items under `#[test]` or `#[cfg(test)]`, first and last position.
    tests: Vec<(LineColumn, LineColumn)>,
}

impl Source {
    /// Parses the text of a file.
    pub(super) fn parse(path: &str, text: &str) -> Result<Self> {
        let syntax = syn::parse_file(text).with_context(|| path.to_owned())?;
        let tokens =
            TokenStream::from_str(text).map_err(|error| anyhow::anyhow!("{path}: {error}"))?;
        let mut finder = TestFinder::default();
        finder.visit_file(&syntax);
        Ok(Self { path: path.to_owned(), syntax, tokens, tests: finder.items })
    }

    /// Returns the folder name of the crate that a file of `crates/` or `tools/` belongs to.
    pub(super) fn crate_name(&self) -> Option<&str> {
        let path =
            self.path.strip_prefix("crates/").or_else(|| self.path.strip_prefix("tools/"))?;
        path.split('/').next()
    }

    /// Reports whether the whole file is test code: integration tests, benches, examples, and the
    /// programs beside the workspace that compare or attack it.
    pub(super) fn is_test(&self) -> bool {
        let folders: Vec<_> = self.path.split('/').collect();
        let tops = ["benches", "fuzz", "examples"];
        let tools = ["tools/interop/", "tools/hostile/"];
        tops.contains(&folders[0])
            || tools.iter().any(|tool| self.path.starts_with(tool))
            || folders.iter().any(|folder| ["tests", "benches", "examples"].contains(folder))
            || self.tests.first().is_some_and(|test| *test == WHOLE_FILE)
    }

    /// Reports whether a position is in a test.
    pub(super) fn in_test(&self, span: Span) -> bool {
        self.tests.iter().any(|(first, last)| (*first..=*last).contains(&span.start()))
    }

    /// Returns each `mod name;`, and the files that it may mean.
    pub(super) fn modules(&self) -> Vec<(&ItemMod, [String; 2])> {
        let stem = self.path.trim_end_matches(".rs");
        let folder = match stem.rsplit_once('/') {
            Some((folder, name)) if name == "mod" || is_first(&self.path) => folder,
            _ => stem,
        };
        modules(&self.syntax.items, folder)
    }

    /// Calls `look` with each list of adjacent tokens, from the outside in; attributes that hold
    /// documentation are left out, other attributes are lists of their own.
    pub(super) fn visit_code(&self, look: &mut impl FnMut(&[TokenTree])) {
        visit_code(self.tokens.clone(), look);
    }
}

const WHOLE_FILE: (LineColumn, LineColumn) =
    (LineColumn { line: 0, column: 0 }, LineColumn { line: usize::MAX, column: 0 });

/// Parses every Rust file. A file behind `#[cfg(test)] mod name;` is a test as a whole.
pub(super) fn parse_all(files: &[TextFile]) -> Result<Vec<Source>> {
    let rust = files.iter().filter(|file| file.is_rust());
    let mut sources =
        rust.map(|file| Source::parse(&file.path, &file.text)).collect::<Result<Vec<_>>>()?;
    let tests: BTreeSet<String> = sources.iter().flat_map(test_files).collect();
    for source in sources.iter_mut().filter(|source| tests.contains(&source.path)) {
        source.tests = vec![WHOLE_FILE];
    }
    Ok(sources)
}

/// Reports whether a file is the first of a crate, by the places where cargo looks for it.
pub(super) fn is_first(path: &str) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let last = folder.rsplit('/').next().unwrap_or_default();
    let alone = ["tests", "benches", "examples", "bin", "fuzz_targets"];
    let in_sources = folder.contains("/src/") && last != "bin";
    ["lib.rs", "main.rs", "build.rs"].contains(&name) || (alone.contains(&last) && !in_sources)
}

fn modules<'a>(items: &'a [Item], folder: &str) -> Vec<(&'a ItemMod, [String; 2])> {
    let modules = items.iter().filter_map(|item| match item {
        Item::Mod(module) => Some((module, &module.content, format!("{folder}/{}", module.ident))),
        _ => None,
    });
    let of_module = |(module, content, stem): (_, &'a Option<(_, Vec<Item>)>, String)| match content
    {
        Some((_, items)) => self::modules(items, &stem),
        None => vec![(module, [format!("{stem}.rs"), format!("{stem}/mod.rs")])],
    };
    modules.flat_map(of_module).collect()
}

/// Returns the files that `#[cfg(test)] mod name;` of this file may mean.
fn test_files(source: &Source) -> Vec<String> {
    let modules = source.modules().into_iter();
    modules.filter(|(module, _)| is_test_item(&module.attrs)).flat_map(|(_, files)| files).collect()
}

/// Recognizes `#[test]`, `#[cfg(test)]`, `#[cfg(all(test, …))]`; not `#[cfg(not(test))]`.
fn is_test_item(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let path = attribute.path();
        let condition = match &attribute.meta {
            syn::Meta::List(list) if path.is_ident("cfg") => list.tokens.to_string(),
            _ => return path.is_ident("test"),
        };
        let mut words = condition.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.any(|word| word == "test") && !condition.contains("not")
    })
}

#[derive(Default)]
struct TestFinder {
    items: Vec<(LineColumn, LineColumn)>,
}

impl TestFinder {
    /// Records a test; returns false if the item is none, so that its inside must be searched.
    fn is_new_test(&mut self, attributes: &[Attribute], span: Span) -> bool {
        let test = is_test_item(attributes);
        if test {
            self.items.push((span.start(), span.end()));
        }
        test
    }
}

impl<'a> Visit<'a> for TestFinder {
    fn visit_item_mod(&mut self, item: &'a ItemMod) {
        if !self.is_new_test(&item.attrs, item.span()) {
            syn::visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'a syn::ItemFn) {
        if !self.is_new_test(&item.attrs, item.span()) {
            syn::visit::visit_item_fn(self, item);
        }
    }

    fn visit_item_impl(&mut self, item: &'a syn::ItemImpl) {
        if !self.is_new_test(&item.attrs, item.span()) {
            syn::visit::visit_item_impl(self, item);
        }
    }

    fn visit_item_const(&mut self, item: &'a syn::ItemConst) {
        self.is_new_test(&item.attrs, item.span());
    }

    fn visit_item_macro(&mut self, item: &'a syn::ItemMacro) {
        self.is_new_test(&item.attrs, item.span());
    }
}

fn visit_code(tokens: TokenStream, look: &mut impl FnMut(&[TokenTree])) {
    let mut side_by_side: Vec<TokenTree> = Vec::new();
    for token in tokens {
        match &token {
            TokenTree::Group(group) if is_doc(&side_by_side, group) => {}
            TokenTree::Group(group) => {
                visit_code(group.stream(), look);
                side_by_side.push(token);
            }
            _ => side_by_side.push(token),
        }
    }
    look(&side_by_side);
}

/// Reports whether a group is the `[doc = "…"]` of `#[doc = "…"]` or `#![doc = "…"]`.
fn is_doc(before: &[TokenTree], group: &proc_macro2::Group) -> bool {
    let hash =
        matches!(before.last(), Some(TokenTree::Punct(p)) if ['#', '!'].contains(&p.as_char()));
    let first = group.stream().into_iter().next();
    let doc = matches!(first, Some(TokenTree::Ident(name)) if name == "doc");
    hash && doc && group.delimiter() == Delimiter::Bracket
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "
//! unsafe in words
/* unsafe here */ fn one() { m!(\"unsafe\", two) }
#[cfg(test)]
mod tests { fn three() {} }
#[cfg(not(test))]
fn four() {}
";

    #[test]
    fn comments_and_strings_are_no_code_and_tests_are_known() {
        let source = Source::parse("crates/kem/src/lib.rs", TEXT).unwrap();
        let mut words = Vec::new();
        source.visit_code(&mut |tokens| {
            for token in tokens {
                if let TokenTree::Ident(name) = token {
                    words.push((name.to_string(), source.in_test(name.span())));
                }
            }
        });
        let test = |word: &str| words.iter().find(|(w, _)| w == word).map(|(_, test)| *test);
        assert_eq!(test("unsafe"), None);
        assert_eq!(test("two"), Some(false));
        assert_eq!(test("three"), Some(true));
        assert_eq!(test("four"), Some(false));
    }

    #[test]
    fn a_file_may_be_a_test_as_a_whole() {
        let file = |path: &str, text: &str| TextFile { path: path.into(), text: text.into() };
        let files = [
            file("crates/kem/src/lib.rs", "#[cfg(test)] mod kat; mod kpke;"),
            file("crates/kem/src/kat.rs", ""),
            file("crates/kem/src/kpke.rs", "#[cfg(test)] mod tests;"),
            file("crates/kem/src/kpke/tests.rs", ""),
            file("crates/kem/tests/all.rs", ""),
        ];
        let sources = parse_all(&files).unwrap();
        let tests: Vec<_> = sources.iter().map(Source::is_test).collect();
        assert_eq!(tests, [false, true, false, true, true]);
    }
}
