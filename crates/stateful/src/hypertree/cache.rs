//! The encoding of nodes: those of a top tree, which let a loaded key sign at once, and those of an
//! incomplete tree, whose computation continues later. Neither depends on indices.
use alloc::vec::Vec;

use oaklath_hash::sha2::{HmacSha256, Sha256};
use oaklath_simd::ct::differ;
use zeroize::Zeroizing;

use crate::error::Error;

/// The first bytes of the encodings.
const NODES: &[u8; 16] = b"oaklath nodes 1\n";
const GROWTH: &[u8; 16] = b"oaklath growth1\n";

const TAG: usize = 32;

/// Encodes nodes at a height of a public key's tree. Their check is the root to which they lead.
pub(crate) fn write_nodes(public: &[u8], cut: u32, nodes: &[u8]) -> Vec<u8> {
    [&NODES[..], public, &cut.to_be_bytes(), nodes].concat()
}

/// Returns the length of the bytes of [`write_nodes`] for `nodes` bytes of nodes.
pub(crate) fn nodes_len(public: &[u8], nodes: usize) -> usize {
    NODES.len() + public.len() + 4 + nodes
}

/// Decodes the bytes of [`write_nodes`]. Fails with
/// [`Error::CacheForeign`] if they belong to another public key.
pub(crate) fn read_nodes<'a>(public: &[u8], bytes: &'a [u8]) -> Result<(u32, &'a [u8]), Error> {
    read(NODES, public, bytes).ok_or(Error::CacheForeign)
}

fn read<'a>(begin: &[u8; 16], owner: &[u8], bytes: &'a [u8]) -> Option<(u32, &'a [u8])> {
    let rest = bytes.strip_prefix(&begin[..])?.strip_prefix(owner)?;
    let (cut, nodes) = rest.split_first_chunk()?;
    Some((u32::from_be_bytes(*cut), nodes))
}

/// Encodes nodes of an incomplete tree, with a MAC keyed by the secret of the tree: nothing else
/// would show whether they are correct.
pub(crate) fn write_growth(secret: &[u8], cut: u32, nodes: &[u8]) -> Vec<u8> {
    let mut bytes = [&GROWTH[..], &cut.to_be_bytes(), nodes].concat();
    bytes.extend_from_slice(&seal(secret, &bytes));
    bytes
}

/// Decodes the bytes of [`write_growth`]. Fails with
/// [`Error::CacheForeign`] if they belong to another key, or were changed.
pub(crate) fn read_growth<'a>(secret: &[u8], bytes: &'a [u8]) -> Result<(u32, &'a [u8]), Error> {
    let (bytes, tag) = bytes.split_last_chunk::<TAG>().ok_or(Error::CacheForeign)?;
    if differ(&seal(secret, bytes), tag).declassify() {
        return Err(Error::CacheForeign);
    }
    read(GROWTH, &[], bytes).ok_or(Error::CacheForeign)
}

fn seal(secret: &[u8], bytes: &[u8]) -> [u8; TAG] {
    let key = Zeroizing::new(Sha256::new().chain(GROWTH).chain(secret).finish());
    let mut mac = HmacSha256::new(&*key);
    mac.absorb(bytes);
    mac.finish()
}
