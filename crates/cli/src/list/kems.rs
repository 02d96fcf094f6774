//! `oaklath list kems`.

use anyhow::Result;
use oaklath_params::kem::{self, KemInfo};
use serde::Serialize;

use super::{Listing, also, built};
use crate::table::{cell, objects, table};

pub(super) fn listing() -> Result<Listing> {
    let sizes = table(
        [
            "name",
            "level",
            "status",
            "public key",
            "secret key",
            "ciphertext",
            "shared secret",
            "built",
        ],
        kem::ALL.iter().map(|kem| {
            [
                kem.name.to_owned(),
                kem.level.to_string(),
                kem.status.to_string(),
                kem.public_key.to_string(),
                kem.secret_key.to_string(),
                kem.ciphertext.to_string(),
                kem.shared_secret.to_string(),
                built(is_built(kem)),
            ]
        }),
    );
    let names = table(
        ["name", "submission", "wolfSSL", "OQS", "OID"],
        kem::ALL.iter().map(|kem| {
            [
                kem.name.to_owned(),
                also(kem.name, Some(kem.submission)),
                also(kem.name, kem.wolfssl),
                also(kem.name, kem.oqs),
                cell(kem.oid),
            ]
        }),
    );
    let rows: Vec<_> = kem::ALL.iter().map(|kem| Row::new(kem)).collect();
    Ok(Listing {
        title: "Key encapsulation mechanisms",
        tables: vec![sizes, names],
        objects: objects(&rows)?,
    })
}

/// Whether this build has the code of `kem`.
fn is_built(kem: &KemInfo) -> bool {
    oaklath_kem::all().iter().any(|built| built.info() == kem)
}

#[derive(Serialize)]
struct Row {
    kind: &'static str,
    name: &'static str,
    submission: &'static str,
    wolfssl: Option<&'static str>,
    oqs: Option<&'static str>,
    oid: Option<&'static str>,
    level: u8,
    status: &'static str,
    public_key: usize,
    secret_key: usize,
    ciphertext: usize,
    shared_secret: usize,
    built: bool,
}

impl Row {
    fn new(kem: &'static KemInfo) -> Self {
        Self {
            kind: "kem",
            name: kem.name,
            submission: kem.submission,
            wolfssl: kem.wolfssl,
            oqs: kem.oqs,
            oid: kem.oid.as_ref().map(|oid| oid.as_str()),
            level: kem.level,
            status: kem.status.as_str(),
            public_key: kem.public_key,
            secret_key: kem.secret_key,
            ciphertext: kem.ciphertext,
            shared_secret: kem.shared_secret,
            built: is_built(kem),
        }
    }
}
