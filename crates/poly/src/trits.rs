//! Trits, which are coefficients modulo 3: -1, 0 or 1.
#[cfg(oaklath_proof)]
mod proofs;

use oaklath_simd::{I16s, Simd, each, secret};

use crate::bits;

#[cfg(oaklath_proof)]
pub use proofs::THEOREMS;

/// Returns x modulo 3, centred, for |x| < 2^14.
#[inline(always)]
pub fn reduce<S: Simd>(s: S, x: S::I16) -> S::I16 {
    // 10923 / 2^15 is 1/3 + 1/98304: for |x| < 2^14, the error is below 1/6, the distance to the
    // next rounding boundary.
    x - x.mulhrs(S::I16::splat(s, 10923)).mullo(S::I16::splat(s, 3))
}

/// Reduces one random byte modulo 3 for each trit: `Ternary` of NTRU round 3, section 1.10.3.
///
/// # Panics
/// If there are fewer trits than lanes, or fewer bytes than trits.
#[inline(always)]
pub fn from_bytes<S: Simd>(s: S, bytes: &[u8], trits: &mut [i16]) {
    bits::unpack(s, 8, &bytes[..trits.len()], trits);
    each!(at in 0..trits.len(), S::I16::LANES => {
        // The last vector may overlap the one before: reducing twice changes nothing.
        let last = trits.len() - S::I16::LANES;
        let trits = &mut trits[at.min(last)..];
        reduce(s, S::I16::load(s, trits)).store(trits);
    });
}

/// Returns the number of bytes that [`pack`] writes for `n` trits.
#[must_use]
pub const fn packed(n: usize) -> usize {
    n.div_ceil(5)
}

/// Room for the bytes of 1020 trits, 204, in whole vectors.
const MAX: usize = 224;

/// Packs five trits into a byte, with weights 1 to 81: `pack_S3` of NTRU round 3, section 1.8.7.
///
/// # Panics
/// If `bytes` are not [`packed`] of the trits, or more than 224.
#[inline(always)]
pub fn pack<S: Simd>(s: S, trits: &[i16], bytes: &mut [u8]) {
    assert_eq!(bytes.len(), packed(trits.len()), "five trits a byte");
    // By digits, not by bytes: so that whole vectors are worked on.
    secret!(digits: [[i16; MAX]; 5]);
    gather(trits, digits);
    let three = S::I16::splat(s, 3);
    each!(at in 0..bytes.len(), S::I16::LANES => {
        let mut sum = S::I16::splat(s, 0);
        each!(k in 0..5 => {
            // The digit of -1 is 2.
            let digit = S::I16::load(s, &digits[4 - k][at..]);
            sum = sum.mullo(three) + (digit + (digit.sra::<15>() & three));
        });
        sum.store(&mut digits[0][at..]);
    });
    bytes.iter_mut().zip(digits[0].iter()).for_each(|(byte, x)| *byte = *x as u8);
}

/// Moves trit `5 i + k` to position i of row k; missing trits are zero.
#[inline(always)]
fn gather(trits: &[i16], digits: &mut [[i16; MAX]; 5]) {
    let (whole, rest) = trits.as_chunks::<5>();
    for (i, trits) in whole.iter().enumerate() {
        each!(k in 0..5 => digits[k][i] = trits[k]);
    }
    if !rest.is_empty() {
        for (k, row) in digits.iter_mut().enumerate() {
            row[whole.len()] = rest.get(k).copied().unwrap_or(0);
        }
    }
}

/// The length of a block: the 80 trits of sixteen bytes, and room for whole vectors.
const BLOCK: usize = 96;

/// For each trit of a block, the index of its byte, and 2^14 divided by its weight, rounded up.
const DIGITS: ([i16; BLOCK], [i16; BLOCK]) = {
    let (mut bytes, mut factors) = ([0; BLOCK], [0; BLOCK]);
    each!(byte in 0..16 => {
        each!(k in 0..5 => {
            bytes[5 * byte + k] = byte as i16;
            factors[5 * byte + k] = [16384, 5462, 1821, 607, 203][k];
        });
    });
    (bytes, factors)
};

