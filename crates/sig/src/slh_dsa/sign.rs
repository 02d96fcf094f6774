//! Key generation and signing: FIPS 205, Algorithms 9, 10, 12, 16, 18 and 19. All trees are
//! computed side by side, which is possible since all chain values of the signing keys are kept.
use alloc::vec;
use alloc::vec::Vec;

use oaklath_simd::ct;
use oaklath_tree::forest::{Tree, grow};
use oaklath_tree::{MAX_NODE, Node, OneTimeHash, Slot, fors, join, wots};
use zeroize::Zeroizing;

use crate::error::Error;
use crate::message::Formatted;
use crate::slh_dsa::digest::{DigestIndices, SplitDigest};
use crate::slh_dsa::hashes::{AdrsType, Fors, SlhHash, Xmss, adrs};
use crate::slh_dsa::params::{LG_W, Params};

/// The parts of a private key: FIPS 205, Figure 15.
#[derive(Clone, Copy)]
pub(super) struct SecretKey<'a> {
    pub(super) sk_seed: &'a [u8],
    pub(super) sk_prf: &'a [u8],
    pub(super) pk_seed: &'a [u8],
    pub(super) pk_root: &'a [u8],
}

/// Returns the first key of the tree in the top layer.
fn top_slot(params: &Params) -> Slot {
    Slot { layer: params.d as u16 - 1, ..Slot::default() }
}

/// Writes all leaves of the top tree.
pub(super) fn top_leaves(h: &dyn SlhHash, params: &Params, leaves: &mut [u8]) {
    wots::tree_leaves(&Xmss(h), top_slot(params), 0, leaves);
}

/// `slh_keygen_internal`, FIPS 205, Algorithm 18, lines 2 and 3: writes PK.root.
pub(super) fn root(h: &dyn SlhHash, params: &Params, root: &mut [u8]) {
    let mut tree = [Tree::root_only(top_slot(params))];
    // xmss_node(SK.seed, 0, h', PK.seed, ADRS)
    wots::grow_trees(&Xmss(h), &mut tree, params.tree_height());
    root.copy_from_slice(&tree[0].root[..h.n()]);
}

