//! Formats what was proven, as text and as the page `docs/proofs.md`.
use std::collections::BTreeSet;
use std::fmt::Write as _;

use oaklath_prove_engine::{Level, Proven, Range, Rows, Theorem};

const INTRODUCTION: &str = "\
# What is proven for every input

`cargo xtask prove --write` writes this page. Each theorem is about the shipped source of a kernel, recorded with 8, 16
and 32 lanes of 16 bits (8, 8 and 16 of 32 bits): the lanes of the portable backend and NEON, of AVX2, and of AVX-512. The
column *lanes* counts those of 16 bits (for `q8380417`, whose lanes have 32, 16 would repeat 8). Words of hashes are as many in
a register as in each backend's: with 8 those of the portable one, with *NEON* its own. A theorem
holds for every input in the range that the claim states; the ranges of results are upper bounds, and the documentation
of a function states them. The claim is written by hand beside the code that proves it, which must look at each output. A
crate is compiled again from the same files, with a backend that records. *operations* and *duties* are summed over the
numbers of lanes. `tools/prove/engine/src/lib.rs` explains how a proof works, `crates/simd/src/proof.rs` what is recorded; a
theorem is a few lines in the `proofs.rs` beside its kernel. What rests on tests instead is in SECURITY.md, under \"What is
promised, and what shows it\".

Where the lanes are *tried*, a row is about plain code, which is run on all that decides its result: every number that a
step of it may meet, or the powers of x if it is linear. That nothing else decides is seen by reading it: the theorem says
why. The column *operations* then counts the trials.

What a theorem rests on:
- Each operation does on each backend what its documentation says. That is tested; `cargo xtask prove --operations` compares
  operations of 16 bits for all pairs of numbers, those of 32 bits for each first operand beside some others, words of
  hashes for 2^27 numbers, and moves of lanes and bits wholly.
- The recording backend, the engine, and the compiler.
- No branch and no address in plain code depends on a number. `cargo xtask prove --branches` looks for them with valgrind,
  whatever the number's value, as the code is compiled here (CI: the kernels of `q3329`, `q8380417`, `q12289`, Keccak and SHA-2); a condition that is computed without a branch is noticed
  if a few dozen names differ by it, or the numbers that are drawn.
- What a function writes to is not written before: a theorem fails if an output, a decision or what a call reads depends on
  such memory. Two kinds begin as zeros, as their documentation says: states to which words are added, and keys that are
  prepared in place (`EMPTY`).
- Theorems meet by ranges and meanings. A reader compares these, except where a sentence below says what does. Inputs take
  the ranges of arguments that a claim states as numbers or by q from the claim, by their names.

The theorems about `ml_kem` and `ml_dsa` are about what joins kernels: the shipped files of `crates/kem/src/ml_kem` and
`crates/sig/src/ml_dsa`, and those of `crates/hash` that absorb and squeeze, run with Keccak-f[1600] and the kernels of
`q3329` and `q8380417` as opaque functions (`tools/prove/kem`, `tools/prove/sig`). A call is within the ranges that the
kernel's theorem takes for granted, which are its duties; parts of a row that are encoded are whole vectors. What a kernel
leaves in memory when it rejects an attempt is not used. Each byte of keys, ciphertexts, shared secrets and signatures is
the term that the algorithms of FIPS 203 and FIPS 204 make of the inputs, and so is the answer of a verification: after
each sequence of answers of checks and comparisons, or after those that the case names. So the claim of a row rests on the
theorems above it, on that of the permutation, on `contracts.rs` and `q3329.rs` of `tools/prove/kem`, `contracts.rs` and
`q8380417.rs` of `tools/prove/sig`, compared with those by eye, and on `ct::differ`, which is
tested. These tapes are not evaluated beside the real backends: nothing is drawn, so that a condition which is computed without a
branch, and is rare, is not noticed here. Where it ends:
- M' is given: how it is made of a context and a message, or of a hash, is tested. It has 0, 33, 72 or 200 bytes. Batches have
  two operations of ML-KEM or five of ML-DSA-44. At most sixteen attempts of `Sign_internal` are rejected.
- The filters that sample the matrix and secrets are opaque, too: they take the first 256 numbers below q, or small nibbles,
  of the blocks of an XOF. A case says how many blocks each XOF takes, not how many numbers a block has: until the last one the
  count that a filter returns is any number below 256, another one in each of the runs of a recording, so that an operation
  that does more with it than to pass it on and to compare it with 256 is found. Key generation of ML-KEM does more, since it
  encodes rows as far as their entries are sampled: there a case says how many numbers each block has.
- In ML-KEM three blocks are enough for all entries except one in 120. Each entry takes three in a case without a word of it;
  others have four for each, or for each its own number of three to nine. Of key generation four cases have the numbers that
  the XOFs of drawn seeds have, in others all have 112 in each block, or 30, or 86, 86, 83 and 1, or one entry or one column
  alone takes four blocks, or each entry has numbers of its own; or all have 44, 52, 60 or 68, so that a row is a few bytes
  short of a block of H(ek). Other combinations are not covered.
