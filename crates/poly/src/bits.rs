//! Bit fields of coefficients: `D` bits each, from the low bit of the first byte on.
use oaklath_simd::{I16s, I32s, Simd, secret};

/// Writes `values` modulo 2^D; what is left of the last byte is 0. `D` is at most 16.
///
/// # Panics
/// If `bytes` is not as long as the fields need.
#[inline(always)]
pub fn pack<S: Simd, const D: usize>(s: S, values: &[i16], bytes: &mut [u8]) {
    assert_eq!(bytes.len(), (D * values.len()).div_ceil(8), "fields of D bits");
    // Whole vectors; 16-bit lanes do not have every width.
    let lanes = match D {
        1 | 4 | 5 | 10 | 11 | 12 => S::I16::LANES,
        3 | 6 | 13 => S::I32::LANES,
        _ => return pack_words::<D>(values, bytes),
    };
    let whole = values.len() & lanes.wrapping_neg();
    let (values, rest) = values.split_at(whole);
    let (bytes, end) = bytes.split_at_mut((D * whole) >> 3);
    let len = (D * lanes) >> 3;
    for (values, bytes) in values.chunks_exact(lanes).zip(bytes.chunks_exact_mut(len)) {
        pack_vector::<S, D>(s, values, bytes);
    }
    if !rest.is_empty() {
        secret!(padded: [i16; 32], bytes: [u8; 64]);
        padded.fill(0);
        padded[..rest.len()].copy_from_slice(rest);
        pack_vector::<S, D>(s, &padded[..lanes], &mut bytes[..len]);
        end.copy_from_slice(&bytes[..end.len()]);
    }
}

/// Any width: eight fields have D bytes.
#[inline(always)]
fn pack_words<const D: usize>(values: &[i16], bytes: &mut [u8]) {
    for (values, bytes) in values.chunks(8).zip(bytes.chunks_mut(D)) {
        let mut x: u128 = 0;
        for (i, value) in values.iter().enumerate() {
            x |= u128::from(*value as u16 & mask(D)) << (D * i);
        }
        bytes.copy_from_slice(&x.to_le_bytes()[..bytes.len()]);
    }
}

/// One vector.
#[inline(always)]
fn pack_vector<S: Simd, const D: usize>(s: S, values: &[i16], bytes: &mut [u8]) {
    if matches!(D, 3 | 6 | 13) {
        let mut wide = [0; 16];
        for (wide, value) in wide.iter_mut().zip(values) {
            *wide = i32::from(*value as u16 & mask(D));
        }
        pack_32::<S, D>(S::I32::load(s, &wide), bytes);
    } else {
        let v = S::I16::load(s, values) & S::I16::splat(s, mask(D) as i16);
        pack_16::<S, D>(v, bytes);
    }
}

/// The widths of 16-bit lanes.
#[inline(always)]
fn pack_16<S: Simd, const D: usize>(v: S::I16, bytes: &mut [u8]) {
    match D {
        1 => {
            let bits = v.sll::<15>().signs().to_le_bytes();
            bytes.copy_from_slice(&bits[..bytes.len()]);
        }
        4 => v.pack::<4>(bytes),
        5 => v.pack::<5>(bytes),
        10 => v.pack::<10>(bytes),
        11 => v.pack::<11>(bytes),
        _ => v.pack::<12>(bytes),
    }
}

/// The widths of 32-bit lanes.
#[inline(always)]
fn pack_32<S: Simd, const D: usize>(v: S::I32, bytes: &mut [u8]) {
    match D {
        3 => v.pack::<3>(bytes),
        6 => v.pack::<6>(bytes),
        _ => v.pack::<13>(bytes),
    }
}

/// Reads fields, as numbers from 0 to 2^D - 1. Bits after the last are ignored. `D` is at most 16.
///
/// # Panics
/// If `bytes` is not as long as the fields need.
#[inline(always)]
pub fn unpack<S: Simd, const D: usize>(s: S, bytes: &[u8], values: &mut [i16]) {
    assert_eq!(bytes.len(), (D * values.len()).div_ceil(8), "fields of D bits");
    let lanes = match D {
        1 | 4 | 5 | 6 | 8 | 10 | 11 | 12 => S::I16::LANES,
        3 | 13 => S::I32::LANES,
        _ => return unpack_words::<D>(bytes, values),
    };
    let whole = values.len() & lanes.wrapping_neg();
    let (values, rest) = values.split_at_mut(whole);
    let (bytes, end) = bytes.split_at((D * whole) >> 3);
    let len = (D * lanes) >> 3;
    for (values, bytes) in values.chunks_exact_mut(lanes).zip(bytes.chunks_exact(len)) {
        unpack_vector::<S, D>(s, bytes, values);
    }
    if !rest.is_empty() {
        secret!(values: [i16; 32], padded: [u8; 64]);
        padded.fill(0);
        padded[..end.len()].copy_from_slice(end);
        unpack_vector::<S, D>(s, &padded[..len], &mut values[..lanes]);
        rest.copy_from_slice(&values[..rest.len()]);
    }
}

