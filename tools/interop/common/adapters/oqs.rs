//! The KEMs of liboqs, through the `oqs-sys` of the including workspace. The parent module names
//! the library (`LIBOQS`, `LIBOQS_REMARK`).
//!
//! # Soundness
//! The object that `OQS_KEM_new` returns is a table of sizes and functions that nobody writes to
//! afterwards; it is freed once. Every buffer is checked against the sizes in that table before its
//! address is passed on.

use std::{ffi::CString, ptr::NonNull};

use interop_common::{kem::randomness, random::stretch};

use oqs_sys::{
    common::OQS_STATUS,
    kem::{OQS_KEM, OQS_KEM_free, OQS_KEM_new},
};

use super::{Failure, Implementation, LIBOQS, LIBOQS_REMARK};
use crate::oqs_tape;

struct Oqs {
    algorithm: &'static str,
    kem: NonNull<OQS_KEM>,
    /// Bytes of randomness for a key pair and for a ciphertext.
    randomness: (usize, usize),
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
    let kem = NonNull::new(unsafe { OQS_KEM_new(name.as_ptr()) })?;
    Some(Box::new(Oqs { algorithm, kem, randomness: randomness(algorithm) }))
}

impl Oqs {
    fn table(&self) -> &OQS_KEM {
        // SAFETY: points to the library's object while `self` lives.
        unsafe { self.kem.as_ref() }
    }
}

impl Drop for Oqs {
    fn drop(&mut self) {
        // SAFETY: made by `OQS_KEM_new`, not used afterwards.
        unsafe { OQS_KEM_free(self.kem.as_ptr()) };
    }
}

impl Implementation for Oqs {
    fn library(&self) -> &'static str {
        LIBOQS
    }

    fn algorithm(&self) -> &'static str {
        self.algorithm
    }

    fn remark(&self) -> &'static str {
        LIBOQS_REMARK
    }

    fn keypair(&self, seed: &[u8; 64], pk: &mut [u8], sk: &mut [u8]) -> Result<(), Failure> {
        let table = self.table();
        assert_eq!((pk.len(), sk.len()), (table.length_public_key, table.length_secret_key));
        lay_out(seed, self.randomness.0);
        let keypair = table.keypair.ok_or(Failure::NotOffered)?;
        // SAFETY: both buffers have the library's lengths.
        done(unsafe { keypair(pk.as_mut_ptr(), sk.as_mut_ptr()) })
    }

    fn encapsulate(
        &self,
        m: &[u8; 32],
        pk: &[u8],
        ct: &mut [u8],
        ss: &mut [u8],
    ) -> Result<(), Failure> {
        let table = self.table();
        assert_eq!((ct.len(), ss.len()), (table.length_ciphertext, table.length_shared_secret));
        assert_eq!(pk.len(), table.length_public_key);
        lay_out(m, self.randomness.1);
        let encaps = table.encaps.ok_or(Failure::NotOffered)?;
        // SAFETY: all three buffers have the library's lengths.
        done(unsafe { encaps(ct.as_mut_ptr(), ss.as_mut_ptr(), pk.as_ptr()) })
    }

    fn decapsulate(&self, sk: &[u8], ct: &[u8], ss: &mut [u8]) -> Result<(), Failure> {
        let table = self.table();
        assert_eq!((ct.len(), ss.len()), (table.length_ciphertext, table.length_shared_secret));
        assert_eq!(sk.len(), table.length_secret_key);
        let decaps = table.decaps.ok_or(Failure::NotOffered)?;
        // SAFETY: all three buffers have the library's lengths.
        done(unsafe { decaps(ss.as_mut_ptr(), ct.as_ptr(), sk.as_ptr()) })
    }
}

fn done(status: OQS_STATUS) -> Result<(), Failure> {
    match status {
        OQS_STATUS::OQS_SUCCESS => Ok(()),
        _ => Err(Failure::Refused),
    }
}

/// Sets the thread's next randomness to `bytes`, stretched if more are needed.
fn lay_out(bytes: &[u8], needed: usize) {
    if needed == bytes.len() {
        return oqs_tape::set(bytes);
    }
    let mut stretched = vec![0; needed];
    stretch(bytes, &mut stretched);
    oqs_tape::set(&stretched);
}
