//! One shape for the texts of all families, so that the layers above are written once.
use crate::Error;
use crate::lattice::{self, ExpandedKey, Params, PublicKey, SecretKey, Variant};

/// The text of a family of algorithms. Keys begin as `EMPTY` and are filled; all strings of bytes have
/// their lengths.
pub trait Scheme {
    /// What tells apart sets that share a text.
    type Variant: Copy + 'static;
    type Public: Empty + Clone + Send + Sync + 'static;
    type Secret: Empty + Send + Sync + 'static;
    type Expanded: Empty + Clone + Send + Sync + 'static;

    fn keygen(variant: Self::Variant, seed: &[u8], ek: &mut [u8], dk: &mut [u8]);
    fn encapsulate_bytes(
        variant: Self::Variant,
        ek: &[u8],
        coins: &[u8],
        c: &mut [u8],
        shared: &mut [u8; 32],
    ) -> Result<(), Error>;
    fn decapsulate_bytes(
        variant: Self::Variant,
        dk: &[u8],
        c: &[u8],
        shared: &mut [u8; 32],
    ) -> Result<(), Error>;
    fn parse_public(key: &mut Self::Public, variant: Self::Variant, ek: &[u8])
    -> Result<(), Error>;
    /// Writes the encapsulation key of a decapsulation key, too.
    fn parse_secret(
        key: (&mut Self::Secret, &mut Self::Public),
        variant: Self::Variant,
        ek: &mut [u8],
        dk: &[u8],
    ) -> Result<(), Error>;
    /// The same of a key pair that was just made.
    fn parse_trusted(
        key: (&mut Self::Secret, &mut Self::Public),
        variant: Self::Variant,
        ek: &[u8],
        dk: &[u8],
    );
    fn write_secret(key: &Self::Secret, variant: Self::Variant, ek: &[u8], dk: &mut [u8]);
    fn expand(expanded: &mut Self::Expanded, variant: Self::Variant, ek: &[u8]);
    fn encapsulate(
        variant: Self::Variant,
        key: (&[u8], &Self::Public),
        expanded: Option<&Self::Expanded>,
        coins: &[u8],
        c: &mut [u8],
        shared: &mut [u8; 32],
    );
    fn decapsulate(
        variant: Self::Variant,
        key: (&[u8], &Self::Public, &Self::Secret),
        expanded: Option<&Self::Expanded>,
        c: &[u8],
        shared: &mut [u8; 32],
    );
}

/// A key without contents yet.
pub trait Empty {
    const EMPTY: Self;
}

macro_rules! empty {
    ($($key:ty)*) => { $(
        impl<const K: usize> Empty for $key {
            const EMPTY: Self = Self::EMPTY;
        }
    )* };
}
empty!(PublicKey<K> SecretKey<K> ExpandedKey<K>);

/// ML-KEM and Kyber of rank `K`.
#[derive(Debug)]
pub struct Module<const K: usize>;

impl<const K: usize> Module<K> {
    pub(crate) const fn seed(_: &Params) -> usize {
        64
    }
    pub(crate) const fn coins(_: &Params) -> usize {
        32
    }
}

impl<const K: usize> Scheme for Module<K> {
    type Variant = Variant;
    type Public = PublicKey<K>;
    type Secret = SecretKey<K>;
    type Expanded = ExpandedKey<K>;

    fn keygen(variant: Variant, seed: &[u8], ek: &mut [u8], dk: &mut [u8]) {
        lattice::keygen::<K>(variant, seed.first_chunk().expect("64 bytes"), ek, dk);
    }
    fn encapsulate_bytes(
        variant: Variant,
        ek: &[u8],
        coins: &[u8],
        c: &mut [u8],
        shared: &mut [u8; 32],
    ) -> Result<(), Error> {
        Ok(lattice::encapsulate_bytes::<K>(variant, ek, m(coins), c, shared)?)
    }
    fn decapsulate_bytes(
        variant: Variant,
        dk: &[u8],
        c: &[u8],
        shared: &mut [u8; 32],
    ) -> Result<(), Error> {
        Ok(lattice::decapsulate_bytes::<K>(variant, dk, c, shared)?)
    }
    fn parse_public(key: &mut PublicKey<K>, _: Variant, ek: &[u8]) -> Result<(), Error> {
        Ok(key.parse(ek)?)
    }
    fn parse_secret(
        (secret, public): (&mut SecretKey<K>, &mut PublicKey<K>),
        variant: Variant,
        ek: &mut [u8],
        dk: &[u8],
    ) -> Result<(), Error> {
        secret.parse(public, variant, dk)?;
        // s, then the encapsulation key, then its hash and z, 32 bytes each.
        let end = dk.len() - 64;
        ek.copy_from_slice(&dk[end - ek.len()..end]);
        Ok(())
    }
    fn parse_trusted(
        (secret, public): (&mut SecretKey<K>, &mut PublicKey<K>),
        _: Variant,
        _: &[u8],
        dk: &[u8],
    ) {
        secret.parse_trusted(public, dk);
    }
    fn write_secret(key: &SecretKey<K>, _: Variant, ek: &[u8], dk: &mut [u8]) {
        key.write(ek, dk);
    }
    fn expand(expanded: &mut ExpandedKey<K>, variant: Variant, ek: &[u8]) {
        expanded.fill(variant, ek);
    }
    fn encapsulate(
        variant: Variant,
        (ek, key): (&[u8], &PublicKey<K>),
        expanded: Option<&ExpandedKey<K>>,
        coins: &[u8],
        c: &mut [u8],
        shared: &mut [u8; 32],
    ) {
        match expanded {
            Some(expanded) => key.encapsulate_expanded(variant, expanded, m(coins), c, shared),
            None => key.encapsulate(variant, ek, m(coins), c, shared),
        }
    }
    fn decapsulate(
        variant: Variant,
        (ek, public, secret): (&[u8], &PublicKey<K>, &SecretKey<K>),
        expanded: Option<&ExpandedKey<K>>,
        c: &[u8],
        shared: &mut [u8; 32],
    ) {
        let public = (ek, public);
        match expanded {
            Some(expanded) => secret.decapsulate_expanded(variant, public, expanded, c, shared),
            None => secret.decapsulate(variant, public, c, shared),
        }
    }
}

