//! The signature schemes of liboqs, through the `oqs-sys` of the including workspace. The parent
//! module names the library (`LIBOQS`, `LIBOQS_REMARK`).
//!
//! # Soundness
//! The object that `OQS_SIG_new` returns is a table of sizes and functions that nobody writes to
//! afterwards; it is freed once. Every buffer is checked against the sizes in that table before its
//! address is passed on.

use std::{ffi::CString, ptr::NonNull};

use oqs_sys::{
    common::OQS_STATUS,
    sig::{OQS_SIG, OQS_SIG_free, OQS_SIG_new},
};

use super::{Coins, Failure, Implementation, LIBOQS, LIBOQS_REMARK};
use crate::oqs_tape;

struct Oqs {
    algorithm: &'static str,
    sig: NonNull<OQS_SIG>,
}

// SAFETY: the table is only read, and its functions keep no state but the thread's tape.
unsafe impl Send for Oqs {}
// SAFETY: as above.
unsafe impl Sync for Oqs {}

pub(super) fn implementation(algorithm: &str) -> Option<Box<dyn Implementation>> {
    oqs_tape::install();
    let algorithm = super::algorithms().find(|name| *name == algorithm)?;
    let name = CString::new(algorithm).ok()?;
    // SAFETY: a string that ends with zero; the library keeps no pointer to it.
    let sig = NonNull::new(unsafe { OQS_SIG_new(name.as_ptr()) })?;
    Some(Box::new(Oqs { algorithm, sig }))
}

impl Oqs {
    fn table(&self) -> &OQS_SIG {
        // SAFETY: points to the library's object while `self` lives.
        unsafe { self.sig.as_ref() }
    }
}

impl Drop for Oqs {
    fn drop(&mut self) {
        // SAFETY: made by `OQS_SIG_new`, not used afterwards.
        unsafe { OQS_SIG_free(self.sig.as_ptr()) };
    }
}

impl Implementation for Oqs {
    fn library(&self) -> &'static str {
        LIBOQS
    }

    fn algorithm(&self) -> &'static str {
        self.algorithm
    }

    /// Returns the possible coins: ML-DSA is deterministic if rnd is zero, Dilithium draws the rho'
    /// that a deterministic signature would derive, and Falcon is never deterministic.
    fn coins(&self) -> Coins {
        if self.algorithm.starts_with("ML-DSA") { Coins::Any } else { Coins::Given }
    }

    fn remark(&self) -> &'static str {
        LIBOQS_REMARK
    }

    fn keypair(&self, seed: &[u8], pk: &mut [u8], sk: &mut [u8]) -> Result<(), Failure> {
        let table = self.table();
        assert_eq!((pk.len(), sk.len()), (table.length_public_key, table.length_secret_key));
        oqs_tape::set(seed);
        let keypair = table.keypair.ok_or(Failure::NotOffered)?;
        // SAFETY: both buffers have the library's lengths.
        done(unsafe { keypair(pk.as_mut_ptr(), sk.as_mut_ptr()) })
    }

    fn sign(
        &self,
        sk: &[u8],
        message: &[u8],
        coins: Option<&[u8]>,
        signature: &mut [u8],
    ) -> Result<usize, Failure> {
        let table = self.table();
        assert_eq!(sk.len(), table.length_secret_key);
        match (coins, self.coins()) {
            (Some(coins), _) => oqs_tape::set(coins),
            (None, Coins::Any) => oqs_tape::set(&[0; 32]),
            (None, _) => return Err(Failure::NotOffered),
        }
        let sign = table.sign.ok_or(Failure::NotOffered)?;
        let mut length = 0;
        // Signatures of Falcon may be longer there than ours.
        let mut longest = Vec::new();
        let room = if signature.len() < table.length_signature {
            longest.resize(table.length_signature, 0);
            &mut longest[..]
        } else {
            &mut *signature
        };
        // SAFETY: key and message have their lengths, the signature has at least the library's.
        done(unsafe {
            let (message, message_length) = (message.as_ptr(), message.len());
            sign(room.as_mut_ptr(), &mut length, message, message_length, sk.as_ptr())
        })?;
        if !longest.is_empty() {
            signature
                .get_mut(..length)
                .ok_or(Failure::Refused)?
                .copy_from_slice(&longest[..length]);
        }
        Ok(length)
    }

    fn verify(&self, pk: &[u8], message: &[u8], signature: &[u8]) -> Result<(), Failure> {
        let table = self.table();
        assert_eq!(pk.len(), table.length_public_key);
        let verify = table.verify.ok_or(Failure::NotOffered)?;
        // SAFETY: the key has the library's length, message and signature have theirs.
        done(unsafe {
            let (message, message_length) = (message.as_ptr(), message.len());
            verify(message, message_length, signature.as_ptr(), signature.len(), pk.as_ptr())
        })
    }
}

fn done(status: OQS_STATUS) -> Result<(), Failure> {
    match status {
        OQS_STATUS::OQS_SUCCESS => Ok(()),
        _ => Err(Failure::Refused),
    }
}
