//! The typed layer of Falcon and FN-DSA as a user sees it: random keys, the traits of the crate `signature`, refused inputs.
#![expect(clippy::unwrap_used, reason = "tests")]
use oaklath_sig::falcon::{
    EncodedSignature, ExpandedSigningKey, Falcon512, Falcon1024, FalconSet, SigningKey,
    VerifyingKey,
};
use oaklath_sig::fn_dsa::{FnDsa512, FnDsa1024};
use oaklath_sig::{Error, Message};
use signature::{Keypair, RandomizedSigner, SignatureEncoding, Signer, Verifier};

/// Calls a function of a parameter set for each of them.
macro_rules! each_set {
    ($f:ident) => {
        $f::<Falcon512>();
        $f::<Falcon1024>();
        $f::<FnDsa512>();
        $f::<FnDsa1024>();
    };
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

fn random<P: FalconSet>() {
    let (one, two) = (SigningKey::<P>::generate(), SigningKey::<P>::generate());
    assert_ne!(one.as_bytes(), two.as_bytes());
    let message = Message::new(b"a message");
    let signature = one.sign_message(&message).unwrap();
    assert_ne!(signature, one.sign_message(&message).unwrap());
    let public = one.verifying_key();
    public.verify_message(&message, &signature).unwrap();
    let expanded = one.expand().unwrap().sign_message(&message).unwrap();
    public.expand().verify_message(&message, &expanded).unwrap();
    let refused = two.verifying_key().verify_message(&message, &signature);
    assert_eq!(refused, Err(Error::InvalidSignature));
}

#[test]
fn keys_and_signatures_are_random() {
    each_set!(random);
}

fn traits<P: FalconSet>() {
    let key = SigningKey::<P>::generate_with(&mut OneByte(1));
    assert_eq!(key.as_bytes(), SigningKey::<P>::from_seed(&[1; 48]).as_bytes());
    let public = Keypair::verifying_key(&key);
    assert_eq!(&public, key.verifying_key());
    let signature = key.sign(b"text");
    assert_ne!(signature, key.sign(b"text"));
    let received = EncodedSignature::<P>::try_from(&signature.to_bytes()[..]).unwrap();
    assert_eq!(received, signature.clone());
    public.verify(b"text", &received).unwrap();
    public.verify(b"test", &received).unwrap_err();

    let expanded = key.expand().unwrap();
    let known = key.sign_with_rng(&mut OneByte(2), b"text");
    assert_eq!(known, expanded.sign_with_rng(&mut OneByte(2), b"text"));
    let verifier = public.clone().expand();
    verifier.verify(b"text", &known).unwrap();
    verifier.verify(b"text", &expanded.sign(b"text")).unwrap();
    verifier.verify(b"test", &known).unwrap_err();
}

#[test]
fn the_traits_of_signature() {
    each_set!(traits);
}

fn refusals<P: FalconSet>() {
    let (info, key) = (P::info(), SigningKey::<P>::from_seed(&[3; 48]));
    let (expected, found) = (info.secret_key, info.secret_key - 1);
    let length = Some(Error::SecretKeyLength { expected, found });
    assert_eq!(SigningKey::<P>::from_bytes(&key.as_bytes()[1..]).err(), length);
    assert_eq!(ExpandedSigningKey::<P>::from_bytes(&key.as_bytes()[1..]).err(), length);
    // The header, and a coefficient of F beyond what its size allows.
    let mut damaged = key.as_bytes().to_vec();
    damaged[0] ^= 1;
    assert_eq!(SigningKey::<P>::from_bytes(&damaged).err(), Some(Error::SecretKeyEncoding));
    damaged[0] ^= 1;
    damaged[info.public_key] ^= 0x40;
    assert!(SigningKey::<P>::from_bytes(&damaged).is_err());

    let public = key.verifying_key().as_bytes();
    let (expected, found) = (info.public_key, info.public_key + 1);
    let error = VerifyingKey::<P>::from_bytes(&[public, &[0]].concat()).unwrap_err();
    assert_eq!(error, Error::PublicKeyLength { expected, found });
    let error = VerifyingKey::<P>::from_bytes(&vec![0xff; expected]).unwrap_err();
    assert_eq!(error, Error::PublicKeyEncoding);

    let long = vec![0; info.longest_signature() + 1];
    assert_eq!(EncodedSignature::<P>::from_bytes(&long), Err(Error::InvalidSignature));
    let empty = EncodedSignature::<P>::from_bytes(&[]).unwrap();
    let refused = key.verifying_key().verify_message(&Message::new(b""), &empty);
    assert_eq!(refused, Err(Error::InvalidSignature));
}

#[test]
fn bytes_of_no_key_and_no_signature_are_refused() {
    each_set!(refusals);
}

/// Most compressed signatures of Falcon have a padded form, which verifies; those of FN-DSA are padded.
fn padded<P: FalconSet>() {
    let key = SigningKey::<P>::from_seed(&[4; 48]);
    let message = Message::new(b"a message");
    let mut fitting = 0;
    for _ in 0..10 {
        let signature = key.sign_message(&message).unwrap();
        let Some(padded) = signature.padded() else { continue };
        assert_eq!(Some(padded.as_bytes().len()), P::info().variable.map(|v| v.padded));
        assert!(padded.as_bytes().starts_with(signature.as_bytes()));
        key.verifying_key().verify_message(&message, &padded).unwrap();
        fitting += 1;
    }
    assert_eq!(fitting > 0, P::info().variable.is_some(), "{}", P::info().name);
}

#[test]
fn padded_signatures_verify() {
    each_set!(padded);
}

fn says_nothing<P: FalconSet>() {
    let (key, name) = (SigningKey::<P>::from_seed(&[5; 48]), P::info().name);
    let public = key.verifying_key();
    let signature = key.sign_message(&Message::new(b"")).unwrap();
    for (text, what) in [
        (format!("{key:?}"), "SigningKey"),
        (format!("{:?}", key.expand().unwrap()), "ExpandedSigningKey"),
        (format!("{public:?}"), "VerifyingKey"),
        (format!("{:?}", public.expand()), "ExpandedVerifyingKey"),
        (format!("{signature:?}"), "EncodedSignature"),
    ] {
        assert_eq!(text, format!("{what}({name:?}, ..)"));
    }
}

#[test]
fn nothing_secret_is_printed() {
    each_set!(says_nothing);
}
