//! Verification: RFC 8391, Algorithms 14 and 17.
use oaklath_params::stateful::Hash;
use oaklath_params::stateful::xmss::XmssInfo;
use oaklath_tree::path::{Walk, climb};
use oaklath_tree::wots::{self, ChainJob, ChainMemory, Signed};
use oaklath_tree::{MAX_NODE, Node, Slot};

use crate::digest::digest_message;
use crate::error::Error;
use crate::message::Message;
use crate::xmss::address::{Function, prefix_len};
use crate::xmss::derivation::Derivation;
use crate::xmss::functions::{XmssHash, XmssSeeds};

/// The digest of a message, of which as many bytes count as a node has: RFC 8391, Algorithm 12. Out
/// of line: verification is to take little stack.
#[inline(never)]
pub(super) fn message_digest(
    info: &XmssInfo,
    (r, root): (&[u8], &[u8]),
    index: u64,
    message: Message<'_>,
) -> Node {
    let n = info.n;
    let (mut prefix, mut number, mut node) = ([0; 64], [0; 64], [0; MAX_NODE]);
    prefix[prefix_len(n) - 1] = Function::Message as u8;
    number[n - 8..n].copy_from_slice(&index.to_be_bytes());
    let parts = [&prefix[..prefix_len(n)], r, root, &number[..n]];
    digest_message(info.hash, &parts, message, &mut node[..n]);
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
    message: Message<'_>,
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
        climb_chains(&h, info.hash, slot, &mut signed);
        signed.signature = &signed.signature[n * info.len..];
        climb_tree(&h, slot, height, &mut signed);
        slot = slot.above(height);
        if layer < info.d {
            roots(&signed.node[..n]);
        }
    }
    if signed.node[..n] == *root { Ok(index) } else { Err(Error::Invalid) }
}

/// Replaces what is signed by the leaf that its signature leads to. With SHA-256, three times as
/// many chains as lanes are advanced at a time, with SHAKE256 twice the lanes of AVX2.
fn climb_chains(h: &XmssHash<'_>, hash: Hash, slot: Slot, signed: &mut Signed<'_>) {
    match hash {
        Hash::Sha256 => climb_chains_in::<24, 25>(h, slot, signed),
        Hash::Shake256 => climb_chains_in::<8, 9>(h, slot, signed),
        // One lane, and perhaps nodes of 64 bytes.
        _ => climb_chains_in::<1, 4>(h, slot, signed),
    }
}

/// Out of line, as the way up the tree: the stack has the memory of one of them at a time.
#[inline(never)]
fn climb_chains_in<const JOBS: usize, const VALUES: usize>(
    h: &XmssHash<'_>,
    slot: Slot,
    signed: &mut Signed<'_>,
) {
    let mut jobs = [ChainJob::NONE; JOBS];
    let mut values = [[0; 32]; VALUES];
    // With nodes of 64 bytes there is one lane.
    let count = if h.n() > 32 { 1 } else { JOBS };
    let mut memory = ChainMemory { jobs: &mut jobs[..count], values: values.as_flattened_mut() };
    wots::leaves(h, &[slot], core::slice::from_mut(signed), &mut memory);
}

/// Replaces a leaf by the root that the path at the beginning of what is left of the signature
/// leads to, and takes the path off.
#[inline(never)]
fn climb_tree(h: &XmssHash<'_>, slot: Slot, height: u32, signed: &mut Signed<'_>) {
    let (path, above) = signed.signature.split_at(h.n() * height as usize);
    let mut walk = [Walk { slot, index: slot.leaf, node: signed.node, path }];
    climb(h, &mut walk, height);
    *signed = Signed { node: walk[0].node, signature: above };
}
