//! A key and a store together: the only way to sign.

use std::fmt;
use std::num::NonZeroU64;
use std::ops::{Deref, Range};

use oaklath_stateful::{Checked, Error, Growth, Message, StatefulKey};

use crate::children::{self, Child};
use crate::error::StoreError;
use crate::growing::GrowingKey;
use crate::key_id::KeyId;
use crate::lease::Lease;
use crate::owner::Owner;
use crate::store::{Remaining, Status, Store};

/// The reason why there is no signature.
#[derive(Debug)]
#[non_exhaustive]
pub enum SignError {
    /// The store issues no index.
    Store(StoreError),
    /// The key cannot sign.
    Key(Error),
    /// The computed signature is not valid for this key, message and index: memory, a cache or the
    /// CPU failed. The signature was not released, and its index is used up.
    Fault,
}

impl fmt::Display for SignError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Store(error) => error.fmt(f),
            Self::Key(error) => error.fmt(f),
            Self::Fault => f.write_str("the signature that was computed does not verify"),
        }
    }
}

impl std::error::Error for SignError {}

impl From<StoreError> for SignError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// A signer with a stateful key. It takes an index from the store, whose record is durable before
/// anything is computed with the index, signs, and verifies the signature before releasing it.
///
/// After any failure but [`StoreError::Busy`] and [`StoreError::Exhausted`], and after a panic, a
/// signer signs nothing more. It is neither `Clone` nor `Copy`; threads share one behind a mutex,
/// and a forked child is rejected.
///
/// ```
/// use oaklath_stores::{SignError, Signer, Store};
/// use oaklath_stateful::StatefulKey;
///
/// fn release(key: Box<dyn StatefulKey>, store: Box<dyn Store>) -> Result<Vec<u8>, SignError> {
///     let mut signer = Signer::new(key, store)?;
///     signer.sign(b"firmware 1.0")
/// }
/// ```
pub struct Signer {
    key: GrowingKey,
    store: Box<dyn Store>,
    lease: Option<Lease>,
    batch: NonZeroU64,
    verifies: bool,
    /// The number of the bottom tree and the subtree keys that the store has seen.
    witnessed: Option<(u64, Vec<u8>)>,
    is_poisoned: bool,
    owner: Owner,
}

impl Signer {
    /// Returns a signer that takes one index at a time from the store.
    ///
    /// # Errors
    /// [`StoreError::Foreign`] if the store belongs to another key; [`StoreError::OutOfRange`] if
    /// it would issue indices that the key does not have; or the store's error.
    pub fn new(key: Box<dyn StatefulKey>, mut store: Box<dyn Store>) -> Result<Self, SignError> {
        let status = store.status()?;
        if status.key != KeyId::of_key(&*key) {
            return Err(StoreError::Foreign("another key").into());
        }
        let end = key.signatures();
        if status.end > end {
            return Err(StoreError::OutOfRange { end, found: status.end }.into());
        }
        Ok(Self {
            key: GrowingKey::new(key),
            store,
            lease: None,
            batch: NonZeroU64::MIN,
            verifies: true,
            witnessed: None,
            is_poisoned: false,
            owner: Owner::this_process(),
        })
    }

    /// Sets how many indices are taken from the store at a time. A larger batch needs fewer syncs
    /// but may lose more indices when the process ends. The store's longest lease is also a limit;
    /// for a file it is [`FileOptions::largest`](crate::FileOptions::largest), by default one
    /// index.
    #[must_use]
    pub fn batch(mut self, batch: NonZeroU64) -> Self {
        self.batch = batch;
        self
    }

    /// Releases signatures without verifying them. This saves some tens of microseconds per
    /// signature, but a fault in memory or CPU while signing then releases a broken signature, from
    /// which others may be forged with the same one-time key. The children that upper levels sign
    /// are still compared, as computed from the key itself.
    #[must_use]
    pub fn without_verification(mut self) -> Self {
        self.verifies = false;
        self
    }

    /// Sets when the key computes what its next signatures will need: an even share with each
    /// signature, in [`grow`](Self::grow), or never in advance. Signatures do not depend on it.
    #[must_use]
    pub fn growth(mut self, growth: Growth) -> Self {
        self.key.lock().set_growth(growth);
        self
    }

