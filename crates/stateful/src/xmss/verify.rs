//! Verification: RFC 8391, Algorithms 14 and 17.
use oaklath_params::stateful::Hash;
use oaklath_params::stateful::xmss::XmssInfo;
use oaklath_tree::path::{Walk, climb};
use oaklath_tree::wots::{self, ChainJob, ChainMemory, Signed};
use oaklath_tree::{MAX_NODE, Node, Slot};

use crate::digest::digest;
use crate::error::Error;
use crate::xmss::address::{Function, prefix_len};
use crate::xmss::derivation::Derivation;
use crate::xmss::functions::{XmssHash, XmssSeeds};

/// The digest of a message, of which as many bytes count as a node has: RFC 8391, Algorithm 12.
pub(super) fn message_digest(
    info: &XmssInfo,
    (r, root): (&[u8], &[u8]),
    index: u64,
    message: &[u8],
) -> Node {
    let n = info.n;
    let (mut prefix, mut number, mut node) = ([0; 64], [0; 64], [0; MAX_NODE]);
    prefix[prefix_len(n) - 1] = Function::Message as u8;
    number[n - 8..n].copy_from_slice(&index.to_be_bytes());
    let parts = [&prefix[..prefix_len(n)], r, root, &number[..n], message];
    digest(info.hash, &parts, &mut node[..n]);
    node
}

/// The index at the beginning of a signature of the right length, and the rest.
///
/// # Errors
/// [`Error::Invalid`] if the length is another, or the index beyond the end of the key.
fn split_index<'a>(info: &XmssInfo, signature: &'a [u8]) -> Result<(u64, &'a [u8]), Error> {
    if signature.len() != info.signature {
        return Err(Error::Invalid);
    }
    let (bytes, rest) = signature.split_at(info.index());
    let index = bytes.iter().fold(0, |index, byte| index << 8 | u64::from(*byte));
    if index >= info.signatures() { Err(Error::Invalid) } else { Ok((index, rest)) }
}

/// Verifies a signature by a key of this root and SEED, and returns its index. The roots of all
/// layers except the top one go to `roots`, from the bottom up.
///
/// # Errors
/// [`Error::Invalid`].
pub(super) fn verify(
    info: &XmssInfo,
    key: &[u8],
    message: &[u8],
    signature: &[u8],
    roots: &mut dyn FnMut(&[u8]),
) -> Result<u64, Error> {
    let (n, height) = (info.n, info.tree_height() as u32);
    let (root, public) = key.split_at(n);
    let (index, rest) = split_index(info, signature)?;
    let (r, signature) = rest.split_at(n);
    let seeds = XmssSeeds { public, secret: None, derivation: Derivation::default() };
    let h = XmssHash::new(info.hash, seeds);
    let node = message_digest(info, (r, root), index, message);
    let leaf = (index & ((1 << height) - 1)) as u32;
    let mut slot = Slot { layer: 0, tree: index >> height, leaf };
    let mut signed = Signed { node, signature };
    for layer in 1..=info.d {
        let node = leaf_of(&h, info.hash, slot, signed);
        let (path, above) = signed.signature[n * info.len..].split_at(n * height as usize);
        let mut walk = [Walk { slot, index: slot.leaf, node, path }];
        climb(&h, &mut walk, height);
        (slot, signed) = (slot.above(height), Signed { node: walk[0].node, signature: above });
        if layer < info.d {
            roots(&signed.node[..n]);
        }
    }
    if signed.node[..n] == *root { Ok(index) } else { Err(Error::Invalid) }
}

/// The leaf that a signature leads to: out of line, so that on the way up its memory is free again.
/// With SHA-256, three times as many chains as lanes are advanced at a time, with SHAKE256 twice the
/// lanes of AVX2.
fn leaf_of(h: &XmssHash<'_>, hash: Hash, slot: Slot, signed: Signed<'_>) -> Node {
    match hash {
        Hash::Sha256 => leaf_in::<24, 25>(h, slot, signed),
        Hash::Shake256 => leaf_in::<8, 9>(h, slot, signed),
        // One lane, and perhaps nodes of 64 bytes.
        _ => leaf_in::<1, 4>(h, slot, signed),
    }
}

#[inline(never)]
fn leaf_in<const JOBS: usize, const VALUES: usize>(
    h: &XmssHash<'_>,
    slot: Slot,
    signed: Signed<'_>,
) -> Node {
    let (mut jobs, mut values) = ([ChainJob::NONE; JOBS], [[0; 32]; VALUES]);
    let values = values.as_flattened_mut();
    // With nodes of 64 bytes there is one lane.
    let count = if h.n() > 32 { 1 } else { JOBS };
    let mut signed = [signed];
    wots::leaves(h, &[slot], &mut signed, &mut ChainMemory { jobs: &mut jobs[..count], values });
    signed[0].node
}
