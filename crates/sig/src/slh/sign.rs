//! Keys and signatures: FIPS 205, Algorithms 18 and 19.
use alloc::vec;
use alloc::vec::Vec;

use oaklath_simd::ct;
use oaklath_tree::forest::{Tree, grow};
use oaklath_tree::wots::{self, Job, WINDOW};
use oaklath_tree::{Slot, fors, hypertree, join};
use zeroize::Zeroizing;

use crate::Error;
use crate::message::Formatted;
use crate::slh::digest::Choice;
use crate::slh::hashes::{Fors, Hashes, Variant};
use crate::slh::params::{DIGIT_BITS, Params, chains};

/// Of a private key what the hash functions do not have: FIPS 205, Figure 15.
#[derive(Clone, Copy)]
pub(super) struct Key<'a, const N: usize> {
    pub(super) prf: &'a [u8; N],
    pub(super) seed: &'a [u8; N],
    pub(super) root: &'a [u8; N],
    /// The leaves of the top tree, if they are kept.
    pub(super) top: Option<&'a [[u8; N]]>,
}

/// All leaves of the top tree.
pub(super) fn top_leaves<H: Hashes<N>, const N: usize>(h: &H, params: &Params) -> Vec<[u8; N]> {
    let mut leaves = vec![[0; N]; 1 << params.tree_height()];
    wots::tree_leaves(h, top_slot(params), 0, &mut leaves);
    leaves
}

/// The path of a leaf of a tree whose leaves are given, and the root.
fn path_among<H: Hashes<N>, const N: usize>(
    h: &H,
    slot: Slot,
    leaves: &[[u8; N]],
    path: &mut [[u8; N]],
) -> [u8; N] {
    let height = leaves.len().trailing_zeros();
    let (wanted, secrets) = (slot.leaf, &mut [][..]);
    let mut tree = [Tree { slot, first: 0, wanted, path, secrets, root: [0; N] }];
    grow(h, &mut tree, 0, height, |_, before, nodes| {
        nodes.copy_from_slice(&leaves[before..before + nodes.len()]);
    });
    ct::declassify_bytes(&mut tree[0].root);
    tree[0].root
}

fn top_slot(params: &Params) -> Slot {
    Slot { layer: params.d - 1, tree: 0, leaf: 0 }
}

/// PK.root.
pub(super) fn root<H: Hashes<N>, const N: usize>(h: &H, params: &Params) -> [u8; N] {
    let mut tree = [Tree::root_only(top_slot(params))];
    wots::grow_trees(h, &mut tree, params.tree_height());
    tree[0].root
}

/// `slh_sign_internal`, FIPS 205, Algorithm 19. All layers are built at once, and the values of their
/// keys' chains kept, so that none waits for what it signs; the top one only if it is not kept.
///
/// # Errors
/// [`Error::SecretKeyInconsistent`] if the root is not that of the key.
///
/// # Panics
/// If `out` has not the length of a signature.
pub(super) fn sign<H: Hashes<N>, const N: usize>(
    h: &H,
    (params, variant): (&Params, Variant),
    key: &Key<'_, N>,
    message: &Formatted<'_>,
    additional: &[u8; N],
    out: &mut [u8],
) -> Result<(), Error> {
    let (out, rest) = out.as_chunks_mut::<N>();
    assert!(rest.is_empty(), "signatures are whole nodes");
    let (r, out) = out.split_first_mut().expect("a signature");
    let (fors, hypertree) = out.split_at_mut(params.fors_nodes());
    *r = H::randomizer(key.prf, additional, message);
    ct::declassify_bytes(r);
    let choice = Choice::new(params, variant, |digest| {
        H::digest(r, key.seed, key.root, message, digest);
    });

    let height = params.tree_height();
    let values_of_key = chains(N) << DIGIT_BITS;
    let kept = params.d as usize - usize::from(key.top.is_some());
    let mut values = Zeroizing::new(vec![[0; N]; kept * values_of_key]);
    let mut slots = hypertree::slots(choice.slot.tree, choice.slot.leaf, height);
    let (ones, paths): (Vec<_>, Vec<_>) = hypertree
        .chunks_exact_mut(params.layer_nodes())
        .map(|layer| layer.split_at_mut(chains(N)))
        .unzip();
    let mut paths = paths.into_iter();
    let mut trees: Vec<Tree<'_, N>> = values
        .chunks_exact_mut(values_of_key)
        .zip(slots.by_ref().zip(paths.by_ref()))
        .map(|(secrets, (slot, path))| Tree {
            slot,
            first: 0,
            wanted: slot.leaf,
            path,
            secrets,
            root: [0; N],
        })
        .collect();

    // The layers do not wait for what they sign.
    let (mut node, ()) =
        join(|| sign_fors(h, params, &choice, fors), || wots::grow_trees(h, &mut trees, height));

    let mut ones = ones.into_iter();
    for (tree, signature) in trees.iter().zip(ones.by_ref()) {
        wots::choose(h, &node, tree.secrets, signature);
        node = tree.root;
        ct::declassify_bytes(&mut node); // as in `sign_fors`
    }
    if let (Some(top), Some(slot), Some(path), Some(signature)) =
        (key.top, slots.next(), paths.next(), ones.next())
    {
        wots::sign(h, slot, &node, &mut [Job::NONE; WINDOW], signature);
        node = path_among(h, slot, top, path);
    }
    if node == *key.root { Ok(()) } else { Err(Error::SecretKeyInconsistent) }
}

/// `fors_sign`, FIPS 205, Algorithm 16, and the key that the layers sign.
fn sign_fors<H: Hashes<N>, const N: usize>(
    h: &H,
    params: &Params,
    choice: &Choice,
    signature: &mut [[u8; N]],
) -> [u8; N] {
    let of_trees = signature.chunks_exact_mut(1 + params.a as usize).enumerate();
    let mut trees: Vec<Tree<'_, N>> = of_trees
        .map(|(i, of_tree)| {
            let (secrets, path) = of_tree.split_at_mut(1);
            let (first, wanted) = ((i as u32) << params.a, choice.leaf(i));
            Tree { slot: choice.slot, first, wanted, path, secrets, root: [0; N] }
        })
        .collect();
    fors::grow_trees(&Fors(h), &mut trees, params.a);
    let mut key = [[0; N]];
    h.fors_keys(&[choice.slot], params.k, |i, _| trees[i].root, &mut key);
    // What the layers sign follows from the signature, and so does the root.
    ct::declassify_bytes(&mut key[0]);
    key[0]
}
