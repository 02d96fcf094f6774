//! `oaklath list`: the table of identities, as text or as JSON.

mod fields;
mod groups;
mod kems;
mod listing;
mod signatures;
mod stateful;

use std::io::{self, Write};

use anyhow::Result;
use clap::ValueEnum;

use crate::list::listing::Listing;
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

/// Prints the requested kinds.
pub(crate) fn run(args: &ListArgs) -> Result<()> {
    let kinds = args.kind.as_ref().map_or(ListKind::value_variants(), std::slice::from_ref);
    let listings = kinds.iter().map(|kind| kind.listing()).collect::<Result<Vec<_>>>()?;
    let mut out = io::stdout().lock();
    if args.json {
        let objects: Vec<_> = listings.into_iter().flat_map(|l| l.objects).collect();
        return Ok(print_json(&mut out, &objects)?);
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

impl ListKind {
    fn listing(self) -> Result<Listing> {
        match self {
            Self::Kems => kems::listing(),
            Self::Signatures => signatures::listing(),
            Self::Stateful => stateful::listing(),
            Self::Groups => groups::listing(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_fit_and_objects_parse() {
        for kind in ListKind::value_variants() {
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
