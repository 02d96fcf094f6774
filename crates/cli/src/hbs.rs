//! `oaklath hbs`: stateful hash-based signatures, whose one-time keys a store counts.

mod database;
mod issuer;
mod key;
mod message;
mod sign;
mod state;
mod store;

pub(crate) use issuer::{StatefulIssuer, secret_file};
pub(crate) use store::StoreArgs;

/// The text below the help.
pub(crate) const STATE: &str = "\
Each signature uses up a one-time key, and one that signs twice is broken. The
store counts them, in `<secret>.state` unless `--store` says otherwise. Copy
the secret key as you like, but never restore its state from a backup: see
`oaklath hbs advance --help`. Exit code 3: the store gives no one-time key,
since the state is rejected, in use, or used up.

                                --no-anchor  by default   --anchor on  database
                                                          another disk
crash, kill, failed write       no reuse     no reuse     no reuse     no reuse
two processes, fork, two names  no reuse     no reuse     no reuse     no reuse
state changed while open        stops        stops        stops        stops
state copied to another file    rejected     rejected     rejected     rejected
old copy written over it        NOT NOTICED  rejected     rejected     no reuse
disk restored                   NOT NOTICED  NOT NOTICED  rejected     no reuse
machine restored or cloned      NOT NOTICED  NOT NOTICED  rejected     no reuse

In the last two rows, \"rejected\" holds if the anchor was not restored or cloned
with the rest, and \"no reuse\" holds if no signer ran. A move to another disk is
a copy; a state that is renamed on its disk signs on. Old copies of a state that
was begun with --no-anchor are rejected only if --anchor is given each time.";

commands! {
    /// A subcommand of `oaklath hbs`.
    pub(crate) enum HbsCommand {
        /// Make a key pair, and its state
        Keygen(key::Keygen) => key::keygen;
        /// Sign a message, or many
        Sign(sign::HbsSign) => sign::sign;
        /// Verify the signature of a message: LMS, HSS, XMSS or XMSS^MT
        Verify(sign::HbsVerify) => sign::verify;
        /// Tell how many signatures are left
        Status(state::StatusArgs) => state::status;
        /// Give signatures to another store of the same key, for another machine
        Reserve(state::Reserve) => state::reserve;
        /// Give up signatures, and resume after the state was rejected
        Advance(state::Advance) => state::advance;
        /// Go on signing with a state that was moved to this machine or file
        #[command(
            after_help = state::ADOPT,
            override_usage = "oaklath hbs adopt [OPTIONS] -s <FILE>"
        )]
        Adopt(store::StateArgs) => state::adopt;
        /// Lease from a database with this machine, for the first time
        #[command(
            after_help = state::JOIN,
            override_usage = "oaklath hbs join [OPTIONS] -s <FILE> --store <STORE>"
        )]
        Join(store::StateArgs) => state::join;
        /// Write a secret key anew, with a checksum if it had none, and its nodes
        #[command(
            after_help = key::REWRITE,
            override_usage = "oaklath hbs rewrite [OPTIONS] -s <FILE>"
        )]
        Rewrite(store::StateArgs) => key::rewrite;
        /// Write the public key of a secret key
        ExportPub(key::ExportPub) => key::export_public;
    }
}
