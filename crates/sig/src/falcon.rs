//! Falcon of NIST's third round: specification 1.2, with the parameters of the code of 2021-11-01.
//!
//! | module | what |
//! |---|---|
//! | [`fpr`] | doubles, native and emulated |
//! | [`verify`] | verification |
mod fpr;
mod verify;

use alloc::boxed::Box;
use core::fmt;

use oaklath_params::sig::{self, SigIdentity, SigInfo};
use oaklath_simd::dispatch;

use crate::falcon::verify::VerifyingKey;
use crate::message::Formatted;
use crate::object::output;
use crate::{Error, Message, Sign, Signature, Verify};

/// A parameter set, with the bound by which it verifies.
#[derive(Debug)]
pub(crate) struct Falcon {
    info: &'static SigInfo,
    log2_n: u32,
    bound: u32,
}

macro_rules! sets {
    ($($id:ident $log2_n:literal $identity:ident)*) => { $(
        pub(crate) static $id: Falcon = Falcon {
            info: sig::$identity.algorithm,
            log2_n: $log2_n,
            bound: sig::$identity.verification_bound.expect("every identity of Falcon has one"),
        };
    )* };
}
sets! {
    // set                log2 n  whose bound
    FALCON_512            9       ID_FALCON_512
    FALCON_1024           10      ID_FALCON_1024
    FALCON_512_APPENDIX   9       ID_FALCON_512_APPENDIX
    FALCON_1024_APPENDIX  10      ID_FALCON_1024_APPENDIX
}

/// The set with the bound of an identity, if it is one of Falcon.
pub(crate) fn by_identity(identity: &SigIdentity) -> Option<&'static Falcon> {
    [&FALCON_512, &FALCON_1024, &FALCON_512_APPENDIX, &FALCON_1024_APPENDIX].into_iter().find(
        |set| {
            core::ptr::eq(set.info, identity.algorithm)
                && identity.verification_bound == Some(set.bound)
        },
    )
}

/// Runs an expression with the number of coefficients as a constant.
macro_rules! with_n {
    ($set:expr, $n:ident => $e:expr) => {
        if $set.log2_n == 9 {
            const $n: usize = 512;
            $e
        } else {
            const $n: usize = 1024;
            $e
        }
    };
}

impl Falcon {
    fn check_public(&self, pk: &[u8]) -> Result<(), Error> {
        let (expected, found) = (self.info.public_key, pk.len());
        if expected == found { Ok(()) } else { Err(Error::PublicKeyLength { expected, found }) }
    }

    /// Length of the padded format.
    fn padded(&self) -> usize {
        self.info.variable.map_or(self.info.signature, |variable| variable.padded)
    }
}

/// An answer as a result.
fn valid(good: bool) -> Result<(), Error> {
    if good { Ok(()) } else { Err(Error::InvalidSignature) }
}

impl Signature for Falcon {
    fn info(&self) -> &'static SigInfo {
        self.info
    }

    fn seed_len(&self) -> usize {
        48
    }

    /// The nonce and the seed of the sampler.
    fn coins_len(&self) -> usize {
        40 + 48
    }

    fn keypair_from(&self, _: &[u8], pk: &mut [u8], sk: &mut [u8]) -> Result<(), Error> {
        output(pk, self.info.public_key, "public key");
        output(sk, self.info.secret_key, "private key");
        Err(Error::SecretKeyEncoding)
    }

    fn public_key(&self, _: &[u8], pk: &mut [u8]) -> Result<(), Error> {
        output(pk, self.info.public_key, "public key");
        Err(Error::SecretKeyEncoding)
    }

    fn sign(
        &self,
        _: &[u8],
        _: &Message<'_>,
        _: Option<&[u8]>,
        _: &mut [u8],
    ) -> Result<usize, Error> {
        Err(Error::SecretKeyEncoding)
    }

    fn verify(&self, pk: &[u8], message: &Message<'_>, signature: &[u8]) -> Result<(), Error> {
        self.check_public(pk)?;
        let message = &Formatted::round3(message)?;
        let (bound, padded) = (self.bound, self.padded());
        let good = with_n!(self, N => dispatch!(s => {
            let mut key = VerifyingKey::<N>::EMPTY;
            key.fill(s, pk).map(|()| key.verify(s, bound, message, signature, padded))
        }));
        valid(good.ok_or(Error::PublicKeyEncoding)?)
    }

    fn prepare_signer(&self, _: &[u8]) -> Result<Box<dyn Sign>, Error> {
        Err(Error::SecretKeyEncoding)
    }

    fn prepare_verifier(&self, pk: &[u8]) -> Result<Box<dyn Verify>, Error> {
        self.check_public(pk)?;
        with_n!(self, N => {
            let mut key = Box::new(VerifyingKey::<N>::EMPTY);
            dispatch!(s => key.fill(s, pk)).ok_or(Error::PublicKeyEncoding)?;
            Ok(Box::new(Verifier { set: Self { ..*self }, key }))
        })
    }
}

/// A prepared public key.
struct Verifier<const N: usize> {
    set: Falcon,
    key: Box<VerifyingKey<N>>,
}

impl<const N: usize> Verify for Verifier<N> {
    fn verify(&self, message: &Message<'_>, signature: &[u8]) -> Result<(), Error> {
        let message = &Formatted::round3(message)?;
        let (bound, padded) = (self.set.bound, self.set.padded());
        valid(dispatch!(s => self.key.verify(s, bound, message, signature, padded)))
    }
}

impl<const N: usize> fmt::Debug for Verifier<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Verifier").field("set", &self.set.info.name).finish_non_exhaustive()
    }
}
