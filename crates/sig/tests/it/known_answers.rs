//! Known answers at every SIMD level: digests of NIST KAT texts as liboqs and `PQClean` publish
//! them, and digests accumulated over many random keys.
use oaklath_hash::sha3::Shake128;
use oaklath_kat::{Drbg, messages};
use oaklath_sig::{Message, Signature, by_name};
use oaklath_simd::Level;
use sha2::{Digest, Sha256};

/// SHA-256 of record 0 of the KAT text and of records 0 to 99: liboqs 0.16 (Dilithium: 0.14),
/// `tests/KATs/sig`. ML-DSA is hedged, Dilithium randomised.
const KAT: [(&str, &str, &str); 6] = [
    (
        "ML-DSA-44",
        "9a196e7fb32fbc93757dc2d8dc1924460eab66303c0c08aeb8b798fb8d8f8cf3",
        "54322d25c05b96941aec73eb3ee27a975d38a34bfb53ef4cb9fd4a8e9cab554c",
    ),
    (
        "ML-DSA-65",
        "7cb96242eac9907a55b5c84c202f0ebd552419c50b2e986dc2e28f07ecebf072",
        "47e1ca6d4a45e9853e381954cf97206eca22993deade3cade45bd9d9457c93f9",
    ),
    (
        "ML-DSA-87",
        "4537905d2aabcf302fab2f242baed293459ecda7c230e6a67063b02c7e2840ed",
        "12382114979d5b64436aebfe6db02d61c07859429233105e936752cb77cc585a",
    ),
    (
        "Dilithium2",
        "26ae9c1224171e957dbe38672942d31edb7dffbe700825e0cb52128cdb45280a",
        "38337ea2e165cc1161de2da5af515a187d20d65f1aaffde844121c3c21b27c07",
    ),
    (
        "Dilithium3",
        "eea584803c3d6991a4acbf9f117147bbdd246faf822cfb1a17effe20b2052ba9",
        "020a69d51c3ee0332e119780451b4cdfaf5ddbd627db37e7f78c641e98e223a9",
    ),
    (
        "Dilithium5",
        "3f6e58603a38be57cf08d79b01fcfd0ccc1129a09e14a6122c6fe22c906ddc3b",
        "a76f63375cb3897b4fb01190976367f7cde73808f0166533a94be7c7942705ab",
    ),
];

/// SHA-256 of record 0 alone, randomised: liboqs 0.7.2.
const KAT_AES: [(&str, &str); 3] = [
    ("Dilithium2-AES", "b68911c8055f070b4e7c96bcfc0fbd504331064008bfced8ab253fb20e285087"),
    ("Dilithium3-AES", "78ebbb3a17d53b219ee7e124892305467298dd87aa0397b31b4cc17dd6b16edf"),
    ("Dilithium5-AES", "6d5032d970450d9dc94a243fcf303ed84b5562618a228f31dd047d600cbcbf9e"),
];

/// SHA-256 of record 0 alone, deterministic: `PQClean` (`nistkat-sha256`).
const KAT_DETERMINISTIC: [(&str, &str); 6] = [
    ("Dilithium2", "faa8998108fa541309c9df5044018c5d26cc23654594bef639dd64b838646cbd"),
    ("Dilithium3", "8439f580566c46b99449b2cbbd597ce59bcd5d184b90c1108b79a08f6bdbbcb1"),
    ("Dilithium5", "984ea5f06b13778292f60ecc07301af76e375f1bb9f4a39d676513439e1e83a2"),
    ("Dilithium2-AES", "62569a8c8cf8781a60c88753dfa8806afac09e39f01df1bb6598ca29bac7f425"),
    ("Dilithium3-AES", "199db029b177b368d71bac8689e16394621b84ddc5517e8476312165288e63d3"),
    ("Dilithium5-AES", "5734f0f32acf7190130448bbc121994a29fa4355deeee167ef65dbed014f6ee0"),
];

