//! The choices when a key is written: the form of its file, and its object identifier.

use std::fmt;

/// The form of a private key in PKCS#8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Form {
    /// `[0]` and the seed: RFC 9881, RFC 9935.
    Seed,
    /// An OCTET STRING of the expanded key: RFC 9881, RFC 9935.
    Expanded,
    /// A SEQUENCE of seed and expanded key: RFC 9881, RFC 9935.
    Both,
    /// An OCTET STRING of private key and public key: the appendix, oqs-provider.
    Oqs,
    /// The bytes of the (expanded) private key without further structure: RFC 9909.
    Bare,
    /// The bytes of the seed without further structure.
    BareSeed,
    /// A SEQUENCE of 0, f, g, F and a SEQUENCE of h, for Falcon only: Bouncy Castle.
    Parts,
}

impl Form {
    /// All forms.
    pub const ALL: [Self; 7] = [
        Self::Seed,
        Self::Expanded,
        Self::Both,
        Self::Oqs,
        Self::Bare,
        Self::BareSeed,
        Self::Parts,
    ];

    /// Returns the form as a word: `seed`, `expanded`, `both`, `oqs`, `bare`, `bare-seed`, `parts`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Seed => "seed",
            Self::Expanded => "expanded",
            Self::Both => "both",
            Self::Oqs => "oqs",
            Self::Bare => "bare",
            Self::BareSeed => "bare-seed",
            Self::Parts => "parts",
        }
    }

    /// Returns the form with this name.
    ///
    /// ```
    /// use oaklath_pki::Form;
    /// assert_eq!(Form::by_name("both"), Some(Form::Both));
    /// ```
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|form| form.as_str() == name)
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The choice of a key's object identifier if its algorithm has several, as Falcon has.
///
/// ```
/// use oaklath_pki::{Identity, Profile};
///
/// let falcon = Identity::by_name("Falcon-512").unwrap();
/// let old = falcon.in_profile(Profile::Appendix)?;
/// assert_eq!((falcon.oid().as_str(), old.oid().as_str()), ("1.3.9999.3.11", "1.3.9999.3.1"));
/// # Ok::<(), oaklath_pki::KeyError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// The preferred one for new keys.
    Current,
    /// The one of wolfSSL's appendix.
    Appendix,
}

impl Profile {
    /// All profiles.
    pub const ALL: [Self; 2] = [Self::Current, Self::Appendix];

    /// Returns the profile with this name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|profile| profile.as_str() == name)
    }

    /// Returns the profile's name: `current`, `appendix`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Current => "current",
            Self::Appendix => "appendix",
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
