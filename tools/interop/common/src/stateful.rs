//! Stateful signatures: LMS and HSS (RFC 8554, RFC 9858), XMSS and XMSS^MT (RFC 8391), one adapter
//! for each implementation.
//!
//! Sets go by the names of our table. A hierarchy without such a name is named by its types from
//! the top down, separated by commas, each level as `LMS_SHA256_M24_H5/LMOTS_SHA256_N24_W4`. Keys
//! are in each library's own form; hash-sigs and xmss-reference make ours from the same seed.

use oaklath_params::stateful::{
    lms::{self, LmotsType, LmsType},
    xmss,
};
use oaklath_stateful::{
    Growth, HssLevels, HssPublicKey, HssSigningKey, Index, NODE_BYTES, StatefulKey, XmssPublicKey,
    XmssSigningKey, XmssTrees, xmss_seed_len,
};

use crate::kem::Failure;

/// One implementation of one set.
pub trait Implementation {
    /// Returns the library and its version.
    fn library(&self) -> &'static str;
    /// Describes what it keeps, and how else it differs from the others.
    fn remark(&self) -> &'static str;
    /// Makes a key.
    ///
    /// # Errors
    /// If the library reports one.
    fn generate(&self, seed: &[u8; 32]) -> Result<Box<dyn Key>, Failure>;
    /// Verifies with a key as RFC 8554 and RFC 8391 encode it.
    ///
    /// # Errors
    /// If the library rejects the key or the signature.
    fn verify(&self, public: &[u8], message: &[u8], signature: &[u8]) -> Result<(), Failure>;
}

/// A private key, which counts its signatures in memory.
pub trait Key {
    /// Returns the public key, as RFC 8554 and RFC 8391 encode it.
    fn public(&self) -> Vec<u8>;
    /// Signs with the next one-time key.
    ///
    /// # Errors
    /// If the library reports one.
    fn sign(&mut self, message: &[u8]) -> Result<Vec<u8>, Failure>;
    /// Does what can be done between two signatures, if the library can do so.
    fn grow(&mut self) {}
    /// Continues with the one-time key of this index.
    ///
    /// # Errors
    /// If the library cannot do so, as most cannot, or reports an error.
    fn seek(&mut self, _index: u64) -> Result<(), Failure> {
        Err(Failure::NotOffered)
    }
}

/// All other implementations of a set in a workspace.
pub type Peers = fn(&str) -> Vec<Box<dyn Implementation>>;

/// The sets that are timed.
pub const TIMED: [&str; 6] = [
    "L1_H10_W4",
    "L2_H10_W4",
    "L2_H10_W8",
    "XMSS-SHA2_10_256",
    "XMSSMT-SHA2_20/2_256",
    "XMSSMT-SHA2_20/4_256",
];

/// Returns our implementation.
///
/// # Panics
/// If we have no such set.
#[must_use]
pub fn ours(set: &str) -> Box<dyn Implementation> {
    ours_growing(set, Growth::default())
}

/// Returns our implementation, with trees that grow in this way.
///
/// # Panics
/// If we have no such set.
#[must_use]
pub fn ours_growing(set: &str, growth: Growth) -> Box<dyn Implementation> {
    if let Some(info) = xmss::by_name(set) {
        return Box::new(OurXmss(info, growth));
    }
    let types = hss_types(set).unwrap_or_default();
    Box::new(OurHss(HssLevels::new(&types).expect("types that go together"), growth))
}

/// Returns the types of all levels, from the top down; none for a set of XMSS.
///
/// # Panics
/// If we have no such set.
#[must_use]
pub fn hss_types(set: &str) -> Option<Vec<(&'static LmsType, &'static LmotsType)>> {
    if xmss::by_name(set).is_some() {
        return None;
    }
    if set == "L1_H10_W4" {
        // The table has no set of a single level with this tree.
        return hss_types("LMS_SHA256_M32_H10/LMOTS_SHA256_N32_W4");
    }
    if let Some(set) = lms::by_name(set) {
        return Some(vec![(set.lms, set.lmots); set.levels]);
    }
    let types = set.split(',').map(|level| {
        let (tree, ots) = level.split_once('/').expect("a tree and a one-time signature");
        let (tree, ots) = (lms::lms_by_name(tree), lms::lmots_by_name(ots));
        (tree.expect("a tree of the table"), ots.expect("a one-time signature of the table"))
    });
    Some(types.collect())
}

const LIBRARY: &str = "oaklath";

struct OurHss(HssLevels, Growth);

impl Implementation for OurHss {
    fn library(&self) -> &'static str {
        LIBRARY
    }
    fn remark(&self) -> &'static str {
        ""
    }
    fn generate(&self, seed: &[u8; 32]) -> Result<Box<dyn Key>, Failure> {
        let seed: Vec<u8> = seed.iter().cycle().take(self.0.seed_len()).copied().collect();
        let key = HssSigningKey::from_seed(&self.0, &seed, NODE_BYTES);
        Ok(Box::new(Counted::new(key.map_err(|_| Failure::Refused)?, self.1)))
    }
    fn verify(&self, public: &[u8], message: &[u8], signature: &[u8]) -> Result<(), Failure> {
        let verified = HssPublicKey::from_bytes(public).and_then(|k| k.verify(message, signature));
        verified.map_err(|_| Failure::Refused)
    }
}

struct OurXmss(&'static xmss::XmssInfo, Growth);

impl Implementation for OurXmss {
    fn library(&self) -> &'static str {
        LIBRARY
    }
    fn remark(&self) -> &'static str {
        ""
    }
    fn generate(&self, seed: &[u8; 32]) -> Result<Box<dyn Key>, Failure> {
        let seed: Vec<u8> = seed.iter().cycle().take(xmss_seed_len(self.0)).copied().collect();
        let key = XmssSigningKey::from_seed(self.0, &seed, NODE_BYTES);
        Ok(Box::new(Counted::new(key.map_err(|_| Failure::Refused)?, self.1)))
    }
    fn verify(&self, public: &[u8], message: &[u8], signature: &[u8]) -> Result<(), Failure> {
        let key = XmssPublicKey::from_bytes(XmssTrees::of(self.0), public);
        let verified = key.and_then(|key| key.verify(message, signature));
        verified.map_err(|_| Failure::Refused)
    }
}

/// A key whose indices are counted here, since it is thrown away.
struct Counted<K> {
    key: K,
    next: u64,
}

impl<K: StatefulKey> Counted<K> {
    fn new(mut key: K, growth: Growth) -> Self {
        key.set_growth(growth);
        Self { key, next: 0 }
    }
}

impl<K: StatefulKey> Key for Counted<K> {
    fn public(&self) -> Vec<u8> {
        self.key.public_key().to_vec()
    }
    fn sign(&mut self, message: &[u8]) -> Result<Vec<u8>, Failure> {
        let index = Index::from_durable_record(self.next);
        self.next += 1;
        let mut signature = vec![0; self.key.signature_len()];
        let signed = self.key.sign_at(index, message, &mut signature);
        signed.map(|_| signature).map_err(|_| Failure::Refused)
    }
    fn grow(&mut self) {
        // One step for the lowest tree, and one for those above it.
        self.key.grow(2);
    }
    fn seek(&mut self, index: u64) -> Result<(), Failure> {
        self.next = index;
        Ok(())
    }
}
