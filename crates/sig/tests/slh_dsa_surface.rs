//! The typed layer of SLH-DSA and SPHINCS+ beside the object layer, at every level.
#![expect(clippy::unwrap_used, reason = "tests")]
use oaklath_sig::slh_dsa::{
    EncodedSignature, ExpandedSigningKey, Set, SigningKey, SlhDsaSha2_128f, SlhDsaSha2_128s,
    SlhDsaSha2_192f, SlhDsaSha2_192s, SlhDsaSha2_256f, SlhDsaSha2_256s, SlhDsaShake128f,
    SlhDsaShake128s, SlhDsaShake192f, SlhDsaShake192s, SlhDsaShake256f, SlhDsaShake256s,
    SphincsShake128f, SphincsShake128s, SphincsShake192f, SphincsShake192s, SphincsShake256f,
    SphincsShake256s, VerifyingKey,
};
use oaklath_sig::{Error, Message, Signature, by_name};
use oaklath_simd::Level;

/// Calls a function of a parameter set for each of the fast ones.
macro_rules! fast_sets {
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

/// The same for the small ones.
macro_rules! small_sets {
    ($f:ident) => {
        $f::<SlhDsaSha2_128s>();
        $f::<SlhDsaSha2_192s>();
        $f::<SlhDsaSha2_256s>();
        $f::<SlhDsaShake128s>();
        $f::<SlhDsaShake192s>();
        $f::<SlhDsaShake256s>();
        $f::<SphincsShake128s>();
        $f::<SphincsShake192s>();
        $f::<SphincsShake256s>();
    };
}

/// The key of a seed that counts up.
fn key<P: Set>() -> (&'static dyn Signature, SigningKey<P>) {
    let scheme = by_name(P::INFO.name).unwrap();
    let n = P::INFO.public_key / 2;
    let seed: Vec<u8> = (0..3 * n as u8).collect();
    let (mut pk, mut sk) = (vec![0; 2 * n], vec![0; 4 * n]);
    scheme.keypair_from(&seed, &mut pk, &mut sk).unwrap();
    let key = SigningKey::<P>::from_bytes(&sk).unwrap();
    assert_eq!((key.as_bytes(), key.verifying_key().as_bytes()), (&*sk, &*pk));
    (scheme, key)
}

fn all_ways_agree<P: Set>() {
    let (scheme, key) = key::<P>();
    let (public, expanded) = (key.verifying_key(), key.expand());
    let message = Message::new(b"a message");
    let coins = vec![9; scheme.coins_len()];
    for coins in [None, Some(&*coins)] {
        let signature = key.sign_from(&message, coins).unwrap();
        assert_eq!(expanded.sign_from(&message, coins).unwrap(), signature);
        let mut out = vec![1; P::INFO.signature];
        scheme.sign(key.as_bytes(), &message, coins, &mut out).unwrap();
        assert_eq!(out, signature.as_bytes(), "{}", P::INFO.name);
        public.verify_message(&message, &signature).unwrap();
        let other = public.verify_message(&Message::new(b"another"), &signature);
        assert_eq!(other, Err(Error::InvalidSignature));
        if coins.is_none() {
            assert_eq!(key.sign_deterministic(&message).unwrap(), signature);
            assert_eq!(expanded.sign_deterministic(&message).unwrap(), signature);
        }
    }
}

#[test]
fn all_ways_of_signing_agree() {
    for level in Level::available() {
        level.with(|| {
            fast_sets!(all_ways_agree);
        });
    }
    small_sets!(all_ways_agree);
}

fn many_are_told_apart<P: Set>() {
    let (_, key) = key::<P>();
    let sign = |i: u8| key.sign_deterministic(&Message::new(&[i])).unwrap();
    let signatures: Vec<_> = (0..11).map(sign).collect();
    let texts: Vec<[u8; 1]> = (0..11).map(|i| [if i % 3 == 1 { 99 } else { i }]).collect();
    let signed: Vec<_> =
        texts.iter().zip(&signatures).map(|(text, s)| (Message::new(text), s)).collect();
    let results = key.verifying_key().verify_many(&signed);
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
            many_are_told_apart::<SlhDsaSha2_128f>();
            many_are_told_apart::<SphincsShake128f>();
        });
    }
}

