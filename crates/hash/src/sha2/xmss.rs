//! Chains of SHA-256 in which each step has its own key and mask: RFC 8391, Algorithm 2, with
//! values of 32 bytes. A step has four blocks: PRF of the address for the mask and for the key, and
//! two of F(key, value xor mask). Values stay in registers from the first step to the last, which
//! avoids shuffles.
use core::hint::black_box;

use oaklath_simd::{HashWords, ShaUnit, Simd, aligned_frame, each, instances, vectorize, wipe};

use super::chain::{load_rows, record, store_ended};
use super::compress::{finish_block, first_rounds};
use super::constants::{IV256, K256};
use super::message::LaneTraces;
use super::unit::{self, by_lanes};
use crate::next_end;

/// The address of the first step of a chain: eight words, of which the seventh counts steps and the
/// last is zero.
pub(super) type Address = [u32; 8];

/// Padding words of the second block of PRF, whose message has 96 bytes: the one bit after the
/// address, and the length in bits. The last block of F has the same padding.
const ONE: u32 = 1 << 31;
const LENGTH: u32 = 8 * 96;

/// Advances as many chains as there are lanes, or fewer, at most `MOST`: see
/// [`Sha256Lanes::advance_masked_chains`](super::engines::Sha256Lanes::advance_masked_chains).
#[inline(never)]
pub(super) fn advance<S: Simd, W: HashWords<S, u32>, const MOST: usize>(
    s: S,
    prf: &[u32; 8],
    addresses: &[Address],
    steps: &[u32],
    values: &mut [[u8; 32]],
    traces: &mut LaneTraces<'_, '_>,
) {
    vectorize!(s => {
        aligned_frame!();
        let splat = |word| W::splat(s, word);
        let (mut prf_start, mut f_start) = ([splat(0); 8], [splat(0); 8]);
        let iv = IV256;
        each!(i in 0..8 => (prf_start[i], f_start[i]) = (splat(prf[i]), splat(iv[i])));
        let mut address = [splat(0); 16];
        let (words, mut value) = load_rows::<S, W, 8, MOST>(s, addresses, 32, values.as_flattened());
        address.as_chunks_mut::<8>().0[0] = words;
        (address[8], address[15]) = (splat(ONE), splat(LENGTH));
        let first_words = [address[0], address[1], address[2], address[3]];
        let prf_head = first_rounds(s, &prf_start, &first_words);
        let (mut w, mut step, mut next) = (address, 0, next_end(steps, 0));
        while let Some(end) = next {
            next_value(s, &prf_start, &f_start, &prf_head, &address, &mut value, &mut w);
            address[6] = address[6] + splat(1);
            if !traces.is_empty() {
                record::<S, W, MOST>(s, &value, 32, (step, steps), traces);
            }
            step += 1;
            if step == end {
                let values = values.as_flattened_mut();
                store_ended::<S, W, MOST>((step, steps), &value, 32, values);
                next = next_end(steps, step);
            }
        }
        wipe(&mut value);
        wipe(&mut w);
    });
}

/// Does one step of [`advance`], given the states before the blocks of PRF and of F, and that of
/// PRF after four rounds, which all blocks of a chain share. `w` is memory for a block.
#[inline(always)]
fn next_value<S: Simd, W: HashWords<S, u32>>(
    s: S,
    prf_start: &[W; 8],
    f_start: &[W; 8],
    prf_head: &[W; 8],
    address: &[W; 16],
    value: &mut [W; 8],
    w: &mut [W; 16],
) {
    let (mut mask, mut key) = (*prf_head, *prf_head);
    *w = *address;
    w[7] = W::splat(s, 1);
    finish_block(s, prf_start, &mut mask, w);
    *w = *address;
    finish_block(s, prf_start, &mut key, w);
    each!(i in 0..8 => (w[i], w[8 + i]) = (W::splat(s, 0), key[i]));
    let middle = compress(s, f_start, w);
    *w = *address;
    each!(i in 0..8 => w[i] = value[i] ^ mask[i]);
    *value = compress(s, &middle, w);
}

