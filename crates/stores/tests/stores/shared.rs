//! Machines that lease from one database, which fails, is restored and is exchanged.

use std::num::NonZeroU64;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use crate::simulation::{FAULTS, Simulation};
use oaklath_stores::{
    Account, Child, KeyId, Ledger, SharedOptions, SharedStore, Store, StoreError, Taken,
};

const END: u64 = 1024;
const UNIT: u64 = 32;

fn key() -> KeyId {
    KeyId::of(b"the key")
}

fn count(n: u64) -> NonZeroU64 {
    NonZeroU64::new(n).unwrap()
}

/// A database in memory, which can be copied and restored.
#[derive(Clone, Debug, Default)]
struct Database(Arc<Mutex<Tables>>);

#[derive(Debug, Default)]
struct Tables {
    account: Option<Account>,
    children: Vec<u8>,
    /// The next request is executed, and its answer is lost.
    loses_answer: bool,
}

impl Database {
    fn dump(&self) -> Account {
        self.0.lock().unwrap().account.unwrap()
    }

    fn restore(&self, account: Account) {
        self.0.lock().unwrap().account = Some(account);
    }

    fn lose_an_answer(&self) {
        self.0.lock().unwrap().loses_answer = true;
    }

    fn machine(&self, marks: &Simulation) -> SharedOptions {
        SharedStore::on(self.clone(), marks.disk(0))
    }
}

impl Tables {
    fn account(&mut self, epoch: u64) -> Result<&mut Account, StoreError> {
        let account = self.account.as_mut().ok_or(StoreError::Missing)?;
        if account.epoch != epoch {
            return Err(StoreError::Fenced { epoch: account.epoch });
        }
        account.revision += 1;
        Ok(account)
    }

    fn answer<T>(&mut self, answer: T) -> Result<T, StoreError> {
        match std::mem::take(&mut self.loses_answer) {
            true => Err(StoreError::Database("the answer is lost".into())),
            false => Ok(answer),
        }
    }
}

impl Ledger for Database {
    fn read(&mut self, _: KeyId) -> Result<Account, StoreError> {
        self.0.lock().unwrap().account.ok_or(StoreError::Missing)
    }

    fn create(&mut self, _: KeyId, indices: Range<u64>, unit: u64) -> Result<(), StoreError> {
        let mut tables = self.0.lock().unwrap();
        if tables.account.is_some() {
            return Err(StoreError::Exists);
        }
        let Range { start: next, end } = indices;
        tables.account =
            Some(Account { identity: [1; 32], epoch: 0, revision: 1, next, end, unit });
        Ok(())
    }

    fn take(&mut self, _: KeyId, epoch: u64, count: u64) -> Result<Taken, StoreError> {
        let mut tables = self.0.lock().unwrap();
        let account = tables.account(epoch)?;
        let start = account.next;
        if start == account.end {
            return Err(StoreError::Exhausted);
        }
        account.next = (start + count).min(account.end);
        let taken = Taken { start, end: account.next, revision: account.revision };
        tables.answer(taken)
    }

    fn raise(&mut self, _: KeyId, epoch: u64, next: u64) -> Result<(), StoreError> {
        let mut tables = self.0.lock().unwrap();
        let account = tables.account(epoch)?;
        account.epoch += 1;
        account.next = account.next.max(next);
        tables.answer(())
    }

    fn children(&mut self, _: KeyId) -> Result<Vec<u8>, StoreError> {
        Ok(self.0.lock().unwrap().children.clone())
    }

    fn replace_children(
        &mut self,
        _: KeyId,
        epoch: u64,
        from: &[u8],
        to: &[u8],
    ) -> Result<bool, StoreError> {
        let mut tables = self.0.lock().unwrap();
        tables.account(epoch)?;
        let is_known = tables.children == from;
        if is_known {
            tables.children = to.to_vec();
        }
        tables.answer(is_known)
    }
}

/// A database, and the first machine with its mark.
fn fleet() -> (Database, Simulation, SharedStore) {
    let (database, marks) = (Database::default(), Simulation::default());
    let store = database.machine(&marks).create(key(), 0..END, count(UNIT)).unwrap();
    (database, marks, store)
}

fn range(store: &mut SharedStore, want: u64) -> Range<u64> {
    let lease = store.reserve(count(want)).unwrap();
    let start = lease.peek().unwrap();
    start..start + lease.left()
}

