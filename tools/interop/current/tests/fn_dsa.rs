//! FN-DSA against fn-dsa beyond what `agree` does: contexts, pre-hashed messages, mu, keys that
//! both make, and that signatures of the same random bytes are equal except where rounding decides.

use fn_dsa::{
    DOMAIN_NONE, DomainContext, HASH_ID_EXTMU, HASH_ID_RAW, HASH_ID_SHA3_256, HashIdentifier,
    SHA3_256, SHAKE256, SigningKey, SigningKeyStandard, VerifyingKey, VerifyingKeyStandard,
};
use oaklath_sig::{Message, Signature, by_name};
use rand_core_06::{CryptoRng, Error, RngCore};

/// A generator that repeats one byte.
struct OneByte(u8);

impl RngCore for OneByte {
    fn next_u32(&mut self) -> u32 {
        u32::from_ne_bytes([self.0; 4])
    }
    fn next_u64(&mut self) -> u64 {
        u64::from_ne_bytes([self.0; 8])
    }
    fn fill_bytes(&mut self, dest: &mut [u8]) {
        dest.fill(self.0);
    }
    fn try_fill_bytes(&mut self, dest: &mut [u8]) -> Result<(), Error> {
        dest.fill(self.0);
        Ok(())
    }
}

impl CryptoRng for OneByte {}

/// Returns message `i` of a key in the terms of both, as in `crates/sig/tests/fn_dsa.rs`.
fn message(
    i: u8,
    bytes: &[u8; 64],
) -> (Message<'_>, DomainContext<'_>, HashIdentifier<'static>, &[u8]) {
    let context = DomainContext(b"context");
    match i % 4 {
        0 => {
            let text = &bytes[..usize::from(i % 64)];
            (Message::new(text), DOMAIN_NONE, HASH_ID_RAW, text)
        }
        1 => {
            let text = &bytes[..33];
            (Message::with_context(text, context.0), context, HASH_ID_RAW, text)
        }
        2 => {
            let digest = &bytes[..32];
            let hash = &oaklath_params::hash::SHA3_256;
            let message = Message::PreHashed { hash, digest, context: context.0 };
            (message, context, HASH_ID_SHA3_256, digest)
        }
        _ => (Message::Mu(bytes), DOMAIN_NONE, HASH_ID_EXTMU, bytes),
    }
}

/// Returns SHA-256 of keys and of fn-dsa's signatures, the known answers of the tests of
/// `crates/sig`.
fn digest(scheme: &dyn Signature) -> String {
    let info = scheme.info();
    let (mut pk, mut sk) = (vec![0; info.public_key], vec![0; info.secret_key]);
    let (mut theirs, mut ours) = (vec![0; info.signature], vec![0; info.signature]);
    let mut all = Vec::new();
    for i in 0..100 {
        if i % 25 == 0 {
            scheme.keypair_from(&[i; 48], &mut pk, &mut sk).expect("a seed");
            all.extend_from_slice(&pk);
            all.extend_from_slice(&sk);
        }
        let mut key = SigningKeyStandard::decode(&sk).expect("our key");
        let mut public = vec![0; info.public_key];
        key.to_verifying_key(&mut public);
        assert!(pk == public, "{i}");
        let bytes = [i; 64];
        let (message, context, id, text) = message(i, &bytes);
        key.sign(&mut OneByte(i), &context, &id, text, &mut theirs).expect("a good key");
        scheme.verify(&pk, &message, &theirs).expect("their signature");
        scheme.sign(&sk, &message, Some(&[i; 40]), &mut ours).expect("a good key");
        assert!(ours == theirs, "{i}");
        let key = VerifyingKeyStandard::decode(&pk).expect("our key");
        assert!(key.verify(&ours, &context, &id, text), "{i}");
        assert!(!key.verify(&ours, &DomainContext(b"other"), &HASH_ID_RAW, text), "{i}");
        all.extend_from_slice(&theirs);
    }
    sha256(&all)
}

