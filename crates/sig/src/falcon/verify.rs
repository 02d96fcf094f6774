//! Verification: Falcon, Algorithm 16. Everything here is public.
use oaklath_hash::sha3::Shake256;
use oaklath_ring::q12289::{self as ring, BLOCK, Factor, NttPoly, Poly};
use oaklath_simd::{Simd, scratch};

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

    /// Of the bytes of a key of the right length: a header without format, and h. Nothing if they are
    /// not an encoding.
    #[inline(always)]
    pub(super) fn fill<S: Simd>(&mut self, s: S, pk: &[u8]) -> Option<()> {
        let (first, h_bytes) = pk.split_first()?;
        if *first != header::<N>(0) {
            return None;
        }
        scratch!(h: Poly<N>, h_hat: NttPoly<N>);
        ring::decode_14_vartime(s, h_bytes, &mut h[..])?;
        ring::centre(s, h);
        ring::ntt(s, h, h_hat);
        ring::prepare(s, h_hat, &mut self.0);
        Some(())
    }

    /// Whether a signature is valid: the squared norm of (s1, s2) at most `bound`.
    #[inline(always)]
    pub(super) fn verify<S: Simd>(
        &self,
        s: S,
        bound: u32,
        message: &Formatted<'_>,
        signature: &[u8],
        padded: usize,
    ) -> bool {
        scratch!(s2: Poly<N>, s2_hat: NttPoly<N>, product_hat: NttPoly<N>);
        scratch!(product: Poly<N>, c: Poly<N>);
        let Some(nonce) = decode::<S, N>(s, signature, padded, s2) else { return false };
        ring::ntt(s, s2, s2_hat);
        ring::multiply(s, s2_hat, &self.0, product_hat);
        ring::inverse_ntt(s, product_hat, product);
        hash_to_point(s, nonce, message, c);
        ring::difference_norm(s, c, product) + ring::square_norm(s, s2) <= u64::from(bound)
    }
}

/// The nonce of a signature, and s2. Nothing unless it is in the only encoding of its format:
/// compressed, or the same with zeros up to the length `padded`, or 12 bits a coefficient.
#[inline(always)]
fn decode<'a, S: Simd, const N: usize>(
    s: S,
    signature: &'a [u8],
    padded: usize,
    s2: &mut Poly<N>,
) -> Option<&'a [u8; NONCE]> {
    let (first, rest) = signature.split_first()?;
    let (nonce, s2_bytes) = rest.split_first_chunk()?;
    if *first == header::<N>(COMPRESSED) {
        let len = ring::decode_compressed_vartime(s, s2_bytes, &mut s2[..])?;
        let zeros = &s2_bytes[len..];
        let good = zeros.is_empty() || signature.len() == padded && zeros.iter().all(|b| *b == 0);
        good.then_some(nonce)
    } else if *first == header::<N>(CONSTANT_TIME) && s2_bytes.len() << 3 == 12 * N {
        ring::decode_signed::<12>(s2_bytes, &mut s2[..]).then_some(nonce)
    } else {
        None
    }
}

