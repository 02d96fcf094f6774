//! Falcon of NIST's third round: specification 1.2, with the parameters of the code of 2021-11-01.
//!
//! Keys and signatures are those of the reference for the same random bytes, bit by bit, at every level
//! and with either system of numbers: the machine's doubles, or doubles made of integers, for machines
//! whose own are missing or take a time that depends on their values ([`SigningKey::sign_emulated`]; with
//! the feature `falcon-emulated` everything).
//! Signatures are compressed; verification takes the padded and the constant-time format too. Signing
//! is random: a signature made twice from one nonce and different seeds would give the key away.
//!
//! | to sign | takes |
//! |---|---|
//! | a few messages with a key | [`SigningKey`] |
//! | many | [`ExpandedSigningKey`]: two thirds of the time |
//!
//! Old signatures (liboqs up to 0.7.2 had a larger bound) verify by [`by_identity`](crate::by_identity).
//!
//! Signing takes time by how many trials the sampler needs and how many random bytes decide each, as
//! in the reference: that says nothing of the key (section 4.4). Nothing else in it depends on a secret,
//! if additions, products, quotients and square roots of doubles take the same time for all numbers that
//! occur, as on the usual machines.
//!
//! | module | what |
//! |---|---|
//! | [`fpr`] | doubles, by the machine and by integers alone |
//! | [`numbers`] | the same in vectors; which of them to use |
//! | [`roots`], [`fft`] | the transforms |
//! | [`tree`] | keys expanded for signing |
//! | [`walk`] | `ffSampling` |
//! | [`exact`], [`pairs`] | the sampler, in the text of the reference and two numbers at a time |
//! | [`stream`] | its random bytes |
//! | [`small`] | signing without a tree that is kept |
//! | [`keygen`], [`sign`], [`verify`] | the algorithms |
#![expect(non_snake_case, reason = "notation of the specification")]
mod exact;
mod fft;
mod fpr;
mod keygen;
mod numbers;
#[cfg(any(test, not(feature = "falcon-emulated")))]
mod pairs;
mod roots;
mod sign;
mod small;
mod stream;
#[cfg(test)]
mod tests;
mod tree;
mod typed;
mod verify;
mod walk;

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use oaklath_params::sig::{self, SigIdentity, SigInfo};
use oaklath_ring::q12289::{self as ring, Poly};
use oaklath_simd::{dispatch, scratch, secret};
use zeroize::Zeroizing;

use crate::falcon::numbers::Arithmetic;
use crate::falcon::sign::{Expanded, Invalid, SAMPLER_SEED};
use crate::falcon::verify::{NONCE, PublicKey};
use crate::message::Formatted;
use crate::object::{complete, output};
use crate::{Error, Message, Sign, Signature, Verify};

pub use typed::{
    COINS, EncodedSignature, ExpandedSigningKey, ExpandedVerifyingKey, FalconSet, SEED, SigningKey,
    VerifyingKey,
};

/// Falcon-512: degree 512, security category 1.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq, Hash)]
pub struct Falcon512;

/// Falcon-1024: degree 1024, security category 5.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq, Hash)]
pub struct Falcon1024;

/// What a set is made of. Not nameable outside this crate.
pub trait Set {
    #[doc(hidden)]
    const LOG2_N: u32;
}

impl Set for Falcon512 {
    const LOG2_N: u32 = 9;
}

impl Set for Falcon1024 {
    const LOG2_N: u32 = 10;
}

impl FalconSet for Falcon512 {}
impl FalconSet for Falcon1024 {}

/// The set behind the object layer.
fn object<P: Set>() -> &'static Falcon {
    if P::LOG2_N == 9 { &FALCON_512 } else { &FALCON_1024 }
}

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

/// Runs an expression with the number of coefficients as a constant: a call of what is out of line, or the
/// frames of both would be one.
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

