//! `Z_8380417[x] / (x^256 + 1)`: the ring of ML-DSA (FIPS 204) and Dilithium.
//!
//! Coefficients are signed 32-bit numbers: any representative modulo q within the stated range. The
//! NTT domain is in the order of FIPS 204.
mod ntt;
mod pack;
mod product;
#[cfg(oaklath_proof)]
mod proofs;
mod round;
mod sample;
mod small;

use oaklath_simd::{A64, I32s, Simd, each};

pub use ntt::{inverse_ntt, ntt};
pub use pack::{
    decode_eta, decode_mask, decode_t0, decode_t1, decode_z, encode_eta, encode_t0, encode_t1,
    encode_z,
};
pub use product::{add_product, dot, dot_minus, multiply_ntt, reduce_sum};
#[cfg(oaklath_proof)]
pub use proofs::{BOUNDS, INVERSE_NTT_POWER, PRODUCT_POWER, SMALL_PRODUCTS, THEOREMS};
pub use round::{
    add_within, decompose_encode, make_hint, power2round, subtract_within, use_hint_encode,
};
pub use sample::{Entry, ROW, finish_nibbles, reject_block_vartime, reject_nibbles_vartime};
pub use small::{Challenge, Small, Sums, fill_small, multiply_small, widen};

/// The modulus.
pub const Q: i32 = 8_380_417;
/// 1 / q modulo 2^32.
const Q_INVERSE: i32 = 58_728_449;
/// The number of bits that `Power2Round` drops.
pub const D: usize = 13;

/// Marks polynomials in the NTT domain.
#[derive(Clone, Copy, Debug)]
pub struct Ntt;

/// A polynomial: 256 coefficients.
pub type Poly = A64<[i32; 256]>;
/// A polynomial in the NTT domain: its values at the powers 1753^(2 brv(i) + 1).
pub type NttPoly = A64<[i32; 256], Ntt>;

/// Returns x modulo q, for constants.
#[cfg_attr(
    not(test),
    expect(clippy::integer_division_remainder_used, reason = "of constants, at compile time")
)]
const fn modulo(x: u64) -> u64 {
    x % Q as u64
}

/// Returns `base^exponent` modulo q.
const fn power(base: u64, exponent: u64) -> u64 {
    let mut result = 1;
    each!(i in 0..exponent => result = modulo(result * base));
    result
}

/// Returns x 2^32 modulo q, centred: |result| <= q / 2.
const fn montgomery(x: u64) -> i32 {
    let r = modulo(x << 32) as i32;
    if 2 * r > Q { r - Q } else { r }
}

/// Returns q in every lane.
#[inline(always)]
fn q<S: Simd>(s: S) -> S::I32 {
    S::I32::splat(s, Q)
}

/// Reduces |x| < q to 0 <= x < q.
#[inline(always)]
fn lift<S: Simd>(s: S, x: S::I32) -> S::I32 {
    x.min_unsigned(x + q(s))
}

/// Returns a vector that is negative where |x| >= bound.
#[inline(always)]
fn outside<S: Simd>(s: S, x: S::I32, bound: i32) -> S::I32 {
    let most = S::I32::splat(s, bound - 1);
    (most - x) | (most + x)
}

#[cfg(test)]
mod testing {
    use super::*;

    /// Returns numbers below `bound` from a linear congruential generator.
    pub(super) fn poly(mut x: u64, bound: i32) -> Poly {
        let mut f = [0; 256];
        for c in &mut f {
            x = x.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            *c = ((x >> 33) % bound as u64) as i32;
        }
        Poly::new(f)
    }

    pub(super) fn bytes(n: usize, x: u64) -> std::vec::Vec<u8> {
        (0..n.div_ceil(256) as u64)
            .flat_map(|i| poly(x * 99 + i, 256).map(|c| c as u8))
            .take(n)
            .collect()
    }
}
