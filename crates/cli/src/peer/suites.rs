//! Names of cipher suites, as IANA and wolfSSL spell them.

use anyhow::{Result, anyhow, ensure};
use rustls::crypto::CryptoProvider;
use rustls::{CipherSuite, SupportedCipherSuite};

use crate::failure::with_hint;

/// Returns the suites with these names, in the same order.
pub(crate) fn choose(
    provider: &CryptoProvider,
    names: &[String],
) -> Result<Vec<SupportedCipherSuite>> {
    let mut chosen = Vec::<SupportedCipherSuite>::with_capacity(names.len());
    for name in names {
        let found = provider.cipher_suites.iter().find(|suite| is_called(suite.suite(), name));
        let Some(&suite) = found else {
            let error = anyhow!("no cipher suite is called `{name}`");
            return Err(with_hint(error, "`oaklath server -e` lists them"));
        };
        ensure!(!chosen.contains(&suite), "cipher suite `{name}` is in the list twice");
        chosen.push(suite);
    }
    Ok(chosen)
}

/// Returns IANA's name: `TLS_AES_256_GCM_SHA384`.
pub(crate) fn name(suite: CipherSuite) -> String {
    format!("{suite:?}").replacen("TLS13_", "TLS_", 1)
}

/// Reports whether `text` names the suite: `TLS_AES_256_GCM_SHA384`, `TLS13-AES256-GCM-SHA384`,
/// `ECDHE-RSA-AES256-GCM-SHA384`, `ECDHE-RSA-CHACHA20-POLY1305`.
fn is_called(suite: CipherSuite, text: &str) -> bool {
    let text = folded(text);
    let iana = folded(&name(suite));
    // For TLS 1.2, wolfSSL omits TLS and WITH, and the hash of ChaCha20-Poly1305.
    let short = iana.replacen("tls", "", 1).replacen("with", "", 1);
    let shorter = short.strip_suffix("sha256").filter(|short| short.ends_with("poly1305"));
    let is_tls13 = format!("{suite:?}").starts_with("TLS13_");
    text == iana
        || (is_tls13 && text.strip_prefix("tls13") == Some(&short))
        || (!is_tls13 && (text == short || Some(&*text) == shorter))
}

/// Returns only the letters and digits, in lower case.
fn folded(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings() {
        for (suite, names) in [
            (
                CipherSuite::TLS13_AES_256_GCM_SHA384,
                ["TLS_AES_256_GCM_SHA384", "TLS13-AES256-GCM-SHA384"],
            ),
            (
                CipherSuite::TLS13_CHACHA20_POLY1305_SHA256,
                ["TLS_CHACHA20_POLY1305_SHA256", "TLS13-CHACHA20-POLY1305-SHA256"],
            ),
            (
                CipherSuite::TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
                ["TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "ECDHE-RSA-AES256-GCM-SHA384"],
            ),
            (
                CipherSuite::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
                ["TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305"],
            ),
        ] {
            assert_eq!(name(suite), names[0]);
            for name in names {
                assert!(is_called(suite, name), "{name}");
            }
            assert!(!is_called(suite, "TLS_AES_128_GCM_SHA256"));
            assert!(!is_called(suite, ""));
        }
        assert!(!is_called(CipherSuite::TLS13_AES_256_GCM_SHA384, "AES256-GCM-SHA384"));
    }
}
