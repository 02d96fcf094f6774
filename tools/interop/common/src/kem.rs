//! Key encapsulation: ML-KEM (FIPS 203), Kyber, Kyber-90s, NTRU and SABER (NIST round 3), one
//! adapter for each implementation.
//!
//! Every implementation that accepts randomness gets the same: seeds d || z for keys, m for
//! ciphertexts; for NTRU and SABER, which take more, these are [stretched](crate::random::stretch).

use std::fmt;

mod oaklath;

/// One implementation of one algorithm.
pub trait Implementation: Send + Sync {
    /// Returns the library and its version.
    fn library(&self) -> &'static str;

    /// Returns the algorithm: one of [`algorithms`].
    fn algorithm(&self) -> &'static str;

    /// Returns where the randomness of keys and ciphertexts comes from.
    fn randomness(&self) -> Randomness {
        Randomness::Given
    }

    /// Describes what it checks, what it keeps, and how else it differs from the others.
    fn remark(&self) -> &'static str;

    /// Makes a key pair from the seed d || z.
    ///
    /// # Errors
    /// If the library reports one.
    fn keypair(&self, seed: &[u8; 64], pk: &mut [u8], sk: &mut [u8]) -> Result<(), Failure>;

    /// Encapsulates to a key given as bytes, with the checks that the library makes.
    ///
    /// # Errors
    /// If the library rejects the key.
    fn encapsulate(
        &self,
        m: &[u8; 32],
        pk: &[u8],
        ct: &mut [u8],
        ss: &mut [u8],
    ) -> Result<(), Failure>;

    /// Decapsulates with a key given as bytes, with the checks that the library offers.
    ///
    /// # Errors
    /// If the library rejects the key, or cannot read keys from bytes.
    fn decapsulate(&self, sk: &[u8], ct: &[u8], ss: &mut [u8]) -> Result<(), Failure>;

    /// Keeps a key in the library's own type; matrix and hashes are left to each operation.
    fn prepare(&self, _keys: &Keys) -> Option<Decapsulator> {
        None
    }

    /// Keeps a public key with its matrix.
    fn expand_public(&self, _keys: &Keys) -> Option<Encapsulator> {
        None
    }

    /// Keeps a secret key with its matrix.
    fn expand_secret(&self, _keys: &Keys) -> Option<Decapsulator> {
        None
    }
}

/// Encapsulates with one kept key: m, ciphertext, shared secret.
pub type Encapsulator = Box<dyn Fn(&[u8; 32], &mut [u8], &mut [u8])>;

/// Decapsulates with one kept key: ciphertext, shared secret.
pub type Decapsulator = Box<dyn Fn(&[u8], &mut [u8])>;

/// A key pair and what it was made from.
#[derive(Clone)]
pub struct Keys {
    /// d || z.
    pub seed: [u8; 64],
    /// The encapsulation key.
    pub public: Vec<u8>,
    /// The decapsulation key, expanded (FIPS 203, 7.1: `dk_PKE || ek || H(ek) || z`).
    pub secret: Vec<u8>,
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keys").field("public", &self.public.len()).finish_non_exhaustive()
    }
}

/// Where randomness comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Randomness {
    /// From the caller: the bytes that every implementation gets.
    Given,
    /// From a generator of the library's own choice, named here; its cost is part of the figures.
    Own(&'static str),
}

/// The reason why an implementation did not do what was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The library returned an error.
    Refused,
    /// The library's interface has no such operation.
    NotOffered,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Refused => "the library rejected the input",
            Self::NotOffered => "the library does not offer this",
        })
    }
}

impl std::error::Error for Failure {}

/// Lengths in bytes, from our own table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Of an encapsulation key.
    pub public_key: usize,
    /// Of an expanded decapsulation key.
    pub secret_key: usize,
    /// Of a ciphertext.
    pub ciphertext: usize,
    /// Of a shared secret.
    pub shared_secret: usize,
}

/// Returns the lengths of `algorithm`.
///
/// # Panics
/// If `algorithm` is not one of [`algorithms`].
#[must_use]
pub fn sizes(algorithm: &str) -> Sizes {
    let kem = oaklath_kem::by_name(algorithm).expect("an algorithm of `algorithms`");
    let info = kem.info();
    Sizes {
        public_key: info.public_key,
        secret_key: info.secret_key,
        ciphertext: info.ciphertext,
        shared_secret: info.shared_secret,
    }
}

/// Returns how many bytes of randomness a key pair and a ciphertext of `algorithm` take.
///
/// # Panics
/// If `algorithm` is not one of [`algorithms`].
#[must_use]
pub fn randomness(algorithm: &str) -> (usize, usize) {
    let kem = oaklath_kem::by_name(algorithm).expect("an algorithm of `algorithms`");
    (kem.seed_len(), kem.coins_len())
}

/// Returns the names of our algorithms.
pub fn algorithms() -> impl Iterator<Item = &'static str> {
    oaklath_kem::all().iter().map(|kem| kem.info().name)
}

/// Returns our implementation.
///
/// # Panics
/// If `algorithm` is not one of [`algorithms`].
#[must_use]
pub fn ours(algorithm: &str) -> Box<dyn Implementation> {
    oaklath::implementation(algorithm)
}

/// All other implementations of an algorithm in a workspace.
pub type Peers = fn(algorithm: &str) -> Vec<Box<dyn Implementation>>;

/// Makes a key pair with `implementation`.
///
/// # Errors
/// If the library reports one.
pub fn make_keys(implementation: &dyn Implementation, seed: &[u8; 64]) -> Result<Keys, Failure> {
    let sizes = sizes(implementation.algorithm());
    let mut keys =
        Keys { seed: *seed, public: vec![0; sizes.public_key], secret: vec![0; sizes.secret_key] };
    implementation.keypair(seed, &mut keys.public, &mut keys.secret)?;
    Ok(keys)
}
