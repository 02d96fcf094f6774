//! Algorithms under object identifiers, and whether this build has them.

use std::fmt;

use oaklath_kem::Kem;
use oaklath_params::kem::{self, KemInfo};
use oaklath_params::sig::{self, SigIdentity, Vocabulary};
use oaklath_params::stateful::{self, StatefulScheme};
use oaklath_params::{Oid, PrivateKeyFormat, Status};
use oaklath_sig::Signature;
use x509_cert::der::asn1::ObjectIdentifier;
use x509_cert::spki::AlgorithmIdentifier;

use crate::error::KeyError;
use crate::form::{Form, Profile};
use crate::write::{object_identifier, sequence};

/// An algorithm under one object identifier.
///
/// ```
/// use oaklath_pki::Identity;
///
/// let falcon = Identity::by_name("1.3.9999.3.1").unwrap();
/// assert_eq!((falcon.name(), falcon.vocabulary()), ("Falcon-512", "appendix"));
/// // The algorithm's name selects the identity preferred for new keys.
/// assert_eq!(Identity::by_name("Falcon-512").unwrap().oid().as_str(), "1.3.9999.3.11");
/// assert_eq!(Identity::by_name("Kyber512"), None); // has no object identifier
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    oid: Oid,
    private_key: PrivateKeyFormat,
    algorithm: Algorithm,
}

