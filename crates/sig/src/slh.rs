//! SLH-DSA (FIPS 205) and SPHINCS+: signatures by hash functions alone.
//!
//! | file | what |
//! |---|---|
//! | `params.rs` | the numbers of the sets |
//! | `hashes.rs` | addresses, and what the families of hash functions do |
//! | `shake.rs`, `sha2.rs` | the two families |
//! | `digest.rs` | what the digest of a message chooses |
//! | `sign.rs`, `verify.rs` | the algorithms, over the crate `oaklath-tree` |
mod digest;
pub(crate) mod hashes;
pub(crate) mod params;
mod sha2;
mod shake;
mod sign;
#[cfg(test)]
mod tests;
mod verify;

use alloc::vec;
use alloc::vec::Vec;

use oaklath_params::buffer::Length;
use oaklath_params::sig::SigInfo;
use oaklath_simd::{dispatch, wipe};
use oaklath_tree::wots::{Job, WINDOW};

use crate::error::Error;
use crate::message::Formatted;
use crate::message::Message;
use crate::scheme::{Empty, SignatureScheme, valid};
use crate::slh::hashes::{Hashes, Variant};
use crate::slh::params::Params;
use crate::slh::sha2::Sha2;
use crate::slh::shake::Shake;
use crate::slh::sign::Key;

/// The family of hash functions of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    Sha2,
    Shake,
}

/// A parameter set.
#[derive(Debug)]
pub struct SlhSet {
    info: &'static SigInfo,
    params: &'static Params,
    family: Family,
    variant: Variant,
}

/// Something to do with the hash functions of a set and the seeds of a key.
trait Task {
    type Output;
    fn run<H: Hashes<N>, const N: usize>(self, h: &H, set: (&Params, Variant)) -> Self::Output;
}

impl SlhSet {
    /// Runs a task at the level of the moment.
    fn run<T: Task>(&self, seed: &[u8], secret: &[u8], task: T) -> T::Output {
        let variant = self.variant;
        let set = (self.params, variant);
        macro_rules! shake {
            ($n:literal $at:literal) => {
                dispatch!(s => {
                    let h = Shake::<_, $n, $at>::new(s, array(seed), array(secret), variant);
                    task.run(&h, set)
                })
            };
        }
        macro_rules! sha2 {
            ($n:literal) => {
                dispatch!(s => task.run(&Sha2::<_, $n>::new(s, array(seed), array(secret)), set))
            };
        }
        match (self.family, self.params.n) {
            (Family::Sha2, 16) => sha2!(16),
            (Family::Sha2, 24) => sha2!(24),
            (Family::Sha2, _) => sha2!(32),
            (Family::Shake, 16) => shake!(16 6),
            (Family::Shake, 24) => shake!(24 7),
            (Family::Shake, _) => shake!(32 8),
        }
    }

    /// The set of a row.
    pub(crate) const fn new(
        info: &'static SigInfo,
        params: &'static Params,
        family: Family,
        variant: Variant,
    ) -> Self {
        Self { info, params, family, variant }
    }

