//! The operations of a KEM with results as values, and their comparison.

use anyhow::{Result, ensure};
use oaklath_kem::{Error, Kem};

/// Public and secret key of a seed.
pub(super) fn keypair(kem: &dyn Kem, seed: &[u8]) -> Result<(Vec<u8>, Vec<u8>), Error> {
    let mut public = vec![0; kem.info().public_key];
    let mut secret = vec![0; kem.info().secret_key];
    kem.keypair_from(seed, &mut public, &mut secret)?;
    Ok((public, secret))
}

/// Ciphertext and shared secret.
pub(super) fn encapsulate(
    kem: &dyn Kem,
    coins: &[u8],
    public: &[u8],
) -> Result<(Vec<u8>, Vec<u8>), Error> {
    let mut ciphertext = vec![0; kem.info().ciphertext];
    let mut shared = vec![0; kem.info().shared_secret];
    kem.encapsulate_from(coins, public, &mut ciphertext, &mut shared)?;
    Ok((ciphertext, shared))
}

/// The shared secret.
pub(super) fn decapsulate(
    kem: &dyn Kem,
    secret: &[u8],
    ciphertext: &[u8],
) -> Result<Vec<u8>, Error> {
    let mut shared = vec![0; kem.info().shared_secret];
    kem.decapsulate(secret, ciphertext, &mut shared)?;
    Ok(shared)
}

/// Refuses a difference.
pub(super) fn same(what: &str, found: &[u8], expected: &[u8]) -> Result<()> {
    ensure!(found == expected, "{what} differs");
    Ok(())
}
