//! Tests of the layer that finds schemes by name: agreement of all signing functions, forms of
//! messages, rejected inputs.
use oaklath_hash::sha2::sha256;
use oaklath_params::buffer::Length;
use oaklath_params::{hash, sig};
use oaklath_sig::{
    Error, Message, Signature, SigningItem, UnknownName, Verify, all, by_identity, by_info,
    by_name, derived_coins, sign_many, verify_many,
};
use oaklath_simd::Level;

use crate::common::{bytes, is_round3, quick};

/// Makes a key pair of a scheme.
fn key_pair(scheme: &dyn Signature, byte: u8) -> (Vec<u8>, Vec<u8>) {
    let (mut pk, mut sk) = (vec![0; scheme.info().public_key], vec![0; scheme.info().secret_key]);
    scheme.keypair_from(&vec![byte; scheme.seed_len()], &mut pk, &mut sk).unwrap();
    (pk, sk)
}

/// Each form of message is signed in that form or not at all.
#[test]
fn contexts_and_forms_are_told_apart() {
    for scheme in quick() {
        let ((pk, sk), info) = (key_pair(scheme, 6), scheme.info());
        let mut signature = vec![0; info.longest_signature()];
        let coins = vec![9; scheme.coins_len()];
        let coins = scheme.needs_coins().then_some(&coins[..]);
        let standard = !is_round3(info);
        let (digest, mu) = (sha256(b"message"), [0; 64]);
        // ML-DSA, Dilithium and FN-DSA sign mu.
        let signs_mu = !info.name.contains("SHA") && !info.name.starts_with("Falcon");
        let forms = [
            (Message::new(b"message"), true),
            (Message::with_context(b"message", b"context"), standard),
            (Message::Internal(b"message"), true),
            (Message::PreHashed { hash: &hash::SHA2_256, digest: &digest, context: b"" }, standard),
            (Message::PreHashed { hash: &hash::SHA3_256, digest: &digest, context: b"" }, standard),
            (Message::Mu(&mu), signs_mu),
        ];
        for (i, (form, signs)) in forms.iter().enumerate() {
            signature.fill(7);
            let result = scheme.sign(&sk, form, coins, &mut signature);
            if !signs {
                assert_eq!(result, Err(Error::MessageForm), "{} {form:?}", info.name);
                assert_eq!(scheme.verify(&pk, form, &signature), Err(Error::MessageForm));
                let written = &signature[..info.signature];
                assert!(written.iter().all(|byte| *byte == 0), "zero after an error");
                continue;
            }
            let signature = &signature[..result.unwrap()];
            for (j, (other, _)) in forms.iter().enumerate() {
                // Round 3 signs a message without a prefix.
                let same = i == j || !standard && i.max(j) == 2 && i.min(j) == 0;
                let verified = scheme.verify(&pk, other, signature);
                assert_eq!(verified.is_ok(), same, "{} {form:?} {other:?}", info.name);
            }
        }
        let long = [0; 256];
        let message = Message::with_context(b"message", &long);
        let context =
            if standard { Error::ContextLength { found: 256 } } else { Error::MessageForm };
        assert_eq!(scheme.sign(&sk, &message, coins, &mut signature), Err(context));
        assert_eq!(scheme.verify(&pk, &message, &signature), Err(context));
        let fits = Message::with_context(b"message", &long[..255]);
        assert_eq!(scheme.sign(&sk, &fits, coins, &mut signature).is_ok(), standard);
        let short = Message::PreHashed { hash: &hash::SHA2_512, digest: &digest, context: b"" };
        let length = Error::DigestLength(Length { expected: 64, found: 32 });
        let length = if standard { length } else { Error::MessageForm };
        assert_eq!(scheme.sign(&sk, &short, coins, &mut signature), Err(length));
    }
}

/// Public keys of Falcon with another header or with a coefficient of at least q are rejected.
#[test]
fn public_keys_of_falcon_are_canonical() {
    let falcon = |name: &str| name.starts_with("Falcon") || name.starts_with("FN-DSA");
    for scheme in all().iter().filter(|scheme| falcon(scheme.info().name)) {
        let info = scheme.info();
        let (mut pk, mut sk) = (vec![0; info.public_key], vec![0; info.secret_key]);
        let seed = &bytes("seed", 0)[..scheme.seed_len()];
        scheme.keypair_from(seed, &mut pk, &mut sk).unwrap();
        let (message, mut signature) = (Message::new(b""), vec![0; info.signature]);
        let coins = [bytes("coins", 0), bytes("coins", 1)].concat();
        let coins = Some(&coins[..scheme.coins_len()]);
        let len = scheme.sign(&sk, &message, coins, &mut signature).unwrap();
        signature.truncate(len);
        scheme.verify(&pk, &message, &signature).unwrap();
        for (at, wrong) in
            [(0..1, 0x55), (1..3, 0xff), (info.public_key - 2..info.public_key, 0xff)]
        {
            let mut pk = pk.clone();
            pk[at].fill(wrong);
            for level in Level::available() {
                level.with(|| {
                    let verified = scheme.verify(&pk, &message, &signature);
                    assert_eq!(verified, Err(Error::PublicKeyEncoding), "{}", info.name);
                    let prepared = scheme.prepare_verifier(&pk).err();
                    assert_eq!(prepared, Some(Error::PublicKeyEncoding), "{}", info.name);
                });
            }
        }
    }
}