fn refusals<P: Set>() {
    let (_, key) = key::<P>();
    let (len, bytes) = (P::INFO.secret_key, key.as_bytes());
    for found in [0, len - 1, len + 1] {
        let wrong = vec![0; found];
        let expected = Some(Error::SecretKeyLength { expected: len, found });
        assert_eq!(SigningKey::<P>::from_bytes(&wrong).err(), expected);
        assert_eq!(ExpandedSigningKey::<P>::from_bytes(&wrong).err(), expected);
        let expected = Error::PublicKeyLength { expected: len / 2, found };
        assert_eq!(VerifyingKey::<P>::from_bytes(&wrong), Err(expected));
        assert_eq!(EncodedSignature::<P>::from_bytes(&wrong), Err(Error::InvalidSignature));
    }
    // A root that is not that of the seeds: refused at once, or when it signs.
    let mut damaged = bytes.to_vec();
    damaged[len - 1] ^= 1;
    let expected = Some(Error::SecretKeyInconsistent);
    assert_eq!(SigningKey::<P>::from_bytes(&damaged).err(), expected);
    let expanded = ExpandedSigningKey::<P>::from_bytes(&damaged).unwrap();
    assert_eq!(expanded.sign_deterministic(&Message::new(b"")).err(), expected);
    // Forms of messages.
    let coins = vec![0; P::INFO.public_key / 2 + 1];
    let expected = Error::CoinsLength { expected: coins.len() - 1, found: coins.len() };
    assert_eq!(key.sign_from(&Message::new(b""), Some(&coins)).err(), Some(expected));
    let expected = Some(Error::MessageForm);
    assert_eq!(key.sign_deterministic(&Message::Mu(&[0; 64])).err(), expected);
    let context = key.sign_deterministic(&Message::with_context(b"", b"context")).err();
    let is_round3 = P::INFO.name.starts_with("SPHINCS");
    assert_eq!(context, if is_round3 { Some(Error::MessageForm) } else { None });
}

#[test]
fn what_is_wrong_is_refused() {
    fast_sets!(refusals);
}

fn says_nothing<P: Set>() {
    let (_, key) = key::<P>();
    let name = P::INFO.name;
    assert_eq!(format!("{key:?}"), format!("SigningKey({name:?}, ..)"));
    assert_eq!(format!("{:?}", key.expand()), format!("ExpandedSigningKey({name:?}, ..)"));
}

#[test]
fn nothing_secret_is_printed() {
    fast_sets!(says_nothing);
}

#[cfg(all(feature = "signature", feature = "getrandom"))]
mod with_generator {
    use signature::{Keypair, RandomizedSigner, SignatureEncoding, Signer, Verifier};

    use super::*;

    fn hedged_and_random<P: Set>() {
        let (one, two) = (SigningKey::<P>::generate(), SigningKey::<P>::generate());
        assert_ne!(one.as_bytes(), two.as_bytes());
        let message = Message::new(b"a message");
        let first = one.sign_message(&message).unwrap();
        assert_ne!(first, one.sign_message(&message).unwrap());
        let public = Keypair::verifying_key(&one);
        public.verify_message(&message, &first).unwrap();
        public.verify_message(&message, &one.expand().sign_message(&message).unwrap()).unwrap();
        two.verifying_key().verify_message(&message, &first).unwrap_err();

        let signature = one.sign(b"by the traits");
        let received = EncodedSignature::<P>::try_from(&*signature.to_bytes()).unwrap();
        public.verify(b"by the traits", &received).unwrap();
        public.verify(b"by others", &received).unwrap_err();
        let signature = one.expand().sign(b"by the traits");
        public.verify(b"by the traits", &signature).unwrap();
    }

    #[test]
    fn keys_and_signatures_are_random() {
        fast_sets!(hedged_and_random);
    }

    /// A generator of one byte.
    struct OneByte(u8);

    impl rand_core::TryRng for OneByte {
        type Error = core::convert::Infallible;
        fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
            unreachable!("keys and signatures fill bytes")
        }
        fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
            unreachable!("keys and signatures fill bytes")
        }
        fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Self::Error> {
            out.fill(self.0);
            Ok(())
        }
    }

    impl rand_core::TryCryptoRng for OneByte {}

    /// A generator gives the seed and the random bytes, whole and unchanged.
    #[test]
    fn bytes_of_a_generator() {
        let key = SigningKey::<SlhDsaShake128f>::generate_with(&mut OneByte(7));
        let same = SigningKey::<SlhDsaShake128f>::from_seed(&[7; 48]);
        assert_eq!(key.as_bytes(), same.as_bytes());
        assert_eq!(&Keypair::verifying_key(&key), same.verifying_key());
        let signature = key.sign_with_rng(&mut OneByte(9), b"text");
        assert_eq!(signature, key.sign_from(&Message::new(b"text"), Some(&[9; 16])).unwrap());
        assert_eq!(signature, key.expand().sign_with_rng(&mut OneByte(9), b"text"));
        assert_eq!(signature.as_ref(), &*signature.clone().to_bytes());
        let results = same.verifying_key().verify_many(&[
            (Message::new(b"text"), &signature),
            (Message::new(b"test"), &signature),
        ]);
        assert_eq!(results, [Ok(()), Err(Error::InvalidSignature)]);
        Verifier::verify(same.verifying_key(), b"text", &key.sign(b"text")).unwrap();
        let short = &signature.as_bytes()[1..];
        assert!(EncodedSignature::<SlhDsaShake128f>::try_from(short).is_err());
        let mut texts =
            [format!("{:?}", key.verifying_key()), format!("{signature:?}")].into_iter();
        assert!(texts.all(|text| text.ends_with("(\"SLH-DSA-SHAKE-128f\", ..)")));
    }
}
