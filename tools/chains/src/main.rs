//! `chains`: compares what `verify_chain` rejects with what other verifiers reject, over chains
//! with one deviation from RFC 5280 each (`cargo xtask chains`).
//!
//! Each chain is signed with ML-DSA-44 for us and for webpki, and once more with ECDSA over P-256
//! for webpki, OpenSSL and Go; webpki must judge both alike, so that the algorithm plays no part.
//! Where we differ from another verifier, `reasons.rs` has the reason, or the program fails.

mod der;
mod deviations;
mod draft;
mod page;
mod reasons;
mod verifiers;

use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::Parser;

use crate::deviations::{OF_CERTS, OF_CHAINS};
use crate::draft::{Chain, Draft, ml_dsa_keys, p256_keys};
use crate::reasons::{Row, reason};
use crate::verifiers::{go, openssl, ours, webpki};

/// Compares which X.509 chains verifiers reject
#[derive(Parser)]
#[command(name = "chains", bin_name = "cargo xtask chains")]
struct Args {
    /// Write the table to docs/chains.md
    #[arg(long)]
    write: bool,
    /// Print what each verifier says of the deviations whose names contain this
    #[arg(long, value_name = "TEXT")]
    say: Option<String>,
}

/// A chain to try.
struct Case {
    /// The certificate that deviates.
    place: &'static str,
    deviation: &'static str,
    section: &'static str,
    draft: Draft,
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for &(deviation, section, change) in OF_CHAINS {
        let mut draft = Draft::good();
        change(&mut draft);
        cases.push(Case { place: "chain", deviation, section, draft });
    }
    for &(deviation, section, change) in OF_CERTS {
        for (i, place) in ["root", "authority", "entity"].into_iter().enumerate() {
            let mut draft = Draft::good();
            change(&mut draft.certs[i]);
            cases.push(Case { place, deviation, section, draft });
        }
    }
    cases
}

fn main() -> Result<()> {
    let args = Args::parse();
    let folder = folder()?;
    let cases = cases();
    let keys = [ml_dsa_keys()?, p256_keys()?];
    let build = |keys| cases.iter().map(|case| case.draft.build(keys)).collect::<Vec<Chain>>();
    let [ml_dsa, p256] = keys.each_ref().map(build);
    let of_go = go(&folder, &p256)?;
    let (mut rows, mut unexplained) = (Vec::new(), Vec::new());
    for (i, case) in cases.iter().enumerate() {
        let Case { place, deviation, section, .. } = *case;
        let said = [
            ours(&ml_dsa[i]),
            webpki(&ml_dsa[i]),
            openssl(&folder, &p256[i], &[])?,
            openssl(&folder, &p256[i], &["-x509_strict"])?,
            of_go[i].clone(),
        ];
        let classical = webpki(&p256[i]);
        let what = format!("{deviation} ({place})");
        ensure!(
            classical.is_ok() == said[1].is_ok(),
            "{what}: webpki says {:?} of ML-DSA-44 and {classical:?} of ECDSA",
            said[1]
        );
        if args.say.as_ref().is_some_and(|text| what.contains(text)) {
            println!("{what}: {said:#?}");
        }
        let accepts = said.each_ref().map(Result::is_ok);
        let row = Row { place, deviation, section, accepts, reason: None };
        let reason = reason(&row);
        if row.is_disputed() && reason.is_none() {
            unexplained.push(format!("{what}: {accepts:?}"));
        }
        rows.push(Row { reason, ..row });
    }
    std::fs::remove_dir_all(&folder)?;
    println!("{}", page::summary(&rows));
    ensure!(unexplained.is_empty(), "no reason is given for:\n{}", unexplained.join("\n"));
    if args.write {
        page::write(&rows)?;
    }
    Ok(())
}

/// Creates a folder for the files of this process.
fn folder() -> Result<PathBuf> {
    let folder = std::env::temp_dir().join(format!("oaklath-chains-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}
