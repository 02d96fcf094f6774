//! Private keys.
use alloc::vec::Vec;
use core::fmt;

use oaklath_hash::sha2::Sha256;
use oaklath_simd::ct::differ;
use zeroize::Zeroizing;

use crate::error::Error;
#[cfg(feature = "test-faults")]
use crate::faults;
use crate::hypertree::cache;
use crate::hypertree::layers::{Hypertree, shapes};
use crate::hypertree::scheme::HypertreeScheme;
use crate::index::Index;
use crate::key::{Checked, Growth, StatefulKey, SubtreeLayer};
use crate::message::Message;

/// A family of stateful signatures: LMS and HSS, or XMSS and XMSS^MT. Implemented only in this
/// crate.
pub trait HypertreeFamily {
    /// The parameters for key generation: `&HssLevels`, or a set of XMSS.
    type Parameters<'a>: Copy;
    /// A public key.
    type PublicKey: fmt::Debug + Send + Sync;
    #[doc(hidden)]
    type Scheme: HypertreeScheme;
    #[doc(hidden)]
    const SIGNING_KEY: &'static str;
    #[doc(hidden)]
    const GENERATION: &'static str;

    /// Returns the number of bytes of a seed.
    #[doc(hidden)]
    fn seed_len(parameters: Self::Parameters<'_>) -> usize;
    /// Derives the secrets of a key from a seed. Fails with
    /// [`Error::SeedLength`] or [`Error::TooTall`].
    #[doc(hidden)]
    fn scheme(parameters: Self::Parameters<'_>, seed: &[u8]) -> Result<Self::Scheme, Error>;
    #[doc(hidden)]
    fn public_key(scheme: &Self::Scheme, root: &[u8]) -> Self::PublicKey;
    #[doc(hidden)]
    fn public_bytes(public: &Self::PublicKey) -> &[u8];
    #[doc(hidden)]
    fn check(
        public: &Self::PublicKey,
        message: Message<'_>,
        signature: &[u8],
    ) -> Result<Checked, Error>;
}

/// A private key of a family: [`HssSigningKey`](crate::HssSigningKey) or
/// [`XmssSigningKey`](crate::XmssSigningKey).
pub struct SigningKey<F: HypertreeFamily> {
    scheme: F::Scheme,
    trees: Hypertree,
    growth: Growth,
    public: F::PublicKey,
    /// The checksum of the other fields when the key was made.
    checksum: Zeroizing<[u8; CHECKSUM]>,
}

/// Bytes of the checksum at the end of an encoded private key.
const CHECKSUM: usize = 32;

/// Splits an encoded private key, which has `len` bytes without a checksum, from the checksum,
/// which is empty in keys of versions that had none.
///
/// # Errors
/// [`Error::SecretKeyLength`].
pub(crate) fn split_checksum(bytes: &[u8], len: usize) -> Result<(&[u8], &[u8]), Error> {
    let (expected, found) = (len + CHECKSUM, bytes.len());
    match bytes.split_at_checked(len) {
        Some((key, checksum)) if [0, CHECKSUM].contains(&checksum.len()) => Ok((key, checksum)),
        _ => Err(Error::SecretKeyLength { expected, found }),
    }
}

impl<F: HypertreeFamily> SigningKey<F> {
    pub(crate) fn new(scheme: F::Scheme, trees: Hypertree) -> Self {
        let public = F::public_key(&scheme, trees.root());
        let checksum = Self::checksum(&scheme, &public);
        Self { scheme, trees, growth: Growth::Even, public, checksum }
    }

    /// Computes SHA-256 of everything from which the key is made.
    fn checksum(scheme: &F::Scheme, public: &F::PublicKey) -> Zeroizing<[u8; CHECKSUM]> {
        let hasher = Sha256::new().chain(F::SIGNING_KEY.as_bytes()).chain(F::public_bytes(public));
        Zeroizing::new(hasher.chain(&scheme.owner()).finish())
    }

    /// Returns the key if `checksum` is right or empty.
    ///
    /// # Errors
    /// [`Error::SecretKeyInconsistent`].
    pub(crate) fn checked_by(self, checksum: &[u8]) -> Result<Self, Error> {
        if !checksum.is_empty() && differ(checksum, &*self.checksum).declassify() {
            return Err(Error::SecretKeyInconsistent);
        }
        Ok(self)
    }

    /// Goes to an index, and then checks that the key in memory has not changed since it was made.
    /// The check is done after the secrets are used, so that earlier changes are detected, too.
    ///
    /// # Errors
    /// [`Error::Fault`], and those of [`Hypertree::seek`].
    fn seek(&mut self, index: u64) -> Result<(), Error> {
        self.trees.seek(&self.scheme, index)?;
        #[cfg(feature = "test-faults")]
        faults::strike(self.scheme.memory());
        let checksum = Self::checksum(&self.scheme, &self.public);
        if differ(&*checksum, &*self.checksum).declassify() { Err(Error::Fault) } else { Ok(()) }
    }

    /// Returns the key with the index of its next signature, as read from another program's key.
    ///
    /// # Errors
    /// [`Error::IndexBeyondEnd`], as in a key that was erased when it was used up.
    pub(crate) fn continued_at(self, index: u64) -> Result<(Self, u64), Error> {
        let signatures = self.signatures();
        if index > signatures {
            return Err(Error::IndexBeyondEnd { index, signatures });
        }
        Ok((self, index))
    }

    /// Returns a key of which no nodes have been computed.
    pub(crate) fn of_root(scheme: F::Scheme, root: &[u8], node_bytes: usize) -> Self {
        let trees = Hypertree::new(shapes(&scheme, node_bytes), root);
        Self::new(scheme, trees)
    }

    /// Returns the public key.
    #[must_use]
    pub fn public(&self) -> &F::PublicKey {
        &self.public
    }

    /// Returns the encoded private key, which begins with the bytes of the public key. For HSS, the
    /// types of all levels and the seed follow; for XMSS, `SK_PRF`, the secret seed, and a byte for
    /// the derivation, 1 or 2, as in Botan. The last 32 bytes are a checksum: SHA-256 of everything
    /// from which the key is made.
    #[must_use]
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        let private = self.scheme.private_bytes();
        Zeroizing::new([self.public_key(), &private, &self.checksum[..]].concat())
    }

    /// Returns the number of bytes that [`nodes`](Self::nodes) returns.
    #[must_use]
    pub fn nodes_len(&self) -> usize {
        cache::nodes_len(self.public_key(), self.trees.cut_len())
    }

    /// Returns nodes of the top tree as bytes, if they have been computed: with them a loaded key
    /// can sign without computing that tree again. They are public.
    #[must_use]
    pub fn nodes(&self) -> Option<Vec<u8>> {
        let (cut, nodes) = self.trees.cut_nodes()?;
        Some(cache::write_nodes(self.public_key(), cut, nodes))
    }

    /// Loads the bytes that [`nodes`](Self::nodes) of a key with as much memory for nodes returned.
    /// They are not trusted: the nodes must lead to the root of the public key.
    ///
    /// # Errors
    /// [`Error::CacheForeign`] if they do not, or if they are nodes of another height.
    pub fn load_nodes(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let (cut, nodes) = cache::read_nodes(F::public_bytes(&self.public), bytes)?;
        self.trees.load(&self.scheme, cut, nodes)
    }
}

impl<F: HypertreeFamily> StatefulKey for SigningKey<F> {
    fn signatures(&self) -> u64 {
        self.trees.signatures(0)
    }
    fn signatures_of_tree(&self) -> u64 {
        self.trees.signatures(self.trees.count() - 1)
    }
    fn public_key(&self) -> &[u8] {
        F::public_bytes(&self.public)
    }
    fn identity(&self) -> Vec<u8> {
        [self.public_key(), &self.scheme.lower_types()].concat()
    }
    fn signature_len(&self) -> usize {
        self.scheme.signature_len()
    }
    fn sign_message_at(
        &mut self,
        index: Index,
        message: Message<'_>,
        out: &mut [u8],
    ) -> Result<usize, Error> {
        let (len, index) = (self.signature_len(), index.value());
        out.fill(0);
        let mut rest = &mut out[..len];
        #[cfg(feature = "test-faults")]
        faults::strike(self.scheme.memory());
        self.seek(index)?;
        let (head, digest) = self.scheme.begin(index, self.trees.root(), message);
        let layers = self.trees.sign(index, digest.as_ref().map_or(message, Message::from))?;
        for part in [&head[..]].into_iter().chain(self.scheme.order(layers)) {
            let (to, after) = rest.split_at_mut(part.len());
            to.copy_from_slice(part);
            rest = after;
        }
        if self.growth == Growth::Even {
            self.trees.grow_share(&self.scheme, index);
        }
        Ok(len)
    }
    fn prepare(&mut self, index: u64) -> Result<(), Error> {
        self.seek(index)
    }
    fn set_growth(&mut self, growth: Growth) {
        self.growth = growth;
    }
    fn grow(&mut self, leaves: u32) -> u32 {
        match self.growth {
            Growth::Even | Growth::Idle => self.trees.grow_ahead(&self.scheme, leaves),
            Growth::Lazy => 0,
        }
    }
    fn subtree_keys(&mut self, index: u64) -> Result<Vec<u8>, Error> {
        self.prepare(index)?;
        self.trees.subtree_keys()
    }
    fn layers(&self) -> Vec<SubtreeLayer> {
        let layer = |layer| SubtreeLayer {
            signatures: self.trees.signatures(layer),
            public_key: self.scheme.signed_key_len(layer),
        };
        (1..self.trees.count()).map(layer).collect()
    }
    fn check_message(&self, message: Message<'_>, signature: &[u8]) -> Result<Checked, Error> {
        F::check(&self.public, message, signature)
    }
}

impl<F: HypertreeFamily> fmt::Debug for SigningKey<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(F::SIGNING_KEY).field("public", &self.public).finish_non_exhaustive()
    }
}
