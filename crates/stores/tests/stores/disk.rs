//! Files on a real disk: locks, names, modes, and changes from outside.

use std::fs::{self, File};
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

#[cfg(unix)]
use oaklath_stores::FileAnchor;
use oaklath_stores::{FileStore, KeyId, STATE_LEN, Store, StoreError};

/// A folder for one test, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("oaklath-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn key() -> KeyId {
    KeyId::of(b"the key")
}

fn take(store: &mut FileStore) -> Result<u64, StoreError> {
    let mut lease = store.reserve(NonZeroU64::MIN)?;
    Ok(lease.next().unwrap().value())
}

/// Returns a store in a file of this name that has issued one index.
fn used(folder: &Folder, name: &str) -> (PathBuf, FileStore) {
    let path = folder.0.join(name);
    let mut store = FileStore::at(&path).create(key(), 0..8).unwrap();
    assert_eq!(take(&mut store).unwrap(), 0);
    (path, store)
}

fn open(path: &Path) -> Result<FileStore, StoreError> {
    FileStore::at(path).open(key())
}

#[test]
fn the_file_is_allocated_and_its_owners() {
    let folder = Folder::new("allocated");
    let path = folder.0.join("state");
    drop(FileStore::at(&path).create(key(), 0..8).unwrap());
    let meta = fs::metadata(&path).unwrap();
    assert_eq!(meta.len(), STATE_LEN as u64);
    assert!(!folder.0.join("state.new").exists());
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        assert_eq!(meta.mode() & 0o777, 0o600);
        assert!(meta.blocks() * 512 >= STATE_LEN as u64, "written, not sparse");
    }
}

/// During creation there is no state yet that could be locked.
#[test]
fn who_holds_the_lock_file_holds_the_state() {
    let folder = Folder::new("lock-file");
    let path = folder.0.join("state");
    let lock = File::create(folder.0.join("state.lock")).unwrap();
    lock.lock().unwrap();
    assert!(matches!(FileStore::at(&path).create(key(), 0..8), Err(StoreError::Busy)));
    assert!(!path.exists());
    drop(lock);
    assert!(FileStore::at(&path).create(key(), 0..8).is_ok());
}

/// Somebody removes the lock file, or the state has a second name.
#[test]
fn a_state_without_its_lock_file_is_busy_nevertheless() {
    let folder = Folder::new("no-lock-file");
    let (path, second) = (folder.0.join("state"), folder.0.join("second"));
    drop(FileStore::at(&path).create(key(), 0..8).unwrap());
    let mut store = FileStore::at(&path).open(key()).unwrap();
    fs::remove_file(folder.0.join("state.lock")).unwrap();
    fs::hard_link(&path, &second).unwrap();
    for name in [&path, &second] {
        assert!(matches!(FileStore::at(name).open(key()), Err(StoreError::Busy)));
        assert_eq!(FileStore::at(name).peek(key()).unwrap(), store.status().unwrap());
    }
    drop(store);
    fs::remove_file(&path).unwrap();
    assert!(FileStore::at(&second).open(key()).is_ok());
}

