//! LMS/HSS and XMSS row by row beside the speeds of wolfSSL's appendix, and SHA-256.
//!
//! `cargo bench -p benches --bench stateful [FILTER]`, with the filter `tall` the generation of a
//! tree of height 20, which takes half a minute on one core. Signing walks through the indices, so
//! that each signature grows its leaf of the trees to come, as in service; keys are bytes for
//! verification. With the feature `parallel`, trees grow on all cores when a key is made;
//! `RAYON_NUM_THREADS` says how many.
//!
//! `sign` is that of a key with its cache of nodes, `sign-few` that of one that keeps as few as it
//! can.

use std::hint::black_box;
use std::time::{Duration, Instant};

use benches::published::{Published, published};
use benches::{is_wanted, repeat};
use oaklath_hash::sha2::sha256;
use oaklath_params::stateful::{lms, xmss};
use oaklath_stateful::{
    HssLevels, HssPublicKey, HssSigningKey, Index, NODE_BYTES, StatefulKey, XmssPublicKey,
    XmssSigningKey, XmssTrees, xmss_seed_len,
};

const GOOD: &str = "operands of the right lengths, made by the algorithm itself";

/// A key that takes longer is made once.
const SOON: Duration = Duration::from_secs(1);

fn main() {
    println!("{:24} {:8} {:>12} {:>12}   published, a second", "set", "", "ours, us", "a second");
    let mut sets: Vec<&str> = Vec::new();
    for row in published() {
        if !sets.contains(&row.set) && is_wanted(row.set) {
            sets.push(row.set);
        }
    }
    if std::env::args().any(|argument| argument == "tall") {
        tall();
    }
    for set in sets {
        match set {
            "SHA-256" => throughput(set),
            set => stateful(set),
        }
    }
}

/// The generation of one tall tree, which is not repeated.
fn tall() {
    let types = (&lms::LMS_SHA256_M32_H20, &lms::LMOTS_SHA256_N32_W4);
    let levels = HssLevels::new(&[types]).expect(GOOD);
    let start = Instant::now();
    black_box(HssSigningKey::from_seed(&levels, &[7; 48], NODE_BYTES).expect(GOOD));
    print("LMS/HSS L1_H20_W4", "keygen", start.elapsed());
}

/// SHA-256 of long messages, in MiB a second.
fn throughput(set: &str) {
    let message = vec![7; 1 << 20];
    print(set, "hash", repeat(|_| black_box(sha256(black_box(&message)))));
}

fn stateful(set: &str) {
    if let Some(info) = set.strip_prefix("LMS/HSS ").and_then(lms::by_name) {
        let levels = HssLevels::from(info);
        let seed = vec![7; levels.seed_len()];
        let new = |bytes| HssSigningKey::from_seed(&levels, &seed, bytes).expect(GOOD);
        operations(set, new, |key, message, signature| {
            let key = HssPublicKey::from_bytes(key).expect(GOOD);
            key.verify(message, signature).is_ok()
        });
    } else {
        let info = xmss::by_name(set).expect("a set of the table");
        let seed = vec![7; xmss_seed_len(info)];
        let new = |bytes| XmssSigningKey::from_seed(info, &seed, bytes).expect(GOOD);
        let parse = |bytes: &[u8]| XmssPublicKey::from_bytes(XmssTrees::of(info), bytes);
        operations(set, new, |key, message, signature| {
            parse(key).expect(GOOD).verify(message, signature).is_ok()
        });
    }
}

fn operations<K: StatefulKey>(
    set: &str,
    new: impl Fn(usize) -> K,
    verify: impl Fn(&[u8], &[u8], &[u8]) -> bool,
) {
    const MESSAGE: &[u8] = b"message";
    let keygen = repeat(|_| new(NODE_BYTES));
    print(set, "keygen", keygen);
    let mut key = new(NODE_BYTES);
    let mut signature = vec![0; key.signature_len()];
    print(set, "sign", sign(&mut key, MESSAGE, &mut signature));
    if keygen < SOON {
        print(set, "sign-few", sign(&mut new(0), MESSAGE, &mut signature));
    }
    let public = key.public_key().to_vec();
    let verify = repeat(|_| assert!(verify(black_box(&public), MESSAGE, &signature), "{GOOD}"));
    print(set, "verify", verify);
}

/// The mean time of consecutive signatures. A small key is gone through again and again: it is
/// thrown away.
fn sign<K: StatefulKey>(key: &mut K, message: &[u8], signature: &mut [u8]) -> Duration {
    key.prepare(0).expect(GOOD);
    let last = key.signatures() - 1;
    repeat(|i| {
        let index = Index::from_durable_record(i & last);
        key.sign_at(index, message, signature).expect(GOOD)
    })
}

fn print(set: &str, operation: &str, time: Duration) {
    let per_second = 1.0 / time.as_secs_f64();
    let micros = time.as_secs_f64() * 1e6;
    print!("{set:24} {operation:8} {micros:12.1} {per_second:12.1}  ");
    let rows = published().filter(|row| (row.set, row.operation) == (set, operation));
    for Published { setting, per_second, .. } in rows {
        print!(" {setting}: {per_second:.0}.");
    }
    println!();
}
