//! `oaklath`: the command line of Oaklath.
//!
//! Results go to standard output; `error:` and, where it helps, `hint:` go to standard error.
//! Exit codes: 0 it worked, 1 it failed, 2 the command line was wrong, 3 the state of a stateful key
//! was refused, 130 it was interrupted.

mod base;
mod bench;
mod cert;
mod client;
mod completions;
mod connection;
mod demo;
mod encapsulation;
mod failure;
mod files;
mod hbs;
mod keygen;
mod keys;
mod link;
mod list;
mod measured;
mod peer;
mod prehash;
mod progress;
mod selftest;
mod server;
mod signature;
mod speed;
mod table;
mod tcp;
mod text;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use oaklath_measure::CountingAllocator;

/// The system's, which counts for `oaklath memory`.
#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Post-quantum cryptography and quantum-safe TLS 1.3
#[derive(Parser)]
#[command(name = "oaklath", version, max_term_width = 80, subcommand_required = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Make two quantum-safe TLS 1.3 connections over loopback sockets
    Demo(demo::Args),
    /// List algorithms and TLS groups: names, sizes, identifiers
    List(list::Args),
    /// Make a key pair of a KEM or a signature scheme
    Keygen(keygen::Args),
    /// Make a shared secret and its ciphertext for a public key
    Encap(encapsulation::Encap),
    /// Recover the shared secret of a ciphertext with the secret key
    Decap(encapsulation::Decap),
    /// Sign a message
    Sign(signature::Sign),
    /// Verify the signature of a message
    Verify(signature::Verify),
    /// Sign with stateful keys, LMS and XMSS, and keep their state
    Hbs(hbs::Args),
    /// Make, verify and explain certificates; convert keys
    Cert(cert::Args),
    /// Check the algorithms of this build against known answers
    Selftest(selftest::Args),
    /// Measure how fast the algorithms are on this machine
    Speed(speed::Args),
    /// Measure TLS connections with the letters of wolfSSL's benchmark
    TlsBench(bench::Args),
    /// Count the bytes of TLS connections, beside the published figures
    Bytes(measured::Bytes),
    /// Measure the memory of TLS connections, beside the published figures
    Memory(measured::Memory),
    /// Measure every published table on this machine
    Tables(measured::Tables),
    /// Serve TLS with the letters of wolfSSL's example server
    Server(server::Args),
    /// Connect by TLS with the letters of wolfSSL's example client
    Client(client::Args),
    /// Print a script that completes commands in a shell
    Completions(completions::Args),
}

fn main() -> ExitCode {
    // A wrong command line ends here, with exit code 2.
    let result = match Cli::parse().command {
        Command::Demo(args) => demo::run(&args),
        Command::List(args) => list::run(&args),
        Command::Keygen(args) => keygen::run(&args),
        Command::Encap(args) => encapsulation::encap(&args),
        Command::Decap(args) => encapsulation::decap(&args),
        Command::Sign(args) => signature::sign(&args),
        Command::Verify(args) => signature::verify(&args),
        Command::Hbs(args) => hbs::run(&args),
        Command::Cert(args) => cert::run(&args),
        Command::Selftest(args) => selftest::run(&args),
        Command::Server(args) => server::run(&args),
        Command::Speed(args) => speed::run(&args),
        Command::TlsBench(args) => bench::run(&args),
        Command::Bytes(args) => measured::bytes(&args),
        Command::Memory(args) => measured::memory(&args),
        Command::Tables(args) => measured::tables(&args),
        Command::Client(args) => client::run(&args),
        Command::Completions(args) => completions::run(&args, &mut Cli::command()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failure::report(&error),
    }
}
