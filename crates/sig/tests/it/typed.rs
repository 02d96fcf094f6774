//! Tests of the typed layer: agreement of all signing functions with the schemes found by name,
//! random keys, the traits of the crate `signature`, rejected inputs.
use oaklath_hash::sha3::sha3_256;
use oaklath_params::buffer::Length;
use oaklath_params::hash;
use oaklath_sig::{
    Dilithium2, Dilithium2Aes, Dilithium3, Dilithium3Aes, Dilithium5, Dilithium5Aes,
    EncodedSignature, Error, ExpandedSigningKey, ExpandedVerifyingKey, Falcon512, Falcon1024,
    FalconSet, FnDsa512, FnDsa1024, Message, MlDsa44, MlDsa65, MlDsa87, MuContext, MuSet,
    SignatureSet, SigningKey, SlhDsaSha2_128f, SlhDsaSha2_128s, SlhDsaSha2_192f, SlhDsaSha2_256f,
    SlhDsaShake128f, SlhDsaShake128s, SlhDsaShake192f, SlhDsaShake256f, SphincsShake128f,
    SphincsShake128s, SphincsShake192f, SphincsShake256f, VerifyingKey, by_name,
};
use oaklath_simd::Level;
use signature::{Keypair, RandomizedSigner, SignatureEncoding, Signer, Verifier};

use crate::common::{OneByte, bytes, is_round3};

/// Calls a generic function with each set of ML-DSA and Dilithium.
macro_rules! lattice_sets {
    ($f:ident) => {
        $f::<MlDsa44>();
        $f::<MlDsa65>();
        $f::<MlDsa87>();
        $f::<Dilithium2>();
        $f::<Dilithium3>();
        $f::<Dilithium5>();
        $f::<Dilithium2Aes>();
        $f::<Dilithium3Aes>();
        $f::<Dilithium5Aes>();
    };
}

/// Calls a generic function with each fast set with hash trees.
macro_rules! fast_tree_sets {
    ($f:ident) => {
        $f::<SlhDsaSha2_128f>();
        $f::<SlhDsaSha2_192f>();
        $f::<SlhDsaSha2_256f>();
        $f::<SlhDsaShake128f>();
        $f::<SlhDsaShake192f>();
        $f::<SlhDsaShake256f>();
        $f::<SphincsShake128f>();
        $f::<SphincsShake192f>();
        $f::<SphincsShake256f>();
    };
}

/// Calls a generic function with each set of Falcon and FN-DSA.
macro_rules! falcon_sets {
    ($f:ident) => {
        $f::<Falcon512>();
        $f::<Falcon1024>();
        $f::<FnDsa512>();
        $f::<FnDsa1024>();
    };
}

/// Calls a generic function with all but the small sets.
macro_rules! quick_sets {
    ($f:ident) => {
        lattice_sets!($f);
        fast_tree_sets!($f);
        falcon_sets!($f);
    };
}

/// Makes key number `i`.
fn key<P: SignatureSet>(i: usize) -> SigningKey<P> {
    let scheme = by_name(P::INFO.name).unwrap();
    let seed = [bytes("seed", i), bytes("seed", i + 1000)].concat();
    let (mut pk, mut sk) = (vec![0; P::INFO.public_key], vec![0; P::INFO.secret_key]);
    scheme.keypair_from(&seed[..scheme.seed_len()], &mut pk, &mut sk).unwrap();
    let key = SigningKey::<P>::from_bytes(&sk).unwrap();
    assert_eq!((key.as_bytes(), key.verifying_key().as_bytes()), (&*sk, &*pk));
    key
}

/// Makes coins number `i`.
fn coins<P: SignatureSet>(i: usize) -> Vec<u8> {
    let len = by_name(P::INFO.name).unwrap().coins_len();
    [bytes("coins", i), bytes("coins", i + 1000)].concat()[..len].to_vec()
}

/// Reports whether signatures may be made without randomness.
fn is_deterministic<P: SignatureSet>() -> bool {
    !by_name(P::INFO.name).unwrap().needs_coins()
}

/// Returns random bytes if signing needs them.
fn few_coins<P: SignatureSet>() -> Option<Vec<u8>> {
    (!is_deterministic::<P>()).then(|| coins::<P>(0))
}

