//! Keys, checked and parsed once for many operations: their polynomials as points.
#![expect(missing_debug_implementations, reason = "the keys that wrap them have it")]
use oaklath_hash::sha3::sha3_256;
use oaklath_poly::pow2::{Points, PointsRoom};
use oaklath_simd::{dispatch, scratch, secret, wipe};

use super::WrongHash;
use super::fo::{
    Key, Parts, decapsulate, decapsulate_expanded, encapsulate, encapsulate_expanded, seed_of,
};
use super::lanes::{self, Stream};
use super::params::POLY_Q;
use super::pke::{Factor, read_vector};
use super::sample::{Matrix, matrix_of};

/// An encapsulation key, beside its bytes.
#[derive(Clone)]
pub struct PublicKey<const K: usize> {
    b: [Points<16>; K],
}

/// A decapsulation key, beside its encapsulation key. Erased when dropped.
pub struct SecretKey<const K: usize> {
    s: [Points<16>; K],
    s_bytes: [[u8; POLY_Q]; K],
    h_pk: [u8; 32],
    z: [u8; 32],
}

/// What only depends on the encapsulation key: the matrix and the hash.
#[derive(Clone)]
pub struct ExpandedKey<const K: usize> {
    A: Matrix<K>,
    h_pk: [u8; 32],
}

// Keys are made empty and filled in place: a key that is moved leaves a copy behind.

impl<const K: usize> PublicKey<K> {
    pub(crate) const EMPTY: Self = Self { b: [Points::new([[0; 64]; 16]); K] };

    /// Nothing can be wrong with bytes of the right length.
    pub(crate) fn parse(&mut self, pk: &[u8]) {
        dispatch!(s => {
            scratch!(room: PointsRoom);
            read_vector::<_, 10, K>(s, pk, &mut self.b, &mut **room);
        });
    }

    pub(crate) fn encapsulate(&self, pk: &[u8], coins: &[u8], c: &mut [u8], shared: &mut [u8; 32]) {
        dispatch!(s => encapsulate(s, pk, Factor::Kept(&self.b), coins, c, shared));
    }

    pub(crate) fn encapsulate_expanded(
        &self,
        expanded: &ExpandedKey<K>,
        coins: &[u8],
        c: &mut [u8],
        shared: &mut [u8; 32],
    ) {
        let key = (&expanded.A, &self.b, &expanded.h_pk);
        dispatch!(s => encapsulate_expanded(s, key, coins, c, shared));
    }
}

impl<const K: usize> ExpandedKey<K> {
    pub(crate) const EMPTY: Self = Self { A: [[Points::new([[0; 64]; 16]); K]; K], h_pk: [0; 32] };

    /// The matrix and the hash of `pk`.
    pub(crate) fn fill(&mut self, pk: &[u8]) {
        dispatch!(s => {
            scratch!(stream: Stream<K>);
            lanes::matrix(s, seed_of(pk), stream);
            matrix_of(s, stream, &mut self.A);
        });
        self.h_pk = sha3_256(pk);
    }
}

impl<const K: usize> SecretKey<K> {
    pub(crate) const EMPTY: Self = Self {
        s: [Points::new([[0; 64]; 16]); K],
        s_bytes: [[0; POLY_Q]; K],
        h_pk: [0; 32],
        z: [0; 32],
    };

    /// Parses a key, its encapsulation key included, and checks the hash of that.
    pub(crate) fn parse(
        &mut self,
        public: &mut PublicKey<K>,
        pk: &mut [u8],
        sk: &[u8],
    ) -> Result<(), WrongHash> {
        let parts = Parts::of::<K>(sk);
        parts.check()?;
        pk.copy_from_slice(parts.pk);
        self.parse_trusted(public, sk);
        Ok(())
    }

    /// The same of a key that was just made.
    pub(crate) fn parse_trusted(&mut self, public: &mut PublicKey<K>, sk: &[u8]) {
        let parts = Parts::of::<K>(sk);
        public.parse(parts.pk);
        dispatch!(s => {
            secret!(room: PointsRoom);
            read_vector::<_, 13, K>(s, parts.s_bytes, &mut self.s, &mut **room);
        });
        self.s_bytes.as_flattened_mut().copy_from_slice(parts.s_bytes);
        (self.h_pk, self.z) = (*parts.h_pk, *parts.z);
    }

    /// Writes the encoding.
    pub(crate) fn write(&self, pk: &[u8], sk: &mut [u8]) {
        let (s_bytes, rest) = sk.split_at_mut(POLY_Q * K);
        s_bytes.copy_from_slice(self.s_bytes.as_flattened());
        let (pk_bytes, end) = rest.split_at_mut(pk.len());
        pk_bytes.copy_from_slice(pk);
        end[..32].copy_from_slice(&self.h_pk);
        end[32..].copy_from_slice(&self.z);
    }

    pub(crate) fn decapsulate(
        &self,
        public: (&[u8], &PublicKey<K>),
        c: &[u8],
        shared: &mut [u8; 32],
    ) {
        let key = self.key(public);
        let result = dispatch!(s => decapsulate::<_, K, false>(s, &key, c, shared));
        debug_assert!(result.is_ok(), "nothing is checked");
    }

    pub(crate) fn decapsulate_expanded(
        &self,
        public: (&[u8], &PublicKey<K>),
        expanded: &ExpandedKey<K>,
        c: &[u8],
        shared: &mut [u8; 32],
    ) {
        let key = self.key(public);
        dispatch!(s => decapsulate_expanded(s, &expanded.A, &key, c, shared));
    }

    fn key<'a>(&'a self, (pk, public): (&'a [u8], &'a PublicKey<K>)) -> Key<'a, K> {
        let (public, secret) = ((pk, Factor::Kept(&public.b)), Factor::Kept(&self.s));
        Key { public, secret, h_pk: &self.h_pk, z: &self.z }
    }
}

impl<const K: usize> Drop for SecretKey<K> {
    fn drop(&mut self) {
        wipe(&mut self.s);
        wipe(&mut self.s_bytes);
        wipe(&mut self.z);
    }
}