/// The row of the table behind an [`Identity`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Algorithm {
    /// A signature scheme under one of its object identifiers.
    Sig(&'static SigIdentity),
    /// A key encapsulation mechanism.
    Kem(&'static KemInfo),
    /// A stateful signature scheme. The public key contains the parameter set, and a store keeps
    /// private keys.
    Stateful(&'static StatefulScheme),
}

impl Identity {
    /// Returns every identity of the table, compiled or not, except those of
    /// [`stateful`](Self::stateful) schemes. Keys of each identity have one length, and can be
    /// written.
    pub fn all() -> impl Iterator<Item = Self> {
        let sigs = sig::IDENTITIES.iter().map(|id| Self::of_sig(id));
        sigs.chain(kem::ALL.iter().filter_map(|info| Self::of_kem(info)))
    }

    /// Returns the identities of stateful schemes: RFC 9802. Their public keys are read and
    /// written, and verify; their private keys are kept by stores, and sign as an
    /// [`Issuer`](crate::Issuer).
    pub fn stateful() -> impl Iterator<Item = Self> {
        stateful::SCHEMES.iter().map(|scheme| Self::of_scheme(scheme))
    }

    /// Returns the identity with this dotted object identifier, or the preferred identity of the
    /// algorithm with this name in any vocabulary or this TLS signature scheme number.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        let exact = sig::by_oid(name).map(Self::of_sig);
        let sig = || sig::by_name(name)?.identities().next().map(Self::of_sig);
        let kem = || kem::by_name(name).and_then(Self::of_kem);
        let of_oid = || Self::stateful().find(|identity| identity.oid.as_str() == name);
        let stateful = || stateful::scheme_by_name(name).map(Self::of_scheme).or_else(of_oid);
        exact.or_else(sig).or_else(kem).or_else(stateful)
    }

    /// Returns the identity of the same algorithm in a profile.
    ///
    /// # Errors
    /// [`KeyError::NotInProfile`] if there is none.
    pub fn in_profile(self, profile: Profile) -> Result<Self, KeyError> {
        let fits = |identity: &Self| match profile {
            Profile::Current => true,
            Profile::Appendix => identity.vocabulary() == Profile::Appendix.as_str(),
        };
        // The preferred identity comes first.
        let mut identities = Self::every().filter(|identity| identity.name() == self.name());
        identities.find(fits).ok_or(KeyError::NotInProfile { name: self.name(), profile })
    }

    /// Returns the identity of an `AlgorithmIdentifier`.
    ///
    /// # Errors
    /// [`KeyError::UnsupportedAlgorithm`] if the table has no such object identifier,
    /// [`KeyError::IdentifierEncoding`] if it is not in DER, [`KeyError::Parameters`] if there are
    /// parameters: no algorithm of the table has any.
    pub fn of_algorithm<P>(algorithm: &AlgorithmIdentifier<P>) -> Result<Self, KeyError> {
        let identity = Self::of_oid(algorithm.oid)?;
        match algorithm.parameters {
            None => Ok(identity),
            Some(_) => Err(KeyError::Parameters { name: identity.name() }),
        }
    }

    /// Returns the identity of an object identifier. The DER reader accepts arcs with leading
    /// zeros, with which one structure would have several encodings: X.690, section 8.19.2.
    pub(crate) fn of_oid(oid: ObjectIdentifier) -> Result<Self, KeyError> {
        let same = |identity: &Self| oid.arcs().eq(identity.oid.arcs());
        let identity = Self::every().find(same).ok_or(KeyError::UnsupportedAlgorithm { oid })?;
        if identity.object_identifier() != oid {
            return Err(KeyError::IdentifierEncoding { name: identity.name() });
        }
        Ok(identity)
    }

    fn every() -> impl Iterator<Item = Self> {
        Self::all().chain(Self::stateful())
    }

    fn of_scheme(scheme: &'static StatefulScheme) -> Self {
        let private_key = PrivateKeyFormat::Raw;
        Self { oid: scheme.oid, private_key, algorithm: Algorithm::Stateful(scheme) }
    }

    fn of_sig(id: &'static SigIdentity) -> Self {
        Self { oid: id.oid, private_key: id.private_key, algorithm: Algorithm::Sig(id) }
    }

    fn of_kem(info: &'static KemInfo) -> Option<Self> {
        let (oid, private_key) = (info.oid?, info.private_key()?);
        Some(Self { oid, private_key, algorithm: Algorithm::Kem(info) })
    }

    /// Returns the row of the table.
    #[must_use]
    pub fn algorithm(self) -> Algorithm {
        self.algorithm
    }

    /// Returns the object identifier.
    #[must_use]
    pub fn oid(self) -> Oid {
        self.oid
    }

    /// Returns the preferred name of the algorithm.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self.algorithm {
            Algorithm::Sig(id) => id.algorithm.name,
            Algorithm::Kem(info) => info.name,
            Algorithm::Stateful(scheme) => scheme.name,
        }
    }

    /// Returns the origin of the object identifier: `standard`, `appendix` (OQS-OpenSSL of 2022) or
    /// `oqs` (current oqs-provider and wolfSSL).
    #[must_use]
    pub fn vocabulary(self) -> &'static str {
        match self.algorithm {
            Algorithm::Sig(id) => match id.vocabulary {
                Vocabulary::Appendix => "appendix",
                Vocabulary::Oqs => "oqs",
                _ => "standard",
            },
            Algorithm::Kem(_) | Algorithm::Stateful(_) => "standard",
        }
    }

    /// Returns NIST's security category, if all keys of the algorithm have the same.
    #[must_use]
    pub fn level(self) -> Option<u8> {
        match self.algorithm {
            Algorithm::Sig(id) => Some(id.algorithm.level),
            Algorithm::Kem(info) => Some(info.level),
            Algorithm::Stateful(_) => None,
        }
    }

    /// Returns the status of the specification.
    #[must_use]
    pub fn status(self) -> Status {
        match self.algorithm {
            Algorithm::Sig(id) => id.algorithm.status,
            Algorithm::Kem(info) => info.status,
            Algorithm::Stateful(_) => Status::Standard,
        }
    }

    /// Returns the length of a public key in bytes; 0 for a stateful scheme, whose keys differ.
    #[must_use]
    pub fn public_key_len(self) -> usize {
        match self.algorithm {
            Algorithm::Sig(id) => id.algorithm.public_key,
            Algorithm::Kem(info) => info.public_key,
            Algorithm::Stateful(_) => 0,
        }
    }

    /// Returns the length of an expanded private key in bytes; 0 for a stateful scheme.
    #[must_use]
    pub fn private_key_len(self) -> usize {
        match self.algorithm {
            Algorithm::Sig(id) => id.algorithm.secret_key,
            Algorithm::Kem(info) => info.secret_key,
            Algorithm::Stateful(_) => 0,
        }
    }

    /// Returns the length in bytes of the seed that PKCS#8 can hold instead of a private key, if
    /// any.
    #[must_use]
    pub fn seed_len(self) -> Option<usize> {
        match self.private_key {
            PrivateKeyFormat::Choice { seed } => Some(seed),
            _ => None,
        }
    }

    /// Returns the default form of a private key: the seed for ML-DSA and ML-KEM, the bare key for
    /// SLH-DSA, and that of OQS for the other identities.
    #[must_use]
    pub fn standard_form(self) -> Form {
        match self.private_key {
            PrivateKeyFormat::Choice { .. } => Form::Seed,
            PrivateKeyFormat::Raw => Form::Bare,
            _ => Form::Oqs,
        }
    }

    /// Returns the signature scheme, if this is one and this build has it.
    #[must_use]
    pub fn scheme(self) -> Option<&'static dyn Signature> {
        match self.algorithm {
            Algorithm::Sig(id) => oaklath_sig::by_identity(id),
            Algorithm::Kem(_) | Algorithm::Stateful(_) => None,
        }
    }

    /// Returns the key encapsulation mechanism, if this is one and this build has it.
    #[must_use]
    pub fn kem(self) -> Option<&'static dyn Kem> {
        match self.algorithm {
            Algorithm::Sig(_) | Algorithm::Stateful(_) => None,
            Algorithm::Kem(info) => oaklath_kem::by_name(info.name).ok(),
        }
    }

    /// Reports whether this build has the algorithm's code.
    #[must_use]
    pub fn is_built(self) -> bool {
        match self.algorithm {
            Algorithm::Sig(_) => self.scheme().is_some(),
            Algorithm::Kem(_) => self.kem().is_some(),
            Algorithm::Stateful(scheme) if scheme == &stateful::HSS_LMS => cfg!(feature = "lms"),
            Algorithm::Stateful(_) => cfg!(feature = "xmss"),
        }
    }

    /// Returns the scheme, or an error with the reason why there is none.
    pub(crate) fn signing(self) -> Result<&'static dyn Signature, KeyError> {
        match self.algorithm {
            Algorithm::Sig(_) => self.scheme().ok_or(KeyError::NotBuilt { name: self.name() }),
            Algorithm::Kem(_) => Err(KeyError::NoSignatures { name: self.name() }),
            Algorithm::Stateful(_) => Err(self.no_private_key()),
        }
    }

    /// Returns the error for a private key that cannot be generated or read here.
    pub(crate) fn no_private_key(self) -> KeyError {
        let name = self.name();
        match self.algorithm {
            Algorithm::Stateful(_) => KeyError::Stateful { name },
            _ => KeyError::NotBuilt { name },
        }
    }

    /// Reports whether this is Falcon, of any size, under any object identifier.
    pub(crate) fn is_falcon(self) -> bool {
        matches!(self.algorithm, Algorithm::Sig(id) if id.algorithm.feature == "falcon")
    }

    /// Returns the object identifier in the type of the X.509 crates.
    pub(crate) fn object_identifier(self) -> ObjectIdentifier {
        ObjectIdentifier::new_unwrap(self.oid.as_str())
    }

    /// Returns an `AlgorithmIdentifier` in DER, without parameters.
    pub(crate) fn algorithm_identifier(self) -> Vec<u8> {
        sequence(&[&object_identifier(self.object_identifier())])
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Identity({} {})", self.name(), self.oid)
    }
}

