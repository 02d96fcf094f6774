//! A store that several machines share: leases from a database, and on each machine a durable
//! memory of how far it has seen the database come.

use std::fmt;
use std::num::NonZeroU64;
use std::ops::Range;
use std::path::PathBuf;

use crate::anchor::Anchor;
use crate::disk::Disk;
use crate::error::StoreError;
use crate::journal::{Journal, Place};
use crate::key_id::KeyId;
use crate::lease::Lease;
use crate::medium::Medium;
use crate::record::{Origin, Record};
use crate::store::{Child, Status, Store};

/// A database that counts indices for many machines: `Postgres` and `Etcd` by their features, or
/// another.
///
/// What it confirms is durable. After an error of [`take`](Self::take) it is unknown whether the
/// indices are gone; nobody may be given them, and nothing is tried again.
pub trait Ledger: fmt::Debug + Send {
    /// The account of a key.
    ///
    /// # Errors
    /// [`StoreError::Missing`] if it has none; what the database answers.
    fn read(&mut self, key: KeyId) -> Result<Account, StoreError>;

    /// Opens an account in epoch 0, which nothing is ever deleted from.
    ///
    /// # Errors
    /// [`StoreError::Exists`] if the key has one; what the database answers.
    fn create(&mut self, key: KeyId, indices: Range<u64>, unit: u64) -> Result<(), StoreError>;

    /// Takes the next `count` indices, or as many as are left, in one atomic step, if the account
    /// is in this epoch.
    ///
    /// # Errors
    /// [`StoreError::Exhausted`], [`StoreError::Fenced`], [`StoreError::Missing`]; what the
    /// database answers.
    fn take(&mut self, key: KeyId, epoch: u64, count: u64) -> Result<Taken, StoreError>;

    /// Begins the next epoch, with no index below `next` left, in one atomic step, if the account
    /// is in this epoch.
    ///
    /// # Errors
    /// [`StoreError::Fenced`], [`StoreError::Missing`]; what the database answers.
    fn raise(&mut self, key: KeyId, epoch: u64, next: u64) -> Result<(), StoreError>;
}

impl Ledger for Box<dyn Ledger> {
    fn read(&mut self, key: KeyId) -> Result<Account, StoreError> {
        (**self).read(key)
    }

    fn create(&mut self, key: KeyId, indices: Range<u64>, unit: u64) -> Result<(), StoreError> {
        (**self).create(key, indices, unit)
    }

    fn take(&mut self, key: KeyId, epoch: u64, count: u64) -> Result<Taken, StoreError> {
        (**self).take(key, epoch, count)
    }

    fn raise(&mut self, key: KeyId, epoch: u64, next: u64) -> Result<(), StoreError> {
        (**self).raise(key, epoch, next)
    }
}

/// What a database says of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Account {
    /// A digest of what stays the same while the database does.
    pub identity: [u8; 32],
    /// How often a person has declared it valid.
    pub epoch: u64,
    /// A number that only grows, where the database has one; else 0.
    pub revision: u64,
    /// The first index that nobody has taken.
    pub next: u64,
    /// The first index behind the range.
    pub end: u64,
    /// Leases are multiples of this: 1, or the size of a bottom tree.
    pub unit: u64,
}

/// What was taken: the indices from `start` to below `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// The first index.
    pub start: u64,
    /// The first index behind them.
    pub end: u64,
    /// The database's revision, as in [`Account`].
    pub revision: u64,
}

/// A store whose leases come from a database that several machines share.
///
/// Each machine keeps a *mark* in a file of its own: how far it has seen the database come, durable
/// before a lease is used. A lease below it comes from a database that was restored, and is refused
/// until a person has said which index is the first unused one. Leases are used up when they are
/// taken: none is returned, and none expires, so that no clock is trusted.
#[derive(Debug)]
pub struct SharedStore {
    ledger: Box<dyn Ledger>,
    journal: Journal,
    unit: u64,
}

/// How a [`SharedStore`] is opened.
#[derive(Debug)]
pub struct SharedOptions {
    ledger: Box<dyn Ledger>,
    place: Place,
}

