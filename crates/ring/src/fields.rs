//! Bit fields of coefficients: `D` bits each, from the low bit of the first byte on.

/// Writes `values` modulo 2^D; what is left of the last byte is 0. `D` is at most 16.
///
/// # Panics
/// If `bytes` is not as long as the fields need.
#[inline(always)]
pub fn pack<const D: usize>(values: &[i16], bytes: &mut [u8]) {
    assert_eq!(bytes.len(), (D * values.len()).div_ceil(8), "fields of D bits");
    // Eight fields have D bytes.
    for (values, bytes) in values.chunks(8).zip(bytes.chunks_mut(D)) {
        let mut x: u128 = 0;
        for (i, value) in values.iter().enumerate() {
            x |= u128::from(*value as u16 & mask(D)) << (D * i);
        }
        bytes.copy_from_slice(&x.to_le_bytes()[..bytes.len()]);
    }
}

/// Reads fields, as numbers from 0 to 2^D - 1. Bits after the last are ignored. `D` is at most 16.
///
/// # Panics
/// If `bytes` is not as long as the fields need.
#[inline(always)]
pub fn unpack<const D: usize>(bytes: &[u8], values: &mut [i16]) {
    assert_eq!(bytes.len(), (D * values.len()).div_ceil(8), "fields of D bits");
    for (values, bytes) in values.chunks_mut(8).zip(bytes.chunks(D)) {
        let mut word = [0; 16];
        word[..bytes.len()].copy_from_slice(bytes);
        let x = u128::from_le_bytes(word);
        for (i, value) in values.iter_mut().enumerate() {
            *value = ((x >> (D * i)) as u16 & mask(D)) as i16;
        }
    }
}

#[inline(always)]
const fn mask(d: usize) -> u16 {
    u16::MAX >> (16 - d)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<const D: usize>() {
        for n in [4, 8, 12, 256, 508] {
            let values: std::vec::Vec<i16> = (0..n as i16).map(|i| i.wrapping_mul(-7919)).collect();
            let mut bytes = std::vec![0xff; (D * n).div_ceil(8)];
            pack::<D>(&values, &mut bytes);
            for at in 0..8 * bytes.len() {
                let want = values.get(at / D).is_some_and(|value| value >> (at % D) & 1 == 1);
                assert_eq!(bytes[at / 8] >> (at % 8) & 1 == 1, want, "{D} {n} {at}");
            }
            let mut again = std::vec![0; n];
            unpack::<D>(&bytes, &mut again);
            let same = values.iter().zip(&again).all(|(a, b)| *a as u16 & mask(D) == *b as u16);
            assert!(same, "{D} {n}");
        }
    }

    #[test]
    fn bit_by_bit() {
        check::<1>();
        check::<3>();
        check::<4>();
        check::<6>();
        check::<10>();
        check::<11>();
        check::<12>();
        check::<13>();
    }
}
