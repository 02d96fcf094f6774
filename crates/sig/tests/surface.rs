//! The two layers as a user sees them: agreement of all ways of signing, forms of messages, refused
//! inputs.
#![expect(clippy::unwrap_used, reason = "tests")]
use oaklath_hash::sha3::{sha3_256, sha3_512};
use oaklath_params::{hash, sig};
use oaklath_sig::{
    Dilithium2, Dilithium2Aes, Dilithium3, Dilithium3Aes, Dilithium5, Dilithium5Aes,
    EncodedSignature, Error, ExpandedSigningKey, ExpandedVerifyingKey, Message, MlDsa44, MlDsa65,
    MlDsa87, MuContext, Set, Signature, SigningKey, UnknownName, VerifyingKey, all, by_identity,
    by_info, by_name, derived_coins,
};
use oaklath_simd::Level;

/// Calls a function of a parameter set for each of them, at every level.
macro_rules! each_set {
    ($f:ident) => {
        for level in Level::available() {
            level.with(|| {
                $f::<MlDsa44>();
                $f::<MlDsa65>();
                $f::<MlDsa87>();
                $f::<Dilithium2>();
                $f::<Dilithium3>();
                $f::<Dilithium5>();
                $f::<Dilithium2Aes>();
                $f::<Dilithium3Aes>();
                $f::<Dilithium5Aes>();
            });
        }
    };
}

fn is_round3<P: Set>() -> bool {
    P::INFO.name.starts_with("Dilithium")
}

/// 64 bytes that depend on all of `label`.
fn bytes(label: &str, i: usize) -> [u8; 64] {
    sha3_512(format!("{label} {i}").as_bytes())
}

fn all_ways_agree<P: Set>() {
    let scheme = by_name(P::INFO.name).unwrap();
    for i in 0..20 {
        let seed = *bytes("seed", i).first_chunk().unwrap();
        let text = &bytes("message", i)[..3 * i];
        let message = Message::new(text);
        let coins = &bytes("coins", i)[..scheme.coins_len()];
        let key = SigningKey::<P>::from_seed(&seed);
        let public = key.verifying_key();
        let (signer, verifier) = (key.expand(), public.expand());
        let prepared = scheme.prepare_signer(key.as_bytes()).unwrap();
        let kept = scheme.prepare_low_memory_signer(key.as_bytes()).unwrap();
        for coins in [None, Some(coins)] {
            let signature = key.sign_from(&message, coins).unwrap();
            assert_eq!(signer.sign_from(&message, coins).unwrap(), signature);
            let mut out = vec![1; P::INFO.signature];
            key.sign_low_memory(&message, coins, &mut out).unwrap();
            assert_eq!(out, signature.as_bytes(), "{} {i}: low memory", P::INFO.name);
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

            let mut mu = MuContext::new(public, b"").unwrap();
            text.chunks(7).for_each(|piece| mu.update(piece));
            let mu = mu.finish();
            assert_eq!(key.sign_from(&Message::Mu(&mu), coins).unwrap(), signature);
            verifier.verify_message(&Message::Mu(&mu), &signature).unwrap();

            every_change_is_refused::<P>(i, &key, &verifier, &message, &signature);
        }
    }
}

fn every_change_is_refused<P: Set>(
    i: usize,
    key: &SigningKey<P>,
    verifier: &ExpandedVerifyingKey<P>,
    message: &Message<'_>,
    signature: &EncodedSignature<P>,
) {
    let public = key.verifying_key();
    // A byte of c~, of z, of the hints, and their number.
    let len = P::INFO.signature;
    for at in [7 * i % 32, 32 + 97 * i % (len - 200), len - 90 + i, len - 1 - i % 4] {
        let mut wrong = signature.as_bytes().to_vec();
        wrong[at] ^= 1 << (i % 8);
        let scheme = by_name(P::INFO.name).unwrap();
        let refused = Err(Error::InvalidSignature);
        assert_eq!(scheme.verify_on_heap(public.as_bytes(), message, &wrong), refused, "byte {at}");
        let wrong = EncodedSignature::from_bytes(&wrong).unwrap();
        assert_eq!(public.verify_message(message, &wrong), refused, "byte {at}");
        assert_eq!(verifier.verify_message(message, &wrong), refused, "byte {at}");
    }
    let mut other = public.as_bytes().to_vec();
    other[31 * i % P::INFO.public_key] ^= 4;
    let other = VerifyingKey::<P>::from_bytes(&other).unwrap();
    assert_eq!(other.verify_message(message, signature), Err(Error::InvalidSignature));
    let longer = Message::new(b"another message");
    assert_eq!(public.verify_message(&longer, signature), Err(Error::InvalidSignature));
}

