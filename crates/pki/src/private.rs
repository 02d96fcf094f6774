//! Private keys: PKCS#8 of RFC 5958.

use std::fmt;

use getrandom::SysRng;
use getrandom::rand_core::TryRng;
use oaklath_kem::{Decapsulate, Kem};
use oaklath_sig::{Message, Sign, derived_coins};
use oaklath_simd::ct;
use pkcs8::PrivateKeyInfoRef;
use x509_cert::der::Decode;
use zeroize::Zeroizing;

use crate::contents::{self, Contents};
use crate::error::KeyError;
use crate::form::Form;
use crate::identity::{Algorithm, Identity};
use crate::pem;
use crate::pem::encode_pem;
use crate::public::PublicKey;
use crate::write::{OCTET_STRING, append, append_sequence, integer};

type Secret = Zeroizing<Vec<u8>>;

/// A private key whose parts agree: those of seed, expanded key and public key that a file has are
/// checked against each other. Erased when dropped.
///
/// ```
/// use oaklath_pki::{Form, Identity, PrivateKey};
///
/// let identity = Identity::by_name("ML-KEM-768").unwrap();
/// let key = PrivateKey::generate(identity)?;
/// let text = key.to_pem(Form::Both)?;
/// let again = PrivateKey::from_pem(&text)?;
/// assert_eq!(again.form(), Form::Both);
/// assert_eq!(again.public_key(), key.public_key());
/// # Ok::<(), oaklath_pki::KeyError>(())
/// ```
pub struct PrivateKey {
    identity: Identity,
    form: Form,
    /// Present if PKCS#8 can hold the seed and it is known.
    seed: Option<Secret>,
    expanded: Secret,
    public: PublicKey,
}

/// The source of a signature's randomness.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Signing {
    /// From the operating system: two signatures of one message differ.
    #[default]
    Hedged,
    /// From key and message alone: signatures are reproducible. For Falcon, which always needs
    /// randomness, the random bytes are derived from both.
    Deterministic,
}

/// A signer of certificates: a [`PrivateKey`], or a key that is kept elsewhere, in a device or, if
/// it is stateful, with a store.
///
/// ```
/// use std::cell::RefCell;
/// use oaklath_pki::{Identity, Issuer, KeyError, PublicKey, Signing};
///
/// /// `sign` takes an index from a store, as `oaklath_stores::Signer` does.
/// struct Kept<F> {
///     public: Vec<u8>,
///     sign: RefCell<F>,
/// }
///
/// impl<F: FnMut(&[u8]) -> Result<Vec<u8>, std::io::Error>> Issuer for Kept<F> {
///     fn public_key(&self) -> Result<PublicKey, KeyError> {
///         let identity = Identity::by_name("HSS/LMS").expect("a name of the table");
///         PublicKey::new(identity, &self.public)
///     }
///
///     fn sign(&self, message: &[u8], _: Signing) -> Result<Vec<u8>, KeyError> {
///         let signed = (self.sign.borrow_mut())(message);
///         signed.map_err(|error| KeyError::Refused { reason: error.to_string() })
///     }
/// }
/// ```
pub trait Issuer {
    /// Returns the key that certificates are verified with.
    ///
    /// # Errors
    /// [`KeyError`].
    fn public_key(&self) -> Result<PublicKey, KeyError>;

    /// Signs a message without context. A signer that offers no choice ignores `signing`.
    ///
    /// # Errors
    /// [`KeyError`]; [`KeyError::Refused`] if the key is kept elsewhere.
    fn sign(&self, message: &[u8], signing: Signing) -> Result<Vec<u8>, KeyError>;
}

impl PrivateKey {
    /// Generates a key with the random generator of the operating system.
    ///
    /// # Errors
    /// [`KeyError::NotBuilt`], [`KeyError::Stateful`], [`KeyError::Random`].
    pub fn generate(identity: Identity) -> Result<Self, KeyError> {
        let len = match (identity.scheme(), identity.kem()) {
            (Some(scheme), _) => scheme.seed_len(),
            (_, Some(kem)) => kem.seed_len(),
            _ => return Err(identity.no_private_key()),
        };
        Self::from_seed(identity, &random(len)?)
    }