/// SHAKE128 digests after 100 and 10,000 cases of the procedure of C2SP/CCTV
/// (`ML-DSA/accumulated/README.md`).
const ACCUMULATED: [(&str, &str, &str); 3] = [
    (
        "ML-DSA-44",
        "d51148e1f9f4fa1a723a6cf42e25f2a99eb5c1b378b3d2dbbd561b1203beeae4",
        "e7fd21f6a59bcba60d65adc44404bb29a7c00e5d8d3ec06a732c00a306a7d143",
    ),
    (
        "ML-DSA-65",
        "8358a1843220194417cadbc2651295cd8fc65125b5a5c1a239a16dc8b57ca199",
        "5ff5e196f0b830c3b10a9eb5358e7c98a3a20136cb677f3ae3b90175c3ace329",
    ),
    (
        "ML-DSA-87",
        "8c3ad714777622b8f21ce31bb35f71394f23bc0fcf3c78ace5d608990f3b061b",
        "80a8cf39317f7d0be0e24972c51ac152bd2a3e09bc0c32ce29dd82c4e7385e60",
    ),
];

/// Falcon of 2021-11-01: liboqs since 0.8. Randomness is drawn twice: the nonce, and the seed of
/// the sampler.
const KAT_FALCON: [(&str, &str, &str); 2] = [
    (
        "Falcon-512",
        "da27fe8a462de7307ddf1f9b00072a457d9c5b14e838c148fbe2662094b9a2ca",
        "f4f23c1153682007d5dec02c35e47061c17900fcf0adb3fd0437f1988fa13655",
    ),
    (
        "Falcon-1024",
        "e699d88eb214fef30597385f40814baeb84ac505d5f05f5c257b0726fc4530b8",
        "46f9682ebf6fd31bae60c3191ed1a6c56aa09fb4945a266f86732a90c6c4db67",
    ),
];

/// Draws the random bytes of a signature, in as many draws as the reference makes.
fn draw_coins(drbg: &mut Drbg, scheme: &dyn Signature) -> Vec<u8> {
    match scheme.info().variable {
        Some(_) => [drbg.vec(40), drbg.vec(48)].concat(),
        None => drbg.vec(scheme.coins_len()),
    }
}

/// Joins signature and message as the KAT texts do. Falcon's: the length of the part after the
/// message, the nonce, the message, a header of another format, s2.
fn signed_message(scheme: &dyn Signature, signature: &[u8], msg: &[u8]) -> Vec<u8> {
    if scheme.info().variable.is_none() {
        return [signature, msg].concat();
    }
    let (head, s2) = signature.split_at(41);
    let len = (s2.len() + 1) as u16;
    [&len.to_be_bytes(), &head[1..], msg, &[head[0] - 0x10], s2].concat()
}

/// Returns record `count` of the KAT text. Checks that all signing functions agree.
fn record(
    scheme: &dyn Signature,
    count: usize,
    entropy: &[u8; 48],
    msg: &[u8],
    det: bool,
) -> String {
    let info = scheme.info();
    let mut drbg = Drbg::new(entropy);
    let (mut pk, mut sk) = (vec![0; info.public_key], vec![0; info.secret_key]);
    scheme.keypair_from(&drbg.vec(scheme.seed_len()), &mut pk, &mut sk).unwrap();
    let coins = (!det).then(|| draw_coins(&mut drbg, scheme));
    let (message, coins) = (Message::new(msg), coins.as_deref());
    let mut signature = vec![0; info.signature];
    let len = scheme.sign(&sk, &message, coins, &mut signature).unwrap();
    assert!(len == info.signature || info.variable.is_some());
    signature.truncate(len);
    let mut again = vec![1; info.signature];
    let len = scheme.prepare_signer(&sk).unwrap().sign(&message, coins, &mut again).unwrap();
    again.truncate(len);
    assert!(signature == again, "{} {count}: a prepared key signs the same", info.name);
    scheme.verify(&pk, &message, &signature).unwrap();
    scheme.prepare_verifier(&pk).unwrap().verify(&message, &signature).unwrap();
    let mut public = vec![0; info.public_key];
    scheme.public_key(&sk, &mut public).unwrap();
    assert!(pk == public, "{} {count}: the public key of the private one", info.name);
    let hex = |bytes: &[u8]| hex::encode_upper(bytes);
    let sm = signed_message(scheme, &signature, msg);
    let (mlen, smlen) = (msg.len(), sm.len());
    format!(
        "count = {count}\nseed = {}\nmlen = {mlen}\nmsg = {}\npk = {}\nsk = {}\nsmlen = {smlen}\n\
         sm = {}\n",
        hex(entropy),
        hex(msg),
        hex(&pk),
        hex(&sk),
        hex(&sm),
    )
}

