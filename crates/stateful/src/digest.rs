//! One hash of a message in parts.
use oaklath_hash::sha2::{Sha256, Sha512};
use oaklath_hash::sha3::{Shake128, Shake256};
use oaklath_params::stateful::Hash;
use oaklath_simd::wipe;

/// The first `N` bytes of the hash of `parts`, one after the other.
///
/// # Panics
/// If the hash function has fewer.
pub(crate) fn digest<const N: usize>(hash: Hash, parts: &[&[u8]]) -> [u8; N] {
    macro_rules! sha2 {
        ($hasher:ident) => {{
            let mut hasher = $hasher::new();
            parts.iter().for_each(|part| hasher.absorb(part));
            let mut whole = hasher.finish();
            let out = *whole.first_chunk().expect("as long as the hash function's");
            wipe(&mut whole);
            out
        }};
    }
    macro_rules! shake {
        ($hasher:ident) => {{
            let mut hasher = $hasher::new();
            parts.iter().for_each(|part| hasher.absorb(part));
            let mut out = [0; N];
            hasher.finish().read(&mut out);
            out
        }};
    }
    match hash {
        Hash::Sha512 => sha2!(Sha512),
        Hash::Shake128 => shake!(Shake128),
        Hash::Shake256 => shake!(Shake256),
        _ => sha2!(Sha256),
    }
}
