//! Code shared by the commands of `oaklath cert`: outputs, times, errors.
use std::path::PathBuf;
use std::time::SystemTime;

use anyhow::{Result, anyhow};
use oaklath_pki::CertificateError;
use oaklath_pki::x509_cert::der::DateTime;

use crate::failure::usage;
use crate::files::{Format, Output, Replace};

/// The output of a certificate, a request or a key.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(super) struct Out {
    /// Where it goes
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub(super) out: PathBuf,
    /// Write DER instead of PEM
    #[arg(long)]
    pub(super) der: bool,
    #[command(flatten)]
    pub(super) replace: Replace,
}

impl Out {
    pub(super) fn create(&self, is_secret: bool) -> Result<Output<'_>> {
        Output::create(&self.out, is_secret, self.format())
    }

    /// Returns the chosen one of two encodings.
    pub(super) fn encoded(&self, der: &[u8], pem: String) -> Vec<u8> {
        if self.der { der.to_vec() } else { pem.into_bytes() }
    }

    pub(super) fn format(&self) -> Format {
        self.replace.into()
    }
}

/// Parses a time argument: RFC 3339 in UTC, or a date, meaning its midnight.
pub(super) fn time(text: &str) -> Result<SystemTime, String> {
    let parsed = text.parse().or_else(|_| format!("{text}T00:00:00Z").parse());
    let parsed: Result<DateTime, _> = parsed;
    let parsed = parsed.map_err(|_| "expected a time such as 2030-12-31T23:59:59Z, or a date")?;
    Ok(parsed.to_system_time())
}

/// Formats a time for printing.
pub(super) fn printed(time: SystemTime) -> String {
    DateTime::from_system_time(time)
        .map_or_else(|_| "an unknown time".to_owned(), |time| time.to_string())
}

/// Converts the error of issuing a certificate; faults of arguments are usage errors.
pub(super) fn refused(error: CertificateError) -> anyhow::Error {
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
