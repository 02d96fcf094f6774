//! Where the time of a handshake goes: the operations of both sides, one by one, beside a whole
//! handshake.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use oaklath_cli::setup::{Setup, Shown, Sides};
use oaklath_cli::testpki::{self, TestPki};
use oaklath_cli::tls_bench::engine::{self, BenchOptions, Cores};
use oaklath_cli::wire::Transport;
use rustls::SignatureScheme;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::SignatureVerificationAlgorithm;
use x509_cert::Certificate;
use x509_cert::der::Decode;

use crate::report::{Cell, Table};
use crate::timing::repeat;
use crate::tls_bench::per_second;

const MESSAGE: &[u8] = b"what a handshake signs";

/// Returns the microseconds of each operation of a handshake in which the server shows a
/// certificate, on one core.
///
/// # Errors
/// If an operation fails.
pub fn table(setup: &Setup) -> Result<Table> {
    let mut table = Table::new(
        "tls-time",
        "Where the time of a handshake goes",
        &[
            "group",
            "certificate",
            "client's share",
            "server's share and secret",
            "client's secret",
            "signature",
            "its verification",
            "that of the certificate",
            "together",
            "whole handshake",
            "the rest",
        ],
    )
    .note(
        "In microseconds, on one core; the server shows a certificate. The rest is what rustls does: records, messages, \
         transcript hashes, key schedule, AES, X.509, and the two threads taking turns.",
    )
    .note(
        "With P521_KYBER_LEVEL5 the products on the curve, which aws-lc computes, take most of the time. Its keys come from aws-lc's own generator, since aws-lc computes the public half of any other key \
         twice. Verification uses public keys that were seen before, as a root's and a server's usually are, and are prepared.",
    );
    for (group, pki) in [
        ("ECC_SECP256R1", &testpki::RSA_2048),
        ("KYBER_LEVEL1", &testpki::RSA_2048),
        ("X25519MLKEM768", &testpki::P256),
        ("X25519MLKEM768", &testpki::ML_DSA_65),
        ("P521_KYBER_LEVEL5", &testpki::FALCON_1024),
    ] {
        let provider = setup.provider(group)?;
        let parts = parts(&provider, pki, setup.time).with_context(|| group.to_owned())?;
        let options = BenchOptions {
            time: setup.time,
            size: 1,
            packet: 1,
            transport: Transport::Memory,
            cores: Cores::One,
            ..BenchOptions::default()
        };
        let sides = Sides::new(&provider, pki, Shown::Server, 0)?;
        let whole = 1e6 / per_second(&engine::run(&sides, &options)?);
        let together: f64 = parts.iter().sum();
        let mut row = vec![Cell::text(group), Cell::text(pki.name)];
        row.extend(parts.map(|part| Cell::Number(part, 1)));
        row.extend([together, whole, whole - together].map(|micros| Cell::Number(micros, 1)));
        table.push(row);
    }
    Ok(table)
}

/// Returns the microseconds of the six operations.
fn parts(provider: &Arc<CryptoProvider>, pki: &TestPki, time: Duration) -> Result<[f64; 6]> {
    let micros = |operation: &mut dyn FnMut() -> Result<()>| -> Result<f64> {
        Ok(repeat(time, operation)?.micros.0)
    };
    let group = *provider.kx_groups.first().context("no group")?;
    let share = group.start()?.pub_key().to_vec();
    let start = micros(&mut || {
        black_box(group.start()?);
        Ok(())
    })?;
    let respond = micros(&mut || {
        black_box(group.start_and_complete(black_box(&share))?);
        Ok(())
    })?;
    // A client's key serves only once, so its two steps are measured together.
    let both = micros(&mut || {
        let client = group.start()?;
        let answer = group.start_and_complete(client.pub_key())?;
        black_box(client.complete(&answer.pub_key)?);
        Ok(())
    })?;
    let algorithms = provider.signature_verification_algorithms;
    let schemes: Vec<SignatureScheme> =
        algorithms.mapping.iter().map(|(scheme, _)| *scheme).collect();
    let key = provider.key_provider.load_private_key(pki.server.key()?)?;
    let signer = key.choose_scheme(&schemes).context("no scheme of this key")?;
    let sign = micros(&mut || {
        black_box(signer.sign(black_box(MESSAGE))?);
        Ok(())
    })?;
    let signature = signer.sign(MESSAGE)?;
    let verifiers = algorithms.mapping.iter().find(|(scheme, _)| *scheme == signer.scheme());
    let verifiers = verifiers.context("no verification of this key")?.1;
    let chain = pki.server.chain()?;
    let certificate = Certificate::from_der(&chain[0])?;
    let info = certificate.tbs_certificate().subject_public_key_info();
    let public = info.subject_public_key.raw_bytes();
    let accepts = |verifier: &&dyn SignatureVerificationAlgorithm| {
        verifier.verify_signature(public, MESSAGE, &signature).is_ok()
    };
    let verifier =
        *verifiers.iter().find(|verifier| accepts(verifier)).context("a bad signature")?;
    let verify = micros(&mut || {
        let verified = verifier.verify_signature(black_box(public), MESSAGE, &signature);
        verified.map_err(|_| anyhow!("a good signature was rejected"))
    })?;
    // The certificate is signed by a key of the same kind.
    Ok([start, respond, (both - start - respond).max(0.0), sign, verify, verify])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_found() {
        let setup =
            crate::connections::setup(oaklath_tls::default_base(), Duration::from_micros(100));
        let table = table(&setup).unwrap();
        for row in &table.rows {
            assert!(row[2..=7].iter().all(|cell| cell.value() >= Some(0.0)), "{row:?}");
            assert!(row[8].value() > Some(0.0));
        }
    }
}
