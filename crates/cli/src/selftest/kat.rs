//! The KAT texts of NIST's competition: seeds through NIST's generator, keys, ciphertext and shared
//! secret as one record each.

use std::collections::BTreeSet;

use aes::Aes256;
use aes::cipher::{BlockCipherEncrypt, KeyInit};
use anyhow::{Context, Result, ensure};
use oaklath_kem::{Kem, by_name};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::selftest::Row;
use crate::selftest::operations::{decapsulate, encapsulate, keypair, same};
use crate::selftest::vectors::{Bytes, VectorFile};

/// NIST's AES-256-CTR-DRBG (SP 800-90A, section 10.2.1) without derivation function, as the KAT
/// generators use it.
struct Drbg {
    key: [u8; 32],
    v: u128,
}

impl Drbg {
    fn new(entropy: &[u8; 48]) -> Self {
        let mut drbg = Self { key: [0; 32], v: 0 };
        drbg.update(entropy);
        drbg
    }

    fn blocks(&mut self, out: &mut [u8]) {
        let cipher = Aes256::new(&self.key.into());
        for block in out.chunks_mut(16) {
            self.v = self.v.wrapping_add(1);
            let mut bytes = self.v.to_be_bytes().into();
            cipher.encrypt_block(&mut bytes);
            block.copy_from_slice(&bytes[..block.len()]);
        }
    }

    fn update(&mut self, data: &[u8; 48]) {
        let (mut key, mut v) = ([0; 32], [0; 16]);
        let mut state = [0; 48];
        self.blocks(&mut state);
        state.iter_mut().zip(data).for_each(|(s, d)| *s ^= d);
        key.copy_from_slice(&state[..32]);
        v.copy_from_slice(&state[32..]);
        *self = Self { key, v: u128::from_be_bytes(v) };
    }

    /// One draw: how bytes are split into draws matters.
    fn draw(&mut self, out: &mut [u8]) {
        self.blocks(out);
        self.update(&[0; 48]);
    }
}

/// Where the draws end in which a generator of KAT texts takes the seed of a key: ML-KEM d and z at
/// once; Kyber d, then z; NTRU f and g, then the key of rejected secrets; SABER the seeds of A and of
/// s, then z. None for a family that no check here knows.
fn seed_draws(kem: &dyn Kem) -> Option<Vec<usize>> {
    let whole = kem.seed_len();
    match kem.info().name {
        name if name.starts_with("ML-KEM") => Some(vec![whole]),
        name if name.starts_with("Kyber") => Some(vec![32, whole]),
        name if name.starts_with("NTRU") => Some(vec![whole - 32, whole]),
        name if name.ends_with("Saber-KEM") => Some(vec![32, 64, whole]),
        _ => None,
    }
}

/// Record `count` of the text.
pub(super) fn record(kem: &dyn Kem, count: usize, entropy: &[u8; 48]) -> Result<String> {
    let draws = seed_draws(kem).context("how the KAT text draws its seeds is not known here")?;
    let mut drbg = Drbg::new(entropy);
    let mut seed = vec![0; kem.seed_len()];
    let mut start = 0;
    for end in draws {
        drbg.draw(&mut seed[start..end]);
        start = end;
    }
    let mut coins = vec![0; kem.coins_len()];
    drbg.draw(&mut coins);
    let (pk, sk) = keypair(kem, &seed)?;
    let (ct, ss) = encapsulate(kem, &coins, &pk)?;
    same(&format!("record {count}: the shared secret"), &decapsulate(kem, &sk, &ct)?, &ss)?;
    let [seed, pk, sk, ct, ss] = [&entropy[..], &pk, &sk, &ct, &ss].map(hex::encode_upper);
    Ok(format!("count = {count}\nseed = {seed}\npk = {pk}\nsk = {sk}\nct = {ct}\nss = {ss}\n"))
}

/// SHA-256 of the first `records` records, with an empty line between two.
pub(super) fn digest(kem: &dyn Kem, records: usize) -> Result<String> {
    let mut outer = Drbg::new(&std::array::from_fn(|i| i as u8));
    let mut texts = Vec::with_capacity(records);
    for count in 0..records {
        let mut entropy = [0; 48];
        outer.draw(&mut entropy);
        texts.push(record(kem, count, &entropy)?);
    }
    Ok(hex::encode(Sha256::digest(texts.join("\n"))))
}

/// The KEM whose name a file of records begins with.
fn kem_of(file: &VectorFile) -> Option<&'static dyn Kem> {
    let name = file.stem().split('.').next()?;
    by_name(name).ok().filter(|kem| seed_draws(*kem).is_some())
}

/// Whether this build has the algorithm of a file of records.
pub(super) fn is_built(file: &VectorFile) -> bool {
    kem_of(file).is_some()
}

/// A file of records, `NAME.*.rsp`: each is made anew from its seed and compared whole.
pub(super) fn records(file: &VectorFile) -> Result<Vec<Row>> {
    let kem = kem_of(file).context("an algorithm that is not in this build")?;
    let text = file.text()?;
    let blocks: Vec<&str> = text.split("\n\n").map(str::trim).filter(|b| !b.is_empty()).collect();
    ensure!(!blocks.is_empty(), "no records");
    let row = Row::check(&format!("{}/*.rsp", file.folder()), kem.info().name, &blocks, |block| {
        let field = |name| {
            let lines = &mut block.lines();
            lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(" = ")).context("a field")
        };
        let count = field("count")?.parse()?;
        let Bytes(seed) = Bytes::try_from(field("seed")?.to_owned())?;
        let seed = seed.as_slice().try_into().context("a seed of another length")?;
        ensure!(record(kem, count, seed)?.trim() == *block, "record {count} differs");
        Ok(())
    });
    Ok(vec![row])
}

#[derive(Deserialize)]
struct Digests {
    liboqs: Vec<Listed>,
}

#[derive(Deserialize)]
struct Listed {
    kind: String,
    name: String,
    variant: String,
    digests: Vec<Version>,
}

#[derive(Deserialize)]
struct Version {
    sha256: String,
}

/// `digests.json`: what the versions of liboqs list for an algorithm; ours is one of them, since
/// early versions had other rounds.
pub(super) fn digests(file: &VectorFile) -> Result<Vec<Row>> {
    let listed = file.json::<Digests>()?.liboqs;
    let kems: Vec<Listed> = listed.into_iter().filter(|listed| listed.kind == "kem").collect();
    let names: BTreeSet<&str> = kems.iter().map(|listed| &*listed.name).collect();
    let rows = names.into_iter().map(|name| {
        let cases: Vec<_> = kems.iter().filter(|listed| listed.name == name).collect();
        let kem = by_name(name).ok().filter(|kem| seed_draws(*kem).is_some());
        let Some(kem) = kem else {
            return Row::skipped(file.title(), name, cases.len(), "not in this build");
        };
        Row::check(file.title(), name, &cases, |listed| {
            let records = if listed.variant == "all" { 100 } else { 1 };
            let found = digest(kem, records)?;
            let known = listed.digests.iter().any(|version| version.sha256 == found);
            ensure!(known, "the digest of {records} records differs");
            Ok(())
        })
    });
    Ok(rows.collect())
}
