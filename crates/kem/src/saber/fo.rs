//! Key generation, encapsulation, decapsulation: SABER round 3, sections 8.5.1 to 8.5.3.
use oaklath_hash::keccak::{RATE_256, RATE_SHA3_512, SUFFIX_SHA3};
use oaklath_hash::sha3::{Shake128, sha3_256, sponge};
use oaklath_ring::fields;
use oaklath_ring::pow2::{Points, Poly};
use oaklath_simd::{Simd, ct, dispatch, scratch, secret};

use super::WrongHash;
use super::params::{POLY_P, POLY_Q, Params};
use super::pke::{decrypt, encrypt, evaluate_all, read_vector, rounded_product};
use super::sample::{Matrix, matrix, secrets};

/// `Saber.KEM.KeyGen`: the seed holds those of A and of s, and z, 32 bytes each.
pub(crate) fn keygen<const K: usize>(seed: &[u8], pk: &mut [u8], sk: &mut [u8]) {
    let ([seed_A, seed_s, z], _) = seed.as_chunks::<32>() else {
        unreachable!("three times 32 bytes");
    };
    let (b_bytes, public_seed) = pk.split_at_mut(POLY_P * K);
    // The seed of A is public: not as it was drawn, but hashed.
    Shake128::new().chain(seed_A).finish().read(public_seed);
    let (s_bytes, rest) = sk.split_at_mut(POLY_Q * K);
    dispatch!(s => {
        scratch!(A: Matrix<K>);
        secret!(secret: [Poly<16>; K], points: [Points<16>; K]);
        secrets(s, seed_s, secret);
        for (f, bytes) in secret.iter().zip(s_bytes.chunks_exact_mut(POLY_Q)) {
            fields::pack::<_, 13>(s, f.as_flattened(), bytes);
        }
        matrix(s, public_seed.first_chunk().expect("a key ends with a seed"), A);
        evaluate_all(s, secret, points);
        rounded_product::<_, K, true>(s, A, points, b_bytes);
    });
    let (pk_copy, end) = rest.split_at_mut(pk.len());
    pk_copy.copy_from_slice(pk);
    end[..32].copy_from_slice(&sha3_256(pk));
    end[32..].copy_from_slice(z);
}

/// `Saber.KEM.Encaps` to the bytes of a key.
pub(crate) fn encapsulate_bytes<const K: usize>(
    pk: &[u8],
    coins: &[u8],
    c: &mut [u8],
    shared: &mut [u8; 32],
) {
    dispatch!(s => {
        scratch!(A: Matrix<K>, b: [Points<16>; K]);
        read_vector(s, pk, b);
        matrix(s, seed_of(pk), A);
        encapsulate(s, (A, b, &sha3_256(pk)), coins, c, shared);
    });
}

/// The seed of A.
#[inline(always)]
pub(super) fn seed_of(pk: &[u8]) -> &[u8; 32] {
    pk.last_chunk().expect("a key ends with a seed")
}

/// `Saber.KEM.Encaps` with A, b and H(pk) at hand.
#[inline(always)]
pub(super) fn encapsulate<S: Simd, const K: usize>(
    s: S,
    (A, b, h_pk): (&Matrix<K>, &[Points<16>; K], &[u8; 32]),
    coins: &[u8],
    c: &mut [u8],
    shared: &mut [u8; 32],
) {
    secret!(m: [u8; 32], kr: [u8; 64], secret: [Poly<16>; K]);
    sponge::<RATE_256, SUFFIX_SHA3>(&[coins], m);
    g(m, h_pk, kr);
    secrets(s, &kr[32..], secret);
    encrypt(s, A, b, m, secret, c);
    kdf(&kr[..32], &sha3_256(c), shared);
}

/// G: SHA3-512 of m and H(pk).
#[inline(always)]
fn g(m: &[u8; 32], h_pk: &[u8; 32], kr: &mut [u8; 64]) {
    sponge::<RATE_SHA3_512, SUFFIX_SHA3>(&[m, h_pk], kr);
}

/// The shared secret: SHA3-256 of what G gave, or of z, and of the hash of the ciphertext.
#[inline(always)]
fn kdf(k: &[u8], h_c: &[u8; 32], shared: &mut [u8; 32]) {
    sponge::<RATE_256, SUFFIX_SHA3>(&[k, h_c], shared);
}

/// A decapsulation key in parts.
#[derive(Clone, Copy)]
pub(super) struct Parts<'a> {
    pub(super) s_bytes: &'a [u8],
    pub(super) pk: &'a [u8],
    pub(super) h_pk: &'a [u8; 32],
    pub(super) z: &'a [u8; 32],
}

impl<'a> Parts<'a> {
    #[inline(always)]
    pub(super) fn of<const K: usize>(sk: &'a [u8]) -> Self {
        let (s_bytes, rest) = sk.split_at(POLY_Q * K);
        let (pk, end) = rest.split_at(const { Params::of_rank(K).public_key() });
        let (h_pk, z) = end.split_first_chunk().expect("a key has H(pk)");
        Self { s_bytes, pk, h_pk, z: z.first_chunk().expect("a key ends with z") }
    }

    /// The hash is that of the encapsulation key. (The submission does not look; honest keys pass.)
    pub(super) fn check(&self) -> Result<(), WrongHash> {
        // Whether a key is damaged is public.
        let damaged = ct::differ(self.h_pk, &sha3_256(self.pk)).declassify();
        if damaged { Err(WrongHash) } else { Ok(()) }
    }
}

/// s as points.
#[inline(always)]
pub(super) fn read_secret<S: Simd, const K: usize>(
    s: S,
    bytes: &[u8],
    points: &mut [Points<16>; K],
) {
    secret!(f: Poly<16>);
    for (bytes, points) in bytes.chunks_exact(POLY_Q).zip(points) {
        fields::unpack::<_, 13>(s, bytes, f.as_flattened_mut());
        oaklath_ring::pow2::evaluate(s, f, points);
    }
}

/// `Saber.KEM.Decaps` with the bytes of a key, whose hash is checked.
pub(crate) fn decapsulate_bytes<const K: usize>(
    sk: &[u8],
    c: &[u8],
    shared: &mut [u8; 32],
) -> Result<(), WrongHash> {
    let parts = Parts::of::<K>(sk);
    parts.check()?;
    dispatch!(s => {
        scratch!(A: Matrix<K>, b: [Points<16>; K]);
        secret!(points: [Points<16>; K]);
        read_secret(s, parts.s_bytes, points);
        read_vector(s, parts.pk, b);
        matrix(s, seed_of(parts.pk), A);
        decapsulate(s, (A, b, parts.h_pk), points, parts.z, c, shared);
    });
    Ok(())
}

/// `Saber.KEM.Decaps` with A, b and H(pk) at hand.
#[inline(always)]
pub(super) fn decapsulate<S: Simd, const K: usize>(
    s: S,
    (A, b, h_pk): (&Matrix<K>, &[Points<16>; K], &[u8; 32]),
    secret: &[Points<16>; K],
    z: &[u8; 32],
    c: &[u8],
    shared: &mut [u8; 32],
) {
    secret!(m: [u8; 32], kr: [u8; 64], again: [[u8; 512]; K], ephemeral: [Poly<16>; K]);
    decrypt(s, secret, c, m);
    g(m, h_pk, kr);
    secrets(s, &kr[32..], ephemeral);
    let again = &mut again.as_flattened_mut()[..c.len()];
    encrypt(s, A, b, m, ephemeral, again);
    ct::differ(c, again).copy_if(&mut kr[..32], z);
    kdf(&kr[..32], &sha3_256(c), shared);
}
