//! The builder, which adds groups chosen by name and our signatures to a base provider.

use std::fmt;
use std::sync::Arc;

use oaklath_hybrid::{Ecdh, Group, Unavailable};
use oaklath_params::Status;
use oaklath_params::curve::{self, CurveInfo};
use oaklath_params::group::{self, GroupInfo};
use rustls::NamedGroup;
use rustls::crypto::{CryptoProvider, SupportedKxGroup};

use crate::base::{self, BaseEcdh};
use crate::group::KxGroup;
use crate::lock::{self, Lock};
use crate::pool::KeySharePool;
use crate::sign::KeyLoader;
use crate::verify;

/// The standard hybrids in order of preference: those that most peers have come first. In a hybrid
/// a broken KEM costs nothing; KEMs alone are therefore offered only by name.
const STANDARD: &[&GroupInfo] =
    &[&group::X25519MLKEM768, &group::SECP256R1MLKEM768, &group::SECP384R1MLKEM1024];

/// A builder that adds post-quantum groups and signatures to a base provider.
///
/// The provider has every signature algorithm of this build that is not locked: the standard ones
/// before the base's own, round-3 ones after them. Their keys load from PKCS#8. If the base has the
/// same signature scheme, ours is used.
///
/// [`Builder::build`] leaks its tables, a few kilobytes, because rustls requires `&'static`
/// references: build once per process and clone the result.
#[derive(Clone, Debug)]
pub struct Builder {
    base: CryptoProvider,
    groups: Option<Vec<String>>,
    allow_legacy: bool,
    low_memory: bool,
    post_quantum_only: bool,
}

impl Builder {
    /// Starts from `base`. Without further calls the result has the hybrid groups of status
    /// `Standard`, X25519MLKEM768 first, then the classical groups of the base; pure ML-KEM is
    /// included only if [`groups`](Self::groups) names it.
    #[must_use]
    pub fn new(base: CryptoProvider) -> Self {
        let (allow_legacy, low_memory, post_quantum_only) = (false, false, false);
        Self { base, groups: None, allow_legacy, low_memory, post_quantum_only }
    }

    /// Chooses exactly these groups, in a client's order of preference. A server takes the first of
    /// the client's groups that it has; with [`ServerOrder`](crate::ServerOrder) it uses its own
    /// order.
    ///
    /// A name may be of any vocabulary, in upper or lower case, or a number: `X25519MLKEM768`,
    /// `p521_kyber1024`, `12093`, `0x2f3d`. Names of classical groups (`secp256r1`, `P-256`,
    /// `X25519`, `29`) mean groups of the base.
    ///
    /// ```
    /// # use oaklath_tls::{BuildError, Builder, default_base};
    /// let provider = Builder::new(default_base()).groups(["mlkem1024", "4587", "P-256"]).build()?;
    /// let codepoints: Vec<u16> = provider.kx_groups.iter().map(|g| g.name().into()).collect();
    /// assert_eq!(codepoints, [514, 4587, 23]);
    ///
    /// let error = Builder::new(default_base()).groups(["X25519MLKEM786"]).build().unwrap_err();
    /// assert!(matches!(error, BuildError::UnknownGroup { .. }));
    /// # Ok::<(), oaklath_tls::BuildError>(())
    /// ```
    #[must_use]
    pub fn groups<I>(mut self, names: I) -> Self
    where
        I: IntoIterator,
        I::Item: AsRef<str>,
    {
        self.groups = Some(names.into_iter().map(|name| name.as_ref().to_owned()).collect());
        self
    }

    /// Permits round-3 algorithms: the second lock, besides the cargo features of their families,
    /// all of which are `legacy`. Groups may then be named in [`Builder::groups`]; none is added by
    /// default. Signatures are offered after all others and verified, and their keys load.
    #[must_use]
    pub fn allow_legacy(mut self) -> Self {
        self.allow_legacy = true;
        self
    }

    /// Leaves classical groups out, so that a peer without post-quantum key exchange is rejected.
    /// Naming one in [`groups`](Self::groups) is then an error.
    ///
    /// ```
    /// # use oaklath_tls::{Builder, default_base};
    /// let provider = Builder::new(default_base()).post_quantum_only().build()?;
    /// let codepoints: Vec<u16> = provider.kx_groups.iter().map(|g| g.name().into()).collect();
    /// assert_eq!(codepoints, [4588, 4587, 4589]);
    /// # Ok::<(), oaklath_tls::BuildError>(())
    /// ```
    #[must_use]
    pub fn post_quantum_only(mut self) -> Self {
        self.post_quantum_only = true;
        self
    }

