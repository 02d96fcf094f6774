//! Compares many operations at once with single ones, one line each: what a core gains by filling
//! the lanes that one operation leaves empty. `cargo xtask compare batch` runs it.
//!
//! ```sh
//! batch [LEVEL] [ALGORITHM]     # by default the best level, and every algorithm with batches
//! ```

use std::error::Error;
use std::hint::black_box;

use oaklath_hash::keccak::{permute_lanes, permute_two};
use oaklath_kem::{DecapsulationItem, EncapsulationItem, Kem, KemBatch, KeyPairItem, batch_of};
use oaklath_measure::{Contender, Level, Sampler, pin_to_core};
use oaklath_params::stateful::lms::{self, LmotsType, LmsType};
use oaklath_params::stateful::xmss::{self, XmssInfo};
use oaklath_sig::{Message, Signature, SigningItem, Verify, sign_many, verify_many};
use oaklath_simd::{Simd, U64s, dispatch};
use oaklath_stateful::{
    HssLevels, HssPublicKey, HssSigningKey, Index, NODE_BYTES, StatefulKey, XmssPublicKey,
    XmssSigningKey, XmssTrees, xmss_seed_len,
};

/// The number of items at once.
const ITEMS: usize = 64;
const GOOD: &str = "operands of the right lengths, made by the algorithm itself";
const KEMS: [&str; 3] = ["ML-KEM-512", "ML-KEM-768", "ML-KEM-1024"];
const SIGNATURES: [&str; 9] = [
    "ML-DSA-44",
    "ML-DSA-65",
    "ML-DSA-87",
    "Falcon-512",
    "Falcon-1024",
    "FN-DSA-512",
    "SLH-DSA-SHA2-128f",
    "SLH-DSA-SHA2-128s",
    "SLH-DSA-SHAKE-128f",
];
/// Levels of LMS: how many, and their types.
type Levels = (usize, &'static LmsType, &'static LmotsType);
const LMS: [(&str, Levels); 6] = [
    ("LMS_H10_W1", (1, &lms::LMS_SHA256_M32_H10, &lms::LMOTS_SHA256_N32_W1)),
    ("LMS_H10_W2", (1, &lms::LMS_SHA256_M32_H10, &lms::LMOTS_SHA256_N32_W2)),
    ("LMS_H10_W4", (1, &lms::LMS_SHA256_M32_H10, &lms::LMOTS_SHA256_N32_W4)),
    ("LMS_H10_W8", (1, &lms::LMS_SHA256_M32_H10, &lms::LMOTS_SHA256_N32_W8)),
    ("L2_H10_W4", (2, &lms::LMS_SHA256_M32_H10, &lms::LMOTS_SHA256_N32_W4)),
    ("LMS_SHAKE_H10_W4", (1, &lms::LMS_SHAKE_M32_H10, &lms::LMOTS_SHAKE_N32_W4)),
];
const XMSS: [&XmssInfo; 3] =
    [&xmss::XMSS_SHA2_10_256, &xmss::XMSSMT_SHA2_20_4_256, &xmss::XMSS_SHAKE256_10_256];

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<_> = std::env::args().skip(1).collect();
    let level = args.first().map_or(Ok(Level::get()), |name| {
        Level::by_name(name).ok_or("scalar, avx2, avx512 or neon")
    })?;
    let is_wanted = |name: &&&str| args.get(1).is_none_or(|wanted| wanted == **name);
    pin_to_core(None)?;
    level.with(|| {
        if args.get(1).is_none() {
            dispatch!(s => permutations(s));
        }
        for name in KEMS.iter().filter(is_wanted) {
            kem(oaklath_kem::by_name(name)?);
        }
        for name in SIGNATURES.iter().filter(is_wanted) {
            signature(oaklath_sig::by_name(name)?)?;
            if name.starts_with("ML-DSA") {
                signing(oaklath_sig::by_name(name)?)?;
            }
        }
        for (name, levels) in LMS.iter().filter(|(name, _)| is_wanted(&name)) {
            hss(name, *levels)?;
        }
        for set in XMSS.iter().filter(|set| is_wanted(&&set.name)) {
            xmss(set)?;
        }
        Ok(())
    })
}

/// Compares permuting four states with permuting eight. Operations that fill four lanes by
/// themselves, those of ML-KEM, cannot gain more from a batch.
#[inline(always)]
fn permutations<S: Simd>(s: S) {
    let mut single = [S::Four::splat(s, 0); 25];
    let mut pair = [single; 2];
    let one = |_| permute_lanes(s, black_box(&mut single), 15);
    compare("Keccak-f[1600]", "four states", one, || {
        for _ in 0..ITEMS >> 1 {
            let [a, b] = black_box(&mut pair);
            permute_two(s, a, b);
        }
    });
}

/// Prints the time of a single operation, that of one of many, and their ratio.
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

/// Compares encapsulation to keys, and decapsulation.
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

