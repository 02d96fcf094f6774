//! Keys, checked and parsed once for many operations.
#![expect(missing_debug_implementations, reason = "the keys that wrap them have it")]
use oaklath_ring::q3329::{self, Entry, NttPoly};
use oaklath_simd::{Simd, ct, dispatch, scratch, secret, wipe};

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

impl<const K: usize> PublicKey<K> {
    /// The checks of FIPS 203, section 7.2, but for the length.
    pub(crate) fn parse(ek: &[u8]) -> Result<Self, Invalid> {
        let mut t_hat = [NttPoly::new([0; 256]); K];
        let canonical = dispatch!(s => decode_vector_checked(s, ek, &mut t_hat));
        if canonical { Ok(Self { t_hat }) } else { Err(Invalid::Coefficient) }
    }

    /// The matrix and the hash of `ek`.
    pub(crate) fn expand(variant: Variant, ek: &[u8]) -> ExpandedKey<K> {
        let mut A_hat = [[Entry::new([0; 288]); K]; K];
        let h_ek = dispatch!(s => {
            scratch!(rows: Rows);
            expand(s, &mut Run::new(s, rows), variant, ek, &mut A_hat)
        });
        ExpandedKey { A_hat, h_ek }
    }

    pub(crate) fn encapsulate(
        &self,
        variant: Variant,
        ek: &[u8],
        coins: &[u8; 32],
        c: &mut [u8],
    ) -> [u8; 32] {
        #[inline(always)]
        fn run<S: Simd, const K: usize>(
            s: S,
            variant: Variant,
            (ek, t_hat): (&[u8], &[NttPoly; K]),
            coins: &[u8; 32],
            c: &mut [u8],
        ) -> [u8; 32] {
            scratch!(A_hat: Matrix<K>);
            secret!(rows: Rows);
            let mut run = Run::new(s, rows);
            let h_ek = expand(s, &mut run, variant, ek, A_hat);
            encapsulate(s, &mut run, variant, (t_hat, A_hat, &h_ek), coins, c)
        }
        dispatch!(s => run(s, variant, (ek, &self.t_hat), coins, c))
    }

    pub(crate) fn encapsulate_expanded(
        &self,
        variant: Variant,
        expanded: &ExpandedKey<K>,
        coins: &[u8; 32],
        c: &mut [u8],
    ) -> [u8; 32] {
        let key = (&self.t_hat, &expanded.A_hat, &expanded.h_ek);
        dispatch!(s => {
            secret!(rows: Rows);
            encapsulate(s, &mut Run::new(s, rows), variant, key, coins, c)
        })
    }
}

impl<const K: usize> SecretKey<K> {
    /// The checks of FIPS 203, section 7.3, but for the length.
    pub(crate) fn parse(variant: Variant, dk: &[u8]) -> Result<(Self, PublicKey<K>), Invalid> {
        let (ek, h_ek, _) = split::<K>(dk);
        let computed = dispatch!(s => h(s, variant, ek));
        // Whether a key is damaged is public.
        if ct::differ(h_ek, &computed).declassify() {
            return Err(Invalid::Hash);
        }
        Ok((Self::decode(dk), PublicKey::parse(ek)?))
    }

    /// The same of a key that was just made.
    pub(crate) fn parse_trusted(dk: &[u8]) -> (Self, PublicKey<K>) {
        let mut t_hat = [NttPoly::new([0; 256]); K];
        dispatch!(s => decode_vector(s, split::<K>(dk).0, &mut t_hat));
        (Self::decode(dk), PublicKey { t_hat })
    }

    fn decode(dk: &[u8]) -> Self {
        let (_, h_ek, z) = split::<K>(dk);
        let mut key = Self { s_hat: [NttPoly::new([0; 256]); K], h_ek: *h_ek, z: *z };
        dispatch!(s => decode_vector(s, dk, &mut key.s_hat));
        key
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
    ) -> [u8; 32] {
        #[inline(always)]
        fn run<S: Simd, const K: usize>(
            s: S,
            variant: Variant,
            parts: Parts<'_, K>,
            c: &[u8],
        ) -> [u8; 32] {
            scratch!(A_hat: Matrix<K>);
            let plan = const { &Plans::<K>::DECAPSULATE };
            decapsulate(s, variant, plan, parts, None, Place::Sampled(A_hat), c).0
        }
        let parts = self.parts(ek, public);
        dispatch!(s => run(s, variant, parts, c))
    }

    pub(crate) fn decapsulate_expanded(
        &self,
        variant: Variant,
        (ek, public): (&[u8], &PublicKey<K>),
        expanded: &ExpandedKey<K>,
        c: &[u8],
    ) -> [u8; 32] {
        let plan = const { &Plans::<K>::DECAPSULATE_EXPANDED };
        let (parts, A_hat) = (self.parts(ek, public), &expanded.A_hat);
        dispatch!(s => decapsulate(s, variant, plan, parts, None, Place::Kept(A_hat), c).0)
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
