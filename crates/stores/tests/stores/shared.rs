//! Machines that lease from one database, which fails, is restored and is replaced.

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use crate::simulation::{FAULTS, Simulation};
use oaklath_stores::{
    Account, Change, Child, FileAnchor, KeyId, Ledger, Machine, SharedOptions, SharedStore, Store,
    StoreError,
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

#[derive(Clone, Debug, Default)]
struct Tables {
    account: Option<Account>,
    turns: BTreeMap<Machine, u64>,
    /// Whether the next update is executed but its answer is lost.
    loses_answer: bool,
}

impl Database {
    fn dump(&self) -> Tables {
        self.0.lock().unwrap().clone()
    }

    fn restore(&self, tables: &Tables) {
        *self.0.lock().unwrap() = tables.clone();
    }

    /// Changes the account in a way that no signer does.
    fn alter(&self, change: impl FnOnce(&mut Account)) {
        change(self.0.lock().unwrap().account.as_mut().unwrap());
    }

    fn lose_an_answer(&self) {
        self.0.lock().unwrap().loses_answer = true;
    }

    fn machine(&self, marks: &Simulation) -> SharedOptions {
        SharedStore::on(self.clone(), marks.disk(0))
    }
}

impl Ledger for Database {
    fn read(&mut self, _: KeyId, machine: Machine) -> Result<Account, StoreError> {
        let tables = self.0.lock().unwrap();
        let turn = tables.turns.get(&machine).copied().unwrap_or(0);
        let account = tables.account.clone().ok_or(StoreError::Missing)?;
        Ok(Account { turn, ..account })
    }

    fn create(&mut self, _: KeyId, indices: Range<u64>, unit: u64) -> Result<(), StoreError> {
        let mut tables = self.0.lock().unwrap();
        if tables.account.is_some() {
            return Err(StoreError::Exists);
        }
        let (Range { start: next, end }, identity) = (indices, [1; 32]);
        let (epoch, revision, turn, children, restored) = (0, 1, 0, Vec::new(), None);
        tables.account =
            Some(Account { identity, epoch, revision, next, end, unit, turn, children, restored });
        Ok(())
    }

    fn update(
        &mut self,
        key: KeyId,
        machine: Machine,
        change: Change,
    ) -> Result<[Account; 2], StoreError> {
        let before = self.read(key, machine)?;
        let after = change(&before)?;
        let after = Account { revision: before.revision + 1, restored: None, ..after };
        let mut tables = self.0.lock().unwrap();
        tables.account = Some(after.clone());
        tables.turns.insert(machine, after.turn);
        match std::mem::take(&mut tables.loses_answer) {
            true => Err(StoreError::Database("the answer is lost".into())),
            false => Ok([before, after]),
        }
    }
}

/// Returns a database, and the first machine with its mark.
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

/// Checks that an open store and one that is opened reject the database for this reason.
fn rejects(database: &Database, marks: &Simulation, mut store: SharedStore, named: &str) {
    let before = database.dump().account;
    let reserved = store.reserve(count(1));
    assert!(matches!(&reserved, Err(StoreError::Restored(why)) if why.contains(named)), "{named}");
    assert!(matches!(store.reserve(count(1)), Err(StoreError::Poisoned)));
    drop(store);
    let opened = database.machine(marks).open(key());
    assert!(matches!(&opened, Err(StoreError::Restored(why)) if why.contains(named)), "{named}");
    assert_eq!(database.dump().account, before, "nothing was taken");
}

/// The leases of others since the restore hide it from a check of the next index alone.
#[test]
fn a_restored_database_is_noticed_though_others_have_moved_it_on() {
    let (database, marks, mut store) = fleet();
    range(&mut store, 1);
    let dump = database.dump();
    range(&mut store, 1);
    database.restore(&dump);
    database.alter(|account| (account.next, account.revision) = (512, 1 << 40));
    rejects(&database, &marks, store, "lost a lease of this machine");
}

#[test]
fn a_database_whose_log_has_gone_back_is_noticed_by_who_only_looked() {
    let (database, _, _) = fleet();
    let other = Simulation::default();
    let second = database.machine(&other).join(key()).unwrap();
    database.alter(|account| account.revision = 0);
    rejects(&database, &other, second, "log has gone back");
}

/// A machine that has not leased since notices, and so does a new machine.
#[test]
fn what_the_database_itself_shows_stops_every_machine() {
    let (database, marks, store) = fleet();
    database.alter(|account| account.restored = Some("a standby took its place"));
    rejects(&database, &marks, store, "a standby took its place");
    let joined = database.machine(&Simulation::default()).join(key());
    assert!(matches!(joined, Err(StoreError::Restored(_))));
    let mut store = database.machine(&marks).recover(key(), 31).unwrap();
    assert_eq!(range(&mut store, 1), 32..64);
    range(&mut database.machine(&Simulation::default()).join(key()).unwrap(), 1);
}

#[test]
fn a_database_that_gives_what_it_gave_is_rejected() {
    let (database, marks, mut store) = fleet();
    range(&mut store, 1);
    database.alter(|account| account.next = 0);
    let rolled_back = |error: Option<StoreError>| {
        matches!(error, Some(StoreError::RolledBack { known: UNIT, found: 0 }))
    };
    assert!(rolled_back(store.reserve(count(1)).err()));
    drop(store);
    assert!(rolled_back(database.machine(&marks).open(key()).err()));
}

/// A mark that two machines share, or that was restored, is rejected.
#[test]
fn an_old_copy_of_a_mark_is_noticed() {
    let (database, marks, mut store) = fleet();
    range(&mut store, 1);
    let copied = Simulation::with([marks.cached()[0].clone(), None]);
    let mut copy = database.machine(&copied).open(key()).unwrap();
    range(&mut store, 1);
    let reserved = copy.reserve(count(1));
    assert!(matches!(reserved, Err(StoreError::Restored(why)) if why.contains("a copy")));
    range(&mut store, 1);
    drop(copy);
    let opened = database.machine(&copied).open(key());
    assert!(matches!(opened, Err(StoreError::Restored(why)) if why.contains("an old copy")));
}

#[test]
fn a_persons_word_begins_an_epoch_that_all_machines_meet() {
    let (database, marks, mut store) = fleet();
    let other = Simulation::default();
    let mut second = database.machine(&other).join(key()).unwrap();
    let dump = database.dump();
    range(&mut store, 1);
    range(&mut second, 1);
    drop(store);
    database.restore(&dump);

    let mut store = database.machine(&marks).recover(key(), 70).unwrap();
    assert_eq!(range(&mut store, 1), 96..128, "whole trees behind index 70");
    assert!(matches!(second.reserve(count(1)), Err(StoreError::Fenced { epoch: 1 })));
    drop(second);
    let mut second = database.machine(&other).open(key()).unwrap();
    assert_eq!(range(&mut second, 1), 128..160);
    drop(second);

    // The same dump now belongs to an epoch that has passed.
    database.restore(&dump);
    database.alter(|account| (account.next, account.revision) = (512, 1 << 40));
    let passed = database.machine(&other).open(key());
    assert!(matches!(passed, Err(StoreError::Restored(why)) if why.contains("epoch")));
}

/// The dump is from before the last recovery, whose epoch other machines have seen.
#[test]
fn a_new_epoch_is_above_those_that_the_mark_knows() {
    let (database, marks, store) = fleet();
    drop(store);
    let dump = database.dump();
    drop(database.machine(&marks).recover(key(), 31).unwrap());
    let other = Simulation::default();
    range(&mut database.machine(&other).join(key()).unwrap(), 1);
    database.restore(&dump);
    drop(database.machine(&marks).recover(key(), 95).unwrap());
    assert_eq!(database.dump().account.unwrap().epoch, 2);
    assert_eq!(range(&mut database.machine(&other).open(key()).unwrap(), 1), 96..128);
}

/// Another machine's mark has a higher index than the person states.
#[test]
fn recovery_does_not_hide_what_another_mark_knows() {
    let (database, _, mut store) = fleet();
    let other = Simulation::default();
    let second = database.machine(&other).join(key()).unwrap();
    drop(second);
    let dump = database.dump();
    range(&mut store, 1);
    drop(database.machine(&other).open(key()).unwrap());
    database.restore(&dump);
    let third = Simulation::default();
    drop(database.machine(&third).no_anchor().recover(key(), 0).unwrap());
    database.alter(|account| account.next = 0);
    let opened = database.machine(&other).open(key());
    assert!(matches!(opened, Err(StoreError::RolledBack { known: UNIT, found: 0 })));
}

/// The mark has a higher index than the person states.
#[test]
fn recovery_never_leads_below_the_mark() {
    let (database, marks, mut store) = fleet();
    let dump = database.dump();
    for _ in 0..4 {
        range(&mut store, 1);
    }
    drop(store);
    database.restore(&dump);
    let mut store = database.machine(&marks).recover(key(), 5).unwrap();
    assert_eq!(range(&mut store, 1), 4 * UNIT..5 * UNIT);
    let beyond = database.machine(&Simulation::default()).recover(key(), END);
    assert!(matches!(beyond, Err(StoreError::OutOfRange { .. })));
}

#[test]
fn another_database_or_none_is_refused() {
    let (database, marks, store) = fleet();
    drop(store);
    database.alter(|account| account.identity = [2; 32]);
    assert!(matches!(database.machine(&marks).open(key()), Err(StoreError::Foreign(_))));
    // No person can vouch for another range of the key.
    database.alter(|account| account.end = 2 * END);
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
    // A mark cannot be opened as a file store, and is not written.
    let before = marks.cached();
    let alone = oaklath_stores::FileStore::on(marks.disk(0)).open(key());
    assert!(matches!(alone, Err(StoreError::Foreign(_))));
    let alone = oaklath_stores::FileStore::on(marks.disk(0)).recover(key(), 0, None);
    assert!(matches!(alone, Err(StoreError::Foreign(_))));
    assert_eq!(marks.cached(), before);
    // Nor can a file store be opened as a mark.
    let file = Simulation::default();
    let store = oaklath_stores::FileStore::on(file.disk(0)).create(key(), 0..END);
    drop(store.unwrap());
    let before = file.cached();
    assert!(matches!(database.machine(&file).open(key()), Err(StoreError::Foreign(_))));
    let mark = database.machine(&file).recover(key(), 0);
    assert!(matches!(mark, Err(StoreError::Foreign(_))));
    assert_eq!(file.cached(), before);
}

/// Each operation of a recovery fails in each way; it is repeated. The anchor of another machine is
/// not taken.
#[test]
fn an_interrupted_recovery_of_a_mark_is_repeated() {
    let (database, _, _) = fleet();
    let machine =
        |marks: &Simulation| database.machine(marks).anchor(FileAnchor::on(marks.disk(1)));
    let (marks, second) = (Simulation::default(), Simulation::default());
    for marks in [&marks, &second] {
        range(&mut machine(marks).join(key()).unwrap(), 1);
    }
    let (disks, dump) = (marks.cached(), database.dump());
    let mixed = [disks[0].clone(), second.cached()[1].clone()];
    let refused = machine(&Simulation::with(mixed)).recover(key(), 99);
    assert!(matches!(refused, Err(StoreError::Foreign(_))), "{refused:?}");

    let whole = Simulation::with(disks.clone());
    drop(machine(&whole).recover(key(), 99).unwrap());
    let operations = whole.machine().operations;
    for (at, fault) in (0..operations).flat_map(|at| FAULTS.map(|fault| (at, fault))) {
        let marks = Simulation::with(disks.clone());
        database.restore(&dump);
        marks.machine().failing = Some((at, fault));
        assert!(machine(&marks).recover(key(), 99).is_err(), "{at}, {fault:?}");
        drop(machine(&marks).recover(key(), 99).unwrap());
        assert!(range(&mut machine(&marks).open(key()).unwrap(), 1).start >= 128);
    }
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

/// A lease is used only after the mark is durable in both slots, so one may decay.
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
    database.restore(&dump);
    database.alter(|account| account.revision = 99);
    for slot in 0..2 {
        let mut mark = marks.cached()[0].clone().unwrap();
        mark[slot * oaklath_stores::SLOT_LEN + 50] ^= 4;
        let damaged = Simulation::with([Some(mark), None]);
        let refused = database.machine(&damaged).open(key());
        assert!(matches!(refused, Err(StoreError::RolledBack { known: UNIT, found: 0 })));
    }
}

#[test]
fn advancing_gives_up_whole_trees_for_all_machines() {
    let (database, _, mut first) = fleet();
    let mut second = database.machine(&Simulation::default()).join(key()).unwrap();
    first.advance(100).unwrap();
    first.advance(3).unwrap();
    assert_eq!(range(&mut second, 1), 128..160);
    assert_eq!(range(&mut first, 1), 160..192);
    assert!(matches!(first.advance(END), Err(StoreError::OutOfRange { .. })));
}

/// Repeatedly, an answer is lost, or the machine stops before it records the answer.
#[test]
fn a_machine_that_is_stopped_in_the_middle_goes_on() {
    let (database, marks, mut store) = fleet();
    for turn in 1..4 {
        database.lose_an_answer();
        assert!(matches!(store.reserve(count(1)), Err(StoreError::Database(_))));
        drop(store);
        store = database.machine(&marks).open(key()).unwrap();
        assert_eq!(database.dump().turns.values().max(), Some(&turn));
    }
    assert_eq!(range(&mut store, 1), 3 * UNIT..4 * UNIT);
}

/// Two machines sign below the same tree of the middle level, which one of them computed wrongly.
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

/// If the database was restored, nothing is compared with it, and the signer releases nothing.
#[test]
fn a_child_is_not_compared_with_a_restored_database() {
    let (database, _, mut store) = fleet();
    database.alter(|account| account.restored = Some("a standby took its place"));
    let compared = store.witness(&[Child { level: 1, tree: 0, digest: [1; 32] }]);
    assert!(matches!(compared, Err(StoreError::Restored(_))));
}
