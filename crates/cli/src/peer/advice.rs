//! Advice for the user on a connection that failed.

use std::io;

use rustls::{AlertDescription, CertificateError, Error, InvalidMessage, PeerIncompatible};

use crate::failure::with_hint;

/// Adds advice to `error`, if there is any.
pub(crate) fn explained(error: anyhow::Error) -> anyhow::Error {
    match advice(&error) {
        Some(hint) => with_hint(error, hint),
        None => error,
    }
}

fn advice(error: &anyhow::Error) -> Option<&'static str> {
    let io = error.chain().find_map(|cause| cause.downcast_ref::<io::Error>());
    let is_late = io.is_some_and(|error| error.kind() == io::ErrorKind::TimedOut);
    match tls_error(error) {
        None if is_late => Some("`--timeout` waits longer"),
        error => error.and_then(hint),
    }
}

/// Returns the TLS error inside an I/O error, as rustls passes it on.
fn tls_error(error: &anyhow::Error) -> Option<&Error> {
    error.chain().find_map(|cause| {
        let inner = cause.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        inner.and_then(|inner| inner.downcast_ref()).or_else(|| cause.downcast_ref())
    })
}

fn hint(error: &Error) -> Option<&'static str> {
    use AlertDescription as Alert;
    match error {
        Error::PeerIncompatible(
            PeerIncompatible::NoKxGroupsInCommon
            | PeerIncompatible::NoCipherSuitesInCommon
            | PeerIncompatible::KeyShareExtensionRequired
            | PeerIncompatible::NamedGroupsExtensionRequired,
        )
        | Error::AlertReceived(Alert::HandshakeFailure | Alert::InsufficientSecurity) => {
            Some("give both sides the same `--pqc` and `-l`")
        }
        Error::PeerIncompatible(
            PeerIncompatible::Tls12NotOffered
            | PeerIncompatible::Tls12NotOfferedOrEnabled
            | PeerIncompatible::SupportedVersionsExtensionRequired
            | PeerIncompatible::ServerDoesNotSupportTls12Or13
            | PeerIncompatible::ServerTlsVersionIsDisabledByOurConfig,
        )
        | Error::AlertReceived(Alert::ProtocolVersion) => Some("give both sides the same `-v`"),
        Error::PeerIncompatible(
            PeerIncompatible::NoSignatureSchemesInCommon
            | PeerIncompatible::NoCertificateRequestSignatureSchemesInCommon,
        ) => Some("the peer verifies no signatures of our key: `-c` and `-k` take another"),
        Error::InvalidMessage(InvalidMessage::HandshakePayloadTooLarge) => Some(
            "a message of over 64 KiB, as only certificates are: let the peer send its own alone",
        ),
        Error::InvalidCertificate(CertificateError::UnknownIssuer) => {
            Some("name the issuer of the peer's certificate with `-A`")
        }
        Error::InvalidCertificate(
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
        ) => Some("connect by a name of the server's certificate, or give one with `--name`"),
        Error::AlertReceived(
            Alert::UnknownCA
            | Alert::BadCertificate
            | Alert::CertificateUnknown
            | Alert::DecryptError,
        ) => Some("the peer does not trust our certificate: see its `-A` and our `-c`"),
        Error::NoCertificatesPresented | Error::AlertReceived(Alert::CertificateRequired) => {
            Some("a client needs a certificate here, unless the server runs with `-d`")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_peers_and_long_certificates_have_a_hint() {
        let of = |error: io::Error| advice(&anyhow::Error::new(error).context("the handshake"));
        let too_long = Error::InvalidMessage(InvalidMessage::HandshakePayloadTooLarge);
        assert!(of(io::Error::other(too_long)).is_some_and(|hint| hint.contains("over 64 KiB")));
        assert_eq!(of(io::ErrorKind::TimedOut.into()), Some("`--timeout` waits longer"));
        assert_eq!(of(io::ErrorKind::ConnectionReset.into()), None);
    }
}
