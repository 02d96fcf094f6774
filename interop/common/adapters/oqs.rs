//! liboqs, through whatever `oqs-sys` the workspace has. The parent module names it (`LIBOQS`,
//! `LIBOQS_REMARK`).
//!
//! liboqs lets a program replace its generator: here the bytes come from a tape of the calling
//! thread.
//!
//! # Soundness
//! The object that `OQS_KEM_new` returns is a table of sizes and functions that nobody writes to
//! afterwards; it is freed once. Every buffer is checked against the sizes in that table before its
//! address is passed on.

use std::{cell::RefCell, ffi::CString, ptr::NonNull, slice, sync::Once};

use interop_common::{kem::randomness, random::stretch};

use oqs_sys::{
    common::{OQS_STATUS, OQS_init},
    kem::{OQS_KEM, OQS_KEM_free, OQS_KEM_new},
    rand::OQS_randombytes_custom_algorithm,
};

use super::{Failure, Implementation, LIBOQS, LIBOQS_REMARK};

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
    static INIT: Once = Once::new();
    // SAFETY: once, before anything else of the library; the generator has the type asked for.
    INIT.call_once(|| unsafe {
        OQS_init();
        OQS_randombytes_custom_algorithm(Some(from_tape));
    });
    let algorithm = super::algorithms().find(|name| *name == algorithm)?;
    let name = CString::new(algorithm).ok()?;
    // SAFETY: a string with its zero; the library copies nothing of it.
    let kem = NonNull::new(unsafe { OQS_KEM_new(name.as_ptr()) })?;
    Some(Box::new(Oqs { algorithm, kem, randomness: randomness(algorithm) }))
}

impl Oqs {
    fn table(&self) -> &OQS_KEM {
        // SAFETY: points to the library's object as long as `self` lives.
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
        set_tape(seed, self.randomness.0);
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
        set_tape(m, self.randomness.1);
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

/// The bytes that the library's next calls for randomness get, and how many are gone.
struct Tape {
    bytes: [u8; 4096],
    start: usize,
    end: usize,
}

thread_local! {
    static TAPE: RefCell<Tape> = const { RefCell::new(Tape { bytes: [0; 4096], start: 0, end: 0 }) };
}

/// Lays out `bytes`, stretched if more are needed, as the thread's next randomness.
fn set_tape(bytes: &[u8], needed: usize) {
    TAPE.with_borrow_mut(|tape| {
        (tape.start, tape.end) = (0, needed);
        let to = &mut tape.bytes[..needed];
        if needed == bytes.len() {
            to.copy_from_slice(bytes);
        } else {
            stretch(bytes, to);
        }
    });
}

/// The generator given to liboqs. Aborts (a panic in C) if asked for more than the tape holds.
unsafe extern "C" fn from_tape(out: *mut u8, length: usize) {
    // SAFETY: liboqs passes a buffer of this length.
    let out = unsafe { slice::from_raw_parts_mut(out, length) };
    TAPE.with_borrow_mut(|tape| {
        out.copy_from_slice(&tape.bytes[..tape.end][tape.start..][..length]);
        tape.start += length;
    });
}