#[test]
fn wrong_lengths_are_errors() {
    for scheme in all() {
        let info = scheme.info();
        let (mut pk, mut sk) = (vec![1; info.public_key], vec![1; info.secret_key]);
        let (expected, found) = (scheme.seed_len(), scheme.seed_len() - 1);
        let error = scheme.keypair_from(&vec![0; found], &mut pk, &mut sk).unwrap_err();
        assert_eq!(error, Error::SeedLength(Length { expected, found }));
        assert!(pk.iter().chain(&sk).all(|b| *b == 0), "outputs are complete or zero");

        scheme.keypair_from(&vec![3; expected], &mut pk, &mut sk).unwrap();
        let message = Message::new(b"");
        let mut signature = vec![0; info.signature];
        let (expected, found) = (info.secret_key, info.secret_key + 1);
        sk.push(0);
        let error = scheme.sign(&sk, &message, None, &mut signature).unwrap_err();
        assert_eq!(error, Error::SecretKeyLength(Length { expected, found }));
        assert_eq!(scheme.public_key(&sk, &mut pk).unwrap_err(), error);
        assert_eq!(scheme.prepare_signer(&sk).unwrap_err(), error);
        assert_eq!(scheme.prepare_low_memory_signer(&sk).unwrap_err(), error);
        let (expected, found) = (info.public_key, info.public_key - 1);
        let error = scheme.verify(&pk[1..], &message, &signature).unwrap_err();
        assert_eq!(error, Error::PublicKeyLength(Length { expected, found }));
        assert_eq!(scheme.prepare_verifier(&pk[1..]).unwrap_err(), error);
        assert_eq!(scheme.verify_on_heap(&pk[1..], &message, &signature).unwrap_err(), error);
        sk.pop();
        scheme.public_key(&sk, &mut pk).unwrap();
        let coins = vec![0; scheme.coins_len() + 1];
        let error = scheme.sign(&sk, &message, Some(&coins), &mut signature).unwrap_err();
        let (expected, found) = (scheme.coins_len(), coins.len());
        assert_eq!(error, Error::CoinsLength(Length { expected, found }));
        for len in [0, 1, info.signature - 1] {
            let error = scheme.verify(&pk, &message, &vec![0; len]).unwrap_err();
            assert_eq!(error, Error::InvalidSignature);
        }
        let long = vec![0; info.signature + 1];
        assert_eq!(scheme.verify(&pk, &message, &long), Err(Error::InvalidSignature));
    }
}

#[test]
fn errors_say_what_was_expected_and_found() {
    let (expected, found) = (64, 63);
    for (error, text) in [
        (Error::SeedLength(Length { expected, found }), "seed of 63 bytes, expected 64"),
        (Error::CoinsLength(Length { expected, found }), "random bytes of 63 bytes, expected 64"),
        (Error::PublicKeyLength(Length { expected, found }), "public key of 63 bytes, expected 64"),
        (Error::PublicKeyEncoding, "public key in an encoding that is not canonical"),
        (
            Error::SecretKeyLength(Length { expected, found }),
            "private key of 63 bytes, expected 64",
        ),
        (Error::SecretKeyEncoding, "private key with a number out of range"),
        (Error::SecretKeyHash, "private key whose tr is not the hash of its public key"),
        (Error::SecretKeyLowBits, "private key whose t0 is not that of its rho, s1 and s2"),
        (Error::SecretKeyInconsistent, "private key whose parts do not belong together"),
        (Error::ContextLength { found: 256 }, "context of 256 bytes, expected at most 255"),
        (Error::DigestLength(Length { expected, found }), "digest of 63 bytes, expected 64"),
        (
            Error::MessageForm,
            "message with a context, or in a form, that this scheme does not sign",
        ),
        (Error::InvalidSignature, "signature does not verify"),
        (Error::Fault, "signature or key that was just made does not verify"),
    ] {
        assert_eq!(error.to_string(), text);
    }
}

