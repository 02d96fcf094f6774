//! The kinds of identities: their rows, and the columns of their tables.

use oaklath_params::group::GroupInfo;
use oaklath_params::sig::{SigIdentity, Vocabulary};
use oaklath_params::stateful::{HSS_LMS_OID, XMSS_MT_OID, XMSS_OID, lms, xmss};
use oaklath_params::{group, kem, sig};

use serde_json::{Value, json};

use crate::list::{ListKind, Listing};
use crate::table::columns;

impl ListKind {
    pub(super) fn listing(self) -> Listing {
        match self {
            Self::Kems => kems(),
            Self::Signatures => signatures(),
            Self::Stateful => stateful(),
            Self::Groups => groups(),
        }
    }
}

fn kems() -> Listing {
    let row = |kem: &&'static kem::KemInfo| {
        json!({
            "kind": "kem", "name": kem.name, "submission": kem.submission,
            "wolfssl": kem.wolfssl, "oqs": kem.oqs, "oid": kem.oid.as_ref().map(|oid| oid.as_str()),
            "level": kem.level, "status": kem.status.as_str(),
            "public_key": kem.public_key, "secret_key": kem.secret_key,
            "ciphertext": kem.ciphertext, "shared_secret": kem.shared_secret,
            "built": oaklath_kem::all().iter().any(|built| built.info() == *kem),
        })
    };
    let rows: Vec<_> = kem::ALL.iter().map(row).collect();
    let sizes =
        "name | level | status | public_key | secret_key | ciphertext | shared_secret | built";
    let names = "name | submission: =submission | wolfSSL: =wolfssl | OQS: =oqs | OID: oid";
    let tables = vec![columns(&rows, sizes), columns(&rows, names)];
    Listing { title: "Key encapsulation mechanisms", tables, rows }
}

fn signatures() -> Listing {
    let row = |sig: &&'static sig::SigInfo| {
        json!({
            "kind": "signature", "name": sig.name, "submission": sig.submission,
            "wolfssl": sig.wolfssl, "oqs": sig.oqs, "level": sig.level, "status": sig.status.as_str(),
            "public_key": sig.public_key, "secret_key": sig.secret_key, "signature": sig.signature,
            "identities": sig.identities().map(identity).collect::<Vec<_>>(),
            "built": oaklath_sig::by_info(sig).is_some(),
        })
    };
    let rows: Vec<_> = sig::ALL.iter().map(row).collect();
    let named = |id: &&'static SigIdentity| {
        let mut row = identity(id);
        row["name"] = id.algorithm.name.into();
        row
    };
    let identities: Vec<_> = sig::IDENTITIES.iter().map(named).collect();
    let tables = vec![
        columns(&rows, "name | level | status | public_key | secret_key | signature | built"),
        columns(&rows, "name | submission: =submission | wolfSSL: =wolfssl | OQS: =oqs"),
        columns(&identities, "name | TLS scheme: 0xcodepoint | IANA: iana | OID: oid | used_by"),
    ];
    Listing { title: "Signature schemes", tables, rows }
}

fn identity(id: &'static SigIdentity) -> Value {
    let used_by = match id.vocabulary {
        Vocabulary::Standard => "standard",
        Vocabulary::Appendix => "appendix",
        Vocabulary::Oqs => "OQS",
        _ => "other",
    };
    json!({ "used_by": used_by, "codepoint": id.codepoint, "iana": id.iana, "oid": id.oid.as_str() })
}

// JSON has the logarithm of the number of signatures: many JSON parsers cannot represent 2^60
// exactly in all operations.

fn stateful() -> Listing {
    let row = |set: &&'static lms::LmsInfo| {
        json!({
            "kind": "lms", "name": set.name, "wolfssl": set.wolfssl, "oid": HSS_LMS_OID.as_str(),
            "levels": set.levels, "height": set.height(), "winternitz": set.winternitz(),
            "public_key": set.public_key(), "signature": set.signature,
            "log2_signatures": set.signatures.ilog2(), "built": true,
        })
    };
    let mut rows: Vec<_> = lms::ALL.iter().map(row).collect();
    let row = |set: &&'static xmss::XmssInfo| {
        json!({
            "kind": if set.multi_tree { "xmss_mt" } else { "xmss" }, "name": set.name,
            "oid": if set.multi_tree { &XMSS_MT_OID } else { &XMSS_OID }.as_str(),
            "number": set.oid, "n": set.n, "height": set.h, "layers": set.d,
            "public_key": set.public_key(), "signature": set.signature,
            "log2_signatures": set.signatures().ilog2(), "built": true,
        })
    };
    let xmss: Vec<_> = xmss::XMSS.iter().chain(xmss::XMSS_MT).map(row).collect();
    let of_lms = "LMS/HSS: name | wolfSSL: wolfssl | levels | height | w: winternitz | \
                  public_key | signature | signatures: 2^log2_signatures";
    let of_xmss = "XMSS, XMSS^MT: name | number | n | height | layers | \
                   public_key | signature | signatures: 2^log2_signatures";
    let tables = vec![columns(&rows, of_lms), columns(&xmss, of_xmss)];
    rows.extend(xmss);
    Listing { title: "Stateful hash-based signatures", tables, rows }
}

fn groups() -> Listing {
    let row = |group: &&'static GroupInfo| {
        json!({
            "kind": "group", "name": group.name, "wolfssl": group.wolfssl, "oqs": group.oqs,
            "iana": group.iana, "codepoint": group.codepoint, "status": group.status.as_str(),
            "halves": halves(group), "client_share": group.client_share(),
            "server_share": group.server_share(), "shared_secret": group.shared_secret(),
            "built": oaklath_hybrid::all().any(|built| built.info() == *group),
        })
    };
    let rows: Vec<_> = group::ALL.iter().map(row).collect();
    let sizes = "name | number: codepoint | halves in order: halves | status | client: client_share | \
                 server: server_share | secret: shared_secret | built";
    let names = "name | wolfSSL: =wolfssl | OQS: =oqs | IANA: =iana";
    let title = "TLS 1.3 groups (client, server: their key shares; secret: the shared secret)";
    let tables = vec![columns(&rows, sizes), columns(&rows, names)];
    Listing { title, tables, rows }
}

/// Returns the names of the parts of shares and secret, in their order on the wire.
pub(crate) fn halves(group: &GroupInfo) -> Vec<&'static str> {
    match group.curve {
        None => vec![group.kem.name],
        Some(curve) if group.kem_first => vec![group.kem.name, curve.name],
        Some(curve) => vec![curve.name, group.kem.name],
    }
}
