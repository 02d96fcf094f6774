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
    /// The object identifier in DER, without parameters; the same for keys and signatures.
    algorithm: AlgorithmIdentifier,
}

impl TlsSignature {
    /// Converts by number: `Unknown(0x0904)` would not equal `SignatureScheme::ML_DSA_44`.
    pub(crate) fn codepoint(&self) -> SignatureScheme {
        SignatureScheme::from(self.identity.codepoint)
    }
}

// Neither X.509 nor TLS signs with a context: RFC 9881, section 3; draft-ietf-tls-mldsa. webpki
// passes one signature of a chain at a time and waits for the result, so that the signatures of a
// chain cannot be verified side by side.
impl SignatureVerificationAlgorithm for TlsSignature {
    fn verify_signature(
        &self,
        public_key: &[u8],
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), InvalidSignature> {
        let message = Message::new(message);
        // On the heap, because webpki and rustls have already used much of the stack.
        self.signature.verify_on_heap(public_key, &message, signature).map_err(|_| InvalidSignature)
    }

    fn public_key_alg_id(&self) -> AlgorithmIdentifier {
        self.algorithm
    }

    fn signature_alg_id(&self) -> AlgorithmIdentifier {
        self.algorithm
    }
}

/// The number of public keys kept prepared for each scheme of a provider.
const READY: usize = 4;

/// The number of public keys that are recognised when they recur.
const SEEN: usize = 16;

/// A scheme that keeps recurring public keys prepared, since those of roots, and of servers that a
/// client returns to, recur with each connection. This saves a third of the time of ML-DSA. The
/// keys are public; the timing may reveal which of them were used recently.
#[derive(Debug)]
struct CachingVerifier {
    scheme: &'static TlsSignature,
    keys: Mutex<KeyCache>,
}

/// The recent public keys of a scheme, the latest first.
#[derive(Debug, Default)]
struct KeyCache {
    ready: VecDeque<(Vec<u8>, Arc<dyn Verify>)>,
    /// The first 32 bytes of keys, mostly random: another key with the same beginning only takes up
    /// space among the prepared ones.
    seen: VecDeque<[u8; 32]>,
}

impl KeyCache {
    /// Returns the prepared key, if there is one.
    fn find(&mut self, key: &[u8]) -> Option<Arc<dyn Verify>> {
        let at = self.ready.iter().position(|(known, _)| known == key)?;
        let found = self.ready.remove(at)?;
        let verifier = found.1.clone();
        self.ready.push_front(found);
        Some(verifier)
    }

    /// Reports whether the key was seen before, and remembers it.
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
    /// Returns the key prepared for use, if this is not its first use.
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
        // The lock is not held here, so that others need not wait.
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

/// Returns every identity whose algorithm is compiled, locked or not; built once per process.
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

/// Returns our standard algorithms, then the base's, then our others. Peers are sent this order as
/// our preference. If both have a scheme, ours is used. Leaks its tables.
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

    /// A key is kept prepared from its second use on, unless too many others follow; this does not
    /// change which signatures verify.
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
        // Keys that are used once do not replace it.
        let strangers: Vec<_> = (1..20).map(key).collect();
        for (pk, signature) in &strangers {
            verifier.verify_signature(pk, b"text", signature).unwrap();
            assert!(ready(&root) && !ready(pk));
        }
        // Keys that recur replace it while it is not used.
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
