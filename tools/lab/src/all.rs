//! Every table by name, and the files written from them.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use oaklath_cli::setup::Setup;
use serde::Serialize;

use crate::machine::Machine;
use crate::report::{Cell, Table};
use crate::{bytes, memory, page, parts, sizes, speed, stateful, tls_bench};

/// A group of tables that are measured together.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// The name on the command line.
    pub name: &'static str,
    /// A short description.
    pub about: &'static str,
    make: fn(&Setup) -> Result<Vec<Table>>,
}

/// Every kind, in the order of the report.
pub static ALL: &[Kind] = &[
    Kind {
        name: "sizes",
        about: "names, codepoints, object identifiers, sizes",
        make: |_| Ok(vec![sizes::algorithms()?, sizes::stateful()?]),
    },
    Kind {
        name: "bytes",
        about: "bytes on the wire, flight by flight",
        make: |setup| {
            let mut tables = Vec::from(bytes::tables(setup)?);
            tables.push(bytes::flights(setup)?);
            Ok(tables)
        },
    },
    Kind {
        name: "memory",
        about: "heap and stack of connections and operations",
        make: |setup| Ok(vec![memory::table(setup)?, memory::operations()?]),
    },
    Kind {
        name: "speed",
        about: "operations, as liboqs and wolfCrypt print them",
        make: |setup| Ok(vec![speed::liboqs(setup)?, speed::wolfcrypt(setup)?]),
    },
    Kind {
        name: "tls-bench",
        about: "connections and throughput",
        make: |setup| {
            Ok(vec![tls_bench::peers(setup)?, parts::table(setup)?, tls_bench::table(setup)?])
        },
    },
    Kind {
        name: "stateful",
        about: "LMS/HSS, XMSS, SHA-256",
        make: |setup| Ok(vec![stateful::table(setup)?]),
    },
];

impl Kind {
    /// Measures the tables.
    ///
    /// # Errors
    /// If a measurement fails, or a size is not the published one.
    pub fn tables(&self, setup: &Setup) -> Result<Vec<Table>> {
        (self.make)(setup).context(self.name)
    }
}

/// The report in a form for programs.
#[derive(Debug, Serialize)]
struct Report<'a> {
    machine: &'a Machine,
    tables: &'a [Table],
}

/// Writes the tables into a folder: `NAME.csv` and `NAME.md` of each, charts as SVG, and, if they
/// are the `whole` report, `tables.json` and `report.html`, which is self-contained.
///
/// # Errors
/// If a file cannot be written.
pub fn write(folder: &Path, machine: &Machine, tables: &[Table], whole: bool) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let put = |name: String, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).with_context(|| path.display().to_string())
    };
    for table in tables {
        put(format!("{}.csv", table.id), &table.csv())?;
        put(format!("{}.md", table.id), &section(machine, table))?;
    }
    let charts = page::charts(machine, tables);
    for (name, svg) in &charts {
        put(format!("{name}.svg"), svg)?;
    }
    if whole {
        let json = serde_json::to_string_pretty(&Report { machine, tables })?;
        put("tables.json".to_owned(), &(json + "\n"))?;
        put("report.html".to_owned(), &page::html(machine, tables, &charts))?;
    }
    Ok(())
}

/// Returns a table in Markdown with its notes.
#[must_use]
pub fn section(machine: &Machine, table: &Table) -> String {
    let machine = table.measured.as_ref().map_or_else(|| machine.clone(), |at| machine.of(at));
    let mut text = format!("## {}\n{}.\n\n", table.title, machine.sentence());
    for note in &table.notes {
        text += &format!("{note}\n\n");
    }
    let behind = table.behind();
    if !behind.is_empty() {
        let mut rows = table.clone();
        rows.columns.push("why".to_owned());
        let explained = |row: &[Cell]| {
            let why = table.reason(row).unwrap_or("not explained");
            [row, &[Cell::text(why)]].concat()
        };
        rows.rows = behind.into_iter().map(explained).collect();
        text += &format!("Behind, the worst first:\n\n{}\nAll rows:\n\n", rows.markdown());
    }
    text + &table.markdown()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::RATIO;

    /// Part of the report must not replace the whole.
    #[test]
    fn files() {
        let folder = std::env::temp_dir().join(format!("oaklath-all-{}", std::process::id()));
        let tables = [sizes::algorithms().unwrap()];
        for (whole, count) in [(false, 2), (true, 4)] {
            write(&folder, &Machine::look("none"), &tables, whole).unwrap();
            assert_eq!(fs::read_dir(&folder).unwrap().count(), count);
        }
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_is_behind_comes_first() {
        let machine = Machine::look("none");
        let mut table = Table::new("test", "Title", &["name", RATIO]).note("A note.");
        table.push(vec![Cell::text("ahead"), Cell::Number(2.0, 2)]);
        assert!(!section(&machine, &table).contains("Behind"));
        table.push(vec![Cell::text("late"), Cell::Number(0.5, 2)]);
        let text = section(&machine, &table);
        let places: Vec<_> = text.match_indices("| late |").map(|(at, _)| at).collect();
        assert_eq!(places.len(), 2);
        assert!(places[0] < text.find("| ahead |").unwrap());
        assert!(text.contains("| late | 0.50 | not explained |\n"), "{text}");
        assert!(section(&machine, &table.because("late", "slow")).contains("| 0.50 | slow |"));
    }
}
