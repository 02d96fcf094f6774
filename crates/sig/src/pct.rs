//! The pairwise consistency test of FIPS 140-3 (ISO/IEC 19790, 7.10.3.3): a key pair that was just
//! made must work. It detects hardware faults that callers cannot detect.
use crate::error::Error;
#[cfg(feature = "pct")]
use crate::message::Message;
use crate::scheme::SignatureSet;
#[cfg(feature = "pct")]
use crate::scheme::{SignatureScheme, derive_coins, sign_bytes};

/// With the feature `pct`, checks that `pk` verifies a signature made with `sk`.
///
/// # Errors
/// [`Error::Fault`].
#[inline(always)]
#[cfg_attr(
    not(feature = "pct"),
    expect(clippy::extra_unused_type_parameters, reason = "what the feature tries is of a set")
)]
pub(crate) fn check<P: SignatureSet>(pk: &[u8], sk: &[u8]) -> Result<(), Error> {
    #[cfg(feature = "pct")]
    try_pair::<P>(pk, sk)?;
    let _ = (pk, sk);
    Ok(())
}

/// Signs with `sk` and verifies with `pk`.
#[cfg(feature = "pct")]
#[inline(never)]
fn try_pair<P: SignatureSet>(pk: &[u8], sk: &[u8]) -> Result<(), Error> {
    use crate::scheme::Bytes;
    const TEXT: &[u8] = b"pairwise consistency";
    let message = Message::new(TEXT);
    let mut coins = zeroize::Zeroizing::new(P::Coins::ZERO);
    derive_coins(sk, TEXT, (*coins).as_mut());
    let coins = P::Scheme::NEEDS_COINS.then_some((*coins).as_ref());
    let mut signature = alloc::vec![0; P::INFO.longest_signature()];
    sign_bytes(P::SCHEME, sk, &message, coins, &mut signature)
        .and_then(|len| P::SCHEME.verify(pk, &message, &signature[..len]))
        .map_err(|_| Error::Fault)
}