/// The error for a name says whether it is unknown or needs a feature that this build lacks.
#[test]
fn unknown_names_say_what_they_may_be() {
    let text = |known, suggestion| UnknownName { known, suggestion }.to_string();
    let perhaps = "expected the name of a signature scheme; is it `ML-DSA-65`?";
    assert_eq!(text(None, Some("ML-DSA-65")), perhaps);
    assert_eq!(text(None, None), "expected the name of a signature scheme");
    let needs = "Falcon-512 is not in this build: it needs the feature `falcon`";
    assert_eq!(text(Some(&sig::FALCON_512), None), needs);
    assert_eq!(by_name("rot13").unwrap_err().to_string(), text(None, None));
}

/// A scheme is found by its row and by each of its identities; Falcon's two identities differ in
/// what they accept.
#[test]
fn rows_and_identities_find_schemes() {
    for scheme in all() {
        let info = scheme.info();
        assert_eq!(by_info(info).unwrap().info(), info);
        for identity in info.identities() {
            assert_eq!(by_identity(identity).unwrap().info(), info);
        }
    }
}

/// All signing functions (bytes, prepared, little memory, checked) make the same signature, which
/// verifies on the heap, too; all of them reject keys of a wrong length.
#[test]
fn ways_of_the_object_layer_agree() {
    for scheme in quick() {
        let (info, message) = (scheme.info(), Message::new(b"text"));
        let (pk, sk) = key_pair(scheme, 8);
        let coins = derived_coins(scheme, &sk, b"text");
        let mut want = vec![0; info.signature];
        let len = scheme.sign(&sk, &message, Some(&coins[..]), &mut want).unwrap();
        want.truncate(len);
        let (expected, found) = (info.secret_key, info.secret_key - 1);
        let length = Error::SecretKeyLength(Length { expected, found });
        let (prepared, kept, checked) = (
            |sk: &[u8]| scheme.prepare_signer(sk),
            |sk: &[u8]| scheme.prepare_low_memory_signer(sk),
            |sk: &[u8]| scheme.prepare_checked_signer(sk),
        );
        for (short, signer) in [
            (prepared(&sk[1..]), prepared(&sk)),
            (kept(&sk[1..]), kept(&sk)),
            (checked(&sk[1..]), checked(&sk)),
        ] {
            assert_eq!(short.err(), Some(length), "{}", info.name);
            let mut out = vec![1; info.signature];
            let len = signer.unwrap().sign(&message, Some(&coins[..]), &mut out).unwrap();
            assert_eq!(out[..len], want, "{}", info.name);
        }
        scheme.verify_on_heap(&pk, &message, &want).unwrap();
        let (expected, found) = (info.public_key, info.public_key - 1);
        let length = Err(Error::PublicKeyLength(Length { expected, found }));
        assert_eq!(scheme.verify_on_heap(&pk[1..], &message, &want), length);
        want[len >> 1] ^= 4;
        let rejected = Err(Error::InvalidSignature);
        assert_eq!(scheme.verify_on_heap(&pk, &message, &want), rejected, "{}", info.name);
    }
}

/// Two keys of a scheme, and signatures of both: by which, of what, the bytes.
struct SignedTexts {
    keys: [Box<dyn Verify>; 2],
    texts: Vec<(usize, [u8; 1], Vec<u8>)>,
}

impl SignedTexts {
    fn new(scheme: &dyn Signature) -> Self {
        let pairs = [9, 10].map(|byte| key_pair(scheme, byte));
        let sign = |i: usize| {
            let ((_, sk), text) = (&pairs[i % 2], [i as u8]);
            let coins = derived_coins(scheme, sk, &text);
            let mut out = vec![0; scheme.info().longest_signature()];
            let len = scheme.sign(sk, &Message::new(&text), Some(&coins[..]), &mut out).unwrap();
            out.truncate(len);
            (i % 2, text, out)
        };
        let mut texts: Vec<_> = (0..11).map(sign).collect();
        texts[2].0 = 1;
        texts[3].1 = [99];
        texts[5].2.pop();
        texts[6].2.clear();
        texts[8].2[50] ^= 1;
        Self { keys: pairs.map(|(pk, _)| scheme.prepare_verifier(&pk).unwrap()), texts }
    }

    /// So many of them from a number on, of which some have a context that is too long.
    fn some(&self, first: usize, count: usize) -> Vec<(&dyn Verify, Message<'_>, &[u8])> {
        let some = (first..first + count).map(|i| {
            let (by, text, signature) = &self.texts[i % 11];
            let context: &[u8] = if i % 11 == 9 { &[0; 300] } else { b"" };
            (&*self.keys[*by], Message::with_context(text, context), &signature[..])
        });
        some.collect()
    }
}

