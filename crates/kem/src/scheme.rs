//! The shape that all families have, so that the layers above are written once.
use crate::error::Error;

/// A KEM of one parameter set. Keys begin as `EMPTY` and are filled; all strings of bytes have
/// their lengths.
pub trait KemScheme {
    type Public: Empty + Clone + Send + Sync + 'static;
    type Secret: Empty + Send + Sync + 'static;
    type Expanded: Empty + Clone + Send + Sync + 'static;
    /// The lengths that follow from the scheme's numbers.
    const LENGTHS: KemLengths;

    fn keygen(item: KeyPairItem<'_>);
    fn encapsulate_bytes(item: EncapsulationItem<'_, &[u8]>) -> Result<(), Error>;
    fn decapsulate_bytes(item: DecapsulationItem<'_, &[u8]>) -> Result<(), Error>;
    fn parse_public(key: &mut Self::Public, ek: &[u8]) -> Result<(), Error>;
    /// Writes the encapsulation key of a decapsulation key, too.
    fn parse_secret(
        secret: &mut Self::Secret,
        public: &mut Self::Public,
        ek: &mut [u8],
        dk: &[u8],
    ) -> Result<(), Error>;
    /// Parses a key pair that was just made.
    fn parse_trusted(secret: &mut Self::Secret, public: &mut Self::Public, ek: &[u8], dk: &[u8]);
    fn write_secret(key: &Self::Secret, ek: &[u8], dk: &mut [u8]);
    fn expand(expanded: &mut Self::Expanded, ek: &[u8]);
    fn encapsulate(item: EncapsulationItem<'_, EncapsulationKeyRef<'_, Self>>);
    fn decapsulate(item: DecapsulationItem<'_, DecapsulationKeyRef<'_, Self>>);

    // Two at a time, side by side where the scheme gains from that. Either all keys are expanded or
    // none.
    fn keygen_two(items: [KeyPairItem<'_>; 2]) {
        items.into_iter().for_each(Self::keygen);
    }
    fn encapsulate_bytes_two(items: [EncapsulationItem<'_, &[u8]>; 2]) -> [Result<(), Error>; 2] {
        items.map(Self::encapsulate_bytes)
    }
    fn decapsulate_bytes_two(items: [DecapsulationItem<'_, &[u8]>; 2]) -> [Result<(), Error>; 2] {
        items.map(Self::decapsulate_bytes)
    }
    fn encapsulate_two(items: [EncapsulationItem<'_, EncapsulationKeyRef<'_, Self>>; 2]) {
        items.into_iter().for_each(Self::encapsulate);
    }
    fn decapsulate_two(items: [DecapsulationItem<'_, DecapsulationKeyRef<'_, Self>>; 2]) {
        items.into_iter().for_each(Self::decapsulate);
    }
}

/// A key pair to be made.
#[expect(missing_debug_implementations, reason = "it holds secrets")]
pub struct KeyPairItem<'a> {
    /// The random bytes that it is made from.
    pub seed: &'a [u8],
    /// Room for the encapsulation key.
    pub ek: &'a mut [u8],
    /// Room for the decapsulation key.
    pub dk: &'a mut [u8],
}

/// An encapsulation.
#[expect(missing_debug_implementations, reason = "it holds secrets")]
pub struct EncapsulationItem<'a, K = &'a [u8]> {
    /// The encapsulation key.
    pub key: K,
    /// The random bytes that the ciphertext is made from.
    pub coins: &'a [u8],
    /// Room for the ciphertext.
    pub c: &'a mut [u8],
    /// Room for the shared secret.
    pub shared: &'a mut [u8; 32],
}

/// A decapsulation.
#[expect(missing_debug_implementations, reason = "it holds secrets")]
pub struct DecapsulationItem<'a, K = &'a [u8]> {
    /// The decapsulation key.
    pub key: K,
    /// The ciphertext.
    pub c: &'a [u8],
    /// Room for the shared secret.
    pub shared: &'a mut [u8; 32],
}

impl KeyPairItem<'_> {
    /// The item, lent.
    pub(crate) fn reborrow(&mut self) -> KeyPairItem<'_> {
        KeyPairItem { seed: self.seed, ek: self.ek, dk: self.dk }
    }
}

impl<K> EncapsulationItem<'_, K> {
    /// The item, lent, with another form of its key.
    pub(crate) fn with_key<T>(&mut self, key: T) -> EncapsulationItem<'_, T> {
        EncapsulationItem { key, coins: self.coins, c: self.c, shared: self.shared }
    }
}

impl<K> DecapsulationItem<'_, K> {
    /// The item, lent, with another form of its key.
    pub(crate) fn with_key<T>(&mut self, key: T) -> DecapsulationItem<'_, T> {
        DecapsulationItem { key, c: self.c, shared: self.shared }
    }
}

/// The lengths of a scheme in bytes.
#[derive(Clone, Copy, Debug)]
pub struct KemLengths {
    /// Random bytes that a key pair is made from.
    pub seed: usize,
    /// Random bytes that a ciphertext is made from.
    pub coins: usize,
    pub public_key: usize,
    pub secret_key: usize,
    pub ciphertext: usize,
}

/// An encapsulation key: its bytes, parsed, and expanded if it is.
#[expect(missing_debug_implementations, reason = "internal")]
pub struct EncapsulationKeyRef<'a, T: KemScheme + ?Sized> {
    pub bytes: &'a [u8],
    pub parsed: &'a T::Public,
    pub expanded: Option<&'a T::Expanded>,
}

/// A decapsulation key with its encapsulation key.
#[expect(missing_debug_implementations, reason = "internal")]
pub struct DecapsulationKeyRef<'a, T: KemScheme + ?Sized> {
    pub public: EncapsulationKeyRef<'a, T>,
    pub secret: &'a T::Secret,
}

/// A key without contents yet: a key that is moved leaves a copy behind, so it is filled in place.
pub trait Empty {
    const EMPTY: Self;
}
