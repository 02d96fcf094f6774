//! Tests of how machines log in, and of servers that are not durable.

use std::num::NonZeroU64;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;
use std::{fs, thread};

use oaklath_stores::{
    Account, Etcd, KeyId, Ledger, Password, Postgres, SharedStore, Store, StoreError,
};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivatePkcs8KeyDer};

use crate::etcd::EtcdServer;
use crate::postgres::PostgresServer;
use crate::server::{Server, succeed, wait_until};
use crate::{END, UNIT, certificate, key, tls};

fn password(text: &str) -> Password {
    Password::new(text.to_owned().into())
}

fn certified() -> oaklath_stores::Tls {
    let chain = CertificateDer::from_pem_file(certificate("p256_client_cert.pem")).unwrap();
    let key = PrivatePkcs8KeyDer::from_pem_file(certificate("p256_client_key.pem")).unwrap();
    tls("p256_root_cert.pem").client(vec![chain], key)
}

/// Logs in with a password, a password file and a certificate.
pub(crate) fn postgres(server: &PostgresServer, folder: &Path) {
    let root = || tls("p256_root_cert.pem");
    let guarded = || Postgres::at(server.url("guarded")).tls(root());
    assert!(matches!(guarded().connect(), Err(StoreError::Database(_))));
    assert!(matches!(
        guarded().password(password("other")).connect(),
        Err(StoreError::Database(_))
    ));
    drop(guarded().password(password("open : \\ sesame")).connect().unwrap());
    let path = folder.join("passfile");
    fs::write(&path, "localhost:*:postgres:guarded:open : \\\\ sesame\n").unwrap();
    fs::set_permissions(&path, PermissionsExt::from_mode(0o644)).unwrap();
    assert!(matches!(guarded().passfile(&path).connect(), Err(StoreError::Io { .. })));
    fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
    drop(guarded().passfile(&path).connect().unwrap());

    let by_certificate = |tls| Postgres::at(server.url("certified")).tls(tls).connect();
    assert!(matches!(by_certificate(root()), Err(StoreError::Database(_))));
    drop(by_certificate(certified()).unwrap());
    println!("PostgreSQL: passwords, a file of passwords, a client certificate");
}

/// A user whose token expires after a second can continue, even after users have changed; with
/// another password, none can begin. A cluster that asks for a certificate gets one.
pub(crate) fn etcd(folder: &Path) -> Result<(), String> {
    let server = EtcdServer::start(&folder.join("tokens"), &["--auth-token-ttl", "1"])?;
    let run = |line: &str| -> Result<(), String> {
        server.tool().map(|mut tool| succeed(tool.args(line.split(' '))))
    };
    run("user add root:secret")?;
    run("user grant-role root root")?;
    run("auth enable")?;
    let connect = |text| {
        let cluster = Etcd::at(server.url()).tls(tls("p256_root_cert.pem"));
        cluster.login("root", password(text)).connect()
    };
    assert!(matches!(connect("other"), Err(StoreError::Database(_))));
    let ledger = connect("secret").unwrap();
    assert!(!format!("{ledger:?}").contains("secret"));
    let options = SharedStore::at(ledger, folder.join("tokens.mark"));
    let mut store = options.create(key(), 0..END, NonZeroU64::new(UNIT).unwrap()).unwrap();
    let mut take = || store.reserve(NonZeroU64::MIN).unwrap().next().unwrap().value();
    let first = take();
    thread::sleep(Duration::from_secs(4));
    let second = take();
    run("--user root:secret user add other:secret")?;
    let third = take();
    assert!(first < second && second < third, "{first}, {second}, {third}");

    let asks = ["--client-cert-auth", "--trusted-ca-file", "root.pem"];
    let server = EtcdServer::start(&folder.join("certified"), &asks)?;
    let read = |tls| match Etcd::at(server.url()).tls(tls).connect()?.read(key(), [0; 16]) {
        Err(StoreError::Database(what)) => Ok(what),
        other => other.map(|account| format!("{account:?}")),
    };
    let without = read(tls("p256_root_cert.pem")).unwrap();
    assert!(!without.starts_with(char::is_numeric), "{without}");
    // The gateway answers over HTTP but cannot reach the server: it presents the server's
    // certificate, which in the test PKI is not a client certificate.
    let with = read(certified()).unwrap();
    assert!(with.starts_with("503"), "{with}");
    println!("etcd: a password whose tokens are renewed, a client certificate");
    Ok(())
}

