//! The object-safe layer: bytes in, bytes out, for whatever chooses algorithms by name.
#[cfg(feature = "alloc")]
use alloc::boxed::Box;
#[cfg(feature = "alloc")]
use alloc::vec;
#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::fmt::Debug;

#[cfg(feature = "alloc")]
use oaklath_hash::sha3::Shake256;
use oaklath_params::sig::{self, SigIdentity, SigInfo};
#[cfg(feature = "alloc")]
use zeroize::Zeroizing;

#[cfg(feature = "alloc")]
use crate::checked::Checked;
#[cfg(all(feature = "alloc", any(feature = "legacy", feature = "fn-dsa-draft")))]
use crate::falcon;
use crate::ml_dsa::MlDsaVariant;
#[cfg(feature = "alloc")]
use crate::packed::packed;
use crate::sets::{Matrix, Set};
#[cfg(feature = "alloc")]
use crate::slh;
#[cfg(feature = "alloc")]
use crate::typed::{ExpandedSigningKey, ExpandedVerifyingKey};
#[cfg(feature = "legacy")]
use crate::{Dilithium2, Dilithium2Aes, Dilithium3, Dilithium3Aes, Dilithium5, Dilithium5Aes};
use crate::{Error, Message, MlDsa44, MlDsa65, MlDsa87, UnknownName, pct};

/// A signature scheme. Lengths of everything are in [`info`](Self::info), but for those of the random
/// inputs, which are here.
///
/// Inputs of a wrong length are errors. Output buffers that are too short (for a key: of another
/// length) are mistakes of the program: they panic. After an error the outputs are zero.
pub trait Signature: Debug + Send + Sync {
    /// The row of the table.
    fn info(&self) -> &'static SigInfo;

    /// Bytes of randomness that a key pair is made from.
    fn seed_len(&self) -> usize;

    /// Bytes of randomness of a hedged or randomised signature. Falcon and FN-DSA take them for every one.
    fn coins_len(&self) -> usize;

    /// Whether every signature takes randomness: Falcon and FN-DSA have no deterministic form.
    fn needs_coins(&self) -> bool {
        false
    }

    /// Key generation.
    ///
    /// # Errors
    /// [`Error::SeedLength`].
    ///
    /// # Panics
    /// If `pk` or `sk` has the wrong length.
    fn keypair_from(&self, seed: &[u8], pk: &mut [u8], sk: &mut [u8]) -> Result<(), Error>;

    /// The public key of a private key, computed anew where it is not simply part of it, and a check
    /// that all parts of the private key belong together.
    ///
    /// # Errors
    /// [`Error::SecretKeyLength`], [`Error::SecretKeyEncoding`], [`Error::SecretKeyHash`],
    /// [`Error::SecretKeyLowBits`], [`Error::SecretKeyInconsistent`].
    ///
    /// # Panics
    /// If `pk` has the wrong length.
    fn public_key(&self, sk: &[u8], pk: &mut [u8]) -> Result<(), Error>;

    /// Signs. Without `coins` the signature is deterministic, with them hedged (in the round-3
    /// schemes randomised); Falcon and FN-DSA have no deterministic form and refuse to sign without. Returns the
    /// length of the signature, which is at the beginning of `out`.
    ///
    /// # Errors
    /// [`Error::SecretKeyLength`], [`Error::SecretKeyEncoding`], [`Error::CoinsLength`],
    /// [`Error::ContextLength`], [`Error::DigestLength`], [`Error::MessageForm`].
    ///
    /// # Panics
    /// If `out` is shorter than [`SigInfo::signature`], which is as long as a signature made here gets.
    fn sign(
        &self,
        sk: &[u8],
        message: &Message<'_>,
        coins: Option<&[u8]>,
        out: &mut [u8],
    ) -> Result<usize, Error>;

