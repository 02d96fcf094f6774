//! What a store of stateful keys reads back from a medium: states, their anchors, the marks of a
//! database.

use std::io;
use std::num::NonZeroU64;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use oaklath_hash::sha2::sha256;
use oaklath_stores::{
    Account, Child, FileAnchor, FileOptions, FileStore, KeyId, Ledger, Medium, SLOT_LEN, STATE_LEN,
    SharedOptions, SharedStore, Store, StoreError, Taken,
};

use crate::Seed;
use crate::script::{self, Script};

const END: u64 = 1000;
const LARGEST: NonZeroU64 = NonZeroU64::new(4).expect("not zero");
/// What a database gives at once: a bottom tree.
const UNIT: NonZeroU64 = NonZeroU64::new(8).expect("not zero");

fn key() -> KeyId {
    KeyId::of(b"fuzz")
}

/// A file in memory with its draft. Nobody else has it, and it does not fail: it is what it says
/// that is wrong.
#[derive(Clone, Debug, Default)]
struct Disk(Arc<Mutex<[Option<Vec<u8>>; 2]>>);

impl Disk {
    fn with(state: &[u8]) -> Self {
        Self(Arc::new(Mutex::new([Some(state.to_vec()), None])))
    }

    fn files(&self) -> MutexGuard<'_, [Option<Vec<u8>>; 2]> {
        self.0.lock().expect("nobody panicked with it")
    }

    fn state(&self) -> Vec<u8> {
        self.files()[0].clone().unwrap_or_default()
    }
}

impl Medium for Disk {
    fn lock(&mut self) -> io::Result<bool> {
        Ok(true)
    }

    fn read(&mut self) -> io::Result<Option<Vec<u8>>> {
        Ok(self.files()[0].clone())
    }

