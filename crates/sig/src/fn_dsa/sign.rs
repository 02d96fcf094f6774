//! Signing: Falcon, Algorithms 2 and 10, with an expanded key.
use alloc::boxed::Box;

use oaklath_hash::sha3::Squeeze;
use oaklath_poly::q12289::Poly;
use oaklath_simd::arrays::map;
use oaklath_simd::{Plain, Secret, secret, wipe};

use super::encoding::{decode_private, encode_signature, hash_secret, hash_to_point, tail};
use super::ff_sampling;
use super::fft::Reals;
use super::fpr::compute;
use super::leaves::{Leaves, Limits, sigma_min};
use super::numbers::DefaultCell;
use super::sampler::Sampling;
use super::short_vector::{combination, finish_s2, subtract, target};
use super::tree::{self, Basis, InverseSigmas, Tree};
use super::variant::{FalconVariant, PUBLIC_HASH, Randomness, SECRET_HASH};
use crate::error::Error;
use crate::message::Formatted;
use crate::scheme::Empty;

/// An expanded key: four polynomials, a tree, and its leaves.
#[expect(missing_debug_implementations, reason = "it is behind keys that print their set")]
pub struct FnDsaSigningKey<C: Plain, const N: usize> {
    basis: Basis<C, N>,
    tree: Tree<C, N>,
    inverse_sigmas: InverseSigmas<C, N>,
    limits: Limits<N>,
    /// The hash of f and g, if the variant uses it for signatures.
    secret_hash: [u8; SECRET_HASH],
    /// The hash of the public key, if the variant hashes messages with it.
    pub(super) public_hash: [u8; PUBLIC_HASH],
}

impl<const N: usize> Empty for FnDsaSigningKey<DefaultCell, N> {
    const EMPTY: Self = Self::empty(0 as DefaultCell);
}

impl<C: Plain + Copy, const N: usize> FnDsaSigningKey<C, N> {
    /// Returns an empty key, to be filled in place.
    #[inline(always)]
    pub(super) const fn empty(zero: C) -> Self {
        let zeros = Reals::new([zero; N]);
        let limits = Limits::new([[0.0; 4]; N]);
        let (secret_hash, public_hash) = ([0; SECRET_HASH], [0; PUBLIC_HASH]);
        Self {
            basis: [zeros; _],
            tree: [zeros; _],
            inverse_sigmas: zeros,
            limits,
            secret_hash,
            public_hash,
        }
    }

    /// Expands an encoded key of the right length.
    pub(super) fn fill<A: Sampling<Cell = C>, V: FalconVariant>(
        &mut self,
        sk: &[u8],
    ) -> Result<(), Error> {
        secret!(secrets: [Poly<N>; 4]);
        decode_private::<V, N>(sk, secrets)?;
        hash_secret::<V, N>(sk, &mut self.secret_hash);
        self.public_hash[..V::TAIL].copy_from_slice(tail::<V>(sk));
        tree::basis::<A, N>(secrets, &mut self.basis);
        let (tree, inverse_sigmas) = (&mut self.tree, &mut self.inverse_sigmas);
        let good = tree::is_ntru::<A, N>(&self.basis)
            && tree::grow::<A, N>(&self.basis, tree, inverse_sigmas);
        if !good {
            return Err(Error::SecretKeyInconsistent);
        }
        let limits = &mut self.limits[..];
        compute!(A::Real, s => A::limits(s, &inverse_sigmas[..], sigma_min(N), limits));
        Ok(())
    }

    /// Signs with the given randomness, and returns the length of the signature. Makes attempts
    /// until one has a small norm and an encoding that fits in `out`. Half of the memory is on the
    /// heap.
    pub(super) fn sign<A: Sampling<Cell = C>, V: FalconVariant>(
        &self,
        message: &Formatted<'_>,
        coins: &[u8],
        out: &mut [u8],
    ) -> Result<usize, Error> {
        secret!(c: Poly<N>, s2: Poly<N>);
        secret_on_heap!(work: [Reals<C, N>; 4]);
        let mut randomness = Randomness::empty();
        V::begin(&mut randomness, coins, &self.secret_hash, message);
        for number in 0..V::ATTEMPTS {
            V::attempt(&mut randomness, number);
            let Randomness { nonce, stream, .. } = &mut randomness;
            hash_to_point::<V::Format>(nonce, message, &mut c[..]);
            if self.attempt::<A, V>(stream, c, s2, work)
                && let Some(len) = encode_signature::<V, N>(nonce, s2, out)
            {
                return Ok(len);
            }
        }
        Err(Error::SecretKeyInconsistent)
    }