/// m of FIPS 203.
fn m(coins: &[u8]) -> &[u8; 32] {
    coins.first_chunk().expect("32 bytes")
}

#[cfg(feature = "legacy")]
pub(crate) use round_3::{NtruText, SaberText};

/// NTRU and SABER.
#[cfg(feature = "legacy")]
mod round_3 {
    use super::{Empty, Scheme};
    use crate::{Error, ntru, saber};

    empty!(ntru::PublicKey<K> ntru::SecretKey<K>);
    empty!(saber::PublicKey<K> saber::SecretKey<K> saber::ExpandedKey<K>);

    impl Empty for ntru::ExpandedKey {
        const EMPTY: Self = Self;
    }

    /// NTRU, with polynomials in chunks of `L`.
    #[derive(Debug)]
    pub struct NtruText<const L: usize>;

    impl<const L: usize> NtruText<L> {
        pub(crate) const fn seed(p: &ntru::Params) -> usize {
            p.seed()
        }
        pub(crate) const fn coins(p: &ntru::Params) -> usize {
            p.coins()
        }
    }

    impl<const L: usize> Scheme for NtruText<L> {
        type Variant = &'static ntru::Params;
        type Public = ntru::PublicKey<L>;
        type Secret = ntru::SecretKey<L>;
        type Expanded = ntru::ExpandedKey;

        fn keygen(p: Self::Variant, seed: &[u8], ek: &mut [u8], dk: &mut [u8]) {
            ntru::keygen::<L>(p, seed, ek, dk);
        }
        fn encapsulate_bytes(
            p: Self::Variant,
            ek: &[u8],
            coins: &[u8],
            c: &mut [u8],
            shared: &mut [u8; 32],
        ) -> Result<(), Error> {
            ntru::encapsulate_bytes::<L>(p, ek, coins, c, shared);
            Ok(())
        }
        fn decapsulate_bytes(
            p: Self::Variant,
            dk: &[u8],
            c: &[u8],
            shared: &mut [u8; 32],
        ) -> Result<(), Error> {
            ntru::decapsulate_bytes::<L>(p, dk, c, shared);
            Ok(())
        }
        fn parse_public(key: &mut Self::Public, p: Self::Variant, ek: &[u8]) -> Result<(), Error> {
            key.parse(p, ek);
            Ok(())
        }
        fn parse_secret(
            (secret, public): (&mut Self::Secret, &mut Self::Public),
            p: Self::Variant,
            ek: &mut [u8],
            dk: &[u8],
        ) -> Result<(), Error> {
            secret.parse(p, ek, dk)?;
            public.parse(p, ek);
            Ok(())
        }
        fn parse_trusted(
            (secret, public): (&mut Self::Secret, &mut Self::Public),
            p: Self::Variant,
            ek: &[u8],
            dk: &[u8],
        ) {
            secret.parse_trusted(p, dk);
            public.parse(p, ek);
        }
        fn write_secret(key: &Self::Secret, p: Self::Variant, _: &[u8], dk: &mut [u8]) {
            key.write(p, dk);
        }
        fn expand(_: &mut Self::Expanded, _: Self::Variant, _: &[u8]) {}
        fn encapsulate(
            p: Self::Variant,
            (_, key): (&[u8], &Self::Public),
            _: Option<&Self::Expanded>,
            coins: &[u8],
            c: &mut [u8],
            shared: &mut [u8; 32],
        ) {
            key.encapsulate(p, coins, c, shared);
        }
        fn decapsulate(
            p: Self::Variant,
            (_, _, key): (&[u8], &Self::Public, &Self::Secret),
            _: Option<&Self::Expanded>,
            c: &[u8],
            shared: &mut [u8; 32],
        ) {
            key.decapsulate(p, c, shared);
        }
    }