    /// Derives the key from a seed, whose length depends on the algorithm.
    ///
    /// # Errors
    /// [`KeyError::NotBuilt`], [`KeyError::Stateful`]; [`KeyError::Kem`], [`KeyError::Sig`] for
    /// another length.
    pub fn from_seed(identity: Identity, seed: &[u8]) -> Result<Self, KeyError> {
        let (expanded, public) = expand(identity, seed)?;
        let seed = identity.seed_len().map(|_| Zeroizing::new(seed.to_vec()));
        let public = PublicKey::new(identity, &public)?;
        Ok(Self { identity, form: identity.standard_form(), seed, expanded, public })
    }

    /// Parses a key in DER, in any form.
    ///
    /// # Errors
    /// [`KeyError`] if the bytes are not PKCS#8, this build does not have the algorithm, the form
    /// is not known, or the parts do not agree.
    pub fn from_der(der: &[u8]) -> Result<Self, KeyError> {
        let info = PrivateKeyInfoRef::from_der(der)?;
        let identity = Identity::of_algorithm(&info.algorithm)?;
        let contents = Contents::parse(identity, info.private_key.as_bytes())?;
        let key = Self::agreed(identity, contents)?;
        if let Some(public) = &info.public_key
            && public.as_bytes() != Some(key.public.as_bytes())
        {
            return Err(KeyError::PublicKeyDiffers);
        }
        Ok(key)
    }

    /// Parses the key of the first block `PRIVATE KEY`; wolfSSL prefixes the label with the
    /// algorithm's name.
    ///
    /// # Errors
    /// Those of [`from_der`](Self::from_der), and [`KeyError::Pem`]; [`KeyError::Encrypted`].
    pub fn from_pem(text: &str) -> Result<Self, KeyError> {
        let block = pem::find(text, LABEL, |label| is_plain(label) || label == ENCRYPTED)?;
        if block.label == ENCRYPTED {
            return Err(KeyError::Encrypted);
        }
        Self::from_der(&block.bytes)
    }

    /// Returns a key from all parts that a file has, which must agree.
    fn agreed(identity: Identity, contents: Contents<'_>) -> Result<Self, KeyError> {
        let form = contents.form;
        let key = match (contents.seed, contents.expanded) {
            (Some(seed), expanded) => {
                let key = Self::from_seed(identity, seed)?;
                if let Some(expanded) = expanded
                    && ct::differ(&expanded, &key.expanded).declassify()
                {
                    let part = first_difference(identity, &expanded, &key.expanded);
                    return Err(KeyError::SeedAndExpandedDiffer { part });
                }
                key
            }
            (None, expanded) => {
                let expanded = expanded.unwrap_or_default();
                let public = PublicKey::new(identity, &public_of(identity, &expanded)?)?;
                Self { identity, form, seed: None, expanded, public }
            }
        };
        if contents.public.is_some_and(|public| public != key.public.as_bytes()) {
            return Err(KeyError::PublicKeyDiffers);
        }
        Ok(Self { form, ..key })
    }

    /// Returns the algorithm.
    #[must_use]
    pub fn identity(&self) -> Identity {
        self.identity
    }

    /// Returns the form that the key was read in; for a new key, the standard form.
    #[must_use]
    pub fn form(&self) -> Form {
        self.form
    }

    /// Returns the key under another object identifier of its algorithm.
    ///
    /// # Errors
    /// [`KeyError::AlgorithmDiffers`] if the object identifier is of another algorithm.
    pub fn with_identity(self, identity: Identity) -> Result<Self, KeyError> {
        let public = self.public.with_identity(identity)?;
        Ok(Self { identity, public, ..self })
    }

    /// Returns the public key.
    #[must_use]
    pub fn public_key(&self) -> PublicKey {
        self.public.clone()
    }

