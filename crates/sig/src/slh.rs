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
mod hashes;
mod params;
mod sha2;
mod shake;
mod sign;
#[cfg(test)]
mod tests;
mod verify;

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use oaklath_params::sig::{self, SigInfo};
use oaklath_simd::dispatch;
use oaklath_tree::wots::{Job, WINDOW};
use zeroize::Zeroizing;

use crate::message::Formatted;
use crate::object::complete;
use crate::slh::hashes::{Hashes, Variant};
use crate::slh::params::Params;
use crate::slh::sha2::Sha2;
use crate::slh::shake::Shake;
use crate::slh::sign::Key;
use crate::{Error, Message, Sign, Signature, Verify, pct};

/// The family of hash functions of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    Sha2,
    Shake,
}

/// A parameter set.
#[derive(Debug)]
pub struct Slh {
    info: &'static SigInfo,
    params: &'static Params,
    family: Family,
    variant: Variant,
}

macro_rules! sets {
    ($($(#[$cfg:meta])? $id:ident $info:ident $params:ident $family:ident $variant:ident)*) => {
        $(
            $(#[$cfg])?
            pub(crate) static $id: Slh = Slh {
                info: &sig::$info,
                params: &params::$params,
                family: Family::$family,
                variant: Variant::$variant,
            };
            $(#[$cfg])?
            const _: () = assert!(params::$params.fits(&sig::$info), "lengths as in the table");
        )*
    };
}
sets! {
    // set                                  row                 numbers    family  specification
    SHA2_128S                               SLH_DSA_SHA2_128S   SMALL_128  Sha2    Standard
    SHA2_128F                               SLH_DSA_SHA2_128F   FAST_128   Sha2    Standard
    SHA2_192S                               SLH_DSA_SHA2_192S   SMALL_192  Sha2    Standard
    SHA2_192F                               SLH_DSA_SHA2_192F   FAST_192   Sha2    Standard
    SHA2_256S                               SLH_DSA_SHA2_256S   SMALL_256  Sha2    Standard
    SHA2_256F                               SLH_DSA_SHA2_256F   FAST_256   Sha2    Standard
    SHAKE_128S                              SLH_DSA_SHAKE_128S  SMALL_128  Shake   Standard
    SHAKE_128F                              SLH_DSA_SHAKE_128F  FAST_128   Shake   Standard
    SHAKE_192S                              SLH_DSA_SHAKE_192S  SMALL_192  Shake   Standard
    SHAKE_192F                              SLH_DSA_SHAKE_192F  FAST_192   Shake   Standard
    SHAKE_256S                              SLH_DSA_SHAKE_256S  SMALL_256  Shake   Standard
    SHAKE_256F                              SLH_DSA_SHAKE_256F  FAST_256   Shake   Standard
    #[cfg(feature = "legacy")] SPHINCS_128S SPHINCS_SHAKE_128S  SMALL_128  Shake   Round3
    #[cfg(feature = "legacy")] SPHINCS_128F SPHINCS_SHAKE_128F  FAST_128   Shake   Round3
    #[cfg(feature = "legacy")] SPHINCS_192S SPHINCS_SHAKE_192S  SMALL_192  Shake   Round3
    #[cfg(feature = "legacy")] SPHINCS_192F SPHINCS_SHAKE_192F  FAST_192   Shake   Round3
    #[cfg(feature = "legacy")] SPHINCS_256S SPHINCS_SHAKE_256S  SMALL_256  Shake   Round3
    #[cfg(feature = "legacy")] SPHINCS_256F SPHINCS_SHAKE_256F  FAST_256   Shake   Round3
}

/// Something to do with the hash functions of a set and the seeds of a key.
trait Task {
    type Output;
    fn run<H: Hashes<N>, const N: usize>(self, h: &H, set: (&Params, Variant)) -> Self::Output;
}

impl Slh {
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

    /// The parts of a private key of the right length: SK.seed, SK.prf, PK.seed, PK.root.
    ///
    /// # Errors
    /// [`Error::SecretKeyLength`].
    fn secret_parts<'a>(&self, sk: &'a [u8]) -> Result<[&'a [u8]; 4], Error> {
        let (expected, found, n) = (self.info.secret_key, sk.len(), self.params.n);
        if expected != found {
            return Err(Error::SecretKeyLength { expected, found });
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
            return Err(Error::PublicKeyLength { expected, found });
        }
        Ok(pk.split_at(self.params.n))
    }

    fn formatted<'a>(&self, message: &Message<'a>) -> Result<Formatted<'a>, Error> {
        #[cfg(feature = "legacy")]
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

    /// Signs, with the leaves of the top tree if they are kept.
    fn sign_with(
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
            return Err(Error::CoinsLength { expected: self.params.n, found: additional.len() });
        }
        let message = &self.formatted(message)?;
        self.run(seed, secret, SignIt { key, top, message, additional, out })
    }

    /// Builds the top tree and keeps its leaves: signing does all layers but that one.
    ///
    /// # Errors
    /// [`Error::SecretKeyLength`].
    pub(crate) fn prepared(&self, sk: &[u8]) -> Result<Signer, Error> {
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
        let top = self.run(seed, secret, Leaves);
        Ok(Signer { set: Self { ..*self }, key: Zeroizing::new(sk.into()), top })
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

impl Signature for Slh {
    fn info(&self) -> &'static SigInfo {
        self.info
    }

    /// SK.seed, SK.prf and PK.seed.
    fn seed_len(&self) -> usize {
        3 * self.params.n
    }

    fn coins_len(&self) -> usize {
        self.params.n
    }

    /// `slh_keygen_internal`: FIPS 205, Algorithm 18.
    fn keypair_from(&self, seed: &[u8], pk: &mut [u8], sk: &mut [u8]) -> Result<(), Error> {
        assert_eq!(pk.len(), self.info.public_key, "length of the public key");
        assert_eq!(sk.len(), self.info.secret_key, "length of the private key");
        let (expected, found, n) = (self.seed_len(), seed.len(), self.params.n);
        if expected != found {
            pk.fill(0);
            sk.fill(0);
            return Err(Error::SeedLength { expected, found });
        }
        let (public, root) = pk.split_at_mut(n);
        public.copy_from_slice(&seed[2 * n..]);
        self.root(public, &seed[..n], root);
        sk[..3 * n].copy_from_slice(seed);
        sk[3 * n..].copy_from_slice(root);
        complete(pct::check(self, pk, sk), [pk, sk])
    }

    fn public_key(&self, sk: &[u8], pk: &mut [u8]) -> Result<(), Error> {
        assert_eq!(pk.len(), self.info.public_key, "length of the public key");
        pk.fill(0);
        let [secret, _, seed, root] = self.secret_parts(sk)?;
        let mut computed = [0; MOST_BYTES];
        let computed = &mut computed[..self.params.n];
        self.root(seed, secret, computed);
        if computed != root {
            return Err(Error::SecretKeyInconsistent);
        }
        let (to_seed, to_root) = pk.split_at_mut(self.params.n);
        to_seed.copy_from_slice(seed);
        to_root.copy_from_slice(root);
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

    fn verify(&self, pk: &[u8], message: &Message<'_>, signature: &[u8]) -> Result<(), Error> {
        let key = self.public_parts(pk)?;
        let message = self.formatted(message)?;
        if signature.len() != self.info.signature {
            return Err(Error::InvalidSignature);
        }
        let mut valid = [false];
        self.verify_batch(key, &[(message, signature)], &mut valid);
        if valid[0] { Ok(()) } else { Err(Error::InvalidSignature) }
    }

    fn prepare_signer(&self, sk: &[u8]) -> Result<Box<dyn Sign>, Error> {
        Ok(Box::new(self.prepared(sk)?))
    }

    fn prepare_verifier(&self, pk: &[u8]) -> Result<Box<dyn Verify>, Error> {
        self.public_parts(pk)?;
        Ok(Box::new(Verifier { set: Self { ..*self }, key: pk.into() }))
    }
}

/// A private key and the leaves of its top tree.
pub(crate) struct Signer {
    set: Slh,
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
        self.set.sign_with(&self.key, Some(&self.top), message, coins, out)
    }
}

/// Says nothing of the key.
impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Signer").field("set", &self.set.info.name).finish_non_exhaustive()
    }
}

/// A public key.
#[derive(Debug)]
struct Verifier {
    set: Slh,
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
