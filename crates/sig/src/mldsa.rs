//! ML-DSA (FIPS 204) and Dilithium (NIST round 3, version 3.1): one text.
//!
//! | module | what |
//! |---|---|
//! | [`params`] | the numbers of a set |
//! | [`shape`] | the functions of the ring with those numbers |
//! | [`run`] | four Keccak lanes at work: matrix, secrets, masks, and a hash beside them |
//! | [`aes`] | what Dilithium-AES has instead |
//! | [`hash`] | mu, the seed of the masks, and `SampleInBall` |
//! | [`hint`] | the encoding of hints |
//! | [`keygen`], [`sign`], [`verify`] | the algorithms |
//! | [`keys`] | keys expanded for many operations |
#![expect(non_snake_case, reason = "notation of FIPS 204")]

mod aes;
mod hash;
mod hint;
mod keygen;
mod keys;
mod params;
mod run;
mod shape;
mod sign;
mod verify;

pub(crate) use hash::{Seed, begin, mu};
pub(crate) use keys::{SigningKey, VerifyingKey};
pub(crate) use params::Params;

#[cfg(feature = "alloc")]
use alloc::boxed::Box;

use oaklath_poly::q8380417::{Entry, NttPoly};
#[cfg(feature = "alloc")]
use oaklath_simd::freeze;
use oaklath_simd::{dispatch, scratch};

/// In which ML-DSA and Dilithium differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// FIPS 204: formats messages, longer hashes, hedges, and separates the sets in key generation.
    MlDsa,
    /// Round 3.
    Dilithium,
    /// Dilithium with AES-256 for the matrix, the secrets and the masks.
    DilithiumAes,
}

/// Why bytes are not a private key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Invalid {
    /// A coefficient of s1 or s2 is larger than eta.
    Range,
    /// tr is not the hash of the public key; the rest fits.
    Hash,
    /// t0 is not that of s1 and s2; the rest fits.
    LowBits,
    /// Neither tr nor t0 fits rho, s1 and s2.
    Inconsistent,
}

/// Key generation: writes both keys.
pub(crate) fn keygen<const K: usize, const L: usize>(
    variant: Variant,
    seed: &[u8; 32],
    pk: &mut [u8],
    sk: &mut [u8],
) {
    dispatch!(s => keygen::keygen::<_, K, L>(s, variant, seed, pk, sk));
}

/// Computes the public key anew from s1 and s2, and compares what a private key says of it.
pub(crate) fn public_key<const K: usize, const L: usize>(
    variant: Variant,
    sk: &[u8],
    pk: &mut [u8],
) -> Result<(), Invalid> {
    dispatch!(s => keygen::public_key::<_, K, L>(s, variant, sk, pk))
}

/// Signs mu with the bytes of a key.
pub(crate) fn sign<const K: usize, const L: usize>(
    variant: Variant,
    sk: &[u8],
    mu: &[u8; 64],
    seed: Seed<'_>,
    signature: &mut [u8],
) -> Result<(), Invalid> {
    dispatch!(s => sign::sign_bytes::<_, K, L>(s, variant, sk, mu, seed, signature))
}

/// The same in less memory.
pub(crate) fn sign_low_memory<const K: usize, const L: usize>(
    variant: Variant,
    sk: &[u8],
    mu: &[u8; 64],
    seed: Seed<'_>,
    signature: &mut [u8],
) -> Result<(), Invalid> {
    dispatch!(s => sign::sign_low_memory::<_, K, L>(s, variant, sk, mu, seed, signature))
}

/// Verifies with the bytes of a key. `mu` computes mu from tr.
pub(crate) fn verify<const K: usize, const L: usize>(
    variant: Variant,
    pk: &[u8],
    mu: impl Fn(&[u8]) -> [u8; 64],
    signature: &[u8],
) -> bool {
    scratch!(z_hat: [NttPoly; L], rows: [[Entry; L]; 2], hints: [[i8; 256]; K]);
    let memory = (z_hat, rows, hints);
    dispatch!(s => verify::verify_bytes(s, variant, pk, &mu, signature, memory))
}

/// The same with the largest of its memory on the heap.
#[cfg(feature = "alloc")]
pub(crate) fn verify_on_heap<const K: usize, const L: usize>(
    variant: Variant,
    pk: &[u8],
    mu: impl Fn(&[u8]) -> [u8; 64],
    signature: &[u8],
) -> bool {
    let mut z_hat = Box::<[NttPoly; L]>::new_uninit();
    let mut rows = Box::<[[Entry; L]; 2]>::new_uninit();
    let mut hints = Box::<[[i8; 256]; K]>::new_uninit();
    let memory = (freeze(&mut *z_hat), freeze(&mut *rows), freeze(&mut *hints));
    dispatch!(s => verify::verify_bytes(s, variant, pk, &mu, signature, memory))
}