    /// Returns the expanded private key in the algorithm's encoding.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.expanded
    }

    /// Returns the seed, if PKCS#8 can hold it and it is known.
    #[must_use]
    pub fn seed(&self) -> Option<&[u8]> {
        self.seed.as_deref().map(Vec::as_slice)
    }

    /// Returns the key in DER.
    ///
    /// # Errors
    /// [`KeyError::FormUnavailable`]; [`KeyError::NoSeed`] if the key was read without its seed.
    pub fn to_der(&self, form: Form) -> Result<Secret, KeyError> {
        if !form.suits(self.identity) {
            return Err(KeyError::FormUnavailable { name: self.identity.name(), form });
        }
        let seed = match (form, self.seed()) {
            (Form::Seed | Form::Both | Form::BareSeed, None) => {
                return Err(KeyError::NoSeed { form });
            }
            (_, seed) => seed.unwrap_or_default(),
        };
        let octets = contents::write(form, seed, &self.expanded, self.public.as_bytes());
        // Has room for tags, lengths and the algorithm, so that no copy of the key is left by a
        // reallocation.
        let mut private_key = Zeroizing::new(Vec::with_capacity(octets.len() + 16));
        append(&mut private_key, OCTET_STRING, &[&octets]);
        let (version, algorithm) = (integer(&[0]), self.identity.algorithm_identifier());
        let mut out = Zeroizing::new(Vec::with_capacity(private_key.len() + algorithm.len() + 16));
        append_sequence(&mut out, &[&version, &algorithm, &private_key]);
        Ok(out)
    }

    /// Returns the key as a PEM block `PRIVATE KEY`.
    ///
    /// # Errors
    /// Those of [`to_der`](Self::to_der).
    pub fn to_pem(&self, form: Form) -> Result<Zeroizing<String>, KeyError> {
        Ok(encode_pem(LABEL, &self.to_der(form)?))
    }

    /// Signs a message without context.
    ///
    /// # Errors
    /// [`KeyError::NoSignatures`]; [`KeyError::Random`] for a hedged signature.
    pub fn sign(&self, message: &[u8], signing: Signing) -> Result<Vec<u8>, KeyError> {
        let scheme = self.identity.signing()?;
        let coins = match signing {
            Signing::Hedged => Some(random(scheme.coins_len())?),
            Signing::Deterministic if scheme.needs_coins() => {
                Some(derived_coins(scheme, &self.expanded, message))
            }
            Signing::Deterministic => None,
        };
        let coins = coins.as_deref().map(Vec::as_slice);
        let mut signature = vec![0; scheme.info().longest_signature()];
        let len = scheme.sign(&self.expanded, &Message::new(message), coins, &mut signature)?;
        signature.truncate(len);
        Ok(signature)
    }

    /// Parses the key once, for many signatures.
    ///
    /// # Errors
    /// [`KeyError::NoSignatures`].
    pub fn signer(&self) -> Result<Box<dyn Sign>, KeyError> {
        Ok(self.identity.signing()?.prepare_signer(&self.expanded)?)
    }

    /// Checks the key once, for many signatures in little memory:
    /// [`prepare_low_memory_signer`](oaklath_sig::Signature::prepare_low_memory_signer).
    ///
    /// # Errors
    /// [`KeyError::NoSignatures`].
    pub fn low_memory_signer(&self) -> Result<Box<dyn Sign>, KeyError> {
        Ok(self.identity.signing()?.prepare_low_memory_signer(&self.expanded)?)
    }

    /// Parses the key once, for many decapsulations.
    ///
    /// # Errors
    /// [`KeyError::NoDecapsulation`].
    pub fn decapsulator(&self) -> Result<Box<dyn Decapsulate>, KeyError> {
        let name = self.identity.name();
        let kem = self.identity.kem().ok_or(KeyError::NoDecapsulation { name })?;
        Ok(kem.prepare(&self.expanded)?)
    }
}

impl Issuer for PrivateKey {
    fn public_key(&self) -> Result<PublicKey, KeyError> {
        Ok(self.public_key())
    }

    fn sign(&self, message: &[u8], signing: Signing) -> Result<Vec<u8>, KeyError> {
        self.sign(message, signing)
    }
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PrivateKey({}, {})", self.identity, self.form)
    }
}

const LABEL: &str = "PRIVATE KEY";
pub(crate) const ENCRYPTED: &str = "ENCRYPTED PRIVATE KEY";

/// Reports whether a PEM label is that of PKCS#8, or wolfSSL's with the name of an algorithm.
pub(crate) fn is_plain(label: &str) -> bool {
    let named = label.strip_suffix(LABEL).and_then(|name| name.strip_suffix(' '));
    label == LABEL || named.is_some_and(|name| Identity::by_name(name).is_some())
}

fn random(len: usize) -> Result<Secret, KeyError> {
    let mut bytes = Zeroizing::new(vec![0; len]);
    fill_random(SysRng, &mut bytes)?;
    Ok(bytes)
}

/// Fills `bytes` from a random generator, which may fail.
pub(crate) fn fill_random(mut generator: impl TryRng, bytes: &mut [u8]) -> Result<(), KeyError> {
    generator.try_fill_bytes(bytes).map_err(|_| KeyError::Random)
}