fn all_ways_agree<P: SignatureSet>() {
    let scheme = by_name(P::INFO.name).unwrap();
    let is_lattice = P::INFO.name.contains("ML-DSA") || P::INFO.name.contains("Dilithium");
    for i in 0..if is_lattice { 20 } else { 1 } {
        let text = &bytes("message", i)[..3 * i];
        let (key, message) = (key::<P>(i), Message::new(text));
        let public = key.verifying_key();
        let (signer, verifier) = (key.expand().unwrap(), public.expand());
        let prepared = scheme.prepare_signer(key.as_bytes()).unwrap();
        let kept = scheme.prepare_low_memory_signer(key.as_bytes()).unwrap();
        for coins in [None, Some(&coins::<P>(i)[..])] {
            if coins.is_none() && !is_deterministic::<P>() {
                let error =
                    Err(Error::CoinsLength(Length { expected: scheme.coins_len(), found: 0 }));
                assert_eq!(key.sign_deterministic(&message), error);
                assert_eq!(signer.sign_deterministic(&message), error);
                continue;
            }
            let signature = key.sign_from(&message, coins).unwrap();
            assert_eq!(signer.sign_from(&message, coins).unwrap(), signature);
            if coins.is_none() {
                assert_eq!(key.sign_deterministic(&message).unwrap(), signature);
                assert_eq!(signer.sign_deterministic(&message).unwrap(), signature);
            }
            let mut out = vec![1; P::INFO.signature];
            let len = key.sign_low_memory(&message, coins, &mut out).unwrap();
            assert_eq!(&out[..len], signature.as_bytes(), "{} {i}: low memory", P::INFO.name);
            let len = scheme.sign(key.as_bytes(), &message, coins, &mut out).unwrap();
            assert_eq!(out[..len], *signature.as_bytes());
            for signer in [&prepared, &kept] {
                out.fill(1);
                let len = signer.sign(&message, coins, &mut out).unwrap();
                assert_eq!(out[..len], *signature.as_bytes());
            }

            public.verify_message(&message, &signature).unwrap();
            verifier.verify_message(&message, &signature).unwrap();
            scheme.verify(public.as_bytes(), &message, signature.as_bytes()).unwrap();
            scheme.verify_on_heap(public.as_bytes(), &message, signature.as_bytes()).unwrap();
            every_change_is_rejected::<P>(i, public, &verifier, &message, &signature);
        }
    }
}

fn every_change_is_rejected<P: SignatureSet>(
    i: usize,
    public: &VerifyingKey<P>,
    verifier: &ExpandedVerifyingKey<P>,
    message: &Message<'_>,
    signature: &EncodedSignature<P>,
) {
    let scheme = by_name(P::INFO.name).unwrap();
    let rejected = Err(Error::InvalidSignature);
    // In ML-DSA: a byte of c~, of z, of the hints, and of the numbers of hints.
    let len = signature.as_bytes().len();
    for at in [7 * i % 32, 32 + 97 * i % (len - 200), len - 90 + i, len - 1 - i % 4] {
        let mut wrong = signature.as_bytes().to_vec();
        wrong[at] ^= 1 << (i % 8);
        assert_eq!(
            scheme.verify_on_heap(public.as_bytes(), message, &wrong),
            rejected,
            "byte {at}"
        );
        let wrong = EncodedSignature::from_bytes(&wrong).unwrap();
        assert_eq!(public.verify_message(message, &wrong), rejected, "byte {at}");
        assert_eq!(verifier.verify_message(message, &wrong), rejected, "byte {at}");
    }
    let mut other = public.as_bytes().to_vec();
    other[(31 * i + 5) % P::INFO.public_key] ^= 4;
    let other = VerifyingKey::<P>::from_bytes(&other);
    assert_ne!(other.and_then(|key| key.verify_message(message, signature)), Ok(()));
    assert_eq!(public.verify_message(&Message::new(b"another message"), signature), rejected);
}

