//! AWS-LC, the library beneath `aws-lc-rs` 1.19: its ML-KEM is mlkem-native with AVX2 assembly.
//!
//! `aws-lc-rs` has no functions that take the randomness, so this calls AWS-LC as `aws-lc-rs` does,
//! but through the deterministic functions of `openssl/experimental/kem_deterministic_api.h`.
//!
//! # Soundness
//! Objects are owned by one value each and freed once. AWS-LC checks the given lengths against its
//! own, and a buffer is always passed with its actual length.

use std::ptr::{self, NonNull};

use aws_lc_sys as aws;

use super::{Decapsulator, Failure, Implementation, Keys};

struct AwsLc {
    algorithm: &'static str,
    nid: i32,
}

pub(super) fn implementation(algorithm: &str) -> Option<Box<dyn Implementation>> {
    let (algorithm, nid) = match algorithm {
        "ML-KEM-512" => ("ML-KEM-512", aws::NID_MLKEM512),
        "ML-KEM-768" => ("ML-KEM-768", aws::NID_MLKEM768),
        "ML-KEM-1024" => ("ML-KEM-1024", aws::NID_MLKEM1024),
        _ => return None,
    };
    Some(Box::new(AwsLc { algorithm, nid }))
}

impl Implementation for AwsLc {
    fn library(&self) -> &'static str {
        "AWS-LC (aws-lc-rs 1.19)"
    }

    fn algorithm(&self) -> &'static str {
        self.algorithm
    }

    fn remark(&self) -> &'static str {
        "mlkem-native; checks ek, dk and the hash in every call, on kept keys too; allocates"
    }

    fn keypair(&self, seed: &[u8; 64], pk: &mut [u8], sk: &mut [u8]) -> Result<(), Failure> {
        let mut length = seed.len();
        let mut key = ptr::null_mut();
        // SAFETY: a fresh context; `key` is null, so the call makes a new key.
        let key = unsafe {
            let context =
                Context::own(aws::EVP_PKEY_CTX_new_id(aws::EVP_PKEY_KEM, ptr::null_mut()))?;
            done(aws::EVP_PKEY_CTX_kem_set_params(context.as_ptr(), self.nid))?;
            done(aws::EVP_PKEY_keygen_init(context.as_ptr()))?;
            let (key, seed) = (&raw mut key, seed.as_ptr());
            done(aws::EVP_PKEY_keygen_deterministic(context.as_ptr(), key, seed, &mut length))?;
            Key::own(*key)?
        };
        let (mut pk_length, mut sk_length) = (pk.len(), sk.len());
        // SAFETY: both calls get the lengths of their buffers and fail if those are too short.
        unsafe {
            let key = key.as_ptr();
            done(aws::EVP_PKEY_get_raw_public_key(key, pk.as_mut_ptr(), &mut pk_length))?;
            done(aws::EVP_PKEY_get_raw_private_key(key, sk.as_mut_ptr(), &mut sk_length))
        }
    }

    fn encapsulate(
        &self,
        m: &[u8; 32],
        pk: &[u8],
        ct: &mut [u8],
        ss: &mut [u8],
    ) -> Result<(), Failure> {
        // SAFETY: the key is copied out of a slice of the length given.
        let key = unsafe {
            Key::own(aws::EVP_PKEY_kem_new_raw_public_key(self.nid, pk.as_ptr(), pk.len()))
        }?;
        let context = key.context()?;
        let (mut ct_length, mut ss_length, mut m_length) = (ct.len(), ss.len(), m.len());
        // SAFETY: each pointer is passed with the length of its buffer.
        done(unsafe {
            aws::EVP_PKEY_encapsulate_deterministic(
                context.as_ptr(),
                ct.as_mut_ptr(),
                &mut ct_length,
                ss.as_mut_ptr(),
                &mut ss_length,
                m.as_ptr(),
                &mut m_length,
            )
        })
    }

    fn decapsulate(&self, sk: &[u8], ct: &[u8], ss: &mut [u8]) -> Result<(), Failure> {
        self.secret(sk)?.decapsulate(ct, ss)
    }

    fn prepare(&self, keys: &Keys) -> Option<Decapsulator> {
        let key = self.secret(&keys.secret).ok()?;
        Some(Box::new(move |ct, ss| key.decapsulate(ct, ss).expect("an intact key")))
    }
}

impl AwsLc {
    fn secret(&self, sk: &[u8]) -> Result<Key, Failure> {
        // SAFETY: the key is copied out of a slice of the length given.
        unsafe { Key::own(aws::EVP_PKEY_kem_new_raw_secret_key(self.nid, sk.as_ptr(), sk.len())) }
    }
}

/// An `EVP_PKEY` that we own.
struct Key(NonNull<aws::EVP_PKEY>);

impl Key {
    /// # Safety
    /// `key` is null or a key that nothing else frees.
    unsafe fn own(key: *mut aws::EVP_PKEY) -> Result<Self, Failure> {
        NonNull::new(key).map(Self).ok_or(Failure::Refused)
    }

    fn as_ptr(&self) -> *mut aws::EVP_PKEY {
        self.0.as_ptr()
    }

    fn context(&self) -> Result<Context, Failure> {
        // SAFETY: a living key; the context holds a reference of its own.
        unsafe { Context::own(aws::EVP_PKEY_CTX_new(self.as_ptr(), ptr::null_mut())) }
    }

    fn decapsulate(&self, ct: &[u8], ss: &mut [u8]) -> Result<(), Failure> {
        let context = self.context()?;
        let (mut length, secret) = (ss.len(), ss.as_mut_ptr());
        let (ct, ct_length) = (ct.as_ptr(), ct.len());
        // SAFETY: each pointer is passed with the length of its buffer.
        done(unsafe {
            aws::EVP_PKEY_decapsulate(context.as_ptr(), secret, &mut length, ct, ct_length)
        })
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        // SAFETY: owned.
        unsafe { aws::EVP_PKEY_free(self.as_ptr()) };
    }
}

/// An `EVP_PKEY_CTX` that we own.
struct Context(NonNull<aws::EVP_PKEY_CTX>);

impl Context {
    /// # Safety
    /// `context` is null or a context that nothing else frees.
    unsafe fn own(context: *mut aws::EVP_PKEY_CTX) -> Result<Self, Failure> {
        NonNull::new(context).map(Self).ok_or(Failure::Refused)
    }

    fn as_ptr(&self) -> *mut aws::EVP_PKEY_CTX {
        self.0.as_ptr()
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: owned.
        unsafe { aws::EVP_PKEY_CTX_free(self.as_ptr()) };
    }
}

/// Converts the status of AWS-LC's functions, which return 1 for success.
fn done(status: i32) -> Result<(), Failure> {
    if status == 1 { Ok(()) } else { Err(Failure::Refused) }
}
