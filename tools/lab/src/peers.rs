//! Other libraries beside ours, from the lines that `cargo xtask compare` writes.

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, de::DeserializeOwned};

use crate::report::{Cell, Measured, RATIO, Table};

/// One operation and its fastest peer, in one run.
#[derive(Debug, Deserialize)]
struct Line {
    algorithm: String,
    operation: String,
    level: String,
    ours_cc: Option<f64>,
    ours_ns: Option<f64>,
    peer: String,
    peer_cc: Option<f64>,
    peer_ns: Option<f64>,
    /// In the unit of ours; none where there is no formula for it.
    bound: Option<f64>,
    ratio: f64,
}

/// A line: a row, or the time at which the rows after it were measured.
#[derive(Deserialize)]
#[serde(untagged)]
enum Item<T> {
    Measured(Measured),
    Row(T),
}

/// Reads the rows, and of the times the one with the highest load.
fn read<T: DeserializeOwned>(lines: &str) -> Result<(Option<Measured>, Vec<T>)> {
    let (mut at, mut rows) = (None::<Measured>, Vec::new());
    for line in lines.lines() {
        match serde_json::from_str(line).with_context(|| line.to_owned())? {
            Item::Row(row) => rows.push(row),
            Item::Measured(new) if at.as_ref().is_none_or(|at| at.load < new.load) => {
                at = Some(new);
            }
            Item::Measured(_) => {}
        }
    }
    Ok((at, rows))
}

/// Returns every line, the worst ratio first.
///
/// # Errors
/// If a line does not have that form.
pub fn table(lines: &str) -> Result<Table> {
    let mut table = Table::new(
        "peers",
        "The fastest peer of every operation, the worst ratio first",
        &[
            "algorithm",
            "operation",
            "level",
            "ours",
            "fastest peer's",
            "in",
            "peer",
            "bound",
            "x bound",
            RATIO,
        ],
    )
    .note(
        "Contenders are interleaved in one process, pinned to one core, and measured in cycles of the core (cc) or in \
         nanoseconds. A ratio above 1 means that ours takes less time. `cargo xtask compare KIND` prints what each peer \
         checks and where its randomness comes from.",
    )
    .note(
        "The bound is the time of the permutations, transforms and products that the standard asks for, at costs that \
         are measured in the same run with all lanes full (`tools/measure`, `counts.rs`); ours takes so many times as long.",
    )
    .because("purecrypto", "purecrypto computes a tree's leaves at once; ours one with each signature, and twice, against faults")
    .because("Dilithium", "within the spread of runs");
    let (at, mut lines) = read::<Line>(lines)?;
    table.measured = at;
    lines.sort_by(|a, b| a.ratio.total_cmp(&b.ratio));
    for line in lines {
        let ours = line.ours_cc.or(line.ours_ns);
        let of_bound = ours.zip(line.bound).map(|(ours, bound)| ours / bound);
        table.push(vec![
            Cell::text(line.algorithm),
            Cell::text(line.operation),
            Cell::text(line.level),
            Cell::some(ours, 0),
            Cell::some(line.peer_cc.or(line.peer_ns), 0),
            Cell::text(if line.ours_cc.is_some() { "cc" } else { "ns" }),
            Cell::text(line.peer),
            Cell::some(line.bound, 0),
            Cell::some(of_bound, 2),
            Cell::Number(line.ratio, 2),
        ]);
    }
    Ok(table)
}

/// Families of algorithms, by the beginnings of their names.
const FAMILIES: &[(&str, &[&str])] = &[
    ("ML-KEM", &["ML-KEM"]),
    ("ML-DSA", &["ML-DSA"]),
    ("SLH-DSA", &["SLH-DSA"]),
    ("Falcon, FN-DSA", &["Falcon", "FN-DSA"]),
    ("LMS and HSS, XMSS", &["L1_", "L2_", "L3_", "XMSS"]),
    ("Kyber, Dilithium", &["Kyber", "Dilithium"]),
    ("NTRU, SABER", &["NTRU", "Saber", "LightSaber", "FireSaber"]),
    ("SPHINCS+", &["SPHINCS+"]),
];

