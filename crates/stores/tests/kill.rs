//! Processes that take indices from one file with four threads each, and are killed at random
//! times: no index is issued twice.
//!
//! `OAKLATH_TORTURE` is the number of rounds, in each of which eight processes run and are killed.
//! A thread first logs each index with one write; data written by a killed process stay in the page
//! cache. So an index that was issued twice is in the logs twice.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::time::Duration;
use std::{env, process, thread};

use oaklath_stores::{FileAnchor, FileOptions, FileStore, KeyId, Store, StoreError};

const THREADS: usize = 4;
const PROCESSES: usize = 8;
/// More indices than can be issued.
const END: u64 = 1 << 40;
/// The number of rounds in an ordinary test.
const SHORT: u64 = 6;

fn main() -> ExitCode {
    if let Some(folder) = env::var_os("OAKLATH_KILLED_WORKER") {
        let is_anchored = env::var_os("OAKLATH_KILLED_ANCHOR").is_some();
        return work(Path::new(&folder), is_anchored);
    }
    let rounds = env::var("OAKLATH_TORTURE").ok().and_then(|n| n.parse().ok()).unwrap_or(SHORT);
    for is_anchored in [false, true] {
        let folder = env::temp_dir().join(format!("oaklath-kill-{}-{is_anchored}", process::id()));
        fs::create_dir_all(&folder).expect("a folder for the test");
        torture(&folder, rounds, is_anchored);
        fs::remove_dir_all(&folder).expect("the folder is ours");
    }
    ExitCode::SUCCESS
}

fn options(folder: &Path, is_anchored: bool) -> FileOptions {
    let largest = NonZeroU64::new(16).expect("not zero");
    let options = FileStore::at(folder.join("state")).largest(largest);
    if is_anchored { options.anchor(FileAnchor::new(folder.join("anchor"))) } else { options }
}

fn key() -> KeyId {
    KeyId::of(b"the key of the test")
}

/// Runs one process: opens the store, lets its threads take some leases, and closes it for others.
fn work(folder: &Path, is_anchored: bool) -> ExitCode {
    loop {
        let store = match options(folder, is_anchored).open(key()) {
            Ok(store) => Mutex::new(store),
            Err(StoreError::Busy) => {
                thread::sleep(Duration::from_micros(200));
                continue;
            }
            Err(error) => {
                let _ = fs::write(folder.join("refused"), error.to_string());
                return ExitCode::FAILURE;
            }
        };
        thread::scope(|scope| {
            for number in 0..THREADS {
                let (store, log) = (&store, folder.join(format!("{}-{number}.log", process::id())));
                scope.spawn(move || take(store, &log));
            }
        });
    }
}

fn take(store: &Mutex<FileStore>, log: &Path) {
    let mut log = OpenOptions::new().create(true).append(true).open(log).expect("a log");
    for want in 1..=5 {
        let want = NonZeroU64::new(3 * want).expect("not zero");
        let lease = store.lock().expect("no thread panics").reserve(want).expect("a lease");
        for index in lease {
            log.write_all(&index.value().to_be_bytes()).expect("the log takes an index");
        }
    }
}

fn torture(folder: &Path, rounds: u64, is_anchored: bool) {
    drop(options(folder, is_anchored).create(key(), 0..END).expect("a new store"));
    let mut kills = 0;
    for round in 0..rounds {
        let mut workers: Vec<_> = (0..PROCESSES).map(|_| start(folder, is_anchored)).collect();
        // Kills at varying points of opening, writing and closing.
        thread::sleep(Duration::from_micros(5_000 + round.wrapping_mul(0x9e37_79b9) % 70_000));
        for worker in &mut workers {
            assert!(
                worker.try_wait().expect("a worker").is_none(),
                "a worker has ended: {}",
                refusal(folder)
            );
            worker.kill().expect("a worker that runs can be killed");
            kills += 1;
        }
        workers.iter_mut().for_each(|worker| drop(worker.wait()));
    }
    let given = count(folder);
    let repeated: Vec<_> = given.iter().filter(|(_, times)| **times > 1).collect();
    assert!(repeated.is_empty(), "given more than once: {repeated:?}");
    let mut store = options(folder, is_anchored).open(key()).expect("the store opens");
    let next = store.status().expect("the store is open").next;
    let highest = given.keys().next_back().copied().unwrap_or(0);
    assert!(next > highest, "the store would give {next} again, {highest} was given");
    let lost = next - given.len() as u64;
    let anchor = if is_anchored { "with an anchor" } else { "without anchor" };
    println!(
        "kill -9 {anchor}: {rounds} rounds, {kills} kills, {} indices given, 0 twice, {lost} lost",
        given.len()
    );
    assert!(rounds < SHORT || !given.is_empty(), "no index was given, so nothing was tried");
}

fn start(folder: &Path, is_anchored: bool) -> Child {
    let program: PathBuf = env::current_exe().expect("this program");
    let mut command = Command::new(program);
    command.env("OAKLATH_KILLED_WORKER", folder);
    if is_anchored {
        command.env("OAKLATH_KILLED_ANCHOR", "1");
    }
    command.stdin(Stdio::null()).spawn().expect("a worker")
}

fn refusal(folder: &Path) -> String {
    fs::read_to_string(folder.join("refused")).unwrap_or_default()
}

/// Counts how often each index was issued. An incomplete index at the end of a log was not issued.
fn count(folder: &Path) -> BTreeMap<u64, u32> {
    let mut given = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("the folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "log") {
            let log = fs::read(path).expect("a log");
            for index in log.as_chunks::<8>().0 {
                *given.entry(u64::from_be_bytes(*index)).or_default() += 1;
            }
        }
    }
    given
}
