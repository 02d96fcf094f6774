//! `cargo xtask disasm`: checks in the disassembly of the release binary that the optimiser did
//! nothing that it must not do.
//!
//! - A vector operation that is called instead of inlined makes a kernel fifty times slower,
//!   silently: no call into `core::core_arch`, and in the cryptographic crates none to the closure
//!   helpers of `core::array`, whose closures lose the target features.
//! - A division takes a time that depends on its operands (KyberSlash): no `div` or `idiv` in the
//!   cryptographic crates, and no call of functions that divide numbers of 128 bits.
//!
//! Code that the linker dropped is not visible; so each cryptographic crate must appear with at
//! least one symbol.
//!
//! With `--falcon-emulated` a program that signs with Falcon is built with the feature
//! `falcon-emulated` and checked: no instruction in it may compute with floating-point numbers.

use std::collections::BTreeSet;

use anyhow::{Result, bail};
use rustc_demangle::demangle;

use crate::{
    ct::with_lines,
    shell::{capture, cargo, command, run as run_command},
};

/// Crates whose code handles secrets.
const CRYPTO: &[&str] = &[
    "oaklath_simd::",
    "oaklath_hash::",
    "oaklath_poly::",
    "oaklath_tree::",
    "oaklath_kem::",
    "oaklath_sig::",
    "oaklath_stateful::",
    "oaklath_hybrid::",
];

/// The only crate that may be absent, since all of it is inlined away: if another is, the binary is
/// the wrong one.
const INLINED: &str = "oaklath_simd::";

/// Functions of `core::array` that call a closure once per element, by the path that their symbols
/// carry.
const ARRAY_CLOSURES: &[&str] = &["from_fn", "try_from_fn", "::map", "try_map", "drain_array"];

/// Calls into `core_arch` that are not vector operations: feature detection.
const DETECTION: &[&str] = &["::cpuid::", "::xsave::"];

/// A finding that is accepted, with the reason why it does no harm. An entry that nothing matches
/// is an error.
struct Allowed {
    symbol: &'static str,
    what: &'static str,
    reason: &'static str,
}

/// The secrets of hash trees are strings that are only hashed, not computed with.
const OF_NODES: &str = "what is divided counts nodes, trees and bytes";
/// A vector operation in such a closure would be a separate finding.
const WITHOUT_VECTORS: &str = "the closures call functions that are vectorised by themselves";

const ALLOWED: &[Allowed] = &[
    Allowed { symbol: "oaklath_tree::", what: "a division", reason: OF_NODES },
    Allowed { symbol: "oaklath_stateful::", what: "a division", reason: OF_NODES },
    Allowed { symbol: "oaklath_sig::slh_dsa::", what: "a division", reason: OF_NODES },
    Allowed {
        symbol: "oaklath_sig::fn_dsa::keygen::",
        what: "core::array::",
        reason: WITHOUT_VECTORS,
    },
];

/// Returns why the check is impossible on this machine, if it is.
pub(crate) fn cannot_run() -> Option<String> {
    if !cfg!(target_arch = "x86_64") {
        return Some("the disassembly of x86-64 is the only one that can be read".into());
    }
    let objdump = capture(&mut command("objdump", "--version"));
    objdump.is_err().then(|| "objdump is not installed (Debian: binutils)".into())
}

/// The binary that is read.
#[derive(clap::Args, Default)]
pub(crate) struct Args {
    /// Reads this program as it is, instead of building and reading the release binary.
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) binary: Option<String>,
    /// Reads a program that signs with Falcon without floating point instead.
    #[arg(long, conflicts_with = "binary")]
    pub(crate) falcon_emulated: bool,
}

