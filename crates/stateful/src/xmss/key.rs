//! Private keys of XMSS and XMSS^MT.
use alloc::vec::Vec;
use core::fmt;
use core::ops::ControlFlow;

use oaklath_params::stateful::xmss::{XmssInfo, xmss_by_oid, xmss_mt_by_oid};
use zeroize::Zeroizing;

use crate::cache;
use crate::grown::Shape;
use crate::hypertree::{Generation, Hypertree};
use crate::xmss::secret::Secrets;
use crate::xmss::{Derivation, XmssPublicKey};
use crate::{Checked, Error, Index, Layer, MOST_HEIGHTS, StatefulKey};

/// Length of the seed of a key: the secret seed, `SK_PRF` and SEED.
///
/// ```
/// use oaklath_params::stateful::xmss;
/// assert_eq!(oaklath_stateful::xmss_seed_len(&xmss::XMSS_SHA2_10_256), 96);
/// ```
#[must_use]
pub fn xmss_seed_len(info: &XmssInfo) -> usize {
    3 * info.n
}

/// # Errors
/// [`Error::SeedLength`], [`Error::TooTall`].
fn secrets(
    info: &'static XmssInfo,
    seed: &[u8],
    derivation: Derivation,
    node_bytes: usize,
) -> Result<Secrets, Error> {
    let (expected, found, n) = (xmss_seed_len(info), seed.len(), info.n);
    if expected != found {
        return Err(Error::SeedLength { expected, found });
    }
    if info.h as u32 > MOST_HEIGHTS {
        return Err(Error::TooTall { found: info.h as u32 });
    }
    let shape = Shape::within(n, info.tree_height() as u32, node_bytes);
    Ok(Secrets {
        info,
        shapes: (0..info.d).map(|_| shape).collect(),
        secret_seed: Zeroizing::new(seed[..n].to_vec()),
        prf: Zeroizing::new(seed[n..2 * n].to_vec()),
        public_seed: seed[2 * n..].to_vec(),
        derivation,
    })
}

/// The generation of a key of XMSS or XMSS^MT, which takes minutes if its top tree is tall: it can be
/// watched, cancelled, and gone on with later.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use oaklath_params::stateful::xmss;
/// use oaklath_stateful::{Error, NODE_BYTES, XmssGeneration};
///
/// let set = &xmss::XMSSMT_SHA2_20_4_256;
/// // In earnest it comes from a random generator.
/// let mut generation = XmssGeneration::new(set, &[7; 96], NODE_BYTES)?;
/// assert_eq!(generation.run(|_, _| ControlFlow::Break(())), Err(Error::Cancelled));
/// let kept = generation.to_bytes();
/// let later = XmssGeneration::resume(set, &[7; 96], NODE_BYTES, &kept)?;
/// assert_eq!(later.finish().public().info(), set);
/// # Ok::<(), Error>(())
/// ```
pub struct XmssGeneration {
    generation: Generation<Secrets>,
    seed: Zeroizing<Vec<u8>>,
}

impl XmssGeneration {
    /// Begins. `seed` is secret and random, [`xmss_seed_len`] bytes; of each tree, nodes are kept that
    /// take about `node_bytes` bytes: [`NODE_BYTES`](crate::NODE_BYTES) is a good choice.
    ///
    /// # Errors
    /// [`Error::SeedLength`].
    pub fn new(info: &'static XmssInfo, seed: &[u8], node_bytes: usize) -> Result<Self, Error> {
        Self::with_derivation(info, seed, Derivation::default(), node_bytes)
    }

    /// Begins, with another way to the secrets of one-time keys.
    ///
    /// # Errors
    /// [`Error::SeedLength`].
    pub fn with_derivation(
        info: &'static XmssInfo,
        seed: &[u8],
        derivation: Derivation,
        node_bytes: usize,
    ) -> Result<Self, Error> {
        let generation = Generation::new(secrets(info, seed, derivation, node_bytes)?);
        Ok(Self { generation, seed: Zeroizing::new(seed.to_vec()) })
    }

