//! The classical half: ephemeral elliptic-curve Diffie-Hellman behind an object-safe trait
//! (SEC 1, section 3.3.1; RFC 7748).

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use oaklath_params::curve::CurveInfo;
use rand_core::TryCryptoRng;

use crate::error::Error;
use crate::secret::SharedSecret;

/// A cryptographically secure generator, usable as a trait object. Implemented for every
/// `TryCryptoRng` of `rand_core` 0.10.
pub trait Random {
    /// Fills `out`.
    ///
    /// # Errors
    /// [`Error::Random`] if the generator failed. The contents of `out` are then unspecified.
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
/// implementation. An implementation must check that the peer's point is on the curve.
pub trait Ecdh: fmt::Debug + Send + Sync {
    /// Returns the curve.
    fn curve(&self) -> &'static CurveInfo;

    /// Makes a new private key. An implementation with its own generator may leave `random`
    /// untouched.
    ///
    /// # Errors
    /// [`Error::Random`] if the generator failed, [`Error::Backend`] if the implementation failed.
    fn generate(&self, random: &mut dyn Random) -> Result<Box<dyn Ephemeral>, Error>;

    /// Does the server's side in one step: returns its share, and the secret with `peer`.
    ///
    /// # Errors
    /// Those of [`Ecdh::generate`] and [`Ephemeral::agree`].
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

/// An ephemeral private key of [`Ecdh`], which is used once and zeroized on drop.
pub trait Ephemeral: Send + Sync {
    /// Returns the public key as it is sent: an uncompressed point, or 32 bytes for X25519.
    fn share(&self) -> &[u8];

    /// Computes the shared secret with `peer`: the x-coordinate at full length.
    ///
    /// # Errors
    /// [`Error::PointNotOnCurve`] if `peer` is not a point of the curve, [`Error::ZeroSecret`] if
    /// an implementation of X25519 rejects it, [`Error::Backend`] if the implementation failed.
    fn agree(self: Box<Self>, peer: &[u8]) -> Result<SharedSecret, Error>;
}

/// Draws a private key by rejection (FIPS 186-5, A.2.2): reads random bytes until `parse` accepts.
///
/// The orders of P-256, P-384 and P-521 are so close below a power of two that bytes are rejected
/// with probability at most 2^-32; a generator rejected eight times is broken.
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
