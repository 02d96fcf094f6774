//! lms-signature of RustCrypto: one tree, all of whose nodes it keeps.

use lms_signature::lms::{LmsSha256M32H10, Signature, SigningKey, VerifyingKey};
use lms_signature::ots::LmsOtsSha256N32W4;
use rand_core::{Infallible, TryCryptoRng, TryRng};
use signature::{RandomizedSignerMut, Verifier};

use super::{Failure, Implementation, Key};

pub(super) fn implementation(set: &str) -> Option<Box<dyn Implementation>> {
    (set == "L1_H10_W4").then(|| Box::new(Lms) as Box<dyn Implementation>)
}

type Mode = LmsSha256M32H10<LmsOtsSha256N32W4>;

struct Lms;

/// The prefix that turns keys and signatures of LMS into those of HSS with one level.
const ONE_LEVEL: [u8; 4] = [0, 0, 0, 1];
const NO_KEYS: [u8; 4] = [0; 4];

impl Implementation for Lms {
    fn library(&self) -> &'static str {
        "lms-signature 0.1.0-rc.2"
    }
    fn remark(&self) -> &'static str {
        "keeps all nodes"
    }
    fn generate(&self, seed: &[u8; 32]) -> Result<Box<dyn Key>, Failure> {
        let mut id = [0; 16];
        id.copy_from_slice(&seed[16..]);
        let key = SigningKey::<Mode>::new_from_seed(id, seed).map_err(|_| Failure::Refused)?;
        Ok(Box::new(LmsKey(Box::new(key))))
    }
    fn verify(&self, public: &[u8], message: &[u8], signature: &[u8]) -> Result<(), Failure> {
        let key = VerifyingKey::<Mode>::try_from(&public[ONE_LEVEL.len()..]);
        let signature = Signature::<Mode>::try_from(&signature[NO_KEYS.len()..]);
        let (Ok(key), Ok(signature)) = (key, signature) else { return Err(Failure::Refused) };
        key.verify(message, &signature).map_err(|_| Failure::Refused)
    }
}

struct LmsKey(Box<SigningKey<Mode>>);

/// A generator of fixed bytes for the randomizer, whose value does not matter.
struct Fixed;

impl TryRng for Fixed {
    type Error = Infallible;
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(7)
    }
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(7)
    }
    fn try_fill_bytes(&mut self, dest: &mut [u8]) -> Result<(), Infallible> {
        dest.fill(7);
        Ok(())
    }
}

impl TryCryptoRng for Fixed {}

impl Key for LmsKey {
    fn public(&self) -> Vec<u8> {
        let public = self.0.public();
        // The codes of LMS_SHA256_M32_H10 and LMOTS_SHA256_N32_W4.
        [&ONE_LEVEL[..], &[0, 0, 0, 6], &[0, 0, 0, 3], public.id().as_ref(), public.k()].concat()
    }
    fn sign(&mut self, message: &[u8]) -> Result<Vec<u8>, Failure> {
        let signed: Result<Signature<Mode>, _> = self.0.try_sign_with_rng(&mut Fixed, message);
        let signature: Vec<u8> = signed.map_err(|_| Failure::Refused)?.into();
        Ok([&NO_KEYS[..], &signature].concat())
    }
}