/// Signing, with messages that take different numbers of attempts.
fn signing(scheme: &dyn Signature) -> Result<(), Box<dyn Error>> {
    let info = scheme.info();
    let (mut pk, mut sk) = (vec![0; info.public_key], vec![0; info.secret_key]);
    scheme.keypair_from(&vec![5; scheme.seed_len()], &mut pk, &mut sk)?;
    let key = scheme.prepare_signer(&sk)?;
    let texts: [[u8; 1]; ITEMS] = std::array::from_fn(|i| [i as u8]);
    let mut signatures = vec![vec![0; info.signature]; ITEMS];
    let mut others = signatures.clone();
    let one = |i: usize| {
        key.sign(&Message::new(black_box(&texts[i])), None, &mut signatures[i]).expect(GOOD);
    };
    compare(info.name, "sign", one, || {
        let items = others.iter_mut().zip(&texts);
        let items =
            items.map(|(out, text)| SigningItem { message: Message::new(text), coins: None, out });
        let mut results = [Ok(0); ITEMS];
        sign_many(&*key, &mut items.collect::<Vec<_>>(), &mut results);
        assert!(results.iter().all(Result::is_ok));
    });
    Ok(())
}

/// Verification by one key, and by as many as there are signatures.
fn signature(scheme: &dyn Signature) -> Result<(), Box<dyn Error>> {
    let (info, message) = (scheme.info(), Message::new(b"a message"));
    let key_pair = |i: usize| {
        let (mut pk, mut sk) = (vec![0; info.public_key], vec![0; info.secret_key]);
        scheme.keypair_from(&vec![i as u8; scheme.seed_len()], &mut pk, &mut sk)?;
        Ok::<_, oaklath_sig::Error>((scheme.prepare_verifier(&pk)?, sk))
    };
    let sign = |i: usize, sk: &[u8]| {
        let mut signature = vec![0; info.longest_signature()];
        // Other coins for each signature: of trees, another path.
        let coins = vec![i as u8; scheme.coins_len()];
        let len = scheme.sign(sk, &message, Some(&coins), &mut signature)?;
        signature.truncate(len);
        Ok::<_, oaklath_sig::Error>(signature)
    };
    let (key, sk) = key_pair(0)?;
    let signatures = (0..ITEMS).map(|i| sign(i, &sk)).collect::<Result<Vec<_>, _>>()?;
    let by_one: Vec<_> =
        signatures.iter().map(|signature| (&*key, message, &signature[..])).collect();
    verification(info.name, "verify", &by_one);
    if !info.name.ends_with('s') {
        let items = (0..ITEMS).map(|i| key_pair(i).and_then(|(key, sk)| Ok((key, sign(i, &sk)?))));
        let items = items.collect::<Result<Vec<_>, _>>()?;
        let by_all = items.iter().map(|(key, signature)| (&**key, message, &signature[..]));
        verification(info.name, "by many keys", &by_all.collect::<Vec<_>>());
    }
    Ok(())
}

fn verification(name: &str, what: &str, signed: &[(&dyn Verify, Message<'_>, &[u8])]) {
    let mut results = [Ok(()); ITEMS];
    let one = |i: usize| {
        let (key, message, signature) = signed[i];
        key.verify(&message, black_box(signature)).expect(GOOD);
    };
    compare(name, what, one, || {
        verify_many(signed, &mut results);
        assert_eq!(results, [Ok(()); ITEMS]);
    });
}

/// Signatures at different indices.
fn stateful(key: &mut dyn StatefulKey) -> Result<Vec<Vec<u8>>, oaklath_stateful::Error> {
    let sign = |index| {
        let mut signature = vec![0; key.signature_len()];
        key.sign_at(Index::from_durable_record(index), b"a message", &mut signature)?;
        Ok(signature)
    };
    (0..ITEMS as u64).map(sign).collect()
}

fn hss(name: &str, (count, lms, lmots): Levels) -> Result<(), Box<dyn Error>> {
    let levels = HssLevels::new(&vec![(lms, lmots); count])?;
    let mut key = HssSigningKey::from_seed(&levels, &vec![3; levels.seed_len()], NODE_BYTES)?;
    let signatures = stateful(&mut key)?;
    let key = HssPublicKey::from_bytes(key.public_key())?;
    let signed: Vec<_> =
        signatures.iter().map(|signature| (&key, &b"a message"[..], &signature[..])).collect();
    let mut results = [Ok(()); ITEMS];
    let one = |i: usize| key.verify(b"a message", black_box(&signatures[i])).expect(GOOD);
    compare(name, "verify", one, || {
        HssPublicKey::verify_many(&signed, &mut results);
        assert_eq!(results, [Ok(()); ITEMS]);
    });
    Ok(())
}

fn xmss(set: &'static XmssInfo) -> Result<(), Box<dyn Error>> {
    let mut key = XmssSigningKey::from_seed(set, &vec![3; xmss_seed_len(set)], NODE_BYTES)?;
    let signatures = stateful(&mut key)?;
    let key = XmssPublicKey::from_bytes(XmssTrees::of(set), key.public_key())?;
    let signed: Vec<_> =
        signatures.iter().map(|signature| (&key, &b"a message"[..], &signature[..])).collect();
    let mut results = [Ok(()); ITEMS];
    let one = |i: usize| key.verify(b"a message", black_box(&signatures[i])).expect(GOOD);
    compare(set.name, "verify", one, || {
        XmssPublicKey::verify_many(&signed, &mut results);
        assert_eq!(results, [Ok(()); ITEMS]);
    });
    Ok(())
}
