//! Writes the results as a page of documentation: a section for each peer, which a run of that peer
//! replaces.

use std::fmt::Write as _;

use super::{
    chains::Chain,
    peer::{Combination, Expected, Peer, Role},
};

/// The page's path from the root of the repository.
pub(super) const PAGE: &str = "docs/interop.md";

const HEAD: &str = "# Live peers\n\n\
    `cargo xtask interop` tried these connections of `oaklath server` or `oaklath client` with another implementation over\n\
    loopback sockets. Each side supports the one group only, and both authenticate with certificates of one kind, unless the\n\
    table says otherwise; messages pass in both directions. A peer lacks the groups and algorithms that its section does not\n\
    list. `cargo xtask interop --write` makes this page, with a section for each peer that ran.\n";

/// Results that `cargo xtask interop` does not repeat: of peers without a package, and of browsers
/// with windows. They were tried by hand, on the days stated.
const HISTORY: &str = "\n## By hand\n\n\
    On 2026-11-22, peers that were built or installed by hand; each side verified the other's chain, both reported the group,\n\
    and a message arrived in each direction.\n\n\
    | peer | certificates | groups | result |\n|---|---|---|---|\n\
    | OQS-OpenSSL 1.1.1q (wolfSSL's fork of August 2022), liboqs 0.7.2-dev | Falcon, Dilithium, Dilithium-AES, SPHINCS+ of both sides, mutual | 26: Kyber, Kyber-90s, NTRU, SABER, alone and in hybrids | 1,455 of 1,456 connections where no message has over 64 KiB (the other hit a limit of ten seconds since removed); SPHINCS+-192f and -256f 208 of 208 where the peer sends the leaf alone, and none where it sends the root too |\n\
    | the same with liboqs 0.7.1-dev of November 2021 | Falcon, Dilithium3, Dilithium5-AES, SPHINCS+-128f | the same 26 | 416 of 416 |\n\
    | Firefox 153.7 ESR | ECDSA P-256 | X25519MLKEM768 | the page of `oaklath server` |\n\
    | BoringSSL (curl_cffi 0.16.3) as chrome131, firefox135 | ECDSA P-256 | X25519MLKEM768 | the page |\n\
    | BoringSSL as chrome124 | ECDSA P-256 | X25519Kyber768Draft00 (25497) | the page, with `--pqc X25519_KYBER_LEVEL3` |\n\
    | tlsfuzzer 14555fe, `test-tls13-mlkem.py` | ECDSA P-256 | X25519MLKEM768, SecP256r1MLKEM768, SecP384r1MLKEM1024 | 2,583 of 2,583 cases |\n\n\
    rustls does not read a certificate message of more than 65,535 bytes: such a peer must send only its own certificate,\n\
    without the root.\n";

/// A result: what was tried, and how it ended.
pub(super) struct Row {
    pub(super) tried: Tried,
    /// Why it did not end as it must, if it did not.
    pub(super) error: Option<String>,
}

#[derive(Clone, Copy)]
pub(super) enum Tried {
    Connection(Combination),
    Chain(&'static Chain),
}

impl Row {
    /// Formats the result as a line for the terminal.
    pub(super) fn line(&self) -> String {
        let outcome = match (&self.error, self.refused()) {
            (Some(error), _) => format!("FAILED: {error}"),
            (None, Some(because)) => format!("rejected, as it must be: {because}"),
            (None, None) => "ok".to_owned(),
        };
        match self.tried {
            Tried::Connection(Combination { role, group, chain, .. }) => {
                let (role, chain) = (role.name(), chain.name);
                format!("{role:7} {:5} {:20} {chain:27} {outcome}", group.codepoint, group.name)
            }
            Tried::Chain(chain) => format!("{:34} {:27} {outcome}", "verifies", chain.name),
        }
    }

    /// Formats the result as a cell of the page.
    fn cell(&self) -> String {
        match (&self.error, self.refused()) {
            (Some(_), _) => "**fails**".to_owned(),
            (None, Some(because)) => format!("rejected: {because}"),
            (None, None) => "yes".to_owned(),
        }
    }

    /// Returns why it must be rejected, if it must.
    fn refused(&self) -> Option<&'static str> {
        match self.connection()?.expected {
            Expected::Refuses { because, .. } => Some(because),
            Expected::Connects => None,
        }
    }

    fn connection(&self) -> Option<Combination> {
        match self.tried {
            Tried::Connection(combination) => Some(combination),
            Tried::Chain(_) => None,
        }
    }
}