/// With which numbers to sign.
#[cfg(not(feature = "falcon-emulated"))]
type Default = numbers::Native;
#[cfg(feature = "falcon-emulated")]
type Default = numbers::Integers;

/// A number in memory.
type Cell = <Default as Arithmetic>::Cell;
const ZERO: Cell = 0 as Cell;

impl Falcon {
    fn check_public(&self, pk: &[u8]) -> Result<(), Error> {
        let (expected, found) = (self.info.public_key, pk.len());
        if expected == found { Ok(()) } else { Err(Error::PublicKeyLength { expected, found }) }
    }

    fn check_secret(&self, sk: &[u8]) -> Result<(), Error> {
        let (expected, found) = (self.info.secret_key, sk.len());
        if expected == found { Ok(()) } else { Err(Error::SecretKeyLength { expected, found }) }
    }

    /// Signs in little memory with the bytes of a key of the right length.
    fn sign_low_memory(
        &self,
        sk: &[u8],
        message: &Message<'_>,
        random: Option<&[u8]>,
        out: &mut [u8],
    ) -> Result<usize, Error> {
        let (message, coins) = (&Formatted::round3(message)?, coins(random)?);
        with_n!(self, N => sign_low_memory::<N>(sk, message, coins, out))
    }

    /// The same with emulated numbers.
    fn sign_emulated(
        &self,
        sk: &[u8],
        message: &Message<'_>,
        random: &[u8],
        out: &mut [u8],
    ) -> Result<usize, Error> {
        let (message, coins) = (&Formatted::round3(message)?, coins(Some(random))?);
        with_n!(self, N => sign_emulated::<N>(sk, message, coins, out))
    }

    /// Verifies with the bytes of a key of the right length; nothing if they are no encoding.
    #[inline(never)]
    fn verify_bytes<const N: usize>(
        &self,
        pk: &[u8],
        message: &Formatted<'_>,
        signature: &[u8],
    ) -> Option<bool> {
        dispatch!(s => {
            // No `map`: its closure would not be inlined.
            let mut key = PublicKey::<N>::EMPTY;
            key.fill(s, pk)?;
            Some(key.verify(s, self.bound, message, signature, self.padded()))
        })
    }

    /// Length of the padded format.
    fn padded(&self) -> usize {
        self.info.variable.map_or(self.info.signature, |variable| variable.padded)
    }
}

/// The nonce and the seed of the sampler. There is no deterministic signature.
fn coins(coins: Option<&[u8]>) -> Result<(&[u8; NONCE], &[u8; SAMPLER_SEED]), Error> {
    let (expected, found) = (NONCE + SAMPLER_SEED, coins.map_or(0, <[u8]>::len));
    let split = coins.and_then(|coins| {
        let (nonce, seed) = coins.split_first_chunk()?;
        Some((nonce, seed.try_into().ok()?))
    });
    split.ok_or(Error::CoinsLength { expected, found })
}

/// An answer as a result.
fn valid(good: bool) -> Result<(), Error> {
    if good { Ok(()) } else { Err(Error::InvalidSignature) }
}

impl From<Invalid> for Error {
    fn from(invalid: Invalid) -> Self {
        match invalid {
            Invalid::Encoding => Self::SecretKeyEncoding,
            Invalid::Inconsistent => Self::SecretKeyInconsistent,
        }
    }
}

/// Signs with the bytes of a key.
#[inline(never)]
fn sign_bytes<const N: usize>(
    sk: &[u8],
    message: &Formatted<'_>,
    coins: (&[u8; NONCE], &[u8; SAMPLER_SEED]),
    out: &mut [u8],
) -> Result<usize, Error> {
    if cfg!(feature = "low-memory") {
        return sign_low_memory::<N>(sk, message, coins, out);
    }
    let mut key = Expanded::<Cell, N>::empty(ZERO);
    dispatch!(s => key.fill::<_, Default>(s, sk))?;
    Ok(dispatch!(s => key.sign::<_, Default>(s, message, coins, out)))
}

