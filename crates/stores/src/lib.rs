//! Stores of one-time indices.

mod anchor;
mod error;
mod file;
mod journal;
mod key_id;
mod lease;
mod medium;
mod memory;
mod owner;
mod record;
mod signer;
mod store;

pub use anchor::{Anchor, FileAnchor, Mark};
pub use error::StoreError;
pub use file::{FileOptions, FileStore};
pub use key_id::KeyId;
pub use lease::Lease;
pub use medium::{Disk, Medium, SLOT_LEN, STATE_LEN};
pub use memory::MemoryStore;
pub use signer::{SignError, Signer};
pub use store::{Child, MOST_CHILDREN, Remaining, Status, Store};