/// Two machines sign below one tree of the middle level, and one of them computed it wrongly.
#[test]
fn a_child_is_compared_between_machines() {
    let child = |tree, digest| Child { level: 1, tree, digest: [digest; 32] };
    let (database, _, mut first) = fleet();
    let join = || database.machine(&Simulation::default()).join(key()).unwrap();
    first.witness(&[child(0, 1)]).unwrap();
    let mut second = join();
    second.witness(&[child(0, 1), child(1, 2)]).unwrap();
    let mut third = join();
    let changed = third.witness(&[child(0, 2)]);
    assert!(matches!(changed, Err(StoreError::ChildChanged { level: 2 })));
    assert!(matches!(third.reserve(count(1)), Err(StoreError::Poisoned)));
    assert!(matches!(first.witness(&[child(1, 1)]), Err(StoreError::ChildChanged { .. })));
    database.lose_an_answer();
    assert!(second.witness(&[child(2, 3)]).is_err());
    assert!(matches!(second.witness(&[]), Err(StoreError::Poisoned)));
}

#[test]
fn machines_get_whole_trees_that_differ() {
    let (database, _, mut first) = fleet();
    let mut second = database.machine(&Simulation::default()).join(key()).unwrap();
    assert_eq!(range(&mut first, 1), 0..UNIT);
    assert_eq!(range(&mut second, UNIT + 1), UNIT..3 * UNIT);
    assert_eq!(range(&mut first, 5), 3 * UNIT..4 * UNIT);
    let remaining = second.remaining().unwrap();
    assert!(remaining.is_shared);
    assert_eq!(remaining.indices, END - 4 * UNIT);
    assert_eq!(range(&mut second, END), 4 * UNIT..END, "what is left is less");
    for store in [&mut first, &mut second] {
        assert!(matches!(store.reserve(count(1)), Err(StoreError::Exhausted)));
    }
}

#[test]
fn a_lost_answer_burns_its_range_and_stops_the_handle() {
    let (database, marks, mut store) = fleet();
    range(&mut store, 1);
    database.lose_an_answer();
    assert!(matches!(store.reserve(count(1)), Err(StoreError::Database(_))));
    assert!(matches!(store.reserve(count(1)), Err(StoreError::Poisoned)));
    drop(store);
    let mut store = database.machine(&marks).open(key()).unwrap();
    assert_eq!(range(&mut store, 1), 2 * UNIT..3 * UNIT);
}

/// A restored row has the old epoch too; only the mark notices.
#[test]
fn a_restored_database_is_refused_until_a_person_raises_the_epoch() {
    let (database, marks, mut store) = fleet();
    range(&mut store, 1);
    let dump = database.dump();
    range(&mut store, 1);

    // While the handle is open, even where revisions are not counted.
    database.restore(Account { revision: dump.revision + 100, ..dump });
    let refused = store.reserve(count(1));
    assert!(
        matches!(refused, Err(StoreError::RolledBack { known, found }) if (known, found) == (64, 32))
    );
    assert!(matches!(store.reserve(count(1)), Err(StoreError::Poisoned)));
    drop(store);

    // When it is opened.
    for revision in [dump.revision, dump.revision + 100] {
        database.restore(Account { revision, ..dump });
        let refused = database.machine(&marks).open(key());
        assert!(matches!(refused, Err(StoreError::RolledBack { .. })));
    }

    // A machine that joined meanwhile, and may have leased less, is fenced by the new epoch.
    let other = Simulation::default();
    let mut second = database.machine(&other).join(key()).unwrap();
    let mut store = database.machine(&marks).recover(key(), 70).unwrap();
    assert_eq!(range(&mut store, 1), 96..128, "whole trees behind index 70");
    assert!(matches!(second.reserve(count(1)), Err(StoreError::Fenced { epoch: 1 })));
    drop(second);
    let mut second = database.machine(&other).open(key()).unwrap();
    assert_eq!(range(&mut second, 1), 128..160);

    // The dump again, now of an epoch that has passed.
    drop(second);
    database.restore(Account { next: 512, revision: 1 << 40, ..dump });
    let refused = database.machine(&other).open(key());
    assert!(matches!(refused, Err(StoreError::RolledBack { .. })));
}

/// The mark knows more than the person remembers.
#[test]
fn recovery_never_leads_below_the_mark() {
    let (database, marks, mut store) = fleet();
    let dump = database.dump();
    for _ in 0..4 {
        range(&mut store, 1);
    }
    drop(store);
    database.restore(dump);
    let mut store = database.machine(&marks).recover(key(), 5).unwrap();
    assert_eq!(range(&mut store, 1), 4 * UNIT..5 * UNIT);
    let beyond = database.machine(&Simulation::default()).recover(key(), END);
    assert!(matches!(beyond, Err(StoreError::OutOfRange { .. })));
}

