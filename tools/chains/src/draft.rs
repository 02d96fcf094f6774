//! A chain of three certificates, of which everything can be changed before it is signed.

use oaklath_params::Oid;
use oaklath_pki::{Identity, PrivateKey, Signing};
use rcgen::{KeyPair, PublicKeyData, SigningKey};

use crate::der::{bit_string, integer, name, sequence, tlv, utc_time};

/// The time at which chains are verified: 2030-01-15T12:00:00Z.
pub(crate) const NOW: u64 = 1_894_708_800;
pub(crate) const HOST: &str = "door.example";

/// Extensions by the last arc of `id-ce`, and the purposes of TLS: RFC 5280, section 4.2.1.
pub(crate) const KEY_IDENTIFIER: u8 = 14;
pub(crate) const KEY_USAGE: u8 = 15;
pub(crate) const ALTERNATIVE_NAME: u8 = 17;
pub(crate) const BASIC_CONSTRAINTS: u8 = 19;
pub(crate) const NAME_CONSTRAINTS: u8 = 30;
pub(crate) const DISTRIBUTION_POINTS: u8 = 31;
pub(crate) const POLICIES: u8 = 32;
pub(crate) const AUTHORITY_KEY: u8 = 35;
pub(crate) const POLICY_CONSTRAINTS: u8 = 36;
pub(crate) const PURPOSES: u8 = 37;
pub(crate) const INHIBIT_ANY_POLICY: u8 = 54;

pub(crate) const SERVER_AUTH: &[u8] = &[6, 8, 0x2b, 6, 1, 5, 5, 7, 3, 1];
pub(crate) const CLIENT_AUTH: &[u8] = &[6, 8, 0x2b, 6, 1, 5, 5, 7, 3, 2];
pub(crate) const CODE_SIGNING: &[u8] = &[6, 8, 0x2b, 6, 1, 5, 5, 7, 3, 3];
pub(crate) const ANY_PURPOSE: &[u8] = &[6, 4, 0x55, 0x1d, 0x25, 0];

/// The identifier of an extension that no verifier knows.
pub(crate) const UNKNOWN: &[u8] = &[6, 3, 0x2a, 3, 4];

/// The elements of an extension.
#[derive(Clone)]
pub(crate) struct Extension {
    pub(crate) oid: Vec<u8>,
    /// A BOOLEAN, or empty.
    pub(crate) critical: Vec<u8>,
    pub(crate) value: Vec<u8>,
}

impl Extension {
    pub(crate) fn new(arc: u8, is_critical: bool, value: Vec<u8>) -> Self {
        Self::called(&[6, 3, 0x55, 0x1d, arc], is_critical, value)
    }

    pub(crate) fn called(oid: &[u8], is_critical: bool, value: Vec<u8>) -> Self {
        let critical = if is_critical { vec![1, 1, 0xff] } else { Vec::new() };
        Self { oid: oid.to_vec(), critical, value }
    }
}

/// A key of one of the two algorithms of the comparison.
pub(crate) enum Key {
    MlDsa(Box<PrivateKey>),
    P256(Box<KeyPair>),
}

impl Key {
    fn spki(&self) -> Vec<u8> {
        match self {
            Self::MlDsa(key) => key.public_key().to_der(),
            Self::P256(key) => key.subject_public_key_info(),
        }
    }

    /// Returns the object identifier of its signatures.
    fn algorithm(&self) -> Vec<u8> {
        const ML_DSA_44: Oid = oaklath_params::sig::ID_ML_DSA_44.oid;
        const OID: [u8; ML_DSA_44.der_content_len()] = ML_DSA_44.der_content();
        match self {
            Self::MlDsa(_) => tlv(6, &OID),
            Self::P256(_) => tlv(6, &[0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2]),
        }
    }

    fn sign(&self, message: &[u8]) -> Vec<u8> {
        match self {
            Self::MlDsa(key) => key.sign(message, Signing::Deterministic).expect("ML-DSA signs"),
            Self::P256(key) => SigningKey::sign(&**key, message).expect("ECDSA signs"),
        }
    }
}

/// The keys of root, authority, entity, and of a stranger.
pub(crate) type KeySet = [Key; 4];

pub(crate) fn ml_dsa_keys() -> anyhow::Result<KeySet> {
    let identity = Identity::by_name("ML-DSA-44").expect("a name of the table");
    let mut keys = Vec::new();
    for seed in 1..5 {
        keys.push(Key::MlDsa(Box::new(PrivateKey::from_seed(identity, &[seed; 32])?)));
    }
    Ok(keys.try_into().unwrap_or_else(|_| unreachable!("there are four")))
}

pub(crate) fn p256_keys() -> anyhow::Result<KeySet> {
    let mut keys = Vec::new();
    while keys.len() < 4 {
        let key = KeyPair::generate()?;
        // The last bit is 0, so that it may be declared unused: verdicts must not depend on chance.
        if key.subject_public_key_info().last().is_some_and(|byte| byte.is_multiple_of(2)) {
            keys.push(Key::P256(Box::new(key)));
        }
    }
    Ok(keys.try_into().unwrap_or_else(|_| unreachable!("there are four")))
}

/// A change of bytes.
pub(crate) type Edit = fn(Vec<u8>) -> Vec<u8>;

