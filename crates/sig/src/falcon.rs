//! Falcon of NIST's third round: specification 1.2, with the parameters of the code of 2021-11-01; and with the
//! feature `fn-dsa-draft` FN-DSA, which is to become FIPS 206 (the module `fn_dsa`).
//!
//! Keys and signatures of Falcon are those of the reference for the same random bytes, bit by bit, at every
//! level and with either system of numbers: the machine's doubles, or doubles made of integers, for machines
//! whose own are missing or take a time that depends on their values ([`SigningKey::sign_emulated`]; with
//! the feature `falcon-emulated` everything).
//! Signatures are compressed; verification takes the padded and the constant-time format too. Signing
//! is random: two signatures of one message from one nonce and different seeds would give the key away.
//!
//! | to sign | takes |
//! |---|---|
//! | a few messages with a key | [`SigningKey`] |
//! | many | [`ExpandedSigningKey`]: two thirds of the time |
//!
//! Old signatures (liboqs up to 0.7.2 had a larger bound) verify by [`by_identity`](crate::by_identity).
//!
//! Signing takes time by how many trials the sampler needs and how many random bytes decide each, as
//! in the reference: that says next to nothing of the key (section 4.4; SECURITY.md has what is known). Nothing
//! else in it depends on a secret, if additions, products, quotients and square roots of doubles take the same
//! time for all numbers that occur. That is assumed, and not true of every CPU: there, `falcon-emulated`.
//!
//! ```
//! # #[cfg(all(feature = "getrandom", feature = "legacy"))] {
//! use oaklath_sig::Message;
//! use oaklath_sig::falcon::{Falcon512, SigningKey};
//!
//! let key = SigningKey::<Falcon512>::generate();
//! let signature = key.sign_message(&Message::new(b"a message"))?;
//! key.verifying_key().verify_message(&Message::new(b"a message"), &signature)?;
//! # }
//! # Ok::<(), oaklath_sig::Error>(())
//! ```
#![expect(non_snake_case, reason = "notation of the specification")]
// The modules:
// `scheme`: what Falcon and FN-DSA differ in
// `fpr`: doubles, by the machine and by integers alone
// `numbers`: the same in vectors; which of them to use
// `roots`, `fft`: the transforms
// `tree`: keys expanded for signing
// `walk`: `ffSampling`
// `exact`, `pairs`: the sampler, in the text of the reference and two numbers at a time
// `stream`, `chacha`, `shake`: its random bytes
// `small`: signing without a tree that is kept
// `keygen`, `sign`, `verify`: the algorithms
#[cfg(feature = "legacy")]
mod chacha;
mod exact;
mod fft;
mod fpr;
mod keygen;
mod numbers;
#[cfg(any(test, not(feature = "falcon-emulated")))]
mod pairs;
mod roots;
mod scheme;
#[cfg(feature = "fn-dsa-draft")]
mod shake;
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
use core::fmt;
use core::marker::PhantomData;

use oaklath_hash::sha3::Shake256;
#[cfg(feature = "legacy")]
use oaklath_params::sig::SigIdentity;
use oaklath_params::sig::{self, SigInfo};
use oaklath_poly::q12289::Poly;
use oaklath_simd::{dispatch, scratch, secret};
use zeroize::Zeroizing;

use crate::falcon::numbers::Arithmetic;
#[cfg(feature = "fn-dsa-draft")]
use crate::falcon::scheme::FnDsa;
#[cfg(feature = "legacy")]
use crate::falcon::scheme::Round3;
use crate::falcon::scheme::{PUBLIC_HASH, Scheme};
use crate::falcon::sign::{Expanded, Invalid};
use crate::falcon::verify::PublicKey;
use crate::message::Formatted;
use crate::object::{complete, output};
use crate::packed::packed;
use crate::sets::Bytes;
use crate::{Error, Message, Sign, Signature, Verify, pct};

pub use typed::{
    EncodedSignature, ExpandedSigningKey, ExpandedVerifyingKey, FalconSet, SEED, SigningKey,
    VerifyingKey,
};

