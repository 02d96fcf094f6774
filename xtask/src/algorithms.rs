//! `cargo xtask algorithms`: writes the tables of docs/algorithms.md from `crates/params`.
//!
//! `cargo xtask tidy` compares the page with what this command would write.

use std::fs;

use anyhow::{Context, Result};
use oaklath_params::{
    group::{self, GroupInfo},
    kem,
    sig::{self, SigInfo},
    stateful::{lms, xmss},
};

use crate::tables::spliced;

/// The page that is written.
pub(crate) const PAGE: &str = "docs/algorithms.md";

/// Writes the page anew.
pub(crate) fn run() -> Result<()> {
    let page = fs::read_to_string(PAGE).context(PAGE)?;
    fs::write(PAGE, renewed(&page)?).context(PAGE)
}

/// Returns the page with the tables of the current parameters.
pub(crate) fn renewed(page: &str) -> Result<String> {
    spliced(page, |id| match id {
        "kems" => Some(kems()),
        "signatures" => Some(signatures()),
        "hss" => Some(hss()),
        "xmss" => Some(xmss_sets()),
        "groups" => Some(groups()),
        "names" => Some(names()),
        _ => None,
    })
}

fn kems() -> String {
    let rows = kem::ALL.iter().map(|kem| {
        let oid = kem.oid.map_or("", |oid| oid.as_str());
        let sizes = [kem.public_key, kem.secret_key, kem.ciphertext].map(|n| n.to_string());
        let [public, secret, ciphertext] = sizes;
        let level = kem.level.to_string();
        let text = [kem.name, kem.status.as_str(), kem.feature, &level];
        text.map(str::to_owned)
            .into_iter()
            .chain([public, secret, ciphertext, oid.to_owned()])
            .collect()
    });
    table(
        "name | status | feature | level | encapsulation key | decapsulation key | ciphertext \
         | object identifier",
        rows,
    )
}

fn signatures() -> String {
    let rows = sig::ALL.iter().map(|sig| {
        let sizes = [sig.public_key, sig.secret_key, sig.longest_signature()];
        let [public, secret, signature] = sizes.map(|n| n.to_string());
        let level = sig.level.to_string();
        let text = [sig.name, sig.status.as_str(), sig.feature, &level];
        text.map(str::to_owned)
            .into_iter()
            .chain([public, secret, signature, identities(sig)])
            .collect()
    });
    table(
        "name | status | feature | level | public key | private key | longest signature \
         | TLS scheme and object identifier",
        rows,
    )
}

/// Returns the identities of a signature scheme, the preferred one first.
fn identities(sig: &'static SigInfo) -> String {
    let identities = sig.identities().map(|id| format!("{:#06x} {}", id.codepoint, id.oid));
    identities.collect::<Vec<_>>().join(", ")
}

fn hss() -> String {
    let rows = lms::ALL.iter().map(|set| {
        let signatures = format!("2^{}", set.signatures.ilog2());
        let sizes = [set.public_key(), set.signature].map(|n| n.to_string());
        let one_level = format!("{}/{}", set.lms.name, set.lmots.name);
        [set.name.to_owned(), set.levels.to_string(), one_level, signatures]
            .into_iter()
            .chain(sizes)
            .collect()
    });
    table("name | levels | each level | signatures | public key | signature", rows)
}

fn xmss_sets() -> String {
    let rows = xmss::XMSS.iter().chain(xmss::XMSS_MT).map(|set| {
        let signatures = format!("2^{}", set.signatures().ilog2());
        let sizes = [set.public_key(), set.signature].map(|n| n.to_string());
        [set.name.to_owned(), format!("{:#010x}", set.oid), signatures]
            .into_iter()
            .chain(sizes)
            .collect()
    });
    table("name | number | signatures | public key | signature", rows)
}

fn groups() -> String {
    let rows = group::ALL.iter().map(|group| {
        let number = format!("{0} ({0:#06x})", group.codepoint);
        let shares = [group.client_share(), group.server_share()].map(|n| n.to_string());
        let [client, server] = shares;
        vec![
            group.name.to_owned(),
            number,
            group.status.as_str().to_owned(),
            halves(group),
            client,
            server,
        ]
    });
    table("name | number | status | shares and secret, in order | client | server", rows)
}

/// Returns the components of the shares and the secret, in their order on the wire.
fn halves(group: &GroupInfo) -> String {
    match group.curve {
        None => group.kem.name.to_owned(),
        Some(curve) if group.kem_first => format!("{}, {}", group.kem.name, curve.name),
        Some(curve) => format!("{}, {}", curve.name, group.kem.name),
    }
}

/// Returns the table of algorithms with names beside the preferred one.
fn names() -> String {
    let kems = kem::ALL.iter().map(|kem| (kem.name, Some(kem.submission), kem.wolfssl, kem.oqs));
    let signatures =
        sig::ALL.iter().map(|sig| (sig.name, Some(sig.submission), sig.wolfssl, sig.oqs));
    let groups = group::ALL.iter().map(|group| (group.name, None, group.wolfssl, group.oqs));
    let rows = kems.chain(signatures).chain(groups).map(|(name, submission, wolfssl, oqs)| {
        let others = [submission, wolfssl, oqs];
        let others = others.map(|other| other.filter(|other| *other != name).unwrap_or_default());
        [name].into_iter().chain(others).map(str::to_owned).collect()
    });
    table("name | submission | wolfSSL | Open Quantum Safe", rows)
}

/// Returns a table whose columns of numbers are aligned to the right.
fn table(header: &str, rows: impl Iterator<Item = Vec<String>>) -> String {
    let rows: Vec<_> = rows.collect();
    let is_number = |column: usize| rows.iter().all(|row| row[column].parse::<u64>().is_ok());
    let columns = header.split(" | ").count();
    let rules = (0..columns).map(|column| if is_number(column) { "---:|" } else { "---|" });
    let mut text = format!("| {header} |\n|{}\n", rules.collect::<String>());
    for row in &rows {
        let cells =
            row.iter().map(|cell| format!("{:1$}{cell} |", "", usize::from(!cell.is_empty())));
        text += &format!("|{}\n", cells.collect::<String>());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_have_the_rows_of_the_parameters() {
        let page = ["kems", "signatures", "hss", "xmss", "groups", "names"]
            .map(|id| format!("<!-- table: {id} -->\n<!-- end -->\n"))
            .concat();
        let page = renewed(&page).unwrap();
        for line in [
            "| ML-KEM-768 | standard | ml-kem | 3 | 1184 | 2400 | 1088 | 2.16.840.1.101.3.4.4.2 |",
            "| ML-DSA-65 | standard | ml-dsa | 3 | 1952 | 4032 | 3309 \
             | 0x0905 2.16.840.1.101.3.4.3.18 |",
            "| L2_H10_W4 | 2 | LMS_SHA256_M32_H10/LMOTS_SHA256_N32_W4 | 2^20 | 60 | 5076 |",
            "| XMSS-SHA2_10_256 | 0x00000001 | 2^10 | 68 | 2500 |",
            "| X25519MLKEM768 | 4588 (0x11ec) | standard | ML-KEM-768, X25519 | 1216 | 1120 |",
            "| Kyber1024 | KYBER1024 | KYBER_LEVEL5 | kyber1024 |",
        ] {
            assert!(page.lines().any(|found| found == line), "{line}\n{page}");
        }
    }
}
