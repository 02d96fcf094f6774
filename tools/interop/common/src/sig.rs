//! Signatures: ML-DSA (FIPS 204), SLH-DSA (FIPS 205), FN-DSA, Dilithium, SPHINCS+ and Falcon (NIST
//! round 3), one adapter for each implementation.
//!
//! Every implementation that accepts randomness gets the same: the seed of keys, and
//! for signatures rnd (ML-DSA), rho' (Dilithium), addrnd (hash trees) or the nonce and the
//! sampler's seed (Falcon). Messages are whole, contexts empty.

use std::fmt;

use crate::kem::{Failure, Randomness};

mod oaklath;

/// One implementation of one algorithm.
pub trait Implementation: Send + Sync {
    /// Returns the library and its version.
    fn library(&self) -> &'static str;

    /// Returns the algorithm: one of [`algorithms`].
    fn algorithm(&self) -> &'static str;

    /// Returns where the randomness of keys comes from.
    fn randomness(&self) -> Randomness {
        Randomness::Given
    }

    /// Returns where the randomness of signatures comes from.
    fn coins(&self) -> Coins {
        Coins::Any
    }

    /// Describes what it checks, what it keeps, and how else it differs from the others.
    fn remark(&self) -> &'static str;

    /// Reports whether its signatures are those of a near relative, which takes the same work. It
    /// is timed with its own signatures, and left out of all other tests.
    fn is_relative(&self) -> bool {
        false
    }

    /// Reports whether one in thousands of its signatures differs from ours of the same random
    /// bytes, because it rounds differently. Then no test compares them one by one.
    fn rounds_otherwise(&self) -> bool {
        false
    }

    /// Reports whether a signature takes a hundred times as long as those of others: differential
    /// tests then make only one for each key.
    fn is_slow(&self) -> bool {
        false
    }

    /// Makes a key pair from the seed.
    ///
    /// # Errors
    /// If the library reports one, or makes none in reasonable time.
    fn keypair(&self, seed: &[u8], pk: &mut [u8], sk: &mut [u8]) -> Result<(), Failure>;

    /// Signs with a key given as bytes, with the checks that the library makes; deterministically
    /// without `coins`. Returns the signature's length.
    ///
    /// # Errors
    /// If the library rejects the key, or does not sign in this way.
    fn sign(
        &self,
        sk: &[u8],
        message: &[u8],
        coins: Option<&[u8]>,
        signature: &mut [u8],
    ) -> Result<usize, Failure>;

    /// Verifies with a key given as bytes.
    ///
    /// # Errors
    /// If the library rejects the signature or the key.
    fn verify(&self, pk: &[u8], message: &[u8], signature: &[u8]) -> Result<(), Failure>;

    /// Keeps a private key in the library's own type that holds more than the bytes.
    fn expand_secret(&self, _keys: &Keys) -> Option<Signer> {
        None
    }

    /// Keeps a public key in the library's own type that holds more than the bytes.
    fn expand_public(&self, _keys: &Keys) -> Option<Verifier> {
        None
    }
}

/// Signs with one kept key: message, coins, signature.
pub type Signer = Box<dyn Fn(&[u8], Option<&[u8]>, &mut [u8]) -> Result<usize, Failure>>;

/// Verifies with one kept key: message, signature.
pub type Verifier = Box<dyn Fn(&[u8], &[u8]) -> Result<(), Failure>>;

/// A key pair and what it was made from.
#[derive(Clone)]
pub struct Keys {
    /// The seed.
    pub seed: Vec<u8>,
    /// The public key.
    pub public: Vec<u8>,
    /// The private key, expanded (FIPS 204, Algorithm 24).
    pub secret: Vec<u8>,
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keys").field("public", &self.public.len()).finish_non_exhaustive()
    }
}

/// Where the randomness of signatures comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coins {
    /// From the caller, or none: both ways of signing.
    Any,
    /// From the caller; there is no deterministic signature.
    Given,
    /// None: all signatures are deterministic.
    None,
    /// From a generator of the library's own choice, named here; its cost is part of the figures.
    Own(&'static str),
}

impl Coins {
    /// Returns the part of `coins` with which an implementation signs with randomness, if it can.
    #[must_use]
    pub fn of(self, coins: &[u8]) -> Option<&[u8]> {
        (self != Self::None).then_some(coins)
    }
}

impl fmt::Display for Coins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("given or left out"),
            Self::Given => f.write_str("given"),
            Self::None => f.write_str("none, all deterministic"),
            Self::Own(generator) => write!(f, "its own ({generator})"),
        }
    }
}

/// Lengths in bytes, from our own table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Of the seed of a key pair.
    pub seed: usize,
    /// Of the randomness of a signature.
    pub coins: usize,
    /// Of a public key.
    pub public_key: usize,
    /// Of an expanded private key.
    pub secret_key: usize,
    /// Of the longest signature.
    pub signature: usize,
}

/// Returns the lengths of `algorithm`.
///
/// # Panics
/// If `algorithm` is not one of [`algorithms`].
#[must_use]
pub fn sizes(algorithm: &str) -> Sizes {
    let scheme = oaklath_sig::by_name(algorithm).expect("an algorithm of `algorithms`");
    let info = scheme.info();
    Sizes {
        seed: scheme.seed_len(),
        coins: scheme.coins_len(),
        public_key: info.public_key,
        secret_key: info.secret_key,
        signature: info.signature,
    }
}

/// Returns the names of our algorithms.
pub fn algorithms() -> impl Iterator<Item = &'static str> {
    oaklath_sig::all().iter().map(|scheme| scheme.info().name)
}

/// Reports whether `algorithm` is one of hash trees, whose signatures take up to seconds.
///
/// # Panics
/// If `algorithm` is not one of [`algorithms`].
#[must_use]
pub fn is_hash_tree(algorithm: &str) -> bool {
    // Their public keys are a seed and a hash of at most 32 bytes each.
    sizes(algorithm).public_key <= 64
}

/// Reports whether `algorithm` is Falcon or FN-DSA: its keys take a hundred times as long as its
/// signatures, which are never deterministic.
///
/// # Panics
/// If `algorithm` is not one of [`algorithms`].
#[must_use]
pub fn is_falcon(algorithm: &str) -> bool {
    let scheme = oaklath_sig::by_name(algorithm).expect("an algorithm of `algorithms`");
    scheme.needs_coins()
}

/// Returns the length of Falcon's signatures in the padded format, in bytes.
///
/// # Panics
/// If `algorithm` is not one of [`algorithms`].
#[must_use]
pub fn padded(algorithm: &str) -> Option<usize> {
    let scheme = oaklath_sig::by_name(algorithm).expect("an algorithm of `algorithms`");
    scheme.info().variable.map(|variable| variable.padded)
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
pub fn make_keys(implementation: &dyn Implementation, seed: &[u8]) -> Result<Keys, Failure> {
    let sizes = sizes(implementation.algorithm());
    let mut keys = Keys {
        seed: seed.to_vec(),
        public: vec![0; sizes.public_key],
        secret: vec![0; sizes.secret_key],
    };
    implementation.keypair(seed, &mut keys.public, &mut keys.secret)?;
    Ok(keys)
}
