//! Heap and stack of a connection, role by role, and the stack of bare operations.
//!
//! The program needs [`oaklath_measure::CountingAllocator`] as its allocator.

use std::io::{Read, Write};
use std::sync::Arc;
use std::thread;

use anyhow::{Context, Result, anyhow};
use oaklath_cli::setup::{Setup, Shown, Sides};
use oaklath_cli::testpki::TestPki;
use oaklath_cli::wire::{Transport, Wire};
#[cfg(unix)]
use oaklath_measure::on_painted_stack;
use oaklath_measure::{Allocations, count_allocations};
use oaklath_sig::{Message, derived_coins};
use oaklath_tls::unbuffered::{accept, connect};
use rustls::crypto::CryptoProvider;

use crate::connections::{certificates_of, low_memory};
use crate::published::{TLS_MEMORY, number};
use crate::report::{Cell, RATIO, Table};

/// Stack of the measured threads, in bytes: an operation that needs more ends the program.
const ROOM: usize = 4 << 20;

/// The memory that a role took, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Used {
    /// Stack, where it can be measured.
    pub stack: Option<usize>,
    /// Heap of the connection.
    pub heap: Allocations,
}

/// A side of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Server,
    Client,
}

/// Makes a connection with one message each way, each role on a thread of its own, and measures one
/// of the roles.
fn measure(sides: &Sides, role: Role) -> Result<Used> {
    let (near, far) = Transport::Sockets.pair()?;
    thread::scope(|scope| {
        let (measured, other) = match role {
            Role::Server => (far, near),
            Role::Client => (near, far),
        };
        let peer = scope.spawn(move || match role {
            Role::Server => call(sides, other),
            Role::Client => serve(sides, other),
        });
        let used = painted(|| {
            count_allocations(|| match role {
                Role::Server => serve(sides, measured),
                Role::Client => call(sides, measured),
            })
        });
        peer.join().map_err(|_| anyhow!("the peer panicked"))?.context("the peer")?;
        let ((result, heap), stack) = used?;
        result.map(|()| Used { stack, heap })
    })
}

#[cfg(unix)]
fn painted<R: Send>(f: impl FnOnce() -> R + Send) -> Result<(R, Option<usize>)> {
    let painted = on_painted_stack(ROOM, f)?;
    Ok((painted.result, Some(painted.depth)))
}

/// Measures without painted stacks: still on a thread, since allocations are counted per thread.
#[cfg(not(unix))]
fn painted<R: Send>(f: impl FnOnce() -> R + Send) -> Result<(R, Option<usize>)> {
    let room = thread::Builder::new().stack_size(ROOM);
    let result = thread::scope(|scope| room.spawn_scoped(scope, f).map(|thread| thread.join()))?;
    Ok((result.map_err(|_| anyhow!("the measured thread panicked"))?, None))
}

fn call(sides: &Sides, wire: Wire) -> Result<()> {
    let mut tls = connect(sides.client.clone(), "localhost".try_into()?, wire)?;
    tls.write_all(b"hello wolfssl!")?;
    tls.flush()?;
    tls.read_exact(&mut [0; 22])?;
    Ok(tls.close()?)
}

fn serve(sides: &Sides, wire: Wire) -> Result<()> {
    let mut tls = accept(sides.server.clone(), wire)?;
    tls.read_exact(&mut [0; 14])?;
    tls.write_all(b"I hear you fa shizzle!")?;
    tls.flush()?;
    Ok(tls.close()?)
}

/// The subject of a row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Subject {
    setting: &'static str,
    name: &'static str,
}

/// The setting of the published table in which signatures vary.
const SIGNATURES: &str = "signature_with_secp256r1";

/// Certificates of today's algorithms, which have no published row.
const UNPUBLISHED: [&str; 3] = ["ML-DSA-44", "ML-DSA-65", "ML-DSA-87"];

impl Subject {
    fn pki(self) -> Result<&'static TestPki> {
        let name = match (self.setting, self.name) {
            (SIGNATURES, name) if name != "RSA 2048" => name,
            _ => "RSA 2048 bit",
        };
        certificates_of(name)
    }

    fn group(self) -> &'static str {
        if self.setting == SIGNATURES { "SECP256R1" } else { self.name }
    }

    /// Reports whether the server has a key of ours, which it may keep expanded or not.
    fn has_key_of_ours(self) -> bool {
        self.setting == SIGNATURES && self.name != "RSA 2048"
    }
}