/// Backups, editors and configuration managers change a file while a signer has it open. Windows
/// prevents this.
#[cfg(unix)]
#[test]
fn a_state_that_is_changed_under_its_signer_stops_it() {
    let folder = Folder::new("changed");
    let spare = folder.0.join("spare");
    type Change = fn(&Path, &Path);
    let changes: [(&str, Change); 6] = [
        ("replaced", |state, spare| {
            fs::copy(state, spare).unwrap();
            fs::rename(spare, state).unwrap();
        }),
        ("moved", |state, spare| {
            fs::rename(state, spare).unwrap();
            fs::copy(spare, state).unwrap();
        }),
        ("removed", |state, _| fs::remove_file(state).unwrap()),
        ("linked", |state, spare| fs::hard_link(state, spare).unwrap()),
        ("written", |state, _| {
            let mut bytes = fs::read(state).unwrap();
            bytes[STATE_LEN / 2 + 40] ^= 1;
            fs::write(state, bytes).unwrap();
        }),
        ("cut", |state, _| File::options().write(true).open(state).unwrap().set_len(0).unwrap()),
    ];
    for (name, change) in changes {
        for is_anchor in [false, true] {
            let (state, anchor) = (folder.0.join(name), folder.0.join(format!("{name}.anchor")));
            let options = FileStore::at(&state).anchor(FileAnchor::new(&anchor));
            let mut store = options.create(key(), 0..8).unwrap();
            assert_eq!(take(&mut store).unwrap(), 0);
            change(if is_anchor { &anchor } else { &state }, &spare);
            let refused = take(&mut store);
            assert!(matches!(refused, Err(StoreError::Replaced(_))), "{name}: {refused:?}");
            assert!(matches!(take(&mut store), Err(StoreError::Poisoned)), "{name}");
            drop(store);
            for file in [&state, &anchor, &spare] {
                let _ = fs::remove_file(file);
            }
        }
    }
}

#[test]
fn a_copy_waits_for_a_persons_word_and_the_original_does_not() {
    let folder = Folder::new("copied");
    let (path, store) = used(&folder, "state");
    drop(store);
    let copy = folder.0.join("copy");
    fs::copy(&path, &copy).unwrap();
    assert!(matches!(open(&copy), Err(StoreError::Copied)));
    assert!(matches!(FileStore::at(&copy).peek(key()), Err(StoreError::Copied)));
    assert_eq!(take(&mut open(&path).unwrap()).unwrap(), 1);
    // A file that is renamed on its disk is still the same file.
    let moved = folder.0.join("moved");
    fs::rename(&path, &moved).unwrap();
    assert_eq!(take(&mut open(&moved).unwrap()).unwrap(), 2);
    // A file that replaces it is not.
    fs::rename(&copy, &moved).unwrap();
    assert!(matches!(open(&moved), Err(StoreError::Copied)));
    let mut adopted = FileStore::at(&moved).adopted().open(key()).unwrap();
    assert_eq!(take(&mut adopted).unwrap(), 1);
    drop(adopted);
    assert_eq!(take(&mut open(&moved).unwrap()).unwrap(), 2);
}

