//! Machines that lease from a real PostgreSQL and a real etcd, over TLS, while the server is
//! killed, and after it was restored, recovered, failed over or changed by hand: no index is issued
//! twice.
//!
//! `OAKLATH_TORTURE` is the number of kills of each server, and of disasters of each kind. If a
//! server is not installed, a line that begins with `NOT RUN` says so.
#![expect(clippy::unwrap_used, reason = "tests")]

mod disaster;
mod etcd;
mod login;
mod postgres;
mod server;

use std::collections::BTreeSet;
use std::fs;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;
use std::{env, process, thread};

use disaster::Disaster;
use etcd::EtcdServer;
use oaklath_stores::{KeyId, Ledger, SharedOptions, SharedStore, Store, StoreError, Tls};
use postgres::PostgresServer;
use server::Server;

const MACHINES: usize = 8;
const UNIT: u64 = 8;
const END: u64 = 1 << 40;
/// The number of kills, and of disasters of each kind, in an ordinary test.
const SHORT: u64 = 1;

fn main() {
    let times = env::var("OAKLATH_TORTURE").ok().and_then(|n| n.parse().ok()).unwrap_or(SHORT);
    // A server that runs as another user must reach its folder.
    let folder = env::temp_dir().join(format!("oaklath-databases-{}", process::id()));
    fs::create_dir_all(&folder).unwrap();
    match PostgresServer::start(&folder.join("postgres"), "") {
        Ok(server) => {
            login::postgres(&server, &folder);
            login::forgetful(&server);
            torture(server, &folder.join("postgres-marks"), times, &postgres::DISASTERS);
            let server = PostgresServer::start(&folder.join("replicated"), "").unwrap();
            login::one_turn(&server);
            login::replicated(&server, &folder);
        }
        Err(missing) => println!("NOT RUN: PostgreSQL: {missing}"),
    }
    let etcd = EtcdServer::start(&folder.join("etcd"), &[]).and_then(|server| {
        server.tool()?;
        torture(server, &folder.join("etcd-marks"), times, &etcd::DISASTERS);
        login::etcd(&folder)
    });
    if let Err(missing) = etcd {
        println!("NOT RUN: etcd: {missing}");
    }
    fs::remove_dir_all(&folder).unwrap();
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
    /// Every index that was issued.
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

    /// Runs one machine, which reopens its store whenever the database fails.
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
                // Between fork and exec, the server that is being started has inherited our files
                // with their locks.
                Err(StoreError::Database(_) | StoreError::Busy) => {
                    self.failures.fetch_add(1, Relaxed);
                    thread::sleep(Duration::from_millis(10));
                }
                Err(error) => panic!("machine {number}: {error}"),
            }
        }
    }
}

fn torture<S: Server>(server: S, marks: &Path, kills: u64, disasters: &[Disaster<S>]) {
    fs::create_dir_all(marks).unwrap();
    let failures = AtomicU64::new(0);
    let fleet = Fleet { server, marks: marks.to_owned(), given: Mutex::default(), failures };
    refuses_strangers(&fleet);
    let unit = NonZeroU64::new(UNIT).unwrap();
    drop(fleet.machine(0).unwrap().create(key(), 0..END, unit).unwrap());
    let again = fleet.machine(MACHINES).unwrap().create(key(), 0..END, unit);
    assert!(matches!(again, Err(StoreError::Exists)));
    for number in 1..MACHINES {
        drop(fleet.machine(number).unwrap().join(key()).unwrap());
    }

    let control = fleet.server.control();
    for kill in 0..kills {
        let (fleet, ends) = (&fleet, &AtomicBool::new(false));
        thread::scope(|scope| {
            for number in 0..MACHINES {
                scope.spawn(move || fleet.run(number, ends));
            }
            thread::sleep(Duration::from_millis(300 + 37 * kill % 700));
            control.kill();
            control.restart();
            thread::sleep(Duration::from_millis(500));
            ends.store(true, Relaxed);
        });
    }
    println!(
        "{}: {MACHINES} machines, {kills} kills of the server, {} indices given, 0 twice, {} \
         failures met",
        fleet.server.name(),
        fleet.given.lock().unwrap().len(),
        fleet.failures.load(Relaxed),
    );
    disasters.iter().for_each(|disaster| disaster.run(&fleet, kills));
}

/// A server is authenticated: it is rejected with another root, and not contacted without TLS.
fn refuses_strangers(fleet: &Fleet<impl Server>) {
    let stranger = fleet.server.connect(&tls("rsa2048_root_cert.pem"));
    let refused = stranger.and_then(|mut ledger| ledger.read(key(), [0; 16]));
    assert!(matches!(refused, Err(StoreError::Database(_))), "{refused:?}");
    let none = fleet.machine(0).unwrap().open(key());
    assert!(matches!(none, Err(StoreError::Missing)), "{none:?}");
}
