//! Imports inside a crate: from the module that defines an item, and never in a circle of files.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::Span;
use syn::{Item, ItemMod, ItemUse, Path, UseTree, Visibility, spanned::Spanned, visit::Visit};

use crate::tidy::{
    Finding,
    source::{Source, is_first},
};

/// Checks every crate of `crates/` and `tools/`.
pub(super) fn check(sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in sources.iter().filter(|source| is_library_or_program(source)) {
        let tree = ModuleTree::new(root, sources);
        findings.extend(tree.imports_through_the_root());
        findings.extend(tree.circles());
    }
    findings
}

/// Leaves out tests and the tools that attack or compare: there a root is a plain list of modules.
fn is_library_or_program(source: &Source) -> bool {
    source.crate_name().is_some() && is_first(&source.path) && !source.is_test()
}

/// The files of a crate by the names of their modules: `["ml_kem", "fo"]`.
struct ModuleTree<'a> {
    root: &'a Source,
    files: BTreeMap<Vec<String>, &'a Source>,
}

/// A path in code from the root of its crate, and its position.
struct Reference {
    names: Vec<String>,
    span: Span,
    is_import: bool,
}

impl<'a> ModuleTree<'a> {
    fn new(root: &'a Source, sources: &'a [Source]) -> Self {
        let mut tree = Self { root, files: BTreeMap::new() };
        tree.add(Vec::new(), root, sources);
        tree
    }

    fn add(&mut self, name: Vec<String>, source: &'a Source, sources: &'a [Source]) {
        for (module, files) in source.modules() {
            if let Some(child) = sources.iter().find(|source| files.contains(&source.path))
                && !child.is_test()
                && let Some(path) = inside(&child.path, &source.path, &name, module)
            {
                self.add(path, child, sources);
            }
        }
        self.files.insert(name, source);
    }

    fn references(&self, name: &[String], source: &Source) -> Vec<Reference> {
        let children = vec![modules(&source.syntax.items)];
        let module = name.to_vec();
        let mut finder = ReferenceFinder { source, module, children, found: Vec::new() };
        finder.visit_file(&source.syntax);
        finder.found
    }

    /// Finds `use crate::Thing` where the root has `Thing` from elsewhere.
    fn imports_through_the_root(&self) -> Vec<Finding> {
        let through = exported(self.root);
        let mut findings = Vec::new();
        for (name, source) in &self.files {
            for reference in self.references(name, source).iter().filter(|r| r.is_import) {
                if let [thing] = &*reference.names
                    && !name.is_empty()
                    && through.contains(thing)
                {
                    let message = format!("{thing} comes through the root: name its module");
                    let line = reference.span.start().line;
                    findings.push(Finding::new(&source.path, line, message));
                }
            }
        }
        findings
    }

    /// Returns the file that a path leads into: that of the longest chain of modules.
    fn target(&self, names: &[String]) -> &'a Source {
        let lengths = (0..=names.len()).rev();
        let mut files = lengths.filter_map(|length| self.files.get(&names[..length]));
        files.next().expect("the root has a file")
    }

    fn circles(&self) -> Vec<Finding> {
        let mut arrows = BTreeMap::<&str, BTreeSet<&str>>::new();
        for (name, source) in &self.files {
            // A root only re-exports, so it cannot be part of a circle.
            if name.is_empty() {
                continue;
            }
            for reference in self.references(name, source) {
                let target = self.target(&reference.names);
                if target.path != source.path && target.path != self.root.path {
                    arrows.entry(&source.path).or_default().insert(&target.path);
                }
            }
        }
        let reached: BTreeMap<&str, _> =
            arrows.keys().map(|file| (*file, reachable(&arrows, file))).collect();
        let mut findings = Vec::new();
        for (file, others) in &reached {
            let back = |other: &&&str| reached.get(**other).is_some_and(|all| all.contains(file));
            let circle: Vec<_> = others.iter().filter(back).copied().collect();
            if circle.first() == Some(file) && circle.len() > 1 {
                let message = format!("a circle of files: {}", circle.join(", "));
                findings.push(Finding::new(*file, 1, message));
            }
        }
        findings
    }
}

