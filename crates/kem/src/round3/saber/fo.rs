//! Key generation, encapsulation, decapsulation: SABER round 3, sections 8.5.1 to 8.5.3. The rank
//! is a value: callers provide the memory whose size depends on it.
use oaklath_hash::keccak::{RATE_256, RATE_SHA3_512, RATE_SHAKE128, SUFFIX_SHA3, SUFFIX_SHAKE};
use oaklath_hash::sha3::{sha3_256, sponge};
use oaklath_poly::bits;
use oaklath_poly::pow2::{Points, Poly};
use oaklath_simd::{Simd, ct, secret, vectorize};

use super::lanes::{
    DecapsulationInputs, DrawnSecrets, run_decapsulation, run_encapsulation, run_keygen, seed_of,
};
use super::params::{POLY_P, POLY_Q, SaberParams};
use super::pke::{
    EncryptionInputs, FactorSource, ProductMemory, decrypt, encrypt, evaluate_secret,
    rounded_product,
};
use super::sample::secrets_of;
use crate::error::Error;

/// Bytes of the longest ciphertext.
const MAX_CIPHERTEXT: usize = SaberParams::of_rank(4).ciphertext();
/// The maximum number of bytes from which secrets are drawn, over all ranks.
const MAX_SECRETS: usize = SaberParams::of_rank(3).secrets();

/// The matrix as bytes, and s or s'.
pub(super) struct SampleMemory<'a> {
    pub(super) stream: &'a mut [[u8; POLY_Q]],
    pub(super) secrets: &'a mut [Poly<16>],
}

/// Declares [`SampleMemory`], erased at the end of the scope.
macro_rules! sample_memory {
    ($name:ident: $k:ident) => {
        oaklath_simd::scratch!(stream: [[[u8; $crate::round3::saber::params::POLY_Q]; $k]; $k]);
        oaklath_simd::secret!(secrets: [oaklath_poly::pow2::Poly<16>; $k]);
        let stream = stream.as_flattened_mut();
        let $name = $crate::round3::saber::fo::SampleMemory { stream, secrets };
    };
}
pub(super) use sample_memory;

/// `Saber.KEM.KeyGen`: the seed holds the seeds of A and of s, and z, 32 bytes each. Out of line.
#[inline(never)]
pub(super) fn keygen<S: Simd>(
    s: S,
    p: &SaberParams,
    seed: &[u8],
    SampleMemory { stream, secrets }: SampleMemory<'_>,
    memory: &mut ProductMemory<'_>,
    pk: &mut [u8],
    sk: &mut [u8],
) {
    let ([seed_A, seed_s, z], _) = seed.as_chunks::<32>() else {
        unreachable!("three times 32 bytes");
    };
    let (s_bytes, rest) = sk.split_at_mut(POLY_Q * p.l);
    vectorize!(s => {
        let (b_bytes, public_seed) = pk.split_at_mut(POLY_P * p.l);
        let public_seed = public_seed.first_chunk_mut().expect("a key ends with a seed");
        run_keygen(s, p, (seed_A, seed_s), public_seed, stream, secrets);
        for (f, bytes) in secrets.iter().zip(s_bytes.chunks_exact_mut(POLY_Q)) {
            bits::pack(s, 13, f.as_flattened(), bytes);
        }
        evaluate_secret(s, secrets, memory);
        rounded_product(s, FactorSource::Bytes(stream.as_flattened()), true, memory, b_bytes);
    });
    let (pk_copy, end) = rest.split_at_mut(pk.len());
    pk_copy.copy_from_slice(pk);
    end[..32].copy_from_slice(&sha3_256(pk));
    end[32..].copy_from_slice(z);
}

/// `Saber.KEM.Encaps` to the key `pk`, whose b is given as bytes or as points. Out of line.
#[inline(never)]
pub(super) fn encapsulate<S: Simd>(
    s: S,
    p: &SaberParams,
    (pk, b): (&[u8], FactorSource<'_>),
    coins: &[u8],
    (samples, memory): (SampleMemory<'_>, &mut ProductMemory<'_>),
    c: &mut [u8],
    shared: &mut [u8; 32],
) {
    vectorize!(s => {
        let SampleMemory { stream, secrets } = samples;
        secret!(m: [u8; 32], kr: [u8; 64]);
        let drawn = DrawnSecrets { kr: &mut *kr, secrets: &mut *secrets };
        run_encapsulation(s, p, pk, coins, m, stream, drawn);
        let A = FactorSource::Bytes(stream.as_flattened());
        encrypt(s, p, &EncryptionInputs { A, b, secrets }, m, memory, c);
        kdf(&kr[..32], &sha3_256(c), shared);
    });
}

/// An expanded encapsulation key: A, b and H(pk).
pub(super) struct ExpandedParts<'a> {
    pub(super) A: &'a [Points<16>],
    pub(super) b: &'a [Points<16>],
    pub(super) h_pk: &'a [u8; 32],
}

