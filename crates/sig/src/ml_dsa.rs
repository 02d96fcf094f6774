//! ML-DSA (FIPS 204), whose implementation Dilithium of round 3 shares.
//!
//! | module | contents |
//! |---|---|
//! | [`params`] | the parameters of a set |
//! | [`variant`] | the trait of variants: the differences of ML-DSA and Dilithium |
//! | [`expand_a`], [`expand_s`], [`expand_mask`] | the matrix, secrets and masks in memory |
//! | [`sampler`] | the queue of all samples of an operation, and the trait of samplers |
//! | [`lanes`] | Keccak lanes that sample, and compute a hash meanwhile |
//! | [`standard`] | FIPS 204, where round 3 differs |
//! | [`hash`] | the seeds of a key, padding, and `SampleInBall` |
//! | [`mu`] | mu of messages given in pieces |
//! | [`hint`] | the decoding of hints |
//! | [`row_hash`] | a hash of all rows of a product |
//! | [`keygen`], [`sign`], [`verify`] | Algorithms 6, 7 and 8 |
//! | [`sign_many`] | Algorithm 7 of several messages side by side |
//! | [`secrets`] | s1, s2 and t0 for signing |
//! | [`keys`] | keys expanded for many operations |
//! | [`scheme`] | a variant and a matrix as a signature scheme |
//!
//! Messages may have any length, and signing takes an unpredictable number of attempts, so lanes
//! are scheduled dynamically: each takes the next matrix entry, secret or mask when its own is
//! complete, and lane 0 can be used for a hash. There are eight lanes where a register holds eight
//! words, but four while an attempt waits for its hash. In key generation and verification, lane 0
//! hashes tr and c~ while the last rows of the matrix are sampled ([`row_hash`]); in signing, it
//! computes c~ and `SampleInBall` while the other lanes sample the masks of later attempts. Two
//! rows of the matrix are kept at a time. Signing needs the matrix again in each attempt: it keeps
//! all of it or, in little memory, none, and samples each entry again when it is used. c s1 and
//! c s2 are sums of windows of bytes.
//!
//! The functions of this file are generic over the variant and the size of the matrix. They declare
//! the memory; the code that computes takes slices and is compiled once for each SIMD level.
#![expect(non_snake_case, reason = "notation of FIPS 204")]

mod expand_a;
pub(crate) mod expand_mask;
mod expand_s;
mod hash;
mod hint;
mod keygen;
mod keys;
pub(crate) mod lanes;
pub(crate) mod mu;
mod params;
mod row_hash;
pub(crate) mod sampler;
pub(crate) mod scheme;
mod secrets;
mod sign;
mod sign_many;
#[cfg(feature = "ml-dsa")]
pub(crate) mod standard;
pub(crate) mod variant;
mod verify;

#[cfg(feature = "alloc")]
use alloc::boxed::Box;

use oaklath_poly::q8380417::{Entry, NttPoly, Poly, Small};
#[cfg(feature = "alloc")]
use oaklath_simd::freeze;
use oaklath_simd::{scratch, secret};

use self::expand_mask::MASKS;
use self::keygen::KeygenMemory;
use self::params::{SEED, T0};
use self::secrets::SecretsMemory;
use self::sign::SigningInput;
use self::variant::{MlDsaVariant, params};
use self::verify::SignatureMemory;
use crate::error::Error;

/// Makes a key pair and writes both keys.
pub(crate) fn keygen<V: MlDsaVariant, const K: usize, const L: usize>(
    seed: &[u8; 32],
    pk: &mut [u8],
    sk: &mut [u8],
) {
    scratch!(matrix: [[Entry; L]; 2]);
    secret!(s1: [Poly; L], s2: [Poly; K], s1_hat: [NttPoly; L]);
    let memory = KeygenMemory { matrix: matrix.as_flattened_mut(), s1, s2, s1_hat };
    let dimensions = [K as u8, L as u8];
    let seed = [seed, V::seed_suffix(&dimensions)];
    keygen::keygen::<V::Sampling>(const { &params::<V>(K, L) }, &seed, (pk, sk), memory);
}

