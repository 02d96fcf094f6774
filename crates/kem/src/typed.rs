//! The typed layer: keys that know their algorithm, checked when they are made.
use core::fmt;
use core::marker::PhantomData;

use oaklath_simd::{ct, wipe};
use rand_core::CryptoRng;
#[cfg(feature = "getrandom")]
use rand_core::TryRng;
use zeroize::{ZeroizeOnDrop, Zeroizing};

use crate::error::Error;
use crate::pct::check_made;
use crate::scheme::{
    DecapsulationItem, DecapsulationKeyRef, Empty, EncapsulationItem, EncapsulationKeyRef,
    KemScheme, KeyPairItem,
};
use crate::sets::{Bytes, Set, check_ciphertext, check_public, check_secret};

/// An encapsulation key (public key), checked.
pub struct EncapsulationKey<P: Set> {
    bytes: P::EncapsulationKey,
    key: <P::Scheme as KemScheme>::Public,
}

/// A decapsulation key (secret key), checked. Erased when dropped; never `Clone`.
pub struct DecapsulationKey<P: Set> {
    secret: <P::Scheme as KemScheme>::Secret,
    public: EncapsulationKey<P>,
}

/// An encapsulation key with the matrix and the hash that every encapsulation needs. These take
/// several kilobytes; encapsulation takes a third of the time.
pub struct ExpandedEncapsulationKey<P: Set> {
    key: EncapsulationKey<P>,
    expanded: <P::Scheme as KemScheme>::Expanded,
}

/// A decapsulation key with the matrix that every decapsulation needs. Erased when dropped.
pub struct ExpandedDecapsulationKey<P: Set> {
    key: DecapsulationKey<P>,
    expanded: <P::Scheme as KemScheme>::Expanded,
}

/// A ciphertext of its set's length.
pub struct Ciphertext<P: Set>(P::Ciphertext);

/// A shared secret of 32 bytes. Compared in constant time, erased when dropped.
pub struct SharedSecret<P: Set>([u8; 32], PhantomData<P>);

impl<P: Set> EncapsulationKey<P> {
    /// Checks and parses a key: FIPS 203, section 7.2. In NTRU keys, the bits after the last
    /// coefficient (four bits, none in NTRU-HPS-4096-821) are ignored, as in the submission: keys
    /// that differ only in these bits are equivalent.
    ///
    /// ```
    /// use oaklath_kem::{EncapsulationKey, Error, MlKem512};
    ///
    /// let error = EncapsulationKey::<MlKem512>::from_bytes(&[0xff; 800]).unwrap_err();
    /// assert_eq!(error, Error::EncapsulationKeyNotCanonical);
    /// ```
    ///
    /// # Errors
    /// [`Error::EncapsulationKeyLength`], [`Error::EncapsulationKeyNotCanonical`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        check_public::<P>(bytes)?;
        let mut key = Self::EMPTY;
        P::Scheme::parse_public(&mut key.key, bytes)?;
        key.bytes.as_mut().copy_from_slice(bytes);
        Ok(key)
    }

    /// Returns the encoded key.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.as_ref()
    }

    /// Encapsulates with random bytes of the operating system.
    ///
    /// # Panics
    /// If the operating system has no random bytes.
    #[cfg(feature = "getrandom")]
    #[must_use]
    pub fn encapsulate(&self) -> (Ciphertext<P>, SharedSecret<P>) {
        let mut m = Zeroizing::new(P::Coins::ZERO);
        fill_from_system((*m).as_mut());
        self.encapsulate_by(None, &m)
    }

    /// Encapsulates with random bytes from `rng`.
    pub fn encapsulate_with(&self, rng: &mut impl CryptoRng) -> (Ciphertext<P>, SharedSecret<P>) {
        let mut m = Zeroizing::new(P::Coins::ZERO);
        rng.fill_bytes((*m).as_mut());
        self.encapsulate_by(None, &m)
    }

    /// Encapsulates with m, random and used once: `ML-KEM.Encaps_internal`, FIPS 203, Algorithm 17.
    #[cfg(feature = "hazmat")]
    #[must_use]
    pub fn encapsulate_from(&self, m: &P::Coins) -> (Ciphertext<P>, SharedSecret<P>) {
        self.encapsulate_by(None, m)
    }

    /// Precomputes the values that every encapsulation with this key needs.
    ///
    /// ```
    /// # #[cfg(feature = "getrandom")] {
    /// use oaklath_kem::{DecapsulationKey, MlKem768};
    ///
    /// let alice = DecapsulationKey::<MlKem768>::generate();
    /// let key = alice.encapsulation_key().expand();
    /// for _ in 0..3 {
    ///     let (ciphertext, secret) = key.encapsulate();
    ///     assert_eq!(alice.decapsulate(&ciphertext), secret);
    /// }
    /// # }
    /// ```
    #[must_use]
    pub fn expand(&self) -> ExpandedEncapsulationKey<P> {
        let expanded = <P::Scheme as KemScheme>::Expanded::EMPTY;
        let mut key = ExpandedEncapsulationKey { key: self.clone(), expanded };
        P::Scheme::expand(&mut key.expanded, self.as_bytes());
        key
    }

    const EMPTY: Self =
        Self { bytes: P::EncapsulationKey::ZERO, key: <P::Scheme as KemScheme>::Public::EMPTY };

    pub(crate) fn to_ref<'a>(
        &'a self,
        expanded: Option<&'a <P::Scheme as KemScheme>::Expanded>,
    ) -> EncapsulationKeyRef<'a, P::Scheme> {
        EncapsulationKeyRef { bytes: self.as_bytes(), parsed: &self.key, expanded }
    }

    fn encapsulate_by(
        &self,
        expanded: Option<&<P::Scheme as KemScheme>::Expanded>,
        m: &P::Coins,
    ) -> (Ciphertext<P>, SharedSecret<P>) {
        let (mut c, mut k) = (Ciphertext::<P>(P::Ciphertext::ZERO), SharedSecret::<P>::EMPTY);
        P::Scheme::encapsulate(EncapsulationItem {
            key: self.to_ref(expanded),
            coins: m.as_ref(),
            c: c.0.as_mut(),
            shared: &mut k.0,
        });
        (c, k)
    }
}

