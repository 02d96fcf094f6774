//! `oaklath list signatures`.

use anyhow::Result;
use oaklath_params::sig::{self, SigIdentity, Vocabulary};

use crate::list::fields::{Fields, columns, fields};
use crate::list::listing::Listing;

pub(super) fn listing() -> Result<Listing> {
    let rows: Vec<Fields> = sig::ALL
        .iter()
        .map(|sig| {
            fields! {
                kind: "signature", name: sig.name, submission: sig.submission,
                wolfssl: sig.wolfssl, oqs: sig.oqs, level: sig.level, status: sig.status.as_str(),
                public_key: sig.public_key, secret_key: sig.secret_key, signature: sig.signature,
                identities: sig.identities().map(identity).collect::<Vec<_>>(),
                built: oaklath_sig::by_info(sig).is_some(),
            }
        })
        .collect();
    let sizes = [
        ("name", "name"),
        ("level", "level"),
        ("status", "status"),
        ("public key", "public_key"),
        ("secret key", "secret_key"),
        ("signature", "signature"),
        ("built", "built"),
    ];
    let names =
        [("name", "name"), ("submission", "=submission"), ("wolfSSL", "=wolfssl"), ("OQS", "=oqs")];
    let mut identities: Vec<Fields> = sig::IDENTITIES.iter().map(|id| identity(id)).collect();
    for (row, id) in identities.iter_mut().zip(sig::IDENTITIES) {
        row.0.push(("name", id.algorithm.name.into()));
    }
    let identities = columns(
        &identities,
        [
            ("name", "name"),
            ("TLS scheme", "0xcodepoint"),
            ("IANA", "iana"),
            ("OID", "oid"),
            ("used by", "used_by"),
        ],
    );
    let tables = vec![columns(&rows, sizes), columns(&rows, names), identities];
    Listing::new("Signature schemes", tables, &rows)
}

fn identity(id: &SigIdentity) -> Fields {
    let used_by = match id.vocabulary {
        Vocabulary::Standard => "standard",
        Vocabulary::Appendix => "appendix",
        Vocabulary::Oqs => "OQS",
        _ => "other",
    };
    fields! { used_by: used_by, codepoint: id.codepoint, iana: id.iana, oid: id.oid.as_str() }
}
