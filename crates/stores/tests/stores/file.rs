//! Files under crashes at every point, failures of every operation, decay, deletion and old copies.

use std::num::NonZeroU64;

use crate::simulation::{Event, FAULTS, Image, Simulation, Tearing, images, unused};
use oaklath_stores::{
    Child, FileAnchor, FileOptions, FileStore, KeyId, SLOT_LEN, STATE_LEN, Store, StoreError,
};

const LARGEST: u64 = 4;
const END: u64 = 1000;

fn key() -> KeyId {
    KeyId::of(b"the key")
}

fn count(n: u64) -> NonZeroU64 {
    NonZeroU64::new(n).unwrap()
}

fn options(simulation: &Simulation, is_anchored: bool) -> FileOptions {
    let options = FileStore::on(simulation.disk(0)).largest(count(LARGEST));
    if is_anchored { options.anchor(FileAnchor::on(simulation.disk(1))) } else { options }
}

/// Takes indices and records in the trace that they were issued.
fn take(simulation: &Simulation, store: &mut FileStore, want: u64) -> Result<u64, StoreError> {
    let lease = store.reserve(count(want))?;
    let start = lease.peek().expect("a lease is never empty");
    let indices: Vec<u64> = lease.map(|index| index.value()).collect();
    assert_eq!(indices, (start..start + indices.len() as u64).collect::<Vec<_>>());
    simulation.emit(start + indices.len() as u64);
    Ok(start)
}

/// Does everything that a store can do, for the tests to let it crash and fail.
fn script(simulation: &Simulation, is_anchored: bool) -> Result<(), StoreError> {
    drop(options(simulation, is_anchored).create(key(), 0..END)?);
    session(simulation, is_anchored)?;
    session(simulation, is_anchored)
}

fn session(simulation: &Simulation, is_anchored: bool) -> Result<(), StoreError> {
    let mut store = options(simulation, is_anchored).open(key())?;
    take(simulation, &mut store, 1)?;
    take(simulation, &mut store, LARGEST)?;
    let tree = store.status()?.next;
    store.witness(&[Child { level: 0, tree, digest: [7; 32] }])?;
    take(simulation, &mut store, 2)?;
    let next = store_next(&mut store)?;
    store.advance(next + 5)?;
    take(simulation, &mut store, 3)?;
    Ok(())
}

fn store_next(store: &mut FileStore) -> Result<u64, StoreError> {
    Ok(store.status()?.next)
}

/// Opens what a crash has left and takes one lease. `floor` is the first index that was never
/// issued.
fn resume(simulation: &Simulation, is_anchored: bool, floor: u64) {
    assert!(resumes(simulation, is_anchored, floor), "the anchor is too old");
}

/// Resumes, but returns false if the anchor is rejected for lack of what a sync did not write.
fn resumes(simulation: &Simulation, is_anchored: bool, floor: u64) -> bool {
    let mut store = match options(simulation, is_anchored).open(key()) {
        Ok(store) => store,
        // Before key generation is complete there may be nothing, or a state without its anchor.
        Err(StoreError::Missing | StoreError::AnchorMissing) if floor == 0 => return true,
        Err(StoreError::Corrupt("the anchor is older than the state")) => return false,
        Err(error) => panic!("{error}, {floor} indices given"),
    };
    let start = take(simulation, &mut store, 1).unwrap();
    assert!(start >= floor, "{start} was given, and {floor} is the first unused");
    true
}

/// Returns the events before each crash, and the possible contents of both disks after it.
fn crashes(
    before: &[Image; 2],
    events: &[Event],
    is_anchored: bool,
    tearing: Tearing,
) -> Vec<[Image; 2]> {
    let anchors = match is_anchored {
        true => images(&before[1], events, 1, Tearing::Coarse),
        false => [None].into(),
    };
    let states = images(&before[0], events, 0, tearing);
    let pairs = states.iter().flat_map(|state| anchors.iter().map(move |a| [state, a]));
    pairs.map(|pair| pair.map(Image::clone)).collect()
}