    /// SABER of rank `K`.
    #[derive(Debug)]
    pub struct SaberText<const K: usize>;

    impl<const K: usize> SaberText<K> {
        pub(crate) const fn seed(_: &saber::Params) -> usize {
            96
        }
        pub(crate) const fn coins(_: &saber::Params) -> usize {
            32
        }
    }

    impl<const K: usize> Scheme for SaberText<K> {
        type Variant = ();
        type Public = saber::PublicKey<K>;
        type Secret = saber::SecretKey<K>;
        type Expanded = saber::ExpandedKey<K>;

        fn keygen((): (), seed: &[u8], ek: &mut [u8], dk: &mut [u8]) {
            saber::keygen::<K>(seed, ek, dk);
        }
        fn encapsulate_bytes(
            (): (),
            ek: &[u8],
            coins: &[u8],
            c: &mut [u8],
            shared: &mut [u8; 32],
        ) -> Result<(), Error> {
            saber::encapsulate_bytes::<K>(ek, coins, c, shared);
            Ok(())
        }
        fn decapsulate_bytes(
            (): (),
            dk: &[u8],
            c: &[u8],
            shared: &mut [u8; 32],
        ) -> Result<(), Error> {
            Ok(saber::decapsulate_bytes::<K>(dk, c, shared)?)
        }
        fn parse_public(key: &mut Self::Public, (): (), ek: &[u8]) -> Result<(), Error> {
            key.parse(ek);
            Ok(())
        }
        fn parse_secret(
            (secret, public): (&mut Self::Secret, &mut Self::Public),
            (): (),
            ek: &mut [u8],
            dk: &[u8],
        ) -> Result<(), Error> {
            Ok(secret.parse(public, ek, dk)?)
        }
        fn parse_trusted(
            (secret, public): (&mut Self::Secret, &mut Self::Public),
            (): (),
            _: &[u8],
            dk: &[u8],
        ) {
            secret.parse_trusted(public, dk);
        }
        fn write_secret(key: &Self::Secret, (): (), ek: &[u8], dk: &mut [u8]) {
            key.write(ek, dk);
        }
        fn expand(expanded: &mut Self::Expanded, (): (), ek: &[u8]) {
            expanded.fill(ek);
        }
        fn encapsulate(
            (): (),
            (ek, key): (&[u8], &Self::Public),
            expanded: Option<&Self::Expanded>,
            coins: &[u8],
            c: &mut [u8],
            shared: &mut [u8; 32],
        ) {
            match expanded {
                Some(expanded) => key.encapsulate_expanded(expanded, coins, c, shared),
                None => key.encapsulate(ek, coins, c, shared),
            }
        }
        fn decapsulate(
            (): (),
            (ek, public, secret): (&[u8], &Self::Public, &Self::Secret),
            expanded: Option<&Self::Expanded>,
            c: &[u8],
            shared: &mut [u8; 32],
        ) {
            match expanded {
                Some(expanded) => secret.decapsulate_expanded((ek, public), expanded, c, shared),
                None => secret.decapsulate((ek, public), c, shared),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use oaklath_params::kem::KemInfo;
    use std::vec::Vec;

    use super::*;
    use crate::object::Kem;

    /// A decapsulation key ends with z, the last 32 bytes of a seed; NTRU's is drawn like its coins, SABER's from three
    /// seeds.
    #[test]
    fn lengths_of_seeds_and_coins() {
        let seed_and_coins = |kem: &&dyn Kem| {
            let KemInfo { name, .. } = kem.info();
            assert!(kem.seed_len() >= 64 && kem.coins_len() >= 32, "{name}");
            (kem.seed_len(), kem.coins_len())
        };
        let lengths: Vec<_> = crate::all().iter().map(seed_and_coins).collect();
        let module = Params::of_rank(3);
        let of_module = (Module::<3>::seed(&module), Module::<3>::coins(&module));
        assert!(lengths.starts_with(&[of_module; 3]));
        #[cfg(feature = "legacy")]
        {
            use crate::{ntru, saber};
            let (ntru, saber) = (ntru::Params::HRSS_701, saber::Params::of_rank(4));
            let of_ntru = (NtruText::<44>::seed(&ntru), NtruText::<44>::coins(&ntru));
            let of_saber = (SaberText::<4>::seed(&saber), SaberText::<4>::coins(&saber));
            assert!(lengths.ends_with(&[of_ntru, of_saber, of_saber, of_saber]));
        }
    }
}
