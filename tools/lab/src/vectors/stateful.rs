//! Vectors of LMS, HSS, XMSS and XMSS^MT: texts of names and values (Botan, liboqs, Bouncy Castle),
//! and NIST's ACVP.

use anyhow::{Context, Result, bail, ensure};
use oaklath_cli::selftest::operations::same;
use oaklath_cli::selftest::row::Row;
use oaklath_params::stateful::lms::{lmots_by_typecode, lms_by_typecode};
use oaklath_params::stateful::xmss;
use oaklath_stateful::{
    Checked, Error, HssLevels, HssPublicKey, HssSigningKey, Index, LmsPublicKey, NODE_BYTES,
    StatefulKey, XmssPublicKey, XmssSigningKey, XmssTrees,
};
use sha2::Digest;

use crate::vectors::check::{check_cases, check_cases_once};
use crate::vectors::files::VectorFile;

/// Values by name, in the order of the file.
type Record = Vec<(String, String)>;

/// Returns the records of a text of lines `name = value` or `name: value`: each begins with the
/// name that the first one begins with.
fn records(text: &str) -> Vec<Record> {
    let mut records: Vec<Record> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let Some((name, value)) = line.split_once('=').or_else(|| line.split_once(':')) else {
            continue;
        };
        let pair = (name.trim().to_owned(), value.trim().trim_matches('"').to_owned());
        let begins = records.first().is_none_or(|first| first[0].0 == pair.0);
        match records.last_mut().filter(|_| !begins) {
            Some(record) => record.push(pair),
            None => records.push(vec![pair]),
        }
    }
    records
}

fn text<'a>(record: &'a Record, name: &str) -> Result<&'a str> {
    let value = record.iter().find(|(known, _)| known == name);
    value.map(|(_, value)| &**value).with_context(|| format!("`{name}` is missing"))
}

fn bytes(record: &Record, name: &str) -> Result<Vec<u8>> {
    hex::decode(text(record, name)?).with_context(|| format!("`{name}` is not hexadecimal"))
}

/// Returns the scheme whose folder a file is in.
fn scheme(file: &VectorFile) -> Option<&str> {
    file.folder().split('/').rev().nth(1).filter(|scheme| ["lms", "xmss"].contains(scheme))
}

/// Reports whether a check here reads a file.
pub(super) fn reads(file: &VectorFile) -> bool {
    scheme(file).is_some()
}

/// Returns the rows of a file.
pub(super) fn rows(file: &VectorFile) -> Result<Vec<Row>> {
    let content = file.text()?;
    let all = records(&content);
    match scheme(file) {
        Some("lms") => lms_rows(file, &content, &all),
        _ => xmss_rows(file, &all),
    }
}

fn lms_rows(file: &VectorFile, content: &str, all: &[Record]) -> Result<Vec<Row>> {
    let title = file.title();
    let row = match file.stem() {
        "hss_lms_invalid.vec" => check_cases(title, "HSS", all, refused),
        "hss_lms_verify.vec" => check_cases(title, "HSS", all, |record| {
            verifies_hss(record, ["PublicKey", "Msg", "Signature"])
        }),
        "hss_lms_sig.vec" => check_cases(title, "HSS", all, |record| {
            let private = bytes(record, "PrivateKey")?;
            let (key, index) = HssSigningKey::from_hash_sigs(&private, NODE_BYTES)?;
            signs(key, index, record, &bytes(record, "Signature")?)
        }),
        "lms.vec" => check_cases(title, "LMS", all, signs_lms),
        stem if stem.starts_with("testcase_") => {
            check_cases(title, "HSS", &[annotated(content)?], |record| {
                verifies_hss(record, ["Public Key", "Message", "Signature"])
            })
        }
        stem if stem.starts_with("depth_1") => {
            let (tall, low): (Vec<_>, Vec<_>) = all.iter().partition(|record| is_tall(record));
            let sign = |record: &&Record| signs_seeded(record);
            return Ok(vec![
                check_cases(title, "HSS", &low, sign),
                check_cases_once(title, "HSS, best level", &tall, sign),
            ]);
        }
        stem if stem.ends_with(".rsp") => {
            check_cases(title, "HSS", all, |record| verifies_hss(record, ["pk", "msg", "sm"]))
        }
        _ => Row::skipped(title, "-", all.len(), "no check of this build reads it"),
    };
    Ok(vec![row])
}