/// What a set is made of. Not nameable outside this crate.
pub trait Set {
    /// The randomness of a signature: of Falcon a nonce of 40 bytes and a seed of 48, of FN-DSA 40 bytes.
    type Coins: Bytes;

    #[doc(hidden)]
    fn object() -> &'static dyn Object;
}

/// The object layer, and what it has not. Not nameable outside this crate.
pub trait Object: Signature {
    #[doc(hidden)]
    fn sign_low_memory(
        &self,
        sk: &[u8],
        message: &Message<'_>,
        random: Option<&[u8]>,
        out: &mut [u8],
    ) -> Result<usize, Error>;

    #[doc(hidden)]
    fn sign_emulated(
        &self,
        sk: &[u8],
        message: &Message<'_>,
        random: &[u8],
        out: &mut [u8],
    ) -> Result<usize, Error>;
}

macro_rules! typed_sets {
    ($($(#[doc = $doc:literal])* $feature:literal $set:ident $scheme:ident $object:ident)*) => { $(
        $(#[doc = $doc])*
        #[cfg(feature = $feature)]
        #[derive(Clone, Copy, Default, Debug, PartialEq, Eq, Hash)]
        pub struct $set;

        #[cfg(feature = $feature)]
        impl Set for $set {
            type Coins = [u8; $scheme::COINS];

            fn object() -> &'static dyn Object {
                &$object
            }
        }

        #[cfg(feature = $feature)]
        impl FalconSet for $set {}
    )* };
}
typed_sets! {
    /// Falcon-512: degree 512, security category 1.
    "legacy" Falcon512 Round3 FALCON_512
    /// Falcon-1024: degree 1024, security category 5.
    "legacy" Falcon1024 Round3 FALCON_1024
    /// FN-DSA-512: degree 512, security category 1.
    "fn-dsa-draft" FnDsa512 FnDsa FN_DSA_512
    /// FN-DSA-1024: degree 1024, security category 5.
    "fn-dsa-draft" FnDsa1024 FnDsa FN_DSA_1024
}

/// A parameter set, with the bound by which it verifies.
#[derive(Debug)]
pub(crate) struct Falcon<P> {
    info: &'static SigInfo,
    log2_n: u32,
    bound: u32,
    scheme: PhantomData<P>,
}

macro_rules! sets {
    ($($feature:literal $id:ident $scheme:ident $log2_n:literal $info:ident $identity:ident)*) => { $(
        #[cfg(feature = $feature)]
        pub(crate) static $id: Falcon<$scheme> = Falcon {
            info: &sig::$info,
            log2_n: $log2_n,
            bound: sig::$identity.verification_bound.expect("every identity of Falcon has one"),
            scheme: PhantomData,
        };
    )* };
}
sets! {
    // feature      set                   scheme  log2 n  row          whose bound
    "legacy"        FALCON_512            Round3   9      FALCON_512   ID_FALCON_512
    "legacy"        FALCON_1024           Round3  10      FALCON_1024  ID_FALCON_1024
    "legacy"        FALCON_512_APPENDIX   Round3   9      FALCON_512   ID_FALCON_512_APPENDIX
    "legacy"        FALCON_1024_APPENDIX  Round3  10      FALCON_1024  ID_FALCON_1024_APPENDIX
    "fn-dsa-draft"  FN_DSA_512            FnDsa    9      FN_DSA_512   ID_FALCON_512
    "fn-dsa-draft"  FN_DSA_1024           FnDsa   10      FN_DSA_1024  ID_FALCON_1024
}

/// The set with the bound of an identity, if it is one of Falcon.
#[cfg(feature = "legacy")]
pub(crate) fn by_identity(identity: &SigIdentity) -> Option<&'static dyn Signature> {
    let sets = [&FALCON_512, &FALCON_1024, &FALCON_512_APPENDIX, &FALCON_1024_APPENDIX];
    let set = sets.into_iter().find(|set| {
        core::ptr::eq(set.info, identity.algorithm)
            && identity.verification_bound == Some(set.bound)
    })?;
    Some(set)
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

impl<P: Scheme> Falcon<P> {
    fn check_public(&self, pk: &[u8]) -> Result<(), Error> {
        let (expected, found) = (self.info.public_key, pk.len());
        if expected == found { Ok(()) } else { Err(Error::PublicKeyLength { expected, found }) }
    }

    fn check_secret(&self, sk: &[u8]) -> Result<(), Error> {
        let (expected, found) = (self.info.secret_key, sk.len());
        if expected == found { Ok(()) } else { Err(Error::SecretKeyLength { expected, found }) }
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
            key.fill::<_, P>(s, pk)?;
            Some(key.verify::<_, P>(s, self.bound, message, signature, self.padded()))
        })
    }

    /// The same set again.
    fn same(&self) -> Self {
        Self { ..*self }
    }

    /// Length of the padded format.
    fn padded(&self) -> usize {
        self.info.variable.map_or(self.info.signature, |variable| variable.padded)
    }
}

