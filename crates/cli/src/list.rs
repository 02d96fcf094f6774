//! `oaklath list`: the table of identities, as text or as JSON.

mod groups;
mod kems;
mod signatures;
mod stateful;

use std::io::{self, Write};

use anyhow::Result;
use clap::ValueEnum;
use comfy_table::{CellAlignment, LineStyle, Table, TableStyle};
use serde::Serialize;

/// Arguments of `oaklath list`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// What to list; everything if left out
    kind: Option<Kind>,
    /// Print one JSON array instead of tables, one object a line
    #[arg(long)]
    json: bool,
}

/// What can be listed.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Kind {
    /// Key encapsulation mechanisms
    Kems,
    /// Signature schemes
    Signatures,
    /// Stateful hash-based signatures: LMS, HSS, XMSS, XMSS^MT
    Stateful,
    /// TLS groups: a KEM alone, or joined with a curve
    Groups,
}

/// One kind, ready to be printed either way.
struct Listing {
    title: &'static str,
    tables: Vec<Table>,
    /// One JSON object a row.
    objects: Vec<String>,
}

/// Prints the kinds that were asked for.
pub(crate) fn run(args: &Args) -> Result<()> {
    let kinds = args.kind.as_ref().map_or(Kind::value_variants(), std::slice::from_ref);
    let listings = kinds.iter().map(|kind| kind.listing()).collect::<Result<Vec<_>>>()?;
    let mut out = io::stdout().lock();
    if args.json {
        let objects: Vec<_> = listings.into_iter().flat_map(|l| l.objects).collect();
        writeln!(out, "[\n{}\n]", objects.join(",\n"))?;
        return Ok(());
    }
    let legend = "built: the code is in this build; =: the same as the name; -: none";
    writeln!(out, "Sizes are in bytes. {legend}.\n")?;
    for (i, Listing { title, tables, .. }) in listings.iter().enumerate() {
        let gap = if i > 0 { "\n" } else { "" };
        writeln!(out, "{gap}{title}")?;
        for table in tables {
            writeln!(out, "\n{}", table.trim_fmt())?;
        }
    }
    Ok(())
}

impl Kind {
    fn listing(self) -> Result<Listing> {
        match self {
            Self::Kems => kems::listing(),
            Self::Signatures => signatures::listing(),
            Self::Stateful => stateful::listing(),
            Self::Groups => groups::listing(),
        }
    }
}

/// Columns two blanks apart, the header underlined, nothing else drawn: a row is one line, so that
/// `grep` works on it.
const STYLE: TableStyle =
    TableStyle::new().header_separator(LineStyle::none().fill('-').junction(' '));

/// Lays out a table. Columns whose cells are all numbers are set to the right.
fn table<const N: usize>(header: [&str; N], rows: impl IntoIterator<Item = [String; N]>) -> Table {
    let rows: Vec<_> = rows.into_iter().collect();
    let mut table = Table::new();
    table.load_style(STYLE).set_header(header);
    for (i, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 1));
        if rows.iter().all(|row| is_number(&row[i])) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.add_rows(rows);
    table
}

/// Whether a cell holds a number or a power of two.
fn is_number(cell: &str) -> bool {
    cell.strip_prefix("2^").unwrap_or(cell).parse::<u64>().is_ok()
}

/// A cell that may be empty.
fn cell(text: Option<impl ToString>) -> String {
    text.map_or_else(|| "-".to_owned(), |text| text.to_string())
}

/// A cell for one more name of what is called `name`: `=` if it is the same.
fn also(name: &str, other: Option<&str>) -> String {
    cell(other.map(|other| if other == name { "=" } else { other }))
}

/// The cell that says whether this build has the code.
fn built(yes: bool) -> String {
    if yes { "yes" } else { "-" }.to_owned()
}

/// Each row as one JSON object on one line.
fn objects<T: Serialize>(rows: &[T]) -> Result<Vec<String>> {
    Ok(rows.iter().map(serde_json::to_string).collect::<Result<_, _>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_fit_and_objects_parse() {
        for kind in Kind::value_variants() {
            let listing = kind.listing().unwrap();
            assert!(listing.title.len() <= 100);
            for table in &listing.tables {
                let widest = table.lines().map(|line| line.trim_end().len()).max();
                assert!(widest <= Some(100), "{kind:?}: {widest:?}");
            }
            for object in &listing.objects {
                let value: serde_json::Value = serde_json::from_str(object).unwrap();
                assert!(value["kind"].is_string() && value["name"].is_string(), "{object}");
            }
        }
    }
}
