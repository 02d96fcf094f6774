//! Key shares that are generated before a connection needs them.

use std::collections::VecDeque;
use std::process;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use oaklath_hybrid::{ClientKey, Group};
use rustls::crypto::SecureRandom;

use crate::base::{BaseRandom, to_rustls};

/// How long a share may wait. Someone who reads the memory of a pool can decrypt connections that
/// begin within this time.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// Ready key shares of the first group of a provider, for clients that make many connections, such
/// as proxies and load generators. Returned by
/// [`Builder::build_pooled`](crate::Builder::build_pooled).
///
/// Each connection takes a share out of the pool, or generates its own if the pool is empty. The
/// pool starts no thread: the caller calls [`refill`](Self::refill) when there is time, for
/// instance after each connection. An asynchronous program does that in a task, and any program can
/// do it in a thread:
///
/// ```
/// # use oaklath_tls::{Builder, default_base};
/// use std::{thread, time::Duration};
///
/// let (provider, pool) = Builder::new(default_base()).build_pooled(64)?;
/// let filled = pool.clone();
/// thread::spawn(move || {
///     while filled.refill().is_ok() {
///         thread::sleep(Duration::from_millis(5));
///     }
/// });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Secrecy
/// The private keys of a waiting share are in memory before its connection begins, so that someone
/// who reads that memory can decrypt the connection. Therefore a share is used within a minute or
/// not at all, the oldest first; time does not count while the machine sleeps. Connections and
/// refills erase expired shares; [`clear`](Self::clear) erases all, and so does dropping the last
/// clone of the pool, that of a thread included. Later connections generate their own.
///
/// After a `fork` the child uses none of its parent's shares, which are known by the process
/// number; if the child begins a new PID namespace, where it may have the same number, clear the
/// pool before. It should build a pool of its own: a refill of this one could wait for a thread
/// that only the parent has. A virtual machine that is
/// resumed twice from one snapshot would use shares twice, and hibernation writes them to disk:
/// clear the pool before.
#[derive(Clone, Debug)]
pub struct KeySharePool(Arc<ReadyShares>);

/// The shares of a pool, which its group takes them from.
#[derive(Debug)]
pub(crate) struct ReadyShares {
    group: Group,
    random: &'static dyn SecureRandom,
    capacity: usize,
    /// The oldest is first.
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
    /// Returns an empty pool. Shares are generated in pairs, so that an odd capacity is one more.
    pub(crate) fn new(group: Group, random: &'static dyn SecureRandom, capacity: usize) -> Self {
        let capacity = capacity.saturating_add(capacity & 1);
        Self(Arc::new(ReadyShares { group, random, capacity, ready: Mutex::default() }))
    }

    /// Returns the shares, for the group to take from.
    pub(crate) fn shares(&self) -> &Arc<ReadyShares> {
        &self.0
    }

    /// Generates the shares that are missing, always two at a time, at most as many as were missing
    /// at the beginning. If only one is missing, nothing happens.
    ///
    /// # Errors
    /// If the generator of the base provider fails.
    pub fn refill(&self) -> Result<(), rustls::Error> {
        let ReadyShares { group, random, capacity, .. } = &*self.0;
        for _ in 0..capacity.saturating_sub(self.ready()) / 2 {
            let keys = group.generate_two(&mut BaseRandom(*random)).map_err(to_rustls)?;
            let (made, process) = (Instant::now(), process::id());
            let mut ready = self.0.usable(made, process);
            // Another thread may have filled the pool meanwhile.
            let room = capacity.saturating_sub(ready.len());
            if room == 0 {
                break;
            }
            let shares = keys.into_iter().map(|key| ReadyShare { key, made, process });
            ready.extend(shares.take(room));
        }
        Ok(())
    }

    /// Returns the number of ready shares.
    #[must_use]
    pub fn ready(&self) -> usize {
        self.0.usable(Instant::now(), process::id()).len()
    }

    /// Erases all shares.
    pub fn clear(&self) {
        self.0.usable(Instant::now(), process::id()).clear();
    }
}

impl ReadyShares {
    /// Removes the oldest share and returns its keys. Never waits: not for another connection or a
    /// refill, nor in a child by `fork` for a thread that only its parent has.
    pub(crate) fn take(&self) -> Option<ClientKey> {
        let mut ready = match self.ready.try_lock() {
            Ok(ready) => ready,
            Err(TryLockError::Poisoned(error)) => error.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        erase_stale(&mut ready, Instant::now(), process::id());
        ready.pop_front().map(|share| share.key)
    }

    /// Returns the shares that are neither expired nor of another process.
    fn usable(&self, now: Instant, process: u32) -> MutexGuard<'_, VecDeque<ReadyShare>> {
        let mut ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        erase_stale(&mut ready, now, process);
        ready
    }
}

/// Erases the shares that have expired or are of another process.
fn erase_stale(ready: &mut VecDeque<ReadyShare>, now: Instant, process: u32) {
    let is_stale = |share: &ReadyShare| {
        share.process != process || now.duration_since(share.made) >= LONGEST_WAIT
    };
    while ready.front().is_some_and(is_stale) {
        ready.pop_front();
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
        // In a child by `fork`.
        assert_eq!(pool.0.usable(now, process + 1).len(), 0);
        assert_eq!(pool.ready(), 0);
    }

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