/// Computes the public key from rho, s1 and s2 of a private key, and compares it with tr and t0 of
/// that key.
///
/// # Errors
/// [`Error::SecretKeyEncoding`], [`Error::SecretKeyHash`], [`Error::SecretKeyLowBits`],
/// [`Error::SecretKeyInconsistent`].
pub(crate) fn public_key<V: MlDsaVariant, const K: usize, const L: usize>(
    sk: &[u8],
    pk: &mut [u8],
) -> Result<(), Error> {
    scratch!(matrix: [[Entry; L]; 2]);
    secret!(s1: [Poly; L], s2: [Poly; K], s1_hat: [NttPoly; L], t0_again: [[u8; T0]; K]);
    let memory = KeygenMemory { matrix: matrix.as_flattened_mut(), s1, s2, s1_hat };
    let t0_again = t0_again.as_flattened_mut();
    keygen::public_key::<V::Sampling>(const { &params::<V>(K, L) }, sk, pk, memory, t0_again)
}

/// Returns K of a private key.
fn signing_seed(sk: &[u8]) -> &[u8; SEED] {
    sk[SEED..].first_chunk().expect("K follows rho")
}

/// Signs mu with an encoded key, with randomness of the right length or without.
///
/// # Errors
/// [`Error::SecretKeyEncoding`].
pub(crate) fn sign<V: MlDsaVariant, const K: usize, const L: usize>(
    sk: &[u8],
    mu: &[u8; 64],
    coins: Option<&[u8]>,
    signature: &mut [u8],
) -> Result<(), Error> {
    scratch!(matrix: [[Entry; L]; K]);
    secret!(s1: [Small; L], s2: [Small; K], t0_hat: [NttPoly; K]);
    secret!(rho2: [u8; 64], y: [Poly; MASKS], y_hat: [NttPoly; L], w: [Poly; K]);
    V::mask_seed(signing_seed(sk), coins, mu, rho2);
    let input = SigningInput { mu, rho2, y, y_hat, w };
    let memory = (matrix.as_flattened_mut(), SecretsMemory { s1, s2, t0_hat });
    sign::sign_bytes::<V::Sampling>(const { &params::<V>(K, L) }, sk, input, memory, signature)
}

/// Signs as [`sign`] does, in less than 48 KiB of stack and about three times the time.
///
/// # Errors
/// [`Error::SecretKeyEncoding`].
pub(crate) fn sign_low_memory<V: MlDsaVariant, const K: usize, const L: usize>(
    sk: &[u8],
    mu: &[u8; 64],
    coins: Option<&[u8]>,
    signature: &mut [u8],
) -> Result<(), Error> {
    secret!(rho2: [u8; 64], y: [Poly; L], y_hat: [NttPoly; L], w: [Poly; K]);
    V::mask_seed(signing_seed(sk), coins, mu, rho2);
    let input = SigningInput { mu, rho2, y, y_hat, w };
    sign::sign_low_memory::<V::Sampling>(const { &params::<V>(K, L) }, sk, input, signature)
}

/// Verifies a signature of the right length with an encoded key. `mu` computes mu from tr.
pub(crate) fn verify<V: MlDsaVariant, const K: usize, const L: usize>(
    pk: &[u8],
    mu: &dyn Fn(&[u8]) -> [u8; 64],
    signature: &[u8],
) -> bool {
    scratch!(z_hat: [NttPoly; L], matrix: [[Entry; L]; 2], hints: [[i8; 256]; K]);
    let memory = (SignatureMemory { z_hat, hints }, matrix.as_flattened_mut());
    verify::verify_bytes::<V::Sampling>(const { &params::<V>(K, L) }, pk, mu, signature, memory)
}

/// Verifies as [`verify`] does, with its largest arrays on the heap.
#[cfg(feature = "alloc")]
pub(crate) fn verify_on_heap<V: MlDsaVariant, const K: usize, const L: usize>(
    pk: &[u8],
    mu: &dyn Fn(&[u8]) -> [u8; 64],
    signature: &[u8],
) -> bool {
    let mut z_hat = Box::<[NttPoly; L]>::new_uninit();
    let mut matrix = Box::<[[Entry; L]; 2]>::new_uninit();
    let mut hints = Box::<[[i8; 256]; K]>::new_uninit();
    let (z_hat, matrix, hints) = (freeze(&mut *z_hat), freeze(&mut *matrix), freeze(&mut *hints));
    let memory = (SignatureMemory { z_hat, hints }, matrix.as_flattened_mut());
    verify::verify_bytes::<V::Sampling>(const { &params::<V>(K, L) }, pk, mu, signature, memory)
}
