//! What HSS makes of its secrets: RFC 8554, section 6, and appendix A. LMS is HSS of one level.
use alloc::vec::Vec;

use oaklath_hash::shake_lanes;
use oaklath_params::stateful::Hash;
use oaklath_simd::{ct, dispatch, wipe};
use oaklath_tree::wots;
use oaklath_tree::{OneTimeHash, Slot};
use zeroize::Zeroizing;

use crate::digest::digest;
use crate::grown::{Shape, Task};
use crate::hypertree::Scheme;
use crate::lms::family::{Family, MOST_LANES, Sha2, Shake};
use crate::lms::hashes::{Lms, Tree};
use crate::lms::public::Types;
use crate::lms::verify::message_digest;

/// Numbers of chains that stand for something else: the randomizer C, the seed of the tree below
/// and its identifier, as cisco/hash-sigs has them.
const RANDOMIZER: u16 = 0xfffd;
const CHILD_SEED: u16 = 0xfffe;
const CHILD_ID: u16 = 0xffff;

/// What the keys of a tree are made of: I and the seed, of which as many bytes count as a node has.
pub(super) struct TreeSecret {
    pub(super) id: [u8; 16],
    pub(super) seed: [u8; 32],
}

impl Drop for TreeSecret {
    fn drop(&mut self) {
        wipe(&mut self.seed);
    }
}

/// The levels of a key and the secret of the top one.
pub(super) struct Secrets {
    pub(super) levels: Vec<Types>,
    pub(super) shapes: Vec<Shape>,
    pub(super) top: TreeSecret,
}

impl Secrets {
    fn hash(&self) -> Hash {
        self.levels[0].lms.hash
    }

    /// H(I || u32str(q) || u16str(number) || 0xff || seed): RFC 8554, appendix A.
    fn derive(&self, tree: &TreeSecret, q: u32, number: u16) -> Zeroizing<[u8; 32]> {
        let n = self.levels[0].lms.m;
        let parts =
            [&tree.id[..], &q.to_be_bytes(), &number.to_be_bytes(), &[0xff], &tree.seed[..n]];
        let mut out = Zeroizing::new([0; 32]);
        // Of SHA-256 with 24 bytes, as of SHAKE256, the first 24.
        match n {
            24 => out[..24].copy_from_slice(&digest::<24>(self.hash(), &parts)),
            _ => *out = digest(self.hash(), &parts),
        }
        out
    }
}

/// The type codes, I and the root: RFC 8554, section 5.3.
pub(super) fn public_key(types: Types, id: &[u8; 16], root: &[u8]) -> Vec<u8> {
    let codes = [types.lms.typecode.to_be_bytes(), types.lmots.typecode.to_be_bytes()];
    [codes.as_flattened(), id, root].concat()
}

impl Scheme for Secrets {
    type Tree = TreeSecret;

    fn shapes(&self) -> &[Shape] {
        &self.shapes
    }
    fn shapes_mut(&mut self) -> &mut [Shape] {
        &mut self.shapes
    }
    fn top(&self) -> TreeSecret {
        TreeSecret { id: self.top.id, seed: self.top.seed }
    }
    fn below(&self, _: usize, tree: &TreeSecret, leaf: u32) -> TreeSecret {
        let id = self.derive(tree, leaf, CHILD_ID);
        let mut id = *id.first_chunk().expect("16 of at least 24");
        ct::declassify_bytes(&mut id); // it stands in public keys
        TreeSecret { id, seed: *self.derive(tree, leaf, CHILD_SEED) }
    }
    fn run<T: Task>(&self, layer: usize, tree: &TreeSecret, task: T) -> T::Output {
        fn with<F: Family<N>, T: Task, const N: usize>(
            family: F,
            types: Types,
            secret: &TreeSecret,
            task: T,
        ) -> T::Output {
            let seed = secret.seed.first_chunk().expect("at most 32 bytes");
            let tree = Tree { id: secret.id, height: types.lms.h as u32, seed };
            let h = Lms::<_, MOST_LANES, N> { family, lmots: types.lmots, trees: &[tree] };
            task.run(&h, Slot::default())
        }
        let types = self.levels[layer];
        match (self.hash(), types.lms.m) {
            (Hash::Shake256, 24) => {
                dispatch!(s => with::<_, _, 24>(Shake::<_, { shake_lanes::MOST }>::new(s), types, tree, task))
            }
            (Hash::Shake256, _) => {
                dispatch!(s => with::<_, _, 32>(Shake::<_, { shake_lanes::MOST }>::new(s), types, tree, task))
            }
            (_, 24) => {
                dispatch!(s => with::<_, _, 24>(Sha2::<_, MOST_LANES>::new(s), types, tree, task))
            }
            _ => {
                dispatch!(s => with::<_, _, 32>(Sha2::<_, MOST_LANES>::new(s), types, tree, task))
            }
        }
    }
    fn signed_key(&self, layer: usize, tree: &TreeSecret, root: &[u8]) -> Vec<u8> {
        public_key(self.levels[layer], &tree.id, root)
    }
    fn signature_len(&self, layer: usize) -> usize {
        self.levels[layer].signature()
    }
    /// RFC 8554, Algorithms 3 and 6: q, the type of the one-time signature, C and y, the type of the
    /// tree.
    fn sign(&self, layer: usize, tree: &TreeSecret, leaf: u32, message: &[u8], out: &mut [u8]) {
        let types = self.levels[layer];
        let n = types.lms.m;
        let (q, rest) = out.split_at_mut(4);
        let (lmots, rest) = rest.split_at_mut(4);
        let (c, rest) = rest.split_at_mut(n);
        let (y, lms) = rest.split_at_mut(n * types.lmots.p);
        q.copy_from_slice(&leaf.to_be_bytes());
        lmots.copy_from_slice(&types.lmots.typecode.to_be_bytes());
        lms.copy_from_slice(&types.lms.typecode.to_be_bytes());
        c.copy_from_slice(&self.derive(tree, leaf, RANDOMIZER)[..n]);
        ct::declassify_bytes(c);
        let hash = self.hash();
        self.run(layer, tree, OneTimeSignature { hash, id: &tree.id, leaf, c, message, y });
    }
}

struct OneTimeSignature<'a> {
    hash: Hash,
    id: &'a [u8; 16],
    leaf: u32,
    c: &'a [u8],
    message: &'a [u8],
    y: &'a mut [u8],
}

impl Task for OneTimeSignature<'_> {
    type Output = ();

    fn run(self, h: &dyn OneTimeHash, slot: Slot) {
        let slot = Slot { leaf: self.leaf, ..slot };
        let q: [u8; 32] = match h.node_len() {
            24 => {
                let mut q = [0; 32];
                let short: [u8; 24] =
                    message_digest(self.hash, self.id, self.leaf, self.c, self.message);
                q[..24].copy_from_slice(&short);
                q
            }
            _ => message_digest(self.hash, self.id, self.leaf, self.c, self.message),
        };
        wots::sign(h, slot, &q[..h.node_len()], self.y);
    }
}
