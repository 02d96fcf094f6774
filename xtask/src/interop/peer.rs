//! Peers: the combinations that one supports, how it is built, and the programs of its two roles.

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
    /// Returns its spelling in flags and names of files.
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
    /// The only group that both sides support.
    pub(super) group: &'static GroupInfo,
    /// The chain with which both sides authenticate.
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

/// Returns every group with every chain in both roles.
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
    /// Returns the name by which `cargo xtask interop NAME` calls it.
    fn name(&self) -> &'static str;

    /// Returns its name and, if we choose the version, that.
    fn title(&self) -> String;

    /// Returns the installed version, if we do not choose it.
    fn version(&self) -> Option<String> {
        None
    }

    /// Returns the description above its results.
    fn about(&self) -> &'static str;

    /// Returns all combinations that it supports, and those that it rejects for good reason.
    fn combinations(&self) -> Vec<Combination>;

    /// Returns the chains that it verifies without a connection.
    fn verifies(&self) -> &'static [&'static Chain] {
        &[]
    }

    /// Returns an error unless it accepts the chain, and rejects it with a changed signature.
    fn verify(&self, _: &Site, _: &Chain) -> Result<()> {
        Ok(())
    }

    /// Returns why it cannot be built or run on this machine, if it cannot.
    fn missing(&self) -> Option<String>;

    /// Reports whether building it anew takes only seconds and no network.
    fn is_quickly_built(&self) -> bool {
        false
    }

    /// Returns the file that [`build`](Self::build) makes.
    fn program(&self, site: &Site) -> PathBuf;

    /// Fetches and builds what is still missing.
    fn build(&self, site: &Site) -> Result<()>;

    /// Returns the peer's program in its role; `port` is the server's.
    fn side(&self, site: &Site, combination: &Combination, port: u16) -> Side;

    /// Returns our program in the other role.
    fn ours(&self, site: &Site, combination: &Combination, port: u16) -> Side {
        site.ours(combination, port)
    }
}

/// The paths of everything.
pub(super) struct Site {
    /// The target folder of cargo.
    pub(super) target: PathBuf,
    /// The folder of the peers' sources and programs, with a subfolder for each.
    pub(super) folder: PathBuf,
    /// The test PKI.
    pub(super) certs: PathBuf,
    /// The program `oaklath`.
    pub(super) oaklath: PathBuf,
}

impl Site {
    /// Returns our program in the role that the peer does not have, and what it must print.
    pub(super) fn ours(&self, combination: &Combination, port: u16) -> Side {
        let role = combination.role.other();
        flags(&self.oaklath, &Combination { role, ..*combination }, self, port)
    }
}

/// Returns a program of `tools/interop/` or ours, which share flags and printouts.
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

/// The files that one side shows, and those that it trusts.
pub(super) struct Files {
    pub(super) root: PathBuf,
    pub(super) cert: PathBuf,
    pub(super) key: PathBuf,
}

/// A program that is about to run, and what it must print.
pub(super) struct Side {
    pub(super) command: Command,
    /// How a server reports its port.
    pub(super) port: Port,
    /// The text that it gets on standard input.
    pub(super) input: &'static str,
    /// Lines that it must print on standard output or standard error, in upper or lower case.
    pub(super) says: Vec<String>,
    /// Whether it is a server that does not end by itself.
    pub(super) endless: bool,
}

/// How a server reports the port that the system gave it.
pub(super) enum Port {
    /// In a line with this beginning.
    Line(&'static str),
    /// In a file, which does not exist before.
    File(PathBuf),
}

impl Side {
    /// Returns a side that gets no input, prints what our programs print, and ends.
    pub(super) fn new(command: Command) -> Self {
        let port = Port::Line("listening on ");
        Self { command, port, input: "", says: Vec::new(), endless: false }
    }
}
