//! Key exchanges that other implementations recorded.

use anyhow::{Context, Result, ensure};
use oaklath_cli::selftest::operations::{decapsulate, same};
use oaklath_cli::selftest::row::Row;
use oaklath_hybrid::{Error, Group, Random, by_curve};
use oaklath_kem::by_name;
use oaklath_params::group;
use serde::Deserialize;

use crate::vectors::check::check_cases;
use crate::vectors::files::{Bytes, VectorFile};

/// A handshake with the client's private keys.
#[derive(Deserialize)]
struct Recorded {
    group_codepoint: u16,
    client_kem_secret_key: Bytes,
    client_ecdh_private: Bytes,
    client_share: Bytes,
    server_share: Bytes,
    kem_shared_secret: Bytes,
    tls_shared_secret: Bytes,
}

/// The randomness that a client drew, its share, the answer and the secret.
#[derive(Deserialize)]
struct Share {
    codepoint: u16,
    client_mlkem_seed_d_z: Bytes,
    client_ecdh_private: Bytes,
    client_share: Bytes,
    server_share: Bytes,
    tls_shared_secret: Bytes,
}

#[derive(Deserialize)]
struct Shares {
    share_vectors: Vec<Share>,
    go_transcripts: Vec<serde_json::Value>,
}

/// Checks handshakes of OQS-OpenSSL: the recorded KEM key decapsulates the server's ciphertext, the
/// recorded ECDH key agrees with its point, and both make the secret of the handshake.
pub(super) fn recorded(file: &VectorFile) -> Result<Vec<Row>> {
    let handshakes: Vec<Recorded> = file.json()?;
    by_group(file, &handshakes, |handshake| handshake.group_codepoint, check_recorded)
}

/// Checks exchanges of Go's crypto/tls: the client repeats them from the recorded randomness.
pub(super) fn shares(file: &VectorFile) -> Result<Vec<Row>> {
    let Shares { share_vectors, go_transcripts } = file.json()?;
    let mut rows = by_group(file, &share_vectors, |share| share.codepoint, check_share)?;
    let why = "transcripts without private keys";
    rows.push(Row::skipped(file.title(), "-", go_transcripts.len(), why));
    Ok(rows)
}

/// Checks each group; returns one row for it, in the order of codepoints.
fn by_group<T>(
    file: &VectorFile,
    cases: &[T],
    codepoint: impl Fn(&T) -> u16,
    check: impl Fn(&Group, &T) -> Result<()>,
) -> Result<Vec<Row>> {
    let mut codepoints: Vec<u16> = cases.iter().map(&codepoint).collect();
    codepoints.sort_unstable();
    codepoints.dedup();
    ensure!(!codepoints.is_empty(), "no handshakes");
    let rows = codepoints.into_iter().map(|number| {
        let cases: Vec<&T> = cases.iter().filter(|case| codepoint(case) == number).collect();
        let Some(info) = group::by_codepoint(number) else {
            let name = number.to_string();
            return Row::skipped(file.title(), &name, cases.len(), "a group that is not known");
        };
        match Group::new(info) {
            Ok(group) => check_cases(file.title(), info.name, &cases, |case| check(&group, case)),
            Err(_) => Row::skipped(file.title(), info.name, cases.len(), "not in this build"),
        }
    });
    Ok(rows.collect())
}

fn check_recorded(group: &Group, handshake: &Recorded) -> Result<()> {
    let info = group.info();
    let kem = by_name(info.kem.name)?;
    let halves = |share: &Bytes, kem_len: usize| -> Result<(Vec<u8>, Vec<u8>)> {
        let Bytes(share) = share;
        ensure!(share.len() >= kem_len, "a share that is too short");
        Ok(if info.kem_first {
            (share[..kem_len].to_vec(), share[kem_len..].to_vec())
        } else {
            let (classical, kem) = share.split_at(share.len() - kem_len);
            (kem.to_vec(), classical.to_vec())
        })
    };
    let (ciphertext, peer) = halves(&handshake.server_share, info.kem.ciphertext)?;
    let (_, own) = halves(&handshake.client_share, info.kem.public_key)?;
    let kem_secret = decapsulate(kem, &handshake.client_kem_secret_key.0, &ciphertext)?;
    same("the secret of the KEM", &kem_secret, &handshake.kem_shared_secret.0)?;
    let Some(curve) = info.curve else {
        return same("the shared secret", &kem_secret, &handshake.tls_shared_secret.0);
    };
    let ecdh = by_curve(curve).context("the curve is not in this build")?;
    let ephemeral = ecdh.generate(&mut Drawn(&handshake.client_ecdh_private.0))?;
    same("the client's point", ephemeral.share(), &own)?;
    let classical = ephemeral.agree(&peer)?;
    let secret = match info.kem_first {
        true => [&*kem_secret, classical.as_bytes()].concat(),
        false => [classical.as_bytes(), &kem_secret].concat(),
    };
    same("the shared secret", &secret, &handshake.tls_shared_secret.0)
}

fn check_share(group: &Group, share: &Share) -> Result<()> {
    let drawn = [&*share.client_mlkem_seed_d_z.0, &share.client_ecdh_private.0].concat();
    let client = group.generate(&mut Drawn(&drawn))?;
    same("the client's share", client.share(), &share.client_share.0)?;
    let secret = client.finish(&share.server_share.0)?;
    same("the shared secret", secret.as_bytes(), &share.tls_shared_secret.0)
}

/// A generator that repeats what a client drew.
struct Drawn<'a>(&'a [u8]);

impl Random for Drawn<'_> {
    fn fill(&mut self, out: &mut [u8]) -> Result<(), Error> {
        let (drawn, rest) = self.0.split_at_checked(out.len()).ok_or(Error::Random)?;
        out.copy_from_slice(drawn);
        self.0 = rest;
        Ok(())
    }
}
