//! Known answers at every SIMD level: digests of NIST KAT texts published by liboqs, and digests
//! accumulated over many random keys.
use oaklath_hash::sha3::Shake128;
use oaklath_kat::{Drbg, entropies};
use oaklath_kem::{Kem, by_name};
use oaklath_simd::Level;
use sha2::{Digest, Sha256};

/// SHA-256 of record 0 of the KAT text and of records 0 to 99: liboqs 0.16, `tests/KATs/kem`.
const KAT: [(&str, &str, &str); 10] = [
    (
        "ML-KEM-512",
        "c70041a761e01cd6426fa60e9fd6a4412c2be817386c8d0f3334898082512782",
        "74b470e797cbdbd589a31d387d36c72aad5033446ab5159bf4014c24652b1173",
    ),
    (
        "ML-KEM-768",
        "5352539586b6c3df58be6158a6250aeff402bd73060b0a3de68850ac074c17c3",
        "e5d6911117c708d8342702db222f66bef5ac5b0314fb8bc36eb22a536c9b34fb",
    ),
    (
        "ML-KEM-1024",
        "f580d851e5fb27e6876e5e203fa18be4cdbfd49e05d48fec3d3992c8f43a13e6",
        "81d1ae0468f62154885b6f2a293c0eb48f9339645357a88bbbc186c57ab0ace0",
    ),
    (
        "Kyber512",
        "bb0481d3325d828817900b709d23917cefbc10026fc857f098979451f67bb0ca",
        "0435224d77cc89bf77b82aa82af254b62f25d24e18c44dcd0aa9473cde97217a",
    ),
    (
        "Kyber768",
        "89e82a5bf2d4ddb2c6444e10409e6d9ca65dafbca67d1a0db2c9b54920a29172",
        "b3a12005fe1ce49f5df510aea6a56bfa4bdc2d3d706afb0361d70dc88188a2a6",
    ),
    (
        "Kyber1024",
        "5afcf2a568ad32d49b55105b032af1850f03f3888ff9e2a72f4059c58e968f60",
        "b72b97eb9270d76f2c7a8a0b03022c81c879af9e247abff52405127d77dd3a46",
    ),
    (
        "NTRU-HPS-2048-509",
        "fc314366fbe795e2db6d29abb9f5b2ff43f0f608d0bd66161f9450364f0d271b",
        "d204a151fd8d10e0f6fe484d55362d779fbcb468ac5ae2cd18409b1fd76b4641",
    ),
    (
        "NTRU-HPS-2048-677",
        "33e2cad6c2a2f17991517050d7a1b745908c84b8283a4e0f07dbe6f62d166507",
        "3489450d349454bf4914f7947a33ebc6bc5e16d15d19da6820a8168e125a1084",
    ),
    (
        "NTRU-HPS-4096-821",
        "1a8382ae0c801a43cf461c98d22743f5b2d8a1ffed1b1df0dd767de2c2874597",
        "143f43534b9705f6485b4a3f1cefda3283f12550e88e294c743b72a9f7d3fcba",
    ),
    (
        "NTRU-HRSS-701",
        "501e000c3eb374ffbfb81b0f16673a6282116465936608d7d164b05635e769e8",
        "684d7e77641399b136fbb4b9261bdca6e83887453a0565e2aef3540821138ada",
    ),
];

/// SHA-256 of record 0 alone, the only digest that liboqs 0.4 to 0.7 publishes for Kyber-90s and
/// SABER.
const KAT_SINGLE: [(&str, &str); 6] = [
    ("Kyber512-90s", "7bfe0653b63b3fac7ee300a6e4801046c1a3d8d445b271633b6c9d81ed125e5b"),
    ("Kyber768-90s", "68bf2e3914c0b4e053cefc67dd9f10f567946da5720f0b453b347610c3cc2c0a"),
    ("Kyber1024-90s", "a1b564348a126a118fbc49a6aeaebcb74896753fd99f30eeb0f75f0b2d25115f"),
    ("LightSaber-KEM", "dc2233ae221cfabbb1db5ab1a76c93967d37de9f87a8092561f95ab28eff6061"),
    ("Saber-KEM", "c9e2c16f41f162c607a1d5704107159e5e12713b9bb8c356b1d68b216e79096e"),
    ("FireSaber-KEM", "937d9b2e139112e13d4093a6afe715deff476e4d578208b9e8e1809de43835cd"),
];

/// SHAKE128 digests after 100 and 10,000 cases of the procedure of C2SP/CCTV (`ML-KEM/README.md`),
/// computed for the final FIPS 203 and for Kyber round 3 with cloudflare/circl 1.6.5.
const ACCUMULATED: [(&str, &str, &str); 6] = [
    (
        "ML-KEM-512",
        "449120c6e320ef3e9fbfa2316e5f2d2e1e6dd37d8ff5d086d5d2db7d42aff0a1",
        "705dcffc87f4e67e35a09dcaa31772e86f3341bd3ccf1e78a5fef99ae6a35a13",
    ),
    (
        "ML-KEM-768",
        "8d65b902f28edc683cebee2872962fd165a4d197c9e24ec74caa4470270df0b7",
        "f959d18d3d1180121433bf0e05f11e7908cf9d03edc150b2b07cb90bef5bc1c1",
    ),
    (
        "ML-KEM-1024",
        "c3ffe9ebecfa479c142656cbfbc6417efa05b77e994fe538eef4daed166363df",
        "e3bf82b013307b2e9d47dde791ff6dfc82e694e6382404abdb948b908b75bad5",
    ),
    (
        "Kyber512",
        "f03deb1dafd9ab0ff2688d0abf6ea8d27f0e3ba9b9ee6d726937c22673d8f5a6",
        "5851be4a33f4dc56930cefc8064e44eace6d6e6dab99e3c61c57c0301cb4db38",
    ),
    (
        "Kyber768",
        "6c5c0d89ef49db03943889f56d14e8c559780b1c85cc03ecffabca7f16935204",
        "7ca5b1e472583b1b9a0fee43b859cca63347aa27255b092b23de9c8d87f73f7e",
    ),
    (
        "Kyber1024",
        "a476512ef35390828d9a353dec7c6d5de975e4e81ba6b590e95b76c753b4efad",
        "566107a716f814a4365c538f5960538411427eafa4714b8dde2855a81e9c8d71",
    ),
];