    /// Keeps our private keys in their encoded form instead of expanding them once for all
    /// signatures: a key of ML-DSA-65 then takes 4 kilobytes instead of 60, one of Falcon-1024 2
    /// instead of 140, and signing needs less stack but two to three times as long. Nor are
    /// recurring public keys kept prepared, as the last four of each algorithm otherwise are. This
    /// is for machines with little memory, and for servers with many keys. Signatures are the same.
    ///
    /// ```
    /// # use oaklath_pki::{Identity, PrivateKey};
    /// # use oaklath_tls::{Builder, default_base};
    /// # use rustls::pki_types::PrivateKeyDer;
    /// let provider = Builder::new(default_base()).low_memory().build()?;
    /// # let algorithm = Identity::by_name("ML-DSA-65").ok_or("unknown")?;
    /// # let key = PrivateKey::generate(algorithm)?.to_der(algorithm.standard_form())?;
    /// # let key = PrivateKeyDer::try_from(key.to_vec())?;
    /// let key = provider.key_provider.load_private_key(key)?; // as a configuration would
    /// # assert!(key.public_key().is_some());
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    #[must_use]
    pub fn low_memory(mut self) -> Self {
        self.low_memory = true;
        self
    }

    /// Returns the provider: the base with the chosen groups, and with our signatures.
    ///
    /// # Errors
    /// [`BuildError`] names the first group that is unknown, locked, unavailable, repeated or, if
    /// classical groups are excluded, classical.
    pub fn build(self) -> Result<CryptoProvider, BuildError> {
        // Dropping the pool leaves the group without ready shares.
        self.build_with_shares(0).map(|(provider, _)| provider)
    }

    /// Returns the provider and a pool of up to `capacity` ready key shares (one more, if that is
    /// odd) of its first group, of which a client sends a share. The pool is empty until
    /// [`KeySharePool::refill`] is called; [`KeySharePool`] documents what ready shares mean for
    /// the secrecy of connections.
    ///
    /// ```
    /// # use oaklath_tls::{Builder, default_base};
    /// let (provider, pool) = Builder::new(default_base()).build_pooled(64)?;
    /// pool.refill()?; // before the first connection, and when there is time
    /// let hello = provider.kx_groups[0].start()?; // as a client of rustls does
    /// assert_eq!(pool.ready(), 63);
    /// # assert_eq!(hello.pub_key().len(), 1216);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`build`](Self::build); [`BuildError::Classical`] if the first group is the base's.
    pub fn build_pooled(
        self,
        capacity: usize,
    ) -> Result<(CryptoProvider, KeySharePool), BuildError> {
        let (provider, pool) = self.build_with_shares(capacity)?;
        let classical = || match provider.kx_groups.first() {
            Some(group) => BuildError::Classical { name: format!("{:?}", group.name()) },
            None => BuildError::NoGroups,
        };
        let pool = pool.ok_or_else(classical)?;
        Ok((provider, pool))
    }

    /// Returns the provider, and the pool of its first group if that group is ours.
    fn build_with_shares(
        self,
        capacity: usize,
    ) -> Result<(CryptoProvider, Option<KeySharePool>), BuildError> {
        let chosen = match &self.groups {
            Some(names) => self.by_name(names)?,
            None => self.by_default(),
        };
        let mut kx_groups = Vec::<&'static dyn SupportedKxGroup>::with_capacity(chosen.len());
        let (random, mut first) = (self.base.secure_random, None);
        for group in chosen {
            kx_groups.push(match group {
                Chosen::Ours(info) => {
                    let group = self.group(info)?;
                    let pool = KeySharePool::new(group, random, capacity);
                    let ready = Arc::downgrade(pool.shares());
                    first = first.or_else(|| kx_groups.is_empty().then_some(pool));
                    Box::leak(Box::new(KxGroup { group, random, ready }))
                }
                Chosen::Base(group) => group,
            });
        }
        let Self { allow_legacy, low_memory, .. } = self;
        let keys = KeyLoader { base: self.base.key_provider, random, allow_legacy, low_memory };
        let algorithms = self.base.signature_verification_algorithms;
        let provider = CryptoProvider {
            kx_groups,
            signature_verification_algorithms: verify::layer(algorithms, allow_legacy, low_memory),
            key_provider: Box::leak(Box::new(keys)),
            ..self.base
        };
        Ok((provider, first))
    }

