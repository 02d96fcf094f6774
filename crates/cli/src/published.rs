//! Figures that others published, to stand beside ours.

/// Rows `cipher suite, authentication, group, bytes`; lines with `#` name the source.
const TLS_BYTES: &str = include_str!("../data/tls_bytes.csv");

/// Total TCP payload, in bytes, that wolfSSL's appendix gives for a mutually authenticated
/// connection with one message each way.
///
/// All arguments are spelled as the appendix does: `TLS_AES_256_GCM_SHA384`, `RSA 2048 bit`,
/// `P521_KYBER_LEVEL5`.
pub(crate) fn tls_bytes(suite: &str, authentication: &str, group: &str) -> Option<u64> {
    rows().find(|row| row[..3] == [suite, authentication, group])?[3].parse().ok()
}

/// The rows below the header.
fn rows() -> impl Iterator<Item = [&'static str; 4]> {
    let lines = TLS_BYTES.lines().filter(|line| !line.starts_with('#')).skip(1);
    lines.filter_map(|line| line.split(',').collect::<Vec<_>>().try_into().ok())
}

#[cfg(test)]
mod tests {
    use super::{rows, tls_bytes};

    const SUITE: &str = "TLS_AES_256_GCM_SHA384";

    #[test]
    fn every_row_is_found() {
        assert_eq!(rows().count(), 39);
        for [suite, authentication, group, bytes] in rows() {
            assert_eq!(tls_bytes(suite, authentication, group), Some(bytes.parse().unwrap()));
        }
    }

    #[test]
    fn what_was_not_published_is_none() {
        assert_eq!(tls_bytes(SUITE, "RSA 2048 bit", "P521_KYBER_LEVEL5"), Some(8467));
        assert_eq!(tls_bytes(SUITE, "RSA 2048 bit", "X25519MLKEM768"), None);
        assert_eq!(tls_bytes(SUITE, "ECDSA P-256", "SECP256R1"), None);
    }
}