/// Summarizes [`table`]: the rows that are behind, and a line for each family.
///
/// # Errors
/// If an algorithm belongs to no family here.
pub fn summaries(full: &Table) -> Result<[Table; 2]> {
    // All of its rows are behind, so the worst need not be listed first again.
    let renamed = |name| if name == RATIO { "times as fast" } else { name };
    let columns: Vec<_> = full.columns.iter().map(|name| renamed(name.as_str())).collect();
    let mut behind = Table::new("peers-behind", "Where the fastest peer is faster", &columns);
    behind.measured.clone_from(&full.measured);
    full.behind().into_iter().for_each(|row| behind.push(row.to_vec()));
    let mut families = Table::new(
        "peers-summary",
        "How many times as fast as the fastest peer, by family",
        &["algorithms", "operations", "keys as bytes: least", "most", "kept keys: least", "most "],
    )
    .note("Kept keys are keys that were checked and expanded once.");
    families.measured.clone_from(&full.measured);
    let (mut known, ratio) = (0, full.column(RATIO));
    for (name, beginnings) in FAMILIES {
        let is_of = |row: &&Vec<Cell>| beginnings.iter().any(|b| row[0].shown().starts_with(b));
        let rows: Vec<_> = full.rows.iter().filter(is_of).collect();
        let count = rows.len();
        known += count;
        let (kept, bytes): (Vec<&Vec<Cell>>, Vec<_>) = rows.into_iter().partition(|row| {
            let operation = row[1].shown();
            operation.ends_with("-prepared") || operation.ends_with("-expanded")
        });
        let mut cells = vec![Cell::text(*name), Cell::count(count)];
        for rows in [bytes, kept] {
            let ratios = || rows.iter().filter_map(|row| row[ratio].value());
            cells.extend(
                [ratios().reduce(f64::min), ratios().reduce(f64::max)].map(|r| Cell::some(r, 2)),
            );
        }
        families.push(cells);
    }
    ensure!(known == full.rows.len(), "{} rows are of no family", full.rows.len() - known);
    Ok([behind, families])
}

/// Connections a second of one row of `cargo xtask compare tls`.
#[derive(Debug, Deserialize)]
struct Connections {
    group: String,
    certificates: String,
    mutual: bool,
    wolfssl: Option<f64>,
    alone: Option<f64>,
    ours: f64,
}

/// Megabytes a second of one side of one row of `cargo xtask compare tls`.
#[derive(Debug, Deserialize)]
struct Throughput {
    group: String,
    role: String,
    cores: u64,
    polls: bool,
    wolfssl_rx: f64,
    wolfssl_tx: f64,
    ours_rx: f64,
    ours_tx: f64,
}

/// A line of `cargo xtask compare tls`.
#[derive(Deserialize)]
#[serde(untagged)]
enum TlsLine {
    Connections(Connections),
    Throughput(Throughput),
}

/// Returns every line of connections in order, and every line of throughput.
///
/// # Errors
/// If a line has neither form.
pub fn connections(lines: &str) -> Result<[Table; 2]> {
    let mut table = Table::new(
        "tls-compare",
        "Handshakes a second on one core, beside wolfSSL and beside rustls over aws-lc-rs alone",
        &[
            "group",
            "certificates",
            "shown by",
            "wolfSSL",
            "rustls alone",
            "Oaklath",
            "by wolfSSL",
            "by rustls alone",
            RATIO,
        ],
    );
    for note in CONNECTIONS {
        table = table.note(*note);
    }
    let mut throughput = Table::new(
        "tls-rate",
        "Throughput beside wolfSSL",
        &[
            "group",
            "role",
            "cores",
            "waiting sides",
            "wolfSSL, Rx",
            "Rx",
            "ratio of Rx",
            "wolfSSL, Tx",
            "Tx",
            "ratio of Tx",
            RATIO,
        ],
    )
    .note(THROUGHPUT)
    .because("client", SOCKETS)
    .because("server", SOCKETS);
    let (at, rows) = read::<TlsLine>(lines)?;
    table.measured.clone_from(&at);
    throughput.measured = at;
    for row in rows {
        match row {
            TlsLine::Connections(row) => table.push(row.cells()),
            TlsLine::Throughput(row) => throughput.push(row.cells()),
        }
    }
    Ok([table, throughput])
}

