//! Stores of one-time indices, and the signer: stateful hash-based signatures (LMS and HSS, XMSS
//! and XMSS^MT) whose one-time keys sign once, whatever fails.
//!
//! A one-time key that signs two messages is broken: anybody can forge. So the number of the next
//! one, the *index*, must never go back: not after a crash, not after a failed write, not on a
//! second machine. RFC 8554, section 9, and SP 800-208, section 8, ask for it; this crate is how.
//!
//! | type | is |
//! |---|---|
//! | [`Signer`] | a key with its store: reserves, signs, verifies, releases |
//! | [`Signer::grow_in_background`] | trees that grow while nobody waits for a signature |
//! | [`Store`], [`Lease`] | a durable memory of what is used up; a range that it gave |
//! | [`FileStore`] | in a file, for one process at a time |
//! | [`FileAnchor`] | a second memory, which notices an old copy of the first |
//! | [`SharedStore`], [`Ledger`] | leases from a database, for many machines: PostgreSQL, etcd |
//! | `MemoryStore` | forgets: for tests, behind the feature `hazmat` |
//! | [`Disk`] | a file system, and what a file must be like before it is written |
//! | [`Medium`] | what a file system does, to be replaced where failures are injected |
//!
//! ```
//! use oaklath_params::stateful::lms;
//! use oaklath_stateful::{HssLevels, HssSigningKey, NODE_BYTES, StatefulKey};
//! use oaklath_stores::{FileStore, KeyId, Signer};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = std::env::temp_dir().join(format!("oaklath-stores-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! # let state = folder.join("firmware.state");
//! // Once: a key, and its state. The seed comes from a random generator.
//! let levels = HssLevels::from(&lms::L3_H5_W4);
//! let key = HssSigningKey::generate(&levels, &[7; 48], NODE_BYTES)?;
//! let id = KeyId::of_key(&key);
//! FileStore::at(&state).create(id, 0..key.signatures())?;
//!
//! // Later, in one process at a time: the key is read back from where it is kept, its store is
//! // opened. The record is durable before the signature is computed.
//! let bytes = key.to_bytes();
//! let key = HssSigningKey::from_bytes(&bytes, NODE_BYTES)?;
//! let store = FileStore::at(&state).open(id)?;
//! let mut signer = Signer::new(Box::new(key), Box::new(store))?;
//! let signature = signer.sign(b"firmware 1.0")?;
//! assert_eq!(signer.remaining()?.indices, 32 * 32 * 32 - 1);
//! # assert!(signer.key().check(b"firmware 1.0", &signature).is_ok());
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok(())
//! # }
//! ```
//!
//! # What is promised
//! 1. For each one-time key at most one signature leaves any process on any machine that shares the
//!    store. A record that covers it is durable before the first hash of the signature is computed.
//! 2. Any failure to write, to sync or to hear an answer stops the handle. Nothing is tried again:
//!    after a failed sync nobody knows what is durable. Opening the store anew finds out.
//! 3. A crash costs the indices that were reserved and not used: [`FileOptions::largest`] at most,
//!    1 unless more is asked for; as many again if the crash tore a record.
//! 4. A second process is told [`StoreError::Busy`] at once. A child by `fork` is rejected, on
//!    Linux also where it has the number of its parent. A lock that keeps nobody out is noticed.
//! 5. A state that is missing or damaged is rejected; it never begins again at 0. One damaged slot
//!    of the two is survived, behind everything that it may have covered.
//! 6. Before each write the file must be the one that was opened, under its one name, with the
//!    bytes that this handle left; otherwise the handle stops: [`StoreError::Replaced`].
//! 7. A state that was last written on another machine or in another file is rejected
//!    ([`StoreError::Copied`]) until a person vouches for it: [`FileOptions::adopted`].
//! 8. In a hierarchy the one-time keys of upper levels sign one child each, ever: the child follows
//!    from the key alone, and is computed twice. The store keeps a digest of the newest ones that
//!    they signed, the signer compares before a signature leaves, and what another store
//!    [reserves](Signer::reserve) takes them along. A [`Ledger`] has those of all machines.
//! 9. A signature is verified before it is released, so that a fault in memory or CPU is not
//!    published (unless [`Signer::without_verification`] was asked for).
//!
//! The limits of all this are stated in the next section, and those of a database under *Fleets*.
//! They hold for signers: a caller of `sign_at` of a key with an index of its own making, which
//! takes the feature `hazmat`, has left the store. By default there is an anchor where a program
//! asks for one, as `oaklath hbs` does ([`FileOptions::anchors_in`]):
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
//! on its disk signs on. *Fleets* says what is noticed of a database that goes
//! back itself. Anyone with write access to the state, the anchor or the database can cause an
//! index to be issued twice and is trusted like the key's owner.
//!
//! # What software cannot promise
//! - **An old copy looks like the state.** After a restored file, disk, virtual machine or snapshot
//!   it is an earlier time, and a file alone cannot notice. An [anchor](FileOptions::anchor) on
//!   another medium notices if it was not restored with it. Nothing notices if everything was.
//! - **A copy from before the first anchor has none.** Where a state began without an anchor and
//!   got one later, such a copy is opened without, and only [`FileOptions::anchor`] in each open
//!   rejects it.
//! - **A copied machine is two signers.** A copy is known by the machine's name for itself
//!   (`/etc/machine-id` and similar; a container may have none) and by the file's number and birth;
//!   an image of a disk has them all. With one anchor between them the second is rejected; with a
//!   copy of that, too, it is not. A copy that leases from the same database gets other indices,
//!   but if the machine was copied while it ran, both sign the rest of the lease that it held: stop
//!   the signer first.
//! - **Hardware may lie.** Where a disk confirms a sync and keeps it in memory, a power cut may
//!   lose a record. The file system must honour `fdatasync` and keep locks: local ones do, network
//!   file systems often do not, and on Linux they are rejected by their type unless a person knows
//!   better ([`Disk::on_any_file_system`]).
//! - **Not every system tells as much.** On Windows a state cannot be replaced while it is open,
//!   and a copy is known by its birth alone; access lists are not looked at. On Unix other than
//!   Linux a fork is known by the number of the process alone, and a file system of the network is
//!   taken.
//! - **SP 800-208 asks for a hardware module** that makes the key and never lets it out. No signer
//!   in software conforms to it, this one included; verification does.
//!
//! # Backups
//! Back up the secret key, once: it does not change. **Never restore its state.** If the state is
//! lost, restore the key alone, take the highest index of all signatures that were ever made
//! (`check` of the key tells each one's), and resume after it by [`FileOptions::recover`] with a
//! good margin. Who cannot name that index makes a new key; that is what the second root in a
//! firmware is for. Better than a backup is a second store from the beginning:
//! [`create`](FileOptions::create) gives one key's indices to several stores in ranges that do not
//! overlap, and a spare in a safe has its own.
//!
//! # Fleets
//! Machines that sign with one key have ranges of their own, or lease from one database. A lease is
//! a whole bottom tree of a hierarchy (or a range, where there is one tree): each machine computes
//! the upper signatures by itself and gets the same bytes, since all is derived from the key.
//! Leases are used up when they are taken. None is returned and none expires: a clock that jumps
//! changes nothing, and a machine that disappears costs its lease. Choose the key accordingly.
//!
//! A database that was restored gives what it has given before, and so does a standby that lacks
//! the last commits. What a lease rests on is therefore checked in the transaction that takes it,
//! and whatever fails stops the signer until a person says where to go on
//! ([`SharedOptions::recover`]), which begins an epoch that all other machines meet.
//!
//! - PostgreSQL: a standby is promoted, or the server is recovered to a point in time. The timeline
//!   is another than the row says: **every machine** notices, new ones too.
//! - PostgreSQL: tables or rows are restored from a dump, replicated logically, or changed by hand.
//!   A row names the transaction that wrote it: **every machine** notices.
//! - etcd: the entry is put back or changed by hand, or the cluster is made anew from a snapshot
//!   after more than one election. The entry counts its writes, as etcd does, and names its raft
//!   term: **every machine** notices.
//! - Another cluster, by its own identifier: every machine that has a mark notices.
//! - A base backup, a disk or a snapshot is put back, on the same timeline, in a term no lower:
//!   **a machine that has leased since** notices, because the database and the machine's mark both
//!   count its leases; so does one that has only looked, while the log is shorter than it was.
//! - The same, and a machine that has seen nothing of the database since the copy was made:
//!   **nobody** notices.
//! - The old primary still runs, and some machines still reach it: **nobody** notices. See to it
//!   that they cannot.
//! - Somebody writes the row as a signer would, with its transaction: **nobody** notices.
//!
//! So, **after any restore or fail-over stop all signers, make sure that no other server still
//! acts as the database, and call `recover` before one of them signs.** Anyone who may write
//! to the database, or become its administrator, can have any index signed twice, and is trusted as
//! much as the key. A machine that has lost its mark must not [`join`](SharedOptions::join) again,
//! which is for new ones only. A mark that is an old copy, or that two machines have, is noticed by
//! the count of leases.
//!
//! A commit is worth what the server promises. A PostgreSQL server is rejected
//! ([`StoreError::NotDurable`]) that is a replica, runs with `fsync`, `full_page_writes` or
//! `synchronous_commit` off, confirms what its standbys have not synced (`local`,
//! `remote_write`) or has standbys and does not wait for any. `accept_asynchronous` of its options
//! lifts the last two; the promotion of a standby that lags behind then loses leases, and still
//! stops every signer. No client can see which standbys there are that are not connected, which of
//! them will be promoted, or whether etcd runs with `--unsafe-no-fsync`.
//!
//! # The file
//! Two slots of 4096 bytes, written in turn, each with `fdatasync`; nothing is allocated and no
//! name is changed after creation, except by `recover`, which puts a new file in the place of the
//! old one. Beside it is an empty file with `.lock` at its end. A record has the key's digest, the
//! instance and its own number, the next index, the end, the longest step that may follow it, the
//! children of upper keys, a digest of the machine and the file, the name of the anchor, and
//! SHA-256 over the slot. States of the first layout, which had neither, are read, and
//! rewritten when they are opened. The secret key is *not* in it: that is a file
//! of its own, which may be backed up, while this one may not.
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
