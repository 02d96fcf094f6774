//! Private keys that sign handshakes: ours from PKCS#8, all others through the base.

use std::fmt;
use std::sync::Arc;

use oaklath_pki::{Algorithm, KeyError, PrivateKey};
use oaklath_sig::{Message, Sign};
use rustls::crypto::{KeyProvider, SecureRandom};
use rustls::pki_types::{PrivateKeyDer, SubjectPublicKeyInfoDer};
use rustls::sign::{Signer, SigningKey};
use rustls::{Error, SignatureAlgorithm, SignatureScheme};
use zeroize::Zeroizing;

use crate::lock::{Lock, lock};
use crate::verify::{self, TlsSignature};

/// A key loader that loads our keys, and passes others on to the base.
#[derive(Debug)]
pub(crate) struct KeyLoader {
    pub(crate) base: &'static dyn KeyProvider,
    pub(crate) random: &'static dyn SecureRandom,
    pub(crate) allow_legacy: bool,
    pub(crate) low_memory: bool,
}

impl KeyProvider for KeyLoader {
    fn load_private_key(&self, key: PrivateKeyDer<'static>) -> Result<Arc<dyn SigningKey>, Error> {
        let parsed = match &key {
            PrivateKeyDer::Pkcs8(pkcs8) => PrivateKey::from_der(pkcs8.secret_pkcs8_der()),
            _ => return self.base.load_private_key(key),
        };
        match parsed {
            Ok(parsed) => self.prepare(&parsed).map_err(Error::General),
            // The base may be able to read what is not PKCS#8.
            Err(KeyError::UnsupportedAlgorithm { .. } | KeyError::Malformed(_)) => {
                self.base.load_private_key(key)
            }
            // The base may support what this build lacks; if it does not, our reason is reported.
            Err(reason @ KeyError::NotBuilt { .. }) => {
                let loaded = self.base.load_private_key(key);
                loaded.map_err(|_| Error::General(reason.to_string()))
            }
            Err(reason) => Err(Error::General(reason.to_string())),
        }
    }
}

impl KeyLoader {
    /// Checks the locks of a key, and expands it once for all signatures unless memory is low.
    fn prepare(&self, key: &PrivateKey) -> Result<Arc<dyn SigningKey>, String> {
        let identity = key.identity();
        let name = identity.name();
        let same = |s: &&TlsSignature| Algorithm::Sig(s.identity) == identity.algorithm();
        let scheme = verify::schemes().iter().find(same);
        let scheme = scheme.ok_or_else(|| format!("{name} makes no signatures"))?;
        let feature = scheme.identity.algorithm.feature;
        match lock(feature, identity.status(), self.allow_legacy) {
            None => {}
            Some(Lock::NotCompiled) => {
                return Err(format!("{name} needs the cargo feature `{feature}`"));
            }
            Some(Lock::NotAllowed) => {
                return Err(format!(
                    "{name} is a round-3 algorithm, which needs `Builder::allow_legacy`"
                ));
            }
        }
        let signer = if self.low_memory { key.low_memory_signer() } else { key.signer() };
        let signer = signer.map_err(|error| error.to_string())?;
        let spki = key.public_key().to_der();
        Ok(Arc::new(Key(Arc::new(Prepared { scheme, signer, spki, random: self.random }))))
    }
}

/// A private key of ours as rustls' signing key and as the signer of a handshake.
#[derive(Clone)]
struct Key(Arc<Prepared>);

struct Prepared {
    scheme: &'static TlsSignature,
    signer: Box<dyn Sign>,
    /// The public key in DER.
    spki: Vec<u8>,
    random: &'static dyn SecureRandom,
}

impl SigningKey for Key {
    fn choose_scheme(&self, offered: &[SignatureScheme]) -> Option<Box<dyn Signer>> {
        offered.contains(&self.scheme()).then(|| Box::new(self.clone()) as Box<dyn Signer>)
    }

    // Lets rustls reject a certificate that belongs to another key.
    fn public_key(&self) -> Option<SubjectPublicKeyInfoDer<'_>> {
        Some(self.0.spki.as_slice().into())
    }

    // TLS 1.2 chooses cipher suites by this algorithm, and none matches this one.
    fn algorithm(&self) -> SignatureAlgorithm {
        SignatureAlgorithm::Unknown(u8::MAX)
    }
}

impl Signer for Key {
    /// Signs with randomness from the base, and without a context, as X.509 and TLS specify.
    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, Error> {
        let Prepared { scheme, signer, random, .. } = &*self.0;
        let mut coins = Zeroizing::new(vec![0; scheme.signature.coins_len()]);
        random.fill(&mut coins).map_err(|_| Error::FailedToGetRandomBytes)?;
        let mut signature = vec![0; scheme.identity.algorithm.longest_signature()];
        let len = signer
            .sign(&Message::new(message), Some(&coins), &mut signature)
            .map_err(|error| Error::General(error.to_string()))?;
        signature.truncate(len);
        Ok(signature)
    }

    fn scheme(&self) -> SignatureScheme {
        self.0.scheme.codepoint()
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} private key", self.0.scheme.identity.algorithm.name)
    }
}
