//! `oaklath list`: the table of identities, as text or as JSON.

pub(crate) mod kinds;

use std::io::{self, Write};

use anyhow::Result;
use clap::ValueEnum;
use comfy_table::Table;
use serde_json::Value;

use crate::table::print_json;

/// Arguments of `oaklath list`.
#[derive(Debug, clap::Args)]
pub(crate) struct ListArgs {
    /// What to list; everything if left out
    kind: Option<ListKind>,
    /// Print one JSON array instead of tables, one object a line
    #[arg(long)]
    json: bool,
}

/// What can be listed.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum ListKind {
    /// Key encapsulation mechanisms
    Kems,
    /// Signature schemes
    Signatures,
    /// Stateful hash-based signatures: LMS, HSS, XMSS, XMSS^MT
    Stateful,
    /// TLS groups: a KEM alone, or joined with a curve
    Groups,
}

/// The identities of one kind, to be printed as tables or as JSON.
struct Listing {
    title: &'static str,
    tables: Vec<Table>,
    rows: Vec<Value>,
}

/// Prints the requested kinds.
pub(crate) fn run(args: &ListArgs) -> Result<()> {
    let kinds = args.kind.as_ref().map_or(ListKind::value_variants(), std::slice::from_ref);
    let listings = kinds.iter().map(|kind| kind.listing());
    if args.json {
        return print_json(&listings.flat_map(|listing| listing.rows).collect::<Vec<_>>());
    }
    let mut out = io::stdout().lock();
    let legend = "built: the code is in this build; =: the same as the name; -: none";
    writeln!(out, "Sizes are in bytes. {legend}.\n")?;
    for (i, Listing { title, tables, .. }) in listings.enumerate() {
        let gap = if i > 0 { "\n" } else { "" };
        writeln!(out, "{gap}{title}")?;
        for table in tables {
            writeln!(out, "\n{}", table.trim_fmt())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::objects;

    #[test]
    fn tables_fit_and_objects_parse() {
        for kind in ListKind::value_variants() {
            let listing = kind.listing();
            assert!(listing.title.len() <= 100);
            for table in &listing.tables {
                let widest = table.lines().map(|line| line.trim_end().len()).max();
                assert!(widest <= Some(100), "{kind:?}: {widest:?}");
            }
            for object in objects(&listing.rows).unwrap() {
                let value: Value = serde_json::from_str(&object).unwrap();
                assert!(value["kind"].is_string() && value["name"].is_string(), "{object}");
            }
        }
    }
}