/// Returns where the draws of a key's seed end: for Kyber d, z; for NTRU f and g, then the
/// rejection key; for SABER the seeds of A and s, then z.
fn draws(kem: &dyn Kem) -> Vec<usize> {
    let whole = kem.seed_len();
    match kem.info().name {
        name if name.starts_with("Kyber") => vec![32, whole],
        name if name.starts_with("NTRU") => vec![whole - 32, whole],
        name if name.ends_with("Saber-KEM") => vec![32, 64, whole],
        _ => vec![whole],
    }
}

/// Returns record `count` of the KAT text.
fn record(kem: &dyn Kem, count: usize, seed: [u8; 48]) -> String {
    let info = kem.info();
    let mut drbg = Drbg::new(&seed);
    let (mut key_seed, mut coins) = (vec![0; kem.seed_len()], vec![0; kem.coins_len()]);
    let mut start = 0;
    for end in draws(kem) {
        drbg.draw(&mut key_seed[start..end]);
        start = end;
    }
    drbg.draw(&mut coins);
    let (mut pk, mut sk) = (vec![0; info.public_key], vec![0; info.secret_key]);
    kem.keypair_from(&key_seed, &mut pk, &mut sk).unwrap();
    let (mut ct, mut ss) = (vec![0; info.ciphertext], [0; 32]);
    kem.encapsulate_from(&coins, &pk, &mut ct, &mut ss).unwrap();
    let mut again = [1; 32];
    kem.decapsulate(&sk, &ct, &mut again).unwrap();
    assert_eq!(ss, again, "{} {count}", info.name);
    let hex = |bytes: &[u8]| hex::encode_upper(bytes);
    format!(
        "count = {count}\nseed = {}\npk = {}\nsk = {}\nct = {}\nss = {}\n",
        hex(&seed),
        hex(&pk),
        hex(&sk),
        hex(&ct),
        hex(&ss)
    )
}

#[test]
fn nist_kat_digests() {
    for level in Level::available() {
        for (name, single, all) in KAT {
            let kem = by_name(name).unwrap();
            let seeds = entropies().take(100).enumerate();
            let records: Vec<String> =
                level.with(|| seeds.map(|(count, seed)| record(kem, count, seed)).collect());
            assert_eq!(hex::encode(Sha256::digest(&records[0])), single, "{level} {name}");
            assert_eq!(hex::encode(Sha256::digest(records.join("\n"))), all, "{level} {name}");
        }
    }
}

#[test]
fn nist_kat_digests_of_one_record() {
    for level in Level::available() {
        for (name, single) in KAT_SINGLE {
            let kem = by_name(name).unwrap();
            let seed = entropies().next().unwrap();
            let text = level.with(|| record(kem, 0, seed));
            assert_eq!(hex::encode(Sha256::digest(text)), single, "{level} {name}");
        }
    }
}

fn accumulate(kem: &dyn Kem, cases: usize) -> String {
    let info = kem.info();
    let (mut random, mut digest) = (Shake128::new().finish(), Shake128::new());
    let (mut pk, mut sk) = (vec![0; info.public_key], vec![0; info.secret_key]);
    let (mut ct, mut noise) = (vec![0; info.ciphertext], vec![0; info.ciphertext]);
    let (mut seed, mut m, mut k) = ([0; 64], [0; 32], [[0; 32]; 3]);
    for _ in 0..cases {
        random.read(&mut seed);
        random.read(&mut m);
        random.read(&mut noise);
        kem.keypair_from(&seed, &mut pk, &mut sk).unwrap();
        kem.encapsulate_from(&m, &pk, &mut ct, &mut k[0]).unwrap();
        kem.decapsulate(&sk, &ct, &mut k[1]).unwrap();
        assert_eq!(k[0], k[1]);
        kem.decapsulate(&sk, &noise, &mut k[2]).unwrap();
        for part in [&pk[..], &sk, &ct, &k[0], &k[2]] {
            digest.absorb(part);
        }
    }
    let mut out = [0; 32];
    digest.finish().read(&mut out);
    hex::encode(out)
}

/// Accumulates many cases at the best level, which may be limited from outside, and some at others.
#[test]
fn accumulated_digests() {
    for (name, hundred, ten_thousand) in ACCUMULATED {
        let kem = by_name(name).unwrap();
        for level in Level::available() {
            assert_eq!(level.with(|| accumulate(kem, 100)), hundred, "{level} {name}");
        }
        assert_eq!(accumulate(kem, 10_000), ten_thousand, "{name}");
    }
}
