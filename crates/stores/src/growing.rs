//! A key whose trees a background thread grows while nobody uses it.

use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use oaklath_stateful::StatefulKey;

use crate::error::StoreError;
use crate::owner::Owner;

/// A key, with the thread that grows it if one was started.
pub(crate) struct GrowingKey {
    shared: Arc<SharedKey>,
    thread: Option<GrowthThread>,
    /// Kept outside the lock, which a forked child may find taken for ever.
    pub(crate) signature_len: usize,
}

struct SharedKey {
    state: Mutex<KeyState>,
    /// Whether the signer holds the key or waits for it; the thread then does not take the lock.
    is_wanted: AtomicBool,
    changed: Condvar,
}

struct KeyState {
    key: Box<dyn StatefulKey>,
    /// Whether nothing is left to grow.
    is_grown: bool,
    is_dropped: bool,
}

struct GrowthThread {
    handle: JoinHandle<()>,
    owner: Owner,
}

impl GrowingKey {
    pub(crate) fn new(key: Box<dyn StatefulKey>) -> Self {
        let signature_len = key.signature_len();
        let state = Mutex::new(KeyState { key, is_grown: false, is_dropped: false });
        let (is_wanted, changed) = (AtomicBool::new(false), Condvar::new());
        let shared = Arc::new(SharedKey { state, is_wanted, changed });
        Self { shared, thread: None, signature_len }
    }

    /// Starts the thread, unless it is already running.
    ///
    /// # Errors
    /// [`StoreError::Io`] if the thread cannot be started.
    pub(crate) fn start_thread(&mut self) -> Result<(), StoreError> {
        if self.thread.is_some() {
            return Ok(());
        }
        let shared = Arc::clone(&self.shared);
        let run = move || shared.grow_until_dropped();
        let spawned = thread::Builder::new().name("oaklath-growth".into()).spawn(run);
        let handle = spawned.map_err(StoreError::io("start a thread"))?;
        self.thread = Some(GrowthThread { handle, owner: Owner::this_process() });
        Ok(())
    }

    /// Locks the key after the thread's current leaf; `&mut` keeps callers from deadlock.
    pub(crate) fn lock(&mut self) -> LockedKey<'_> {
        self.shared.is_wanted.store(true, SeqCst);
        LockedKey { state: self.shared.lock(), shared: &self.shared }
    }

    /// Locks the key to sign with it.
    ///
    /// # Errors
    /// [`StoreError::Poisoned`] if the thread has panicked, since a tree may be damaged.
    pub(crate) fn lock_whole(&mut self) -> Result<LockedKey<'_>, StoreError> {
        let shared = Arc::clone(&self.shared);
        let key = self.lock();
        if shared.state.is_poisoned() { Err(StoreError::Poisoned) } else { Ok(key) }
    }
}

impl SharedKey {
    fn lock(&self) -> MutexGuard<'_, KeyState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Grows the key, a leaf at a time, whenever it is not wanted.
    fn grow_until_dropped(&self) {
        loop {
            let must_wait = |state: &mut KeyState| {
                !state.is_dropped && (state.is_grown || self.is_wanted.load(SeqCst))
            };
            let waited = self.changed.wait_while(self.lock(), must_wait);
            let mut state = waited.unwrap_or_else(PoisonError::into_inner);
            if state.is_dropped {
                return;
            }
            state.is_grown = state.key.grow(1) == 0;
        }
    }
}

impl Drop for GrowingKey {
    /// Waits for the thread, so that the key is erased on return. A forked child has no thread.
    fn drop(&mut self) {
        if let Some(GrowthThread { handle, owner }) = self.thread.take()
            && owner.check().is_ok()
        {
            self.lock().state.is_dropped = true;
            // An error means only that the thread has panicked.
            let _ = handle.join();
        }
    }
}

/// The locked key, which the thread cannot grow.
pub(crate) struct LockedKey<'a> {
    state: MutexGuard<'a, KeyState>,
    shared: &'a SharedKey,
}

impl Deref for LockedKey<'_> {
    type Target = dyn StatefulKey;

    fn deref(&self) -> &Self::Target {
        &*self.state.key
    }
}

impl DerefMut for LockedKey<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut *self.state.key
    }
}

impl Drop for LockedKey<'_> {
    /// Lets the thread continue, since there may be something new to grow.
    fn drop(&mut self) {
        self.state.is_grown = false;
        self.shared.is_wanted.store(false, SeqCst);
        self.shared.changed.notify_all();
    }
}