/// Derives the expanded private key and the public key from a seed.
fn expand(identity: Identity, seed: &[u8]) -> Result<(Secret, Vec<u8>), KeyError> {
    let mut private = Zeroizing::new(vec![0; identity.private_key_len()]);
    let mut public = vec![0; identity.public_key_len()];
    match (identity.scheme(), identity.kem()) {
        (Some(scheme), _) => scheme.keypair_from(seed, &mut public, &mut private)?,
        (_, Some(kem)) => kem.keypair_from(seed, &mut public, &mut private)?,
        _ => return Err(identity.no_private_key()),
    }
    Ok((private, public))
}

/// Returns the public key of an expanded private key, whose parts are checked.
fn public_of(identity: Identity, private: &[u8]) -> Result<Vec<u8>, KeyError> {
    if let Some(kem) = identity.kem() {
        return encapsulation_key_of(kem, private);
    }
    let Algorithm::Sig(_) = identity.algorithm() else {
        return Err(identity.no_private_key());
    };
    let mut public = vec![0; identity.public_key_len()];
    identity.signing()?.public_key(private, &mut public)?;
    Ok(public)
}

/// Returns the encapsulation key inside a decapsulation key of ML-KEM, the only KEM with object
/// identifiers: FIPS 203, Algorithm 16, line 3. Checks its hash, and that one part decapsulates
/// what is encapsulated to the other (FIPS 203, section 7.1, "pair-wise consistency"), because the
/// hash does not depend on the vector s.
fn encapsulation_key_of(kem: &dyn Kem, private: &[u8]) -> Result<Vec<u8>, KeyError> {
    let info = kem.info();
    let key = kem.prepare(private)?;
    let [_, ek, _, _] = parts_of_ml_kem(private, info.public_key);
    let (mut ct, mut ours) =
        (vec![0; info.ciphertext], Zeroizing::new(vec![0; info.shared_secret]));
    let mut theirs = ours.clone();
    // The secret protects nothing, so its coins may be known.
    kem.encapsulate_from(&vec![0; kem.coins_len()], ek, &mut ct, &mut theirs)?;
    key.decapsulate(&ct, &mut ours)?;
    if ct::differ(&ours, &theirs).declassify() {
        return Err(KeyError::Inconsistent);
    }
    Ok(ek.to_vec())
}

/// Returns s, ek, H(ek), z of a decapsulation key: FIPS 203, Algorithm 16.
fn parts_of_ml_kem(private: &[u8], public_len: usize) -> [&[u8]; 4] {
    let (rest, z) = private.split_at(private.len() - 32);
    let (rest, hash) = rest.split_at(rest.len() - 32);
    let (s, ek) = rest.split_at(rest.len() - public_len);
    [s, ek, hash, z]
}

/// Returns rho, K, tr, and the rest of a private key of ML-DSA: FIPS 204, Algorithm 24.
fn parts_of_ml_dsa(private: &[u8]) -> [&[u8]; 4] {
    let (rho, rest) = private.split_at(32);
    let (k, rest) = rest.split_at(32);
    let (tr, vectors) = rest.split_at(64);
    [rho, k, tr, vectors]
}

/// Returns the name of the first part in which two private keys differ. Both have the same length,
/// and are of an algorithm whose keys have a seed in PKCS#8.
fn first_difference(identity: Identity, a: &[u8], b: &[u8]) -> &'static str {
    let (names, parts) = match identity.algorithm() {
        Algorithm::Kem(info) => {
            (["s", "ek", "H(ek)", "z"], [a, b].map(|key| parts_of_ml_kem(key, info.public_key)))
        }
        _ => (["rho", "K", "tr", "s1, s2 or t0"], [a, b].map(parts_of_ml_dsa)),
    };
    let differs = |&i: &usize| ct::differ(parts[0][i], parts[1][i]).declassify();
    (0..names.len()).find(differs).map_or("nothing", |i| names[i])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A random generator that always fails.
    struct Broken;

    impl TryRng for Broken {
        type Error = fmt::Error;
        fn try_next_u32(&mut self) -> Result<u32, fmt::Error> {
            Err(fmt::Error)
        }
        fn try_next_u64(&mut self) -> Result<u64, fmt::Error> {
            Err(fmt::Error)
        }
        fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), fmt::Error> {
            Err(fmt::Error)
        }
    }

    #[test]
    fn a_generator_that_fails_is_an_error() {
        assert_eq!(fill_random(Broken, &mut [0; 32]), Err(KeyError::Random));
        assert_eq!(fill_random(SysRng, &mut [0; 32]), Ok(()));
    }
}
