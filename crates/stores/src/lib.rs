//! Stores of one-time indices.

mod anchor;
mod error;
#[cfg(feature = "etcd")]
mod etcd;
mod file;
mod journal;
mod key_id;
mod lease;
mod medium;
mod memory;
mod owner;
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
pub use error::StoreError;
#[cfg(feature = "etcd")]
pub use etcd::Etcd;
pub use file::{FileOptions, FileStore};
pub use key_id::KeyId;
pub use lease::Lease;
pub use medium::{Disk, Medium, SLOT_LEN, STATE_LEN};
pub use memory::MemoryStore;
#[cfg(feature = "postgres")]
pub use postgres::Postgres;
pub use shared::{Account, Ledger, SharedOptions, SharedStore, Taken};
pub use signer::{SignError, Signer};
pub use store::{Child, MOST_CHILDREN, Remaining, Status, Store};
#[cfg(any(feature = "postgres", feature = "etcd"))]
pub use tls::Tls;
