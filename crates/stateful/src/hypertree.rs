//! Trees that sign the roots of trees, and where in them a signature is made: what HSS (RFC 8554,
//! section 6) and XMSS^MT (RFC 8391, section 4.2) have in common. A single tree is one of one layer.
//!
//! Layers are counted from the top down here, as HSS does.
use alloc::vec;
use alloc::vec::Vec;
use core::ops::ControlFlow;

use oaklath_simd::ct;

use crate::Error;
use crate::grown::{Growing, Grown, Keys, Shape, Task, in_time};

/// What differs between the schemes.
pub(crate) trait Scheme: Send + Sync {
    /// What the keys of a tree are made of.
    type Tree: Send + Sync;

    /// The layers, from the top down.
    fn shapes(&self) -> &[Shape];
    fn shapes_mut(&mut self) -> &mut [Shape];
    fn top(&self) -> Self::Tree;
    /// The tree below a leaf of a tree of a layer.
    fn below(&self, layer: usize, tree: &Self::Tree, leaf: u32) -> Self::Tree;
    fn run<T: Task>(&self, layer: usize, tree: &Self::Tree, task: T) -> T::Output;
    /// What the layer above signs of a tree.
    fn signed_key(&self, layer: usize, tree: &Self::Tree, root: &[u8]) -> Vec<u8>;
    /// Length of a signature of a layer. The path is at its end.
    fn signature_len(&self, layer: usize) -> usize;
    /// A signature of a layer without its path.
    fn sign(&self, layer: usize, tree: &Self::Tree, leaf: u32, message: &[u8], out: &mut [u8]);
}

/// The keys of a tree of a scheme.
struct KeysOf<'a, S: Scheme> {
    scheme: &'a S,
    layer: usize,
    tree: &'a S::Tree,
}

impl<S: Scheme> Keys for KeysOf<'_, S> {
    fn run<T: Task>(&self, task: T) -> T::Output {
        self.scheme.run(self.layer, self.tree, task)
    }
}

/// A layer, at one of its trees.
struct Layer<T> {
    /// The number of the tree in its layer.
    number: u64,
    tree: T,
    grown: Grown,
    /// The tree after it, on its way.
    next: Option<(u64, T, Growing)>,
    /// The leaf that signed the tree below, and the signature.
    signed: Option<u32>,
    signature: Vec<u8>,
}

/// The trees of a private key.
pub(crate) struct Hypertree<S: Scheme> {
    scheme: S,
    /// The root of the top tree.
    root: Vec<u8>,
    layers: Vec<Option<Layer<S::Tree>>>,
    /// The upper layer that works ahead next.
    turn: usize,
}

impl<S: Scheme> Hypertree<S> {
    /// A key of which nothing is kept yet. Trees that do not lead to `root` are refused when they are
    /// grown.
    pub(crate) fn new(scheme: S, root: &[u8]) -> Self {
        let layers = scheme.shapes().iter().map(|_| None).collect();
        Self { scheme, root: root.to_vec(), layers, turn: 0 }
    }

    pub(crate) fn scheme(&self) -> &S {
        &self.scheme
    }

    pub(crate) fn root(&self) -> &[u8] {
        &self.root
    }

