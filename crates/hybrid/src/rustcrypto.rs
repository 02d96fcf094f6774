//! The portable curves of the crates `p256`, `p384`, `p521` and `x25519-dalek`.
//!
//! ```
//! use oaklath_hybrid::{Group, rustcrypto};
//! use oaklath_params::group;
//!
//! let group = Group::with_ecdh(&group::SECP521R1MLKEM1024, rustcrypto::P521)?;
//! assert_eq!(group.info().name, "SecP521r1MLKEM1024");
//! # Ok::<(), oaklath_hybrid::Unavailable>(())
//! ```

use alloc::boxed::Box;
use alloc::vec::Vec;

use oaklath_params::curve::{self, CurveInfo};
use p256::elliptic_curve::sec1::ToSec1Point;
use zeroize::Zeroizing;

use crate::ecdh::{Ecdh, Ephemeral, Random, draw_scalar};
use crate::error::Error;
use crate::secret::SharedSecret;

/// P-256.
pub static P256: &dyn Ecdh = &P256Ecdh;
/// P-384.
pub static P384: &dyn Ecdh = &P384Ecdh;
/// P-521.
pub static P521: &dyn Ecdh = &P521Ecdh;
/// X25519.
pub static X25519: &dyn Ecdh = &X25519Ecdh;
/// All curves of this module.
pub static ALL: &[&dyn Ecdh] = &[P256, P384, P521, X25519];

/// Implements the three prime curves, which differ only in their crates: SEC 1, section 3.3.1, with
/// the private key drawn by rejection (FIPS 186-5, A.2.2).
macro_rules! prime_curves {
    ($($ecdh:ident $library:ident $info:ident)*) => { $(
        #[derive(Debug)]
        struct $ecdh;

        impl Ecdh for $ecdh {
            fn curve(&self) -> &'static CurveInfo {
                &curve::$info
            }

            fn generate(&self, random: &mut dyn Random) -> Result<Box<dyn Ephemeral>, Error> {
                let secret = draw_scalar(self.curve(), random, |bytes| {
                    $library::SecretKey::from_slice(bytes).ok()
                })?;
                let share = secret.public_key().to_sec1_point(false).as_bytes().to_vec();
                Ok(Box::new(PrimeKey { secret, share }))
            }
        }

        impl Ephemeral for PrimeKey<$library::SecretKey> {
            fn share(&self) -> &[u8] {
                &self.share
            }

            fn agree(self: Box<Self>, peer: &[u8]) -> Result<SharedSecret, Error> {
                let peer = $library::PublicKey::from_sec1_bytes(peer)
                    .map_err(|_| Error::PointNotOnCurve)?;
                let shared = self.secret.diffie_hellman(&peer);
                Ok(SharedSecret::from(&shared.raw_secret_bytes()[..]))
            }
        }
    )* };
}

prime_curves! {
    // type      crate  row
    P256Ecdh     p256   P256
    P384Ecdh     p384   P384
    P521Ecdh     p521   P521
}

/// A private key, which its crate zeroizes on drop, and the uncompressed public point.
struct PrimeKey<S> {
    secret: S,
    share: Vec<u8>,
}

#[derive(Debug)]
struct X25519Ecdh;

impl Ecdh for X25519Ecdh {
    fn curve(&self) -> &'static CurveInfo {
        &curve::X25519
    }

    fn generate(&self, random: &mut dyn Random) -> Result<Box<dyn Ephemeral>, Error> {
        let mut bytes = Zeroizing::new([0; 32]);
        random.fill(&mut *bytes)?;
        let secret = x25519_dalek::StaticSecret::from(*bytes);
        let share = x25519_dalek::PublicKey::from(&secret);
        Ok(Box::new(X25519Key { secret, share }))
    }
}

struct X25519Key {
    secret: x25519_dalek::StaticSecret,
    share: x25519_dalek::PublicKey,
}

impl Ephemeral for X25519Key {
    fn share(&self) -> &[u8] {
        self.share.as_bytes()
    }

    // RFC 7748, section 5: any 32 bytes are a u-coordinate. The caller rejects a secret of zeros.
    fn agree(self: Box<Self>, peer: &[u8]) -> Result<SharedSecret, Error> {
        let peer = <[u8; 32]>::try_from(peer).map_err(|_| Error::PointNotOnCurve)?;
        let shared = self.secret.diffie_hellman(&x25519_dalek::PublicKey::from(peer));
        Ok(SharedSecret::from(&shared.as_bytes()[..]))
    }
}
