//! ML-DSA and Dilithium as signature schemes: the memory of each operation.
#[cfg(feature = "alloc")]
use alloc::boxed::Box;
use core::marker::PhantomData;

use oaklath_poly::q8380417::{Entry, NttPoly, Poly, Small};
#[cfg(feature = "alloc")]
use oaklath_simd::freeze;
use oaklath_simd::{scratch, secret};

use super::expand_mask::MASKS;
use super::keygen::{self, KeygenMemory};
use super::keys::{ExpandedPublicKey, ExpandedSecretKey};
use super::params::{MlDsaParams, SEED, T0};
use super::sampler::SamplingMethod;
use super::secrets::SecretsMemory;
use super::sign::{self, SigningInput};
use super::variant::{MlDsaVariant, params};
use super::verify::{self, BATCH, SignatureMemory, SignedMu};
use crate::error::Error;
use crate::message::Message;
use crate::scheme::{Empty, SignatureScheme, SignedBy, SigningItem, valid};

/// A variant with a matrix of `K` times `L` polynomials.
#[derive(Debug)]
pub struct MlDsaScheme<V, const K: usize, const L: usize>(PhantomData<V>);

#[expect(private_bounds, reason = "a variant cannot be named outside this crate")]
impl<V: MlDsaVariant, const K: usize, const L: usize> MlDsaScheme<V, K, L> {
    pub(crate) const NEW: Self = Self(PhantomData);
    const PARAMS: MlDsaParams = params::<V>(K, L);

    pub(crate) const fn seed_len(&self) -> usize {
        32
    }

    pub(crate) const fn coins_len(&self) -> usize {
        V::COINS
    }

    pub(crate) const fn public_key_len(&self) -> usize {
        Self::PARAMS.public_key()
    }

    pub(crate) const fn secret_key_len(&self) -> usize {
        Self::PARAMS.secret_key()
    }

    pub(crate) const fn signature_len(&self) -> usize {
        Self::PARAMS.signature()
    }

    /// Returns mu of a message for an encoded private key, in which tr follows rho and K.
    fn mu_of_key(sk: &[u8], message: &Message<'_>) -> Result<[u8; 64], Error> {
        Ok(V::represent(message)?.mu(&sk[64..64 + V::TR]))
    }
}

/// Returns K of a private key.
fn signing_seed(sk: &[u8]) -> &[u8; SEED] {
    sk[SEED..].first_chunk().expect("K follows rho")
}

impl<const K: usize, const L: usize> Empty for ExpandedSecretKey<K, L> {
    const EMPTY: Self = Self::EMPTY;
}

impl<const K: usize, const L: usize> Empty for ExpandedPublicKey<K, L> {
    const EMPTY: Self = Self::EMPTY;
}

impl<V: MlDsaVariant, const K: usize, const L: usize> SignatureScheme for MlDsaScheme<V, K, L> {
    type SigningKey = ExpandedSecretKey<K, L>;
    type VerifyingKey = ExpandedPublicKey<K, L>;
    const HAS_LOW_MEMORY: bool = true;

    fn keygen(&self, seed: &[u8], pk: &mut [u8], sk: &mut [u8]) {
        scratch!(matrix: [[Entry; L]; 2]);
        secret!(s1: [Poly; L], s2: [Poly; K], s1_hat: [NttPoly; L]);
        let memory = KeygenMemory { matrix: matrix.as_flattened_mut(), s1, s2, s1_hat };
        let dimensions = [K as u8, L as u8];
        let seed = [seed, V::seed_suffix(&dimensions)];
        keygen::keygen::<V::Sampling>(const { &Self::PARAMS }, &seed, (pk, sk), memory);
    }

    fn public_key(&self, sk: &[u8], pk: &mut [u8]) -> Result<(), Error> {
        scratch!(matrix: [[Entry; L]; 2]);
        secret!(s1: [Poly; L], s2: [Poly; K], s1_hat: [NttPoly; L], t0_again: [[u8; T0]; K]);
        let memory = KeygenMemory { matrix: matrix.as_flattened_mut(), s1, s2, s1_hat };
        let (p, t0_again) = (const { &Self::PARAMS }, t0_again.as_flattened_mut());
        keygen::public_key::<V::Sampling>(p, sk, pk, memory, t0_again)
    }

    fn sign(
        &self,
        sk: &[u8],
        message: &Message<'_>,
        coins: Option<&[u8]>,
        out: &mut [u8],
    ) -> Result<usize, Error> {
        let mu = Self::mu_of_key(sk, message)?;
        scratch!(matrix: [[Entry; L]; K]);
        secret!(s1: [Small; L], s2: [Small; K], t0_hat: [NttPoly; K]);
        secret!(rho2: [u8; 64], y: [Poly; MASKS], y_hat: [NttPoly; L], w: [Poly; K]);
        V::mask_seed(signing_seed(sk), coins, &mu, rho2);
        let input = SigningInput { mu: &mu, rho2, y, y_hat, w };
        let memory = (matrix.as_flattened_mut(), SecretsMemory { s1, s2, t0_hat });
        sign::sign_bytes::<V::Sampling>(const { &Self::PARAMS }, sk, input, memory, out)?;
        Ok(out.len())
    }

