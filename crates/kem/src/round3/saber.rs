//! The three sets of SABER of NIST's third round.
//!
//! | module | contents |
//! |---|---|
//! | [`params`] | the parameters of a rank |
//! | [`lanes`] | all hashes, computed side by side |
//! | [`sample`] | secrets from random bytes |
//! | [`pke`] | products, rounding, encryption and decryption |
//! | [`fo`] | key generation, encapsulation, decapsulation |
//! | [`keys`] | keys, checked and parsed |
#![expect(non_snake_case, reason = "notation of the submission: A, s, b")]

mod fo;
mod keys;
mod lanes;
mod params;
mod pke;
mod sample;

use oaklath_hash::sha3::sha3_256;
use oaklath_poly::pow2::PointsRoom;
use oaklath_simd::{dispatch, scratch, secret};

use self::fo::{ExpandedParts, SaberDecapsulationKey, SaberKeyBytes, sample_memory};
use self::keys::{SaberExpandedKey, SaberPublicKey, SaberSecretKey};
use self::params::{POLY_Q, SaberParams};
use self::pke::{FactorSource, product_memory};
use crate::error::Error;
use crate::scheme::{
    DecapsulationItem, DecapsulationKeyRef, EncapsulationItem, EncapsulationKeyRef, KemLengths,
    KemScheme, KeyPairItem,
};

/// SABER of rank `K`.
#[derive(Debug)]
pub struct SaberKem<const K: usize>;

impl<const K: usize> SaberKem<K> {
    const P: &'static SaberParams = &SaberParams::of_rank(K);

    /// Decapsulates with a key whose A, b and s are bytes or points.
    fn decapsulate_by(
        key: &SaberDecapsulationKey<'_>,
        c: &[u8],
        shared: &mut [u8; 32],
    ) -> Result<(), Error> {
        sample_memory!(samples: K);
        product_memory!(memory: K);
        dispatch!(s => fo::decapsulate(s, Self::P, key, c, samples, memory, shared))
    }
}

impl<const K: usize> KemScheme for SaberKem<K> {
    type Public = SaberPublicKey<K>;
    type Secret = SaberSecretKey<K>;
    type Expanded = SaberExpandedKey<K>;
    const LENGTHS: KemLengths = Self::P.lengths();

    fn keygen(KeyPairItem { seed, ek: pk, dk: sk }: KeyPairItem<'_>) {
        sample_memory!(samples: K);
        product_memory!(memory: K);
        dispatch!(s => fo::keygen(s, Self::P, seed, samples, memory, pk, sk));
    }

    fn encapsulate_bytes(item: EncapsulationItem<'_, &[u8]>) -> Result<(), Error> {
        let EncapsulationItem { key: pk, coins, c, shared } = item;
        sample_memory!(samples: K);
        product_memory!(memory: K);
        let (key, room) = ((pk, FactorSource::Bytes(pk)), (samples, memory));
        dispatch!(s => fo::encapsulate(s, Self::P, key, coins, room, c, shared));
        Ok(())
    }

    fn decapsulate_bytes(item: DecapsulationItem<'_, &[u8]>) -> Result<(), Error> {
        let DecapsulationItem { key: sk, c, shared } = item;
        let SaberKeyBytes { s_bytes, pk, h_pk, z } = SaberKeyBytes::split(Self::P, sk);
        let (b, s) = (FactorSource::Bytes(pk), FactorSource::Bytes(s_bytes));
        let key = SaberDecapsulationKey { pk, b, s, A: None, h_pk, z, unchecked: true };
        Self::decapsulate_by(&key, c, shared)
    }

    fn parse_public(key: &mut Self::Public, pk: &[u8]) -> Result<(), Error> {
        key.parse(pk);
        Ok(())
    }

    fn parse_secret(
        secret: &mut Self::Secret,
        public: &mut Self::Public,
        pk: &mut [u8],
        sk: &[u8],
    ) -> Result<(), Error> {
        let parts = SaberKeyBytes::split(Self::P, sk);
        parts.check()?;
        pk.copy_from_slice(parts.pk);
        Self::parse_trusted(secret, public, pk, sk);
        Ok(())
    }

    fn parse_trusted(secret: &mut Self::Secret, public: &mut Self::Public, pk: &[u8], sk: &[u8]) {
        public.parse(pk);
        secret.parse(sk);
    }

    fn write_secret(key: &Self::Secret, pk: &[u8], sk: &mut [u8]) {
        key.write(pk, sk);
    }

    fn expand(expanded: &mut Self::Expanded, pk: &[u8]) {
        scratch!(stream: [[[u8; POLY_Q]; K]; K], room: PointsRoom);
        let (stream, A) = (stream.as_flattened_mut(), expanded.A.as_flattened_mut());
        dispatch!(s => {
            lanes::run_matrix(s, lanes::seed_of(pk), stream);
            pke::read_vector(s, 13, stream.as_flattened(), A, &mut **room);
        });
        expanded.h_pk = sha3_256(pk);
    }

    fn encapsulate(item: EncapsulationItem<'_, EncapsulationKeyRef<'_, Self>>) {
        let EncapsulationItem { key, coins, c, shared } = item;
        product_memory!(memory: K);
        let b = &key.parsed.b;
        if let Some(SaberExpandedKey { A, h_pk }) = key.expanded {
            secret!(secrets: [oaklath_poly::pow2::Poly<16>; K]);
            let (key, out) = (ExpandedParts { A: A.as_flattened(), b, h_pk }, (c, shared));
            dispatch!(s => {
                fo::encapsulate_expanded(s, Self::P, &key, coins, secrets, memory, out);
            });
        } else {
            sample_memory!(samples: K);
            let (key, room) = ((key.bytes, FactorSource::Kept(b)), (samples, memory));
            dispatch!(s => fo::encapsulate(s, Self::P, key, coins, room, c, shared));
        }
    }

    fn decapsulate(item: DecapsulationItem<'_, DecapsulationKeyRef<'_, Self>>) {
        let DecapsulationItem { key, c, shared } = item;
        let DecapsulationKeyRef { public, secret: SaberSecretKey { s, h_pk, z, .. } } = key;
        let (b, s) = (FactorSource::Kept(&public.parsed.b), FactorSource::Kept(s));
        let A = public.expanded.map(|expanded| expanded.A.as_flattened());
        let key = SaberDecapsulationKey { pk: public.bytes, b, s, A, h_pk, z, unchecked: false };
        let result = Self::decapsulate_by(&key, c, shared);
        debug_assert!(result.is_ok(), "nothing is checked");
    }
}
