//! `cargo xtask tables`: measures every published table with the release build of the laboratory,
//! writes `docs/benchmarks/`, a page for each table, and updates the generated parts of
//! BENCHMARKS.md.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, ensure};

use crate::shell::{capture, cargo, run as run_shown};

/// The tables that are measured.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Which tables: sizes, bytes, memory, speed, tls-bench, stateful, program [default: all]
    names: Vec<String>,
    /// For the table `bytes`: write nothing, and fail if a total has changed
    #[arg(long)]
    check: bool,
    /// Seconds for each figure of speed
    #[arg(long, value_name = "N", default_value_t = 0.25)]
    seconds: f64,
}

const FOLDER: &str = "docs/benchmarks";
const REPORT: &str = "BENCHMARKS.md";
/// The table of sizes of programs, which are built only for it.
const PROGRAM: &str = "program";
/// The measurements of the comparison of connections.
pub(crate) const CONNECTIONS: &str = "docs/benchmarks/connections.jsonl";
/// The kinds of algorithms that are compared with other libraries.
pub(crate) const PEERS: [&str; 3] = ["kem", "sig", "stateful"];

/// Returns the file in which the comparison of a kind keeps its lines.
pub(crate) fn peers_of(kind: &str) -> PathBuf {
    Path::new(FOLDER).join(format!("peers-{kind}.jsonl"))
}

/// A table of the report is between such lines; the text around them is written by hand.
const BEGIN: &str = "<!-- table: ";
const END: &str = "<!-- end -->";

/// Measures the tables and writes them.
pub(crate) fn run(args: &Args) -> Result<()> {
    if args.check {
        ensure!(args.names == ["bytes"], "`--check` is for the table `bytes`");
        return run_shown(&mut program("bytes --check"));
    }
    let mut command = program(&format!("tables --out {FOLDER} --seconds {}", args.seconds));
    let measured: Vec<_> = args.names.iter().filter(|name| *name != PROGRAM).collect();
    command.args(&measured);
    if measured.len() < args.names.len() || args.names.is_empty() {
        let [programs @ .., symbols] = programs()?;
        command.arg("--programs").args(programs).arg("--symbols").arg(symbols);
    }
    if args.names == [PROGRAM] {
        command.arg("none");
    }
    if args.names.is_empty() {
        add_peers(&mut command);
        if Path::new(CONNECTIONS).exists() {
            command.args(["--connections", CONNECTIONS]);
        }
    }
    run_shown(&mut command)?;
    renew(Path::new(""))
}

/// Writes only the tables of peers, from the lines of all kinds.
pub(crate) fn peers() -> Result<()> {
    let mut command = program(&format!("tables none --out {FOLDER}"));
    add_peers(&mut command);
    run_shown(&mut command)?;
    renew(Path::new(""))
}

/// Prints the table of connections, from the lines of a file.
pub(crate) fn print_connections(lines: &Path) -> Result<()> {
    run_shown(program("tables none --connections").arg(lines))
}

/// Writes the page of the table of connections, from the lines in [`CONNECTIONS`].
pub(crate) fn connections() -> Result<()> {
    run_shown(&mut program(&format!("tables none --out {FOLDER} --connections {CONNECTIONS}")))?;
    renew(Path::new(""))
}

/// Adds the files with lines of the compared kinds to the arguments.
fn add_peers(command: &mut Command) {
    for file in PEERS.map(peers_of).iter().filter(|file| file.exists()) {
        command.arg("--peers").arg(file);
    }
}

/// Returns a command of the laboratory in release.
fn program(args: &str) -> Command {
    cargo(&format!("run --quiet --release --package oaklath-lab -- {args}"))
}

/// Builds the programs of the table of sizes, stripped; then the last of them with its symbols.
fn programs() -> Result<[PathBuf; 6]> {
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
    let example = |name: &str| -> Result<PathBuf> {
        let args =
            format!("rustc --quiet --release -p oaklath-lab --example {name} -- -C strip=symbols");
        run_shown(&mut cargo(&args))?;
        Ok(target.join("release/examples").join(format!("{name}{}", env::consts::EXE_SUFFIX)))
    };
    let small = |name: &str, features: &str, strip: &str| -> Result<PathBuf> {
        let args = format!(
            "rustc --quiet --profile small -p oaklath-cli --bin oaklath --no-default-features \
             --features {features} -- -C strip={strip}"
        );
        run_shown(&mut cargo(&args))?;
        // Copied, since the next program is built in the same place.
        let built = target.join("small").join(format!("oaklath{}", env::consts::EXE_SUFFIX));
        let kept = built.with_file_name(name);
        fs::copy(&built, &kept).with_context(|| built.display().to_string())?;
        Ok(kept)
    };
    Ok([
        example("classical")?,
        example("post_quantum")?,
        small("oaklath-classical", "ring", "symbols")?,
        small("oaklath-standard", "ring,ml-kem,ml-dsa", "symbols")?,
        small("oaklath-post-quantum", "ring,kyber,falcon", "symbols")?,
        small("oaklath-with-symbols", "ring,kyber,falcon", "none")?,
    ])
}

