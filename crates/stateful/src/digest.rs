//! The hash of a message given in parts.
use oaklath_hash::sha2::{Sha256, Sha512};
use oaklath_hash::sha3::{Shake128, Shake256};
use oaklath_params::stateful::Hash;
use oaklath_simd::wipe;

use crate::message::Message;

/// Writes the first bytes of the hash of the concatenated `parts`.
///
/// # Panics
/// If `out` is longer than the digest.
pub(crate) fn digest(hash: Hash, parts: &[&[u8]], out: &mut [u8]) {
    digest_message(hash, parts, Message::from(&[]), out);
}

/// Writes the first bytes of the hash of the concatenated `parts` and a message.
///
/// # Panics
/// If `out` is longer than the digest.
pub(crate) fn digest_message(hash: Hash, parts: &[&[u8]], message: Message<'_>, out: &mut [u8]) {
    macro_rules! sha2 {
        ($hasher:ident) => {{
            let mut hasher = $hasher::new();
            parts.iter().for_each(|part| hasher.absorb(part));
            message.absorb_by(&mut |piece| hasher.absorb(piece));
            let mut whole = hasher.finish();
            out.copy_from_slice(&whole[..out.len()]);
            wipe(&mut whole);
        }};
    }
    macro_rules! shake {
        ($hasher:ident) => {{
            let mut hasher = $hasher::new();
            parts.iter().for_each(|part| hasher.absorb(part));
            message.absorb_by(&mut |piece| hasher.absorb(piece));
            hasher.finish().read(out);
        }};
    }
    match hash {
        Hash::Sha512 => sha2!(Sha512),
        Hash::Shake128 => shake!(Shake128),
        Hash::Shake256 => shake!(Shake256),
        _ => sha2!(Sha256),
    }
}