    /// Makes one attempt, with memory for halves; returns whether (s1, s2) is short enough. s1
    /// takes the place of c.
    fn attempt<A: Sampling<Cell = C>, V: FalconVariant>(
        &self,
        stream: &mut Squeeze<136>,
        c: &mut Poly<N>,
        s2: &mut Poly<N>,
        work: &mut [Reals<C, N>; 4],
    ) -> bool {
        secret!(t: [Reals<C, N>; 2], z: [Reals<C, N>; 2]);
        let [b00, b01, b10, b11] = &self.basis;
        let [t0, t1] = &mut *t;
        target::<A, N>(c, [b01, b11], [t0, t1]);
        let leaves = Leaves { inverse_sigmas: &self.inverse_sigmas[..], limits: &self.limits[..] };
        let tree = map(self.tree.each_ref(), |row| &row[..]);
        ff_sampling::sample::<A, V>(
            (tree, &leaves),
            stream,
            map(t.each_ref(), |t| &t[..]),
            map(z.each_mut(), |z| &mut z[..]),
            map(work.each_mut(), |work| &mut work[..]),
        );
        let ([z0, z1], [sum, _]) = (&*z, t);
        combination::<A, N>([z0, z1], [b00, b10], sum, s2);
        subtract(c, s2);
        combination::<A, N>([z0, z1], [b01, b11], sum, s2);
        finish_s2::<V, N>(c, s2)
    }
}

impl<C: Plain, const N: usize> Drop for FnDsaSigningKey<C, N> {
    fn drop(&mut self) {
        wipe(&mut self.basis);
        wipe(&mut self.tree);
        wipe(&mut self.inverse_sigmas);
        wipe(&mut self.limits);
        wipe(&mut self.secret_hash);
    }
}

#[cfg(all(test, feature = "falcon"))]
mod tests {
    use super::*;
    use crate::fn_dsa::keys::keypair;
    use crate::fn_dsa::numbers::Native;
    use crate::message::Message;
    use crate::registry::Signature;
    use crate::round3::falcon::Falcon;
    use crate::sets::Falcon512;
    use oaklath_poly::q12289::FromHigh;
    use oaklath_simd::{Level, dispatch};
    use std::vec;

    /// If deviations are a tenth too large, about half of the vectors are too long: none of these
    /// is published.
    #[test]
    fn signing_goes_on_until_a_signature_is_short() {
        let (mut pk, mut sk) = (vec![0; 897], vec![0; 1281]);
        keypair::<Falcon, 512>(&[3; 48], &mut pk, &mut sk);
        for level in Level::available() {
            let mut key = Box::new(FnDsaSigningKey::<f64, 512>::empty(0.0));
            level.with(|| key.fill::<Native, Falcon>(&sk)).unwrap();
            key.inverse_sigmas.iter_mut().for_each(|inverse| *inverse /= 1.1);
            let FnDsaSigningKey { inverse_sigmas, limits, .. } = &mut *key;
            let smallest = sigma_min(512);
            dispatch!(level, s => Native::limits(s, &inverse_sigmas[..], smallest, &mut limits[..]));
            let mut rejected = 0;
            for i in 0..40 {
                let (message, coins) = ([i; 20], [i; Falcon::COINS]);
                let (mut c, mut s2) = (Poly::new([0; 512]), Poly::new([0; 512]));
                let mut work = Box::new([Reals::new([0.0; 512]); 4]);
                let mut randomness = Randomness::empty();
                Falcon::begin(
                    &mut randomness,
                    &coins,
                    &[0; SECRET_HASH],
                    &Formatted::bare(&message),
                );
                let Randomness { nonce, stream, .. } = &mut randomness;
                let first = level.with(|| {
                    hash_to_point::<FromHigh>(nonce, &Formatted::bare(&message), &mut c[..]);
                    key.attempt::<Native, Falcon>(stream, &mut c, &mut s2, &mut work)
                });
                rejected += usize::from(!first);
                let mut out = [0; 690];
                let message_of = &Formatted::bare(&message);
                let len = level.with(|| key.sign::<Native, Falcon>(message_of, &coins, &mut out));
                let len = len.unwrap();
                let verified = Falcon512.verify(&pk, &Message::new(&message), &out[..len]);
                assert_eq!(verified, Ok(()), "{level} {i}");
            }
            assert!((5..=35).contains(&rejected), "{level}: {rejected}");
        }
    }
}