/// The fields of a certificate, element by element, and how it is signed.
#[derive(Clone)]
pub(crate) struct CertDraft {
    /// `[0]` and the version, or empty.
    pub(crate) version: Vec<u8>,
    pub(crate) serial: Vec<u8>,
    /// Parameters of the inner and the outer algorithm.
    pub(crate) parameters: [Vec<u8>; 2],
    pub(crate) issuer: Vec<u8>,
    pub(crate) validity: [Vec<u8>; 2],
    pub(crate) subject: Vec<u8>,
    /// The change of the SPKI.
    pub(crate) spki: Edit,
    pub(crate) unique_ids: Vec<u8>,
    pub(crate) extensions: Option<Vec<Extension>>,
    /// Elements that follow within the signed part.
    pub(crate) rest: Vec<u8>,
    /// The index of the key that signs.
    pub(crate) signer: usize,
    /// The changes of the signed part before it is signed, of the BIT STRING of the signature, and
    /// of the whole certificate.
    pub(crate) signed: Edit,
    pub(crate) signature: Edit,
    pub(crate) whole: Edit,
}

impl CertDraft {
    fn new(subject: &str, issuer: &str, signer: usize, extensions: Vec<Extension>) -> Self {
        Self {
            version: tlv(0xa0, &integer(&[2])),
            serial: integer(&[0x40 + signer as u8, subject.len() as u8]),
            parameters: Default::default(),
            issuer: name(issuer),
            validity: [utc_time("300101000000Z"), utc_time("300201000000Z")],
            subject: name(subject),
            spki: |spki| spki,
            unique_ids: Vec::new(),
            extensions: Some(extensions),
            rest: Vec::new(),
            signer,
            signed: |signed| signed,
            signature: |signature| signature,
            whole: |whole| whole,
        }
    }

    /// Builds the certificate of the key of this index.
    fn build(&self, keys: &KeySet, bearer: usize) -> Vec<u8> {
        let algorithm = keys[self.signer].algorithm();
        let [inner, outer] = self.parameters.each_ref().map(|more| sequence(&[&algorithm, more]));
        let extensions = self.extensions.as_ref().map(|extensions| {
            let all = extensions.iter().flat_map(|extension| {
                let Extension { oid, critical, value } = extension;
                sequence(&[oid, critical, &tlv(4, value)])
            });
            tlv(0xa3, &tlv(0x30, &all.collect::<Vec<_>>()))
        });
        let signed = (self.signed)(sequence(&[
            &self.version,
            &self.serial,
            &inner,
            &self.issuer,
            &sequence(&[&self.validity[0], &self.validity[1]]),
            &self.subject,
            &(self.spki)(keys[bearer].spki()),
            &self.unique_ids,
            &extensions.unwrap_or_default(),
            &self.rest,
        ]));
        let signature = (self.signature)(bit_string(&keys[self.signer].sign(&signed)));
        (self.whole)(sequence(&[&signed, &outer, &signature]))
    }

    /// Returns the extensions, which become an empty list if there are none.
    pub(crate) fn all(&mut self) -> &mut Vec<Extension> {
        self.extensions.get_or_insert_default()
    }

    /// Removes the extension of this arc.
    pub(crate) fn without(&mut self, arc: u8) {
        self.all().retain(|extension| extension.oid[2..] != [0x55, 0x1d, arc]);
    }

    /// Adds an extension, in place of any other of its kind.
    pub(crate) fn with(&mut self, arc: u8, is_critical: bool, value: Vec<u8>) {
        self.without(arc);
        self.all().push(Extension::new(arc, is_critical, value));
    }

    /// Returns the extension of this arc.
    pub(crate) fn extension(&mut self, arc: u8) -> &mut Extension {
        let is_it = |extension: &&mut Extension| extension.oid[2..] == [0x55, 0x1d, arc];
        self.all().iter_mut().find(is_it).expect("every certificate of a draft has it")
    }
}

/// Root, authority and entity, and how the chain is verified.
#[derive(Clone)]
pub(crate) struct Draft {
    pub(crate) certs: [CertDraft; 3],
    pub(crate) host: &'static str,
    /// Whether the intermediate authority is sent.
    pub(crate) is_shown: bool,
    /// The index of the trusted certificate.
    pub(crate) trusted: usize,
}

/// A chain that is ready to be verified.
pub(crate) struct Chain {
    pub(crate) root: Vec<u8>,
    pub(crate) between: Vec<Vec<u8>>,
    pub(crate) entity: Vec<u8>,
    pub(crate) host: &'static str,
}

impl Draft {
    /// Returns a chain without fault.
    pub(crate) fn good() -> Self {
        let authority = |own: u8, issuer: u8| {
            vec![
                Extension::new(BASIC_CONSTRAINTS, true, sequence(&[&[1, 1, 0xff]])),
                Extension::new(KEY_USAGE, true, vec![3, 2, 1, 6]),
                Extension::new(KEY_IDENTIFIER, false, tlv(4, &[own; 20])),
                Extension::new(AUTHORITY_KEY, false, sequence(&[&tlv(0x80, &[issuer; 20])])),
            ]
        };
        let mut entity = authority(3, 2);
        entity[0].value = sequence(&[]);
        entity[1].value = vec![3, 2, 7, 0x80];
        let names = sequence(&[&tlv(0x82, HOST.as_bytes())]);
        entity.push(Extension::new(ALTERNATIVE_NAME, false, names));
        entity.push(Extension::new(PURPOSES, false, sequence(&[SERVER_AUTH])));
        let certs = [
            CertDraft::new("Root", "Root", 0, authority(1, 1)),
            CertDraft::new("Middle", "Root", 0, authority(2, 1)),
            CertDraft::new("Entity", "Middle", 1, entity),
        ];
        Self { certs, host: HOST, is_shown: true, trusted: 0 }
    }

    /// Signs everything.
    pub(crate) fn build(&self, keys: &KeySet) -> Chain {
        let [root, middle, entity] = [0, 1, 2].map(|i| self.certs[i].build(keys, i));
        let between = if self.is_shown { vec![middle.clone()] } else { Vec::new() };
        let root = if self.trusted == 0 { root } else { middle };
        Chain { root, between, entity, host: self.host }
    }
}
