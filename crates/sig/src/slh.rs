//! SLH-DSA (FIPS 205) and SPHINCS+: signatures by hash functions alone.
//!
//! | file | content |
//! |---|---|
//! | `params.rs` | the numbers of the sets |
//! | `hashes.rs` | addresses, the hash functions of FIPS 205, and the trees over them |
//! | `shake.rs`, `sha2.rs` | the hash functions by SHAKE256 and SHA-2 |
//! | `digest.rs` | what the digest of a message chooses |
//! | `sign.rs`, `verify.rs` | the algorithms, over the crate `oaklath-tree` |
//!
//! What SPHINCS+ of the third round has of its own is in `round3/sphincs_plus.rs`.
mod digest;
pub(crate) mod hashes;
pub(crate) mod params;
mod sha2;
pub(crate) mod shake;
mod sign;
#[cfg(test)]
mod tests;
mod verify;

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use oaklath_params::sig::{self, SigInfo};
use oaklath_tree::wots::{ChainJob, ChainMemory, WINDOW};
use zeroize::Zeroizing;

use crate::error::Error;
use crate::message::{Formatted, Message};
use crate::object::{Sign, Signature, Verify, complete};
use crate::pct;
#[cfg(feature = "sphincs-plus")]
use crate::round3::sphincs_plus;
use crate::slh::digest::SplitDigest;
use crate::slh::hashes::SlhHash;
use crate::slh::params::{MAX_N, Params};
use crate::slh::sign::SecretKey;

/// Calls a function once, with the hash functions of nodes of some bytes, of PK.seed and SK.seed, at
/// the current SIMD level.
pub(crate) type WithHash = fn(usize, [&[u8]; 2], &mut dyn FnMut(&dyn SlhHash));

/// What differs between the families of parameter sets.
pub(crate) struct SlhFunctions {
    pub(crate) with_hash: WithHash,
    pub(crate) split_digest: SplitDigest,
    /// Frames a message.
    pub(crate) format: for<'a> fn(&Message<'a>) -> Result<Formatted<'a>, Error>,
}

/// The functions of SLH-DSA-SHA2.
pub(crate) static SHA2: SlhFunctions = SlhFunctions {
    with_hash: sha2::with_hash,
    split_digest: digest::base_2b,
    format: |message| Formatted::standard(message),
};

/// The functions of SLH-DSA-SHAKE.
pub(crate) static SHAKE: SlhFunctions = SlhFunctions { with_hash: shake::with_hash, ..SHA2 };

/// A parameter set.
pub struct SlhSet {
    info: &'static SigInfo,
    params: &'static Params,
    functions: &'static SlhFunctions,
}

impl fmt::Debug for SlhSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SlhSet").field(&self.info.name).finish()
    }
}