    fn heights(&self) -> impl DoubleEndedIterator<Item = u32> + ExactSizeIterator + '_ {
        self.scheme.shapes().iter().map(|shape| shape.height)
    }

    pub(crate) fn signatures(&self) -> u64 {
        1 << self.heights().sum::<u32>()
    }

    pub(crate) fn signatures_of_tree(&self) -> u64 {
        self.heights().next_back().map_or(1, |height| 1 << height)
    }

    /// Number of the tree of a layer on the way to an index, and the leaf in it.
    fn place(&self, layer: usize, index: u64) -> (u64, u32) {
        let below: u32 = self.heights().skip(layer + 1).sum();
        let (at, height) = (index >> below, self.scheme.shapes()[layer].height);
        (at >> height, (at & ((1 << height) - 1)) as u32)
    }

    /// What the keys of tree `number` of a layer are made of.
    fn tree_at(&self, layer: usize, number: u64) -> S::Tree {
        let mut tree = self.scheme.top();
        for above in 0..layer {
            let below: u32 = self.heights().take(layer).skip(above + 1).sum();
            let height = self.scheme.shapes()[above].height;
            let leaf = (number >> below) & ((1 << height) - 1);
            tree = self.scheme.below(above, &tree, leaf as u32);
        }
        tree
    }

    /// # Errors
    /// [`Error::IndexBeyondEnd`].
    fn check_index(&self, index: u64) -> Result<(), Error> {
        let signatures = self.signatures();
        if index < signatures { Ok(()) } else { Err(Error::IndexBeyondEnd { index, signatures }) }
    }

    /// Goes to the leaves on the way to an index: grows what is not there, from the top down, and signs
    /// each tree by the one above.
    ///
    /// # Errors
    /// [`Error::IndexBeyondEnd`], [`Error::SecretKeyInconsistent`].
    pub(crate) fn seek(&mut self, index: u64) -> Result<(), Error> {
        self.check_index(index)?;
        for number in 0..self.layers.len() {
            self.seek_tree(number, index)?;
            let (_, leaf) = self.place(number, index);
            let (above, rest) = self.layers.split_at_mut(number);
            let Some(layer) = rest.first_mut().and_then(Option::as_mut) else { continue };
            let keys = KeysOf { scheme: &self.scheme, layer: number, tree: &layer.tree };
            layer.grown.seek(&keys, leaf)?;
            if layer.signed != Some(leaf) {
                layer.signed = None;
            }
            if let Some(Some(above)) = above.last_mut()
                && above.signed.is_none()
            {
                let mut message = self.scheme.signed_key(number, &layer.tree, layer.grown.root());
                ct::declassify_bytes(&mut message); // a part of the signature, or what it leads to
                let leaf = (layer.number & (above.grown.shape().leaves() - 1)) as u32;
                sign(&self.scheme, number - 1, above, leaf, &message);
            }
        }
        Ok(())
    }

    /// Makes the tree of a layer on the way to an index the one of the moment.
    fn seek_tree(&mut self, layer: usize, index: u64) -> Result<(), Error> {
        let (number, _) = self.place(layer, index);
        if self.layers[layer].as_ref().is_some_and(|layer| layer.number == number) {
            return Ok(());
        }
        let next = self.layers[layer].take().and_then(|layer| layer.next);
        let (tree, growing) = match next.filter(|next| next.0 == number) {
            Some((_, tree, growing)) => (tree, growing),
            None => (self.tree_at(layer, number), Growing::new(self.scheme.shapes()[layer])),
        };
        let grown = growing.finish(&KeysOf { scheme: &self.scheme, layer, tree: &tree });
        self.enter(layer, number, tree, grown)
    }

    /// # Errors
    /// [`Error::SecretKeyInconsistent`] if this is the top tree, and has not the root of the key.
    fn enter(
        &mut self,
        layer: usize,
        number: u64,
        tree: S::Tree,
        grown: Grown,
    ) -> Result<(), Error> {
        if layer == 0 && public_root(&grown) != self.root {
            return Err(Error::SecretKeyInconsistent);
        }
        let signature = vec![0; self.scheme.signature_len(layer)];
        let new = Layer { number, tree, grown, next: None, signed: None, signature };
        self.layers[layer] = Some(new);
        // The layer above has signed another tree.
        if let Some(Some(above)) = layer.checked_sub(1).map(|above| &mut self.layers[above]) {
            above.signed = None;
        }
        Ok(())
    }

    /// The signatures of the upper layers and what they sign, from the top down, after
    /// [`seek`](Self::seek).
    pub(crate) fn uppers(&self) -> impl Iterator<Item = (&[u8], Vec<u8>)> {
        let layers = self.layers.iter().flatten();
        layers.clone().zip(layers.enumerate().skip(1)).map(|(above, (number, layer))| {
            let key = self.scheme.signed_key(number, &layer.tree, layer.grown.root());
            (&above.signature[..], key)
        })
    }

    /// Signs with the bottom leaf of an index that was sought.
    pub(crate) fn sign(&mut self, index: u64, message: &[u8]) -> &[u8] {
        let number = self.layers.len() - 1;
        let (_, leaf) = self.place(number, index);
        match &mut self.layers[number] {
            Some(layer) => {
                sign(&self.scheme, number, layer, leaf, message);
                // The bottom layer signs each message anew.
                layer.signed = None;
                &layer.signature
            }
            None => &[],
        }
    }

    /// Work for signatures to come: in the bottom layer, and in one of those above.
    pub(crate) fn work_ahead(&mut self, index: u64) {
        let bottom = self.layers.len() - 1;
        self.work_ahead_in(bottom, index);
        if bottom > 0 {
            self.work_ahead_in(self.turn, index);
            self.turn = if self.turn + 1 < bottom { self.turn + 1 } else { 0 };
        }
    }

    fn work_ahead_in(&mut self, number: usize, index: u64) {
        let (of_tree, leaf) = self.place(number, index);
        let trees: u32 = self.heights().take(number).sum();
        let next = (of_tree + 1) >> trees == 0;
        let needs_next = |layer: &Layer<S::Tree>| next && layer.next.is_none();
        let new = match &self.layers[number] {
            Some(layer) if needs_next(layer) => {
                let tree = self.tree_at(number, of_tree + 1);
                Some((of_tree + 1, tree, Growing::new(layer.grown.shape())))
            }
            _ => None,
        };
        let Some(layer) = &mut self.layers[number] else { return };
        let keys = KeysOf { scheme: &self.scheme, layer: number, tree: &layer.tree };
        layer.grown.work_ahead(&keys, leaf);
        layer.next = layer.next.take().or(new);
        if let Some((_, tree, growing)) = &mut layer.next {
            let keys = KeysOf { scheme: &self.scheme, layer: number, tree };
            let all = layer.grown.shape().leaves();
            growing.grow(&keys, in_time(growing.done(), leaf.into(), all));
        }
    }

    /// Gives the top tree its nodes from a cache: the nodes at the cut, which becomes the key's.
    ///
    /// # Errors
    /// [`Error::CacheForeign`] if they do not lead to the root.
    pub(crate) fn load(&mut self, cut: u32, cut_nodes: &[u8]) -> Result<(), Error> {
        let (tree, shape) = (self.scheme.top(), Shape { cut, ..self.scheme.shapes()[0] });
        if cut > shape.height {
            return Err(Error::CacheForeign);
        }
        let keys = KeysOf { scheme: &self.scheme, layer: 0, tree: &tree };
        let grown = Grown::from_cut_nodes(shape, cut_nodes, &keys).ok_or(Error::CacheForeign)?;
        self.enter(0, 0, tree, grown).map_err(|_| Error::CacheForeign)?;
        self.scheme.shapes_mut()[0] = shape;
        Ok(())
    }

    /// The cut of the top tree and its nodes there, if it was grown.
    pub(crate) fn cut_nodes(&self) -> Option<(u32, &[u8])> {
        let top = self.layers.first()?.as_ref()?;
        Some((top.grown.shape().cut, top.grown.cut_nodes()))
    }
}

