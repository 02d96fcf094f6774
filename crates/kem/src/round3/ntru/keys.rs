//! Keys that are parsed once for many operations, with their polynomials as points.
#![expect(missing_debug_implementations, reason = "the keys that wrap them have it")]
use oaklath_poly::pow2::Points;
use oaklath_simd::{dispatch, wipe};

use super::fo::{decapsulate, encapsulate, read_public, read_secret};
use super::params::NtruParams;
use super::pke::{SecretPoints, recover_h};
use crate::error::Error;
use crate::scheme::Empty;

/// The parsed part of an encapsulation key; its bytes are kept separately.
#[derive(Clone)]
pub struct NtruPublicKey<const L: usize> {
    h: Points<L>,
}

/// A decapsulation key. Erased when dropped.
pub struct NtruSecretKey<const L: usize> {
    points: SecretPoints<L>,
    /// The encoding, which has at most 34 L bytes in every set.
    bytes: [[u8; 34]; L],
}

/// Empty, since a parsed key already holds everything that can be precomputed.
#[derive(Clone)]
pub struct NtruExpandedKey;

impl<const L: usize> Empty for NtruPublicKey<L> {
    const EMPTY: Self = Self { h: Points::new([[0; 64]; L]) };
}

impl Empty for NtruExpandedKey {
    const EMPTY: Self = Self;
}

impl<const L: usize> NtruPublicKey<L> {
    /// Parses the bytes of a key. All bytes of the right length are valid.
    pub(crate) fn parse(&mut self, p: &NtruParams, pk: &[u8]) {
        dispatch!(s => read_public(s, p, pk, &mut self.h));
    }

    pub(crate) fn encapsulate(
        &self,
        p: &NtruParams,
        coins: &[u8],
        c: &mut [u8],
        shared: &mut [u8; 32],
    ) {
        dispatch!(s => encapsulate(s, p, &self.h, coins, c, shared));
    }
}

impl<const L: usize> Empty for NtruSecretKey<L> {
    const EMPTY: Self = Self { points: [Points::new([[0; 64]; L]); 3], bytes: [[0; 34]; L] };
}

impl<const L: usize> NtruSecretKey<L> {
    /// Parses a key and computes the encapsulation key, which the encoding does not contain.
    pub(crate) fn parse(&mut self, p: &NtruParams, pk: &mut [u8], sk: &[u8]) -> Result<(), Error> {
        self.parse_trusted(p, sk);
        let h_inverse = &sk[2 * p.trits()..][..p.coefficients()];
        let exists = dispatch!(s => recover_h::<_, L>(s, p, h_inverse, pk));
        if exists { Ok(()) } else { Err(Error::DecapsulationKeyNotInvertible) }
    }

    /// Parses a key that was just made.
    pub(crate) fn parse_trusted(&mut self, p: &NtruParams, sk: &[u8]) {
        self.bytes.as_flattened_mut()[..sk.len()].copy_from_slice(sk);
        dispatch!(s => read_secret(s, p, sk, &mut self.points));
    }

    /// Writes the encoding of the key.
    pub(crate) fn write(&self, p: &NtruParams, sk: &mut [u8]) {
        sk.copy_from_slice(self.as_bytes(p));
    }

    fn as_bytes(&self, p: &NtruParams) -> &[u8] {
        &self.bytes.as_flattened()[..p.secret_key()]
    }

    pub(crate) fn decapsulate(&self, p: &NtruParams, c: &[u8], shared: &mut [u8; 32]) {
        let rejection = self.as_bytes(p).last_chunk().expect("a key ends with 32 bytes");
        dispatch!(s => decapsulate(s, p, &self.points, rejection, c, shared));
    }
}

impl<const L: usize> Drop for NtruSecretKey<L> {
    fn drop(&mut self) {
        wipe(&mut self.points);
        wipe(&mut self.bytes);
    }
}
