//! The trees of a private key on the way to an index.
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use oaklath_simd::ct::{self, differ};

use crate::error::Error;
use crate::faults;
use crate::hypertree::grown::{Growing, Grown, Shape, due_leaves};
use crate::hypertree::scheme::{HypertreeScheme, TreeOps};
use crate::hypertree::second_root::SecondRoot;
use crate::message::Message;

/// A layer with its current tree.
struct LayerState {
    /// The number of the tree in its layer.
    number: u64,
    tree: Box<dyn TreeOps>,
    grown: Grown,
    /// The public key of the tree, which the layer above signs.
    key: Vec<u8>,
    /// The tree after the current one.
    next: Option<NextTree>,
    /// The leaf that made `signature`, if that is of the current tree of the layer below.
    signed: Option<u32>,
    signature: Vec<u8>,
}

impl LayerState {
    /// Makes the signature of a leaf.
    fn sign(&mut self, leaf: u32, message: Message<'_>) {
        let at = self.grown.path_at(self.signature.len());
        let (head, path) = self.signature.split_at_mut(at);
        self.tree.sign_leaf(leaf, message, head);
        self.grown.path(leaf, path);
        faults::strike(&mut self.signature);
    }

    /// Reports whether another object of the tree makes the same signature of the message. If not,
    /// one of the two is faulty, and released signatures by one one-time key could differ.
    fn signs_as(&self, tree: &dyn TreeOps, leaf: u32, message: Message<'_>) -> bool {
        let mut again = self.signature[..self.grown.path_at(self.signature.len())].to_vec();
        tree.sign_leaf(leaf, message, &mut again);
        !differ(&again, &self.signature[..again.len()]).declassify()
    }
}

/// A tree that is computed in advance, and the second computation of its root.
struct NextTree {
    number: u64,
    tree: Box<dyn TreeOps>,
    growing: Growing,
    second: SecondRoot,
}

impl NextTree {
    /// Returns how many leaves have been computed, each twice.
    fn done(&self) -> u64 {
        (self.growing.done() + self.second.done()) >> 1
    }

    /// Returns how many leaves of the tree have been computed once.
    fn behind(&self) -> u32 {
        (self.growing.done() - self.second.done()) as u32
    }

    /// Computes at most `leaves` leaves, each twice; returns how many. Two leaves take less time
    /// than twice one: where one at a time is due, the tree and its second root take turns.
    fn grow(&mut self, leaves: u32) -> u32 {
        let before = self.done();
        if leaves == 1 && self.behind() == 0 {
            self.growing.grow(&*self.tree, 2);
        } else if leaves > 0 {
            self.second.grow(self.behind());
            let end = before + u64::from(leaves);
            while self.growing.grow(&*self.tree, (end - self.done()) as u32) > 0 {
                self.second.grow(self.behind());
            }
        }
        (self.done() - before) as u32
    }

    /// Completes the tree and compares both roots. Fails with
    /// [`Error::Fault`] if the roots differ.
    fn finish(self) -> Result<(Box<dyn TreeOps>, Grown), Error> {
        let grown = self.growing.finish(&*self.tree);
        let key = self.tree.signed_key(grown.root());
        if differ(&key, &self.second.finish()).declassify() {
            return Err(Error::Fault);
        }
        Ok((self.tree, grown))
    }
}

/// The layers of a private key. The scheme that is passed to the methods must be that of the key.
pub(crate) struct Hypertree {
    shapes: Vec<Shape>,
    /// The root of the top tree.
    root: Vec<u8>,
    states: Vec<Option<LayerState>>,
    /// The upper layer whose turn it is to compute a share in advance.
    turn: usize,
}

/// Returns the shapes of the trees of all layers, of each of which about `node_bytes` are kept.
pub(crate) fn shapes(scheme: &dyn HypertreeScheme, node_bytes: usize) -> Vec<Shape> {
    let shape = |height: &u32| Shape::within(scheme.node_len(), *height, node_bytes);
    scheme.heights().iter().map(shape).collect()
}