/// The root of a tree: every signature leads to it.
fn public_root(grown: &Grown) -> Vec<u8> {
    let mut root = grown.root().to_vec();
    ct::declassify_bytes(&mut root);
    root
}

/// A signature of a layer by one of its leaves.
fn sign<S: Scheme>(
    scheme: &S,
    number: usize,
    layer: &mut Layer<S::Tree>,
    leaf: u32,
    message: &[u8],
) {
    let Shape { n, height, .. } = layer.grown.shape();
    let (head, path) = {
        let at = layer.signature.len() - n * height as usize;
        layer.signature.split_at_mut(at)
    };
    scheme.sign(number, &layer.tree, leaf, message, head);
    layer.grown.path(leaf, path);
    layer.signed = Some(leaf);
}

/// The growth of a top tree, which is the generation of a key.
pub(crate) struct Generation<S: Scheme> {
    scheme: S,
    tree: S::Tree,
    growing: Growing,
}

impl<S: Scheme> Generation<S> {
    pub(crate) fn new(scheme: S) -> Self {
        let (tree, growing) = (scheme.top(), Growing::new(scheme.shapes()[0]));
        Self { scheme, tree, growing }
    }

    /// One that was interrupted.
    pub(crate) fn resume(scheme: S, cut_nodes: &[u8]) -> Option<Self> {
        let growing = Growing::resume(scheme.shapes()[0], cut_nodes)?;
        let tree = scheme.top();
        Some(Self { scheme, tree, growing })
    }

    pub(crate) fn scheme(&self) -> &S {
        &self.scheme
    }

    /// Leaves that are there.
    pub(crate) fn done(&self) -> u64 {
        self.growing.done()
    }

    /// What to give to [`resume`](Self::resume).
    pub(crate) fn cut_nodes(&self) -> &[u8] {
        self.growing.cut_nodes()
    }

    /// Grows, and asks after each part whether to go on: with the number of leaves that are there, and
    /// of all.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub(crate) fn run(
        &mut self,
        mut go_on: impl FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        let keys = KeysOf { scheme: &self.scheme, layer: 0, tree: &self.tree };
        let all = self.growing.done() + self.growing.left();
        while self.growing.left() > 0 {
            if go_on(self.growing.done(), all).is_break() {
                return Err(Error::Cancelled);
            }
            self.growing.grow(&keys, u32::MAX);
        }
        Ok(())
    }

    /// The key, of which what is left is grown.
    pub(crate) fn finish(self) -> Hypertree<S> {
        let Self { scheme, tree, growing } = self;
        let grown = growing.finish(&KeysOf { scheme: &scheme, layer: 0, tree: &tree });
        let mut hypertree = Hypertree::new(scheme, &public_root(&grown));
        let entered = hypertree.enter(0, 0, tree, grown);
        debug_assert!(entered.is_ok(), "the root is its own");
        hypertree
    }
}