    /// Verifies.
    ///
    /// # Errors
    /// [`Error::InvalidSignature`], also where its length is wrong; [`Error::PublicKeyLength`],
    /// [`Error::PublicKeyEncoding`], [`Error::ContextLength`], [`Error::DigestLength`],
    /// [`Error::MessageForm`].
    fn verify(&self, pk: &[u8], message: &Message<'_>, signature: &[u8]) -> Result<(), Error>;

    /// Verifies with the largest part of its memory on the heap, for threads with little stack: of ML-DSA
    /// and Dilithium 13 to 23 kilobytes, in the same time. The others verify as [`verify`](Self::verify) does.
    ///
    /// # Errors
    /// As [`verify`](Self::verify).
    #[cfg(feature = "alloc")]
    fn verify_on_heap(
        &self,
        pk: &[u8],
        message: &Message<'_>,
        signature: &[u8],
    ) -> Result<(), Error> {
        self.verify(pk, message, signature)
    }

    /// Checks and parses a private key once, for many signatures.
    ///
    /// # Errors
    /// [`Error::SecretKeyLength`], [`Error::SecretKeyEncoding`].
    #[cfg(feature = "alloc")]
    fn prepare_signer(&self, sk: &[u8]) -> Result<Box<dyn Sign>, Error>;

    /// Checks a private key once and keeps its bytes alone, for many signatures in little memory: what
    /// [`prepare_signer`](Self::prepare_signer) expands (40 to 140 kilobytes) is made anew for each, which takes
    /// two to three times as long and less stack. The signatures are the same. Schemes that expand little
    /// (SLH-DSA, SPHINCS+) do as `prepare_signer` does.
    ///
    /// ```
    /// use oaklath_sig::Message;
    ///
    /// let scheme = oaklath_sig::by_name("ML-DSA-65")?;
    /// let info = scheme.info();
    /// let (mut pk, mut sk) = (vec![0; info.public_key], vec![0; info.secret_key]);
    /// scheme.keypair_from(&[7; 32], &mut pk, &mut sk)?;
    /// let mut signature = vec![0; info.signature];
    /// let message = Message::new(b"small");
    /// scheme.prepare_low_memory_signer(&sk)?.sign(&message, None, &mut signature)?;
    /// scheme.verify(&pk, &message, &signature)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`public_key`](Self::public_key).
    #[cfg(feature = "alloc")]
    fn prepare_low_memory_signer(&self, sk: &[u8]) -> Result<Box<dyn Sign>, Error> {
        self.prepare_signer(sk)
    }

    /// Checks and parses a public key once, for many verifications.
    ///
    /// # Errors
    /// [`Error::PublicKeyLength`], [`Error::PublicKeyEncoding`].
    #[cfg(feature = "alloc")]
    fn prepare_verifier(&self, pk: &[u8]) -> Result<Box<dyn Verify>, Error>;

    /// The same as [`prepare_signer`](Self::prepare_signer) for a key whose signatures are verified before
    /// they leave, each at the cost of a verification: a machine that computes something wrong may give
    /// away the key by a signature. Then signing ends with [`Error::Fault`].
    ///
    /// ```
    /// use oaklath_sig::Message;
    ///
    /// let scheme = oaklath_sig::by_name("ML-DSA-44")?;
    /// let info = scheme.info();
    /// let (mut pk, mut sk) = (vec![0; info.public_key], vec![0; info.secret_key]);
    /// scheme.keypair_from(&[7; 32], &mut pk, &mut sk)?;
    /// let mut signature = vec![0; info.signature];
    /// scheme.prepare_checked_signer(&sk)?.sign(&Message::new(b"text"), None, &mut signature)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`public_key`](Self::public_key).
    #[cfg(feature = "alloc")]
    fn prepare_checked_signer(&self, sk: &[u8]) -> Result<Box<dyn Sign>, Error> {
        let mut pk = vec![0; self.info().public_key];
        self.public_key(sk, &mut pk)?;
        let (signer, verifier) = (self.prepare_signer(sk)?, self.prepare_verifier(&pk)?);
        Ok(Box::new(Checked { signer, verifier }))
    }
}

/// A private key ready for use. Erased when dropped.
#[cfg(feature = "alloc")]
pub trait Sign: Debug + Send + Sync {
    /// Signs, as [`Signature::sign`] does.
    ///
    /// # Errors
    /// As [`Signature::sign`], but for the key's.
    ///
    /// # Panics
    /// If `out` is shorter than the longest signature.
    fn sign(
        &self,
        message: &Message<'_>,
        coins: Option<&[u8]>,
        out: &mut [u8],
    ) -> Result<usize, Error>;
}

/// A public key ready for use.
#[cfg(feature = "alloc")]
pub trait Verify: Debug + Send + Sync {
    /// Verifies, as [`Signature::verify`] does.
    ///
    /// # Errors
    /// As [`Signature::verify`], but for the key's.
    fn verify(&self, message: &Message<'_>, signature: &[u8]) -> Result<(), Error>;

    /// Verifies many signatures by this key, side by side where the scheme gains from that.
    ///
    /// # Panics
    /// If there is not one result for each signature.
    fn verify_many(&self, signatures: &[(Message<'_>, &[u8])], results: &mut [Result<(), Error>]) {
        assert_eq!(signatures.len(), results.len(), "a result for each signature");
        for ((message, signature), result) in signatures.iter().zip(results) {
            *result = self.verify(message, signature);
        }
    }
}

static ALL: &[&dyn Signature] = &[
    &MlDsa44,
    &MlDsa65,
    &MlDsa87,
    #[cfg(feature = "legacy")]
    &Dilithium2,
    #[cfg(feature = "legacy")]
    &Dilithium3,
    #[cfg(feature = "legacy")]
    &Dilithium5,
    #[cfg(feature = "legacy")]
    &Dilithium2Aes,
    #[cfg(feature = "legacy")]
    &Dilithium3Aes,
    #[cfg(feature = "legacy")]
    &Dilithium5Aes,
    #[cfg(feature = "alloc")]
    &slh::SHA2_128S,
    #[cfg(feature = "alloc")]
    &slh::SHA2_128F,
    #[cfg(feature = "alloc")]
    &slh::SHA2_192S,
    #[cfg(feature = "alloc")]
    &slh::SHA2_192F,
    #[cfg(feature = "alloc")]
    &slh::SHA2_256S,
    #[cfg(feature = "alloc")]
    &slh::SHA2_256F,
    #[cfg(feature = "alloc")]
    &slh::SHAKE_128S,
    #[cfg(feature = "alloc")]
    &slh::SHAKE_128F,
    #[cfg(feature = "alloc")]
    &slh::SHAKE_192S,
    #[cfg(feature = "alloc")]
    &slh::SHAKE_192F,
    #[cfg(feature = "alloc")]
    &slh::SHAKE_256S,
    #[cfg(feature = "alloc")]
    &slh::SHAKE_256F,
    #[cfg(all(feature = "alloc", feature = "fn-dsa-draft"))]
    &falcon::FN_DSA_512,
    #[cfg(all(feature = "alloc", feature = "fn-dsa-draft"))]
    &falcon::FN_DSA_1024,
    #[cfg(all(feature = "alloc", feature = "legacy"))]
    &falcon::FALCON_512,
    #[cfg(all(feature = "alloc", feature = "legacy"))]
    &falcon::FALCON_1024,
    #[cfg(all(feature = "alloc", feature = "legacy"))]
    &slh::SPHINCS_128S,
    #[cfg(all(feature = "alloc", feature = "legacy"))]
    &slh::SPHINCS_128F,
    #[cfg(all(feature = "alloc", feature = "legacy"))]
    &slh::SPHINCS_192S,
    #[cfg(all(feature = "alloc", feature = "legacy"))]
    &slh::SPHINCS_192F,
    #[cfg(all(feature = "alloc", feature = "legacy"))]
    &slh::SPHINCS_256S,
    #[cfg(all(feature = "alloc", feature = "legacy"))]
    &slh::SPHINCS_256F,
];

/// Every signature scheme of this build.
///
/// ```
/// for scheme in oaklath_sig::all() {
///     println!("{}: signatures of {} bytes", scheme.info().name, scheme.info().signature);
/// }
/// ```
#[must_use]
pub fn all() -> &'static [&'static dyn Signature] {
    ALL
}

/// The scheme of a name in any vocabulary: `ML-DSA-65`, `mldsa65`, `DILITHIUM_LEVEL3`, an OID, a TLS
/// signature scheme; see [`oaklath_params::sig::by_name`].
///
/// # Errors
/// If no algorithm of this build has the name. The error says whether another build has it, or
/// which name is close.
pub fn by_name(name: &str) -> Result<&'static dyn Signature, UnknownName> {
    let known = sig::by_name(name);
    known.and_then(by_info).ok_or(UnknownName { known, suggestion: sig::suggest(name) })
}

/// The scheme of a row of the table, if this build has it.
#[must_use]
pub fn by_info(info: &'static SigInfo) -> Option<&'static dyn Signature> {
    ALL.iter().copied().find(|scheme| core::ptr::eq(scheme.info(), info))
}

/// The scheme that verifies what comes under an identity, if this build has it: where identities of
/// an algorithm accept different signatures, by the bound of this one.
#[must_use]
pub fn by_identity(identity: &'static SigIdentity) -> Option<&'static dyn Signature> {
    #[cfg(all(feature = "alloc", feature = "legacy"))]
    if let Some(set) = falcon::by_identity(identity) {
        return Some(set);
    }
    by_info(identity.algorithm)
}

/// Random bytes for a signature that depend on the private key and the message alone: for signatures
/// that can be made again, of a scheme that makes none without randomness (Falcon). Whoever has not the
/// key cannot tell them from others. SHAKE256 of a label, the key and the message.
///
/// For tests, and for certificates that are to be made again byte by byte. Two signatures of Falcon that
/// differ for the same nonce and message give the key away, so all that sign this way must compute the
/// same numbers: another version, or a fault in the processor, may not.
///
/// ```
/// # #[cfg(feature = "legacy")] {
/// let scheme = oaklath_sig::by_name("Falcon-512").unwrap();
/// let coins = oaklath_sig::derived_coins(scheme, b"a private key", b"a message");
/// assert_eq!(coins.len(), scheme.coins_len());
/// # }
/// ```
#[cfg(feature = "alloc")]
#[must_use]
pub fn derived_coins(scheme: &dyn Signature, sk: &[u8], message: &[u8]) -> Zeroizing<Vec<u8>> {
    let mut coins = Zeroizing::new(vec![0; scheme.coins_len()]);
    let hash = Shake256::new().chain(b"oaklath derived coins").chain(sk);
    hash.chain(message).finish().read(&mut coins);
    coins
}

/// The lengths of outputs are the program's affair.
#[track_caller]
pub(crate) fn output(bytes: &[u8], len: usize, what: &str) {
    assert!(bytes.len() == len, "{what} of {} bytes, expected {len}", bytes.len());
}

/// Outputs are complete, or zero after an error.
pub(crate) fn complete<T, const N: usize>(
    result: Result<T, Error>,
    outputs: [&mut [u8]; N],
) -> Result<T, Error> {
    if result.is_err() {
        outputs.into_iter().for_each(|bytes| bytes.fill(0));
    }
    result
}

pub(crate) fn check_secret<P: Set>(sk: &[u8]) -> Result<(), Error> {
    let (expected, found) = (P::INFO.secret_key, sk.len());
    if expected == found { Ok(()) } else { Err(Error::SecretKeyLength { expected, found }) }
}

pub(crate) fn check_public<P: Set>(pk: &[u8]) -> Result<(), Error> {
    let (expected, found) = (P::INFO.public_key, pk.len());
    if expected == found { Ok(()) } else { Err(Error::PublicKeyLength { expected, found }) }
}

/// Signs with the bytes of a private key of the right length. tr follows rho and K in it.
pub(crate) fn sign_bytes<P: Set>(
    low_memory: bool,
    sk: &[u8],
    message: &Message<'_>,
    coins: Option<&[u8]>,
    signature: &mut [u8],
) -> Result<(), Error> {
    P::Variant::check_coins(coins)?;
    let mu = P::Variant::represent(message)?.mu(&sk[64..64 + P::Variant::TR]);
    P::Matrix::sign_bytes(low_memory, sk, &mu, coins, signature)
}

/// Verifies with the bytes of a public key of the right length.
pub(crate) fn verify_bytes<P: Set>(
    pk: &[u8],
    message: &Message<'_>,
    signature: &[u8],
) -> Result<(), Error> {
    let message = P::Variant::represent(message)?;
    let mu: &dyn Fn(&[u8]) -> [u8; 64] = &|tr| message.mu(tr);
    let good = signature.len() == P::INFO.signature && P::Matrix::verify_bytes(pk, mu, signature);
    if good { Ok(()) } else { Err(Error::InvalidSignature) }
}

impl<P: Set> Signature for P {
    fn info(&self) -> &'static SigInfo {
        P::INFO
    }

    fn seed_len(&self) -> usize {
        32
    }

    fn coins_len(&self) -> usize {
        P::Variant::COINS
    }

    fn keypair_from(&self, seed: &[u8], pk: &mut [u8], sk: &mut [u8]) -> Result<(), Error> {
        output(pk, P::INFO.public_key, "public key");
        output(sk, P::INFO.secret_key, "private key");
        let result = <&[u8; 32]>::try_from(seed)
            .map_err(|_| Error::SeedLength { expected: 32, found: seed.len() })
            .map(|seed| P::Matrix::keygen(seed, pk, sk))
            .and_then(|()| pct::check(self, pk, sk));
        complete(result, [pk, sk])
    }

    fn public_key(&self, sk: &[u8], pk: &mut [u8]) -> Result<(), Error> {
        output(pk, P::INFO.public_key, "public key");
        let result = check_secret::<P>(sk).and_then(|()| P::Matrix::public_key(sk, pk));
        complete(result, [pk])
    }

    fn sign(
        &self,
        sk: &[u8],
        message: &Message<'_>,
        coins: Option<&[u8]>,
        out: &mut [u8],
    ) -> Result<usize, Error> {
        let len = P::INFO.signature;
        let out = &mut out[..len];
        let low_memory = cfg!(feature = "low-memory");
        let result = check_secret::<P>(sk)
            .and_then(|()| sign_bytes::<P>(low_memory, sk, message, coins, out));
        complete(result.map(|()| len), [out])
    }

    fn verify(&self, pk: &[u8], message: &Message<'_>, signature: &[u8]) -> Result<(), Error> {
        check_public::<P>(pk)?;
        verify_bytes::<P>(pk, message, signature)
    }

    #[cfg(feature = "alloc")]
    fn verify_on_heap(
        &self,
        pk: &[u8],
        message: &Message<'_>,
        signature: &[u8],
    ) -> Result<(), Error> {
        check_public::<P>(pk)?;
        let message = P::Variant::represent(message)?;
        let mu: &dyn Fn(&[u8]) -> [u8; 64] = &|tr| message.mu(tr);
        let good =
            signature.len() == P::INFO.signature && P::Matrix::verify_on_heap(pk, mu, signature);
        if good { Ok(()) } else { Err(Error::InvalidSignature) }
    }

    #[cfg(feature = "alloc")]
    fn prepare_signer(&self, sk: &[u8]) -> Result<Box<dyn Sign>, Error> {
        Ok(Box::new(ExpandedSigningKey::<P>::from_bytes(sk)?))
    }

    #[cfg(feature = "alloc")]
    fn prepare_low_memory_signer(&self, sk: &[u8]) -> Result<Box<dyn Sign>, Error> {
        packed(self, sk, |sk, message, coins, out| {
            sign_bytes::<P>(true, sk, message, coins, out).map(|()| P::INFO.signature)
        })
    }

    #[cfg(feature = "alloc")]
    fn prepare_verifier(&self, pk: &[u8]) -> Result<Box<dyn Verify>, Error> {
        Ok(Box::new(ExpandedVerifyingKey::<P>::from_bytes(pk)?))
    }
}

#[cfg(feature = "alloc")]
impl<P: Set> Sign for ExpandedSigningKey<P> {
    fn sign(
        &self,
        message: &Message<'_>,
        coins: Option<&[u8]>,
        out: &mut [u8],
    ) -> Result<usize, Error> {
        let len = P::INFO.signature;
        let out = &mut out[..len];
        let result = self.sign_into(message, coins, out);
        complete(result.map(|()| len), [out])
    }
}

#[cfg(feature = "alloc")]
impl<P: Set> Verify for ExpandedVerifyingKey<P> {
    fn verify(&self, message: &Message<'_>, signature: &[u8]) -> Result<(), Error> {
        self.verify_bytes(message, signature)
    }
}