/// `slh_sign_internal`, FIPS 205, Algorithm 19, with the leaves of the top tree if they are kept.
///
/// # Errors
/// [`Error::SecretKeyInconsistent`] if the root is not that of the key.
///
/// # Panics
/// If `out` does not have the length of a signature.
pub(super) fn sign_internal(
    h: &dyn SlhHash,
    (params, split): (&Params, SplitDigest),
    (key, top): (&SecretKey<'_>, Option<&[u8]>),
    (message, opt_rand): (&Formatted<'_>, &[u8]),
    out: &mut [u8],
) -> Result<(), Error> {
    let (r, out) = out.split_at_mut(params.n);
    let (sig_fors, sig_ht) = out.split_at_mut(params.fors_len());
    // 3-4: R <- PRF_msg(SK.prf, opt_rand, M)
    h.prf_msg(key.sk_prf, opt_rand, message, r);
    ct::declassify_bytes(r);
    // 5-13: digest <- H_msg(R, PK.seed, PK.root, M); md, idx_tree, idx_leaf
    let indices = DigestIndices::new(params, split, |digest| {
        h.h_msg([r, key.pk_seed, key.pk_root], message, digest);
    });
    let grown = params.d as usize - usize::from(top.is_some());
    let mut values = Zeroizing::new(vec![0; grown * (params.wots_len() << LG_W)]);
    let (mut trees, mut sigs_wots) = layers(params, indices.slot, sig_ht, &mut values);
    // 14-16: SIG_FORS <- fors_sign(md), PK_FORS
    let (pk_fors, ()) = join(
        || fors_sign(h, params, &indices, sig_fors),
        || wots::grow_trees(&Xmss(h), &mut trees[..grown], params.tree_height()),
    );
    // 17-18: SIG_HT <- ht_sign(PK_FORS, idx_tree, idx_leaf)
    let root = ht_sign(&Xmss(h), pk_fors, &mut trees, &mut sigs_wots, top);
    if root[..params.n] == *key.pk_root { Ok(()) } else { Err(Error::SecretKeyInconsistent) }
}

/// Returns the trees that sign, from the bottom layer up, and the buffers of their WOTS+
/// signatures. A tree for which `values` has no memory left keeps no values.
fn layers<'a>(
    params: &Params,
    slot: Slot,
    sig_ht: &'a mut [u8],
    values: &'a mut [u8],
) -> (Vec<Tree<'a>>, Vec<&'a mut [u8]>) {
    let slots = core::iter::successors(Some(slot), |slot| Some(slot.above(params.tree_height())));
    let mut values = values.chunks_exact_mut(params.wots_len() << LG_W);
    let of_layers = slots.zip(sig_ht.chunks_exact_mut(params.xmss_len()));
    of_layers
        .map(|(slot, sig_xmss)| {
            let (sig_wots, path) = sig_xmss.split_at_mut(params.wots_len());
            let secrets = values.next().unwrap_or_default();
            (Tree { wanted: slot.leaf, path, secrets, ..Tree::root_only(slot) }, sig_wots)
        })
        .unzip()
}

/// `ht_sign`, FIPS 205, Algorithm 12, over trees that are computed, except the top tree if its
/// leaves are given. Returns the root.
fn ht_sign(
    h: &dyn OneTimeHash,
    mut node: Node,
    trees: &mut [Tree<'_>],
    sigs_wots: &mut [&mut [u8]],
    top: Option<&[u8]>,
) -> Node {
    let n = h.node_len();
    for (tree, sig_wots) in trees.iter_mut().zip(sigs_wots) {
        match top {
            Some(leaves) if tree.secrets.is_empty() => {
                wots::sign(h, tree.slot, &node[..n], sig_wots);
                let height = leaves.chunks_exact(n).len().trailing_zeros();
                let tree = core::slice::from_mut(tree);
                grow(h, tree, 0, height, &mut |_, before, nodes| {
                    nodes.copy_from_slice(&leaves[before * n..][..nodes.len()]);
                });
            }
            _ => wots::choose(h, &node[..n], tree.secrets, sig_wots),
        }
        node = tree.root;
        ct::declassify_bytes(&mut node); // as in `fors_sign`
    }
    node
}

/// `fors_sign`, FIPS 205, Algorithm 16. Returns `PK_FORS`, the last lines of Algorithm 17.
fn fors_sign(
    h: &dyn SlhHash,
    params: &Params,
    indices: &DigestIndices,
    sig_fors: &mut [u8],
) -> Node {
    let of_trees = sig_fors.chunks_exact_mut((1 + params.a as usize) * params.n).enumerate();
    let mut trees: Vec<Tree<'_>> = of_trees
        .map(|(i, of_tree)| {
            let (secrets, path) = of_tree.split_at_mut(params.n);
            let (first, wanted) = ((i as u32) << params.a, indices.fors_leaf(i));
            Tree { first, wanted, path, secrets, ..Tree::root_only(indices.slot) }
        })
        .collect();
    fors::grow_trees(&Fors(h), &mut trees, params.a);
    let mut key = [0; MAX_NODE];
    fors_pk(h, indices.slot, params.k, &|i| &trees[i].root, &mut key);
    // The nodes that layers sign follow from the signature, and so does the root.
    ct::declassify_bytes(&mut key);
    key
}

/// `T_k`, FIPS 205, Algorithm 17, lines 21 to 24: computes a FORS key from the roots of its trees.
pub(super) fn fors_pk<'a>(
    h: &dyn SlhHash,
    slot: Slot,
    k: usize,
    root: &dyn Fn(usize) -> &'a Node,
    key: &mut Node,
) {
    let (n, adrs) = (h.n(), adrs(slot, AdrsType::ForsRoots, [0; 2]));
    h.t_l(&[adrs], k, &mut |i, to| to.copy_from_slice(&root(i as usize)[..n]), &mut key[..n]);
}
