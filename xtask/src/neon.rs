//! `cargo xtask neon`: estimates the cycles of the kernels on cores with NEON by llvm-mca, which
//! simulates how a core that its tables describe runs instructions, and writes the page of them.
//!
//! The kernels are compiled for `aarch64-unknown-linux-gnu`. The loops of a function are found by
//! their jumps back; how often each runs is stated here, and another number of loops is an error.

use std::{collections::BTreeMap, env, fmt::Write as _, fs, path::PathBuf};

use anyhow::{Context, Result, bail, ensure};
use rustc_demangle::demangle;
use serde_json::Value;

use crate::shell::{capture, cargo, command, run as run_shown};

/// The options of the estimate.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The program llvm-mca
    #[arg(long, value_name = "PROGRAM", default_value = "llvm-mca-22")]
    mca: String,
    /// Prints the instructions of this kernel, with a line before each loop, and writes nothing
    #[arg(long, value_name = "KERNEL")]
    list: Option<String>,
}

const PAGE: &str = "docs/benchmarks/neon.md";
const TARGET: &str = "aarch64-unknown-linux-gnu";

/// The crates with the kernels; others have copies of them.
const CRATES: [&str; 3] = ["oaklath_hash", "oaklath_poly", "kernels"];

/// The cores, by the names of LLVM.
const CORES: [&str; 2] = ["neoverse-n1", "apple-m1"];

/// A kernel.
struct Kernel {
    name: &'static str,
    /// Parts of the name of its function, which no other has.
    function: &'static [&'static str],
    /// How often the body of each loop runs in a call, in the order of their beginnings.
    loops: &'static [u32],
    /// What others have published.
    published: &'static str,
}

/// Makes the table of kernels: names, functions, loops and published cycles.
macro_rules! kernels {
    ($($name:literal [$($part:literal),*] [$($times:literal),*] $published:literal;)*) => {
        &[$(Kernel {
            name: $name,
            function: &[$($part),*],
            loops: &[$($times),*],
            published: $published,
        }),*]
    };
}
const KERNELS: &[Kernel] = kernels! {
    "Keccak, one state" ["oaklath_hash::keccak::permute::<", "Neon>"] [24] "";
    "Keccak, four states" ["keccak::permute_lanes::<", "Neon,", "Two, 2>"] [1, 2, 48] "";
    "Keccak, four states, SHA-3" ["permute_lanes::on_sha3::<", "Two, 2>"] [2, 48] "";
    "SHA-256, one block" ["unit::compress_many::on_sha::<", "Sha2, 1>"] [] "";
    "SHA-256, two blocks" ["unit::compress_many::on_sha::<", "Sha2, 2>"] [] "";
    "SHA-256, four blocks" ["unit::compress_many::on_sha::<", "Sha2, 4>"] [] "";
    "q3329 ntt" ["q3329::ntt::ntt::<", "Neon>"] [4, 8] "N1: 1,091 [1]; M3: 242 [2]; M1: 413 [3]";
    "q3329 inverse_ntt" ["q3329::ntt::inverse_ntt::<", "Neon>"] [8, 4] "M1: 428 [3]";
    "q3329 dot, three products" ["kernels::dot_q3329::<", "Neon>"] [32] "";
    "q3329 reject, a block" ["kernels::reject_q3329::<", "Neon>"] [14] "";
    "q3329 cbd_2" ["kernels::cbd_q3329::<", "Neon>"] [32] "";
    "q8380417 ntt" ["q8380417::ntt::ntt::<", "Neon>"] [4, 4] "";
    "q8380417 inverse_ntt" ["q8380417::ntt::inverse_ntt::<", "Neon>"] [4, 4] "";
    "q8380417 dot, five products" ["q8380417::product::dot::<", "Neon>"] [0, 32, 0] "";
    "q8380417 reject, a block" ["kernels::reject_q8380417::<", "Neon>"] [7] "";
};

/// Builds the kernels, estimates them and writes the page.
pub(crate) fn run(args: &Args) -> Result<()> {
    let version = capture(&mut command(&args.mca, "--version"))
        .with_context(|| format!("{} is needed (Debian: apt-get install llvm-22)", args.mca))?;
    let functions = functions(&assembler()?);
    if let Some(name) = &args.list {
        let kernel = KERNELS.iter().find(|kernel| kernel.name == name);
        let function = kernel.context("no such kernel")?.find(&functions)?;
        print!("{}", function.listing());
        return Ok(());
    }
    let mut rows = String::new();
    for kernel in KERNELS {
        let function = kernel.find(&functions)?;
        let estimates = CORES.map(|core| kernel.estimate(function, core, &args.mca));
        rows += &kernel.row(function, estimates)?;
    }
    let version = version.lines().find(|line| line.contains("LLVM")).unwrap_or_default().trim();
    let day = capture(&mut command("date", "-u +%F"))?;
    let page = HEAD.replace("{version}", version).replace("{day}", day.trim()) + &rows + NOTES;
    fs::write(PAGE, page).context(PAGE)?;
    println!("{PAGE} is written");
    Ok(())
}

