//! purecrypto's Falcon: portable Rust, with doubles emulated by integers. Its sampler draws one or
//! nine bytes at a time, so that its signatures differ from the reference's.

use interop_common::random::Inputs;
use interop_common::sig::padded;
use purecrypto::falcon::{FalconPrivateKey, FalconPublicKey, Format};
use purecrypto::rng::{CryptoRng, RngCore};

use super::{Coins, Failure, Implementation, Keys, Signer, Verifier, algorithms};

pub(super) fn implementation(algorithm: &str) -> Option<Box<dyn Implementation>> {
    let name = algorithms().find(|name| *name == algorithm)?;
    Some(Box::new(Falcon { name, padded: padded(name)? }))
}

struct Falcon {
    name: &'static str,
    padded: usize,
}

/// A cheap endless stream of bytes that depends on the coins.
struct Stream(Inputs);

impl Stream {
    fn new(coins: &[u8]) -> Self {
        let first = coins.first_chunk().expect("88 bytes");
        Self(Inputs::from_seed(u64::from_le_bytes(*first)))
    }
}

impl RngCore for Stream {
    fn fill_bytes(&mut self, dest: &mut [u8]) {
        for chunk in dest.chunks_mut(8) {
            chunk.copy_from_slice(&self.0.number().to_le_bytes()[..chunk.len()]);
        }
    }
}

impl CryptoRng for Stream {}

impl Implementation for Falcon {
    fn library(&self) -> &'static str {
        "purecrypto 0.10.4"
    }

    fn algorithm(&self) -> &'static str {
        self.name
    }

    fn coins(&self) -> Coins {
        Coins::Own("SplitMix64 of the coins")
    }

    fn remark(&self) -> &'static str {
        "portable; emulated doubles; checks private keys; kept keys are expanded; keygen takes seconds and is left out"
    }

    fn is_slow(&self) -> bool {
        true
    }

    fn keypair(&self, _: &[u8], _: &mut [u8], _: &mut [u8]) -> Result<(), Failure> {
        Err(Failure::NotOffered)
    }

    fn sign(
        &self,
        sk: &[u8],
        message: &[u8],
        coins: Option<&[u8]>,
        signature: &mut [u8],
    ) -> Result<usize, Failure> {
        let key = FalconPrivateKey::from_bytes(sk).map_err(|_| Failure::Refused)?;
        sign(&key, message, coins, signature)
    }

    fn verify(&self, pk: &[u8], message: &[u8], signature: &[u8]) -> Result<(), Failure> {
        let key = FalconPublicKey::from_bytes(pk).map_err(|_| Failure::Refused)?;
        verify(&key, self.padded, message, signature)
    }

    fn expand_secret(&self, keys: &Keys) -> Option<Signer> {
        let key = FalconPrivateKey::from_bytes(&keys.secret).ok()?;
        Some(Box::new(move |message, coins, signature| sign(&key, message, coins, signature)))
    }

    fn expand_public(&self, keys: &Keys) -> Option<Verifier> {
        let (key, padded) = (FalconPublicKey::from_bytes(&keys.public).ok()?, self.padded);
        Some(Box::new(move |message, signature| verify(&key, padded, message, signature)))
    }
}

fn sign(
    key: &FalconPrivateKey,
    message: &[u8],
    coins: Option<&[u8]>,
    signature: &mut [u8],
) -> Result<usize, Failure> {
    let mut stream = Stream::new(coins.ok_or(Failure::NotOffered)?);
    let made = key.try_sign(message, &mut stream).map_err(|_| Failure::Refused)?;
    signature[..made.len()].copy_from_slice(&made);
    Ok(made.len())
}

/// Verifies a signature. One of another length than the padded one is compressed, for which the
/// library expects another header.
fn verify(
    key: &FalconPublicKey,
    padded: usize,
    message: &[u8],
    signature: &[u8],
) -> Result<(), Failure> {
    let valid = if signature.len() == padded {
        key.verify_with_format(message, signature, Format::Padded)
    } else {
        let mut signature = signature.to_vec();
        signature[0] ^= 0x30 ^ 0x20;
        key.verify_with_format(message, &signature, Format::Compressed)
    };
    if valid == Ok(true) { Ok(()) } else { Err(Failure::Refused) }
}
