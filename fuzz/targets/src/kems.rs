//! Keys and ciphertexts of key encapsulation mechanisms.

use oaklath_kem::Kem;

use crate::Seed;
use crate::script::{self, Script};

/// A KEM with an honest key pair.
pub(crate) struct Pair {
    pub(crate) kem: &'static dyn Kem,
    pub(crate) public: Vec<u8>,
    pub(crate) secret: Vec<u8>,
}

impl Pair {
    /// By the first two bytes of a script: the KEM, and the seed of its keys.
    pub(crate) fn read(script: &mut Script<'_>) -> Self {
        let kem = script.one_of(oaklath_kem::all());
        Self::new(kem, &script.seed(kem.seed_len()))
    }

    pub(crate) fn new(kem: &'static dyn Kem, seed: &[u8]) -> Self {
        let mut public = vec![0; kem.info().public_key];
        let mut secret = vec![0; kem.info().secret_key];
        kem.keypair_from(seed, &mut public, &mut secret).expect("a seed of the right length");
        Self { kem, public, secret }
    }

    /// A ciphertext and its secret, if the key is good.
    pub(crate) fn encapsulate(&self, public: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
        self.encapsulate_with(&Script::new(&[9]).seed(self.kem.coins_len()), public)
    }

    pub(crate) fn encapsulate_with(
        &self,
        coins: &[u8],
        public: &[u8],
    ) -> Option<(Vec<u8>, Vec<u8>)> {
        let info = self.kem.info();
        let (mut ciphertext, mut shared) = (vec![1; info.ciphertext], vec![1; info.shared_secret]);
        match self.kem.encapsulate_from(coins, public, &mut ciphertext, &mut shared) {
            Ok(()) => Some((ciphertext, shared)),
            Err(_) => {
                assert!(ciphertext.iter().chain(&shared).all(|byte| *byte == 0));
                None
            }
        }
    }

    /// The secret of a ciphertext, if lengths and key are good.
    pub(crate) fn decapsulate(&self, secret: &[u8], ciphertext: &[u8]) -> Option<Vec<u8>> {
        let mut shared = vec![1; self.kem.info().shared_secret];
        match self.kem.decapsulate(secret, ciphertext, &mut shared) {
            Ok(()) => Some(shared),
            Err(_) => {
                assert!(shared.iter().all(|byte| *byte == 0));
                None
            }
        }
    }
}

/// An encapsulation key or a decapsulation key.
pub(crate) fn keys(data: &[u8]) {
    let mut script = Script::new(data);
    let pair = Pair::read(&mut script);
    if script.byte().is_multiple_of(2) {
        let public = script.changed(pair.public.clone());
        let result = pair.encapsulate(&public);
        assert!(result.is_some() || public != pair.public);
        assert!(result.is_none() || public.len() == pair.public.len());
    } else {
        let secret = script.changed(pair.secret.clone());
        let (ciphertext, _) = pair.encapsulate(&pair.public).expect("an honest key");
        let once = pair.decapsulate(&secret, &ciphertext);
        assert!(once.is_some() || secret != pair.secret);
        let prepared = pair.kem.prepare(&secret).ok().map(|prepared| {
            let mut shared = vec![0; pair.kem.info().shared_secret];
            prepared.decapsulate(&ciphertext, &mut shared).expect("a ciphertext's length");
            shared
        });
        assert_eq!(once, prepared);
    }
}

/// A ciphertext under an honest key.
pub(crate) fn ciphertexts(data: &[u8]) {
    let mut script = Script::new(data);
    let pair = Pair::read(&mut script);
    let (honest, secret) = pair.encapsulate(&pair.public).expect("an honest key");
    let ciphertext = script.changed(honest.clone());
    let shared = pair.decapsulate(&pair.secret, &ciphertext);
    assert_eq!(shared.is_some(), ciphertext.len() == honest.len());
    // Implicit rejection.
    assert_eq!(shared.as_deref() == Some(&*secret), ciphertext == honest);
    let prepared = pair.kem.prepare(&pair.secret).expect("an honest key");
    let mut again = vec![0; secret.len()];
    let result = prepared.decapsulate(&ciphertext, &mut again);
    assert_eq!(result.is_ok().then_some(again), shared);
}

pub(crate) fn key_seeds() -> Vec<Seed> {
    let kinds = (0u8..).zip(oaklath_kem::all());
    let seeds = kinds.flat_map(|(number, kem)| {
        let name = |kind| format!("{}-{kind}", kem.info().name.to_lowercase());
        [
            script::seed(name("public"), &[number, 1, 0]),
            script::seed(name("secret"), &[number, 1, 1]),
        ]
    });
    seeds.collect()
}

pub(crate) fn ciphertext_seeds() -> Vec<Seed> {
    let kinds = (0u8..).zip(oaklath_kem::all());
    let name = |kem: &&dyn Kem| kem.info().name.to_lowercase();
    kinds.map(|(number, kem)| script::seed(name(kem), &[number, 1])).collect()
}
