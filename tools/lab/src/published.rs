//! The figures of wolfSSL's appendix "Experimenting with Post-Quantum Cryptography", from all of
//! its six versions, read from `data/`. Each file names its hardware.

use anyhow::{Context, Result, ensure};

/// The hardware of the published figures, for columns and notes.
pub const HARDWARE: &str =
    "Intel i7-1165G7 (sixth version: i7-1185G7; hash-based signatures: i7-8700 and Apple M1)";

/// A published file: the rows below its header, in order.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    name: &'static str,
    text: &'static str,
}

macro_rules! sources {
    ($($(#[$doc:meta])* $id:ident $file:literal)*) => {
        $(
            $(#[$doc])*
            pub const $id: Source =
                Source { name: $file, text: include_str!(concat!("../data/", $file)) };
        )*
        #[cfg(test)]
        const ALL: &[Source] = &[$($id),*];
    };
}

sources! {
    /// Names, codepoints, object identifiers, sizes.
    ALGORITHMS "algorithms.csv"
    /// Parameter sets of LMS/HSS.
    LMS "lms_parameters.csv"
    /// Parameter sets of XMSS and XMSS^MT.
    XMSS "xmss_parameters.csv"
    /// Bytes of whole connections.
    TLS_BYTES "tls_bytes.csv"
    /// Heap and stack of a connection.
    TLS_MEMORY "tls_memory.csv"
    /// Connections a second.
    TLS_BENCH "tls_bench.csv"
    /// KEMs as liboqs measures them.
    LIBOQS "liboqs_kem_speed.csv"
    /// KEMs, signatures and curves as wolfCrypt measures them.
    WOLFCRYPT "wolfcrypt_speed.csv"
    /// LMS/HSS, XMSS, SHA-256.
    HASH_BASED "hash_based_speed.csv"
    /// Sizes of `tls_bench`.
    BINARY_SIZES "binary_sizes.csv"
}

impl Source {
    /// Returns every row, cell by cell.
    ///
    /// # Errors
    /// If a row does not have `N` cells.
    pub fn rows<const N: usize>(&self) -> Result<Vec<[&'static str; N]>> {
        let lines = self.text.lines().filter(|line| !line.starts_with('#')).skip(1);
        let row = |line: &'static str| {
            let cells: Vec<_> = line.split(',').collect();
            let found = cells.len();
            let row = cells.try_into().ok();
            row.with_context(|| format!("{}: {found} cells in `{line}`, expected {N}", self.name))
        };
        lines.map(row).collect()
    }
}

/// Parses a cell as a number.
///
/// # Errors
/// If the cell is not a number.
pub fn number(cell: &str) -> Result<f64> {
    cell.parse().with_context(|| format!("`{cell}` is no number"))
}

/// Returns the TCP payload in bytes of a mutually authenticated connection with two messages.
///
/// All arguments are spelled as in the appendix: `TLS_AES_256_GCM_SHA384`, `RSA 2048 bit`,
/// `P521_KYBER_LEVEL5`.
///
/// ```
/// use oaklath_lab::published::tls_bytes;
///
/// let bytes = tls_bytes("TLS_AES_256_GCM_SHA384", "RSA 2048 bit", "P521_KYBER_LEVEL5");
/// assert_eq!(bytes, Some(8467));
/// ```
#[must_use]
pub fn tls_bytes(suite: &str, authentication: &str, group: &str) -> Option<u64> {
    let rows = TLS_BYTES.rows::<4>().ok()?;
    rows.iter().find(|row| row[..3] == [suite, authentication, group])?[3].parse().ok()
}

/// A published speed of a hash-based signature, or of SHA-256.
#[derive(Clone, Copy, Debug)]
pub struct HashBased {
    /// Hardware and build: `i7-8700; 1 thread`.
    pub setting: &'static str,
    /// `LMS/HSS L2_H10_W4`, `XMSS-SHA2_10_256`, `SHA-256`.
    pub set: &'static str,
    /// `sign`, `verify` or `hash`.
    pub operation: &'static str,
    /// Operations a second; for SHA-256, MiB a second.
    pub per_second: f64,
}

/// Returns the speeds of hash-based signatures, in the order of the tables.
///
/// # Errors
/// If the file is damaged.
pub fn hash_based() -> Result<Vec<HashBased>> {
    let rows = HASH_BASED.rows::<4>()?.into_iter().map(|[setting, set, operation, speed]| {
        let per_second = number(speed)?;
        ensure!(per_second > 0.0, "{setting} {set} {operation}: {speed} a second");
        Ok(HashBased { setting, set, operation, per_second })
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_has_its_rows() {
        let rows =
            |source: &Source| source.text.lines().filter(|line| !line.starts_with('#')).count() - 1;
        let counts: Vec<_> = ALL.iter().map(rows).collect();
        assert_eq!(counts, [40, 10, 11, 49, 72, 126, 18, 60, 84, 2]);
    }

    #[test]
    fn a_damaged_row_is_an_error() {
        let source = Source { name: "test", text: "# note\na,b\n1,2\n3\n" };
        let error = source.rows::<2>().unwrap_err().to_string();
        assert_eq!(error, "test: 1 cells in `3`, expected 2");
    }

    #[test]
    fn what_was_not_published_is_none() {
        const SUITE: &str = "TLS_AES_256_GCM_SHA384";
        for [suite, authentication, group, bytes] in TLS_BYTES.rows().unwrap() {
            assert_eq!(tls_bytes(suite, authentication, group), Some(bytes.parse().unwrap()));
        }
        assert_eq!(tls_bytes(SUITE, "RSA 2048 bit", "X25519MLKEM768"), None);
        assert_eq!(tls_bytes(SUITE, "ECDSA P-256", "SECP256R1"), None);
    }

    #[test]
    fn settings_of_hash_based_signatures() {
        let rows = hash_based().unwrap();
        for setting in ["i7-8700; 1 thread", "i7-8700; 4 threads", "Apple M1; SHA-256 assembly"] {
            assert!(rows.iter().any(|row| row.setting == setting), "{setting}");
        }
    }
}