    fn by_default(&self) -> Vec<Chosen> {
        let ours = || STANDARD.iter().copied().filter(|info| lock(info, false).is_none());
        let replaced = |codepoint| ours().any(|info| info.codepoint == codepoint);
        let bases = self.base.kx_groups.iter().copied().filter(|kx| {
            let codepoint = kx.name().into();
            match group::by_codepoint(codepoint) {
                None => !self.post_quantum_only,
                Some(info) => info.curve.is_some() && !replaced(codepoint),
            }
        });
        ours().map(Chosen::Ours).chain(bases.map(Chosen::Base)).collect()
    }

    fn by_name(&self, names: &[String]) -> Result<Vec<Chosen>, BuildError> {
        let mut chosen = Vec::<Chosen>::with_capacity(names.len());
        for name in names {
            let group = self.find(name)?;
            if self.post_quantum_only && group::by_codepoint(group.codepoint()).is_none() {
                return Err(BuildError::Classical { name: name.clone() });
            }
            if chosen.iter().any(|other| other.codepoint() == group.codepoint()) {
                let codepoint = group.codepoint();
                return Err(BuildError::Duplicate { name: name.clone(), codepoint });
            }
            chosen.push(group);
        }
        if chosen.is_empty() { Err(BuildError::NoGroups) } else { Ok(chosen) }
    }

    fn find(&self, name: &str) -> Result<Chosen, BuildError> {
        if let Some(info) = group::by_name(name) {
            return match lock(info, self.allow_legacy) {
                Some(locked) => Err(locked),
                None => Ok(Chosen::Ours(info)),
            };
        }
        if let Some(curve) = curve::by_name(name) {
            let found = base::find(&self.base, curve.codepoint).map(Chosen::Base);
            return found.ok_or_else(|| BuildError::NotInBase {
                name: name.to_owned(),
                base: self.base.kx_groups.iter().map(|group| group.name()).collect(),
            });
        }
        // Other groups that a base may have: FFDHE groups, and curves that the table does not list.
        let mut bases = self.base.kx_groups.iter().copied();
        let found = bases.find(|group| is_called(group.name(), name)).map(Chosen::Base);
        found.ok_or_else(|| self.unknown(name))
    }

    fn unknown(&self, name: &str) -> BuildError {
        let ours = oaklath_hybrid::all().map(|group| group.info());
        let ours = ours.filter(|info| self.allow_legacy || info.status != Status::Legacy);
        let ours = ours.map(|info| info.name.to_owned());
        let bases = self.base.kx_groups.iter().map(|group| format!("{:?}", group.name()));
        let mut known: Vec<_> = ours.collect();
        known.extend(bases.filter(|name| group::by_name(name).is_none()));
        BuildError::UnknownGroup { name: name.to_owned(), suggestion: group::suggest(name), known }
    }

    /// Returns our group of this row, with the base's curve as classical half if it has it.
    fn group(&self, info: &'static GroupInfo) -> Result<Group, BuildError> {
        let of_base = info.curve.and_then(|curve| {
            base::find(&self.base, curve.codepoint).map(|group| BaseEcdh { curve, group })
        });
        let group = match of_base {
            Some(ecdh) => Group::with_ecdh(info, Box::leak(Box::new(ecdh))),
            None => match info.curve.and_then(of_no_base) {
                Some(ecdh) => Group::with_ecdh(info, ecdh),
                None => Group::new(info),
            },
        };
        group.map_err(BuildError::Unavailable)
    }
}

/// Returns the fast implementation, if this build has one, of a curve that no base has (P-521).
#[cfg(feature = "aws-lc-rs")]
fn of_no_base(curve: &CurveInfo) -> Option<&'static dyn Ecdh> {
    oaklath_hybrid::aws_lc::own_generator(curve)
}

#[cfg(not(feature = "aws-lc-rs"))]
fn of_no_base(_: &CurveInfo) -> Option<&'static dyn Ecdh> {
    None
}

