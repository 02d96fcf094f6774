//! The common interface of all families, so that the layers above are written once.
use crate::error::Error;

/// A KEM of one parameter set. Keys start as `EMPTY` and are filled in place; callers check the
/// lengths of all byte strings.
pub trait KemScheme {
    type Public: Empty + Clone + Send + Sync + 'static;
    type Secret: Empty + Send + Sync + 'static;
    type Expanded: Empty + Clone + Send + Sync + 'static;
    /// The lengths that follow from the parameters of the scheme.
    const LENGTHS: KemLengths;

    fn keygen(item: KeyPairItem<'_>);
    fn encapsulate_bytes(item: EncapsulationItem<'_, &[u8]>) -> Result<(), Error>;
    fn decapsulate_bytes(item: DecapsulationItem<'_, &[u8]>) -> Result<(), Error>;
    fn parse_public(key: &mut Self::Public, ek: &[u8]) -> Result<(), Error>;
    /// Parses a decapsulation key, and writes its encapsulation key to `ek`.
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

    // Two operations at once, side by side in schemes that benefit from it. Either both keys are
    // expanded or none is.
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
    /// The random bytes from which the key pair is made.
    pub seed: &'a [u8],
    /// Buffer for the encapsulation key.
    pub ek: &'a mut [u8],
    /// Buffer for the decapsulation key.
    pub dk: &'a mut [u8],
}

/// An encapsulation.
#[expect(missing_debug_implementations, reason = "it holds secrets")]
pub struct EncapsulationItem<'a, K = &'a [u8]> {
    /// The encapsulation key.
    pub key: K,
    /// The random bytes from which the ciphertext is made.
    pub coins: &'a [u8],
    /// Buffer for the ciphertext.
    pub c: &'a mut [u8],
    /// Buffer for the shared secret.
    pub shared: &'a mut [u8; 32],
}

/// A decapsulation.
#[expect(missing_debug_implementations, reason = "it holds secrets")]
pub struct DecapsulationItem<'a, K = &'a [u8]> {
    /// The decapsulation key.
    pub key: K,
    /// The ciphertext.
    pub c: &'a [u8],
    /// Buffer for the shared secret.
    pub shared: &'a mut [u8; 32],
}

impl KeyPairItem<'_> {
    /// Borrows the item.
    pub(crate) fn reborrow(&mut self) -> KeyPairItem<'_> {
        KeyPairItem { seed: self.seed, ek: self.ek, dk: self.dk }
    }
}

impl<K> EncapsulationItem<'_, K> {
    /// Borrows the item with another form of its key.
    pub(crate) fn with_key<T>(&mut self, key: T) -> EncapsulationItem<'_, T> {
        EncapsulationItem { key, coins: self.coins, c: self.c, shared: self.shared }
    }
}

impl<K> DecapsulationItem<'_, K> {
    /// Borrows the item with another form of its key.
    pub(crate) fn with_key<T>(&mut self, key: T) -> DecapsulationItem<'_, T> {
        DecapsulationItem { key, c: self.c, shared: self.shared }
    }
}

/// The lengths of a scheme in bytes.
#[derive(Clone, Copy, Debug)]
pub struct KemLengths {
    /// Random bytes from which a key pair is made.
    pub seed: usize,
    /// Random bytes from which a ciphertext is made.
    pub coins: usize,
    pub public_key: usize,
    pub secret_key: usize,
    pub ciphertext: usize,
}

/// An encapsulation key: its bytes, its parsed form and, if there is one, its expanded form.
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

/// A key that is still empty. It is filled in place, since moving it would leave a copy behind.
pub trait Empty {
    const EMPTY: Self;
}