impl<P: Set> ExpandedEncapsulationKey<P> {
    pub(crate) fn to_ref(&self) -> EncapsulationKeyRef<'_, P::Scheme> {
        self.key.to_ref(Some(&self.expanded))
    }

    /// Returns the key without its precomputed values.
    #[must_use]
    pub fn encapsulation_key(&self) -> &EncapsulationKey<P> {
        &self.key
    }

    /// Encapsulates with random bytes of the operating system.
    ///
    /// # Panics
    /// If the operating system has no random bytes.
    #[cfg(feature = "getrandom")]
    #[must_use]
    pub fn encapsulate(&self) -> (Ciphertext<P>, SharedSecret<P>) {
        let mut m = Zeroizing::new(P::Coins::ZERO);
        fill_from_system((*m).as_mut());
        self.key.encapsulate_by(Some(&self.expanded), &m)
    }

    /// Encapsulates with m, which must be random and used only once: FIPS 203, Algorithm 17.
    #[cfg(feature = "hazmat")]
    #[must_use]
    pub fn encapsulate_from(&self, m: &P::Coins) -> (Ciphertext<P>, SharedSecret<P>) {
        self.key.encapsulate_by(Some(&self.expanded), m)
    }
}

impl<P: Set> DecapsulationKey<P> {
    /// Makes a key from random bytes of the operating system.
    ///
    /// # Panics
    /// If the operating system has no random bytes or, with `pct`, if the new key does not work.
    #[cfg(feature = "getrandom")]
    #[must_use]
    pub fn generate() -> Self {
        let mut seed = Zeroizing::new(P::Seed::ZERO);
        fill_from_system((*seed).as_mut());
        Self::from_seed(&seed)
    }

    /// Makes a key from random bytes from `rng`. Panics as [`from_seed`](Self::from_seed) does.
    pub fn generate_with(rng: &mut impl CryptoRng) -> Self {
        let mut seed = Zeroizing::new(P::Seed::ZERO);
        rng.fill_bytes((*seed).as_mut());
        Self::from_seed(&seed)
    }

    /// Makes the key of a seed d || z: `ML-KEM.KeyGen_internal`, FIPS 203, Algorithm 16. The seed
    /// is the short form of the key (64 bytes for ML-KEM) and must be kept as secret as the key.
    ///
    /// ```
    /// use oaklath_kem::{DecapsulationKey, MlKem768};
    ///
    /// let a = DecapsulationKey::<MlKem768>::from_seed(&[7; 64]);
    /// let b = DecapsulationKey::<MlKem768>::from_seed(&[7; 64]);
    /// assert_eq!(a.encapsulation_key(), b.encapsulation_key());
    /// ```
    ///
    /// # Panics
    /// With the feature `pct`, if the new key does not work, which is a hardware fault.
    #[must_use]
    pub fn from_seed(seed: &P::Seed) -> Self {
        let mut key = Self::EMPTY;
        key.fill_from_seed(seed.as_ref()).expect("a new key pair works");
        key
    }

