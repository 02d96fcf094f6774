//! A store that several machines share: leases from a database, and on each machine a durable
//! record of how far it has seen the database advance.

use std::fmt;
use std::num::NonZeroU64;
use std::ops::Range;
use std::path::PathBuf;

use crate::anchor::Anchor;
use crate::children::{self, Child, merged};
use crate::disk::Disk;
use crate::error::StoreError;
use crate::journal::{Journal, Place};
use crate::key_id::KeyId;
use crate::lease::Lease;
use crate::medium::Medium;
use crate::record::{Origin, Record};
use crate::store::{Status, Store};

/// A database that counts indices for many machines: `Postgres` or `Etcd`, behind their features,
/// or another implementation.
///
/// What the database confirms is durable. After an error of [`update`](Self::update) it is unknown
/// whether the account has changed; the indices must not be issued, and nothing is retried.
pub trait Ledger: fmt::Debug + Send {
    /// Returns the account of a key, with the turn of this machine.
    ///
    /// # Errors
    /// [`StoreError::Missing`] if the key has no account; or the database's error.
    fn read(&mut self, key: KeyId, machine: Machine) -> Result<Account, StoreError>;

    /// Creates an account in epoch 0. Accounts are never deleted.
    ///
    /// # Errors
    /// [`StoreError::Exists`] if the key has an account; or the database's error.
    fn create(&mut self, key: KeyId, indices: Range<u64>, unit: u64) -> Result<(), StoreError>;

    /// Replaces the account with the result of `change`, in one atomic step, and returns it as it
    /// was before and as it is afterwards. Only epoch, next index, children and this machine's turn
    /// may change; an unchanged account need not be written.
    ///
    /// # Errors
    /// [`StoreError::Missing`], the error of `change`, or the database's error.
    fn update(
        &mut self,
        key: KeyId,
        machine: Machine,
        change: Change,
    ) -> Result<[Account; 2], StoreError>;
}

/// The name by which the database knows a machine: the instance of its mark.
pub type Machine = [u8; 16];

/// A function that computes the new account from the old; it may be called more than once.
pub type Change = Box<dyn Fn(&Account) -> Result<Account, StoreError> + Send>;

/// The name of a machine that has leased nothing yet.
const NEW_MACHINE: Machine = [0; 16];

impl Ledger for Box<dyn Ledger> {
    fn read(&mut self, key: KeyId, machine: Machine) -> Result<Account, StoreError> {
        (**self).read(key, machine)
    }

    fn create(&mut self, key: KeyId, indices: Range<u64>, unit: u64) -> Result<(), StoreError> {
        (**self).create(key, indices, unit)
    }

    fn update(
        &mut self,
        key: KeyId,
        machine: Machine,
        change: Change,
    ) -> Result<[Account; 2], StoreError> {
        (**self).update(key, machine, change)
    }
}

/// A key's account in a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// A digest that changes only if the database is another one.
    pub identity: [u8; 32],
    /// How often a person has declared the database valid after a restore.
    pub epoch: u64,
    /// A number that only grows and that no crash sets back: a position in the database's log.
    pub revision: u64,
    /// The first index that no machine has leased.
    pub next: u64,
    /// The first index after the range.
    pub end: u64,
    /// The number of indices of which leases are multiples: 1, or the size of a bottom tree.
    pub unit: u64,
    /// How many leases this machine has taken, according to the database.
    pub turn: u64,
    /// The trees that upper one-time keys have signed: bytes that only the store understands, at
    /// most [`MOST_CHILDREN`](crate::MOST_CHILDREN) times [`CHILD_LEN`](crate::CHILD_LEN); empty in
    /// a new account.
    pub children: Vec<u8>,
    /// Why the account is not as a signer last wrote it, if so: the database was restored, failed
    /// over or was changed by hand.
    pub restored: Option<&'static str>,
}

/// A store whose leases come from a database that several machines share.
///
/// Each machine keeps a *mark* in its own file: how far it has seen the database advance, made
/// durable before a lease is used. A database that is behind the mark was restored, and is rejected
/// until a person has said which index is the first unused one. Leases are used up when they are
/// taken: none is returned, and none expires, so that no clock is trusted.
#[derive(Debug)]
pub struct SharedStore {
    ledger: Box<dyn Ledger>,
    journal: Journal,
    unit: u64,
}

/// Options for opening a [`SharedStore`].
#[derive(Debug)]
pub struct SharedOptions {
    ledger: Box<dyn Ledger>,
    place: Place,
}

impl SharedStore {
    /// Returns options for leases from `ledger`, with this machine's mark in the file `mark`.
    pub fn at(ledger: impl Ledger + 'static, mark: impl Into<PathBuf>) -> SharedOptions {
        Self::on(ledger, Disk::new(mark))
    }

