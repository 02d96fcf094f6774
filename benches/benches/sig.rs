//! Signatures: every algorithm at every SIMD level.
//!
//! Randomness is passed in, keys are bytes unless the name says otherwise, messages are short, so the
//! figures are those of the algorithm alone. Signatures by hash trees use one thread here; with the
//! feature `parallel` of this package, all cores (`RAYON_NUM_THREADS` says how many).

use std::{hint::black_box, time::Duration};

use benches::at_every_level;
use criterion::{Criterion, criterion_group, criterion_main};
use oaklath_sig::{Message, Signature};

const GOOD: &str = "operands of the right lengths, made by the algorithm itself";
const MESSAGE: Message<'static> = Message::new(b"a message");

/// Signatures that are verified at a time.
const MANY: usize = 16;

fn all(_: &mut Criterion) {
    for scheme in oaklath_sig::all() {
        one(&mut sized(scheme.info().name), *scheme);
    }
}

fn one(criterion: &mut Criterion, scheme: &dyn Signature) {
    let info = scheme.info();
    let path = format!("sig/{}", info.name);
    let (seed, coins) = (vec![1; scheme.seed_len()], vec![2; scheme.coins_len()]);
    let (mut pk, mut sk) = (vec![0; info.public_key], vec![0; info.secret_key]);
    let mut signature = vec![0; info.signature];

    at_every_level(criterion, &path, "keygen", |bencher| {
        bencher.iter(|| scheme.keypair_from(black_box(&seed), &mut pk, &mut sk).expect(GOOD));
    });
    // A filter may have left the keys out.
    scheme.keypair_from(&seed, &mut pk, &mut sk).expect(GOOD);
    at_every_level(criterion, &path, "sign", |bencher| {
        bencher.iter(|| {
            scheme.sign(black_box(&sk), &MESSAGE, Some(&coins), &mut signature).expect(GOOD)
        });
    });
    let signer = scheme.prepare_signer(&sk).expect(GOOD);
    at_every_level(criterion, &path, "sign-prepared", |bencher| {
        bencher
            .iter(|| signer.sign(black_box(&MESSAGE), Some(&coins), &mut signature).expect(GOOD));
    });
    let len = scheme.sign(&sk, &MESSAGE, Some(&coins), &mut signature).expect(GOOD);
    let signature = &signature[..len];
    at_every_level(criterion, &path, "verify", |bencher| {
        bencher.iter(|| scheme.verify(black_box(&pk), &MESSAGE, signature).expect(GOOD));
    });
    let verifier = scheme.prepare_verifier(&pk).expect(GOOD);
    at_every_level(criterion, &path, "verify-prepared", |bencher| {
        bencher.iter(|| verifier.verify(black_box(&MESSAGE), signature).expect(GOOD));
    });
    let many = [(MESSAGE, signature); MANY];
    let mut results = [Ok(()); MANY];
    at_every_level(criterion, &path, &format!("verify-{MANY}"), |bencher| {
        bencher.iter(|| verifier.verify_many(black_box(&many), &mut results));
    });
    assert!(results.iter().all(Result::is_ok));
}

/// Shorter than criterion's own eight seconds: most operations take microseconds, but the small sets
/// of hash trees up to a second, and then ten times must do.
fn sized(name: &str) -> Criterion {
    let small = name.ends_with('s') && name.starts_with("SLH") || name.ends_with("s-simple");
    let criterion = Criterion::default()
        .configure_from_args()
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_secs(1));
    criterion.sample_size(if small { 10 } else { 100 })
}

criterion_group! { name = sig; config = Criterion::default(); targets = all }
criterion_main!(sig);
