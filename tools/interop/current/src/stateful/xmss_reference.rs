//! xmss-reference, the C of the authors of RFC 8391 (its `xmss_core_fast`), as liboqs has it
//! (`build.rs`).
//!
//! # Soundness
//! The declarations are those of `xmss.h` and `params.h`. Every buffer has the length that the
//! library names for the set.

use std::ffi::{c_int, c_uint, c_ulonglong};

use oaklath_params::stateful::{
    Hash,
    xmss::{self, XmssInfo},
};

use super::{Failure, Implementation, Key};
use crate::oqs_tape;

/// `xmss_params`.
#[repr(C)]
#[derive(Default)]
struct Params {
    before: [c_uint; 13],
    sig_bytes: c_uint,
    pk_bytes: c_uint,
    sk_bytes: c_ulonglong,
    bds_k: c_uint,
}

type ParseOid = unsafe extern "C" fn(*mut Params, u32) -> c_int;
type Keypair = unsafe extern "C" fn(*mut u8, *mut u8, u32) -> c_int;
type Sign =
    unsafe extern "C" fn(*mut u8, *mut u8, *mut c_ulonglong, *const u8, c_ulonglong) -> c_int;
type SignOpen = unsafe extern "C" fn(
    message: *const u8,
    message_len: c_ulonglong,
    signature: *const u8,
    signature_len: c_ulonglong,
    public: *const u8,
) -> c_int;

/// The functions of XMSS or of XMSS^MT with one hash function.
#[derive(Clone, Copy)]
struct Functions {
    parse_oid: ParseOid,
    keypair: Keypair,
    sign: Sign,
    sign_open: SignOpen,
}

macro_rules! functions {
    ($($namespace:ident $hash:ident $n:literal)*) => {
        $(functions! { @declare $namespace })*

        /// Returns the functions of a hash function: of XMSS, and of XMSS^MT.
        fn functions(hash: Hash, n: usize) -> Option<[Functions; 2]> {
            match (hash, n) {
                $((Hash::$hash, $n) => Some($namespace::ALL),)*
                _ => None,
            }
        }
    };
    (@declare $namespace:ident) => {
        mod $namespace {
            use std::ffi::{c_int, c_ulonglong};

            use super::{Functions, Params};

            functions! { @scheme $namespace xmss }
            functions! { @scheme $namespace xmssmt }

            pub(super) const ALL: [Functions; 2] = [xmss::ALL, xmssmt::ALL];
        }
    };
    (@scheme $namespace:ident $scheme:ident) => {
        mod $scheme {
            use super::{Functions, Params, c_int, c_ulonglong};

            unsafe extern "C" {
                #[link_name = concat!(
                    "oqs_sig_stfl_", stringify!($namespace), "_", stringify!($scheme), "_parse_oid"
                )]
                fn parse_oid(params: *mut Params, oid: u32) -> c_int;
                #[link_name = concat!(
                    "oqs_sig_stfl_", stringify!($namespace), "_", stringify!($scheme), "_keypair"
                )]
                fn keypair(public: *mut u8, private: *mut u8, oid: u32) -> c_int;
                #[link_name = concat!(
                    "oqs_sig_stfl_", stringify!($namespace), "_", stringify!($scheme), "_sign"
                )]
                fn sign(
                    private: *mut u8,
                    signature: *mut u8,
                    signature_len: *mut c_ulonglong,
                    message: *const u8,
                    message_len: c_ulonglong,
                ) -> c_int;
                #[link_name = concat!(
                    "oqs_sig_stfl_", stringify!($namespace), "_", stringify!($scheme), "_sign_open"
                )]
                fn sign_open(
                    message: *const u8,
                    message_len: c_ulonglong,
                    signature: *const u8,
                    signature_len: c_ulonglong,
                    public: *const u8,
                ) -> c_int;
            }

            pub(super) const ALL: Functions = Functions { parse_oid, keypair, sign, sign_open };
        }
    };
}

// The names are those of `build.rs`.
functions! {
    sha256_192   Sha256   24
    shake256_192 Shake256 24
    sha256_256   Sha256   32
    shake128_256 Shake128 32
    shake256_256 Shake256 32
    sha512_512   Sha512   64
    shake256_512 Shake256 64
}

#[derive(Clone, Copy)]
struct Xmss {
    functions: Functions,
    set: &'static XmssInfo,
    private_key_len: usize,
}

pub(super) fn implementation(set: &str) -> Option<Box<dyn Implementation>> {
    oqs_tape::install();
    let set = xmss::by_name(set)?;
    let functions = functions(set.hash, set.n)?[usize::from(set.multi_tree)];
    let mut params = Params::default();
    // SAFETY: the structure is the library's.
    if unsafe { (functions.parse_oid)(&mut params, set.oid) } != 0 {
        return None;
    }
    // The library does not count the numbers at the beginning of keys.
    assert_eq!(params.sig_bytes as usize, set.signature, "{}", set.name);
    assert_eq!(params.pk_bytes as usize + 4, set.public_key(), "{}", set.name);
    let private_key_len = params.sk_bytes as usize + 4;
    Some(Box::new(Xmss { functions, set, private_key_len }))
}

impl Implementation for Xmss {
    fn library(&self) -> &'static str {
        "xmss-reference (liboqs 0.13)"
    }
    fn remark(&self) -> &'static str {
        "C, with liboqs' SHA-2 in C; BDS traversal: grows the next tree with each signature"
    }
    fn generate(&self, seed: &[u8; 32]) -> Result<Box<dyn Key>, Failure> {
        let seed: Vec<u8> = seed.iter().cycle().take(3 * self.set.n).copied().collect();
        oqs_tape::set(&seed);
        let (mut public, mut private) =
            (vec![0; self.set.public_key()], vec![0; self.private_key_len]);
        let keypair = self.functions.keypair;
        // SAFETY: both buffers have the library's lengths.
        done(unsafe { keypair(public.as_mut_ptr(), private.as_mut_ptr(), self.set.oid) })?;
        Ok(Box::new(XmssKey { library: *self, public, private }))
    }
    fn verify(&self, public: &[u8], message: &[u8], signature: &[u8]) -> Result<(), Failure> {
        let lengths = (self.set.public_key(), self.set.signature);
        if (public.len(), signature.len()) != lengths {
            return Err(Failure::Refused);
        }
        let (message, of_message) = (message.as_ptr(), message.len() as c_ulonglong);
        let (signature, of_signature) = (signature.as_ptr(), signature.len() as c_ulonglong);
        let sign_open = self.functions.sign_open;
        // SAFETY: key and signature have the library's lengths, the message has its own.
        done(unsafe { sign_open(message, of_message, signature, of_signature, public.as_ptr()) })
    }
}

struct XmssKey {
    library: Xmss,
    public: Vec<u8>,
    private: Vec<u8>,
}

impl Key for XmssKey {
    fn public(&self) -> Vec<u8> {
        self.public.clone()
    }
    fn sign(&mut self, message: &[u8]) -> Result<Vec<u8>, Failure> {
        let mut signature = vec![0; self.library.set.signature];
        let mut len = 0;
        let (message, of_message) = (message.as_ptr(), message.len() as c_ulonglong);
        let (private, out) = (self.private.as_mut_ptr(), signature.as_mut_ptr());
        let sign = self.library.functions.sign;
        // SAFETY: key and signature have the library's lengths, the message has its own.
        done(unsafe { sign(private, out, &mut len, message, of_message) })?;
        Ok(signature)
    }
}

fn done(status: c_int) -> Result<(), Failure> {
    if status == 0 { Ok(()) } else { Err(Failure::Refused) }
}