#[test]
fn all_ways_of_signing_agree() {
    for level in Level::available() {
        level.with(|| {
            lattice_sets!(all_ways_agree);
            falcon_sets!(all_ways_agree);
        });
    }
    // Above the hashes these are compiled once. CI makes each level the current one in turn.
    fast_tree_sets!(all_ways_agree);
    // A small set of each hash, whose trees take a second: the others differ in numbers only.
    all_ways_agree::<SlhDsaSha2_128s>();
    all_ways_agree::<SlhDsaShake128s>();
    all_ways_agree::<SphincsShake128s>();
}

fn emulated_numbers_agree<P: FalconSet>() {
    let (key, message) = (key::<P>(7), Message::new(b"a message"));
    let mut out = vec![1; P::INFO.signature];
    let len = key.sign_emulated(&message, &coins::<P>(0), &mut out).unwrap();
    let signature = key.sign_from(&message, Some(&coins::<P>(0))).unwrap();
    assert_eq!(&out[..len], signature.as_bytes());
    assert_ne!(key.sign_from(&message, Some(&coins::<P>(1))).unwrap(), signature);
    let found = coins::<P>(0).len() - 1;
    let error = key.sign_emulated(&message, &coins::<P>(0)[1..], &mut out);
    assert_eq!(error, Err(Error::CoinsLength(Length { expected: found + 1, found })));
    assert!(out.iter().all(|byte| *byte == 0));
}

#[test]
fn emulated_numbers_sign_alike() {
    falcon_sets!(emulated_numbers_agree);
}

fn mu_in_pieces<P: MuSet>() {
    for i in 0..20 {
        let (key, text) = (key::<P>(i), &bytes("message", i)[..3 * i]);
        let public = key.verifying_key();
        let mut mu = MuContext::new(public, b"").unwrap();
        text.chunks(7).for_each(|piece| mu.update(piece));
        let (mut other, mu) = (mu.clone(), mu.finish());
        let signature = key.sign_deterministic(&Message::new(text)).unwrap();
        assert_eq!(key.sign_deterministic(&Message::Mu(&mu)).unwrap(), signature);
        public.expand().verify_message(&Message::Mu(&mu), &signature).unwrap();
        other.update(b"more");
        let rejected = public.verify_message(&Message::Mu(&other.finish()), &signature);
        assert_eq!(rejected, Err(Error::InvalidSignature));
        assert!(format!("{:?}", MuContext::new(public, b"")).contains(P::INFO.name));
    }
    let (key, message) = (key::<P>(0), Message::with_context(b"a message", b"context"));
    let mu = MuContext::new(key.verifying_key(), b"context");
    if is_round3(P::INFO) {
        assert_eq!(mu.unwrap_err(), Error::MessageForm);
        return;
    }
    let mut mu = mu.unwrap();
    mu.update(b"a message");
    let signature = key.sign_deterministic(&message).unwrap();
    key.verifying_key().verify_message(&Message::Mu(&mu.finish()), &signature).unwrap();
}

#[test]
fn mu_of_a_message_in_pieces() {
    for level in Level::available() {
        level.with(|| {
            lattice_sets!(mu_in_pieces);
        });
    }
}

fn hedged_signatures_differ<P: SignatureSet>() {
    let (key, other) = (SigningKey::<P>::generate(), SigningKey::<P>::generate());
    assert_ne!(key.as_bytes(), other.as_bytes());
    let (public, message) = (key.verifying_key(), Message::new(b"the same"));
    let mut signatures = vec![key.expand().unwrap().sign_message(&message).unwrap()];
    signatures.extend((0..3).map(|_| key.sign_message(&message).unwrap()));
    if is_deterministic::<P>() {
        let deterministic = [0; 2].map(|_| key.sign_deterministic(&message).unwrap());
        assert_eq!(deterministic[0], deterministic[1]);
        signatures.push(deterministic[0].clone());
    }
    for (i, a) in signatures.iter().enumerate() {
        assert!(signatures[..i].iter().all(|b| a != b));
        public.verify_message(&message, a).unwrap();
        public.expand().verify_message(&message, a).unwrap();
        let rejected = other.verifying_key().verify_message(&message, a);
        assert_eq!(rejected, Err(Error::InvalidSignature));
    }
}

#[test]
fn no_hedged_signature_comes_twice() {
    quick_sets!(hedged_signatures_differ);
}

