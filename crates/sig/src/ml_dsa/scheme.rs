//! ML-DSA and Dilithium as signature schemes.
use core::marker::PhantomData;

use super::keys::{ExpandedPublicKey, ExpandedSecretKey};
use super::operations::{keygen, public_key, sign, sign_low_memory, verify};
use super::params::MlDsaParams;
use super::sampler::SamplingMethod;
use super::variant::{MlDsaVariant, params};
use super::verify::{BATCH, SignedMu};
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
        keygen::<V, K, L>(seed.try_into().expect("32 bytes"), pk, sk);
    }

    fn public_key(&self, sk: &[u8], pk: &mut [u8]) -> Result<(), Error> {
        public_key::<V, K, L>(sk, pk)
    }

    fn sign(
        &self,
        sk: &[u8],
        message: &Message<'_>,
        coins: Option<&[u8]>,
        out: &mut [u8],
    ) -> Result<usize, Error> {
        let mu = Self::mu_of_key(sk, message)?;
        sign::<V, K, L>(sk, &mu, coins, out).map(|()| out.len())
    }

    fn sign_low_memory(
        &self,
        sk: &[u8],
        message: &Message<'_>,
        coins: Option<&[u8]>,
        out: &mut [u8],
    ) -> Result<usize, Error> {
        let mu = Self::mu_of_key(sk, message)?;
        sign_low_memory::<V, K, L>(sk, &mu, coins, out).map(|()| out.len())
    }

    fn verify(&self, pk: &[u8], message: &Message<'_>, signature: &[u8]) -> Result<(), Error> {
        let message = V::represent(message)?;
        let mu = |tr: &[u8]| message.mu(tr);
        valid(signature.len() == self.signature_len() && verify::<V, K, L>(pk, &mu, signature))
    }

    #[cfg(feature = "alloc")]
    fn verify_on_heap(
        &self,
        pk: &[u8],
        message: &Message<'_>,
        signature: &[u8],
    ) -> Result<(), Error> {
        let message = V::represent(message)?;
        let mu = |tr: &[u8]| message.mu(tr);
        let right = signature.len() == self.signature_len();
        valid(right && super::operations::verify_on_heap::<V, K, L>(pk, &mu, signature))
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
            return items.for_each(|(item, result)| *result = self.sign_item(key, item));
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
