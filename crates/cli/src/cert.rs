//! `oaklath cert`: certificates, requests, chains, and keys in other forms.

mod convert;
mod inspect;
mod issue;
mod verify;

use std::path::PathBuf;
use std::time::SystemTime;

use anyhow::{Result, anyhow};
use oaklath_pki::CertificateError;
use oaklath_pki::x509_cert::der::DateTime;

use crate::failure::usage;
use crate::files::{Format, Output, Replace};

/// Arguments of `oaklath cert`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE, subcommand_required = true)]
pub(crate) struct CertArgs {
    #[command(subcommand)]
    command: CertCommand,
}

#[derive(Debug, clap::Subcommand)]
enum CertCommand {
    /// Make the certificate of a root, signed with its own key
    Root(issue::Root),
    /// Issue the certificate of an authority below another one
    Intermediate(issue::Intermediate),
    /// Issue the certificate of a server, a client, a holder of a KEM's key
    Issue(issue::Issue),
    /// Make a request for a certificate (PKCS#10)
    Csr(issue::Csr),
    /// Verify that a certificate leads to a root
    Verify(verify::CertVerifyArgs),
    /// Say what is in a file of certificates, requests or keys
    Inspect(inspect::InspectArgs),
    /// Convert between PEM and DER, and between forms of private keys
    Convert(convert::ConvertArgs),
}

const EXAMPLE: &str = "\
A root, and a server's certificate under it:
  oaklath cert root --subject CN=Root --new-key ML-DSA-87 --key-out root.key \\
    --out root.pem
  oaklath cert issue --subject CN=door --san door.example --new-key ML-DSA-65 \\
    --key-out door.key --issuer root.pem --issuer-key root.key --out door.pem
  oaklath cert verify --ca root.pem --host door.example door.pem";

/// Does what was asked for.
pub(crate) fn run(args: &CertArgs) -> Result<()> {
    match &args.command {
        CertCommand::Root(args) => issue::root(args),
        CertCommand::Intermediate(args) => issue::intermediate(args),
        CertCommand::Issue(args) => issue::issue(args),
        CertCommand::Csr(args) => issue::csr(args),
        CertCommand::Verify(args) => verify::run(args),
        CertCommand::Inspect(args) => inspect::run(args),
        CertCommand::Convert(args) => convert::run(args),
    }
}

/// Where a certificate, a request or a key goes.
#[derive(Debug, clap::Args)]
#[group(skip)]
struct Out {
    /// Where it goes
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    out: PathBuf,
    /// Write DER instead of PEM
    #[arg(long)]
    der: bool,
    #[command(flatten)]
    replace: Replace,
}

impl Out {
    fn create(&self, is_secret: bool) -> Result<Output<'_>> {
        Output::create(&self.out, is_secret, self.format())
    }

    /// What to write of something that has both encodings.
    fn encoded(&self, der: &[u8], pem: String) -> Vec<u8> {
        if self.der { der.to_vec() } else { pem.into_bytes() }
    }

    fn format(&self) -> Format {
        self.replace.into()
    }
}

/// A time as an argument: RFC 3339 in UTC, or a date, which begins at midnight.
fn time(text: &str) -> Result<SystemTime, String> {
    let parsed = text.parse().or_else(|_| format!("{text}T00:00:00Z").parse());
    let parsed: Result<DateTime, _> = parsed;
    let parsed = parsed.map_err(|_| "expected a time such as 2030-12-31T23:59:59Z, or a date")?;
    Ok(parsed.to_system_time())
}

/// A time as it is printed.
fn printed(time: SystemTime) -> String {
    DateTime::from_system_time(time)
        .map_or_else(|_| "an unknown time".to_owned(), |time| time.to_string())
}

/// Why a certificate cannot be made: arguments, or files.
fn refused(error: CertificateError) -> anyhow::Error {
    let text = anyhow!("{error}");
    match error {
        CertificateError::Subject { .. }
        | CertificateError::DnsName { .. }
        | CertificateError::Validity
        | CertificateError::SerialNumber => usage(text),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::{printed, time};

    #[test]
    fn times_and_dates() {
        let noon = UNIX_EPOCH + Duration::from_secs(946_728_000);
        assert_eq!(time("2000-01-01T12:00:00Z"), Ok(noon));
        assert_eq!(time("2000-01-01"), Ok(noon - Duration::from_secs(43_200)));
        assert_eq!(printed(noon), "2000-01-01T12:00:00Z");
        for bad in ["", "2000", "2000-02-30", "2000-01-01T12:00:00+01:00", "1969-01-01"] {
            assert!(time(bad).is_err(), "{bad}");
        }
    }
}
