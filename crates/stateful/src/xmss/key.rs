//! Private keys of XMSS and XMSS^MT.
use oaklath_params::stateful::xmss::XmssInfo;
use zeroize::Zeroizing;

use crate::error::Error;
use crate::hypertree::generation::Generation;
use crate::hypertree::signing_key::{HypertreeFamily, SigningKey, split_checksum};
use crate::index::MOST_HEIGHTS;
use crate::key::Checked;
use crate::message::Message;
use crate::xmss::derivation::Derivation;
use crate::xmss::public::XmssPublicKey;
use crate::xmss::scheme::XmssScheme;
use crate::xmss::set::XmssTrees;

/// Returns the number of bytes of a seed: the secret seed, `SK_PRF` and SEED.
///
/// ```
/// use oaklath_params::stateful::xmss;
/// assert_eq!(oaklath_stateful::xmss_seed_len(&xmss::XMSS_SHA2_10_256), 96);
/// ```
#[must_use]
pub fn xmss_seed_len(info: &XmssInfo) -> usize {
    3 * info.n
}

/// XMSS and XMSS^MT.
#[derive(Clone, Copy, Debug)]
pub struct Xmss;

/// Makes the scheme of a seed, or returns
/// [`Error::SeedLength`] or [`Error::TooTall`].
fn scheme(
    info: &'static XmssInfo,
    seed: &[u8],
    derivation: Derivation,
) -> Result<XmssScheme, Error> {
    let (expected, found, height) = (xmss_seed_len(info), seed.len(), info.h as u32);
    if expected != found {
        return Err(Error::SeedLength { expected, found });
    }
    if height > MOST_HEIGHTS {
        return Err(Error::TooTall { found: height });
    }
    Ok(XmssScheme::new(info, seed, derivation))
}

impl HypertreeFamily for Xmss {
    type Parameters<'a> = &'static XmssInfo;
    type PublicKey = XmssPublicKey;
    type Scheme = XmssScheme;
    const SIGNING_KEY: &'static str = "XmssSigningKey";
    const GENERATION: &'static str = "XmssGeneration";

    fn seed_len(info: &'static XmssInfo) -> usize {
        xmss_seed_len(info)
    }
    fn scheme(info: &'static XmssInfo, seed: &[u8]) -> Result<XmssScheme, Error> {
        scheme(info, seed, Derivation::default())
    }
    fn public_key(scheme: &XmssScheme, root: &[u8]) -> XmssPublicKey {
        let info = scheme.info();
        let bytes = [&info.oid.to_be_bytes()[..], root, scheme.public_seed()].concat();
        XmssPublicKey::from_bytes(XmssTrees::of(info), &bytes).expect("a public key of its set")
    }
    fn public_bytes(public: &XmssPublicKey) -> &[u8] {
        public.as_bytes()
    }
    fn check(
        public: &XmssPublicKey,
        message: Message<'_>,
        signature: &[u8],
    ) -> Result<Checked, Error> {
        public.check_message(message, signature)
    }
}

/// The generation of an XMSS or XMSS^MT key.
pub type XmssGeneration = Generation<Xmss>;

impl Generation<Xmss> {
    /// Starts with another derivation of the secrets of one-time keys.
    ///
    /// # Errors
    /// [`Error::SeedLength`]; [`Error::TooTall`].
    pub fn with_derivation(
        info: &'static XmssInfo,
        seed: &[u8],
        derivation: Derivation,
        node_bytes: usize,
    ) -> Result<Self, Error> {
        Ok(Self::of_scheme(scheme(info, seed, derivation)?, node_bytes))
    }
}

/// A private key of XMSS or XMSS^MT.
///
/// All `2^h` indices can sign, including the last (RFC 8391, section 4.1.3), which some other
/// implementations do not use.
///
/// ```
/// use oaklath_params::stateful::xmss;
/// use oaklath_stateful::{NODE_BYTES, XmssSigningKey, XmssTrees};
///
/// // In production the seed comes from a random generator.
/// let set = &xmss::XMSSMT_SHA2_20_4_256;
/// let key = XmssSigningKey::from_seed(set, &[7; 96], NODE_BYTES)?;
/// let kept = key.to_bytes();
/// let loaded = XmssSigningKey::from_bytes(XmssTrees::of(set), &kept, NODE_BYTES)?;
/// assert_eq!(loaded.public(), key.public());
/// # Ok::<(), oaklath_stateful::Error>(())
/// ```
pub type XmssSigningKey = SigningKey<Xmss>;