macro_rules! sets {
    ($($(#[$cfg:meta])? $id:ident $info:ident $params:ident $functions:path;)*) => { $(
        $(#[$cfg])?
        pub(crate) static $id: SlhSet = SlhSet::new(&sig::$info, &params::$params, &$functions);
    )* };
}
sets! {
    // set        row                 numbers    functions
    SHA2_128S     SLH_DSA_SHA2_128S   SMALL_128  SHA2;
    SHA2_128F     SLH_DSA_SHA2_128F   FAST_128   SHA2;
    SHA2_192S     SLH_DSA_SHA2_192S   SMALL_192  SHA2;
    SHA2_192F     SLH_DSA_SHA2_192F   FAST_192   SHA2;
    SHA2_256S     SLH_DSA_SHA2_256S   SMALL_256  SHA2;
    SHA2_256F     SLH_DSA_SHA2_256F   FAST_256   SHA2;
    SHAKE_128S    SLH_DSA_SHAKE_128S  SMALL_128  SHAKE;
    SHAKE_128F    SLH_DSA_SHAKE_128F  FAST_128   SHAKE;
    SHAKE_192S    SLH_DSA_SHAKE_192S  SMALL_192  SHAKE;
    SHAKE_192F    SLH_DSA_SHAKE_192F  FAST_192   SHAKE;
    SHAKE_256S    SLH_DSA_SHAKE_256S  SMALL_256  SHAKE;
    SHAKE_256F    SLH_DSA_SHAKE_256F  FAST_256   SHAKE;
    #[cfg(feature = "sphincs-plus")]
    SPHINCS_128S  SPHINCS_SHAKE_128S  SMALL_128  sphincs_plus::FUNCTIONS;
    #[cfg(feature = "sphincs-plus")]
    SPHINCS_128F  SPHINCS_SHAKE_128F  FAST_128   sphincs_plus::FUNCTIONS;
    #[cfg(feature = "sphincs-plus")]
    SPHINCS_192S  SPHINCS_SHAKE_192S  SMALL_192  sphincs_plus::FUNCTIONS;
    #[cfg(feature = "sphincs-plus")]
    SPHINCS_192F  SPHINCS_SHAKE_192F  FAST_192   sphincs_plus::FUNCTIONS;
    #[cfg(feature = "sphincs-plus")]
    SPHINCS_256S  SPHINCS_SHAKE_256S  SMALL_256  sphincs_plus::FUNCTIONS;
    #[cfg(feature = "sphincs-plus")]
    SPHINCS_256F  SPHINCS_SHAKE_256F  FAST_256   sphincs_plus::FUNCTIONS;
}

/// Signatures that are verified side by side.
const BATCH: usize = 8;

impl SlhSet {
    /// Returns a set of the numbers `params`, whose row in the table is `info`.
    pub(crate) const fn new(
        info: &'static SigInfo,
        params: &'static Params,
        functions: &'static SlhFunctions,
    ) -> Self {
        assert!(params.fits(info), "lengths as in the table");
        Self { info, params, functions }
    }

    /// Returns the length of SK.seed, SK.prf and PK.seed.
    pub(crate) fn seed_len(&self) -> usize {
        3 * self.params.n
    }

    /// Returns the length of `addrnd`.
    pub(crate) fn coins_len(&self) -> usize {
        self.params.n
    }

    /// Calls a function with the hash functions of the seeds of a key.
    fn with_hash<T>(&self, seeds: [&[u8]; 2], compute: impl FnOnce(&dyn SlhHash) -> T) -> T {
        let (mut compute, mut result) = (Some(compute), None);
        (self.functions.with_hash)(self.params.n, seeds, &mut |h| {
            result = compute.take().map(|compute| compute(h));
        });
        result.expect("called once")
    }

    /// Splits a private key: SK.seed, SK.prf, PK.seed, PK.root.
    ///
    /// # Errors
    /// [`Error::SecretKeyLength`].
    fn secret_key<'a>(&self, sk: &'a [u8]) -> Result<SecretKey<'a>, Error> {
        let (expected, found, n) = (self.info.secret_key, sk.len(), self.params.n);
        if expected != found {
            return Err(Error::SecretKeyLength { expected, found });
        }
        let ((secret, public), n) = (sk.split_at(2 * n), n);
        let ((sk_seed, sk_prf), (pk_seed, pk_root)) = (secret.split_at(n), public.split_at(n));
        Ok(SecretKey { sk_seed, sk_prf, pk_seed, pk_root })
    }

    /// Splits a public key: PK.seed, PK.root.
    ///
    /// # Errors
    /// [`Error::PublicKeyLength`].
    fn public_parts<'a>(&self, pk: &'a [u8]) -> Result<[&'a [u8]; 2], Error> {
        let (expected, found) = (self.info.public_key, pk.len());
        if expected != found {
            return Err(Error::PublicKeyLength { expected, found });
        }
        let (pk_seed, pk_root) = pk.split_at(self.params.n);
        Ok([pk_seed, pk_root])
    }

    /// `slh_keygen_internal`, FIPS 205, Algorithm 18, of SK.seed, SK.prf and PK.seed.
    ///
    /// # Panics
    /// If an input or output has another length.
    pub(crate) fn keypair_from(&self, seed: &[u8], pk: &mut [u8], sk: &mut [u8]) {
        let n = self.params.n;
        let (pk_seed, pk_root) = pk.split_at_mut(n);
        pk_seed.copy_from_slice(&seed[2 * n..]);
        self.with_hash([pk_seed, &seed[..n]], |h| sign::root(h, self.params, pk_root));
        sk[..3 * n].copy_from_slice(seed);
        sk[3 * n..].copy_from_slice(pk_root);
    }

    /// Writes the public key of a private key, whose root is computed and compared.
    ///
    /// # Errors
    /// [`Error::SecretKeyLength`], [`Error::SecretKeyInconsistent`]; the output is zeros.
    ///
    /// # Panics
    /// If the output has another length.
    pub(crate) fn public_key(&self, sk: &[u8], pk: &mut [u8]) -> Result<(), Error> {
        pk.fill(0);
        let key = self.secret_key(sk)?;
        let mut root = [0; MAX_N];
        let root = &mut root[..self.params.n];
        self.with_hash([key.pk_seed, key.sk_seed], |h| sign::root(h, self.params, root));
        if root != key.pk_root {
            return Err(Error::SecretKeyInconsistent);
        }
        pk.copy_from_slice(&sk[2 * self.params.n..]);
        Ok(())
    }

    /// Returns all leaves of the top tree: with them signing does all layers except that one.
    ///
    /// # Errors
    /// [`Error::SecretKeyLength`].
    pub(crate) fn top_leaves(&self, sk: &[u8]) -> Result<Vec<u8>, Error> {
        let key = self.secret_key(sk)?;
        let mut leaves = vec![0; self.params.n << self.params.tree_height()];
        self.with_hash([key.pk_seed, key.sk_seed], |h| {
            sign::top_leaves(h, self.params, &mut leaves);
        });
        Ok(leaves)
    }

    /// Signs, with the leaves of the top tree if they are kept, and with `addrnd` or
    /// deterministically: FIPS 205, Algorithms 19, 22 and 23. Returns the length of the signature.
    ///
    /// # Errors
    /// [`Error::SecretKeyLength`], [`Error::SecretKeyInconsistent`], [`Error::CoinsLength`], and those
    /// of the message; the output is zeros.
    ///
    /// # Panics
    /// If the output is shorter than a signature.
    pub(crate) fn sign(
        &self,
        sk: &[u8],
        top: Option<&[u8]>,
        message: &Message<'_>,
        coins: Option<&[u8]>,
        out: &mut [u8],
    ) -> Result<usize, Error> {
        let out = &mut out[..self.info.signature];
        let result = self.try_sign(sk, top, message, coins, out);
        if result.is_err() {
            out.fill(0);
        }
        result.map(|()| self.info.signature)
    }

    fn try_sign(
        &self,
        sk: &[u8],
        top: Option<&[u8]>,
        message: &Message<'_>,
        coins: Option<&[u8]>,
        out: &mut [u8],
    ) -> Result<(), Error> {
        let key = &self.secret_key(sk)?;
        // Deterministic: PK.seed.
        let opt_rand = coins.unwrap_or(key.pk_seed);
        let (expected, found) = (self.params.n, opt_rand.len());
        if expected != found {
            return Err(Error::CoinsLength { expected, found });
        }
        let message = &(self.functions.format)(message)?;
        let set = (self.params, self.functions.split_digest);
        self.with_hash([key.pk_seed, key.sk_seed], |h| {
            sign::sign_internal(h, set, (key, top), (message, opt_rand), out)
        })
    }

    /// Verifies: FIPS 205, Algorithms 20, 24 and 25. Without heap.
    ///
    /// # Errors
    /// [`Error::PublicKeyLength`], [`Error::InvalidSignature`], and those of the message.
    pub(crate) fn verify(
        &self,
        pk: &[u8],
        message: &Message<'_>,
        signature: &[u8],
    ) -> Result<(), Error> {
        let key = self.public_parts(pk)?;
        let message = (self.functions.format)(message)?;
        let mut valid = [false];
        if signature.len() == self.info.signature {
            let (mut jobs, mut values) = ([ChainJob::NONE; WINDOW], [0; (WINDOW + 1) * MAX_N]);
            let memory = &mut ChainMemory { jobs: &mut jobs, values: &mut values };
            self.verify_batch(key, &[(message, signature)], memory, &mut valid);
        }
        if valid[0] { Ok(()) } else { Err(Error::InvalidSignature) }
    }

    /// Verifies signatures by one key, side by side.
    ///
    /// # Errors
    /// [`Error::PublicKeyLength`].
    ///
    /// # Panics
    /// If there is not one result for each signature.
    pub(crate) fn verify_many(
        &self,
        pk: &[u8],
        signatures: &[(Message<'_>, &[u8])],
        results: &mut [Result<(), Error>],
    ) -> Result<(), Error> {
        assert_eq!(signatures.len(), results.len(), "a result for each signature");
        let key = self.public_parts(pk)?;
        let mut jobs = vec![ChainJob::NONE; WINDOW * BATCH];
        let mut values = vec![0; (WINDOW + 1) * BATCH * self.params.n];
        let memory = &mut ChainMemory { jobs: &mut jobs, values: &mut values };
        for (signatures, results) in signatures.chunks(BATCH).zip(results.chunks_mut(BATCH)) {
            let mut batch = Vec::with_capacity(BATCH);
            let mut places = Vec::with_capacity(BATCH);
            for (result, (message, signature)) in results.iter_mut().zip(signatures) {
                match (self.functions.format)(message) {
                    Ok(message) if signature.len() == self.info.signature => {
                        batch.push((message, *signature));
                        places.push(result);
                    }
                    Ok(_) => *result = Err(Error::InvalidSignature),
                    Err(error) => *result = Err(error),
                }
            }
            let mut valid = [false; BATCH];
            self.verify_batch(key, &batch, memory, &mut valid[..places.len()]);
            for (result, valid) in places.into_iter().zip(valid) {
                *result = if valid { Ok(()) } else { Err(Error::InvalidSignature) };
            }
        }
        Ok(())
    }

    /// Writes which of at most [`BATCH`] signatures are valid.
    fn verify_batch(
        &self,
        key: [&[u8]; 2],
        signatures: &[(Formatted<'_>, &[u8])],
        memory: &mut ChainMemory<'_>,
        valid: &mut [bool],
    ) {
        let set = (self.params, self.functions.split_digest);
        // There is no SK.seed.
        self.with_hash([key[0], &[0; MAX_N][..self.params.n]], |h| {
            verify::verify_internal(h, set, key, signatures, memory, valid);
        });
    }
}

impl Signature for SlhSet {
    fn info(&self) -> &'static SigInfo {
        self.info
    }

    fn seed_len(&self) -> usize {
        self.seed_len()
    }

    fn coins_len(&self) -> usize {
        self.coins_len()
    }

    fn keypair_from(&self, seed: &[u8], pk: &mut [u8], sk: &mut [u8]) -> Result<(), Error> {
        assert_eq!(pk.len(), self.info.public_key, "length of the public key");
        assert_eq!(sk.len(), self.info.secret_key, "length of the private key");
        let (expected, found) = (self.seed_len(), seed.len());
        if expected != found {
            pk.fill(0);
            sk.fill(0);
            return Err(Error::SeedLength { expected, found });
        }
        self.keypair_from(seed, pk, sk);
        complete(pct::check(self, pk, sk), [pk, sk])
    }

    fn public_key(&self, sk: &[u8], pk: &mut [u8]) -> Result<(), Error> {
        assert_eq!(pk.len(), self.info.public_key, "length of the public key");
        self.public_key(sk, pk)
    }

    fn sign(
        &self,
        sk: &[u8],
        message: &Message<'_>,
        coins: Option<&[u8]>,
        out: &mut [u8],
    ) -> Result<usize, Error> {
        self.sign(sk, None, message, coins, out)
    }

    fn verify(&self, pk: &[u8], message: &Message<'_>, signature: &[u8]) -> Result<(), Error> {
        self.verify(pk, message, signature)
    }

    fn prepare_signer(&self, sk: &[u8]) -> Result<Box<dyn Sign>, Error> {
        Ok(Box::new(self.prepared(sk)?))
    }

    fn prepare_verifier(&self, pk: &[u8]) -> Result<Box<dyn Verify>, Error> {
        self.public_parts(pk)?;
        Ok(Box::new(Verifier { set: Self { ..*self }, key: pk.into() }))
    }
}

impl SlhSet {
    pub(crate) fn prepared(&self, sk: &[u8]) -> Result<Signer, Error> {
        let top = self.top_leaves(sk)?;
        Ok(Signer { set: Self { ..*self }, key: Zeroizing::new(sk.into()), top })
    }
}

/// A private key and the leaves of its top tree.
pub(crate) struct Signer {
    set: SlhSet,
    key: Zeroizing<Vec<u8>>,
    top: Vec<u8>,
}

impl Sign for Signer {
    fn sign(
        &self,
        message: &Message<'_>,
        coins: Option<&[u8]>,
        out: &mut [u8],
    ) -> Result<usize, Error> {
        self.set.sign(&self.key, Some(&self.top), message, coins, out)
    }
}

/// Does not reveal the key.
impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Signer").field("set", &self.set.info.name).finish_non_exhaustive()
    }
}

/// A public key.
#[derive(Debug)]
struct Verifier {
    set: SlhSet,
    key: Vec<u8>,
}

impl Verify for Verifier {
    fn verify(&self, message: &Message<'_>, signature: &[u8]) -> Result<(), Error> {
        self.set.verify(&self.key, message, signature)
    }

    /// Fills the lanes across signatures.
    fn verify_many(&self, signatures: &[(Message<'_>, &[u8])], results: &mut [Result<(), Error>]) {
        let done = self.set.verify_many(&self.key, signatures, results);
        done.expect("checked when it was prepared");
    }
}