/// The memory that the connections of a subject took.
#[derive(Clone, Copy, Debug)]
struct Measured {
    server: Used,
    client: Used,
    /// The bytes that both configurations keep.
    configuration: usize,
}

/// Measures both roles, after one connection: what a process prepares once is not counted.
fn both_roles(provider: &Arc<CryptoProvider>, pki: &TestPki) -> Result<Measured> {
    let new = || Sides::new(provider, pki, Shown::Server, 0);
    drop(new()?);
    let (sides, configuration) = count_allocations(new);
    let sides = sides?;
    measure(&sides, Role::Server)?;
    let (server, client) = (measure(&sides, Role::Server)?, measure(&sides, Role::Client)?);
    Ok(Measured { server, client, configuration: configuration.kept })
}

/// Measures with keys that are not expanded and, where that differs, with expanded ones.
fn both_ways(setup: &Setup, subject: Subject) -> Result<(Measured, Option<Measured>)> {
    let (pki, group) = (subject.pki()?, subject.group());
    let fast = both_roles(&setup.provider(group)?, pki)?;
    if !subject.has_key_of_ours() {
        return Ok((fast, None));
    }
    Ok((both_roles(&low_memory(setup, group)?, pki)?, Some(fast)))
}

const COLUMNS: &[&str] = &[
    "setting",
    "role",
    "name",
    "published, stack",
    "stack",
    "stack, expanded key",
    "published, allocations",
    "allocations",
    "published, heap total",
    "heap total",
    "published, heap peak",
    "heap peak",
    "heap peak, expanded key",
    "configuration",
    "configuration, expanded key",
    RATIO,
    "stack ratio",
];

/// Returns the published rows beside ours, and our rows for today's algorithms.
///
/// # Errors
/// If a connection fails.
///
/// # Panics
/// If the program has another allocator.
pub fn table(setup: &Setup) -> Result<Table> {
    let mut table = Table::new("memory", "Memory of a connection", COLUMNS);
    for note in NOTES {
        table = table.note(*note);
    }
    table = table.because(
        "DILITHIUM_LEVEL2",
        "verification allocates nothing: its polynomials are on the stack",
    );
    let mut known: Vec<(Subject, (Measured, Option<Measured>))> = Vec::new();
    let mut of = |subject: Subject| -> Result<(Measured, Option<Measured>)> {
        if let Some((_, measured)) = known.iter().find(|(known, _)| *known == subject) {
            return Ok(*measured);
        }
        let measured = both_ways(setup, subject).with_context(|| format!("{subject:?}"))?;
        known.push((subject, measured));
        Ok(measured)
    };
    for [setting, role, name, figures @ ..] in TLS_MEMORY.rows::<7>()? {
        let [stack, allocations, total, peak] = figures.map(number);
        let published = Some([stack?, allocations?, total?, peak?]);
        let subject = Subject { setting, name };
        table.push(row(subject, role, published, of(subject)?));
    }
    for name in UNPUBLISHED {
        let subject = Subject { setting: SIGNATURES, name };
        for role in ["server", "client"] {
            table.push(row(subject, role, None, of(subject)?));
        }
    }
    Ok(table)
}

/// Makes a row, beside the published stack, allocations, total and peak of the heap.
fn row(
    subject: Subject,
    role: &'static str,
    published: Option<[f64; 4]>,
    (small, fast): (Measured, Option<Measured>),
) -> Vec<Cell> {
    // Only the server has an expanded key.
    let server = role == "server";
    let used = |measured: Measured| if server { measured.server } else { measured.client };
    let (ours, fast) = (used(small), fast.filter(|_| server));
    let expanded = fast.map(|fast| fast.server);
    let stack = |used: Used| used.stack.map_or(Cell::Nothing, Cell::count);
    let theirs = |i: usize| published.map_or(Cell::Nothing, |figures| Cell::Number(figures[i], 0));
    let ratio = |i: usize, ours: usize| published.map(|figures| figures[i] / ours as f64);
    vec![
        Cell::text(subject.setting),
        Cell::text(role),
        Cell::text(subject.name),
        theirs(0),
        stack(ours),
        expanded.map_or(Cell::Nothing, stack),
        theirs(1),
        Cell::count(ours.heap.count),
        theirs(2),
        Cell::count(ours.heap.bytes),
        theirs(3),
        Cell::count(ours.heap.peak),
        expanded.map_or(Cell::Nothing, |used| Cell::count(used.heap.peak)),
        Cell::count(small.configuration),
        fast.map_or(Cell::Nothing, |fast| Cell::count(fast.configuration)),
        Cell::some(ratio(3, ours.heap.peak), 2),
        Cell::some(ours.stack.and_then(|depth| ratio(0, depth)), 2),
    ]
}

