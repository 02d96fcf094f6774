//! Digests of messages that are hashed before they are signed, by the crates `sha2` and `sha3`.

use std::io::{self, Read};

use anyhow::{Result, anyhow};
use oaklath_params::hash::{self, HashInfo};
use sha2::Digest;
use sha3::digest::{ExtendableOutput, Update, XofReader};

use crate::failure::{usage, with_hint};

/// The hash function of a name on the command line.
pub(crate) fn find(name: &str) -> Result<&'static HashInfo> {
    let same = |hash: &&&HashInfo| plain(hash.name) == plain(name);
    hash::by_name(name).or_else(|| hash::ALL.iter().find(same).copied()).ok_or_else(|| {
        let names: Vec<_> = hash::ALL.iter().map(|hash| hash.name).collect();
        let error = anyhow!("no hash function is called `{name}`");
        usage(with_hint(error, format!("there are {}", names.join(", "))))
    })
}

/// `sha2256` for `SHA2-256`; and `sha256`, as most call it.
fn plain(name: &str) -> String {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    let folded: String = letters.map(|c| c.to_ascii_lowercase()).collect();
    match folded.strip_prefix("sha2") {
        // Two digits are the end of 224 or 256.
        Some(rest) if rest.len() > 2 => format!("sha{rest}"),
        _ => folded,
    }
}

/// The digest of all that there is to read.
pub(crate) fn of(hash: &HashInfo, message: &mut dyn Read) -> Result<Vec<u8>> {
    Ok(match hash.name {
        "SHA2-224" => fixed::<sha2::Sha224>(message)?,
        "SHA2-256" => fixed::<sha2::Sha256>(message)?,
        "SHA2-384" => fixed::<sha2::Sha384>(message)?,
        "SHA2-512" => fixed::<sha2::Sha512>(message)?,
        "SHA2-512/224" => fixed::<sha2::Sha512_224>(message)?,
        "SHA2-512/256" => fixed::<sha2::Sha512_256>(message)?,
        "SHA3-224" => fixed::<sha3::Sha3_224>(message)?,
        "SHA3-256" => fixed::<sha3::Sha3_256>(message)?,
        "SHA3-384" => fixed::<sha3::Sha3_384>(message)?,
        "SHA3-512" => fixed::<sha3::Sha3_512>(message)?,
        "SHAKE-128" => extendable::<sha3::Shake128>(message, hash.digest)?,
        "SHAKE-256" => extendable::<sha3::Shake256>(message, hash.digest)?,
        other => return Err(anyhow!("no implementation of {other}")),
    })
}

fn fixed<D: Digest>(message: &mut dyn Read) -> io::Result<Vec<u8>> {
    let mut digest = D::new();
    pour(message, |part| digest.update(part))?;
    Ok(digest.finalize().to_vec())
}

fn extendable<X>(message: &mut dyn Read, len: usize) -> io::Result<Vec<u8>>
where
    X: Default + Update + ExtendableOutput,
{
    let (mut xof, mut digest) = (X::default(), vec![0; len]);
    pour(message, |part| xof.update(part))?;
    xof.finalize_xof().read(&mut digest);
    Ok(digest)
}

/// Hands on everything, part by part: the message may be longer than the memory.
fn pour(message: &mut dyn Read, mut take: impl FnMut(&[u8])) -> io::Result<()> {
    let mut part = vec![0; 1 << 16];
    loop {
        match message.read(&mut part) {
            Ok(0) => return Ok(()),
            Ok(n) => take(&part[..n]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lengths for all, and values of two that differ in how they are made.
    #[test]
    fn every_hash_function_of_the_table() {
        let message = vec![7; 100_000];
        for hash in hash::ALL {
            assert_eq!(of(hash, &mut &message[..]).unwrap().len(), hash.digest, "{}", hash.name);
        }
        let digest = |name| hex::encode(of(find(name).unwrap(), &mut &b"abc"[..]).unwrap());
        assert!(digest("sha256").starts_with("ba7816bf8f01cfea"));
        assert!(digest("shake128").starts_with("5881092dd818bf5c"));
    }

    #[test]
    fn names_with_and_without_separators() {
        for (name, found) in [
            ("SHA2-256", "SHA2-256"),
            ("sha256", "SHA2-256"),
            ("SHA-224", "SHA2-224"),
            ("sha512/256", "SHA2-512/256"),
            ("sha2-512-224", "SHA2-512/224"),
            ("sha3-384", "SHA3-384"),
            ("Shake256", "SHAKE-256"),
            ("2.16.840.1.101.3.4.2.3", "SHA2-512"),
        ] {
            assert_eq!(find(name).unwrap().name, found, "{name}");
        }
        assert!(find("md5").is_err() && find("sha2").is_err());
    }
}
