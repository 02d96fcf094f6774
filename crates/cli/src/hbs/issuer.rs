//! A stateful key that issues certificates: RFC 9802.

use std::cell::RefCell;
use std::num::NonZeroU64;
use std::path::Path;

use anyhow::Result;
use oaklath_pki::{Issuer, KeyError, PublicKey, Signing};
use oaklath_stateful::Growth;
use oaklath_stores::{KeyId, SignError, Signer};

use super::key::SecretKey;
use super::store::{StoreArgs, refused};

/// The prefix that marks a file as a secret key of `oaklath hbs keygen`.
const PREFIX: &str = "hbs:";

/// Returns the file of a stateful secret key, if the argument names one.
pub(crate) fn secret_file(argument: &Path) -> Option<&Path> {
    argument.to_str()?.strip_prefix(PREFIX).map(Path::new)
}

/// A stateful key with its store. Each certificate uses up a one-time key.
pub(crate) struct StatefulIssuer {
    public: PublicKey,
    signer: RefCell<Signer>,
    /// The error of signing, if there was one.
    failure: RefCell<Option<SignError>>,
}

impl StatefulIssuer {
    pub(crate) fn open(secret: &Path, store: &StoreArgs) -> Result<Self> {
        let public = SecretKey::read(secret)?.public()?;
        let key = SecretKey::read_to_sign(secret)?;
        let store = store.open(secret, NonZeroU64::MIN, KeyId::of_key(&*key))?;
        let signer = Signer::new(key, store).map_err(refused)?.growth(Growth::Lazy);
        let signer = RefCell::new(signer);
        Ok(Self { public, signer, failure: RefCell::new(None) })
    }

    /// Returns the error of signing, if that is why a certificate was not issued.
    pub(crate) fn failure(&self) -> Option<anyhow::Error> {
        self.failure.borrow_mut().take().map(refused)
    }
}

impl Issuer for StatefulIssuer {
    fn public_key(&self) -> Result<PublicKey, KeyError> {
        Ok(self.public.clone())
    }

    fn sign(&self, message: &[u8], _: Signing) -> Result<Vec<u8>, KeyError> {
        let signed = self.signer.borrow_mut().sign(message);
        signed.map_err(|error| {
            let reason = error.to_string();
            *self.failure.borrow_mut() = Some(error);
            KeyError::Refused { reason }
        })
    }
}
