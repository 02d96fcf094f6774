//! What a store of stateful keys reads back from a medium: states, their anchors, the marks of a
//! database.

use std::io;
use std::num::NonZeroU64;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use oaklath_hash::sha2::sha256;
use oaklath_stores::{
    Account, Change, Child, FileAnchor, FileOptions, FileStore, KeyId, Ledger, Machine, Medium,
    SLOT_LEN, STATE_LEN, SharedOptions, SharedStore, Store, StoreError,
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
struct Database(Arc<Mutex<Option<Row>>>);

/// An account, and the machine whose turns it has.
type Row = (Account, Machine);

impl Database {
    fn with(row: &Row) -> Self {
        Self(Arc::new(Mutex::new(Some(row.clone()))))
    }

    fn row(&self) -> Result<Row, StoreError> {
        self.0.lock().expect("nobody panicked with it").clone().ok_or(StoreError::Missing)
    }

    fn write(&self, account: &Account, machine: Machine) {
        *self.0.lock().expect("nobody panicked with it") = Some((account.clone(), machine));
    }
}

impl Ledger for Database {
    fn read(&mut self, _: KeyId, machine: Machine) -> Result<Account, StoreError> {
        let (account, of) = self.row()?;
        let turn = if of == machine { account.turn } else { 0 };
        Ok(Account { turn, ..account })
    }

    fn create(&mut self, _: KeyId, indices: Range<u64>, unit: u64) -> Result<(), StoreError> {
        self.write(&Account { revision: 1, ..account(indices, unit) }, [0; 16]);
        Ok(())
    }

    fn update(
        &mut self,
        key: KeyId,
        machine: Machine,
        change: Change,
    ) -> Result<[Account; 2], StoreError> {
        let before = self.read(key, machine)?;
        let after = Account { revision: before.revision + 1, ..change(&before)? };
        self.write(&after, machine);
        Ok([before, after])
    }
}

/// The account of a database that nobody has leased from.
fn account(indices: Range<u64>, unit: u64) -> Account {
    let Range { start: next, end } = indices;
    let (identity, children, restored) = ([1; 32], Vec::new(), None);
    let (epoch, revision, turn) = (0, 0, 0);
    Account { identity, epoch, revision, next, end, unit, turn, children, restored }
}

/// What lay on the media at some time, and the first index that was never given until then.
struct Moment {
    state: Vec<u8>,
    anchor: Option<Vec<u8>>,
    row: Row,
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
        let look = |unused| {
            let anchor = is_anchored.then(|| anchor.state());
            Moment { state: state.state(), anchor, row: (account(0..0, 1), [0; 16]), unused }
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
            let row = database.row().expect("an account");
            Moment { state: mark.state(), anchor: None, row, unused }
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
/// database's mark: it is rejected, or no index is given again. A medium with a whole record that
/// somebody has made up is rejected, or keeps to what it says.
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
    let (mark, database) = (Disk::with(&state), Database::with(&then.row));
    let open = || shared(&database, &mark).open(key()).map(boxed);
    let first = goes_on(open(), open);
    assert!(first.is_none_or(|first| first >= now.unused));
    let is_whole = state == now.state && then.row == now.row;
    assert!(first.is_some() || !is_whole);
}

fn forged_mark(mut script: Script<'_>) {
    let recovers = script.byte() & 1 == 1;
    let (now, then) = two(&mut script, life_of_mark());
    let mark = Disk::with(&sealed(script.changed(now.state.clone())));
    let database = Database::with(&then.row);
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