/// Checks a binary; builds the release binary first unless another one is named.
pub(crate) fn run(args: &Args) -> Result<()> {
    if let Some(reason) = cannot_run() {
        bail!("{reason}");
    }
    if args.falcon_emulated {
        return no_floats();
    }
    let binary = match &args.binary {
        Some(binary) => binary.clone(),
        None => release_binary()?,
    };
    let report = scan(&disassembled(&binary)?);
    let not_allowed = |f: &&Finding| !ALLOWED.iter().any(|allowed| f.is(allowed));
    let findings = report.findings.iter().filter(not_allowed);
    let mut errors: Vec<_> = findings.map(Finding::to_string).collect();
    let mut stale = Vec::new();
    for allowed in ALLOWED {
        let Allowed { symbol, what, reason } = allowed;
        match report.findings.iter().filter(|finding| finding.is(allowed)).count() {
            0 => stale.push(format!("allowed, but not found: {what} in {symbol}")),
            count => println!("allowed in {symbol} {count} times {what}: {reason}"),
        }
    }
    if args.binary.is_none() {
        errors.extend(stale);
        let unseen = CRYPTO.iter().filter(|name| **name != INLINED && !report.seen.contains(*name));
        errors.extend(unseen.map(|name| format!("no function of {name} to check")));
    }
    errors.iter().for_each(|error| println!("{error}"));
    if !errors.is_empty() {
        bail!("disasm: {} findings in {binary}", errors.len());
    }
    println!("disasm: {} functions of cryptographic crates are clean", report.functions);
    Ok(())
}

fn disassembled(binary: &str) -> Result<String> {
    capture(command("objdump", "-d --no-show-raw-insn --wide").arg(binary))
}

/// Builds the release binary, with all signature schemes, and returns its path.
fn release_binary() -> Result<String> {
    run_command(&mut cargo("build --release -p oaklath-cli --features fn-dsa-draft"))?;
    built("oaklath")
}

/// Returns the path of a program below the folder of release builds.
fn built(program: &str) -> Result<String> {
    let metadata = cargo_metadata::MetadataCommand::new().no_deps().exec()?;
    Ok(metadata.target_directory.join("release").join(program).into_string())
}

/// Crates of that program that may compute with floating-point numbers.
const MAY_FLOAT: &[&str] = &["oaklath_measure::"];

/// Builds the program that signs with emulated numbers and checks it.
fn no_floats() -> Result<()> {
    let features = "--features trace,oaklath-sig/falcon-emulated";
    let build = format!("build --release -p oaklath-measure --example falcon_secrets {features}");
    // With line numbers like the programs of `ct`, so that both compile the crates below once.
    run_command(with_lines(&mut cargo(&build)))?;
    let (functions, findings) = floats(&disassembled(&built("examples/falcon_secrets")?)?);
    findings.iter().for_each(|finding| println!("{finding}"));
    if functions == 0 || !findings.is_empty() {
        bail!("disasm: {} instructions of floating point in {functions} functions", findings.len());
    }
    println!("disasm: {functions} functions compute without floating point");
    Ok(())
}

/// Returns the number of our functions, and their instructions that compute with floating-point
/// numbers.
fn floats(disassembly: &str) -> (usize, Vec<Finding>) {
    let (mut function, mut functions, mut findings) = (None, 0, Vec::new());
    for line in disassembly.lines() {
        if let Some(name) = line.strip_suffix(">:").and_then(|line| line.split_once(" <")) {
            let name = format!("{:#}", demangle(name.1));
            let ours =
                name.contains("oaklath_") && !MAY_FLOAT.iter().any(|other| name.contains(other));
            functions += usize::from(ours);
            function = ours.then_some(name);
        } else if let Some((_address, instruction)) = line.split_once(":\t")
            && let Some(function) = &function
            && instruction.split_whitespace().next().is_some_and(is_float)
        {
            findings.push(Finding { function: function.clone(), what: instruction.trim().into() });
        }
    }
    (functions, findings)
}

/// Reports whether an instruction computes with floating-point numbers. Instructions that only move
/// bits do not.
fn is_float(mnemonic: &str) -> bool {
    const OPERATIONS: [&str; 30] = [
        "add", "sub", "mul", "div", "sqrt", "min", "max", "cmp", "comi", "ucomi", "round", "hadd",
        "hsub", "addsub", "dp", "rcp", "rsqrt", "fmadd", "fnmadd", "fmsub", "fnmsub", "fmaddsub",
        "fmsubadd", "rndscale", "scalef", "range", "reduce", "getexp", "getmant", "fixupimm",
    ];
    let plain = mnemonic.strip_prefix('v').unwrap_or(mnemonic);
    let of_vectors = |suffix: &&str| {
        plain.strip_suffix(*suffix).is_some_and(|name| {
            let name = name.trim_end_matches(|c: char| c.is_ascii_digit());
            OPERATIONS.contains(&name) || name.starts_with("cmp")
        })
    };
    let x87 = mnemonic.starts_with('f') && !mnemonic.starts_with("fence");
    x87 || plain.starts_with("cvt") || ["ss", "sd", "ps", "pd"].iter().any(of_vectors)
}

