//! rustls over a base provider alone, by the program in `tools/interop/rustls`.

use std::path::PathBuf;

use anyhow::Result;
use oaklath_params::group::{self, GroupInfo};

use super::{
    build::{build_workspace, missing, program_of_workspace},
    chains,
    peer::{Combination, Peer, Side, Site, flags, product},
};

/// The peer, with one base provider.
pub(super) struct Rustls {
    pub(super) base: &'static str,
}

/// The groups of rustls over aws-lc-rs.
pub(super) const AWS_LC_RS_GROUPS: &[&GroupInfo] =
    &[&group::X25519MLKEM768, &group::SECP256R1MLKEM768, &group::MLKEM768, &group::MLKEM1024];

const GRAVIOLA_GROUPS: &[&GroupInfo] = &[&group::X25519MLKEM768];

impl Peer for Rustls {
    fn name(&self) -> &'static str {
        match self.base {
            "graviola" => "rustls-graviola",
            _ => "rustls-aws-lc-rs",
        }
    }

    fn title(&self) -> String {
        format!("rustls 0.23 with {} alone", self.base)
    }

    fn about(&self) -> &'static str {
        "By the program in `tools/interop/rustls`, which shares no code with Oaklath. The table lists all that rustls \
         supports over this base."
    }

    fn combinations(&self) -> Vec<Combination> {
        match self.base {
            "graviola" => product(GRAVIOLA_GROUPS, chains::CLASSICAL),
            _ => product(AWS_LC_RS_GROUPS, &[chains::CLASSICAL, chains::ML_DSA].concat()),
        }
    }

    fn missing(&self) -> Option<String> {
        missing(&[("cc", "gcc")])
    }

    fn program(&self, site: &Site) -> PathBuf {
        program_of_workspace(site, "interop-rustls")
    }

    fn build(&self, site: &Site) -> Result<()> {
        build_workspace(site, "rustls")
    }

    fn side(&self, site: &Site, combination: &Combination, port: u16) -> Side {
        let mut side = flags(&self.program(site), combination, site, port);
        side.command.args(["--base", self.base]);
        // It does not parse names.
        side.says.retain(|line| !line.starts_with("peer's certificate"));
        side
    }
}