/// Unpacks trits: the inverse of [`pack`]. Accepts any byte: the fifth trit is taken modulo 3.
///
/// # Panics
/// If the length of `bytes` is not [`packed`] of that of `trits`.
#[inline(always)]
pub fn unpack<S: Simd>(s: S, bytes: &[u8], trits: &mut [i16]) {
    assert_eq!(bytes.len(), packed(trits.len()), "five trits in each byte");
    secret!(table: [i16; 16], block: [i16; BLOCK]);
    for (i, bytes) in bytes.chunks(16).enumerate() {
        table.fill(0);
        table.iter_mut().zip(bytes).for_each(|(entry, byte)| *entry = i16::from(*byte));
        // What whole vectors write past a block is overwritten by the next block; the last blocks
        // go through a buffer.
        let trits = &mut trits[80 * i..];
        let inside = trits.len() >= BLOCK;
        let to = if inside { &mut trits[..BLOCK] } else { &mut block[..] };
        each!(at in 0..BLOCK, S::I16::LANES => {
            let byte = S::I16::load(s, &DIGITS.0[at..]).lookup(table);
            // The floor of byte / 3^k: the product is below 2^31, and the error of the factor is
            // small enough.
            let factor = S::I16::load(s, &DIGITS.1[at..]);
            reduce(s, byte.sll::<7>().mulhi(factor).srl::<5>()).store(&mut to[at..]);
        });
        if !inside {
            let count = trits.len().min(80);
            trits[..count].copy_from_slice(&block[..count]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use oaklath_simd::{Level, dispatch};

    #[test]
    fn reductions_of_every_number() {
        #[inline(always)]
        fn run<S: Simd>(s: S, x: i16) -> i16 {
            let mut out = [0; 32];
            reduce(s, S::I16::splat(s, x)).store(&mut out);
            out[0]
        }
        for level in Level::available() {
            for x in -(1 << 14) + 1..1 << 14 {
                let got = dispatch!(level, s => run(s, x));
                assert!(got.abs() <= 1 && (x - got) % 3 == 0, "{level} {x}");
            }
        }
    }

    #[test]
    fn bytes_and_trits() {
        #[inline(always)]
        fn run<S: Simd>(s: S, bytes: &[u8], trits: &mut [i16]) {
            unpack(s, bytes, trits);
        }
        #[inline(always)]
        fn reduced<S: Simd>(s: S, bytes: &[u8], trits: &mut [i16]) {
            from_bytes(s, bytes, trits);
        }
        for byte in 0..=255_u8 {
            for level in Level::available() {
                // The trits are more than a block.
                let mut trits = [5; 88];
                let mut bytes = [255 - byte; 18];
                (bytes[0], bytes[16]) = (byte, byte);
                dispatch!(level, s => run(s, &bytes, &mut trits));
                for (i, trit) in trits.iter().enumerate() {
                    let want = u32::from(bytes[i / 5]) / 3_u32.pow(i as u32 % 5) % 3;
                    assert_eq!(trit.rem_euclid(3) as u32, want, "{level} {byte} {i}");
                    assert!(trit.abs() <= 1);
                }
                let mut again = [0; 18];
                dispatch!(level, s => pack(s, &trits, &mut again));
                let whole = bytes[..17]
                    .iter()
                    .zip(&again)
                    .all(|(a, b)| u32::from(*a) % 243 == u32::from(*b));
                let mut random = [255 - byte; 40];
                (random[0], random[39]) = (byte, byte);
                dispatch!(level, s => reduced(s, &random, &mut trits[..40]));
                let rest = |byte: u8| (i16::from(byte) + 1).rem_euclid(3) - 1;
                assert!(trits.iter().zip(random).all(|(trit, byte)| *trit == rest(byte)));
                assert!(whole && again[17] == (255 - byte) % 27, "{level} {byte}");
            }
        }
    }
}
