//! `oaklath cert verify`.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::SystemTime;

use anyhow::{Result, anyhow};
use oaklath_pki::{Certificate, ChainError, VerifyOptions, verify_chain};
use serde_json::{Value, json};

use super::shared::{printed, time};
use crate::failure::with_hint;
use crate::files;
use crate::keys;
use crate::table::{columns, print_json};
use crate::text::printable;

/// Arguments of `oaklath cert verify`.
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct CertVerifyArgs {
    /// The certificate, then those that lead from it to a root
    #[arg(value_name = "CHAIN", required = true)]
    chain: Vec<PathBuf>,
    /// Roots to trust; may be repeated
    #[arg(long, value_name = "FILE", required = true)]
    ca: Vec<PathBuf>,
    /// Require a TLS server certificate for this name or address
    #[arg(long, value_name = "NAME", conflicts_with = "client")]
    host: Option<String>,
    /// Require a TLS client certificate
    #[arg(long)]
    client: bool,
    /// Verify for this time: 2030-12-31T23:59:59Z or a date [default: now]
    #[arg(long, value_name = "TIME", value_parser = time)]
    time: Option<SystemTime>,
    /// Print one JSON array instead of a table, one object a line
    #[arg(long)]
    json: bool,
}

const HELP: &str = "\
Files are PEM or DER. The exit code is 0 if the certificate is verified and 1 if
it is not. Chains with name constraints or critical policies are rejected, and
revocation is not looked at.";

/// Finds a path to a root and prints it.
pub(super) fn run(args: &CertVerifyArgs) -> Result<()> {
    let chain = all(&args.chain)?;
    let (entity, intermediates) = (&chain[0], &chain[1..]);
    let roots = all(&args.ca)?;
    let at = args.time.unwrap_or_else(SystemTime::now);
    let options = VerifyOptions::at(at);
    let (options, purpose) = match &args.host {
        Some(host) => (options.server(host), format!(" for the server {host}")),
        None if args.client => (options.client(), " for a client".to_owned()),
        None => (options, String::new()),
    };
    let source = files::name(&args.chain[0]);
    let path = verify_chain(entity, intermediates, &roots, &options)
        .map_err(|error| explained(&source, &error))?;

    let last = path.len() - 1;
    let rows: Vec<_> = path.iter().enumerate().map(|(i, cert)| row(cert, i, last)).collect();
    if args.json {
        return print_json(&rows);
    }
    let columns = columns(
        &rows,
        "role | subject | key | signed_with | valid from: not_before | valid until: not_after",
    );
    let mut out = io::stdout().lock();
    writeln!(out, "{source}: verified at {}{purpose}\n", printed(at))?;
    Ok(writeln!(out, "{}", printable(&columns.to_string()))?)
}

fn row(certificate: &Certificate, at: usize, last: usize) -> Value {
    let validity = *certificate.parsed().tbs_certificate().validity();
    // Cannot fail: the keys and signatures of a path were verified.
    let key = certificate.public_key().map(|key| key.identity().to_string());
    let signed_with = certificate.signature_identity().map(|identity| identity.to_string());
    json!({
        "role": match at {
            _ if at == last => "root",
            0 => "entity",
            _ => "intermediate",
        },
        "subject": certificate.subject().to_string(),
        "key": key.unwrap_or_default(),
        "signed_with": signed_with.unwrap_or_default(),
        "not_before": validity.not_before.to_string(),
        "not_after": validity.not_after.to_string(),
    })
}

/// Reads the certificates of all files, in order; each file has at least one.
fn all(paths: &[PathBuf]) -> Result<Vec<Certificate>> {
    let mut all = Vec::new();
    for path in paths {
        all.extend(keys::certificates(path)?);
    }
    Ok(all)
}

fn explained(source: &str, error: &ChainError) -> anyhow::Error {
    let hint = match error {
        ChainError::IssuerNotFound { .. } => {
            "roots are given with `--ca`, intermediates behind the certificate"
        }
        ChainError::NotYetValid { .. } | ChainError::Expired { .. } => {
            "`--time` verifies for another time"
        }
        ChainError::UnsupportedAlgorithm { .. } => {
            "`openssl verify` verifies chains of classical algorithms"
        }
        _ => return anyhow!("{source}: {error}"),
    };
    with_hint(anyhow!("{source}: {error}"), hint)
}
