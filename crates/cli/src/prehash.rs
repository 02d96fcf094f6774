//! The hash functions that may be applied to a message before it is signed: FIPS 204, section 5.4,
//! and FIPS 205, section 10.2.

use anyhow::{Result, anyhow};
use oaklath_hash::keccak::{RATE_256, RATE_SHA3_512, SUFFIX_SHA3};
use oaklath_hash::sha3::{Absorb, Shake128, Shake256};
use oaklath_params::hash::{self, HashInfo};
use sha2::{Digest, Sha224, Sha256, Sha384, Sha512, Sha512_224, Sha512_256};

use crate::failure::{usage, with_hint};

/// Returns the hash function with a name from the command line.
pub(crate) fn find(name: &str) -> Result<&'static HashInfo> {
    hash::by_name(name).ok_or_else(|| {
        let names: Vec<_> = hash::ALL.iter().map(|hash| hash.name).collect();
        let error = anyhow!("no hash function is called `{name}`");
        usage(with_hint(error, format!("there are {}", names.join(", "))))
    })
}

/// Returns the digest of `message`, or `None` for a hash function that is not implemented here.
#[must_use]
pub fn digest(hash: &'static HashInfo, message: &[u8]) -> Option<Vec<u8>> {
    let functions: [(&HashInfo, Function); 12] = [
        (&hash::SHA2_224, |message, out| out.copy_from_slice(&Sha224::digest(message))),
        (&hash::SHA2_256, |message, out| out.copy_from_slice(&Sha256::digest(message))),
        (&hash::SHA2_384, |message, out| out.copy_from_slice(&Sha384::digest(message))),
        (&hash::SHA2_512, |message, out| out.copy_from_slice(&Sha512::digest(message))),
        (&hash::SHA2_512_224, |message, out| out.copy_from_slice(&Sha512_224::digest(message))),
        (&hash::SHA2_512_256, |message, out| out.copy_from_slice(&Sha512_256::digest(message))),
        (&hash::SHA3_224, sha3::<RATE_SHA3_224>),
        (&hash::SHA3_256, sha3::<RATE_256>),
        (&hash::SHA3_384, sha3::<RATE_SHA3_384>),
        (&hash::SHA3_512, sha3::<RATE_SHA3_512>),
        (&hash::SHAKE_128, |message, out| Shake128::new().chain(message).finish().read(out)),
        (&hash::SHAKE_256, |message, out| Shake256::new().chain(message).finish().read(out)),
    ];
    let (_, function) = functions.into_iter().find(|(known, _)| *known == hash)?;
    let mut out = vec![0; hash.digest];
    function(message, &mut out);
    Some(out)
}

/// A function that writes the digest of a message.
type Function = fn(&[u8], &mut [u8]);

/// The rates in bytes by FIPS 202, section 6.1: 200 minus twice the digest's length.
const RATE_SHA3_224: usize = 200 - 2 * hash::SHA3_224.digest;
const RATE_SHA3_384: usize = 200 - 2 * hash::SHA3_384.digest;

fn sha3<const RATE: usize>(message: &[u8], out: &mut [u8]) {
    Absorb::<RATE, SUFFIX_SHA3>::new().chain(message).finish().read(out);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares digests of the empty message with those of `openssl dgst` (SHAKE with `-xoflen`).
    #[test]
    fn every_hash_function_of_the_table() {
        let first = |name: &str| {
            base16ct::lower::encode_string(&digest(hash::by_name(name).unwrap(), b"").unwrap()[..8])
        };
        for hash in hash::ALL {
            assert_eq!(digest(hash, b"").map(|digest| digest.len()), Some(hash.digest));
        }
        assert_eq!(first("SHA2-224"), "d14a028c2a3a2bc9");
        assert_eq!(first("SHA2-256"), "e3b0c44298fc1c14");
        assert_eq!(first("SHA2-384"), "38b060a751ac9638");
        assert_eq!(first("SHA2-512"), "cf83e1357eefb8bd");
        assert_eq!(first("SHA2-512/224"), "6ed0dd02806fa89e");
        assert_eq!(first("SHA2-512/256"), "c672b8d1ef56ed28");
        assert_eq!(first("SHA3-224"), "6b4e03423667dbb7");
        assert_eq!(first("SHA3-256"), "a7ffc6f8bf1ed766");
        assert_eq!(first("SHA3-384"), "0c63a75b845e4f7d");
        assert_eq!(first("SHA3-512"), "a69f73cca23a9ac5");
        assert_eq!(first("SHAKE-128"), "7f9c2ba4e88f827d");
        assert_eq!(first("SHAKE-256"), "46b9dd2b0ba88d13");
    }
}
