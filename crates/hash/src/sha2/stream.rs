//! SHA-256 and SHA-512 of messages in pieces, and HMAC (FIPS 198-1) with both.
use core::fmt;

use oaklath_simd::{dispatch, wipe};

use super::compress::{self, compress_bytes};
use super::constants::{IV256, IV512};
use super::midstate::compress_bytes256;

/// Computes SHA-512.
///
/// ```
/// assert_eq!(oaklath_hash::sha2::sha512(b"abc")[..4], [0xdd, 0xaf, 0x35, 0xa1]);
/// ```
#[must_use]
pub fn sha512(message: &[u8]) -> [u8; 64] {
    let mut hasher = Sha512::new();
    hasher.absorb(message);
    hasher.digest()
}

macro_rules! hashers {
    ($(#[$doc:meta] $name:ident $mac:ident $word:ident $block:literal $digest:literal $length:ident
       $iv:expr, $compress:expr;)*) => { $(
        #[$doc]
        ///
        /// Erased when dropped.
        #[derive(Clone)]
        pub struct $name {
            state: [$word; 8],
            buffer: [u8; $block],
            /// The number of bytes absorbed.
            len: u64,
        }

        impl $name {
            /// Starts with an empty message.
            #[must_use]
            pub fn new() -> Self {
                Self { state: $iv, buffer: [0; $block], len: 0 }
            }

            /// Appends to the message.
            pub fn absorb(&mut self, mut message: &[u8]) {
                let at = (self.len & ($block - 1)) as usize;
                self.len += message.len() as u64;
                if at > 0 {
                    let n = message.len().min($block - at);
                    let (piece, rest) = message.split_at(n);
                    self.buffer[at..at + n].copy_from_slice(piece);
                    if at + n < $block {
                        return;
                    }
                    $compress(&mut self.state, core::slice::from_ref(&self.buffer));
                    message = rest;
                }
                let (blocks, rest) = message.as_chunks::<$block>();
                $compress(&mut self.state, blocks);
                self.buffer[..rest.len()].copy_from_slice(rest);
            }

            /// Appends to the message, and returns the hasher.
            #[must_use]
            pub fn chain(mut self, message: &[u8]) -> Self {
                self.absorb(message);
                self
            }

            /// Returns the digest.
            #[must_use]
            pub fn finish(mut self) -> [u8; $digest] {
                self.digest()
            }

            /// Does [`finish`](Self::finish) in place: what moves leaves a copy behind.
            fn digest(&mut self) -> [u8; $digest] {
                // Padding, FIPS 180-4, section 5.1: a one, zeros, the length in bits.
                const LENGTH: usize = size_of::<$length>();
                let bits = 8 * $length::from(self.len);
                let at = (self.len & ($block - 1)) as usize;
                self.absorb(&[0x80]);
                if at + 1 + LENGTH > $block {
                    self.absorb(&[0; $block][at + 1..]);
                    self.absorb(&[0; $block - LENGTH]);
                } else {
                    self.absorb(&[0; $block][at + 1 + LENGTH..]);
                }
                self.absorb(&bits.to_be_bytes());
                let mut digest = [0; $digest];
                let words = digest.as_chunks_mut::<{ size_of::<$word>() }>().0;
                for (bytes, word) in words.iter_mut().zip(&self.state) {
                    *bytes = word.to_be_bytes();
                }
                digest
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::new()
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                wipe(&mut self.state);
                wipe(&mut self.buffer);
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }

        #[doc = concat!("HMAC with [`", stringify!($name), "`]: FIPS 198-1.")]
        #[derive(Clone)]
        pub struct $mac {
            inner: $name,
            outer: $name,
        }

        impl $mac {
            #[doc = concat!("Starts with a key of at most ", stringify!($block), " bytes.")]
            ///
            /// # Panics
            /// If the key is longer.
            #[must_use]
            pub fn new(key: &[u8]) -> Self {
                let mut mac = Self { inner: $name::new(), outer: $name::new() };
                for (hasher, byte) in [(&mut mac.inner, 0x36), (&mut mac.outer, 0x5c)] {
                    let mut block = [byte; $block];
                    for (b, k) in block[..key.len()].iter_mut().zip(key) {
                        *b ^= k;
                    }
                    hasher.absorb(&block);
                    wipe(&mut block);
                }
                mac
            }

            /// Appends to the message.
            pub fn absorb(&mut self, message: &[u8]) {
                self.inner.absorb(message);
            }

            /// Returns the authentication code.
            #[must_use]
            pub fn finish(mut self) -> [u8; $digest] {
                self.outer.absorb(&self.inner.digest());
                self.outer.digest()
            }
        }

        impl fmt::Debug for $mac {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($mac)).finish_non_exhaustive()
            }
        }
    )* };
}
hashers! {
    /// A SHA-256 hasher for messages in pieces.
    Sha256 HmacSha256 u32 64 32 u64 IV256,
        |state: &mut _, blocks: &[_]| dispatch!(s => compress_bytes256(s, state, blocks));
    /// A SHA-512 hasher for messages in pieces.
    Sha512 HmacSha512 u64 128 64 u128 IV512,
        |state: &mut _, blocks: &[_]| {
            dispatch!(s => compress_bytes::<compress::Sha512, _, 128>(s, state, blocks));
        };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sha2::midstate::sha256;
    use std::vec::Vec;

    #[test]
    fn pieces_make_the_whole() {
        let message: Vec<u8> = (0..400).map(|i| (i * 11) as u8).collect();
        for len in 0..400 {
            for cut in [0, 1, 63, 64, 65, 127, 128, 200] {
                let (a, b) = message[..len].split_at(cut.min(len));
                let (c, d) = b.split_at(b.len() / 3);
                let got = Sha256::new().chain(a).chain(c).chain(d).finish();
                assert_eq!(got, sha256(&message[..len]), "{len} cut at {cut}");
                let got = Sha512::new().chain(a).chain(c).chain(d).finish();
                assert_eq!(got, sha512(&message[..len]), "{len} cut at {cut}");
            }
        }
    }

    /// Checks RFC 4231, test case 2.
    #[test]
    fn codes() {
        let mut mac = HmacSha256::new(b"Jefe");
        mac.absorb(b"what do ya want ");
        mac.absorb(b"for nothing?");
        assert_eq!(
            hex::encode(mac.finish()),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
        let mut mac = HmacSha512::new(b"Jefe");
        mac.absorb(b"what do ya want for nothing?");
        assert_eq!(
            hex::encode(mac.finish()),
            "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554\
             9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"
        );
    }
}