/// Copies every table with a place in the report from its file to that place.
fn renew(root: &Path) -> Result<()> {
    let (path, folder) = (root.join(REPORT), root.join(FOLDER));
    let report = fs::read_to_string(&path).context(REPORT)?;
    let table = |id: &str| fs::read_to_string(folder.join(format!("{id}.md"))).ok();
    let renewed = spliced(&report, table)?;
    fs::write(&path, renewed).context(REPORT)?;
    println!("{REPORT} and {FOLDER} are renewed; {}", capture(&mut cargo("--version"))?.trim());
    Ok(())
}

/// Returns the report with each table in its place; a place without a table keeps its content.
pub(crate) fn spliced(report: &str, table: impl Fn(&str) -> Option<String>) -> Result<String> {
    let mut out = String::new();
    let mut rest = report;
    while let Some(at) = rest.find(BEGIN) {
        let (before, from) = rest.split_at(at);
        let line = from.lines().next().unwrap_or_default();
        let id = line.trim_start_matches(BEGIN).trim_end_matches(" -->");
        let end = from.find(END).with_context(|| format!("the table {id} has no `{END}`"))?;
        let known = from[line.len()..end].trim();
        let text = table(id).map_or_else(|| known.to_owned(), |text| text.trim().to_owned());
        out += &format!("{before}{line}\n{text}\n{END}");
        rest = &from[end + END.len()..];
    }
    Ok(out + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_take_their_places() {
        let report = "# A\nby hand\n<!-- table: one -->\nold\n<!-- end -->\nbetween\n<!-- table: two -->\n<!-- end -->\n";
        let table = |id: &str| (id == "one").then(|| "new\n".to_owned());
        let renewed = spliced(report, table).unwrap();
        assert_eq!(renewed, report.replace("old", "new").replace("two -->\n", "two -->\n\n"));
        assert!(spliced("<!-- table: one -->\n", table).is_err());
    }

    /// A place with a file is updated, the rest stays, and a second time changes nothing.
    #[test]
    fn a_report_is_renewed_from_files() {
        let root = env::temp_dir().join(format!("oaklath-tables-{}", std::process::id()));
        fs::create_dir_all(root.join(FOLDER)).unwrap();
        fs::write(root.join(FOLDER).join("one.md"), "| new |\n\n").unwrap();
        let report = "by hand\n<!-- table: one -->\nold\n<!-- end -->\n<!-- table: two -->\nkept\n<!-- end -->\n";
        fs::write(root.join(REPORT), report).unwrap();
        for _ in 0..2 {
            renew(&root).unwrap();
            let renewed = fs::read_to_string(root.join(REPORT)).unwrap();
            assert_eq!(renewed, report.replace("old", "| new |"));
        }
        // A place that is not closed leaves the report as it is.
        fs::write(root.join(REPORT), "<!-- table: one -->\n").unwrap();
        assert!(renew(&root).is_err());
        assert_eq!(fs::read_to_string(root.join(REPORT)).unwrap(), "<!-- table: one -->\n");
        fs::remove_dir_all(&root).unwrap();
        assert!(renew(&root).is_err());
    }

    /// The report of this workspace: every place has an end, and every page is named.
    #[test]
    fn the_report_is_well_formed() {
        let report = include_str!("../../BENCHMARKS.md");
        assert!(report.lines().count() <= 120, "one page");
        assert_eq!(spliced(report, |_| None).unwrap(), report);
        for entry in fs::read_dir(Path::new("..").join(FOLDER)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let id = name.strip_suffix(".md");
            let is_named = |id| report.contains(&name) || report.contains(&format!("{BEGIN}{id} "));
            assert!(id.is_none_or(is_named), "{name} is not in {REPORT}");
        }
    }
}