#[test]
fn another_database_or_none_is_refused() {
    let (database, marks, store) = fleet();
    drop(store);
    let account = database.dump();
    database.restore(Account { identity: [2; 32], ..account });
    assert!(matches!(database.machine(&marks).open(key()), Err(StoreError::Foreign(_))));
    // Nobody's word makes another range that of the key.
    database.restore(Account { end: 2 * END, ..account });
    let recovered = database.machine(&marks).recover(key(), 0);
    assert!(matches!(recovered, Err(StoreError::Foreign(_))));
    let empty = Database::default();
    assert!(matches!(empty.machine(&marks).open(key()), Err(StoreError::Missing)));
    let again = database.machine(&Simulation::default()).create(key(), 0..END, count(UNIT));
    assert!(matches!(again, Err(StoreError::Exists)));
}

#[test]
fn a_lost_mark_is_not_made_anew_in_passing() {
    let (database, marks, store) = fleet();
    drop(store);
    assert!(matches!(
        database.machine(&Simulation::default()).open(key()),
        Err(StoreError::Missing)
    ));
    assert!(matches!(database.machine(&marks).join(key()), Err(StoreError::Exists)));
    // A mark is no store of its own.
    let alone = oaklath_stores::FileStore::on(marks.disk(0)).open(key());
    assert!(matches!(alone, Err(StoreError::Foreign(_))));
    let alone = oaklath_stores::FileStore::on(marks.disk(0)).recover(key(), 0, None);
    assert!(matches!(alone, Err(StoreError::Foreign(_))));
    // Nor is a store a mark.
    let file = Simulation::default();
    let store = oaklath_stores::FileStore::on(file.disk(0)).create(key(), 0..END);
    drop(store.unwrap());
    let mark = database.machine(&file).recover(key(), 0);
    assert!(matches!(mark, Err(StoreError::Foreign(_))));
}

#[test]
fn a_lost_mark_is_made_anew_by_a_persons_word() {
    let (database, _, mut store) = fleet();
    range(&mut store, 1);
    drop(store);
    let marks = Simulation::default();
    let unsaid = database.machine(&marks).recover(key(), 40);
    assert!(matches!(unsaid, Err(StoreError::AnchorMissing)));
    let mut store = database.machine(&marks).no_anchor().recover(key(), 40).unwrap();
    assert_eq!(range(&mut store, 1), 2 * UNIT..3 * UNIT);
    drop(store);
    drop(database.machine(&marks).open(key()).unwrap());
}

/// A lease is used only after the mark is durable in both slots: a decayed one takes nothing away.
#[test]
fn the_mark_is_durable_before_the_lease_is_used() {
    for (at, fault) in (0..4).flat_map(|at| FAULTS.map(|fault| (at, fault))) {
        let (database, marks, mut store) = fleet();
        range(&mut store, 1);
        let operations = marks.machine().operations;
        marks.machine().failing = Some((operations + at, fault));
        assert!(matches!(store.reserve(count(1)), Err(StoreError::Io { .. })));
        assert!(matches!(store.reserve(count(1)), Err(StoreError::Poisoned)));
        drop(store);
        let mut store = database.machine(&marks).open(key()).unwrap();
        assert_eq!(range(&mut store, 1), 2 * UNIT..3 * UNIT);
    }
    let (database, marks, mut store) = fleet();
    let dump = database.dump();
    range(&mut store, 1);
    drop(store);
    database.restore(Account { revision: 99, ..dump });
    for slot in 0..2 {
        let mut mark = marks.cached()[0].clone().unwrap();
        mark[slot * oaklath_stores::SLOT_LEN + 50] ^= 4;
        let damaged = Simulation::with([Some(mark), None]);
        let refused = database.machine(&damaged).open(key());
        assert!(matches!(refused, Err(StoreError::RolledBack { known: UNIT, found: 0 })));
    }
}

#[test]
fn advancing_fences_the_other_machines() {
    let (database, _, mut first) = fleet();
    let other = Simulation::default();
    let mut second = database.machine(&other).join(key()).unwrap();
    first.advance(100).unwrap();
    first.advance(3).unwrap();
    assert_eq!(range(&mut first, 1), 128..160);
    assert!(matches!(second.reserve(count(1)), Err(StoreError::Fenced { epoch: 1 })));
    assert!(matches!(first.advance(END), Err(StoreError::OutOfRange { .. })));
    drop(second);
    let mut second = database.machine(&other).open(key()).unwrap();
    assert_eq!(range(&mut second, 1), 160..192);
}
