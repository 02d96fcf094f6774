//! The object-safe layer: operations on bytes, for callers that choose algorithms by name.
#[cfg(feature = "alloc")]
use alloc::boxed::Box;
use core::fmt::Debug;

use oaklath_params::buffer::{check_output, zero_on_error};
use oaklath_params::kem::{self, KemInfo};
use oaklath_params::list;

use crate::error::Error;
use crate::pct::check_made;
use crate::scheme::{DecapsulationItem, EncapsulationItem, KemScheme, KeyPairItem};
use crate::sets::{
    Set, check_ciphertext, check_coins, check_public, check_secret, check_seed, with_sets,
};
#[cfg(feature = "alloc")]
use crate::typed::DecapsulationKey;

/// A key encapsulation mechanism. Its lengths are in [`info`](Self::info), except those of the
/// random inputs, which are methods of this trait.
///
/// An input of the wrong length is an error. An output buffer of the wrong length is a bug in the
/// caller, and the operation panics. After an error the outputs are zero.
pub trait Kem: Debug + Send + Sync {
    /// Returns the algorithm's row in the table of [`oaklath_params::kem`].
    fn info(&self) -> &'static KemInfo;

    /// Returns the number of random bytes that a key pair is made from: 64, d then z of FIPS 203;
    /// for NTRU and SABER, those that the submission draws, in its order.
    fn seed_len(&self) -> usize;

    /// Returns the number of random bytes that a ciphertext is made from: 32, m of FIPS 203; for
    /// NTRU, those from which r and m are drawn.
    fn coins_len(&self) -> usize;

    /// Makes a key pair from a seed: FIPS 203, Algorithm 16.
    ///
    /// # Errors
    /// [`Error::SeedLength`]; with the feature `pct` [`Error::Fault`].
    ///
    /// # Panics
    /// If `pk` or `sk` has the wrong length.
    fn keypair_from(&self, seed: &[u8], pk: &mut [u8], sk: &mut [u8]) -> Result<(), Error>;

    /// Encapsulates with the given coins: FIPS 203, Algorithm 17, with the checks of section 7.2.
    ///
    /// # Errors
    /// [`Error::CoinsLength`], [`Error::EncapsulationKeyLength`],
    /// [`Error::EncapsulationKeyNotCanonical`].
    ///
    /// # Panics
    /// If `ct` or `ss` has the wrong length.
    fn encapsulate_from(
        &self,
        coins: &[u8],
        pk: &[u8],
        ct: &mut [u8],
        ss: &mut [u8],
    ) -> Result<(), Error>;

    /// Decapsulates: FIPS 203, Algorithm 18, with the checks of section 7.3. An invalid ciphertext
    /// is not an error: the secret then depends on z.
    ///
    /// # Errors
    /// [`Error::DecapsulationKeyLength`], [`Error::DecapsulationKeyHash`],
    /// [`Error::EncapsulationKeyNotCanonical`], [`Error::CiphertextLength`].
    ///
    /// # Panics
    /// If `ss` has the wrong length.
    fn decapsulate(&self, sk: &[u8], ct: &[u8], ss: &mut [u8]) -> Result<(), Error>;

    /// Checks and parses a decapsulation key once, for many decapsulations.
    ///
    /// # Errors
    /// Those of [`decapsulate`](Self::decapsulate) that concern the key, and
    /// [`Error::DecapsulationKeyNotInvertible`].
    #[cfg(feature = "alloc")]
    fn prepare(&self, sk: &[u8]) -> Result<Box<dyn Decapsulate>, Error>;

    /// Makes a key pair and returns the decapsulation key prepared, as a key exchange needs it.
    ///
    /// ```
    /// let kem = oaklath_kem::by_name("ML-KEM-768")?;
    /// let mut ek = vec![0; kem.info().public_key];
    /// let key = kem.generate_from(&[1; 64], &mut ek)?;
    /// let (mut c, mut bob, mut alice) = (vec![0; kem.info().ciphertext], [0; 32], [0; 32]);
    /// kem.encapsulate_from(&[2; 32], &ek, &mut c, &mut bob)?;
    /// key.decapsulate(&c, &mut alice)?;
    /// assert_eq!(alice, bob);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::SeedLength`]; with the feature `pct` [`Error::Fault`].
    ///
    /// # Panics
    /// If `pk` has the wrong length.
    #[cfg(feature = "alloc")]
    fn generate_from(&self, seed: &[u8], pk: &mut [u8]) -> Result<Box<dyn Decapsulate>, Error>;
}

/// A prepared decapsulation key. Erased when dropped.
#[cfg(feature = "alloc")]
pub trait Decapsulate: Debug + Send + Sync {
    /// Decapsulates. An invalid ciphertext is not an error.
    ///
    /// # Errors
    /// [`Error::CiphertextLength`].
    ///
    /// # Panics
    /// If `ss` has the wrong length.
    fn decapsulate(&self, ct: &[u8], ss: &mut [u8]) -> Result<(), Error>;
}

