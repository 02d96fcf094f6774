//! Private keys of HSS, and of LMS as HSS of one level.
use alloc::vec::Vec;
use core::fmt;
use core::ops::ControlFlow;

use oaklath_params::stateful::lms::{LmotsType, LmsInfo, LmsType};
use zeroize::Zeroizing;

use crate::cache;
use crate::grown::Shape;
use crate::hypertree::{Generation, Hypertree};
use crate::lms::public::{Types, word};
use crate::lms::secret::{Secrets, TreeSecret, public_key};
use crate::lms::{HssPublicKey, MOST_LEVELS};
use crate::{Checked, Error, Index, Layer, MOST_HEIGHTS, StatefulKey};

/// Length of an identifier I.
const ID: usize = 16;

/// The levels of a key of HSS, from the top down: of each the type of its trees and of their one-time
/// signatures. All have one hash function (SP 800-208, section 4).
///
/// ```
/// use oaklath_params::stateful::lms;
/// use oaklath_stateful::HssLevels;
///
/// let levels = HssLevels::from(&lms::L2_H10_W4);
/// assert_eq!((levels.signatures(), levels.signature_len()), (1 << 20, 5076));
/// // H20 above H15, the lower one with shorter signatures.
/// let mixed = HssLevels::new(&[
///     (&lms::LMS_SHA256_M32_H20, &lms::LMOTS_SHA256_N32_W4),
///     (&lms::LMS_SHA256_M32_H15, &lms::LMOTS_SHA256_N32_W8),
/// ])?;
/// assert_eq!(mixed.seed_len(), 32 + 16);
/// # Ok::<(), oaklath_stateful::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HssLevels(Vec<Types>);

impl HssLevels {
    /// Levels of these types, from the top down.
    ///
    /// # Errors
    /// [`Error::Levels`], [`Error::TypesDiffer`], [`Error::TooTall`].
    pub fn new(levels: &[(&'static LmsType, &'static LmotsType)]) -> Result<Self, Error> {
        if !(1..=MOST_LEVELS).contains(&levels.len()) {
            return Err(Error::Levels { found: levels.len() });
        }
        let types: Result<Vec<_>, _> =
            levels.iter().map(|(lms, lmots)| Types::new(lms, lmots)).collect();
        let types = types?;
        if types.iter().any(|level| level.hash_and_len() != types[0].hash_and_len()) {
            return Err(Error::TypesDiffer);
        }
        let heights = types.iter().map(|level| level.lms.h as u32).sum();
        if heights > MOST_HEIGHTS {
            return Err(Error::TooTall { found: heights });
        }
        Ok(Self(types))
    }

    /// Length of the seed of a key: a hash value's, and that of an identifier.
    #[must_use]
    pub fn seed_len(&self) -> usize {
        self.0[0].lms.m + ID
    }

    /// How many signatures a key gives.
    #[must_use]
    pub fn signatures(&self) -> u64 {
        1 << self.0.iter().map(|level| level.lms.h).sum::<usize>()
    }

    /// Length of a signature.
    #[must_use]
    pub fn signature_len(&self) -> usize {
        signature_len(&self.0)
    }

    /// # Errors
    /// [`Error::SeedLength`].
    fn secrets(&self, seed: &[u8], node_bytes: usize) -> Result<Secrets, Error> {
        let (expected, found, n) = (self.seed_len(), seed.len(), self.0[0].lms.m);
        if expected != found {
            return Err(Error::SeedLength { expected, found });
        }
        let (seed, id) = seed.split_at(n);
        let mut top = TreeSecret { id: [0; ID], seed: [0; 32] };
        top.seed[..n].copy_from_slice(seed);
        top.id.copy_from_slice(id);
        let shape = |level: &Types| Shape::within(n, level.lms.h as u32, node_bytes);
        Ok(Secrets { shapes: self.0.iter().map(shape).collect(), levels: self.0.clone(), top })
    }
}

/// Length of a signature: the number of signed keys, signatures and keys.
fn signature_len(levels: &[Types]) -> usize {
    let keys: usize = levels[1..].iter().map(|level| level.lms.public_key()).sum();
    4 + keys + levels.iter().map(Types::signature).sum::<usize>()
}

impl From<&LmsInfo> for HssLevels {
    fn from(set: &LmsInfo) -> Self {
        let types = Types { lms: set.lms, lmots: set.lmots };
        Self((0..set.levels).map(|_| types).collect())
    }
}

