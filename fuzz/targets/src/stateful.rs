//! Keys and signatures of LMS, HSS, XMSS and XMSS^MT.

use std::ops::ControlFlow;
use std::sync::OnceLock;

use oaklath_params::stateful::lms::{self, LmotsType, LmsType};
use oaklath_params::stateful::xmss::{self, XmssInfo};
use oaklath_stateful::{
    Checked, Error, HssGeneration, HssLevels, HssPublicKey, HssSigningKey, Index, LmsPublicKey,
    NODE_BYTES, StatefulKey, SubtreeLayer, XmssGeneration, XmssPublicKey, XmssSigningKey,
    XmssTrees, xmss_seed_len,
};

use crate::Seed;
use crate::script::{self, Script};

/// What every honest signature here signs.
pub(crate) const MESSAGE: &[u8] = b"fuzz";

/// Where it does: in a hierarchy, in the second tree of the lowest layer.
const INDEX: u64 = 37;

/// What a key is made of, and how its bytes are read.
#[derive(Clone, Debug)]
pub(crate) enum Set {
    Hss(HssLevels),
    Xmss(&'static XmssInfo),
}

/// A private key of any of the schemes.
pub(crate) enum Key {
    Hss(HssSigningKey),
    Xmss(XmssSigningKey),
}

/// A public key of any of them.
#[derive(Debug)]
pub(crate) enum Public {
    Hss(HssPublicKey),
    Xmss(XmssPublicKey),
}

impl Set {
    pub(crate) fn of_types(levels: &[(&'static LmsType, &'static LmotsType)]) -> Self {
        Self::Hss(HssLevels::new(levels).expect("types that go together"))
    }

    pub(crate) fn seed_len(&self) -> usize {
        match self {
            Self::Hss(levels) => levels.seed_len(),
            Self::Xmss(info) => xmss_seed_len(info),
        }
    }

    /// A key, and the first leaves of its top tree as they are kept on the way.
    pub(crate) fn generate(&self, seed: &[u8]) -> (Key, Vec<u8>) {
        // Asked after some leaves.
        let stop = |_, _| ControlFlow::Break(());
        match self {
            Self::Hss(levels) => {
                let mut growing = HssGeneration::new(levels, seed, NODE_BYTES).expect("a seed");
                let _ = growing.run(stop);
                let kept = growing.to_bytes();
                (Key::Hss(growing.finish()), kept)
            }
            Self::Xmss(info) => {
                let mut growing = XmssGeneration::new(info, seed, NODE_BYTES).expect("a seed");
                let _ = growing.run(stop);
                let kept = growing.to_bytes();
                (Key::Xmss(growing.finish()), kept)
            }
        }
    }

    /// Goes on with what was kept.
    fn resume(&self, seed: &[u8], kept: &[u8]) -> Result<u64, Error> {
        match self {
            Self::Hss(levels) => {
                HssGeneration::resume(levels, seed, NODE_BYTES, kept).map(|growing| growing.done())
            }
            Self::Xmss(info) => {
                XmssGeneration::resume(info, seed, NODE_BYTES, kept).map(|growing| growing.done())
            }
        }
    }

    pub(crate) fn public(&self, bytes: &[u8]) -> Result<Public, Error> {
        match self {
            Self::Hss(_) => HssPublicKey::from_bytes(bytes).map(Public::Hss),
            Self::Xmss(info) => {
                XmssPublicKey::from_bytes(XmssTrees::of(info), bytes).map(Public::Xmss)
            }
        }
    }

    fn secret(&self, bytes: &[u8]) -> Result<Key, Error> {
        match self {
            Self::Hss(_) => HssSigningKey::from_bytes(bytes, NODE_BYTES).map(Key::Hss),
            Self::Xmss(info) => {
                XmssSigningKey::from_bytes(XmssTrees::of(info), bytes, NODE_BYTES).map(Key::Xmss)
            }
        }
    }
}

impl Key {
    pub(crate) fn any(&mut self) -> &mut dyn StatefulKey {
        match self {
            Self::Hss(key) => key,
            Self::Xmss(key) => key,
        }
    }

    fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::Hss(key) => key.to_bytes().to_vec(),
            Self::Xmss(key) => key.to_bytes().to_vec(),
        }
    }

    fn nodes(&self) -> Option<Vec<u8>> {
        match self {
            Self::Hss(key) => key.nodes(),
            Self::Xmss(key) => key.nodes(),
        }
    }

    fn load_nodes(&mut self, bytes: &[u8]) -> Result<(), Error> {
        match self {
            Self::Hss(key) => key.load_nodes(bytes),
            Self::Xmss(key) => key.load_nodes(bytes),
        }
    }

    /// What says how long its trees take to grow.
    fn shape(&mut self) -> (u64, Vec<SubtreeLayer>) {
        (self.any().signatures(), self.any().layers())
    }

    /// A signature; none if the key's parts do not belong together.
    pub(crate) fn sign(&mut self, index: u64, message: &[u8]) -> Option<Vec<u8>> {
        let key = self.any();
        let mut signature = vec![1; key.signature_len()];
        match key.sign_at(Index::from_durable_record(index), message, &mut signature) {
            Ok(len) => {
                assert_eq!(len, signature.len());
                Some(signature)
            }
            Err(error) => {
                assert_eq!(error, Error::SecretKeyInconsistent);
                assert!(signature.iter().all(|byte| *byte == 0));
                None
            }
        }
    }
}

impl Public {
    pub(crate) fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Hss(key) => key.as_bytes(),
            Self::Xmss(key) => key.as_bytes(),
        }
    }

    /// All ways of verification, which agree: some at a time, too.
    pub(crate) fn check(&self, message: &[u8], signature: &[u8]) -> Result<Checked, Error> {
        let mut results = vec![Ok(()); usize::from(signature.get(20).unwrap_or(&0) % 4)];
        let some = results.len();
        let (checked, verified) = match self {
            Self::Hss(key) => {
                HssPublicKey::verify_many(&vec![(key, message, signature); some], &mut results);
                (key.check(message, signature), key.verify(message, signature))
            }
            Self::Xmss(key) => {
                XmssPublicKey::verify_many(&vec![(key, message, signature); some], &mut results);
                (key.check(message, signature), key.verify(message, signature))
            }
        };
        assert_eq!(checked.as_ref().err(), verified.as_ref().err());
        assert!(results.iter().all(|result| *result == verified));
        checked
    }
}

