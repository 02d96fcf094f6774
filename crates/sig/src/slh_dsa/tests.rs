//! Known answers at every level: digests of NIST KAT texts.
use std::format;
use std::string::String;
use std::vec;

use oaklath_hash::sha2::sha256;
use oaklath_kat::{Drbg, messages};
use oaklath_simd::Level;

use super::*;
#[cfg(feature = "sphincs-plus")]
use crate::round3::sphincs_plus;
use crate::scheme::SetParts;
use crate::sets::*;

/// SHA-256 of record 0 of the KAT text: the round-3 submission, liboqs 0.6 to 0.7.2,
/// `tests/KATs/sig`.
#[cfg(feature = "sphincs-plus")]
const ROUND3: [(&SlhSet, &str); 6] = [
    (SphincsShake128f::SCHEME, "ebebf1a5da339c6e2073f41d7b499b7e5a456ac91c68ef5d15d18643c89d8e7d"),
    (SphincsShake128s::SCHEME, "260c24c6de710d81f86184fc034d382abe5d705b5352d7329ca662f6def392a4"),
    (SphincsShake192f::SCHEME, "28528adef75a728d013bb493d85e358a75344c72000792419f1f539c16f24f10"),
    (SphincsShake192s::SCHEME, "3cb0a4fccbb8d204aaa5c06e5be66a53e8c4ba1cbf1aefef8fdfaa5c63d60094"),
    (SphincsShake256f::SCHEME, "1ec2691198f9a5c29c45a2bb72b3e04c9127f8e1df19d6c874d8b5bdfab89ef7"),
    (SphincsShake256s::SCHEME, "f704deaf990987c306082bb28258cfb8c6f03b49940c06df582ef3fb86958e8a"),
];

/// Like `ROUND3`, but of SPHINCS+ 3.1: the standard's sets and hashes with the submission's bit
/// order. From liboqs 0.8 to 0.15, and `PQClean`.
#[cfg(all(feature = "slh-dsa", feature = "sphincs-plus"))]
const ROUND31: [(&SlhSet, &str); 12] = [
    (SlhDsaShake128f::SCHEME, "46f4f87949dc994aa2b63b31c7307f44ca5ed025d7308ff408c8ba33473324dc"),
    (SlhDsaShake128s::SCHEME, "bae2979565dabad96d885a1e264bc213ab54aff3c3b4308880b788e87702af3b"),
    (SlhDsaShake192f::SCHEME, "60a9d2fd74adbef971a74477eca3170599beb4476d6428ced78b43b9641cc929"),
    (SlhDsaShake192s::SCHEME, "87aedb87a77cb46f939a3bfd0099b08b0d889c9fa46be00f15c36827c117c838"),
    (SlhDsaShake256f::SCHEME, "f6d0825afeb4ce25943c974a0efde5659ceea927d2507b0ea1a92e092f536acd"),
    (SlhDsaShake256s::SCHEME, "37d37c9b43d71341b7dd5da7f8ebbe8bbae3d7bfc53f5378446023cbcf6e04f2"),
    (SlhDsaSha2_128f::SCHEME, "cd1e13db3a56c0a6b3486a7b12bcddfda50cf5d1e4d14d3113e6456e969b8114"),
    (SlhDsaSha2_128s::SCHEME, "08c2e0f08bd96f50d065ca0ced04874c709d192864bfeaccb6daa4bfa9c58a28"),
    (SlhDsaSha2_192f::SCHEME, "fd4e301339b29ed5dc392c628d6c6db3d77a46ea61d16f7ff0e2b414f962f44c"),
    (SlhDsaSha2_192s::SCHEME, "0fa07f3f77752233b382911bcc19e671522bd57069f9edca39b3924ba2713839"),
    (SlhDsaSha2_256f::SCHEME, "bd88b49453162a9b527e14228f037615d0fcbd13d24b48ece41ae1370ed13480"),
    (SlhDsaSha2_256s::SCHEME, "05d15a74253962d35912bab3a9ee3230c2e721c798f4e757ecffa529071b0748"),
];

/// Returns record 0 of the KAT text.
fn record(set: &SlhSet) -> String {
    let (entropy, message) = messages().next().unwrap();
    let mut drbg = Drbg::new(&entropy);
    let info = set.info;
    let (mut pk, mut sk) = (vec![0; info.public_key], vec![0; info.secret_key]);
    set.keygen(&drbg.vec(set.seed_len()), &mut pk, &mut sk);
    let coins = drbg.vec(set.coins_len());
    let mut sm = vec![0; info.signature];
    let internal = Message::Internal(&message);
    assert_eq!(set.sign(&sk, &internal, Some(&coins), &mut sm), Ok(sm.len()));
    assert_eq!(set.verify(&pk, &internal, &sm), Ok(()));
    sm.extend(&message);
    let len = sm.len();
    let [seed, msg, pk, sk, sm] = [&entropy[..], &message, &pk, &sk, &sm].map(hex::encode_upper);
    format!(
        "count = 0\nseed = {seed}\nmlen = 33\nmsg = {msg}\npk = {pk}\nsk = {sk}\nsmlen = {len}\nsm = {sm}\n"
    )
}

/// Checks record 0 at every level, but of the small sets, whose trees take a second, at the current
/// one: they differ from the fast sets in numbers only. CI makes each level the current one once.
fn check(set: &SlhSet, digest: &str) {
    let check_at = |level: Level| {
        let got = level.with(|| hex::encode(sha256(record(set).as_bytes())));
        assert_eq!(got, digest, "{} at {level}", set.info.name);
    };
    let is_fast = set.params.tree_height() <= 4;
    if is_fast {
        Level::available().for_each(check_at);
    } else {
        check_at(Level::get());
    }
}

#[test]
#[cfg(feature = "sphincs-plus")]
fn round_3() {
    for (set, digest) in ROUND3 {
        check(set, digest);
    }
}

#[test]
#[cfg(all(feature = "slh-dsa", feature = "sphincs-plus"))]
fn round_3_1() {
    for (set, digest) in ROUND31 {
        let split_digest = sphincs_plus::split_digest;
        let functions = std::boxed::Box::leak(std::boxed::Box::new(SlhFunctions {
            split_digest,
            ..*set.functions
        }));
        check(&SlhSet { functions, ..*set }, digest);
    }
}
