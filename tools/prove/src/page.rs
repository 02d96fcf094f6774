//! Formats what was proven, as text and as the page `docs/proofs.md`.
use std::fmt::Write as _;

use oaklath_prove_engine::{Proven, Range, Rows, Theorem};

const INTRODUCTION: &str = "\
# What is proven for every input

`cargo xtask prove --write` writes this page. Each theorem is about the shipped source of a kernel, recorded with 8, 16
and 32 lanes of 16 bits (8, 8 and 16 of 32 bits): the lanes of the portable backend and NEON, of AVX2, and of AVX-512. The
column *lanes* counts those of 16 bits (for `q8380417`, whose lanes have 32, 16 would repeat 8). A theorem
holds for every input in the range that the claim states; the ranges of results are upper bounds, and the documentation
of a function states them. `tools/prove/engine/src/lib.rs` explains how a proof works, `crates/simd/src/proof.rs` what is
recorded; a theorem is a few lines in the `proofs.rs` beside its kernel. What rests on tests instead
is in SECURITY.md, under \"What is promised, and what shows it\".

The theorems about `ml_kem` and `ml_dsa` are about what joins kernels: the shipped files of `crates/kem/src/ml_kem` and
`crates/sig/src/ml_dsa`, and those of `crates/hash` that absorb and squeeze, run with Keccak-f[1600] and the kernels of
`q3329` and `q8380417` as opaque functions (`tools/prove/kem`, `tools/prove/sig`). A call is within the ranges that the
kernel's theorem takes for granted, which are its duties, and each byte of keys, ciphertexts, shared secrets and
signatures is the term that the algorithms of FIPS 203 and FIPS 204 make of the inputs, and so is the answer of a
verification, after each sequence of answers of checks and comparisons, or those that the case names. So the claim of a
row rests on the theorems above it, and on that of the permutation. Where it ends:
- The filters that sample the matrix and secrets are opaque, too: they take the first numbers below q of a block, or the
  first small nibbles. How many there are decides how many blocks are read. In a case all XOFs have as many: in ML-KEM
  86, 86, 83 and 1 of four blocks, one too few in three; in ML-DSA 56, 56, 56, 55, 32 and 1 of six blocks, and 200, 55
  and 1 nibbles of three; unless the case says other numbers. So what begins together ends together: that a lane which
  ends earlier changes nothing is tested.
- Of ML-DSA, what looks at the bits of unknowns is opaque without a theorem, and tested: `SampleInBall` and the comparison
  of c~ (`challenge.rs`), `HintBitUnpack` (`hint.rs`), and `make_hint`, which appends positions. The hints of each
  polynomial have as many ones, five or, where every check rejects, twenty; that these fit is a decision. `multiply_small`
  has a theorem for two sums, and is tested for one.
- An attempt of `Sign_internal` is rejected in a case at one check after the other, then one is accepted: at every check
  of ML-DSA-44, at four of the larger sets, at fewer with other forms of a key. Of a key that is rejected one polynomial
  of s1 or s2 is out of range.
- The range that a call owes is read from the claim of the kernel's theorem: that the theorem records this range, its reader
  sees in its first lines.
- Bytes of keys, seeds and coins have their lengths: what checks these, `typed` and `registry`, is tested.
- That a kernel's factor 2^16 or 2^32 passes through linear transforms and cancels is an argument on paper, in
  `tools/prove/opaque/src/multiples.rs`; three more are in `tools/prove/sig/src/contracts.rs`: that c s as a sum is the
  product that the NTT computes, and what the bound of r0 says of low and high bits.

| kernel | claim, for every input | case | lanes | operations | duties | ranges of results | seconds |
|---|---|---|---|---|---|---|---|
";

const FLOATING_POINT: &str = "
The floating point of Falcon and FN-DSA (`crates/sig/src/fn_dsa`) has no theorem. A form, a function of one number and a
term are all exact; what its FFT, its LDL tree and its sampler promise is a bound on an error and on the distance of two
distributions, which takes a domain of errors that the engine does not have, and rests on the analysis of the scheme's
authors for the precision of doubles. That every level computes the same doubles bit by bit is tested, and so is that
they are those of the emulation in integers. The integer half, the ring modulo 12289 and the encodings, is above.
";