impl<P: Scheme> Object for Falcon<P> {
    fn sign_low_memory(
        &self,
        sk: &[u8],
        message: &Message<'_>,
        random: Option<&[u8]>,
        out: &mut [u8],
    ) -> Result<usize, Error> {
        self.check_secret(sk)?;
        let coins = coins::<P>(random)?;
        let sign = |message: &Formatted<'_>| with_n!(self, N => sign_low_memory::<P, N>(sk, message, coins, out));
        P::represent(message, tail::<P>(sk), sign)?
    }

    fn sign_emulated(
        &self,
        sk: &[u8],
        message: &Message<'_>,
        random: &[u8],
        out: &mut [u8],
    ) -> Result<usize, Error> {
        self.check_secret(sk)?;
        let coins = coins::<P>(Some(random))?;
        let sign = |message: &Formatted<'_>| with_n!(self, N => sign_emulated::<P, N>(sk, message, coins, out));
        P::represent(message, tail::<P>(sk), sign)?
    }
}

/// What a private key ends with: a hash of the public one, or nothing.
fn tail<P: Scheme>(sk: &[u8]) -> &[u8] {
    &sk[sk.len() - P::TAIL..]
}

/// The hash of a public key, where the scheme has one.
fn hash_public<P: Scheme>(pk: &[u8]) -> [u8; PUBLIC_HASH] {
    let mut hash = [0; PUBLIC_HASH];
    if P::TAIL > 0 {
        Shake256::new().chain(pk).finish().read(&mut hash);
    }
    hash
}

