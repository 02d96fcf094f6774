//! Connections and throughput, as wolfSSL's `tls_bench` measures and prints them: connection after
//! connection for a time, in each of them a client that sends and a server that sends everything back.

use std::io::{self, Read, Write};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};
use oaklath_measure::{Level, pin_to_core};
use rustls::{ClientConnection, ServerConnection, Stream};

use crate::pki;
use crate::published::{TLS_BENCH, number};
use crate::report::{Cell, RATIO, Table};
use crate::setup::{Setup, Shown, Sides};
use crate::wire::{Transport, Wire};

/// How a run is made.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How long connections are made.
    pub time: Duration,
    /// Bytes that the client sends in each connection, and gets back.
    pub size: usize,
    /// Bytes of a write.
    pub packet: usize,
    /// Sockets or memory.
    pub transport: Transport,
    /// Both sides on one core, or each on its own.
    pub cores: Cores,
}

/// Where client and server run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cores {
    /// Both on the same one.
    One,
    /// Wherever the system puts them.
    Two,
}

impl Default for Options {
    /// wolfSSL's defaults: a second, 131,072 bytes in packets of 16,384, over sockets.
    fn default() -> Self {
        Self {
            time: Duration::from_secs(1),
            size: 131_072,
            packet: 16_384,
            transport: Transport::Sockets,
            cores: Cores::Two,
        }
    }
}

/// What one side did.
#[derive(Clone, Copy, Debug, Default)]
pub struct Side {
    /// Connections.
    pub connections: u64,
    /// Bytes of application data, both ways.
    pub bytes: u64,
    /// Time spent receiving.
    pub rx: Duration,
    /// Time spent sending.
    pub tx: Duration,
    /// Time spent on handshakes, waiting for the peer included.
    pub connect: Duration,
}

/// A run.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// The server's side.
    pub server: Side,
    /// The client's side.
    pub client: Side,
    /// From the first connection to the end of the last.
    pub elapsed: Duration,
}

impl Side {
    /// Megabytes (2^20) a second of one direction.
    #[must_use]
    pub fn rate(&self, time: Duration) -> f64 {
        self.bytes as f64 / 2.0 / f64::from(1 << 20) / time.as_secs_f64()
    }

    /// Milliseconds of a handshake.
    #[must_use]
    pub fn connect_avg(&self) -> f64 {
        self.connect.as_secs_f64() * 1e3 / self.connections as f64
    }

    /// Adds another run.
    #[must_use]
    pub fn and(self, other: &Self) -> Self {
        Self {
            connections: self.connections + other.connections,
            bytes: self.bytes + other.bytes,
            rx: self.rx + other.rx,
            tx: self.tx + other.tx,
            connect: self.connect + other.connect,
        }
    }
}

impl Outcome {
    /// Connections a second.
    #[must_use]
    pub fn per_second(&self) -> f64 {
        self.client.connections as f64 / self.elapsed.as_secs_f64()
    }
}

/// Makes connections between two threads.
///
/// # Errors
/// If one fails.
pub fn run(sides: &Sides, options: &Options) -> Result<Outcome> {
    let level = Level::get();
    // The next pair is made while the last one talks: making sockets is not what is measured.
    let (to_server, wires) = sync_channel(1);
    thread::scope(|scope| {
        let server = scope.spawn(move || {
            place(options.cores)?;
            level.with(|| serve(sides, options, &wires))
        });
        let client = scope.spawn(move || {
            place(options.cores)?;
            let start = Instant::now();
            let mut side = Side::default();
            let done = level.with(|| -> Result<()> {
                while start.elapsed() < options.time {
                    let (near, far) = options.transport.pair()?;
                    // A server that has failed knows why.
                    if to_server.send(far).is_err() {
                        break;
                    }
                    call(sides, options, near, &mut side)?;
                }
                Ok(())
            });
            drop(to_server);
            done.map(|()| (side, start.elapsed()))
        });
        let client = client.join().map_err(|_| anyhow!("the client panicked"))?;
        let server = server.join().map_err(|_| anyhow!("the server panicked"))?;
        let server = server.context("server")?;
        let (client, elapsed) = client.context("client")?;
        Ok(Outcome { server, client, elapsed })
    })
}

/// Holds this thread on the last core it may use if all are to share one; where the system cannot, it stays
/// where it is.
fn place(cores: Cores) -> Result<()> {
    match cores {
        Cores::Two => Ok(()),
        Cores::One => match pin_to_core(None) {
            Err(error) if error.kind() != io::ErrorKind::Unsupported => {
                Err(error).context("running on one core")
            }
            _ => Ok(()),
        },
    }
}

