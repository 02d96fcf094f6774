//! Lengths, names and numbers: published beside ours; a difference is an error.

use anyhow::{Context, Result, ensure};
use oaklath_params::group;
use oaklath_params::kem;
use oaklath_params::sig::{self, SigIdentity, Vocabulary};
use oaklath_params::stateful::{lms, xmss};

use crate::published;
use crate::report::{Cell, Table};

const COLUMNS: [&str; 9] = [
    "kind",
    "name",
    "submission",
    "codepoint",
    "object identifier",
    "public key",
    "private key",
    "signature or ciphertext",
    "shared secret",
];

/// Returns the algorithms and groups of the appendix; every cell is ours.
///
/// # Errors
/// If a figure of ours is not the published one.
pub fn algorithms() -> Result<Table> {
    let mut table = Table::new("sizes", "Names, codepoints, object identifiers, sizes", &COLUMNS)
        .note(
            "Every cell is computed by this build and was compared with the published one: a table that is printed has no difference, so that \
             each ratio would be 1. Signatures of Falcon vary in length: the size is the published one, the padded form has 666 and 1,280 \
             bytes, and signatures made here are never longer than stated.",
        );
    for row in published::ALGORITHMS.rows::<9>()? {
        let ours = match row[0] {
            "signature" => signature(row[1]),
            "kem" => encapsulation(row[1]),
            _ => hybrid(row[1]),
        };
        let ours = ours.with_context(|| format!("{} is not in this build", row[1]))?;
        for ((column, ours), published) in COLUMNS.iter().zip(&ours).zip(row) {
            let same = published.is_empty() || is_same(&ours.plain(), published);
            ensure!(same, "{}: {column} is {}, published {published}", row[1], ours.plain());
        }
        table.push(ours.to_vec());
    }
    Ok(table)
}

/// Compares names without regard to case and separators; the appendix calls curves `ECDSA`.
fn is_same(ours: &str, published: &str) -> bool {
    let fold = |text: &str| {
        let text = text.replace("ECDSA", "");
        text.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase()
    };
    fold(ours) == fold(published)
}

fn signature(name: &str) -> Option<[Cell; 9]> {
    let info = sig::by_name(name)?;
    oaklath_sig::by_info(info)?;
    let of_appendix = |identity: &&SigIdentity| identity.vocabulary == Vocabulary::Appendix;
    let identity = info.identities().find(of_appendix)?;
    Some([
        Cell::text("signature"),
        Cell::text(info.wolfssl?),
        Cell::text(info.submission),
        Cell::text(identity.codepoint.to_string()),
        Cell::text(identity.oid.to_string()),
        Cell::count(info.public_key),
        Cell::count(info.secret_key),
        Cell::count(info.signature),
        Cell::Nothing,
    ])
}

fn encapsulation(name: &str) -> Option<[Cell; 9]> {
    let info = kem::by_name(name)?;
    oaklath_kem::by_name(name).ok()?;
    Some([
        Cell::text("kem"),
        Cell::text(info.wolfssl?),
        Cell::text(info.submission),
        Cell::text(group::by_name(info.wolfssl?)?.codepoint.to_string()),
        Cell::Nothing,
        Cell::count(info.public_key),
        Cell::count(info.secret_key),
        Cell::count(info.ciphertext),
        Cell::count(info.shared_secret),
    ])
}

/// Returns the shares and the secret of a hybrid, which the appendix does not print.
fn hybrid(name: &str) -> Option<[Cell; 9]> {
    let info = oaklath_hybrid::Group::by_name(name).ok()?.info();
    Some([
        Cell::text("hybrid_group"),
        Cell::text(info.wolfssl?),
        Cell::text(format!("{} and {}", info.curve?.name, info.kem.submission)),
        Cell::text(info.codepoint.to_string()),
        Cell::Nothing,
        Cell::count(info.client_share()),
        Cell::Nothing,
        Cell::count(info.server_share()),
        Cell::count(info.shared_secret()),
    ])
}

/// Returns the parameter sets of LMS/HSS and XMSS, compared in the same way.
///
/// # Errors
/// If a figure of ours is not the published one.
pub fn stateful() -> Result<Table> {
    let mut table = Table::new(
        "sizes-stateful",
        "Parameter sets of stateful signatures",
        &["name", "levels", "height", "Winternitz", "signature", "signatures, log2"],
    )
    .note("Compared with the published table likewise. The Winternitz parameter is w in bits for LMS, in values for XMSS.");
    let mut push = |name: &str, ours: [u64; 5], published: [u64; 5]| {
        ensure!(ours == published, "{name}: {ours:?}, published {published:?}");
        let cells = ours.map(Cell::Count);
        table.push([Cell::text(name)].into_iter().chain(cells).collect());
        Ok(())
    };
    for [name, levels, height, w, signature, signatures] in published::LMS.rows::<6>()? {
        let info = lms::by_name(name).with_context(|| format!("{name} is not in this build"))?;
        let ours = [info.levels, info.lms.h, info.winternitz(), info.signature];
        let [a, b, c, d] = ours.map(|figure| figure as u64);
        let log2 = u64::from(signatures.parse::<u64>()?.ilog2());
        let published = [levels, height, w, signature].map(str::parse);
        let [e, f, g, h] = published;
        push(name, [a, b, c, d, info.signatures.ilog2().into()], [e?, f?, g?, h?, log2])?;
    }
    for [name, oid, n, w, h, d, h_per_d, signature] in published::XMSS.rows::<8>()? {
        let info = xmss::by_name(name).with_context(|| format!("{name} is not in this build"))?;
        let number = u32::from_str_radix(oid.trim_start_matches("0x"), 16)?;
        ensure!(
            info.oid == number && info.n == n.parse::<usize>()?,
            "{name}: another number or hash"
        );
        ensure!(info.tree_height() == h_per_d.parse::<usize>()?, "{name}: trees of another height");
        let ours = [info.d, info.h, info.w, info.signature, info.h].map(|figure| figure as u64);
        let published = [d, h, w, signature, h].map(str::parse);
        let [a, b, c, d, e] = published;
        push(name, ours, [a?, b?, c?, d?, e?])?;
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_published_artifact_is_ours() {
        assert_eq!(algorithms().unwrap().rows.len(), 40);
        assert_eq!(stateful().unwrap().rows.len(), 21);
    }

    #[test]
    fn spellings() {
        assert!(is_same("P-256 and KYBER512", "ECDSA P-256 and KYBER512"));
        assert!(!is_same("P-256 and KYBER512", "ECDSA P-256 and KYBER90S512"));
    }
}