/// `Saber.KEM.Encaps` with precomputed A, b and H(pk). Out of line.
#[inline(never)]
pub(super) fn encapsulate_expanded<S: Simd>(
    s: S,
    p: &SaberParams,
    key: &ExpandedParts<'_>,
    coins: &[u8],
    secrets: &mut [Poly<16>],
    memory: &mut ProductMemory<'_>,
    (c, shared): (&mut [u8], &mut [u8; 32]),
) {
    vectorize!(s => {
        secret!(m: [u8; 32], kr: [u8; 64], bytes: [u8; MAX_SECRETS]);
        sponge::<RATE_256, SUFFIX_SHA3>(&[coins], m);
        sponge::<RATE_SHA3_512, SUFFIX_SHA3>(&[m, key.h_pk], kr);
        let bytes = &mut bytes[..p.secrets()];
        sponge::<RATE_SHAKE128, SUFFIX_SHAKE>(&[&kr[32..]], bytes);
        secrets_of(s, p.mu, bytes, secrets);
        let (A, b) = (FactorSource::Kept(key.A), FactorSource::Kept(key.b));
        encrypt(s, p, &EncryptionInputs { A, b, secrets }, m, memory, c);
        kdf(&kr[..32], &sha3_256(c), shared);
    });
}

/// Writes the shared secret: SHA3-256 of `k`, the first half of G's output or z, and of H(c).
#[inline(always)]
fn kdf(k: &[u8], h_c: &[u8; 32], shared: &mut [u8; 32]) {
    sponge::<RATE_256, SUFFIX_SHA3>(&[k, h_c], shared);
}

/// The parts of the bytes of a decapsulation key.
#[derive(Clone, Copy)]
pub(super) struct SaberKeyBytes<'a> {
    pub(super) s_bytes: &'a [u8],
    pub(super) pk: &'a [u8],
    pub(super) h_pk: &'a [u8; 32],
    pub(super) z: &'a [u8; 32],
}

impl<'a> SaberKeyBytes<'a> {
    #[inline(always)]
    pub(super) fn split(p: &SaberParams, sk: &'a [u8]) -> Self {
        let (s_bytes, rest) = sk.split_at(POLY_Q * p.l);
        let (pk, end) = rest.split_at(p.public_key());
        let (h_pk, z) = end.split_first_chunk().expect("a key has H(pk)");
        Self { s_bytes, pk, h_pk, z: z.first_chunk().expect("a key ends with z") }
    }

    /// Checks H(pk) in the key. (The submission does not check it; honest keys pass.)
    pub(super) fn check(&self) -> Result<(), Error> {
        // Whether a key is damaged is public.
        let damaged = ct::differ(self.h_pk, &sha3_256(self.pk)).declassify();
        if damaged { Err(Error::DecapsulationKeyHash) } else { Ok(()) }
    }
}

/// A decapsulation key, as bytes or parsed.
pub(super) struct SaberDecapsulationKey<'a> {
    pub(super) pk: &'a [u8],
    pub(super) b: FactorSource<'a>,
    pub(super) s: FactorSource<'a>,
    /// A, if the key is expanded.
    pub(super) A: Option<&'a [Points<16>]>,
    pub(super) h_pk: &'a [u8; 32],
    pub(super) z: &'a [u8; 32],
    /// Whether `h_pk` is to be checked.
    pub(super) unchecked: bool,
}

/// `Saber.KEM.Decaps`. H(pk) of an unchecked key is computed while A is expanded. Out of line.
#[inline(never)]
pub(super) fn decapsulate<S: Simd>(
    s: S,
    p: &SaberParams,
    key: &SaberDecapsulationKey<'_>,
    c: &[u8],
    SampleMemory { stream, secrets }: SampleMemory<'_>,
    memory: &mut ProductMemory<'_>,
    shared: &mut [u8; 32],
) -> Result<(), Error> {
    vectorize!(s => {
        secret!(m: [u8; 32], kr: [u8; 64], again: [u8; MAX_CIPHERTEXT]);
        let (again, h_pk) = (&mut again[..c.len()], key.h_pk);
        decrypt(s, p, key.s, c, memory, m);
        let matrix = key.A.is_none().then_some((seed_of(key.pk), &mut *stream));
        let pk = key.unchecked.then_some(key.pk);
        let drawn = DrawnSecrets { kr: &mut *kr, secrets: &mut *secrets };
        let inputs = DecapsulationInputs { m, h_pk, c, pk, matrix };
        let (h_c, computed) = run_decapsulation(s, p, inputs, drawn);
        // Whether the key is damaged is public.
        if key.unchecked && ct::differ(h_pk, &computed).declassify() {
            return Err(Error::DecapsulationKeyHash);
        }
        let A = key.A.map_or(FactorSource::Bytes(stream.as_flattened()), FactorSource::Kept);
        encrypt(s, p, &EncryptionInputs { A, b: key.b, secrets }, m, memory, again);
        // If re-encryption gives a different ciphertext, z replaces the first half of G's output.
        ct::differ(c, again).copy_if(&mut kr[..32], key.z);
        kdf(&kr[..32], &h_c, shared);
        Ok(())
    })
}