    /// Goes on where [`to_bytes`](Self::to_bytes) was called, with the default derivation. Of the top
    /// tree as much is kept as was meant then.
    ///
    /// # Errors
    /// [`Error::SeedLength`]; [`Error::CacheForeign`] if the bytes are of another key, or damaged.
    pub fn resume(
        info: &'static XmssInfo,
        seed: &[u8],
        node_bytes: usize,
        bytes: &[u8],
    ) -> Result<Self, Error> {
        let mut secrets = secrets(info, seed, Derivation::default(), node_bytes)?;
        let (cut, nodes) = cache::read_growth(&owner(&secrets, seed), bytes)?;
        secrets.shapes[0].cut = cut;
        let generation = Generation::resume(secrets, nodes).ok_or(Error::CacheForeign)?;
        Ok(Self { generation, seed: Zeroizing::new(seed.to_vec()) })
    }

    /// What is done so far, for [`resume`](Self::resume): public, and sealed against damage.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let secrets = self.generation.scheme();
        let owner = owner(secrets, &self.seed);
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
    pub fn finish(self) -> XmssSigningKey {
        XmssSigningKey::new(self.generation.finish())
    }
}

/// What tells generations apart: the set, the derivation and the seed.
fn owner(secrets: &Secrets, seed: &[u8]) -> Zeroizing<Vec<u8>> {
    let begin = [secrets.info.name.as_bytes(), &[secrets.derivation.tail()]].concat();
    let mut owner = Zeroizing::new(begin);
    owner.extend_from_slice(seed);
    owner
}

impl fmt::Debug for XmssGeneration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("XmssGeneration").field("done", &self.done()).finish_non_exhaustive()
    }
}

/// A private key of XMSS or XMSS^MT.
///
/// All `2^h` indices sign, the last one too (RFC 8391, section 4.1.3); some implementations stop one
/// before.
///
/// ```
/// use oaklath_params::stateful::xmss;
/// use oaklath_stateful::{Index, NODE_BYTES, StatefulKey, XmssSigningKey};
///
/// // In earnest the seed comes from a random generator.
/// let set = &xmss::XMSSMT_SHA2_20_4_256;
/// let mut key = XmssSigningKey::generate(set, &[7; 96], NODE_BYTES)?;
/// let mut signature = vec![0; key.signature_len()];
/// // In earnest it comes from a store.
/// let index = Index::from_durable_record(0);
/// key.sign_at(index, b"firmware", &mut signature)?;
/// key.public().verify(b"firmware", &signature)?;
/// # Ok::<(), oaklath_stateful::Error>(())
/// ```
pub struct XmssSigningKey {
    trees: Hypertree<Secrets>,
    public: XmssPublicKey,
}

impl XmssSigningKey {
    /// Generates a key: [`XmssGeneration`] in one go.
    ///
    /// # Errors
    /// [`Error::SeedLength`].
    pub fn generate(
        info: &'static XmssInfo,
        seed: &[u8],
        node_bytes: usize,
    ) -> Result<Self, Error> {
        Ok(XmssGeneration::new(info, seed, node_bytes)?.finish())
    }

    fn new(trees: Hypertree<Secrets>) -> Self {
        let Secrets { info, public_seed, .. } = trees.scheme();
        let bytes = [&info.oid.to_be_bytes()[..], trees.root(), public_seed].concat();
        let public = XmssPublicKey::of_info(info, &bytes);
        Self { trees, public: public.expect("a public key of its set") }
    }

    /// The public key.
    #[must_use]
    pub fn public(&self) -> &XmssPublicKey {
        &self.public
    }

