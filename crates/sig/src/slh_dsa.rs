//! SLH-DSA (FIPS 205) and SPHINCS+: signatures that use hash functions only.
//!
//! | file | contents |
//! |---|---|
//! | `params.rs` | the parameters of the sets |
//! | `hashes.rs` | addresses, the hash functions of FIPS 205, and the trees over them |
//! | `shake.rs`, `sha2.rs` | the hash functions with SHAKE256 and SHA-2 |
//! | `digest.rs` | the keys and leaves that the digest of a message chooses |
//! | `sign.rs`, `verify.rs` | the algorithms, over the crate `oaklath-tree` |
//!
//! The differences of SPHINCS+ of the third round are in `round3/sphincs_plus.rs`.
mod digest;
pub(crate) mod hashes;
pub(crate) mod params;
#[cfg(feature = "slh-dsa")]
mod sha2;
pub(crate) mod shake;
mod sign;
#[cfg(test)]
mod tests;
mod verify;

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use oaklath_params::sig::SigInfo;
use oaklath_simd::wipe;
use oaklath_tree::wots::{ChainJob, ChainMemory, WINDOW};

use self::digest::SplitDigest;
use self::hashes::{PkSeed, SlhHash};
use self::params::{MAX_N, Params};
use self::sign::SecretKey;
use self::verify::SignedByKey;
use crate::error::Error;
use crate::message::{Formatted, Message};
use crate::scheme::{Empty, SignatureScheme, SignedBy, valid};

/// Calls a function once, with the hash functions for a node length in bytes, the PK.seed of keys
/// and SK.seed, at the current SIMD level.
pub(crate) type WithHash = fn(usize, &[PkSeed], &[u8], &mut dyn FnMut(&dyn SlhHash));

/// The functions in which the families of parameter sets differ.
pub(crate) struct SlhFunctions {
    /// Prepares PK.seed for the hash functions.
    pub(crate) prepare: fn(&[u8]) -> PkSeed,
    pub(crate) with_hash: WithHash,
    pub(crate) split_digest: SplitDigest,
    /// Formats a message.
    pub(crate) format: for<'a> fn(&Message<'a>) -> Result<Formatted<'a>, Error>,
}

/// The functions of SLH-DSA-SHA2.
#[cfg(feature = "slh-dsa")]
pub(crate) static SHA2: SlhFunctions = SlhFunctions {
    prepare: sha2::prepare,
    with_hash: sha2::with_hash,
    split_digest: digest::base_2b,
    format: |message| Formatted::standard(message),
};

/// The functions of SLH-DSA-SHAKE.
#[cfg(feature = "slh-dsa")]
pub(crate) static SHAKE: SlhFunctions = SlhFunctions {
    prepare: shake::prepare,
    with_hash: shake::with_hash,
    split_digest: digest::base_2b,
    format: |message| Formatted::standard(message),
};

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

/// The maximum number of signatures that are verified side by side.
const BATCH: usize = 16;

impl SlhSet {
    /// Returns a set with parameters `params`, whose row in the table is `info`.
    pub(crate) const fn new(
        info: &'static SigInfo,
        params: &'static Params,
        functions: &'static SlhFunctions,
    ) -> Self {
        assert!(params.fits_buffers(), "buffers hold the numbers of the set");
        Self { info, params, functions }
    }

    /// Returns the number of bytes of SK.seed, SK.prf and PK.seed.
    pub(crate) const fn seed_len(&self) -> usize {
        3 * self.params.n
    }

    /// Returns the number of bytes of `addrnd`.
    pub(crate) const fn coins_len(&self) -> usize {
        self.params.n
    }

    pub(crate) const fn public_key_len(&self) -> usize {
        2 * self.params.n
    }

    pub(crate) const fn secret_key_len(&self) -> usize {
        4 * self.params.n
    }

    pub(crate) const fn signature_len(&self) -> usize {
        self.params.signature_len()
    }

    /// Calls a function with the hash functions for PK.seed and SK.seed of a key.
    fn with_hash<T>(
        &self,
        [pk_seed, sk_seed]: [&[u8]; 2],
        compute: impl FnOnce(&dyn SlhHash) -> T,
    ) -> T {
        let (mut compute, mut result) = (Some(compute), None);
        let seed = (self.functions.prepare)(pk_seed);
        (self.functions.with_hash)(self.params.n, &[seed], sk_seed, &mut |h| {
            result = compute.take().map(|compute| compute(h));
        });
        result.expect("called once")
    }

