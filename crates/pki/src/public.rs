//! Public keys: SPKI of RFC 5280, section 4.1.2.7. The bit string is the raw key, and parameters
//! are absent (RFC 9881, RFC 9909, RFC 9935; likewise for the algorithms of the appendix).

use std::fmt;

use oaklath_params::stateful;
use oaklath_sig::{Message, Verify};
#[cfg(feature = "lms")]
use oaklath_stateful::HssPublicKey;
#[cfg(feature = "xmss")]
use oaklath_stateful::{XmssPublicKey, XmssTrees};
use sha1::{Digest, Sha1};
use x509_cert::der::Decode;
use x509_cert::spki::{self, Document, EncodePublicKey, SubjectPublicKeyInfoOwned};

use crate::error::KeyError;
use crate::identity::{Algorithm, Identity};
use crate::pem;
use crate::pem::encode_pem;
use crate::write::{bit_string, sequence};

/// A public key. Its length is checked and, if this build has the algorithm, so is its encoding.
///
/// ```
/// use oaklath_pki::{Identity, PrivateKey, PublicKey};
///
/// let identity = Identity::by_name("ML-KEM-512").unwrap();
/// let key = PrivateKey::from_seed(identity, &[7; 64])?.public_key();
/// assert_eq!(PublicKey::from_pem(&key.to_pem())?, key);
/// # Ok::<(), oaklath_pki::KeyError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct PublicKey {
    identity: Identity,
    bytes: Vec<u8>,
}

impl PublicKey {
    /// Returns a key from raw bytes.
    ///
    /// # Errors
    /// [`KeyError::PublicKeyLength`]; [`KeyError::Kem`], [`KeyError::Sig`],
    /// [`KeyError::OfStateful`] if the algorithm rejects the key.
    pub fn new(identity: Identity, bytes: &[u8]) -> Result<Self, KeyError> {
        if let Algorithm::Stateful(scheme) = identity.algorithm() {
            Stateful::parse(scheme, bytes)?;
            return Ok(Self { identity, bytes: bytes.to_vec() });
        }
        let (expected, found) = (identity.public_key_len(), bytes.len());
        if expected != found {
            let name = identity.name();
            return Err(KeyError::PublicKeyLength { name, expected, found });
        }
        if let Some(scheme) = identity.scheme() {
            scheme.prepare_verifier(bytes)?;
        }
        if let Some(kem) = identity.kem() {
            // Encapsulation performs the checks of FIPS 203, section 7.2; its result is not used.
            let (mut ct, mut ss) =
                (vec![0; kem.info().ciphertext], vec![0; kem.info().shared_secret]);
            kem.encapsulate_from(&vec![0; kem.coins_len()], bytes, &mut ct, &mut ss)?;
        }
        Ok(Self { identity, bytes: bytes.to_vec() })
    }

    /// Parses a key in DER.
    ///
    /// # Errors
    /// [`KeyError`] if the bytes are not SPKI, the algorithm is unknown, or it rejects the key.
    pub fn from_der(der: &[u8]) -> Result<Self, KeyError> {
        Self::from_spki(&SubjectPublicKeyInfoOwned::from_der(der)?)
    }

    /// Parses the key of the first block `PUBLIC KEY`.
    ///
    /// # Errors
    /// Those of [`from_der`](Self::from_der), and [`KeyError::Pem`].
    pub fn from_pem(text: &str) -> Result<Self, KeyError> {
        Self::from_der(&pem::find(text, LABEL, |label| label == LABEL)?.bytes)
    }

    pub(crate) fn from_spki(spki: &SubjectPublicKeyInfoOwned) -> Result<Self, KeyError> {
        let identity = Identity::of_algorithm(&spki.algorithm)?;
        // A key consists of whole bytes; with unused bits it has a wrong length.
        Self::new(identity, spki.subject_public_key.as_bytes().unwrap_or_default())
    }

    /// Returns the algorithm.
    #[must_use]
    pub fn identity(&self) -> Identity {
        self.identity
    }

    /// Returns the parameter set if the key contains it, as that of a stateful scheme does.
    ///
    /// ```
    /// use oaklath_pki::{Identity, PublicKey};
    ///
    /// let mut bytes = [0; 68];
    /// bytes[3] = 1;
    /// let key = PublicKey::new(Identity::by_name("XMSS").unwrap(), &bytes)?;
    /// assert_eq!(key.parameters().as_deref(), Some("XMSS-SHA2_10_256"));
    /// # Ok::<(), oaklath_pki::KeyError>(())
    /// ```
    #[must_use]
    pub fn parameters(&self) -> Option<String> {
        let Algorithm::Stateful(scheme) = self.identity.algorithm() else { return None };
        Some(Stateful::parse(scheme, &self.bytes).ok()?.parameters())
    }

