//! NTRU of NIST's third round (submission of 30 September 2020): NTRU-HPS and NTRU-HRSS.
//!
//! A message is a pair (r, m) of short polynomials, and its ciphertext is `c = r h + Lift(m)`.
//! Decryption returns both polynomials and checks them, which makes re-encryption unnecessary.
//!
//! | module | contents |
//! |---|---|
//! | [`params`] | the parameters of a set |
//! | [`sample`] | short polynomials from random bytes |
//! | [`encode`] | polynomials as bytes |
//! | [`pke`] | key generation, encryption, decryption of pairs |
//! | [`fo`] | encapsulation, decapsulation |
//! | [`keys`] | keys, parsed |
//!
//! `L` is the length of the chunks in which [`oaklath_poly::pow2`] multiplies: one sixteenth of the
//! polynomial's length, rounded up.

mod encode;
mod fo;
mod keys;
mod params;
mod pke;
mod sample;

use oaklath_poly::pow2::Points;
use oaklath_simd::{dispatch, secret};

use self::keys::{NtruExpandedKey, NtruPublicKey, NtruSecretKey};
use self::params::NtruParams;
use self::pke::SecretPoints;
use crate::error::Error;
use crate::scheme::{
    DecapsulationItem, DecapsulationKeyRef, EncapsulationItem, EncapsulationKeyRef, KemLengths,
    KemScheme, KeyPairItem,
};

/// NTRU of degree `N`, with polynomials in chunks of `L`.
#[derive(Debug)]
pub struct NtruKem<const L: usize, const N: usize>;

impl<const L: usize, const N: usize> NtruKem<L, N> {
    const P: &'static NtruParams = &NtruParams::of_degree(N);
}

impl<const L: usize, const N: usize> KemScheme for NtruKem<L, N> {
    type Public = NtruPublicKey<L>;
    type Secret = NtruSecretKey<L>;
    type Expanded = NtruExpandedKey;
    const LENGTHS: KemLengths = Self::P.lengths();

    /// `Key_Pair`: the seed holds the random bytes for f, g and the rejection key.
    fn keygen(KeyPairItem { seed, ek: pk, dk: sk }: KeyPairItem<'_>) {
        let (short, rejection) = seed.split_at(Self::P.coins());
        let (key, end) = sk.split_at_mut(sk.len() - 32);
        end.copy_from_slice(rejection);
        dispatch!(s => pke::keygen::<_, L>(s, Self::P, short, pk, key));
    }

    /// `Encapsulate`. Bits after the last coefficient of the key are ignored, as in the
    /// submission.
    fn encapsulate_bytes(item: EncapsulationItem<'_, &[u8]>) -> Result<(), Error> {
        let EncapsulationItem { key: pk, coins, c, shared } = item;
        dispatch!(s => {
            secret!(points: Points<L>);
            fo::read_public(s, Self::P, pk, points);
            fo::encapsulate(s, Self::P, points, coins, c, shared);
        });
        Ok(())
    }

    fn decapsulate_bytes(item: DecapsulationItem<'_, &[u8]>) -> Result<(), Error> {
        let DecapsulationItem { key: sk, c, shared } = item;
        let rejection = sk.last_chunk().expect("a key ends with 32 bytes");
        dispatch!(s => {
            secret!(points: SecretPoints<L>);
            fo::read_secret(s, Self::P, sk, points);
            fo::decapsulate(s, Self::P, points, rejection, c, shared);
        });
        Ok(())
    }

    fn parse_public(key: &mut Self::Public, pk: &[u8]) -> Result<(), Error> {
        key.parse(Self::P, pk);
        Ok(())
    }

    fn parse_secret(
        secret: &mut Self::Secret,
        public: &mut Self::Public,
        pk: &mut [u8],
        sk: &[u8],
    ) -> Result<(), Error> {
        secret.parse(Self::P, pk, sk)?;
        public.parse(Self::P, pk);
        Ok(())
    }

    fn parse_trusted(secret: &mut Self::Secret, public: &mut Self::Public, pk: &[u8], sk: &[u8]) {
        secret.parse_trusted(Self::P, sk);
        public.parse(Self::P, pk);
    }

    fn write_secret(key: &Self::Secret, _: &[u8], sk: &mut [u8]) {
        key.write(Self::P, sk);
    }

    fn expand(_: &mut Self::Expanded, _: &[u8]) {}

    fn encapsulate(item: EncapsulationItem<'_, EncapsulationKeyRef<'_, Self>>) {
        let EncapsulationItem { key, coins, c, shared } = item;
        key.parsed.encapsulate(Self::P, coins, c, shared);
    }

    fn decapsulate(item: DecapsulationItem<'_, DecapsulationKeyRef<'_, Self>>) {
        let DecapsulationItem { key, c, shared } = item;
        key.secret.decapsulate(Self::P, c, shared);
    }
}