/// A client's connection over a wire, added to `side`.
///
/// # Errors
/// If it fails.
pub fn call(sides: &Sides, options: &Options, mut wire: Wire, side: &mut Side) -> Result<()> {
    let start = Instant::now();
    let mut tls = ClientConnection::new(sides.client.clone(), "localhost".try_into()?)?;
    while tls.is_handshaking() || tls.wants_write() {
        tls.complete_io(&mut wire)?;
    }
    side.connect += start.elapsed();
    side.connections += 1;
    let mut tls = Stream::new(&mut tls, &mut wire);
    let (data, mut echo) = (vec![7; options.packet], vec![0; options.packet]);
    let mut left = options.size;
    while left > 0 {
        let part = left.min(options.packet);
        let start = Instant::now();
        tls.write_all(&data[..part])?;
        tls.flush()?;
        let sent = Instant::now();
        tls.read_exact(&mut echo[..part])?;
        side.tx += sent - start;
        side.rx += sent.elapsed();
        side.bytes += 2 * part as u64;
        left -= part;
    }
    ensure!(echo == data || options.size < options.packet, "the echo is another");
    tls.conn.send_close_notify();
    tls.flush()?;
    Ok(())
}

/// Serves every connection that comes.
fn serve(sides: &Sides, options: &Options, wires: &Receiver<Wire>) -> Result<Side> {
    let mut side = Side::default();
    while let Ok(wire) = wires.recv() {
        accept(sides, options, wire, &mut side)?;
    }
    Ok(side)
}

/// A server's connection over a wire, added to `side`.
///
/// # Errors
/// If it fails.
pub fn accept(sides: &Sides, options: &Options, mut wire: Wire, side: &mut Side) -> Result<()> {
    let start = Instant::now();
    let mut tls = ServerConnection::new(sides.server.clone())?;
    while tls.is_handshaking() || tls.wants_write() {
        tls.complete_io(&mut wire)?;
    }
    side.connect += start.elapsed();
    side.connections += 1;
    let mut tls = Stream::new(&mut tls, &mut wire);
    let mut data = vec![0; options.packet];
    loop {
        let start = Instant::now();
        let n = tls.read(&mut data)?;
        side.rx += start.elapsed();
        if n == 0 {
            return Ok(());
        }
        let start = Instant::now();
        tls.write_all(&data[..n])?;
        tls.flush()?;
        side.tx += start.elapsed();
        side.bytes += 2 * n as u64;
    }
}

/// The published rows beside ours, over sockets, and over memory and on one core.
///
/// # Errors
/// If a connection fails.
pub fn table(setup: &Setup) -> Result<Table> {
    let mut table = Table::new(
        "tls-bench",
        "Connections and throughput in the manner of tls_bench",
        &[
            "published build",
            "role",
            "group",
            "published, connections",
            "published, connect avg ms",
            "total bytes",
            "connections",
            "Rx total ms",
            "Tx total ms",
            "Rx MB/s",
            "Tx MB/s",
            "connect total ms",
            "connect avg ms",
            "at AVX2",
            "scalar",
            "memory",
            "one core",
            "one core, memory",
            RATIO,
        ],
    );
    for note in NOTES {
        table = table.note(*note);
    }
    let mut known: Vec<(&str, Group)> = Vec::new();
    for [setting, role, name, _, connections, _, _, _, _, _, average] in TLS_BENCH.rows::<11>()? {
        let group = match known.iter().find(|(known, _)| *known == name) {
            Some((_, group)) => *group,
            None => {
                let group = Group::measure(setup, name).with_context(|| name.to_owned())?;
                known.push((name, group));
                group
            }
        };
        let published = (number(connections)?, number(average)?);
        let mut row = vec![Cell::text(setting), Cell::text(role), Cell::text(name)];
        row.extend(group.cells(role, published));
        table.push(row);
    }
    Ok(table)
}

const NOTES: &[&str] = &[
    "Published: Intel i7-1165G7, two cores, a run of a second; ours likewise, a thread a side, sockets over 127.0.0.1 \
     with TCP_NODELAY, 131,072 bytes each way in packets of 16,384; the time of a run is that of the figures here. The \
     server shows a certificate of RSA-2048, as in tls_bench. The last columns are the average handshake in \
     milliseconds: over sockets at lower levels, over memory, with both sides on one core. The ratio is that of \
     the average handshake over sockets.",
    "Like for like as far as groups and sizes go. The classical halves, RSA and AES are those of the base provider. Rows \
     below 1 are those whose time is the server's RSA signature, which no code of ours makes: the table before this \
     one has the time of it alone, and of everything else in a handshake. FFDHE-2048 is in no base provider; its rows \
     are measured with portable code that is here for them alone.",
];

/// Every run of a group.
#[derive(Clone, Copy, Debug)]
struct Group {
    best: Outcome,
    avx2: Option<Outcome>,
    scalar: Option<Outcome>,
    memory: Outcome,
    one_core: Outcome,
    one_core_memory: Outcome,
}

