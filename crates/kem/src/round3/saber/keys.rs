//! Keys that are checked and parsed once for many operations, with their polynomials as points.
#![expect(missing_debug_implementations, reason = "the keys that wrap them have it")]
use oaklath_poly::pow2::{Points, PointsRoom};
use oaklath_simd::{dispatch, scratch, secret, wipe};

use super::fo::SaberKeyBytes;
use super::params::{POLY_Q, SaberParams};
use super::pke::read_vector;
use crate::scheme::Empty;

/// The parsed part of an encapsulation key; its bytes are kept separately.
#[derive(Clone)]
pub struct SaberPublicKey<const K: usize> {
    pub(super) b: [Points<16>; K],
}

/// A decapsulation key without its encapsulation key. Erased when dropped.
pub struct SaberSecretKey<const K: usize> {
    pub(super) s: [Points<16>; K],
    s_bytes: [[u8; POLY_Q]; K],
    pub(super) h_pk: [u8; 32],
    pub(super) z: [u8; 32],
}

/// Precomputed from the encapsulation key alone: the matrix and H(pk).
#[derive(Clone)]
pub struct SaberExpandedKey<const K: usize> {
    pub(super) A: [[Points<16>; K]; K],
    pub(super) h_pk: [u8; 32],
}

impl<const K: usize> Empty for SaberPublicKey<K> {
    const EMPTY: Self = Self { b: [Points::new([[0; 64]; 16]); K] };
}

impl<const K: usize> Empty for SaberSecretKey<K> {
    const EMPTY: Self = Self {
        s: [Points::new([[0; 64]; 16]); K],
        s_bytes: [[0; POLY_Q]; K],
        h_pk: [0; 32],
        z: [0; 32],
    };
}

impl<const K: usize> Empty for SaberExpandedKey<K> {
    const EMPTY: Self = Self { A: [[Points::new([[0; 64]; 16]); K]; K], h_pk: [0; 32] };
}

impl<const K: usize> SaberPublicKey<K> {
    /// Parses the bytes of a key. All bytes of the right length are valid.
    pub(super) fn parse(&mut self, pk: &[u8]) {
        scratch!(room: PointsRoom);
        dispatch!(s => read_vector(s, 10, pk, &mut self.b, &mut **room));
    }
}

impl<const K: usize> SaberSecretKey<K> {
    /// Parses a key whose hash was checked or just computed.
    pub(super) fn parse(&mut self, sk: &[u8]) {
        let parts = SaberKeyBytes::split(&SaberParams::of_rank(K), sk);
        secret!(room: PointsRoom);
        dispatch!(s => read_vector(s, 13, parts.s_bytes, &mut self.s, &mut **room));
        self.s_bytes.as_flattened_mut().copy_from_slice(parts.s_bytes);
        (self.h_pk, self.z) = (*parts.h_pk, *parts.z);
    }

    /// Writes the encoding of the key.
    pub(super) fn write(&self, pk: &[u8], sk: &mut [u8]) {
        let (s_bytes, rest) = sk.split_at_mut(POLY_Q * K);
        s_bytes.copy_from_slice(self.s_bytes.as_flattened());
        let (pk_bytes, end) = rest.split_at_mut(pk.len());
        pk_bytes.copy_from_slice(pk);
        end[..32].copy_from_slice(&self.h_pk);
        end[32..].copy_from_slice(&self.z);
    }
}

impl<const K: usize> Drop for SaberSecretKey<K> {
    fn drop(&mut self) {
        wipe(&mut self.s);
        wipe(&mut self.s_bytes);
        wipe(&mut self.z);
    }
}
