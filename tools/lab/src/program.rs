//! The size of a program that speaks TLS, with and without post-quantum algorithms, and what it
//! consists of.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::published::{BINARY_SIZES, number};
use crate::report::{Cell, RATIO, Table};

/// The programs of the table, in the order of the command line.
pub const NAMES: [&str; 5] = [
    "classical, for speed",
    "every post-quantum algorithm, for speed",
    "classical groups, server and client, for size",
    "ML-KEM, ML-DSA, classical groups, server and client, for size",
    "Kyber, Falcon, classical groups, server and client, for size",
];

/// Pairs of programs, without and with post-quantum algorithms, and the index of the published row
/// beside them.
const PAIRS: [([usize; 2], usize); 3] = [([0, 1], 0), ([2, 4], 0), ([2, 3], 1)];

/// The number of crates that the second table names.
const CRATES: usize = 10;

/// Returns the sizes of stripped programs in the order of [`NAMES`] beside the published ones.
///
/// # Errors
/// If a file is missing.
pub fn table(programs: &[PathBuf]) -> Result<Table> {
    let mut table = Table::new(
        "program",
        "Size of a program",
        &["program", "published", "ours", RATIO, "published, added", "ours, added", "added, ratio"],
    )
    .note(
        "In bytes, stripped. Published: wolfSSL's tls_bench without and with liboqs, whose minimal build has Kyber and \
         Falcon, and that of the sixth version, without and with ML-KEM and ML-DSA of wolfCrypt. For speed: a client and \
         a server in one program with rustls over aws-lc-rs in the profile `release`, without and with every group and \
         signature of this workspace, legacy ones among them. For size: the program `oaklath` itself over *ring* with \
         the commands `server` and `client` in the profile `small`, without and with the selection of the appendix \
         (`cargo build --profile small -p oaklath-cli --no-default-features --features ring,kyber,falcon`, or \
         `ring,ml-kem,ml-dsa`). Every SIMD level is in each.",
    )
    .because("every post-quantum", "every group and signature scheme at every SIMD level, beside Kyber and Falcon")
    .because("for speed", "rustls, webpki, aws-lc and Rust's standard library, built for speed")
    .because("classical groups, server", "rustls, webpki, *ring*, Rust's standard library and its back-traces")
    .because("ML-KEM, ML-DSA", "every SIMD level of every kernel, and key generation and signing by each method");
    let published = BINARY_SIZES.rows::<3>()?;
    for (pair, source) in PAIRS {
        let [theirs @ .., _] = published[source];
        let theirs = [number(theirs[0])?, number(theirs[1])?];
        let ours = [size(&programs[pair[0]])? as f64, size(&programs[pair[1]])? as f64];
        let mut row = |i: usize, added: [Cell; 3]| {
            let figures = [(theirs[i], 0), (ours[i], 0), (theirs[i] / ours[i], 2)];
            let figures = figures.map(|(figure, digits)| Cell::Number(figure, digits));
            let name = Cell::text(NAMES[pair[i]]);
            table.push([name].into_iter().chain(figures).chain(added).collect());
        };
        let added = [theirs[1] - theirs[0], ours[1] - ours[0]];
        let [more, less] = added.map(|bytes| Cell::Number(bytes, 0));
        row(0, [Cell::Nothing, Cell::Nothing, Cell::Nothing]);
        row(1, [more, less, Cell::Number(added[0] / added[1], 2)]);
    }
    Ok(table)
}

fn size(path: &Path) -> Result<u64> {
    Ok(fs::metadata(path).with_context(|| path.display().to_string())?.len())
}