#[test]
fn all_ways_of_signing_agree() {
    each_set!(all_ways_agree);
}

fn hedged_signatures_differ<P: Set>() {
    let key = SigningKey::<P>::generate();
    let message = Message::new(b"the same");
    let signatures = [0; 5].map(|_| key.sign_message(&message).unwrap().as_bytes().to_vec());
    for (i, a) in signatures.iter().enumerate() {
        assert!(signatures[..i].iter().all(|b| a != b));
    }
    let deterministic = [0; 2].map(|_| key.sign_from(&message, None).unwrap());
    assert_eq!(deterministic[0], deterministic[1]);
    assert!(signatures.iter().all(|s| s != deterministic[0].as_bytes()));
}

#[test]
fn no_hedged_signature_comes_twice() {
    each_set!(hedged_signatures_differ);
}

fn forms_of_messages<P: Set>() {
    let key = SigningKey::<P>::from_seed(&[9; 32]);
    let public = key.verifying_key();
    let digest = sha3_256(b"a message");
    let prehashed = Message::PreHashed { hash: &hash::SHA3_256, digest: &digest, context: b"" };
    let with_context = Message::with_context(b"a message", b"context");
    if is_round3::<P>() {
        for message in [&prehashed, &with_context] {
            assert_eq!(key.sign_from(message, None).unwrap_err(), Error::MessageForm);
            let signature = key.sign_from(&Message::new(b"a message"), None).unwrap();
            assert_eq!(public.verify_message(message, &signature), Err(Error::MessageForm));
        }
        assert_eq!(MuContext::new(public, b"context").unwrap_err(), Error::MessageForm);
        return;
    }
    let plain = Message::new(b"a message");
    // M' of FIPS 204, Algorithm 2: a zero, the context's length, the context, the message.
    let formatted = [&[0, 7][..], b"context", b"a message"].concat();
    let forms = [&plain, &prehashed, &with_context];
    let signatures = forms.map(|form| key.sign_from(form, None).unwrap());
    for (i, form) in forms.iter().enumerate() {
        for (j, signature) in signatures.iter().enumerate() {
            assert_eq!(public.verify_message(form, signature).is_ok(), i == j);
        }
    }
    let internal = key.sign_from(&Message::Internal(&formatted), None).unwrap();
    assert_eq!(internal, signatures[2]);
    // Algorithm 4: a one, the context's length, the object identifier of SHA3-256, the digest.
    let sha3_256 = [6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 8];
    let formatted = [&[1, 0][..], &sha3_256, &digest].concat();
    let internal = key.sign_from(&Message::Internal(&formatted), None).unwrap();
    assert_eq!(internal, signatures[1]);
    let mut mu = MuContext::new(public, b"context").unwrap();
    mu.update(b"a message");
    public.verify_message(&Message::Mu(&mu.finish()), &signatures[2]).unwrap();

    let long = [0; 256];
    assert!(key.sign_from(&Message::with_context(b"", &long[..255]), None).is_ok());
    let error = key.sign_from(&Message::with_context(b"", &long), None).unwrap_err();
    assert_eq!(error, Error::ContextLength { found: 256 });
    let digest = Message::PreHashed { hash: &hash::SHA2_512, digest: &digest, context: b"" };
    let error = key.sign_from(&digest, None).unwrap_err();
    assert_eq!(error, Error::DigestLength { expected: 64, found: 32 });
}

