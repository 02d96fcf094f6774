//! Encapsulation and decapsulation: NTRU round 3, section 1.12.
use oaklath_hash::blocks::{Ends, write_words};
use oaklath_hash::keccak::{RATE_256, SUFFIX_SHA3};
use oaklath_hash::lanes::Lanes4;
use oaklath_hash::sha3::sponge;
use oaklath_poly::pow2::{Points, PointsRoom, Poly, evaluate};
use oaklath_poly::trits::packed;
use oaklath_simd::{Simd, each, secret, vectorize};

use super::encode::{
    ends_with_zero_bits, read_coefficients, read_sum_zero, read_trits, write_trits,
};
use super::params::NtruParams;
use super::pke::{self, SecretPoints};
use super::sample::sample_r_and_m;

/// Bytes of the longest encoding of r and m.
const MAX_PAIR: usize = 2 * packed(NtruParams::of_degree(821).n - 1);

/// Reads h as points. Out of line, so that later calls can reuse its stack.
#[inline(never)]
pub(super) fn read_public<S: Simd, const L: usize>(
    s: S,
    p: &NtruParams,
    pk: &[u8],
    points: &mut Points<L>,
) {
    vectorize!(s => {
        secret!(h: Poly<L>, room: PointsRoom);
        read_sum_zero(s, p, pk, h.as_flattened_mut());
        evaluate(s, h, points, &mut **room);
    });
}

/// `Encapsulate`: the coins are the random bytes from which r and m are drawn. Out of line.
#[inline(never)]
pub(super) fn encapsulate<S: Simd, const L: usize>(
    s: S,
    p: &NtruParams,
    h: &Points<L>,
    coins: &[u8],
    c: &mut [u8],
    shared: &mut [u8; 32],
) {
    vectorize!(s => {
        secret!(r: Poly<L>, m: Poly<L>);
        sample_r_and_m(s, p, coins, r.as_flattened_mut(), m.as_flattened_mut());
        hash_pair(s, p, r.as_flattened(), m.as_flattened(), shared);
        pke::encrypt(s, p, h, (r, m), c);
    });
}

/// Writes the shared secret of a pair: SHA3-256 of the encodings of r and m.
#[inline(always)]
fn hash_pair<S: Simd>(s: S, p: &NtruParams, r: &[i16], m: &[i16], shared: &mut [u8; 32]) {
    secret!(bytes: [u8; MAX_PAIR]);
    let bytes = &mut bytes[..2 * p.trits()];
    write_pair(s, p, r, m, bytes);
    sponge::<RATE_256, SUFFIX_SHA3>(&[bytes], shared);
}

#[inline(always)]
fn write_pair<S: Simd>(s: S, p: &NtruParams, r: &[i16], m: &[i16], bytes: &mut [u8]) {
    let (r_bytes, m_bytes) = bytes.split_at_mut(p.trits());
    write_trits(s, p, r, r_bytes);
    write_trits(s, p, m, m_bytes);
}

/// Outputs of [`hash_both`]: the secret of a pair, and that of a rejected ciphertext.
struct SharedSecrets<'a> {
    shared: &'a mut [u8; 32],
    rejected: &'a mut [u8; 32],
}

/// Writes SHA3-256 of a pair and SHA3-256 of the rejection key and the ciphertext, which is longer.
/// Uses two lanes while both messages have blocks, then a single state. Out of line.
#[inline(never)]
fn hash_both<S: Simd>(
    s: S,
    p: &NtruParams,
    r: &[i16],
    m: &[i16],
    rejection: &[u8; 32],
    ct: &[u8],
    out: SharedSecrets<'_>,
) {
    vectorize!(s => {
        secret!(bytes: [u8; MAX_PAIR], state: [u64; 25]);
        let bytes = &mut bytes[..2 * p.trits()];
        write_pair(s, p, r, m, bytes);
        let (mut pair_ends, mut ct_ends) = (Ends::empty(), Ends::empty());
        let (pair, ct) = (pair_ends.sha3(bytes), ct_ends.sha3_after(rejection, ct));
        let mut lanes = Lanes4::new(s);
        each!(i in 0..pair.count() => {
            if i == 0 {
                lanes.load(0, pair.block(0));
                lanes.load(1, ct.block(0));
            } else {
                lanes.absorb(0, pair.block(i));
                lanes.absorb(1, ct.block(i));
            }
            lanes.permute(0b11);
        });
        write_words(&lanes.words::<4>(0), out.shared);
        *state = lanes.words(1);
        ct.absorb(s, state, pair.count(), out.rejected);
    });
}

/// Reads f, 1/f and 1/h as points. Out of line.
#[inline(never)]
pub(super) fn read_secret<S: Simd, const L: usize>(
    s: S,
    p: &NtruParams,
    sk: &[u8],
    [f, f_inverse, h_inverse]: &mut SecretPoints<L>,
) {
    vectorize!(s => {
        secret!(t: Poly<L>, room: PointsRoom);
        let (f_bytes, rest) = sk.split_at(p.trits());
        let (f_inverse_bytes, rest) = rest.split_at(p.trits());
        read_trits(s, p, f_bytes, t.as_flattened_mut());
        evaluate(s, t, f, &mut **room);
        read_trits(s, p, f_inverse_bytes, t.as_flattened_mut());
        evaluate(s, t, f_inverse, &mut **room);
        read_coefficients(s, p, &rest[..p.coefficients()], t.as_flattened_mut());
        evaluate(s, t, h_inverse, &mut **room);
    });
}

/// `Decapsulate`. The secret of an invalid c is SHA3-256(rejection key || c). Out of line.
#[inline(never)]
pub(super) fn decapsulate<S: Simd, const L: usize>(
    s: S,
    p: &NtruParams,
    key: &SecretPoints<L>,
    rejection: &[u8; 32],
    ct: &[u8],
    shared: &mut [u8; 32],
) {
    vectorize!(s => {
        secret!(c: Poly<L>, r: Poly<L>, m: Poly<L>);
        secret!(rejected: [u8; 32]);
        read_sum_zero(s, p, ct, c.as_flattened_mut());
        let wrong = pke::decrypt(s, p, key, c, (r, m));
        let out = SharedSecrets { shared: &mut *shared, rejected };
        hash_both(s, p, r.as_flattened(), m.as_flattened(), rejection, ct, out);
        wrong.copy_if(shared, rejected);
        // This may branch: the ciphertext is public.
        if !ends_with_zero_bits(p, ct) {
            *shared = *rejected;
        }
    });
}