    pub(crate) const fn seed_len(&self) -> usize {
        3 * self.params.n
    }

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
        self.params.signature()
    }

    /// The parts of a private key of the right length: SK.seed, SK.prf, PK.seed, PK.root.
    ///
    /// # Errors
    /// [`Error::SecretKeyLength`].
    fn secret_parts<'a>(&self, sk: &'a [u8]) -> Result<[&'a [u8]; 4], Error> {
        let (expected, found, n) = (self.info.secret_key, sk.len(), self.params.n);
        if expected != found {
            return Err(Error::SecretKeyLength(Length { expected, found }));
        }
        Ok([&sk[..n], &sk[n..2 * n], &sk[2 * n..3 * n], &sk[3 * n..]])
    }

    /// PK.seed and PK.root of a public key.
    ///
    /// # Errors
    /// [`Error::PublicKeyLength`].
    fn public_parts<'a>(&self, pk: &'a [u8]) -> Result<(&'a [u8], &'a [u8]), Error> {
        let (expected, found) = (self.info.public_key, pk.len());
        if expected != found {
            return Err(Error::PublicKeyLength(Length { expected, found }));
        }
        Ok(pk.split_at(self.params.n))
    }

    fn formatted<'a>(&self, message: &Message<'a>) -> Result<Formatted<'a>, Error> {
        #[cfg(feature = "sphincs-plus")]
        if self.variant == Variant::Round3 {
            return Formatted::round3(message);
        }
        Formatted::standard(message)
    }

    /// PK.root of the seeds.
    fn root(&self, seed: &[u8], secret: &[u8], out: &mut [u8]) {
        struct Root<'a>(&'a mut [u8]);
        impl Task for Root<'_> {
            type Output = ();
            fn run<H: Hashes<N>, const N: usize>(self, h: &H, (params, _): (&Params, Variant)) {
                self.0.copy_from_slice(&sign::root(h, params));
            }
        }
        self.run(seed, secret, Root(out));
    }

    fn try_sign(
        &self,
        sk: &[u8],
        top: Option<&[u8]>,
        message: &Message<'_>,
        coins: Option<&[u8]>,
        out: &mut [u8],
    ) -> Result<(), Error> {
        struct SignIt<'a> {
            key: [&'a [u8]; 4],
            top: Option<&'a [u8]>,
            message: &'a Formatted<'a>,
            additional: &'a [u8],
            out: &'a mut [u8],
        }
        impl Task for SignIt<'_> {
            type Output = Result<(), Error>;
            fn run<H: Hashes<N>, const N: usize>(
                self,
                h: &H,
                set: (&Params, Variant),
            ) -> Self::Output {
                let [_, prf, seed, root] = self.key;
                let (prf, seed, root) = (array(prf), array(seed), array(root));
                let key = Key { prf, seed, root, top: self.top.map(|top| top.as_chunks().0) };
                sign::sign(h, set, &key, self.message, array(self.additional), self.out)
            }
        }
        let key = self.secret_parts(sk)?;
        let [secret, _, seed, _] = key;
        // Deterministic: PK.seed.
        let additional = coins.unwrap_or(seed);
        if additional.len() != self.params.n {
            return Err(Error::CoinsLength(Length {
                expected: self.params.n,
                found: additional.len(),
            }));
        }
        let message = &self.formatted(message)?;
        self.run(seed, secret, SignIt { key, top, message, additional, out })
    }

    /// The leaves of the top tree.
    fn top_leaves(&self, sk: &[u8]) -> Result<Vec<u8>, Error> {
        struct Leaves;
        impl Task for Leaves {
            type Output = Vec<u8>;
            fn run<H: Hashes<N>, const N: usize>(
                self,
                h: &H,
                (params, _): (&Params, Variant),
            ) -> Vec<u8> {
                sign::top_leaves(h, params).into_flattened()
            }
        }
        let [secret, _, seed, _] = self.secret_parts(sk)?;
        Ok(self.run(seed, secret, Leaves))
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
        for (signatures, results) in signatures.chunks(BATCH).zip(results.chunks_mut(BATCH)) {
            let mut batch = Vec::with_capacity(BATCH);
            let mut places = Vec::with_capacity(BATCH);
            for (result, (message, signature)) in results.iter_mut().zip(signatures) {
                match self.formatted(message) {
                    Ok(message) if signature.len() == self.info.signature => {
                        batch.push((message, *signature));
                        places.push(result);
                    }
                    Ok(_) => *result = Err(Error::InvalidSignature),
                    Err(error) => *result = Err(error),
                }
            }
            let mut valid = [false; BATCH];
            self.verify_batch(key, &batch, &mut valid[..batch.len()]);
            for (result, valid) in places.into_iter().zip(valid) {
                *result = if valid { Ok(()) } else { Err(Error::InvalidSignature) };
            }
        }
        Ok(())
    }

    /// Which of at most [`BATCH`] signatures are valid.
    fn verify_batch(
        &self,
        (seed, root): (&[u8], &[u8]),
        signatures: &[(Formatted<'_>, &[u8])],
        valid: &mut [bool],
    ) {
        struct VerifyIt<'a> {
            key: (&'a [u8], &'a [u8]),
            signatures: &'a [(Formatted<'a>, &'a [u8])],
            valid: &'a mut [bool],
        }
        impl Task for VerifyIt<'_> {
            type Output = ();
            fn run<H: Hashes<N>, const N: usize>(self, h: &H, set: (&Params, Variant)) {
                let key = (array(self.key.0), array(self.key.1));
                let mut roots = [[0; N]; BATCH];
                let roots = &mut roots[..self.signatures.len()];
                if roots.len() == 1 {
                    let mut jobs = [Job::NONE; WINDOW];
                    verify::roots(h, set, key, self.signatures, &mut jobs, roots);
                } else {
                    let mut jobs = vec![Job::NONE; WINDOW * roots.len()];
                    verify::roots(h, set, key, self.signatures, &mut jobs, roots);
                }
                self.valid.iter_mut().zip(&*roots).for_each(|(valid, root)| *valid = root == key.1);
            }
        }
        let zeros = [0; MOST_BYTES];
        let secret = &zeros[..self.params.n];
        self.run(seed, secret, VerifyIt { key: (seed, root), signatures, valid });
    }
}

