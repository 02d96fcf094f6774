//! Packing of coefficients into bit fields, starting at the low bit of the first byte.
#[cfg(oaklath_proof)]
mod proofs;

use oaklath_simd::{I16s, I32s, Simd, secret, vectorize};

#[cfg(oaklath_proof)]
pub use proofs::THEOREMS;

/// Calls a function with the width as a const generic argument.
macro_rules! with_width {
    ($width:ident, $f:ident $args:tt: $($d:literal)*) => {
        match $width {
            $($d => $f::<S, $d> $args,)*
            _ => unreachable!("the width is one of NTRU or SABER"),
        }
    };
}

/// Writes `values` modulo 2^`width`; the unused bits of the last byte are 0. Out of line.
///
/// # Panics
/// If the width is not 1, 3, 4, 6, 10, 11, 12 or 13, or if `bytes` does not have the length of the
/// packed fields.
pub fn pack<S: Simd>(s: S, width: usize, values: &[i16], bytes: &mut [u8]) {
    assert_eq!(bytes.len(), (width * values.len()).div_ceil(8), "length of the packed fields");
    with_width!(width, pack_fields(s, values, bytes): 1 3 4 6 10 11 12 13);
}

/// Does [`pack`] for one width, in whole vectors. Out of line.
#[inline(never)]
fn pack_fields<S: Simd, const D: usize>(s: S, values: &[i16], bytes: &mut [u8]) {
    vectorize!(s => {
        // 16-bit lanes do not support every width.
        let lanes = if const { matches!(D, 3 | 6 | 13) } { S::I32::LANES } else { S::I16::LANES };
        let len = (D * lanes) >> 3;
        let whole = values.len() & lanes.wrapping_neg();
        let (values, rest) = values.split_at(whole);
        let (bytes, end) = bytes.split_at_mut((D * whole) >> 3);
        for (values, bytes) in values.chunks_exact(lanes).zip(bytes.chunks_exact_mut(len)) {
            pack_vector::<S, D>(s, values, bytes);
        }
        if !rest.is_empty() {
            secret!(padded: [i16; 32], bytes: [u8; 64]);
            padded.fill(0);
            padded[..rest.len()].copy_from_slice(rest);
            pack_fields::<S, D>(s, &padded[..lanes], &mut bytes[..len]);
            end.copy_from_slice(&bytes[..end.len()]);
        }
    });
}

/// Packs one vector.
#[inline(always)]
fn pack_vector<S: Simd, const D: usize>(s: S, values: &[i16], bytes: &mut [u8]) {
    if const { matches!(D, 3 | 6 | 13) } {
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

/// Packs a vector with one of the widths that 16-bit lanes support.
#[inline(always)]
fn pack_16<S: Simd, const D: usize>(v: S::I16, bytes: &mut [u8]) {
    match D {
        1 => {
            let bits = v.sll::<15>().signs().to_le_bytes();
            bytes.copy_from_slice(&bits[..bytes.len()]);
        }
        4 => v.pack::<4>(bytes),
        10 => v.pack::<10>(bytes),
        11 => v.pack::<11>(bytes),
        _ => v.pack::<12>(bytes),
    }
}

/// Packs a vector with one of the widths that need 32-bit lanes.
#[inline(always)]
fn pack_32<S: Simd, const D: usize>(v: S::I32, bytes: &mut [u8]) {
    match D {
        3 => v.pack::<3>(bytes),
        6 => v.pack::<6>(bytes),
        _ => v.pack::<13>(bytes),
    }
}

/// Reads fields as numbers from 0 to 2^`width` - 1. Ignores bits after the last. Out of line.
///
/// # Panics
/// If the width is not 1, 3, 4, 6, 8, 10, 11, 12 or 13, or if `bytes` does not have the length of
/// the packed fields.
pub fn unpack<S: Simd>(s: S, width: usize, bytes: &[u8], values: &mut [i16]) {
    assert_eq!(bytes.len(), (width * values.len()).div_ceil(8), "length of the packed fields");
    with_width!(width, unpack_fields(s, bytes, values): 1 3 4 6 8 10 11 12 13);
}

/// Does [`unpack`] for one width, in whole vectors. Out of line.
#[inline(never)]
fn unpack_fields<S: Simd, const D: usize>(s: S, bytes: &[u8], values: &mut [i16]) {
    vectorize!(s => {
        let lanes = if matches!(D, 3 | 13) { S::I32::LANES } else { S::I16::LANES };
        let len = (D * lanes) >> 3;
        let whole = values.len() & lanes.wrapping_neg();
        let (values, rest) = values.split_at_mut(whole);
        let (bytes, end) = bytes.split_at((D * whole) >> 3);
        for (values, bytes) in values.chunks_exact_mut(lanes).zip(bytes.chunks_exact(len)) {
            unpack_vector::<S, D>(s, bytes, values);
        }
        if !rest.is_empty() {
            secret!(values: [i16; 32], padded: [u8; 64]);
            padded.fill(0);
            padded[..end.len()].copy_from_slice(end);
            unpack_fields::<S, D>(s, &padded[..len], &mut values[..lanes]);
            rest.copy_from_slice(&values[..rest.len()]);
        }
    });
}

/// Unpacks one vector.
#[inline(always)]
fn unpack_vector<S: Simd, const D: usize>(s: S, bytes: &[u8], values: &mut [i16]) {
    if const { matches!(D, 3 | 13) } {
        let mut wide = [0; 16];
        unpack_32::<S, D>(s, bytes).store(&mut wide);
        values.iter_mut().zip(wide).for_each(|(value, wide)| *value = wide as i16);
    } else {
        unpack_16::<S, D>(s, bytes).store(values);
    }
}

/// Unpacks a vector with one of the widths that 16-bit lanes support.
#[inline(always)]
fn unpack_16<S: Simd, const D: usize>(s: S, bytes: &[u8]) -> S::I16 {
    match D {
        1 => {
            let mut bits = [0; 4];
            bits[..bytes.len()].copy_from_slice(bytes);
            S::I16::from_bits(s, u32::from_le_bytes(bits), 1)
        }
        4 => S::I16::unpack::<4>(s, bytes),
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

/// Unpacks a vector with one of the widths that need 32-bit lanes.
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
            let mut want = std::vec![0; (D * n).div_ceil(8)];
            for at in 0..D * n {
                want[at / 8] |= ((values[at / D] >> (at % D) & 1) as u8) << (at % 8);
            }
            // `pack` does not support bytes.
            if D != 8 {
                let mut bytes = std::vec![0xff; want.len()];
                pack(s, D, &values, &mut bytes);
                assert_eq!(bytes, want, "{D} {n}");
            }
            let mut again = std::vec![0; n];
            unpack(s, D, &want, &mut again);
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
        check::<8>();
        check::<10>();
        check::<11>();
        check::<12>();
        check::<13>();
    }
}