#[test]
fn a_crash_at_any_point_repeats_no_index() {
    for is_anchored in [false, true] {
        let simulation = Simulation::default();
        script(&simulation, is_anchored).unwrap();
        let trace = simulation.machine().trace.clone();
        let mut tried = 0;
        for point in 0..=trace.len() {
            let events = &trace[..point];
            for disks in crashes(&Default::default(), events, is_anchored, Tearing::EverySubset) {
                resume(&Simulation::with(disks), is_anchored, unused(events));
                tried += 1;
            }
        }
        println!("anchor {is_anchored}: {} points, {tried} crashes", trace.len() + 1);
        assert!(tried > 100);
    }
}

/// The second crash happens while the store is being opened after the first.
#[test]
fn a_crash_after_a_crash_repeats_no_index() {
    let mut tried = 0;
    for is_anchored in [false, true] {
        let simulation = Simulation::default();
        script(&simulation, is_anchored).unwrap();
        let trace = simulation.machine().trace.clone();
        for point in 0..=trace.len() {
            let floor = unused(&trace[..point]);
            let first = crashes(&Default::default(), &trace[..point], is_anchored, Tearing::Coarse);
            for disks in first {
                let again = Simulation::with(disks.clone());
                resume(&again, is_anchored, floor);
                let second = again.machine().trace.clone();
                for point in 0..=second.len() {
                    let floor = floor.max(unused(&second[..point]));
                    let events = &second[..point];
                    for disks in crashes(&disks, events, is_anchored, Tearing::Coarse) {
                        resume(&Simulation::with(disks), is_anchored, floor);
                        tried += 1;
                    }
                }
            }
        }
    }
    println!("{tried} second crashes");
    assert!(tried > 10_000);
}

/// A crash costs the batch that was recorded, and one more if a slot was torn.
#[test]
fn a_crash_burns_no_more_than_the_longest_lease_allows() {
    let simulation = Simulation::default();
    drop(options(&simulation, false).create(key(), 0..END).unwrap());
    let mut store = options(&simulation, false).open(key()).unwrap();
    let begin = simulation.machine().trace.len();
    for _ in 0..6 {
        take(&simulation, &mut store, LARGEST).unwrap();
    }
    let trace = simulation.machine().trace.clone();
    for point in begin..=trace.len() {
        let floor = unused(&trace[..point]);
        for disk in images(&None, &trace[..point], 0, Tearing::EverySubset) {
            let again = Simulation::with([disk, None]);
            let mut store = options(&again, false).open(key()).unwrap();
            let burned = store_next(&mut store).unwrap() - floor;
            assert!(burned <= LARGEST, "{burned} indices are lost at {point}");
        }
    }
}

/// Each operation fails in each way: the handle is stopped, and neither a store that is reopened
/// nor one that is opened after a later crash repeats an index.
#[test]
fn a_failure_of_any_operation_stops_the_handle_and_repeats_no_index() {
    let (mut injected, mut tried, mut refused) = (0, 0, 0);
    for is_anchored in [false, true] {
        let whole = Simulation::default();
        script(&whole, is_anchored).unwrap();
        let operations = whole.machine().operations;
        for (at, fault) in (0..operations).flat_map(|at| FAULTS.map(|fault| (at, fault))) {
            let simulation = Simulation::default();
            simulation.machine().failing = Some((at, fault));
            let error = script(&simulation, is_anchored).expect_err("the failure is reported");
            assert!(matches!(error, StoreError::Io { .. }), "{error}");
            injected += 1;
            let failed = simulation.machine().trace.len();
            for _ in 0..2 {
                let floor = unused(&simulation.machine().trace);
                resume(&simulation, is_anchored, floor);
            }
            let trace = simulation.machine().trace.clone();
            for point in failed..=trace.len() {
                let events = &trace[..point];
                for disks in crashes(&Default::default(), events, is_anchored, Tearing::Coarse) {
                    let crashed = Simulation::with(disks);
                    refused += usize::from(!resumes(&crashed, is_anchored, unused(events)));
                    tried += 1;
                }
            }
        }
    }
    println!("{injected} failures, {tried} crashes after them, {refused} rejected");
    assert!(injected > 100 && tried > 1000 && refused < tried / 100);
}

