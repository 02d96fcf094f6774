//! Compares FN-DSA with digests of the output of the crate `fn-dsa` 0.4.0 for the same keys and
//! random bytes (`tools/interop/current` compares the two), at every SIMD level and with every form
//! of message.
use oaklath_params::hash::SHA3_256;
use oaklath_sig::{Error, Message, Signature, by_name};
use oaklath_simd::Level;
use sha2::{Digest, Sha256};

/// SHA-256 of the public and private keys of four seeds, and of each key's signatures of 25
/// messages.
const DIGESTS: [(&str, &str); 2] = [
    ("FN-DSA-512", "77f4784dba88f5fb5bf1ca38c989cd512a18166f60c843ae5ebce1a345fbd008"),
    ("FN-DSA-1024", "f31a4e1bec9890d979fad4bd5644f985d3656dca43c4251c7bf004e73066b2bb"),
];

/// Returns message `i`: plain, with a context, pre-hashed with a context, or its mu.
fn message(i: u8, bytes: &[u8; 64]) -> Message<'_> {
    match i % 4 {
        0 => Message::new(&bytes[..usize::from(i % 64)]),
        1 => Message::with_context(&bytes[..33], b"context"),
        2 => {
            let digest = bytes.first_chunk::<32>().unwrap();
            Message::PreHashed { hash: &SHA3_256, digest, context: b"context" }
        }
        _ => Message::Mu(bytes),
    }
}

fn digest(scheme: &dyn Signature) -> String {
    let info = scheme.info();
    let (mut pk, mut sk) = (vec![0; info.public_key], vec![0; info.secret_key]);
    let (mut signature, mut again) = (vec![0; info.signature], vec![0; info.signature]);
    let mut digest = Sha256::new();
    for i in 0..100 {
        if i % 25 == 0 {
            scheme.keypair_from(&[i; 48], &mut pk, &mut sk).unwrap();
            digest.update(&pk);
            digest.update(&sk);
            let mut public = vec![0; info.public_key];
            scheme.public_key(&sk, &mut public).unwrap();
            assert!(pk == public, "{i}");
        }
        let (bytes, coins) = ([i; 64], Some(&[i; 40][..]));
        let message = message(i, &bytes);
        let len = scheme.sign(&sk, &message, coins, &mut signature).unwrap();
        assert_eq!(len, info.signature);
        let signer = scheme.prepare_signer(&sk).unwrap();
        signer.sign(&message, coins, &mut again).unwrap();
        assert!(signature == again, "{i}: a prepared key signs the same");
        scheme.verify(&pk, &message, &signature).unwrap();
        let verifier = scheme.prepare_verifier(&pk).unwrap();
        verifier.verify(&message, &signature).unwrap();
        let other = Message::with_context(&bytes[..33], b"contexu");
        assert_eq!(verifier.verify(&other, &signature), Err(Error::InvalidSignature));
        digest.update(&signature);
    }
    hex::encode(digest.finalize())
}

#[test]
fn known_answers_of_fn_dsa() {
    for level in Level::available() {
        for (name, want) in DIGESTS {
            let scheme = by_name(name).unwrap();
            assert_eq!(level.with(|| digest(scheme)), want, "{level} {name}");
        }
    }
}
