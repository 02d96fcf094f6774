//! Verification: FIPS 205, Algorithm 20, for several signatures side by side.
use oaklath_tree::path::{Walk, climb};
use oaklath_tree::wots::{ChainMemory, Signed};
use oaklath_tree::{FewTimeHash, MAX_LANES, MAX_ROW, Node, NodeAddress, Slot, hypertree};

use crate::message::Formatted;
use crate::slh_dsa::digest::{DigestIndices, SplitDigest};
use crate::slh_dsa::hashes::{Fors, SlhHash, Xmss};
use crate::slh_dsa::params::{MAX_K, Params};
use crate::slh_dsa::sign::fors_pk;

/// A signature of a message by a key.
pub(super) struct SignedByKey<'a> {
    /// The number of PK.seed among those of the hash functions.
    pub(super) seed: u16,
    /// The key: PK.seed and PK.root.
    pub(super) pk: &'a [u8],
    pub(super) message: Formatted<'a>,
    pub(super) signature: &'a [u8],
}

/// `slh_verify_internal`, FIPS 205, Algorithm 20: writes whether signatures are valid. There are at
/// most as many as lanes.
///
/// # Panics
/// If a signature has the wrong length, or if there is no memory for a chain of each.
pub(super) fn verify_internal(
    h: &dyn SlhHash,
    (params, split): (&Params, SplitDigest),
    signatures: &[SignedByKey<'_>],
    memory: &mut ChainMemory<'_>,
    valid: &mut [bool],
) {
    let (mut slots, mut signed) = ([Slot::default(); MAX_LANES], [Signed::NONE; MAX_LANES]);
    let (slots, signed) = (&mut slots[..signatures.len()], &mut signed[..signatures.len()]);
    for ((slot, signed), by_key) in slots.iter_mut().zip(&mut *signed).zip(signatures) {
        let (pk_seed, pk_root) = by_key.pk.split_at(params.n);
        // 5-7: R, SIG_FORS, SIG_HT
        let (r, rest) = by_key.signature.split_at(params.n);
        let (sig_fors, sig_ht) = rest.split_at(params.fors_len());
        // 8-16: digest <- H_msg(R, PK.seed, PK.root, M); md, idx_tree, idx_leaf
        let mut indices = DigestIndices::new(params, split, |digest| {
            h.h_msg([r, pk_seed, pk_root], &by_key.message, digest);
        });
        indices.slot.seed = by_key.seed;
        // 17: PK_FORS <- fors_pkFromSig(SIG_FORS, md, PK.seed, ADRS)
        fors_pk_from_sig(h, params, &indices, sig_fors, &mut signed.node);
        (*slot, signed.signature) = (indices.slot, sig_ht);
    }
    // 18: ht_verify(PK_FORS, SIG_HT, PK.seed, idx_tree, idx_leaf, PK.root)
    hypertree::climb_all(&Xmss(h), slots, signed, (params.d, params.tree_height()), memory);
    for ((valid, signed), by_key) in valid.iter_mut().zip(&*signed).zip(signatures) {
        *valid = signed.node[..params.n] == by_key.pk[params.n..];
    }
}

/// `fors_pkFromSig`: FIPS 205, Algorithm 17.
fn fors_pk_from_sig(
    h: &dyn SlhHash,
    params: &Params,
    indices: &DigestIndices,
    sig_fors: &[u8],
    key: &mut Node,
) {
    let (n, mut walks) = (params.n, [Walk::NONE; MAX_K]);
    let walks = &mut walks[..params.k];
    let of_trees = sig_fors.chunks_exact((1 + params.a as usize) * n);
    for ((i, walk), of_tree) in walks.iter_mut().enumerate().zip(of_trees) {
        let (sk, auth) = of_tree.split_at(n);
        (walk.slot, walk.index, walk.path) = (indices.slot, indices.fors_leaf(i), auth);
        walk.node[..n].copy_from_slice(sk);
    }
    for walks in walks.chunks_mut(h.lanes()) {
        let (mut addresses, mut nodes) = ([NodeAddress::default(); MAX_LANES], [0; MAX_ROW]);
        let nodes = &mut nodes[..walks.len() * n];
        for ((address, walk), node) in addresses.iter_mut().zip(&*walks).zip(nodes.chunks_mut(n)) {
            *address = NodeAddress { slot: walk.slot, height: 0, index: walk.index };
            node.copy_from_slice(&walk.node[..n]);
        }
        Fors(h).leaves(&addresses[..walks.len()], nodes);
        for (walk, node) in walks.iter_mut().zip(nodes.chunks(n)) {
            walk.node[..n].copy_from_slice(node);
        }
    }
    climb(&Fors(h), walks, params.a);
    fors_pk(h, indices.slot, params.k, &|i| &walks[i].node, key);
}