#[test]
fn a_handle_that_failed_gives_nothing_more() {
    for is_anchored in [false, true] {
        let whole = Simulation::default();
        drop(options(&whole, is_anchored).create(key(), 0..END).unwrap());
        let created = whole.cached();
        // A write and a sync for the record, and the same for the anchor.
        let steps = if is_anchored { 4 } else { 2 };
        for (at, fault) in (0..steps).flat_map(|at| FAULTS.map(|fault| (at, fault))) {
            let simulation = Simulation::with(created.clone());
            let mut store = options(&simulation, is_anchored).open(key()).unwrap();
            let opened = simulation.machine().operations;
            simulation.machine().failing = Some((opened + at, fault));
            assert!(matches!(store.reserve(count(1)), Err(StoreError::Io { .. })));
            for _ in 0..3 {
                assert!(matches!(store.reserve(count(1)), Err(StoreError::Poisoned)));
            }
            assert!(matches!(store.advance(99), Err(StoreError::Poisoned)));
            assert!(matches!(store.witness(&[]), Err(StoreError::Poisoned)));
            assert!(matches!(store.status(), Err(StoreError::Poisoned)));
        }
    }
}

/// Returns the disks of a store after some leases, and the first index that was never issued.
fn used(is_anchored: bool) -> ([Image; 2], u64) {
    let simulation = Simulation::default();
    script(&simulation, is_anchored).unwrap();
    let floor = unused(&simulation.machine().trace);
    (simulation.cached(), floor)
}

fn open(state: Image) -> Result<FileStore, StoreError> {
    options(&Simulation::with([state, None]), false).open(key())
}

#[test]
fn a_flipped_bit_in_one_slot_burns_and_in_both_refuses() {
    let (disks, floor) = used(false);
    let state = disks[0].clone().unwrap();
    // Flips a bit of nearly every byte.
    for bit in (0..8 * STATE_LEN).step_by(7) {
        let mut one = state.clone();
        one[bit / 8] ^= 1 << (bit % 8);
        let next = store_next(&mut open(Some(one.clone())).unwrap()).unwrap();
        assert!((floor..=floor + LARGEST).contains(&next), "bit {bit}: {next}");

        let other = (bit / 8 + SLOT_LEN) % STATE_LEN;
        one[other] ^= 1 << (bit % 8);
        assert!(matches!(open(Some(one)), Err(StoreError::Corrupt(_))), "bit {bit}");
    }
}

#[test]
fn what_is_no_state_is_refused_and_never_begins_at_zero() {
    let (disks, _) = used(false);
    let state = disks[0].clone().unwrap();
    let (first, second) = state.split_at(SLOT_LEN);
    assert!(matches!(open(None), Err(StoreError::Missing)));
    let (other, _) = used(false);
    let other = other[0].as_ref().unwrap();
    let damaged: [Vec<u8>; 6] = [
        vec![],
        vec![0; STATE_LEN],
        state[..STATE_LEN - 1].to_vec(),
        [&state[..], &[0]].concat(),
        [second, first].concat(),
        [first, &other[SLOT_LEN..]].concat(),
    ];
    for (case, bytes) in damaged.into_iter().enumerate() {
        assert!(matches!(open(Some(bytes)), Err(StoreError::Corrupt(_))), "case {case}");
    }
    let stranger = options(&Simulation::with([Some(state.clone()), None]), false);
    let refused = stranger.open(KeyId::of(b"another key"));
    assert!(matches!(refused, Err(StoreError::Foreign(_))));
    let again = options(&Simulation::with([Some(state), None]), false).create(key(), 0..END);
    assert!(matches!(again, Err(StoreError::Exists)));
}

