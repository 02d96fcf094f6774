//! Verification: FIPS 205, Algorithm 20, of several signatures by one key side by side.
use oaklath_tree::path::{Walk, climb};
use oaklath_tree::wots::{Job, Signed};
use oaklath_tree::{MAX_LANES, Place, Slot, hypertree};

use crate::message::Formatted;
use crate::slh::digest::Choice;
use crate::slh::hashes::{Fors, Hashes, Variant};
use crate::slh::params::{MOST_TREES, Params};

/// The roots that signatures lead to, at most [`MAX_LANES`] of them; of each, message and bytes.
///
/// # Panics
/// If a signature has not its length, or if there are not as many jobs as the trees need.
pub(super) fn roots<H: Hashes<N>, const N: usize>(
    h: &H,
    (params, variant): (&Params, Variant),
    (seed, root): (&[u8; N], &[u8; N]),
    signatures: &[(Formatted<'_>, &[u8])],
    jobs: &mut [Job<N>],
    roots: &mut [[u8; N]],
) {
    let none = Signed { slot: Slot::default(), node: [0; N], signature: &[] };
    let mut signed = [none; MAX_LANES];
    let signed = &mut signed[..signatures.len()];
    for (signed, (message, signature)) in signed.iter_mut().zip(signatures) {
        let (nodes, rest) = signature.as_chunks::<N>();
        assert!(rest.is_empty(), "signatures are whole nodes");
        let (r, nodes) = nodes.split_first().expect("a signature");
        let choice = Choice::new(params, variant, |digest| {
            H::digest(r, seed, root, message, digest);
        });
        let (fors, hypertree) = nodes.split_at(params.fors_nodes());
        let node = fors_key(h, params, &choice, fors);
        *signed = Signed { slot: choice.slot, node, signature: hypertree };
    }
    hypertree::climb_all(h, signed, params.d, params.tree_height(), jobs);
    signed.iter().zip(roots).for_each(|(signed, root)| *root = signed.node);
}

/// `fors_pkFromSig`: FIPS 205, Algorithm 17.
fn fors_key<H: Hashes<N>, const N: usize>(
    h: &H,
    params: &Params,
    choice: &Choice,
    signature: &[[u8; N]],
) -> [u8; N] {
    let none = Walk { slot: choice.slot, index: 0, node: [0; N], path: &[] };
    let mut walks = [none; MOST_TREES];
    let walks = &mut walks[..params.k];
    let of_trees = signature.chunks_exact(1 + params.a as usize);
    for ((i, walk), of_tree) in walks.iter_mut().enumerate().zip(of_trees) {
        (walk.index, walk.node, walk.path) = (choice.leaf(i), of_tree[0], &of_tree[1..]);
    }
    for walks in walks.chunks_mut(h.lanes()) {
        let mut places = [Place::default(); MAX_LANES];
        let mut values = [[0; N]; MAX_LANES];
        for (i, walk) in walks.iter().enumerate() {
            places[i] = Place { slot: walk.slot, height: 0, index: walk.index };
            values[i] = walk.node;
        }
        h.fors_leaves(&places[..walks.len()], &mut values[..walks.len()]);
        walks.iter_mut().zip(&values).for_each(|(walk, value)| walk.node = *value);
    }
    climb(&Fors(h), walks, params.a);
    let mut key = [[0; N]];
    h.fors_keys(&[choice.slot], params.k, |i, _| walks[i].node, &mut key);
    key[0]
}
