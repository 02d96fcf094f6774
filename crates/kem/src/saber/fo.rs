//! Key generation, encapsulation, decapsulation: SABER round 3, sections 8.5.1 to 8.5.3.
use oaklath_hash::keccak::{RATE_256, RATE_SHA3_512, RATE_SHAKE128, SUFFIX_SHA3, SUFFIX_SHAKE};
use oaklath_hash::sha3::{sha3_256, sponge};
use oaklath_poly::bits;
use oaklath_poly::pow2::{Points, Poly, free_of};
use oaklath_simd::{Simd, ct, dispatch, scratch, secret};

use super::WrongHash;
use super::lanes::{self, Drawn, Hashed, Stream};
use super::params::{POLY_P, POLY_Q, Params};
use super::pke::{Factor, Memory, decrypt, encrypt, evaluate_all, memory, rounded_product};
use super::sample::{Matrix, secrets_of};

/// `Saber.KEM.KeyGen`: the seed holds those of A and of s, and z, 32 bytes each.
pub(crate) fn keygen<const K: usize>(seed: &[u8], pk: &mut [u8], sk: &mut [u8]) {
    let ([seed_A, seed_s, z], _) = seed.as_chunks::<32>() else {
        unreachable!("three times 32 bytes");
    };
    let (b_bytes, public_seed) = pk.split_at_mut(POLY_P * K);
    let public_seed = public_seed.first_chunk_mut().expect("a key ends with a seed");
    let (s_bytes, rest) = sk.split_at_mut(POLY_Q * K);
    dispatch!(s => {
        scratch!(stream: Stream<K>);
        secret!(secret: [Poly<16>; K]);
        memory!(memory: K);
        lanes::keygen(s, (seed_A, seed_s), public_seed, stream, secret);
        for (f, bytes) in secret.iter().zip(s_bytes.chunks_exact_mut(POLY_Q)) {
            bits::pack::<_, 13>(s, f.as_flattened(), bytes);
        }
        evaluate_all(s, secret, memory.secret, free_of(memory.room));
        rounded_product::<_, K, true>(s, Factor::Bytes(stream), memory, b_bytes);
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
    dispatch!(s => encapsulate::<_, K>(s, pk, Factor::Bytes(pk), coins, c, shared));
}

/// The seed of A.
#[inline(always)]
pub(super) fn seed_of(pk: &[u8]) -> &[u8; 32] {
    pk.last_chunk().expect("a key ends with a seed")
}

/// `Saber.KEM.Encaps`.
#[inline(always)]
pub(super) fn encapsulate<S: Simd, const K: usize>(
    s: S,
    pk: &[u8],
    b: Factor<'_, [Points<16>; K]>,
    coins: &[u8],
    c: &mut [u8],
    shared: &mut [u8; 32],
) {
    scratch!(stream: Stream<K>);
    secret!(m: [u8; 32], kr: [u8; 64], secrets: [Poly<16>; K]);
    let drawn = Drawn { kr: &mut *kr, secrets: &mut *secrets };
    lanes::encapsulation(s, (pk, seed_of(pk)), (coins, &mut *m), stream, drawn);
    memory!(memory: K);
    encrypt(s, (Factor::Bytes(stream), b), (m, secrets), memory, c);
    kdf(&kr[..32], &sha3_256(c), shared);
}

/// `Saber.KEM.Encaps` with A, b and H(pk) at hand.
#[inline(always)]
pub(super) fn encapsulate_expanded<S: Simd, const K: usize>(
    s: S,
    (A, b, h_pk): (&Matrix<K>, &[Points<16>; K], &[u8; 32]),
    coins: &[u8],
    c: &mut [u8],
    shared: &mut [u8; 32],
) {
    secret!(m: [u8; 32], kr: [u8; 64], bytes: [[u8; 32 * 10]; K], secrets: [Poly<16>; K]);
    sponge::<RATE_256, SUFFIX_SHA3>(&[coins], m);
    sponge::<RATE_SHA3_512, SUFFIX_SHA3>(&[m, h_pk], kr);
    let bytes = &mut bytes.as_flattened_mut()[..const { Params::of_rank(K).secrets() }];
    sponge::<RATE_SHAKE128, SUFFIX_SHAKE>(&[&kr[32..]], bytes);
    secrets_of(s, bytes, secrets);
    memory!(memory: K);
    encrypt(s, (Factor::Kept(A), Factor::Kept(b)), (m, secrets), memory, c);
    kdf(&kr[..32], &sha3_256(c), shared);
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

/// `Saber.KEM.Decaps` with the bytes of a key, whose hash is checked.
pub(crate) fn decapsulate_bytes<const K: usize>(
    sk: &[u8],
    c: &[u8],
    shared: &mut [u8; 32],
) -> Result<(), WrongHash> {
    let Parts { s_bytes, pk, h_pk, z } = Parts::of::<K>(sk);
    let key = Key { public: (pk, Factor::Bytes(pk)), secret: Factor::Bytes(s_bytes), h_pk, z };
    dispatch!(s => decapsulate::<_, K, true>(s, &key, c, shared))
}

/// What a decapsulation needs.
pub(super) struct Key<'a, const K: usize> {
    pub(super) public: (&'a [u8], Factor<'a, [Points<16>; K]>),
    pub(super) secret: Factor<'a, [Points<16>; K]>,
    pub(super) h_pk: &'a [u8; 32],
    pub(super) z: &'a [u8; 32],
}

/// `Saber.KEM.Decaps`. The hash is checked if `CHECKED`, beside the expansion of A.
#[inline(always)]
pub(super) fn decapsulate<S: Simd, const K: usize, const CHECKED: bool>(
    s: S,
    key: &Key<'_, K>,
    c: &[u8],
    shared: &mut [u8; 32],
) -> Result<(), WrongHash> {
    scratch!(stream: Stream<K>);
    secret!(m: [u8; 32], kr: [u8; 64], ephemeral: [Poly<16>; K]);
    memory!(memory: K);
    let ((pk, b), h_pk) = (key.public, key.h_pk);
    decrypt(s, key.secret, c, memory, m);
    let drawn = Drawn { kr: &mut *kr, secrets: &mut *ephemeral };
    let matrix = Some((seed_of(pk), &mut *stream));
    let hashed = Hashed { m, h_pk, c, pk: CHECKED.then_some(pk), matrix };
    let (h_c, again) = lanes::decapsulation(s, hashed, drawn);
    // Whether a key is damaged is public.
    if CHECKED && ct::differ(h_pk, &again).declassify() {
        return Err(WrongHash);
    }
    compare(s, (Factor::Bytes(stream), b), (m, ephemeral), memory, c, (kr, key.z));
    kdf(&kr[..32], &h_c, shared);
    Ok(())
}

/// `Saber.KEM.Decaps` with A at hand.
#[inline(always)]
pub(super) fn decapsulate_expanded<S: Simd, const K: usize>(
    s: S,
    A: &Matrix<K>,
    key: &Key<'_, K>,
    c: &[u8],
    shared: &mut [u8; 32],
) {
    secret!(m: [u8; 32], kr: [u8; 64], ephemeral: [Poly<16>; K]);
    memory!(memory: K);
    decrypt(s, key.secret, c, memory, m);
    let drawn = Drawn { kr: &mut *kr, secrets: &mut *ephemeral };
    let hashed = Hashed { m, h_pk: key.h_pk, c, pk: None, matrix: None };
    let (h_c, _) = lanes::decapsulation(s, hashed, drawn);
    compare(s, (Factor::Kept(A), key.public.1), (m, ephemeral), memory, c, (kr, key.z));
    kdf(&kr[..32], &h_c, shared);
}

/// Encrypts again; z takes the place of the first half of what G gave if another ciphertext results.
#[inline(always)]
fn compare<S: Simd, const K: usize>(
    s: S,
    public: (Factor<'_, Matrix<K>, Stream<K>>, Factor<'_, [Points<16>; K]>),
    plain: (&[u8; 32], &[Poly<16>; K]),
    memory: &mut Memory<'_, K>,
    c: &[u8],
    (kr, z): (&mut [u8; 64], &[u8; 32]),
) {
    secret!(again: [[u8; 512]; K]);
    let again = &mut again.as_flattened_mut()[..c.len()];
    encrypt(s, public, plain, memory, again);
    ct::differ(c, again).copy_if(&mut kr[..32], z);
}