/// Compiles the kernels and returns the assembler of all crates that have one.
fn assembler() -> Result<String> {
    let target = cargo_metadata::MetadataCommand::new().no_deps().exec()?.target_directory;
    let target = target.join("neon");
    let examples = "build --release -p oaklath-measure --example kernels --target";
    let mut build = cargo(&format!("{examples} {TARGET}"));
    build.env("CARGO_TARGET_DIR", &target);
    build.env("RUSTFLAGS", "--emit=asm -C codegen-units=1 -C symbol-mangling-version=v0");
    run_shown(&mut build)?;
    // Of each crate the newest: other compilers and flags leave files with other names.
    let mut newest = BTreeMap::new();
    for folder in ["release/deps", "release/examples"] {
        for entry in fs::read_dir(target.join(TARGET).join(folder))? {
            let (path, time) = (entry?.path(), |path: &PathBuf| path.metadata()?.modified());
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let parts = name.split_once('-').filter(|_| name.ends_with(".s"));
            if let Some((name, _)) = parts.filter(|(name, _)| CRATES.contains(name)) {
                let kept: &mut PathBuf = newest.entry(name.to_owned()).or_insert(path.clone());
                if time(&path)? > time(kept)? {
                    *kept = path;
                }
            }
        }
    }
    newest.values().map(|path| fs::read_to_string(path).context("assembler")).collect()
}

/// The instructions of a function and the labels among them.
#[derive(Default)]
struct Function {
    lines: Vec<String>,
}

/// A loop: the lines from its label to the last jump there.
type Loop = std::ops::Range<usize>;

/// Reads the functions of assembler by their names.
fn functions(assembler: &str) -> BTreeMap<String, Function> {
    let (mut all, mut name) = (BTreeMap::<String, Function>::new(), None);
    for line in assembler.lines() {
        let text = line.split("//").next().unwrap_or_default().trim_end();
        if text.starts_with(".Lfunc_end") {
            name = None;
        } else if let Some(symbol) = text.strip_suffix(':').filter(|text| text.starts_with("_R")) {
            name = Some(format!("{:#}", demangle(symbol)));
        } else if let Some(name) = &name
            && (text.starts_with(".LBB") || text.starts_with('\t') && !text.starts_with("\t."))
        {
            all.entry(name.clone()).or_default().lines.push(text.to_owned());
        }
    }
    all
}

impl Function {
    /// Returns the loops in the order of their beginnings.
    fn loops(&self) -> Vec<Loop> {
        let mut loops: BTreeMap<usize, usize> = BTreeMap::new();
        for (at, line) in self.lines.iter().enumerate() {
            let label = line.split([' ', '\t', ',']).next_back().unwrap_or_default();
            let is_label = |line: &String| line.strip_suffix(':') == Some(label);
            if !label.is_empty()
                && line.starts_with('\t')
                && let Some(start) = self.lines[..at].iter().position(is_label)
            {
                loops.insert(start, at + 1);
            }
        }
        loops.into_iter().map(|(start, end)| start..end).collect()
    }

    /// Returns the instructions outside of loops, then those of each loop outside of inner ones.
    fn regions(&self) -> Vec<String> {
        let loops = self.loops();
        let mut regions = vec![String::new(); loops.len() + 1];
        for (at, line) in self.lines.iter().enumerate().filter(|(_, line)| line.starts_with('\t')) {
            let inner = (0..loops.len()).filter(|i| loops[*i].contains(&at));
            let region = inner.min_by_key(|i| loops[*i].len()).map_or(0, |i| i + 1);
            regions[region] += &format!("{line}\n");
        }
        regions
    }

    /// Returns the lines, with the number of each loop before its first one.
    fn listing(&self) -> String {
        let (loops, mut text) = (self.loops(), String::new());
        for (at, line) in self.lines.iter().enumerate() {
            if let Some(i) = loops.iter().position(|each| each.start == at) {
                text += &format!("-- loop {i}, {} lines\n", loops[i].len());
            }
            text += &format!("{line}\n");
        }
        text
    }
}

/// The cycles of a call, and those that the busiest resource of the core is in use.
struct Estimate {
    cycles: f64,
    busiest: f64,
}

impl Kernel {
    /// Reports whether it has instructions that only the second core has.
    fn has_sha3(&self) -> bool {
        self.function.iter().any(|part| part.contains("on_sha3"))
    }

