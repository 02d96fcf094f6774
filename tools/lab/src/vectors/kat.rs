//! The KAT texts of NIST's competition: seeds through NIST's generator, all results as one record
//! each; of a KEM keys, ciphertext and shared secret, of a signature scheme message, keys and
//! signature.

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};
use oaklath_kat::{Drbg, entropies, messages};
use oaklath_kem::{Kem, by_name};
use oaklath_params::sig::{SigIdentity, Vocabulary};
use oaklath_sig::{Message, Signature, by_identity};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::selftest::Row;
use crate::selftest::operations::{decapsulate, encapsulate, keypair, same, sign, signing_keypair};
use crate::selftest::vectors::{Bytes, VectorFile};

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
    let coins = drbg.vec(kem.coins_len());
    let (pk, sk) = keypair(kem, &seed)?;
    let (ct, ss) = encapsulate(kem, &coins, &pk)?;
    same(&format!("record {count}: the shared secret"), &decapsulate(kem, &sk, &ct)?, &ss)?;
    let [seed, pk, sk, ct, ss] = [&entropy[..], &pk, &sk, &ct, &ss].map(hex::encode_upper);
    Ok(format!("count = {count}\nseed = {seed}\npk = {pk}\nsk = {sk}\nct = {ct}\nss = {ss}\n"))
}

/// Record `count` of the text of a signature scheme. Of Dilithium there are two: liboqs signs with
/// random bytes, the submission and `PQClean` without.
pub(super) fn signature_record(
    scheme: &dyn Signature,
    deterministic: bool,
    count: usize,
    entropy: &[u8; 48],
    message: &[u8],
) -> Result<String> {
    let mut drbg = Drbg::new(entropy);
    let (pk, sk) = signing_keypair(scheme, &drbg.vec(scheme.seed_len()))?;
    let coins = (!deterministic).then(|| coins(&mut drbg, scheme));
    let signature = sign(scheme, &sk, &Message::new(message), coins.as_deref())?;
    scheme.verify(&pk, &Message::new(message), &signature).context("our own signature")?;
    let sm = signed_message(scheme, &signature, message);
    let (mlen, smlen) = (message.len(), sm.len());
    let [seed, msg, pk, sk, sm] = [&entropy[..], message, &pk, &sk, &sm].map(hex::encode_upper);
    Ok(format!(
        "count = {count}\nseed = {seed}\nmlen = {mlen}\nmsg = {msg}\npk = {pk}\nsk = {sk}\n\
         smlen = {smlen}\nsm = {sm}\n"
    ))
}

/// Random bytes of a signature. Falcon's reference draws the nonce, then the seed of the sampler.
fn coins(drbg: &mut Drbg, scheme: &dyn Signature) -> Vec<u8> {
    match scheme.info().variable {
        Some(_) => [drbg.vec(40), drbg.vec(48)].concat(),
        None => drbg.vec(scheme.coins_len()),
    }
}

/// Signature and message as the texts join them. Of Falcon: the length of what follows the message, the
/// nonce, the message, a header of another format, s2.
fn signed_message(scheme: &dyn Signature, signature: &[u8], message: &[u8]) -> Vec<u8> {
    if scheme.info().variable.is_none() {
        return [signature, message].concat();
    }
    let (head, s2) = signature.split_at(41);
    let len = (s2.len() + 1) as u16;
    [&len.to_be_bytes(), &head[1..], message, &[head[0] - 0x10], s2].concat()
}

/// A record of Falcon before its last parameters: the keys are those of the seed, and the signature
/// verifies under the identity of that time.
fn older_record(
    scheme: &dyn Signature,
    entropy: &[u8; 48],
    message: &[u8],
    (pk, sk): (&[u8], &[u8]),
    sm: &[u8],
) -> Result<()> {
    let (public, private) = signing_keypair(scheme, &Drbg::new(entropy).vec(scheme.seed_len()))?;
    same("the public key", &public, pk)?;
    same("the private key", &private, sk)?;
    let len: usize = sm.first_chunk().map_or(0, |len| u16::from_be_bytes(*len)).into();
    ensure!(len > 0 && sm.len() == 42 + message.len() + len, "a signed message of another length");
    let (head, s2) = sm.split_at(sm.len() - len);
    let signature = [&[s2[0] + 0x10], &head[2..42], &s2[1..]].concat();
    let appendix = |id: &&SigIdentity| id.vocabulary == Vocabulary::Appendix;
    let identity = scheme.info().identities().find(appendix).context("no such identity")?;
    let scheme = by_identity(identity).context("not in this build")?;
    Ok(scheme.verify(&public, &Message::new(message), &signature)?)
}