/// Returns how many bytes of a program belong to each crate, by the symbols of the same program
/// before it was stripped.
///
/// # Errors
/// If a file is missing, or `nm` is.
pub fn crates(stripped: &Path, with_symbols: &Path) -> Result<Table> {
    let nm = Command::new("nm").args(["--print-size", "--demangle"]).arg(with_symbols).output();
    let nm = nm.context("cannot start `nm` (Debian: binutils)")?;
    ensure!(nm.status.success(), "nm: {}", String::from_utf8_lossy(&nm.stderr).trim());
    let mut table = Table::new(
        "program-crates",
        "What a small program consists of",
        &["crate", "code", "tables", "percent"],
    )
    .note(
        "Bytes of the program with Kyber and Falcon of the table of sizes, by the names of its symbols. Inlined code counts where it is \
         inlined, and generic code counts for the first crate in its name outside the standard library. C and assembly \
         are those of *ring*. Without a symbol: constants, strings, unwinding tables, relocations.",
    );
    let total = size(stripped)?;
    let mut row = |name: &str, [code, data]: [u64; 2]| {
        let percent = (code + data) as f64 * 100.0 / total as f64;
        let cells = [Cell::Count(code), Cell::Count(data), Cell::Number(percent, 1)];
        table.push([Cell::text(name)].into_iter().chain(cells).collect());
    };
    let by_crate = by_crate(&String::from_utf8_lossy(&nm.stdout));
    let mut sorted: Vec<_> = by_crate.into_iter().collect();
    sorted.sort_by_key(|(_, sizes)| std::cmp::Reverse(sizes.iter().sum::<u64>()));
    let sum = |rows: &[(String, [u64; 2])]| {
        rows.iter().fold([0, 0], |sum, (_, sizes)| [sum[0] + sizes[0], sum[1] + sizes[1]])
    };
    let (named, others) = sorted.split_at(CRATES.min(sorted.len()));
    for (name, sizes) in named {
        row(name, *sizes);
    }
    row(&format!("{} others", others.len()), sum(others));
    let [code, data] = sum(&sorted);
    row("without a symbol", [0, total.saturating_sub(code + data)]);
    row("sum", [code, total.saturating_sub(code)]);
    Ok(table)
}

/// Returns the bytes of code and tables of each crate in the output of `nm`.
fn by_crate(nm: &str) -> BTreeMap<String, [u64; 2]> {
    let mut sizes = BTreeMap::<_, [u64; 2]>::new();
    let mut addresses = BTreeSet::new();
    for line in nm.lines() {
        let mut words = line.splitn(4, ' ');
        let (Some(address), Some(size), Some(kind), Some(name)) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            continue;
        };
        let Ok(size) = u64::from_str_radix(size, 16) else { continue };
        // Zero-initialized data take no room in a file, and some functions have two names.
        if matches!(kind, "b" | "B") || !addresses.insert(address) {
            continue;
        }
        let is_code = matches!(kind, "t" | "T" | "w" | "W");
        sizes.entry(crate_of(name).to_owned()).or_default()[usize::from(!is_code)] += size;
    }
    sizes
}

/// Returns the first crate in a name that is not part of the standard library.
fn crate_of(name: &str) -> &str {
    let is_of_path = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':');
    let is_of_crate = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let heads = name
        .split(|c| !is_of_path(c))
        .filter_map(|path| path.split_once("::"))
        .map(|(head, _)| head)
        .filter(|head| !head.is_empty() && head.chars().all(is_of_crate));
    let is_std = |head: &&str| matches!(*head, "core" | "alloc" | "std");
    let first = heads.clone().next().map_or("C and assembly", |_| "std, core, alloc");
    heads.clone().find(|head| !is_std(head)).unwrap_or(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_has_a_ratio() {
        let itself = std::env::current_exe().unwrap();
        let table = table(&[const { PathBuf::new() }; 5].map(|_| itself.clone())).unwrap();
        assert_eq!(table.rows.len(), 2 * PAIRS.len());
        let ratio = table.column(RATIO);
        assert!(table.rows.iter().all(|row| row[ratio].value().is_some()));
        assert!(table.behind().iter().all(|row| table.reason(row).is_some()));
    }

    #[test]
    fn symbols_have_crates() {
        for (name, expected) in [
            ("oaklath_sig::fn_dsa::fft::fft", "oaklath_sig"),
            ("<rustls::Error as core::fmt::Debug>::fmt", "rustls"),
            ("core::ptr::drop_in_place<oaklath_pki::Identity>", "oaklath_pki"),
            ("<alloc::vec::Vec<T> as core::fmt::Debug>::fmt", "std, core, alloc"),
            ("ring_core_0_17_14__x25519_ge_frombytes_vartime", "C and assembly"),
        ] {
            assert_eq!(crate_of(name), expected, "{name}");
        }
    }

    #[test]
    fn sizes_are_added_once() {
        let nm = "0010 0000000a t a::f\n0010 0000000a T a::g\n0020 00000002 r a::T\n\
                  0030 00000007 b a::ZERO\n                 U memcpy\n0040 00000001 T main\n";
        let found = by_crate(nm);
        assert_eq!(found["a"], [10, 2]);
        assert_eq!(found["C and assembly"], [1, 0]);
        assert_eq!(found.len(), 2);
    }
}
