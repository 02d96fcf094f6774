//! Dependencies run downwards only, and the crates of cryptography depend on almost nothing.

use std::collections::BTreeSet;

use cargo_metadata::{DependencyKind, Metadata, Package, PackageId};

use crate::tidy::Finding;

/// The crates by layer, from the bottom up; a crate depends on crates of lower layers only.
const LAYERS: &[&[&str]] = &[
    &["params", "simd", "kat", "pqcrypto-traits"],
    &["hash", "measure"],
    &["poly", "tree"],
    &["kem", "sig", "stateful"],
    &["hybrid", "stores", "pki", "pqcrypto"],
    &["tls"],
    &["oaklath", "cli", "testpki"],
    &["lab"],
    &["benches"],
];

/// The cryptographic core, and its permitted dependencies outside the workspace: mandatory, and
/// optional ones. Only `simd` may also use the crate `aes`, for CPUs without such instructions.
const CORE: &[&str] = &["params", "simd", "hash", "poly", "tree", "kem", "sig", "stateful"];
const CORE_MAY_USE: &[&str] = &["rand_core", "zeroize"];
const CORE_MAY_OFFER: &[&str] = &["getrandom", "rayon", "sha2", "signature"];

/// Checks the dependency graph that cargo has resolved.
pub(super) fn check(metadata: &Metadata) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in metadata.workspace_default_packages() {
        let manifest = format!("crates/{}/Cargo.toml", folder(package));
        for dependency in &package.dependencies {
            if dependency.kind != DependencyKind::Development {
                let problem = match dependency.path {
                    Some(_) => upward(folder(package), short(&dependency.name)),
                    None => external(folder(package), &dependency.name, dependency.optional),
                };
                findings.extend(problem.map(|message| Finding::new(&manifest, 1, message)));
                let is_hidden =
                    |other: &&Package| other.name == dependency.name && other.publish.is_some();
                if let Some(other) = metadata.workspace_packages().into_iter().find(is_hidden)
                    && package.publish.is_none()
                {
                    let message = format!("depends on {}, which is not published", other.name);
                    findings.push(Finding::new(&manifest, 1, message));
                }
            }
        }
        if package.publish.is_none() {
            let pre = pre_releases(metadata, package);
            findings.extend(pre.into_iter().map(|name| {
                Finding::new(&manifest, 1, format!("depends on the pre-release {name}"))
            }));
        }
    }
    findings
}

/// Returns the short name of a package: `kem` for `oaklath-kem`, `oaklath` for the facade.
fn short(name: &str) -> &str {
    name.strip_prefix("oaklath-").unwrap_or(name)
}

/// Returns the name of the folder that holds a package.
pub(super) fn folder(package: &Package) -> &str {
    package.manifest_path.parent().and_then(|path| path.file_name()).unwrap_or_default()
}

fn layer(name: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&name))
}

/// Returns what is wrong with a dependency within the workspace, if anything.
fn upward(from: &str, to: &str) -> Option<String> {
    let (Some(above), Some(below)) = (layer(from), layer(to)) else {
        return Some(format!(
            "{from} or {to} has no layer yet: give it one in xtask/src/tidy/layers.rs"
        ));
    };
    (below >= above).then(|| format!("{from} depends on {to}, which is not below it"))
}

/// Returns what is wrong with a dependency outside the workspace, if anything.
fn external(from: &str, name: &str, optional: bool) -> Option<String> {
    if !CORE.contains(&from) {
        return None;
    }
    let allowed = match from {
        "params" => false,
        "simd" if name == "aes" => true,
        _ => CORE_MAY_USE.contains(&name) || (optional && CORE_MAY_OFFER.contains(&name)),
    };
    (!allowed)
        .then(|| format!("{from} depends on {name}, which is not on the list of the core crates"))
}

/// Returns the pre-releases that a package needs, directly or not, with the resolved features.
fn pre_releases(metadata: &Metadata, package: &Package) -> BTreeSet<String> {
    let Some(graph) = &metadata.resolve else { return BTreeSet::new() };
    let mut seen = BTreeSet::new();
    let mut next: Vec<&PackageId> = vec![&package.id];
    while let Some(id) = next.pop() {
        if !seen.insert(id) {
            continue;
        }
        let node = graph.nodes.iter().find(|node| node.id == *id);
        for dependency in node.into_iter().flat_map(|node| &node.deps) {
            if dependency.dep_kinds.iter().any(|kind| kind.kind != DependencyKind::Development) {
                next.push(&dependency.pkg);
            }
        }
    }
    let needed = metadata.packages.iter().filter(|package| seen.contains(&package.id));
    let pre = needed.filter(|package| !package.version.pre.is_empty());
    pre.map(|package| format!("{} {}", package.name, package.version)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn downwards_only() {
        assert_eq!(upward("kem", "params"), None);
        assert_eq!(upward("cli", "tls"), None);
        assert!(upward("hash", "poly").is_some());
        assert!(upward("params", "simd").is_some(), "side by side is not below");
        assert!(upward("kem", "novel").is_some());
    }

    #[test]
    fn the_core_depends_on_next_to_nothing() {
        assert_eq!(external("kem", "zeroize", false), None);
        assert_eq!(external("kem", "getrandom", true), None);
        assert_eq!(external("simd", "aes", false), None);
        assert!(external("kem", "aes", true).is_some());
        assert!(external("kem", "getrandom", false).is_some());
        assert!(external("params", "zeroize", false).is_some());
        assert!(external("poly", "rand", true).is_some());
        assert_eq!(external("tls", "rustls", false), None);
    }
}
