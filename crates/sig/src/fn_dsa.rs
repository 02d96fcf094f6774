//! The common implementation of FN-DSA and Falcon. Their differences are in the types that
//! implement [`FalconVariant`]: [`FnDsaDraft`] here, and `round3::falcon::Falcon`.
//!
//! Results are bit for bit the same at every SIMD level and with either arithmetic: the machine's
//! doubles, or doubles emulated by integers, for machines that have no doubles or whose doubles are
//! not constant-time ([`FalconSet`]; with the feature `falcon-emulated`, all operations use them).
//!
//! The time of signing depends on how many trials the sampler needs and on how many random bytes
//! decide each, as in the reference: that reveals next to nothing about the key (Falcon, section
//! 4.4; SECURITY.md describes what is known). It depends on no secret otherwise, provided that
//! additions, products, quotients and square roots of doubles take the same time for all numbers
//! that occur. Not every CPU guarantees that: `falcon-emulated` is for those that do not.
//!
//! | module | contents |
//! |---|---|
//! | [`variant`], [`draft`] | the differences of Falcon and FN-DSA, and those of FN-DSA |
//! | [`encoding`] | the bytes of keys and signatures, `HashToPoint` |
//! | [`keys`], [`keygen`] | key generation |
//! | [`sign`], [`low_memory`], [`verify`] | the algorithms |
//! | [`tree`], [`leaves`] | keys expanded for signing: the LDL tree |
//! | [`ff_sampling`] | `ffSampling` with that tree |
//! | [`short_vector`] | the computation of (s1, s2) from the samples |
//! | [`sampler`], [`exact`], [`pairs`] | `SamplerZ`: as in the reference, and two at a time |
//! | [`stream`], [`shake`] | the random bytes of the sampler |
//! | [`fpr`], [`numbers`] | doubles, of the machine and emulated; vectors of them |
//! | [`roots`], [`fft`] | the transforms |
#![expect(non_snake_case, reason = "notation of the specification")]

/// Declares memory on the heap that is not cleared first and is erased at the end of the scope.
macro_rules! secret_on_heap {
    ($($name:ident: $type:ty),* $(,)?) => { $(
        let mut memory = Box::<$type>::new_uninit();
        let mut memory = Secret::new(&mut *memory);
        let $name = &mut *memory;
    )* };
}

#[cfg(feature = "fn-dsa-draft")]
pub(crate) mod draft;
mod encoding;
mod exact;
mod ff_sampling;
mod fft;
mod fpr;
mod keygen;
mod keys;
mod leaves;
mod low_memory;
mod numbers;
#[cfg(any(test, not(feature = "falcon-emulated")))]
mod pairs;
mod roots;
mod sampler;
#[cfg(feature = "fn-dsa-draft")]
mod shake;
mod short_vector;
mod sign;
pub(crate) mod stream;
#[cfg(test)]
#[cfg(all(feature = "falcon", feature = "fn-dsa-draft"))]
mod tests;
mod tree;
pub(crate) mod variant;
mod verify;

use core::marker::PhantomData;

use oaklath_params::buffer::zero_on_error;
use oaklath_params::sig::{SigIdentity, SigInfo};
use oaklath_poly::q12289::Poly;
use oaklath_simd::scratch;

use self::encoding::{decode_signature, hash_to_point, hash_to_points, padded_state, tail};
use self::keys::{SEED, hash_public, keypair, public_key};
use self::numbers::{DefaultArithmetic, DefaultCell, Integers};
use self::sign::FnDsaSigningKey;
use self::variant::FalconVariant;
use self::verify::FnDsaVerifyingKey;
use crate::error::Error;
use crate::message::{Formatted, Message};
use crate::scheme::{Empty, SignatureScheme, SignatureSet, SignedBy, valid};
use crate::typed::{EncodedSignature, SigningKey, check_coins};

/// Messages that are hashed side by side.
const BATCH: usize = 8;

/// A set of degree `N`, with the norm bound of its verification.
#[derive(Debug)]
pub struct FnDsaScheme<V, const N: usize> {
    info: &'static SigInfo,
    bound: u32,
    variant: PhantomData<V>,
}

#[expect(private_bounds, reason = "a variant cannot be named outside this crate")]
impl<V: FalconVariant, const N: usize> FnDsaScheme<V, N> {
    /// Returns the set of a row of the table, with the bound of an identity.
    pub(crate) const fn new(info: &'static SigInfo, identity: &SigIdentity) -> Self {
        let bound = identity.verification_bound.expect("every identity of Falcon has one");
        Self { info, bound, variant: PhantomData }
    }

    pub(crate) const fn seed_len(&self) -> usize {
        SEED
    }

    pub(crate) const fn coins_len(&self) -> usize {
        V::COINS
    }

    /// Returns the number of bytes of a public key: a header and 14 bits a coefficient.
    pub(crate) const fn public_key_len(&self) -> usize {
        1 + (N >> 3) * 14
    }