    /// Splits a private key: SK.seed, SK.prf, PK.seed, PK.root.
    fn secret_key<'a>(&self, sk: &'a [u8]) -> SecretKey<'a> {
        let n = self.params.n;
        let (secret, public) = sk.split_at(2 * n);
        let ((sk_seed, sk_prf), (pk_seed, pk_root)) = (secret.split_at(n), public.split_at(n));
        SecretKey { sk_seed, sk_prf, pk_seed, pk_root }
    }

    /// Signs with the leaves of the top tree, if they are kept, and with `addrnd`, or
    /// deterministically: FIPS 205, Algorithms 19, 22 and 23.
    ///
    /// # Errors
    /// [`Error::SecretKeyInconsistent`], and those that concern the message.
    fn sign_with(
        &self,
        sk: &[u8],
        top: Option<&[u8]>,
        message: &Message<'_>,
        coins: Option<&[u8]>,
        out: &mut [u8],
    ) -> Result<usize, Error> {
        let key = &self.secret_key(sk);
        // The deterministic variant uses PK.seed.
        let opt_rand = coins.unwrap_or(key.pk_seed);
        let message = &(self.functions.format)(message)?;
        let set = (self.params, self.functions.split_digest);
        self.with_hash([key.pk_seed, key.sk_seed], |h| {
            sign::sign_internal(h, set, (key, top), (message, opt_rand), out)
        })?;
        Ok(out.len())
    }

    /// Writes which of some signatures are valid. `seeds` are those of their keys, by number.
    fn verify_batch(
        &self,
        seeds: &[PkSeed],
        signatures: &[SignedByKey<'_>],
        memory: &mut ChainMemory<'_>,
        valid: &mut [bool],
    ) {
        let set = (self.params, self.functions.split_digest);
        // Verification does not use SK.seed.
        let sk_seed = &[0; MAX_N][..self.params.n];
        (self.functions.with_hash)(self.params.n, seeds, sk_seed, &mut |h| {
            let calls = signatures.chunks(h.lanes()).zip(valid.chunks_mut(h.lanes()));
            for (signatures, valid) in calls {
                verify::verify_internal(h, set, signatures, memory, valid);
            }
        });
    }
}

/// A private key and the leaves of its top tree. Erased when dropped.
#[expect(missing_debug_implementations, reason = "it is secret")]
pub struct SlhSigningKey {
    sk: [u8; 4 * MAX_N],
    top: Vec<u8>,
}

impl Empty for SlhSigningKey {
    const EMPTY: Self = Self { sk: [0; _], top: Vec::new() };
}

impl Drop for SlhSigningKey {
    fn drop(&mut self) {
        wipe(&mut self.sk);
    }
}

/// The bytes of a public key.
#[derive(Clone, Debug)]
pub struct SlhVerifyingKey {
    pk: [u8; 2 * MAX_N],
}

impl Empty for SlhVerifyingKey {
    const EMPTY: Self = Self { pk: [0; _] };
}

impl SignatureScheme for SlhSet {
    type SigningKey = SlhSigningKey;
    type VerifyingKey = SlhVerifyingKey;

    /// `slh_keygen_internal`, FIPS 205, Algorithm 18, from SK.seed, SK.prf and PK.seed.
    fn keygen(&self, seed: &[u8], pk: &mut [u8], sk: &mut [u8]) {
        let n = self.params.n;
        let (pk_seed, pk_root) = pk.split_at_mut(n);
        pk_seed.copy_from_slice(&seed[2 * n..]);
        self.with_hash([pk_seed, &seed[..n]], |h| sign::root(h, self.params, pk_root));
        sk[..3 * n].copy_from_slice(seed);
        sk[3 * n..].copy_from_slice(pk_root);
    }

    fn public_key(&self, sk: &[u8], pk: &mut [u8]) -> Result<(), Error> {
        let key = self.secret_key(sk);
        let mut root = [0; MAX_N];
        let root = &mut root[..self.params.n];
        self.with_hash([key.pk_seed, key.sk_seed], |h| sign::root(h, self.params, root));
        if root != key.pk_root {
            return Err(Error::SecretKeyInconsistent);
        }
        pk.copy_from_slice(&sk[2 * self.params.n..]);
        Ok(())
    }

