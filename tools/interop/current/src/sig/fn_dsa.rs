//! fn-dsa: Rust with vector code, by an author of Falcon. It implements what FN-DSA may become, and
//! is also timed as a near relative of Falcon.

use std::cell::RefCell;

use fn_dsa::{
    DOMAIN_NONE, FN_DSA_LOGN_512, FN_DSA_LOGN_1024, HASH_ID_EXTMU, HASH_ID_RAW, KeyPairGenerator,
    KeyPairGeneratorStandard, SigningKey, SigningKeyStandard, VerifyingKey, VerifyingKeyStandard,
    compute_mu, sign_key_size, signature_size,
};
use interop_common::kem::Randomness;
use interop_common::random::Inputs;
use rand_core_06::{CryptoRng, Error, RngCore};

use super::{Coins, Failure, Implementation, Keys, Signer, Verifier};

pub(super) fn implementation(algorithm: &str) -> Option<Box<dyn Implementation>> {
    Some(match algorithm {
        "Falcon-512" => Box::new(FnDsa { name: "Falcon-512", log2_n: FN_DSA_LOGN_512, tail: HASH }),
        "Falcon-1024" => {
            Box::new(FnDsa { name: "Falcon-1024", log2_n: FN_DSA_LOGN_1024, tail: HASH })
        }
        "FN-DSA-512" => Box::new(FnDsa { name: "FN-DSA-512", log2_n: FN_DSA_LOGN_512, tail: 0 }),
        "FN-DSA-1024" => Box::new(FnDsa { name: "FN-DSA-1024", log2_n: FN_DSA_LOGN_1024, tail: 0 }),
        _ => return None,
    })
}

struct FnDsa {
    name: &'static str,
    log2_n: u32,
    /// The number of bytes that its private keys have in addition to the algorithm's.
    tail: usize,
}

/// The length in bytes of the hash that ends an encoded private key.
const HASH: usize = 64;

/// A generator that returns the given bytes first, then pseudorandom ones derived from them.
struct Stream<'a>(&'a [u8], Inputs);

impl<'a> Stream<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        let first = bytes.first_chunk().expect("40 bytes or more");
        Self(bytes, Inputs::from_seed(u64::from_le_bytes(*first)))
    }
}

impl RngCore for Stream<'_> {
    fn next_u32(&mut self) -> u32 {
        self.next_u64() as u32
    }

    fn next_u64(&mut self) -> u64 {
        self.1.number()
    }

    fn fill_bytes(&mut self, dest: &mut [u8]) {
        for byte in dest {
            let next = self.0.split_off_first().copied();
            *byte = next.unwrap_or_else(|| self.1.number() as u8);
        }
    }

    fn try_fill_bytes(&mut self, dest: &mut [u8]) -> Result<(), Error> {
        self.fill_bytes(dest);
        Ok(())
    }
}

impl CryptoRng for Stream<'_> {}

impl Implementation for FnDsa {
    fn library(&self) -> &'static str {
        "fn-dsa 0.4.0"
    }

    fn algorithm(&self) -> &'static str {
        self.name
    }

    fn remark(&self) -> &'static str {
        "FN-DSA as it may become, with AVX2; hashes the public key; kept private keys hold the basis"
    }

    fn randomness(&self) -> Randomness {
        // It gets the same bytes, but draws other numbers from them.
        Randomness::Own("the seed given, read otherwise")
    }

    fn coins(&self) -> Coins {
        Coins::Given
    }

    fn is_relative(&self) -> bool {
        self.tail > 0
    }

    fn rounds_otherwise(&self) -> bool {
        true
    }

    fn keypair(&self, seed: &[u8], pk: &mut [u8], sk: &mut [u8]) -> Result<(), Failure> {
        let mut secret = vec![0; sign_key_size(self.log2_n)];
        let mut generator = KeyPairGeneratorStandard::default();
        generator.keygen(self.log2_n, &mut Stream::new(seed), &mut secret, pk);
        sk.copy_from_slice(&secret[..secret.len() - self.tail]);
        Ok(())
    }

    fn sign(
        &self,
        sk: &[u8],
        message: &[u8],
        coins: Option<&[u8]>,
        signature: &mut [u8],
    ) -> Result<usize, Failure> {
        self.sign_with(&mut self.parsed(sk)?, message, coins, signature)
    }

    fn verify(&self, pk: &[u8], message: &[u8], signature: &[u8]) -> Result<(), Failure> {
        let key = VerifyingKeyStandard::decode(pk).ok_or(Failure::Refused)?;
        self.verify_with(&key, message, signature)
    }

    fn expand_secret(&self, keys: &Keys) -> Option<Signer> {
        let key = RefCell::new(self.parsed(&keys.secret).ok()?);
        let this = Self { ..*self };
        Some(Box::new(move |message, coins, signature| {
            this.sign_with(&mut key.borrow_mut(), message, coins, signature)
        }))
    }

    fn expand_public(&self, keys: &Keys) -> Option<Verifier> {
        let key = VerifyingKeyStandard::decode(&keys.public)?;
        let this = Self { ..*self };
        Some(Box::new(move |message, signature| this.verify_with(&key, message, signature)))
    }
}

impl FnDsa {
    fn sign_with(
        &self,
        key: &mut SigningKeyStandard,
        message: &[u8],
        coins: Option<&[u8]>,
        signature: &mut [u8],
    ) -> Result<usize, Failure> {
        let mut stream = Stream::new(coins.ok_or(Failure::NotOffered)?);
        let len = signature_size(self.log2_n);
        let signature = &mut signature[..len];
        if self.tail == 0 {
            key.sign(&mut stream, &DOMAIN_NONE, &HASH_ID_RAW, message, signature)
        } else {
            let mu = mu(message);
            key.sign(&mut stream, &DOMAIN_NONE, &HASH_ID_EXTMU, &mu, signature)
        }
        .map(|()| len)
        .ok_or(Failure::Refused)
    }

    /// Reads a key of Falcon's length, with zeros for the hash.
    fn parsed(&self, sk: &[u8]) -> Result<SigningKeyStandard, Failure> {
        let zeros = vec![0; self.tail];
        SigningKeyStandard::decode(&[sk, &zeros].concat()).ok_or(Failure::Refused)
    }

    fn verify_with(
        &self,
        key: &VerifyingKeyStandard,
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), Failure> {
        let valid = if self.tail == 0 {
            key.verify(signature, &DOMAIN_NONE, &HASH_ID_RAW, message)
        } else {
            key.verify(signature, &DOMAIN_NONE, &HASH_ID_EXTMU, &mu(message))
        };
        if valid { Ok(()) } else { Err(Failure::Refused) }
    }
}

/// Returns the hash that is signed as Falcon: with zeros for the hash of the public key, which
/// makes no difference in time.
fn mu(message: &[u8]) -> [u8; 64] {
    compute_mu(&[0; HASH], &DOMAIN_NONE, &HASH_ID_RAW, message)
}