impl SharedStore {
    /// Leases from `ledger`, with this machine's mark at `mark`.
    pub fn at(ledger: impl Ledger + 'static, mark: impl Into<PathBuf>) -> SharedOptions {
        Self::on(ledger, Disk::new(mark))
    }

    /// The mark on any medium.
    pub fn on(ledger: impl Ledger + 'static, mark: impl Medium + 'static) -> SharedOptions {
        SharedOptions { ledger: Box::new(ledger), place: Place::on(mark) }
    }

    /// Remembers what the database said, in both slots: a decayed one takes nothing away.
    fn remember(&mut self, next: u64, origin: Origin) -> Result<(), StoreError> {
        self.journal.append_twice(|record| {
            record.next = record.next.max(next);
            record.origin = Some(origin);
        })
    }

    /// What the database says, unless it has gone back.
    fn account(&mut self) -> Result<Account, StoreError> {
        self.journal.check()?;
        let record = self.journal.record();
        let read = self.ledger.read(record.key).and_then(|account| {
            compare(record, &account)?;
            Ok(account)
        });
        if read.is_err() {
            self.journal.poison();
        }
        read
    }
}

impl SharedOptions {
    /// A second memory of this machine's mark.
    #[must_use]
    pub fn anchor(mut self, anchor: impl Anchor + 'static) -> Self {
        self.place.anchor = Some(Box::new(anchor));
        self
    }

    /// For [`recover`](Self::recover), by a person's word: the mark never had an anchor, or it is
    /// lost for good.
    #[must_use]
    pub fn no_anchor(mut self) -> Self {
        self.place.is_unanchored = true;
        self
    }

    /// Opens the account of a new key in the database, and makes this machine's mark. Leases are
    /// multiples of `unit`: 1 for ranges, [`signatures_of_tree`] for whole bottom trees, of which
    /// no two machines then sign in the same one.
    ///
    /// # Errors
    /// [`StoreError::Exists`]; what the database or the medium answers.
    ///
    /// # Panics
    /// If the range does not begin and end at multiples of `unit`.
    ///
    /// [`signatures_of_tree`]: oaklath_stateful::StatefulKey::signatures_of_tree
    pub fn create(
        mut self,
        key: KeyId,
        indices: Range<u64>,
        unit: NonZeroU64,
    ) -> Result<SharedStore, StoreError> {
        let whole =
            indices.start.is_multiple_of(unit.get()) && indices.end.is_multiple_of(unit.get());
        assert!(whole && indices.start <= indices.end, "a range of leases is not whole");
        self.ledger.create(key, indices, unit.get())?;
        self.join(key)
    }

    /// Makes the mark of a machine that has not leased from this account before. One that has, and
    /// has lost its mark, must not use this: it would not notice a restored database.
    ///
    /// # Errors
    /// [`StoreError::Missing`] if the key has no account, [`StoreError::Exists`] if there is a
    /// mark; what the database or the medium answers.
    pub fn join(mut self, key: KeyId) -> Result<SharedStore, StoreError> {
        let account = self.ledger.read(key)?;
        let mut record = Record::new(key, account.next..account.end, 0)?;
        record.origin = Some(account.origin());
        let journal = self.place.create(record)?;
        Ok(SharedStore { ledger: self.ledger, journal, unit: account.unit })
    }

    /// Takes a mark that was moved here from another machine or file, by a person's word: nothing
    /// else will ever lease with another copy of it.
    #[must_use]
    pub fn adopted(mut self) -> Self {
        self.place.is_adopted = true;
        self
    }

    /// Opens the mark of this machine and compares it with the database.
    ///
    /// # Errors
    /// As [`FileOptions::open`](crate::FileOptions::open) for the mark;
    /// [`RolledBack`](StoreError::RolledBack) or [`Foreign`](StoreError::Foreign) if the database
    /// is not the one that this machine knows; what it answers.
    pub fn open(mut self, key: KeyId) -> Result<SharedStore, StoreError> {
        let journal = self.place.open(key, 0)?;
        let account = self.ledger.read(key)?;
        compare(journal.record(), &account)?;
        let mut store = SharedStore { ledger: self.ledger, journal, unit: account.unit };
        store.remember(account.next, account.origin())?;
        Ok(store)
    }