/// Returns the section of a peer: certificates with equal results in equal groups share a line.
pub(super) fn section(peer: &dyn Peer, rows: &[Row], day: &str) -> String {
    let version = peer.version().map_or_else(String::new, |version| format!(" Here: {version}."));
    let mut text = format!("## {}\n\n{}{version}\n", peer.title(), peer.about());
    let mut lines: Vec<(Vec<&str>, Vec<&str>, [String; 2])> = Vec::new();
    for (chain, groups, cells) in by_chain(rows) {
        match lines.iter_mut().find(|line| line.1 == groups && line.2 == cells) {
            Some(line) => line.0.push(chain),
            None => lines.push((vec![chain], groups, cells)),
        }
    }
    let head = "| certificates | groups | peer as server | peer as client |\n|---|---|---|---|\n";
    text += &format!("\n{head}");
    for (chains, groups, [server, client]) in lines {
        let (chains, groups) = (chains.join(", "), groups.join(", "));
        // Writing to a string does not fail.
        let _ = writeln!(text, "| {chains} | {groups} | {server} | {client} |");
    }
    let tried = rows.iter().filter(|row| row.connection().is_some()).count();
    let refused = rows.iter().filter(|row| row.refused().is_some()).count();
    let _ = write!(text, "\nConnections on {day}: {}", tried - refused);
    if refused > 0 {
        let _ = write!(text, "; rejected: {refused}");
    }
    if tried < rows.len() {
        let failed = |row: &&Row| row.connection().is_none() && row.error.is_some();
        let failed = rows.iter().filter(failed).count();
        let _ = write!(text, "; chains verified: {}", rows.len() - tried - failed);
    }
    text += ".";
    text + "\n"
}

/// Returns each chain with its groups, once for every pair of results.
fn by_chain(rows: &[Row]) -> Vec<(&'static str, Vec<&'static str>, [String; 2])> {
    let mut found: Vec<(&str, Vec<&str>, [String; 2])> = Vec::new();
    for row in rows {
        let Some(Combination { group, chain, .. }) = row.connection() else { continue };
        let known =
            |line: &(&str, Vec<&str>, _)| line.0 == chain.name && line.1.contains(&group.name);
        if found.iter().any(known) {
            continue;
        }
        let cells = [Role::Server, Role::Client].map(|role| {
            let same = |other: &&Row| {
                other.connection().is_some_and(|c| {
                    c.role == role && c.group == group && c.chain.name == chain.name
                })
            };
            rows.iter().find(same).map_or_else(|| "-".to_owned(), Row::cell)
        });
        match found.iter_mut().find(|line| line.0 == chain.name && line.2 == cells) {
            Some(line) => line.1.push(group.name),
            None => found.push((chain.name, vec![group.name], cells)),
        }
    }
    found
}

/// Returns the page with these sections in the place of older ones of the same title, in the order
/// of `titles`.
pub(super) fn page(old: &str, titles: &[String], sections: &[String]) -> String {
    let older: Vec<String> =
        old.split("\n## ").skip(1).map(|text| format!("## {}", text.trim_end())).collect();
    let mut page = HEAD.to_owned();
    for title in titles {
        let heading = format!("## {title}\n");
        let is_it = |text: &&String| text.starts_with(&heading);
        if let Some(text) = sections.iter().find(is_it).or_else(|| older.iter().find(is_it)) {
            page += &format!("\n{}\n", text.trim_end());
        }
    }
    page + HISTORY
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_one_peer_replaces_its_section_only() {
        let titles = ["A 1", "B 2", "C 3"].map(str::to_owned);
        let section = |title: &str, text: &str| format!("## {title}\n\n{text}\n");
        let all = [section("C 3", "c"), section("A 1", "a")];
        let first = page("", &titles, &all);
        assert_eq!(first, format!("{HEAD}\n## A 1\n\na\n\n## C 3\n\nc\n{HISTORY}"));
        assert_eq!(page(&first, &titles, &[]), first);
        let second = page(&first, &titles, &[section("C 3", "other"), section("B 2", "b")]);
        assert_eq!(
            second,
            format!("{HEAD}\n## A 1\n\na\n\n## B 2\n\nb\n\n## C 3\n\nother\n{HISTORY}")
        );
        // A section whose title is no longer that of a peer is removed.
        assert_eq!(page(&second, &titles[1..2], &[]), format!("{HEAD}\n## B 2\n\nb\n{HISTORY}"));
    }
}
