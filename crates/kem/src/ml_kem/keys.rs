//! Keys, checked and parsed once for many operations.
#![expect(missing_debug_implementations, reason = "the keys that wrap them have it")]
use oaklath_poly::q3329::{Entry, NttPoly};
use oaklath_simd::wipe;

use super::params::{MlKemParams, POLY_12};
use super::pke::{decode_vector, decode_vector_checked, encode_vector};
use crate::error::Error;
use crate::scheme::Empty;

/// `A_hat`, row by row.
pub(crate) type Matrix<const K: usize> = [[Entry; K]; K];

/// The decoded part of an encapsulation key that was checked; its bytes are kept separately.
#[derive(Clone)]
pub struct ModulePublicKey<const K: usize> {
    pub(crate) t_hat: [NttPoly; K],
}

/// A decapsulation key that was checked, without its encapsulation key. Erased when dropped.
pub struct ModuleSecretKey<const K: usize> {
    pub(crate) s_hat: [NttPoly; K],
    pub(crate) h_ek: [u8; 32],
    pub(crate) z: [u8; 32],
}

/// Precomputed from the encapsulation key alone: the matrix and H(ek).
#[derive(Clone)]
pub struct ModuleExpandedKey<const K: usize> {
    pub(crate) A_hat: Matrix<K>,
    pub(crate) h_ek: [u8; 32],
}

impl<const K: usize> Empty for ModulePublicKey<K> {
    const EMPTY: Self = Self { t_hat: [NttPoly::new([0; 256]); K] };
}

impl<const K: usize> Empty for ModuleSecretKey<K> {
    const EMPTY: Self = Self { s_hat: [NttPoly::new([0; 256]); K], h_ek: [0; 32], z: [0; 32] };
}

impl<const K: usize> Empty for ModuleExpandedKey<K> {
    const EMPTY: Self = Self { A_hat: [[Entry::new([0; 288]); K]; K], h_ek: [0; 32] };
}

impl<const K: usize> ModulePublicKey<K> {
    /// Parses the bytes of a key with the modulus check of FIPS 203, section 7.2: Algorithm 14,
    /// line 2.
    pub(crate) fn parse(&mut self, ek: &[u8]) -> Result<(), Error> {
        let canonical = decode_vector_checked(ek, &mut self.t_hat);
        if canonical { Ok(()) } else { Err(Error::EncapsulationKeyNotCanonical) }
    }

    /// Parses the bytes of a key that was just made.
    pub(crate) fn parse_trusted(&mut self, ek: &[u8]) {
        decode_vector(ek, &mut self.t_hat);
    }
}

impl<const K: usize> ModuleSecretKey<K> {
    /// Parses the bytes of a key whose hash was checked or just computed: FIPS 203, Algorithm 15,
    /// line 5.
    pub(crate) fn parse(&mut self, dk: &DecapsulationKeyBytes<'_>) {
        decode_vector(dk.dk_pke, &mut self.s_hat);
        self.h_ek.copy_from_slice(dk.h);
        self.z.copy_from_slice(dk.z);
    }

    /// Writes the bytes that were parsed.
    pub(crate) fn write(&self, p: &MlKemParams, ek: &[u8], dk: &mut [u8]) {
        encode_vector(&self.s_hat, &mut dk[..POLY_12 * K]);
        finish_key(p, ek, &self.h_ek, &self.z, dk);
    }
}

impl<const K: usize> Drop for ModuleSecretKey<K> {
    fn drop(&mut self) {
        wipe(&mut self.s_hat);
        wipe(&mut self.z);
    }
}

/// The parts of the bytes of a decapsulation key: FIPS 203, Algorithm 18, lines 1 to 4.
#[derive(Clone, Copy)]
pub(crate) struct DecapsulationKeyBytes<'a> {
    pub(crate) dk_pke: &'a [u8],
    pub(crate) ek_pke: &'a [u8],
    pub(crate) h: &'a [u8; 32],
    pub(crate) z: &'a [u8; 32],
}

impl<'a> DecapsulationKeyBytes<'a> {
    #[inline(always)]
    pub(crate) fn split(p: &MlKemParams, dk: &'a [u8]) -> Self {
        // 1: dk_PKE <- dk[0 : 384 k]
        let (dk_pke, rest) = dk.split_at(POLY_12 * p.k);
        // 2: ek_PKE <- dk[384 k : 768 k + 32]
        // 3: h <- dk[768 k + 32 : 768 k + 64]
        // 4: z <- dk[768 k + 64 : 768 k + 96]
        let (rest, z) = rest.split_last_chunk().expect("a key ends with z");
        let (ek_pke, h) = rest.split_last_chunk().expect("a key has H(ek)");
        Self { dk_pke, ek_pke, h, z }
    }
}

/// Writes what follows `dk_PKE` in a decapsulation key: FIPS 203, Algorithm 16, line 3.
#[inline(always)]
pub(crate) fn finish_key(p: &MlKemParams, ek: &[u8], h_ek: &[u8; 32], z: &[u8], dk: &mut [u8]) {
    let (ek_bytes, end) = dk[POLY_12 * p.k..].split_at_mut(ek.len());
    ek_bytes.copy_from_slice(ek);
    end[..32].copy_from_slice(h_ek);
    end[32..].copy_from_slice(z);
}

/// An encapsulation key: the decoded `t_hat`, the matrix, and the hash of the key's bytes.
pub(crate) struct EncapsulationKeyParts<'a> {
    pub(crate) t_hat: &'a [NttPoly],
    pub(crate) A_hat: &'a [Entry],
    pub(crate) h_ek: &'a [u8; 32],
}

/// A decapsulation key: the decoded `dk_PKE` and `ek_PKE`, and rho, h and z.
pub(crate) struct DecapsulationKeyParts<'a> {
    pub(crate) s_hat: &'a [NttPoly],
    pub(crate) t_hat: &'a [NttPoly],
    pub(crate) rho: &'a [u8; 32],
    pub(crate) h: &'a [u8; 32],
    pub(crate) z: &'a [u8; 32],
}

impl<'a> DecapsulationKeyParts<'a> {
    /// Borrows the parts of a parsed key; rho comes from the bytes of its encapsulation key.
    pub(crate) fn of<const K: usize>(
        ek: &'a [u8],
        public: &'a ModulePublicKey<K>,
        secret: &'a ModuleSecretKey<K>,
    ) -> Self {
        let ModuleSecretKey { s_hat, h_ek, z } = secret;
        let rho = ek.last_chunk().expect("ek ends with rho");
        Self { s_hat, t_hat: &public.t_hat, rho, h: h_ek, z }
    }
}