/// The same in little memory.
#[inline(never)]
fn sign_low_memory<const N: usize>(
    sk: &[u8],
    message: &Formatted<'_>,
    coins: (&[u8; NONCE], &[u8; SAMPLER_SEED]),
    out: &mut [u8],
) -> Result<usize, Error> {
    Ok(dispatch!(s => sign::sign_low_memory::<_, Default, N>(s, sk, message, coins, out))?)
}

/// The same with emulated numbers.
#[inline(never)]
fn sign_emulated<const N: usize>(
    sk: &[u8],
    message: &Formatted<'_>,
    coins: (&[u8; NONCE], &[u8; SAMPLER_SEED]),
    out: &mut [u8],
) -> Result<usize, Error> {
    type Integers = numbers::Integers;
    Ok(dispatch!(s => sign::sign_low_memory::<_, Integers, N>(s, sk, message, coins, out))?)
}

/// Writes both keys of a seed.
#[inline(never)]
fn keypair<const N: usize>(seed: &[u8; SEED], pk: &mut [u8], sk: &mut [u8]) {
    let mut secrets = Zeroizing::new(vec![0; 3 * N]);
    let mut h = vec![0; N];
    let (f, rest) = secrets.split_at_mut(N);
    let (g, F) = rest.split_at_mut(N);
    keygen::generate::<<Default as Arithmetic>::Real>(seed, f, g, F, &mut h);
    sign::encode::<N>([f, g, F], sk);
    scratch!(h_coefficients: Poly<N>);
    h_coefficients.iter_mut().zip(h).for_each(|(to, h)| *to = h as i16);
    pk[0] = verify::header::<N>(0);
    ring::encode_14(&h_coefficients[..], &mut pk[1..]);
}

/// The public key of the bytes of a key.
#[inline(never)]
fn public_key<const N: usize>(sk: &[u8], pk: &mut [u8]) -> Result<(), Error> {
    secret!(secrets: [Poly<N>; 4]);
    dispatch!(s => sign::decode(s, sk, secrets))?;
    if !dispatch!(s => sign::belong_together::<_, Default, N>(s, secrets)) {
        return Err(Error::SecretKeyInconsistent);
    }
    scratch!(h: Poly<N>);
    dispatch!(s => sign::public(s, secrets, h));
    pk[0] = verify::header::<N>(0);
    ring::encode_14(&h[..], &mut pk[1..]);
    Ok(())
}

impl Signature for Falcon {
    fn info(&self) -> &'static SigInfo {
        self.info
    }

    fn seed_len(&self) -> usize {
        SEED
    }

    fn coins_len(&self) -> usize {
        NONCE + SAMPLER_SEED
    }

    fn needs_coins(&self) -> bool {
        true
    }

    fn keypair_from(&self, seed: &[u8], pk: &mut [u8], sk: &mut [u8]) -> Result<(), Error> {
        output(pk, self.info.public_key, "public key");
        output(sk, self.info.secret_key, "private key");
        let result = <&[u8; SEED]>::try_from(seed)
            .map_err(|_| Error::SeedLength { expected: SEED, found: seed.len() })
            .map(|seed| with_n!(self, N => keypair::<N>(seed, pk, sk)));
        complete(result, [pk, sk])
    }

    fn public_key(&self, sk: &[u8], pk: &mut [u8]) -> Result<(), Error> {
        output(pk, self.info.public_key, "public key");
        let result =
            self.check_secret(sk).and_then(|()| with_n!(self, N => public_key::<N>(sk, pk)));
        complete(result, [pk])
    }

    fn sign(
        &self,
        sk: &[u8],
        message: &Message<'_>,
        random: Option<&[u8]>,
        out: &mut [u8],
    ) -> Result<usize, Error> {
        let out = &mut out[..self.info.signature];
        let result = self.check_secret(sk).and_then(|()| {
            let (message, coins) = (&Formatted::round3(message)?, coins(random)?);
            with_n!(self, N => sign_bytes::<N>(sk, message, coins, out))
        });
        complete(result, [out])
    }

    fn verify(&self, pk: &[u8], message: &Message<'_>, signature: &[u8]) -> Result<(), Error> {
        self.check_public(pk)?;
        let message = &Formatted::round3(message)?;
        let good = with_n!(self, N => self.verify_bytes::<N>(pk, message, signature));
        valid(good.ok_or(Error::PublicKeyEncoding)?)
    }

    fn prepare_signer(&self, sk: &[u8]) -> Result<Box<dyn Sign>, Error> {
        self.check_secret(sk)?;
        with_n!(self, N => Ok(Box::new(Signer { info: self.info, key: expanded::<N>(sk)? })))
    }

    fn prepare_low_memory_signer(&self, sk: &[u8]) -> Result<Box<dyn Sign>, Error> {
        self.public_key(sk, &mut vec![0; self.info.public_key])?;
        Ok(Box::new(Packed { set: Self { ..*self }, key: Zeroizing::new(sk.to_vec()) }))
    }

    fn prepare_verifier(&self, pk: &[u8]) -> Result<Box<dyn Verify>, Error> {
        self.check_public(pk)?;
        with_n!(self, N => {
            let key = public::<N>(pk).ok_or(Error::PublicKeyEncoding)?;
            Ok(Box::new(Verifier { set: Self { ..*self }, key }))
        })
    }
}

