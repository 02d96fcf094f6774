//! Machines that lease from a real PostgreSQL and a real etcd, over TLS, while the server is
//! killed, and after it was restored from an old copy: no index is given twice.
//!
//! `OAKLATH_TORTURE` is the number of kills of each server. A server that is not installed is named
//! on a line that begins with `NOT RUN`.
#![expect(clippy::unwrap_used, reason = "tests")]

mod server;

use std::collections::BTreeSet;
use std::fs;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;
use std::{env, process, thread};

use oaklath_stores::{Etcd, KeyId, Ledger, SharedOptions, SharedStore, Store, StoreError, Tls};
use server::{EtcdServer, PostgresServer, Server};

const MACHINES: usize = 8;
const UNIT: u64 = 8;
const END: u64 = 1 << 40;
/// Kills of an ordinary test.
const SHORT: u64 = 2;

fn main() {
    let kills = env::var("OAKLATH_TORTURE").ok().and_then(|n| n.parse().ok()).unwrap_or(SHORT);
    // A server that runs as another user must reach its folder.
    let folder = env::temp_dir().join(format!("oaklath-databases-{}", process::id()));
    fs::create_dir_all(&folder).unwrap();
    match PostgresServer::start(&folder.join("postgres")) {
        Ok(server) => {
            torture(server, &folder.join("postgres-marks"), kills);
            forgetful(&folder.join("forgetful"));
        }
        Err(missing) => println!("NOT RUN: PostgreSQL: {missing}"),
    }
    match EtcdServer::start(&folder.join("etcd")) {
        Ok(server) => {
            torture(server, &folder.join("etcd-marks"), kills);
            if let Err(missing) = tokens_are_renewed(&folder.join("etcd-tokens")) {
                println!("NOT RUN: etcd with a password: {missing}");
            }
        }
        Err(missing) => println!("NOT RUN: etcd: {missing}"),
    }
    fs::remove_dir_all(&folder).unwrap();
}

/// A user whose token ends after a second goes on, also when users have changed; another password
/// does not begin.
fn tokens_are_renewed(folder: &Path) -> Result<(), String> {
    let server = EtcdServer::start_with(folder, &["--auth-token-ttl", "1"])?;
    let root = certificate("p256_root_cert.pem");
    let run = |line: &str| -> Result<(), String> {
        let words: Vec<_> = line.split(' ').collect();
        server.run(&root, &words).map(|succeeds| assert!(succeeds, "etcdctl {line}"))
    };
    run("user add root:secret")?;
    run("user grant-role root root")?;
    run("auth enable")?;
    let connect = |password| {
        Etcd::connect(&server.url(), Some(&tls("p256_root_cert.pem")), Some(("root", password)))
    };
    assert!(matches!(connect("other"), Err(StoreError::Database(_))));
    let ledger = connect("secret").unwrap();
    assert!(!format!("{ledger:?}").contains("secret"));
    let options = SharedStore::at(ledger, folder.join("mark"));
    let mut store = options.create(key(), 0..END, NonZeroU64::new(UNIT).unwrap()).unwrap();
    let mut take = || store.reserve(NonZeroU64::MIN).unwrap().next().unwrap().value();
    let first = take();
    thread::sleep(Duration::from_secs(4));
    let second = take();
    run("--user root:secret user add other:secret")?;
    let third = take();
    assert!(first < second && second < third, "{first}, {second}, {third}");
    println!("etcd with a password: tokens are renewed");
    Ok(())
}

fn key() -> KeyId {
    KeyId::of(b"the key of the test")
}

fn certificate(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../certs").join(name)
}

fn tls(root: &str) -> Tls {
    let root = rustls_pki_types::pem::PemObject::from_pem_file(certificate(root)).unwrap();
    Tls::new(rustls::crypto::aws_lc_rs::default_provider().into(), vec![root])
}

/// The machines of a fleet, each with its mark.
struct Fleet<S> {
    server: S,
    marks: PathBuf,
    /// Every index that was given.
    given: Mutex<BTreeSet<u64>>,
    failures: AtomicU64,
}

impl<S: Server> Fleet<S> {
    fn machine(&self, number: usize) -> Result<SharedOptions, StoreError> {
        let ledger: Box<dyn Ledger> = self.server.connect(&tls("p256_root_cert.pem"))?;
        Ok(SharedStore::at(ledger, self.marks.join(format!("{number}.mark"))))
    }

    fn open(&self, number: usize) -> Result<SharedStore, StoreError> {
        self.machine(number)?.open(key())
    }

