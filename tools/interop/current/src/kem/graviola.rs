//! Graviola: ML-KEM-768 with s2n-bignum's assembly. It reads no decapsulation keys, and its keys of
//! either kind hold the matrix. The functions that take randomness are public but undocumented.

use graviola::key_agreement::mlkem768::{Ciphertext, DecapKey, EncapKey, Message};

use super::{Decapsulator, Encapsulator, Failure, Implementation, Keys};

struct Graviola;

pub(super) fn implementation(algorithm: &str) -> Option<Box<dyn Implementation>> {
    (algorithm == "ML-KEM-768").then(|| Box::new(Graviola) as _)
}

impl Implementation for Graviola {
    fn library(&self) -> &'static str {
        "graviola 0.4.2"
    }

    fn algorithm(&self) -> &'static str {
        "ML-KEM-768"
    }

    fn remark(&self) -> &'static str {
        "ML-KEM-768 only; checks ek; reads no dk, so none from bytes; kept keys hold the matrix"
    }

    fn keypair(&self, seed: &[u8; 64], pk: &mut [u8], sk: &mut [u8]) -> Result<(), Failure> {
        let key = DecapKey::keygen_internal(seed);
        pk.copy_from_slice(&key.encapsulation_key().as_bytes());
        sk.copy_from_slice(&key.as_bytes());
        Ok(())
    }

    fn encapsulate(
        &self,
        m: &[u8; 32],
        pk: &[u8],
        ct: &mut [u8],
        ss: &mut [u8],
    ) -> Result<(), Failure> {
        let pk = pk.try_into().map_err(|_| Failure::Refused)?;
        let key = EncapKey::from_bytes(pk).map_err(|_| Failure::Refused)?;
        let (secret, ciphertext) = key.encaps_internal(Message(*m));
        ct.copy_from_slice(ciphertext.as_ref());
        ss.copy_from_slice(secret.as_ref());
        Ok(())
    }

    fn decapsulate(&self, _sk: &[u8], _ct: &[u8], _ss: &mut [u8]) -> Result<(), Failure> {
        Err(Failure::NotOffered)
    }

    fn expand_public(&self, keys: &Keys) -> Option<Encapsulator> {
        let key = EncapKey::from_bytes(keys.public.as_slice().try_into().ok()?).ok()?;
        Some(Box::new(move |m, ct, ss| {
            // The interface consumes the key: copying the matrix is part of its cost.
            let (secret, ciphertext) = key.clone().encaps_internal(Message(*m));
            ct.copy_from_slice(ciphertext.as_ref());
            ss.copy_from_slice(secret.as_ref());
        }))
    }

    fn expand_secret(&self, keys: &Keys) -> Option<Decapsulator> {
        let key = DecapKey::keygen_internal(&keys.seed);
        Some(Box::new(move |ct, ss| {
            let ct: [u8; _] = ct.try_into().expect("a ciphertext of the right length");
            ss.copy_from_slice(key.decaps_internal(&Ciphertext::from(ct)).as_ref());
        }))
    }
}