    fn find<'a>(&self, functions: &'a BTreeMap<String, Function>) -> Result<&'a Function> {
        let is_meant = |name: &&String| self.function.iter().all(|part| name.contains(part));
        let found: Vec<_> = functions.keys().filter(is_meant).collect();
        match found[..] {
            [name] => Ok(&functions[name]),
            _ => bail!("{}: not one function, but {found:#?}", self.name),
        }
    }

    /// Lets llvm-mca run each region a hundred times, as a loop, and adds the cycles of one turn as
    /// often as a call runs it.
    fn estimate(&self, function: &Function, core: &str, mca: &str) -> Result<Estimate> {
        let found = function.loops().len();
        ensure!(found == self.loops.len(), "{}: {found} loops were found", self.name);
        let mut text = String::new();
        for (i, region) in function.regions().iter().enumerate() {
            write!(text, "// LLVM-MCA-BEGIN {i}\n{region}// LLVM-MCA-END\n")?;
        }
        let path = env::temp_dir().join(format!("oaklath-neon-{}.s", std::process::id()));
        fs::write(&path, text)?;
        let options = format!("--mtriple={TARGET} --mcpu={core} --iterations=100 --json");
        let printed = capture(command(mca, &options).arg(&path));
        fs::remove_file(&path)?;
        let report: Value = serde_json::from_str(&printed?).context("the report of llvm-mca")?;
        let regions = report["CodeRegions"].as_array().context("no regions")?;
        let mut estimate = Estimate { cycles: 0.0, busiest: 0.0 };
        for region in regions {
            let name = region["Name"].as_str().unwrap_or_default();
            let i: usize = name.parse().with_context(|| format!("the region {name}"))?;
            let times = if i == 0 { 1.0 } else { f64::from(self.loops[i - 1]) };
            let of = |key: &str| region["SummaryView"][key].as_f64().context("no summary");
            estimate.cycles += times * of("TotalCycles")? / 100.0;
            estimate.busiest += times * of("BlockRThroughput")?;
        }
        Ok(estimate)
    }

    fn row(&self, function: &Function, estimates: [Result<Estimate>; 2]) -> Result<String> {
        let count = |text: &String| text.lines().count() as u32;
        let regions = function.regions();
        let inner = regions[1..].iter().zip(self.loops).map(|(text, times)| times * count(text));
        let instructions = count(&regions[0]) + inner.sum::<u32>();
        let mut row = format!("| {} | {instructions} |", self.name);
        for (i, estimate) in estimates.into_iter().enumerate() {
            if i == 0 && self.has_sha3() {
                row += " | |";
                continue;
            }
            let Estimate { cycles, busiest } = estimate?;
            row += &format!(" {cycles:.0} | {busiest:.0} |");
        }
        Ok(row + &format!(" {} |\n", self.published))
    }
}

const HEAD: &str = "\
## Estimates for NEON
**Estimates, not measurements**: no machine with NEON was at hand. `cargo xtask neon`, {day}, {version}: llvm-mca simulates the
instructions of a call, loop by loop, in a tight loop with everything in the nearest cache. `ports` is what the busiest port alone would
take. LLVM has tables of Neoverse N1; for Apple M1 it has those of Cyclone (2013), with three vector ports where M1 has four.

| kernel | instructions | N1, cycles | N1, ports | M1, cycles | M1, ports | published cycles |
|---|---:|---:|---:|---:|---:|---|
";

const NOTES: &str = "
Published: the transform that mlkem-native takes, `ntt_kyber_123_4567`, on Graviton2 (Neoverse N1,
[1](https://github.com/pq-code-package/mlkem-native/issues/73)) and Apple M3 ([2](https://github.com/slothy-optimizer/slothy/pull/31)); Kyber with
intrinsics on Apple M1 ([3](https://github.com/pq-crystals/kyber/issues/31)). Whole operations of mlkem-native on Apple M1, ML-KEM-512: 12,244
for a key pair, 14,644 to encapsulate, 19,341 to decapsulate ([4](https://github.com/pq-code-package/mlkem-native/pull/866)); ours have no
estimate. What the listings show is in [README](README.md).
";

#[cfg(test)]
mod tests {
    use super::*;

    /// Two functions, the second with a loop in a loop.
    const ASSEMBLER: &str = "
_RNvC1a5first:
\t.cfi_startproc
\tadd\tx0, x0, #1 // a remark
\tret
.Lfunc_end0:
_RNvC1a6second:
\tmov\tx1, #4
.LBB1_1:
\tmov\tx2, #3
.LBB1_2:
\tsubs\tx2, x2, #1
\tb.ne\t.LBB1_2
\tsubs\tx1, x1, #1
\tcbz\tx0, .LBB1_3
\tb.ne\t.LBB1_1
.LBB1_3:
\tret
.Lfunc_end1:
";

    #[test]
    fn loops_are_found_by_their_jumps_back() {
        let functions = functions(ASSEMBLER);
        assert_eq!(functions.keys().collect::<Vec<_>>(), ["a::first", "a::second"]);
        assert!(functions["a::first"].loops().is_empty());
        assert_eq!(functions["a::first"].regions(), ["\tadd\tx0, x0, #1\n\tret\n"]);
        let second = &functions["a::second"];
        assert_eq!(second.loops(), [1..9, 3..6]);
        let lines = second.regions().iter().map(|text| text.lines().count()).collect::<Vec<_>>();
        assert_eq!(lines, [2, 4, 2]);
        assert!(second.listing().contains("-- loop 1, 3 lines\n.LBB1_2:\n"));
    }

    #[test]
    fn a_name_must_mean_one_function() {
        let functions = functions(ASSEMBLER);
        let kernel = |function| Kernel { name: "k", function, loops: &[], published: "" };
        assert!(kernel(&["a::", "first"]).find(&functions).is_ok());
        assert!(kernel(&["a::"]).find(&functions).is_err());
    }
}