impl Connections {
    fn cells(self) -> Vec<Cell> {
        let by = [self.wolfssl, self.alone].map(|peer| peer.map(|peer| self.ours / peer));
        let least = by.into_iter().flatten().reduce(f64::min);
        vec![
            Cell::text(self.group),
            Cell::text(self.certificates),
            Cell::text(if self.mutual { "both" } else { "server" }),
            Cell::some(self.wolfssl, 0),
            Cell::some(self.alone, 0),
            Cell::Number(self.ours, 0),
            Cell::some(by[0], 2),
            Cell::some(by[1], 2),
            Cell::some(least, 2),
        ]
    }
}

impl Throughput {
    fn cells(self) -> Vec<Cell> {
        // The rate of receiving and sending the same amount.
        let both = |rx: f64, tx: f64| 2.0 / (1.0 / rx + 1.0 / tx);
        let [rx, tx] = [self.ours_rx / self.wolfssl_rx, self.ours_tx / self.wolfssl_tx];
        vec![
            Cell::text(self.group),
            Cell::text(self.role),
            Cell::Count(self.cores),
            Cell::text(if self.polls { "poll" } else { "sleep" }),
            Cell::Number(self.wolfssl_rx, 0),
            Cell::Number(self.ours_rx, 0),
            Cell::Number(rx, 2),
            Cell::Number(self.wolfssl_tx, 0),
            Cell::Number(self.ours_tx, 0),
            Cell::Number(tx, 2),
            Cell::Number(
                both(self.ours_rx, self.ours_tx) / both(self.wolfssl_rx, self.wolfssl_tx),
                2,
            ),
        ]
    }
}

const THROUGHPUT: &str = "`cargo xtask compare tls`: wolfSSL 5.9.4 and ours by turns, each with the defaults of tls_bench: \
     connection after connection for a second over sockets of 127.0.0.1, TLS_AES_256_GCM_SHA384, RSA-2048, 131,072 bytes \
     each way in packets of 16,384, one thread for each side. In megabytes (2^20) a second, the median of the runs. \
     Receiving includes the wait for the other side, which decrypts, encrypts and sends; the system decides whether a side \
     is woken while the other still sends, so that a longer Rx means a shorter Tx, and the other way round: the last ratio \
     compares the time of both. On one core the last write of a connection may return only after the client has begun the \
     next connection, and then that wait is in the server's Tx. A thread that waits sleeps, or it asks its socket again and again (`tls-bench --poll 200`; wolfSSL's program \
     runs the same loop in place of `recv`): then the figures are those of TLS and of copying, not of waking threads.";

/// By `perf record` of either program on one core, with connections of 64 MiB.
const SOCKETS: &str = "of either program's time 70 % is the system's sockets, of ours 13 % aws-lc's AES-GCM and 4 % copying: \
     rustls copies each record once more than wolfSSL";