fn records(level: Level, name: &str, count: usize, det: bool) -> Vec<String> {
    let scheme = by_name(name).unwrap();
    level.with(|| {
        let texts = messages().take(count).enumerate();
        texts.map(|(i, (entropy, msg))| record(scheme, i, &entropy, &msg, det)).collect()
    })
}

fn digest(text: impl AsRef<[u8]>) -> String {
    hex::encode(Sha256::digest(text))
}

#[test]
fn kat_texts() {
    for level in Level::available() {
        for (name, single, all) in KAT {
            let records = records(level, name, 100, false);
            assert_eq!(digest(&records[0]), single, "{level} {name}");
            assert_eq!(digest(records.join("\n")), all, "{level} {name}");
        }
    }
}

#[test]
fn kat_texts_of_falcon() {
    for level in Level::available() {
        for (name, single, all) in KAT_FALCON {
            let records = records(level, name, 100, false);
            assert_eq!(digest(&records[0]), single, "{level} {name}");
            assert_eq!(digest(records.join("\n")), all, "{level} {name}");
        }
    }
}

#[test]
fn kat_first_records() {
    for level in Level::available() {
        for (name, single, _) in KAT.iter().chain(&KAT_FALCON) {
            assert_eq!(digest(&records(level, name, 1, false)[0]), *single, "{level} {name}");
        }
        for (name, single) in KAT_AES {
            assert_eq!(digest(&records(level, name, 1, false)[0]), single, "{level} {name}");
        }
        for (name, single) in KAT_DETERMINISTIC {
            assert_eq!(digest(&records(level, name, 1, true)[0]), single, "{level} {name}");
        }
    }
}

fn accumulate(scheme: &dyn Signature, cases: usize) -> String {
    let info = scheme.info();
    let (mut random, mut digest) = (Shake128::new().finish(), Shake128::new());
    let (mut pk, mut sk) = (vec![0; info.public_key], vec![0; info.secret_key]);
    let (mut seed, mut signature) = ([0; 32], vec![0; info.signature]);
    for _ in 0..cases {
        random.read(&mut seed);
        scheme.keypair_from(&seed, &mut pk, &mut sk).unwrap();
        scheme.sign(&sk, &Message::new(b""), None, &mut signature).unwrap();
        scheme.verify(&pk, &Message::new(b""), &signature).unwrap();
        digest.absorb(&pk);
        digest.absorb(&signature);
    }
    let mut out = [0; 32];
    digest.finish().read(&mut out);
    hex::encode(out)
}

/// Accumulates many cases at the best level, which may be limited from outside, and some at others.
#[test]
fn accumulated_digests() {
    for (name, hundred, ten_thousand) in ACCUMULATED {
        let scheme = by_name(name).unwrap();
        for level in Level::available() {
            assert_eq!(level.with(|| accumulate(scheme, 100)), hundred, "{level} {name}");
        }
        assert_eq!(accumulate(scheme, 10_000), ten_thousand, "{name}");
    }
}