/// Every state that was ever durable is restored, with the current anchor.
#[test]
fn an_old_copy_is_refused_beside_its_anchor() {
    let simulation = Simulation::default();
    script(&simulation, true).unwrap();
    let ([now, anchor], trace) = (simulation.cached(), simulation.machine().trace.clone());
    let floor = unused(&trace);
    let mut refused = 0;
    for point in 0..=trace.len() {
        for old in images(&None, &trace[..point], 0, Tearing::Coarse) {
            if old.is_none() || old == now {
                continue;
            }
            let copy = Simulation::with([old, anchor.clone()]);
            match options(&copy, true).open(key()) {
                Err(StoreError::RolledBack { known, found }) => {
                    assert!(known >= floor && found <= known);
                    refused += 1;
                }
                // As after a crash that tore the newest record: nothing is repeated.
                Ok(mut store) => assert!(store_next(&mut store).unwrap() >= floor),
                Err(error) => panic!("{error}"),
            }
        }
    }
    println!("{refused} old copies rejected");
    assert!(refused > 100);
}

#[test]
fn only_a_person_who_knows_a_higher_index_leads_on() {
    let simulation = Simulation::default();
    drop(options(&simulation, true).create(key(), 0..END).unwrap());
    let old = simulation.cached()[0].clone();
    session(&simulation, true).unwrap();
    let (anchor, floor) = (simulation.cached()[1].clone(), unused(&simulation.machine().trace));

    for state in [old.clone(), None, Some(vec![0; STATE_LEN])] {
        let copy = Simulation::with([state.clone(), anchor.clone()]);
        assert!(options(&copy, true).open(key()).is_err());
        let known = options(&copy, true).recover(key(), floor - 2, Some(END));
        assert!(matches!(known, Err(StoreError::RolledBack { .. })));
        let beyond = options(&copy, true).recover(key(), END, Some(END));
        assert!(matches!(beyond, Err(StoreError::OutOfRange { .. })));
        if state != old {
            let blind = options(&copy, true).recover(key(), floor, None);
            assert!(matches!(blind, Err(StoreError::Missing)));
        }
        let mut store = options(&copy, true).recover(key(), floor - 1, Some(END)).unwrap();
        assert_eq!(take(&copy, &mut store, 1).unwrap(), floor);
        drop(store);
        drop(options(&copy, true).open(key()).unwrap());

        // The copy that was replaced does not open with the new anchor.
        let [_, renewed] = copy.cached();
        let replaced = Simulation::with([old.clone(), renewed]);
        let refused = options(&replaced, true).open(key());
        assert!(matches!(refused, Err(StoreError::RolledBack { .. })));
    }
}

/// A person names the anchor of another store, whose mark stays as it is.
#[test]
fn recovery_does_not_take_another_anchor() {
    let [_, anchor] = used(true).0;
    for is_anchored in [false, true] {
        let ([state, _], floor) = used(is_anchored);
        let mixed = Simulation::with([state, anchor.clone()]);
        let refused = options(&mixed, true).recover(key(), floor + 50, None);
        assert!(matches!(refused, Err(StoreError::Foreign(_))), "{refused:?}");
        assert_eq!(mixed.cached()[1], anchor);
    }
}

