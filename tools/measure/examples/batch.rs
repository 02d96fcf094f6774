//! Many operations at once beside single ones, a line each: what a core gains by filling the lanes
//! that one operation leaves empty. `cargo xtask compare batch` runs it.
//!
//! ```sh
//! batch [LEVEL] [ALGORITHM]     # by default the best level, and every algorithm with batches
//! ```

use std::error::Error;
use std::hint::black_box;

use oaklath_kem::{DecapsulationItem, EncapsulationItem, Kem, KemBatch, KeyPairItem, batch_of};
use oaklath_measure::{Contender, Level, Sampler, pin_to_core};
use oaklath_sig::{Message, Signature};

/// Items at once.
const ITEMS: usize = 64;
const GOOD: &str = "operands of the right lengths, made by the algorithm itself";
const KEMS: [&str; 3] = ["ML-KEM-512", "ML-KEM-768", "ML-KEM-1024"];
const SIGNATURES: [&str; 6] = [
    "ML-DSA-44",
    "ML-DSA-65",
    "ML-DSA-87",
    "SLH-DSA-SHA2-128f",
    "SLH-DSA-SHA2-128s",
    "SLH-DSA-SHAKE-128f",
];

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<_> = std::env::args().skip(1).collect();
    let level = args.first().map_or(Ok(Level::get()), |name| {
        Level::by_name(name).ok_or("scalar, avx2, avx512 or neon")
    })?;
    let is_wanted = |name: &&&str| args.get(1).is_none_or(|wanted| wanted == **name);
    pin_to_core(None)?;
    level.with(|| {
        for name in KEMS.iter().filter(is_wanted) {
            kem(oaklath_kem::by_name(name)?);
        }
        for name in SIGNATURES.iter().filter(is_wanted) {
            signature(oaklath_sig::by_name(name)?)?;
        }
        Ok(())
    })
}

/// Prints what a single operation takes, what one of many takes, and their ratio.
fn compare(name: &str, operation: &str, mut one: impl FnMut(usize), mut many: impl FnMut()) {
    let summaries = Sampler::new(31).interleave(&mut [
        Contender::new("one", |calls| calls.for_each(|_| (0..ITEMS).for_each(&mut one))),
        Contender::new("many", |calls| calls.for_each(|_| many())),
    ]);
    let [one, many] = [0, 1].map(|i: usize| summaries[i].median / ITEMS as f64);
    let (level, unit) = (Level::get(), summaries[0].unit);
    println!("{name:20} {operation:12} {level:7} {one:10.0} {many:10.0} {unit} {:6.2}", one / many);
}

fn kem(kem: &dyn Kem) {
    let (info, batch) = (kem.info(), batch_of(kem).expect("a KEM of the crate"));
    let seeds: Vec<_> = (0..ITEMS).map(|i| vec![i as u8; kem.seed_len()]).collect();
    let mut keys = vec![(vec![0; info.public_key], vec![0; info.secret_key]); ITEMS];
    let mut others = keys.clone();
    compare(
        info.name,
        "keygen",
        |i| {
            let (ek, dk) = &mut keys[i];
            kem.keypair_from(black_box(&seeds[i]), ek, dk).expect(GOOD);
        },
        || {
            let items = others.iter_mut().zip(&seeds);
            let items = items.map(|((ek, dk), seed)| KeyPairItem { seed, ek, dk });
            let mut results = [Ok(()); ITEMS];
            batch.generate_many(&mut items.collect::<Vec<_>>(), &mut results);
            assert_eq!(results, [Ok(()); ITEMS]);
        },
    );
    exchange(kem, batch, &keys);
}

/// Encapsulation to keys, and decapsulation.
fn exchange(kem: &dyn Kem, batch: &dyn KemBatch, keys: &[(Vec<u8>, Vec<u8>)]) {
    let (info, coins) = (kem.info(), vec![7; kem.coins_len()]);
    let mut sent = vec![(vec![0; info.ciphertext], [0; 32]); ITEMS];
    let mut others = sent.clone();
    compare(
        info.name,
        "encapsulate",
        |i| {
            let (c, shared) = &mut sent[i];
            kem.encapsulate_from(&coins, black_box(&keys[i].0), c, shared).expect(GOOD);
        },
        || {
            let (items, coins) = (others.iter_mut().zip(keys), &coins[..]);
            let items = items.map(|((c, shared), (key, _))| EncapsulationItem {
                key: &key[..],
                coins,
                c,
                shared,
            });
            let mut results = [Ok(()); ITEMS];
            batch.encapsulate_many(&mut items.collect::<Vec<_>>(), &mut results);
            assert_eq!(results, [Ok(()); ITEMS]);
        },
    );
    let mut opened = [[0; 32]; ITEMS];
    let mut others = opened;
    compare(
        info.name,
        "decapsulate",
        |i| kem.decapsulate(black_box(&keys[i].1), &sent[i].0, &mut opened[i]).expect(GOOD),
        || {
            let items = others.iter_mut().zip(keys.iter().zip(&sent));
            let items = items.map(|(shared, ((_, key), (c, _)))| DecapsulationItem {
                key: &key[..],
                c,
                shared,
            });
            let mut results = [Ok(()); ITEMS];
            batch.decapsulate_many(&mut items.collect::<Vec<_>>(), &mut results);
            assert_eq!(results, [Ok(()); ITEMS]);
        },
    );
}

/// Verification by one key.
fn signature(scheme: &dyn Signature) -> Result<(), Box<dyn Error>> {
    let (info, message) = (scheme.info(), Message::new(b"a message"));
    let (mut pk, mut sk) = (vec![0; info.public_key], vec![0; info.secret_key]);
    scheme.keypair_from(&vec![5; scheme.seed_len()], &mut pk, &mut sk)?;
    let mut signature = vec![0; info.longest_signature()];
    let len = scheme.sign(&sk, &message, None, &mut signature)?;
    signature.truncate(len);
    let key = scheme.prepare_verifier(&pk)?;
    let items = vec![(message, &signature[..]); ITEMS];
    let mut results = [Ok(()); ITEMS];
    compare(
        info.name,
        "verify",
        |i| key.verify(&items[i].0, black_box(items[i].1)).expect(GOOD),
        || {
            key.verify_many(&items, &mut results);
            assert_eq!(results, [Ok(()); ITEMS]);
        },
    );
    Ok(())
}
