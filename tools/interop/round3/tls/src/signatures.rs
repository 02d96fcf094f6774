//! The signatures of the old system: verification of chains and handshakes, and signing keys.

use std::{fmt, sync::Arc};

use rustls::{
    Error, SignatureAlgorithm, SignatureScheme,
    crypto::{KeyProvider, WebPkiSupportedAlgorithms},
    pki_types::{
        AlgorithmIdentifier, InvalidSignature, PrivateKeyDer, SignatureVerificationAlgorithm,
    },
    sign::{Signer, SigningKey},
};

use crate::oqs::Sig;

/// A signature scheme.
#[derive(Debug)]
struct Scheme {
    codepoint: u16,
    /// The object identifier in DER, which alone makes an algorithm identifier without parameters.
    oid: &'static [u8],
    name: &'static str,
}

macro_rules! schemes {
    ($($codepoint:literal $oid:literal $name:literal;)*) => {
        static SCHEMES: &[Scheme] =
            &[$(Scheme { codepoint: $codepoint, oid: $oid, name: $name }),*];
    };
}

schemes! {
    0xfe0b b"\x06\x05\x2b\xce\x0f\x03\x01" "Falcon-512";
    0xfe0e b"\x06\x05\x2b\xce\x0f\x03\x04" "Falcon-1024";
    0xfea0 b"\x06\x0b\x2b\x06\x01\x04\x01\x02\x82\x0b\x07\x04\x04" "Dilithium2";
    0xfea3 b"\x06\x0b\x2b\x06\x01\x04\x01\x02\x82\x0b\x07\x06\x05" "Dilithium3";
    0xfea5 b"\x06\x0b\x2b\x06\x01\x04\x01\x02\x82\x0b\x07\x08\x07" "Dilithium5";
    0xfea7 b"\x06\x0b\x2b\x06\x01\x04\x01\x02\x82\x0b\x0b\x04\x04" "Dilithium2-AES";
    0xfeaa b"\x06\x0b\x2b\x06\x01\x04\x01\x02\x82\x0b\x0b\x06\x05" "Dilithium3-AES";
    0xfeac b"\x06\x0b\x2b\x06\x01\x04\x01\x02\x82\x0b\x0b\x08\x07" "Dilithium5-AES";
    0xfe7d b"\x06\x06\x2b\xce\x0f\x06\x07\x04" "SPHINCS+-SHAKE256-128f-simple";
    0xfe88 b"\x06\x06\x2b\xce\x0f\x06\x08\x03" "SPHINCS+-SHAKE256-192f-simple";
    0xfe90 b"\x06\x06\x2b\xce\x0f\x06\x09\x03" "SPHINCS+-SHAKE256-256f-simple";
    0xfe83 b"\x06\x06\x2b\xce\x0f\x06\x07\x0a" "SPHINCS+-SHAKE256-128s-simple";
    0xfe8c b"\x06\x06\x2b\xce\x0f\x06\x08\x07" "SPHINCS+-SHAKE256-192s-simple";
    0xfe94 b"\x06\x06\x2b\xce\x0f\x06\x09\x07" "SPHINCS+-SHAKE256-256s-simple";
}

/// Returns the algorithms with which webpki verifies chains, and rustls handshakes.
pub(crate) fn verification() -> WebPkiSupportedAlgorithms {
    type Algorithms = &'static [&'static dyn SignatureVerificationAlgorithm];
    // Leaked once per process, which has only one connection.
    let all: Algorithms = SCHEMES.iter().map(|scheme| scheme as _).collect::<Vec<_>>().leak();
    let mapping = SCHEMES.iter().zip(all.chunks(1));
    let mapping = mapping.map(|(scheme, alone)| (scheme.codepoint.into(), alone));
    WebPkiSupportedAlgorithms { all, mapping: mapping.collect::<Vec<_>>().leak() }
}

impl SignatureVerificationAlgorithm for Scheme {
    fn verify_signature(
        &self,
        public_key: &[u8],
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), InvalidSignature> {
        let verified = Sig::new(self.name).and_then(|s| s.verify(public_key, message, signature));
        (verified == Some(true)).then_some(()).ok_or(InvalidSignature)
    }

    fn public_key_alg_id(&self) -> AlgorithmIdentifier {
        AlgorithmIdentifier::from_slice(self.oid)
    }

    fn signature_alg_id(&self) -> AlgorithmIdentifier {
        self.public_key_alg_id()
    }
}

/// Reads private keys as OQS-OpenSSL writes them.
#[derive(Debug)]
pub(crate) struct Keys;

impl KeyProvider for Keys {
    fn load_private_key(&self, der: PrivateKeyDer<'static>) -> Result<Arc<dyn SigningKey>, Error> {
        let key = Key::parse(der.secret_der());
        let key = key.ok_or_else(|| Error::General("no private key of that time".into()))?;
        Ok(Arc::new(key))
    }
}

#[derive(Clone)]
struct Key {
    scheme: &'static Scheme,
    private: Vec<u8>,
}

impl Key {
    /// Parses PKCS#8 around an OCTET STRING of both keys.
    fn parse(der: &[u8]) -> Option<Self> {
        let mut fields = value(0x30, &mut { der })?;
        value(0x02, &mut fields)?; // the version
        let oid = value(0x30, &mut fields)?;
        let both = value(0x04, &mut value(0x04, &mut fields)?)?;
        let scheme = SCHEMES.iter().find(|scheme| scheme.oid == oid)?;
        let private = both.get(..Sig::new(scheme.name)?.private_key_len())?;
        Some(Self { scheme, private: private.to_vec() })
    }
}

/// Returns the contents of the next element of DER, which must have this tag.
fn value<'a>(tag: u8, der: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (&[found, first], mut rest) = der.split_first_chunk()?;
    let mut len = usize::from(first);
    if first > 0x80 {
        let (digits, after) = rest.split_at_checked(len - 0x80)?;
        len = digits.iter().fold(0, |len, &digit| (len << 8) | usize::from(digit));
        rest = after;
    }
    let (contents, after) = rest.split_at_checked(len)?;
    *der = after;
    (found == tag).then_some(contents)
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Key").field(&self.scheme.name).finish()
    }
}

impl SigningKey for Key {
    fn choose_scheme(&self, offered: &[SignatureScheme]) -> Option<Box<dyn Signer>> {
        offered.contains(&self.scheme()).then(|| Box::new(self.clone()) as _)
    }

    fn algorithm(&self) -> SignatureAlgorithm {
        SignatureAlgorithm::from(self.scheme.codepoint.to_be_bytes()[1])
    }
}

impl Signer for Key {
    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, Error> {
        let signature = Sig::new(self.scheme.name).and_then(|s| s.sign(&self.private, message));
        signature.ok_or_else(|| Error::General("liboqs does not sign".into()))
    }

    fn scheme(&self) -> SignatureScheme {
        self.scheme.codepoint.into()
    }
}
