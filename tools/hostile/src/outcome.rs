//! How an attack ends, as the attacker sees it on the wire.

use std::fmt;

/// What the victim did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    /// It sent this alert, fatal and alone, and gave up.
    Alert(u8),
    /// It waits for more.
    Waits,
    /// It completed the handshake.
    Connected,
    /// It gave up without a word.
    Closes,
    /// It sent several alerts, or one that is not fatal, or one without giving up.
    Babbles,
    /// It panicked.
    Panicked,
}

/// Defines the alerts: RFC 8446, section 6, and RFC 7301 for the last.
macro_rules! alerts {
    ($($id:ident $number:literal $name:literal)*) => {
        $(pub(crate) const $id: Outcome = Outcome::Alert($number);)*

        fn alert_name(number: u8) -> Option<&'static str> {
            match number {
                $($number => Some($name),)*
                _ => None,
            }
        }
    };
}

alerts! {
    UNEXPECTED_MESSAGE     10 "unexpected_message"
    BAD_RECORD_MAC         20 "bad_record_mac"
    RECORD_OVERFLOW        22 "record_overflow"
    HANDSHAKE_FAILURE      40 "handshake_failure"
    BAD_CERTIFICATE        42 "bad_certificate"
    UNSUPPORTED_CERTIFICATE 43 "unsupported_certificate"
    CERTIFICATE_EXPIRED    45 "certificate_expired"
    CERTIFICATE_UNKNOWN    46 "certificate_unknown"
    ILLEGAL_PARAMETER      47 "illegal_parameter"
    UNKNOWN_CA             48 "unknown_ca"
    DECODE_ERROR           50 "decode_error"
    DECRYPT_ERROR          51 "decrypt_error"
    PROTOCOL_VERSION       70 "protocol_version"
    MISSING_EXTENSION     109 "missing_extension"
    UNSUPPORTED_EXTENSION 110 "unsupported_extension"
    CERTIFICATE_REQUIRED  116 "certificate_required"
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Alert(number) => match alert_name(*number) {
                Some(name) => f.write_str(name),
                None => write!(f, "alert {number}"),
            },
            Self::Waits => f.write_str("waits"),
            Self::Connected => f.write_str("connected"),
            Self::Closes => f.write_str("closes silently"),
            Self::Babbles => f.write_str("more than one fatal alert"),
            Self::Panicked => f.write_str("PANIC"),
        }
    }
}