const NOTES: &[&str] = &[
    "In bytes, for one connection over sockets with one message each way, after the configurations are built; the \
     memory that these keep (both together) is listed separately. The stack is that of a separate thread, painted \
     beforehand; heap is what the role's thread requests from Rust's allocator: memory that C code of a base \
     provider takes from `malloc` is not counted. The ratio is that of the heap's peak.",
    "Servers with a certificate of ours sign with the bytes of their keys (`Builder::low_memory`); the columns of the \
     expanded key are the default, which is two to three times as fast and keeps the key ready for all its \
     signatures.",
    "Only the server shows a certificate, here and, as far as the figures tell, in the published runs: a published \
     server allocates a quarter as often as a client, and the stack of a published client is the same for Falcon-512 \
     and Falcon-1024, so that it does not sign.",
    "The comparison is like for like as far as roles and certificates go. A configuration here serves any number of \
     connections; in the published figures each has its own.",
];

/// Measures the stack of bare operations; all that they read and write is allocated beforehand.
///
/// # Errors
/// If an operation fails.
pub fn operations() -> Result<Table> {
    let mut table = Table::new(
        "stack",
        "Stack of bare operations",
        &[
            "algorithm",
            "key generation",
            "encapsulation or signing",
            "decapsulation or verification",
        ],
    )
    .note("In bytes, at the best level of this machine, with keys as bytes.");
    for kem in oaklath_kem::all() {
        let info = kem.info();
        let (seed, coins) = (vec![1; kem.seed_len()], vec![2; kem.coins_len()]);
        let (mut pk, mut sk) = (vec![0; info.public_key], vec![0; info.secret_key]);
        let (mut ct, mut ss) = (vec![0; info.ciphertext], vec![0; info.shared_secret]);
        let keygen = stack(|| Ok(kem.keypair_from(&seed, &mut pk, &mut sk)?))?;
        let encapsulate = stack(|| Ok(kem.encapsulate_from(&coins, &pk, &mut ct, &mut ss)?))?;
        let decapsulate = stack(|| Ok(kem.decapsulate(&sk, &ct, &mut ss)?))?;
        table.push(vec![Cell::text(info.name), keygen, encapsulate, decapsulate]);
    }
    for scheme in oaklath_sig::all() {
        let info = scheme.info();
        let seed = vec![1; scheme.seed_len()];
        let (mut pk, mut sk) = (vec![0; info.public_key], vec![0; info.secret_key]);
        let (mut signature, mut len) = (vec![0; info.signature], 0);
        let message = Message::new(b"a message");
        let keygen = stack(|| Ok(scheme.keypair_from(&seed, &mut pk, &mut sk)?))?;
        let coins = scheme.needs_coins().then(|| derived_coins(*scheme, &sk, b"a message"));
        let coins = coins.as_ref().map(|coins| coins.as_slice());
        let sign = stack(|| {
            len = scheme.sign(&sk, &message, coins, &mut signature)?;
            Ok(())
        })?;
        let verify = stack(|| Ok(scheme.verify(&pk, &message, &signature[..len])?))?;
        table.push(vec![Cell::text(info.name), keygen, sign, verify]);
    }
    Ok(table)
}

fn stack(operation: impl FnOnce() -> Result<()> + Send) -> Result<Cell> {
    let (result, stack) = painted(operation)?;
    result.map(|()| stack.map_or(Cell::Nothing, Cell::count))
}