impl Group {
    fn measure(setup: &Setup, name: &str) -> Result<Self> {
        let sides = Sides::new(&setup.provider(name)?, &pki::RSA_2048, Shown::Server, 0)?;
        let options = Options { time: setup.time, ..Options::default() };
        let with = |transport, cores| run(&sides, &Options { transport, cores, ..options });
        let best = with(Transport::Sockets, Cores::Two)?;
        let at = |name: &str| match Level::by_name(name) {
            None => Ok(None),
            Some(level) if level == Level::get() => Ok(Some(best)),
            Some(level) => level.with(|| run(&sides, &options)).map(Some),
        };
        Ok(Self {
            best,
            avx2: at("avx2")?,
            scalar: at("scalar")?,
            memory: with(Transport::Memory, Cores::Two)?,
            one_core: with(Transport::Sockets, Cores::One)?,
            one_core_memory: with(Transport::Memory, Cores::One)?,
        })
    }

    /// The figures of a role beside the published connections and average handshake.
    fn cells(&self, role: &str, (connections, average): (f64, f64)) -> Vec<Cell> {
        let side = |outcome: &Outcome| match role {
            "server" => outcome.server,
            _ => outcome.client,
        };
        let ours = side(&self.best);
        let connect = |outcome: Option<Outcome>| {
            Cell::some(outcome.map(|outcome| side(&outcome).connect_avg()), 3)
        };
        let millis = |time: Duration| Cell::Number(time.as_secs_f64() * 1e3, 3);
        vec![
            Cell::Number(connections, 0),
            Cell::Number(average, 3),
            Cell::Count(ours.bytes),
            Cell::Count(ours.connections),
            millis(ours.rx),
            millis(ours.tx),
            Cell::Number(ours.rate(ours.rx), 1),
            Cell::Number(ours.rate(ours.tx), 1),
            millis(ours.connect),
            Cell::Number(ours.connect_avg(), 3),
            connect(self.avx2),
            connect(self.scalar),
            connect(Some(self.memory)),
            connect(Some(self.one_core)),
            connect(Some(self.one_core_memory)),
            Cell::Number(average / ours.connect_avg(), 2),
        ]
    }
}

/// Connections a second on one core, ours beside the base provider alone with its own group and signatures.
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
         median of the rounds. The base alone has everything of its own, ML-DSA too if it is aws-lc-rs, and nothing of \
         ours; where its column is empty, it lacks group or certificates.",
    );
    let mut cases = Vec::new();
    for shown in [Shown::Server, Shown::Both] {
        for (group, pki) in [
            ("X25519MLKEM768", &pki::P256),
            ("X25519MLKEM768", &pki::ML_DSA_65),
            ("P521_KYBER_LEVEL5", &pki::FALCON_1024),
        ] {
            let ours = Sides::new(&setup.provider(group)?, pki, shown, 0)?;
            let alone = setup.base_alone(group);
            let alone = alone.and_then(|alone| Sides::new(&alone, pki, shown, 0)).ok();
            cases.push((group, pki, shown, [Some(ours), alone]));
        }
    }
    let options = Options {
        time: setup.time / 5,
        size: 1,
        packet: 1,
        transport: Transport::Memory,
        cores: Cores::One,
    };
    let mut rates = vec![[Vec::new(), Vec::new()]; cases.len()];
    for _ in 0..5 {
        for (rates, (_, _, _, sides)) in rates.iter_mut().zip(&cases) {
            for (rates, sides) in rates.iter_mut().zip(sides) {
                if let Some(sides) = sides {
                    rates.push(run(sides, &options)?.per_second());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_count_the_same() {
        let setup = Setup::new(oaklath_tls::default_base(), Duration::ZERO);
        let provider = setup.provider("KYBER_LEVEL1").unwrap();
        let sides = Sides::new(&provider, &pki::P256, Shown::Both, 1).unwrap();
        for transport in [Transport::Sockets, Transport::Memory] {
            for cores in [Cores::One, Cores::Two] {
                let time = Duration::from_millis(20);
                let options =
                    Options { time, size: 40_000, transport, cores, ..Options::default() };
                let Outcome { server, client, elapsed } = run(&sides, &options).unwrap();
                assert!(client.connections > 0 && elapsed >= time);
                assert_eq!(server.connections, client.connections);
                assert_eq!(client.bytes, 80_000 * client.connections);
                assert_eq!(server.bytes, client.bytes);
            }
        }
    }

    #[test]
    fn classical_groups_of_no_base_connect() {
        let setup = Setup::new(oaklath_tls::default_base(), Duration::ZERO);
        let options = Options { time: Duration::from_millis(1), ..Options::default() };
        for group in ["ECC_SECP521R1", "FFDHE_2048"] {
            let provider = setup.provider(group).unwrap();
            let sides = Sides::new(&provider, &pki::RSA_2048, Shown::Server, 0).unwrap();
            assert!(run(&sides, &options).unwrap().client.connections > 0, "{group}");
        }
    }
}