/// `HashToPoint`: Falcon, Algorithm 3, in the form that takes time by what it hashes, as the known
/// answers' reference does (`hash_to_point_vartime`): how many numbers were refused, which tells of the
/// message no more than a hash of it. 0 <= c < q.
#[inline(always)]
pub(super) fn hash_to_point<S: Simd, const N: usize>(
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
        n = ring::reject_block_vartime(s, &block, &mut c[..], n);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::Message;
    use oaklath_simd::{Level, dispatch};
    use std::vec::Vec;

    const PADDED: usize = 666;

    pub(in crate::falcon) fn formatted(message: &[u8]) -> Formatted<'_> {
        Formatted::round3(&Message::new(message)).unwrap()
    }

    /// The public key under which (s1, s2) is a signature of a message: h = (c - s1) / s2.
    fn key_for<S: Simd>(s: S, s1: &Poly<512>, s2: &Poly<512>, message: &[u8]) -> Vec<u8> {
        let (mut c, mut c_hat) = (Poly::new([0; 512]), NttPoly::new([0; 512]));
        hash_to_point(s, &[7; NONCE], &formatted(message), &mut c);
        c.iter_mut().zip(s1.iter()).for_each(|(c, x)| *c -= x);
        ring::centre(s, &mut c);
        ring::ntt(s, &c, &mut c_hat);
        let (mut s2_hat, mut h_hat) = (NttPoly::new([0; 512]), NttPoly::new([0; 512]));
        ring::ntt(s, s2, &mut s2_hat);
        assert!(!ring::has_zero(s, &s2_hat));
        ring::divide(s, &c_hat, &s2_hat, &mut h_hat);
        // Times 1, for the factor 1 / n.
        let (mut factor, mut h) = (Factor::new([0; 512]), Poly::new([0; 512]));
        ring::prepare(s, &h_hat, &mut factor);
        ring::multiply(s, &NttPoly::new([1; 512]), &factor, &mut h_hat);
        ring::inverse_ntt(s, &h_hat, &mut h);
        h.iter_mut().for_each(|h| *h = h.rem_euclid(ring::Q));
        let mut pk = std::vec![9; 897];
        ring::encode_14(&h[..], &mut pk[1..]);
        pk
    }

    fn encoded(s2: &Poly<512>) -> Vec<u8> {
        let mut signature = std::vec![0; 2000];
        signature[..HEAD].fill(7);
        signature[0] = 0x39;
        let rest = &mut signature[HEAD..];
        let len = dispatch!(s => ring::encode_compressed_vartime(s, &s2[..], rest)).unwrap();
        signature.truncate(HEAD + len);
        signature
    }

    fn verifies<S: Simd>(s: S, bound: u32, pk: &[u8], message: &[u8], signature: &[u8]) -> bool {
        let mut key = PublicKey::<512>::EMPTY;
        key.fill(s, pk).unwrap();
        key.verify(s, bound, &formatted(message), signature, PADDED)
    }

    /// Two short polynomials, the second invertible.
    fn short() -> [Poly<512>; 2] {
        let mut x = 1_u32;
        let mut next = |bound: i16| {
            x = x.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
            (x >> 17) as i16 % (2 * bound) - bound
        };
        let s1 = Poly::new(core::array::from_fn(|_| next(150)));
        [s1, Poly::new(core::array::from_fn(|_| next(100)))]
    }

    #[test]
    fn the_bound_is_the_largest_norm() {
        let [s1, s2] = short();
        let squares = |f: &Poly<512>| f.iter().map(|x| i32::from(*x).pow(2)).sum::<i32>();
        let norm = (squares(&s1) + squares(&s2)) as u32;
        for level in Level::available() {
            let pk = dispatch!(level, s => key_for(s, &s1, &s2, b"text"));
            let signature = encoded(&s2);
            let verifies = |bound, message: &[u8]| dispatch!(level, s => verifies(s, bound, &pk, message, &signature));
            assert!(verifies(norm, b"text"), "{level}");
            assert!(!verifies(norm - 1, b"text"), "{level}");
            assert!(!verifies(norm, b"test"), "{level}");
        }
    }

    #[test]
    fn formats() {
        let [s1, s2] = short();
        for level in Level::available() {
            let pk = dispatch!(level, s => key_for(s, &s1, &s2, b"text"));
            let check = |signature: &[u8]| dispatch!(level, s => verifies(s, 34_034_726, &pk, b"text", signature));
            let compressed = encoded(&s2);
            assert!(compressed.len() < PADDED);
            let mut padded = compressed.clone();
            padded.resize(PADDED, 0);
            let mut constant_time = compressed[..HEAD].to_vec();
            constant_time.resize(809, 0);
            constant_time[0] = 0x59;
            ring::encode_signed::<12>(&s2[..], &mut constant_time[HEAD..]);
            for good in [&compressed, &padded, &constant_time] {
                assert!(check(good), "{level}");
                assert!(!check(&good[..good.len() - 1]), "{level}");
                assert!(!check(&[&good[..], &[0]].concat()), "{level}");
                for header in (0..=255).filter(|header| *header != good[0]) {
                    assert!(!check(&[&[header], &good[1..]].concat()), "{level}");
                }
                for at in 1..good.len() {
                    let mut wrong = good.clone();
                    wrong[at] ^= 1 << (at & 7);
                    assert!(!check(&wrong), "{level} {at}");
                }
            }
            for len in 0..HEAD + 1 {
                assert!(!check(&compressed[..len]), "{level}");
            }
            // -2048, which no encoding of 12 bits holds.
            constant_time[HEAD] = 0x80;
            constant_time[HEAD + 1] &= 15;
            assert!(!check(&constant_time), "{level}");
        }
    }

    #[test]
    fn keys_are_canonical() {
        let mut pk = [0; 897];
        pk[0] = 9;
        let parsed = |pk: &[u8]| {
            let mut key = PublicKey::<512>::EMPTY;
            dispatch!(s => key.fill(s, pk))
        };
        assert!(parsed(&pk).is_some());
        for header in (0..=255).filter(|header| *header != 9) {
            pk[0] = header;
            assert!(parsed(&pk).is_none());
        }
        pk[0] = 9;
        // q in 14 bits, then q - 1.
        (pk[1], pk[2]) = (0xc0, 4);
        assert!(parsed(&pk).is_none());
        (pk[1], pk[2]) = (0xc0, 0);
        assert!(parsed(&pk).is_some());
    }
}
