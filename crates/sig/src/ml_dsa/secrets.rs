//! The secret polynomials of a key, in the form for products with a challenge.
use oaklath_poly::q8380417::{self as ring, Challenge, NttPoly, Poly, Small, Sums};
use oaklath_simd::{Simd, pieces, secret, vectorize};

use super::params::{MlDsaParams, T0};

/// s1 or s2.
pub(super) enum SmallVector<'a> {
    /// Prepared for products.
    Ready(&'a [Small]),
    /// Bytes of a key, of which a polynomial is prepared for each product.
    Packed(&'a [u8]),
}

impl SmallVector<'_> {
    /// Writes the product of c and polynomial `i`. Out of line.
    #[inline(never)]
    pub(super) fn multiply<S: Simd>(
        &self,
        s: S,
        p: &MlDsaParams,
        i: usize,
        c: &Challenge,
        product: &mut Sums,
    ) {
        vectorize!(s => match self {
            Self::Ready(polys) => {
                ring::multiply_small(s, p.wide_sums(), &polys[i], c, product);
            }
            Self::Packed(bytes) => {
                secret!(small: Small);
                unpack_small(s, p, bytes, i, small);
                ring::multiply_small(s, p.wide_sums(), small, c, product);
            }
        });
    }
}

/// t0, the low bits of t.
pub(super) enum LowBitsVector<'a> {
    /// NTT(t0).
    Ready(&'a [NttPoly]),
    /// Bytes of a key, of which a polynomial is transformed for each product.
    Packed(&'a [u8]),
}

impl LowBitsVector<'_> {
    /// Writes the product of c and polynomial `i`. Out of line.
    #[inline(never)]
    pub(super) fn multiply<S: Simd>(&self, s: S, i: usize, c_hat: &NttPoly, product: &mut Poly) {
        vectorize!(s => {
            secret!(product_hat: NttPoly);
            match self {
                Self::Ready(t0_hat) => ring::multiply_ntt(s, c_hat, &t0_hat[i], product_hat),
                Self::Packed(t0) => {
                    secret!(t0_hat: NttPoly);
                    ring::decode_t0(s, &t0[T0 * i..], product);
                    ring::ntt(s, product, t0_hat);
                    ring::multiply_ntt(s, c_hat, t0_hat, product_hat);
                }
            }
            ring::inverse_ntt(s, product_hat, product);
        });
    }
}

/// All secret polynomials of a key.
pub(super) struct SigningSecrets<'a> {
    pub(super) s1: SmallVector<'a>,
    pub(super) s2: SmallVector<'a>,
    pub(super) t0: LowBitsVector<'a>,
}

/// Memory for s1, s2 and NTT(t0).
pub(super) struct SecretsMemory<'a> {
    pub(super) s1: &'a mut [Small],
    pub(super) s2: &'a mut [Small],
    pub(super) t0_hat: &'a mut [NttPoly],
}

/// Splits the bytes that follow tr in a private key: s1, s2, t0.
#[inline(always)]
fn split<'a>(p: &MlDsaParams, packed: &'a [u8]) -> (&'a [u8], &'a [u8], &'a [u8]) {
    let (s1, rest) = packed.split_at(p.l * p.eta_bytes());
    let (s2, t0) = rest.split_at(p.k * p.eta_bytes());
    (s1, s2, t0)
}

impl<'a> SigningSecrets<'a> {
    /// Returns secrets as bytes, those that follow tr in a private key.
    #[inline(always)]
    pub(super) fn packed(p: &MlDsaParams, packed: &'a [u8]) -> Self {
        let (s1, s2, t0) = split(p, packed);
        let (s1, s2) = (SmallVector::Packed(s1), SmallVector::Packed(s2));
        Self { s1, s2, t0: LowBitsVector::Packed(t0) }
    }

    /// Returns secrets that are prepared for products.
    #[inline(always)]
    pub(super) fn ready(s1: &'a [Small], s2: &'a [Small], t0_hat: &'a [NttPoly]) -> Self {
        let (s1, s2) = (SmallVector::Ready(s1), SmallVector::Ready(s2));
        Self { s1, s2, t0: LowBitsVector::Ready(t0_hat) }
    }
}

/// Prepares polynomial `i` of s1 or s2 for products. Returns whether its coefficients are in range.
#[inline(always)]
fn unpack_small<S: Simd>(s: S, p: &MlDsaParams, bytes: &[u8], i: usize, small: &mut Small) -> bool {
    let each = p.eta_bytes();
    secret!(f: [i8; 256]);
    let good = ring::decode_eta(s, p.eta, &bytes[each * i..each * (i + 1)], f);
    ring::fill_small(f, small);
    good
}

/// Prepares s1, s2 and t0 for products: FIPS 204, Algorithm 7, lines 2 to 4, except that s1 and s2
/// are not transformed. Returns whether the coefficients are in range. Out of line.
#[inline(never)]
pub(super) fn unpack<S: Simd>(
    s: S,
    p: &MlDsaParams,
    packed: &[u8],
    memory: SecretsMemory<'_>,
) -> bool {
    vectorize!(s => {
        let (s1, s2, t0) = split(p, packed);
        let mut good = true;
        for (i, small) in memory.s1.iter_mut().enumerate() {
            good &= unpack_small(s, p, s1, i, small);
        }
        for (i, small) in memory.s2.iter_mut().enumerate() {
            good &= unpack_small(s, p, s2, i, small);
        }
        secret!(f: Poly);
        for (t0_hat, bytes) in memory.t0_hat.iter_mut().zip(t0.chunks_exact(T0)) {
            ring::decode_t0(s, bytes, f);
            ring::ntt(s, f, t0_hat);
        }
        good
    })
}

/// Returns whether the coefficients of s1 and s2 are in range.
#[inline(always)]
pub(super) fn in_range<S: Simd>(s: S, p: &MlDsaParams, packed: &[u8]) -> bool {
    let each = p.eta_bytes();
    secret!(f: [i8; 256]);
    let mut good = true;
    for bytes in pieces(&packed[..each * (p.k + p.l)], each) {
        good &= ring::decode_eta(s, p.eta, bytes, f);
    }
    good
}
