//! Our implementation, through the object-safe layer.

use oaklath_sig::{Error, Message, Signature};

use super::{Coins, Failure, Implementation, Keys, Signer, Verifier};

struct Oaklath(&'static dyn Signature);

pub(super) fn implementation(algorithm: &str) -> Box<dyn Implementation> {
    Box::new(Oaklath(oaklath_sig::by_name(algorithm).expect("an algorithm of `algorithms`")))
}

impl Implementation for Oaklath {
    fn library(&self) -> &'static str {
        "oaklath"
    }

    fn algorithm(&self) -> &'static str {
        self.0.info().name
    }

    fn remark(&self) -> &'static str {
        "checks ranges in keys; erases secrets; kept keys hold the matrix, of Falcon the tree"
    }

    fn coins(&self) -> Coins {
        if self.0.needs_coins() { Coins::Given } else { Coins::Any }
    }

    fn keypair(&self, seed: &[u8], pk: &mut [u8], sk: &mut [u8]) -> Result<(), Failure> {
        self.0.keypair_from(seed, pk, sk).map_err(refused)
    }

    fn sign(
        &self,
        sk: &[u8],
        message: &[u8],
        coins: Option<&[u8]>,
        signature: &mut [u8],
    ) -> Result<usize, Failure> {
        self.0.sign(sk, &Message::new(message), coins, signature).map_err(refused)
    }

    fn verify(&self, pk: &[u8], message: &[u8], signature: &[u8]) -> Result<(), Failure> {
        self.0.verify(pk, &Message::new(message), signature).map_err(refused)
    }

    fn expand_secret(&self, keys: &Keys) -> Option<Signer> {
        let key = self.0.prepare_signer(&keys.secret).ok()?;
        Some(Box::new(move |message, coins, signature| {
            key.sign(&Message::new(message), coins, signature).map_err(refused)
        }))
    }

    fn expand_public(&self, keys: &Keys) -> Option<Verifier> {
        let key = self.0.prepare_verifier(&keys.public).ok()?;
        Some(Box::new(move |message, signature| {
            key.verify(&Message::new(message), signature).map_err(refused)
        }))
    }
}

fn refused(_: Error) -> Failure {
    Failure::Refused
}
