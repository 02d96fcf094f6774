//! `oaklath list stateful`.

use anyhow::Result;
use oaklath_params::stateful::{HSS_LMS_OID, XMSS_MT_OID, XMSS_OID, lms, xmss};

use crate::list::fields::{Fields, columns, fields};
use crate::list::listing::Listing;

// JSON has the logarithm of the number of signatures: many JSON parsers cannot represent 2^60
// exactly in all operations.

pub(super) fn listing() -> Result<Listing> {
    let mut rows: Vec<Fields> = lms::ALL
        .iter()
        .map(|set| {
            fields! {
                kind: "lms", name: set.name, wolfssl: set.wolfssl, oid: HSS_LMS_OID.as_str(),
                levels: set.levels, height: set.height(), winternitz: set.winternitz(),
                public_key: set.public_key(), signature: set.signature,
                log2_signatures: set.signatures.ilog2(), built: true,
            }
        })
        .collect();
    let lms = [
        ("LMS/HSS", "name"),
        ("wolfSSL", "wolfssl"),
        ("levels", "levels"),
        ("height", "height"),
        ("w", "winternitz"),
        ("public key", "public_key"),
        ("signature", "signature"),
        ("signatures", "2^log2_signatures"),
    ];
    let xmss_rows: Vec<Fields> = (xmss::XMSS.iter().chain(xmss::XMSS_MT))
        .map(|set| {
            fields! {
                kind: if set.multi_tree { "xmss_mt" } else { "xmss" }, name: set.name,
                oid: if set.multi_tree { &XMSS_MT_OID } else { &XMSS_OID }.as_str(),
                number: set.oid, n: set.n, height: set.h, layers: set.d,
                public_key: set.public_key(), signature: set.signature,
                log2_signatures: set.signatures().ilog2(), built: true,
            }
        })
        .collect();
    let xmss = [
        ("XMSS, XMSS^MT", "name"),
        ("number", "number"),
        ("n", "n"),
        ("height", "height"),
        ("layers", "layers"),
        ("public key", "public_key"),
        ("signature", "signature"),
        ("signatures", "2^log2_signatures"),
    ];
    let tables = vec![columns(&rows, lms), columns(&xmss_rows, xmss)];
    rows.extend(xmss_rows);
    Listing::new("Stateful hash-based signatures", tables, &rows)
}