    /// Takes a lease; each of its indices must be new.
    fn take(&self, store: &mut SharedStore) -> Result<(), StoreError> {
        let lease = store.reserve(NonZeroU64::MIN)?;
        let mut given = self.given.lock().unwrap();
        for index in lease {
            assert!(given.insert(index.value()), "{} was given twice", index.value());
        }
        Ok(())
    }

    /// One machine, which opens its store again whenever the database fails it.
    fn run(&self, number: usize, ends: &AtomicBool) {
        while !ends.load(Relaxed) {
            let leased = self.open(number).and_then(|mut store| {
                while !ends.load(Relaxed) {
                    self.take(&mut store)?;
                }
                Ok(())
            });
            match leased {
                Ok(()) => {}
                // Between fork and exec the server that is being started has our files, and so the
                // locks.
                Err(StoreError::Database(_) | StoreError::Busy) => {
                    self.failures.fetch_add(1, Relaxed);
                    thread::sleep(Duration::from_millis(10));
                }
                Err(error) => panic!("machine {number}: {error}"),
            }
        }
    }
}

fn torture(server: impl Server, marks: &Path, kills: u64) {
    fs::create_dir_all(marks).unwrap();
    let failures = AtomicU64::new(0);
    let mut fleet = Fleet { server, marks: marks.to_owned(), given: Mutex::default(), failures };
    refuses_strangers(&fleet);
    let unit = NonZeroU64::new(UNIT).unwrap();
    drop(fleet.machine(0).unwrap().create(key(), 0..END, unit).unwrap());
    let again = fleet.machine(MACHINES).unwrap().create(key(), 0..END, unit);
    assert!(matches!(again, Err(StoreError::Exists)));
    for number in 1..MACHINES {
        drop(fleet.machine(number).unwrap().join(key()).unwrap());
    }

    for kill in 0..kills {
        let ends = AtomicBool::new(false);
        let fleet = &mut fleet;
        let control = fleet.server.control();
        let fleet = &*fleet;
        thread::scope(|scope| {
            for number in 0..MACHINES {
                let ends = &ends;
                scope.spawn(move || fleet.run(number, ends));
            }
            thread::sleep(Duration::from_millis(300 + 37 * kill % 700));
            control.kill();
            control.restart();
            thread::sleep(Duration::from_millis(500));
            ends.store(true, Relaxed);
        });
    }
    restored(&fleet);
    println!(
        "{}: {MACHINES} machines, {kills} kills of the server, {} indices given, 0 twice, {} \
         failures met, {MACHINES} machines refused its old copy",
        fleet.server.name(),
        fleet.given.lock().unwrap().len(),
        fleet.failures.load(Relaxed),
    );
}

/// A server is authenticated: by another root it is not, and without TLS nobody asks.
fn refuses_strangers(fleet: &Fleet<impl Server>) {
    let stranger = fleet.server.connect(&tls("rsa2048_root_cert.pem"));
    let refused = stranger.and_then(|mut ledger| ledger.read(key()));
    assert!(matches!(refused, Err(StoreError::Database(_))), "{refused:?}");
    let none = fleet.machine(0).unwrap().open(key());
    assert!(matches!(none, Err(StoreError::Missing)), "{none:?}");
}

/// The server is restored from a copy that is older than what every machine has leased.
fn restored(fleet: &Fleet<impl Server>) {
    let copy = fleet.server.copy();
    let mut stores: Vec<_> = (0..MACHINES).map(|number| fleet.open(number).unwrap()).collect();
    stores.iter_mut().for_each(|store| fleet.take(store).unwrap());
    drop(stores);
    fleet.server.restore(&copy);
    for number in 0..MACHINES {
        let refused = fleet.open(number);
        assert!(matches!(refused, Err(StoreError::RolledBack { .. })), "{refused:?}");
    }
    let highest = *fleet.given.lock().unwrap().last().unwrap();
    let mut store = fleet.machine(3).unwrap().recover(key(), highest).unwrap();
    fleet.take(&mut store).unwrap();
    for number in (0..MACHINES).filter(|number| *number != 3) {
        fleet.take(&mut fleet.open(number).unwrap()).unwrap();
    }
}

/// A server that may forget what it confirms is not used.
fn forgetful(folder: &Path) {
    for setting in ["fsync", "synchronous_commit", "full_page_writes"] {
        let server = PostgresServer::start_with(&folder.join(setting), &[setting]).unwrap();
        let refused = server.connect(&tls("p256_root_cert.pem"));
        let named = matches!(&refused, Err(StoreError::NotDurable(what)) if what.contains(setting));
        assert!(named, "{setting}: {refused:?}");
    }
    println!("PostgreSQL: refused with fsync, synchronous_commit or full_page_writes off");
}