/// Something the optimiser must not do.
#[derive(Debug, PartialEq, Eq)]
struct Finding {
    function: String,
    what: String,
}

impl Finding {
    fn is(&self, allowed: &Allowed) -> bool {
        self.function.contains(allowed.symbol) && self.what.contains(allowed.what)
    }
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.function, self.what)
    }
}

#[derive(Default)]
struct Report {
    findings: Vec<Finding>,
    /// The entries of [`CRYPTO`] of which a function was found.
    seen: BTreeSet<&'static str>,
    /// The number of their functions that were read.
    functions: usize,
}

/// Reads the output of `objdump -d --no-show-raw-insn`.
fn scan(disassembly: &str) -> Report {
    let mut report = Report::default();
    let mut function = String::new();
    for line in disassembly.lines() {
        if let Some(name) = line.strip_suffix(">:").and_then(|line| line.split_once(" <")) {
            function = format!("{:#}", demangle(name.1));
            let crates: Vec<_> = CRYPTO.iter().filter(|name| function.contains(*name)).collect();
            report.functions += usize::from(!crates.is_empty());
            report.seen.extend(crates);
        } else if let Some((_address, instruction)) = line.split_once(":\t")
            && let Some(what) = judge(&function, instruction)
        {
            let finding = Finding { function: function.clone(), what };
            if report.findings.last() != Some(&finding) {
                report.findings.push(finding);
            }
        }
    }
    report
}

/// Returns what is wrong with an instruction of a function, if anything is.
fn judge(function: &str, instruction: &str) -> Option<String> {
    let crypto = CRYPTO.iter().any(|name| function.contains(name));
    // Closures are called through wrappers in `core` whose symbols do not reveal the closure.
    let ours = crypto || function.contains("oaklath") || function.starts_with("core::");
    let mnemonic = instruction.split_whitespace().next()?;
    if crypto && is_division(mnemonic) {
        return Some(format!("a division: {}", instruction.trim()));
    }
    if !ours || !(mnemonic.starts_with("call") || mnemonic.starts_with('j')) {
        return None;
    }
    let callee = callee(instruction)?;
    if crypto && DIVIDES.iter().any(|name| callee.contains(name)) {
        return Some(format!("a division: {callee}"));
    }
    let vector_operation =
        callee.contains("core::core_arch::") && !DETECTION.iter().any(|d| callee.contains(d));
    let array_closure = crypto
        && callee.contains("core::array::")
        && callee != function
        && ARRAY_CLOSURES.iter().any(|name| callee.contains(name));
    (vector_operation || array_closure).then(|| format!("not inlined: {callee}"))
}

/// The functions that the compiler calls for divisions of 128 bits.
const DIVIDES: [&str; 4] = ["__udivti3", "__umodti3", "__divti3", "__modti3"];

/// Reports whether this is `div` or `idiv`, with size suffixes; `divsd` is floating point.
fn is_division(mnemonic: &str) -> bool {
    let unsigned = mnemonic.strip_prefix('i').unwrap_or(mnemonic);
    unsigned.strip_prefix("div").is_some_and(|size| ["", "b", "w", "l", "q"].contains(&size))
}

