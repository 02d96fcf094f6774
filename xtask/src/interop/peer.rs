//! What a peer is: the combinations that it supports, how it is built, and the programs of its two
//! roles.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::Result;
use oaklath_params::group::GroupInfo;

use super::chains::Chain;

/// Which side of a connection the peer is. Ours is the other one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Server,
    Client,
}

impl Role {
    /// As flags and names of files spell it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Client => "client",
        }
    }

    pub(super) fn other(self) -> Self {
        match self {
            Self::Server => Self::Client,
            Self::Client => Self::Server,
        }
    }
}

/// One connection to try.
#[derive(Clone, Copy, Debug)]
pub(super) struct Combination {
    /// The peer's role.
    pub(super) role: Role,
    /// The only group that both sides know.
    pub(super) group: &'static GroupInfo,
    /// What both sides authenticate with.
    pub(super) chain: &'static Chain,
    pub(super) expected: Expected,
}

/// How a connection must end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expected {
    /// Both sides have authenticated the other and negotiated the group.
    Connects,
    /// One side rejects, with `says` among its errors.
    Refuses { says: &'static str, because: &'static str },
}

/// Every group with every chain in both roles.
pub(super) fn product(
    groups: &[&'static GroupInfo],
    chains: &[&'static Chain],
) -> Vec<Combination> {
    let expected = Expected::Connects;
    let mut all = Vec::new();
    for &group in groups {
        for &chain in chains {
            all.extend([Role::Server, Role::Client].map(|role| Combination {
                role,
                group,
                chain,
                expected,
            }));
        }
    }
    all
}

/// Another implementation of TLS.
pub(super) trait Peer: Sync {
    /// As `cargo xtask interop NAME` calls it.
    fn name(&self) -> &'static str;

    /// Name and, where it is ours to choose, version.
    fn title(&self) -> String;

    /// The version that is installed, where it is not ours to choose.
    fn version(&self) -> Option<String> {
        None
    }

    /// What is said of it above its results.
    fn about(&self) -> &'static str;

    /// Everything that it supports, and what it rejects with reason.
    fn combinations(&self) -> Vec<Combination>;

    /// Chains that it verifies without a connection.
    fn verifies(&self) -> &'static [&'static Chain] {
        &[]
    }

    /// An error unless it takes the chain, and rejects it with a changed signature.
    fn verify(&self, _: &Site, _: &Chain) -> Result<()> {
        Ok(())
    }

    /// Why it cannot be built or run on this machine, if so.
    fn missing(&self) -> Option<String>;

    /// Whether building anew takes seconds and no network.
    fn is_quickly_built(&self) -> bool {
        false
    }

    /// The file that [`build`](Self::build) leaves.
    fn program(&self, site: &Site) -> PathBuf;

    /// Fetches and builds what is not there yet.
    fn build(&self, site: &Site) -> Result<()>;

    /// The peer's program in its role; `port` is where the server listens.
    fn side(&self, site: &Site, combination: &Combination, port: u16) -> Side;

    /// Our program in the other role.
    fn ours(&self, site: &Site, combination: &Combination, port: u16) -> Side {
        site.ours(combination, port)
    }
}

/// Where everything is.
pub(super) struct Site {
    /// Where cargo builds.
    pub(super) target: PathBuf,
    /// Sources and programs of the peers, a folder each.
    pub(super) folder: PathBuf,
    /// The test PKI.
    pub(super) certs: PathBuf,
    /// The program `oaklath`.
    pub(super) oaklath: PathBuf,
}

impl Site {
    /// Our program in the role that the peer does not have, and what it must print.
    pub(super) fn ours(&self, combination: &Combination, port: u16) -> Side {
        let role = combination.role.other();
        flags(&self.oaklath, &Combination { role, ..*combination }, self, port)
    }
}

/// A program with the flags of ours and its printouts, as those in `tools/interop/` are.
pub(super) fn flags(program: &Path, own: &Combination, site: &Site, port: u16) -> Side {
    let Combination { role, group, chain, .. } = own;
    let mut command = Command::new(program);
    command.args([role.name(), "-h", "127.0.0.1", "-p", &port.to_string()]);
    command.args(["--pqc", &group.codepoint.to_string()]);
    let files = chain.files(site, *role);
    command.arg("-A").arg(&files.root).arg("-c").arg(&files.cert).arg("-k").arg(&files.key);
    let says = vec![
        format!("peer's certificate: {}", chain.subject(role.other())),
        format!("SSL curve name is {}", group.name),
    ];
    Side { says, ..Side::new(command) }
}

/// What one side shows, and what it trusts.
pub(super) struct Files {
    pub(super) root: PathBuf,
    pub(super) cert: PathBuf,
    pub(super) key: PathBuf,
}

/// A program that is about to run, and what it must print.
pub(super) struct Side {
    pub(super) command: Command,
    /// How a server tells its port.
    pub(super) port: Port,
    /// What is typed into it.
    pub(super) input: &'static str,
    /// Lines, on standard output or standard error. Names of groups are spelt in either case.
    pub(super) says: Vec<String>,
    /// A server that does not end by itself.
    pub(super) endless: bool,
}

/// How a server tells the port that the system gave it.
pub(super) enum Port {
    /// In a line that begins so.
    Line(&'static str),
    /// In a file, which does not exist before.
    File(PathBuf),
}

impl Side {
    /// A side that takes no input, prints what our programs print, and ends.
    pub(super) fn new(command: Command) -> Self {
        let port = Port::Line("listening on ");
        Self { command, port, input: "", says: Vec::new(), endless: false }
    }
}