- In ML-DSA five blocks are enough for all entries except one in 10^39; a polynomial of s1 or s2 takes one block or two, about as
  often, in ML-DSA-65 two. Each entry takes five blocks and each secret two in a case without a word of it; in four cases
  secrets take as many as of drawn seeds, in others one block, or one entry or one column of ML-DSA-44 takes six, or one secret
  three, or each its own number: five to nine, and one to nine. So lanes that begin together end apart, with eight lanes and
  with four. Other combinations are not covered.
- Of ML-DSA three functions that look at the bits of unknowns are opaque without a theorem, and tested: `SampleInBall`, the
  comparison of c~ (`challenge.rs`), and `HintBitUnpack` (`hint.rs`). The hints of each polynomial have as many ones: five or,
  where every check rejects, twenty; that there is room for them is a decision.
- An attempt of `Sign_internal` is rejected in a case at one check after the other, then one is accepted: at every check
  of ML-DSA-44, at four of the larger sets, at fewer with other forms of a key. Of a key that is rejected one polynomial
  of s1 or s2 is out of range. The deterministic variant is that of ML-DSA-44, with each form of a key.
- `ct::differ`, which compares ciphertexts and hashes, is a decision here: that it is true exactly for different strings
  is tested, in `crates/simd/src/ct.rs`.
- The bytes of a decapsulation key are used by ML-KEM-512 only: all answers are recorded, which doubles with each of its
  decisions.
- The range that a call owes, and that of what it writes, are read from the kernel's theorem, or compared with its claim
  where a parameter decides (eta, gamma1, gamma2). Two are not: what passes a filter is below its bound, and what passes
  a check within the bound of the check, as the claims say in words. That a power of 2^16 or 2^32 is the same in both is one
  constant; the bounds of `add_within` and `subtract_within`, and the terms and sums of `multiply_small`, are lists.
- Bytes of keys, seeds and coins have their lengths: what checks these, `typed` and `registry`, is tested.
- That such a factor passes through linear transforms and cancels is an argument on paper, in
  `tools/prove/opaque/src/multiples.rs`. Three more are in `tools/prove/sig/src/contracts.rs`: that c s as a sum is the
  product that the NTT computes, and what the bound of r0 says of low and of high bits.

| kernel | claim, for every input | case | ranges of inputs | lanes | operations | duties | ranges of results | seconds |
|---|---|---|---|---|---|---|---|---|
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
            let lanes: Vec<String> =
                of.iter().map(|row| row.lanes.trim_start_matches("Proof").to_uppercase()).collect();
            let (names, claim) = if i == 0 {
                (names.join(", "), theorem.claim.replace('|', "\\|"))
            } else {
                Default::default()
            };
            let _ = writeln!(
                page,
                "| {names} | {claim} | {case} | {} | {} | {} | {} | {} | {:.1} |",
                inputs(&of),
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
    page += &reached(proven.iter().flat_map(|(_, rows)| &rows.0));
    page += FLOATING_POINT;
    page += "\n## Functions without a theorem\n| function | why |\n|---|---|\n";
    for (function, why) in without {
        let _ = writeln!(page, "| `{function}` | {why} |");
    }
    page
}

/// What the line begins with that lists the levels of the CPU.
const LEVELS: &str = "- The CPU on which this page was written has the levels";

/// Returns the lines of a page that do not depend on the CPU: those of theorems without how long
/// they took.
pub(crate) fn without_cpu(page: &str) -> impl Iterator<Item = &str> {
    let is_time = |cell: &str| cell.trim_end_matches(" |").parse::<f64>().is_ok();
    page.lines().map(move |line| match line.rsplit_once("| ") {
        Some((row, cell)) if is_time(cell) => row,
        _ if line.starts_with(LEVELS) => LEVELS,
        _ => line,
    })
}

/// Says how many tapes were also evaluated.
fn reached<'a>(rows: impl Iterator<Item = &'a Proven>) -> String {
    let count = |(all, unreached), row: &Proven| (all + row.tapes, unreached + row.unreached);
    let (all, unreached) = rows.fold((0, 0), count);
    let levels: Vec<String> = Level::available().map(|level| level.to_string()).collect();
    format!(
        "- Of {all} tapes, one for each sequence of decisions, {} were also evaluated on inputs that were drawn, and \
         compared with the backends of the CPU. The others call opaque functions, or make decisions that none of \
         these inputs makes.\n{LEVELS} {}.\n",
        all - unreached,
        levels.join(", ")
    )
}

/// Formats the ranges of inputs that were recorded.
fn inputs(rows: &[&Proven]) -> String {
    let all: BTreeSet<Range> = rows.iter().flat_map(|row| &row.inputs).copied().collect();
    let texts: Vec<String> = all.into_iter().map(text).collect();
    texts.join("; ")
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
    fn pages_are_compared_without_the_cpu() {
        let lines = |page| without_cpu(page).collect::<Vec<_>>();
        let levels = ["scalar", "avx2"].map(|level| format!("{LEVELS} {level}."));
        assert_eq!(lines(&levels[0]), lines(&levels[1]));
        assert_eq!(
            lines("text\n| `a` | b | 8, 16 | 12 | 0.3 |"),
            lines("text\n| `a` | b | 8, 16 | 12 | 17.0 |")
        );
        assert_ne!(lines("| `a` | 12 | 0.3 |"), lines("| `a` | 13 | 0.3 |"));
        assert_ne!(lines("| `a` | why |"), lines("| `a` | other |"));
    }
}