/// Returns the files that a file needs, directly or indirectly.
fn reachable<'a>(
    arrows: &BTreeMap<&'a str, BTreeSet<&'a str>>,
    from: &'a str,
) -> BTreeSet<&'a str> {
    let (mut seen, mut next) = (BTreeSet::new(), vec![from]);
    while let Some(file) = next.pop() {
        next.extend(arrows.get(file).into_iter().flatten().filter(|file| seen.insert(**file)));
    }
    seen
}

/// Returns the path of a child module: its file's path shows in which inline modules it is.
fn inside(child: &str, parent: &str, name: &[String], module: &ItemMod) -> Option<Vec<String>> {
    let stem = parent.trim_end_matches(".rs");
    let folder = match stem.rsplit_once('/') {
        Some((folder, last)) if last == "mod" || is_first(parent) => folder,
        _ => stem,
    };
    let rest = child.strip_prefix(folder)?.trim_end_matches(".rs").trim_end_matches("/mod");
    let mut names = name.to_vec();
    names.extend(rest.split('/').filter(|part| !part.is_empty()).map(str::to_owned));
    (module.ident == *names.last()?).then_some(names)
}

/// Returns the names that the root of a crate re-exports.
fn exported(root: &Source) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for item in &root.syntax.items {
        if let Item::Use(item) = item
            && !matches!(item.vis, Visibility::Inherited)
        {
            each_leaf(&item.tree, &mut Vec::new(), &mut |path, _| {
                names.extend(path.last().cloned());
            });
        }
    }
    names
}

/// Calls `look` with each path of a `use`.
fn each_leaf(tree: &UseTree, path: &mut Vec<String>, look: &mut impl FnMut(&[String], Span)) {
    match tree {
        UseTree::Path(inner) => {
            path.push(inner.ident.to_string());
            each_leaf(&inner.tree, path, look);
            path.pop();
        }
        UseTree::Group(group) => group.items.iter().for_each(|tree| each_leaf(tree, path, look)),
        UseTree::Glob(_) => look(path, tree.span()),
        UseTree::Name(syn::UseName { ident }) | UseTree::Rename(syn::UseRename { ident, .. }) => {
            let is_self = ident == "self";
            path.extend((!is_self).then(|| ident.to_string()));
            look(path, tree.span());
            if !is_self {
                path.pop();
            }
        }
    }
}

/// Returns the names of the modules that some items declare.
fn modules(items: &[Item]) -> BTreeSet<String> {
    let name = |item: &Item| match item {
        Item::Mod(item) => Some(item.ident.to_string()),
        _ => None,
    };
    items.iter().filter_map(name).collect()
}

struct ReferenceFinder<'a> {
    source: &'a Source,
    module: Vec<String>,
    /// The modules declared by each module of `module`, starting with the file's.
    children: Vec<BTreeSet<String>>,
    found: Vec<Reference>,
}

impl ReferenceFinder<'_> {
    fn is_child(&self, name: &str) -> bool {
        self.children.last().is_some_and(|names| names.contains(name))
    }

    /// Reports whether a `use` re-exports from a child: a module does not need what it re-exports.
    fn gathers(&self, item: &ItemUse) -> bool {
        !matches!(item.vis, Visibility::Inherited)
            && matches!(&item.tree, UseTree::Path(path) if self.is_child(&path.ident.to_string()))
    }

    fn add(&mut self, path: &[String], span: Span, is_import: bool) {
        if self.source.in_test(span) {
            return;
        }
        let mut names = match path.first().map(String::as_str) {
            Some("crate") => Vec::new(),
            Some("self" | "super") => self.module.clone(),
            Some(name) if self.is_child(name) => self.module.clone(),
            _ => return,
        };
        for name in path {
            match name.as_str() {
                "crate" | "self" => {}
                "super" => drop(names.pop()),
                _ => names.push(name.clone()),
            }
        }
        self.found.push(Reference { names, span, is_import });
    }
}

