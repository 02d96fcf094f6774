//! Our implementation, through both layers: bytes through the object-safe one, kept matrices
//! through the typed one.

use oaklath_kem::{
    Ciphertext, DecapsulationKey, EncapsulationKey, FireSaber, Kem, Kyber90s512, Kyber90s768,
    Kyber90s1024, Kyber512, Kyber768, Kyber1024, LightSaber, MlKem512, MlKem768, MlKem1024,
    NtruHps2048509, NtruHps2048677, NtruHps4096821, NtruHrss701, Saber,
};

use super::{Decapsulator, Encapsulator, Failure, Implementation, Keys};
use crate::random::stretch;

struct Oaklath(&'static dyn Kem);

pub(super) fn implementation(algorithm: &str) -> Box<dyn Implementation> {
    Box::new(Oaklath(oaklath_kem::by_name(algorithm).expect("an algorithm of `algorithms`")))
}

/// Runs the body with `$set` as the set of this name; returns none for a set without a row here.
macro_rules! with_set {
    ($name:expr, $set:ident => $body:expr) => {
        with_set!(@rows $name, $set, $body,
            "ML-KEM-512"    MlKem512
            "ML-KEM-768"    MlKem768
            "ML-KEM-1024"   MlKem1024
            "Kyber512"      Kyber512
            "Kyber768"      Kyber768
            "Kyber1024"     Kyber1024
            "Kyber512-90s"  Kyber90s512
            "Kyber768-90s"  Kyber90s768
            "Kyber1024-90s" Kyber90s1024
            "NTRU-HPS-2048-509" NtruHps2048509
            "NTRU-HPS-2048-677" NtruHps2048677
            "NTRU-HPS-4096-821" NtruHps4096821
            "NTRU-HRSS-701" NtruHrss701
            "LightSaber-KEM" LightSaber
            "Saber-KEM" Saber
            "FireSaber-KEM" FireSaber
        )
    };
    (@rows $name:expr, $set:ident, $body:expr, $($row:literal $type:ident)*) => {
        match $name {
            $($row => {
                type $set = $type;
                $body
            })*
            _ => None,
        }
    };
}

/// Runs `f` with `bytes`, stretched if more are needed.
fn with_length<R>(bytes: &[u8], needed: usize, f: impl FnOnce(&[u8]) -> R) -> R {
    if needed == bytes.len() {
        return f(bytes);
    }
    let mut more = [0; 4096];
    stretch(bytes, &mut more[..needed]);
    f(&more[..needed])
}

impl Implementation for Oaklath {
    fn library(&self) -> &'static str {
        "oaklath"
    }

    fn algorithm(&self) -> &'static str {
        self.0.info().name
    }

    fn remark(&self) -> &'static str {
        "checks ek, dk and the hash in dk; erases secrets"
    }

    fn keypair(&self, seed: &[u8; 64], pk: &mut [u8], sk: &mut [u8]) -> Result<(), Failure> {
        with_length(seed, self.0.seed_len(), |seed| self.0.keypair_from(seed, pk, sk))
            .map_err(|_| Failure::Refused)
    }

    fn encapsulate(
        &self,
        m: &[u8; 32],
        pk: &[u8],
        ct: &mut [u8],
        ss: &mut [u8],
    ) -> Result<(), Failure> {
        with_length(m, self.0.coins_len(), |m| self.0.encapsulate_from(m, pk, ct, ss))
            .map_err(|_| Failure::Refused)
    }

    fn decapsulate(&self, sk: &[u8], ct: &[u8], ss: &mut [u8]) -> Result<(), Failure> {
        self.0.decapsulate(sk, ct, ss).map_err(|_| Failure::Refused)
    }

    fn prepare(&self, keys: &Keys) -> Option<Decapsulator> {
        let key = self.0.prepare(&keys.secret).ok()?;
        Some(Box::new(move |ct, ss| {
            key.decapsulate(ct, ss).expect("a ciphertext of the right length");
        }))
    }

    fn expand_public(&self, keys: &Keys) -> Option<Encapsulator> {
        with_set!(self.algorithm(), Set => {
            let key = EncapsulationKey::<Set>::from_bytes(&keys.public).ok()?.expand();
            let len = self.0.coins_len();
            Some(Box::new(move |m, ct, ss| {
                let (ciphertext, secret) = with_length(m, len, |m| {
                    key.encapsulate_from(&m.try_into().expect("coins of their length"))
                });
                ct.copy_from_slice(ciphertext.as_bytes());
                ss.copy_from_slice(secret.as_bytes());
            }))
        })
    }

    fn expand_secret(&self, keys: &Keys) -> Option<Decapsulator> {
        with_set!(self.algorithm(), Set => {
            let key = DecapsulationKey::<Set>::from_bytes(&keys.secret).ok()?.expand();
            Some(Box::new(move |ct, ss| {
                let ct = Ciphertext::from_bytes(ct).expect("a ciphertext of the right length");
                ss.copy_from_slice(key.decapsulate(&ct).as_bytes());
            }))
        })
    }
}