fn xmss_rows(file: &VectorFile, all: &[Record]) -> Result<Vec<Row>> {
    let title = file.title();
    let row = match file.stem() {
        "xmss_verify.vec" => check_cases(title, "XMSS", all, |record| {
            verifies_xmss(record, ["PublicKey", "Msg", "Signature"], text(record, "Params")?)
        }),
        "xmss_sig.vec" => check_cases_once(title, "XMSS, best level", all, |record| {
            let private = bytes(record, "PrivateKey")?;
            let (key, index) = XmssSigningKey::from_botan(&private, NODE_BYTES)?;
            signs(key, index, record, &bytes(record, "Signature")?)
        }),
        "xmss_keygen_reference.vec" => {
            check_cases_once(title, "XMSS, best level", all, generates_xmss)
        }
        stem if stem.ends_with(".rsp") => {
            let name = stem.trim_end_matches(".rsp");
            let (scheme, rest) = name.split_once('_').context("a name without set")?;
            // 20-2 stands for 20/2.
            let set = format!("{scheme}_{}", rest.replacen('-', "/", 1));
            let verify = |record: &Record| verifies_xmss(record, ["pk", "msg", "sm"], &set);
            let mut rows = vec![check_cases(title, &set, all, verify)];
            // Taller trees, and values of 64 bytes, take minutes.
            if xmss::by_name(&set).is_some_and(|info| info.tree_height() <= 10 && info.n < 64) {
                let sign = |record: &Record| signs_xmss(record, &set);
                rows.push(check_cases_once(title, &format!("{set}, signed"), all, sign));
            }
            return Ok(rows);
        }
        _ => Row::skipped(title, "-", all.len(), "no check of this build reads it"),
    };
    Ok(vec![row])
}

/// Parses the annotated text of RFC 8554, appendix F: headings with `!`, bytes after `$`; the text
/// after the signature repeats parts of it.
fn annotated(text: &str) -> Result<Record> {
    let mut record = Record::new();
    for line in text.lines() {
        if let Some(heading) = line.strip_prefix('!') {
            let names = ["Public Key", "Message", "Signature"];
            let name = names
                .into_iter()
                .find(|name| heading.trim().to_lowercase().ends_with(&name.to_lowercase()));
            match name {
                Some(name) if !record.iter().any(|(known, _)| known == name) => {
                    record.push((name.to_owned(), String::new()));
                }
                _ => break,
            }
        } else if let (Some((_, bytes)), Some((_, value))) =
            (line.split_once('$'), record.last_mut())
        {
            value.extend(bytes.chars().take_while(char::is_ascii_hexdigit));
        }
    }
    ensure!(record.len() == 3, "no public key, message and signature");
    Ok(record)
}

/// Verifies a signature of HSS or, where public key and signature lack the number of levels, of
/// LMS; checks that it is rejected with another message, and when changed in various places.
fn verifies_hss(record: &Record, [key, message, signature]: [&str; 3]) -> Result<()> {
    let (key, message) = (bytes(record, key)?, bytes(record, message)?);
    let signature = bytes(record, signature)?;
    if let Ok(key) = LmsPublicKey::from_bytes(&key) {
        return verifies(&message, &signature, |m, s| key.verify(m, s));
    }
    let key = HssPublicKey::from_bytes(&key)?;
    ensure!(key.check(&message, &signature).is_ok(), "the signature is rejected");
    verifies(&message, &signature, |message, signature| key.verify(message, signature))
}

fn trees_of(set: &str) -> XmssTrees {
    if set.starts_with("XMSSMT") { XmssTrees::Multi } else { XmssTrees::Single }
}

fn verifies_xmss(record: &Record, names: [&str; 3], set: &str) -> Result<()> {
    let [key, message, signature] = names.map(|name| bytes(record, name));
    let (key, message, signature) = (key?, message?, signature?);
    let key = XmssPublicKey::from_bytes(trees_of(set), &key)?;
    let set = set.strip_prefix("XMSS-").unwrap_or(set);
    let name = key.info().name;
    ensure!(name.strip_prefix("XMSS-").unwrap_or(name) == set, "the key is of {name}");
    verifies(&message, &signature, |message, signature| key.verify(message, signature))?;
    let Checked { index, .. } = key.check(&message, &signature)?;
    let (bytes, _) = signature.split_at(key.info().index());
    let expected = bytes.iter().fold(0, |index, byte| index << 8 | u64::from(*byte));
    ensure!(index == expected, "index {index}, expected {expected}");
    Ok(())
}

/// The number of places, evenly spread, where a signature is changed.
const CHANGES: usize = 5;

fn verifies(
    message: &[u8],
    signature: &[u8],
    verify: impl Fn(&[u8], &[u8]) -> Result<(), Error>,
) -> Result<()> {
    verify(message, signature)?;
    let longer = [message, &[0]].concat();
    ensure!(verify(&longer, signature) == Err(Error::Invalid), "another message is verified");
    let mut changed = signature.to_vec();
    for i in 0..=CHANGES {
        let place = i * (signature.len() - 1) / CHANGES;
        changed[place] ^= 1 << i;
        ensure!(verify(message, &changed) == Err(Error::Invalid), "verified, changed at {place}");
        changed[place] = signature[place];
    }
    changed.push(0);
    let refused = [&changed[..], &signature[..signature.len() - 1], &[]]
        .into_iter()
        .all(|other| verify(message, other) == Err(Error::Invalid));
    ensure!(refused, "a signature of another length is verified");
    Ok(())
}