#[test]
fn messages_have_forms() {
    each_set!(forms_of_messages);
}

fn damaged_keys<P: Set>() {
    let info = P::INFO;
    let key = SigningKey::<P>::from_seed(&[5; 32]);
    let again = SigningKey::<P>::from_bytes(key.as_bytes()).unwrap();
    assert_eq!(again.verifying_key(), key.verifying_key());
    assert_eq!((key.seed(), again.seed()), (Some(&[5; 32]), None));

    let wrong = |at: usize, value: u8| {
        let mut bytes = key.as_bytes().to_vec();
        bytes[at] = value;
        let error = SigningKey::<P>::from_bytes(&bytes).unwrap_err();
        let expanded = ExpandedSigningKey::<P>::from_bytes(&bytes).err();
        (error, expanded)
    };
    let tr = if is_round3::<P>() { 32 } else { 64 };
    // s1: eight bits set are a coefficient out of range, whatever eta is.
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
fn damaged_private_keys_are_refused() {
    each_set!(damaged_keys);
}

/// Of a public key of Falcon: another head, and a coefficient that is q or more.
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
        assert_eq!(error, Error::SeedLength { expected, found });
        assert!(pk.iter().chain(&sk).all(|b| *b == 0), "outputs are complete or zero");

        scheme.keypair_from(&vec![3; expected], &mut pk, &mut sk).unwrap();
        let message = Message::new(b"");
        let mut signature = vec![0; info.signature];
        let (expected, found) = (info.secret_key, info.secret_key + 1);
        sk.push(0);
        let error = scheme.sign(&sk, &message, None, &mut signature).unwrap_err();
        assert_eq!(error, Error::SecretKeyLength { expected, found });
        assert_eq!(scheme.public_key(&sk, &mut pk).unwrap_err(), error);
        assert_eq!(scheme.prepare_signer(&sk).unwrap_err(), error);
        assert_eq!(scheme.prepare_low_memory_signer(&sk).unwrap_err(), error);
        let (expected, found) = (info.public_key, info.public_key - 1);
        let error = scheme.verify(&pk[1..], &message, &signature).unwrap_err();
        assert_eq!(error, Error::PublicKeyLength { expected, found });
        assert_eq!(scheme.prepare_verifier(&pk[1..]).unwrap_err(), error);
        assert_eq!(scheme.verify_on_heap(&pk[1..], &message, &signature).unwrap_err(), error);
        sk.pop();
        scheme.public_key(&sk, &mut pk).unwrap();
        let coins = vec![0; scheme.coins_len() + 1];
        let error = scheme.sign(&sk, &message, Some(&coins), &mut signature).unwrap_err();
        let (expected, found) = (scheme.coins_len(), coins.len());
        assert_eq!(error, Error::CoinsLength { expected, found });
        for len in [0, 1, info.signature - 1] {
            let error = scheme.verify(&pk, &message, &vec![0; len]).unwrap_err();
            assert_eq!(error, Error::InvalidSignature);
        }
        let long = vec![0; info.signature + 1];
        assert_eq!(scheme.verify(&pk, &message, &long), Err(Error::InvalidSignature));
    }
}

#[test]
fn the_traits_of_signature() {
    use signature::{Keypair, RandomizedSigner, Signer, Verifier};
    let key = SigningKey::<MlDsa44>::from_seed(&[1; 32]);
    let signature: EncodedSignature<MlDsa44> = key.sign(b"text");
    let public = Keypair::verifying_key(&key);
    public.verify(b"text", &signature).unwrap();
    assert!(public.verify(b"test", &signature).is_err());
    assert!(EncodedSignature::<MlDsa44>::try_from(&signature.as_ref()[1..]).is_err());
    assert_ne!(signature, key.sign(b"text"), "hedged");
    let signature = key.expand().sign_with_rng(&mut OneByte(7), b"text");
    assert_eq!(signature, key.sign_from(&Message::new(b"text"), Some(&[7; 32])).unwrap());
    public.expand().verify(b"text", &signature).unwrap();
}

