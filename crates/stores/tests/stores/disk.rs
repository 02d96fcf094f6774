//! Files on the real disk: locks, names and modes.

use std::fs::{self, File};
use std::path::PathBuf;

use oaklath_stores::{FileStore, KeyId, STATE_LEN, Store, StoreError};

/// A folder of its own, removed at the end.
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

/// Creation, where there is no state yet that could be locked.
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

/// A tidy person removes the lock file, or the state has a second name.
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
