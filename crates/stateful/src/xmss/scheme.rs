//! XMSS trees from secrets: RFC 8391, Algorithms 12 and 16.
use alloc::boxed::Box;
use alloc::vec::Vec;

use oaklath_params::stateful::xmss::XmssInfo;
use oaklath_simd::ct;
use oaklath_tree::{Slot, wots};
use zeroize::Zeroizing;

use crate::digest::digest;
use crate::faults;
use crate::hypertree::scheme::{HypertreeScheme, TreeOps, hash_parents};
use crate::message::Message;
use crate::xmss::address::{Function, prefix_len};
use crate::xmss::derivation::Derivation;
use crate::xmss::functions::{BATCH, XmssHash, XmssSeeds};
use crate::xmss::verify::message_digest;

/// The seeds of a key: the secret seed, `SK_PRF` and SEED.
#[derive(Clone)]
#[expect(missing_debug_implementations, reason = "it is secret, and nowhere printed")]
pub struct XmssScheme {
    info: &'static XmssInfo,
    seed: Zeroizing<Vec<u8>>,
    derivation: Derivation,
}

impl XmssScheme {
    pub(super) fn new(info: &'static XmssInfo, seed: &[u8], derivation: Derivation) -> Self {
        Self { info, seed: Zeroizing::new(seed.to_vec()), derivation }
    }

    pub(super) fn info(&self) -> &'static XmssInfo {
        self.info
    }

    /// Returns seed number `number` of the three.
    fn seed(&self, number: usize) -> &[u8] {
        &self.seed[number * self.info.n..][..self.info.n]
    }

    pub(super) fn public_seed(&self) -> &[u8] {
        self.seed(2)
    }
}

/// A tree of a key: its layer, counted from the bottom as in XMSS, and its number in the layer.
struct XmssTree {
    scheme: XmssScheme,
    slot: Slot,
}

impl XmssTree {
    fn hash(&self) -> XmssHash<'_, BATCH> {
        let XmssScheme { info, derivation, .. } = self.scheme;
        let (public, secret) = (self.scheme.public_seed(), Some(self.scheme.seed(0)));
        XmssHash::new(info.hash, XmssSeeds { public, secret, derivation })
    }
}

impl TreeOps for XmssTree {
    fn leaves(&self, first: u32, out: &mut [u8]) {
        wots::tree_leaves(&self.hash(), self.slot, first, out);
    }
    fn parents(&self, height: u32, first: u32, children: &[u8], out: &mut [u8]) {
        hash_parents(&self.hash(), self.slot, height, first, children, out);
    }
    /// `WOTS_sign`, where the message is a root or a digest.
    fn sign_leaf(&self, leaf: u32, message: Message<'_>, out: &mut [u8]) {
        let slot = Slot { leaf, ..self.slot };
        message.absorb_by(&mut |node| wots::sign(&self.hash(), slot, node, out));
    }
    fn signed_key(&self, root: &[u8]) -> Vec<u8> {
        root.to_vec()
    }
}

impl HypertreeScheme for XmssScheme {
    fn node_len(&self) -> usize {
        self.info.n
    }
    fn heights(&self) -> Vec<u32> {
        (0..self.info.d).map(|_| self.info.tree_height() as u32).collect()
    }
    fn tree(&self, leaves: &[u32]) -> Box<dyn TreeOps> {
        let height = self.info.tree_height();
        let tree = leaves.iter().fold(0, |tree, leaf| tree << height | u64::from(*leaf));
        let layer = (self.info.d - 1 - leaves.len()) as u16;
        let mut scheme = self.clone();
        faults::strike(&mut scheme.seed);
        Box::new(XmssTree { scheme, slot: Slot { layer, tree, ..Slot::default() } })
    }
    fn signed_key_len(&self, _: usize) -> usize {
        self.info.n
    }
    fn layer_signature_len(&self, _: usize) -> usize {
        self.info.n * (self.info.len + self.info.tree_height())
    }
    fn signature_len(&self) -> usize {
        self.info.signature
    }
    /// Returns the index and the randomizer r, and the digest.
    fn begin(&self, index: u64, root: &[u8], message: Message<'_>) -> (Vec<u8>, Option<Vec<u8>>) {
        let XmssInfo { hash, n, .. } = *self.info;
        let (mut prefix, mut number) = ([0; 64], [0; 32]);
        let prefix = &mut prefix[..prefix_len(n)];
        prefix[prefix_len(n) - 1] = Function::Prf as u8;
        number[24..].copy_from_slice(&index.to_be_bytes());
        let mut head = number[32 - self.info.index()..].to_vec();
        head.resize(head.len() + n, 0);
        let r = &mut head[self.info.index()..];
        digest(hash, &[prefix, self.seed(1), &number], r);
        ct::declassify_bytes(r);
        let digest = message_digest(self.info, (r, root), index, message);
        (head, Some(digest[..n].to_vec()))
    }
    /// Returns the signatures from the bottom up, without roots.
    fn order<'a>(&self, layers: Vec<[&'a [u8]; 2]>) -> Vec<&'a [u8]> {
        layers.into_iter().rev().map(|[signature, _]| signature).collect()
    }
    fn private_bytes(&self) -> Zeroizing<Vec<u8>> {
        Zeroizing::new([self.seed(1), self.seed(0), &[self.derivation.tail()]].concat())
    }
    fn owner(&self) -> Zeroizing<Vec<u8>> {
        let name = self.info.name.as_bytes();
        Zeroizing::new([name, &[self.derivation.tail()], &self.seed].concat())
    }
    #[cfg(feature = "test-faults")]
    fn memory(&mut self) -> &mut [u8] {
        &mut self.seed
    }
}