impl SigningKey<Xmss> {
    /// Parses the bytes of [`to_bytes`](Self::to_bytes), with or without the checksum. No nodes are
    /// computed yet: the root is taken from the bytes, and a top tree that does not lead to it is
    /// rejected when it is computed.
    ///
    /// # Errors
    /// [`Error::SecretKeyLength`], [`Error::UnknownType`], [`Error::SecretKeyInconsistent`] if the
    /// derivation is unknown or the checksum is wrong, [`Error::TooTall`].
    pub fn from_bytes(trees: XmssTrees, bytes: &[u8], node_bytes: usize) -> Result<Self, Error> {
        let info = find(trees, bytes)?;
        let n = info.n;
        let (bytes, checksum) = split_checksum(bytes, 4 + 4 * n + 1)?;
        let [root, public_seed, prf, secret_seed, tail] = fields(bytes, [n, n, n, n, 1])?;
        let derivation = Derivation::of_tail(tail)?;
        let fields = [root, public_seed, prf, secret_seed];
        Self::of_fields(info, fields, derivation, node_bytes)?.checked_by(checksum)
    }

    /// Parses a private key of XMSS in the format of Botan: number, root, SEED, index, `SK_PRF`,
    /// secret seed and perhaps a byte for the derivation. Also returns the index of the next
    /// signature, from which a store starts: the other program must never sign with the key again.
    ///
    /// # Errors
    /// [`Error::SecretKeyLength`], [`Error::UnknownType`], [`Error::IndexBeyondEnd`],
    /// [`Error::SecretKeyInconsistent`] if the last byte is not a derivation.
    pub fn from_botan(bytes: &[u8], node_bytes: usize) -> Result<(Self, u64), Error> {
        let info = find(XmssTrees::Single, bytes)?;
        let n = info.n;
        let tail = usize::from(bytes.len() > 4 + 4 * n + 4);
        let [root, public_seed, index, prf, secret_seed, tail] =
            fields(bytes, [n, n, 4, n, n, tail])?;
        let derivation = match tail {
            [] => Derivation::Rfc8391,
            tail => Derivation::of_tail(tail)?,
        };
        let fields = [root, public_seed, prf, secret_seed];
        Self::of_fields(info, fields, derivation, node_bytes)?.continued_at(number(index))
    }

    /// Parses a private key of XMSS or XMSS^MT in the format of the reference implementation and of
    /// liboqs: number, index, secret seed, `SK_PRF`, root and SEED, and perhaps their state, which
    /// is not used. Also returns the index of the next signature, like
    /// [`from_botan`](Self::from_botan).
    ///
    /// # Errors
    /// [`Error::SecretKeyLength`], [`Error::UnknownType`], [`Error::TooTall`],
    /// [`Error::IndexBeyondEnd`].
    pub fn from_liboqs(
        trees: XmssTrees,
        bytes: &[u8],
        node_bytes: usize,
    ) -> Result<(Self, u64), Error> {
        let info = find(trees, bytes)?;
        let (n, of_index) = (info.n, info.index());
        let bytes = bytes.get(..4 + of_index + 4 * n).unwrap_or(bytes);
        let [index, secret_seed, prf, root, public_seed] = fields(bytes, [of_index, n, n, n, n])?;
        let fields = [root, public_seed, prf, secret_seed];
        Self::of_fields(info, fields, Derivation::Keygen, node_bytes)?.continued_at(number(index))
    }

    fn of_fields(
        info: &'static XmssInfo,
        [root, public_seed, prf, secret_seed]: [&[u8]; 4],
        derivation: Derivation,
        node_bytes: usize,
    ) -> Result<Self, Error> {
        let seed = Zeroizing::new([secret_seed, prf, public_seed].concat());
        Ok(Self::of_root(scheme(info, &seed, derivation)?, root, node_bytes))
    }
}

/// Returns the set whose number is at the beginning of a private key.
fn find(trees: XmssTrees, bytes: &[u8]) -> Result<&'static XmssInfo, Error> {
    trees.find(bytes, Error::SecretKeyLength { expected: 4, found: bytes.len() })
}

/// Splits the bytes of a private key after its number into fields.
///
/// # Errors
/// [`Error::SecretKeyLength`].
fn fields<const K: usize>(bytes: &[u8], lengths: [usize; K]) -> Result<[&[u8]; K], Error> {
    let (expected, found) = (4 + lengths.iter().sum::<usize>(), bytes.len());
    if expected != found {
        return Err(Error::SecretKeyLength { expected, found });
    }
    let mut at = 4;
    Ok(lengths.map(|length| {
        at += length;
        &bytes[at - length..at]
    }))
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}
