//! Signatures: every algorithm at every SIMD level.
//!
//! Seeds are passed in, signatures are made without randomness, keys are bytes unless the name says
//! otherwise. Signing is a mean over a fixed list of messages, since rejections take another time
//! for each; of ML-DSA the list has average rejections (`oaklath_measure::average`). Hash trees use
//! one thread here; with the feature `parallel` of this package, all cores (`RAYON_NUM_THREADS`
//! says how many). For comparisons with other libraries see `cargo xtask compare sig`.

use std::hint::black_box;
use std::time::Instant;

use benches::{at_every_level, briefly_at_every_level, quick};
use criterion::{Bencher, Criterion, criterion_group, criterion_main};
use oaklath_measure::average;
use oaklath_sig::{Message, Signature, verify_many};

const GOOD: &str = "operands of the right lengths, made by the algorithm itself";

/// Signatures that are verified at a time.
const MANY: usize = 16;

fn all(criterion: &mut Criterion) {
    for scheme in oaklath_sig::all() {
        one(criterion, *scheme);
    }
}

fn one(criterion: &mut Criterion, scheme: &dyn Signature) {
    let info = scheme.info();
    let path = format!("sig/{}", info.name);
    let seed = vec![0; scheme.seed_len()];
    let (mut pk, mut sk) = (vec![0; info.public_key], vec![0; info.secret_key]);
    let (mut signature, messages) = (vec![0; info.signature], messages(info.name));
    // Falcon and FN-DSA have no deterministic signatures.
    let coins = scheme.needs_coins().then(|| vec![2; scheme.coins_len()]);
    let coins = coins.as_deref();

    if is_slow(&path) {
        briefly_at_every_level(&path, "keygen", || {
            scheme.keypair_from(black_box(&seed), &mut pk, &mut sk).expect(GOOD);
        });
    } else {
        at_every_level(criterion, &path, "keygen", |bencher| {
            bencher.iter(|| scheme.keypair_from(black_box(&seed), &mut pk, &mut sk).expect(GOOD));
        });
    }
    // A filter may have left the keys out.
    scheme.keypair_from(&seed, &mut pk, &mut sk).expect(GOOD);
    let key = scheme.prepare_signer(&sk).expect(GOOD);
    signing(criterion, &path, "sign", &messages, |message| {
        scheme.sign(black_box(&sk), message, coins, &mut signature).expect(GOOD)
    });
    signing(criterion, &path, "sign-prepared", &messages, |message| {
        key.sign(black_box(message), coins, &mut signature).expect(GOOD)
    });
    let message = Message::new(&messages[0]);
    let len = scheme.sign(&sk, &message, coins, &mut signature).expect(GOOD);
    at_every_level(criterion, &path, "verify", |bencher| {
        bencher.iter(|| scheme.verify(black_box(&pk), &message, &signature[..len]).expect(GOOD));
    });
    let key = scheme.prepare_verifier(&pk).expect(GOOD);
    at_every_level(criterion, &path, "verify-prepared", |bencher| {
        bencher.iter(|| key.verify(&message, black_box(&signature[..len])).expect(GOOD));
    });
    let (many, mut results) = ([(&*key, message, &signature[..len]); MANY], [Ok(()); MANY]);
    at_every_level(criterion, &path, &format!("verify-{MANY}"), |bencher| {
        bencher.iter(|| verify_many(black_box(&many), &mut results));
    });
    assert!(results.iter().all(Result::is_ok));
}

/// Whether keys and signatures take seconds.
fn is_slow(path: &str) -> bool {
    ["SLH-DSA", "SPHINCS+"].iter().any(|family| path.contains(family))
}

fn signing<R>(
    criterion: &mut Criterion,
    path: &str,
    operation: &str,
    messages: &[Vec<u8>],
    mut sign: impl FnMut(&Message<'_>) -> R,
) {
    if is_slow(path) {
        briefly_at_every_level(path, operation, || sign(&Message::new(&messages[0])));
    } else {
        at_every_level(criterion, path, operation, |bencher| each(bencher, messages, &mut sign));
    }
}

/// What is signed: enough messages that their rejections are average to some in a hundred, or the
/// list that is average; one where nothing is rejected.
fn messages(algorithm: &str) -> Vec<Vec<u8>> {
    match average::representative(algorithm) {
        Some(list) => list.map(Vec::from).collect(),
        None if algorithm.starts_with("Dilithium") => {
            (0..128u32).map(|i| i.to_le_bytes().to_vec()).collect()
        }
        None => vec![b"one".to_vec()],
    }
}

/// Passes over all messages; the time of one is that of a pass by the number of messages.
fn each<R>(
    bencher: &mut Bencher<'_>,
    messages: &[Vec<u8>],
    mut sign: impl FnMut(&Message<'_>) -> R,
) {
    bencher.iter_custom(|passes| {
        let start = Instant::now();
        for _ in 0..passes {
            for message in messages {
                black_box(sign(&Message::new(message)));
            }
        }
        start.elapsed() / u32::try_from(messages.len()).expect("a short list")
    });
}

// Few samples: a pass over messages takes up to a tenth of a second.
criterion_group! { name = sig; config = quick(10); targets = all }
criterion_main!(sig);
