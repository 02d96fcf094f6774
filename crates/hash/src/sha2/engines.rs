//! SHA-256 and SHA-512 of several messages in parallel, and chains of SHA-256, by the fastest means
//! that the CPU has.
use core::ops::Range;

use oaklath_simd::{HashWords, Simd};

use super::compress::{Sha2, Sha256, Sha512, Twice, compress};
use super::message::{Block256, Block512, Head, LaneTraces};
use super::start::ChainStart;
use super::xmss::{self, Address};
use super::{chain, unit};
use crate::{Trace, ValueSpan};

/// SHA-256 in lanes, by the fastest means that the CPU has.
#[derive(Clone, Copy, Debug)]
pub struct Sha256Lanes<S: Simd> {
    s: S,
    unit: Option<S::Sha>,
}

/// The number of messages from which 16-lane vectors are used. These are as fast as the unit for
/// ten messages on Sapphire Rapids, and for sixteen on Zen 4.
const FOR_SIXTEEN: usize = 13;

/// The number of chains from which a second 16-lane vector runs beside the first: both take
/// 1.7 times as long as one on Zen 5. Of fewer chains, the unit advances the rest.
const FOR_TWICE: usize = 21;

impl<S: Simd> Sha256Lanes<S> {
    /// Uses the CPU's unit for SHA-256 if it has one.
    #[must_use]
    pub fn new(s: S) -> Self {
        Self { s, unit: s.sha_unit() }
    }

    /// Returns the number of messages for which a call is most efficient: 1, 4, 8 or 16.
    #[must_use]
    pub fn lanes(&self) -> usize {
        if self.unit.is_some() && S::W32::LANES < 16 { 2 * unit::WIDTH } else { S::W32::LANES }
    }

    /// Returns the unit, if it is to hash the `left` messages.
    fn unit_for(&self, left: usize) -> Option<S::Sha> {
        self.unit.filter(|_| S::W32::LANES < 16 || left < FOR_SIXTEEN)
    }

    /// Compresses a block into each state, for any number of states.
    ///
    /// # Panics
    /// If `states` and `blocks` differ in length.
    pub fn compress(&self, states: &mut [[u32; 8]], blocks: &[Block256]) {
        assert_eq!(states.len(), blocks.len(), "a block for each state");
        let lanes = self.lanes();
        for (states, blocks) in states.chunks_mut(lanes).zip(blocks.chunks(lanes)) {
            match self.unit_for(states.len()) {
                Some(unit) => unit::compress(unit, states, blocks),
                None => compress::<Sha256, S, S::W32>(self.s, states, blocks),
            }
        }
    }