/// A generator of one byte.
struct OneByte(u8);

impl rand_core::TryRng for OneByte {
    type Error = core::convert::Infallible;
    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        Ok(u32::from_ne_bytes([self.0; 4]))
    }
    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        Ok(u64::from_ne_bytes([self.0; 8]))
    }
    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Self::Error> {
        out.fill(self.0);
        Ok(())
    }
}

impl rand_core::TryCryptoRng for OneByte {}

#[test]
fn nothing_secret_is_printed() {
    let key = SigningKey::<MlDsa65>::from_seed(&[0x5a; 32]);
    let public = key.verifying_key();
    let signature = key.sign_from(&Message::new(b""), None).unwrap();
    let mu = MuContext::new(public, b"").unwrap();
    for (text, name) in [
        (format!("{key:?}"), "SigningKey"),
        (format!("{:?}", key.expand()), "ExpandedSigningKey"),
        (format!("{public:?}"), "VerifyingKey"),
        (format!("{:?}", public.expand()), "ExpandedVerifyingKey"),
        (format!("{signature:?}"), "EncodedSignature"),
        (format!("{mu:?}"), "MuContext"),
    ] {
        assert_eq!(text, format!("{name}(\"ML-DSA-65\", ..)"));
    }
    // Keys behind the traits say no more.
    for scheme in quick() {
        let info = scheme.info();
        let (mut pk, mut sk) = (vec![0; info.public_key], vec![0; info.secret_key]);
        scheme.keypair_from(&vec![0x5a; scheme.seed_len()], &mut pk, &mut sk).unwrap();
        let (signer, verifier) = (scheme.prepare_signer(&sk), scheme.prepare_verifier(&pk));
        let kept = scheme.prepare_low_memory_signer(&sk);
        for text in [format!("{signer:?}"), format!("{kept:?}")] {
            assert!(text.contains(info.name) && text.len() < 60, "{text}");
        }
        assert!(format!("{verifier:?}").contains(info.name));
    }
}

/// The schemes whose signatures take no ten milliseconds: of those with hash trees the fastest.
fn quick() -> impl Iterator<Item = &'static dyn Signature> {
    let is_quick = |name: &str| !name.contains("SHA") || name.ends_with("128f");
    all().iter().copied().filter(move |scheme| is_quick(scheme.info().name))
}

/// A generator gives the seed, whole and unchanged; copies of public values are the values.
fn bytes_of_a_generator<P: Set>() {
    let key = SigningKey::<P>::generate_with(&mut OneByte(7));
    assert_eq!(key.as_bytes(), SigningKey::<P>::from_seed(&[7; 32]).as_bytes());
    let (public, message) = (key.verifying_key(), Message::new(b"text"));
    let signature = key.expand().sign_message(&message).unwrap();
    public.clone().expand().clone().verify_message(&message, &signature.clone()).unwrap();
    let mut mu = MuContext::new(public, b"").unwrap();
    mu.update(b"te");
    let (mut one, mut two) = (mu.clone(), mu);
    one.update(b"xt");
    two.update(b"st");
    public.verify_message(&Message::Mu(&one.finish()), &signature).unwrap();
    let refused = public.verify_message(&Message::Mu(&two.finish()), &signature);
    assert_eq!(refused, Err(Error::InvalidSignature));
}

#[test]
fn generators_give_seeds() {
    each_set!(bytes_of_a_generator);
}

