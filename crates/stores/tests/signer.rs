//! The signer: what it releases, what it does not, and when it stops.
#![expect(clippy::unwrap_used, reason = "tests")]

mod fake;

use std::num::NonZeroU64;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use fake::{FakeKey, SIGNATURE, TREES, Witness, Wrong};
use oaklath_params::stateful::{lms, xmss};
use oaklath_stateful::{
    Absorb, Error, Growth, HssLevels, HssSigningKey, Message, NODE_BYTES, StatefulKey,
    XmssSigningKey,
};
use oaklath_stores::{
    Child, FileStore, KeyId, Lease, MemoryStore, SignError, Signer, Status, Store, StoreError,
};

fn key_id() -> KeyId {
    KeyId::of(b"fake key")
}

fn memory() -> Box<dyn Store> {
    Box::new(MemoryStore::new(key_id(), 0..TREES[2]))
}

fn signer(witness: &Witness) -> Signer {
    Signer::new(Box::new(FakeKey::new(witness)), memory()).unwrap()
}

fn is_poisoned(result: Result<Vec<u8>, SignError>) -> bool {
    matches!(result, Err(SignError::Store(StoreError::Poisoned)))
}

#[test]
fn each_index_signs_once_until_none_is_left() {
    for batch in [1, 3, 100] {
        let witness = Witness::default();
        let mut signer = signer(&witness).batch(NonZeroU64::new(batch).unwrap());
        for left in (0..TREES[2]).rev() {
            let message = left.to_be_bytes();
            let signature = signer.sign(&message).unwrap();
            assert_eq!(
                signer.key().check(&message, &signature).unwrap().index,
                TREES[2] - 1 - left
            );
            assert_eq!(signer.remaining().unwrap().indices, left, "batch {batch}");
        }
        for _ in 0..2 {
            let end = signer.sign(b"one more");
            assert!(matches!(end, Err(SignError::Store(StoreError::Exhausted))));
        }
        assert_eq!(*witness.indices.lock().unwrap(), (0..TREES[2]).collect::<Vec<_>>());
    }
}

/// The signer stops although the next index is unused: whatever caused the fault may persist.
#[test]
fn what_does_not_verify_is_not_released_and_stops_the_signer() {
    for wrong in [Wrong::Tag, Wrong::Index] {
        let witness = Witness::default();
        let mut signer = signer(&witness);
        signer.sign(b"before").unwrap();
        *witness.wrong.lock().unwrap() = Some(wrong);
        let mut out = [0xff; SIGNATURE];
        assert!(matches!(signer.sign_to(b"fault", &mut out), Err(SignError::Fault)), "{wrong:?}");
        assert_eq!(out, [0; SIGNATURE]);
        assert!(is_poisoned(signer.sign(b"after")));
        assert_eq!(*witness.indices.lock().unwrap(), [0, 1]);
    }
}

/// A file is changed while it is signed, so the signature does not match its contents.
#[test]
fn a_message_that_changes_is_not_signed() {
    let witness = Witness::default();
    let mut signer = signer(&witness);
    let times = AtomicU64::new(0);
    let pieces = |absorb: &mut Absorb<'_>| absorb(&times.fetch_add(1, Relaxed).to_be_bytes());
    assert!(matches!(signer.sign(Message::in_pieces(&pieces)), Err(SignError::Fault)));
    assert!(is_poisoned(signer.sign(b"after")));
    assert_eq!(*witness.indices.lock().unwrap(), [0]);
}

#[test]
fn a_key_that_refuses_stops_the_signer() {
    let witness = Witness::default();
    let mut signer = signer(&witness);
    *witness.wrong.lock().unwrap() = Some(Wrong::Refusal);
    let refused = signer.sign(b"refused");
    assert!(matches!(refused, Err(SignError::Key(Error::SecretKeyInconsistent))));
    assert!(is_poisoned(signer.sign(b"after")));
}

/// With a decayed node cache, every index is new and every signature verifies, but an upper key
/// would sign a second tree.
#[test]
fn an_upper_key_never_signs_a_second_child() {
    for level in 0..2 {
        let witness = Witness::default();
        let mut signer = signer(&witness);
        signer.sign(b"the child is seen").unwrap();
        *witness.wrong.lock().unwrap() = Some(Wrong::Child(level));
        let changed = signer.sign(b"another child");
        let expected = level as u32 + 1;
        assert!(matches!(
            changed,
            Err(SignError::Store(StoreError::ChildChanged { level })) if level == expected
        ));
        assert!(is_poisoned(signer.sign(b"after")));
    }
}

