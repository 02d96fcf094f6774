//! Secrets from random bytes: SABER round 3, section 8.3.6.
use oaklath_poly::bits;
use oaklath_poly::pow2::Poly;
use oaklath_simd::{Simd, each, pieces, vectorize};

/// `GenSecret` from the bytes of its stream: each coefficient is the difference of the weights of
/// two fields of mu / 2 bits. Out of line.
#[inline(never)]
pub(super) fn secrets_of<S: Simd>(s: S, mu: usize, bytes: &[u8], secrets: &mut [Poly<16>]) {
    vectorize!(s => {
        for (secret, bytes) in secrets.iter_mut().zip(pieces(bytes, 32 * mu)) {
            let secret = secret.as_flattened_mut();
            bits::unpack(s, mu, bytes, secret);
            match mu {
                10 => differences_of_weights::<5>(secret),
                8 => differences_of_weights::<4>(secret),
                _ => differences_of_weights::<3>(secret),
            }
        }
    });
}

/// Replaces each number by the weight of its low `HALF` bits minus the weight of the next `HALF`.
#[inline(always)]
fn differences_of_weights<const HALF: usize>(secret: &mut [i16]) {
    for x in secret {
        let mut weight = 0;
        each!(bit in 0..HALF => {
            weight += (*x >> bit & 1) - (*x >> (bit + HALF) & 1);
        });
        *x = weight;
    }
}
