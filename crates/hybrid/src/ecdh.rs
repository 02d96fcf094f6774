//! The classical half: ephemeral elliptic-curve Diffie-Hellman behind an object-safe trait
//! (SEC 1, section 3.3.1; RFC 7748).

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use oaklath_params::curve::CurveInfo;
use rand_core::TryCryptoRng;

use crate::error::Error;
use crate::secret::SharedSecret;

/// A cryptographically secure generator, as a trait object. Every `TryCryptoRng` of `rand_core`
/// 0.10 is one.
pub trait Random {
    /// Fills `out`.
    ///
    /// # Errors
    /// [`Error::Random`] if the generator failed; `out` is unspecified then.
    fn fill(&mut self, out: &mut [u8]) -> Result<(), Error>;
}

impl<R: TryCryptoRng> Random for R {
    fn fill(&mut self, out: &mut [u8]) -> Result<(), Error> {
        self.try_fill_bytes(out).map_err(|_| Error::Random)
    }
}

/// An implementation of Diffie-Hellman on one curve.
///
/// [`Group`](crate::Group) checks lengths, the uncompressed form and the all-zero secret for every
/// implementation; what an implementation must check is that the peer's point is on the curve.
pub trait Ecdh: fmt::Debug + Send + Sync {
    /// The curve.
    fn curve(&self) -> &'static CurveInfo;

    /// A fresh private key. An implementation with a generator of its own may leave `random`
    /// untouched.
    ///
    /// # Errors
    /// [`Error::Random`] if the generator failed, [`Error::Backend`] for a fault of the
    /// implementation.
    fn generate(&self, random: &mut dyn Random) -> Result<Box<dyn Ephemeral>, Error>;

    /// The server's side in one step: its own share, and the secret with `peer`.
    ///
    /// # Errors
    /// As [`Ecdh::generate`] and [`Ephemeral::agree`].
    fn respond(
        &self,
        random: &mut dyn Random,
        peer: &[u8],
    ) -> Result<(Vec<u8>, SharedSecret), Error> {
        let ephemeral = self.generate(random)?;
        let share = ephemeral.share().to_vec();
        Ok((share, ephemeral.agree(peer)?))
    }
}

/// An ephemeral private key of [`Ecdh`]; it is used once and zeroized on drop.
pub trait Ephemeral: Send + Sync {
    /// The public key as it travels: an uncompressed point, or 32 bytes for X25519.
    fn share(&self) -> &[u8];

    /// The shared secret with `peer`: the x-coordinate at full length.
    ///
    /// # Errors
    /// [`Error::PointNotOnCurve`] if `peer` is not a point of the curve, [`Error::Backend`] for a
    /// fault of the implementation.
    fn agree(self: Box<Self>, peer: &[u8]) -> Result<SharedSecret, Error>;
}

/// A private key drawn by rejection (FIPS 186-5, A.2.2): random strings until `parse` takes one.
///
/// The orders of P-256, P-384 and P-521 are so close below a power of two that a string is rejected
/// with probability 2^-32 at most; a generator rejected eight times is broken.
#[cfg(any(feature = "rustcrypto", feature = "aws-lc-rs"))]
pub(crate) fn draw_scalar<K>(
    curve: &CurveInfo,
    random: &mut dyn Random,
    parse: impl Fn(&[u8]) -> Option<K>,
) -> Result<K, Error> {
    let mut bytes = zeroize::Zeroizing::new(alloc::vec![0; curve.private_key]);
    for _ in 0..8 {
        random.fill(&mut bytes)?;
        if curve == &oaklath_params::curve::P521 {
            bytes[0] &= 1; // 521 bits in 66 bytes: the upper seven are zero
        }
        if let Some(key) = parse(&bytes) {
            return Ok(key);
        }
    }
    Err(Error::Random)
}
