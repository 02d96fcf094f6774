//! Stores of one-time indices, and the signer: stateful hash-based signatures (LMS and HSS, XMSS
//! and XMSS^MT) in which each one-time key signs once, whatever fails.
//!
//! If a one-time key signs two messages, anybody can forge signatures. So the *index* of the next
//! one-time key must never go back: not after a crash, not after a failed write, not on a second
//! machine. RFC 8554, section 9, and SP 800-208, section 8, require this; this crate implements it.
//!
//! | type | is |
//! |---|---|
//! | [`Signer`] | a key with its store: reserves an index, signs, verifies, releases |
//! | [`Signer::grow_in_background`] | trees that grow while nobody waits for a signature |
//! | [`Store`], [`Lease`] | a durable record of which indices are used up; a range that it issued |
//! | [`FileStore`] | a store in a file, for one process at a time |
//! | [`FileAnchor`] | a second record, which detects an old copy of the first |
//! | [`SharedStore`], [`Ledger`] | leases from a database, for many machines: PostgreSQL, etcd |
//! | `MemoryStore` | a store that is not durable: for tests, behind the feature `hazmat` |
//! | [`Disk`] | a file system, with the checks made before a file is written |
//! | [`Medium`] | the operations of a file system, replaceable to inject failures |
//!
//! ```
//! use oaklath_params::stateful::lms;
//! use oaklath_stateful::{HssLevels, HssSigningKey, NODE_BYTES, StatefulKey};
//! use oaklath_stores::{FileStore, KeyId, Signer};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = std::env::temp_dir().join(format!("oaklath-stores-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! # let (state, anchors) = (folder.join("firmware.state"), folder.join("anchors"));
//! // Once: a key, and its state, of which an old copy is noticed by an anchor on another disk. The
//! // seed comes from a random generator.
//! let levels = HssLevels::from(&lms::L3_H5_W4);
//! let key = HssSigningKey::from_seed(&levels, &[7; 48], NODE_BYTES)?;
//! let id = KeyId::of_key(&key);
//! FileStore::at(&state).anchors_in(&anchors).create(id, 0..key.signatures())?;
//!
//! // Later, in one process at a time: the key is read back from where it is kept, its store is
//! // opened. The record is durable before the signature is computed.
//! let bytes = key.to_bytes();
//! let key = HssSigningKey::from_bytes(&bytes, NODE_BYTES)?;
//! let store = FileStore::at(&state).anchors_in(&anchors).open(id)?;
//! let mut signer = Signer::new(Box::new(key), Box::new(store))?;
//! let signature = signer.sign(b"firmware 1.0")?;
//! assert_eq!(signer.remaining()?.indices, 32 * 32 * 32 - 1);
//! # assert!(signer.key().check(b"firmware 1.0", &signature).is_ok());
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok(())
//! # }
//! ```
//!
//! # Guarantees
//! 1. For each one-time key, at most one signature leaves all the machines that share the store. A
//!    record that covers it is durable before the first hash of the signature is computed.
//! 2. Any failure to write, to sync or to receive an answer stops the handle. Nothing is retried:
//!    after a failed sync nobody knows what is durable. Opening the store again finds out.
//! 3. A crash costs the indices that were reserved and not used: at most [`FileOptions::largest`],
//!    by default 1; and as many again if the crash tore a record.
//! 4. A second process gets [`StoreError::Busy`] at once. A forked child is rejected, on Linux even
//!    if it has the process number of its parent. A lock that excludes nobody is detected.
//! 5. A state that is missing or damaged is rejected; it never begins again at 0. If one of the two
//!    slots is damaged, the store continues after every index that the slot may have covered.
//! 6. Before each write the file must be the one that was opened, have only its one name, and have
//!    the contents that this handle left; otherwise the handle stops: [`StoreError::Replaced`].
//! 7. A state that was last written on another machine or in another file is rejected
//!    ([`StoreError::Copied`]) until a person vouches for it: [`FileOptions::adopted`].
//! 8. In a hierarchy, each one-time key of an upper level only ever signs one child, which is
//!    derived from the key alone and computed twice. The store keeps digests of the newest
//!    children, the signer compares before it releases a signature, and a
//!    [reservation](Signer::reserve) includes them. A [`Ledger`] has those of all machines.
//! 9. A signature is verified before it is released, so that the result of a fault in memory or CPU
//!    is not published (unless [`Signer::without_verification`] was called).
//!
//! The limits of these guarantees are stated in the next section, and those of a database under
//! *Fleets*. They hold for signers: a caller that passes an index of its own to `sign_at` of a key,
//! which requires the feature `hazmat`, bypasses the store. In the column "by default", the program
//! asks for an anchor with [`FileOptions::anchors_in`], as `oaklath hbs` does:
//!
//! | | no anchor | by default | anchor on another disk | database |
//! |---|---|---|---|---|
//! | crash, kill, failed write | no reuse | no reuse | no reuse | no reuse |
//! | two processes, fork, two names | no reuse | no reuse | no reuse | no reuse |
//! | state changed while open | stops | stops | stops | stops |
//! | state copied to another file | rejected | rejected | rejected | rejected |
//! | old copy written over it | **not noticed** | rejected | rejected | no reuse |
//! | disk restored | **not noticed** | **not noticed** | rejected | no reuse |
//! | machine restored or cloned | **not noticed** | **not noticed** | rejected | no reuse |
//!
//! In the last two rows, *rejected* holds if the anchor was not restored or cloned with the rest,
//! and *no reuse* holds if no signer ran. A move to another disk is a copy; a state that is renamed
//! on its disk continues to sign. *Fleets* describes when it is noticed that a database itself was
//! restored. Anyone with write access to the state, the anchor or the database can cause an index
//! to be issued twice and is trusted like the key's owner.
//!
//! # What software cannot guarantee
//! - **An old copy looks like the state.** When a file, disk, virtual machine or snapshot was
//!   restored, the file alone cannot show it. An [anchor](FileOptions::anchor) on another medium
//!   shows it unless the anchor was restored as well. If everything was restored, nothing shows it.
//! - **A copy from before the first anchor has none.** If a state got its anchor only later, a copy
//!   from before that is opened without one, and is rejected only if [`FileOptions::anchor`] is
//!   given at each open.
//! - **A copied machine is two signers.** A copy is recognised by the machine's identifier
//!   (`/etc/machine-id` and similar; a container may have none) and by the file's inode number and
//!   creation time; an image of a disk has them all. If both machines share one anchor, the second
//!   is rejected; if the anchor was copied as well, it is not. A copy that leases from the same
//!   database gets other indices, but if the machine was copied while it ran, both sign with the
//!   rest of the lease that it held: stop the signer first.
//! - **Hardware may lie.** If a disk confirms a sync but keeps the data in volatile memory, a power
//!   cut may lose a record. The file system must honour `fdatasync` and locks: local ones do,
//!   network file systems often do not, and on Linux they are rejected by their type unless a
//!   person vouches for them ([`Disk::on_any_file_system`]).
//! - **Systems differ in what they report.** On Windows a state cannot be replaced while it is
//!   open, and a copy is recognised by its creation time alone; access control lists are not
//!   checked. On Unix other than Linux, a fork is recognised by the process number alone, and
//!   network file systems are accepted.
//! - **SP 800-208 requires a hardware module** that generates the key and never exports it. No
//!   software signer conforms to it, including this one; verification does.
//!
//! # Backups
//! Back up the secret key, once: it does not change. **Never restore its state.** If the state is
//! lost, restore the key alone, determine the highest index of all signatures that were ever made
//! (`check` of the key returns the index of each), and resume after it with
//! [`FileOptions::recover`] and a good margin. If that index is unknown, generate a new key; that
//! is the purpose of a second root in a firmware. Better than a backup is a second store from the
//! beginning: [`create`](FileOptions::create) divides one key's indices among several stores in
//! ranges that do not overlap, one of them for a spare in a safe.
//!
//! # Fleets
//! Machines that sign with one key have their own ranges or lease from one database. A lease is a
//! whole bottom tree of a hierarchy (or a range, if there is only one tree): each machine computes
//! the upper signatures itself, with the same result, since all is derived from the key. A lease is
//! used up when it is taken. None is returned and none expires: a clock that jumps changes nothing,
//! and a machine that disappears costs its lease. Choose the key accordingly.
//!
//! A database that was restored issues indices that it has issued before, and so does a standby
//! that lacks the last commits. The validity of the database is therefore checked in the
//! transaction of each lease, and any failure stops the signer until a person says where to
//! continue ([`SharedOptions::recover`]), which begins an epoch that all machines notice.
//!
//! - PostgreSQL: a standby is promoted, or the server is recovered to a point in time. The timeline
//!   differs from the one in the row: **every machine** notices, new ones too.
//! - PostgreSQL: tables or rows are restored from a dump, replicated logically, or changed by hand.
//!   A row names the transaction that wrote it: **every machine** notices.
//! - etcd: the entry is put back or changed by hand, or the cluster is recreated from a snapshot
//!   after more than one election. The entry counts its writes, as etcd does, and names its raft
//!   term: **every machine** notices.
//! - Another cluster answers, with an identifier of its own: every machine that has a mark notices.
//! - A base backup, a disk or a snapshot is restored, on the same timeline, in no lower term: **a
//!   machine that has leased since** notices, because the database and the machine's mark both
//!   count its leases; one that has only read notices while the log is shorter than it was.
//! - The same, but no machine that runs has read the database since the copy was made: **nobody**
//!   notices.
//! - The old primary still runs, and some machines still reach it: **nobody** notices. Make sure
//!   that they cannot.
//! - Somebody writes the row as a signer would, transaction number included: **nobody** notices.
//!
//! So, **after any restore or failover stop all signers, make sure that no other server still acts
//! as the database, and call `recover` before one of them signs.** Anyone who may write to the
//! database, or become its administrator, can have any index signed twice, and is trusted as much
//! as the key. A machine that has lost its mark must not [`join`](SharedOptions::join) again, which
//! is for new machines only. A mark that is an old copy, or that two machines have, is detected by
//! the count of leases.
//!
//! A commit is only as durable as the server's settings. A PostgreSQL server is rejected
//! ([`StoreError::NotDurable`]) if it is a replica, runs with `fsync`, `full_page_writes` or
//! `synchronous_commit` off, confirms what its standbys have not synced (`local`, `remote_write`),
//! or has standbys and does not wait for any. `accept_asynchronous` of its options lifts the last
//! two conditions; the promotion of a standby that lags behind then loses leases, but still stops
//! every signer. No client can see which standbys exist but are not connected, which of them will
//! be promoted, or whether etcd runs with `--unsafe-no-fsync`.
//!
//! # The file
//! The file has two slots of 4096 bytes, written alternately, each with `fdatasync`; nothing is
//! allocated and no name is changed after creation, except by `recover`, which puts a new file in
//! the place of the old one. Beside it is an empty file whose name ends with `.lock`. A record has
//! the key's digest, the instance and its own number, the next index, the end, the longest step
//! that may follow it, the children of upper keys, a digest of the machine and the file, and the
//! name of the anchor; SHA-256 covers the slot. States of the first layout, which lacked machine,
//! file and anchor name, are read, and rewritten when opened. The secret key is *not* in it: it has
//! a file of its own, which may be backed up, while this one may not.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod anchor;
mod children;
mod disk;
mod error;
#[cfg(feature = "etcd")]
mod etcd;
mod file;
mod growing;
mod journal;
mod key_id;
mod lease;
mod medium;
#[cfg(feature = "hazmat")]
mod memory;
mod owner;
#[cfg(any(feature = "postgres", feature = "etcd"))]
mod password;
#[cfg(feature = "postgres")]
mod postgres;
mod record;
mod shared;
mod signer;
mod store;
#[cfg(any(feature = "postgres", feature = "etcd"))]
mod tls;
#[cfg(feature = "postgres")]
mod worker;

pub use anchor::{Anchor, FileAnchor, Mark};
pub use children::{CHILD_LEN, Child, MOST_CHILDREN};
pub use disk::Disk;
pub use error::StoreError;
#[cfg(feature = "etcd")]
pub use etcd::{Etcd, EtcdOptions};
pub use file::{FileOptions, FileStore};
pub use key_id::KeyId;
pub use lease::Lease;
pub use medium::{Medium, SLOT_LEN, STATE_LEN};
#[cfg(feature = "hazmat")]
pub use memory::MemoryStore;
#[cfg(any(feature = "postgres", feature = "etcd"))]
pub use password::Password;
#[cfg(feature = "postgres")]
pub use postgres::{Postgres, PostgresOptions};
pub use shared::{Account, Change, Ledger, Machine, SharedOptions, SharedStore};
pub use signer::{Reservation, SignError, Signer};
pub use store::{Remaining, Status, Store};
#[cfg(any(feature = "postgres", feature = "etcd"))]
pub use tls::Tls;