    fn sign(
        &self,
        sk: &[u8],
        message: &Message<'_>,
        coins: Option<&[u8]>,
        out: &mut [u8],
    ) -> Result<usize, Error> {
        self.sign_with(sk, None, message, coins, out)
    }

    /// FIPS 205, Algorithms 20, 24 and 25. Uses no heap.
    fn verify(&self, pk: &[u8], message: &Message<'_>, signature: &[u8]) -> Result<(), Error> {
        let message = (self.functions.format)(message)?;
        let mut result = [false];
        if signature.len() == self.info.signature {
            let (mut jobs, mut values) = ([ChainJob::NONE; WINDOW], [0; (WINDOW + 1) * MAX_N]);
            let memory = &mut ChainMemory { jobs: &mut jobs, values: &mut values };
            let seed = (self.functions.prepare)(&pk[..self.params.n]);
            let signed = SignedByKey { seed: 0, pk, message, signature };
            self.verify_batch(&[seed], &[signed], memory, &mut result);
        }
        valid(result[0])
    }

    /// Keeps all leaves of the top tree, so that signing need not compute that layer.
    fn expand_signing(&self, key: &mut SlhSigningKey, sk: &[u8]) -> Result<(), Error> {
        key.sk[..sk.len()].copy_from_slice(sk);
        key.top = vec![0; self.params.n << self.params.tree_height()];
        let parts = self.secret_key(sk);
        self.with_hash([parts.pk_seed, parts.sk_seed], |h| {
            sign::top_leaves(h, self.params, &mut key.top);
        });
        Ok(())
    }

    fn sign_expanded(
        &self,
        key: &SlhSigningKey,
        message: &Message<'_>,
        coins: Option<&[u8]>,
        out: &mut [u8],
    ) -> Result<usize, Error> {
        let sk = &key.sk[..self.info.secret_key];
        self.sign_with(sk, Some(&key.top), message, coins, out)
    }

    fn expand_verifying(&self, key: &mut SlhVerifyingKey, pk: &[u8]) -> Result<(), Error> {
        key.pk[..pk.len()].copy_from_slice(pk);
        Ok(())
    }

    fn verify_expanded(
        &self,
        key: &SlhVerifyingKey,
        message: &Message<'_>,
        signature: &[u8],
    ) -> Result<(), Error> {
        self.verify(&key.pk[..self.info.public_key], message, signature)
    }

    /// Fills the lanes across signatures.
    fn verify_many<'a>(
        &self,
        signed: &dyn Fn(usize) -> SignedBy<'a, SlhVerifyingKey>,
        results: &mut [Result<(), Error>],
    ) {
        let mut jobs = vec![ChainJob::NONE; WINDOW * BATCH];
        let mut values = vec![0; (WINDOW + 1) * BATCH * self.params.n];
        let memory = &mut ChainMemory { jobs: &mut jobs, values: &mut values };
        let (mut seeds, mut batch) = (Vec::with_capacity(BATCH), Vec::with_capacity(BATCH));
        for (results, first) in results.chunks_mut(BATCH).zip((0..).step_by(BATCH)) {
            seeds.clear();
            batch.clear();
            for (i, result) in (first..).zip(&mut *results) {
                let (key, message, signature) = signed(i);
                let pk = &key.pk[..self.info.public_key];
                *result = (self.functions.format)(&message).and_then(|message| {
                    valid(signature.len() == self.info.signature)?;
                    if batch.last().is_none_or(|last: &SignedByKey<'_>| last.pk != pk) {
                        seeds.push((self.functions.prepare)(&pk[..self.params.n]));
                    }
                    batch.push(SignedByKey {
                        seed: seeds.len() as u16 - 1,
                        pk,
                        message,
                        signature,
                    });
                    Ok(())
                });
            }
            let mut good = [false; BATCH];
            self.verify_batch(&seeds, &batch, memory, &mut good[..batch.len()]);
            let verified = results.iter_mut().filter(|result| result.is_ok());
            verified.zip(good).for_each(|(result, good)| *result = valid(good));
        }
    }
}
