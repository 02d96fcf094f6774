//! hash-sigs, Cisco's implementation in C, from liboqs (`build.rs` repairs it). Its working key has
//! as much memory for nodes as ours, and grows the next subtrees and trees with each signature.
//!
//! # Soundness
//! The declarations are those of `hss.h`. Every buffer is passed with its length; types are checked
//! before. A working key is used by one caller, and freed once.

use std::{
    ffi::{c_int, c_uint, c_void},
    mem, ptr,
};

use interop_common::stateful::hss_types;
use oaklath_params::stateful::lms::{LmotsType, LmsType};
use oaklath_stateful::NODE_BYTES;
use oqs_sys::rand::OQS_randombytes;

use super::{Failure, Implementation, Key};
use crate::oqs_tape;

/// `param_set_t`, a `uint_fast32_t`.
type Types = libc::c_ulong;

/// `struct hss_extra_info`.
#[repr(C)]
struct ExtraInfo {
    threads: c_int,
    is_last: bool,
    error: c_int,
}

/// Reads or writes the private key; `None`, since the key is in memory.
type Medium = Option<extern "C" fn(*mut u8, usize, *mut c_void) -> bool>;

unsafe extern "C" {
    #[link_name = "OQS_LMS_NAMESPACE_hss_generate_private_key"]
    fn generate_private_key(
        random: extern "C" fn(*mut c_void, usize) -> bool,
        levels: c_uint,
        trees: *const Types,
        ots: *const Types,
        update: Medium,
        private: *mut c_void,
        public: *mut u8,
        public_len: usize,
        aux: *mut u8,
        aux_len: usize,
        info: *mut ExtraInfo,
    ) -> bool;

    #[link_name = "OQS_LMS_NAMESPACE_hss_load_private_key"]
    fn load_private_key(
        read: Medium,
        private: *mut c_void,
        memory: usize,
        aux: *const u8,
        aux_len: usize,
        info: *mut ExtraInfo,
    ) -> *mut c_void;

    #[link_name = "OQS_LMS_NAMESPACE_hss_free_working_key"]
    fn free_working_key(working: *mut c_void);

    #[link_name = "OQS_LMS_NAMESPACE_hss_get_signature_len"]
    fn signature_len(levels: c_uint, trees: *const Types, ots: *const Types) -> usize;

    #[link_name = "OQS_LMS_NAMESPACE_hss_generate_signature"]
    fn generate_signature(
        working: *mut c_void,
        update: Medium,
        private: *mut c_void,
        message: *const c_void,
        message_len: usize,
        signature: *mut u8,
        signature_len: usize,
        info: *mut ExtraInfo,
    ) -> bool;

    #[link_name = "OQS_LMS_NAMESPACE_hss_validate_signature"]
    fn validate_signature(
        public: *const u8,
        message: *const c_void,
        message_len: usize,
        signature: *const u8,
        signature_len: usize,
        info: *mut ExtraInfo,
    ) -> bool;
}

/// `PRIVATE_KEY_LEN`: the bytes of index, types, seed and I.
const PRIVATE: usize = 8 + 8 + 32 + 16;
/// The bytes of the number of levels, types, I and root.
const PUBLIC: usize = 4 + 4 + 4 + 16 + 32;

#[derive(Clone)]
struct HashSigs {
    trees: Vec<Types>,
    ots: Vec<Types>,
    threads: c_int,
}

/// Returns the implementation with this number of threads.
pub(super) fn implementation(set: &str, threads: c_int) -> Option<Box<dyn Implementation>> {
    let types = hss_types(set)?;
    // The codes of SHA-256 with values of 32 bytes, the only ones that it has.
    let of_sha256 = |(tree, ots): &(&LmsType, &LmotsType)| {
        (5..=9).contains(&tree.typecode) && (1..=4).contains(&ots.typecode)
    };
    if !types.iter().all(of_sha256) {
        return None;
    }
    let trees = types.iter().map(|(tree, _)| Types::from(tree.typecode)).collect();
    let ots = types.iter().map(|(_, ots)| Types::from(ots.typecode)).collect();
    oqs_tape::install();
    Some(Box::new(HashSigs { trees, ots, threads }))
}

impl HashSigs {
    fn levels(&self) -> c_uint {
        self.trees.len() as c_uint
    }

    fn info(&self) -> ExtraInfo {
        ExtraInfo { threads: self.threads, is_last: false, error: 0 }
    }

    /// Uses all cores if there are several threads, since a comparison pins its thread to one.
    fn run<T>(&self, call: impl FnOnce() -> T) -> T {
        if self.threads == 1 { call() } else { super::on_all_cores(call) }
    }
}

