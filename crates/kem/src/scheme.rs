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

    fn keygen(seed: &[u8], ek: &mut [u8], dk: &mut [u8]);
    fn encapsulate_bytes(
        ek: &[u8],
        coins: &[u8],
        c: &mut [u8],
        shared: &mut [u8; 32],
    ) -> Result<(), Error>;
    fn decapsulate_bytes(dk: &[u8], c: &[u8], shared: &mut [u8; 32]) -> Result<(), Error>;
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
    fn encapsulate(
        key: EncapsulationKeyRef<'_, Self>,
        coins: &[u8],
        c: &mut [u8],
        shared: &mut [u8; 32],
    );
    fn decapsulate(key: DecapsulationKeyRef<'_, Self>, c: &[u8], shared: &mut [u8; 32]);
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
