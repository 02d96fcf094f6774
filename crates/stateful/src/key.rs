//! What a store needs of a private key, whatever the scheme.
use alloc::vec::Vec;

use crate::error::Error;
use crate::index::Index;
use crate::message::Message;

/// Default memory for the nodes of a tree, in bytes. Trees up to height 12 (11 with 64-byte nodes)
/// are kept whole; a taller one costs one leaf of work per signature.
pub const NODE_BYTES: usize = 256 << 10;

/// When a private key computes what its next signatures will need: the next tree of each lower
/// layer and, of a tree that is too tall to be kept whole, its next part. No signature depends on
/// it, and neither does any check.
///
/// A leaf of a lower tree is computed twice whatever is chosen, since a fault in it must not be
/// signed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Growth {
    /// With each signature an even share, about a leaf, so that no signature takes much longer than
    /// another.
    #[default]
    Even,
    /// In [`StatefulKey::grow`] alone, which is to be called while nobody waits for a signature, or
    /// by a thread beside. What it has not done is done by the signature that needs it.
    Idle,
    /// Nothing ahead: the first signature of a tree computes the whole of it, and the others
    /// nothing but themselves. Takes the least memory, and is best for a key that is loaded for a
    /// few signatures.
    Lazy,
}

/// A private key of LMS, HSS, XMSS or XMSS^MT: a function from indices and messages to signatures.
/// It knows nothing of which indices are used; a store does.
///
/// For one index and message a key always gives equal bytes, on every machine and after every
/// reload. In a hierarchy that holds for the upper layers too: each of their keys signs one message
/// only, the public key of the tree below it, which is derived from the private key (RFC 8554,
/// section 6; RFC 8391, section 4.2).
pub trait StatefulKey: Send + Sync {
    /// Returns how many signatures the key gives: indices run from 0 to one less.
    fn signatures(&self) -> u64;

    /// Returns how many signatures a bottom tree holds, a power of two: all of
    /// [`signatures`](Self::signatures) if there is one layer. Those from a multiple of this on
    /// share all signatures of the layers above: leases aligned to it are whole trees.
    fn signatures_of_tree(&self) -> u64;

    /// Returns the public key's bytes, which name the parameter set.
    fn public_key(&self) -> &[u8];

    /// Returns the bytes that name the key: the public key, and in a hierarchy of several types
    /// those of the lower layers.
    fn identity(&self) -> Vec<u8> {
        self.public_key().to_vec()
    }

    /// Returns the length of a signature, which is one for all signatures of a key.
    fn signature_len(&self) -> usize;

    /// Signs: writes the signature to the beginning of `out`, and returns its length. The index is
    /// used up, whatever happens. After an error `out` is zero.
    ///
    /// The signature is not yet compared with anything: before it is released,
    /// [`check`](Self::check) must accept it.
    ///
    /// # Errors
    /// [`Error::IndexBeyondEnd`]; [`Error::SecretKeyInconsistent`] if the top tree has not the root
    /// of the public key; [`Error::Fault`] if a lower tree has two roots, or the key has changed in
    /// memory.
    ///
    /// # Panics
    /// If `out` is shorter than a signature.
    fn sign_at(&mut self, index: Index, message: &[u8], out: &mut [u8]) -> Result<usize, Error> {
        self.sign_message_at(index, message.into(), out)
    }

    /// Signs a message that need not be in memory, as [`sign_at`](Self::sign_at) does.
    ///
    /// # Errors
    /// As [`sign_at`](Self::sign_at).
    ///
    /// # Panics
    /// As [`sign_at`](Self::sign_at).
    fn sign_message_at(
        &mut self,
        index: Index,
        message: Message<'_>,
        out: &mut [u8],
    ) -> Result<usize, Error>;

    /// Does what can be done before a signature at `index` is asked for: grows the trees on the way
    /// to it that are not kept yet. Signing does this itself where it was not done before. No index
    /// is used.
    ///
    /// # Errors
    /// As [`sign_at`](Self::sign_at).
    fn prepare(&mut self, index: u64) -> Result<(), Error>;

    /// Chooses when the key computes what its next signatures will need: [`Growth::Even`] until
    /// this is called.
    fn set_growth(&mut self, growth: Growth);

    /// Computes up to so many leaves of what the signatures after the last one will need, those
    /// first that are needed first, and returns how many: fewer if nothing is left to do, none with
    /// [`Growth::Lazy`]. No index is used.
    ///
    /// Nothing fails here: what is wrong is noticed by the signature that needs it.
    fn grow(&mut self, leaves: u32) -> u32;

    /// Returns the public keys that the layers above sign on the way to `index`, from the top down,
    /// one after the other; nothing if there is one layer. They are derived from the private key. A
    /// store keeps them with its record and compares them with what [`check`](Self::check) finds in
    /// a signature before that leaves: an upper key must never sign another.
    ///
    /// # Errors
    /// As [`sign_at`](Self::sign_at).
    fn subtree_keys(&mut self, index: u64) -> Result<Vec<u8>, Error>;

    /// Returns the layers below the top one, from there down; nothing if there is one layer. They
    /// tell how to split the bytes of [`subtree_keys`](Self::subtree_keys): a tree must have one
    /// key in all signatures below it.
    fn layers(&self) -> Vec<SubtreeLayer>;

    /// Verifies a signature with the public key alone, and returns what the upper layers sign
    /// by it: what [`subtree_keys`](Self::subtree_keys) must be at its index.
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

/// The trees of a layer that another layer signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubtreeLayer {
    /// How many signatures one tree gives, with all that is below it: a power of two.
    pub signatures: u64,
    /// Length of its public key, as the layer above signs it.
    pub public_key: usize,
}

/// What a valid signature says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The index that it was made at.
    pub index: u64,
    /// The public keys that the upper layers sign, from the top down, one after the other.
    pub subtree_keys: Vec<u8>,
}
