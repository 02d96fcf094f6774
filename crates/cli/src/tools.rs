//! All commands except `server` and `client`.

use anyhow::Result;
use clap::{Command, Subcommand};

use crate::{
    cert, completions, demo, encapsulation, hbs, keygen, list, selftest, signature, speed,
    tls_bench,
};

/// A command of the feature `tools`.
#[derive(Subcommand)]
pub(crate) enum ToolCommand {
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
    /// Measure TLS connections with the options of wolfSSL's `tls_bench`
    TlsBench(tls_bench::TlsBenchArgs),
    /// Print a script that completes commands in a shell
    #[command(display_order = 100)] // last, after `server` and `client`
    Completions(completions::CompletionsArgs),
}

impl ToolCommand {
    /// Runs the command; `program` describes the whole command line.
    pub(crate) fn run(&self, program: &mut Command) -> Result<()> {
        match self {
            Self::Demo(args) => demo::run(args),
            Self::List(args) => list::run(args),
            Self::Keygen(args) => keygen::run(args),
            Self::Encap(args) => encapsulation::encap(args),
            Self::Decap(args) => encapsulation::decap(args),
            Self::Sign(args) => signature::sign(args),
            Self::Verify(args) => signature::verify(args),
            Self::Hbs(args) => hbs::run(args),
            Self::Cert(args) => cert::run(args),
            Self::Selftest(args) => selftest::run(args),
            Self::Speed(args) => speed::run(args),
            Self::TlsBench(args) => tls_bench::run(args),
            Self::Completions(args) => completions::run(args, program),
        }
    }
}
