//! The built-in known answers: digests over many cases, one row per algorithm and source.

use anyhow::{Context, Result, ensure};
use oaklath_hash::sha2::sha256;
use oaklath_hash::sha3::Shake128;
use oaklath_kem::Kem;
use oaklath_sig::{Message, Signature};
use oaklath_simd::Level;
use rayon::prelude::*;

use crate::selftest::kat::{self, KatSubject};
use crate::selftest::operations::{decapsulate, encapsulate, keypair, same, sign, signing_keypair};
use crate::selftest::row::Row;
use crate::selftest::stateful;

/// A line of `known.txt`, which describes the columns.
struct KnownAnswer {
    algorithm: &'static str,
    procedure: &'static str,
    cases: usize,
    digest: &'static str,
}

fn known_answers() -> impl Iterator<Item = KnownAnswer> {
    let lines = include_str!("known.txt").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| {
        let mut words = line.split_whitespace();
        let [algorithm, procedure] = [words.next()?, words.next()?];
        let (cases, digest) = (words.next()?.parse().ok()?, words.next()?);
        Some(KnownAnswer { algorithm, procedure, cases, digest })
    })
}

/// Checks every KEM, every signature scheme and keys of the stateful schemes of this build, at the
/// level of this process and on all cores.
pub(super) fn rows() -> Vec<Row> {
    let kems = oaklath_kem::all().par_iter().map(|kem| KatSubject::Kem(*kem));
    let schemes = oaklath_sig::all().par_iter().map(|scheme| KatSubject::Signature(*scheme));
    kems.chain(schemes).map(rows_of).chain(stateful::rows()).flatten_iter().collect()
}

fn rows_of(subject: KatSubject) -> Vec<Row> {
    let name = subject.name();
    let sources = [
        ("built in: NIST KAT", &["kat", "deterministic"][..]),
        ("built in: C2SP/CCTV", &["cctv"]),
        (if subject.needs_coins() { "built in: fn-dsa" } else { "built in: purecrypto" }, &["abc"]),
    ];
    // The small sets of hash-based signatures take seconds without vector code.
    let is_tree = ["SLH-DSA", "SPHINCS+"].iter().any(|family| name.starts_with(family));
    let is_slow = is_tree && name.trim_end_matches("-simple").ends_with('s');
    let mut rows = Vec::new();
    for (source, procedures) in sources {
        let answers: Vec<_> = known_answers()
            .filter(|answer| answer.algorithm == name && procedures.contains(&answer.procedure))
            .collect();
        if answers.is_empty() {
            continue;
        } else if is_slow && Level::available().last() != Some(Level::get()) {
            rows.push(Row::skipped(source, name, answers.len(), "at the best level only"));
        } else {
            rows.push(Row::run(source, name, answers.len(), || {
                answers.iter().try_for_each(|answer| answer.check(subject))
            }));
        }
    }
    if rows.is_empty() {
        rows.push(Row::skipped("built in", name, 0, "no known answer is built in"));
    }
    rows
}

impl KnownAnswer {
    fn check(&self, subject: KatSubject) -> Result<()> {
        let Self { procedure, cases, digest, .. } = *self;
        let found = match (procedure, subject) {
            ("kat", _) => subject.digest(cases)?,
            ("deterministic", KatSubject::Signature(scheme)) => {
                kat::signature_digest(scheme, true, cases)?
            }
            ("cctv", KatSubject::Kem(kem)) => accumulated(kem, cases, true)?,
            ("cctv", KatSubject::Signature(scheme)) => accumulated_signatures(scheme, cases)?,
            ("abc", KatSubject::Signature(scheme)) => of_abc(scheme)?,
            _ => None.context("a procedure that is not known")?,
        };
        ensure!(found == digest, "the digest of {cases} cases by `{procedure}` differs");
        Ok(())
    }
}

/// Follows the procedure of C2SP/CCTV, `ML-KEM/README.md`: generates keys, encapsulates,
/// decapsulates and implicitly rejects a random string, with inputs from one generator, and returns
/// one digest of all results, with or without the secret key.
///
/// # Errors
/// If the two sides disagree.
pub fn accumulated(kem: &dyn Kem, cases: usize, with_secret_key: bool) -> Result<String> {
    let (mut random, mut all) = (Shake128::new().finish(), Shake128::new());
    let (mut seed, mut coins) = (vec![0; kem.seed_len()], vec![0; kem.coins_len()]);
    let mut noise = vec![0; kem.info().ciphertext];
    for case in 0..cases {
        random.read(&mut seed);
        random.read(&mut coins);
        random.read(&mut noise);
        let (public, secret) = keypair(kem, &seed)?;
        let (ciphertext, shared) = encapsulate(kem, &coins, &public)?;
        let again = decapsulate(kem, &secret, &ciphertext)?;
        same(&format!("case {case}: the shared secret"), &again, &shared)?;
        let rejected = decapsulate(kem, &secret, &noise)?;
        all.absorb(&public);
        if with_secret_key {
            all.absorb(&secret);
        }
        for part in [&ciphertext, &shared, &rejected] {
            all.absorb(part);
        }
    }
    let mut digest = [0; 32];
    all.finish().read(&mut digest);
    Ok(base16ct::lower::encode_string(&digest))
}

/// Follows the procedure of C2SP/CCTV, `ML-DSA/accumulated/README.md`: returns one digest of keys
/// and deterministic signatures of the empty message, with seeds from one generator.
fn accumulated_signatures(scheme: &dyn Signature, cases: usize) -> Result<String> {
    let (mut random, mut all) = (Shake128::new().finish(), Shake128::new());
    let mut seed = vec![0; scheme.seed_len()];
    for _ in 0..cases {
        random.read(&mut seed);
        let (public, private) = signing_keypair(scheme, &seed)?;
        let signature = sign(scheme, &private, &Message::new(b""), None)?;
        scheme.verify(&public, &Message::new(b""), &signature)?;
        all.absorb(&public);
        all.absorb(&signature);
    }
    let mut digest = [0; 32];
    all.finish().read(&mut digest);
    Ok(base16ct::lower::encode_string(&digest))
}

/// Returns the digest of both keys of the seed 0, 1, 2 and so on, and of a signature of `abc`.
fn of_abc(scheme: &dyn Signature) -> Result<String> {
    let seed: Vec<u8> = (0..).take(scheme.seed_len()).collect();
    let (pk, sk) = signing_keypair(scheme, &seed)?;
    let coins: Vec<u8> = (0..).take(scheme.coins_len()).collect();
    let coins = scheme.needs_coins().then_some(&*coins);
    let signature = sign(scheme, &sk, &Message::new(b"abc"), coins)?;
    Ok(base16ct::lower::encode_string(&sha256(&[pk, sk, signature].concat())))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::known_answers;

    /// Checks that every line is read, and that every algorithm of the build has one.
    #[test]
    fn every_algorithm_has_a_known_answer() {
        let names: BTreeSet<_> = known_answers().map(|answer| answer.algorithm).collect();
        let lines = include_str!("known.txt").lines().filter(|line| !line.starts_with('#'));
        assert_eq!(known_answers().count(), lines.count());
        let kems = oaklath_kem::all().iter().map(|kem| kem.info().name);
        for name in kems.chain(oaklath_sig::all().iter().map(|scheme| scheme.info().name)) {
            assert!(names.contains(name), "{name} has no known answer");
        }
    }
}