    fn write(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let at = offset as usize;
        let mut files = self.files();
        let state = files[0].as_mut().ok_or(io::ErrorKind::NotFound)?;
        state[at..at + bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn write_draft(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.files()[1] = Some(bytes.to_vec());
        Ok(())
    }

    fn rename(&mut self) -> io::Result<()> {
        let mut files = self.files();
        files[0] = files[1].take();
        Ok(())
    }

    fn sync_folder(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A database in memory.
#[derive(Clone, Debug, Default)]
struct Database(Arc<Mutex<Option<Account>>>);

impl Database {
    fn with(account: Account) -> Self {
        Self(Arc::new(Mutex::new(Some(account))))
    }

    fn account(&self) -> Result<Account, StoreError> {
        self.0.lock().expect("nobody panicked with it").ok_or(StoreError::Missing)
    }

    /// Changes the account of this epoch.
    fn change(&self, epoch: u64, change: impl FnOnce(&mut Account)) -> Result<Account, StoreError> {
        let mut account = self.account()?;
        if account.epoch != epoch {
            return Err(StoreError::Fenced { epoch: account.epoch });
        }
        change(&mut account);
        account.revision += 1;
        *self.0.lock().expect("nobody panicked with it") = Some(account);
        Ok(account)
    }
}

impl Ledger for Database {
    fn read(&mut self, _: KeyId) -> Result<Account, StoreError> {
        self.account()
    }

    fn create(&mut self, _: KeyId, indices: Range<u64>, unit: u64) -> Result<(), StoreError> {
        let Range { start: next, end } = indices;
        let account = Account { identity: [1; 32], epoch: 0, revision: 1, next, end, unit };
        *self.0.lock().expect("nobody panicked with it") = Some(account);
        Ok(())
    }

    fn take(&mut self, _: KeyId, epoch: u64, count: u64) -> Result<Taken, StoreError> {
        let start = self.account()?.next;
        let Account { next: end, revision, .. } =
            self.change(epoch, |account| account.next = (start + count).min(account.end))?;
        if start == end { Err(StoreError::Exhausted) } else { Ok(Taken { start, end, revision }) }
    }

    fn raise(&mut self, _: KeyId, epoch: u64, next: u64) -> Result<(), StoreError> {
        let raised = self.change(epoch, |account| {
            account.epoch += 1;
            account.next = account.next.max(next);
        });
        raised.map(drop)
    }

    /// It remembers none: the marks do.
    fn children(&mut self, _: KeyId) -> Result<Vec<u8>, StoreError> {
        Ok(Vec::new())
    }

    fn replace_children(
        &mut self,
        _: KeyId,
        _: u64,
        _: &[u8],
        _: &[u8],
    ) -> Result<bool, StoreError> {
        Ok(true)
    }
}

/// What lay on the media at some time, and the first index that was never given until then.
struct Moment {
    state: Vec<u8>,
    anchor: Option<Vec<u8>>,
    account: Account,
    unused: u64,
}

fn file(state: &Disk, anchor: Option<&Disk>) -> FileOptions {
    let options = FileStore::on(state.clone()).largest(LARGEST);
    match anchor {
        Some(anchor) => options.anchor(FileAnchor::on(anchor.clone())),
        None => options,
    }
}

fn shared(database: &Database, mark: &Disk) -> SharedOptions {
    SharedStore::on(database.clone(), mark.clone())
}

/// What becomes of a store: leases, an index that is given up, keys of upper levels, in two
/// sessions.
fn life(
    created: Result<Box<dyn Store>, StoreError>,
    open: impl Fn() -> Result<Box<dyn Store>, StoreError>,
    look: impl Fn(u64) -> Moment,
) -> Vec<Moment> {
    drop(created.expect("an empty medium"));
    let mut moments = vec![look(0)];
    for session in 0..2 {
        let mut store = open().expect("an honest state");
        for want in [NonZeroU64::MIN, LARGEST] {
            let end = store.reserve(want).expect("an honest state").last();
            moments.push(look(end.expect("a lease is never empty").value() + 1));
        }
        let next = store.status().expect("an honest state").next;
        store.witness(&[Child { level: 0, tree: session, digest: [7; 32] }]).expect("a new child");
        moments.push(look(next));
        store.advance(next + 5).expect("an index");
        moments.push(look(next + 6));
    }
    moments
}

/// The life of a file, with an anchor or without.
fn life_of_file(is_anchored: bool) -> &'static [Moment] {
    static LIVES: [OnceLock<Vec<Moment>>; 2] = [const { OnceLock::new() }; 2];
    LIVES[usize::from(is_anchored)].get_or_init(|| {
        let (state, anchor) = (Disk::default(), Disk::default());
        let open = || file(&state, is_anchored.then_some(&anchor));
        let none = Account { identity: [0; 32], epoch: 0, revision: 0, next: 0, end: 0, unit: 1 };
        let look = |unused| {
            let anchor = is_anchored.then(|| anchor.state());
            Moment { state: state.state(), anchor, account: none, unused }
        };
        life(open().create(key(), 0..END).map(boxed), || open().open(key()).map(boxed), look)
    })
}

/// The life of a machine that leases from a database, alone: what others lease, its mark does not
/// know.
fn life_of_mark() -> &'static [Moment] {
    static LIFE: OnceLock<Vec<Moment>> = OnceLock::new();
    LIFE.get_or_init(|| {
        let (mark, database) = (Disk::default(), Database::default());
        let open = || shared(&database, &mark);
        let created = open().create(key(), 0..END, UNIT).map(boxed);
        let look = |unused| {
            let account = database.account().expect("an account");
            Moment { state: mark.state(), anchor: None, account, unused }
        };
        life(created, || open().open(key()).map(boxed), look)
    })
}

fn boxed<S: Store + 'static>(store: S) -> Box<dyn Store> {
    Box::new(store)
}

/// Two moments of a life, by the next two bytes: the later one, and one that is not after it.
fn two<'a>(script: &mut Script<'_>, life: &'a [Moment]) -> (&'a Moment, &'a Moment) {
    let now = usize::from(script.byte()) % life.len();
    let then = usize::from(script.byte()) % (now + 1);
    (&life[now], &life[then])
}

/// A store that opens gives what it says that is left, and who opens it again goes on behind that.
/// The first index that it gives; the end of its range if there is none.
fn goes_on(
    opened: Result<Box<dyn Store>, StoreError>,
    again: impl Fn() -> Result<Box<dyn Store>, StoreError>,
) -> Option<u64> {
    let mut store = opened.ok()?;
    let status = store.status().expect("an open store");
    assert!(status.next <= status.end);
    let (first, behind) = match store.reserve(NonZeroU64::MIN) {
        Ok(lease) => {
            let first = lease.peek().expect("a lease is never empty");
            (first, first + lease.left())
        }
        Err(StoreError::Exhausted) => (status.end, status.end),
        Err(error) => panic!("{error}"),
    };
    assert!(first == status.next && behind <= status.end);
    drop(store);
    let next = again().and_then(|mut store| store.status()).expect("what was just written").next;
    assert!(next >= behind, "{behind} was reached, and {next} comes next");
    Some(first)
}

/// A medium that decays, is cut or replaced, or is an older copy beside its anchor, or beside the
/// database's mark: it is refused, or no index is given again. A medium with a whole record that
/// somebody has made up is refused, or keeps to what it says.
pub(crate) fn records(data: &[u8]) {
    let mut script = Script::new(data);
    match script.byte() % 4 {
        0 => damaged_file(script),
        1 => forged_file(script),
        2 => damaged_mark(script),
        _ => forged_mark(script),
    }
}

