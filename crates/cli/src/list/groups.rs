//! `oaklath list groups`.

use anyhow::Result;
use oaklath_params::group::{self, GroupInfo};

use crate::list::fields::{Fields, columns, fields};
use crate::list::listing::Listing;

pub(super) fn listing() -> Result<Listing> {
    let rows: Vec<Fields> = group::ALL
        .iter()
        .map(|group| {
            fields! {
                kind: "group", name: group.name, wolfssl: group.wolfssl, oqs: group.oqs,
                iana: group.iana, codepoint: group.codepoint, status: group.status.as_str(),
                halves: halves(group), client_share: group.client_share(),
                server_share: group.server_share(), shared_secret: group.shared_secret(),
                built: oaklath_hybrid::all().any(|built| built.info() == *group),
            }
        })
        .collect();
    let sizes = [
        ("name", "name"),
        ("number", "codepoint"),
        ("halves in order", "halves"),
        ("status", "status"),
        ("client", "client_share"),
        ("server", "server_share"),
        ("secret", "shared_secret"),
        ("built", "built"),
    ];
    let names = [("name", "name"), ("wolfSSL", "=wolfssl"), ("OQS", "=oqs"), ("IANA", "=iana")];
    let title = "TLS 1.3 groups (client, server: their key shares; secret: the shared secret)";
    Listing::new(title, vec![columns(&rows, sizes), columns(&rows, names)], &rows)
}

/// Returns the names of the parts of shares and secret, in their order on the wire.
fn halves(group: &GroupInfo) -> Vec<&'static str> {
    match group.curve {
        None => vec![group.kem.name],
        Some(curve) if group.kem_first => vec![group.kem.name, curve.name],
        Some(curve) => vec![curve.name, group.kem.name],
    }
}
