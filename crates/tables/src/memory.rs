//! Heap and stack of a connection, role by role, and the stack of bare operations.
//!
//! The program needs [`oaklath_measure::CountingAllocator`] as its allocator.

use std::io::{Read, Write};
use std::thread;

use anyhow::{Context, Result, anyhow};
#[cfg(unix)]
use oaklath_measure::on_painted_stack;
use oaklath_measure::{Allocations, count_allocations};
use oaklath_sig::{Message, derived_coins};
use oaklath_tls::unbuffered::{accept, connect};

use crate::pki::{self, Pki};
use crate::published::{TLS_MEMORY, number};
use crate::report::{Cell, RATIO, Table};
use crate::setup::{Setup, Shown, Sides};
use crate::wire::{Transport, Wire};

/// Stack of the measured threads: what goes beyond it ends the program.
const ROOM: usize = 4 << 20;

/// What a role took.
#[derive(Clone, Copy, Debug)]
pub struct Used {
    /// Stack, where it can be measured.
    pub stack: Option<usize>,
    /// Heap of the connection.
    pub heap: Allocations,
}

/// Which side of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Server,
    Client,
}

/// Makes a connection, with one message each way, on threads of their own, and measures one of them.
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

/// Without painted stacks: a thread all the same, since counts are a thread's.
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

/// What a row of the published table is of.
struct Subject {
    pki: &'static Pki,
    group: &'static str,
}

impl Subject {
    fn new(setting: &str, name: &'static str) -> Result<Self> {
        let (authentication, group) = match setting {
            "signature_with_secp256r1" => (name, "SECP256R1"),
            _ => ("RSA 2048", name),
        };
        let spelled = if authentication == "RSA 2048" { "RSA 2048 bit" } else { authentication };
        let pki = pki::by_published(spelled);
        Ok(Self { pki: pki.with_context(|| format!("no certificates of {spelled}"))?, group })
    }
}

/// Measured once before: what a process prepares once is no part of a connection.
fn both_roles(setup: &Setup, subject: &Subject) -> Result<(Used, Used, Allocations)> {
    let provider = setup.provider(subject.group)?;
    let new = || Sides::new(&provider, subject.pki, Shown::Server, 0);
    drop(new()?);
    let (sides, configuration) = count_allocations(new);
    let sides = sides?;
    measure(&sides, Role::Server)?;
    Ok((measure(&sides, Role::Server)?, measure(&sides, Role::Client)?, configuration))
}

/// The published rows beside ours.
///
/// # Errors
/// If a connection fails.
///
/// # Panics
/// If the program has another allocator.
pub fn table(setup: &Setup) -> Result<Table> {
    let mut table = Table::new(
        "memory",
        "Memory of a connection",
        &[
            "published setting",
            "role",
            "name",
            "published, stack",
            "stack",
            "published, allocations",
            "allocations",
            "published, heap total",
            "heap total",
            "published, heap peak",
            "heap peak",
            "configuration",
            RATIO,
            "stack ratio",
        ],
    );
    for note in NOTES {
        table = table.note(*note);
    }
    let mut known: Vec<(&str, &str, (Used, Used, Allocations))> = Vec::new();
    for [setting, role, name, stack, allocations, total, peak] in TLS_MEMORY.rows::<7>()? {
        let same = |(s, n, _): &&(&str, &str, _)| (*s, *n) == (setting, name);
        let (server, client, configuration) = match known.iter().find(same) {
            Some((_, _, measured)) => *measured,
            None => {
                let subject = Subject::new(setting, name)?;
                let measured = both_roles(setup, &subject);
                let measured = measured.with_context(|| format!("{setting}, {name}"))?;
                known.push((setting, name, measured));
                measured
            }
        };
        let Used { stack: ours, heap } = if role == "server" { server } else { client };
        let [stack, allocations, total, peak] = [stack, allocations, total, peak].map(number);
        let (stack, peak) = (stack?, peak?);
        table.push(vec![
            Cell::text(setting),
            Cell::text(role),
            Cell::text(name),
            Cell::Number(stack, 0),
            ours.map_or(Cell::Nothing, Cell::count),
            Cell::Number(allocations?, 0),
            Cell::count(heap.count),
            Cell::Number(total?, 0),
            Cell::count(heap.bytes),
            Cell::Number(peak, 0),
            Cell::count(heap.peak),
            Cell::count(configuration.kept),
            Cell::Number(peak / heap.peak as f64, 2),
            Cell::some(ours.map(|ours| stack / ours as f64), 2),
        ]);
    }
    Ok(table)
}

const NOTES: &[&str] = &[
    "In bytes, of one connection over sockets with one message each way, after the configurations are built; what \
     these keep (both together, keys expanded for all their signatures) stands beside it. The stack is that of a thread \
     of its own, painted beforehand; heap is what the thread of the role asks of Rust's allocator: what C code of a \
     base provider takes from `malloc` is not seen. The ratio is that of the heap's peak.",
    "The server alone shows a certificate, here and, as far as the figures tell, there: a published server allocates a \
     quarter as often as a client, and the stack of a published client is the same for Falcon-512 and Falcon-1024, so \
     that it does not sign.",
    "Like for like as far as roles and certificates go. A configuration here serves any number of connections; in \
     the published figures each has its own.",
];

/// The stack of bare operations, with everything they read and write allocated beforehand.
///
/// # Errors
/// If one fails.
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
