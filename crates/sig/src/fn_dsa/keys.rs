//! Derives both keys from a seed, and the public key from a private key.
use alloc::vec;

use oaklath_hash::sha3::Shake256;
use oaklath_poly::q12289::Poly;
use oaklath_simd::{scratch, secret};
use zeroize::Zeroizing;

use super::encoding::{decode_private, encode_private, encode_public, tail};
use super::keygen;
use super::numbers::{Arithmetic, DefaultArithmetic, DefaultCell};
use super::tree::{self, Basis};
use super::variant::{FalconVariant, PUBLIC_HASH};
use crate::error::Error;

/// Bytes of the seed of a key.
pub(super) const SEED: usize = 48;

/// Hashes a public key; returns zeros for Falcon, which does not use the hash.
pub(super) fn hash_public<V: FalconVariant>(pk: &[u8]) -> [u8; PUBLIC_HASH] {
    let mut hash = [0; PUBLIC_HASH];
    if V::TAIL > 0 {
        Shake256::new().chain(pk).finish().read(&mut hash);
    }
    hash
}

/// Writes both keys of a seed.
#[inline(never)]
pub(super) fn keypair<V: FalconVariant, const N: usize>(
    seed: &[u8; SEED],
    pk: &mut [u8],
    sk: &mut [u8],
) {
    let mut secrets = Zeroizing::new(vec![0; 3 * N]);
    scratch!(h: Poly<N>);
    let (f, rest) = secrets.split_at_mut(N);
    let (g, F) = rest.split_at_mut(N);
    keygen::generate::<<DefaultArithmetic as Arithmetic>::Real>(seed, f, g, F, &mut h[..]);
    let (sk, hash) = sk.split_at_mut(sk.len() - V::TAIL);
    encode_private::<V, N>([f, g, F], sk);
    encode_public::<V, N>(h, pk);
    hash.copy_from_slice(&hash_public::<V>(pk)[..V::TAIL]);
}

/// Checks an encoded private key and writes its public key.
///
/// # Errors
/// [`Error::SecretKeyEncoding`], [`Error::SecretKeyInconsistent`], [`Error::SecretKeyHash`].
#[inline(never)]
pub(super) fn public_key<V: FalconVariant, const N: usize>(
    sk: &[u8],
    pk: &mut [u8],
) -> Result<(), Error> {
    secret!(secrets: [Poly<N>; 4]);
    decode_private::<V, N>(sk, secrets)?;
    scratch!(h: Poly<N>);
    let [f, g, ..] = &*secrets;
    if !(belong_together(secrets) && keygen::quotient(f, g, h)) {
        return Err(Error::SecretKeyInconsistent);
    }
    encode_public::<V, N>(h, pk);
    if tail::<V>(sk) == &hash_public::<V>(pk)[..V::TAIL] {
        Ok(())
    } else {
        Err(Error::SecretKeyHash)
    }
}

/// Returns whether f G - g F = q.
fn belong_together<const N: usize>(secrets: &[Poly<N>; 4]) -> bool {
    secret!(basis: Basis<DefaultCell, N>);
    tree::basis::<DefaultArithmetic, N>(secrets, basis);
    tree::is_ntru::<DefaultArithmetic, N>(basis)
}
