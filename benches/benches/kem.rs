//! Key encapsulation: every algorithm at every SIMD level.
//!
//! Randomness is passed in, keys are bytes unless the name says otherwise, so the figures are those
//! of the algorithm alone. For comparisons with other libraries see `cargo xtask compare kem`.

use std::hint::black_box;

use benches::{at_every_level, quick};
use criterion::{Criterion, criterion_group, criterion_main};
use oaklath_kem::Kem;

fn all(criterion: &mut Criterion) {
    for kem in oaklath_kem::all() {
        one(criterion, *kem);
    }
}

fn one(criterion: &mut Criterion, kem: &dyn Kem) {
    const GOOD: &str = "operands of the right lengths, made by the algorithm itself";
    let info = kem.info();
    let path = format!("kem/{}", info.name);
    let (seed, m) = (vec![1; kem.seed_len()], vec![2; kem.coins_len()]);
    let (mut pk, mut sk) = (vec![0; info.public_key], vec![0; info.secret_key]);
    let (mut ct, mut ss) = (vec![0; info.ciphertext], vec![0; info.shared_secret]);

    at_every_level(criterion, &path, "keygen", |bencher| {
        bencher.iter(|| kem.keypair_from(black_box(&seed), &mut pk, &mut sk).expect(GOOD));
    });
    // A filter may have left the keys out.
    kem.keypair_from(&seed, &mut pk, &mut sk).expect(GOOD);
    at_every_level(criterion, &path, "encapsulate", |bencher| {
        bencher.iter(|| kem.encapsulate_from(&m, black_box(&pk), &mut ct, &mut ss).expect(GOOD));
    });
    kem.encapsulate_from(&m, &pk, &mut ct, &mut ss).expect(GOOD);
    at_every_level(criterion, &path, "decapsulate", |bencher| {
        bencher.iter(|| kem.decapsulate(black_box(&sk), &ct, &mut ss).expect(GOOD));
    });
    let key = kem.prepare(&sk).expect(GOOD);
    at_every_level(criterion, &path, "decapsulate-prepared", |bencher| {
        bencher.iter(|| key.decapsulate(black_box(&ct), &mut ss).expect(GOOD));
    });
}

criterion_group! { name = kem; config = quick(30); targets = all }
criterion_main!(kem);
