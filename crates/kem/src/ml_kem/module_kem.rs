//! ML-KEM and Kyber as schemes: the memory of each rank, the SIMD level, and the operations.
use core::marker::PhantomData;

use oaklath_poly::q3329::{Entry, NttPoly};
use oaklath_simd::arrays::{map, zip};
use oaklath_simd::{ct, scratch, secret, wipe};

use super::keygen::KeygenMemory;
use super::keys::{
    DecapsulationKeyBytes, DecapsulationKeyParts, EncapsulationKeyParts, Matrix, ModuleExpandedKey,
    ModulePublicKey, ModuleSecretKey,
};
use super::memory::{MatrixSource, PkeMemory, pke_memory};
use super::params::MlKemParams;
use super::pke::{decode_vector, decode_vector_checked};
use super::tasks::{DecapsulationTask, EncapsulationTask, KeygenTask};
use crate::error::Error;
use crate::scheme::{
    DecapsulationItem, DecapsulationKeyRef, EncapsulationItem, EncapsulationKeyRef, KemLengths,
    KemScheme, KeyPairItem,
};

/// The operations of a variant at the SIMD level of the CPU, for all ranks.
pub trait ModuleOperations: Send + Sync + 'static {
    /// Whether two operations side by side may take less time than one after the other.
    const SIDE_BY_SIDE: bool;
    /// Returns H(ek).
    fn hash(ek: &[u8]) -> [u8; 32];
    /// Writes the keys of each task.
    fn keygen<const N: usize>(p: &MlKemParams, tasks: [KeygenTask<'_>; N]);
    /// Writes the matrix of each key and returns its hash.
    fn expand<const N: usize>(p: &MlKemParams, keys: [(&[u8], &mut [Entry]); N]) -> [[u8; 32]; N];
    /// Writes c and the shared secret of each task.
    fn encapsulate<const N: usize>(p: &MlKemParams, tasks: [EncapsulationTask<'_>; N]);
    /// Writes the shared secret of each task; returns H(ek) of
    /// [`MatrixSource::SampledBesideHash`] keys. All matrices must have the same source.
    fn decapsulate<const N: usize>(
        p: &MlKemParams,
        tasks: [DecapsulationTask<'_>; N],
    ) -> [[u8; 32]; N];
}

/// A variant of rank `K`.
#[derive(Debug)]
pub struct ModuleKem<V, const K: usize>(PhantomData<V>);

impl<V, const K: usize> ModuleKem<V, K> {
    const P: &'static MlKemParams = &MlKemParams::of_rank(K);
}

/// Returns d || z, whose length the caller has checked: FIPS 203, Algorithm 16.
fn as_seed(seed: &[u8]) -> &[u8; 64] {
    seed.first_chunk().expect("64 bytes")
}

/// Returns m, whose length the caller has checked: FIPS 203, Algorithm 17.
fn as_message(coins: &[u8]) -> &[u8; 32] {
    coins.first_chunk().expect("32 bytes")
}

/// Joins an encapsulation, its memory and the parts of its key.
fn encapsulation_task<'a, K>(
    ((item, memory), key): ((EncapsulationItem<'a, K>, PkeMemory<'a>), EncapsulationKeyParts<'a>),
) -> EncapsulationTask<'a> {
    let EncapsulationItem { coins, c, shared, .. } = item;
    EncapsulationTask { key, random: as_message(coins), memory, c, shared }
}

/// Encapsulates to keys given as bytes and decoded vectors, for which matrices are sampled.
fn encapsulate_to<V: ModuleOperations, K, const N: usize>(
    p: &MlKemParams,
    items: [EncapsulationItem<'_, K>; N],
    (eks, t_hat): ([&[u8]; N], [&[NttPoly]; N]),
    mut A_hat: [&mut [Entry]; N],
    memory: [PkeMemory<'_>; N],
) {
    let h_ek = V::expand(p, zip(eks, map(A_hat.each_mut(), |A_hat| &mut **A_hat)));
    let expanded = zip(A_hat.each_ref(), h_ek.each_ref());
    let keys = map(zip(t_hat, expanded), |(t_hat, (A_hat, h_ek))| EncapsulationKeyParts {
        t_hat,
        A_hat,
        h_ek,
    });
    V::encapsulate(p, map(zip(zip(items, memory), keys), encapsulation_task));
}

/// Each operation for one item, or for two side by side. Out of line, so that its memory is on the
/// stack only while it runs.
impl<V: ModuleOperations, const K: usize> ModuleKem<V, K> {
    #[inline(never)]
    fn keygen_items<const N: usize>(items: [KeyPairItem<'_>; N]) {
        scratch!(A_hat: [Matrix<K>; N]);
        secret!(e_hat: [[NttPoly; K]; N]);
        pke_memory!(memory: K, N);
        let memory = zip(memory, zip(A_hat.each_mut(), e_hat.each_mut()));
        let tasks = map(zip(items, memory), |(item, (memory, (A_hat, e_hat)))| {
            let KeyPairItem { seed, ek, dk } = item;
            let memory = KeygenMemory::new(Self::P, A_hat.as_flattened_mut(), memory, e_hat);
            KeygenTask { seed: as_seed(seed), memory, ek, dk }
        });
        V::keygen(Self::P, tasks);
    }

    #[inline(never)]
    fn encapsulate_bytes_items<const N: usize>(
        items: [EncapsulationItem<'_, &[u8]>; N],
    ) -> [Result<(), Error>; N] {
        scratch!(t_hat: [[NttPoly; K]; N], A_hat: [Matrix<K>; N]);
        pke_memory!(memory: K, N);
        let mut results = [Err(Error::EncapsulationKeyNotCanonical); N];
        // Section 7.2, with Algorithm 14, line 2
        for ((item, t_hat), result) in items.iter().zip(t_hat.iter_mut()).zip(&mut results) {
            if decode_vector_checked(item.key, t_hat) {
                *result = Ok(());
            }
        }
        if results.iter().any(Result::is_ok) {
            let eks = map(items.each_ref(), |item| item.key);
            let t_hat = map(t_hat.each_ref(), <[NttPoly; K]>::as_slice);
            let A_hat = map(A_hat.each_mut(), |A_hat| A_hat.as_flattened_mut());
            encapsulate_to::<V, _, N>(Self::P, items, (eks, t_hat), A_hat, memory);
        }
        results
    }

    #[inline(never)]
    fn decapsulate_bytes_items<const N: usize>(
        mut items: [DecapsulationItem<'_, &[u8]>; N],
    ) -> [Result<(), Error>; N] {
        secret!(s_hat: [[NttPoly; K]; N]);
        scratch!(t_hat: [[NttPoly; K]; N], A_hat: [Matrix<K>; N]);
        pke_memory!(memory: K, N);
        // Algorithm 18, 1-4
        let dks = map(items.each_ref(), |item| DecapsulationKeyBytes::split(Self::P, item.key));
        let mut canonical = [false; N];
        // Algorithm 15, line 5, and Algorithm 14, line 2
        for (i, dk) in dks.iter().enumerate() {
            decode_vector(dk.dk_pke, &mut s_hat[i]);
            canonical[i] = decode_vector_checked(dk.ek_pke, &mut t_hat[i]);
        }
        let places = zip(zip(s_hat.each_ref(), t_hat.each_ref()), A_hat.each_mut());
        let memory = zip(zip(dks, places), memory);
        let tasks = map(zip(items.each_mut(), memory), |(item, ((dk, places), memory))| {
            let DecapsulationKeyBytes { ek_pke, h, z, .. } = dk;
            let ((s_hat, t_hat), A_hat) = places;
            let rho = ek_pke.last_chunk().expect("ek ends with rho");
            let key = DecapsulationKeyParts { s_hat, t_hat, rho, h, z };
            let matrix = MatrixSource::SampledBesideHash(A_hat.as_flattened_mut(), ek_pke);
            DecapsulationTask { key, matrix, memory, c: item.c, shared: item.shared }
        });
        // Section 7.3, whose H(ek) is computed in a lane, and the modulus check of section 7.2
        let computed = V::decapsulate(Self::P, tasks);
        let mut results = [Ok(()); N];
        let checks = dks.iter().zip(computed).zip(canonical);
        for ((item, ((dk, computed), canonical)), result) in
            items.into_iter().zip(checks).zip(&mut results)
        {
            // Whether a key is damaged is public, here as in `parse_secret`.
            let damaged = ct::differ(dk.h, &computed).declassify();
            if damaged || !canonical {
                wipe(item.shared);
                let (hash, key) =
                    (Error::DecapsulationKeyHash, Error::EncapsulationKeyNotCanonical);
                *result = Err(if damaged { hash } else { key });
            }
        }
        results
    }

    /// Encapsulates to keys of which either all are expanded or none is.
    #[inline(never)]
    fn encapsulate_items<const N: usize>(
        items: [EncapsulationItem<'_, EncapsulationKeyRef<'_, Self>>; N],
    ) {
        pke_memory!(memory: K, N);
        if items[0].key.expanded.is_some() {
            let keys = map(items.each_ref(), |item| {
                let ModuleExpandedKey { A_hat, h_ek } = item.key.expanded.expect("as the first");
                let t_hat = &item.key.parsed.t_hat;
                EncapsulationKeyParts { t_hat, A_hat: A_hat.as_flattened(), h_ek }
            });
            let tasks = map(zip(zip(items, memory), keys), encapsulation_task);
            V::encapsulate(Self::P, tasks);
        } else {
            scratch!(A_hat: [Matrix<K>; N]);
            let eks = map(items.each_ref(), |item| item.key.bytes);
            let t_hat = map(items.each_ref(), |item| &item.key.parsed.t_hat[..]);
            let A_hat = map(A_hat.each_mut(), |A_hat| A_hat.as_flattened_mut());
            encapsulate_to::<V, _, N>(Self::P, items, (eks, t_hat), A_hat, memory);
        }
    }

    /// Decapsulates with keys of which either all are expanded or none is.
    #[inline(never)]
    fn decapsulate_items<const N: usize>(
        items: [DecapsulationItem<'_, DecapsulationKeyRef<'_, Self>>; N],
    ) {
        pke_memory!(memory: K, N);
        let expanded = items[0].key.public.expanded.map(|_| {
            map(items.each_ref(), |item| {
                let expanded = item.key.public.expanded.expect("as the first");
                MatrixSource::Expanded(expanded.A_hat.as_flattened())
            })
        });
        let decapsulate = |matrices: [MatrixSource<'_>; N]| {
            let tasks = map(zip(zip(items, memory), matrices), |((item, memory), matrix)| {
                let DecapsulationItem { key: DecapsulationKeyRef { public, secret }, c, shared } =
                    item;
                let key = DecapsulationKeyParts::of(public.bytes, public.parsed, secret);
                DecapsulationTask { key, matrix, memory, c, shared }
            });
            V::decapsulate(Self::P, tasks);
        };
        if let Some(matrices) = expanded {
            decapsulate(matrices);
        } else {
            scratch!(A_hat: [Matrix<K>; N]);
            let matrices = map(A_hat.each_mut(), |A_hat| A_hat.as_flattened_mut());
            decapsulate(map(matrices, MatrixSource::Sampled));
        }
    }
}

impl<V: ModuleOperations, const K: usize> KemScheme for ModuleKem<V, K> {
    type Public = ModulePublicKey<K>;
    type Secret = ModuleSecretKey<K>;
    type Expanded = ModuleExpandedKey<K>;
    const LENGTHS: KemLengths = Self::P.lengths();

    fn keygen(item: KeyPairItem<'_>) {
        Self::keygen_items([item]);
    }

    fn keygen_two(items: [KeyPairItem<'_>; 2]) {
        if const { V::SIDE_BY_SIDE } {
            Self::keygen_items(items);
        } else {
            items.into_iter().for_each(Self::keygen);
        }
    }

    fn encapsulate_bytes(item: EncapsulationItem<'_, &[u8]>) -> Result<(), Error> {
        let [result] = Self::encapsulate_bytes_items([item]);
        result
    }

    fn encapsulate_bytes_two(items: [EncapsulationItem<'_, &[u8]>; 2]) -> [Result<(), Error>; 2] {
        if const { V::SIDE_BY_SIDE } {
            Self::encapsulate_bytes_items(items)
        } else {
            map(items, Self::encapsulate_bytes)
        }
    }

    fn decapsulate_bytes(item: DecapsulationItem<'_, &[u8]>) -> Result<(), Error> {
        let [result] = Self::decapsulate_bytes_items([item]);
        result
    }

    fn decapsulate_bytes_two(items: [DecapsulationItem<'_, &[u8]>; 2]) -> [Result<(), Error>; 2] {
        if const { V::SIDE_BY_SIDE } {
            Self::decapsulate_bytes_items(items)
        } else {
            map(items, Self::decapsulate_bytes)
        }
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
        let computed = V::hash(parts.ek_pke);
        if ct::differ(parts.h, &computed).declassify() {
            return Err(Error::DecapsulationKeyHash);
        }
        public.parse(parts.ek_pke)?;
        secret.parse(&parts);
        ek.copy_from_slice(parts.ek_pke);
        Ok(())
    }

    fn parse_trusted(secret: &mut Self::Secret, public: &mut Self::Public, ek: &[u8], dk: &[u8]) {
        public.parse_trusted(ek);
        secret.parse(&DecapsulationKeyBytes::split(Self::P, dk));
    }

    fn write_secret(key: &Self::Secret, ek: &[u8], dk: &mut [u8]) {
        key.write(Self::P, ek, dk);
    }

    fn expand(expanded: &mut Self::Expanded, ek: &[u8]) {
        let ModuleExpandedKey { A_hat, h_ek } = expanded;
        [*h_ek] = V::expand(Self::P, [(ek, A_hat.as_flattened_mut())]);
    }

    fn encapsulate(item: EncapsulationItem<'_, EncapsulationKeyRef<'_, Self>>) {
        Self::encapsulate_items([item]);
    }

    fn encapsulate_two(items: [EncapsulationItem<'_, EncapsulationKeyRef<'_, Self>>; 2]) {
        if const { V::SIDE_BY_SIDE } {
            Self::encapsulate_items(items);
        } else {
            items.into_iter().for_each(Self::encapsulate);
        }
    }

    fn decapsulate(item: DecapsulationItem<'_, DecapsulationKeyRef<'_, Self>>) {
        Self::decapsulate_items([item]);
    }

    fn decapsulate_two(items: [DecapsulationItem<'_, DecapsulationKeyRef<'_, Self>>; 2]) {
        if const { V::SIDE_BY_SIDE } {
            Self::decapsulate_items(items);
        } else {
            items.into_iter().for_each(Self::decapsulate);
        }
    }
}

#[cfg(all(test, feature = "ml-kem"))]
mod tests {
    use super::super::variant::MlKem;
    use super::*;
    use oaklath_simd::Level;
    use std::vec;

    /// Checks that keys stay the same if all rows are sampled outside the lanes.
    fn cold_keys_are_equal<const K: usize>() {
        let p = &MlKemParams::of_rank(K);
        for i in 0..100 {
            let seed = [i; 64];
            let keys = |cold: bool| {
                let (mut ek, mut dk) = (vec![0; p.public_key()], vec![0; p.secret_key()]);
                scratch!(A_hat: Matrix<K>, e_hat: [NttPoly; K]);
                const ONE: usize = 1;
                pke_memory!(memory: K, ONE);
                let [memory] = memory;
                let mut memory = KeygenMemory::new(p, A_hat.as_flattened_mut(), memory, e_hat);
                memory.cold = cold;
                let task = KeygenTask { seed: &seed, memory, ek: &mut ek, dk: &mut dk };
                MlKem::keygen(p, [task]);
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