/// The randomness of a signature. There is no deterministic one.
fn coins<P: Scheme>(coins: Option<&[u8]>) -> Result<&[u8], Error> {
    let (expected, found) = (P::COINS, coins.map_or(0, <[u8]>::len));
    coins.filter(|_| expected == found).ok_or(Error::CoinsLength { expected, found })
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
fn sign_bytes<P: Scheme, const N: usize>(
    sk: &[u8],
    message: &Formatted<'_>,
    coins: &[u8],
    out: &mut [u8],
) -> Result<usize, Error> {
    if cfg!(feature = "low-memory") {
        return sign_low_memory::<P, N>(sk, message, coins, out);
    }
    let mut key = Expanded::<Cell, N>::empty(ZERO);
    dispatch!(s => key.fill::<_, Default, P>(s, sk))?;
    Ok(dispatch!(s => key.sign::<_, Default, P>(s, message, coins, out))?)
}

/// The same in little memory.
#[inline(never)]
fn sign_low_memory<P: Scheme, const N: usize>(
    sk: &[u8],
    message: &Formatted<'_>,
    coins: &[u8],
    out: &mut [u8],
) -> Result<usize, Error> {
    Ok(dispatch!(s => sign::sign_low_memory::<_, Default, P, N>(s, sk, message, coins, out))?)
}

/// The same with emulated numbers.
#[inline(never)]
fn sign_emulated<P: Scheme, const N: usize>(
    sk: &[u8],
    message: &Formatted<'_>,
    coins: &[u8],
    out: &mut [u8],
) -> Result<usize, Error> {
    type Integers = numbers::Integers;
    Ok(dispatch!(s => sign::sign_low_memory::<_, Integers, P, N>(s, sk, message, coins, out))?)
}

/// Writes both keys of a seed.
#[inline(never)]
fn keypair<P: Scheme, const N: usize>(seed: &[u8; SEED], pk: &mut [u8], sk: &mut [u8]) {
    let mut secrets = Zeroizing::new(vec![0; 3 * N]);
    let mut h = vec![0; N];
    let (f, rest) = secrets.split_at_mut(N);
    let (g, F) = rest.split_at_mut(N);
    keygen::generate::<<Default as Arithmetic>::Real>(seed, f, g, F, &mut h);
    let (sk, hash) = sk.split_at_mut(sk.len() - P::TAIL);
    sign::encode::<P, N>([f, g, F], sk);
    scratch!(h_coefficients: Poly<N>);
    h_coefficients.iter_mut().zip(h).for_each(|(to, h)| *to = h as i16);
    dispatch!(s => verify::encode::<_, P, N>(s, h_coefficients, pk));
    hash.copy_from_slice(&hash_public::<P>(pk)[..P::TAIL]);
}

/// The public key of the bytes of a key.
#[inline(never)]
fn public_key<P: Scheme, const N: usize>(sk: &[u8], pk: &mut [u8]) -> Result<(), Error> {
    secret!(secrets: [Poly<N>; 4]);
    dispatch!(s => sign::decode::<_, P, N>(s, sk, secrets))?;
    if !dispatch!(s => sign::belong_together::<_, Default, N>(s, secrets)) {
        return Err(Error::SecretKeyInconsistent);
    }
    scratch!(h: Poly<N>);
    dispatch!(s => sign::public(s, secrets, h));
    dispatch!(s => verify::encode::<_, P, N>(s, h, pk));
    if tail::<P>(sk) == &hash_public::<P>(pk)[..P::TAIL] {
        Ok(())
    } else {
        Err(Error::SecretKeyHash)
    }
}

impl<P: Scheme> Signature for Falcon<P> {
    fn info(&self) -> &'static SigInfo {
        self.info
    }

    fn seed_len(&self) -> usize {
        SEED
    }

    fn coins_len(&self) -> usize {
        P::COINS
    }

    fn needs_coins(&self) -> bool {
        true
    }

    fn keypair_from(&self, seed: &[u8], pk: &mut [u8], sk: &mut [u8]) -> Result<(), Error> {
        output(pk, self.info.public_key, "public key");
        output(sk, self.info.secret_key, "private key");
        let result = <&[u8; SEED]>::try_from(seed)
            .map_err(|_| Error::SeedLength { expected: SEED, found: seed.len() })
            .map(|seed| with_n!(self, N => keypair::<P, N>(seed, pk, sk)))
            .and_then(|()| pct::check(self, pk, sk));
        complete(result, [pk, sk])
    }

    fn public_key(&self, sk: &[u8], pk: &mut [u8]) -> Result<(), Error> {
        output(pk, self.info.public_key, "public key");
        let result =
            self.check_secret(sk).and_then(|()| with_n!(self, N => public_key::<P, N>(sk, pk)));
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
            let coins = coins::<P>(random)?;
            let sign = |message: &Formatted<'_>| {
                with_n!(self, N => sign_bytes::<P, N>(sk, message, coins, out))
            };
            P::represent(message, tail::<P>(sk), sign)?
        });
        complete(result, [out])
    }

    fn verify(&self, pk: &[u8], message: &Message<'_>, signature: &[u8]) -> Result<(), Error> {
        self.check_public(pk)?;
        let verify = |message: &Formatted<'_>| with_n!(self, N => self.verify_bytes::<N>(pk, message, signature));
        let good = P::represent(message, &hash_public::<P>(pk), verify)?;
        valid(good.ok_or(Error::PublicKeyEncoding)?)
    }

    fn prepare_signer(&self, sk: &[u8]) -> Result<Box<dyn Sign>, Error> {
        self.check_secret(sk)?;
        with_n!(self, N => {
            let (set, key) = (self.same(), expanded::<P, N>(sk)?);
            let mut hash = [0; PUBLIC_HASH];
            hash[..P::TAIL].copy_from_slice(tail::<P>(sk));
            Ok(Box::new(Signer { set, key, hash }))
        })
    }

    fn prepare_low_memory_signer(&self, sk: &[u8]) -> Result<Box<dyn Sign>, Error> {
        let set = self.same();
        packed(self, sk, move |sk, message, random, out| {
            set.sign_low_memory(sk, message, random, out)
        })
    }

    fn prepare_verifier(&self, pk: &[u8]) -> Result<Box<dyn Verify>, Error> {
        self.check_public(pk)?;
        with_n!(self, N => {
            let key = public::<P, N>(pk).ok_or(Error::PublicKeyEncoding)?;
            Ok(Box::new(Verifier { set: self.same(), key, hash: hash_public::<P>(pk) }))
        })
    }
}