/// The group that a name means.
#[derive(Clone, Copy)]
enum Chosen {
    Ours(&'static GroupInfo),
    Base(&'static dyn SupportedKxGroup),
}

impl Chosen {
    fn codepoint(&self) -> u16 {
        match self {
            Self::Ours(info) => info.codepoint,
            Self::Base(group) => group.name().into(),
        }
    }
}

/// Returns the error of the first lock that applies to a group, if any.
fn lock(info: &'static GroupInfo, allowed: bool) -> Option<BuildError> {
    lock::lock(info.kem.feature, info.status, allowed).map(|lock| match lock {
        Lock::NotCompiled => BuildError::Unavailable(Unavailable::NotCompiled(info)),
        Lock::NotAllowed => BuildError::LegacyNotAllowed(info),
    })
}

/// Reports whether `text` is rustls' name of `group` or its number.
fn is_called(group: NamedGroup, text: &str) -> bool {
    let number = match text.strip_prefix("0x") {
        Some(digits) => u16::from_str_radix(digits, 16),
        None => text.parse(),
    };
    number.is_ok_and(|number| number == u16::from(group))
        || format!("{group:?}").eq_ignore_ascii_case(text)
}

/// The reason why [`Builder::build`] fails.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BuildError {
    /// [`Builder::groups`] was given no name.
    NoGroups,
    /// Neither the table nor the base has a group of this name.
    UnknownGroup {
        /// The name that was requested.
        name: String,
        /// A similar name that exists.
        suggestion: Option<&'static str>,
        /// The names that are accepted.
        known: Vec<String>,
    },
    /// A round-3 group without [`Builder::allow_legacy`].
    LegacyNotAllowed(&'static GroupInfo),
    /// This build has no code for the group.
    Unavailable(Unavailable),
    /// A classical group that the base does not have.
    NotInBase {
        /// The name that was requested.
        name: String,
        /// The groups that the base has.
        base: Vec<NamedGroup>,
    },
    /// A classical group is in the list although [`Builder::post_quantum_only`] is asked for, or is
    /// its first and [`Builder::build_pooled`] needs one of ours.
    Classical {
        /// The name that was asked for, or rustls' name.
        name: String,
    },
    /// A group is in the list twice.
    Duplicate {
        /// The second name of the group in the list.
        name: String,
        /// The group's codepoint.
        codepoint: u16,
    },
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoGroups => f.write_str("expected at least one group, found an empty list"),
            Self::UnknownGroup { name, suggestion: Some(near), .. } => {
                write!(f, "expected the name of a group, found `{name}`; is it `{near}`?")
            }
            Self::UnknownGroup { name, known, suggestion: None } => {
                write!(f, "expected one of {}, found `{name}`", known.join(", "))
            }
            Self::LegacyNotAllowed(info) => write!(
                f,
                "{}: its KEM {} is a round-3 algorithm, which needs `Builder::allow_legacy`",
                info.name, info.kem.name
            ),
            Self::Unavailable(unavailable) => unavailable.fmt(f),
            Self::NotInBase { name, base } => {
                write!(f, "expected a group of the base provider, one of {base:?}, found `{name}`")
            }
            Self::Classical { name } => {
                write!(f, "expected a post-quantum group, found the classical `{name}`")
            }
            Self::Duplicate { name, codepoint } => {
                write!(f, "expected each group once, found `{name}` ({codepoint}) again")
            }
        }
    }
}

impl std::error::Error for BuildError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standard_list_is_the_standard_hybrids_of_the_table() {
        let rows = group::ALL.iter().filter(|g| g.status == Status::Standard && g.curve.is_some());
        let rows: Vec<_> = rows.collect();
        assert_eq!(rows.len(), STANDARD.len());
        assert!(rows.iter().all(|row| STANDARD.contains(row)));
    }

    #[test]
    fn legacy_has_two_locks() {
        let info = &group::P521_KYBER_LEVEL5;
        assert_eq!(lock(info, false), Some(BuildError::LegacyNotAllowed(info)));
        assert_eq!(lock(info, true), None);
        let not_compiled = BuildError::Unavailable(Unavailable::NotCompiled(info));
        assert!(not_compiled.to_string().contains("the cargo feature `kyber`"));
        for allowed in [false, true] {
            let status = Status::Legacy;
            assert_eq!(
                lock::lock("a feature of no crate", status, allowed),
                Some(Lock::NotCompiled)
            );
        }
        for info in STANDARD {
            assert_eq!(lock(info, false), None);
        }
    }
}
