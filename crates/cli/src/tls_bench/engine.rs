//! Makes one connection after another for a given time. In each, the client sends data and the
//! server sends everything back, as in wolfSSL's `tls_bench`.

use std::io::{self, Read, Write};
use std::sync::mpsc::sync_channel;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use oaklath_tls::unbuffered;

use crate::progress::joined;
use crate::setup::Sides;
use crate::wire::{Transport, Wire};

/// The options of a run.
#[derive(Clone, Copy, Debug)]
pub struct BenchOptions {
    /// How long new connections are made.
    pub time: Duration,
    /// The number of bytes that the client sends in each connection, and receives back.
    pub size: usize,
    /// The number of bytes in a write.
    pub packet: usize,
    /// How the two sides are connected.
    pub transport: Transport,
    /// How long a side asks its socket for data before it sleeps: see [`Wire::polling`].
    pub poll: Duration,
    /// The cores that the two sides run on.
    pub cores: Cores,
}

/// The cores that client and server run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cores {
    /// Both on the same core.
    One,
    /// On the cores that the system assigns.
    Two,
}

impl Default for BenchOptions {
    /// Returns wolfSSL's defaults: a second, 131,072 bytes in packets of 16,384, over sockets.
    fn default() -> Self {
        Self {
            time: Duration::from_secs(1),
            size: 131_072,
            packet: 16_384,
            transport: Transport::Sockets,
            poll: Duration::ZERO,
            cores: Cores::Two,
        }
    }
}

/// The totals of one side.
#[derive(Clone, Copy, Debug, Default)]
pub struct SideTotals {
    /// The number of connections.
    pub connections: u64,
    /// The number of bytes of application data, both ways.
    pub bytes: u64,
    /// Time spent receiving.
    pub rx: Duration,
    /// Time spent sending.
    pub tx: Duration,
    /// Time spent on handshakes, including waiting for the peer.
    pub connect: Duration,
}

/// The result of a run.
#[derive(Clone, Copy, Debug)]
pub struct BenchOutcome {
    /// The server's side.
    pub server: SideTotals,
    /// The client's side.
    pub client: SideTotals,
    /// The time from the first connection to the end of the last.
    pub elapsed: Duration,
}

impl SideTotals {
    /// Returns the megabytes (2^20 bytes) per second in one direction.
    #[must_use]
    pub fn rate(&self, time: Duration) -> f64 {
        self.bytes as f64 / 2.0 / f64::from(1 << 20) / time.as_secs_f64()
    }

    /// Returns the average milliseconds of a handshake.
    #[must_use]
    pub fn connect_avg(&self) -> f64 {
        self.connect.as_secs_f64() * 1e3 / self.connections as f64
    }

