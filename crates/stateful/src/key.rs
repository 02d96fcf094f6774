//! The interface of private keys that stores use, for all schemes.
use alloc::vec::Vec;

use crate::error::Error;
use crate::index::Index;
use crate::message::Message;

/// Default memory for the kept nodes of each tree, in bytes. Trees up to height 12 (11 with 64-byte
/// nodes) are kept whole; with a taller tree, each signature computes one more leaf.
pub const NODE_BYTES: usize = 256 << 10;

/// When a private key computes the nodes that its next signatures need: the next tree of each lower
/// layer, and the next part of a tree that is too tall to be kept whole. Signatures and checks do
/// not depend on it.
///
/// A leaf of a lower tree is always computed twice, since a tree with a fault must not be signed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Growth {
    /// With each signature an even share, about one leaf, so that no signature takes much longer
    /// than the others.
    #[default]
    Even,
    /// Only in [`StatefulKey::grow`], which the program calls while nobody waits for a signature,
    /// or in another thread. The rest is computed by the signature that needs it.
    Idle,
    /// Not in advance: the first signature of a tree computes the whole tree, and the others only
    /// themselves. Takes the least memory, and is best for a key that is loaded for a few
    /// signatures.
    Lazy,
}

/// A private key of LMS, HSS, XMSS or XMSS^MT: a function from indices and messages to signatures.
/// It does not know which indices are used; a store does.
///
/// For the same index and message, a key always makes the same bytes, on every machine and after
/// every reload. In a hierarchy this also holds for the upper layers: each of their keys signs only
/// one message, the public key of the tree below it, which is derived from the private key (RFC
/// 8554, section 6; RFC 8391, section 4.2).
pub trait StatefulKey: Send + Sync {
    /// Returns how many signatures the key can make: indices run from 0 to one less.
    fn signatures(&self) -> u64;

    /// Returns how many signatures a bottom tree can make, a power of two; with one layer, equal to
    /// [`signatures`](Self::signatures). As many signatures from a multiple of this number on share
    /// the signatures of the layers above: leases aligned to it are whole trees.
    fn signatures_of_tree(&self) -> u64;

    /// Returns the bytes of the public key, which identify the parameter set.
    fn public_key(&self) -> &[u8];

    /// Returns the bytes that identify the key: the public key and, in a hierarchy of several
    /// types, the types of the lower layers.
    fn identity(&self) -> Vec<u8> {
        self.public_key().to_vec()
    }

    /// Returns the number of bytes of a signature, which is the same for all signatures of a key.
    fn signature_len(&self) -> usize;

    /// Signs: writes the signature to the beginning of `out`, and returns its length. The index is
    /// used up even if signing fails. After an error `out` is zero.
    ///
    /// The signature has not been checked: before it is released, [`check`](Self::check) must
    /// accept it.
    ///
    /// # Errors
    /// [`Error::IndexBeyondEnd`]; [`Error::SecretKeyInconsistent`] if the root of the top tree is
    /// not that of the public key; [`Error::Fault`] if two computations of a lower root differ, or
    /// the key has changed in memory.
    ///
    /// # Panics
    /// If `out` is shorter than a signature.
    fn sign_at(&mut self, index: Index, message: &[u8], out: &mut [u8]) -> Result<usize, Error> {
        self.sign_message_at(index, message.into(), out)
    }

    /// Signs a message that need not be in memory, as [`sign_at`](Self::sign_at) does.
    ///
    /// # Errors
    /// Those of [`sign_at`](Self::sign_at).
    ///
    /// # Panics
    /// If `out` is shorter than a signature.
    fn sign_message_at(
        &mut self,
        index: Index,
        message: Message<'_>,
        out: &mut [u8],
    ) -> Result<usize, Error>;

    /// Prepares for a signature at `index`: computes the trees on the way to it that are not kept
    /// yet. If this was not done before, signing does it. No index is used.
    ///
    /// # Errors
    /// Those of [`sign_at`](Self::sign_at).
    fn prepare(&mut self, index: u64) -> Result<(), Error>;

    /// Chooses when the key computes the nodes that its next signatures need. The default is
    /// [`Growth::Even`].
    fn set_growth(&mut self, growth: Growth);

    /// Computes at most `leaves` leaves that the signatures after the last one need, in the order
    /// in which they are needed, and returns how many: fewer if nothing is left to do, none with
    /// [`Growth::Lazy`]. No index is used.
    ///
    /// This never fails: faults are detected by the signature that needs the leaves.
    fn grow(&mut self, leaves: u32) -> u32;

    /// Returns the concatenated public keys that the upper layers sign on the way to `index`, from
    /// the top down; empty if there is one layer. They are derived from the private key. A store
    /// keeps them with its record, and compares them with those that [`check`](Self::check) finds
    /// in a signature before it is released: an upper key must never sign another public key.
    ///
    /// # Errors
    /// Those of [`sign_at`](Self::sign_at).
    fn subtree_keys(&mut self, index: u64) -> Result<Vec<u8>, Error>;

    /// Returns the layers below the top layer, from the top down; empty if there is one layer. They
    /// show how to split the bytes of [`subtree_keys`](Self::subtree_keys): a tree must have the
    /// same key in all signatures below it.
    fn layers(&self) -> Vec<SubtreeLayer>;

    /// Verifies a signature with the public key alone. Returns its index and the public keys that
    /// its upper layers sign, which must equal [`subtree_keys`](Self::subtree_keys) at that index.
    ///
    /// # Errors
    /// [`Error::Invalid`].
    fn check(&self, message: &[u8], signature: &[u8]) -> Result<Checked, Error> {
        self.check_message(message.into(), signature)
    }

    /// Verifies a signature of a message that need not be in memory, as [`check`](Self::check)
    /// does.
    ///
    /// # Errors
    /// [`Error::Invalid`].
    fn check_message(&self, message: Message<'_>, signature: &[u8]) -> Result<Checked, Error>;
}

/// A layer whose trees another layer signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubtreeLayer {
    /// How many signatures a tree can make, with all trees below it: a power of two.
    pub signatures: u64,
    /// Bytes of the public key of a tree, as the layer above signs it.
    pub public_key: usize,
}

/// The contents of a valid signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The index of the signature.
    pub index: u64,
    /// The concatenated public keys that the upper layers sign, from the top down.
    pub subtree_keys: Vec<u8>,
}
