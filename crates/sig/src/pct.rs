//! A key pair that was just made must work: FIPS 140-3's test of pairwise consistency (ISO/IEC 19790, 7.10.3.3). It
//! notices a fault of the machine, which no caller could.
use crate::Error;
#[cfg(feature = "pct")]
use crate::{Message, Signature, derived_coins};

/// With the feature `pct`: whether the one key verifies what the other signs.
///
/// # Errors
/// [`Error::Fault`].
#[cfg(feature = "pct")]
pub(crate) fn check(scheme: &dyn Signature, pk: &[u8], sk: &[u8]) -> Result<(), Error> {
    const TEXT: &[u8] = b"pairwise consistency";
    let message = Message::new(TEXT);
    let coins = scheme.needs_coins().then(|| derived_coins(scheme, sk, TEXT));
    let coins = coins.as_deref().map(|coins| &coins[..]);
    let mut signature = alloc::vec![0; scheme.info().longest_signature()];
    scheme
        .sign(sk, &message, coins, &mut signature)
        .and_then(|len| scheme.verify(pk, &message, &signature[..len]))
        .map_err(|_| Error::Fault)
}

/// Without the feature a new key is not tried.
#[cfg(not(feature = "pct"))]
#[inline(always)]
pub(crate) fn check<S: ?Sized>(_: &S, _: &[u8], _: &[u8]) -> Result<(), Error> {
    Ok(())
}

#[cfg(all(test, feature = "pct"))]
mod tests {
    use std::vec;

    use super::*;

    /// Of a key pair that is broken while it is made, nothing leaves.
    #[test]
    fn broken_keys() {
        let fast = |name: &str| !name.contains("SPHINCS") && !name.ends_with('s');
        for scheme in crate::all().iter().filter(|scheme| fast(scheme.info().name)) {
            let (scheme, info) = (*scheme, scheme.info());
            let (mut pk, mut sk) = (vec![0; info.public_key], vec![0; info.secret_key]);
            scheme.keypair_from(&vec![7; scheme.seed_len()], &mut pk, &mut sk).unwrap();
            assert_eq!(check(scheme, &pk, &sk), Ok(()), "{}", info.name);
            for at in [1, pk.len() / 2, pk.len() - 1] {
                pk[at] ^= 1;
                assert_eq!(check(scheme, &pk, &sk), Err(Error::Fault), "{} pk {at}", info.name);
                pk[at] ^= 1;
            }
            // In s1 of ML-DSA, f of Falcon, SK.seed or PK.seed of SLH-DSA.
            let at = if sk.len() > 140 { 140 } else { 2 };
            sk[at] ^= 2;
            assert_eq!(check(scheme, &pk, &sk), Err(Error::Fault), "{} sk", info.name);
        }
    }
}
