//! `oaklath list signatures`.

use anyhow::Result;
use oaklath_params::sig::{self, SigIdentity, SigInfo, Vocabulary};
use serde::Serialize;

use super::{Listing, also, built};
use crate::table::{cell, objects, table};

pub(super) fn listing() -> Result<Listing> {
    let sizes = table(
        ["name", "level", "status", "public key", "secret key", "signature", "built"],
        sig::ALL.iter().map(|sig| {
            [
                sig.name.to_owned(),
                sig.level.to_string(),
                sig.status.to_string(),
                sig.public_key.to_string(),
                sig.secret_key.to_string(),
                sig.signature.to_string(),
                built(is_built(sig)),
            ]
        }),
    );
    let names = table(
        ["name", "submission", "wolfSSL", "OQS"],
        sig::ALL.iter().map(|sig| {
            [
                sig.name.to_owned(),
                also(sig.name, Some(sig.submission)),
                also(sig.name, sig.wolfssl),
                also(sig.name, sig.oqs),
            ]
        }),
    );
    let identities = table(
        ["name", "TLS scheme", "IANA", "OID", "used by"],
        sig::IDENTITIES.iter().map(|id| {
            [
                id.algorithm.name.to_owned(),
                format!("{:#06x}", id.codepoint),
                cell(id.iana),
                id.oid.to_string(),
                used_by(id).to_owned(),
            ]
        }),
    );
    let rows: Vec<_> = sig::ALL.iter().map(|sig| Row::new(sig)).collect();
    Ok(Listing {
        title: "Signature schemes",
        tables: vec![sizes, names, identities],
        objects: objects(&rows)?,
    })
}

/// Whether this build has the code of `sig`.
fn is_built(sig: &'static SigInfo) -> bool {
    oaklath_sig::by_info(sig).is_some()
}

fn used_by(id: &SigIdentity) -> &'static str {
    match id.vocabulary {
        Vocabulary::Standard => "standard",
        Vocabulary::Appendix => "appendix",
        Vocabulary::Oqs => "OQS",
        _ => "other",
    }
}

#[derive(Serialize)]
struct Row {
    kind: &'static str,
    name: &'static str,
    submission: &'static str,
    wolfssl: Option<&'static str>,
    oqs: Option<&'static str>,
    level: u8,
    status: &'static str,
    public_key: usize,
    secret_key: usize,
    signature: usize,
    identities: Vec<Identity>,
    built: bool,
}

#[derive(Serialize)]
struct Identity {
    used_by: &'static str,
    codepoint: u16,
    iana: Option<&'static str>,
    oid: &'static str,
}

impl Row {
    fn new(sig: &'static SigInfo) -> Self {
        let identities = sig.identities().map(|id| Identity {
            used_by: used_by(id),
            codepoint: id.codepoint,
            iana: id.iana,
            oid: id.oid.as_str(),
        });
        Self {
            kind: "signature",
            name: sig.name,
            submission: sig.submission,
            wolfssl: sig.wolfssl,
            oqs: sig.oqs,
            level: sig.level,
            status: sig.status.as_str(),
            public_key: sig.public_key,
            secret_key: sig.secret_key,
            signature: sig.signature,
            identities: identities.collect(),
            built: is_built(sig),
        }
    }
}