fn forms_of_messages<P: SignatureSet>() {
    let (key, coins) = (key::<P>(9), few_coins::<P>());
    let (public, coins) = (key.verifying_key(), coins.as_deref());
    let digest = sha3_256(b"a message");
    let plain = Message::new(b"a message");
    let prehashed = Message::PreHashed { hash: &hash::SHA3_256, digest: &digest, context: b"" };
    let with_context = Message::with_context(b"a message", b"context");
    if is_round3(P::INFO) {
        for message in [&prehashed, &with_context] {
            assert_eq!(key.sign_from(message, coins).unwrap_err(), Error::MessageForm);
            let signature = key.sign_from(&plain, coins).unwrap();
            assert_eq!(public.verify_message(message, &signature), Err(Error::MessageForm));
        }
        return;
    }
    // M' of FIPS 204, Algorithm 2: a zero, the context's length, the context, the message.
    let formatted = [&[0, 7][..], b"context", b"a message"].concat();
    let forms = [&plain, &prehashed, &with_context];
    let signatures = forms.map(|form| key.sign_from(form, coins).unwrap());
    for (i, form) in forms.iter().enumerate() {
        for (j, signature) in signatures.iter().enumerate() {
            assert_eq!(public.verify_message(form, signature).is_ok(), i == j);
        }
    }
    let internal = key.sign_from(&Message::Internal(&formatted), coins).unwrap();
    assert_eq!(internal, signatures[2]);
    // Algorithm 4: a one, the context's length, the object identifier of SHA3-256, the digest.
    let sha3_256 = [6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 8];
    let formatted = [&[1, 0][..], &sha3_256, &digest].concat();
    let internal = key.sign_from(&Message::Internal(&formatted), coins).unwrap();
    assert_eq!(internal, signatures[1]);
}

#[test]
fn messages_have_forms() {
    for level in Level::available() {
        level.with(|| {
            lattice_sets!(forms_of_messages);
        });
    }
    fast_tree_sets!(forms_of_messages);
    falcon_sets!(forms_of_messages);
}

fn damaged_keys<P: MuSet>() {
    let info = P::INFO;
    let key = key::<P>(5);
    let wrong = |at: usize, value: u8| {
        let mut bytes = key.as_bytes().to_vec();
        bytes[at] = value;
        let error = SigningKey::<P>::from_bytes(&bytes).unwrap_err();
        let expanded = ExpandedSigningKey::<P>::from_bytes(&bytes).err();
        (error, expanded)
    };
    let tr = if is_round3(info) { 32 } else { 64 };
    // s1: eight set bits hold a coefficient out of range for every eta.
    let range = Error::SecretKeyEncoding;
    assert_eq!(wrong(64 + tr + 3, 0xff), (range, Some(range)));
    // rho, tr, t0.
    let other = |at: usize| !key.as_bytes()[at];
    for (at, error) in [
        (0, Error::SecretKeyInconsistent),
        (64, Error::SecretKeyHash),
        (64 + tr - 1, Error::SecretKeyHash),
        (info.secret_key - 1, Error::SecretKeyLowBits),
    ] {
        assert_eq!(wrong(at, other(at)), (error, None), "byte {at}");
    }
    let mut out = vec![1; info.signature];
    let mut bytes = key.as_bytes().to_vec();
    bytes[64 + tr + 3] = 0xff;
    let scheme = by_name(info.name).unwrap();
    assert_eq!(scheme.sign(&bytes, &Message::new(b""), None, &mut out), Err(range));
    assert_eq!(scheme.prepare_low_memory_signer(&bytes).err(), Some(range));
    assert!(out.iter().all(|b| *b == 0), "outputs are complete or zero");
}

#[test]
fn damaged_private_keys_are_rejected() {
    for level in Level::available() {
        level.with(|| {
            lattice_sets!(damaged_keys);
        });
    }
}

