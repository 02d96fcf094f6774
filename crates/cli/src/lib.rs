//! The command line of Oaklath: the program `oaklath`.
//!
//! The library has no stable interface: it is what the program shares with the laboratory of the
//! workspace, which measures with its connections and checks with its operations.
//!
//! Results go to standard output; `error:` and, where it helps, `hint:` go to standard error. Exit
//! codes: 0 it worked, 1 it failed, 2 the command line was wrong, 3 the state of a stateful key was
//! refused, 130 it was interrupted.

pub mod base;
mod cert;
mod client;
mod completions;
mod connection;
pub mod curve_group;
mod demo;
mod encapsulation;
pub mod failure;
mod files;
mod hbs;
mod keygen;
mod keys;
mod list;
pub mod machine;
mod peer;
pub mod prehash;
pub mod progress;
pub mod selftest;
mod server;
pub mod setup;
mod signature;
mod speed;
pub mod table;
pub mod testpki;
pub mod text;
pub mod tls_bench;
pub mod wire;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

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
    Demo(demo::DemoArgs),
    /// List algorithms and TLS groups: names, sizes, identifiers
    List(list::ListArgs),
    /// Make a key pair of a KEM or a signature scheme
    Keygen(keygen::KeygenArgs),
    /// Make a shared secret and its ciphertext for a public key
    Encap(encapsulation::Encap),
    /// Recover the shared secret of a ciphertext with the secret key
    Decap(encapsulation::Decap),
    /// Sign a message
    Sign(signature::Sign),
    /// Verify the signature of a message
    Verify(signature::Verify),
    /// Sign with stateful keys, LMS and XMSS, and keep their state
    Hbs(hbs::HbsArgs),
    /// Make, verify and explain certificates; convert keys
    Cert(cert::CertArgs),
    /// Check the algorithms of this build against known answers
    Selftest(selftest::SelftestArgs),
    /// Measure how fast the algorithms are on this machine
    Speed(speed::SpeedArgs),
    /// Measure TLS connections with the letters of wolfSSL's benchmark
    TlsBench(tls_bench::TlsBenchArgs),
    /// Serve TLS with the letters of wolfSSL's example server
    Server(server::ServerArgs),
    /// Connect by TLS with the letters of wolfSSL's example client
    Client(client::ClientArgs),
    /// Print a script that completes commands in a shell
    Completions(completions::CompletionsArgs),
}

/// Runs the command line of this process.
#[must_use]
pub fn main() -> ExitCode {
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
        Command::TlsBench(args) => tls_bench::run(&args),
        Command::Client(args) => client::run(&args),
        Command::Completions(args) => completions::run(&args, &mut Cli::command()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failure::report(&error),
    }
}