/// In the middle tree's second bottom tree, its key must still be the same.
#[test]
fn a_middle_tree_keeps_its_key_from_one_bottom_tree_to_the_next() {
    let witness = Witness::default();
    let mut signer = signer(&witness);
    for _ in 0..TREES[0] {
        signer.sign(b"first bottom tree").unwrap();
    }
    *witness.wrong.lock().unwrap() = Some(Wrong::Child(1));
    let changed = signer.sign(b"second bottom tree");
    assert!(matches!(changed, Err(SignError::Store(StoreError::ChildChanged { level: 2 }))));
}

#[test]
fn verification_can_be_left_out_and_what_upper_keys_sign_is_still_shown() {
    let witness = Witness::default();
    let children = Children::default();
    let store = Watched { store: memory(), children: children.clone() };
    let key = Box::new(FakeKey::new(&witness));
    let mut signer = Signer::new(key, Box::new(store)).unwrap().without_verification();
    for _ in 0..=TREES[0] {
        signer.sign(b"message").unwrap();
    }
    assert_eq!(witness.checks.load(Relaxed), 0);
    let trees: Vec<_> =
        children.lock().unwrap().iter().map(|child| (child.level, child.tree)).collect();
    assert_eq!(trees, [(1, 0), (0, 0), (1, 0), (0, 1)], "once a bottom tree");
}

#[test]
fn a_store_of_another_key_or_of_too_many_indices_is_refused() {
    let key = || Box::new(FakeKey::new(&Witness::default()));
    let foreign = MemoryStore::new(KeyId::of(b"another"), 0..4);
    let refused = Signer::new(key(), Box::new(foreign));
    assert!(matches!(refused, Err(SignError::Store(StoreError::Foreign(_)))));
    let long = MemoryStore::new(key_id(), 0..TREES[2] + 1);
    let refused = Signer::new(key(), Box::new(long));
    assert!(matches!(refused, Err(SignError::Store(StoreError::OutOfRange { .. }))));
}

#[test]
fn a_busy_store_may_be_asked_again_and_a_failed_one_may_not() {
    let failures: [(Failure, bool); 2] =
        [(|| StoreError::Busy, true), (|| StoreError::Missing, false)];
    for (failure, goes_on) in failures {
        let witness = Witness::default();
        let mut signer = with_failing_store(&witness, failure);
        assert!(signer.sign(b"first").is_err());
        assert!(witness.indices.lock().unwrap().is_empty(), "nothing is computed without index");
        assert_eq!(signer.sign(b"second").is_ok(), goes_on);
    }
}

