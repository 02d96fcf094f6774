//! `oaklath list stateful`.

use anyhow::Result;
use oaklath_params::stateful::lms::{self, LmsInfo};
use oaklath_params::stateful::xmss::{self, XmssInfo};
use oaklath_params::stateful::{HSS_LMS_OID, XMSS_MT_OID, XMSS_OID};
use serde::Serialize;

use super::Listing;
use crate::table::{objects, table};

pub(super) fn listing() -> Result<Listing> {
    let lms = table(
        ["LMS/HSS", "wolfSSL", "levels", "height", "w", "public key", "signature", "signatures"],
        lms::ALL.iter().map(|set| {
            [
                set.name.to_owned(),
                set.wolfssl.to_owned(),
                set.levels.to_string(),
                set.height().to_string(),
                set.winternitz().to_string(),
                set.public_key().to_string(),
                set.signature.to_string(),
                power(set.signatures),
            ]
        }),
    );
    let xmss = table(
        [
            "XMSS, XMSS^MT",
            "number",
            "n",
            "height",
            "layers",
            "public key",
            "signature",
            "signatures",
        ],
        xmss_sets().map(|set| {
            [
                set.name.to_owned(),
                set.oid.to_string(),
                set.n.to_string(),
                set.h.to_string(),
                set.d.to_string(),
                set.public_key().to_string(),
                set.signature.to_string(),
                power(set.signatures()),
            ]
        }),
    );
    let mut rows = objects(&lms::ALL.iter().map(|set| LmsRow::new(set)).collect::<Vec<_>>())?;
    rows.extend(objects(&xmss_sets().map(XmssRow::new).collect::<Vec<_>>())?);
    Ok(Listing { title: "Stateful hash-based signatures", tables: vec![lms, xmss], objects: rows })
}

fn xmss_sets() -> impl Iterator<Item = &'static XmssInfo> {
    xmss::XMSS.iter().chain(xmss::XMSS_MT).copied()
}

/// A number of signatures, which is a power of two.
fn power(n: u64) -> String {
    format!("2^{}", n.ilog2())
}

// JSON gives the logarithm of the number of signatures: 2^60 is beyond what many readers of JSON
// hold exactly.

#[derive(Serialize)]
struct LmsRow {
    kind: &'static str,
    name: &'static str,
    wolfssl: &'static str,
    oid: &'static str,
    levels: usize,
    height: usize,
    winternitz: usize,
    public_key: usize,
    signature: usize,
    log2_signatures: u32,
    built: bool,
}

impl LmsRow {
    fn new(set: &'static LmsInfo) -> Self {
        Self {
            kind: "lms",
            name: set.name,
            wolfssl: set.wolfssl,
            oid: HSS_LMS_OID.as_str(),
            levels: set.levels,
            height: set.height(),
            winternitz: set.winternitz(),
            public_key: set.public_key(),
            signature: set.signature,
            log2_signatures: set.signatures.ilog2(),
            built: true,
        }
    }
}

#[derive(Serialize)]
struct XmssRow {
    kind: &'static str,
    name: &'static str,
    oid: &'static str,
    number: u32,
    n: usize,
    height: usize,
    layers: usize,
    public_key: usize,
    signature: usize,
    log2_signatures: u32,
    built: bool,
}

impl XmssRow {
    fn new(set: &'static XmssInfo) -> Self {
        Self {
            kind: if set.multi_tree { "xmss_mt" } else { "xmss" },
            name: set.name,
            oid: if set.multi_tree { &XMSS_MT_OID } else { &XMSS_OID }.as_str(),
            number: set.oid,
            n: set.n,
            height: set.h,
            layers: set.d,
            public_key: set.public_key(),
            signature: set.signature,
            log2_signatures: set.signatures().ilog2(),
            built: true,
        }
    }
}