    /// The private key's bytes: the public key, `SK_PRF`, the secret seed, and a byte for the
    /// derivation: 1 or 2, as Botan has it.
    #[must_use]
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        let Secrets { prf, secret_seed, derivation, .. } = self.trees.scheme();
        let parts: [&[u8]; 4] = [self.public.as_bytes(), prf, secret_seed, &[derivation.tail()]];
        Zeroizing::new(parts.concat())
    }

    /// Parses what [`to_bytes`](Self::to_bytes) of a key of XMSS gave. Nothing is grown yet: the root
    /// is that of the bytes, and trees that do not lead to it are refused when they are.
    ///
    /// # Errors
    /// [`Error::SecretKeyLength`], [`Error::UnknownType`].
    pub fn xmss_from_bytes(bytes: &[u8], node_bytes: usize) -> Result<Self, Error> {
        Self::parse(find(bytes, xmss_by_oid)?, bytes, node_bytes)
    }

    /// The same of XMSS^MT.
    ///
    /// # Errors
    /// [`Error::SecretKeyLength`], [`Error::UnknownType`].
    pub fn xmss_mt_from_bytes(bytes: &[u8], node_bytes: usize) -> Result<Self, Error> {
        Self::parse(find(bytes, xmss_mt_by_oid)?, bytes, node_bytes)
    }

    fn parse(info: &'static XmssInfo, bytes: &[u8], node_bytes: usize) -> Result<Self, Error> {
        let n = info.n;
        let parts = Parts { bytes, at: 4, expected: 4 + 4 * n + 1 };
        let ([root, public_seed, prf, secret_seed], tail) = parts.take([n; 4], 1)?;
        let derivation = Derivation::of_tail(tail)?;
        Self::of_parts(info, [root, public_seed, prf, secret_seed], derivation, node_bytes)
    }

    /// Parses a private key of XMSS as Botan has it: number, root, SEED, index, `SK_PRF`, secret seed
    /// and perhaps a byte for the derivation. With it comes the index of the next signature, for a
    /// store to begin with: whoever signs here must never sign there again.
    ///
    /// # Errors
    /// [`Error::SecretKeyLength`], [`Error::UnknownType`], [`Error::SecretKeyInconsistent`] if the last
    /// byte stands for nothing.
    pub fn from_botan(bytes: &[u8], node_bytes: usize) -> Result<(Self, u64), Error> {
        let info = find(bytes, xmss_by_oid)?;
        let n = info.n;
        let tail = usize::from(bytes.len() > 4 + 4 * n + 4);
        let parts = Parts { bytes, at: 4, expected: 4 + 4 * n + 4 + tail };
        let ([root, public_seed, index, prf, secret_seed], tail) =
            parts.take([n, n, 4, n, n], tail)?;
        let derivation = match tail {
            [] => Derivation::Rfc8391,
            tail => Derivation::of_tail(tail)?,
        };
        let parts = [root, public_seed, prf, secret_seed];
        Ok((Self::of_parts(info, parts, derivation, node_bytes)?, number(index)))
    }

    /// Parses a private key of XMSS or XMSS^MT as the reference implementation and liboqs have it:
    /// number, index, secret seed, `SK_PRF`, root and SEED, and perhaps a state of theirs, which is not
    /// used. With it comes the index of the next signature, as with [`from_botan`](Self::from_botan).
    ///
    /// # Errors
    /// [`Error::SecretKeyLength`], [`Error::UnknownType`].
    pub fn from_liboqs(
        multi_tree: bool,
        bytes: &[u8],
        node_bytes: usize,
    ) -> Result<(Self, u64), Error> {
        let info = find(bytes, if multi_tree { xmss_mt_by_oid } else { xmss_by_oid })?;
        let (n, expected) = (info.n, 4 + info.index() + 4 * info.n);
        let bytes = bytes.get(..expected).unwrap_or(bytes);
        let parts = Parts { bytes, at: 4, expected };
        let ([index, secret_seed, prf, root, public_seed], _) =
            parts.take([info.index(), n, n, n, n], 0)?;
        let parts = [root, public_seed, prf, secret_seed];
        Ok((Self::of_parts(info, parts, Derivation::Keygen, node_bytes)?, number(index)))
    }

    fn of_parts(
        info: &'static XmssInfo,
        [root, public_seed, prf, secret_seed]: [&[u8]; 4],
        derivation: Derivation,
        node_bytes: usize,
    ) -> Result<Self, Error> {
        let seed = Zeroizing::new([secret_seed, prf, public_seed].concat());
        let secrets = secrets(info, &seed, derivation, node_bytes)?;
        Ok(Self::new(Hypertree::new(secrets, root)))
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

    /// Writes the signature at an index that was sought: index, r, and the layers from the bottom up.
    fn write(&mut self, index: u64, message: &[u8], out: &mut [u8]) {
        let secrets = self.trees.scheme();
        let info = secrets.info;
        let (r, digest) = secrets.digest(index, self.trees.root(), message);
        let (number, rest) = out.split_at_mut(info.index());
        let (to, layers) = rest.split_at_mut(info.n);
        number.copy_from_slice(&index.to_be_bytes()[8 - info.index()..]);
        to.copy_from_slice(&r);
        let of_layer = info.n * (info.len + info.tree_height());
        let above = layers.chunks_exact_mut(of_layer).rev().zip(self.trees.uppers());
        above.for_each(|(to, (signature, _))| to.copy_from_slice(signature));
        layers[..of_layer].copy_from_slice(self.trees.sign(index, &digest));
    }
}