    /// Takes less than 48 KiB of stack and about three times the time.
    fn sign_low_memory(
        &self,
        sk: &[u8],
        message: &Message<'_>,
        coins: Option<&[u8]>,
        out: &mut [u8],
    ) -> Result<usize, Error> {
        let mu = Self::mu_of_key(sk, message)?;
        secret!(rho2: [u8; 64], y: [Poly; L], y_hat: [NttPoly; L], w: [Poly; K]);
        V::mask_seed(signing_seed(sk), coins, &mu, rho2);
        let input = SigningInput { mu: &mu, rho2, y, y_hat, w };
        sign::sign_low_memory::<V::Sampling>(const { &Self::PARAMS }, sk, input, out)?;
        Ok(out.len())
    }

    fn verify(&self, pk: &[u8], message: &Message<'_>, signature: &[u8]) -> Result<(), Error> {
        let message = V::represent(message)?;
        valid(signature.len() == self.signature_len())?;
        scratch!(z_hat: [NttPoly; L], matrix: [[Entry; L]; 2], hints: [[i8; 256]; K]);
        let memory = (SignatureMemory { z_hat, hints }, matrix.as_flattened_mut());
        let (p, mu) = (const { &Self::PARAMS }, &|tr: &[u8]| message.mu(tr));
        valid(verify::verify_bytes::<V::Sampling>(p, pk, mu, signature, memory))
    }

    #[cfg(feature = "alloc")]
    fn verify_on_heap(
        &self,
        pk: &[u8],
        message: &Message<'_>,
        signature: &[u8],
    ) -> Result<(), Error> {
        let message = V::represent(message)?;
        valid(signature.len() == self.signature_len())?;
        let mut z_hat = Box::<[NttPoly; L]>::new_uninit();
        let mut matrix = Box::<[[Entry; L]; 2]>::new_uninit();
        let mut hints = Box::<[[i8; 256]; K]>::new_uninit();
        let (z_hat, hints) = (freeze(&mut *z_hat), freeze(&mut *hints));
        let memory = (SignatureMemory { z_hat, hints }, freeze(&mut *matrix).as_flattened_mut());
        let (p, mu) = (const { &Self::PARAMS }, &|tr: &[u8]| message.mu(tr));
        valid(verify::verify_bytes::<V::Sampling>(p, pk, mu, signature, memory))
    }

    fn expand_signing(&self, key: &mut ExpandedSecretKey<K, L>, sk: &[u8]) -> Result<(), Error> {
        key.fill::<V>(sk)
    }

    fn sign_expanded(
        &self,
        key: &ExpandedSecretKey<K, L>,
        message: &Message<'_>,
        coins: Option<&[u8]>,
        out: &mut [u8],
    ) -> Result<usize, Error> {
        let mu = V::represent(message)?.mu(key.tr::<V>());
        key.sign::<V>(&mu, coins, out);
        Ok(out.len())
    }

    /// Fills lanes with the masks and hashes of several messages.
    fn sign_many(
        &self,
        key: &ExpandedSecretKey<K, L>,
        items: &mut [SigningItem<'_>],
        results: &mut [Result<usize, Error>],
    ) {
        let mut items = items.iter_mut().zip(results);
        if !<V::Sampling as SamplingMethod>::SHARES_LANES {
            return items.for_each(|(item, result)| {
                *result = self.sign_expanded(key, &item.message, item.coins, item.out);
            });
        }
        key.sign_many::<V>(&mut |mu, rho2| {
            items.by_ref().find_map(|(item, result)| {
                let message = V::represent(&item.message);
                *result = message.map(|message| {
                    key.seed_masks::<V>(&message, item.coins, (mu, rho2));
                    self.signature_len()
                });
                result.ok().map(|len| &mut item.out[..len])
            })
        });
    }

    fn expand_verifying(&self, key: &mut ExpandedPublicKey<K, L>, pk: &[u8]) -> Result<(), Error> {
        key.fill::<V>(pk);
        Ok(())
    }

    fn verify_expanded(
        &self,
        key: &ExpandedPublicKey<K, L>,
        message: &Message<'_>,
        signature: &[u8],
    ) -> Result<(), Error> {
        let mu = V::represent(message)?.mu(key.tr::<V>());
        valid(signature.len() == self.signature_len() && key.verify::<V>(&mu, signature))
    }

    /// Verifies in batches, whose hashes are computed side by side in lanes.
    fn verify_many<'a>(
        &self,
        signed: &dyn Fn(usize) -> SignedBy<'a, ExpandedPublicKey<K, L>>,
        results: &mut [Result<(), Error>],
    ) {
        for (first, results) in (0..).step_by(BATCH).zip(results.chunks_mut(BATCH)) {
            let mut items: [SignedMu<'_>; BATCH] = [((&[], &[]), [0; 64], &[]); BATCH];
            let mut count = 0;
            for (i, result) in (first..).zip(&mut *results) {
                let (key, message, signature) = signed(i);
                *result = V::represent(&message).and_then(|message| {
                    valid(signature.len() == self.signature_len())?;
                    items[count] = (key.parts(), message.mu(key.tr::<V>()), signature);
                    count += 1;
                    Ok(())
                });
            }
            let mut good = [false; BATCH];
            ExpandedPublicKey::<K, L>::verify_many::<V>(&items[..count], &mut good[..count]);
            let verified = results.iter_mut().filter(|result| result.is_ok());
            verified.zip(good).for_each(|(result, good)| *result = valid(good));
        }
    }
}
