//! Speeds of hash-based signatures that others published, to compare with ours.

pub use oaklath_lab::published::HashBased as Published;
use oaklath_lab::published::hash_based;

/// All of them, in the order of the tables.
///
/// # Panics
/// If the file is damaged, which its test says first.
pub fn published() -> impl Iterator<Item = Published> {
    hash_based().expect("a file of this workspace").into_iter()
}
