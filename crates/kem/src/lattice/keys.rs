//! Keys, checked and parsed once for many operations.
#![expect(missing_debug_implementations, reason = "the keys that wrap them have it")]
use oaklath_poly::q3329::{self, Entry, NttPoly};
use oaklath_simd::{ct, dispatch, scratch, secret, wipe};

use super::fo::{Parts, Place, decapsulate, encapsulate, expand};
use super::message::h;
use super::params::{POLY_12, Params};
use super::pke::{decode_vector, decode_vector_checked};
use super::plan::Plans;
use super::run::{Matrix, Rows, Run};
use super::{Invalid, Variant};

/// An encapsulation key that was checked, beside its bytes.
#[derive(Clone)]
pub struct PublicKey<const K: usize> {
    t_hat: [NttPoly; K],
}

/// A decapsulation key that was checked, beside its encapsulation key. Erased when dropped.
pub struct SecretKey<const K: usize> {
    s_hat: [NttPoly; K],
    h_ek: [u8; 32],
    z: [u8; 32],
}

/// What only depends on the encapsulation key: the matrix and H(ek).
#[derive(Clone)]
pub struct ExpandedKey<const K: usize> {
    A_hat: Matrix<K>,
    h_ek: [u8; 32],
}

// Keys are made empty and filled in place: a key that is moved leaves a copy behind.

impl<const K: usize> PublicKey<K> {
    pub(crate) const EMPTY: Self = Self { t_hat: [NttPoly::new([0; 256]); K] };

    /// The checks of FIPS 203, section 7.2, but for the length.
    pub(crate) fn parse(&mut self, ek: &[u8]) -> Result<(), Invalid> {
        let canonical = dispatch!(s => decode_vector_checked(s, ek, &mut self.t_hat));
        if canonical { Ok(()) } else { Err(Invalid::Coefficient) }
    }

    pub(crate) fn encapsulate(
        &self,
        variant: Variant,
        ek: &[u8],
        coins: &[u8; 32],
        c: &mut [u8],
        shared: &mut [u8; 32],
    ) {
        dispatch!(s => {
            scratch!(A_hat: Matrix<K>);
            secret!(rows: Rows);
            let mut run = Run::new(s, rows);
            let h_ek = expand(s, &mut run, variant, ek, A_hat);
            encapsulate(s, &mut run, variant, (&self.t_hat, A_hat, &h_ek), coins, c, shared);
        });
    }

    pub(crate) fn encapsulate_expanded(
        &self,
        variant: Variant,
        expanded: &ExpandedKey<K>,
        coins: &[u8; 32],
        c: &mut [u8],
        shared: &mut [u8; 32],
    ) {
        let key = (&self.t_hat, &expanded.A_hat, &expanded.h_ek);
        dispatch!(s => {
            secret!(rows: Rows);
            encapsulate(s, &mut Run::new(s, rows), variant, key, coins, c, shared);
        });
    }
}

impl<const K: usize> ExpandedKey<K> {
    pub(crate) const EMPTY: Self = Self { A_hat: [[Entry::new([0; 288]); K]; K], h_ek: [0; 32] };

    /// The matrix and the hash of `ek`.
    pub(crate) fn fill(&mut self, variant: Variant, ek: &[u8]) {
        self.h_ek = dispatch!(s => {
            scratch!(rows: Rows);
            expand(s, &mut Run::new(s, rows), variant, ek, &mut self.A_hat)
        });
    }
}

impl<const K: usize> SecretKey<K> {
    pub(crate) const EMPTY: Self =
        Self { s_hat: [NttPoly::new([0; 256]); K], h_ek: [0; 32], z: [0; 32] };

    /// The checks of FIPS 203, section 7.3, but for the length.
    pub(crate) fn parse(
        &mut self,
        public: &mut PublicKey<K>,
        variant: Variant,
        dk: &[u8],
    ) -> Result<(), Invalid> {
        let (ek, h_ek, _) = split::<K>(dk);
        let computed = dispatch!(s => h(s, variant, ek));
        // Whether a key is damaged is public.
        if ct::differ(h_ek, &computed).declassify() {
            return Err(Invalid::Hash);
        }
        public.parse(ek)?;
        self.decode(dk);
        Ok(())
    }

    /// The same of a key that was just made.
    pub(crate) fn parse_trusted(&mut self, public: &mut PublicKey<K>, dk: &[u8]) {
        dispatch!(s => decode_vector(s, split::<K>(dk).0, &mut public.t_hat));
        self.decode(dk);
    }

    fn decode(&mut self, dk: &[u8]) {
        let (_, h_ek, z) = split::<K>(dk);
        (self.h_ek, self.z) = (*h_ek, *z);
        dispatch!(s => decode_vector(s, dk, &mut self.s_hat));
    }

    /// The bytes that were parsed.
    pub(crate) fn write(&self, ek: &[u8], dk: &mut [u8]) {
        let (s_bytes, rest) = dk.split_at_mut(POLY_12 * K);
        for (f, bytes) in self.s_hat.iter().zip(s_bytes.chunks_exact_mut(POLY_12)) {
            dispatch!(s => q3329::encode_12(s, f, bytes));
        }
        let (ek_bytes, rest) = rest.split_at_mut(ek.len());
        ek_bytes.copy_from_slice(ek);
        rest[..32].copy_from_slice(&self.h_ek);
        rest[32..].copy_from_slice(&self.z);
    }

    pub(crate) fn decapsulate(
        &self,
        variant: Variant,
        (ek, public): (&[u8], &PublicKey<K>),
        c: &[u8],
        shared: &mut [u8; 32],
    ) {
        let (plan, parts) = (const { &Plans::<K>::DECAPSULATE }, self.parts(ek, public));
        dispatch!(s => {
            scratch!(A_hat: Matrix<K>);
            decapsulate(s, variant, plan, parts, None, Place::Sampled(A_hat), c, shared);
        });
    }

    pub(crate) fn decapsulate_expanded(
        &self,
        variant: Variant,
        (ek, public): (&[u8], &PublicKey<K>),
        expanded: &ExpandedKey<K>,
        c: &[u8],
        shared: &mut [u8; 32],
    ) {
        let (plan, parts) = (const { &Plans::<K>::DECAPSULATE_EXPANDED }, self.parts(ek, public));
        dispatch!(s => {
            let place = Place::Kept(&expanded.A_hat);
            decapsulate(s, variant, plan, parts, None, place, c, shared);
        });
    }

    fn parts<'a>(&'a self, ek: &'a [u8], public: &'a PublicKey<K>) -> Parts<'a, K> {
        let rho = ek.last_chunk().expect("ek ends with rho");
        Parts { s_hat: &self.s_hat, t_hat: &public.t_hat, rho, h_ek: &self.h_ek, z: &self.z }
    }
}

impl<const K: usize> Drop for SecretKey<K> {
    fn drop(&mut self) {
        wipe(&mut self.s_hat);
        wipe(&mut self.z);
    }
}

/// ek, H(ek) and z of a decapsulation key.
fn split<const K: usize>(dk: &[u8]) -> (&[u8], &[u8; 32], &[u8; 32]) {
    let (ek, rest) = dk[POLY_12 * K..].split_at(const { Params::of_rank(K).public_key() });
    let (h_ek, z) = rest.split_first_chunk().expect("a key has H(ek)");
    (ek, h_ek, z.first_chunk().expect("a key ends with z"))
}
