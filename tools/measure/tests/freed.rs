//! No key, no seed and no shared secret is in memory that is freed: whatever the operations of
//! every algorithm allocate, and whatever their keys hold when they are dropped, is searched when
//! it is freed.

use std::hint::black_box;

use oaklath_kem::Kem;
use oaklath_measure::{CountingAllocator, Level, found_in_freed};
use oaklath_params::stateful::{lms, xmss};
use oaklath_sig::{Message, Signature};
use oaklath_stateful::{
    HssLevels, HssSigningKey, Index, NODE_BYTES, StatefulKey, XmssSigningKey, XmssTrees,
    xmss_seed_len,
};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Returns bytes that do not repeat.
fn bytes(len: usize, mut x: u32) -> Vec<u8> {
    let mut next = || {
        x = x.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
        (x >> 16) as u8
    };
    (0..len).map(|_| next()).collect()
}

/// Checks that none of the secrets is found in what `f` frees.
fn leaves_nothing(what: &str, secrets: &[(&str, &[u8])], f: impl FnOnce()) {
    let strings: Vec<_> = secrets.iter().map(|(_, secret)| *secret).collect();
    let ((), found) = found_in_freed(&strings, f);
    for ((name, _), found) in secrets.iter().zip(found) {
        assert_eq!(found, 0, "{what}: {name}");
    }
}

#[test]
fn kems() {
    for level in Level::available() {
        level.with(|| oaklath_kem::all().iter().for_each(|kem| kem_leaves_nothing(*kem)));
    }
}

fn kem_leaves_nothing(kem: &dyn Kem) {
    let info = kem.info();
    let (seed, coins) = (bytes(kem.seed_len(), 1), bytes(kem.coins_len(), 2));
    let (mut pk, mut sk) = (vec![0; info.public_key], vec![0; info.secret_key]);
    let (mut ct, mut ss) = (vec![0; info.ciphertext], vec![0; info.shared_secret]);
    kem.keypair_from(&seed, &mut pk, &mut sk).expect("good input");
    kem.encapsulate_from(&coins, &pk, &mut ct, &mut ss).expect("good input");
    let (start, end) = (sk[..32].to_vec(), sk[sk.len() - 32..].to_vec());
    let shared = ss.clone();
    let secrets: [(&str, &[u8]); 6] = [
        ("the seed", &seed[..32]),
        ("the end of the seed", &seed[seed.len() - 32..]),
        ("the coins", &coins[..32]),
        ("the secret vector", &start),
        ("z", &end),
        ("the shared secret", &shared),
    ];
    leaves_nothing(info.name, &secrets, || {
        kem.keypair_from(&seed, &mut pk, &mut sk).expect("good input");
        kem.encapsulate_from(&coins, &pk, &mut ct, &mut ss).expect("good input");
        kem.decapsulate(&sk, &ct, &mut ss).expect("good input");
        kem.prepare(&sk).expect("good input").decapsulate(&ct, &mut ss).expect("good input");
        drop(black_box(kem.generate_from(&seed, &mut pk).expect("good input")));
    });
}

#[test]
fn signatures() {
    // The other sets run the same code for longer.
    let fast = |name: &str| !name.contains("SPHINCS") && !name.ends_with('s');
    for scheme in oaklath_sig::all().iter().filter(|scheme| fast(scheme.info().name)) {
        signature_leaves_nothing(*scheme);
    }
}

fn signature_leaves_nothing(scheme: &dyn Signature) {
    let info = scheme.info();
    let (seed, coins) = (bytes(scheme.seed_len(), 3), bytes(scheme.coins_len(), 4));
    let (mut pk, mut sk) = (vec![0; info.public_key], vec![0; info.secret_key]);
    let mut signature = vec![0; info.signature];
    scheme.keypair_from(&seed, &mut pk, &mut sk).expect("good input");
    // SK.seed of SLH-DSA, K of ML-DSA, f of Falcon; and the middle of the vectors.
    let hash_based = sk.len() <= 128;
    let first = if hash_based { sk[..16].to_vec() } else { sk[32..56].to_vec() };
    let middle = if hash_based { sk[16..32].to_vec() } else { sk[200..224].to_vec() };
    let secrets: [(&str, &[u8]); 3] =
        [("the seed", &seed[..16]), ("the first secret", &first), ("the second", &middle)];
    let message = Message::new(b"a message");
    leaves_nothing(info.name, &secrets, || {
        scheme.keypair_from(&seed, &mut pk, &mut sk).expect("good input");
        scheme.sign(&sk, &message, Some(&coins), &mut signature).expect("good input");
        let signer = scheme.prepare_signer(&sk).expect("good input");
        signer.sign(&message, Some(&coins), &mut signature).expect("good input");
        drop(signer);
        let signer = scheme.prepare_checked_signer(&sk).expect("good input");
        signer.sign(&message, Some(&coins), &mut signature).expect("good input");
    });
}

#[test]
fn stateful_keys() {
    let levels = (&lms::LMS_SHA256_M32_H5, &lms::LMOTS_SHA256_N32_W4);
    let levels = HssLevels::new(&[levels, levels]).expect("good input");
    let seed = bytes(levels.seed_len(), 5);
    stateful_leaves_nothing("HSS", &seed[..32], || {
        let key = HssSigningKey::from_seed(&levels, &seed, NODE_BYTES).expect("good input");
        drop(HssSigningKey::from_bytes(&key.to_bytes(), NODE_BYTES).expect("good input"));
        Box::new(key)
    });
    let set = &xmss::XMSSMT_SHA2_20_4_256;
    let seed = bytes(xmss_seed_len(set), 6);
    stateful_leaves_nothing("XMSS^MT", &seed[..64], || {
        let key = XmssSigningKey::from_seed(set, &seed, NODE_BYTES).expect("good input");
        drop(
            XmssSigningKey::from_bytes(XmssTrees::Multi, &key.to_bytes(), NODE_BYTES)
                .expect("good input"),
        );
        Box::new(key)
    });
}

fn stateful_leaves_nothing(name: &str, seed: &[u8], make: impl FnOnce() -> Box<dyn StatefulKey>) {
    let secrets: [(&str, &[u8]); 2] =
        [("the seed", &seed[..32]), ("its end", &seed[seed.len() - 32..])];
    leaves_nothing(name, &secrets, || {
        let mut key = make();
        let mut signature = vec![0; key.signature_len()];
        key.sign_at(Index::from_durable_record(5), b"a message", &mut signature)
            .expect("good input");
    });
}