/// Bytes of the longest node.
const MOST_BYTES: usize = 32;

/// Signatures that are verified side by side.
const BATCH: usize = 8;

fn array<const N: usize>(bytes: &[u8]) -> &[u8; N] {
    bytes.try_into().expect("as many bytes as a node has")
}

/// A private key and the leaves of its top tree.
#[expect(missing_debug_implementations, reason = "it is secret")]
pub struct SlhSigningKey {
    bytes: [u8; 4 * MOST_BYTES],
    top: Vec<u8>,
}

impl Empty for SlhSigningKey {
    const EMPTY: Self = Self { bytes: [0; _], top: Vec::new() };
}

impl Drop for SlhSigningKey {
    fn drop(&mut self) {
        wipe(&mut self.bytes);
    }
}

/// The bytes of a public key.
#[derive(Clone, Debug)]
pub struct SlhVerifyingKey {
    bytes: [u8; 2 * MOST_BYTES],
}

impl Empty for SlhVerifyingKey {
    const EMPTY: Self = Self { bytes: [0; _] };
}

impl SignatureScheme for SlhSet {
    type SigningKey = SlhSigningKey;
    type VerifyingKey = SlhVerifyingKey;

    /// `slh_keygen_internal`: FIPS 205, Algorithm 18.
    fn keygen(&self, seed: &[u8], pk: &mut [u8], sk: &mut [u8]) {
        let n = self.params.n;
        let (public, root) = pk.split_at_mut(n);
        public.copy_from_slice(&seed[2 * n..]);
        self.root(public, &seed[..n], root);
        sk[..3 * n].copy_from_slice(seed);
        sk[3 * n..].copy_from_slice(root);
    }

    fn public_key(&self, sk: &[u8], pk: &mut [u8]) -> Result<(), Error> {
        let [secret, _, seed, root] = self.secret_parts(sk)?;
        let mut computed = [0; MOST_BYTES];
        let computed = &mut computed[..self.params.n];
        self.root(seed, secret, computed);
        if computed != root {
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
        self.try_sign(sk, None, message, coins, out).map(|()| out.len())
    }

    fn verify(&self, pk: &[u8], message: &Message<'_>, signature: &[u8]) -> Result<(), Error> {
        let key = self.public_parts(pk)?;
        let message = self.formatted(message)?;
        let mut result = [false];
        if signature.len() == self.info.signature {
            self.verify_batch(key, &[(message, signature)], &mut result);
        }
        valid(result[0])
    }

    fn expand_signing(&self, key: &mut SlhSigningKey, sk: &[u8]) -> Result<(), Error> {
        key.top = self.top_leaves(sk)?;
        key.bytes[..sk.len()].copy_from_slice(sk);
        Ok(())
    }

    fn sign_expanded(
        &self,
        key: &SlhSigningKey,
        message: &Message<'_>,
        coins: Option<&[u8]>,
        out: &mut [u8],
    ) -> Result<usize, Error> {
        self.try_sign(&key.bytes[..self.info.secret_key], Some(&key.top), message, coins, out)
            .map(|()| out.len())
    }

    fn expand_verifying(&self, key: &mut SlhVerifyingKey, pk: &[u8]) -> Result<(), Error> {
        key.bytes[..pk.len()].copy_from_slice(pk);
        Ok(())
    }

    fn verify_expanded(
        &self,
        key: &SlhVerifyingKey,
        message: &Message<'_>,
        signature: &[u8],
    ) -> Result<(), Error> {
        self.verify(&key.bytes[..self.info.public_key], message, signature)
    }

    /// Fills the lanes across signatures.
    fn verify_many(
        &self,
        key: &SlhVerifyingKey,
        signatures: &[(Message<'_>, &[u8])],
        results: &mut [Result<(), Error>],
    ) {
        let done =
            SlhSet::verify_many(self, &key.bytes[..self.info.public_key], signatures, results);
        done.expect("the key has its length");
    }
}
