//! Key shares that are made before they are needed.

use std::collections::VecDeque;
use std::process;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use oaklath_hybrid::{ClientKey, Group};
use rustls::crypto::SecureRandom;

use crate::base::{BaseRandom, to_rustls};

/// How long a share may wait: for so long the connections to come are as secret as this memory.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// Ready key shares of the first group of a provider, for clients that make many connections:
/// proxies, load generators. [`Builder::build_pooled`](crate::Builder::build_pooled) makes it.
///
/// A connection takes a share, whose private keys it alone has then; where none is ready, it makes
/// one as it does without a pool. Nothing happens by itself: [`refill`](Self::refill) makes shares
/// where the caller has time for that. After each connection it makes what that one took: in the
/// same thread; in an asynchronous program in a task of its own. Or a thread of its own looks after
/// it:
///
/// ```
/// # use oaklath_tls::{Builder, default_base};
/// use std::{thread, time::Duration};
///
/// let (provider, pool) = Builder::new(default_base()).build_pooled(64)?;
/// let others = pool.clone();
/// thread::spawn(move || {
///     while others.refill().is_ok() {
///         thread::sleep(Duration::from_millis(5));
///     }
/// });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The private keys of a share that waits are in memory before their connection begins: who reads
/// that memory can decrypt the connections that use these shares. So a share waits for a minute at
/// most and is erased, by the next connection or refill; the one that has waited longest is taken
/// first, and all are erased when the last clone of the pool is dropped, after which connections
/// make their own. A child by `fork` uses none of its parent's. A virtual machine that is resumed
/// twice from one image does use them twice; such a program drops its pool before.
#[derive(Clone, Debug)]
pub struct KeySharePool(Arc<ReadyShares>);

/// What a pool and its group share.
#[derive(Debug)]
pub(crate) struct ReadyShares {
    group: Group,
    random: &'static dyn SecureRandom,
    capacity: usize,
    /// The one that has waited longest is first.
    ready: Mutex<VecDeque<ReadyShare>>,
}

#[derive(Debug)]
struct ReadyShare {
    key: ClientKey,
    made: Instant,
    /// The process that made it.
    process: u32,
}

impl KeySharePool {
    /// An empty pool. Shares are made two at a time, so that an odd capacity is one more.
    pub(crate) fn new(group: Group, random: &'static dyn SecureRandom, capacity: usize) -> Self {
        let capacity = capacity.next_multiple_of(2);
        Self(Arc::new(ReadyShares { group, random, capacity, ready: Mutex::default() }))
    }

    /// What the group takes shares from.
    pub(crate) fn shares(&self) -> &Arc<ReadyShares> {
        &self.0
    }

    /// Makes shares until the pool is full, two at a time: as long as fewer than two are missing,
    /// nothing.
    ///
    /// # Errors
    /// If the generator of the base provider fails.
    pub fn refill(&self) -> Result<(), rustls::Error> {
        let ReadyShares { group, random, capacity, .. } = &*self.0;
        while self.ready() + 2 <= *capacity {
            let keys = group.generate_two(&mut BaseRandom(*random)).map_err(to_rustls)?;
            let (made, process) = (Instant::now(), process::id());
            let mut ready = self.0.usable(made, process);
            // Another thread may have filled it meanwhile.
            let room = capacity - ready.len();
            let shares = keys.into_iter().map(|key| ReadyShare { key, made, process });
            ready.extend(shares.take(room));
        }
        Ok(())
    }

    /// Returns how many shares are ready.
    #[must_use]
    pub fn ready(&self) -> usize {
        self.0.usable(Instant::now(), process::id()).len()
    }
}

impl ReadyShares {
    /// The keys of a share, which nobody gets again.
    pub(crate) fn take(&self) -> Option<ClientKey> {
        self.usable(Instant::now(), process::id()).pop_front().map(|share| share.key)
    }

    /// The shares that may be used at this time in this process. Others are erased.
    fn usable(&self, now: Instant, process: u32) -> MutexGuard<'_, VecDeque<ReadyShare>> {
        let mut ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        let is_stale = |share: &ReadyShare| {
            share.process != process || now.duration_since(share.made) >= LONGEST_WAIT
        };
        while ready.front().is_some_and(is_stale) {
            ready.pop_front();
        }
        ready
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pool(capacity: usize) -> KeySharePool {
        let random = crate::default::default_base().secure_random;
        KeySharePool::new(Group::by_name("X25519MLKEM768").unwrap(), random, capacity)
    }

    #[test]
    fn shares_wait_for_a_minute_in_one_process() {
        let pool = pool(3);
        pool.refill().unwrap();
        assert_eq!(pool.ready(), 4);
        let (now, process) = (Instant::now(), process::id());
        assert_eq!(pool.0.usable(now + LONGEST_WAIT / 2, process).len(), 4);
        assert_eq!(pool.0.usable(now + LONGEST_WAIT, process).len(), 0);
        pool.refill().unwrap();
        assert_eq!(pool.ready(), 4);
        // As a child by `fork` finds them.
        assert_eq!(pool.0.usable(now, process + 1).len(), 0);
        assert_eq!(pool.ready(), 0);
    }

    /// With the pool goes all that has the private keys.
    #[test]
    fn no_share_outlives_its_pool() {
        let pool = pool(4);
        pool.refill().unwrap();
        let group = Arc::downgrade(pool.shares());
        let clone = pool.clone();
        drop(pool);
        assert!(group.upgrade().is_some_and(|shares| shares.take().is_some()));
        drop(clone);
        assert!(group.upgrade().is_none());
    }
}