#[test]
fn the_anchor_of_a_folder_is_found_again_and_a_declined_one_is_not_made() {
    let folder = Folder::new("anchors");
    let anchors = folder.0.join("home").join("anchors");
    let at = |name| FileStore::at(folder.0.join(name)).anchors_in(&anchors);
    let mut store = at("state").create(key(), 0..8).unwrap();
    take(&mut store).unwrap();
    let anchor = store.status().unwrap().anchor.unwrap();
    assert!(anchor.starts_with(&anchors) && anchor.exists());
    drop(store);
    let old = fs::read(folder.0.join("state")).unwrap();
    take(&mut open(&folder.0.join("state")).unwrap()).unwrap();
    fs::write(folder.0.join("state"), old).unwrap();
    assert!(matches!(open(&folder.0.join("state")), Err(StoreError::RolledBack { .. })));
    let person = FileStore::at(folder.0.join("state")).recover(key(), 0, None);
    assert!(matches!(person, Err(StoreError::RolledBack { .. })));
    assert_eq!(fs::read_dir(&anchors).unwrap().count(), 2, "the anchor and its lock");

    // A state without an anchor gets one, unless a person declined it.
    drop(FileStore::at(folder.0.join("plain")).create(key(), 0..8).unwrap());
    assert!(at("plain").open(key()).unwrap().status().unwrap().anchor.is_some());
    drop(at("declined").no_anchor().create(key(), 0..8).unwrap());
    assert_eq!(at("declined").open(key()).unwrap().status().unwrap().anchor, None);
    // A state that lost its anchor is not opened without it.
    let plain = at("plain").open(key()).unwrap().status().unwrap();
    fs::remove_file(plain.anchor.unwrap()).unwrap();
    assert!(matches!(at("plain").open(key()), Err(StoreError::AnchorMissing)));
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt, chown, symlink};

    use super::*;

    /// Makes a pipe: on Linux without a process, which holds the locks of all tests while it is
    /// being started; elsewhere rustix has no such call.
    fn make_pipe(path: &Path) {
        #[cfg(target_os = "linux")]
        rustix::fs::mkfifoat(rustix::fs::CWD, path, rustix::fs::Mode::RUSR).unwrap();
        #[cfg(not(target_os = "linux"))]
        assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
    }

    #[test]
    fn a_state_behind_a_link_stays_one_state() {
        let folder = Folder::new("linked");
        let (path, store) = used(&folder, "state");
        drop(store);
        let link = folder.0.join("link");
        symlink("state", &link).unwrap();
        drop(FileStore::at(&link).recover(key(), 4, None).unwrap());
        assert!(link.is_symlink() && !folder.0.join("link.lock").exists());
        assert_eq!(take(&mut open(&path).unwrap()).unwrap(), 5);
        assert_eq!(take(&mut open(&link).unwrap()).unwrap(), 6);

        // The file's other name would keep the state that recovery replaces.
        let second = folder.0.join("second");
        fs::hard_link(&path, &second).unwrap();
        for name in [&path, &second] {
            let refused = FileStore::at(name).recover(key(), 6, None);
            assert!(matches!(refused, Err(StoreError::Replaced("its file has a second name"))));
        }
    }

    #[test]
    fn nothing_is_followed_or_taken_over_at_creation() {
        let folder = Folder::new("planted");
        let (state, victim) = (folder.0.join("state"), folder.0.join("victim"));
        for name in ["state", "state.new", "state.lock"] {
            fs::write(&victim, "important").unwrap();
            symlink("victim", folder.0.join(name)).unwrap();
            assert!(FileStore::at(&state).create(key(), 0..8).is_err(), "{name}");
            assert_eq!(fs::read(&victim).unwrap(), b"important", "{name}");
            assert!(!state.exists() || name == "state", "{name}");
            fs::remove_file(folder.0.join(name)).unwrap();
            let _ = fs::remove_file(folder.0.join("state.lock"));
        }
        // A draft that others may write, and one that a killed creation left.
        let draft = folder.0.join("state.new");
        for (mode, is_ours) in [(0o666, false), (0o600, true)] {
            fs::write(&draft, "half").unwrap();
            fs::set_permissions(&draft, PermissionsExt::from_mode(mode)).unwrap();
            let created = FileStore::at(&state).create(key(), 0..8);
            assert_eq!(created.is_ok(), is_ours, "{created:?}");
        }
        assert_eq!(fs::metadata(&state).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_state_that_others_may_write_is_rejected() {
        let folder = Folder::new("open");
        for name in ["state", "state.lock"] {
            let (path, store) = used(&folder, "state");
            drop(store);
            let file = folder.0.join(name);
            for mode in [0o620, 0o602] {
                fs::set_permissions(&file, PermissionsExt::from_mode(mode)).unwrap();
                assert!(matches!(open(&path), Err(StoreError::Unsafe(_))), "{name}");
            }
            fs::set_permissions(&file, PermissionsExt::from_mode(0o600)).unwrap();
            match chown(&file, Some(65534), None) {
                Ok(()) => assert!(matches!(open(&path), Err(StoreError::Unsafe(_))), "{name}"),
                Err(_) => println!("not the superuser: no file of another user was tried"),
            }
            fs::remove_file(folder.0.join("state")).unwrap();
            fs::remove_file(folder.0.join("state.lock")).unwrap();
        }
    }

    #[test]
    fn what_is_no_regular_file_is_rejected_at_once() {
        let folder = Folder::new("irregular");
        let path = folder.0.join("state");
        make_pipe(&path);
        for _ in 0..2 {
            assert!(matches!(open(&path), Err(StoreError::Unsafe(_))));
            assert!(matches!(FileStore::at(&path).peek(key()), Err(StoreError::Unsafe(_))));
            fs::remove_file(&path).unwrap();
            symlink("/dev/zero", &path).unwrap();
        }
    }
}