    /// Starts a thread that does what [`grow`](Self::grow) does, while nothing is signed and while
    /// the store writes; signing then computes nothing in advance ([`Growth::Idle`]). Signing waits
    /// for the thread's current leaf, and computes whatever the thread has not finished in time.
    /// The thread ends with the signer. A forked child, which has no such thread, does not erase
    /// its copy of the key.
    ///
    /// # Errors
    /// [`StoreError::Io`] if the thread cannot be started.
    pub fn grow_in_background(self) -> Result<Self, StoreError> {
        let mut signer = self.growth(Growth::Idle);
        signer.key.start_thread()?;
        Ok(signer)
    }

    /// Signs bytes, or a [`Message`] that need not be in memory. The message is read twice, since
    /// the signature is verified.
    ///
    /// # Errors
    /// Returns the error of the store or of the key, or [`SignError::Fault`].
    pub fn sign<'m>(&mut self, message: impl Into<Message<'m>>) -> Result<Vec<u8>, SignError> {
        let (message, mut signature) = (message.into(), vec![0; self.key.signature_len]);
        self.guarded(|signer| signer.sign_checked(message, &mut signature))?;
        Ok(signature)
    }

    /// Writes a signature to `out` and returns the index at which it was made. After an error or a
    /// panic `out` is zero.
    ///
    /// # Errors
    /// Fails as [`sign`](Self::sign) does.
    ///
    /// # Panics
    /// If `out` does not have the length of a signature, [`StatefulKey::signature_len`].
    pub fn sign_to<'m>(
        &mut self,
        message: impl Into<Message<'m>>,
        out: &mut [u8],
    ) -> Result<u64, SignError> {
        let message = message.into();
        let expected = self.key.signature_len;
        assert_eq!(out.len(), expected, "the output has {} bytes, expected {expected}", out.len());
        out.fill(0);
        let mut signature = vec![0; expected];
        let index = self.guarded(|signer| signer.sign_checked(message, &mut signature))?;
        out.copy_from_slice(&signature);
        Ok(index)
    }

    /// Runs a step after which the signer is stopped, unless it succeeds or did not begin.
    fn guarded<T>(
        &mut self,
        run: impl FnOnce(&mut Self) -> Result<T, SignError>,
    ) -> Result<T, SignError> {
        self.owner.check()?;
        if std::mem::replace(&mut self.is_poisoned, true) {
            return Err(StoreError::Poisoned.into());
        }
        let done = run(self);
        use StoreError::{Busy, Exhausted};
        self.is_poisoned = !matches!(done, Ok(_) | Err(SignError::Store(Busy | Exhausted)));
        done
    }

    /// Returns the key, which is not grown while it is borrowed.
    #[must_use]
    pub fn key(&mut self) -> impl Deref<Target = dyn StatefulKey> + '_ {
        self.key.lock()
    }

    /// Returns how many signatures are left, in this signer's lease and in the store.
    ///
    /// # Errors
    /// Returns the store's error.
    pub fn remaining(&mut self) -> Result<Remaining, StoreError> {
        let remaining = self.store.remaining()?;
        let leased = self.lease.as_ref().map_or(0, Lease::left);
        Ok(Remaining { indices: remaining.indices + leased, ..remaining })
    }

    /// Returns the state of the store.
    ///
    /// # Errors
    /// Returns the store's error.
    pub fn status(&mut self) -> Result<Status, StoreError> {
        self.store.status()
    }

    /// Prepares the next signature: grows the trees on the path to the next index.
    ///
    /// # Errors
    /// Returns the error of the store or of the key.
    pub fn prepare(&mut self) -> Result<(), SignError> {
        self.guarded(|signer| {
            let next = match signer.lease.as_ref().and_then(Lease::peek) {
                Some(next) => next,
                None => signer.store.status()?.next,
            };
            let mut key = signer.key.lock_whole()?;
            if next < key.signatures() {
                key.prepare(next).map_err(SignError::Key)?;
            }
            Ok(())
        })
    }

    /// Computes up to `leaves` leaves that later signatures will need, as [`StatefulKey::grow`]
    /// does, and returns how many were computed: for a caller that knows when nobody waits for a
    /// signature.
    ///
    /// # Errors
    /// [`StoreError::Forked`], [`StoreError::Poisoned`].
    pub fn grow(&mut self, leaves: u32) -> Result<u32, SignError> {
        self.guarded(|signer| Ok(signer.key.lock_whole()?.grow(leaves)))
    }

    /// Takes at least `count` signatures from the store for another store of the key
    /// ([`FileOptions::take_over`](crate::FileOptions::take_over)). In a hierarchy they end with a
    /// bottom tree, and both stores keep the digests of the trees in which both sign, so that no
    /// upper one-time key signs two trees. [Claim](crate::FileOptions::claim) the other store
    /// beforehand.
    ///
    /// # Errors
    /// [`StoreError::Exhausted`] if fewer are left, which other machines may cause after this one
    /// has taken the last indices; otherwise those of [`sign`](Self::sign).
    pub fn reserve(&mut self, count: NonZeroU64) -> Result<Reservation, SignError> {
        self.guarded(|signer| {
            let Status { key: id, next, end, is_shared, .. } = signer.store.status()?;
            let mut key = signer.key.lock_whole()?;
            if end - next < count.get() {
                return Err(StoreError::Exhausted.into());
            }
            let indices = if is_shared {
                let lease = signer.store.reserve(count)?;
                // Other machines may have leased since the status was read.
                if lease.left() < count.get() {
                    return Err(StoreError::Exhausted.into());
                }
                let start = lease.peek().ok_or(StoreError::Exhausted)?;
                start..start + lease.left()
            } else {
                // A single tree has no bottom trees to complete.
                let has_layers = !key.layers().is_empty();
                let unit = if has_layers { key.signatures_of_tree() } else { 1 };
                let goal = (next + count.get()).next_multiple_of(unit).min(end);
                signer.store.advance(goal - 1)?;
                next..goal
            };
            let mut children = Vec::new();
            for index in [indices.start, indices.end] {
                let shared = children::across(&mut *key, index).map_err(SignError::Key)?;
                if let Some(merged) = children::merged(&children, &shared)? {
                    signer.store.witness(&shared)?;
                    children = merged;
                }
            }
            Ok(Reservation { key: id, indices, children })
        })
    }

    fn sign_checked(&mut self, message: Message<'_>, out: &mut [u8]) -> Result<u64, SignError> {
        let index = match self.lease.as_mut().and_then(Iterator::next) {
            Some(index) => index,
            None => {
                let mut lease = self.store.reserve(self.batch)?;
                let first = lease.next().ok_or(StoreError::Exhausted)?;
                self.lease = Some(lease);
                first
            }
        };
        let value = index.value();
        let mut key = self.key.lock_whole()?;
        let len = key.sign_message_at(index, message, out).map_err(SignError::Key)?;
        let subtree_keys = if self.verifies {
            let checked = key.check_message(message, &out[..len]).map_err(|_| SignError::Fault)?;
            let Checked { index, subtree_keys } = checked;
            if index != value || len != out.len() {
                return Err(SignError::Fault);
            }
            subtree_keys
        } else {
            key.subtree_keys(value).map_err(SignError::Key)?
        };
        // Show the store which children the upper levels sign, unless it has seen them.
        let seen = (value / key.signatures_of_tree(), subtree_keys);
        if self.witnessed.as_ref() != Some(&seen) {
            let children = children::split(&*key, value, &seen.1).ok_or(SignError::Fault)?;
            drop(key);
            if !children.is_empty() {
                self.store.witness(&children)?;
            }
            self.witnessed = Some(seen);
        }
        Ok(value)
    }
}

/// Indices that a store has given up for another store of the key, with the children that upper
/// one-time keys sign at the beginning and the end of the range. It is neither `Clone` nor `Copy`.
#[derive(Debug)]
pub struct Reservation {
    pub(crate) key: KeyId,
    pub(crate) indices: Range<u64>,
    pub(crate) children: Vec<Child>,
}

impl Reservation {
    /// Returns the reserved indices.
    #[must_use]
    pub fn indices(&self) -> Range<u64> {
        self.indices.clone()
    }
}

impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { store, lease, batch, is_poisoned, .. } = self;
        let mut text = f.debug_struct("Signer");
        text.field("store", store).field("lease", lease).field("batch", batch);
        text.field("is_poisoned", is_poisoned).finish_non_exhaustive()
    }
}

#[cfg(feature = "signature")]
impl signature::SignerMut<Vec<u8>> for Signer {
    fn try_sign(&mut self, message: &[u8]) -> Result<Vec<u8>, signature::Error> {
        self.sign(message).map_err(signature::Error::from_source)
    }
}
