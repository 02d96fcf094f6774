//! Records of the KAT texts of NIST's competition, and the digests of whole texts.

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};
use oaklath_cli::selftest::drbg::Drbg;
use oaklath_cli::selftest::kat::{KatSubject, record, signature_record};
use oaklath_cli::selftest::operations::{same, signing_keypair};
use oaklath_cli::selftest::row::Row;
use oaklath_params::sig::{SigIdentity, Vocabulary};
use oaklath_sig::{Message, Signature, by_identity};
use serde::Deserialize;

use crate::vectors::check::check_cases;
use crate::vectors::files::{Bytes, VectorFile};

/// Checks a record of Falcon from before its last parameters: the keys are those of the seed, and
/// the signature verifies under the identity of that time.
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

/// Finds an algorithm by its exact name: liboqs numbers rounds differently.
fn subject_named(name: &str) -> Option<KatSubject> {
    let kem = oaklath_kem::all().iter().copied().find(|kem| kem.info().name == name);
    let scheme = oaklath_sig::all().iter().copied().find(|scheme| scheme.info().name == name);
    kem.map(KatSubject::Kem).or(scheme.map(KatSubject::Signature))
}

/// Returns the algorithm whose name a file of records begins with.
fn subject_of(file: &VectorFile) -> Option<KatSubject> {
    subject_named(file.stem().split('.').next()?)
}

/// Reports whether this build has the algorithm of a file of records.
pub(super) fn is_built(file: &VectorFile) -> bool {
    subject_of(file).is_some()
}

/// Checks a file of records, `NAME.*.rsp`, with `deterministic` in the name if signatures take no
/// randomness: each record is made anew from its seed and compared as a whole.
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
    let row = check_cases(&source, subject.name(), &blocks, |block| {
        let field = |name| {
            let lines = &mut block.lines();
            lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(" = ")).context("a field")
        };
        let bytes = |name| Ok::<_, anyhow::Error>(Bytes::try_from(field(name)?.to_owned())?.0);
        let count = field("count")?.parse()?;
        let seed = bytes("seed")?.try_into().ok().context("a seed of another length")?;
        if let (KatSubject::Signature(scheme), true) = (subject, older) {
            let [msg, pk, sk, sm] = [bytes("msg")?, bytes("pk")?, bytes("sk")?, bytes("sm")?];
            return older_record(scheme, &seed, &msg, (&pk, &sk), &sm);
        }
        let made = match subject {
            KatSubject::Kem(kem) => record(kem, count, &seed)?,
            KatSubject::Signature(scheme) => {
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

/// Checks `digests.json`: the digests that versions of liboqs list for an algorithm. Ours must be
/// one of them, since early versions implemented other rounds.
pub(super) fn digests(file: &VectorFile) -> Result<Vec<Row>> {
    let listed = file.json::<Digests>()?.liboqs;
    let names: BTreeSet<(&str, &str)> =
        listed.iter().map(|listed| (&*listed.kind, &*listed.name)).collect();
    let rows = names.into_iter().map(|(_, name)| {
        let cases: Vec<_> = listed.iter().filter(|listed| listed.name == name).collect();
        let Some(subject) = subject_named(name) else {
            return Row::skipped(file.title(), name, cases.len(), "not in this build");
        };
        check_cases(file.title(), name, &cases, |listed| {
            let records = if listed.variant == "all" { 100 } else { 1 };
            let found = subject.digest(records)?;
            let known = listed.digests.iter().any(|version| version.sha256 == found);
            ensure!(known, "the digest of {records} records differs");
            Ok(())
        })
    });
    Ok(rows.collect())
}
