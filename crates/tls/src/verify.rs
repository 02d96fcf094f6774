//! Verification of the signatures of certificates and handshakes: RFC 5280, section 4.1.1.2; RFC
//! 8446, sections 4.2.3 and 4.4.3.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use oaklath_params::Status;
use oaklath_params::sig::{IDENTITIES, SigIdentity};
use oaklath_pki::x509_cert::der::Encode;
use oaklath_pki::x509_cert::der::oid::ObjectIdentifier;
use oaklath_sig::{Message, Signature, Verify};
use rustls::SignatureScheme;
use rustls::crypto::WebPkiSupportedAlgorithms;
use rustls::pki_types::{AlgorithmIdentifier, InvalidSignature, SignatureVerificationAlgorithm};

use crate::lock::lock;

/// A signature algorithm under one object identifier and TLS signature scheme.
#[derive(Debug)]
pub(crate) struct TlsSignature {
    pub(crate) identity: &'static SigIdentity,
    pub(crate) signature: &'static dyn Signature,
    /// The object identifier in DER: parameters are absent. Keys and signatures have the same one.
    algorithm: AlgorithmIdentifier,
}

impl TlsSignature {
    /// By number: `SignatureScheme::Unknown(0x0904)` would not equal `SignatureScheme::ML_DSA_44`.
    pub(crate) fn codepoint(&self) -> SignatureScheme {
        SignatureScheme::from(self.identity.codepoint)
    }
}

// Neither X.509 nor TLS gives a context to sign: RFC 9881, section 3; draft-ietf-tls-mldsa.
impl SignatureVerificationAlgorithm for TlsSignature {
    fn verify_signature(
        &self,
        public_key: &[u8],
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), InvalidSignature> {
        let message = Message::new(message);
        // webpki and rustls are deep when they come here.
        self.signature.verify_on_heap(public_key, &message, signature).map_err(|_| InvalidSignature)
    }

    fn public_key_alg_id(&self) -> AlgorithmIdentifier {
        self.algorithm
    }

    fn signature_alg_id(&self) -> AlgorithmIdentifier {
        self.algorithm
    }
}

/// Public keys that are kept ready, of a scheme and provider.
const READY: usize = 4;

/// Public keys that are known again.
const SEEN: usize = 16;

/// A scheme that keeps the public keys of late ready which it has seen before, since roots, and
/// servers that a client returns to, come again with each connection: a third of the time of
/// ML-DSA. The keys are public, so that who else connects may show in the time.
#[derive(Debug)]
struct CachingVerifier {
    scheme: &'static TlsSignature,
    keys: Mutex<KeyCache>,
}

/// The latest is first.
#[derive(Debug, Default)]
struct KeyCache {
    ready: VecDeque<(Vec<u8>, Arc<dyn Verify>)>,
    /// The beginnings of keys, which are random bytes for the most part: a stranger with the same
    /// one costs no more than room.
    seen: VecDeque<[u8; 32]>,
}

impl KeyCache {
    /// The key, if it is ready.
    fn find(&mut self, key: &[u8]) -> Option<Arc<dyn Verify>> {
        let at = self.ready.iter().position(|(known, _)| known == key)?;
        let found = self.ready.remove(at)?;
        let verifier = found.1.clone();
        self.ready.push_front(found);
        Some(verifier)
    }

    /// Whether the key has been here before; it has from now on.
    fn is_known(&mut self, key: &[u8]) -> bool {
        let Some(&start) = key.first_chunk() else {
            return false;
        };
        if self.seen.contains(&start) {
            return true;
        }
        self.seen.truncate(SEEN - 1);
        self.seen.push_front(start);
        false
    }

    fn keep(&mut self, key: &[u8], verifier: Arc<dyn Verify>) {
        // Another connection may have prepared the same key meanwhile.
        self.ready.retain(|(known, _)| known != key);
        self.ready.truncate(READY - 1);
        self.ready.push_front((key.to_vec(), verifier));
    }
}

impl CachingVerifier {
    /// The key ready for use, from the second time on.
    fn verifier(&self, key: &[u8]) -> Option<Arc<dyn Verify>> {
        let keys = || self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        let known = {
            let mut keys = keys();
            if let Some(ready) = keys.find(key) {
                return Some(ready);
            }
            keys.is_known(key)
        };
        if !known {
            return None;
        }
        // Others need not wait for this one.
        let verifier: Arc<dyn Verify> = self.scheme.signature.prepare_verifier(key).ok()?.into();
        keys().keep(key, verifier.clone());
        Some(verifier)
    }
}

impl SignatureVerificationAlgorithm for CachingVerifier {
    fn verify_signature(
        &self,
        public_key: &[u8],
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), InvalidSignature> {
        match self.verifier(public_key) {
            Some(key) => {
                key.verify(&Message::new(message), signature).map_err(|_| InvalidSignature)
            }
            None => self.scheme.verify_signature(public_key, message, signature),
        }
    }

    fn public_key_alg_id(&self) -> AlgorithmIdentifier {
        self.scheme.algorithm
    }

    fn signature_alg_id(&self) -> AlgorithmIdentifier {
        self.scheme.algorithm
    }
}

/// Every identity of the table whose algorithm is compiled, locked or not; built once a process.
pub(crate) fn schemes() -> &'static [TlsSignature] {
    static SCHEMES: OnceLock<Vec<TlsSignature>> = OnceLock::new();
    SCHEMES.get_or_init(|| IDENTITIES.iter().filter_map(|identity| scheme(identity)).collect())
}

