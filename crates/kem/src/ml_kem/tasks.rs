//! Inputs, outputs and memory of operations: one task, or two whose lanes run side by side.
#![expect(missing_debug_implementations, reason = "it holds secrets")]
use super::keygen::KeygenMemory;
use super::keys::{DecapsulationKeyParts, EncapsulationKeyParts};
use super::memory::{MatrixSource, PkeMemory};

/// A key pair to be made from d || z.
pub struct KeygenTask<'a> {
    pub(crate) seed: &'a [u8; 64],
    pub(crate) memory: KeygenMemory<'a>,
    pub(crate) ek: &'a mut [u8],
    pub(crate) dk: &'a mut [u8],
}

/// An encapsulation. `random` is m, or in Kyber the input of the hash that yields m.
pub struct EncapsulationTask<'a> {
    pub(crate) key: EncapsulationKeyParts<'a>,
    pub(crate) random: &'a [u8; 32],
    pub(crate) memory: PkeMemory<'a>,
    pub(crate) c: &'a mut [u8],
    pub(crate) shared: &'a mut [u8; 32],
}

/// A decapsulation.
pub struct DecapsulationTask<'a> {
    pub(crate) key: DecapsulationKeyParts<'a>,
    pub(crate) matrix: MatrixSource<'a>,
    pub(crate) memory: PkeMemory<'a>,
    pub(crate) c: &'a [u8],
    pub(crate) shared: &'a mut [u8; 32],
}
