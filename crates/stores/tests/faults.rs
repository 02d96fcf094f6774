//! Processes that take an index from a file while one of their system calls fails or kills them: no
//! index is issued twice.
//!
//! `strace` injects the failures. `OAKLATH_TORTURE` is how many of each kind fail, one per run.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::num::NonZeroU64;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::{env, process};

use oaklath_stores::{FileAnchor, FileOptions, FileStore, KeyId, Store};

/// The system calls of a store and its process on files.
const CALLS: [&str; 10] = [
    "write",
    "fdatasync",
    "fsync",
    "flock",
    "openat",
    "lseek",
    "rename",
    "read",
    "statx",
    "fstatfs",
];
const FAILURES: [&str; 3] = ["signal=KILL", "error=EIO", "error=ENOSPC"];
const WORKER: &str = "OAKLATH_FAULTS_WORKER";
const ANCHOR: &str = "OAKLATH_FAULTS_ANCHOR";
/// The number of calls in an ordinary test.
const SHORT: u32 = 1;

fn main() -> ExitCode {
    if let Some(folder) = env::var_os(WORKER) {
        return work(Path::new(&folder), env::var_os(ANCHOR).is_some());
    }
    if Command::new("strace").arg("-V").stdout(Stdio::null()).status().is_err() {
        println!("NOT RUN: failing system calls: `strace` is not installed");
        return ExitCode::SUCCESS;
    }
    let calls = env::var("OAKLATH_TORTURE").ok().and_then(|n| n.parse().ok()).unwrap_or(SHORT);
    for is_anchored in [false, true] {
        let folder = env::temp_dir().join(format!("oaklath-fault-{}-{is_anchored}", process::id()));
        fs::create_dir_all(&folder).expect("a folder for the test");
        torture(&folder, calls, is_anchored);
        fs::remove_dir_all(&folder).expect("the folder is ours");
    }
    ExitCode::SUCCESS
}

fn options(folder: &Path, is_anchored: bool) -> FileOptions {
    let options = FileStore::at(folder.join("state"));
    if is_anchored { options.anchor(FileAnchor::new(folder.join("anchor"))) } else { options }
}

fn key() -> KeyId {
    KeyId::of(b"the key of the test")
}

/// Takes one index and logs it with one write.
fn work(folder: &Path, is_anchored: bool) -> ExitCode {
    let taken = options(folder, is_anchored).open(key()).and_then(|mut store| {
        let mut lease = store.reserve(NonZeroU64::MIN)?;
        Ok(lease.next().expect("a lease is never empty").value())
    });
    let Ok(index) = taken else { return ExitCode::FAILURE };
    let log = OpenOptions::new().append(true).open(folder.join("log"));
    match log.and_then(|mut log| log.write_all(&index.to_be_bytes())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn torture(folder: &Path, calls: u32, is_anchored: bool) {
    drop(options(folder, is_anchored).create(key(), 0..1 << 40).expect("a new store"));
    fs::write(folder.join("log"), []).expect("a log");
    let program = env::current_exe().expect("this program");
    let (mut runs, mut failed) = (0, 0);
    for call in CALLS {
        for (number, failure) in (1..=calls).flat_map(|n| FAILURES.map(|failure| (n, failure))) {
            let mut command = Command::new("strace");
            command.args(["-f", "-o", "/dev/null", "-e", &format!("trace={call}"), "-e"]);
            command.arg(format!("inject={call}:{failure}:when={number}")).arg(&program);
            command.env(WORKER, folder).stderr(Stdio::null());
            if is_anchored {
                command.env(ANCHOR, "1");
            }
            let status = command.status().expect("strace runs");
            (runs, failed) = (runs + 1, failed + usize::from(!status.success()));
        }
    }
    let log = fs::read(folder.join("log")).expect("a log");
    let given: Vec<_> =
        log.as_chunks::<8>().0.iter().map(|index| u64::from_be_bytes(*index)).collect();
    let different: BTreeSet<_> = given.iter().collect();
    assert_eq!(different.len(), given.len(), "an index was given twice");
    let mut store = options(folder, is_anchored).open(key()).expect("the store opens");
    let next = store.status().expect("the store is open").next;
    assert!(given.iter().all(|index| *index < next), "the store would give {next} again");
    let anchor = if is_anchored { "with an anchor" } else { "without anchor" };
    println!(
        "system calls {anchor}: {runs} failures, {failed} stopped the process, {} indices given, 0 twice",
        given.len()
    );
    assert!(failed > 0 && !given.is_empty(), "nothing was tried");
}
