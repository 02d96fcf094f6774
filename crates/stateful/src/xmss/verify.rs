//! Verification: RFC 8391, Algorithms 14 and 17.
use oaklath_params::stateful::Hash;
use oaklath_params::stateful::xmss::XmssInfo;
use oaklath_tree::path::{Walk, climb};
use oaklath_tree::wots::{self, ChainJob, ChainMemory, Signed};
use oaklath_tree::{MAX_NODE, Node, Slot, hypertree};

use crate::digest::digest_message;
use crate::error::Error;
use crate::message::Message;
use crate::xmss::address::{Function, prefix_len};
use crate::xmss::derivation::Derivation;
use crate::xmss::functions::{BATCH, MOST_LANES, XmssHash, XmssSeeds};

/// Computes the digest of a message, as long as a node and followed by zeros: RFC 8391, Algorithm
/// 12. Out of line, since verification must use little stack.
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

/// Splits the index off the beginning of a signature.
///
/// # Errors
/// [`Error::Invalid`] if the length is wrong, or the index is beyond the end of the key.
fn split_index<'a>(info: &XmssInfo, signature: &'a [u8]) -> Result<(u64, &'a [u8]), Error> {
    if signature.len() != info.signature {
        return Err(Error::Invalid);
    }
    let (bytes, rest) = signature.split_at(info.index());
    let index = bytes.iter().fold(0, |index, byte| index << 8 | u64::from(*byte));
    if index >= info.signatures() { Err(Error::Invalid) } else { Ok((index, rest)) }
}

/// Where a signature of a message begins to climb, by its index: its leaf and what is signed there.
///
/// # Errors
/// [`Error::Invalid`].
fn begin<'a>(
    info: &XmssInfo,
    root: &[u8],
    message: Message<'_>,
    signature: &'a [u8],
) -> Result<(u64, Slot, Signed<'a>), Error> {
    let (index, rest) = split_index(info, signature)?;
    let (r, signature) = rest.split_at(info.n);
    let node = message_digest(info, (r, root), index, message);
    let leaf = (index & ((1 << info.tree_height()) - 1)) as u32;
    let slot = Slot { tree: index >> info.tree_height(), leaf, ..Slot::default() };
    Ok((index, slot, Signed { node, signature }))
}

/// The hash function of a key of this SEED.
fn hash_of<'a, const LANES: usize>(info: &XmssInfo, public: &'a [u8]) -> XmssHash<'a, LANES> {
    let seeds = XmssSeeds { public, secret: None, derivation: Derivation::default() };
    XmssHash::new(info.hash, seeds)
}

/// Verifies a signature with the root and SEED in `key`, and returns its index. Passes the roots of
/// all layers except the top one to `roots`, from the bottom up.
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
    let (root, public) = key.split_at(info.n);
    let (index, slot, signed) = begin(info, root, message, signature)?;
    let (h, mut slots, mut signed) = (hash_of::<MOST_LANES>(info, public), [slot], [signed]);
    for layer in 1..=info.d {
        // With SHA-256, three times as many chains as lanes are advanced at a time, with SHAKE256
        // twice the lanes of AVX2.
        match info.hash {
            Hash::Sha256 => climb_chains::<_, 24, 25>(&h, &slots, &mut signed),
            Hash::Shake256 => climb_chains::<_, 8, 9>(&h, &slots, &mut signed),
            // These have one lane, and perhaps nodes of 64 bytes.
            _ => climb_chains::<_, 1, 4>(&h, &slots, &mut signed),
        }
        climb_tree(&h, info, &mut slots[0], &mut signed[0]);
        if layer < info.d {
            roots(&signed[0].node[..info.n]);
        }
    }
    if signed[0].node[..info.n] == *root { Ok(index) } else { Err(Error::Invalid) }
}

/// Verifies signatures by a key of this root and SEED side by side, each with its result: a lane of
/// leaves and paths for each.
pub(super) fn verify_many<T>(
    info: &XmssInfo,
    key: &[u8],
    signed: &[(T, &[u8], &[u8])],
    results: &mut [Result<(), Error>],
) {
    let (root, public) = key.split_at(info.n);
    let h = hash_of::<BATCH>(info, public);
    let lanes = h.lane_count();
    for (items, results) in signed.chunks(lanes).zip(results.chunks_mut(lanes)) {
        let (mut slots, mut signed) = ([Slot::default(); BATCH], [Signed::NONE; BATCH]);
        let mut count = 0;
        for ((_, message, signature), result) in items.iter().zip(&mut *results) {
            *result = begin(info, root, (*message).into(), signature).map(|(_, slot, begun)| {
                (slots[count], signed[count]) = (slot, begun);
                count += 1;
            });
        }
        let (slots, signed) = (&mut slots[..count], &mut signed[..count]);
        if count > 0 {
            climb_layers(&h, info, slots, signed);
        }
        let begun = results.iter_mut().filter(|result| result.is_ok());
        for (result, signed) in begun.zip(signed) {
            if signed.node[..info.n] != *root {
                *result = Err(Error::Invalid);
            }
        }
    }
}

/// Replaces what signatures sign by the roots that they lead to.
#[inline(never)]
fn climb_layers(
    h: &XmssHash<'_, BATCH>,
    info: &XmssInfo,
    slots: &mut [Slot],
    signed: &mut [Signed<'_>],
) {
    let mut jobs = [ChainJob::NONE; 23 * BATCH];
    let mut values = [[0; 32]; 24 * BATCH];
    // With nodes of 64 bytes there is one lane.
    let count = if h.n() > 32 { 1 } else { jobs.len() };
    let mut memory = ChainMemory { jobs: &mut jobs[..count], values: values.as_flattened_mut() };
    hypertree::climb_all(h, slots, signed, (info.d as u32, info.tree_height() as u32), &mut memory);
}

/// Replaces what is signed by the leaf that the signature leads to. Out of line, as the way up the
/// tree: the stack has the memory of one of them at a time.
#[inline(never)]
fn climb_chains<const LANES: usize, const JOBS: usize, const VALUES: usize>(
    h: &XmssHash<'_, LANES>,
    slots: &[Slot],
    signed: &mut [Signed<'_>],
) {
    let mut jobs = [ChainJob::NONE; JOBS];
    let mut values = [[0; 32]; VALUES];
    // With nodes of 64 bytes there is one lane.
    let count = if h.n() > 32 { 1 } else { JOBS };
    let mut memory = ChainMemory { jobs: &mut jobs[..count], values: values.as_flattened_mut() };
    wots::leaves(h, slots, signed, &mut memory);
}

/// Replaces a leaf by the root that the path after the chains of the signature leads to, and goes
/// on to the layer above.
#[inline(never)]
fn climb_tree<const LANES: usize>(
    h: &XmssHash<'_, LANES>,
    info: &XmssInfo,
    slot: &mut Slot,
    signed: &mut Signed<'_>,
) {
    let height = info.tree_height();
    let (path, above) = signed.signature[info.n * info.len..].split_at(info.n * height);
    let mut walks = [Walk { slot: *slot, index: slot.leaf, node: signed.node, path }];
    climb(h, &mut walks, height as u32);
    *slot = slot.above(height as u32);
    *signed = Signed { node: walks[0].node, signature: above };
}