impl Implementation for HashSigs {
    fn library(&self) -> &'static str {
        match self.threads {
            1 => "hash-sigs (liboqs 0.13)",
            _ => "hash-sigs, 4 threads",
        }
    }
    fn remark(&self) -> &'static str {
        "C, with liboqs' SHA-256 in C, its loops repaired; grows the next trees with each signature"
    }
    fn generate(&self, seed: &[u8; 32]) -> Result<Box<dyn Key>, Failure> {
        let seed: Vec<u8> = seed.iter().cycle().take(32 + 16).copied().collect();
        oqs_tape::set(&seed);
        let (mut private, mut public) = (Box::new([0; PRIVATE]), vec![0; PUBLIC]);
        let mut aux = vec![0; NODE_BYTES];
        // SAFETY: every buffer has the length passed with it, or the one that `hss.h` requires.
        let made = self.run(|| unsafe {
            let (private, public) = (private.as_mut_ptr().cast(), public.as_mut_ptr());
            let (trees, ots) = (self.trees.as_ptr(), self.ots.as_ptr());
            let (aux, info) = (aux.as_mut_ptr(), &mut self.info());
            let (of_public, of_aux) = (PUBLIC, NODE_BYTES);
            generate_private_key(
                random,
                self.levels(),
                trees,
                ots,
                None,
                private,
                public,
                of_public,
                aux,
                of_aux,
                info,
            )
        });
        if !made {
            return Err(Failure::Refused);
        }
        let (library, working) = (self.clone(), ptr::null_mut());
        let mut key = HashSigsKey { library, private, public, aux, working };
        key.load()?;
        Ok(Box::new(key))
    }
    fn verify(&self, public: &[u8], message: &[u8], signature: &[u8]) -> Result<(), Failure> {
        if public.len() != PUBLIC {
            return Err(Failure::Refused);
        }
        // SAFETY: the key has the length of its types, message and signature have theirs.
        let is_valid = self.run(|| unsafe {
            let (data, len) = (message.as_ptr().cast(), message.len());
            let (signature, of_signature) = (signature.as_ptr(), signature.len());
            let info = &mut self.info();
            validate_signature(public.as_ptr(), data, len, signature, of_signature, info)
        });
        is_valid.then_some(()).ok_or(Failure::Refused)
    }
}

struct HashSigsKey {
    library: HashSigs,
    private: Box<[u8; PRIVATE]>,
    public: Vec<u8>,
    aux: Vec<u8>,
    working: *mut c_void,
}

impl HashSigsKey {
    /// Loads the working key from the private key.
    fn load(&mut self) -> Result<(), Failure> {
        self.free();
        let (private, aux) = (self.private.as_mut_ptr().cast(), &self.aux);
        let info = &mut self.library.info();
        // SAFETY: the private key has the length that `hss.h` requires, the nodes have theirs.
        self.working = self.library.run(|| unsafe {
            load_private_key(None, private, NODE_BYTES, aux.as_ptr(), aux.len(), info)
        });
        if self.working.is_null() { Err(Failure::Refused) } else { Ok(()) }
    }

    fn free(&mut self) {
        let working = mem::replace(&mut self.working, ptr::null_mut());
        // SAFETY: the working key is freed once, and may be null.
        unsafe { free_working_key(working) };
    }
}

impl Drop for HashSigsKey {
    fn drop(&mut self) {
        self.free();
    }
}

impl Key for HashSigsKey {
    fn public(&self) -> Vec<u8> {
        self.public.clone()
    }
    fn sign(&mut self, message: &[u8]) -> Result<Vec<u8>, Failure> {
        let HashSigs { trees, ots, .. } = &self.library;
        // SAFETY: there are as many types as levels.
        let len = unsafe { signature_len(self.library.levels(), trees.as_ptr(), ots.as_ptr()) };
        let mut signature = vec![0; len];
        let (working, private) = (self.working, self.private.as_mut_ptr().cast());
        // SAFETY: the working key, which may be null, is that of the private key; message and
        // signature go with their lengths.
        let is_signed = self.library.run(|| unsafe {
            let (message, of_message) = (message.as_ptr().cast(), message.len());
            let (signature, info) = (signature.as_mut_ptr(), &mut self.library.info());
            generate_signature(working, None, private, message, of_message, signature, len, info)
        });
        is_signed.then_some(signature).ok_or(Failure::Refused)
    }
    fn seek(&mut self, index: u64) -> Result<(), Failure> {
        self.private[..8].copy_from_slice(&index.to_be_bytes());
        self.load()
    }
}

/// Fills the seed with random bytes from the generator of liboqs.
extern "C" fn random(out: *mut c_void, len: usize) -> bool {
    // SAFETY: hash-sigs passes a buffer of this length.
    unsafe { OQS_randombytes(out.cast(), len) };
    true
}
