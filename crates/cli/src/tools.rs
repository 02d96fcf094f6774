//! All commands except `server` and `client`.

use crate::cert::{self, CertCommand};
use crate::hbs::{self, HbsCommand};
use crate::{
    completions, demo, encapsulation, keygen, list, selftest, signature, speed, tls_bench,
};

commands! {
    /// A command of the feature `tools`.
    pub(crate) enum ToolCommand {
        /// Make two quantum-safe TLS 1.3 connections over loopback sockets
        Demo(demo::DemoArgs) => demo::run;
        /// List algorithms and TLS groups: names, sizes, identifiers
        List(list::ListArgs) => list::run;
        /// Make a key pair of a KEM or a signature scheme
        Keygen(keygen::KeygenArgs) => keygen::run;
        /// Make a shared secret and its ciphertext for a public key
        Encap(encapsulation::Encap) => encapsulation::encap;
        /// Recover the shared secret of a ciphertext with the secret key
        Decap(encapsulation::Decap) => encapsulation::decap;
        /// Sign a message
        Sign(signature::Sign) => signature::sign;
        /// Verify the signature of a message
        Verify(signature::Verify) => signature::verify;
        /// Sign with stateful keys, LMS and XMSS, and keep their state
        #[command(subcommand, after_help = hbs::STATE)]
        Hbs(HbsCommand) => HbsCommand::run;
        /// Make, verify and explain certificates; convert keys
        #[command(subcommand, after_help = cert::EXAMPLE)]
        Cert(CertCommand) => CertCommand::run;
        /// Check the algorithms of this build against known answers
        Selftest(selftest::SelftestArgs) => selftest::run;
        /// Measure how fast the algorithms are on this machine
        Speed(speed::SpeedArgs) => speed::run;
        /// Measure TLS connections with the options of wolfSSL's `tls_bench`
        TlsBench(tls_bench::TlsBenchArgs) => tls_bench::run;
        /// Print a script that completes commands in a shell
        #[command(display_order = 100)] // last, after `server` and `client`
        Completions(completions::CompletionsArgs) => completions::run;
    }
}