/// Each operation of a recovery fails in each way; it is repeated, and old copies are still
/// rejected.
#[test]
fn an_interrupted_recovery_is_repeated() {
    let (disks, floor) = used(true);
    let recover = |simulation: &Simulation| {
        options(simulation, true).recover(key(), floor + 9, None).map(drop)
    };
    let whole = Simulation::with(disks.clone());
    recover(&whole).unwrap();
    let operations = whole.machine().operations;
    for (at, fault) in (0..operations).flat_map(|at| FAULTS.map(|fault| (at, fault))) {
        let simulation = Simulation::with(disks.clone());
        simulation.machine().failing = Some((at, fault));
        assert!(recover(&simulation).is_err(), "{at}, {fault:?}");
        recover(&simulation).unwrap();
        let mut store = options(&simulation, true).open(key()).unwrap();
        assert!(take(&simulation, &mut store, 1).unwrap() >= floor + 10);
        let [_, anchor] = simulation.cached();
        let copy = Simulation::with([disks[0].clone(), anchor]);
        let refused = options(&copy, true).open(key());
        assert!(matches!(refused, Err(StoreError::RolledBack { .. })), "{refused:?}");
    }
}

/// A forgotten anchor knows of indices that the person does not.
#[test]
fn recovery_asks_for_the_anchor() {
    let (disks, floor) = used(true);
    let [state, _] = disks.clone();
    let destroyed = Some(vec![0; STATE_LEN]);
    for found in [state.clone(), None, destroyed] {
        // No anchor is given, or another one that is empty.
        for is_anchored in [false, true] {
            let copy = Simulation::with([found.clone(), None]);
            let forgotten = options(&copy, is_anchored).recover(key(), 5, Some(END));
            assert!(matches!(forgotten, Err(StoreError::AnchorMissing)));
            let options = options(&copy, is_anchored).no_anchor();
            let mut store = options.recover(key(), floor, Some(END)).unwrap();
            assert_eq!(store_next(&mut store).unwrap(), floor + 1);
        }
    }
}

#[test]
fn a_look_compares_the_anchor() {
    let simulation = Simulation::default();
    let mut store = options(&simulation, true).create(key(), 0..END).unwrap();
    let old = simulation.cached()[0].clone();
    let anchor = simulation.cached()[1].clone();
    take(&simulation, &mut store, 1).unwrap();
    take(&simulation, &mut store, 1).unwrap();
    // While the store is open, and if the anchor was read before a record was written.
    assert_eq!(options(&simulation, true).peek(key()).unwrap().next, 2);
    let [new, newest] = simulation.cached();
    let meanwhile = Simulation::with([new.clone(), anchor]);
    assert_eq!(options(&meanwhile, true).peek(key()).unwrap().next, 2);
    let back = options(&Simulation::with([old, newest]), true).peek(key());
    assert!(matches!(back, Err(StoreError::RolledBack { known: 2, found: 0 })), "{back:?}");
    let without = options(&Simulation::with([new, None]), true).peek(key());
    assert!(matches!(without, Err(StoreError::AnchorMissing)));
}

#[test]
fn an_anchor_is_not_left_out_lost_or_exchanged() {
    let (disks, _) = used(true);
    let [state, anchor] = disks.clone();
    let open = |disks, is_anchored| options(&Simulation::with(disks), is_anchored).open(key());
    let without = open(disks, false);
    assert!(matches!(without, Err(StoreError::AnchorMissing)));
    let lost = open([state.clone(), None], true);
    assert!(matches!(lost, Err(StoreError::AnchorMissing)));
    let (other, _) = used(true);
    let exchanged = open([state.clone(), other[1].clone()], true);
    assert!(matches!(exchanged, Err(StoreError::Foreign(_))));
    let emptied = open([state, Some(vec![0; STATE_LEN])], true);
    assert!(matches!(emptied, Err(StoreError::Corrupt(_))));
    // A state that had no anchor may get one, and then requires it.
    let (plain, floor) = used(false);
    let simulation = Simulation::with([plain[0].clone(), None]);
    let mut store = options(&simulation, true).open(key()).unwrap();
    assert!(store.status().unwrap().is_anchored);
    assert_eq!(store_next(&mut store).unwrap(), floor);
    drop(store);
    assert!(matches!(options(&simulation, false).open(key()), Err(StoreError::AnchorMissing)));
    // An old copy from before is not accepted with it.
    let before = open([plain[0].clone(), simulation.cached()[1].clone()], true);
    assert!(matches!(before, Err(StoreError::RolledBack { .. })));
    assert!(anchor.is_some());
}

