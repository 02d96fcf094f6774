//! Slow connections, held open by a server on loopback while others are served.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};
use oaklath_measure::{Allocations, count_allocations};
use oaklath_params::group;
use rustls::{ClientConfig, ClientConnection, ServerConfig, ServerConnection};

use crate::attacker::Client;
use crate::hash_trees::HashTree;
use crate::target::Target;
use crate::wire::{HANDSHAKE, records};

/// Handshakes of other clients, after each of which every slow peer sends a byte.
const ROUNDS: usize = 200;
/// The limit for the 99th percentile of the other clients' handshake times.
const LONGEST_P99: Duration = Duration::from_millis(50);
/// The most memory, in bytes, that a slow connection may hold.
const MOST_HELD: usize = 32 << 10;
/// A limit that no step here reaches.
const TIMEOUT: Duration = Duration::from_secs(20);

/// Holds `count` slow connections; reports whether others are served in time and none is lost.
pub(crate) fn run(count: u16, tree: Arc<HashTree>) -> Result<bool> {
    allow_sockets(2 * u64::from(count) + 100)?;
    let target = Target::new(&group::X25519MLKEM768, tree)?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let (address, stop) = (listener.local_addr()?, AtomicBool::new(false));
    let (times, memory) = thread::scope(|scope| {
        let server = scope.spawn(|| count_allocations(|| serve(&listener, &target.server, &stop)));
        let times = attack(&target, address, count);
        stop.store(true, Ordering::Relaxed);
        let (served, memory) = server.join().map_err(|_| anyhow!("the server panicked"))?;
        served.context("the server")?;
        Ok::<(Vec<Duration>, Allocations), anyhow::Error>((times?, memory))
    })?;
    let p99 = times[times.len() * 99 / 100];
    let held = memory.peak / usize::from(count);
    println!(
        "{count} slow connections held, {} others served: median {:.2} ms, p99 {:.2} ms; {} KiB each",
        times.len(),
        times[times.len() / 2].as_secs_f64() * 1e3,
        p99.as_secs_f64() * 1e3,
        held >> 10,
    );
    if p99 > LONGEST_P99 {
        println!("WRONG slow: p99 {p99:?}, more than {LONGEST_P99:?}");
    }
    if held > MOST_HELD {
        println!("WRONG slow: {held} bytes for each, more than {MOST_HELD}");
    }
    Ok(p99 <= LONGEST_P99 && held <= MOST_HELD)
}

/// Raises the limit of open files to at least `count`.
fn allow_sockets(count: u64) -> Result<()> {
    let found = rlimit::increase_nofile_limit(count)?;
    ensure!(found >= count, "{count} open files are needed, the system allows {found}");
    Ok(())
}

/// Runs slow peers and other clients in turn; at the end the slow ones complete their hello and are
/// answered. Returns the times of the others, in ascending order.
fn attack(target: &Target, address: SocketAddr, count: u16) -> Result<Vec<Duration>> {
    let hello = records(HANDSHAKE, &Client::new(target).hello.encode());
    let mut slow = Vec::with_capacity(count.into());
    for number in 0..usize::from(count) {
        let mut socket = connect(address)?;
        let sent = number % (hello.len() - ROUNDS);
        socket.write_all(&hello[..sent])?;
        slow.push((socket, sent));
    }
    let config = Arc::new(target.client.clone());
    let mut times = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let start = Instant::now();
        converse(&config, address)?;
        times.push(start.elapsed());
        for (socket, sent) in &mut slow {
            socket.write_all(&hello[*sent..*sent + 1])?;
            *sent += 1;
        }
    }
    for (socket, sent) in &mut slow {
        socket.write_all(&hello[*sent..])?;
    }
    for (socket, _) in &mut slow {
        let mut answer = [0];
        socket.read_exact(&mut answer).context("a slow peer was not answered")?;
        ensure!(answer == [HANDSHAKE], "a slow peer was rejected");
    }
    times.sort_unstable();
    Ok(times)
}

fn connect(address: SocketAddr) -> io::Result<TcpStream> {
    let socket = TcpStream::connect(address)?;
    socket.set_nodelay(true)?;
    socket.set_read_timeout(Some(TIMEOUT))?;
    socket.set_write_timeout(Some(TIMEOUT))?;
    Ok(socket)
}

/// Makes one honest connection: a handshake, a message there and back.
fn converse(config: &Arc<ClientConfig>, address: SocketAddr) -> Result<()> {
    let mut socket = connect(address)?;
    let mut tls = ClientConnection::new(config.clone(), "localhost".try_into()?)?;
    let mut stream = rustls::Stream::new(&mut tls, &mut socket);
    stream.write_all(b"ping")?;
    let mut answer = [0; 4];
    stream.read_exact(&mut answer)?;
    ensure!(&answer == b"ping", "another answer");
    Ok(())
}

/// Runs a server in one thread that polls every connection in turn, and echoes.
fn serve(listener: &TcpListener, config: &Arc<ServerConfig>, stop: &AtomicBool) -> Result<()> {
    listener.set_nonblocking(true)?;
    let mut open: Vec<(TcpStream, ServerConnection)> = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        let mut moved = false;
        while let Ok((socket, _)) = listener.accept() {
            socket.set_nonblocking(true)?;
            socket.set_nodelay(true)?;
            open.push((socket, ServerConnection::new(config.clone())?));
            moved = true;
        }
        open.retain_mut(|(socket, tls)| match advance(socket, tls) {
            Ok(progress) => {
                moved |= progress;
                true
            }
            Err(_) => false,
        });
        if !moved {
            thread::sleep(Duration::from_micros(200));
        }
    }
    Ok(())
}

/// Reads and writes what it can without waiting, and reports whether there was anything.
fn advance(socket: &mut TcpStream, tls: &mut ServerConnection) -> io::Result<bool> {
    let read = match tls.read_tls(socket) {
        Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
        Ok(_) => true,
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => false,
        Err(error) => return Err(error),
    };
    if read {
        let result = tls.process_new_packets();
        let mut plain = [0; 1024];
        while let Ok(count @ 1..) = tls.reader().read(&mut plain) {
            tls.writer().write_all(&plain[..count])?;
        }
        while tls.wants_write() {
            tls.write_tls(socket)?;
        }
        result.map_err(io::Error::other)?;
    }
    Ok(read)
}
