//! `Z_3329[x] / (x^256 + 1)`: the ring of ML-KEM (FIPS 203) and Kyber.
//!
//! Coefficients are signed 16-bit numbers: any representative modulo q within the stated range. The
//! NTT domain is in the order of FIPS 203, so that keys need no permutation.
mod compress;
mod ntt;
mod product;
#[cfg(oaklath_proof)]
mod proofs;
mod sample;

use oaklath_simd::{A64, I16s, Simd, each};

pub use compress::{
    decode_12, decode_12_checked, decompress_message, decompress_u, encode_12,
    encode_12_from_montgomery, encode_u, encode_v,
};
pub use ntt::{inverse_ntt, ntt};
pub use product::{Factor, dot, dot_encode_12, prepare};
#[cfg(oaklath_proof)]
pub use proofs::{DOT_POWER, ENCODING_POWER, INVERSE_NTT_POWER, NOISE_POWER, THEOREMS};
pub use sample::{Entry, ROW, cbd_2, cbd_3, reject_block_vartime, reject_bytes_vartime};

/// The modulus.
pub const Q: i16 = 3329;
/// 1 / q modulo 2^16.
const Q_INVERSE: i16 = -3327;

/// Marks polynomials in the NTT domain.
#[derive(Clone, Copy, Debug)]
pub struct Ntt;

/// A polynomial: 256 coefficients.
pub type Poly = A64<[i16; 256]>;
/// A polynomial in the NTT domain: 128 residues modulo x^2 - 17^(2 brv(i) + 1), two numbers each.
pub type NttPoly = A64<[i16; 256], Ntt>;

/// Returns `base^exponent` modulo q.
#[cfg_attr(
    not(test),
    expect(clippy::integer_division_remainder_used, reason = "of constants, at compile time")
)]
const fn power(base: u64, exponent: u64) -> u64 {
    let mut result = 1;
    each!(i in 0..exponent => result = result * base % Q as u64);
    result
}

/// Returns x 2^16 modulo q, centred: |result| <= 1664.
#[cfg_attr(
    not(test),
    expect(clippy::integer_division_remainder_used, reason = "of constants, at compile time")
)]
const fn montgomery(x: u64) -> i16 {
    let r = (x * 65536 % Q as u64) as i16;
    if 2 * r > Q { r - Q } else { r }
}

/// Returns `i < 128` with its 7 bits reversed.
const fn brv(i: usize) -> u64 {
    ((i as u8).reverse_bits() >> 1) as u64
}

/// Returns b z / 2^16 modulo q, where `z_q` = z / q modulo 2^16.
/// For |z| <= 1664: |result| <= 1664.5 + |b| 1664 / 65536, which is below 1665 + |b| / 39.
#[inline(always)]
fn multiply<S: Simd>(s: S, b: S::I16, z: S::I16, z_q: S::I16) -> S::I16 {
    b.mul_montgomery([z, z_q], S::I16::splat(s, Q))
}

/// Returns the Montgomery product with a constant.
#[inline(always)]
fn multiply_by<S: Simd>(s: S, b: S::I16, z: i16) -> S::I16 {
    multiply(s, b, S::I16::splat(s, z), S::I16::splat(s, z.wrapping_mul(Q_INVERSE)))
}

/// Reduces any x to |x| <= 2160, or |x| <= 29500 to |x| <= 2108.
#[inline(always)]
fn barrett<S: Simd>(s: S, x: S::I16) -> S::I16 {
    // 10 / 2^15 is 1.6 % more than 1 / q. This uses mulhrs since LLVM turns mulhi and a shift into
    // 32-bit products, which are twice as slow.
    x - x.mulhrs(S::I16::splat(s, 10)).mullo(S::I16::splat(s, Q))
}

/// Reduces |x| < q to 0 <= x < q.
#[inline(always)]
fn lift<S: Simd>(s: S, x: S::I16) -> S::I16 {
    x.min_unsigned(x + S::I16::splat(s, Q))
}

/// Reduces any x to 0 <= x < q.
#[inline(always)]
fn canonical<S: Simd>(s: S, x: S::I16) -> S::I16 {
    lift(s, barrett(s, x))
}

#[cfg(test)]
mod tests {
    use super::*;
    use oaklath_simd::{Level, dispatch};

    #[test]
    fn reductions_of_every_number() {
        #[inline(always)]
        fn reduced<S: Simd>(s: S, x: i16) -> [i16; 3] {
            let v = S::I16::splat(s, x);
            let mut out = [[0; 32]; 3];
            barrett(s, v).store(&mut out[0]);
            canonical(s, v).store(&mut out[1]);
            multiply_by(s, v, 1664).store(&mut out[2]);
            out.map(|lanes| lanes[0])
        }
        for level in Level::available() {
            for x in i16::MIN..=i16::MAX {
                let [small, least, product] = dispatch!(level, s => reduced(s, x)).map(i32::from);
                let x = i32::from(x);
                assert!(small.abs() <= if x.abs() <= 29500 { 2108 } else { 2160 }, "{x}");
                assert_eq!(small.rem_euclid(3329), x.rem_euclid(3329));
                assert_eq!(least, x.rem_euclid(3329), "{level}");
                assert!(product.abs() <= 1665 + x.abs() / 39, "{x}");
                assert_eq!((product * 65536 % 3329 - x * 1664 % 3329) % 3329, 0, "{level} {x}");
            }
        }
    }
}