/// A server that may lose confirmed commits is rejected.
pub(crate) fn forgetful(server: &PostgresServer) {
    let connects = |accepts: bool| {
        let options = Postgres::at(server.url("signer")).tls(tls("p256_root_cert.pem"));
        if accepts { options.accept_asynchronous().connect() } else { options.connect() }
    };
    for (setting, value, can_be_accepted) in [
        ("fsync", "off", false),
        ("full_page_writes", "off", false),
        ("synchronous_commit", "off", false),
        ("synchronous_commit", "local", true),
        ("synchronous_commit", "remote_write", true),
        ("default_transaction_read_only", "on", false),
    ] {
        let set = |what: &str| {
            server.sql(what);
            server.sql("SELECT pg_reload_conf()");
        };
        set(&format!("ALTER SYSTEM SET {setting} = {value}"));
        let mut refused = None;
        wait_until("a setting", || {
            refused = connects(false).err();
            refused.is_some()
        });
        assert!(matches!(&refused, Some(StoreError::NotDurable(_))), "{setting}: {refused:?}");
        assert_eq!(connects(true).is_ok(), can_be_accepted, "{setting}");
        set(&format!("ALTER SYSTEM RESET {setting}"));
        wait_until("a setting", || connects(false).is_ok());
    }
    println!("PostgreSQL: rejected where it may forget, by 6 settings");
}

/// Two signers, one with a copy of the other's mark, wait for the row: only one gets the turn.
pub(crate) fn one_turn(server: &PostgresServer) {
    let copied = KeyId::of(b"the key of a copied mark");
    let connect = || {
        let options = Postgres::at(server.url("signer")).tls(tls("p256_root_cert.pem"));
        options.connect().unwrap()
    };
    connect().create(copied, 0..END, UNIT).unwrap();
    let first = |account: &Account| match account.turn {
        0 => Ok(Account { turn: 1, next: account.next + UNIT, ..account.clone() }),
        _ => Err(StoreError::Exhausted),
    };
    let takes = thread::scope(|scope| {
        let held = "BEGIN; SELECT FROM oaklath_indices FOR UPDATE; SELECT pg_sleep(2); COMMIT";
        scope.spawn(|| server.sql(held));
        let sleeps = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'";
        wait_until("a lock", || server.answer(sleeps).is_some_and(|n| n == "1"));
        let take = || scope.spawn(|| connect().update(copied, [1; 16], Box::new(first)).is_ok());
        [take(), take()].map(|take| take.join().unwrap())
    });
    assert_eq!(takes.iter().filter(|taken| **taken).count(), 1, "{takes:?}");
}

/// A primary must wait for its standby at each lease; a standby itself is rejected.
pub(crate) fn replicated(server: &PostgresServer, folder: &Path) {
    // Each login is warned of the first setting; the second hides warnings, also from commits.
    server.sql("ALTER ROLE signer SET default_tablespace = missing");
    server.sql("ALTER ROLE signer SET client_min_messages = error");
    let options = || Postgres::at(server.url("signer")).tls(tls("p256_root_cert.pem"));
    let open = |ledger: Postgres| SharedStore::at(ledger, folder.join("mark")).open(key());
    let ledger = options().connect().unwrap();
    let unit = NonZeroU64::new(UNIT).unwrap();
    let mut store =
        SharedStore::at(ledger, folder.join("mark")).create(key(), 0..END, unit).unwrap();
    store.reserve(NonZeroU64::MIN).unwrap();

    // An administrator's maintenance of the table does not count as a change.
    server.sql("VACUUM (FULL, FREEZE) oaklath_indices");
    store.reserve(NonZeroU64::MIN).unwrap();

    let standby = server.standby(&folder.join("standby"), "waited");
    let lagging = store.reserve(NonZeroU64::MIN);
    assert!(matches!(lagging, Err(StoreError::NotDurable(_))), "{lagging:?}");
    drop(store);
    assert!(matches!(options().connect(), Err(StoreError::NotDurable(_))));
    let of_standby = Postgres::at(standby.url("signer")).tls(tls("p256_root_cert.pem")).connect();
    assert!(matches!(of_standby, Err(StoreError::NotDurable(_))), "{of_standby:?}");
    let mut store = open(options().accept_asynchronous().connect().unwrap()).unwrap();
    store.reserve(NonZeroU64::MIN).unwrap();
    drop(store);

    server.sql("ALTER SYSTEM SET synchronous_standby_names = 'waited'");
    server.sql("SELECT pg_reload_conf()");
    wait_until("synchronous commits", || options().connect().is_ok());
    let mut store = open(options().connect().unwrap()).unwrap();
    store.reserve(NonZeroU64::MIN).unwrap();
    standby.control().kill();
    wait_until("a lost standby", || server.standbys() == "0");
    // The commit waits until an administrator interrupts it, and would then seem to succeed.
    let (sender, answer) = mpsc::channel();
    thread::spawn(move || sender.send(store.reserve(NonZeroU64::MIN)));
    let interrupt = "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity
        WHERE usename = 'signer' AND wait_event = 'SyncRep'";
    wait_until("a commit that waits", || server.answer(interrupt).is_some_and(|n| n != "0"));
    let interrupted = answer.recv().unwrap();
    assert!(matches!(interrupted, Err(StoreError::NotDurable(_))), "{interrupted:?}");
    server.sql("ALTER SYSTEM RESET synchronous_standby_names");
    server.sql("SELECT pg_reload_conf()");
    standby.control().restart();
    println!("PostgreSQL: rejected without synchronous standbys, at each lease");
}
