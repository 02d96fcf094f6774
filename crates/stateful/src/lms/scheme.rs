//! HSS trees from secrets: RFC 8554, section 6 and appendix A. LMS is HSS with one level.
use alloc::boxed::Box;
use alloc::vec::Vec;

use oaklath_simd::{ct, wipe};
use oaklath_tree::{Slot, wots};
use zeroize::Zeroizing;

use crate::digest::digest;
use crate::faults;
use crate::hypertree::scheme::{HypertreeScheme, TreeOps, hash_parents};
use crate::lms::hashes::{LmsHash, LmsTree};
use crate::lms::levels::HssLevels;
use crate::lms::types::{ID, LevelTypes};
use crate::lms::verify::message_digest;
use crate::message::Message;

/// Chain numbers with a special meaning: the randomizer C, the seed of the tree below and its
/// identifier, as in Cisco's hash-sigs.
const RANDOMIZER: u16 = 0xfffd;
const CHILD_SEED: u16 = 0xfffe;
const CHILD_ID: u16 = 0xffff;

/// The secrets of a tree: I and the seed, which is as long as a node and followed by zeros.
#[derive(Clone)]
struct TreeSecret {
    types: LevelTypes,
    id: [u8; ID],
    seed: [u8; 32],
}

impl Drop for TreeSecret {
    fn drop(&mut self) {
        wipe(&mut self.seed);
    }
}

impl TreeSecret {
    fn hash(&self) -> LmsHash<'_> {
        let mut hash = LmsHash::new(self.types.lmots);
        hash.trees[0] = LmsTree { id: self.id, height: self.types.lms.h as u32, seed: &self.seed };
        hash
    }

    /// Computes H(I || u32str(q) || u16str(number) || 0xff || seed): RFC 8554, appendix A.
    fn derive(&self, q: u32, number: u16) -> Zeroizing<[u8; 32]> {
        let n = self.types.lms.m;
        let parts =
            [&self.id[..], &q.to_be_bytes(), &number.to_be_bytes(), &[0xff], &self.seed[..n]];
        let mut out = Zeroizing::new([0; 32]);
        digest(self.types.lms.hash, &parts, &mut out[..n]);
        out
    }

    /// Returns the secrets of the tree below a leaf.
    fn below(&self, types: LevelTypes, leaf: u32) -> Self {
        let mut id = *self.derive(leaf, CHILD_ID).first_chunk().expect("16 of at least 24");
        ct::declassify_bytes(&mut id); // a part of public keys
        Self { types, id, seed: *self.derive(leaf, CHILD_SEED) }
    }
}

impl TreeOps for TreeSecret {
    fn leaves(&self, first: u32, out: &mut [u8]) {
        wots::tree_leaves(&self.hash(), Slot::default(), first, out);
    }
    fn parents(&self, height: u32, first: u32, children: &[u8], out: &mut [u8]) {
        hash_parents(&self.hash(), Slot::default(), height, first, children, out);
    }
    /// RFC 8554, Algorithms 3 and 6: writes q, the type of the one-time signature, C, y and the
    /// type of the tree.
    fn sign_leaf(&self, leaf: u32, message: Message<'_>, out: &mut [u8]) {
        let LevelTypes { lms, lmots } = self.types;
        let n = lms.m;
        let (q, rest) = out.split_at_mut(4);
        let (lmots_code, rest) = rest.split_at_mut(4);
        let (c, rest) = rest.split_at_mut(n);
        let (y, lms_code) = rest.split_at_mut(n * lmots.p);
        q.copy_from_slice(&leaf.to_be_bytes());
        lmots_code.copy_from_slice(&lmots.typecode.to_be_bytes());
        lms_code.copy_from_slice(&lms.typecode.to_be_bytes());
        c.copy_from_slice(&self.derive(leaf, RANDOMIZER)[..n]);
        faults::strike(c);
        ct::declassify_bytes(c);
        let digest = message_digest(self.types, &self.id, leaf, c, message);
        wots::sign(&self.hash(), Slot { leaf, ..Slot::default() }, &digest[..n], y);
    }
    fn signed_key(&self, root: &[u8]) -> Vec<u8> {
        public_key(self.types, &self.id, root)
    }
}