/// Writes the name and, if the algorithm has several object identifiers, the vocabulary.
impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.algorithm {
            Algorithm::Sig(id) if id.algorithm.identities().count() > 1 => {
                write!(f, "{} ({})", self.name(), self.vocabulary())
            }
            _ => f.pad(self.name()),
        }
    }
}

impl Form {
    /// Reports whether private keys of an identity can be written in this form. SLH-DSA and the
    /// appendix have no seed in PKCS#8; any key may be bare, or in OQS' form with its public key;
    /// only Falcon has parts.
    #[must_use]
    pub fn suits(self, identity: Identity) -> bool {
        match self {
            Self::Oqs | Self::Bare => true,
            Self::Parts => identity.is_falcon(),
            _ => identity.seed_len().is_some(),
        }
    }
}

#[cfg(test)]
mod tests {
    use x509_cert::der::Decode;
    use x509_cert::spki::AlgorithmIdentifierOwned;

    use super::*;

    #[test]
    fn every_identity_is_found_by_its_object_identifier() {
        for identity in Identity::all().chain(Identity::stateful()) {
            assert_eq!(Identity::by_name(identity.oid().as_str()), Some(identity));
            let der = identity.algorithm_identifier();
            let algorithm = AlgorithmIdentifierOwned::from_der(&der).unwrap();
            assert_eq!(Identity::of_algorithm(&algorithm), Ok(identity));
            assert_eq!(algorithm.oid.to_string(), identity.oid().as_str());
        }
        let kems = Identity::all().filter(|id| matches!(id.algorithm(), Algorithm::Kem(_)));
        assert_eq!(kems.count(), 3);
        let rsa = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1");
        assert_eq!(Identity::of_oid(rsa), Err(KeyError::UnsupportedAlgorithm { oid: rsa }));
    }

    /// The seed lengths of PKCS#8 are those of the compiled algorithms.
    #[test]
    fn seeds_are_as_long_as_the_algorithms_take() {
        for identity in Identity::all() {
            let Some(len) = identity.seed_len() else { continue };
            if let Some(kem) = identity.kem() {
                assert_eq!(kem.seed_len(), len);
            }
            if let Some(scheme) = identity.scheme() {
                assert_eq!(scheme.seed_len(), len);
            }
        }
    }
}