impl Hypertree {
    /// Returns a hypertree without any nodes. A top tree whose root is not `root` is rejected when
    /// it is computed.
    pub(crate) fn new(shapes: Vec<Shape>, root: &[u8]) -> Self {
        let states = shapes.iter().map(|_| None).collect();
        Self { shapes, root: root.to_vec(), states, turn: 0 }
    }

    /// Returns a hypertree whose top tree is complete.
    pub(crate) fn of_top(
        scheme: &dyn HypertreeScheme,
        shapes: Vec<Shape>,
        tree: Box<dyn TreeOps>,
        top: Grown,
    ) -> Self {
        let mut hypertree = Self::new(shapes, &public_root(&top));
        let entered = hypertree.enter(scheme, 0, 0, tree, top);
        debug_assert!(entered.is_ok(), "the root is its own");
        hypertree
    }

    pub(crate) fn root(&self) -> &[u8] {
        &self.root
    }

    fn heights(&self) -> impl DoubleEndedIterator<Item = u32> + ExactSizeIterator + '_ {
        self.shapes.iter().map(|shape| shape.height)
    }

    /// Returns how many signatures a tree of a layer can make, with all trees below it.
    pub(crate) fn signatures(&self, layer: usize) -> u64 {
        1 << self.heights().skip(layer).sum::<u32>()
    }

    /// Returns the number of layers.
    pub(crate) fn count(&self) -> usize {
        self.shapes.len()
    }

    /// Returns the number of the tree of a layer on the way to an index, and the leaf in that tree.
    fn place(&self, layer: usize, index: u64) -> (u64, u32) {
        let below: u32 = self.heights().skip(layer + 1).sum();
        let (at, height) = (index >> below, self.shapes[layer].height);
        (at >> height, (at & ((1 << height) - 1)) as u32)
    }

    /// Returns tree `number` of a layer.
    fn tree_at(&self, scheme: &dyn HypertreeScheme, layer: usize, number: u64) -> Box<dyn TreeOps> {
        let mut rest = number;
        let mut leaves: Vec<u32> = self.heights().take(layer).collect();
        for leaf in leaves.iter_mut().rev() {
            let height = *leaf;
            *leaf = (rest & ((1 << height) - 1)) as u32;
            rest >>= height;
        }
        scheme.tree(&leaves)
    }

    /// Checks that an index is not beyond the end: otherwise,
    /// [`Error::IndexBeyondEnd`].
    fn check_index(&self, index: u64) -> Result<(), Error> {
        let signatures = self.signatures(0);
        if index < signatures { Ok(()) } else { Err(Error::IndexBeyondEnd { index, signatures }) }
    }

    /// Goes to the leaves on the way to an index: computes the trees that are missing, from the top
    /// down, and signs each tree with the one above.
    ///
    /// # Errors
    /// [`Error::IndexBeyondEnd`], [`Error::SecretKeyInconsistent`], [`Error::Fault`].
    pub(crate) fn seek(&mut self, scheme: &dyn HypertreeScheme, index: u64) -> Result<(), Error> {
        self.check_index(index)?;
        faults::strike(&mut self.root);
        for layer in 0..self.count() {
            self.seek_tree(scheme, layer, index)?;
            let (_, leaf) = self.place(layer, index);
            let state = self.states[layer].as_mut().ok_or(Error::Fault)?;
            state.grown.seek(&*state.tree, leaf)?;
            if state.signed != Some(leaf) {
                state.signed = None;
            }
            if let Some(above) = layer.checked_sub(1) {
                self.sign_tree(scheme, above)?;
            }
        }
        Ok(())
    }

    /// Signs the current tree below a layer twice, unless its signature is current.
    ///
    /// # Errors
    /// [`Error::Fault`] if the signatures differ.
    fn sign_tree(&mut self, scheme: &dyn HypertreeScheme, layer: usize) -> Result<(), Error> {
        let pair = layer..layer + 2;
        let [Some(above), Some(below)] = &self.states[pair.clone()] else {
            return Err(Error::Fault);
        };
        if above.signed.is_some() {
            return Ok(());
        }
        let leaf = (below.number & (above.grown.shape().leaves() - 1)) as u32;
        let again = self.tree_at(scheme, layer, above.number);
        let [Some(above), Some(below)] = &mut self.states[pair] else { return Err(Error::Fault) };
        above.sign(leaf, Message::from(&below.key));
        if !above.signs_as(&*again, leaf, Message::from(&below.key)) {
            return Err(Error::Fault);
        }
        above.signed = Some(leaf);
        Ok(())
    }

    /// Makes the tree of a layer on the way to an index the current one.
    fn seek_tree(
        &mut self,
        scheme: &dyn HypertreeScheme,
        layer: usize,
        index: u64,
    ) -> Result<(), Error> {
        let (number, _) = self.place(layer, index);
        if self.states[layer].as_ref().is_some_and(|state| state.number == number) {
            return Ok(());
        }
        let next = self.states[layer].take().and_then(|state| state.next);
        let (tree, grown) = match next.filter(|next| next.number == number) {
            Some(next) => next.finish()?,
            // The top tree is computed only once, since its root is known.
            None if layer == 0 => {
                let tree = self.tree_at(scheme, layer, number);
                let grown = Growing::new(self.shapes[layer]).finish(&*tree);
                (tree, grown)
            }
            None => self.next_tree(scheme, layer, number).finish()?,
        };
        self.enter(scheme, layer, number, tree, grown)
    }

    fn next_tree(&self, scheme: &dyn HypertreeScheme, layer: usize, number: u64) -> NextTree {
        let [tree, again] = [(); 2].map(|()| self.tree_at(scheme, layer, number));
        let shape = self.shapes[layer];
        let second = SecondRoot::new(again, shape);
        NextTree { number, tree, growing: Growing::new(shape), second }
    }

    /// Makes a tree the current one of its layer. Fails with
    /// [`Error::SecretKeyInconsistent`] if it is the top tree, but its root is not that of the key.
    fn enter(
        &mut self,
        scheme: &dyn HypertreeScheme,
        layer: usize,
        number: u64,
        tree: Box<dyn TreeOps>,
        grown: Grown,
    ) -> Result<(), Error> {
        let root = public_root(&grown);
        if layer == 0 && root != self.root {
            return Err(Error::SecretKeyInconsistent);
        }
        let (mut key, signature) =
            (tree.signed_key(&root), vec![0; scheme.layer_signature_len(layer)]);
        faults::strike(&mut key);
        let state = LayerState { number, tree, grown, key, next: None, signed: None, signature };
        self.states[layer] = Some(state);
        // The signature of the layer above is of another tree.
        if let Some(Some(above)) = layer.checked_sub(1).map(|above| &mut self.states[above]) {
            above.signed = None;
        }
        Ok(())
    }

    /// Returns the keys that the upper layers sign, from the top down, after [`seek`](Self::seek).
    ///
    /// # Errors
    /// [`Error::Fault`] if a layer has no tree.
    pub(crate) fn subtree_keys(&self) -> Result<Vec<u8>, Error> {
        let mut keys = Vec::new();
        for state in &self.states[1..] {
            keys.extend_from_slice(&state.as_ref().ok_or(Error::Fault)?.key);
        }
        Ok(keys)
    }

    /// Signs with the bottom leaf of an index, after [`seek`](Self::seek). Returns, from the top
    /// layer down, the signatures and the keys that they sign; the bottom layer's key is empty.
    ///
    /// # Errors
    /// [`Error::Fault`] if a layer has no tree.
    pub(crate) fn sign(
        &mut self,
        index: u64,
        message: Message<'_>,
    ) -> Result<Vec<[&[u8]; 2]>, Error> {
        let bottom = self.count() - 1;
        let (_, leaf) = self.place(bottom, index);
        self.states[bottom].as_mut().ok_or(Error::Fault)?.sign(leaf, message);
        let mut layers: Vec<[&[u8]; 2]> = Vec::new();
        for state in &self.states {
            let state = state.as_ref().ok_or(Error::Fault)?;
            if let Some([_, signed]) = layers.last_mut() {
                *signed = &state.key;
            }
            layers.push([&state.signature, &[]]);
        }
        Ok(layers)
    }

    /// Does one signature's share of the work for later ones, in the bottom layer and in one of
    /// those above.
    pub(crate) fn grow_share(&mut self, scheme: &dyn HypertreeScheme, index: u64) {
        let bottom = self.count() - 1;
        self.grow_share_in(scheme, bottom, index);
        if bottom > 0 {
            self.grow_share_in(scheme, self.turn, index);
            self.turn = if self.turn + 1 < bottom { self.turn + 1 } else { 0 };
        }
    }

    fn grow_share_in(&mut self, scheme: &dyn HypertreeScheme, layer: usize, index: u64) {
        let (_, leaf) = self.place(layer, index);
        let Some(state) = self.with_next(scheme, layer) else { return };
        state.grown.grow_share(&*state.tree, leaf);
        if let Some(next) = &mut state.next {
            let all = state.grown.shape().leaves();
            next.grow(due_leaves(next.done(), leaf.into(), all));
        }
    }

    /// Computes at most `leaves` leaves for later signatures, from the bottom layer up, in the
    /// order in which they are needed; returns how many.
    pub(crate) fn grow_ahead(&mut self, scheme: &dyn HypertreeScheme, leaves: u32) -> u32 {
        let mut left = leaves;
        for layer in (0..self.count()).rev() {
            let Some(state) = self.with_next(scheme, layer) else { continue };
            left -= state.grown.grow_ahead(&*state.tree, left);
            left -= state.next.as_mut().map_or(0, |next| next.grow(left));
            if left == 0 {
                break;
            }
        }
        leaves - left
    }

    /// Returns a layer, after starting the tree after the current one, unless that is the last; or
    /// nothing before the layer has a tree.
    fn with_next(&mut self, scheme: &dyn HypertreeScheme, layer: usize) -> Option<&mut LayerState> {
        let trees: u32 = self.heights().take(layer).sum();
        let state = self.states[layer].as_ref()?;
        let after = state.number + 1;
        if state.next.is_none() && after >> trees == 0 {
            let next = self.next_tree(scheme, layer, after);
            self.states[layer].as_mut()?.next = Some(next);
        }
        self.states[layer].as_mut()
    }

    /// Loads the nodes of the top tree at the cut, from a cache.
    ///
    /// # Errors
    /// [`Error::CacheForeign`] if they have another cut or do not hash to the root.
    pub(crate) fn load(
        &mut self,
        scheme: &dyn HypertreeScheme,
        cut: u32,
        cut_nodes: &[u8],
    ) -> Result<(), Error> {
        let (tree, shape) = (scheme.tree(&[]), self.shapes[0]);
        if cut != shape.cut {
            return Err(Error::CacheForeign);
        }
        let grown = Grown::from_cut_nodes(shape, cut_nodes, &*tree).ok_or(Error::CacheForeign)?;
        self.enter(scheme, 0, 0, tree, grown).map_err(|_| Error::CacheForeign)
    }

    /// Returns the number of bytes of the top tree's nodes at the cut.
    pub(crate) fn cut_len(&self) -> usize {
        let Shape { n, height, cut } = self.shapes[0];
        n << (height - cut)
    }

    /// Returns the cut of the top tree and its nodes there, if the tree has been computed.
    pub(crate) fn cut_nodes(&self) -> Option<(u32, &[u8])> {
        let top = self.states.first()?.as_ref()?;
        Some((top.grown.shape().cut, top.grown.cut_nodes()))
    }
}

/// Returns the root of a tree, which is public, since every signature leads to it.
fn public_root(grown: &Grown) -> Vec<u8> {
    let mut root = grown.root().to_vec();
    ct::declassify_bytes(&mut root);
    root
}