    /// Goes on after a refusal: a person vouches that no index above `past` was ever used by any
    /// machine. The database begins a new epoch, which all other machines meet when they open their
    /// stores again.
    ///
    /// # Errors
    /// As [`FileOptions::recover`](crate::FileOptions::recover) for the mark;
    /// [`Foreign`](StoreError::Foreign) if it is one of another range; what the database answers.
    pub fn recover(mut self, key: KeyId, past: u64) -> Result<SharedStore, StoreError> {
        let account = self.ledger.read(key)?;
        if past >= account.end {
            return Err(StoreError::OutOfRange { end: account.end, found: past });
        }
        let (range, origin) = ((past, Some(account.end)), Some(account.origin()));
        let mut journal = self.place.recover(key, range, 0, origin)?;
        let next = account.round_up(journal.record().next);
        self.ledger.raise(key, account.epoch, next)?;
        let account = self.ledger.read(key)?;
        journal.append_twice(|record| {
            record.next = next;
            record.origin = Some(account.origin());
        })?;
        Ok(SharedStore { ledger: self.ledger, journal, unit: account.unit })
    }
}

impl Store for SharedStore {
    fn reserve(&mut self, want: NonZeroU64) -> Result<Lease, StoreError> {
        self.journal.check()?;
        let &Record { key, next: known, end, origin, .. } = self.journal.record();
        let origin = origin.ok_or(StoreError::Corrupt("the mark is one of no database"))?;
        let count = want.get().div_ceil(self.unit).saturating_mul(self.unit);
        let taken = match self.ledger.take(key, origin.epoch, count) {
            Err(StoreError::Exhausted) => return Err(StoreError::Exhausted),
            taken => taken,
        };
        let checked = taken.and_then(|taken| match taken {
            Taken { start, .. } if start < known => {
                Err(StoreError::RolledBack { known, found: start })
            }
            Taken { revision, .. } if revision < origin.revision => {
                Err(StoreError::RolledBack { known, found: taken.start })
            }
            Taken { start, end: last, .. } if start >= last || last > end => {
                Err(StoreError::Corrupt("the database gives indices that the key does not have"))
            }
            taken => Ok(taken),
        });
        // Whatever was taken when something failed is lost.
        let taken = checked.inspect_err(|_| self.journal.poison())?;
        self.remember(taken.end, Origin { revision: taken.revision, ..origin })?;
        Ok(Lease::from_durable_record(taken.start, taken.end, self.journal.record().generation))
    }

    fn status(&mut self) -> Result<Status, StoreError> {
        let account = self.account()?;
        Ok(Status { next: account.next, largest: u64::MAX, ..self.journal.status() })
    }

    fn advance(&mut self, past: u64) -> Result<(), StoreError> {
        let account = self.account()?;
        if past >= account.end {
            return Err(StoreError::OutOfRange { end: account.end, found: past });
        }
        if past < account.next {
            return Ok(());
        }
        let (key, next) = (self.journal.record().key, account.round_up(past + 1));
        let raised = self.ledger.raise(key, account.epoch, next);
        let read = raised.and_then(|()| self.ledger.read(key));
        let account = read.inspect_err(|_| self.journal.poison())?;
        self.remember(account.next, account.origin())
    }

    fn witness(&mut self, children: &[Child]) -> Result<(), StoreError> {
        self.journal.witness(children)
    }
}

impl Account {
    fn origin(&self) -> Origin {
        Origin { identity: self.identity, epoch: self.epoch, revision: self.revision }
    }

    fn round_up(&self, index: u64) -> u64 {
        index.div_ceil(self.unit).saturating_mul(self.unit).min(self.end)
    }
}

/// Whether the database is the one that a mark remembers, and no older.
fn compare(mark: &Record, account: &Account) -> Result<(), StoreError> {
    let origin = mark.origin.ok_or(StoreError::Foreign("no database"))?;
    if origin.identity != account.identity || mark.end != account.end {
        return Err(StoreError::Foreign("another database"));
    }
    let is_older = account.epoch < origin.epoch
        || account.revision < origin.revision
        || account.next < mark.next;
    if is_older {
        return Err(StoreError::RolledBack { known: mark.next, found: account.next });
    }
    Ok(())
}
