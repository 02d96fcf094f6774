//! The command line of Oaklath: the program `oaklath`.
//!
//! ```console
//! $ oaklath keygen ML-DSA-65 --public alice.pub --secret alice.key
//! $ oaklath sign --secret alice.key --message letter --output letter.sig
//! $ oaklath verify --public alice.pub --message letter --signature letter.sig
//! ML-DSA-65: signature verifies
//! ```
//!
//! [`run`] is the whole program:
//!
//! ```
//! # #[cfg(feature = "tools")] {
//! let code = oaklath_cli::run(["oaklath", "list", "groups"].map(Into::into));
//! assert_eq!(code, std::process::ExitCode::SUCCESS);
//! # }
//! ```
//!
//! The library has no stable interface: it is shared with the workspace's own tools, which use its
//! connections to measure and its operations to check. Without the feature `tools` the program has
//! only the commands `server` and `client`.
//!
//! Results go to standard output; `error:` and, where it helps, `hint:` go to standard error. Exit
//! codes: 0 success, 1 failure, 2 wrong command line, 3 rejected state of a stateful key, 130
//! interruption.

/// Declares subcommands, each with its arguments and the function that runs it.
#[cfg(feature = "tools")]
macro_rules! commands {
    ($(#[$of_enum:meta])* $vis:vis enum $name:ident {
        $($(#[$meta:meta])* $command:ident($args:ty) => $run:path;)*
    }) => {
        $(#[$of_enum])*
        #[derive(Debug, clap::Subcommand)]
        $vis enum $name {
            $($(#[$meta])* $command($args),)*
        }

        impl $name {
            pub(crate) fn run(&self) -> anyhow::Result<()> {
                match self {
                    $(Self::$command(args) => $run(args),)*
                }
            }
        }
    };
}

pub mod base;
mod capture;
mod client;
mod connection;
pub mod failure;
mod input;
mod peer;
mod server;
pub mod testpki;
pub mod text;
pub mod wire;

#[cfg(feature = "tools")]
mod cert;
#[cfg(feature = "tools")]
mod completions;
#[cfg(feature = "tools")]
mod conversation;
#[cfg(feature = "tools")]
pub mod curve_group;
#[cfg(feature = "tools")]
mod demo;
#[cfg(feature = "tools")]
mod encapsulation;
#[cfg(feature = "tools")]
mod files;
#[cfg(feature = "tools")]
mod hbs;
#[cfg(feature = "tools")]
mod keygen;
#[cfg(feature = "tools")]
mod keys;
#[cfg(feature = "tools")]
mod list;
#[cfg(feature = "tools")]
pub mod machine;
#[cfg(feature = "tools")]
pub mod prehash;
#[cfg(feature = "tools")]
pub mod progress;
#[cfg(feature = "tools")]
pub mod selftest;
#[cfg(feature = "tools")]
pub mod setup;
#[cfg(feature = "tools")]
mod signature;
#[cfg(feature = "tools")]
mod speed;
#[cfg(feature = "tools")]
pub mod table;
#[cfg(feature = "tools")]
pub mod tls_bench;
#[cfg(feature = "tools")]
mod tools;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Post-quantum cryptography and quantum-safe TLS 1.3
#[derive(Parser)]
#[command(name = "oaklath", version, max_term_width = 80, subcommand_required = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    #[cfg(feature = "tools")]
    #[command(flatten)]
    Tool(Box<tools::ToolCommand>),
    /// Run a TLS server with the options of wolfSSL's example server
    Server(server::ServerArgs),
    /// Connect over TLS with the options of wolfSSL's example client
    Client(client::ClientArgs),
}

/// Runs a command line, whose first argument is the name of the program.
#[must_use]
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    // A wrong command line ends here, with exit code 2.
    let result = match Cli::parse_from(args).command {
        #[cfg(feature = "tools")]
        Command::Tool(command) => command.run(),
        Command::Server(args) => server::run(&args),
        Command::Client(args) => client::run(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failure::report(&error),
    }
}