fn damaged_falcon_keys<P: FalconSet>() {
    let (info, key) = (P::INFO, key::<P>(3));
    // The header, and a coefficient of F that is too large.
    let mut damaged = key.as_bytes().to_vec();
    damaged[0] ^= 1;
    assert_eq!(SigningKey::<P>::from_bytes(&damaged).err(), Some(Error::SecretKeyEncoding));
    damaged[0] ^= 1;
    damaged[info.public_key] ^= 0x40;
    assert!(SigningKey::<P>::from_bytes(&damaged).is_err());
    let error = VerifyingKey::<P>::from_bytes(&vec![0xff; info.public_key]).unwrap_err();
    assert_eq!(error, Error::PublicKeyEncoding);
    if let Some(variable) = info.variable {
        let empty = EncodedSignature::<P>::from_bytes(&[]).unwrap();
        let rejected = key.verifying_key().verify_message(&Message::new(b""), &empty);
        assert_eq!(rejected, Err(Error::InvalidSignature));
        assert!(EncodedSignature::<P>::from_bytes(&vec![0; variable.longest]).is_ok());
    }
}

#[test]
fn damaged_keys_of_falcon_are_rejected() {
    falcon_sets!(damaged_falcon_keys);
}

fn wrong_lengths<P: SignatureSet>() {
    let (info, key) = (P::INFO, key::<P>(4));
    for [secret, public, signature] in [
        [0; 3],
        [info.secret_key - 1, info.public_key - 1, info.longest_signature() + 1],
        [info.secret_key + 1, info.public_key + 1, info.longest_signature() + 2],
    ] {
        let length = Error::SecretKeyLength(Length { expected: info.secret_key, found: secret });
        assert_eq!(SigningKey::<P>::from_bytes(&vec![0; secret]).err(), Some(length));
        assert_eq!(ExpandedSigningKey::<P>::from_bytes(&vec![0; secret]).err(), Some(length));
        let length = Error::PublicKeyLength(Length { expected: info.public_key, found: public });
        assert_eq!(VerifyingKey::<P>::from_bytes(&vec![0; public]).err(), Some(length));
        assert_eq!(ExpandedVerifyingKey::<P>::from_bytes(&vec![0; public]).err(), Some(length));
        if signature > 0 || info.variable.is_none() {
            let error = EncodedSignature::<P>::from_bytes(&vec![0; signature]);
            assert_eq!(error, Err(Error::InvalidSignature));
        }
    }
    let (message, coins) = (Message::new(b""), vec![0; coins::<P>(0).len() + 1]);
    let error = Error::CoinsLength(Length { expected: coins.len() - 1, found: coins.len() });
    assert_eq!(key.sign_from(&message, Some(&coins)).err(), Some(error));
    let mut out = vec![1; info.signature];
    assert_eq!(key.sign_low_memory(&message, Some(&coins), &mut out).err(), Some(error));
    assert!(out.iter().all(|byte| *byte == 0));
    assert_eq!(key.expand().unwrap().sign_from(&message, Some(&coins)).err(), Some(error));
}

#[test]
fn wrong_lengths_are_errors() {
    quick_sets!(wrong_lengths);
}

/// Checks that most compressed signatures of Falcon have a padded form, which verifies; signatures
/// of FN-DSA are padded.
fn padded<P: FalconSet>() {
    let (key, message) = (key::<P>(4), Message::new(b"a message"));
    let mut fitting = 0;
    for _ in 0..10 {
        let signature = key.sign_message(&message).unwrap();
        let Some(padded) = signature.padded() else { continue };
        assert_eq!(Some(padded.as_bytes().len()), P::INFO.variable.map(|v| v.padded));
        assert!(padded.as_bytes().starts_with(signature.as_bytes()));
        key.verifying_key().verify_message(&message, &padded).unwrap();
        fitting += 1;
    }
    assert_eq!(fitting > 0, P::INFO.variable.is_some(), "{}", P::INFO.name);
}

#[test]
fn padded_signatures_verify() {
    falcon_sets!(padded);
}

