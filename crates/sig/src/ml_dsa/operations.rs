//! The operations of a variant with a matrix of `K` times `L` polynomials: they declare the memory.
#[cfg(feature = "alloc")]
use alloc::boxed::Box;

use oaklath_poly::q8380417::{Entry, NttPoly, Poly, Small};
#[cfg(feature = "alloc")]
use oaklath_simd::freeze;
use oaklath_simd::{scratch, secret};

use super::expand_mask::MASKS;
use super::keygen::{self, KeygenMemory};
use super::params::{SEED, T0};
use super::secrets::SecretsMemory;
use super::sign::{self, SigningInput};
use super::variant::{MlDsaVariant, params};
use super::verify::{self, SignatureMemory};
use crate::error::Error;

/// Makes a key pair and writes both keys.
pub(super) fn keygen<V: MlDsaVariant, const K: usize, const L: usize>(
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
pub(super) fn public_key<V: MlDsaVariant, const K: usize, const L: usize>(
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
pub(super) fn sign<V: MlDsaVariant, const K: usize, const L: usize>(
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
pub(super) fn sign_low_memory<V: MlDsaVariant, const K: usize, const L: usize>(
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
pub(super) fn verify<V: MlDsaVariant, const K: usize, const L: usize>(
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
pub(super) fn verify_on_heap<V: MlDsaVariant, const K: usize, const L: usize>(
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
