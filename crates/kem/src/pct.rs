//! The pairwise consistency test of FIPS 140-3 (ISO/IEC 19790, 7.10.3.3) in the form of FIPS 203,
//! section 7.1: a key pair that was just made must work. It detects hardware faults that callers
//! cannot detect.
use oaklath_simd::{ct, secret};

use crate::error::Error;
use crate::scheme::{DecapsulationItem, EncapsulationItem, KemScheme};
use crate::sets::{Bytes, Set};

/// Tests a key pair that was just made if the feature `pct` is enabled.
///
/// # Errors
/// [`Error::Fault`].
#[inline(always)]
pub(crate) fn check_made<P: Set>(ek: &[u8], dk: &[u8]) -> Result<(), Error> {
    if cfg!(feature = "pct") { check::<P>(ek, dk) } else { Ok(()) }
}

/// Checks that decapsulation with `dk` returns the secret that was encapsulated to `ek`.
#[inline(never)]
fn check<P: Set>(ek: &[u8], dk: &[u8]) -> Result<(), Error> {
    // The secret protects nothing, so its coins may be known. They are not zeros, from which NTRU
    // would draw r = 0.
    let (mut coins, mut c) = (P::Coins::ZERO, P::Ciphertext::ZERO);
    for (i, byte) in coins.as_mut().iter_mut().enumerate() {
        *byte = i as u8;
    }
    secret!(ours: [u8; 32], theirs: [u8; 32]);
    let item = EncapsulationItem { key: ek, coins: coins.as_ref(), c: c.as_mut(), shared: theirs };
    let encapsulated = P::Scheme::encapsulate_bytes(item);
    let item = DecapsulationItem { key: dk, c: c.as_ref(), shared: ours };
    let decapsulated = P::Scheme::decapsulate_bytes(item);
    // Whether there was a fault is public.
    let works =
        encapsulated.is_ok() && decapsulated.is_ok() && !ct::differ(ours, theirs).declassify();
    if works { Ok(()) } else { Err(Error::Fault) }
}

#[cfg(test)]
mod tests {
    use std::vec;
    use std::vec::Vec;

    use super::*;
    use crate::registry::Kem;
    use crate::sets;

    /// Checks that the test detects a key pair that is damaged while it is made, and that it runs
    /// only with the feature `pct`.
    fn broken_keys_are_noticed<P: Set + Kem>(scheme: P) {
        let info = P::INFO;
        let (mut ek, mut dk) = (vec![0; info.public_key], vec![0; info.secret_key]);
        let seed: Vec<u8> = (0..scheme.seed_len()).map(|i| ((i * i) >> 3) as u8).collect();
        assert_eq!(scheme.keypair_from(&seed, &mut ek, &mut dk), Ok(()), "{}", info.name);
        assert_eq!(check::<P>(&ek, &dk), Ok(()), "{}", info.name);
        let made_broken = if cfg!(feature = "pct") { Err(Error::Fault) } else { Ok(()) };
        for (at, of_ek) in [0, 100, 300].into_iter().flat_map(|at| [(at, false), (at, true)]) {
            let (mut ek, mut dk) = (ek.clone(), dk.clone());
            if of_ek {
                ek[at] ^= 1;
            } else {
                dk[at] ^= 1;
            }
            assert_eq!(check_made::<P>(&ek, &dk), made_broken, "{} {at}", info.name);
            assert_eq!(check::<P>(&ek, &dk), Err(Error::Fault), "{} {at} {of_ek}", info.name);
        }
    }

    /// One set of each scheme: the test is shared source.
    #[test]
    fn broken_keys() {
        broken_keys_are_noticed(sets::MlKem768);
        broken_keys_are_noticed(sets::Kyber90s512);
        broken_keys_are_noticed(sets::NtruHps2048509);
        broken_keys_are_noticed(sets::LightSaber);
    }
}
