//! The command line: measures the published tables, and checks the published test vectors.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use clap::{Parser, Subcommand};
use oaklath_cli::base::{self, Base};
use oaklath_cli::failure::{self, usage, with_hint};
use oaklath_cli::setup::Setup;
use oaklath_cli::table::print_json;
use oaklath_cli::{progress, text};

use crate::all::{self, Kind};
use crate::connections;
use crate::machine::Machine;
use crate::report::Table;
use crate::{bytes, peers, program, vectors};

/// Measures the published tables, and checks the published test vectors
#[derive(Parser)]
#[command(name = "oaklath-lab", version, max_term_width = 80)]
struct Lab {
    #[command(subcommand)]
    command: LabCommand,
}

#[derive(Subcommand)]
enum LabCommand {
    /// Count the bytes of TLS connections, beside the published figures
    Bytes(BytesArgs),
    /// Measure the memory of TLS connections, beside the published figures
    Memory(MemoryArgs),
    /// Measure every published table on this machine
    Tables(TablesArgs),
    /// Check a folder of published test vectors
    Vectors(vectors::VectorsArgs),
}

/// Runs the command line of this process.
#[must_use]
pub fn main() -> ExitCode {
    let result = match Lab::parse().command {
        LabCommand::Bytes(args) => bytes(&args),
        LabCommand::Memory(args) => memory(&args),
        LabCommand::Tables(args) => tables(&args),
        LabCommand::Vectors(args) => vectors::run(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failure::report(&error),
    }
}

/// The arguments of all commands for tables.
#[derive(Debug, clap::Args)]
struct TableArgs {
    /// Base provider of TLS: aws-lc-rs, ring or graviola, as far as built in
    #[arg(long, value_name = "NAME")]
    base: Option<String>,
    /// Print one JSON array instead of tables, one table a line
    #[arg(long)]
    json: bool,
}

impl TableArgs {
    fn setup(&self, time: Duration) -> Result<(&'static Base, Setup)> {
        let base = base::choose(self.base.as_deref())?;
        Ok((base, connections::setup((base.provider)(), time)))
    }

    /// Prints tables as text or as JSON.
    fn print(&self, machine: &Machine, tables: &[Table]) -> Result<()> {
        if self.json {
            return print_json(tables);
        }
        let mut out = io::stdout().lock();
        writeln!(out, "{}", machine.sentence())?;
        for table in tables {
            writeln!(out, "\n{}\n\n{}", table.title, table.text())?;
            for note in &table.notes {
                writeln!(out, "{note}")?;
            }
        }
        Ok(())
    }
}

/// The arguments of `oaklath-lab bytes`.
#[derive(Debug, clap::Args)]
struct BytesArgs {
    #[command(flatten)]
    common: TableArgs,
    /// Print nothing, and fail if a total is not the recorded one
    #[arg(long)]
    check: bool,
    /// Print the totals in the form in which they are recorded
    #[arg(long, conflicts_with = "check")]
    record: bool,
}

/// Counts the bytes of the published connections.
fn bytes(args: &BytesArgs) -> Result<()> {
    let (base, setup) = args.common.setup(Duration::ZERO)?;
    if args.check {
        return bytes::check(&setup);
    }
    if args.record {
        return Ok(write!(io::stdout(), "{}", bytes::recorded_form(&setup)?)?);
    }
    let tables = find("bytes")?.tables(&setup)?;
    args.common.print(&Machine::look(base.name), &tables)
}

/// The arguments of `oaklath-lab memory`.
#[derive(Debug, clap::Args)]
struct MemoryArgs {
    #[command(flatten)]
    common: TableArgs,
}

/// Measures heap and stack.
fn memory(args: &MemoryArgs) -> Result<()> {
    let (base, setup) = args.common.setup(Duration::ZERO)?;
    let tables = progress::during("measuring memory", || find("memory")?.tables(&setup))?;
    args.common.print(&Machine::look(base.name), &tables)
}

/// The arguments of `oaklath-lab tables`.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
struct TablesArgs {
    /// Which tables [default: all]
    #[arg(value_name = "NAME", value_parser = names())]
    names: Vec<String>,
    #[command(flatten)]
    common: TableArgs,
    /// Seconds for each figure of speed
    #[arg(long, value_name = "N", default_value = "0.25", value_parser = text::seconds)]
    seconds: Duration,
    /// Write files into this folder instead: CSV, Markdown, charts; for all tables also JSON and an
    /// HTML page
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Stripped programs to compare: for speed without and with post-quantum algorithms, for size
    /// without, with ML-KEM and ML-DSA, with Kyber and Falcon
    #[arg(long, value_name = "FILE", num_args = program::NAMES.len(), requires = "symbols")]
    programs: Vec<PathBuf>,
    /// The last of these programs with its symbols
    #[arg(long, value_name = "FILE")]
    symbols: Option<PathBuf>,
    /// Lines of `cargo xtask compare KIND --json`, for the table of peers
    #[arg(long, value_name = "FILE", num_args = 1..)]
    peers: Vec<PathBuf>,
    /// Lines that `cargo xtask compare tls` wrote, for the table of connections
    #[arg(long, value_name = "FILE")]
    connections: Option<PathBuf>,
}

const AFTER_HELP: &str = "\
sizes      names, codepoints, object identifiers, sizes
bytes      bytes on the wire, flight by flight
memory     heap and stack of connections and operations
speed      operations, as liboqs and wolfCrypt print them
tls-bench  connections and throughput
stateful   LMS/HSS, XMSS, SHA-256
none       none of them, but those of the options";

/// The name that measures nothing.
const NONE: &str = "none";

fn names() -> Vec<&'static str> {
    all::ALL.iter().map(|kind| kind.name).chain([NONE]).collect()
}

fn find(name: &str) -> Result<&'static Kind> {
    let found = all::ALL.iter().find(|kind| kind.name == name);
    found.with_context(|| format!("no table is called `{name}`"))
}

/// Measures the requested tables.
fn tables(args: &TablesArgs) -> Result<()> {
    if cfg!(debug_assertions) && args.out.is_some() {
        let error = anyhow!("this build is for debugging: its figures mean nothing");
        return Err(usage(with_hint(error, "cargo run --release")));
    }
    let (base, setup) = args.common.setup(args.seconds)?;
    let machine = Machine::look(base.name);
    let mut tables = Vec::new();
    let asked = |kind: &&Kind| args.names.is_empty() || args.names.iter().any(|n| n == kind.name);
    for kind in all::ALL.iter().filter(asked) {
        tables.extend(progress::during(kind.about, || kind.tables(&setup))?);
    }
    if let ([.., small], Some(symbols)) = (&*args.programs, &args.symbols) {
        tables.push(program::table(&args.programs)?);
        tables.push(program::crates(small, symbols)?);
    }
    let read =
        |path: &PathBuf| fs::read_to_string(path).with_context(|| path.display().to_string());
    let lines: String = args.peers.iter().map(read).collect::<Result<_>>()?;
    if !lines.is_empty() {
        let peers = peers::table(&lines)?;
        tables.extend(peers::summaries(&peers)?);
        tables.push(peers);
    }
    if let Some(path) = &args.connections {
        tables.extend(peers::connections(&read(path)?)?);
    }
    match &args.out {
        Some(folder) => all::write(folder, &machine, &tables, args.names.is_empty()),
        None => args.common.print(&machine, &tables),
    }
}
