//! ML-KEM (FIPS 203) and Kyber (NIST round 3, version 3.02): one text.
//!
//! | module | what |
//! |---|---|
//! | [`params`] | the numbers of a rank |
//! | [`plan`] | the schedules of Keccak lanes |
//! | [`run`] | the loop that runs them: matrix, noise, hashes |
//! | [`message`] | H, J, G and KDF on padded blocks |
//! | [`nineties`] | what Kyber-90s has instead of Keccak |
//! | [`pke`] | K-PKE.Encrypt and K-PKE.Decrypt |
//! | [`fo`] | key generation, encapsulation, decapsulation |
//! | [`keys`] | keys, checked and parsed |
#![expect(non_snake_case, reason = "notation of FIPS 203")]

mod fo;
mod keys;
mod message;
mod nineties;
mod params;
mod pke;
mod plan;
mod run;

pub(crate) use keys::{ExpandedKey, PublicKey, SecretKey};
pub(crate) use params::Params;

use oaklath_simd::dispatch;

/// Key generation: writes ek and dk.
pub(crate) fn keygen<const K: usize>(v: Variant, seed: &[u8; 64], ek: &mut [u8], dk: &mut [u8]) {
    dispatch!(s => fo::keygen::<_, K, false>(s, v, seed, ek, dk));
}

/// Encapsulation to the bytes of a key: writes c and the shared secret.
pub(crate) fn encapsulate_bytes<const K: usize>(
    v: Variant,
    ek: &[u8],
    coins: &[u8; 32],
    c: &mut [u8],
    shared: &mut [u8; 32],
) -> Result<(), Invalid> {
    dispatch!(s => fo::encapsulate_bytes::<_, K>(s, v, ek, coins, c, shared))
}

/// Decapsulation with the bytes of a key: writes the shared secret.
pub(crate) fn decapsulate_bytes<const K: usize>(
    v: Variant,
    dk: &[u8],
    c: &[u8],
    shared: &mut [u8; 32],
) -> Result<(), Invalid> {
    dispatch!(s => fo::decapsulate_bytes::<_, K>(s, v, dk, c, shared))
}

/// In which ML-KEM and Kyber differ: FIPS 203, appendix C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// FIPS 203.
    MlKem,
    /// Round 3: hashes m before use, derives the shared secret from a hash of the ciphertext, and
    /// does not separate the ranks in key generation.
    Kyber,
    /// Kyber with AES-256 and SHA-2 in the place of Keccak.
    Kyber90s,
}

/// Why bytes are not a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Invalid {
    /// A coefficient of the encapsulation key is q or more.
    Coefficient,
    /// The hash in the decapsulation key is not that of the encapsulation key in it.
    Hash,
}
