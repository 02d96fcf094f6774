//! The operations of KEMs and signature schemes with their results as values, and a comparison.

use anyhow::{Result, ensure};
use oaklath_kem::{Error, Kem};
use oaklath_sig::{Message, Signature};

/// Returns the public and the secret key of a seed.
///
/// # Errors
/// If the operation fails.
pub fn keypair(kem: &dyn Kem, seed: &[u8]) -> Result<(Vec<u8>, Vec<u8>), Error> {
    let mut public = vec![0; kem.info().public_key];
    let mut secret = vec![0; kem.info().secret_key];
    kem.keypair_from(seed, &mut public, &mut secret)?;
    Ok((public, secret))
}

/// Returns a ciphertext and the shared secret.
///
/// # Errors
/// If the operation fails.
pub fn encapsulate(
    kem: &dyn Kem,
    coins: &[u8],
    public: &[u8],
) -> Result<(Vec<u8>, Vec<u8>), Error> {
    let mut ciphertext = vec![0; kem.info().ciphertext];
    let mut shared = vec![0; kem.info().shared_secret];
    kem.encapsulate_from(coins, public, &mut ciphertext, &mut shared)?;
    Ok((ciphertext, shared))
}

/// Returns the shared secret of a ciphertext.
///
/// # Errors
/// If the operation fails.
pub fn decapsulate(kem: &dyn Kem, secret: &[u8], ciphertext: &[u8]) -> Result<Vec<u8>, Error> {
    let mut shared = vec![0; kem.info().shared_secret];
    kem.decapsulate(secret, ciphertext, &mut shared)?;
    Ok(shared)
}

/// Returns the public and the private key of a signature scheme.
///
/// # Errors
/// If the operation fails.
pub fn signing_keypair(
    scheme: &dyn Signature,
    seed: &[u8],
) -> Result<(Vec<u8>, Vec<u8>), oaklath_sig::Error> {
    let mut public = vec![0; scheme.info().public_key];
    let mut private = vec![0; scheme.info().secret_key];
    scheme.keypair_from(seed, &mut public, &mut private)?;
    Ok((public, private))
}

/// Returns the signature, which must be the same with the key's bytes and with the prepared key.
///
/// # Errors
/// If the operation fails.
pub fn sign(
    scheme: &dyn Signature,
    private: &[u8],
    message: &Message<'_>,
    coins: Option<&[u8]>,
) -> Result<Vec<u8>> {
    let mut signature = vec![0; scheme.info().signature];
    let len = scheme.sign(private, message, coins, &mut signature)?;
    let mut again = vec![0; signature.len()];
    let prepared = scheme.prepare_signer(private)?.sign(message, coins, &mut again)?;
    same("the signature with a prepared key", &again[..prepared], &signature[..len])?;
    signature.truncate(len);
    Ok(signature)
}

/// Compares two results.
///
/// # Errors
/// If the two differ.
pub fn same(what: &str, found: &[u8], expected: &[u8]) -> Result<()> {
    ensure!(found == expected, "{what} differs");
    Ok(())
}