    /// Returns options for leases from `ledger`, with the mark on the given medium.
    pub fn on(ledger: impl Ledger + 'static, mark: impl Medium + 'static) -> SharedOptions {
        SharedOptions { ledger: Box::new(ledger), place: Place::on(mark) }
    }

    /// Records what the database reported in both slots, so that it survives the loss of one.
    fn remember(&mut self, next: u64, origin: Origin) -> Result<(), StoreError> {
        self.journal.append_twice(|record| {
            record.next = record.next.max(next);
            record.origin = Some(origin);
        })
    }

    /// Reads the account, and rejects it if the database has gone back.
    fn account(&mut self) -> Result<Account, StoreError> {
        self.journal.check()?;
        let record = self.journal.record();
        let read = self.ledger.read(record.key, record.instance).and_then(|account| {
            compare(record, &account)?;
            Ok(account)
        });
        read.inspect_err(|_| self.journal.poison())
    }
}

impl SharedOptions {
    /// Sets the anchor: a second record of how far this machine's mark has advanced.
    #[must_use]
    pub fn anchor(mut self, anchor: impl Anchor + 'static) -> Self {
        self.place.anchor = Some(Box::new(anchor));
        self
    }

    /// Declines an anchor in [`recover`](Self::recover). A person vouches that the mark never had
    /// an anchor, or that it is lost for good.
    #[must_use]
    pub fn no_anchor(mut self) -> Self {
        self.place.is_unanchored = true;
        self
    }

    /// Creates the account of a new key in the database, and this machine's mark. Leases are
    /// multiples of `unit`: 1 for ranges, [`signatures_of_tree`] for whole bottom trees, of which
    /// no two machines then sign in the same one.
    ///
    /// # Errors
    /// [`StoreError::Exists`], or the error of the database or the medium.
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

    /// Creates the mark of a machine that has not leased from this account before. A machine that
    /// has lost its mark must not use this: it would not notice a restored database.
    ///
    /// # Errors
    /// [`StoreError::Missing`] if the key has no account, [`StoreError::Exists`] if there is a
    /// mark; or the error of the database or the medium.
    pub fn join(mut self, key: KeyId) -> Result<SharedStore, StoreError> {
        let account = self.ledger.read(key, NEW_MACHINE)?;
        account.check()?;
        let mut record = Record::new(key, account.next..account.end, 0)?;
        record.origin = Some(account.origin());
        let journal = self.place.create(record)?;
        Ok(SharedStore { ledger: self.ledger, journal, unit: account.unit })
    }

    /// Accepts a mark that was moved here from another machine or file. A person vouches that
    /// nothing will ever lease with another copy of it.
    #[must_use]
    pub fn adopted(mut self) -> Self {
        self.place.is_adopted = true;
        self
    }

    /// Opens the mark of this machine and compares it with the database.
    ///
    /// # Errors
    /// Those of [`FileOptions::open`](crate::FileOptions::open) for the mark;
    /// [`Restored`](StoreError::Restored), [`RolledBack`](StoreError::RolledBack) or
    /// [`Foreign`](StoreError::Foreign) if the database is not the one that this machine knows; or
    /// the database's error.
    pub fn open(mut self, key: KeyId) -> Result<SharedStore, StoreError> {
        let journal = self.place.open(key, 0, true)?;
        let account = self.ledger.read(key, journal.record().instance)?;
        compare(journal.record(), &account)?;
        let mut store = SharedStore { ledger: self.ledger, journal, unit: account.unit };
        store.remember(account.next, account.origin())?;
        Ok(store)
    }

    /// Continues after a rejection: a person vouches that no index above `past` was ever used by
    /// any machine, and that no other server acts as this database. This begins a new epoch, which
    /// all other machines adopt when they open their stores again.
    ///
    /// # Errors
    /// Those of [`FileOptions::recover`](crate::FileOptions::recover) for the mark;
    /// [`Foreign`](StoreError::Foreign) if the mark has another range; or the database's error.
    pub fn recover(mut self, key: KeyId, past: u64) -> Result<SharedStore, StoreError> {
        let account = self.ledger.read(key, NEW_MACHINE)?;
        if past >= account.end {
            return Err(StoreError::OutOfRange { end: account.end, found: past });
        }
        let (range, origin) = ((past, Some(account.end)), Some(account.origin()));
        let mut journal = self.place.recover(key, range, 0, origin)?;
        let (found, next) = (account.epoch, account.round_up(journal.record().next));
        // The new epoch must differ from all epochs from before the database was restored.
        let known = journal.record().origin.map_or(0, |origin| origin.epoch);
        let epoch = found.max(known) + 1;
        let raise = move |account: &Account| match account.epoch {
            other if other != found => Err(StoreError::Fenced { epoch: other }),
            _ => Ok(Account { epoch, next: account.next.max(next), ..account.clone() }),
        };
        let machine = journal.record().instance;
        let [_, account] = self.ledger.update(key, machine, Box::new(raise))?;
        journal.append_twice(|record| {
            record.next = account.next;
            record.origin = Some(account.origin());
        })?;
        Ok(SharedStore { ledger: self.ledger, journal, unit: account.unit })
    }
}