/// Returns the rows of a theorem as lines of a terminal.
pub(crate) fn rows_as_text(theorem: &Theorem, rows: &Rows) -> String {
    let mut text = format!("{}: {}\n", theorem.kernels.join(", "), theorem.claim);
    for row in &rows.0 {
        let _ = writeln!(
            text,
            "    {}, {}: {} operations, {} duties, {}, {:.1} s",
            row.case,
            row.lanes,
            row.operations,
            row.duties,
            ranges(&[row]),
            row.time.as_secs_f64()
        );
    }
    text
}

/// Returns the page.
pub(crate) fn page(
    proven: &[(&Theorem, Rows)],
    without: &[(&str, &str)],
    coverage: &[(&str, usize, usize)],
) -> String {
    let mut page = String::from(INTRODUCTION);
    for (theorem, rows) in proven {
        let mut cases: Vec<&str> = rows.0.iter().map(|row| &*row.case).collect();
        cases.dedup();
        for (i, case) in cases.into_iter().enumerate() {
            let of: Vec<&Proven> = rows.0.iter().filter(|row| row.case == case).collect();
            let case = case.replace('|', "\\|");
            let names: Vec<String> =
                theorem.kernels.iter().map(|name| format!("`{name}`")).collect();
            let lanes: Vec<&str> =
                of.iter().map(|row| row.lanes.trim_start_matches("Proof")).collect();
            let (names, claim) = if i == 0 {
                (names.join(", "), theorem.claim.replace('|', "\\|"))
            } else {
                Default::default()
            };
            let _ = writeln!(
                page,
                "| {names} | {claim} | {case} | {} | {} | {} | {} | {:.1} |",
                lanes.join(", "),
                of.iter().map(|row| row.operations).sum::<usize>(),
                of.iter().map(|row| row.duties).sum::<usize>(),
                ranges(&of),
                of.iter().map(|row| row.time.as_secs_f64()).sum::<f64>()
            );
        }
    }
    page += "\n## How much that is\n";
    for (name, all, proven) in coverage {
        let percent = (100 * proven).div_euclid(*all);
        let _ = writeln!(
            page,
            "- `crates/{name}`: {percent} in a hundred lines of functions are of functions that have a theorem, or that \
             these call."
        );
    }
    page += FLOATING_POINT;
    page += "\n## Functions without a theorem\n| function | why |\n|---|---|\n";
    for (function, why) in without {
        let _ = writeln!(page, "| `{function}` | {why} |");
    }
    page
}

/// Returns the lines of a page, those of theorems without how long they took.
pub(crate) fn without_seconds(page: &str) -> impl Iterator<Item = &str> {
    let is_time = |cell: &str| cell.trim_end_matches(" |").parse::<f64>().is_ok();
    page.lines().map(move |line| match line.rsplit_once("| ") {
        Some((row, cell)) if is_time(cell) => row,
        _ => line,
    })
}

/// Formats the ranges that hold at every number of lanes.
fn ranges(rows: &[&Proven]) -> String {
    let Some(first) = rows.first() else { return String::new() };
    let union = |i: usize| {
        let ranges = rows.iter().map(|row| row.ranges[i].1);
        ranges.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).unwrap_or_default()
    };
    let mut texts: Vec<String> = (0..first.ranges.len()).map(|i| text(union(i))).collect();
    texts.dedup();
    texts.join("; ")
}

fn text((least, most): Range) -> String {
    format!("{least} to {most}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_compared_without_seconds() {
        let lines = |page| without_seconds(page).collect::<Vec<_>>();
        assert_eq!(
            lines("text\n| `a` | b | 8, 16 | 12 | 0.3 |"),
            lines("text\n| `a` | b | 8, 16 | 12 | 17.0 |")
        );
        assert_ne!(lines("| `a` | 12 | 0.3 |"), lines("| `a` | 13 | 0.3 |"));
        assert_ne!(lines("| `a` | why |"), lines("| `a` | other |"));
    }
}
