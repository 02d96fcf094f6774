//! The size of a program that speaks TLS, with and without post-quantum algorithms.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::report::{Cell, Table};

/// What the appendix gives for `tls_bench`, stripped: without liboqs and with it.
const PUBLISHED: [u64; 2] = [571_832, 2_479_992];

/// Two stripped programs that do the same with classical algorithms alone, and with every algorithm
/// of this workspace.
///
/// # Errors
/// If a file is not there.
pub fn table(classical: &Path, post_quantum: &Path) -> Result<Table> {
    let mut table = Table::new(
        "program",
        "Size of a program",
        &["program", "published", "ours", "published, added", "ours, added"],
    )
    .note(
        "In bytes, stripped. Published: wolfSSL's tls_bench without and with liboqs. Ours: a client and a server in one \
         program with rustls over aws-lc-rs, without and with every group and signature of this workspace, legacy ones \
         among them, at every SIMD level. Most of the first figure is Rust's standard library and AWS-LC.",
    );
    let mut base = None;
    for ((name, path), published) in
        [("classical", classical), ("post-quantum", post_quantum)].into_iter().zip(PUBLISHED)
    {
        let size = fs::metadata(path).with_context(|| path.display().to_string())?.len();
        let (ours, theirs) = *base.get_or_insert((size, published));
        table.push(vec![
            Cell::text(name),
            Cell::Count(published),
            Cell::Count(size),
            Cell::Count(published - theirs),
            Cell::Number(size as f64 - ours as f64, 0),
        ]);
    }
    Ok(table)
}