    /// Advances chains of hashes whose last block is a head of `span.at` bytes and a value of
    /// `span.n` bytes: 22 and 16, 24 or 32 in SLH-DSA, 23 and 24 or 32 in LMS. In each of the
    /// `steps` of a lane, the first bytes of the hash become the value, and the last byte of the
    /// head, which must not overflow, is incremented. `start` is the state after the blocks before,
    /// if any, which lanes share or have each its own. `values` has one value after the other.
    ///
    /// Each trace receives a copy of its lane's value after each step.
    ///
    /// # Panics
    /// If the span is none of these, if there are not as many values and steps as heads, if a trace
    /// is too short, or if there are more heads than states, where each lane has its own.
    pub fn advance_chains(
        &self,
        start: ChainStart<'_>,
        (span, heads): (ValueSpan, &[Head]),
        steps: &[u32],
        values: &mut [u8],
        traces: &mut [Trace<'_>],
    ) {
        assert_eq!(span.n * heads.len(), values.len(), "a value for each head");
        assert_eq!(steps.len(), heads.len(), "steps for each head");
        macro_rules! advance {
            ($($at:literal $n:literal;)*) => {
                match (span.at, span.n) {
                    $(($at, $n) => {
                        let values = values.as_chunks_mut().0;
                        self.advance_arrays::<$n, $at>(start, heads, steps, values, traces);
                    })*
                    _ => panic!("values of {} bytes at {}", span.n, span.at),
                }
            };
        }
        advance!(22 16; 22 24; 22 32; 23 24; 23 32;);
    }

    #[inline(always)]
    fn advance_arrays<const N: usize, const AT: usize>(
        &self,
        start: ChainStart<'_>,
        heads: &[Head],
        steps: &[u32],
        values: &mut [[u8; N]],
        traces: &mut [Trace<'_>],
    ) {
        for (unit, next) in self.groups(heads.len()) {
            let traces = &mut LaneTraces::new(traces, next.start);
            let (heads, steps) = (&heads[next.clone()], &steps[next.clone()]);
            let start = start.of_lanes_from(next.start);
            let values = &mut values[next];
            if let Some(unit) = unit {
                unit::advance::<_, N, AT>(unit, start, heads, steps, values, traces);
                continue;
            }
            let (heads, values) = ((ValueSpan { at: AT, n: N }, heads), values.as_flattened_mut());
            // A kernel of its own saves scalar words up to 8 %, and vectors up to 7 % with values
            // of 16 bytes, which leave the most words of the block constant: others nothing.
            if const { S::W32::LANES == 1 || N == 16 } {
                self.advance_in_vectors::<N, AT>(start, heads, steps, values, traces);
            } else {
                self.advance_in_vectors::<0, 0>(start, heads, steps, values, traces);
            }
        }
    }

    /// Advances chains in one vector, or in two if there are more than one has lanes.
    #[inline(always)]
    fn advance_in_vectors<const N: usize, const AT: usize>(
        &self,
        start: ChainStart<'_>,
        heads: (ValueSpan, &[Head]),
        steps: &[u32],
        values: &mut [u8],
        traces: &mut LaneTraces<'_, '_>,
    ) {
        let s = self.s;
        if const { S::W32::LANES == 16 } && steps.len() > 16 {
            chain::advance::<S, Twice<S>, N, AT, 32>(s, start, heads, steps, values, traces);
        } else {
            chain::advance::<S, S::W32, N, AT, 16>(s, start, heads, steps, values, traces);
        }
    }

    /// Advances chains whose steps have keys and masks, as in XMSS with values of 32 bytes (RFC
    /// 8391, Algorithm 2, with the functions of section 5.1). `prf` is the state after the first
    /// block of PRF; `addresses` are those of the first steps, whose last word is zero. In each of
    /// the `steps` of a lane, the value becomes F of the key and the masked value, and the address
    /// is incremented. `values` has one value after the other.
    ///
    /// Each trace receives a copy of its lane's value after each step.
    ///
    /// # Panics
    /// If there are not as many values and steps as addresses, or if a trace is too short.
    pub fn advance_masked_chains(
        &self,
        prf: &[u32; 8],
        addresses: &[Address],
        steps: &[u32],
        values: &mut [u8],
        traces: &mut [Trace<'_>],
    ) {
        let (values, rest) = values.as_chunks_mut::<32>();
        assert!(values.len() == addresses.len() && rest.is_empty(), "a value for each address");
        assert_eq!(steps.len(), addresses.len(), "steps for each address");
        for (unit, next) in self.groups(addresses.len()) {
            let traces = &mut LaneTraces::new(traces, next.start);
            let (addresses, steps) = (&addresses[next.clone()], &steps[next.clone()]);
            let values = &mut values[next];
            match unit {
                Some(unit) => xmss::advance_by_unit(unit, prf, addresses, steps, values, traces),
                None if const { S::W32::LANES == 16 } && addresses.len() > 16 => {
                    xmss::advance::<S, Twice<S>, 32>(self.s, prf, addresses, steps, values, traces);
                }
                None => {
                    xmss::advance::<S, S::W32, 16>(self.s, prf, addresses, steps, values, traces);
                }
            }
        }
    }

    /// Returns the groups of `count` chains that run in parallel, and the unit if it runs a group.
    fn groups(&self, count: usize) -> impl Iterator<Item = (Option<S::Sha>, Range<usize>)> {
        let mut first = 0;
        core::iter::from_fn(move || {
            let (left, unit) = (count - first, self.unit_for(count - first));
            let width = match unit {
                Some(_) => unit::WIDTH,
                None if S::W32::LANES == 16 && left >= FOR_TWICE => 32,
                None => S::W32::LANES,
            };
            let group = first..count.min(first + width);
            first = group.end;
            (!group.is_empty()).then_some((unit, group))
        })
    }
}

/// An engine that does not use the unit even if there is one.
#[cfg(test)]
impl<S: Simd> Sha256Lanes<S> {
    pub(super) fn without_unit(s: S) -> Self {
        Self { s, unit: None }
    }
}

/// SHA-512 in lanes.
#[derive(Clone, Copy, Debug)]
pub struct Sha512Lanes<S: Simd>(S);

impl<S: Simd> Sha512Lanes<S> {
    /// Uses the instructions of `s`.
    #[must_use]
    pub fn new(s: S) -> Self {
        Self(s)
    }

    /// Compresses a block into each state, for any number of states.
    ///
    /// # Panics
    /// If `states` and `blocks` differ in length.
    pub fn compress(&self, states: &mut [[u64; 8]], blocks: &[Block512]) {
        assert_eq!(states.len(), blocks.len(), "a block for each state");
        let lanes = S::W64::LANES;
        for (states, blocks) in states.chunks_mut(lanes).zip(blocks.chunks(lanes)) {
            if states.len() == 1 {
                Sha512::compress_block(self.0, &mut states[0], &blocks[0]);
            } else {
                compress::<Sha512, S, S::W64>(self.0, states, blocks);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sha2::constants::IV512;
    use crate::sha2::midstate::{LaneStates, Midstate, sha256};
    use crate::sha2::stream::sha512;
    use oaklath_simd::{Level, dispatch};
    use std::vec::Vec;

    /// Returns the only block of a message of at most 55 bytes.
    fn block256(message: &[u8]) -> Block256 {
        let mut bytes = [0; 64];
        bytes[..message.len()].copy_from_slice(message);
        bytes[message.len()] = 0x80;
        bytes[56..].copy_from_slice(&(8 * message.len() as u64).to_be_bytes());
        words_of(&bytes)
    }

    /// Converts bytes to words, and appends zeros.
    fn words_of<const N: usize>(bytes: &[u8]) -> [u32; N] {
        let mut padded = [[0; 4]; N];
        padded.as_flattened_mut()[..bytes.len()].copy_from_slice(bytes);
        padded.map(u32::from_be_bytes)
    }

    fn message(lane: usize, len: usize) -> Vec<u8> {
        (0..len).map(|i| ((lane * 37 + i * 5) % 250) as u8).collect()
    }

    #[test]
    fn compressions() {
        fn check<S: Simd>(s: S, lanes: usize) {
            let messages: Vec<_> = (0..lanes).map(|lane| message(lane, 50)).collect();
            let blocks: Vec<_> = messages.iter().map(|m| block256(m)).collect();
            let mut states = std::vec![Midstate::new().words(); lanes];
            Sha256Lanes::new(s).compress(&mut states, &blocks);
            for (state, message) in states.iter().zip(&messages) {
                let digest: Vec<u8> = state.iter().flat_map(|word| word.to_be_bytes()).collect();
                assert_eq!(digest, sha256(message), "{s:?} {lanes}");
            }
            let long: Vec<Block512> = messages
                .iter()
                .map(|message| {
                    let mut bytes = [0; 128];
                    bytes[..50].copy_from_slice(message);
                    bytes[50] = 0x80;
                    bytes[120..].copy_from_slice(&400_u64.to_be_bytes());
                    core::array::from_fn(|i| u64::from_be_bytes(bytes.as_chunks::<8>().0[i]))
                })
                .collect();
            let mut states = std::vec![IV512; lanes];
            Sha512Lanes::new(s).compress(&mut states, &long);
            for (state, message) in states.iter().zip(&messages) {
                let digest: Vec<u8> = state.iter().flat_map(|word| word.to_be_bytes()).collect();
                assert_eq!(digest, sha512(message), "{s:?} {lanes}");
            }
        }
        for level in Level::available() {
            for lanes in 0..=17 {
                dispatch!(level, s => check(s, lanes));
            }
        }
    }

    #[test]
    fn chains() {
        fn check<S: Simd, const N: usize, const AT: usize>(s: S, lanes: usize) {
            let start_of = |lane: usize| Midstate::new().absorb(&[[lane as u8; 64]]);
            let mut starts = LaneStates::splat(&start_of(0));
            (1..lanes.min(LaneStates::LANES)).for_each(|lane| starts.set(lane, &start_of(lane)));
            let value = |lane: usize| [lane as u8 + 1; N];
            let heads: Vec<Head> = (0..lanes).map(|lane| words_of(&message(lane, AT))).collect();
            let mut values: Vec<_> = (0..lanes).map(value).collect();
            let (mut first, mut last) = ([[0; N]; 4], [[0; N]; 4]);
            let mut traces =
                [(0, first.as_flattened_mut()), (lanes.saturating_sub(1), last.as_flattened_mut())];
            // The first lane has as many steps as the last, the others have fewer or more.
            let steps_of = |lane| if lane == 0 || lane + 1 == lanes { 4 } else { lane as u32 % 6 };
            let steps: Vec<u32> = (0..lanes).map(steps_of).collect();
            let engines = [Sha256Lanes::new(s), Sha256Lanes::without_unit(s)];
            let cases = engines.iter().flat_map(|engine| [(engine, false), (engine, true)]);
            for (engine, own) in cases.filter(|(_, own)| !own || lanes <= LaneStates::LANES) {
                let first = start_of(0);
                let start = if own { (&starts).into() } else { (&first).into() };
                values.iter_mut().enumerate().for_each(|(lane, v)| *v = value(lane));
                let chains = (ValueSpan { at: AT, n: N }, &heads[..]);
                let flat = values.as_flattened_mut();
                engine.advance_chains(start, chains, &steps, flat, &mut traces);
                for (lane, got) in values.iter().enumerate() {
                    let (mut want, mut head) = (value(lane), message(lane, AT));
                    let start = start_of(if own { lane } else { 0 });
                    for step in 0..steps[lane] as usize {
                        let digest = start.finish(&[&head[..], &want].concat());
                        want.copy_from_slice(&digest[..N]);
                        head[AT - 1] = head[AT - 1].wrapping_add(1);
                        if lane == 0 {
                            assert_eq!(traces[0].1[N * step..][..N], want, "{s:?} step {step}");
                        }
                        if lane == lanes - 1 {
                            assert_eq!(traces[1].1[N * step..][..N], want, "{s:?} step {step}");
                        }
                    }
                    assert_eq!(*got, want, "{s:?} lane {lane} of {lanes}");
                }
            }
        }
        for level in Level::available() {
            for lanes in 0..=33 {
                dispatch!(level, s => check::<_, 16, 22>(s, lanes));
                dispatch!(level, s => check::<_, 24, 22>(s, lanes));
                dispatch!(level, s => check::<_, 32, 22>(s, lanes));
                dispatch!(level, s => check::<_, 24, 23>(s, lanes));
                dispatch!(level, s => check::<_, 32, 23>(s, lanes));
            }
        }
    }
}
