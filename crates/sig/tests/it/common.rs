//! Helpers that the tests share.
use oaklath_hash::keccak::{RATE_SHA3_512, SUFFIX_SHA3};
use oaklath_hash::sha3::sponge;
use oaklath_params::Status;
use oaklath_params::sig::SigInfo;
use oaklath_sig::{Signature, all};

pub(crate) fn is_round3(info: &SigInfo) -> bool {
    info.status == Status::Legacy
}

/// Returns 64 bytes that depend on all of `label` and on `i`.
pub(crate) fn bytes(label: &str, i: usize) -> [u8; 64] {
    let mut out = [0; 64];
    sponge::<RATE_SHA3_512, SUFFIX_SHA3>(&[format!("{label} {i}").as_bytes()], &mut out);
    out
}

/// Returns the schemes that sign in less than ten milliseconds: of those with hash trees, only the
/// fastest.
pub(crate) fn quick() -> impl Iterator<Item = &'static dyn Signature> {
    let is_quick = |name: &str| !name.contains("SHA") || name.contains("128f");
    all().iter().copied().filter(move |scheme| is_quick(scheme.info().name))
}

/// A random generator that returns the same byte each time.
pub(crate) struct OneByte(pub(crate) u8);

impl rand_core::TryRng for OneByte {
    type Error = core::convert::Infallible;
    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        unreachable!("keys and signatures fill bytes")
    }
    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        unreachable!("keys and signatures fill bytes")
    }
    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Self::Error> {
        out.fill(self.0);
        Ok(())
    }
}

impl rand_core::TryCryptoRng for OneByte {}