/// Keys of both schemes sign beyond the end of their first bottom trees, with a file that is opened
/// again for each signature, as by the command line.
#[test]
fn real_keys_sign_with_a_file_from_one_bottom_tree_to_the_next() {
    let small = (&lms::LMS_SHA256_M32_H5, &lms::LMOTS_SHA256_N32_W4);
    let wide = (&lms::LMS_SHA256_M32_H10, &lms::LMOTS_SHA256_N32_W2);
    let levels = HssLevels::new(&[wide, small, small]).unwrap();
    let hss = || -> Box<dyn StatefulKey> {
        Box::new(HssSigningKey::from_seed(&levels, &[7; 48], NODE_BYTES).unwrap())
    };
    let xmss = || -> Box<dyn StatefulKey> {
        let set = &xmss::XMSSMT_SHA2_20_4_256;
        Box::new(XmssSigningKey::from_seed(set, &[7; 96], NODE_BYTES).unwrap())
    };
    let folder = std::env::temp_dir().join(format!("oaklath-real-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for (name, make) in [("hss", &hss as &dyn Fn() -> Box<dyn StatefulKey>), ("xmss", &xmss)] {
        let (key, path) = (make(), folder.join(name));
        let (id, tree) = (KeyId::of_key(&*key), key.signatures_of_tree());
        assert_eq!((tree, key.layers().last().unwrap().signatures), (32, 32));
        drop(FileStore::at(&path).create(id, 0..key.signatures()).unwrap());
        FileStore::at(&path).open(id).unwrap().advance(tree - 3).unwrap();
        for expected in tree - 2..tree + 2 {
            let store = FileStore::at(&path).open(id).unwrap();
            let mut signer = Signer::new(make(), Box::new(store)).unwrap();
            let signature = signer.sign(b"firmware").unwrap();
            assert_eq!(key.check(b"firmware", &signature).unwrap().index, expected, "{name}");
        }
        // What the store has seen is what the key derives, tree by tree.
        let mut other = FileStore::at(&path).open(id).unwrap();
        let levels = key.layers().len() as u32;
        for level in 0..levels {
            let tree = (tree + 1) / key.layers()[(levels - 1 - level) as usize].signatures;
            let changed = other.witness(&[Child { level, tree, digest: [0; 32] }]);
            assert!(matches!(changed, Err(StoreError::ChildChanged { .. })), "{name} {level}");
            drop(other);
            other = FileStore::at(&path).open(id).unwrap();
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Two stores share the bottom tree and the middle tree at the boundary between them.
#[test]
fn a_reservation_ends_with_a_tree_and_knows_the_children() {
    let folder = std::env::temp_dir().join(format!("oaklath-reserve-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (witness, other) = (Witness::default(), Witness::default());
    let mut signer = signer(&witness);
    signer.sign(b"the first of four").unwrap();
    let reservation = signer.reserve(NonZeroU64::new(6).unwrap()).unwrap();
    assert_eq!(reservation.indices(), 1..8);
    let none = signer.reserve(NonZeroU64::new(25).unwrap()).unwrap_err();
    assert!(matches!(none, SignError::Store(StoreError::Exhausted)));
    let path = folder.join("other");
    drop(FileStore::at(&path).take_over(reservation).unwrap());
    for (level, wrong) in [(1, Wrong::Child(0)), (2, Wrong::Child(1))] {
        let store = FileStore::at(&path).open(key_id()).unwrap();
        *other.wrong.lock().unwrap() = Some(wrong);
        let mut second = Signer::new(Box::new(FakeKey::new(&other)), Box::new(store)).unwrap();
        let changed = second.sign(b"another child");
        assert!(matches!(
            changed,
            Err(SignError::Store(StoreError::ChildChanged { level: found })) if found == level
        ));
    }
    // Only the first store has the trees that begin where the reservation ends.
    *witness.wrong.lock().unwrap() = Some(Wrong::Child(1));
    signer.sign(b"index 8").unwrap();
    // The reservation would be in a middle tree that was computed differently before.
    assert!(matches!(
        signer.reserve(NonZeroU64::MIN),
        Err(SignError::Store(StoreError::ChildChanged { level: 2 }))
    ));
    assert!(is_poisoned(signer.sign(b"after")));
    std::fs::remove_dir_all(&folder).unwrap();
}

/// A database of which other machines take nearly everything.
#[test]
fn a_reservation_is_not_shorter_than_wanted() {
    let store = Contested(memory());
    let key = Box::new(FakeKey::new(&Witness::default()));
    let mut signer = Signer::new(key, Box::new(store)).unwrap();
    let short = signer.reserve(NonZeroU64::new(2).unwrap());
    assert!(matches!(short, Err(SignError::Store(StoreError::Exhausted))), "{short:?}");
    assert_eq!(signer.reserve(NonZeroU64::MIN).unwrap().indices(), 1..2);
    signer.sign(b"after").unwrap();
}

#[test]
fn a_panic_stops_the_signer_and_shows_nothing() {
    let witness = Witness::default();
    let mut signer = signer(&witness);
    *witness.wrong.lock().unwrap() = Some(Wrong::Panic);
    let mut out = [0xff; SIGNATURE];
    let caught = catch_unwind(AssertUnwindSafe(|| signer.sign_to(b"panics", &mut out)));
    assert!(caught.is_err());
    assert_eq!(out, [0; SIGNATURE]);
    assert!(is_poisoned(signer.sign(b"after")));
    assert!(signer.reserve(NonZeroU64::MIN).is_err() && signer.prepare().is_err());

    // While the store works, the key is not locked, and so not marked by a panic.
    let mut signer = with_failing_store(&Witness::default(), || panic!("the store"));
    assert!(catch_unwind(AssertUnwindSafe(|| signer.sign(b"panics"))).is_err());
    assert!(is_poisoned(signer.sign(b"after")));
}

type Children = Arc<Mutex<Vec<Child>>>;

/// A store that records the children it was shown.
#[derive(Debug)]
struct Watched {
    store: Box<dyn Store>,
    children: Children,
}

/// A store that machines share, and that leases one index at a time.
#[derive(Debug)]
struct Contested(Box<dyn Store>);

/// A store that fails once.
#[derive(Debug)]
struct Failing {
    store: Box<dyn Store>,
    failure: Option<Failure>,
}

/// Returns an error, or panics.
type Failure = fn() -> StoreError;

fn with_failing_store(witness: &Witness, failure: Failure) -> Signer {
    let store = Failing { store: memory(), failure: Some(failure) };
    Signer::new(Box::new(FakeKey::new(witness)), Box::new(store)).unwrap()
}

impl Store for Watched {
    fn reserve(&mut self, want: NonZeroU64) -> Result<Lease, StoreError> {
        self.store.reserve(want)
    }

    fn status(&mut self) -> Result<Status, StoreError> {
        self.store.status()
    }

    fn advance(&mut self, past: u64) -> Result<(), StoreError> {
        self.store.advance(past)
    }

    fn witness(&mut self, children: &[Child]) -> Result<(), StoreError> {
        self.children.lock().unwrap().extend_from_slice(children);
        self.store.witness(children)
    }
}

impl Store for Contested {
    fn reserve(&mut self, _: NonZeroU64) -> Result<Lease, StoreError> {
        self.0.reserve(NonZeroU64::MIN)
    }

    fn status(&mut self) -> Result<Status, StoreError> {
        Ok(Status { is_shared: true, ..self.0.status()? })
    }

    fn advance(&mut self, past: u64) -> Result<(), StoreError> {
        self.0.advance(past)
    }

    fn witness(&mut self, children: &[Child]) -> Result<(), StoreError> {
        self.0.witness(children)
    }
}

impl Store for Failing {
    fn reserve(&mut self, want: NonZeroU64) -> Result<Lease, StoreError> {
        match self.failure.take() {
            Some(failure) => Err(failure()),
            None => self.store.reserve(want),
        }
    }

    fn status(&mut self) -> Result<Status, StoreError> {
        self.store.status()
    }

    fn advance(&mut self, past: u64) -> Result<(), StoreError> {
        self.store.advance(past)
    }

    fn witness(&mut self, children: &[Child]) -> Result<(), StoreError> {
        self.store.witness(children)
    }
}

/// Waits for a condition, with a time limit.
fn soon(mut is_done: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_done() {
        assert!(begun.elapsed() < Duration::from_secs(60), "it takes too long");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_thread_grows_the_key_between_signatures_and_ends_with_the_signer() {
    let witness = Witness::default();
    let mut signer = signer(&witness).grow_in_background().unwrap();
    for leaves in [100, 3, 0] {
        witness.leaves.store(leaves, Relaxed);
        signer.sign(b"message").unwrap();
        soon(|| witness.leaves.load(Relaxed) == 0);
    }
    assert_eq!(signer.grow(1).unwrap(), 0);
    drop(signer);
    assert_eq!(Arc::strong_count(&witness.leaves), 1, "the key is gone");
}

/// The tree that a thread was growing when it panicked may be incomplete.
#[test]
fn a_panic_while_the_key_grows_stops_the_signer() {
    let witness = Witness::default();
    *witness.wrong.lock().unwrap() = Some(Wrong::Growth);
    let mut in_background = signer(&witness).grow_in_background().unwrap();
    soon(|| in_background.sign(b"message").is_err());
    assert!(is_poisoned(in_background.sign(b"after")));

    *witness.wrong.lock().unwrap() = Some(Wrong::Growth);
    let mut signer = signer(&witness);
    signer.sign(b"before").unwrap();
    assert!(catch_unwind(AssertUnwindSafe(|| signer.grow(1))).is_err());
    assert!(is_poisoned(signer.sign(b"after")));
    assert!(matches!(signer.grow(1), Err(SignError::Store(StoreError::Poisoned))));
}

#[test]
fn signatures_do_not_depend_on_growth() {
    let level = (&lms::LMS_SHA256_M24_H5, &lms::LMOTS_SHA256_N24_W4);
    let levels = HssLevels::new(&[level, level]).unwrap();
    let new = || {
        let key = HssSigningKey::from_seed(&levels, &[7; 40], NODE_BYTES).unwrap();
        let store = MemoryStore::new(KeyId::of_key(&key), 0..key.signatures());
        Signer::new(Box::new(key), Box::new(store)).unwrap()
    };
    let (mut even, mut background) = (new(), new().grow_in_background().unwrap());
    let (mut idle, mut lazy) = (new().growth(Growth::Idle), new().growth(Growth::Lazy));
    for index in 0..70 {
        let want = even.sign(b"message").unwrap();
        for signer in [&mut background, &mut idle, &mut lazy] {
            assert_eq!(signer.sign(b"message").unwrap(), want, "index {index}");
        }
        // A tree of 32 leaves grows, and then nothing until the next tree begins.
        let left = if index % 32 == 0 { 32 } else { 0 };
        assert_eq!((idle.grow(32).unwrap(), idle.grow(1).unwrap()), (left, 0), "index {index}");
        assert_eq!(lazy.grow(32).unwrap(), 0);
    }
}
