//! The errors of an exchange ([`Error`]), and of choosing a group ([`Unavailable`]).

use alloc::string::String;
use core::fmt;

use oaklath_params::curve::CurveInfo;
use oaklath_params::group::GroupInfo;

/// Why an exchange failed. [`Error::Random`] and [`Error::Backend`] are faults of this side,
/// [`Error::NotHybrid`] is a bug in the program; the other errors are caused by the peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// A share has the wrong length, in bytes.
    ShareLength {
        /// The length that the group requires.
        expected: usize,
        /// The length of the share that was received.
        found: usize,
    },
    /// A point is not in uncompressed form (RFC 8446, section 4.2.8.2): its first byte is not 4.
    PointFormat {
        /// The first byte of the point that was received.
        found: u8,
    },
    /// A point is not on its curve, or its coordinates are not field elements.
    PointNotOnCurve,
    /// The classical secret is all zero: the peer sent a point of small order (RFC 7748, section
    /// 6.1).
    ZeroSecret,
    /// The KEM rejected the peer's encapsulation key or ciphertext.
    Kem(oaklath_kem::Error),
    /// The group has no classical half.
    NotHybrid,
    /// The source of randomness failed, or its output never was a private key.
    Random,
    /// An implementation of the classical half failed for an internal reason, or a new key of the
    /// KEM does not work.
    Backend,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ShareLength { expected, found } => {
                write!(f, "key share: expected {expected} bytes, found {found}")
            }
            Self::PointFormat { found } => {
                write!(f, "key share: expected an uncompressed point (first byte 4), found {found}")
            }
            Self::PointNotOnCurve => {
                f.write_str("key share: expected a point on the curve, found none")
            }
            Self::ZeroSecret => {
                f.write_str("key share: expected a point of large order, found one of small order")
            }
            Self::Kem(error) => error.fmt(f),
            Self::NotHybrid => f.write_str("expected a hybrid group, found a KEM alone"),
            Self::Random => f.write_str("expected random bytes, found a failing generator"),
            Self::Backend => f.write_str("the implementation of the curve failed"),
        }
    }
}

impl core::error::Error for Error {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Kem(error) => Some(error),
            _ => None,
        }
    }
}

impl From<oaklath_kem::Error> for Error {
    fn from(error: oaklath_kem::Error) -> Self {
        match error {
            // A fault of this side, not of the peer.
            oaklath_kem::Error::Fault => Self::Backend,
            error => Self::Kem(error),
        }
    }
}

/// Why a group is not available.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unavailable {
    /// No group has this name.
    UnknownName {
        /// The name that was requested.
        name: String,
        /// A similar name of a group.
        suggestion: Option<&'static str>,
    },
    /// The crate was built without the feature of the group's KEM.
    NotCompiled(&'static GroupInfo),
    /// The crate was built without an implementation of the group's curve.
    NoCurve(&'static GroupInfo),
    /// The given implementation is for another curve.
    WrongCurve {
        /// The group.
        group: &'static GroupInfo,
        /// The curve of the implementation.
        found: &'static CurveInfo,
    },
}

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownName { name, suggestion: Some(near) } => {
                write!(f, "expected the name of a group, found `{name}`; is it `{near}`?")
            }
            Self::UnknownName { name, suggestion: None } => {
                write!(f, "expected the name of a group, found `{name}`")
            }
            Self::NotCompiled(GroupInfo { name, kem, .. }) => {
                write!(f, "{name}: its KEM {} needs the cargo feature `{}`", kem.name, kem.feature)
            }
            Self::NoCurve(group) => write!(
                f,
                "{}: its curve {} needs the cargo feature `rustcrypto` or `aws-lc-rs`",
                group.name,
                group.curve.map_or("", |curve| curve.name)
            ),
            Self::WrongCurve { group, found } => write!(
                f,
                "{}: expected an implementation of {}, found one of {}",
                group.name,
                group.curve.map_or("no curve", |curve| curve.name),
                found.name
            ),
        }
    }
}

impl core::error::Error for Unavailable {}
