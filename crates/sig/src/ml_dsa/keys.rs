//! Keys expanded for many operations. They are created empty and filled in place, since moving a
//! key would leave a copy behind.
use core::fmt;

use oaklath_hash::blocks::{Ends, write_words};
use oaklath_poly::q8380417::{self as ring, Entry, NttPoly, Poly, Small};
use oaklath_simd::{Simd, ct, dispatch, each, scratch, secret, wipe};

use super::expand_a::ExpandedMatrix;
use super::expand_mask::MASKS;
use super::params::{MlDsaParams, SEED, T1};
use super::sampler::{QueueSampler, SamplerMemory, SamplingMethod, SamplingQueue, SqueezedRows};
use super::secrets::{SecretsMemory, SigningSecrets, unpack};
use super::sign::{SigningInput, sign_with};
use super::sign_many::{self, BatchMemory, NextMessage};
use super::variant::{MlDsaVariant, Representative, params};
use super::verify::{self, SignatureMemory, SignedMu, VerifyingParts};
use crate::error::Error;

/// A private key: the matrix, the secrets prepared for products, K and tr. Erased when dropped.
pub struct ExpandedSecretKey<const K: usize, const L: usize> {
    A_hat: [[Entry; L]; K],
    s1: [Small; L],
    s2: [Small; K],
    t0_hat: [NttPoly; K],
    K: [u8; SEED],
    tr: [u8; 64],
}

/// A public key: the matrix, t1 prepared for products, and tr.
#[derive(Clone)]
pub struct ExpandedPublicKey<const K: usize, const L: usize> {
    A_hat: [[Entry; L]; K],
    t1_hat: [NttPoly; K],
    tr: [u8; 64],
}

impl<const K: usize, const L: usize> ExpandedSecretKey<K, L> {
    pub(crate) const EMPTY: Self = Self {
        A_hat: [const { [const { Entry::new([0; _]) }; L] }; K],
        s1: [const { Small::new([0; _]) }; L],
        s2: [const { Small::new([0; _]) }; K],
        t0_hat: [const { NttPoly::new([0; _]) }; K],
        K: [0; SEED],
        tr: [0; 64],
    };

    /// Expands an encoded key.
    ///
    /// # Errors
    /// [`Error::SecretKeyEncoding`].
    pub(crate) fn fill<V: MlDsaVariant>(&mut self, sk: &[u8]) -> Result<(), Error> {
        let p = const { &params::<V>(K, L) };
        let (rho, rest) = sk.split_first_chunk().expect("a key begins with rho");
        let (key, rest) = rest.split_at(SEED);
        let (tr, packed) = rest.split_at(p.tr);
        self.K.copy_from_slice(key);
        self.tr[..tr.len()].copy_from_slice(tr);
        let memory = SecretsMemory { s1: &mut self.s1, s2: &mut self.s2, t0_hat: &mut self.t0_hat };
        // Whether a key is well-formed is public.
        if !ct::declassify_bool(dispatch!(s => unpack(s, p, packed, memory))) {
            return Err(Error::SecretKeyEncoding);
        }
        expand_matrix::<V::Sampling>(p, rho, &[], self.A_hat.as_flattened_mut());
        Ok(())
    }

    pub(crate) fn tr<V: MlDsaVariant>(&self) -> &[u8] {
        &self.tr[..V::TR]
    }

    /// Signs mu, with randomness of the right length or without.
    pub(crate) fn sign<V: MlDsaVariant>(
        &self,
        mu: &[u8; 64],
        coins: Option<&[u8]>,
        signature: &mut [u8],
    ) {
        let p = const { &params::<V>(K, L) };
        secret!(rho2: [u8; 64], y: [Poly; MASKS], y_hat: [NttPoly; L], w: [Poly; K]);
        V::mask_seed(&self.K, coins, mu, rho2);
        let input = SigningInput { mu, rho2, y, y_hat, w };
        let secrets = SigningSecrets::ready(&self.s1, &self.s2, &self.t0_hat);
        let matrix = ExpandedMatrix::kept(p, self.A_hat.as_flattened());
        sign_with::<V::Sampling>(p, &[0; SEED], matrix, &secrets, input, signature);
    }

    /// Signs the messages that `next` gives.
    pub(super) fn sign_many<V: MlDsaVariant>(&self, next: &mut NextMessage<'_, '_>) {
        secret!(y: [[Poly; L]; sign_many::BATCH], w: [[Poly; K]; sign_many::BATCH]);
        secret!(y_hat: [NttPoly; L]);
        let (y, w) = (y.as_flattened_mut(), w.as_flattened_mut());
        let secrets = SigningSecrets::ready(&self.s1, &self.s2, &self.t0_hat);
        let (p, matrix) = (const { &params::<V>(K, L) }, self.A_hat.as_flattened());
        sign_many::sign_many((p, matrix, &secrets), next, BatchMemory { y, w, y_hat });
    }

