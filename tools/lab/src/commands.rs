//! `oaklath bytes`, `oaklath memory` and `oaklath tables`: the published tables, measured here.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use oaklath_tables::all::{self, Kind};
use oaklath_tables::machine::Machine;
use oaklath_tables::{Setup, Table, bytes, peers, program};

use crate::base::{self, Base};
use crate::failure::{usage, with_hint};
use crate::progress;
use crate::table::{objects, print_json};

/// What all of them take.
#[derive(Debug, clap::Args)]
pub(crate) struct Common {
    /// Base provider of TLS: aws-lc-rs, ring or graviola, as far as built in
    #[arg(long, value_name = "NAME")]
    base: Option<String>,
    /// Print one JSON array instead of tables, one table a line
    #[arg(long)]
    json: bool,
}

impl Common {
    fn setup(&self, time: Duration) -> Result<(&'static Base, Setup)> {
        let base = base::choose(self.base.as_deref())?;
        Ok((base, Setup::new((base.provider)(), time)))
    }

    /// Prints tables, in either form.
    fn print(&self, machine: &Machine, tables: &[Table]) -> Result<()> {
        let mut out = io::stdout().lock();
        if self.json {
            return Ok(print_json(&mut out, &objects(tables)?)?);
        }
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

/// Arguments of `oaklath bytes`.
#[derive(Debug, clap::Args)]
pub(crate) struct Bytes {
    #[command(flatten)]
    common: Common,
    /// Print nothing, and fail if a total is not the recorded one
    #[arg(long)]
    check: bool,
    /// Print the totals as they are recorded
    #[arg(long, conflicts_with = "check")]
    record: bool,
}

/// Counts the bytes of the published connections.
pub(crate) fn bytes(args: &Bytes) -> Result<()> {
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

/// Arguments of `oaklath memory`.
#[derive(Debug, clap::Args)]
pub(crate) struct Memory {
    #[command(flatten)]
    common: Common,
}

/// Measures heap and stack.
pub(crate) fn memory(args: &Memory) -> Result<()> {
    let (base, setup) = args.common.setup(Duration::ZERO)?;
    let tables = progress::during("measuring memory", || find("memory")?.tables(&setup))?;
    args.common.print(&Machine::look(base.name), &tables)
}

/// Arguments of `oaklath tables`.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Tables {
    /// Which tables; all if left out
    #[arg(value_name = "NAME", value_parser = names())]
    names: Vec<String>,
    #[command(flatten)]
    common: Common,
    /// Seconds for each figure of speed
    #[arg(long, value_name = "N", default_value = "0.25", value_parser = crate::speed::seconds)]
    seconds: Duration,
    /// Write files into this folder instead: CSV, Markdown, charts; of all tables JSON and a page, too
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Two stripped programs to compare, without and with post-quantum algorithms
    #[arg(long, value_name = "FILE", num_args = 2)]
    programs: Vec<PathBuf>,
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

/// Nothing is measured under this name.
const NONE: &str = "none";

fn names() -> Vec<&'static str> {
    all::ALL.iter().map(|kind| kind.name).chain([NONE]).collect()
}

fn find(name: &str) -> Result<&'static Kind> {
    let found = all::ALL.iter().find(|kind| kind.name == name);
    found.with_context(|| format!("no table is called `{name}`"))
}

/// Measures what was asked for.
pub(crate) fn tables(args: &Tables) -> Result<()> {
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
    if let [classical, post_quantum] = &*args.programs {
        tables.push(program::table(classical, post_quantum)?);
    }
    let read =
        |path: &PathBuf| fs::read_to_string(path).with_context(|| path.display().to_string());
    let lines: String = args.peers.iter().map(read).collect::<Result<_>>()?;
    if !lines.is_empty() {
        tables.push(peers::table(&lines)?);
    }
    if let Some(path) = &args.connections {
        tables.push(peers::connections(&read(path)?)?);
    }
    match &args.out {
        Some(folder) => all::write(folder, &machine, &tables, args.names.is_empty()),
        None => args.common.print(&machine, &tables),
    }
}
