//! ML-KEM and Kyber as schemes: memory of each rank, the level of the CPU, and the computation.
use core::marker::PhantomData;

use oaklath_poly::q3329::{Entry, NttPoly};
use oaklath_simd::{Simd, ct, dispatch, scratch, secret, wipe};

use super::keygen::KeygenMemory;
use super::keys::{
    DecapsulationKeyBytes, DecapsulationKeyParts, EncapsulationKeyParts, Matrix, ModuleExpandedKey,
    ModulePublicKey, ModuleSecretKey,
};
use super::memory::{MatrixSource, PkeMemory, pke_memory};
use super::params::MlKemParams;
use super::pke::{decode_vector, decode_vector_checked};
use crate::error::Error;
use crate::scheme::{DecapsulationKeyRef, EncapsulationKeyRef, KemLengths, KemScheme};

/// The operations of a variant, whatever the rank. Out of line.
pub trait ModuleOperations: Send + Sync + 'static {
    /// Returns H(ek).
    fn hash<S: Simd>(s: S, ek: &[u8]) -> [u8; 32];
    /// Writes ek and dk.
    fn keygen<S: Simd>(
        s: S,
        p: &MlKemParams,
        seed: &[u8; 64],
        memory: KeygenMemory<'_>,
        ek: &mut [u8],
        dk: &mut [u8],
    );
    /// Writes `A_hat` and returns H(ek).
    fn expand<S: Simd>(s: S, p: &MlKemParams, ek: &[u8], A_hat: &mut [Entry]) -> [u8; 32];
    /// Writes c and the shared secret.
    fn encapsulate<S: Simd>(
        s: S,
        key: &EncapsulationKeyParts<'_>,
        random: &[u8; 32],
        memory: &mut PkeMemory<'_>,
        c: &mut [u8],
        shared: &mut [u8; 32],
    );
    /// Writes the shared secret; returns H(ek) of a [`MatrixSource::SampledBesideHash`] key.
    fn decapsulate<S: Simd>(
        s: S,
        key: &DecapsulationKeyParts<'_>,
        matrix: MatrixSource<'_>,
        memory: &mut PkeMemory<'_>,
        c: &[u8],
        shared: &mut [u8; 32],
    ) -> [u8; 32];
}

/// A variant of rank `K`.
#[derive(Debug)]
pub struct ModuleKem<V, const K: usize>(PhantomData<V>);

impl<V, const K: usize> ModuleKem<V, K> {
    const P: &'static MlKemParams = &MlKemParams::of_rank(K);
}

/// d || z, whose length the caller has checked: FIPS 203, Algorithm 16.
fn as_seed(seed: &[u8]) -> &[u8; 64] {
    seed.first_chunk().expect("64 bytes")
}

/// m, whose length the caller has checked: FIPS 203, Algorithm 17.
fn as_message(coins: &[u8]) -> &[u8; 32] {
    coins.first_chunk().expect("32 bytes")
}

impl<V: ModuleOperations, const K: usize> KemScheme for ModuleKem<V, K> {
    type Public = ModulePublicKey<K>;
    type Secret = ModuleSecretKey<K>;
    type Expanded = ModuleExpandedKey<K>;
    const LENGTHS: KemLengths = Self::P.lengths();

    fn keygen(seed: &[u8], ek: &mut [u8], dk: &mut [u8]) {
        scratch!(A_hat: Matrix<K>);
        secret!(e_hat: [NttPoly; K]);
        pke_memory!(memory: K);
        let memory = KeygenMemory::new(Self::P, A_hat.as_flattened_mut(), memory, e_hat);
        dispatch!(s => V::keygen(s, Self::P, as_seed(seed), memory, ek, dk));
    }

    fn encapsulate_bytes(
        ek: &[u8],
        coins: &[u8],
        c: &mut [u8],
        shared: &mut [u8; 32],
    ) -> Result<(), Error> {
        scratch!(t_hat: [NttPoly; K], A_hat: Matrix<K>);
        pke_memory!(memory: K);
        let A_hat = A_hat.as_flattened_mut();
        dispatch!(s => {
            // Section 7.2, with Algorithm 14, line 2
            if !decode_vector_checked(s, ek, t_hat) {
                return Err(Error::EncapsulationKeyNotCanonical);
            }
            let h_ek = &V::expand(s, Self::P, ek, A_hat);
            let key = EncapsulationKeyParts { p: Self::P, t_hat, A_hat, h_ek };
            V::encapsulate(s, &key, as_message(coins), memory, c, shared);
            Ok(())
        })
    }