fn scheme(identity: &'static SigIdentity) -> Option<TlsSignature> {
    let signature = oaklath_sig::by_identity(identity)?;
    let oid = ObjectIdentifier::new_unwrap(identity.oid.as_str()).to_der();
    let oid = oid.expect("an object identifier has an encoding");
    let algorithm = AlgorithmIdentifier::from_slice(Vec::leak(oid));
    Some(TlsSignature { identity, signature, algorithm })
}

type Algorithm = &'static dyn SignatureVerificationAlgorithm;

/// Ours around the base's: the standard ones, the base's, the others. The order is the preference
/// that peers are told. Where both have a scheme, ours is used. Leaks its tables.
pub(crate) fn layer(
    base: WebPkiSupportedAlgorithms,
    allowed: bool,
    low_memory: bool,
) -> WebPkiSupportedAlgorithms {
    let unlocked = |s: &&TlsSignature| {
        let info = s.identity.algorithm;
        lock(info.feature, info.status, allowed).is_none()
    };
    let of = |scheme: &'static TlsSignature| -> (&'static TlsSignature, Algorithm) {
        match low_memory {
            true => (scheme, scheme),
            false => {
                (scheme, Box::leak(Box::new(CachingVerifier { scheme, keys: Mutex::default() })))
            }
        }
    };
    let ours: Vec<_> = schemes().iter().filter(unlocked).map(of).collect();
    let (first, last): (Vec<_>, Vec<_>) =
        ours.iter().partition(|(s, _)| s.identity.algorithm.status == Status::Standard);

    let replaced = |&algorithm: &Algorithm| {
        ours.iter().any(|(scheme, _)| scheme.algorithm == algorithm.signature_alg_id())
    };
    let bases = base.all.iter().copied().filter(|algorithm| !replaced(algorithm));
    let of = |(_, algorithm): &(&'static TlsSignature, Algorithm)| *algorithm;
    let all = first.iter().map(of).chain(bases).chain(last.iter().map(of));

    let replaced = |codepoint| ours.iter().any(|(scheme, _)| scheme.codepoint() == codepoint);
    let bases = base.mapping.iter().copied().filter(|(codepoint, _)| !replaced(*codepoint));
    let of = |(scheme, algorithm): &(&'static TlsSignature, Algorithm)| {
        (scheme.codepoint(), &*Vec::leak(vec![*algorithm]))
    };
    let mapping = first.iter().map(of).chain(bases).chain(last.iter().map(of));

    WebPkiSupportedAlgorithms {
        all: Vec::leak(all.collect()),
        mapping: Vec::leak(mapping.collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// rustls drops schemes whose halves mean "no hash", "SHA-1" or "RSA" in TLS 1.2, and takes
    /// some for schemes of TLS 1.2.
    #[test]
    fn no_codepoint_means_something_in_tls12() {
        for identity in IDENTITIES {
            let [hash, signature] = identity.codepoint.to_be_bytes();
            assert!(hash > 6 && signature > 3, "{:#06x}", identity.codepoint);
        }
    }

    /// From the second time on a key is ready, as long as not too many others come between; whether
    /// it is makes no difference to what verifies.
    #[test]
    fn keys_that_come_again_are_ready() {
        let scheme = &schemes()[0];
        let verifier = CachingVerifier { scheme, keys: Mutex::default() };
        let key = |i: u8| {
            let info = scheme.signature.info();
            let (mut pk, mut sk) = (vec![0; info.public_key], vec![0; info.secret_key]);
            scheme.signature.keypair_from(&[i; 32], &mut pk, &mut sk).unwrap();
            let mut signature = vec![0; info.signature];
            let message = Message::new(b"text");
            scheme.signature.sign(&sk, &message, None, &mut signature).unwrap();
            (pk, signature)
        };
        let ready = |pk: &Vec<u8>| {
            let keys = verifier.keys.lock().unwrap();
            keys.ready.iter().any(|(known, _)| known == pk)
        };
        let (root, of_root) = key(0);
        for time in 0..3 {
            verifier.verify_signature(&root, b"text", &of_root).unwrap();
            assert_eq!(ready(&root), time > 0);
            verifier.verify_signature(&root, b"other", &of_root).unwrap_err();
            verifier.verify_signature(&root[1..], b"text", &of_root).unwrap_err();
        }
        // Strangers that come once leave it where it is.
        let strangers: Vec<_> = (1..20).map(key).collect();
        for (pk, signature) in &strangers {
            verifier.verify_signature(pk, b"text", signature).unwrap();
            assert!(ready(&root) && !ready(pk));
        }
        // Others that return take its place when it does not.
        for (pk, signature) in &strangers[15..] {
            verifier.verify_signature(pk, b"text", signature).unwrap();
            assert!(ready(pk));
        }
        assert!(!ready(&root));
        assert_eq!(verifier.keys.lock().unwrap().ready.len(), READY);
        assert_eq!(verifier.keys.lock().unwrap().seen.len(), SEEN);
        verifier.verify_signature(&root, b"text", &of_root).unwrap();
    }

    #[test]
    fn algorithm_identifiers_are_the_object_identifier_alone() {
        for scheme in schemes() {
            let der = scheme.public_key_alg_id();
            let [6, len, content @ ..] = der.as_ref() else { panic!("{der:?}") };
            assert_eq!(usize::from(*len), content.len());
            assert_eq!(content.len(), scheme.identity.oid.der_content_len());
        }
        let ml_dsa_44 = &schemes()[0];
        let der = [6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 3, 0x11];
        assert_eq!(ml_dsa_44.signature_alg_id().as_ref(), der);
    }
}