fn damaged_file(mut script: Script<'_>) {
    let what = script.byte();
    let (is_anchored, recovers) = (what & 1 == 1, what & 2 == 2);
    let (now, then) = two(&mut script, life_of_file(is_anchored));
    let changed = |bytes: &Vec<u8>| script.changed(bytes.clone());
    // An old copy is noticed by an anchor that is whole, and by nothing else.
    let (state, anchor) = match what >> 2 & 3 {
        0 if is_anchored => (changed(&then.state), now.anchor.clone()),
        1 => (now.state.clone(), now.anchor.as_ref().map(changed)),
        _ => (changed(&now.state), now.anchor.as_ref().map(changed)),
    };
    let is_whole = state == now.state && anchor == now.anchor;
    let (disk, anchor) = (Disk::with(&state), anchor.as_deref().map(Disk::with));
    let options = || file(&disk, anchor.as_ref());
    let open = || options().open(key()).map(boxed);
    let _ = options().peek(key());
    let first = match recovers {
        // Who knows what was given, and perhaps gives more up.
        true => goes_on(options().recover(key(), now.unused, Some(END)).map(boxed), open),
        false => goes_on(open(), open),
    };
    assert!(first.is_none_or(|first| first >= now.unused));
    assert!(first.is_some() || !is_whole);
}

fn forged_file(mut script: Script<'_>) {
    let what = script.byte();
    let is_anchored = what & 1 == 1;
    let (now, _) = two(&mut script, life_of_file(is_anchored));
    let forged = |bytes: &Vec<u8>| sealed(script.changed(bytes.clone()));
    let (state, anchor) = match what >> 1 & 1 {
        0 => (forged(&now.state), now.anchor.clone()),
        _ => (now.state.clone(), now.anchor.as_ref().map(forged)),
    };
    let (disk, anchor) = (Disk::with(&state), anchor.as_deref().map(Disk::with));
    let options = || file(&disk, anchor.as_ref());
    let open = || options().open(key()).map(boxed);
    let _ = options().peek(key());
    match what >> 2 & 1 {
        0 => goes_on(open(), open),
        _ => goes_on(options().recover(key(), now.unused, Some(END)).map(boxed), open),
    };
}

fn damaged_mark(mut script: Script<'_>) {
    let (now, then) = two(&mut script, life_of_mark());
    let state = script.changed(now.state.clone());
    let (mark, database) = (Disk::with(&state), Database::with(then.account));
    let open = || shared(&database, &mark).open(key()).map(boxed);
    let first = goes_on(open(), open);
    assert!(first.is_none_or(|first| first >= now.unused));
    let is_whole = state == now.state && then.account == now.account;
    assert!(first.is_some() || !is_whole);
}

fn forged_mark(mut script: Script<'_>) {
    let recovers = script.byte() & 1 == 1;
    let (now, then) = two(&mut script, life_of_mark());
    let mark = Disk::with(&sealed(script.changed(now.state.clone())));
    let database = Database::with(then.account);
    let options = || shared(&database, &mark);
    let open = || options().open(key()).map(boxed);
    match recovers {
        true => goes_on(options().recover(key(), now.unused).map(boxed), open),
        false => goes_on(open(), open),
    };
}

/// Both slots with digests that are right.
fn sealed(mut state: Vec<u8>) -> Vec<u8> {
    if state.len() == STATE_LEN {
        for slot in state.chunks_exact_mut(SLOT_LEN) {
            let (contents, digest) = slot.split_at_mut(SLOT_LEN - 32);
            digest.copy_from_slice(&sha256(contents));
        }
    }
    state
}

pub(crate) fn seeds() -> Vec<Seed> {
    let seed = |name: &str, beginning: &[u8]| script::seed(name.to_owned(), beginning);
    // The bytes are those that `damaged_file` and the others read.
    vec![
        seed("file", &[0, 0, 8, 8]),
        seed("file-anchored", &[0, 1, 7, 7]),
        seed("file-older-copy", &[0, 1, 7, 4]),
        seed("file-recovered", &[0, 2, 8, 0]),
        seed("file-anchor-damaged", &[0, 5, 6, 0]),
        seed("file-both-damaged", &[0, 9, 8, 0]),
        seed("file-forged", &[1, 0, 8, 0]),
        seed("file-anchor-forged", &[1, 3, 8, 0]),
        seed("file-forged-recovered", &[1, 4, 8, 0]),
        seed("mark", &[2, 8, 8]),
        seed("mark-database-restored", &[2, 8, 3]),
        seed("mark-forged", &[3, 0, 8, 8]),
        seed("mark-forged-recovered", &[3, 1, 8, 2]),
    ]
}