/// Many signatures, whatever their schemes do side by side, have the results of single ones.
fn agree(signed: &[(&dyn Verify, Message<'_>, &[u8])]) {
    let expected: Vec<_> =
        signed.iter().map(|(key, message, signature)| key.verify(message, signature)).collect();
    for level in Level::available() {
        let mut results = vec![Err(Error::Fault); signed.len()];
        level.with(|| verify_many(signed, &mut results));
        assert_eq!(results, expected, "{} at {level}", signed.len());
    }
    let valid = expected.iter().filter(|result| result.is_ok()).count();
    assert!(signed.len() < 11 || valid >= signed.len() / 3 && valid < signed.len());
}

#[test]
fn many_signatures_have_their_results() {
    let of_schemes: Vec<_> = quick().map(SignedTexts::new).collect();
    for of_scheme in &of_schemes {
        for (first, count) in [0, 1, 2, 3, 4, 7, 8, 9, 17, 64].into_iter().enumerate() {
            agree(&of_scheme.some(first, count));
        }
    }
    // All algorithms in turn, and in runs.
    let mut runs = Vec::new();
    for (first, of_scheme) in of_schemes.iter().enumerate() {
        runs.extend(of_scheme.some(first, 12));
    }
    agree(&runs);
    let in_turn: Vec<_> = (0..12).flat_map(|i| runs.iter().skip(i).step_by(12).copied()).collect();
    agree(&in_turn);
}

/// Many messages, whatever their scheme does side by side, have the signatures of single ones: with
/// randomness and without, of the wrong length, and with a context that is too long.
#[test]
fn many_messages_have_their_signatures() {
    for scheme in quick() {
        let (info, (_, sk)) = (scheme.info(), key_pair(scheme, 11));
        let key = scheme.prepare_signer(&sk).unwrap();
        let shares_lanes = info.name.starts_with("ML-DSA") || info.name.starts_with("Dilithium");
        let counts = if shares_lanes { &[0, 1, 2, 3, 7, 8, 9, 64][..] } else { &[0, 2] };
        let inputs: Vec<_> = (0..counts[counts.len() - 1] as u8)
            .map(|i| {
                let len = scheme.coins_len() + usize::from(i % 7 == 5);
                let coins = (scheme.needs_coins() || i % 7 == 5 || i % 3 == 0).then_some(len);
                let context = if i % 7 == 6 { vec![0; 300] } else { vec![] };
                ([i], context, coins.map(|len| vec![i; len]))
            })
            .collect();
        let message = |i: usize| Message::with_context(&inputs[i].0, &inputs[i].1);
        let sign = |i: usize| {
            let mut out = vec![0xaa; info.signature];
            let result = key.sign(&message(i), inputs[i].2.as_deref(), &mut out);
            (result, out)
        };
        let expected: Vec<_> = (0..inputs.len()).map(sign).collect();
        for level in Level::available() {
            for count in counts {
                let mut places = vec![vec![0xaa; info.signature]; *count];
                let items = places.iter_mut().enumerate().map(|(i, out)| {
                    let coins = inputs[i].2.as_deref();
                    SigningItem { message: message(i), coins, out }
                });
                let (mut items, mut results) = (items.collect::<Vec<_>>(), vec![Ok(0); *count]);
                level.with(|| sign_many(&*key, &mut items, &mut results));
                for (i, made) in results.into_iter().zip(places).enumerate() {
                    assert!(made == expected[i], "{} {i} of {count} at {level}", info.name);
                }
            }
        }
    }
}

/// A key that was prepared otherwise signs as it does by itself.
#[test]
fn keys_of_other_kinds_sign_many() {
    let scheme = by_name("ML-DSA-44").unwrap();
    let (pk, sk) = key_pair(scheme, 12);
    for key in [scheme.prepare_low_memory_signer(&sk), scheme.prepare_checked_signer(&sk)] {
        let mut places = vec![vec![0; scheme.info().signature]; 3];
        let items = places.iter_mut();
        let items =
            items.map(|out| SigningItem { message: Message::new(b"text"), coins: None, out });
        let mut results = [Ok(0); 3];
        sign_many(&*key.unwrap(), &mut items.collect::<Vec<_>>(), &mut results);
        assert_eq!(results, [Ok(scheme.info().signature); 3]);
        scheme.verify(&pk, &Message::new(b"text"), &places[2]).unwrap();
    }
}

#[test]
fn names() {
    for (name, wanted) in [
        ("mldsa65", "ML-DSA-65"),
        ("DILITHIUM_LEVEL3", "Dilithium3"),
        ("2.16.840.1.101.3.4.3.19", "ML-DSA-87"),
        ("0xfea7", "Dilithium2-AES"),
    ] {
        assert_eq!(by_name(name).unwrap().info().name, wanted);
    }
    let error = by_name("ML-DSA-66").unwrap_err();
    assert!(error.known.is_none() && error.suggestion.is_some(), "{error}");
}