/// Returns the state after a block.
#[inline(always)]
fn compress<S: Simd, W: HashWords<S, u32>>(s: S, start: &[W; 8], w: &mut [W; 16]) -> [W; 8] {
    // As in `chain.rs`: sums that are equal in all steps would be spilled to the stack.
    let mut v = first_rounds(s, black_box(start), &[w[0], w[1], w[2], w[3]]);
    finish_block(s, start, &mut v, w);
    v
}

/// Does [`advance`] with a unit, for at most [`unit::WIDTH`] chains.
pub(super) fn advance_by_unit<U: ShaUnit>(
    unit: U,
    prf: &[u32; 8],
    addresses: &[Address],
    steps: &[u32],
    values: &mut [[u8; 32]],
    traces: &mut LaneTraces<'_, '_>,
) {
    by_lanes!(addresses steps, mut values =>
        advance_many::<U, _>(unit, prf, addresses, steps, values, traces));
}

#[inline(never)]
fn advance_many<U: ShaUnit, const M: usize>(
    unit: U,
    prf: &[u32; 8],
    addresses: &[Address; M],
    steps: &[u32; M],
    values: &mut [[u8; 32]; M],
    traces: &mut LaneTraces<'_, '_>,
) {
    vectorize!(unit => {
        let (zero, next) = (unit.load(&[0; 4]), unit.load(&[0, 0, 1, 0]));
        let prf = unit::load_state(unit, prf);
        let first = unit::load_state(unit, &IV256);
        let (mut value, mut address) = ([[zero; 2]; M], [[zero; 2]; M]);
        let (mut head, mut n, mut step) = ([prf; M], 0, 0);
        while n < M {
            let [low, high] = unit::halves(&addresses[n]);
            address[n] = [unit.load(low), unit.load(high)];
            head[n] = unit.rounds(prf, address[n][0] + unit.load(&K256[0]));
            value[n] = unit::load_value(unit, &values[n]);
            n += 1;
        }
        let mut ending = next_end(steps, 0);
        while let Some(end) = ending {
            let key = mask(unit, prf, &head, &address, &mut value);
            value = f(unit, first, &key, &value);
            each!(n in 0..M => address[n][1] = address[n][1] + next);
            traces.record((step, steps), 32, |lane, out| {
                unit::store_value(unit, value[lane], out);
            });
            step += 1;
            if step == end {
                unit::store_ended(unit, (step, steps), &value, values);
                ending = next_end(steps, step);
            }
        }
    });
}

/// Eight words for each chain: values, keys, masks or addresses.
type Half<U, const M: usize> = [[<U as ShaUnit>::Words; 2]; M];

/// Returns the rows with the one bit and the length, at the end of a message.
#[inline(always)]
fn end<U: ShaUnit>(unit: U) -> [U::Words; 2] {
    [unit.load(&[ONE, 0, 0, 0]), unit.load(&[0, 0, 0, LENGTH])]
}

/// Computes PRF twice: XORs the mask into the values, then returns the key. The rounds are in a
/// loop that runs twice, as in [`f`]: four copies would not fit the CPU's cache of decoded
/// instructions.
#[inline(always)]
fn mask<U: ShaUnit, const M: usize>(
    unit: U,
    prf: U::State,
    head: &[U::State; M],
    address: &Half<U, M>,
    value: &mut Half<U, M>,
) -> Half<U, M> {
    let (zero, [one, length]) = (unit.load(&[0; 4]), end(unit));
    let (mut key, mut last) = ([[zero; 2]; M], unit.load(&[0, 0, 0, 1]));
    for is_key in [false, true] {
        let (mut v, mut w) = (*head, [[zero; 4]; M]);
        each!(n in 0..M => w[n] = [address[n][0], address[n][1] ^ last, one, length]);
        unit::rounds::<U, M, 1>(unit, &mut v, &mut w);
        each!(n in 0..M => {
            let [low, high] = unit.words(prf + v[n]);
            if is_key {
                key[n] = [low, high];
            } else {
                value[n] = [value[n][0] ^ low, value[n][1] ^ high];
            }
        });
        last = zero;
    }
    key
}

