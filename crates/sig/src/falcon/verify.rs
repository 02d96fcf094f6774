//! Verification: Falcon, Algorithm 16. Everything here is public.
use oaklath_hash::sha3::Shake256;
use oaklath_poly::q12289::{self as ring, BLOCK, Factor, Format, NttPoly, Poly};
use oaklath_simd::{Simd, scratch};

use super::scheme::Scheme;
use crate::message::Formatted;

/// Bytes of the nonce, which follows the header of a signature.
pub(super) const NONCE: usize = 40;
/// Header and nonce.
pub(super) const HEAD: usize = 1 + NONCE;
/// Headers hold log2 n in the lower half and in the upper one the format.
pub(super) const COMPRESSED: u8 = 0x30;
const CONSTANT_TIME: u8 = 0x50;

/// The header of a format.
pub(super) const fn header<const N: usize>(format: u8) -> u8 {
    format | N.ilog2() as u8
}

/// A public key ready for products.
#[derive(Clone)]
pub(super) struct PublicKey<const N: usize>(Factor<N>);

impl<const N: usize> PublicKey<N> {
    pub(super) const EMPTY: Self = Self(Factor::new([0; N]));

    /// Of the bytes of a key of the right length: a header without format, and h or its values. Nothing if
    /// they are not an encoding.
    #[inline(always)]
    pub(super) fn fill<S: Simd, P: Scheme>(&mut self, s: S, pk: &[u8]) -> Option<()> {
        let (first, h_bytes) = pk.split_first()?;
        if *first != header::<N>(0) {
            return None;
        }
        scratch!(h: Poly<N>, h_hat: NttPoly<N>);
        if P::TRANSFORMED {
            ring::decode_14_vartime::<S, P::Format>(s, h_bytes, &mut h_hat[..])?;
        } else {
            ring::decode_14_vartime::<S, P::Format>(s, h_bytes, &mut h[..])?;
            ring::centre(s, h);
            ring::ntt(s, h, h_hat);
        }
        ring::prepare(s, h_hat, &mut self.0);
        Some(())
    }

    /// Whether a signature is valid: the squared norm of (s1, s2) at most `bound`, and of FN-DSA all
    /// coefficients within theirs.
    #[inline(always)]
    pub(super) fn verify<S: Simd, P: Scheme>(
        &self,
        s: S,
        bound: u32,
        message: &Formatted<'_>,
        signature: &[u8],
        padded: usize,
    ) -> bool {
        scratch!(s2: Poly<N>, s2_hat: NttPoly<N>, product_hat: NttPoly<N>);
        scratch!(product: Poly<N>, c: Poly<N>);
        let Some(nonce) = decode::<S, P, N>(s, signature, padded, s2) else { return false };
        ring::ntt(s, s2, s2_hat);
        ring::multiply(s, s2_hat, &self.0, product_hat);
        ring::inverse_ntt(s, product_hat, product);
        hash_to_point::<S, P::Format, N>(s, nonce, message, c);
        let within =
            P::LARGEST == u16::MAX || ring::difference_is_within(s, c, product, P::LARGEST);
        let norm = ring::difference_norm(s, c, product) + ring::square_norm(s, s2);
        within && norm <= u64::from(bound)
    }
}

/// Writes a public key: 0 <= h < q, which is used up.
#[inline(always)]
pub(super) fn encode<S: Simd, P: Scheme, const N: usize>(s: S, h: &mut Poly<N>, pk: &mut [u8]) {
    pk[0] = header::<N>(0);
    if P::TRANSFORMED {
        scratch!(h_hat: NttPoly<N>);
        ring::centre(s, h);
        ring::ntt(s, h, h_hat);
        ring::lift(s, h_hat);
        ring::encode_14::<P::Format>(&h_hat[..], &mut pk[1..]);
    } else {
        ring::encode_14::<P::Format>(&h[..], &mut pk[1..]);
    }
}

/// The nonce of a signature, and s2. Nothing unless it is in the only encoding of its format:
/// compressed, or the same with zeros up to the length `padded`, or 12 bits a coefficient; of FN-DSA the
/// second.
#[inline(always)]
fn decode<'a, S: Simd, P: Scheme, const N: usize>(
    s: S,
    signature: &'a [u8],
    padded: usize,
    s2: &mut Poly<N>,
) -> Option<&'a [u8; NONCE]> {
    let (first, rest) = signature.split_first()?;
    let (nonce, s2_bytes) = rest.split_first_chunk()?;
    if *first == header::<N>(COMPRESSED) {
        let len = ring::decode_compressed_vartime::<S, P::Format>(s, s2_bytes, &mut s2[..])?;
        let zeros = &s2_bytes[len..];
        let good = !P::PADDED && zeros.is_empty()
            || signature.len() == padded && zeros.iter().all(|b| *b == 0);
        good.then_some(nonce)
    } else if !P::PADDED && *first == header::<N>(CONSTANT_TIME) && s2_bytes.len() << 3 == 12 * N {
        ring::decode_signed::<P::Format, 12>(s2_bytes, &mut s2[..]).then_some(nonce)
    } else {
        None
    }
}

/// `HashToPoint`: Falcon, Algorithm 3, in the form that takes time by what it hashes, as the known
/// answers' reference does (`hash_to_point_vartime`): how many numbers were refused, which tells of the
/// message no more than a hash of it. 0 <= c < q.
#[inline(always)]
pub(super) fn hash_to_point<S: Simd, F: Format, const N: usize>(
    s: S,
    nonce: &[u8; NONCE],
    message: &Formatted<'_>,
    c: &mut Poly<N>,
) {
    let mut hash = Shake256::new().chain(nonce);
    message.pieces().for_each(|piece| hash.absorb(piece));
    let mut stream = hash.finish();
    let (mut block, mut n) = ([0; BLOCK], 0);
    while n < N {
        stream.read(&mut block);
        n = ring::reject_block_vartime::<S, F>(s, &block, &mut c[..], n);
    }
}