/// A private key expanded on the heap.
#[inline(never)]
fn expanded<const N: usize>(sk: &[u8]) -> Result<Box<Expanded<Cell, N>>, Error> {
    let mut key = empty::<N>();
    dispatch!(s => key.fill::<_, Default>(s, sk))?;
    Ok(key)
}

/// Room for it. Out of line, so that what stands on the stack before it is moved is gone when it is filled.
#[inline(never)]
fn empty<const N: usize>() -> Box<Expanded<Cell, N>> {
    Box::new(Expanded::empty(ZERO))
}

/// A public key transformed on the heap.
#[inline(never)]
fn public<const N: usize>(pk: &[u8]) -> Option<Box<PublicKey<N>>> {
    let mut key = Box::new(PublicKey::<N>::EMPTY);
    dispatch!(s => key.fill(s, pk))?;
    Some(key)
}

/// A prepared public key.
struct Verifier<const N: usize> {
    set: Falcon,
    key: Box<PublicKey<N>>,
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

/// An expanded private key: 70 kilobytes or 140.
struct Signer<const N: usize> {
    info: &'static SigInfo,
    key: Box<Expanded<Cell, N>>,
}

impl<const N: usize> Sign for Signer<N> {
    fn sign(
        &self,
        message: &Message<'_>,
        random: Option<&[u8]>,
        out: &mut [u8],
    ) -> Result<usize, Error> {
        let out = &mut out[..self.info.signature];
        let result = Formatted::round3(message).and_then(|message| {
            let coins = coins(random)?;
            Ok(dispatch!(s => self.key.sign::<_, Default>(s, &message, coins, out)))
        });
        complete(result, [out])
    }
}

/// Says nothing of the key.
impl<const N: usize> fmt::Debug for Signer<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Signer").field("set", &self.info.name).finish_non_exhaustive()
    }
}

/// The bytes of a private key that was checked.
struct Packed {
    set: Falcon,
    key: Zeroizing<Vec<u8>>,
}

impl Sign for Packed {
    fn sign(
        &self,
        message: &Message<'_>,
        random: Option<&[u8]>,
        out: &mut [u8],
    ) -> Result<usize, Error> {
        let out = &mut out[..self.set.info.signature];
        let result = self.set.sign_low_memory(&self.key, message, random, out);
        complete(result, [out])
    }
}

/// Says nothing of the key.
impl fmt::Debug for Packed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Packed").field("set", &self.set.info.name).finish_non_exhaustive()
    }
}