/// SHA-256 of the first `records` records, with an empty line between two.
pub(super) fn digest(kem: &dyn Kem, records: usize) -> Result<String> {
    joined(entropies().take(records).enumerate().map(|(i, entropy)| record(kem, i, &entropy)))
}

/// The same of a signature scheme.
pub(super) fn signature_digest(
    scheme: &dyn Signature,
    deterministic: bool,
    records: usize,
) -> Result<String> {
    joined(messages().take(records).enumerate().map(|(i, (entropy, message))| {
        signature_record(scheme, deterministic, i, &entropy, &message)
    }))
}

fn joined(records: impl Iterator<Item = Result<String>>) -> Result<String> {
    let texts = records.collect::<Result<Vec<_>>>()?;
    Ok(hex::encode(Sha256::digest(texts.join("\n"))))
}

/// What has a KAT text that is known here.
#[derive(Clone, Copy)]
enum Subject {
    Kem(&'static dyn Kem),
    Signature(&'static dyn Signature),
}

impl Subject {
    /// Names are compared as they are: liboqs calls rounds differently.
    fn find(name: &str) -> Option<Self> {
        let kem = by_name(name).ok().filter(|kem| seed_draws(*kem).is_some());
        let scheme = oaklath_sig::all().iter().copied().find(|scheme| scheme.info().name == name);
        kem.map(Self::Kem).or(scheme.map(Self::Signature))
    }

    fn name(self) -> &'static str {
        match self {
            Self::Kem(kem) => kem.info().name,
            Self::Signature(scheme) => scheme.info().name,
        }
    }

    fn digest(self, records: usize) -> Result<String> {
        match self {
            Self::Kem(kem) => digest(kem, records),
            Self::Signature(scheme) => signature_digest(scheme, false, records),
        }
    }
}

/// The algorithm whose name a file of records begins with.
fn subject_of(file: &VectorFile) -> Option<Subject> {
    Subject::find(file.stem().split('.').next()?)
}

/// Whether this build has the algorithm of a file of records.
pub(super) fn is_built(file: &VectorFile) -> bool {
    subject_of(file).is_some()
}

/// A file of records, `NAME.*.rsp`, with `deterministic` in the name if signatures take no
/// randomness: each record is made anew from its seed and compared whole.
pub(super) fn records(file: &VectorFile) -> Result<Vec<Row>> {
    let subject = subject_of(file).context("an algorithm that is not in this build")?;
    let deterministic = file.stem().contains("deterministic");
    // Falcon's signatures had other parameters up to liboqs 0.7.2.
    let older = subject.name().starts_with("Falcon") && file.stem().contains("liboqs-0.7");
    let text = file.text()?;
    let blocks: Vec<&str> = text.split("\n\n").map(str::trim).filter(|b| !b.is_empty()).collect();
    ensure!(!blocks.is_empty(), "no records");
    let files = if deterministic { "*deterministic*.rsp" } else { "*.rsp" };
    let source = format!("{}/{files}", file.folder());
    let row = Row::check(&source, subject.name(), &blocks, |block| {
        let field = |name| {
            let lines = &mut block.lines();
            lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(" = ")).context("a field")
        };
        let bytes = |name| Ok::<_, anyhow::Error>(Bytes::try_from(field(name)?.to_owned())?.0);
        let count = field("count")?.parse()?;
        let seed = bytes("seed")?.try_into().ok().context("a seed of another length")?;
        if let (Subject::Signature(scheme), true) = (subject, older) {
            let [msg, pk, sk, sm] = [bytes("msg")?, bytes("pk")?, bytes("sk")?, bytes("sm")?];
            return older_record(scheme, &seed, &msg, (&pk, &sk), &sm);
        }
        let made = match subject {
            Subject::Kem(kem) => record(kem, count, &seed)?,
            Subject::Signature(scheme) => {
                signature_record(scheme, deterministic, count, &seed, &bytes("msg")?)?
            }
        };
        ensure!(made.trim() == *block, "record {count} differs");
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
    let names: BTreeSet<(&str, &str)> =
        listed.iter().map(|listed| (&*listed.kind, &*listed.name)).collect();
    let rows = names.into_iter().map(|(_, name)| {
        let cases: Vec<_> = listed.iter().filter(|listed| listed.name == name).collect();
        let Some(subject) = Subject::find(name) else {
            return Row::skipped(file.title(), name, cases.len(), "not in this build");
        };
        Row::check(file.title(), name, &cases, |listed| {
            let records = if listed.variant == "all" { 100 } else { 1 };
            let found = subject.digest(records)?;
            let known = listed.digests.iter().any(|version| version.sha256 == found);
            ensure!(known, "the digest of {records} records differs");
            Ok(())
        })
    });
    Ok(rows.collect())
}