/// A private key expanded on the heap.
#[inline(never)]
fn expanded<P: Scheme, const N: usize>(sk: &[u8]) -> Result<Box<Expanded<Cell, N>>, Error> {
    let mut key = empty::<N>();
    dispatch!(s => key.fill::<_, Default, P>(s, sk))?;
    Ok(key)
}

/// Room for it. Out of line, so that what stands on the stack before it is moved is gone when it is filled.
#[inline(never)]
fn empty<const N: usize>() -> Box<Expanded<Cell, N>> {
    Box::new(Expanded::empty(ZERO))
}

/// A public key transformed on the heap.
#[inline(never)]
fn public<P: Scheme, const N: usize>(pk: &[u8]) -> Option<Box<PublicKey<N>>> {
    let mut key = Box::new(PublicKey::<N>::EMPTY);
    dispatch!(s => key.fill::<_, P>(s, pk))?;
    Some(key)
}

/// A prepared public key.
struct Verifier<P, const N: usize> {
    set: Falcon<P>,
    key: Box<PublicKey<N>>,
    /// What messages are hashed with.
    hash: [u8; PUBLIC_HASH],
}

impl<P: Scheme, const N: usize> Verify for Verifier<P, N> {
    fn verify(&self, message: &Message<'_>, signature: &[u8]) -> Result<(), Error> {
        let (bound, padded) = (self.set.bound, self.set.padded());
        let verify = |message: &Formatted<'_>| dispatch!(s => self.key.verify::<_, P>(s, bound, message, signature, padded));
        valid(P::represent(message, &self.hash, verify)?)
    }
}

impl<P, const N: usize> fmt::Debug for Verifier<P, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Verifier").field("set", &self.set.info.name).finish_non_exhaustive()
    }
}

/// An expanded private key: 70 kilobytes or 140.
struct Signer<P, const N: usize> {
    set: Falcon<P>,
    key: Box<Expanded<Cell, N>>,
    /// What messages are hashed with.
    hash: [u8; PUBLIC_HASH],
}

impl<P: Scheme, const N: usize> Sign for Signer<P, N> {
    fn sign(
        &self,
        message: &Message<'_>,
        random: Option<&[u8]>,
        out: &mut [u8],
    ) -> Result<usize, Error> {
        let out = &mut out[..self.set.info.signature];
        let result = coins::<P>(random).and_then(|coins| {
            let sign = |message: &Formatted<'_>| {
                dispatch!(s => self.key.sign::<_, Default, P>(s, message, coins, out))
            };
            Ok(P::represent(message, &self.hash, sign)??)
        });
        complete(result, [out])
    }
}

/// Says nothing of the key.
impl<P, const N: usize> fmt::Debug for Signer<P, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Signer").field("set", &self.set.info.name).finish_non_exhaustive()
    }
}
