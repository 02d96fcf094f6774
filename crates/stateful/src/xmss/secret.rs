//! What XMSS makes of its secrets: RFC 8391, Algorithms 12 and 16.
use alloc::vec::Vec;

use oaklath_params::stateful::xmss::XmssInfo;
use oaklath_simd::ct;
use oaklath_tree::wots;
use oaklath_tree::{OneTimeHash, Slot};
use zeroize::Zeroizing;

use crate::digest::digest;
use crate::grown::{self, Shape};
use crate::hypertree::Scheme;
use crate::xmss::family::{Family, Function, prefix_len};
use crate::xmss::hashes::{Xmss, chains};
use crate::xmss::verify::message_digest;
use crate::xmss::{Derivation, Task, run};

/// The seeds of a key.
pub(super) struct Secrets {
    pub(super) info: &'static XmssInfo,
    pub(super) shapes: Vec<Shape>,
    pub(super) public_seed: Vec<u8>,
    pub(super) secret_seed: Zeroizing<Vec<u8>>,
    pub(super) prf: Zeroizing<Vec<u8>>,
    pub(super) derivation: Derivation,
}

/// A tree: its layer, which XMSS counts from the bottom, and its number there.
pub(super) struct Place {
    layer: u32,
    number: u64,
}

/// A task on the keys of a tree.
struct OnTree<T> {
    task: T,
    slot: Slot,
}

impl<T: grown::Task> Task for OnTree<T> {
    type Output = T::Output;

    fn run<F: Family<N>, const N: usize>(self, h: &Xmss<F, N>) -> T::Output {
        self.task.run(h, self.slot)
    }
}

impl Secrets {
    fn with<T: Task>(&self, task: T) -> T::Output {
        run(self.info, (&self.public_seed, Some(&self.secret_seed)), self.derivation, task)
    }

    /// The randomizer r, and the digest of a message that is signed at an index.
    pub(super) fn digest(&self, index: u64, root: &[u8], message: &[u8]) -> (Vec<u8>, Vec<u8>) {
        self.with(Digest { secrets: self, index, root, message })
    }
}

struct Digest<'a> {
    secrets: &'a Secrets,
    index: u64,
    root: &'a [u8],
    message: &'a [u8],
}

impl Task for Digest<'_> {
    type Output = (Vec<u8>, Vec<u8>);

    fn run<F: Family<N>, const N: usize>(self, _: &Xmss<F, N>) -> Self::Output {
        let Self { secrets, index, root, message } = self;
        let (mut prefix, mut number) = ([0; N], [0; 32]);
        prefix[prefix_len(N) - 1] = Function::Prf as u8;
        number[24..].copy_from_slice(&index.to_be_bytes());
        let parts = [&prefix[..prefix_len(N)], &secrets.prf, &number];
        let mut r: [u8; N] = digest(secrets.info.hash, &parts);
        ct::declassify_bytes(&mut r);
        let digest = message_digest(secrets.info, (&r, root), index, message);
        (r.to_vec(), digest.to_vec())
    }
}

impl Scheme for Secrets {
    type Tree = Place;

    fn shapes(&self) -> &[Shape] {
        &self.shapes
    }
    fn shapes_mut(&mut self) -> &mut [Shape] {
        &mut self.shapes
    }
    fn top(&self) -> Place {
        Place { layer: self.info.d as u32 - 1, number: 0 }
    }
    fn below(&self, _: usize, tree: &Place, leaf: u32) -> Place {
        let number = tree.number << self.info.tree_height() | u64::from(leaf);
        Place { layer: tree.layer - 1, number }
    }
    fn run<T: grown::Task>(&self, _: usize, tree: &Place, task: T) -> T::Output {
        let slot = Slot { layer: tree.layer, tree: tree.number, leaf: 0 };
        self.with(OnTree { task, slot })
    }
    fn signed_key(&self, _: usize, _: &Place, root: &[u8]) -> Vec<u8> {
        root.to_vec()
    }
    fn signature_len(&self, _: usize) -> usize {
        self.info.n * (chains(self.info.n) + self.info.tree_height())
    }
    /// `WOTS_sign`. The message is a root, or a digest.
    fn sign(&self, layer: usize, tree: &Place, leaf: u32, message: &[u8], out: &mut [u8]) {
        self.run(layer, tree, OneTimeSignature { leaf, message, out });
    }
}

struct OneTimeSignature<'a> {
    leaf: u32,
    message: &'a [u8],
    out: &'a mut [u8],
}

impl grown::Task for OneTimeSignature<'_> {
    type Output = ();

    fn run(self, h: &dyn OneTimeHash, slot: Slot) {
        let slot = Slot { leaf: self.leaf, ..slot };
        wots::sign(h, slot, &self.message[..h.node_len()], self.out);
    }
}