    /// Returns the bytes of a header, f and g (6 or 5 bits a coefficient), F (8 bits), and a hash.
    pub(crate) const fn secret_key_len(&self) -> usize {
        let bits = if N == 512 { 6 } else { 5 };
        1 + (N >> 3) * (2 * bits + 8) + V::TAIL
    }

    /// Returns the maximum from the table, since the length of a compressed signature varies.
    pub(crate) const fn signature_len(&self) -> usize {
        self.info.signature
    }

    /// Returns the number of bytes of the padded format.
    fn padded(&self) -> usize {
        self.info.variable.map_or(self.info.signature, |variable| variable.padded)
    }

    fn verify_with(
        &self,
        key: &FnDsaVerifyingKey<N>,
        message: &Formatted<'_>,
        signature: &[u8],
    ) -> bool {
        scratch!(s2: Poly<N>, c: Poly<N>);
        let Some(nonce) = decode_signature::<V, N>(signature, self.padded(), s2) else {
            return false;
        };
        hash_to_point::<V::Format>(nonce, message, &mut c[..]);
        key.is_short(s2, c, (self.bound, V::LARGEST))
    }
}

/// Returns the randomness, whose presence was checked.
fn given(coins: Option<&[u8]>) -> &[u8] {
    coins.expect("every signature takes randomness")
}

impl<V: FalconVariant, const N: usize> SignatureScheme for FnDsaScheme<V, N> {
    type SigningKey = FnDsaSigningKey<DefaultCell, N>;
    type VerifyingKey = FnDsaVerifyingKey<N>;
    const NEEDS_COINS: bool = true;
    const HAS_LOW_MEMORY: bool = true;

    fn keygen(&self, seed: &[u8], pk: &mut [u8], sk: &mut [u8]) {
        keypair::<V, N>(seed.try_into().expect("48 bytes"), pk, sk);
    }

    fn public_key(&self, sk: &[u8], pk: &mut [u8]) -> Result<(), Error> {
        public_key::<V, N>(sk, pk)
    }

    fn check_public_key(&self, pk: &[u8]) -> Result<(), Error> {
        let mut key = FnDsaVerifyingKey::<N>::EMPTY;
        key.fill::<V>(pk).ok_or(Error::PublicKeyEncoding)
    }

    #[inline(never)]
    fn sign(
        &self,
        sk: &[u8],
        message: &Message<'_>,
        coins: Option<&[u8]>,
        out: &mut [u8],
    ) -> Result<usize, Error> {
        let message = &V::format(message, tail::<V>(sk))?;
        let mut key = FnDsaSigningKey::<DefaultCell, N>::EMPTY;
        key.fill::<DefaultArithmetic, V>(sk)?;
        key.sign::<DefaultArithmetic, V>(message, given(coins), out)
    }

    #[inline(never)]
    fn sign_low_memory(
        &self,
        sk: &[u8],
        message: &Message<'_>,
        coins: Option<&[u8]>,
        out: &mut [u8],
    ) -> Result<usize, Error> {
        let message = &V::format(message, tail::<V>(sk))?;
        low_memory::sign::<DefaultArithmetic, V, N>(sk, message, given(coins), out)
    }

    fn verify(&self, pk: &[u8], message: &Message<'_>, signature: &[u8]) -> Result<(), Error> {
        let message = &V::format(message, &hash_public::<V>(pk))?;
        let mut key = FnDsaVerifyingKey::<N>::EMPTY;
        key.fill::<V>(pk).ok_or(Error::PublicKeyEncoding)?;
        valid(self.verify_with(&key, message, signature))
    }

    #[inline(never)]
    fn expand_signing(
        &self,
        key: &mut FnDsaSigningKey<DefaultCell, N>,
        sk: &[u8],
    ) -> Result<(), Error> {
        key.fill::<DefaultArithmetic, V>(sk)
    }

    fn sign_expanded(
        &self,
        key: &FnDsaSigningKey<DefaultCell, N>,
        message: &Message<'_>,
        coins: Option<&[u8]>,
        out: &mut [u8],
    ) -> Result<usize, Error> {
        let message = &V::format(message, &key.public_hash)?;
        key.sign::<DefaultArithmetic, V>(message, given(coins), out)
    }

    #[inline(never)]
    fn expand_verifying(&self, key: &mut FnDsaVerifyingKey<N>, pk: &[u8]) -> Result<(), Error> {
        key.hash = hash_public::<V>(pk);
        key.fill::<V>(pk).ok_or(Error::PublicKeyEncoding)
    }

    fn verify_expanded(
        &self,
        key: &FnDsaVerifyingKey<N>,
        message: &Message<'_>,
        signature: &[u8],
    ) -> Result<(), Error> {
        let message = &V::format(message, &key.hash)?;
        valid(self.verify_with(key, message, signature))
    }

