//! Tests that the kernels of SHA-2 return the same at every SIMD level, with and without a unit.
use std::vec::Vec;

use oaklath_simd::compare::{Inputs, same_at_every_level};
use oaklath_simd::{Simd, dispatch};

use crate::ValueSpan;
use crate::sha2::constants::IV512;
use crate::sha2::engines::{Sha256Lanes, Sha512Lanes};
use crate::sha2::message::{Block256, Block512, Head};
use crate::sha2::midstate::{LaneStates, Midstate};
use crate::sha2::thash::Sha2Thash;

/// The number of inputs of each kernel, unless more are requested.
const FEW: u64 = 50;

/// A number of lanes that is more than any vector has.
const MOST: usize = 33;

fn words(inputs: &mut Inputs) -> [u32; 8] {
    core::array::from_fn(|_| inputs.bits() as u32)
}

/// Returns an engine that may use the unit, and one that uses vectors.
fn engines<S: Simd>(s: S) -> [Sha256Lanes<S>; 2] {
    [Sha256Lanes::new(s), Sha256Lanes::without_unit(s)]
}

#[test]
fn compressions_same_at_every_level() {
    same_at_every_level("SHA-256 compress", FEW, |inputs| {
        let lanes = 1 + inputs.bits() as usize % MOST;
        let mut states: Vec<[u32; 8]> = (0..lanes).map(|_| words(inputs)).collect();
        let block = |inputs: &mut Inputs| core::array::from_fn(|_| inputs.bits() as u32);
        let blocks: Vec<Block256> = (0..lanes).map(|_| block(inputs)).collect();
        let mut again = states.clone();
        dispatch!(s => {
            let [by_unit, by_vectors] = engines(s);
            by_unit.compress(&mut states, &blocks);
            by_vectors.compress(&mut again, &blocks);
        });
        assert_eq!(states, again);
        states
    });
    same_at_every_level("SHA-512 compress", FEW, |inputs| {
        let lanes = 1 + inputs.bits() as usize % MOST;
        let state = |inputs: &mut Inputs| core::array::from_fn(|_| inputs.bits());
        let mut states: Vec<[u64; 8]> = (0..lanes).map(|_| state(inputs)).collect();
        let block = |inputs: &mut Inputs| core::array::from_fn(|_| inputs.bits());
        let blocks: Vec<Block512> = (0..lanes).map(|_| block(inputs)).collect();
        dispatch!(s => Sha512Lanes::new(s).compress(&mut states, &blocks));
        states
    });
}

fn chained<const N: usize, const AT: usize>(inputs: &mut Inputs) -> Vec<[u8; N]> {
    let lanes = 1 + inputs.bits() as usize % MOST;
    let steps: Vec<_> = (0..lanes).map(|_| inputs.bits() as u32 % 16).collect();
    let start = Midstate::new().absorb(&[inputs.bytes()]);
    let mut starts = LaneStates::splat(&start);
    for lane in 1..lanes.min(LaneStates::LANES) {
        starts.set(lane, &Midstate::new().absorb(&[inputs.bytes()]));
    }
    let shared = lanes > LaneStates::LANES || inputs.bits().is_multiple_of(2);
    let start = if shared { (&start).into() } else { (&starts).into() };
    let head = |inputs: &mut Inputs| -> Head {
        let mut bytes = [0; 24];
        inputs.fill(&mut bytes[..AT]);
        // This byte counts the steps.
        bytes[AT - 1] &= 0x7f;
        core::array::from_fn(|i| u32::from_be_bytes(bytes.as_chunks::<4>().0[i]))
    };
    let heads: Vec<Head> = (0..lanes).map(|_| head(inputs)).collect();
    let mut values: Vec<[u8; N]> = (0..lanes).map(|_| inputs.bytes()).collect();
    let mut again = values.clone();
    dispatch!(s => {
        let [by_unit, by_vectors] = engines(s);
        let chains = (ValueSpan { at: AT, n: N }, &heads[..]);
        by_unit.advance_chains(start, chains, &steps, values.as_flattened_mut(), &mut []);
        by_vectors.advance_chains(start, chains, &steps, again.as_flattened_mut(), &mut []);
    });
    assert_eq!(values, again);
    values
}

#[test]
fn chains_same_at_every_level() {
    same_at_every_level("SHA-256 chains, 16 bytes at 22", FEW, chained::<16, 22>);
    same_at_every_level("SHA-256 chains, 24 bytes at 22", FEW, chained::<24, 22>);
    same_at_every_level("SHA-256 chains, 32 bytes at 22", FEW, chained::<32, 22>);
    same_at_every_level("SHA-256 chains, 24 bytes at 23", FEW, chained::<24, 23>);
    same_at_every_level("SHA-256 chains, 32 bytes at 23", FEW, chained::<32, 23>);
    same_at_every_level("SHA-256 masked chains", FEW, |inputs| {
        let lanes = 1 + inputs.bits() as usize % MOST;
        let steps: Vec<_> = (0..lanes).map(|_| inputs.bits() as u32 % 16).collect();
        let prf = words(inputs);
        let address = |inputs: &mut Inputs| {
            let [a, b, c, d, e, f, g, _] = words(inputs);
            [a, b, c, d, e, f, g >> 1, 0]
        };
        let addresses: Vec<_> = (0..lanes).map(|_| address(inputs)).collect();
        let mut values: Vec<[u8; 32]> = (0..lanes).map(|_| inputs.bytes()).collect();
        let mut again = values.clone();
        dispatch!(s => {
            let [by_unit, by_vectors] = engines(s);
            let flat = values.as_flattened_mut();
            by_unit.advance_masked_chains(&prf, &addresses, &steps, flat, &mut []);
            let flat = again.as_flattened_mut();
            by_vectors.advance_masked_chains(&prf, &addresses, &steps, flat, &mut []);
        });
        assert_eq!(values, again);
        values
    });
}

#[test]
fn thash_same_at_every_level() {
    same_at_every_level("SHA-2 thash", FEW, |inputs| {
        const MOST: usize = 8;
        let (lanes, len) = (1 + inputs.bits() as usize % MOST, inputs.bits() as usize % 300);
        let message = |inputs: &mut Inputs| {
            let mut message = std::vec![0; len];
            inputs.fill(&mut message);
            message
        };
        let messages: Vec<Vec<u8>> = (0..lanes).map(|_| message(inputs)).collect();
        let (mut small, mut large) = (std::vec![0; 32 * lanes], std::vec![0; 64 * lanes]);
        let flat = messages.concat();
        dispatch!(s => {
            let start = Midstate::new().words();
            let mut thash = Sha2Thash::new(Sha256Lanes::new(s), [start; MOST], 0, lanes);
            thash.absorb_pieces(len, &flat);
            thash.finish_digests(32, &mut small);
            let mut thash = Sha2Thash::new(Sha512Lanes::new(s), [IV512; MOST], 0, lanes);
            thash.absorb_pieces(len, &flat);
            thash.finish_digests(64, &mut large);
        });
        (small, large)
    });
}