macro_rules! all {
    ($($feature:literal $set:ident $row:ident $scheme:ty;)*) => {
        list!(ALL: &[&dyn Kem] = &[$(#[cfg(feature = $feature)] &crate::sets::$set),*]);
    };
}
with_sets!(all);

/// The error for a name that no KEM of this build has.
pub type UnknownName = oaklath_params::UnknownName<KemInfo>;

/// Returns every KEM of this build.
///
/// ```
/// for kem in oaklath_kem::all() {
///     println!("{}: ciphertexts of {} bytes", kem.info().name, kem.info().ciphertext);
/// }
/// ```
#[must_use]
pub fn all() -> &'static [&'static dyn Kem] {
    ALL
}

/// Returns the KEM with a name in any vocabulary: `ML-KEM-768`, `mlkem768`, `KYBER_LEVEL5`, an OID;
/// see [`oaklath_params::kem::by_name`].
///
/// # Errors
/// If no algorithm of this build has the name. The error says whether another build has it, or
/// which name is close.
pub fn by_name(name: &str) -> Result<&'static dyn Kem, UnknownName> {
    let known = kem::by_name(name);
    known
        .and_then(|row| ALL.iter().copied().find(|kem| core::ptr::eq(kem.info(), row)))
        .ok_or(UnknownName { known, suggestion: kem::suggest(name) })
}

/// Returns the buffer of a shared secret, which has 32 bytes for all KEMs of this crate.
#[track_caller]
fn shared_secret(bytes: &mut [u8]) -> &mut [u8; 32] {
    check_output(bytes, 32, "shared secret");
    bytes.first_chunk_mut().expect("the length was checked")
}

impl<P: Set> Kem for P {
    fn info(&self) -> &'static KemInfo {
        P::INFO
    }

    fn seed_len(&self) -> usize {
        size_of::<P::Seed>()
    }

    fn coins_len(&self) -> usize {
        size_of::<P::Coins>()
    }

    fn keypair_from(&self, bytes: &[u8], pk: &mut [u8], sk: &mut [u8]) -> Result<(), Error> {
        check_output(pk, P::INFO.public_key, "encapsulation key");
        check_output(sk, P::INFO.secret_key, "decapsulation key");
        let result = check_seed::<P>(bytes).and_then(|()| {
            P::Scheme::keygen(KeyPairItem { seed: bytes, ek: pk, dk: sk });
            check_made::<P>(pk, sk)
        });
        zero_on_error(result, [pk, sk])
    }

    fn encapsulate_from(
        &self,
        coins: &[u8],
        pk: &[u8],
        ct: &mut [u8],
        ss: &mut [u8],
    ) -> Result<(), Error> {
        check_output(ct, P::INFO.ciphertext, "ciphertext");
        let shared = shared_secret(ss);
        let result = check_coins::<P>(coins).and_then(|()| check_public::<P>(pk)).and_then(|()| {
            P::Scheme::encapsulate_bytes(EncapsulationItem { key: pk, coins, c: ct, shared })
        });
        zero_on_error(result, [ct, ss])
    }

    fn decapsulate(&self, sk: &[u8], ct: &[u8], ss: &mut [u8]) -> Result<(), Error> {
        let shared = shared_secret(ss);
        let result =
            check_secret::<P>(sk).and_then(|()| check_ciphertext::<P>(ct)).and_then(|()| {
                P::Scheme::decapsulate_bytes(DecapsulationItem { key: sk, c: ct, shared })
            });
        zero_on_error(result, [ss])
    }

    #[cfg(feature = "alloc")]
    fn prepare(&self, sk: &[u8]) -> Result<Box<dyn Decapsulate>, Error> {
        let mut key = empty_key::<P>();
        key.fill_from_bytes(sk)?;
        Ok(key)
    }

    #[cfg(feature = "alloc")]
    fn generate_from(&self, bytes: &[u8], pk: &mut [u8]) -> Result<Box<dyn Decapsulate>, Error> {
        check_output(pk, P::INFO.public_key, "encapsulation key");
        pk.fill(0);
        check_seed::<P>(bytes)?;
        let mut key = empty_key::<P>();
        key.fill_from_seed(bytes)?;
        pk.copy_from_slice(key.encapsulation_key().as_bytes());
        Ok(key)
    }
}

#[cfg(feature = "alloc")]
impl<P: Set> Decapsulate for DecapsulationKey<P> {
    fn decapsulate(&self, ct: &[u8], ss: &mut [u8]) -> Result<(), Error> {
        let shared = shared_secret(ss);
        let result = check_ciphertext::<P>(ct).map(|()| self.decapsulate_bytes(ct, shared));
        zero_on_error(result, [ss])
    }
}

/// Allocates a key on the heap, in a separate stack frame, so that no copy stays on the stack.
#[cfg(feature = "alloc")]
#[inline(never)]
pub(crate) fn empty_key<P: Set>() -> Box<DecapsulationKey<P>> {
    Box::new(DecapsulationKey::EMPTY)
}
