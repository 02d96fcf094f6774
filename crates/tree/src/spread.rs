//! Trees grown on all cores: trees, or parts of trees, are tasks.
use std::vec::Vec;

use rayon::prelude::*;

use crate::Nodes;
use crate::forest::{Tree, grow};

/// Tasks for each thread, so that none is left with much to do when the others are done.
const TASKS_A_THREAD: usize = 4;

/// Grows trees of height `height` by `grow_some`, with at least `2^least` leaves a task.
pub(crate) fn spread<H: Nodes<N>, const N: usize>(
    h: &H,
    trees: &mut [Tree<'_, N>],
    height: u32,
    least: u32,
    grow_some: impl Fn(&mut [Tree<'_, N>], u32) + Sync,
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
    let below = height - split;
    let mut parts: Vec<Tree<'_, N>> = Vec::with_capacity(trees.len() << split);
    for tree in &mut *trees {
        // What is kept of a leaf is kept in its part.
        let kept = (below as usize).min(tree.path.len());
        let mut path = Some(&mut tree.path[..kept]);
        let mut secrets = Some(&mut *tree.secrets);
        for part in 0..1 << split {
            let first = tree.first + (part << below);
            let has_wanted = tree.wanted.wrapping_sub(first) >> below == 0;
            let mut part = Tree { slot: tree.slot, first, ..Tree::empty() };
            if has_wanted {
                part.wanted = tree.wanted;
                part.path = path.take().unwrap_or_default();
                part.secrets = secrets.take().unwrap_or_default();
            }
            parts.push(part);
        }
    }
    parts.par_iter_mut().for_each(|part| grow_some(core::slice::from_mut(part), below));
    let roots: Vec<[u8; N]> = parts.iter().map(|part| part.root).collect();
    let mut tops: Vec<Tree<'_, N>> = trees
        .iter_mut()
        .map(|tree| {
            let kept = (below as usize).min(tree.path.len());
            let path = &mut tree.path[kept..];
            Tree { slot: tree.slot, first: tree.first, wanted: tree.wanted, path, ..Tree::empty() }
        })
        .collect();
    grow(h, &mut tops, below, split, |_, before, nodes| {
        nodes.copy_from_slice(&roots[before..before + nodes.len()]);
    });
    let roots: Vec<[u8; N]> = tops.iter().map(|tree| tree.root).collect();
    trees.iter_mut().zip(roots).for_each(|(tree, root)| tree.root = root);
}