impl<'a> Visit<'a> for ReferenceFinder<'a> {
    fn visit_item_mod(&mut self, item: &'a ItemMod) {
        let items = item.content.as_ref().map_or(&[][..], |(_, items)| items);
        self.module.push(item.ident.to_string());
        self.children.push(modules(items));
        syn::visit::visit_item_mod(self, item);
        self.children.pop();
        self.module.pop();
    }

    fn visit_item_use(&mut self, item: &'a ItemUse) {
        if self.gathers(item) {
            return;
        }
        each_leaf(&item.tree, &mut Vec::new(), &mut |path, span| self.add(path, span, true));
    }

    /// `pub(in crate::module)` does not need that module.
    fn visit_visibility(&mut self, _: &'a Visibility) {}

    fn visit_path(&mut self, path: &'a Path) {
        let names: Vec<_> = path.segments.iter().map(|part| part.ident.to_string()).collect();
        if names.len() > 1 {
            self.add(&names, path.span(), false);
        }
        syn::visit::visit_path(self, path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(files: &[(&str, &str)]) -> Vec<String> {
        let sources: Vec<_> =
            files.iter().map(|(path, text)| Source::parse(path, text).unwrap()).collect();
        check(&sources).into_iter().map(|f| format!("{}: {}", f.file, f.message)).collect()
    }

    #[test]
    fn things_come_from_their_modules() {
        let root =
            ("crates/kem/src/lib.rs", "mod a; mod error; pub use error::Error; pub struct B;");
        let error = ("crates/kem/src/error.rs", "pub enum Error {}");
        let import = |text| messages(&[root, error, ("crates/kem/src/a.rs", text)]).len();
        assert_eq!(import("use crate::{B, Error};"), 1);
        assert_eq!(import("use super::Error;"), 1);
        assert_eq!(import("use crate::error::Error;"), 0);
        assert_eq!(import("use crate::B;"), 0, "the root defines it");
        assert_eq!(import("#[cfg(test)] mod tests { use crate::Error; }"), 0);
    }

    #[test]
    fn files_run_in_no_circle() {
        let root = ("crates/kem/src/lib.rs", "mod a; mod b; mod c;");
        let files = |a, b, c| {
            let files = [("crates/kem/src/a.rs", a), ("crates/kem/src/b.rs", b)];
            messages(&[root, files[0], files[1], ("crates/kem/src/c.rs", c)])
        };
        let circle = files("use crate::b::X;", "fn f() { crate::c::y() }", "use super::a::Z;");
        let want = "crates/kem/src/a.rs: a circle of files: \
                    crates/kem/src/a.rs, crates/kem/src/b.rs, crates/kem/src/c.rs";
        assert_eq!(circle, [want]);
        assert_eq!(files("use crate::b::X;", "use crate::c::Y;", ""), [""; 0]);
    }

    #[test]
    fn a_folder_and_its_head_are_two_files() {
        let files = [
            ("crates/kem/src/lib.rs", "mod a;"),
            ("crates/kem/src/a.rs", "mod b; use self::b::X; pub struct Y;"),
            ("crates/kem/src/a/b.rs", "use super::Y;"),
        ];
        assert_eq!(messages(&files).len(), 1);
        let head = |text| messages(&[files[0], ("crates/kem/src/a.rs", text), files[2]]).len();
        assert_eq!(head("mod b; pub struct Y;"), 0);
        assert_eq!(head("mod b; use b::X; pub struct Y;"), 1, "a path from the module's child");
        assert_eq!(head("mod b; pub struct Y; fn f() { b::g() }"), 1);
        assert_eq!(head("mod b; pub use b::X; pub struct Y;"), 0, "a head gathers");
        assert_eq!(head("pub mod b; pub(in crate::a::b) struct Y;"), 0, "who may see it");
        assert_eq!(head("mod b; pub struct Y; mod c { fn f() { b::g() } }"), 0, "another b");
    }
}