/// The generation of a key of HSS, which takes minutes if its top tree is tall: it can be watched,
/// cancelled, and gone on with later.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use oaklath_params::stateful::lms;
/// use oaklath_stateful::{Error, HssGeneration, HssLevels, NODE_BYTES};
///
/// let levels = HssLevels::from(&lms::L1_H15_W2);
/// // In earnest it comes from a random generator.
/// let seed = [7; 48];
/// let mut generation = HssGeneration::new(&levels, &seed, NODE_BYTES)?;
/// let stop = |done, _| match done < 2000 {
///     true => ControlFlow::Continue(()),
///     false => ControlFlow::Break(()),
/// };
/// assert_eq!(generation.run(stop), Err(Error::Cancelled));
/// let kept = generation.to_bytes();
///
/// let later = HssGeneration::resume(&levels, &seed, NODE_BYTES, &kept)?;
/// assert!(later.done() >= 2000);
/// # Ok::<(), Error>(())
/// ```
pub struct HssGeneration {
    generation: Generation<Secrets>,
    seed: Zeroizing<Vec<u8>>,
}

impl HssGeneration {
    /// Begins. `seed` is secret and random, [`HssLevels::seed_len`] bytes; of each tree, nodes are kept
    /// that take about `node_bytes` bytes: [`NODE_BYTES`](crate::NODE_BYTES) is a good choice.
    ///
    /// # Errors
    /// [`Error::SeedLength`].
    pub fn new(levels: &HssLevels, seed: &[u8], node_bytes: usize) -> Result<Self, Error> {
        let generation = Generation::new(levels.secrets(seed, node_bytes)?);
        Ok(Self { generation, seed: Zeroizing::new(seed.to_vec()) })
    }

    /// Goes on where [`to_bytes`](Self::to_bytes) was called. Of the top tree as much is kept as was meant
    /// then.
    ///
    /// # Errors
    /// [`Error::SeedLength`]; [`Error::CacheForeign`] if the bytes are of another key, or damaged.
    pub fn resume(
        levels: &HssLevels,
        seed: &[u8],
        node_bytes: usize,
        bytes: &[u8],
    ) -> Result<Self, Error> {
        let mut secrets = levels.secrets(seed, node_bytes)?;
        let (cut, nodes) = cache::read_growth(&owner(levels, seed), bytes)?;
        secrets.shapes[0].cut = cut;
        let generation = Generation::resume(secrets, nodes).ok_or(Error::CacheForeign)?;
        Ok(Self { generation, seed: Zeroizing::new(seed.to_vec()) })
    }

    /// What is done so far, for [`resume`](Self::resume): public, and sealed against damage.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let secrets = self.generation.scheme();
        let owner = owner(&HssLevels(secrets.levels.clone()), &self.seed);
        cache::write_growth(&owner, secrets.shapes[0].cut, self.generation.cut_nodes())
    }

    /// Leaves of the top tree that are there.
    #[must_use]
    pub fn done(&self) -> u64 {
        self.generation.done()
    }

    /// Grows the top tree, and asks now and then whether to go on, with the number of leaves that are
    /// there and of all.
    ///
    /// # Errors
    /// [`Error::Cancelled`]: it can be called again.
    pub fn run(&mut self, go_on: impl FnMut(u64, u64) -> ControlFlow<()>) -> Result<(), Error> {
        self.generation.run(go_on)
    }

    /// The key; what is left is grown.
    #[must_use]
    pub fn finish(self) -> HssSigningKey {
        HssSigningKey::new(self.generation.finish())
    }
}

impl fmt::Debug for HssGeneration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HssGeneration").field("done", &self.done()).finish_non_exhaustive()
    }
}

/// What tells generations apart: the types and the seed.
fn owner(levels: &HssLevels, seed: &[u8]) -> Zeroizing<Vec<u8>> {
    let mut owner = Zeroizing::new(levels.to_bytes());
    owner.extend_from_slice(seed);
    owner
}

impl HssLevels {
    /// The type codes.
    fn to_bytes(&self) -> Vec<u8> {
        let codes = |types: &Types| [types.lms.typecode, types.lmots.typecode];
        self.0.iter().flat_map(codes).flat_map(u32::to_be_bytes).collect()
    }

