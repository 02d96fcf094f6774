//! One hash of a message in parts.
use oaklath_hash::sha2::{Sha256, Sha512};
use oaklath_hash::sha3::{Shake128, Shake256};
use oaklath_params::stateful::Hash;
use oaklath_simd::wipe;

/// Writes the first bytes of the hash of `parts`, one after the other.
///
/// # Panics
/// If the hash function has fewer.
pub(crate) fn digest(hash: Hash, parts: &[&[u8]], out: &mut [u8]) {
    macro_rules! sha2 {
        ($hasher:ident) => {{
            let mut hasher = $hasher::new();
            parts.iter().for_each(|part| hasher.absorb(part));
            let mut whole = hasher.finish();
            out.copy_from_slice(&whole[..out.len()]);
            wipe(&mut whole);
        }};
    }
    macro_rules! shake {
        ($hasher:ident) => {{
            let mut hasher = $hasher::new();
            parts.iter().for_each(|part| hasher.absorb(part));
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