/// Returns a public key: the type codes, I and the root (RFC 8554, section 5.3).
fn public_key(types: LevelTypes, id: &[u8; ID], root: &[u8]) -> Vec<u8> {
    let codes = [types.lms.typecode.to_be_bytes(), types.lmots.typecode.to_be_bytes()];
    [codes.as_flattened(), id, root].concat()
}

/// The levels of a key, and the secrets of the top tree.
#[expect(missing_debug_implementations, reason = "it is secret, and nowhere printed")]
pub struct LmsScheme {
    levels: HssLevels,
    top: TreeSecret,
}

impl LmsScheme {
    /// Returns the scheme of `seed`: the seed of the top tree, followed by I.
    pub(super) fn new(levels: &HssLevels, seed: &[u8]) -> Self {
        let types = levels.types()[0];
        let (from, id) = seed.split_at(types.lms.m);
        let id = *id.first_chunk().expect("a seed of the levels' length");
        let mut top = TreeSecret { types, id, seed: [0; 32] };
        top.seed[..from.len()].copy_from_slice(from);
        Self { levels: levels.clone(), top }
    }

    /// Returns the number of levels, type codes, I and the root: RFC 8554, section 6.1.
    pub(super) fn public_key(&self, root: &[u8]) -> Vec<u8> {
        let levels = self.levels.types().len() as u32;
        [&levels.to_be_bytes()[..], &self.top.signed_key(root)].concat()
    }
}

impl HypertreeScheme for LmsScheme {
    fn node_len(&self) -> usize {
        self.top.types.lms.m
    }
    fn heights(&self) -> Vec<u32> {
        self.levels.types().iter().map(|level| level.lms.h as u32).collect()
    }
    fn tree(&self, leaves: &[u32]) -> Box<dyn TreeOps> {
        let mut tree = self.top.clone();
        for (leaf, types) in leaves.iter().zip(&self.levels.types()[1..]) {
            tree = tree.below(*types, *leaf);
        }
        faults::strike(&mut tree.seed);
        faults::strike(&mut tree.id);
        Box::new(tree)
    }
    fn signed_key_len(&self, layer: usize) -> usize {
        self.levels.types()[layer].lms.public_key()
    }
    fn layer_signature_len(&self, layer: usize) -> usize {
        self.levels.types()[layer].signature()
    }
    fn signature_len(&self) -> usize {
        self.levels.signature_len()
    }
    fn begin(&self, _: u64, _: &[u8], _: Message<'_>) -> (Vec<u8>, Option<Vec<u8>>) {
        let signed_keys = self.levels.types().len() as u32 - 1;
        (signed_keys.to_be_bytes().to_vec(), None)
    }
    fn order<'a>(&self, layers: Vec<[&'a [u8]; 2]>) -> Vec<&'a [u8]> {
        layers.into_flattened()
    }
    fn private_bytes(&self) -> Zeroizing<Vec<u8>> {
        let seed = &self.top.seed[..self.node_len()];
        Zeroizing::new([&self.levels.to_bytes()[..], seed].concat())
    }
    fn owner(&self) -> Zeroizing<Vec<u8>> {
        Zeroizing::new([&self.private_bytes()[..], &self.top.id].concat())
    }
    fn lower_types(&self) -> Vec<u8> {
        let (types, all) = (self.levels.types(), self.levels.to_bytes());
        if types.iter().all(|level| *level == types[0]) { Vec::new() } else { all[8..].to_vec() }
    }
    #[cfg(feature = "test-faults")]
    fn memory(&mut self) -> &mut [u8] {
        &mut self.top.seed[..self.levels.types()[0].lms.m]
    }
}