    /// Checks and parses an expanded key: FIPS 203, section 7.3.
    ///
    /// # Errors
    /// [`Error::DecapsulationKeyLength`], [`Error::DecapsulationKeyHash`],
    /// [`Error::EncapsulationKeyNotCanonical`], [`Error::DecapsulationKeyNotInvertible`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        // The key is filled where it is returned, so that no copy is left behind.
        let mut result = Ok(Self::EMPTY);
        let filled = result.as_mut().map_or(Ok(()), |key| key.fill_from_bytes(bytes));
        if let Err(error) = filled {
            result = Err(error);
        }
        result
    }

    pub(crate) const EMPTY: Self =
        Self { secret: <P::Scheme as KemScheme>::Secret::EMPTY, public: EncapsulationKey::EMPTY };

    pub(crate) fn fill_from_seed(&mut self, seed: &[u8]) -> Result<(), Error> {
        let mut dk = Zeroizing::new(P::DecapsulationKey::ZERO);
        P::Scheme::keygen(KeyPairItem { seed, ek: self.bytes_mut(), dk: (*dk).as_mut() });
        self.fill_from_made((*dk).as_ref())
    }

    /// Returns the bytes of the encapsulation key, to be filled.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        self.public.bytes.as_mut()
    }

    /// Fills the rest of a key that was just made, whose encapsulation key was already written.
    ///
    /// # Errors
    /// With the feature `pct` [`Error::Fault`].
    pub(crate) fn fill_from_made(&mut self, dk: &[u8]) -> Result<(), Error> {
        let Self { secret, public } = self;
        let ek = public.bytes.as_ref();
        check_made::<P>(ek, dk)?;
        P::Scheme::parse_trusted(secret, &mut public.key, ek, dk);
        Ok(())
    }

    pub(crate) fn fill_from_bytes(&mut self, bytes: &[u8]) -> Result<(), Error> {
        check_secret::<P>(bytes)?;
        let Self { secret, public } = self;
        let ek = public.bytes.as_mut();
        P::Scheme::parse_secret(secret, &mut public.key, ek, bytes)
    }

    /// Writes the expanded key (the form that FIPS 203 calls dk).
    ///
    /// ```
    /// use oaklath_kem::{DecapsulationKey, MlKem512, Set};
    ///
    /// let key = DecapsulationKey::<MlKem512>::from_seed(&[1; 64]);
    /// let mut bytes = vec![0; MlKem512::INFO.secret_key];
    /// key.write_bytes(&mut bytes);
    /// let again = DecapsulationKey::<MlKem512>::from_bytes(&bytes)?;
    /// assert_eq!(again.encapsulation_key(), key.encapsulation_key());
    /// # Ok::<(), oaklath_kem::Error>(())
    /// ```
    ///
    /// # Panics
    /// If `bytes` has the wrong length.
    pub fn write_bytes(&self, bytes: &mut [u8]) {
        assert_eq!(bytes.len(), P::INFO.secret_key, "the length of a decapsulation key");
        P::Scheme::write_secret(&self.secret, self.public.as_bytes(), bytes);
    }

    /// Returns the encapsulation key.
    #[must_use]
    pub fn encapsulation_key(&self) -> &EncapsulationKey<P> {
        &self.public
    }

    /// Decapsulates: FIPS 203, Algorithm 18. For an invalid ciphertext, the secret depends on z.
    #[must_use]
    pub fn decapsulate(&self, ciphertext: &Ciphertext<P>) -> SharedSecret<P> {
        let mut k = SharedSecret::EMPTY;
        self.decapsulate_bytes(ciphertext.as_bytes(), &mut k.0);
        k
    }

    /// Precomputes the values that every decapsulation with this key needs.
    #[must_use]
    pub fn expand(self) -> ExpandedDecapsulationKey<P> {
        let expanded = <P::Scheme as KemScheme>::Expanded::EMPTY;
        let mut key = ExpandedDecapsulationKey { key: self, expanded };
        P::Scheme::expand(&mut key.expanded, key.key.public.as_bytes());
        key
    }

    pub(crate) fn to_ref<'a>(
        &'a self,
        expanded: Option<&'a <P::Scheme as KemScheme>::Expanded>,
    ) -> DecapsulationKeyRef<'a, P::Scheme> {
        DecapsulationKeyRef { public: self.public.to_ref(expanded), secret: &self.secret }
    }

    /// Decapsulates a ciphertext whose length was checked.
    pub(crate) fn decapsulate_bytes(&self, ciphertext: &[u8], shared: &mut [u8; 32]) {
        let key = self.to_ref(None);
        P::Scheme::decapsulate(DecapsulationItem { key, c: ciphertext, shared });
    }
}