fn many_are_told_apart<P: SignatureSet>() {
    let (key, coins) = (key::<P>(6), few_coins::<P>());
    let sign = |i: u8| key.sign_from(&Message::new(&[i]), coins.as_deref()).unwrap();
    let signatures: Vec<_> = (0..11).map(sign).collect();
    let texts: Vec<[u8; 1]> = (0..11).map(|i| [if i % 3 == 1 { 99 } else { i }]).collect();
    let signed: Vec<_> =
        texts.iter().zip(&signatures).map(|(text, s)| (Message::new(text), s)).collect();
    let results = key.verifying_key().verify_many(&signed);
    let public = [key.verifying_key().expand(), key.verifying_key().expand()];
    let by_both: Vec<_> =
        signed.iter().enumerate().map(|(i, signed)| (&public[i % 2], signed.0, signed.1)).collect();
    assert_eq!(results, ExpandedVerifyingKey::verify_many(&by_both));
    assert_eq!(results.len(), 11);
    for (i, result) in results.into_iter().enumerate() {
        let expected = if i % 3 == 1 { Err(Error::InvalidSignature) } else { Ok(()) };
        assert_eq!(result, expected, "{} {i}", P::INFO.name);
    }
    assert!(key.verifying_key().verify_many(&[]).is_empty());
}

#[test]
fn many_signatures_at_once() {
    for level in Level::available() {
        level.with(|| {
            many_are_told_apart::<MlDsa44>();
            many_are_told_apart::<SlhDsaSha2_128f>();
            many_are_told_apart::<SphincsShake128f>();
            many_are_told_apart::<FnDsa512>();
        });
    }
}

/// Checks that the seed and the random bytes are those of the generator, unchanged, and that copies
/// of public values equal them.
fn traits<P: SignatureSet>() {
    let key = SigningKey::<P>::generate_with(&mut OneByte(7));
    let (seed, coins_len) = (key.seed().unwrap().clone(), coins::<P>(0).len());
    assert!(seed.as_ref().iter().all(|byte| *byte == 7));
    assert_eq!(key.as_bytes(), SigningKey::<P>::from_seed(&seed).as_bytes());
    assert!(SigningKey::<P>::from_bytes(key.as_bytes()).unwrap().seed().is_none());
    let public = Keypair::verifying_key(&key);
    assert_eq!(&public, key.verifying_key());
    let signature = key.sign(b"text");
    assert_ne!(signature, key.sign(b"text"), "hedged or random");
    let received = EncodedSignature::<P>::try_from(signature.to_bytes().as_ref()).unwrap();
    assert_eq!(received, signature.clone());
    assert_eq!(Vec::from(received.clone()), signature.as_ref());
    let long = vec![0; P::INFO.longest_signature() + 1];
    assert!(EncodedSignature::<P>::try_from(&long[..]).is_err());
    public.verify(b"text", &received).unwrap();
    public.verify(b"test", &received).unwrap_err();

    let expanded = key.expand().unwrap();
    let known = key.sign_with_rng(&mut OneByte(2), b"text");
    assert_eq!(known, expanded.sign_with_rng(&mut OneByte(2), b"text"));
    assert_eq!(known, key.sign_from(&Message::new(b"text"), Some(&vec![2; coins_len])).unwrap());
    let verifier = public.clone().expand().clone();
    verifier.verify(b"text", &known).unwrap();
    verifier.verify(b"text", &expanded.sign(b"text")).unwrap();
    verifier.verify(b"test", &known).unwrap_err();
}

#[test]
fn the_traits_of_signature() {
    quick_sets!(traits);
}

fn says_nothing<P: SignatureSet>() {
    let (key, name) = (key::<P>(5), P::INFO.name);
    let public = key.verifying_key();
    let signature = key.sign_from(&Message::new(b""), few_coins::<P>().as_deref()).unwrap();
    for (text, what) in [
        (format!("{key:?}"), "SigningKey"),
        (format!("{:?}", key.expand().unwrap()), "ExpandedSigningKey"),
        (format!("{public:?}"), "VerifyingKey"),
        (format!("{:?}", public.expand()), "ExpandedVerifyingKey"),
        (format!("{signature:?}"), "EncodedSignature"),
    ] {
        assert_eq!(text, format!("{what}({name:?}, ..)"));
    }
    // Keys behind the traits do not print more.
    let scheme = by_name(name).unwrap();
    let kept = scheme.prepare_low_memory_signer(key.as_bytes());
    let text = format!("{kept:?}");
    assert!(text.contains(name) && text.len() < 60, "{text}");
}

#[test]
fn nothing_secret_is_printed() {
    quick_sets!(says_nothing);
}
