//! Trits: coefficients modulo 3, as -1, 0 and 1.
use oaklath_simd::{I16s, Simd};

/// x modulo 3, centred, for |x| < 2^14.
#[inline(always)]
pub fn reduce<S: Simd>(s: S, x: S::I16) -> S::I16 {
    // 10923 / 2^15 is 1/3 + 1/98304: below 2^14 the error does not reach the 1/6 to the next rounding.
    x - x.mulhrs(S::I16::splat(s, 10923)).mullo(S::I16::splat(s, 3))
}

/// A byte of randomness each, modulo 3: `Ternary` of NTRU round 3, section 1.10.3.
#[inline(always)]
pub fn from_bytes(bytes: &[u8], trits: &mut [i16]) {
    for (trit, byte) in trits.iter_mut().zip(bytes) {
        // 171 / 512 is close enough to 1/3 below 256.
        let x = u16::from(*byte);
        let rest = (x - 3 * ((x * 171) >> 9)) as i16;
        *trit = rest - 3 * (rest >> 1);
    }
}

/// Bytes that [`pack`] writes for `n` trits.
#[must_use]
pub const fn packed(n: usize) -> usize {
    n.div_ceil(5)
}

/// Five trits a byte, the first counting 1, the last 81: `pack_S3` of NTRU round 3, section 1.8.7.
///
/// # Panics
/// If `bytes` are not [`packed`] of the trits.
#[inline(always)]
pub fn pack(trits: &[i16], bytes: &mut [u8]) {
    assert_eq!(bytes.len(), packed(trits.len()), "five trits a byte");
    for (byte, trits) in bytes.iter_mut().zip(trits.chunks(5)) {
        // -1 counts 2.
        *byte = trits.iter().rev().fold(0, |x, trit| 3 * x + (trit + ((trit >> 15) & 3)) as u8);
    }
}

/// The inverse. Any byte will do: the fifth trit is taken modulo 3.
///
/// # Panics
/// If `bytes` are not [`packed`] of the trits.
#[inline(always)]
pub fn unpack(bytes: &[u8], trits: &mut [i16]) {
    assert_eq!(bytes.len(), packed(trits.len()), "five trits a byte");
    for (byte, trits) in bytes.iter().zip(trits.chunks_mut(5)) {
        let mut x = u16::from(*byte);
        for trit in trits {
            let third = (x * 171) >> 9;
            let rest = (x - 3 * third) as i16;
            *trit = rest - 3 * (rest >> 1);
            x = third;
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
        for byte in 0..=255_u8 {
            let mut trit = [5];
            from_bytes(&[byte], &mut trit);
            assert_eq!(trit[0].rem_euclid(3), i16::from(byte % 3));
            assert!(trit[0].abs() <= 1);

            let mut trits = [5; 8];
            unpack(&[byte, 255 - byte], &mut trits);
            let value = |i: usize| 3_u32.pow(i as u32);
            for (i, trit) in trits[..5].iter().enumerate() {
                assert_eq!(trit.rem_euclid(3) as u32, u32::from(byte) / value(i) % 3, "{byte}");
            }
            let mut bytes = [0; 2];
            pack(&trits, &mut bytes);
            assert_eq!(bytes, [(u32::from(byte) % 243) as u8, (255 - byte) % 27]);
        }
    }
}