/// Returns the demangled target of a call or jump: `call 1234 <symbol+0x10>`.
fn callee(instruction: &str) -> Option<String> {
    let (_before, symbol) = instruction.split_once('<')?;
    let symbol = symbol.split(['>', '+', '@']).next()?;
    Some(format!("{:#}", demangle(symbol)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shortened output of objdump with legacy and v0 names: violations, and lines that only look
    /// like one.
    const CANNED: &str = "
0000000000012340 <_ZN12oaklath_poly3ntt3ntt17h0123456789abcdefE>:
   12340:\tpush   %rbp
   12341:\tcall   15000 <_ZN4core9core_arch3x864avx216_mm256_add_epi1617h0123456789abcdefE>
   12346:\tvdivpd %ymm0,%ymm1,%ymm2
   1234a:\tjne    12340 <_ZN12oaklath_poly3ntt3ntt17h0123456789abcdefE+0x10>
   1234c:\tret

0000000000012400 <_ZN11oaklath_kem4kpke7encrypt17h0123456789abcdefE>:
   12400:\tdivl   0x8(%rsp)
   12404:\tidiv   %rcx
   12405:\tcall   15500 <__umodti3>
   12407:\tcall   16000 <_ZN4core5array7from_fn17h0123456789abcdefE>
   1240c:\tjmp    16100 <_ZN4core5array5drain16drain_array_with17h0123456789abcdefE>

0000000000012500 <_ZN11oaklath_cli4demo3run17h0123456789abcdefE>:
   12500:\tdiv    %rcx
   12503:\tcall   16000 <_ZN4core5array7from_fn17h0123456789abcdefE>
   12508:\tcall   17000 <_ZN4core9core_arch3x865cpuid13__cpuid_count17h0123456789abcdefE>

0000000000012600 <_ZN4core3ops8function6FnOnce9call_once17h0123456789abcdefE>:
   12600:\tcall   18000 <_ZN4core9core_arch3x867avx512f16_mm512_add_epi3217h0123456789abcdefE>

0000000000012700 <_ZN4sha26sha2568compress17h0123456789abcdefE>:
   12700:\tidivq  %rcx
   12703:\tcall   18000 <_ZN4core9core_arch3x867avx512f16_mm512_add_epi3217h0123456789abcdefE>
";

    #[test]
    fn finds_what_is_planted_and_nothing_else() {
        let report = scan(CANNED);
        let found: Vec<_> = report.findings.iter().map(Finding::to_string).collect();
        assert_eq!(
            found,
            [
                "oaklath_poly::ntt::ntt: not inlined: core::core_arch::x86::avx2::_mm256_add_epi16",
                "oaklath_kem::kpke::encrypt: a division: divl   0x8(%rsp)",
                "oaklath_kem::kpke::encrypt: a division: idiv   %rcx",
                "oaklath_kem::kpke::encrypt: a division: __umodti3",
                "oaklath_kem::kpke::encrypt: not inlined: core::array::from_fn",
                "oaklath_kem::kpke::encrypt: not inlined: core::array::drain::drain_array_with",
                "core::ops::function::FnOnce::call_once: not inlined: \
                 core::core_arch::x86::avx512f::_mm512_add_epi32",
            ]
        );
        assert_eq!(report.functions, 2);
        assert_eq!(report.seen, BTreeSet::from(["oaklath_kem::", "oaklath_poly::"]));
    }

    #[test]
    fn floats_are_told_from_moves_of_bits() {
        let floats = "addsd vmulpd vdivps sqrtsd vcvtdq2pd ucomisd fld vfmadd213sd vfnmsub231sd vrsqrt14pd \
                      vfmaddsub132pd vrndscalesd haddpd cmpltsd vaddsubps";
        assert!(floats.split_whitespace().all(is_float));
        let others = [
            "vmovaps", "xorps", "vshufps", "vblendpd", "vpaddd", "mulx", "lfence", "vpermpd",
            "cmpq",
        ];
        assert!(!others.into_iter().any(is_float));
        let (functions, findings) = floats_of_canned();
        assert_eq!((functions, findings), (2, vec!["vdivpd %ymm0,%ymm1,%ymm2".to_owned()]));
    }

    /// Returns the findings in two functions, one of which has an instruction of floating point.
    fn floats_of_canned() -> (usize, Vec<String>) {
        let two: Vec<_> = CANNED.split_inclusive("\n\n").take(2).collect();
        let (functions, findings) = floats(&two.concat());
        (functions, findings.into_iter().map(|finding| finding.what).collect())
    }

    #[test]
    fn divisions_by_any_size() {
        assert!(["div", "idiv", "divb", "divq", "idivl", "idivw"].into_iter().all(is_division));
        assert!(!["divsd", "vdivps", "divps", "vdivpd", "fdiv"].into_iter().any(is_division));
    }
}