const CONNECTIONS: &[&str] = &[
    "`cargo xtask compare tls`. All are measured alike: one process pinned to one core has both sides, a thread each, \
     connected by memory; each connection is a full handshake with TLS_AES_256_GCM_SHA384, and 16 bytes each way; the \
     client verifies the server's certificate, which is issued by a root that it knows, and where both show one, the \
     server verifies the client's. The programs take turns row by row, a second each, and the best of three rounds \
     counts. The ratio is ours divided by the faster of the others.",
    "wolfSSL 5.9.4: its own program `tls_bench`, built with all its assembly for this machine (`--enable-intelasm \
     --enable-sp=yes,4096,384,521 --enable-sp-asm`) and with the certificates of this repository; keys of Falcon have \
     today's object identifier there, and the appendix's here. It has no option for certificates of clients.",
    "rustls alone: rustls over aws-lc-rs, which has X25519MLKEM768 and ML-DSA itself, in our benchmark and over \
     rustls' own streams, without any other code of ours.",
    "With RSA-2048 most of the time goes into the server's signature, and with P-256, P-384, P-521 or X25519 into the curve; \
     on our side aws-lc computes both. So beside rustls alone these rows compare the rest of a handshake, and beside wolfSSL \
     mostly aws-lc with wolfSSL.",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_ratio_comes_first() {
        let line = |operation: &str, ratio: f64| {
            format!(
                r#"{{"algorithm":"A","operation":"{operation}","level":"avx2","ours_cc":5.0,"peer":"p","peer_cc":9.0,"bound":4.0,"ratio":{ratio}}}"#
            )
        };
        let at = |load: f64| {
            let machine = r#""cpu":"C","cores":4,"level":"avx2""#;
            format!(r#"{{"measured":"2026-11-21","load":{load},{machine}}}"#)
        };
        let lines = [at(0.5), line("x", 2.0), at(0.75), line("y", 1.25), at(0.25)];
        let made = table(&lines.join("\n")).unwrap();
        assert_eq!(made.measured.as_ref().map(|at| at.load), Some(0.75));
        let operations: Vec<_> = made.rows.iter().map(|row| row[1].shown()).collect();
        assert_eq!(operations, ["y", "x"]);
        assert_eq!(
            (&made.rows[0][3], &made.rows[0][5]),
            (&Cell::Number(5.0, 0), &Cell::text("cc"))
        );
        assert_eq!(made.rows[0][7..9], [Cell::Number(4.0, 0), Cell::Number(1.25, 2)]);
        assert!(table("{}").is_err());
    }

    #[test]
    fn families_have_their_least_and_most() {
        let line = |algorithm: &str, operation: &str, ratio: f64| {
            format!(
                r#"{{"algorithm":"{algorithm}","operation":"{operation}","level":"avx2","peer":"p","ratio":{ratio}}}"#
            )
        };
        let lines = [
            line("ML-KEM-512", "keygen", 2.0),
            line("ML-KEM-768", "decapsulate-prepared", 3.0),
            line("ML-KEM-768", "keygen", 0.5),
        ];
        let full = table(&lines.join("\n")).unwrap();
        let [behind, families] = summaries(&full).unwrap();
        assert_eq!(behind.rows.len(), 1);
        let shown: Vec<_> = families.rows[0].iter().map(Cell::shown).collect();
        assert_eq!(shown, ["ML-KEM", "3", "0.50", "2.00", "3.00", "3.00"]);
        assert!(summaries(&table(&line("novel", "keygen", 1.0)).unwrap()).is_err());
    }

    #[test]
    fn the_faster_of_the_others_is_what_counts() {
        let line = |wolfssl: &str, alone: &str| {
            format!(
                r#"{{"group":"G","certificates":"C","mutual":false,"wolfssl":{wolfssl},"alone":{alone},"ours":6.0}}"#
            )
        };
        let throughput = r#"{"group":"G","role":"server","cores":2,"polls":true,"wolfssl_rx":4.0,"wolfssl_tx":4.0,"ours_rx":4.0,"ours_tx":12.0}"#;
        let lines = [&line("4.0", "8.0"), throughput, &line("4.0", "null")].join("\n");
        let ratios = connections(&lines).unwrap().map(|made| {
            let ratio = made.column(RATIO);
            made.rows.iter().map(|row| row[ratio].value()).collect::<Vec<_>>()
        });
        assert_eq!(ratios, [vec![Some(0.75), Some(1.5)], vec![Some(1.5)]]);
        assert!(connections("{}").is_err());
    }
}
