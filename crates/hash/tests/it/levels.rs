//! Tests that the kernels of Keccak return the same results at every SIMD level; `cargo xtask
//! levels --kernels` runs many inputs. Unit tests do so for SHA-2, with and without the CPU's unit.

use oaklath_hash::keccak::{RATE_SHAKE128, SUFFIX_SHAKE, permute};
use oaklath_hash::lanes::{Lanes4, ROW};
use oaklath_hash::shake_lanes::{self, Block, ChainPrefix, MOST, ShakeThash};
use oaklath_simd::compare::{Inputs, same_at_every_level};
use oaklath_simd::{Simd, dispatch};

/// The number of inputs of each kernel, unless more are requested.
const FEW: u64 = 50;

fn words<const N: usize>(inputs: &mut Inputs) -> [u64; N] {
    core::array::from_fn(|_| inputs.bits())
}

/// Blocks for eight lanes, and one more.
type Blocks = [[u8; 136]; 9];

/// Runs sponges in lanes: loads and permutes them, absorbs into the last, permutes and squeezes.
#[inline(always)]
fn four<S: Simd>(s: S, blocks: &Blocks, out: &mut [[u8; RATE_SHAKE128]]) {
    let mut lanes = Lanes4::new(s);
    for (lane, block) in blocks.iter().enumerate().take(4) {
        lanes.load(lane, block);
    }
    lanes.permute(0xf);
    lanes.absorb(3, &blocks[8]);
    lanes.permute(0xf);
    let mut rows = [[0; ROW]; 4];
    lanes.squeeze(&mut rows);
    for (row, out) in rows.iter().zip(out) {
        out.copy_from_slice(&row[..RATE_SHAKE128]);
    }
}

/// Runs two groups of four sponges, which are permuted together.
#[inline(always)]
fn twice_four<S: Simd>(s: S, blocks: &Blocks, out: &mut [[u8; RATE_SHAKE128]; 8]) {
    let (mut low, mut high) = (Lanes4::new(s), Lanes4::new(s));
    for (lane, block) in blocks.iter().enumerate().take(4) {
        low.load(lane, block);
        high.load(lane, &blocks[lane + 4]);
    }
    low.permute_with(&mut high);
    for (lanes, out) in [low, high].iter().zip(out.as_chunks_mut::<4>().0) {
        let mut rows = [[0; ROW]; 4];
        lanes.squeeze(&mut rows);
        *out = rows.map(|row| *row.first_chunk().expect("a block"));
    }
}

#[test]
fn permutations_same_at_every_level() {
    same_at_every_level("Keccak, one state", FEW, |inputs| {
        let mut state = words(inputs);
        dispatch!(s => permute(s, &mut state));
        state
    });
    same_at_every_level("Keccak, four sponges", FEW, |inputs| {
        let (blocks, mut out) = (core::array::from_fn(|_| inputs.bytes()), [[0; 168]; 4]);
        dispatch!(s => four(s, &blocks, &mut out));
        out
    });
    same_at_every_level("Keccak, twice four sponges", FEW, |inputs| {
        let (blocks, mut out) = (core::array::from_fn(|_| inputs.bytes()), [[0; 168]; 8]);
        dispatch!(s => twice_four(s, &blocks, &mut out));
        out
    });
}

/// Returns blocks of messages of nine words.
fn blocks(inputs: &mut Inputs) -> Vec<Block> {
    let block = |inputs: &mut Inputs| {
        let mut block: Block = words(inputs);
        block[9..].fill(0);
        (block[9], block[16]) = (SUFFIX_SHAKE.into(), 1 << 63);
        block
    };
    let lanes = 1 + inputs.bits() as usize % MOST;
    (0..lanes).map(|_| block(inputs)).collect()
}

fn hashed<const N: usize>(inputs: &mut Inputs) -> Vec<[u8; N]> {
    let blocks = blocks(inputs);
    let mut out = vec![[0; N]; blocks.len()];
    dispatch!(s => {
        let lanes = shake_lanes::lanes(s);
        for (blocks, out) in blocks.chunks(lanes).zip(out.chunks_mut(lanes)) {
            shake_lanes::hash_blocks(s, blocks, N, out.as_flattened_mut());
        }
    });
    out
}

fn chained<const N: usize>(inputs: &mut Inputs) -> Vec<[u8; N]> {
    let lanes = 1 + inputs.bits() as usize % MOST;
    let [seeds, addresses]: [Vec<[u64; 4]>; 2] =
        core::array::from_fn(|_| (0..lanes).map(|_| words(inputs)).collect());
    let (seeds, shared): (Vec<_>, _) = (seeds.iter().collect(), inputs.bits().is_multiple_of(2));
    let mut values: Vec<[u8; N]> = (0..lanes).map(|_| inputs.bytes()).collect();
    let steps: Vec<_> = (0..lanes).map(|_| inputs.bits() as u32 % 16).collect();
    dispatch!(s => {
        let (lanes, one) = (shake_lanes::lanes(s), &seeds[..1]);
        let prefixes = seeds.chunks(lanes).zip(addresses.chunks(lanes));
        let calls = prefixes.zip(steps.chunks(lanes)).zip(values.chunks_mut(lanes));
        for (((seeds, addresses), steps), values) in calls {
            let seeds = if shared { one } else { seeds };
            let chains = (N, ChainPrefix { seeds, addresses });
            let flat = values.as_flattened_mut();
            shake_lanes::advance_chains(s, chains, steps, flat, &mut []);
        }
    });
    values
}

#[test]
fn short_messages_same_at_every_level() {
    same_at_every_level("SHAKE256 short, 16 bytes", FEW, hashed::<16>);
    same_at_every_level("SHAKE256 short, 24 bytes", FEW, hashed::<24>);
    same_at_every_level("SHAKE256 short, 32 bytes", FEW, hashed::<32>);
    same_at_every_level("SHAKE256 chains, 16 bytes", FEW, chained::<16>);
    same_at_every_level("SHAKE256 chains, 24 bytes", FEW, chained::<24>);
    same_at_every_level("SHAKE256 chains, 32 bytes", FEW, chained::<32>);
    same_at_every_level("SHAKE256 thash", FEW, |inputs| {
        let (lanes, pieces) = (1 + inputs.bits() as usize % MOST, inputs.bits() % 24);
        let rows: Vec<Vec<[u8; 24]>> =
            (0..pieces).map(|_| (0..lanes).map(|_| inputs.bytes()).collect()).collect();
        let mut out = vec![[0; 32]; lanes];
        dispatch!(s => {
            let lanes = shake_lanes::lanes(s);
            for (number, out) in out.chunks_mut(lanes).enumerate() {
                let mut thash = ShakeThash::<_, MOST>::new(s, out.len());
                for row in &rows {
                    let row = &row[number * lanes..][..out.len()];
                    thash.absorb_pieces(24, row.as_flattened());
                }
                thash.finish_digests(&[SUFFIX_SHAKE.into(); MOST], 32, out.as_flattened_mut());
            }
        });
        out
    });
}
