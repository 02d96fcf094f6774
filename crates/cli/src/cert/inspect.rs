//! `oaklath cert inspect`.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Result, anyhow};

use crate::files;
use crate::table::print_json;
use crate::text::printable;

/// Arguments of `oaklath cert inspect`.
#[derive(Debug, clap::Args)]
pub(crate) struct InspectArgs {
    /// Certificates, requests, public or private keys, as PEM or DER
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Print one JSON array instead of text, one object a line
    #[arg(long)]
    json: bool,
}

/// Describes the contents of a file; for private keys, only the lengths.
pub(super) fn run(args: &InspectArgs) -> Result<()> {
    let bytes = files::read_bytes(&args.file)?;
    let items = oaklath_pki::inspect(&bytes)
        .map_err(|error| anyhow!("{}: {error}", files::name(&args.file)))?;
    if args.json {
        return print_json(&items);
    }
    let mut out = io::stdout().lock();
    for (i, item) in items.iter().enumerate() {
        write!(out, "{}{}", if i > 0 { "\n" } else { "" }, printable(&item.to_string()))?;
    }
    Ok(())
}