fn refused(record: &Record) -> Result<()> {
    let (key, message) = (bytes(record, "PublicKey")?, bytes(record, "Msg")?);
    let signature = bytes(record, "InvalidSignature")?;
    match HssPublicKey::from_bytes(&key)?.verify(&message, &signature) {
        Err(Error::Invalid) => Ok(()),
        Err(error) => bail!("rejected for another reason: {error}"),
        Ok(()) => bail!("verified"),
    }
}

/// Signs at an index, and verifies the result.
fn signs(mut key: impl StatefulKey, index: u64, record: &Record, expected: &[u8]) -> Result<()> {
    let message = text(record, "Msg").or_else(|_| text(record, "Message"))?;
    let message = hex::decode(message)?;
    let mut signature = vec![0; key.signature_len()];
    key.sign_at(Index::from_durable_record(index), &message, &mut signature)?;
    same("the signature", &signature, expected)?;
    let checked = key.check(&message, &signature)?;
    ensure!(checked.index == index, "index {}, expected {index}", checked.index);
    let keys = key.subtree_keys(index)?;
    same("the keys of lower trees", &checked.subtree_keys, &keys)
}

/// Returns the type codes of all levels.
fn codes(record: &Record, name: &str) -> Result<Vec<u32>> {
    let codes = record.iter().filter(|(known, _)| known == name);
    codes.map(|(_, code)| Ok(code.parse()?)).collect()
}

/// Reports whether a tree takes long without vector instructions.
fn is_tall(record: &Record) -> bool {
    codes(record, "LMType").is_ok_and(|codes| codes.into_iter().any(|code| code > 6))
}

/// Checks the key of a seed and I: its public key and its first signature.
fn signs_seeded(record: &Record) -> Result<()> {
    let public = bytes(record, "HSSPublicKey")?;
    let types = codes(record, "LMType")?.into_iter().zip(codes(record, "LMOtsType")?);
    let levels: Option<Vec<_>> = types
        .map(|(lms, lmots)| Some((lms_by_typecode(lms)?, lmots_by_typecode(lmots)?)))
        .collect();
    let levels = HssLevels::new(&levels.context("unknown types")?)?;
    let key = HssSigningKey::from_seed(&levels, &bytes(record, "Rand")?, NODE_BYTES)?;
    same("the public key", key.public_key(), &public)?;
    signs(key, 0, record, &bytes(record, "Signature")?)
}

/// Checks a key of LMS, and the digest of a signature.
fn signs_lms(record: &Record) -> Result<()> {
    let public = LmsPublicKey::from_bytes(&bytes(record, "PublicKey")?)?;
    let levels = HssLevels::new(&[(public.lms(), public.lmots())])?;
    let seed = [bytes(record, "Seed")?, public.as_bytes()[8..24].to_vec()].concat();
    let mut key = HssSigningKey::from_seed(&levels, &seed, NODE_BYTES)?;
    same("the public key", key.public().top().as_bytes(), public.as_bytes())?;
    let (message, index) = (bytes(record, "Msg")?, text(record, "q")?.parse()?);
    let mut signature = vec![0; key.signature_len()];
    key.sign_at(Index::from_durable_record(index), &message, &mut signature)?;
    public.verify(&message, &signature[4..])?;
    let digest = sha2::Sha256::digest(&signature[4..]);
    same("the signature's digest", &digest, &bytes(record, "HashSig")?)
}

/// Checks the key of XMSS that its seeds make.
fn generates_xmss(record: &Record) -> Result<()> {
    let info = xmss::by_name(text(record, "Params")?).context("an unknown set")?;
    let seed = ["SecretSeed", "SecretPrf", "PublicSeed"].map(|name| bytes(record, name));
    let seed = seed.into_iter().collect::<Result<Vec<_>>>()?.concat();
    let key = XmssSigningKey::from_seed(info, &seed, NODE_BYTES)?;
    same("the public key", key.public_key(), &bytes(record, "PublicKey")?)?;
    let (foreign, index) = XmssSigningKey::from_botan(&bytes(record, "PrivateKey")?, NODE_BYTES)?;
    ensure!(index == 0, "index {index} of a new key");
    same("the private key", &foreign.to_bytes(), &key.to_bytes())
}

/// Checks the signature of a key of liboqs.
fn signs_xmss(record: &Record, set: &str) -> Result<()> {
    let (private, message) = (bytes(record, "sk")?, bytes(record, "msg")?);
    let (mut key, index) = XmssSigningKey::from_liboqs(trees_of(set), &private, NODE_BYTES)?;
    same("the public key", key.public_key(), &bytes(record, "pk")?)?;
    let mut signature = vec![0; key.signature_len()];
    key.sign_at(Index::from_durable_record(index), &message, &mut signature)?;
    same("the signature", &signature, &bytes(record, "sm")?)?;
    let checked = key.check(&message, &signature)?;
    same("the keys of lower trees", &checked.subtree_keys, &key.subtree_keys(index)?)
}