    /// Computes mu, and rho'' in its place.
    pub(super) fn seed_masks<V: MlDsaVariant>(
        &self,
        message: &Representative<'_>,
        coins: Option<&[u8]>,
        (mu, rho2): (&mut [u8; 64], &mut [u8; 64]),
    ) {
        *mu = message.mu(self.tr::<V>());
        V::mask_seed(&self.K, coins, mu, rho2);
    }
}

impl<const K: usize, const L: usize> ExpandedPublicKey<K, L> {
    pub(crate) const EMPTY: Self = Self {
        A_hat: [const { [const { Entry::new([0; _]) }; L] }; K],
        t1_hat: [const { NttPoly::new([0; _]) }; K],
        tr: [0; 64],
    };

    /// Expands an encoded key.
    pub(crate) fn fill<V: MlDsaVariant>(&mut self, pk: &[u8]) {
        let p = const { &params::<V>(K, L) };
        let (rho, t1) = pk.split_first_chunk().expect("a key begins with rho");
        self.tr = expand_matrix::<V::Sampling>(p, rho, pk, self.A_hat.as_flattened_mut());
        transform_t1(t1, &mut self.t1_hat);
    }

    pub(crate) fn tr<V: MlDsaVariant>(&self) -> &[u8] {
        &self.tr[..V::TR]
    }

    /// Verifies a signature of mu, which must have the right length.
    pub(crate) fn verify<V: MlDsaVariant>(&self, mu: &[u8; 64], signature: &[u8]) -> bool {
        scratch!(z_hat: [NttPoly; L], hints: [[i8; 256]; K]);
        let memory = SignatureMemory { z_hat, hints };
        verify::verify(const { &params::<V>(K, L) }, self.parts(), mu, signature, memory)
    }

    /// Verifies at most [`BATCH`](verify::BATCH) signatures of the right length.
    pub(super) fn verify_many<V: MlDsaVariant>(items: &[SignedMu<'_>], valid: &mut [bool]) {
        scratch!(z_hat: [NttPoly; L], hints: [[i8; 256]; K]);
        let memory = SignatureMemory { z_hat, hints };
        verify::verify_many(const { &params::<V>(K, L) }, items, memory, valid);
    }

    pub(super) fn parts(&self) -> VerifyingParts<'_> {
        (self.A_hat.as_flattened(), &self.t1_hat)
    }
}

/// Writes NTT(t1 2^d).
fn transform_t1(t1: &[u8], t1_hat: &mut [NttPoly]) {
    dispatch!(s => {
        scratch!(f: Poly);
        for (f_hat, bytes) in t1_hat.iter_mut().zip(t1.chunks_exact(T1)) {
            ring::decode_t1(s, bytes, f);
            ring::ntt(s, f, f_hat);
        }
    });
}

/// `ExpandA`: FIPS 204, Algorithm 32. Also returns tr of a public key, unless `pk` is empty.
fn expand_matrix<G: SamplingMethod>(
    p: &MlDsaParams,
    rho: &[u8; SEED],
    pk: &[u8],
    A_hat: &mut [Entry],
) -> [u8; 64] {
    dispatch!(s => expand_matrix_at::<_, G>(s, p, rho, pk, A_hat))
}

#[inline(always)]
fn expand_matrix_at<S: Simd, G: SamplingMethod>(
    s: S,
    p: &MlDsaParams,
    rho: &[u8; SEED],
    pk: &[u8],
    A_hat: &mut [Entry],
) -> [u8; 64] {
    scratch!(rows: SqueezedRows);
    let mut sampler = G::Sampler::new(s, SamplerMemory::rows(&mut rows[..]));
    let mut queue = SamplingQueue::matrix(p, rho, ExpandedMatrix::rows(p, A_hat), &mut []);
    let mut tr = [0; 64];
    if !pk.is_empty() {
        sampler.reserve();
        let mut ends = Ends::empty();
        let blocks = ends.shake(&[], pk);
        each!(i in 0..blocks.count() => sampler.step(&mut queue, Some((i == 0, blocks.block(i)))));
        write_words(&sampler.take_hash(), &mut tr);
        sampler.release();
    }
    while !queue.matrix.all_ready() {
        sampler.step(&mut queue, None);
    }
    tr
}

impl<const K: usize, const L: usize> Drop for ExpandedSecretKey<K, L> {
    fn drop(&mut self) {
        wipe(&mut self.s1);
        wipe(&mut self.s2);
        wipe(&mut self.t0_hat);
        wipe(&mut self.K);
    }
}

/// Prints nothing of the key.
impl<const K: usize, const L: usize> fmt::Debug for ExpandedSecretKey<K, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExpandedSecretKey").finish_non_exhaustive()
    }
}

impl<const K: usize, const L: usize> fmt::Debug for ExpandedPublicKey<K, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExpandedPublicKey").finish_non_exhaustive()
    }
}