    /// Returns the key under another object identifier of its algorithm.
    ///
    /// # Errors
    /// [`KeyError::AlgorithmDiffers`] if the object identifier is of another algorithm.
    pub fn with_identity(self, identity: Identity) -> Result<Self, KeyError> {
        let (found, expected) = (self.identity.name(), identity.name());
        if found != expected {
            return Err(KeyError::AlgorithmDiffers { expected, found });
        }
        Ok(Self { identity, ..self })
    }

    /// Returns the raw key.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the key in DER.
    #[must_use]
    pub fn to_der(&self) -> Vec<u8> {
        sequence(&[&self.identity.algorithm_identifier(), &bit_string(&self.bytes)])
    }

    /// Returns the key as a PEM block `PUBLIC KEY`.
    #[must_use]
    pub fn to_pem(&self) -> String {
        encode_pem(LABEL, &self.to_der()).to_string()
    }

    /// Returns SHA-1 of the raw key, which identifies the key in certificates: RFC 5280, section
    /// 4.2.1.2, (1). No security depends on it.
    #[must_use]
    pub fn key_identifier(&self) -> Vec<u8> {
        Sha1::digest(&self.bytes).to_vec()
    }

    /// Verifies a signature over a message without context.
    ///
    /// # Errors
    /// [`KeyError::Sig`], [`KeyError::OfStateful`] if the signature does not verify;
    /// [`KeyError::NoSignatures`], [`KeyError::NotBuilt`].
    pub fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), KeyError> {
        if let Algorithm::Stateful(scheme) = self.identity.algorithm() {
            return Ok(Stateful::parse(scheme, &self.bytes)?.verify(message, signature)?);
        }
        let scheme = self.identity.signing()?;
        Ok(scheme.verify(&self.bytes, &Message::new(message), signature)?)
    }

    /// Parses the key once, for many verifications.
    ///
    /// # Errors
    /// [`KeyError::NoSignatures`], [`KeyError::NotBuilt`]; [`KeyError::Stateful`] for a stateful
    /// scheme, for which this would save nothing.
    pub fn verifier(&self) -> Result<Box<dyn Verify>, KeyError> {
        Ok(self.identity.signing()?.prepare_verifier(&self.bytes)?)
    }
}

/// A key of a stateful scheme: RFC 9802, section 4.
enum Stateful {
    #[cfg(feature = "lms")]
    Hss(HssPublicKey),
    #[cfg(feature = "xmss")]
    Xmss(XmssPublicKey),
}

impl Stateful {
    #[cfg_attr(
        not(any(feature = "lms", feature = "xmss")),
        expect(unused_variables, reason = "without a scheme there is no key")
    )]
    fn parse(scheme: &stateful::StatefulScheme, bytes: &[u8]) -> Result<Self, KeyError> {
        match scheme {
            #[cfg(feature = "lms")]
            scheme if scheme == &stateful::HSS_LMS => {
                Ok(Self::Hss(HssPublicKey::from_bytes(bytes)?))
            }
            #[cfg(feature = "xmss")]
            scheme if scheme == &stateful::XMSS => {
                Ok(Self::Xmss(XmssPublicKey::from_bytes(XmssTrees::Single, bytes)?))
            }
            #[cfg(feature = "xmss")]
            scheme if scheme == &stateful::XMSS_MT => {
                Ok(Self::Xmss(XmssPublicKey::from_bytes(XmssTrees::Multi, bytes)?))
            }
            _ => Err(KeyError::NotBuilt { name: scheme.name }),
        }
    }

    fn parameters(&self) -> String {
        match *self {
            #[cfg(feature = "lms")]
            Self::Hss(ref key) => {
                let (levels, top) = (key.levels(), key.top());
                format!("{levels} x {}, {}", top.lms().name, top.lmots().name)
            }
            #[cfg(feature = "xmss")]
            Self::Xmss(ref key) => key.info().name.to_owned(),
        }
    }

    #[cfg_attr(
        not(any(feature = "lms", feature = "xmss")),
        expect(unused_variables, reason = "without a scheme there is no key")
    )]
    fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), oaklath_stateful::Error> {
        match *self {
            #[cfg(feature = "lms")]
            Self::Hss(ref key) => key.verify(message, signature),
            #[cfg(feature = "xmss")]
            Self::Xmss(ref key) => key.verify(message, signature),
        }
    }
}

const LABEL: &str = "PUBLIC KEY";

impl EncodePublicKey for PublicKey {
    fn to_public_key_der(&self) -> spki::Result<Document> {
        Ok(Document::try_from(self.to_der())?)
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({}, {} bytes)", self.identity, self.bytes.len())
    }
}
