//! Connections and throughput, as wolfSSL's `tls_bench` measures and prints them: connection after
//! connection for a given time, in each of which a client sends and a server sends everything back.

use std::time::Duration;

use anyhow::{Context, Result};
use oaklath_cli::setup::{SUITE, Setup, Shown, Sides};
use oaklath_cli::testpki;
use oaklath_cli::tls_bench::engine::{
    BenchOptions, BenchOutcome, Cores, SideTotals, run, run_within,
};
use oaklath_cli::wire::Transport;
use oaklath_measure::Level;

use crate::published::{TLS_BENCH, number};
use crate::report::{Cell, RATIO, Table};

/// Measures the published rows beside ours: over sockets, over memory, and on one core.
///
/// # Errors
/// If a connection fails.
pub fn table(setup: &Setup) -> Result<Table> {
    let mut table =
        Table::new("tls-bench", "Connections and throughput in the manner of tls_bench", COLUMNS);
    for note in NOTES {
        table = table.note(*note);
    }
    table = table
        .because("FFDHE", "portable code that is here for these rows alone")
        .because("ECC_", "the curve, RSA and AES of the base provider");
    let mut known: Vec<([&str; 2], Group)> = Vec::new();
    for row in TLS_BENCH.rows::<12>()? {
        let [setting, role, suite, name, _, connections, _, _, rx, tx, _, average] = row;
        let group = match known.iter().find(|(known, _)| *known == [suite, name]) {
            Some((_, group)) => *group,
            None => {
                let group = Group::measure(setup, suite, name);
                let group = group.with_context(|| format!("{suite}, {name}"))?;
                known.push(([suite, name], group));
                group
            }
        };
        let published = Published {
            connections: number(connections)?,
            average: number(average)?,
            rx: number(rx)?,
            tx: number(tx)?,
        };
        let mut row = [setting, role, suite, name].map(Cell::text).to_vec();
        row.extend(group.cells(role, published));
        table.push(row);
    }
    Ok(table)
}

/// How long sides poll in the columns of polling.
const POLL: Duration = Duration::from_micros(200);

const COLUMNS: &[&str] = &[
    "published build",
    "role",
    "suite",
    "group",
    "published, connections",
    "published, connect avg ms",
    "published, Rx MB/s",
    "published, Tx MB/s",
    "total bytes",
    "connections",
    "Rx total ms",
    "Tx total ms",
    "Rx MB/s",
    "Tx MB/s",
    "ratio of Rx",
    "ratio of Tx",
    "Rx MB/s, polling",
    "Tx MB/s, polling",
    "ratio of Rx, polling",
    "ratio of Tx, polling",
    "connect total ms",
    "connect avg ms",
    "at AVX2",
    "scalar",
    "memory",
    "one core",
    "one core, memory",
    RATIO,
];

const NOTES: &[&str] = &[
    "Published: Intel i7-1165G7 (sixth version: i7-1185G7), two cores, a run of a second; ours likewise, one thread for each side, sockets over \
     127.0.0.1 with TCP_NODELAY, 131,072 bytes each way in packets of 16,384; the time of a run is that of the figures here. The server shows a \
     certificate of RSA-2048, as in tls_bench. The last columns are the average handshake in milliseconds: over sockets at lower levels, over \
     memory, with both sides on one core. The ratio is that of the average handshake over sockets; for Rx and Tx it is ours divided by the \
     published. Receiving includes the wait for the other side, and most of that the waking of a sleeping thread, which is the \
     system's and takes longest in a virtual machine; in the columns of polling each side asks its socket for up to 200 us \
     before it sleeps (`tls-bench --poll 200`). tls-rate has both ways beside wolfSSL on this machine.",
    "The comparison is like for like as far as groups and sizes go. The classical halves, RSA and AES are those of the \
     base provider. Rows below 1 are those whose time is not our code's: tls-time has the time of the server's RSA \
     signature alone, and of everything else in a handshake. FFDHE-2048 is in no base provider; its rows are measured with \
     portable code that exists for them alone. Without polling, most rows have Rx or Tx below 1.",
];

/// The published figures of a role.
#[derive(Clone, Copy, Debug)]
struct Published {
    connections: f64,
    average: f64,
    rx: f64,
    tx: f64,
}

/// All runs of a group.
#[derive(Clone, Copy, Debug)]
struct Group {
    best: BenchOutcome,
    polling: BenchOutcome,
    avx2: Option<BenchOutcome>,
    scalar: Option<BenchOutcome>,
    memory: BenchOutcome,
    one_core: BenchOutcome,
    one_core_memory: BenchOutcome,
}

impl Group {
    fn measure(setup: &Setup, suite: &str, name: &str) -> Result<Self> {
        let provider = setup.provider_with(name, suite)?;
        let sides = Sides::new(&provider, &testpki::RSA_2048, Shown::Server, 0)?;
        let options = BenchOptions { time: setup.time, ..BenchOptions::default() };
        let with = |transport, cores| run(&sides, &BenchOptions { transport, cores, ..options });
        let best = with(Transport::Sockets, Cores::Two)?;
        let at = |name: &str| match Level::by_name(name) {
            None => Ok(None),
            Some(level) if level == Level::get() => Ok(Some(best)),
            Some(level) => run_within(&sides, &options, |side| level.with(side)).map(Some),
        };
        Ok(Self {
            best,
            polling: run(&sides, &BenchOptions { poll: POLL, ..options })?,
            avx2: at("avx2")?,
            scalar: at("scalar")?,
            memory: with(Transport::Memory, Cores::Two)?,
            one_core: with(Transport::Sockets, Cores::One)?,
            one_core_memory: with(Transport::Memory, Cores::One)?,
        })
    }

