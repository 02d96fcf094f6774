//! KEMs and signatures of liboqs 0.7.2, by its names.
//!
//! # Soundness
//! The objects that `OQS_KEM_new` and `OQS_SIG_new` return are tables of sizes and functions that
//! nobody writes to afterwards; each is freed once. Every buffer has the length in that table
//! before its address is passed on.

use std::{ffi::CString, ptr::NonNull};

use oqs_sys::{
    common::OQS_STATUS,
    kem::{OQS_KEM, OQS_KEM_free, OQS_KEM_new},
    sig::{OQS_SIG, OQS_SIG_free, OQS_SIG_new},
};

/// A KEM. Its functions return `None` for an input of another length or an error of the library.
pub(crate) struct Kem(NonNull<OQS_KEM>);

impl Kem {
    pub(crate) fn new(name: &str) -> Option<Self> {
        let name = CString::new(name).ok()?;
        // SAFETY: a string that ends with zero, to which the library keeps no pointer.
        NonNull::new(unsafe { OQS_KEM_new(name.as_ptr()) }).map(Self)
    }

    /// Makes a public key and its private key.
    pub(crate) fn keypair(&self) -> Option<[Vec<u8>; 2]> {
        let table = self.table();
        let mut keys = [vec![0; table.length_public_key], vec![0; table.length_secret_key]];
        // SAFETY: both buffers have the library's lengths.
        let status = unsafe { table.keypair?(keys[0].as_mut_ptr(), keys[1].as_mut_ptr()) };
        is_success(status).then_some(keys)
    }

    /// Returns a ciphertext and the shared secret.
    pub(crate) fn encapsulate(&self, public: &[u8]) -> Option<[Vec<u8>; 2]> {
        let table = self.table();
        let mut made = [vec![0; table.length_ciphertext], vec![0; table.length_shared_secret]];
        if public.len() != table.length_public_key {
            return None;
        }
        let [ct, ss] = made.each_mut().map(|buffer| buffer.as_mut_ptr());
        // SAFETY: all three buffers have the library's lengths.
        is_success(unsafe { table.encaps?(ct, ss, public.as_ptr()) }).then_some(made)
    }

    /// Returns the shared secret.
    pub(crate) fn decapsulate(&self, private: &[u8], ciphertext: &[u8]) -> Option<Vec<u8>> {
        let table = self.table();
        let lengths = (table.length_secret_key, table.length_ciphertext);
        if (private.len(), ciphertext.len()) != lengths {
            return None;
        }
        let mut secret = vec![0; table.length_shared_secret];
        // SAFETY: all three buffers have the library's lengths.
        let status =
            unsafe { table.decaps?(secret.as_mut_ptr(), ciphertext.as_ptr(), private.as_ptr()) };
        is_success(status).then_some(secret)
    }

    fn table(&self) -> &OQS_KEM {
        // SAFETY: points to the library's object while `self` lives.
        unsafe { self.0.as_ref() }
    }
}

impl Drop for Kem {
    fn drop(&mut self) {
        // SAFETY: made by `OQS_KEM_new`, not used afterwards.
        unsafe { OQS_KEM_free(self.0.as_ptr()) };
    }
}

/// A signature scheme; `None` has the same meanings.
pub(crate) struct Sig(NonNull<OQS_SIG>);

impl Sig {
    pub(crate) fn new(name: &str) -> Option<Self> {
        let name = CString::new(name).ok()?;
        // SAFETY: a string that ends with zero, to which the library keeps no pointer.
        NonNull::new(unsafe { OQS_SIG_new(name.as_ptr()) }).map(Self)
    }

    pub(crate) fn private_key_len(&self) -> usize {
        self.table().length_secret_key
    }

    pub(crate) fn sign(&self, private: &[u8], message: &[u8]) -> Option<Vec<u8>> {
        let table = self.table();
        let mut signature = vec![0; table.length_signature];
        let mut length = 0;
        if private.len() != table.length_secret_key {
            return None;
        }
        // SAFETY: key and signature have the library's lengths, the message has its own.
        let status = unsafe {
            let (message, message_len) = (message.as_ptr(), message.len());
            let signature = signature.as_mut_ptr();
            table.sign?(signature, &mut length, message, message_len, private.as_ptr())
        };
        signature.truncate(length);
        is_success(status).then_some(signature)
    }

    /// Reports whether the signature is valid.
    pub(crate) fn verify(&self, public: &[u8], message: &[u8], signature: &[u8]) -> Option<bool> {
        let table = self.table();
        if public.len() != table.length_public_key || signature.len() > table.length_signature {
            return None;
        }
        // SAFETY: the key has the library's length, message and signature have theirs.
        Some(is_success(unsafe {
            let (message, message_len) = (message.as_ptr(), message.len());
            let (signature, len) = (signature.as_ptr(), signature.len());
            table.verify?(message, message_len, signature, len, public.as_ptr())
        }))
    }

    fn table(&self) -> &OQS_SIG {
        // SAFETY: points to the library's object while `self` lives.
        unsafe { self.0.as_ref() }
    }
}

impl Drop for Sig {
    fn drop(&mut self) {
        // SAFETY: made by `OQS_SIG_new`, not used afterwards.
        unsafe { OQS_SIG_free(self.0.as_ptr()) };
    }
}

fn is_success(status: OQS_STATUS) -> bool {
    status == OQS_STATUS::OQS_SUCCESS
}
