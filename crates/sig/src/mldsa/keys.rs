//! Keys expanded for many operations. They are made empty and filled in place: a key that is moved
//! leaves a copy behind.
use core::fmt;

use oaklath_hash::blocks::{Ends, write_words};
use oaklath_poly::q8380417::{self as ring, Entry, NttPoly, Poly, Small};
use oaklath_simd::{Simd, ct, dispatch, scratch, wipe};

use super::params::{Params, SEED, T1};
use super::run::{Matrix, NO_SEED, Noise, Rows, Run, Work};
use super::sign::unpack;
use super::{Invalid, Seed, Variant, sign, verify};

/// A private key: the matrix, the secrets ready for products, K and tr. Erased when dropped.
pub struct SigningKey<const K: usize, const L: usize> {
    pub(super) A_hat: [[Entry; L]; K],
    pub(super) s1: [Small; L],
    pub(super) s2: [Small; K],
    pub(super) t0_hat: [NttPoly; K],
    pub(super) K: [u8; SEED],
    tr: [u8; 64],
}

/// A public key: the matrix, t1 ready for products, tr.
#[derive(Clone)]
pub struct VerifyingKey<const K: usize, const L: usize> {
    pub(super) A_hat: [[Entry; L]; K],
    pub(super) t1_hat: [NttPoly; K],
    tr: [u8; 64],
}

impl<const K: usize, const L: usize> SigningKey<K, L> {
    pub(crate) const EMPTY: Self = Self {
        A_hat: [const { [const { Entry::new([0; _]) }; L] }; K],
        s1: [const { Small::new([0; _]) }; L],
        s2: [const { Small::new([0; _]) }; K],
        t0_hat: [const { NttPoly::new([0; _]) }; K],
        K: [0; SEED],
        tr: [0; 64],
    };

    /// Of the bytes of a key.
    pub(crate) fn fill(&mut self, variant: Variant, sk: &[u8]) -> Result<(), Invalid> {
        let (rho, rest) = sk.split_first_chunk().expect("a key begins with rho");
        let (key, rest) = rest.split_at(SEED);
        let (tr, packed) = rest.split_at(Params::tr(variant));
        self.K.copy_from_slice(key);
        self.tr[..tr.len()].copy_from_slice(tr);
        let parts = (&mut self.s1, &mut self.s2, &mut self.t0_hat);
        let good = dispatch!(s => unpack::<_, K, L>(s, packed, parts));
        // Whether a key is well-formed is public.
        if !ct::declassify_bool(good) {
            return Err(Invalid::Range);
        }
        dispatch!(s => expand(s, variant, rho, &[], &mut self.A_hat));
        Ok(())
    }

    pub(crate) fn tr(&self, variant: Variant) -> &[u8] {
        &self.tr[..Params::tr(variant)]
    }

    pub(crate) fn sign(
        &self,
        variant: Variant,
        mu: &[u8; 64],
        seed: Seed<'_>,
        signature: &mut [u8],
    ) {
        dispatch!(s => sign::sign(s, variant, self, mu, seed, signature));
    }
}

impl<const K: usize, const L: usize> VerifyingKey<K, L> {
    pub(crate) const EMPTY: Self = Self {
        A_hat: [const { [const { Entry::new([0; _]) }; L] }; K],
        t1_hat: [const { NttPoly::new([0; _]) }; K],
        tr: [0; 64],
    };

    /// Of the bytes of a key.
    pub(crate) fn fill(&mut self, variant: Variant, pk: &[u8]) {
        let (rho, t1) = pk.split_first_chunk().expect("a key begins with rho");
        self.tr = dispatch!(s => expand(s, variant, rho, pk, &mut self.A_hat));
        dispatch!(s => transform_t1(s, t1, &mut self.t1_hat));
    }

    pub(crate) fn tr(&self, variant: Variant) -> &[u8] {
        &self.tr[..Params::tr(variant)]
    }

    pub(crate) fn verify(&self, variant: Variant, mu: &[u8; 64], signature: &[u8]) -> bool {
        dispatch!(s => verify::verify(s, variant, self, mu, signature))
    }
}

#[inline(always)]
fn transform_t1<S: Simd, const K: usize>(s: S, t1: &[u8], t1_hat: &mut [NttPoly; K]) {
    scratch!(f: Poly);
    for (f_hat, bytes) in t1_hat.iter_mut().zip(t1.chunks_exact(T1)) {
        ring::decode_t1(s, bytes, f);
        ring::ntt(s, f, f_hat);
    }
}

/// `ExpandA`: FIPS 204, Algorithm 32, and beside it tr of a public key, if there is one.
#[inline(always)]
fn expand<S: Simd, const K: usize, const L: usize>(
    s: S,
    variant: Variant,
    rho: &[u8; SEED],
    pk: &[u8],
    A_hat: &mut [[Entry; L]; K],
) -> [u8; 64] {
    scratch!(rows: Rows, no_factors: [NttPoly; L]);
    let mut run = Run::new(s, variant, (&mut rows[..], &mut [], &mut []));
    let matrix = Matrix::rows(A_hat);
    let mut work = Work::<K, L>::new(rho, &NO_SEED, matrix, Noise::None, no_factors);
    let mut tr = [0; 64];
    if !pk.is_empty() {
        run.reserve();
        let mut ends = Ends::empty();
        let blocks = ends.shake(&[], pk);
        let mut i = 0;
        while i < blocks.count() {
            run.step(&mut work, Some((i == 0, blocks.block(i))));
            i += 1;
        }
        write_words(&run.hash(), &mut tr);
        run.release();
    }
    while !work.matrix_ready() {
        run.step(&mut work, None);
    }
    tr
}

impl<const K: usize, const L: usize> Drop for SigningKey<K, L> {
    fn drop(&mut self) {
        wipe(&mut self.s1);
        wipe(&mut self.s2);
        wipe(&mut self.t0_hat);
        wipe(&mut self.K);
    }
}

/// Says nothing of the key.
impl<const K: usize, const L: usize> fmt::Debug for SigningKey<K, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey").finish_non_exhaustive()
    }
}

impl<const K: usize, const L: usize> fmt::Debug for VerifyingKey<K, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VerifyingKey").finish_non_exhaustive()
    }
}