    /// Returns the figures of a role beside the published ones.
    fn cells(&self, role: &str, published: Published) -> Vec<Cell> {
        let side = |outcome: &BenchOutcome| match role {
            "server" => outcome.server,
            _ => outcome.client,
        };
        let ours = side(&self.best);
        let rates = |side: SideTotals| [side.rate(side.rx), side.rate(side.tx)];
        let [rx, tx] = rates(ours);
        let [polling_rx, polling_tx] = rates(side(&self.polling));
        let connect = |outcome: Option<BenchOutcome>| {
            Cell::some(outcome.map(|outcome| side(&outcome).connect_avg()), 3)
        };
        let millis = |time: Duration| Cell::Number(time.as_secs_f64() * 1e3, 3);
        vec![
            Cell::Number(published.connections, 0),
            Cell::Number(published.average, 3),
            Cell::Number(published.rx, 1),
            Cell::Number(published.tx, 1),
            Cell::Count(ours.bytes),
            Cell::Count(ours.connections),
            millis(ours.rx),
            millis(ours.tx),
            Cell::Number(rx, 1),
            Cell::Number(tx, 1),
            Cell::Number(rx / published.rx, 2),
            Cell::Number(tx / published.tx, 2),
            Cell::Number(polling_rx, 1),
            Cell::Number(polling_tx, 1),
            Cell::Number(polling_rx / published.rx, 2),
            Cell::Number(polling_tx / published.tx, 2),
            millis(ours.connect),
            Cell::Number(ours.connect_avg(), 3),
            connect(self.avx2),
            connect(self.scalar),
            connect(Some(self.memory)),
            connect(Some(self.one_core)),
            connect(Some(self.one_core_memory)),
            Cell::Number(published.average / ours.connect_avg(), 2),
        ]
    }
}

/// Measures connections per second on one core, ours beside the base provider alone with its own
/// group and signatures.
///
/// # Errors
/// If a connection fails.
pub fn peers(setup: &Setup) -> Result<Table> {
    let mut table = Table::new(
        "tls-peers",
        "Handshakes a second on one core, beside the base provider alone",
        &["group", "certificates", "shown by", "handshakes/s", "avg ms", "the base alone", RATIO],
    )
    .note(
        "Both sides on one core, connected by memory; handshake and a byte each way, rounds of all rows in turn, the \
         median of the rounds. The base alone uses only its own code, ML-DSA included if it is aws-lc-rs; where its \
         column is empty, it lacks the group or the certificates.",
    );
    let mut cases = Vec::new();
    for shown in [Shown::Server, Shown::Both] {
        for (group, pki) in [
            ("X25519MLKEM768", &testpki::P256),
            ("X25519MLKEM768", &testpki::ML_DSA_65),
            ("P521_KYBER_LEVEL5", &testpki::FALCON_1024),
        ] {
            let ours = Sides::new(&setup.provider(group)?, pki, shown, 0)?;
            let alone = setup.base_alone(group, SUITE);
            let alone = alone.and_then(|alone| Sides::new(&alone, pki, shown, 0)).ok();
            cases.push((group, pki, shown, [Some(ours), alone]));
        }
    }
    let options = BenchOptions {
        time: setup.time / 5,
        size: 1,
        packet: 1,
        transport: Transport::Memory,
        cores: Cores::One,
        ..BenchOptions::default()
    };
    let mut rates = vec![[Vec::new(), Vec::new()]; cases.len()];
    for _ in 0..5 {
        for (rates, (_, _, _, sides)) in rates.iter_mut().zip(&cases) {
            for (rates, sides) in rates.iter_mut().zip(sides) {
                if let Some(sides) = sides {
                    rates.push(per_second(&run(sides, &options)?));
                }
            }
        }
    }
    for (rates, (group, pki, shown, _)) in rates.iter_mut().zip(cases) {
        let [ours, alone] = rates.each_mut().map(|rates| {
            rates.sort_by(f64::total_cmp);
            rates.get(rates.len() / 2).copied()
        });
        table.push(vec![
            Cell::text(group),
            Cell::text(pki.name),
            Cell::text(if shown == Shown::Server { "server" } else { "both" }),
            Cell::some(ours, 0),
            Cell::some(ours.map(|rate| 1e3 / rate), 3),
            Cell::some(alone, 0),
            Cell::some(ours.zip(alone).map(|(ours, alone)| ours / alone), 2),
        ]);
    }
    Ok(table)
}

/// Returns the connections per second.
pub(crate) fn per_second(outcome: &BenchOutcome) -> f64 {
    outcome.client.connections as f64 / outcome.elapsed.as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connections::setup;

    /// Each side must run at the requested level.
    #[test]
    fn levels_are_those_of_both_threads() {
        let setup = setup(oaklath_tls::default_base(), Duration::from_millis(1));
        let provider = setup.provider("FFDHE_2048").unwrap();
        let sides = Sides::new(&provider, &testpki::RSA_2048, Shown::Server, 0).unwrap();
        let options = BenchOptions { time: Duration::from_millis(1), ..BenchOptions::default() };
        for level in Level::available() {
            let outcome = run_within(&sides, &options, |side| {
                level.with(|| {
                    assert_eq!(Level::get(), level);
                    side();
                });
            });
            assert!(outcome.unwrap().client.connections > 0, "{level}");
        }
    }
}