impl Store for SharedStore {
    fn reserve(&mut self, want: NonZeroU64) -> Result<Lease, StoreError> {
        self.journal.check()?;
        let record = self.journal.record().clone();
        let (key, machine) = (record.key, record.instance);
        let count = want.get().div_ceil(self.unit).saturating_mul(self.unit);
        let change = Box::new(move |account: &Account| lease(&record, account, count));
        let taken = match self.ledger.update(key, machine, change) {
            Err(StoreError::Exhausted) => return Err(StoreError::Exhausted),
            taken => taken,
        };
        // Indices that were taken before a failure are lost.
        let [before, after] = taken.inspect_err(|_| self.journal.poison())?;
        self.remember(after.next, after.origin())?;
        let generation = self.journal.record().generation;
        Ok(Lease::of_record(before.next, after.next, generation))
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
        match NonZeroU64::new((past + 1).saturating_sub(account.next)) {
            Some(count) => self.reserve(count).map(drop),
            None => Ok(()),
        }
    }

    /// Compares in the database, for all machines, before this machine records the children.
    fn witness(&mut self, children: &[Child]) -> Result<(), StoreError> {
        self.journal.check()?;
        let (record, seen) = (self.journal.record().clone(), children.to_vec());
        let (key, machine) = (record.key, record.instance);
        let change = Box::new(move |account: &Account| share(&record, account, &seen));
        let shared = self.ledger.update(key, machine, change);
        shared.inspect_err(|_| self.journal.poison())?;
        self.journal.witness(children)
    }
}

impl Account {
    /// Checks that the account is as a signer left it, according to the database.
    fn check(&self) -> Result<(), StoreError> {
        self.restored.map_or(Ok(()), |why| Err(StoreError::Restored(why)))
    }

    fn origin(&self) -> Origin {
        let &Self { identity, epoch, revision, turn, .. } = self;
        Origin { identity, epoch, revision, turn }
    }

    fn round_up(&self, index: u64) -> u64 {
        index.div_ceil(self.unit).saturating_mul(self.unit).min(self.end)
    }
}

/// Checks that the database is the one that a mark remembers, and is no older.
fn compare(mark: &Record, account: &Account) -> Result<(), StoreError> {
    let origin = mark.origin.ok_or(StoreError::Foreign("no database"))?;
    if origin.identity != account.identity || mark.end != account.end {
        return Err(StoreError::Foreign("another database"));
    }
    account.check()?;
    if account.next < mark.next {
        return Err(StoreError::RolledBack { known: mark.next, found: account.next });
    }
    let why = match account {
        Account { epoch, .. } if *epoch < origin.epoch => "its epoch has passed",
        // A person has vouched for the database since.
        Account { epoch, .. } if *epoch > origin.epoch => return Ok(()),
        Account { revision, .. } if *revision < origin.revision => "its log has gone back",
        Account { turn, .. } if *turn < origin.turn => "it has lost a lease of this machine",
        // One more is allowed: the last answer may have been lost, or this machine may have stopped
        // before recording it.
        Account { turn, .. } if turn.saturating_sub(1) > origin.turn => {
            "it knows more leases of this machine than the mark, which is an old copy"
        }
        _ => return Ok(()),
    };
    Err(StoreError::Restored(why))
}

/// Checks that the database is as the open handle of a mark left it.
fn expect_current(mark: &Record, account: &Account) -> Result<(), StoreError> {
    compare(mark, account)?;
    match mark.origin {
        Some(origin) if origin.epoch != account.epoch => {
            Err(StoreError::Fenced { epoch: account.epoch })
        }
        Some(origin) if origin.turn != account.turn => {
            Err(StoreError::Restored("another signer has a copy of the mark"))
        }
        _ => Ok(()),
    }
}

/// Returns the account after a lease of `count` indices, or of as many as are left.
fn lease(mark: &Record, account: &Account, count: u64) -> Result<Account, StoreError> {
    expect_current(mark, account)?;
    let Account { next, end, turn, .. } = *account;
    if next >= end {
        return Err(StoreError::Exhausted);
    }
    let next = next.saturating_add(count).min(end);
    Ok(Account { next, turn: turn + 1, ..account.clone() })
}

/// Compares children with those that any machine has signed, and returns the account with them.
fn share(mark: &Record, account: &Account, seen: &[Child]) -> Result<Account, StoreError> {
    expect_current(mark, account)?;
    let known = children::from_bytes(&account.children)?;
    let all = merged(&known, seen)?.unwrap_or(known);
    Ok(Account { children: children::to_bytes(&all), ..account.clone() })
}