impl<P: Set> ExpandedDecapsulationKey<P> {
    pub(crate) const EMPTY: Self =
        Self { key: DecapsulationKey::EMPTY, expanded: <P::Scheme as KemScheme>::Expanded::EMPTY };

    pub(crate) fn fill_from_bytes(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.key.fill_from_bytes(bytes)?;
        P::Scheme::expand(&mut self.expanded, self.key.public.as_bytes());
        Ok(())
    }

    pub(crate) fn to_ref(&self) -> DecapsulationKeyRef<'_, P::Scheme> {
        self.key.to_ref(Some(&self.expanded))
    }

    /// Returns the key without its precomputed values.
    #[must_use]
    pub fn decapsulation_key(&self) -> &DecapsulationKey<P> {
        &self.key
    }

    /// Decapsulates: FIPS 203, Algorithm 18. For an invalid ciphertext, the secret depends on z.
    #[must_use]
    pub fn decapsulate(&self, ciphertext: &Ciphertext<P>) -> SharedSecret<P> {
        let mut k = SharedSecret::EMPTY;
        let key = self.to_ref();
        P::Scheme::decapsulate(DecapsulationItem {
            key,
            c: ciphertext.as_bytes(),
            shared: &mut k.0,
        });
        k
    }
}

impl<P: Set> Ciphertext<P> {
    pub(crate) const EMPTY: Self = Self(P::Ciphertext::ZERO);

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        self.0.as_mut()
    }

    /// Makes a ciphertext from its bytes.
    ///
    /// # Errors
    /// [`Error::CiphertextLength`]; all bytes of the right length are accepted.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        check_ciphertext::<P>(bytes)?;
        let mut ciphertext = Self::EMPTY;
        ciphertext.bytes_mut().copy_from_slice(bytes);
        Ok(ciphertext)
    }

    /// Returns the encoded ciphertext.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_ref()
    }
}

impl<P: Set> SharedSecret<P> {
    pub(crate) const EMPTY: Self = Self([0; 32], PhantomData);

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8; 32] {
        &mut self.0
    }

    /// Returns the secret, which is meant as input of a key derivation, not as a key for every use.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// Fills `bytes` from the random generator of the operating system.
///
/// # Panics
/// If the generator fails.
#[cfg(feature = "getrandom")]
pub(crate) fn fill_from_system(bytes: &mut [u8]) {
    let result = getrandom::SysRng.try_fill_bytes(bytes);
    result.expect("the operating system has random bytes");
}

impl<P: Set> PartialEq for EncapsulationKey<P> {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl<P: Set> Eq for EncapsulationKey<P> {}

impl<P: Set> PartialEq for SharedSecret<P> {
    fn eq(&self, other: &Self) -> bool {
        !ct::differ(&self.0, &other.0).declassify()
    }
}

impl<P: Set> Eq for SharedSecret<P> {}

impl<P: Set> PartialEq for Ciphertext<P> {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl<P: Set> Eq for Ciphertext<P> {}

impl<P: Set> Clone for EncapsulationKey<P> {
    fn clone(&self) -> Self {
        Self { bytes: self.bytes.clone(), key: self.key.clone() }
    }
}

impl<P: Set> Clone for ExpandedEncapsulationKey<P> {
    fn clone(&self) -> Self {
        Self { key: self.key.clone(), expanded: self.expanded.clone() }
    }
}

impl<P: Set> Clone for Ciphertext<P> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<P: Set> Drop for SharedSecret<P> {
    fn drop(&mut self) {
        wipe(&mut self.0);
    }
}

impl<P: Set> ZeroizeOnDrop for SharedSecret<P> {}
impl<P: Set> ZeroizeOnDrop for DecapsulationKey<P> {}
impl<P: Set> ZeroizeOnDrop for ExpandedDecapsulationKey<P> {}

/// Implements `Debug` with the name of the algorithm only, since the rest may be secret.
macro_rules! debug {
    ($($ty:ident)*) => { $(
        impl<P: Set> fmt::Debug for $ty<P> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_tuple(stringify!($ty)).field(&P::INFO.name).finish_non_exhaustive()
            }
        }
    )* };
}
debug! {
    EncapsulationKey DecapsulationKey ExpandedEncapsulationKey ExpandedDecapsulationKey Ciphertext
    SharedSecret
}
