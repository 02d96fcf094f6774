//! SHA-256 and SHA-512: FIPS 180-4.
mod chain;
mod compress;
mod constants;
mod engines;
mod message;
mod midstate;
#[cfg(oaklath_proof)]
pub(crate) mod proofs;
mod start;
mod stream;
mod thash;
mod unit;
mod xmss;

pub use constants::IV512;
pub use engines::{Sha256Lanes, Sha512Lanes};
pub use message::{Block256, Block512, Head};
pub use midstate::{LaneStates, Midstate, sha256};
pub use start::ChainStart;
pub use stream::{HmacSha256, HmacSha512, Sha256, Sha512, sha512};
pub use thash::{Compress, Sha2Thash, Sha2Word};

#[cfg(test)]
mod tests {
    mod levels;

    use super::{sha256, sha512};
    use oaklath_simd::Level;
    use sha2::Digest;
    use std::vec::Vec;

    #[test]
    fn equal_to_another_implementation_at_every_length() {
        let message: Vec<u8> = (0..400).map(|i| (i * 11) as u8).collect();
        for level in Level::available() {
            level.with(|| {
                for len in 0..400 {
                    let message = &message[..len];
                    assert_eq!(sha256(message)[..], sha2::Sha256::digest(message)[..], "{level}");
                    assert_eq!(sha512(message)[..], sha2::Sha512::digest(message)[..]);
                }
            });
        }
    }
}