#[test]
fn errors_say_what_was_expected_and_found() {
    let (expected, found) = (64, 63);
    for (error, text) in [
        (Error::SeedLength { expected, found }, "seed of 63 bytes, expected 64"),
        (Error::CoinsLength { expected, found }, "random bytes of 63 bytes, expected 64"),
        (Error::PublicKeyLength { expected, found }, "public key of 63 bytes, expected 64"),
        (Error::PublicKeyEncoding, "public key in an encoding that is not canonical"),
        (Error::SecretKeyLength { expected, found }, "private key of 63 bytes, expected 64"),
        (Error::SecretKeyEncoding, "private key with a number out of range"),
        (Error::SecretKeyHash, "private key whose tr is not the hash of its public key"),
        (Error::SecretKeyLowBits, "private key whose t0 is not that of its rho, s1 and s2"),
        (Error::SecretKeyInconsistent, "private key whose parts do not belong together"),
        (Error::ContextLength { found: 256 }, "context of 256 bytes, expected at most 255"),
        (Error::DigestLength { expected, found }, "digest of 63 bytes, expected 64"),
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

/// Whoever gets a name that no scheme has, or one of another build, reads which.
#[test]
fn unknown_names_say_what_they_may_be() {
    let text = |known, suggestion| UnknownName { known, suggestion }.to_string();
    let perhaps = "unknown name of a signature scheme, expected perhaps ML-DSA-65";
    assert_eq!(text(None, Some("ML-DSA-65")), perhaps);
    assert_eq!(text(None, None), "unknown name of a signature scheme");
    assert_eq!(text(Some(&sig::ML_DSA_44), None), "ML-DSA-44 is not implemented yet");
    assert_eq!(by_name("rot13").unwrap_err().to_string(), text(None, None));
}

/// A scheme is found by its row, and by each identity of it; Falcon's two differ in what they accept.
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

/// By its bytes, prepared, in little memory and checked, a key gives one signature, which verifies on the heap, too; keys
/// of a wrong length are refused by all.
#[test]
fn ways_of_the_object_layer_agree() {
    for scheme in quick() {
        let (info, message) = (scheme.info(), Message::new(b"text"));
        let (mut pk, mut sk) = (vec![0; info.public_key], vec![0; info.secret_key]);
        scheme.keypair_from(&vec![8; scheme.seed_len()], &mut pk, &mut sk).unwrap();
        let coins = derived_coins(scheme, &sk, b"text");
        let mut want = vec![0; info.signature];
        let len = scheme.sign(&sk, &message, Some(&coins[..]), &mut want).unwrap();
        want.truncate(len);
        let (expected, found) = (info.secret_key, info.secret_key - 1);
        let length = Error::SecretKeyLength { expected, found };
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
        let length = Err(Error::PublicKeyLength { expected, found });
        assert_eq!(scheme.verify_on_heap(&pk[1..], &message, &want), length);
        want[len >> 1] ^= 4;
        let refused = Err(Error::InvalidSignature);
        assert_eq!(scheme.verify_on_heap(&pk, &message, &want), refused, "{}", info.name);
    }
}

/// Many signatures by one key, whatever the scheme does side by side: each has its own result.
#[test]
fn many_signatures_have_their_results() {
    for scheme in quick() {
        let info = scheme.info();
        let (mut pk, mut sk) = (vec![0; info.public_key], vec![0; info.secret_key]);
        scheme.keypair_from(&vec![9; scheme.seed_len()], &mut pk, &mut sk).unwrap();
        let texts = [b"one", b"two", b"six"];
        let sign = |text: &[u8]| {
            let coins = derived_coins(scheme, &sk, text);
            let mut out = vec![0; info.longest_signature()];
            let len = scheme.sign(&sk, &Message::new(text), Some(&coins[..]), &mut out).unwrap();
            out.truncate(len);
            out
        };
        let signatures = texts.map(|text| sign(text));
        let pair = |i: usize, j: usize| (Message::new(texts[i]), &signatures[j][..]);
        let pairs = [pair(0, 0), pair(1, 2), pair(2, 2)];
        let mut results = [Err(Error::Fault); 3];
        scheme.prepare_verifier(&pk).unwrap().verify_many(&pairs, &mut results);
        assert_eq!(results, [Ok(()), Err(Error::InvalidSignature), Ok(())], "{}", info.name);
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
