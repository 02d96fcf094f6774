//! The stream of key generation and its discrete Gaussian: one serial SHAKE256 of the seed, two
//! words per draw (reference implementation of round 3, `keygen.c`).
use oaklath_hash::keccak::RATE_256;
use oaklath_hash::sha3::Squeeze;
use oaklath_simd::{ct, dispatch, each, secret};

/// Probabilities of a Gaussian with standard deviation 1.17 sqrt(q / 2048), times 2^63: `ZERO` of 0
/// and `MORE`, for each k from 1 on, of more than k in absolute value if the number is not 0.
const ZERO: u64 = 1_283_868_770_400_643_928;
const MORE: [u64; 25] = [
    6_416_574_995_475_331_444,
    4_078_260_278_032_692_663,
    2_353_523_259_288_686_585,
    1_227_179_971_273_316_331,
    575_931_623_374_121_527,
    242_543_240_509_105_209,
    91_437_049_221_049_666,
    30_799_446_349_977_173,
    9_255_276_791_179_340,
    2_478_152_334_826_140,
    590_642_893_610_164,
    125_206_034_929_641,
    23_590_435_911_403,
    3_948_334_035_941,
    586_753_615_614,
    77_391_054_539,
    9_056_793_210,
    940_121_950,
    86_539_696,
    7_062_824,
    510_971,
    32_764,
    1_862,
    94,
    4,
];

/// Draws in a batch, each in a lane.
const BATCH: usize = 16;
/// Words for a batch: for each draw, one for zero and the sign, and one for the absolute value.
const WORDS: usize = 2 * BATCH;

/// Computes all draws of a batch.
#[inline(never)]
fn draw(words: &[[u8; 8]; WORDS], values: &mut [i8; BATCH]) {
    dispatch!(_s => {
        // Not in erased memory, so that these stay in registers.
        let (mut size, mut count) = ([0; BATCH], [1; BATCH]);
        let rest = u64::MAX >> 1;
        let word = |i: usize| u64::from_le_bytes(words[i]);
        each!(i in 0..BATCH => size[i] = word(2 * i + 1) & rest);
        // All numbers are below 2^63, so the sign of a difference tells which is smaller.
        for more in MORE {
            for i in 0..BATCH {
                count[i] += size[i].wrapping_sub(more) >> 63;
            }
        }
        // If LLVM knew these were all ones or zero, it would emit branches where it does not
        // vectorize.
        let mask = |bit: u64| ct::word(bit).wrapping_neg();
        for i in 0..BATCH {
            let sign = mask(word(2 * i) >> 63);
            let zero = mask((word(2 * i) & rest).wrapping_sub(ZERO) >> 63);
            values[i] = (((count[i] & !zero) ^ sign).wrapping_sub(sign)) as i8;
        }
    });
}

/// Draws a polynomial of 512 or 1024 coefficients with an odd sum, and therefore an odd resultant:
/// the last coefficient is drawn until the sum is odd. The time reveals how often, but not the
/// coefficient that is kept.
pub(super) fn polynomial(stream: &mut Squeeze<RATE_256>, f: &mut [i8]) {
    secret!(words: [[u8; 8]; WORDS], values: [i8; BATCH]);
    // For n = 512, a coefficient is the sum of two draws, each at most 26 in absolute value.
    let draws = 1024 >> f.len().ilog2();
    let part = BATCH >> (draws - 1);
    each!(first in 0..f.len(), part => {
        stream.read(words.as_flattened_mut());
        draw(words, values);
        for i in 0..part {
            f[first + i] = values[draws * i..draws * (i + 1)].iter().sum();
        }
    });
    let parity = |f: &[i8]| f.iter().fold(0, |parity, x| parity ^ x) & 1;
    let (last, rest) = f.split_last_mut().expect("there are coefficients");
    let needed = parity(rest) ^ 1;
    while ct::Mask::from_bit((*last & 1 ^ needed) as u64).declassify() {
        words.fill([0; 8]);
        stream.read(words[..2 * draws].as_flattened_mut());
        draw(words, values);
        *last = values[..draws].iter().sum();
    }
}