    /// Takes `count` levels from the beginning of bytes.
    fn split(count: usize, bytes: &[u8]) -> Result<(Self, &[u8]), Error> {
        let expected = 8 * count;
        let (codes, rest) = bytes
            .split_at_checked(expected)
            .ok_or(Error::SecretKeyLength { expected, found: bytes.len() })?;
        let types: Result<Vec<_>, _> = codes
            .as_chunks::<8>()
            .0
            .iter()
            .map(|codes| {
                let (lms, rest) = word(codes).unwrap_or_default();
                let (lmots, _) = word(rest).unwrap_or_default();
                Types::of_codes(lms, lmots).map(|types| (types.lms, types.lmots))
            })
            .collect();
        Ok((Self::new(&types?)?, rest))
    }
}

/// A private key of HSS, or of LMS: HSS of one level (RFC 8554, section 6). The keys of lower trees and
/// the randomizers are derived from the seed as cisco's hash-sigs does.
///
/// ```
/// use oaklath_params::stateful::lms;
/// use oaklath_stateful::{HssLevels, HssSigningKey, Index, NODE_BYTES, StatefulKey};
///
/// let levels = HssLevels::from(&lms::L3_H5_W4);
/// // In earnest it comes from a random generator.
/// let mut key = HssSigningKey::generate(&levels, &[7; 48], NODE_BYTES)?;
/// let mut signature = vec![0; key.signature_len()];
/// // In earnest it comes from a store.
/// let index = Index::from_durable_record(0);
/// key.sign_at(index, b"firmware", &mut signature)?;
/// key.public().verify(b"firmware", &signature)?;
/// # Ok::<(), oaklath_stateful::Error>(())
/// ```
pub struct HssSigningKey {
    trees: Hypertree<Secrets>,
    public: HssPublicKey,
}

impl HssSigningKey {
    /// Generates a key: [`HssGeneration`] in one go.
    ///
    /// # Errors
    /// [`Error::SeedLength`].
    pub fn generate(levels: &HssLevels, seed: &[u8], node_bytes: usize) -> Result<Self, Error> {
        Ok(HssGeneration::new(levels, seed, node_bytes)?.finish())
    }

    fn new(trees: Hypertree<Secrets>) -> Self {
        let secrets = trees.scheme();
        let top = public_key(secrets.levels[0], &secrets.top.id, trees.root());
        let bytes = [&(secrets.levels.len() as u32).to_be_bytes()[..], &top].concat();
        let public = HssPublicKey::from_bytes(&bytes).expect("a public key of known types");
        Self { trees, public }
    }

    /// The public key.
    #[must_use]
    pub fn public(&self) -> &HssPublicKey {
        &self.public
    }

