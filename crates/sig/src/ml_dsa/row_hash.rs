//! A hash of all rows of a product, computed while the matrix is sampled.
use oaklath_hash::blocks::Blocks;
use oaklath_hash::keccak::RATE_256;
use oaklath_simd::Simd;

use super::hash::{absorb_blocks, block_at, pad};
use super::sampler::{QueueSampler, SamplingQueue};

/// A message that is hashed before the rows, and a function that writes the beginning of the
/// message of the rows from its hash.
pub(super) type FirstHash<'a> = (Blocks<'a>, &'a dyn Fn(&[u64; 25], &mut [u8]));

/// Uses all rows of the matrix. Each row appends `each` bytes to a message that begins with `start`
/// bytes. While the matrix is sampled, SHAKE256 hashes the message in lane 0, whenever its next
/// block is complete and the lane is free. Returns the state of the hash.
#[inline(always)]
pub(super) fn hash_rows<'a, S: Simd, X: QueueSampler<'a, S>>(
    s: S,
    (sampler, queue): (&mut X, &mut SamplingQueue<'_>),
    (message, start, each): (&mut [u8], usize, usize),
    first: Option<FirstHash<'_>>,
    mut use_row: impl FnMut(&mut SamplingQueue<'_>, usize, &mut [u8]),
) -> [u64; 25] {
    let rows = queue.p.k;
    let blocks = pad(message, start + each * rows);
    let first_blocks = first.map_or(0, |(first, _)| first.count());
    let (mut hashed_first, mut hashed) = (0, 0);
    loop {
        while queue.matrix.row_ready() {
            let i = queue.matrix.rows_done();
            use_row(queue, i, &mut message[start + each * i..start + each * (i + 1)]);
        }
        let done = queue.matrix.rows_done();
        if let Some((first, then)) = first
            && hashed_first < first_blocks
        {
            sampler.reserve();
            sampler.step(queue, Some((hashed_first == 0, first.block(hashed_first))));
            hashed_first += 1;
            if hashed_first == first_blocks {
                then(&sampler.take_hash(), message);
                sampler.release();
            }
            continue;
        }
        if done == rows {
            break;
        }
        if done + 2 >= rows {
            sampler.reserve();
        }
        let ready = RATE_256 * (hashed + 1) <= start + each * done;
        if ready && sampler.hash_ready() {
            sampler.step(queue, Some((hashed == 0, block_at(message, hashed))));
            hashed += 1;
        } else {
            sampler.step(queue, None);
        }
    }
    let mut state = if hashed > 0 { sampler.take_hash() } else { [0; 25] };
    absorb_blocks(s, &mut state, message, hashed, blocks);
    state
}
