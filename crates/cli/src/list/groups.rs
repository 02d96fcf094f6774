//! `oaklath list groups`.

use anyhow::Result;
use oaklath_params::group::{self, GroupInfo};
use serde::Serialize;

use super::{Listing, also, built};
use crate::table::{objects, table};

pub(super) fn listing() -> Result<Listing> {
    let sizes = table(
        ["name", "number", "halves in order", "status", "client", "server", "secret", "built"],
        group::ALL.iter().map(|group| {
            [
                group.name.to_owned(),
                group.codepoint.to_string(),
                halves(group).join(" + "),
                group.status.to_string(),
                group.client_share().to_string(),
                group.server_share().to_string(),
                group.shared_secret().to_string(),
                built(is_built(group)),
            ]
        }),
    );
    let names = table(
        ["name", "wolfSSL", "OQS", "IANA"],
        group::ALL.iter().map(|group| {
            let name = group.name;
            [
                name.to_owned(),
                also(name, group.wolfssl),
                also(name, group.oqs),
                also(name, group.iana),
            ]
        }),
    );
    let rows: Vec<_> = group::ALL.iter().map(|group| Row::new(group)).collect();
    Ok(Listing {
        title: "TLS 1.3 groups (client, server: their key shares; secret: the shared secret)",
        tables: vec![sizes, names],
        objects: objects(&rows)?,
    })
}

/// Names of what the shares and the secret consist of, in their order on the wire.
fn halves(group: &GroupInfo) -> Vec<&'static str> {
    match group.curve {
        None => vec![group.kem.name],
        Some(curve) if group.kem_first => vec![group.kem.name, curve.name],
        Some(curve) => vec![curve.name, group.kem.name],
    }
}

/// Whether this build has the KEM and the curve of `group`.
fn is_built(group: &GroupInfo) -> bool {
    oaklath_hybrid::all().any(|built| built.info() == group)
}

#[derive(Serialize)]
struct Row {
    kind: &'static str,
    name: &'static str,
    wolfssl: Option<&'static str>,
    oqs: Option<&'static str>,
    iana: Option<&'static str>,
    codepoint: u16,
    status: &'static str,
    halves: Vec<&'static str>,
    client_share: usize,
    server_share: usize,
    shared_secret: usize,
    built: bool,
}

impl Row {
    fn new(group: &'static GroupInfo) -> Self {
        Self {
            kind: "group",
            name: group.name,
            wolfssl: group.wolfssl,
            oqs: group.oqs,
            iana: group.iana,
            codepoint: group.codepoint,
            status: group.status.as_str(),
            halves: halves(group),
            client_share: group.client_share(),
            server_share: group.server_share(),
            shared_secret: group.shared_secret(),
            built: is_built(group),
        }
    }
}