    /// Returns the sum with another run.
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

/// Makes connections between two threads.
///
/// # Errors
/// If a connection fails.
pub fn run(sides: &Sides, options: &BenchOptions) -> Result<BenchOutcome> {
    run_within(sides, options, |side| side())
}

/// Makes connections between two threads, each of which runs its side inside `around`.
///
/// # Errors
/// If a connection fails.
pub fn run_within(
    sides: &Sides,
    options: &BenchOptions,
    around: impl Fn(&mut dyn FnMut()) + Sync,
) -> Result<BenchOutcome> {
    // Wires are created during the previous connection: creating sockets is not measured.
    let (to_server, wires) = sync_channel::<Wire>(1);
    let serve = move || -> Result<SideTotals> {
        let mut side = SideTotals::default();
        wires.iter().try_for_each(|wire| accept(sides, options, wire, &mut side))?;
        Ok(side)
    };
    let call = move || -> Result<(SideTotals, Duration)> {
        let (start, mut side) = (Instant::now(), SideTotals::default());
        while start.elapsed() < options.time {
            let (near, far) = options.transport.pair()?;
            // If the server has failed, it reports the reason.
            if to_server.send(far).is_err() {
                break;
            }
            call(sides, options, near, &mut side)?;
        }
        Ok((side, start.elapsed()))
    };
    let (server, client) = thread::scope(|scope| {
        let server = scope.spawn(|| on_core(options.cores, &around, serve));
        let client = scope.spawn(|| on_core(options.cores, &around, call));
        (joined(server.join()), joined(client.join()))
    });
    let (server, (client, elapsed)) = (server.context("server")?, client.context("client")?);
    Ok(BenchOutcome { server, client, elapsed })
}

/// Runs one side inside `around`. For [`Cores::One`], pins the thread to the last core that it may
/// use, if the system supports that.
fn on_core<R>(
    cores: Cores,
    around: impl Fn(&mut dyn FnMut()),
    side: impl FnOnce() -> Result<R>,
) -> Result<R> {
    if cores == Cores::One {
        hold_on_last_core().context("running on one core")?;
    }
    let (mut side, mut result) = (Some(side), None);
    around(&mut || result = side.take().map(|side| side()));
    result.context("it did not run")?
}

#[cfg(target_os = "linux")]
fn hold_on_last_core() -> io::Result<()> {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
    let allowed = sched_getaffinity(None)?;
    let last = (0..CpuSet::MAX_CPU).rev().find(|&core| allowed.is_set(core));
    let mut one = CpuSet::new();
    one.set(last.ok_or(io::ErrorKind::NotFound)?);
    Ok(sched_setaffinity(None, &one)?)
}

#[cfg(not(target_os = "linux"))]
fn hold_on_last_core() -> io::Result<()> {
    Ok(())
}

/// Makes a client's connection over a wire, and adds it to `side`.
///
/// # Errors
/// If the connection fails.
pub fn call(
    sides: &Sides,
    options: &BenchOptions,
    wire: Wire,
    side: &mut SideTotals,
) -> Result<()> {
    let start = Instant::now();
    let wire = wire.polling(options.poll);
    let mut tls = unbuffered::connect(sides.client.clone(), "localhost".try_into()?, wire)?;
    side.connect += start.elapsed();
    side.connections += 1;
    let (data, mut echo) = (vec![7; options.packet], vec![0; options.packet]);
    let mut left = options.size;
    while left > 0 {
        let part = left.min(options.packet);
        let start = Instant::now();
        tls.write_all(&data[..part])?;
        let sent = Instant::now();
        tls.read_exact(&mut echo[..part])?;
        side.tx += sent - start;
        side.rx += sent.elapsed();
        side.bytes += 2 * part as u64;
        left -= part;
    }
    ensure!(echo == data || options.size < options.packet, "the echo differs");
    tls.close()?;
    sides.pool.iter().try_for_each(|pool| Ok(pool.refill()?))
}

/// Serves a connection over a wire, and adds it to `side`.
///
/// # Errors
/// If the connection fails.
pub fn accept(
    sides: &Sides,
    options: &BenchOptions,
    wire: Wire,
    side: &mut SideTotals,
) -> Result<()> {
    let start = Instant::now();
    let mut tls = unbuffered::accept(sides.server.clone(), wire.polling(options.poll))?;
    side.connect += start.elapsed();
    side.connections += 1;
    let mut data = vec![0; options.packet];
    loop {
        let start = Instant::now();
        let n = tls.read(&mut data)?;
        if n == 0 {
            return Ok(());
        }
        let received = Instant::now();
        tls.write_all(&data[..n])?;
        side.rx += received - start;
        side.tx += received.elapsed();
        side.bytes += 2 * n as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base;
    use crate::setup::{SUITE, Setup, Shown};
    use crate::testpki;

    fn sides(group: &str, pki: &testpki::TestPki, shown: Shown) -> Option<Sides> {
        let setup = Setup::new((base::choose(None).ok()?.provider)(), Duration::ZERO);
        Some(Sides::new(&setup.provider(group).unwrap(), pki, shown, 1).unwrap())
    }

    #[test]
    fn both_sides_count_the_same() {
        let Some(sides) = sides("KYBER_LEVEL1", &testpki::P256, Shown::Both) else { return };
        for transport in [Transport::Sockets, Transport::Memory] {
            for cores in [Cores::One, Cores::Two] {
                let time = Duration::from_millis(20);
                let size = 40_000;
                for poll in [0, 100].map(Duration::from_micros) {
                    let packet = BenchOptions::default().packet;
                    let options = BenchOptions { time, size, packet, transport, poll, cores };
                    let BenchOutcome { server, client, elapsed } = run(&sides, &options).unwrap();
                    assert!(client.connections > 0 && elapsed >= time);
                    assert_eq!(server.connections, client.connections);
                    assert_eq!(client.bytes, 80_000 * client.connections);
                    assert_eq!(server.bytes, client.bytes);
                }
            }
        }
    }

    /// Each connection takes a share, and a refill replaces two.
    #[test]
    fn ready_shares_are_used() {
        let Ok(base) = base::choose(None) else { return };
        let setup = Setup::new((base.provider)(), Duration::ZERO);
        let (provider, pool) = setup.pooled("MLKEM512", SUITE, 4).unwrap();
        let sides = Sides::new(&provider, &testpki::P256, Shown::Server, 0).unwrap();
        let sides = Sides { pool: Some(pool.clone()), ..sides };
        let options = BenchOptions { time: Duration::from_millis(20), ..BenchOptions::default() };
        for _ in 0..3 {
            let before = pool.ready() as u64;
            let made = run(&sides, &options).unwrap().client.connections;
            assert_eq!(pool.ready() as u64, 4 - (4 - before + made) % 2);
        }
    }

    #[test]
    fn a_curve_of_no_base_connects() {
        let rsa = &testpki::RSA_2048;
        let Some(sides) = sides("ECC_SECP521R1", rsa, Shown::Server) else { return };
        let options = BenchOptions { time: Duration::from_millis(1), ..BenchOptions::default() };
        assert!(run(&sides, &options).unwrap().client.connections > 0);
    }

    /// Checks that the thread is pinned to one core, and only that thread.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_thread_is_held_on_one_core() {
        use rustix::thread::sched_getaffinity;
        let count = || sched_getaffinity(None).unwrap().count();
        let before = count();
        let inside = thread::spawn(move || on_core(Cores::One, |side| side(), || Ok(count())));
        assert_eq!(inside.join().unwrap().unwrap(), 1);
        assert_eq!(count(), before);
    }
}
