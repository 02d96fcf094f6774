//! The curves of aws-lc, several times faster than the portable ones.
//!
//! ```
//! use getrandom::SysRng;
//! use oaklath_hybrid::{aws_lc, rustcrypto};
//!
//! let client = aws_lc::P521.generate(&mut SysRng)?;
//! let (answer, secret) = rustcrypto::P521.respond(&mut SysRng, client.share())?;
//! assert_eq!(client.agree(&answer)?.as_bytes(), secret.as_bytes());
//! # Ok::<(), oaklath_hybrid::Error>(())
//! ```

use alloc::boxed::Box;

use aws_lc_rs::agreement::{self, Algorithm, PrivateKey, PublicKey, UnparsedPublicKey};
use oaklath_params::curve::{self, CurveInfo};

use crate::ecdh::{Ecdh, Ephemeral, Random, draw_scalar};
use crate::error::Error;
use crate::secret::SharedSecret;

/// P-256.
pub static P256: &dyn Ecdh = &AwsLc::new(&curve::P256, &agreement::ECDH_P256);
/// P-384.
pub static P384: &dyn Ecdh = &AwsLc::new(&curve::P384, &agreement::ECDH_P384);
/// P-521.
pub static P521: &dyn Ecdh = &AwsLc::new(&curve::P521, &agreement::ECDH_P521);
/// X25519.
pub static X25519: &dyn Ecdh = &AwsLc::new(&curve::X25519, &agreement::X25519);
/// All curves of this module.
pub static ALL: &[&dyn Ecdh] = &[P256, P384, P521, X25519];

/// Returns a curve whose keys come from aws-lc's own generator, which leaves `random` untouched.
/// These keys are made faster: for a key that is imported, aws-lc checks by another scalar
/// multiplication that its halves match.
///
/// ```
/// use getrandom::SysRng;
/// use oaklath_hybrid::aws_lc;
/// use oaklath_params::curve;
///
/// let ecdh = aws_lc::own_generator(&curve::P521).expect("a curve of this module");
/// let client = ecdh.generate(&mut SysRng)?;
/// let (answer, secret) = ecdh.respond(&mut SysRng, client.share())?;
/// assert_eq!(client.agree(&answer)?.as_bytes(), secret.as_bytes());
/// # Ok::<(), oaklath_hybrid::Error>(())
/// ```
#[must_use]
pub fn own_generator(curve: &CurveInfo) -> Option<&'static dyn Ecdh> {
    static ALL: [AwsLc; 4] = [
        AwsLc::new(&curve::P256, &agreement::ECDH_P256).with_own_generator(),
        AwsLc::new(&curve::P384, &agreement::ECDH_P384).with_own_generator(),
        AwsLc::new(&curve::P521, &agreement::ECDH_P521).with_own_generator(),
        AwsLc::new(&curve::X25519, &agreement::X25519).with_own_generator(),
    ];
    let found = ALL.iter().find(|ecdh| ecdh.curve == curve);
    found.map(|ecdh| ecdh as &dyn Ecdh)
}

#[derive(Debug)]
struct AwsLc {
    curve: &'static CurveInfo,
    algorithm: &'static Algorithm,
    has_own_generator: bool,
}

impl Ecdh for AwsLc {
    fn curve(&self) -> &'static CurveInfo {
        self.curve
    }

    // aws-lc's own key generation ignores `random`; otherwise the private key is drawn here.
    fn generate(&self, random: &mut dyn Random) -> Result<Box<dyn Ephemeral>, Error> {
        let secret = if self.has_own_generator {
            PrivateKey::generate(self.algorithm).map_err(|_| Error::Random)?
        } else {
            draw_scalar(self.curve, random, |bytes| {
                PrivateKey::from_private_key(self.algorithm, bytes).ok()
            })?
        };
        let share = secret.compute_public_key().map_err(|_| Error::Backend)?;
        Ok(Box::new(Key { algorithm: self.algorithm, secret, share }))
    }
}

impl AwsLc {
    const fn new(curve: &'static CurveInfo, algorithm: &'static Algorithm) -> Self {
        Self { curve, algorithm, has_own_generator: false }
    }

    const fn with_own_generator(self) -> Self {
        Self { has_own_generator: true, ..self }
    }
}

/// A private key, which aws-lc erases when it is freed, and its public key.
struct Key {
    algorithm: &'static Algorithm,
    secret: PrivateKey,
    share: PublicKey,
}

impl Ephemeral for Key {
    fn share(&self) -> &[u8] {
        self.share.as_ref()
    }

    // aws-lc rejects points that are not on the curve; for X25519, where all 32 bytes are a point,
    // it rejects secrets of zeros.
    fn agree(self: Box<Self>, peer: &[u8]) -> Result<SharedSecret, Error> {
        let peer = UnparsedPublicKey::new(self.algorithm, peer);
        let refused = match self.algorithm == &agreement::X25519 {
            true => Error::ZeroSecret,
            false => Error::PointNotOnCurve,
        };
        agreement::agree(&self.secret, peer, refused, |secret| Ok(SharedSecret::from(secret)))
    }
}