/// Computes F: a block of its number, which is zero, and the key; then one of the masked value.
#[inline(always)]
fn f<U: ShaUnit, const M: usize>(
    unit: U,
    first: U::State,
    key: &Half<U, M>,
    value: &Half<U, M>,
) -> Half<U, M> {
    let (zero, [one, length]) = (unit.load(&[0; 4]), end(unit));
    let mut state = [first; M];
    for is_value in [false, true] {
        let (mut v, mut w) = (state, [[zero; 4]; M]);
        each!(n in 0..M => {
            w[n] = match is_value {
                false => [zero, zero, key[n][0], key[n][1]],
                true => [value[n][0], value[n][1], one, length],
            };
        });
        unit::rounds::<U, M, 0>(unit, &mut v, &mut w);
        each!(n in 0..M => state[n] = state[n] + v[n]);
    }
    let mut result = [[zero; 2]; M];
    each!(n in 0..M => result[n] = unit.words(state[n]));
    result
}

instances! { S =>
    advance::<S, <S as Simd>::W32, 16>,
    advance_many::<<S as Simd>::Sha, 1>,
    advance_many::<<S as Simd>::Sha, 2>,
    advance_many::<<S as Simd>::Sha, 3>,
    advance_many::<<S as Simd>::Sha, 4>,
}
instances! { only Avx512: S =>
    advance::<S, super::compress::Twice<S>, 32>,
}

#[cfg(test)]
mod tests {
    use crate::sha2::{Midstate, Sha256Lanes, sha256};
    use oaklath_simd::{Level, Simd, dispatch};
    use std::vec::Vec;

    /// Computes a step as the RFC defines it.
    fn step(seed: &[u8; 32], address: &[u32; 8], value: &[u8; 32]) -> [u8; 32] {
        let prefix = |number| [[0; 31].as_slice(), &[number]].concat();
        let prf = |what: u32| {
            let mut address = *address;
            address[7] = what;
            let address: Vec<u8> = address.iter().flat_map(|word| word.to_be_bytes()).collect();
            sha256(&[&prefix(3), &seed[..], &address].concat())
        };
        let masked: Vec<u8> = value.iter().zip(prf(1)).map(|(value, mask)| value ^ mask).collect();
        sha256(&[&prefix(0), &prf(0)[..], &masked].concat())
    }

    #[test]
    fn every_number_of_chains() {
        const STEPS: usize = 5;
        fn steps_of(lane: usize, lanes: usize) -> u32 {
            if lane + 1 < lanes { lane as u32 % 6 } else { STEPS as u32 }
        }
        fn check<S: Simd>(s: S, lanes: usize) {
            let seed = [0xa5; 32];
            let mut block = [0; 64];
            block[31] = 3;
            block[32..].copy_from_slice(&seed);
            let prf = Midstate::new().absorb(&[block]).words();
            let address = |lane: usize| [lane as u32, 0x1234_5678, 7, 0, 9, 11, lane as u32 + 2, 0];
            let addresses: Vec<_> = (0..lanes).map(address).collect();
            let engines = [Sha256Lanes::new(s), Sha256Lanes::without_unit(s)];
            for engine in engines {
                let mut values: Vec<_> = (0..lanes).map(|lane| [lane as u8; 32]).collect();
                let mut kept = [[0; 32]; STEPS];
                let mut traces = [(lanes.saturating_sub(1), kept.as_flattened_mut())];
                // The last lane has more steps than most others.
                let steps: Vec<_> = (0..lanes).map(|lane| steps_of(lane, lanes)).collect();
                engine.advance_masked_chains(
                    &prf,
                    &addresses,
                    &steps,
                    values.as_flattened_mut(),
                    &mut traces,
                );
                for (lane, got) in values.iter().enumerate() {
                    let (mut address, mut want) = (addresses[lane], [lane as u8; 32]);
                    for kept in &kept[..steps[lane] as usize] {
                        want = step(&seed, &address, &want);
                        address[6] += 1;
                        assert!(lane + 1 < lanes || *kept == want, "{s:?} lane {lane}");
                    }
                    assert_eq!(*got, want, "{s:?} lane {lane} of {lanes}");
                }
            }
        }
        for level in Level::available() {
            for lanes in 0..=33 {
                dispatch!(level, s => check(s, lanes));
            }
        }
    }
}
