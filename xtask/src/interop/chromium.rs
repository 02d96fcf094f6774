//! Chromium without a window, as a client of `oaklath server`: it prints the page about the
//! connection.

use std::{path::PathBuf, process::Command};

use anyhow::Result;
use oaklath_params::group;

use super::{
    build::missing,
    chains,
    peer::{Combination, Expected, Peer, Role, Side, Site},
};
use crate::shell::{capture, command};

pub(super) struct Chromium;

/// SHA-256 of the key of `certs/p256_server_cert.pem`, in Base64: the one key that is trusted.
const KEY: &str = "z2FDg3qTAep9661/aQ81zeDonRl/usZpyDWjsDhN74g=";

impl Peer for Chromium {
    fn name(&self) -> &'static str {
        "chromium"
    }

    fn title(&self) -> String {
        "Chromium".into()
    }

    fn version(&self) -> Option<String> {
        let version = capture(&mut command("chromium", "--version")).ok()?;
        version.split_whitespace().nth(1).map(str::to_owned)
    }

    fn about(&self) -> &'static str {
        "Debian's package, without a window: it gets the page of `oaklath server`, which names the group. The \
         server does not ask for a certificate; the browser, which is a client only, trusts the key of the server's."
    }

    fn combinations(&self) -> Vec<Combination> {
        vec![Combination {
            role: Role::Client,
            group: &group::X25519MLKEM768,
            chain: &chains::P256,
            expected: Expected::Connects,
        }]
    }

    fn missing(&self) -> Option<String> {
        missing(&[("chromium", "chromium")])
    }

    fn program(&self, _: &Site) -> PathBuf {
        "/usr/bin/chromium".into()
    }

    fn build(&self, _: &Site) -> Result<()> {
        Ok(())
    }

    fn side(&self, site: &Site, combination: &Combination, port: u16) -> Side {
        let mut command = Command::new("chromium");
        // As root it has no sandbox; it loads nothing but our page.
        command.args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]);
        command.arg(format!("--user-data-dir={}", site.folder.join("chromium").display()));
        command.arg(format!("--ignore-certificate-errors-spki-list={KEY}"));
        command.args(["--dump-dom", &format!("https://127.0.0.1:{port}/")]);
        let says = vec![format!("SSL curve name is {}", combination.group.name)];
        Side { says, ..Side::new(command) }
    }

    fn ours(&self, site: &Site, combination: &Combination, port: u16) -> Side {
        let mut side = site.ours(combination, port);
        // A browser opens as many connections as it wants.
        side.command.args(["-d", "-i", "-g"]);
        side.says.retain(|line| !line.starts_with("peer's certificate"));
        side.endless = true;
        side
    }
}
