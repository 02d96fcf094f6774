//! Digests of the lower trees' public keys that the upper levels of a hierarchy signed.

use std::cmp::Reverse;

use oaklath_hash::sha2::sha256;
use oaklath_stateful::{Error, StatefulKey};

use crate::error::StoreError;

/// The digest of a public key that a one-time key of an upper level of a hierarchy signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Child {
    /// The level of the tree with this key, 0 at the bottom; its signer is one level higher.
    pub level: u32,
    /// The number of the tree within its level.
    pub tree: u64,
    /// SHA-256 of the tree's public key.
    pub digest: [u8; 32],
}

impl Child {
    /// Encodes level, tree and digest, with numbers in big-endian order.
    pub(crate) fn to_bytes(self) -> [u8; CHILD_LEN] {
        let mut bytes = [0; CHILD_LEN];
        bytes[..4].copy_from_slice(&self.level.to_be_bytes());
        bytes[4..12].copy_from_slice(&self.tree.to_be_bytes());
        bytes[12..].copy_from_slice(&self.digest);
        bytes
    }

    pub(crate) fn from_bytes(bytes: [u8; CHILD_LEN]) -> Self {
        let (numbers, digest) = bytes.split_at(12);
        let (level, tree) = numbers.split_at(4);
        let number = |bytes: &[u8]| bytes.iter().fold(0, |n, byte| n << 8 | u64::from(*byte));
        let digest = *digest.first_chunk().expect("32 bytes");
        Self { level: number(level) as u32, tree: number(tree), digest }
    }
}

/// The maximum number of [`Child`]ren in a list: the newest trees of each level below the top.
/// XMSS^MT has up to 12 layers, HSS up to 8.
pub const MOST_CHILDREN: usize = KEPT * 11;

/// The length of a [`Child`] in bytes.
pub const CHILD_LEN: usize = 4 + 8 + 32;

/// The number of trees remembered per level. Machines of a fleet sign in neighbouring trees.
const KEPT: usize = 4;

/// Merges `seen` into the `known` children and keeps those with the highest numbers of each level,
/// in order. Returns `None` if nothing changes.
///
/// # Errors
/// [`StoreError::ChildChanged`] if a tree has two digests.
pub(crate) fn merged(known: &[Child], seen: &[Child]) -> Result<Option<Vec<Child>>, StoreError> {
    let mut merged = known.to_vec();
    for child in seen {
        match merged.iter().find(|other| (other.level, other.tree) == (child.level, child.tree)) {
            None => merged.push(*child),
            Some(other) if other.digest == child.digest => {}
            Some(_) => return Err(StoreError::ChildChanged { level: child.level + 1 }),
        }
    }
    merged.sort_by_key(|child| (child.level, Reverse(child.tree)));
    let of_level = |levels: &[Child]| levels[..levels.len().min(KEPT)].to_vec();
    let levels = merged.chunk_by(|child, next| child.level == next.level);
    let merged: Vec<_> = levels.flat_map(of_level).collect();
    if merged.len() > MOST_CHILDREN {
        return Err(StoreError::Corrupt("a hierarchy has too many levels"));
    }
    Ok((merged != known).then_some(merged))
}

/// Encodes the children as [`CHILD_LEN`] bytes each.
pub(crate) fn to_bytes(children: &[Child]) -> Vec<u8> {
    children.iter().flat_map(|child| child.to_bytes()).collect()
}

/// # Errors
/// [`StoreError::Corrupt`] if the bytes do not encode a list of children.
pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Vec<Child>, StoreError> {
    let (children, rest) = bytes.as_chunks::<CHILD_LEN>();
    if !rest.is_empty() || children.len() > MOST_CHILDREN {
        return Err(StoreError::Corrupt("the list of children is malformed"));
    }
    Ok(children.iter().copied().map(Child::from_bytes).collect())
}

/// Returns the keys that upper levels sign on the path to an index, by level and tree; `None` if
/// `subtree_keys` does not have the length that the layers require.
pub(crate) fn split(
    key: &dyn StatefulKey,
    index: u64,
    mut subtree_keys: &[u8],
) -> Option<Vec<Child>> {
    let layers = key.layers();
    let mut children = Vec::with_capacity(layers.len());
    for (at, layer) in layers.iter().enumerate() {
        let (public_key, rest) = subtree_keys.split_at_checked(layer.public_key)?;
        subtree_keys = rest;
        let level = (layers.len() - 1 - at) as u32;
        let tree = index / layer.signatures;
        children.push(Child { level, tree, digest: sha256(public_key) });
    }
    subtree_keys.is_empty().then_some(children)
}

/// Returns the children on the path to `index` whose trees also contain the index before it: those
/// that two stores share if one range ends where the other begins.
///
/// # Errors
/// Fails as [`StatefulKey::subtree_keys`] does.
pub(crate) fn across(key: &mut dyn StatefulKey, index: u64) -> Result<Vec<Child>, Error> {
    let layers = key.layers();
    let is_shared = |signatures: u64| !index.is_multiple_of(signatures);
    if index >= key.signatures() || !layers.iter().any(|layer| is_shared(layer.signatures)) {
        return Ok(Vec::new());
    }
    let keys = key.subtree_keys(index)?;
    let mut children = split(key, index, &keys).ok_or(Error::SecretKeyInconsistent)?;
    let top = layers.len() - 1;
    children.retain(|child| is_shared(layers[top - child.level as usize].signatures));
    Ok(children)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn child(level: u32, tree: u64, digest: u8) -> Child {
        Child { level, tree, digest: [digest; 32] }
    }

    #[test]
    fn the_newest_trees_of_each_level_are_kept_and_compared() {
        let mut known = Vec::new();
        for tree in [3, 9, 5, 4, 6, 2] {
            let seen = [child(0, tree, tree as u8), child(1, 0, 7)];
            known = merged(&known, &seen).unwrap().unwrap_or(known);
        }
        let trees: Vec<_> = known.iter().map(|child| (child.level, child.tree)).collect();
        assert_eq!(trees, [(0, 9), (0, 6), (0, 5), (0, 4), (1, 0)]);
        assert_eq!(merged(&known, &[child(0, 5, 5)]).unwrap(), None);
        let changed = merged(&known, &[child(0, 5, 6)]);
        assert!(matches!(changed, Err(StoreError::ChildChanged { level: 1 })));
        assert_eq!(from_bytes(&to_bytes(&known)).unwrap(), known);
        assert!(from_bytes(&to_bytes(&known)[1..]).is_err());
    }
}
