//! tlslite-ng, TLS in plain Python, by the program in `tools/interop/tlslite`.

use std::{path::PathBuf, process::Command};

use anyhow::Result;
use oaklath_params::group::{self, GroupInfo};

use super::{
    build::missing,
    chains,
    peer::{Combination, Peer, Side, Site, flags, product},
};
use crate::shell::{command, run};

pub(super) struct Tlslite;

const GROUPS: &[&GroupInfo] =
    &[&group::SECP256R1MLKEM768, &group::X25519MLKEM768, &group::SECP384R1MLKEM1024];

/// The packages from `PyPI`; the second one is its ML-KEM.
const PACKAGES: &str = "tlslite-ng==0.8.2 kyber-py==1.2.0";

impl Peer for Tlslite {
    fn name(&self) -> &'static str {
        "tlslite"
    }

    fn title(&self) -> String {
        "tlslite-ng 0.8.2".into()
    }

    fn about(&self) -> &'static str {
        "From PyPI, with kyber-py, by the program in `tools/interop/tlslite`. It proves that it has its certificate's key \
         and checks that we have ours, but verifies no chains. Its certificates are classical."
    }

    fn combinations(&self) -> Vec<Combination> {
        product(GROUPS, chains::CLASSICAL)
    }

    fn missing(&self) -> Option<String> {
        missing(&[("python3", "python3-venv")])
    }

    fn program(&self, site: &Site) -> PathBuf {
        site.folder.join("tlslite-0.8.2/bin/tlsdb.py")
    }

    fn build(&self, site: &Site) -> Result<()> {
        if self.program(site).exists() {
            return Ok(());
        }
        run(command("python3", "-m venv").arg(site.folder.join("tlslite-0.8.2")))?;
        let pip = python(site);
        run(&mut command(&pip.to_string_lossy(), &format!("-m pip install --quiet {PACKAGES}")))
    }

    fn side(&self, site: &Site, combination: &Combination, port: u16) -> Side {
        let mut side = flags(&python(site), combination, site, port);
        let mut command = Command::new(python(site));
        command.arg("tools/interop/tlslite/peer.py").args(side.command.get_args());
        side.command = command;
        // It does not parse names.
        side.says.retain(|line| !line.starts_with("peer's certificate"));
        side
    }
}

/// Returns the interpreter that has the packages.
fn python(site: &Site) -> PathBuf {
    site.folder.join("tlslite-0.8.2/bin/python")
}