/// Any width: eight fields have D bytes.
#[inline(always)]
fn unpack_words<const D: usize>(bytes: &[u8], values: &mut [i16]) {
    for (values, bytes) in values.chunks_mut(8).zip(bytes.chunks(D)) {
        let mut word = [0; 16];
        word[..bytes.len()].copy_from_slice(bytes);
        let x = u128::from_le_bytes(word);
        for (i, value) in values.iter_mut().enumerate() {
            *value = ((x >> (D * i)) as u16 & mask(D)) as i16;
        }
    }
}

/// One vector.
#[inline(always)]
fn unpack_vector<S: Simd, const D: usize>(s: S, bytes: &[u8], values: &mut [i16]) {
    if matches!(D, 3 | 13) {
        let mut wide = [0; 16];
        unpack_32::<S, D>(s, bytes).store(&mut wide);
        values.iter_mut().zip(wide).for_each(|(value, wide)| *value = wide as i16);
    } else {
        unpack_16::<S, D>(s, bytes).store(values);
    }
}

/// The widths of 16-bit lanes.
#[inline(always)]
fn unpack_16<S: Simd, const D: usize>(s: S, bytes: &[u8]) -> S::I16 {
    match D {
        1 => {
            let mut bits = [0; 4];
            bits[..bytes.len()].copy_from_slice(bytes);
            S::I16::from_bits(s, u32::from_le_bytes(bits), 1)
        }
        4 => S::I16::unpack::<4>(s, bytes),
        5 => S::I16::unpack::<5>(s, bytes),
        6 => S::I16::unpack::<6>(s, bytes),
        8 => {
            let mut lanes = [0; 32];
            lanes.iter_mut().zip(bytes).for_each(|(lane, byte)| *lane = i16::from(*byte));
            S::I16::load(s, &lanes)
        }
        10 => S::I16::unpack::<10>(s, bytes),
        11 => S::I16::unpack::<11>(s, bytes),
        _ => S::I16::unpack::<12>(s, bytes),
    }
}

/// The widths of 32-bit lanes.
#[inline(always)]
fn unpack_32<S: Simd, const D: usize>(s: S, bytes: &[u8]) -> S::I32 {
    match D {
        3 => S::I32::unpack::<3>(s, bytes),
        _ => S::I32::unpack::<13>(s, bytes),
    }
}

#[inline(always)]
const fn mask(d: usize) -> u16 {
    u16::MAX >> (16 - d)
}

#[cfg(test)]
mod tests {
    use super::*;
    use oaklath_simd::{Level, dispatch};

    fn check<const D: usize>() {
        for level in Level::available() {
            dispatch!(level, s => check_at::<_, D>(s));
        }
    }

    #[inline(always)]
    fn check_at<S: Simd, const D: usize>(s: S) {
        for n in [4, 8, 12, 256, 508] {
            let values: std::vec::Vec<i16> = (0..n as i16).map(|i| i.wrapping_mul(-7919)).collect();
            let mut bytes = std::vec![0xff; (D * n).div_ceil(8)];
            pack::<S, D>(s, &values, &mut bytes);
            for at in 0..8 * bytes.len() {
                let want = values.get(at / D).is_some_and(|value| value >> (at % D) & 1 == 1);
                assert_eq!(bytes[at / 8] >> (at % 8) & 1 == 1, want, "{D} {n} {at}");
            }
            let mut again = std::vec![0; n];
            unpack::<S, D>(s, &bytes, &mut again);
            let same = values.iter().zip(&again).all(|(a, b)| *a as u16 & mask(D) == *b as u16);
            assert!(same, "{D} {n}");
        }
    }

    #[test]
    fn bit_by_bit() {
        check::<1>();
        check::<3>();
        check::<4>();
        check::<5>();
        check::<6>();
        check::<8>();
        check::<10>();
        check::<11>();
        check::<12>();
        check::<13>();
    }
}