/// The set that the number at the beginning of a private key stands for.
fn find(
    bytes: &[u8],
    by_number: fn(u32) -> Option<&'static XmssInfo>,
) -> Result<&'static XmssInfo, Error> {
    let wrong_length = Error::SecretKeyLength { expected: 4, found: bytes.len() };
    let number = u32::from_be_bytes(*bytes.first_chunk().ok_or(wrong_length)?);
    by_number(number).ok_or(Error::UnknownType { found: number })
}

/// The fields of a private key.
struct Parts<'a> {
    bytes: &'a [u8],
    at: usize,
    expected: usize,
}

impl<'a> Parts<'a> {
    /// Fields of some lengths, and the last one.
    fn take<const K: usize>(
        self,
        lengths: [usize; K],
        last: usize,
    ) -> Result<([&'a [u8]; K], &'a [u8]), Error> {
        let Self { bytes, mut at, expected } = self;
        if bytes.len() != expected {
            return Err(Error::SecretKeyLength { expected, found: bytes.len() });
        }
        let fields = lengths.map(|length| {
            at += length;
            &bytes[at - length..at]
        });
        Ok((fields, &bytes[at..at + last]))
    }
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

impl Derivation {
    /// The byte that stands for it at the end of a private key.
    fn tail(self) -> u8 {
        match self {
            Self::Rfc8391 => 1,
            Self::Keygen => 2,
        }
    }

    /// # Errors
    /// [`Error::SecretKeyInconsistent`].
    fn of_tail(tail: &[u8]) -> Result<Self, Error> {
        match tail {
            [1] => Ok(Self::Rfc8391),
            [2] => Ok(Self::Keygen),
            _ => Err(Error::SecretKeyInconsistent),
        }
    }
}

impl StatefulKey for XmssSigningKey {
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
        self.public.info().signature
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
        let info = self.public.info();
        let layer = |below: usize| Layer {
            signatures: 1 << (info.tree_height() * below),
            public_key: info.n,
        };
        (1..info.d).rev().map(layer).collect()
    }
    fn check(&self, message: &[u8], signature: &[u8]) -> Result<Checked, Error> {
        self.public.check(message, signature)
    }
}

impl fmt::Debug for XmssSigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("XmssSigningKey").field("public", &self.public).finish_non_exhaustive()
    }
}
