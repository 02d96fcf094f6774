//! Growth of trees on all cores, where trees or subtrees are tasks.
use std::vec::Vec;

use rayon::prelude::*;

use crate::TreeHash;
use crate::forest::{Tree, grow};

/// The number of tasks for each thread. Several tasks balance the load at the end.
const TASKS_A_THREAD: usize = 4;

/// Grows trees of height `height` by `grow_some`, with at least `2^least` leaves in each task.
pub(crate) fn spread(
    h: &dyn TreeHash,
    trees: &mut [Tree<'_>],
    height: u32,
    least: u32,
    grow_some: &(dyn Fn(&mut [Tree<'_>], u32) + Sync),
) {
    let tasks = TASKS_A_THREAD * rayon::current_num_threads();
    let mut split = 0;
    while trees.len() << split < tasks && split + least < height {
        split += 1;
    }
    if split == 0 {
        let together = 1 << least.saturating_sub(height);
        trees.par_chunks_mut(together).for_each(|trees| grow_some(trees, height));
        return;
    }
    let (n, below) = (h.node_len(), height - split);
    let mut parts: Vec<Tree<'_>> = Vec::with_capacity(trees.len() << split);
    let mut tops: Vec<Tree<'_>> = Vec::with_capacity(trees.len());
    for tree in &mut *trees {
        // The path within the subtree, and the secrets, are kept by the subtree of the wanted leaf.
        let kept = (below as usize * n).min(tree.path.len());
        let (path, above) = tree.path.split_at_mut(kept);
        let (mut path, mut secrets) = (Some(path), Some(&mut *tree.secrets));
        let Tree { slot, first, wanted, .. } = *tree;
        for part in 0..1 << split {
            let mut part = Tree { first: first + (part << below), ..Tree::root_only(slot) };
            if wanted.wrapping_sub(part.first) >> below == 0 {
                part.wanted = wanted;
                part.path = path.take().unwrap_or_default();
                part.secrets = secrets.take().unwrap_or_default();
            }
            parts.push(part);
        }
        tops.push(Tree { first, wanted, path: above, ..Tree::root_only(slot) });
    }
    parts.par_iter_mut().for_each(|part| grow_some(core::slice::from_mut(part), below));
    grow(h, &mut tops, below, split, &mut |_, before, nodes| {
        for (node, part) in nodes.chunks_exact_mut(n).zip(&parts[before..]) {
            node.copy_from_slice(&part.root[..n]);
        }
    });
    let roots: Vec<_> = tops.iter().map(|tree| tree.root).collect();
    drop((tops, parts));
    trees.iter_mut().zip(roots).for_each(|(tree, root)| tree.root = root);
}