    /// The private key's bytes: the public key, the types of all levels, and the seed.
    #[must_use]
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        let secrets = self.trees.scheme();
        let types = HssLevels(secrets.levels.clone()).to_bytes();
        let seed = &secrets.top.seed[..secrets.levels[0].lms.m];
        Zeroizing::new([self.public.as_bytes(), &types, seed].concat())
    }

    /// Parses what [`to_bytes`](Self::to_bytes) gave. Nothing is grown yet: the root is that of the
    /// bytes, and trees that do not lead to it are refused when they are.
    ///
    /// # Errors
    /// [`Error::SecretKeyLength`], [`Error::SecretKeyInconsistent`] if public key and types do not go
    /// together, and those of [`HssPublicKey::from_bytes`] and [`HssLevels::new`].
    pub fn from_bytes(bytes: &[u8], node_bytes: usize) -> Result<Self, Error> {
        let wrong_length = |expected| Error::SecretKeyLength { expected, found: bytes.len() };
        let begin = bytes.get(..12).ok_or(wrong_length(12))?;
        let (levels, begin) = word(begin).unwrap_or_default();
        let (lms, begin) = word(begin).unwrap_or_default();
        let (lmots, _) = word(begin).unwrap_or_default();
        let types = Types::of_codes(lms, lmots)?;
        let of_public = 4 + types.lms.public_key();
        let (public, rest) = bytes.split_at_checked(of_public).ok_or(wrong_length(of_public))?;
        let public = HssPublicKey::from_bytes(public)?;
        let (levels, seed) = HssLevels::split(levels as usize, rest)?;
        if levels.0[0] != types {
            return Err(Error::SecretKeyInconsistent);
        }
        let (n, of_all) = (types.lms.m, bytes.len() - seed.len());
        if seed.len() != n {
            return Err(wrong_length(of_all + n));
        }
        let (id, root) = public.top().as_bytes()[8..].split_at(ID);
        let seed = Zeroizing::new([seed, id].concat());
        let trees = Hypertree::new(levels.secrets(&seed, node_bytes)?, root);
        Ok(Self { trees, public })
    }

    /// Parses a private key file of cisco's hash-sigs, or of Botan: the number of levels, an index, the
    /// types, the seed and I. The top tree is grown. With it comes the index of the next signature, for
    /// a store to begin with: whoever signs here must never sign there again.
    ///
    /// # Errors
    /// [`Error::SecretKeyLength`], and those of [`HssLevels::new`].
    pub fn from_hash_sigs(bytes: &[u8], node_bytes: usize) -> Result<(Self, u64), Error> {
        let wrong_length = |expected| Error::SecretKeyLength { expected, found: bytes.len() };
        let (levels, rest) = word(bytes).ok_or(wrong_length(4))?;
        let (index, rest) = rest.split_first_chunk().ok_or(wrong_length(12))?;
        if levels as usize > MOST_LEVELS {
            return Err(Error::Levels { found: levels as usize });
        }
        let (levels, seed) = HssLevels::split(levels as usize, rest)?;
        if seed.len() != levels.seed_len() {
            return Err(wrong_length(bytes.len() - seed.len() + levels.seed_len()));
        }
        let key = Self::generate(&levels, seed, node_bytes)?;
        Ok((key, u64::from_be_bytes(*index)))
    }

    /// Nodes of the top tree as bytes, if they are there: with them a key that was loaded signs without
    /// growing that tree again. They are public.
    #[must_use]
    pub fn nodes(&self) -> Option<Vec<u8>> {
        let (cut, nodes) = self.trees.cut_nodes()?;
        Some(cache::write_nodes(self.public.as_bytes(), cut, nodes))
    }

    /// Takes what [`nodes`](Self::nodes) gave. They are not trusted: they must lead to the root of the
    /// public key.
    ///
    /// # Errors
    /// [`Error::CacheForeign`] if they do not.
    pub fn load_nodes(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let (cut, nodes) = cache::read_nodes(self.public.as_bytes(), bytes)?;
        self.trees.load(cut, nodes)
    }

    /// Writes the signature at an index that was sought.
    fn write(&mut self, index: u64, message: &[u8], out: &mut [u8]) {
        let signed = (self.trees.scheme().levels.len() - 1) as u32;
        let (count, mut rest) = out.split_at_mut(4);
        count.copy_from_slice(&signed.to_be_bytes());
        let mut put = |bytes: &[u8]| {
            let (to, after) = core::mem::take(&mut rest).split_at_mut(bytes.len());
            to.copy_from_slice(bytes);
            rest = after;
        };
        for (signature, key) in self.trees.uppers() {
            put(signature);
            put(&key);
        }
        put(self.trees.sign(index, message));
    }
}

impl StatefulKey for HssSigningKey {
    fn signatures(&self) -> u64 {
        self.trees.signatures()
    }
    fn signatures_of_tree(&self) -> u64 {
        self.trees.signatures_of_tree()
    }
    fn public_key(&self) -> &[u8] {
        self.public.as_bytes()
    }
    fn signature_len(&self) -> usize {
        signature_len(&self.trees.scheme().levels)
    }
    fn sign_at(&mut self, index: Index, message: &[u8], out: &mut [u8]) -> Result<usize, Error> {
        let len = self.signature_len();
        out.fill(0);
        let out = &mut out[..len];
        self.trees.seek(index.value())?;
        self.write(index.value(), message, out);
        self.trees.work_ahead(index.value());
        Ok(len)
    }
    fn prepare(&mut self, index: u64) -> Result<(), Error> {
        self.trees.seek(index)
    }
    fn subtree_keys(&mut self, index: u64) -> Result<Vec<u8>, Error> {
        self.trees.seek(index)?;
        Ok(self.trees.uppers().flat_map(|(_, key)| key).collect())
    }
    fn layers(&self) -> Vec<Layer> {
        let levels = &self.trees.scheme().levels;
        let height = |from: usize| levels[from..].iter().map(|types| types.lms.h).sum::<usize>();
        let layer =
            |at| Layer { signatures: 1 << height(at), public_key: levels[at].lms.public_key() };
        (1..levels.len()).map(layer).collect()
    }
    fn check(&self, message: &[u8], signature: &[u8]) -> Result<Checked, Error> {
        self.public.check(message, signature)
    }
}

impl fmt::Debug for HssSigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HssSigningKey").field("public", &self.public).finish_non_exhaustive()
    }
}