/// Sets of trees that grow in milliseconds, and one single tree of XMSS, whose nodes are kept.
fn sets() -> [(&'static str, Set); 7] {
    let lms = |lms, lmots, count| Set::of_types(&vec![(lms, lmots); count]);
    [
        ("hss-sha256-m24", lms(&lms::LMS_SHA256_M24_H5, &lms::LMOTS_SHA256_N24_W1, 2)),
        ("hss-sha256-m32", lms(&lms::LMS_SHA256_M32_H5, &lms::LMOTS_SHA256_N32_W2, 3)),
        ("lms-shake-m32", lms(&lms::LMS_SHAKE_M32_H5, &lms::LMOTS_SHAKE_N32_W1, 1)),
        ("hss-shake-m24", lms(&lms::LMS_SHAKE_M24_H5, &lms::LMOTS_SHAKE_N24_W1, 2)),
        ("xmssmt-sha2-192", Set::Xmss(&xmss::XMSSMT_SHA2_20_4_192)),
        ("xmssmt-shake256-256", Set::Xmss(&xmss::XMSSMT_SHAKE256_20_4_256)),
        ("xmss-sha2-256", Set::Xmss(&xmss::XMSS_SHA2_10_256)),
    ]
}

/// A key from a fixed seed, with everything that is written of it.
pub(crate) struct Honest {
    pub(crate) set: Set,
    seed: Vec<u8>,
    kept: Vec<u8>,
    pub(crate) public: Vec<u8>,
    secret: Vec<u8>,
    nodes: Vec<u8>,
    shape: (u64, Vec<SubtreeLayer>),
    /// At this index.
    index: u64,
    pub(crate) signature: Vec<u8>,
}

impl Honest {
    /// The private key as others have it.
    fn without_checksum(&self) -> &[u8] {
        &self.secret[..self.secret.len() - 32]
    }

    pub(crate) fn new(set: Set) -> Self {
        let seed = Script::new(&[3]).seed(set.seed_len());
        let (mut key, kept) = set.generate(&seed);
        let index = INDEX % key.any().signatures();
        let signature = key.sign(index, MESSAGE).expect("an honest key");
        let (public, secret) = (key.any().public_key().to_vec(), key.to_bytes());
        let (nodes, shape) = (key.nodes().expect("a tree that was grown"), key.shape());
        Self { set, seed, kept, public, secret, nodes, shape, index, signature }
    }

    /// By the next byte.
    fn read(script: &mut Script<'_>) -> &'static Self {
        static ALL: [OnceLock<Honest>; 7] = [const { OnceLock::new() }; 7];
        let number = usize::from(script.byte()) % ALL.len();
        ALL[number].get_or_init(|| Self::new(sets()[number].1.clone()))
    }

    /// The signature of another key; none if it would have to grow trees for more than
    /// milliseconds.
    fn signature_of(&self, key: &mut Key) -> Option<Option<Vec<u8>>> {
        let has_low_trees = key.any().signatures_of_tree() <= 32;
        (has_low_trees && key.shape() == self.shape).then(|| key.sign(self.index, MESSAGE))
    }

    /// What HSS of one level is without HSS around it.
    fn verifies_as_lms(&self, public: &[u8], signature: &[u8]) -> bool {
        let key = public.get(4..).map(LmsPublicKey::from_bytes);
        let Some(Ok(key)) = key else { return false };
        assert_eq!(key.as_bytes(), &public[4..]);
        signature.get(4..).is_some_and(|signature| key.verify(MESSAGE, signature).is_ok())
    }
}

/// A public key, a private key of ours or of others, nodes, a tree on its way.
pub(crate) fn keys(data: &[u8]) {
    let mut script = Script::new(data);
    let honest = Honest::read(&mut script);
    match script.byte() % 5 {
        0 => public_key(honest, script),
        1 => secret_key(honest, script),
        2 => foreign_key(honest, script),
        3 => nodes(honest, script),
        _ => {
            let kept = script.changed(honest.kept.clone());
            let resumed = honest.set.resume(&honest.seed, &kept);
            assert_eq!(resumed.is_ok(), kept == honest.kept);
        }
    }
}

fn public_key(honest: &Honest, script: Script<'_>) {
    let bytes = script.changed(honest.public.clone());
    let key = honest.set.public(&bytes);
    if let Ok(key) = &key {
        assert_eq!(key.as_bytes(), bytes);
    }
    let verified = key.is_ok_and(|key| key.check(MESSAGE, &honest.signature).is_ok());
    assert_eq!(verified, bytes == honest.public);
    if let Set::Hss(_) = honest.set {
        let verified = honest.verifies_as_lms(&bytes, &honest.signature);
        assert!(!verified || bytes[4..] == honest.public[4..]);
    }
}

fn secret_key(honest: &Honest, script: Script<'_>) {
    let bytes = script.changed(honest.secret.clone());
    let is_honest = bytes == honest.secret;
    let Ok(mut key) = honest.set.secret(&bytes) else {
        assert!(!is_honest);
        return;
    };
    assert_eq!(key.to_bytes(), bytes);
    match honest.signature_of(&mut key) {
        Some(Some(signature)) => {
            let checked = key.any().check(MESSAGE, &signature).expect("our own signature");
            assert_eq!(checked.index, honest.index);
            assert!(!is_honest || signature == honest.signature);
        }
        Some(None) => assert!(!is_honest),
        None => {}
    }
}

/// Gives a key and the index of its next signature.
type Reader = fn(&[u8]) -> Result<(Key, u64), Error>;

/// A private key as other implementations write it, with the index of the next signature.
fn foreign_key(honest: &Honest, mut script: Script<'_>) {
    let is_botans = script.byte().is_multiple_of(2);
    let next = honest.index;
    let (file, read): (_, Reader) = match &honest.set {
        Set::Hss(_) => (of_hash_sigs(honest, next), |bytes| {
            let (key, next) = HssSigningKey::from_hash_sigs(bytes, NODE_BYTES)?;
            Ok((Key::Hss(key), next))
        }),
        Set::Xmss(info) if is_botans && !info.multi_tree => {
            (of_botan(honest, info, next), |bytes| {
                let (key, next) = XmssSigningKey::from_botan(bytes, NODE_BYTES)?;
                Ok((Key::Xmss(key), next))
            })
        }
        Set::Xmss(info) if info.multi_tree => (of_liboqs(honest, info, next), |bytes| {
            let (key, next) = XmssSigningKey::from_liboqs(XmssTrees::Multi, bytes, NODE_BYTES)?;
            Ok((Key::Xmss(key), next))
        }),
        Set::Xmss(info) => (of_liboqs(honest, info, next), |bytes| {
            let (key, next) = XmssSigningKey::from_liboqs(XmssTrees::Single, bytes, NODE_BYTES)?;
            Ok((Key::Xmss(key), next))
        }),
    };
    let bytes = script.changed(file.clone());
    if let Set::Hss(_) = honest.set
        && grows_long(&bytes)
    {
        return;
    }
    match read(&bytes) {
        Ok((mut key, found)) => {
            let again = honest.set.secret(&key.to_bytes()).expect("what was written");
            assert_eq!(again.to_bytes(), key.to_bytes());
            let is_same = key.any().public_key() == honest.public && found == next;
            assert!(is_same || bytes != file);
        }
        Err(_) => assert!(bytes != file),
    }
}

/// Whether the top tree of an HSS key of Botan, which is grown when it is read, has many leaves.
fn grows_long(bytes: &[u8]) -> bool {
    let code = bytes.get(12..16).and_then(|code| code.first_chunk());
    let top = code.and_then(|code| lms::lms_by_typecode(u32::from_be_bytes(*code)));
    top.is_some_and(|top| top.h > 5)
}

/// Number of levels, index, types, seed, I.
fn of_hash_sigs(honest: &Honest, next: u64) -> Vec<u8> {
    let (public, rest) = honest.without_checksum().split_at(honest.public.len());
    let (levels, id) = (&public[..4], &public[12..28]);
    [levels, &next.to_be_bytes(), rest, id].concat()
}

/// Ours with the index between SEED and `SK_PRF`.
fn of_botan(honest: &Honest, info: &XmssInfo, next: u64) -> Vec<u8> {
    let (public, rest) = honest.without_checksum().split_at(info.public_key());
    [public, &next.to_be_bytes()[8 - info.index()..], rest].concat()
}

/// Number, index, secret seed, `SK_PRF`, root, SEED.
fn of_liboqs(honest: &Honest, info: &XmssInfo, next: u64) -> Vec<u8> {
    let n = info.n;
    let (number, fields) = honest.secret.split_at(4);
    let [root, seed, prf, secret] = [0, 1, 2, 3].map(|field| &fields[field * n..][..n]);
    let next = &next.to_be_bytes()[8 - info.index()..];
    [number, next, secret, prf, root, seed].concat()
}

/// Nodes change how long a signature takes, and nothing else.
fn nodes(honest: &Honest, script: Script<'_>) {
    let bytes = script.changed(honest.nodes.clone());
    let mut key = honest.set.secret(&honest.secret).expect("an honest key");
    let loaded = key.load_nodes(&bytes);
    assert!(loaded.is_ok() || bytes != honest.nodes);
    let signature = match loaded {
        Ok(()) => Some(key.sign(honest.index, MESSAGE)),
        Err(_) => honest.signature_of(&mut key),
    };
    assert!(signature.is_none_or(|signature| signature.as_ref() == Some(&honest.signature)));
}

/// A signature under an honest key: no other one of the same message verifies.
pub(crate) fn signatures(data: &[u8]) {
    let mut script = Script::new(data);
    let honest = Honest::read(&mut script);
    let signature = script.changed(honest.signature.clone());
    let is_honest = signature == honest.signature;
    let key = honest.set.public(&honest.public).expect("an honest key");
    match key.check(MESSAGE, &signature) {
        Ok(checked) => assert!(is_honest && checked.index == honest.index),
        Err(error) => assert!(!is_honest && error == Error::Invalid),
    }
    let Set::Hss(levels) = &honest.set else { return };
    let as_lms = honest.verifies_as_lms(&honest.public, &signature);
    // The first four bytes are those of HSS.
    let is_alone = levels.signatures() == 32 && signature.get(4..) == Some(&honest.signature[4..]);
    assert_eq!(as_lms, is_alone);
}

pub(crate) fn key_seeds() -> Vec<Seed> {
    let kinds = ["public", "secret", "foreign", "nodes", "growth"];
    let seeds = (0u8..).zip(sets()).flat_map(|(number, (name, _))| {
        (0u8..)
            .zip(kinds)
            .map(move |(kind, of)| script::seed(format!("{name}-{of}"), &[number, kind]))
    });
    seeds.collect()
}

pub(crate) fn signature_seeds() -> Vec<Seed> {
    let seeds = (0u8..).zip(sets());
    seeds.map(|(number, (name, _))| script::seed(name.to_owned(), &[number])).collect()
}
