//! Encapsulation and decapsulation: NTRU round 3, section 1.12.
use oaklath_hash::blocks::{Ends, write_words};
use oaklath_hash::keccak::{RATE_256, SUFFIX_SHA3};
use oaklath_hash::lanes::Lanes4;
use oaklath_hash::sha3::sponge;
use oaklath_poly::pow2::{Points, PointsRoom, Poly, evaluate};
use oaklath_poly::trits::packed;
use oaklath_simd::{Simd, dispatch, secret, wipe};

use super::encode::{
    ends_with_zero_bits, read_coefficients, read_sum_zero, read_trits, write_trits,
};
use super::params::Params;
use super::pke::{self, Secret};
use super::sample;

/// Room for r and m of any set as bytes.
const MAX_PAIR: usize = 2 * packed(Params::HPS_4096_821.n - 1);

/// `Key_Pair`: the seed holds f, g and the key of rejected secrets as random bytes.
pub(crate) fn keygen<const L: usize>(p: &Params, seed: &[u8], pk: &mut [u8], sk: &mut [u8]) {
    let (short, rejection) = seed.split_at(p.coins());
    let (key, end) = sk.split_at_mut(sk.len() - 32);
    end.copy_from_slice(rejection);
    dispatch!(s => pke::keygen::<_, L>(s, p, short, pk, key));
}

/// `Encapsulate` to the bytes of a key. Bits after its last coefficient are ignored, as the
/// submission does.
pub(crate) fn encapsulate_bytes<const L: usize>(
    p: &Params,
    pk: &[u8],
    coins: &[u8],
    c: &mut [u8],
    shared: &mut [u8; 32],
) {
    dispatch!(s => {
        secret!(points: Points<L>);
        read_public(s, p, pk, points);
        encapsulate(s, p, points, coins, c, shared);
    });
}

/// h as points. Out of line, so that what comes after may take the same stack.
#[inline(never)]
pub(super) fn read_public<S: Simd, const L: usize>(
    s: S,
    p: &Params,
    pk: &[u8],
    points: &mut Points<L>,
) {
    s.vectorize(
        #[inline(always)]
        || {
            secret!(h: Poly<L>, room: PointsRoom);
            read_sum_zero(s, p, pk, h);
            evaluate(s, h, points, &mut **room);
        },
    );
}

/// `Encapsulate`: the coins hold r and m as random bytes.
#[inline(always)]
pub(super) fn encapsulate<S: Simd, const L: usize>(
    s: S,
    p: &Params,
    h: &Points<L>,
    coins: &[u8],
    c: &mut [u8],
    shared: &mut [u8; 32],
) {
    secret!(r: Poly<L>, m: Poly<L>);
    sample::r_and_m(s, p, coins, r, m);
    hash_pair(p, r, m, shared);
    pke::encrypt(s, p, h, (r, m), c);
}

/// The shared secret of a pair: SHA3-256 of both as bytes.
#[inline(always)]
fn hash_pair<const L: usize>(p: &Params, r: &Poly<L>, m: &Poly<L>, shared: &mut [u8; 32]) {
    secret!(bytes: [u8; MAX_PAIR]);
    let bytes = &mut bytes[..2 * p.trits()];
    write_pair(p, r, m, bytes);
    sponge::<RATE_256, SUFFIX_SHA3>(&[bytes], shared);
}

#[inline(always)]
fn write_pair<const L: usize>(p: &Params, r: &Poly<L>, m: &Poly<L>, bytes: &mut [u8]) {
    let (r_bytes, m_bytes) = bytes.split_at_mut(p.trits());
    write_trits(p, r, r_bytes);
    write_trits(p, m, m_bytes);
}

/// The shared secret of a pair and the one of a rejected ciphertext: SHA3-256 of the rejection key and
/// the ciphertext, which is longer. Two lanes as long as both have blocks, then one state.
#[inline(always)]
fn hash_both<S: Simd, const L: usize>(
    s: S,
    p: &Params,
    (r, m): (&Poly<L>, &Poly<L>),
    (rejection, ct): (&[u8; 32], &[u8]),
    (shared, rejected): (&mut [u8; 32], &mut [u8; 32]),
) {
    secret!(bytes: [u8; MAX_PAIR], state: [u64; 25]);
    let bytes = &mut bytes[..2 * p.trits()];
    write_pair(p, r, m, bytes);
    let (mut pair_ends, mut ct_ends) = (Ends::empty(), Ends::empty());
    let (pair, ct) = (pair_ends.sha3(bytes), ct_ends.sha3_after(rejection, ct));
    let mut lanes = Lanes4::new(s);
    let mut i = 0;
    while i < pair.count() {
        if i == 0 {
            lanes.load(0, pair.block(0));
            lanes.load(1, ct.block(0));
        } else {
            lanes.absorb(0, pair.block(i));
            lanes.absorb(1, ct.block(i));
        }
        lanes.permute(0b11);
        i += 1;
    }
    write_words(&lanes.words::<4>(0), shared);
    *state = lanes.words(1);
    *rejected = ct.absorb(s, state, i);
}

/// `Decapsulate` with the bytes of a key.
pub(crate) fn decapsulate_bytes<const L: usize>(
    p: &Params,
    sk: &[u8],
    c: &[u8],
    shared: &mut [u8; 32],
) {
    dispatch!(s => {
        secret!(f: Points<L>, f_inverse: Points<L>, h_inverse: Points<L>);
        read_secret(s, p, sk, f, f_inverse, h_inverse);
        let rejection = sk.last_chunk().expect("a key ends with 32 bytes");
        decapsulate(s, p, &Secret { f, f_inverse, h_inverse }, rejection, c, shared);
    });
}

/// f, 1/f and 1/h as points.
#[inline(always)]
pub(super) fn read_secret<S: Simd, const L: usize>(
    s: S,
    p: &Params,
    sk: &[u8],
    f: &mut Points<L>,
    f_inverse: &mut Points<L>,
    h_inverse: &mut Points<L>,
) {
    secret!(t: Poly<L>, room: PointsRoom);
    let (f_bytes, rest) = sk.split_at(p.trits());
    let (f_inverse_bytes, rest) = rest.split_at(p.trits());
    read_trits(s, p, f_bytes, t);
    evaluate(s, t, f, &mut **room);
    read_trits(s, p, f_inverse_bytes, t);
    evaluate(s, t, f_inverse, &mut **room);
    read_coefficients(s, p, &rest[..p.coefficients()], t);
    evaluate(s, t, h_inverse, &mut **room);
}

/// `Decapsulate`. A ciphertext that nobody made gives SHA3-256 of the rejection key and itself.
#[inline(always)]
pub(super) fn decapsulate<S: Simd, const L: usize>(
    s: S,
    p: &Params,
    key: &Secret<'_, L>,
    rejection: &[u8; 32],
    ct: &[u8],
    shared: &mut [u8; 32],
) {
    secret!(c: Poly<L>, r: Poly<L>, m: Poly<L>);
    read_sum_zero(s, p, ct, c);
    let wrong = pke::decrypt(s, p, key, c, (r, m));
    let mut rejected = [0; 32];
    hash_both(s, p, (r, m), (rejection, ct), (shared, &mut rejected));
    wrong.copy_if(shared, &rejected);
    // The ciphertext is public.
    if !ends_with_zero_bits(p, ct) {
        *shared = rejected;
    }
    wipe(&mut rejected);
}
