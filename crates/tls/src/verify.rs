//! Verification of the signatures of certificates and handshakes: RFC 5280, section 4.1.1.2; RFC
//! 8446, sections 4.2.3 and 4.4.3.

use std::sync::OnceLock;

use oaklath_params::Status;
use oaklath_params::sig::{IDENTITIES, SigIdentity};
use oaklath_pki::x509_cert::der::Encode;
use oaklath_pki::x509_cert::der::oid::ObjectIdentifier;
use oaklath_sig::{Message, Signature};
use rustls::SignatureScheme;
use rustls::crypto::WebPkiSupportedAlgorithms;
use rustls::pki_types::{AlgorithmIdentifier, InvalidSignature, SignatureVerificationAlgorithm};

use crate::lock::{COMPILED, lock};

/// A signature algorithm under one object identifier and TLS signature scheme.
#[derive(Debug)]
pub(crate) struct Scheme {
    pub(crate) identity: &'static SigIdentity,
    pub(crate) signature: &'static dyn Signature,
    /// The object identifier in DER: parameters are absent. Keys and signatures have the same one.
    algorithm: AlgorithmIdentifier,
}

impl Scheme {
    /// By number: `SignatureScheme::Unknown(0x0904)` would not equal `SignatureScheme::ML_DSA_44`.
    pub(crate) fn codepoint(&self) -> SignatureScheme {
        SignatureScheme::from(self.identity.codepoint)
    }
}

// Neither X.509 nor TLS gives a context to sign: RFC 9881, section 3; draft-ietf-tls-mldsa.
impl SignatureVerificationAlgorithm for Scheme {
    fn verify_signature(
        &self,
        public_key: &[u8],
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), InvalidSignature> {
        let message = Message::new(message);
        self.signature.verify(public_key, &message, signature).map_err(|_| InvalidSignature)
    }

    fn public_key_alg_id(&self) -> AlgorithmIdentifier {
        self.algorithm
    }

    fn signature_alg_id(&self) -> AlgorithmIdentifier {
        self.algorithm
    }
}

/// Every identity of the table whose algorithm is compiled, locked or not; built once a process.
pub(crate) fn schemes() -> &'static [Scheme] {
    static SCHEMES: OnceLock<Vec<Scheme>> = OnceLock::new();
    SCHEMES.get_or_init(|| IDENTITIES.iter().filter_map(|identity| scheme(identity)).collect())
}

fn scheme(identity: &'static SigIdentity) -> Option<Scheme> {
    let signature = oaklath_sig::by_identity(identity)?;
    let oid = ObjectIdentifier::new_unwrap(identity.oid.as_str()).to_der();
    let oid = oid.expect("an object identifier has an encoding");
    let algorithm = AlgorithmIdentifier::from_slice(Vec::leak(oid));
    Some(Scheme { identity, signature, algorithm })
}

type Algorithm = &'static dyn SignatureVerificationAlgorithm;

/// Ours around the base's: the standard ones, the base's, the others. The order is the preference
/// that peers are told. Where both have a scheme, ours stands. Leaks its tables.
pub(crate) fn layer(base: WebPkiSupportedAlgorithms, allowed: bool) -> WebPkiSupportedAlgorithms {
    let unlocked = |s: &&Scheme| lock(s.identity.algorithm.status, COMPILED, allowed).is_none();
    let ours: Vec<_> = schemes().iter().filter(unlocked).collect();
    let (first, last): (Vec<_>, Vec<_>) =
        ours.iter().partition(|s| s.identity.algorithm.status == Status::Standard);

    let replaced =
        |&algorithm: &Algorithm| ours.iter().any(|s| s.algorithm == algorithm.signature_alg_id());
    let bases = base.all.iter().copied().filter(|algorithm| !replaced(algorithm));
    let of = |&scheme: &&'static Scheme| -> Algorithm { scheme };
    let all = first.iter().map(of).chain(bases).chain(last.iter().map(of));

    let replaced = |codepoint| ours.iter().any(|s| s.codepoint() == codepoint);
    let bases = base.mapping.iter().copied().filter(|(codepoint, _)| !replaced(*codepoint));
    let of = |&scheme: &&'static Scheme| -> (SignatureScheme, &'static [Algorithm]) {
        (scheme.codepoint(), Vec::leak(vec![scheme as Algorithm]))
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

    /// rustls drops schemes whose halves mean "no hash", "SHA-1" or "RSA" in TLS 1.2, and takes some
    /// for schemes of TLS 1.2.
    #[test]
    fn no_codepoint_means_something_in_tls12() {
        for identity in IDENTITIES {
            let [hash, signature] = identity.codepoint.to_be_bytes();
            assert!(hash > 6 && signature > 3, "{:#06x}", identity.codepoint);
        }
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