#[test]
fn a_decayed_slot_of_the_anchor_is_not_taken_for_a_rollback() {
    let (disks, floor) = used(true);
    for slot in 0..2 {
        let mut anchor = disks[1].clone().unwrap();
        anchor[slot * SLOT_LEN + 20] ^= 1;
        let simulation = Simulation::with([disks[0].clone(), Some(anchor)]);
        let mut store = options(&simulation, true).open(key()).unwrap();
        assert_eq!(store_next(&mut store).unwrap(), floor);
    }
}

#[test]
fn children_are_kept_and_compared() {
    let simulation = Simulation::default();
    let child = |tree, digest| Child { level: 1, tree, digest: [digest; 32] };
    let mut store = options(&simulation, false).create(key(), 0..END).unwrap();
    store.witness(&[child(0, 1)]).unwrap();
    store.witness(&[child(0, 1)]).unwrap();
    drop(store);
    // Both slots have it, so that it survives the decay of one.
    for slot in 0..2 {
        let mut state = simulation.cached()[0].clone().unwrap();
        state[slot * SLOT_LEN + 20] ^= 1;
        let mut store = open(Some(state)).unwrap();
        let changed = store.witness(&[child(0, 2)]);
        assert!(matches!(changed, Err(StoreError::ChildChanged { level: 2 })));
        assert!(matches!(store.reserve(count(1)), Err(StoreError::Poisoned)));
    }
    let mut store = options(&simulation, false).open(key()).unwrap();
    store.witness(&[child(0, 1), Child { level: 0, ..child(5, 9) }]).unwrap();
    store.witness(&[child(1, 2)]).unwrap();
    assert!(store.witness(&[Child { level: 0, ..child(5, 8) }]).is_err());
}

#[test]
fn the_end_of_the_range_is_the_end() {
    let simulation = Simulation::default();
    let mut store = options(&simulation, false).create(key(), 3..10).unwrap();
    assert!(matches!(store.advance(10), Err(StoreError::OutOfRange { end: 10, found: 10 })));
    assert_eq!(take(&simulation, &mut store, 4).unwrap(), 3);
    let last: Vec<_> = store.reserve(count(4)).unwrap().map(|index| index.value()).collect();
    assert_eq!(last, [7, 8, 9]);
    assert_eq!(store.remaining().unwrap().indices, 0);
    assert!(matches!(store.reserve(count(1)), Err(StoreError::Exhausted)));
    assert!(matches!(store.reserve(count(1)), Err(StoreError::Exhausted)));
    // A torn slot at the end does not lead beyond the end.
    drop(store);
    let mut state = simulation.cached()[0].clone().unwrap();
    state[20] ^= 1;
    assert!(matches!(open(Some(state)).unwrap().reserve(count(1)), Err(StoreError::Exhausted)));
}

#[test]
fn advancing_never_leads_back() {
    let simulation = Simulation::default();
    let mut store = options(&simulation, false).create(key(), 0..END).unwrap();
    store.advance(99).unwrap();
    store.advance(50).unwrap();
    assert_eq!(store_next(&mut store).unwrap(), 100);
    drop(store);
    for slot in 0..2 {
        let mut state = simulation.cached()[0].clone().unwrap();
        state[slot * SLOT_LEN + 20] ^= 1;
        assert!(store_next(&mut open(Some(state)).unwrap()).unwrap() >= 100, "slot {slot}");
    }
}

#[test]
fn a_second_handle_is_told_at_once() {
    let simulation = Simulation::default();
    let store = options(&simulation, true).create(key(), 0..END).unwrap();
    assert!(matches!(options(&simulation, true).open(key()), Err(StoreError::Busy)));
    assert_eq!(options(&simulation, false).peek(key()).unwrap().next, 0);
    drop(store);
    assert!(options(&simulation, true).open(key()).is_ok());
}
