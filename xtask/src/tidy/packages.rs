//! Rules about the manifests: lint tables, licence, benches, minimum version; and ARCHITECTURE.md
//! must mention each crate.

use anyhow::{Context, Result};
use cargo_metadata::{Metadata, Package};
use toml::{Table, Value};

use crate::tidy::{Finding, TextFile, layers::folder, shape::UNSAFE_CRATES};

/// The `rust-version` of `Cargo.toml`, which `cargo xtask ci` checks.
pub(crate) const MSRV: &str = "1.89";

const LICENCE: &str = "MIT OR Apache-2.0";

/// Files that every copy of the project carries.
const MUST_EXIST: &[&str] =
    &["LICENSE-MIT", "LICENSE-APACHE", "README.md", "ARCHITECTURE.md", "SECURITY.md", "Cargo.lock"];

/// Checks every package of the workspace.
pub(super) fn check(metadata: &Metadata, files: &[TextFile]) -> Result<Vec<Finding>> {
    let text = |path: &str| files.iter().find(|file| file.path == path).map(|file| &*file.text);
    let parse = |path: &str| -> Result<Table> {
        text(path).with_context(|| path.to_owned())?.parse().with_context(|| path.to_owned())
    };
    let missing = MUST_EXIST.iter().filter(|path| text(path).is_none());
    let mut findings: Vec<_> = missing.map(|path| Finding::new(*path, 1, "is missing")).collect();

    let root = parse("Cargo.toml")?;
    let workspace_lints = &root["workspace"]["lints"];
    let architecture = text("ARCHITECTURE.md").unwrap_or_default();
    for package in metadata.workspace_packages() {
        let folder = package.manifest_path.parent().context("a manifest without a folder")?;
        let folder = folder.strip_prefix(&metadata.workspace_root)?.as_str().replace('\\', "/");
        let manifest = format!("{folder}/Cargo.toml");
        let mut add = |message: String| findings.push(Finding::new(&manifest, 1, message));
        check_fields(package).into_iter().for_each(&mut add);
        let table = parse(&manifest)?;
        check_lints(package, &table, workspace_lints).into_iter().for_each(&mut add);
        check_targets(&table).into_iter().for_each(&mut add);
        if !architecture.is_empty() && !names_folder(architecture, &folder) {
            add(format!("ARCHITECTURE.md does not mention `{folder}`"));
        }
    }
    Ok(findings)
}

/// Returns what is wrong with the fields of the package, one message each.
fn check_fields(package: &Package) -> Vec<String> {
    let mut messages = Vec::new();
    if package.license.as_deref() != Some(LICENCE) {
        messages.push(format!("the licence is not {LICENCE}"));
    }
    let minimum = package.rust_version.as_ref().map(|v| format!("{}.{}", v.major, v.minor));
    if minimum.as_deref() != Some(MSRV) {
        messages.push(format!("rust-version is not {MSRV}, which `cargo xtask ci` checks"));
    }
    let fields = [
        ("description", package.description.is_some()),
        ("readme", package.readme.is_some()),
        ("repository", package.repository.is_some()),
        ("documentation", package.documentation.is_some()),
        ("categories", !package.categories.is_empty()),
        ("keywords", !package.keywords.is_empty()),
    ];
    for (field, _) in fields.iter().filter(|(_, given)| package.publish.is_none() && !given) {
        messages.push(format!("a published package has the field `{field}`"));
    }
    // Both licences require that their text is included.
    let has = |name: &str| package.manifest_path.with_file_name(name).exists();
    if package.publish.is_none() && !["LICENSE-MIT", "LICENSE-APACHE"].iter().all(|name| has(name))
    {
        messages.push("a published package has both licences".into());
    }
    messages
}

/// Checks that every package uses the lints of the workspace; those with `unsafe` repeat them in
/// their own table, since `forbid(unsafe_code)` cannot be overridden.
fn check_lints(package: &Package, manifest: &Table, workspace: &Value) -> Vec<String> {
    let Some(own) = manifest.get("lints") else {
        return vec!["no [lints] table".into()];
    };
    let inherited = own.get("workspace").and_then(Value::as_bool) == Some(true);
    if inherited {
        return vec![];
    }
    if !UNSAFE_CRATES.contains(&folder(package)) {
        return vec!["[lints] is not `workspace = true`".into()];
    }
    lacking(own, workspace)
}

/// Returns the lints that a package's own table lacks, one message each.
fn lacking(own: &Value, workspace: &Value) -> Vec<String> {
    let mut wanted = vec![("rust", "unsafe_op_in_unsafe_fn", Value::from("deny"))];
    for tool in ["rust", "clippy"] {
        for (lint, level) in workspace.get(tool).and_then(Value::as_table).into_iter().flatten() {
            if lint != "unsafe_code" {
                wanted.push((tool, lint, level.clone()));
            }
        }
    }
    let has = |tool: &str, lint: &str| own.get(tool).and_then(|table| table.get(lint));
    wanted.retain(|(tool, lint, level)| has(tool, lint) != Some(level));
    let message = |(tool, lint, level)| format!("its own [lints.{tool}] lacks `{lint} = {level}`");
    wanted.into_iter().map(message).collect()
}

/// Checks that `cargo bench` runs criterion only, which fails to start beside the test harness of a
/// library or a program.
fn check_targets(manifest: &Table) -> Vec<String> {
    let no_bench = |target: &Value| target.get("bench").and_then(Value::as_bool) == Some(false);
    let lib = manifest.get("lib").into_iter();
    let bins = manifest.get("bin").and_then(Value::as_array).into_iter().flatten();
    let missing = lib.chain(bins).filter(|target| !no_bench(target)).count();
    (0..missing).map(|_| "a [lib] or [[bin]] lacks `bench = false`".into()).collect()
}

/// Reports whether the text contains the name of the folder, not only of one with that beginning.
fn names_folder(text: &str, folder: &str) -> bool {
    text.match_indices(folder).any(|(at, _)| {
        let next = text[at + folder.len()..].chars().next();
        !next.is_some_and(|c| c.is_alphanumeric() || "-_".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rules themselves are tried on the manifests of this workspace; here only what could be
    /// too lax.
    #[test]
    fn folders_are_whole_words() {
        assert!(names_folder("`crates/kem`: ML-KEM", "crates/kem"));
        assert!(!names_folder("`crates/kem-more`", "crates/kem"));
    }

    #[test]
    fn an_own_lint_table_is_as_strict() {
        let lints = |text: &str| Value::Table(text.parse().unwrap());
        let workspace = lints("rust.unsafe_code = 'forbid'\nrust.a = 'deny'\nclippy.b = 'warn'");
        let own = lints("rust.unsafe_op_in_unsafe_fn = 'deny'\nrust.a = 'deny'\nclippy.b = 'warn'");
        assert_eq!(lacking(&own, &workspace), [""; 0]);
        let lax = lints("rust.unsafe_op_in_unsafe_fn = 'warn'\nrust.a = 'warn'");
        assert_eq!(lacking(&lax, &workspace).len(), 3);
    }

    #[test]
    fn benches_are_switched_off() {
        let count = |text: &str| check_targets(&text.parse().unwrap()).len();
        assert_eq!(count("[lib]\nbench = false\n[[bin]]\nbench = false"), 0);
        assert_eq!(count("[lib]\n[[bin]]\nname = \"a\"\n[[bin]]\nbench = true"), 3);
    }
}