    /// Hashes messages to points side by side.
    #[inline(never)]
    fn verify_many<'a>(
        &self,
        signed: &dyn Fn(usize) -> SignedBy<'a, FnDsaVerifyingKey<N>>,
        results: &mut [Result<(), Error>],
    ) {
        for (first, results) in (0..).step_by(BATCH).zip(results.chunks_mut(BATCH)) {
            let mut states = [[0; 25]; BATCH];
            let states = &mut states[..results.len()];
            for (i, (result, state)) in (first..).zip(results.iter_mut().zip(&mut *states)) {
                let (key, message, signature) = signed(i);
                *result = V::format(&message, &key.hash)
                    .map(|message| *state = padded_state(signature, &message));
            }
            scratch!(points: [Poly<N>; BATCH], s2: Poly<N>);
            let slices = &mut points.each_mut().map(|point| &mut point[..]);
            hash_to_points::<V::Format>(states, slices);
            for (i, (result, point)) in (first..).zip(results.iter_mut().zip(points)) {
                let (key, _, signature) = signed(i);
                if result.is_ok() {
                    let good = decode_signature::<V, N>(signature, self.padded(), s2).is_some()
                        && key.is_short(s2, point, (self.bound, V::LARGEST));
                    *result = valid(good);
                }
            }
        }
    }
}

/// The sets of Falcon and FN-DSA: `Falcon512`, `Falcon1024`, `FnDsa512`, `FnDsa1024`.
pub trait FalconSet: SignatureSet {
    #[doc(hidden)]
    fn sign_emulated(
        sk: &[u8],
        message: &Message<'_>,
        coins: &[u8],
        out: &mut [u8],
    ) -> Result<usize, Error>;
}

impl<V: FalconVariant, const N: usize, P: SignatureSet<Scheme = FnDsaScheme<V, N>>> FalconSet
    for P
{
    #[inline(never)]
    fn sign_emulated(
        sk: &[u8],
        message: &Message<'_>,
        coins: &[u8],
        out: &mut [u8],
    ) -> Result<usize, Error> {
        let message = &V::format(message, tail::<V>(sk))?;
        low_memory::sign::<Integers, V, N>(sk, message, coins, out)
    }
}

impl<P: FalconSet> SigningKey<P> {
    /// Signs as [`sign_low_memory`](Self::sign_low_memory) does, but with doubles emulated by
    /// integers on every machine: without floating-point instructions, in twenty times the time.
    ///
    /// ```
    /// # #[cfg(feature = "falcon")] {
    /// use oaklath_sig::{Falcon512, Message, SigningKey};
    ///
    /// let key = SigningKey::<Falcon512>::from_seed(&[1; 48]);
    /// let message = Message::new(b"a message");
    /// let mut signature = [0; 690];
    /// let len = key.sign_emulated(&message, &[2; 88], &mut signature)?;
    /// let signature = oaklath_sig::EncodedSignature::from_bytes(&signature[..len])?;
    /// key.verifying_key().verify_message(&message, &signature)?;
    /// # }
    /// # Ok::<(), oaklath_sig::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`sign_low_memory`](Self::sign_low_memory). After an error, `out` is zero.
    ///
    /// # Panics
    /// If `out` is shorter than [`SigInfo::signature`].
    pub fn sign_emulated(
        &self,
        message: &Message<'_>,
        coins: &[u8],
        out: &mut [u8],
    ) -> Result<usize, Error> {
        let out = &mut out[..P::INFO.signature];
        let result = check_coins::<P>(Some(coins))
            .and_then(|()| P::sign_emulated(self.as_bytes(), message, coins, out));
        zero_on_error(result, [out])
    }
}

impl<P: FalconSet> EncodedSignature<P> {
    /// Returns a compressed Falcon signature in the padded format, which has a constant length.
    /// Returns `None` if the signature is too long, as one in thousands is (sign again then), and
    /// for FN-DSA, whose signatures are already padded.
    ///
    /// ```
    /// # #[cfg(all(feature = "getrandom", feature = "falcon"))] {
    /// use oaklath_sig::{Falcon512, Message, SigningKey};
    ///
    /// let key = SigningKey::<Falcon512>::generate();
    /// let message = Message::new(b"a message");
    /// let padded = loop {
    ///     if let Some(padded) = key.sign_message(&message)?.padded() {
    ///         break padded;
    ///     }
    /// };
    /// assert_eq!(padded.as_bytes().len(), 666);
    /// key.verifying_key().verify_message(&message, &padded)?;
    /// # }
    /// # Ok::<(), oaklath_sig::Error>(())
    /// ```
    #[must_use]
    pub fn padded(&self) -> Option<Self> {
        let mut bytes = self.as_bytes().to_vec();
        let len = P::INFO.variable?.padded;
        let fits = bytes.len() <= len;
        bytes.resize(len, 0);
        if fits { Self::from_bytes(&bytes).ok() } else { None }
    }
}
