//! The KAT texts of NIST's competition. The seeds come from NIST's generator, and each record has
//! the results: for a KEM keys, ciphertext and shared secret, for a signature scheme message, keys
//! and signature.

use anyhow::{Context, Result};
use oaklath_kem::Kem;
use oaklath_sig::{Message, Signature};
use sha2::{Digest, Sha256};

use crate::selftest::drbg::{Drbg, entropies, messages};
use crate::selftest::operations::{decapsulate, encapsulate, keypair, same, sign, signing_keypair};

/// An algorithm that has a KAT text.
#[derive(Clone, Copy, Debug)]
pub enum KatSubject {
    /// A KEM.
    Kem(&'static dyn Kem),
    /// A signature scheme.
    Signature(&'static dyn Signature),
}

impl KatSubject {
    /// Returns the preferred name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Kem(kem) => kem.info().name,
            Self::Signature(scheme) => scheme.info().name,
        }
    }

    pub(crate) fn needs_coins(self) -> bool {
        matches!(self, Self::Signature(scheme) if scheme.needs_coins())
    }

    /// Returns SHA-256 of the first `records` records, separated by empty lines.
    ///
    /// # Errors
    /// If an operation fails.
    pub fn digest(self, records: usize) -> Result<String> {
        match self {
            Self::Kem(kem) => digest_of(
                entropies().take(records).enumerate().map(|(i, entropy)| record(kem, i, &entropy)),
            ),
            Self::Signature(scheme) => signature_digest(scheme, false, records),
        }
    }
}

/// Returns the offsets at which a KAT generator's draws of a key's seed end: for ML-KEM, d and z at
/// once; Kyber d, then z; NTRU f and g, then the key for rejections; SABER the seeds of A and of s,
/// then z. `None` for a family that is not known here.
fn seed_draws(kem: &dyn Kem) -> Option<Vec<usize>> {
    let whole = kem.seed_len();
    match kem.info().name {
        name if name.starts_with("ML-KEM") => Some(vec![whole]),
        name if name.starts_with("Kyber") => Some(vec![32, whole]),
        name if name.starts_with("NTRU") => Some(vec![whole - 32, whole]),
        name if name.ends_with("Saber-KEM") => Some(vec![32, 64, whole]),
        _ => None,
    }
}

/// Returns record `count` of the text.
///
/// # Errors
/// If an operation fails.
pub fn record(kem: &dyn Kem, count: usize, entropy: &[u8; 48]) -> Result<String> {
    let draws = seed_draws(kem).context("how the KAT text draws its seeds is not known here")?;
    let mut drbg = Drbg::new(entropy);
    let mut seed = vec![0; kem.seed_len()];
    let mut start = 0;
    for end in draws {
        drbg.draw(&mut seed[start..end]);
        start = end;
    }
    let coins = drbg.vec(kem.coins_len());
    let (pk, sk) = keypair(kem, &seed)?;
    let (ct, ss) = encapsulate(kem, &coins, &pk)?;
    same(&format!("record {count}: the shared secret"), &decapsulate(kem, &sk, &ct)?, &ss)?;
    let [seed, pk, sk, ct, ss] =
        [&entropy[..], &pk, &sk, &ct, &ss].map(base16ct::upper::encode_string);
    Ok(format!("count = {count}\nseed = {seed}\npk = {pk}\nsk = {sk}\nct = {ct}\nss = {ss}\n"))
}

/// Returns record `count` of a signature scheme's KAT text. Dilithium has two texts: liboqs signs
/// with random bytes, the submission and `PQClean` without them.
///
/// # Errors
/// If an operation fails.
pub fn signature_record(
    scheme: &dyn Signature,
    deterministic: bool,
    count: usize,
    entropy: &[u8; 48],
    message: &[u8],
) -> Result<String> {
    let mut drbg = Drbg::new(entropy);
    let (pk, sk) = signing_keypair(scheme, &drbg.vec(scheme.seed_len()))?;
    let coins = (!deterministic).then(|| coins(&mut drbg, scheme));
    let signature = sign(scheme, &sk, &Message::new(message), coins.as_deref())?;
    scheme.verify(&pk, &Message::new(message), &signature).context("our own signature")?;
    let sm = signed_message(scheme, &signature, message);
    let (mlen, smlen) = (message.len(), sm.len());
    let [seed, msg, pk, sk, sm] =
        [&entropy[..], message, &pk, &sk, &sm].map(base16ct::upper::encode_string);
    Ok(format!(
        "count = {count}\nseed = {seed}\nmlen = {mlen}\nmsg = {msg}\npk = {pk}\nsk = {sk}\n\
         smlen = {smlen}\nsm = {sm}\n"
    ))
}

/// Draws a signature's random bytes. Falcon's reference draws the nonce, then the sampler's seed.
fn coins(drbg: &mut Drbg, scheme: &dyn Signature) -> Vec<u8> {
    match scheme.info().variable {
        Some(_) => [drbg.vec(40), drbg.vec(48)].concat(),
        None => drbg.vec(scheme.coins_len()),
    }
}

/// Joins signature and message as in the texts. For Falcon: the length of the part after the
/// message, the nonce, the message, a header of another format, s2.
fn signed_message(scheme: &dyn Signature, signature: &[u8], message: &[u8]) -> Vec<u8> {
    if scheme.info().variable.is_none() {
        return [signature, message].concat();
    }
    let (head, s2) = signature.split_at(41);
    let len = (s2.len() + 1) as u16;
    [&len.to_be_bytes(), &head[1..], message, &[head[0] - 0x10], s2].concat()
}

/// Returns SHA-256 of the first `records` records of a signature scheme, separated by empty lines.
///
/// # Errors
/// If an operation fails.
pub fn signature_digest(
    scheme: &dyn Signature,
    deterministic: bool,
    records: usize,
) -> Result<String> {
    digest_of(messages().take(records).enumerate().map(|(i, (entropy, message))| {
        signature_record(scheme, deterministic, i, &entropy, &message)
    }))
}

fn digest_of(records: impl Iterator<Item = Result<String>>) -> Result<String> {
    let texts = records.collect::<Result<Vec<_>>>()?;
    Ok(base16ct::lower::encode_string(&Sha256::digest(texts.join("\n"))))
}
