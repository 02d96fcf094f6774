//! Keys and signatures.

use std::sync::OnceLock;

use oaklath_sig::{Message, Signature};

use crate::Seed;
use crate::script::{self, Script};

/// What every honest signature here signs.
pub(crate) const MESSAGE: Message<'static> = Message::with_context(b"fuzz", b"");

/// The schemes whose signatures take milliseconds: all but the small kind of hash trees.
pub(crate) fn schemes() -> &'static [&'static dyn Signature] {
    static SCHEMES: OnceLock<Vec<&'static dyn Signature>> = OnceLock::new();
    SCHEMES.get_or_init(|| {
        let all = oaklath_sig::all().iter().copied();
        all.filter(|scheme| !is_hash_tree(*scheme) || is_fast(*scheme)).collect()
    })
}

/// Public keys of hash trees are a seed and a root of at most 32 bytes each.
pub(crate) fn is_hash_tree(scheme: &dyn Signature) -> bool {
    scheme.info().public_key <= 64
}

fn is_fast(scheme: &dyn Signature) -> bool {
    ["128f", "192f", "256f"].iter().any(|fast| scheme.info().name.contains(fast))
}

/// An honest key pair and a signature of [`MESSAGE`], from fixed seeds.
pub(crate) struct Honest {
    pub(crate) scheme: &'static dyn Signature,
    pub(crate) public: Vec<u8>,
    pub(crate) secret: Vec<u8>,
    pub(crate) signature: Vec<u8>,
}

impl Honest {
    fn new(scheme: &'static dyn Signature) -> Self {
        let info = scheme.info();
        let (mut public, mut secret) = (vec![0; info.public_key], vec![0; info.secret_key]);
        let seed = Script::new(&[3]).seed(scheme.seed_len());
        scheme.keypair_from(&seed, &mut public, &mut secret).expect("a seed");
        let signature = sign(scheme, &secret).expect("an honest key");
        Self { scheme, public, secret, signature }
    }
}

/// The honest objects of the scheme that the next byte names.
pub(crate) fn honest(script: &mut Script<'_>) -> &'static Honest {
    static ALL: OnceLock<Vec<OnceLock<Honest>>> = OnceLock::new();
    let all = ALL.get_or_init(|| schemes().iter().map(|_| OnceLock::new()).collect());
    let number = usize::from(script.byte()) % all.len();
    all[number].get_or_init(|| Honest::new(schemes()[number]))
}

/// A signature of [`MESSAGE`], the same each time.
pub(crate) fn sign(scheme: &dyn Signature, secret: &[u8]) -> Option<Vec<u8>> {
    let coins = scheme.needs_coins().then(|| vec![4; scheme.coins_len()]);
    sign_with(scheme, secret, &MESSAGE, coins.as_deref())
}

/// A signature, if the key is good.
pub(crate) fn sign_with(
    scheme: &dyn Signature,
    secret: &[u8],
    message: &Message<'_>,
    coins: Option<&[u8]>,
) -> Option<Vec<u8>> {
    let mut signature = vec![0; scheme.info().longest_signature()];
    let len = scheme.sign(secret, message, coins, &mut signature).ok()?;
    signature.truncate(len);
    Some(signature)
}

/// A public or a private key.
pub(crate) fn keys(data: &[u8]) {
    let mut script = Script::new(data);
    let honest = honest(&mut script);
    let scheme = honest.scheme;
    if script.byte().is_multiple_of(2) {
        let public = script.changed(honest.public.clone());
        let result = scheme.verify(&public, &MESSAGE, &honest.signature);
        assert_eq!(result.is_ok(), public == honest.public);
        match scheme.prepare_verifier(&public) {
            Ok(verifier) => assert_eq!(verifier.verify(&MESSAGE, &honest.signature), result),
            Err(_) => assert!(result.is_err()),
        }
    } else {
        let secret = script.changed(honest.secret.clone());
        let mut public = vec![1; scheme.info().public_key];
        match scheme.public_key(&secret, &mut public) {
            Ok(()) => {
                let signature = sign(scheme, &secret).expect("a key that is good");
                assert_eq!(scheme.verify(&public, &MESSAGE, &signature), Ok(()));
            }
            Err(_) => {
                assert!(public.iter().all(|byte| *byte == 0));
                assert!(secret != honest.secret);
            }
        }
        assert!(scheme.prepare_signer(&secret).is_err() || secret.len() == honest.secret.len());
    }
}

/// A signature under an honest key.
pub(crate) fn signatures(data: &[u8]) {
    let mut script = Script::new(data);
    let honest = honest(&mut script);
    let signature = script.changed(honest.signature.clone());
    let result = honest.scheme.verify(&honest.public, &MESSAGE, &signature);
    // Strong unforgeability: not even another signature of the same message, except with zeros
    // that pad a signature of variable length.
    let padded = honest.scheme.info().variable.map(|variable| {
        let mut padded = honest.signature.clone();
        padded.resize(variable.padded, 0);
        padded
    });
    let good = signature == honest.signature || Some(&signature) == padded.as_ref();
    assert_eq!(result.is_ok(), good);
    let verifier = honest.scheme.prepare_verifier(&honest.public).expect("an honest key");
    assert_eq!(verifier.verify(&MESSAGE, &signature), result);
}

pub(crate) fn key_seeds() -> Vec<Seed> {
    let kinds = (0u8..).zip(schemes());
    let seeds = kinds.flat_map(|(number, scheme)| {
        let name = |kind| format!("{}-{kind}", scheme.info().name.to_lowercase());
        [script::seed(name("public"), &[number, 0]), script::seed(name("secret"), &[number, 1])]
    });
    seeds.collect()
}

pub(crate) fn signature_seeds() -> Vec<Seed> {
    let name = |scheme: &dyn Signature| scheme.info().name.to_lowercase();
    let kinds = (0u8..).zip(schemes());
    kinds.map(|(number, scheme)| script::seed(name(*scheme), &[number])).collect()
}
