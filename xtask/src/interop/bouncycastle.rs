//! Bouncy Castle's JSSE provider, by the program in `tools/interop/bouncycastle`.

use std::{path::PathBuf, process::Command};

use anyhow::Result;
use oaklath_params::group::{self, GroupInfo};

use super::{
    build::missing,
    chains,
    peer::{Combination, Peer, Side, Site, flags, product},
};
use crate::shell::{command, run};

pub(super) struct BouncyCastle;

const GROUPS: &[&GroupInfo] = &[
    &group::MLKEM512,
    &group::MLKEM768,
    &group::MLKEM1024,
    &group::SECP256R1MLKEM768,
    &group::X25519MLKEM768,
    &group::SECP384R1MLKEM1024,
];

impl Peer for BouncyCastle {
    fn name(&self) -> &'static str {
        "bouncycastle"
    }

    fn title(&self) -> String {
        "Bouncy Castle 1.84".into()
    }

    fn about(&self) -> &'static str {
        "Its JSSE provider from Maven Central, by the program in `tools/interop/bouncycastle`."
    }

    fn combinations(&self) -> Vec<Combination> {
        product(GROUPS, &[chains::CLASSICAL, chains::ML_DSA, chains::SLH_DSA].concat())
    }

    fn missing(&self) -> Option<String> {
        missing(&[("mvn", "maven"), ("javac", "default-jdk-headless")])
    }

    fn program(&self, site: &Site) -> PathBuf {
        folder(site).join("Peer.class")
    }

    fn build(&self, site: &Site) -> Result<()> {
        let folder = folder(site);
        if !folder.join("libs").exists() {
            let goal = "-q -B -f tools/interop/bouncycastle/pom.xml dependency:copy-dependencies";
            let mut copy = command("mvn", goal);
            run(copy.arg(format!("-DoutputDirectory={}", folder.join("libs").display())))?;
        }
        let mut compile = command("javac", "tools/interop/bouncycastle/Peer.java -d");
        run(compile.arg(&folder).arg("-cp").arg(folder.join("libs/*")))
    }

    fn side(&self, site: &Site, combination: &Combination, port: u16) -> Side {
        let folder = folder(site);
        let mut side = flags("java".as_ref(), combination, site, port);
        let mut command = Command::new("java");
        command.arg("-cp").arg(format!("{0}:{0}/libs/*", folder.display())).arg("Peer");
        command.args(side.command.get_args());
        side.command = command;
        // The provider does not report the group; our side supports only this one.
        side.says.retain(|line| !line.starts_with("SSL curve name"));
        side
    }
}

fn folder(site: &Site) -> PathBuf {
    site.folder.join("bouncycastle-1.84")
}
