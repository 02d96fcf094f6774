//! `Z_12289[x] / (x^n + 1)` with n = 512 or 1024: the ring of Falcon (specification 1.2 of round 3)
//! and FN-DSA.
//!
//! Coefficients are signed 16-bit numbers: any representative modulo q within the stated range.
//! 2^15 is 2.66 q, so sums are reduced in every second or third layer of a transform. The NTT
//! domain is in bit-reversed order at every SIMD level.
mod codec;
mod ntt;
mod product;
#[cfg(oaklath_proof)]
mod proofs;
mod sample;

use oaklath_simd::{A64, I16s, Simd};

pub use codec::{
    Format, FromHigh, FromLow, decode_14_vartime, decode_compressed_vartime, decode_signed,
    encode_14, encode_compressed_vartime, encode_signed,
};
pub use ntt::{inverse_ntt, ntt};
pub use product::{
    Factor, centre, difference_is_within, difference_norm, divide, divide_by_n, has_zero, lift,
    multiply, prepare, square_norm,
};
#[cfg(oaklath_proof)]
pub use proofs::THEOREMS;
pub use sample::{BLOCK, reject_block_vartime};

/// The modulus.
pub const Q: i16 = 12289;
/// 1 / q modulo 2^16.
const Q_INVERSE: i16 = -12287;

/// Marks polynomials in the NTT domain.
#[derive(Clone, Copy, Debug)]
pub struct Ntt;

/// A polynomial: `N` coefficients.
pub type Poly<const N: usize> = A64<[i16; N]>;
/// A polynomial in the NTT domain: its values at the odd powers of a root of order 2 n, in
/// bit-reversed order of the exponents.
pub type NttPoly<const N: usize> = A64<[i16; N], Ntt>;

/// Returns x modulo q, for constants.
#[cfg_attr(
    not(test),
    expect(clippy::integer_division_remainder_used, reason = "of constants, at compile time")
)]
const fn modulo(x: u64) -> u64 {
    x % Q as u64
}

/// Returns x 2^16 modulo q, centred: |result| <= 6144.
const fn montgomery(x: u64) -> i16 {
    let r = modulo(x * 65536) as i16;
    if r > Q >> 1 { r - Q } else { r }
}

/// Returns b z / 2^16 modulo q, where `z_q` = z / q modulo 2^16.
/// For |z| <= 6144: |result| <= 6145 + |b| 6144 / 65536, which is below 6145 + |b| / 10.
#[inline(always)]
fn multiply_zeta<S: Simd>(s: S, b: S::I16, z: S::I16, z_q: S::I16) -> S::I16 {
    b.mul_montgomery([z, z_q], S::I16::splat(s, Q))
}

/// Returns the Montgomery product with a constant.
#[inline(always)]
fn multiply_by<S: Simd>(s: S, b: S::I16, z: i16) -> S::I16 {
    multiply_zeta(s, b, S::I16::splat(s, z), S::I16::splat(s, z.wrapping_mul(Q_INVERSE)))
}

/// Returns a b / 2^16 modulo q, for b above -2^15: |result| <= 6145 + |a| |b| / 65536.
#[inline(always)]
fn multiply_montgomery<S: Simd>(s: S, a: S::I16, b: S::I16) -> S::I16 {
    multiply_zeta(s, a, b, b.mullo(S::I16::splat(s, Q_INVERSE)))
}

/// Reduces |x| <= 27306 to |x| <= 8194, and any x to |x| <= 9560.
#[inline(always)]
fn reduce<S: Simd>(s: S, x: S::I16) -> S::I16 {
    // 3 / 2^15 is an eighth more than 1 / q.
    x - x.mulhrs(S::I16::splat(s, 3)).mullo(S::I16::splat(s, Q))
}

/// Reduces any x to 0 <= x < q.
#[inline(always)]
fn canonical<S: Simd>(s: S, x: S::I16) -> S::I16 {
    let (q, x) = (S::I16::splat(s, Q), reduce(s, x));
    x.min_unsigned(x + q)
}

/// Reduces any x to its centred representative, |x| <= 6144.
#[inline(always)]
fn centred<S: Simd>(s: S, x: S::I16) -> S::I16 {
    let (q, half) = (S::I16::splat(s, Q), S::I16::splat(s, Q >> 1));
    // x is now from -9560 + 6144 to 9560 + 6144, where an unsigned minimum adds or subtracts q.
    let x = reduce(s, x) + half;
    let x = x.min_unsigned(x + q);
    x.min_unsigned(x - q) - half
}

#[cfg(test)]
mod tests {
    use super::*;
    use oaklath_simd::{Level, dispatch};

    #[test]
    fn reductions_of_every_number() {
        #[inline(always)]
        fn reduced<S: Simd>(s: S, x: i16) -> [i16; 4] {
            let v = S::I16::splat(s, x);
            let mut out = [[0; 32]; 4];
            reduce(s, v).store(&mut out[0]);
            canonical(s, v).store(&mut out[1]);
            centred(s, v).store(&mut out[2]);
            multiply_by(s, v, 6144).store(&mut out[3]);
            out.map(|lanes| lanes[0])
        }
        for level in Level::available() {
            for x in i16::MIN..=i16::MAX {
                let [small, least, centre, product] =
                    dispatch!(level, s => reduced(s, x)).map(i32::from);
                let x = i32::from(x);
                assert!(small.abs() <= if x.abs() <= 27306 { 8194 } else { 9560 }, "{x}");
                assert_eq!(small.rem_euclid(12289), x.rem_euclid(12289));
                assert_eq!(least, x.rem_euclid(12289), "{level}");
                assert_eq!((centre + 6144), (x + 6144).rem_euclid(12289), "{level}");
                assert!(product.abs() <= 6145 + x.abs() / 10, "{x}");
                let wanted = i64::from(x) * 6144;
                assert_eq!((i64::from(product) * 65536 - wanted) % 12289, 0, "{level} {x}");
            }
        }
    }
}