fn sha256(bytes: &[u8]) -> String {
    oaklath_hash::sha2::sha256(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Checks the known answers of `crates/sig` and `selftest`.
#[test]
fn known_answers_are_those_of_fn_dsa() {
    for (name, want, of_abc) in [
        (
            "FN-DSA-512",
            "77f4784dba88f5fb5bf1ca38c989cd512a18166f60c843ae5ebce1a345fbd008",
            "9de9f023f15a0dc3739e987e7a23f90698cfc58f5608d19031ad58631ab398ec",
        ),
        (
            "FN-DSA-1024",
            "f31a4e1bec9890d979fad4bd5644f985d3656dca43c4251c7bf004e73066b2bb",
            "ab2846fc23a70c6bb35252bdfc90cbfaa3070b17110c4390ef595bfbd8787f8a",
        ),
    ] {
        let scheme = by_name(name).expect("a set of this build");
        assert_eq!([digest(scheme), abc(scheme)], [want, of_abc], "{name}");
    }
}

/// Returns SHA-256 of keys and signature of `abc`, with seed and random bytes 0, 1, 2, ….
fn abc(scheme: &dyn Signature) -> String {
    struct Counter;
    impl RngCore for Counter {
        fn next_u32(&mut self) -> u32 {
            unreachable!("bytes are asked for")
        }
        fn next_u64(&mut self) -> u64 {
            unreachable!("bytes are asked for")
        }
        fn fill_bytes(&mut self, dest: &mut [u8]) {
            dest.iter_mut().zip(0..).for_each(|(byte, i)| *byte = i);
        }
        fn try_fill_bytes(&mut self, dest: &mut [u8]) -> Result<(), Error> {
            self.fill_bytes(dest);
            Ok(())
        }
    }
    impl CryptoRng for Counter {}
    let info = scheme.info();
    let (mut pk, mut sk) = (vec![0; info.public_key], vec![0; info.secret_key]);
    let seed: Vec<u8> = (0..48).collect();
    scheme.keypair_from(&seed, &mut pk, &mut sk).expect("a seed");
    let mut signature = vec![0; info.signature];
    let mut key = SigningKeyStandard::decode(&sk).expect("our key");
    key.sign(&mut Counter, &DOMAIN_NONE, &HASH_ID_RAW, b"abc", &mut signature).expect("a good key");
    sha256(&[pk, sk, signature].concat())
}

/// Compares signatures of 5000 messages of 33 bytes by one key: they hardly ever differ, and both
/// verify where they do.
#[test]
fn signatures_differ_where_rounding_decides() {
    for name in ["FN-DSA-512", "FN-DSA-1024"] {
        let scheme = by_name(name).expect("a set of this build");
        let info = scheme.info();
        let (mut pk, mut sk) = (vec![0; info.public_key], vec![0; info.secret_key]);
        scheme.keypair_from(&[77; 48], &mut pk, &mut sk).expect("a seed");
        let signer = scheme.prepare_signer(&sk).expect("a good key");
        let mut key = SigningKeyStandard::decode(&sk).expect("our key");
        let (mut theirs, mut ours) = (vec![0; info.signature], vec![0; info.signature]);
        let mut differ = 0;
        for i in 0..5000_u32 {
            let (mut stream, mut text) = (SHAKE256::new(), [0; 33]);
            stream.inject(&i.to_le_bytes());
            stream.flip();
            stream.extract(&mut text);
            key.sign(&mut OneByte(i as u8), &DOMAIN_NONE, &HASH_ID_RAW, &text, &mut theirs)
                .expect("a good key");
            let coins = [i as u8; 40];
            signer.sign(&Message::new(&text), Some(&coins), &mut ours).expect("a good key");
            if ours != theirs {
                differ += 1;
                scheme.verify(&pk, &Message::new(&text), &theirs).expect("their signature");
                let public = VerifyingKeyStandard::decode(&pk).expect("our key");
                assert!(public.verify(&ours, &DOMAIN_NONE, &HASH_ID_RAW, &text));
            }
        }
        println!("{name}: {differ} of 5000 differ");
        assert!(differ <= 12, "{name}: {differ}");
    }
}

/// Checks that our code reads keys of fn-dsa's own generator, and computes the same public key.
#[test]
fn keys_of_fn_dsa() {
    use fn_dsa::{KeyPairGenerator, KeyPairGeneratorStandard};
    for (name, log2_n) in [("FN-DSA-512", 9), ("FN-DSA-1024", 10)] {
        let scheme = by_name(name).expect("a set of this build");
        let info = scheme.info();
        let (mut pk, mut sk) = (vec![0; info.public_key], vec![0; info.secret_key]);
        let (mut public, mut signature) = (vec![0; info.public_key], vec![0; info.signature]);
        for i in 0..20 {
            let mut generator = KeyPairGeneratorStandard::default();
            generator.keygen(log2_n, &mut OneByte(i), &mut sk, &mut pk);
            scheme.public_key(&sk, &mut public).expect("their key");
            assert!(pk == public, "{name} {i}");
            // fn-dsa leaves the digest of pre-hashing to the caller.
            let mut hash = SHA3_256::new();
            hash.update(&[i]);
            let digest = hash.digest();
            let message = Message::PreHashed {
                hash: &oaklath_params::hash::SHA3_256,
                digest: &digest,
                context: b"domain",
            };
            scheme.sign(&sk, &message, Some(&[i; 40]), &mut signature).expect("their key");
            let key = VerifyingKeyStandard::decode(&pk).expect("their key");
            let context = DomainContext(b"domain");
            assert!(key.verify(&signature, &context, &HASH_ID_SHA3_256, &digest), "{name} {i}");
        }
    }
}