    fn decapsulate_bytes(dk: &[u8], c: &[u8], shared: &mut [u8; 32]) -> Result<(), Error> {
        secret!(s_hat: [NttPoly; K]);
        scratch!(t_hat: [NttPoly; K], A_hat: Matrix<K>);
        pke_memory!(memory: K);
        // Algorithm 18, 1-4
        let DecapsulationKeyBytes { dk_pke, ek_pke, h, z } =
            DecapsulationKeyBytes::split(Self::P, dk);
        let rho = ek_pke.last_chunk().expect("ek ends with rho");
        let mut canonical = false;
        // Section 7.3: H(ek) is computed in a lane.
        let computed = dispatch!(s => {
            // Algorithm 15, line 5, and Algorithm 14, line 2
            decode_vector(s, dk_pke, s_hat);
            canonical = decode_vector_checked(s, ek_pke, t_hat);
            let key = DecapsulationKeyParts { p: Self::P, s_hat, t_hat, rho, h, z };
            let matrix = MatrixSource::SampledBesideHash(A_hat.as_flattened_mut(), ek_pke);
            V::decapsulate(s, &key, matrix, memory, c, shared)
        });
        // Whether a key is damaged is public, here as in `parse_secret`.
        let damaged = ct::differ(h, &computed).declassify();
        if damaged || !canonical {
            wipe(shared);
            let (hash, key) = (Error::DecapsulationKeyHash, Error::EncapsulationKeyNotCanonical);
            return Err(if damaged { hash } else { key });
        }
        Ok(())
    }

    fn parse_public(key: &mut Self::Public, ek: &[u8]) -> Result<(), Error> {
        key.parse(ek)
    }

    fn parse_secret(
        secret: &mut Self::Secret,
        public: &mut Self::Public,
        ek: &mut [u8],
        dk: &[u8],
    ) -> Result<(), Error> {
        let parts = DecapsulationKeyBytes::split(Self::P, dk);
        let computed = dispatch!(s => V::hash(s, parts.ek_pke));
        if ct::differ(parts.h, &computed).declassify() {
            return Err(Error::DecapsulationKeyHash);
        }
        public.parse(parts.ek_pke)?;
        secret.parse(dk);
        ek.copy_from_slice(parts.ek_pke);
        Ok(())
    }

    fn parse_trusted(secret: &mut Self::Secret, public: &mut Self::Public, ek: &[u8], dk: &[u8]) {
        public.parse_trusted(ek);
        secret.parse(dk);
    }

    fn write_secret(key: &Self::Secret, ek: &[u8], dk: &mut [u8]) {
        key.write(ek, dk);
    }

    fn expand(expanded: &mut Self::Expanded, ek: &[u8]) {
        let ModuleExpandedKey { A_hat, h_ek } = expanded;
        *h_ek = dispatch!(s => V::expand(s, Self::P, ek, A_hat.as_flattened_mut()));
    }

    fn encapsulate(
        key: EncapsulationKeyRef<'_, Self>,
        coins: &[u8],
        c: &mut [u8],
        shared: &mut [u8; 32],
    ) {
        pke_memory!(memory: K);
        let (t_hat, m) = (&key.parsed.t_hat[..], as_message(coins));
        if let Some(ModuleExpandedKey { A_hat, h_ek }) = key.expanded {
            let key =
                EncapsulationKeyParts { p: Self::P, t_hat, A_hat: A_hat.as_flattened(), h_ek };
            dispatch!(s => V::encapsulate(s, &key, m, memory, c, shared));
        } else {
            scratch!(A_hat: Matrix<K>);
            let A_hat = A_hat.as_flattened_mut();
            dispatch!(s => {
                let h_ek = &V::expand(s, Self::P, key.bytes, A_hat);
                let key = EncapsulationKeyParts { p: Self::P, t_hat, A_hat, h_ek };
                V::encapsulate(s, &key, m, memory, c, shared);
            });
        }
    }

    fn decapsulate(key: DecapsulationKeyRef<'_, Self>, c: &[u8], shared: &mut [u8; 32]) {
        let DecapsulationKeyRef { public, secret } = key;
        let parts = &DecapsulationKeyParts::of(Self::P, public.bytes, public.parsed, secret);
        pke_memory!(memory: K);
        if let Some(expanded) = public.expanded {
            dispatch!(s => {
                let matrix = MatrixSource::Expanded(expanded.A_hat.as_flattened());
                V::decapsulate(s, parts, matrix, memory, c, shared);
            });
        } else {
            scratch!(A_hat: Matrix<K>);
            dispatch!(s => {
                let matrix = MatrixSource::Sampled(A_hat.as_flattened_mut());
                V::decapsulate(s, parts, matrix, memory, c, shared);
            });
        }
    }
}

#[cfg(all(test, feature = "ml-kem"))]
mod tests {
    use super::super::variant::MlKem;
    use super::*;
    use oaklath_simd::Level;
    use std::vec;

    /// Sampling rows beside the lanes, always, gives the same keys.
    fn cold_keys_are_equal<const K: usize>() {
        let p = &MlKemParams::of_rank(K);
        for i in 0..100 {
            let seed = [i; 64];
            let keys = |cold: bool| {
                let (mut ek, mut dk) = (vec![0; p.public_key()], vec![0; p.secret_key()]);
                scratch!(A_hat: Matrix<K>, e_hat: [NttPoly; K]);
                pke_memory!(memory: K);
                let mut memory = KeygenMemory::new(p, A_hat.as_flattened_mut(), memory, e_hat);
                memory.cold = cold;
                dispatch!(s => {
                    MlKem::keygen(s, p, &seed, memory, &mut ek, &mut dk);
                });
                (ek, dk)
            };
            assert!(keys(true) == keys(false), "k = {K}, seed {i}");
        }
    }

    #[test]
    fn the_cold_path_of_key_generation() {
        for level in Level::available() {
            level.with(|| {
                cold_keys_are_equal::<2>();
                cold_keys_are_equal::<3>();
                cold_keys_are_equal::<4>();
            });
        }
    }
}
