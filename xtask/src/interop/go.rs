//! Go's crypto/tls, by the program in `tools/interop/go`.

use std::{env::consts::EXE_SUFFIX, path::PathBuf};

use anyhow::Result;
use oaklath_params::group::{self, GroupInfo};

use super::{
    chains,
    peer::{Combination, Peer, Side, Site, flags, product},
};
use crate::shell::{capture, command, run};

pub(super) struct Go;

/// The post-quantum groups of Go 1.26.
const GROUPS: &[&GroupInfo] =
    &[&group::SECP256R1MLKEM768, &group::X25519MLKEM768, &group::SECP384R1MLKEM1024];

/// The first Go with all of them; `tools/interop/go/go.mod` has the same.
const FIRST: (u32, u32) = (1, 26);

impl Peer for Go {
    fn name(&self) -> &'static str {
        "go"
    }

    fn title(&self) -> String {
        "Go".into()
    }

    fn version(&self) -> Option<String> {
        let version = capture(command("go", "env GOVERSION").env("GOTOOLCHAIN", "local"));
        version.ok().map(|version| version.trim().to_owned())
    }

    fn about(&self) -> &'static str {
        "Its package `crypto/tls`, by the program in `tools/interop/go`. Its certificates are classical."
    }

    fn combinations(&self) -> Vec<Combination> {
        product(GROUPS, chains::CLASSICAL)
    }

    fn missing(&self) -> Option<String> {
        let (major, minor) = FIRST;
        let wanted = format!("go {major}.{minor} or later");
        let Some(version) = self.version() else {
            return Some(format!("`go` is not installed; it takes {wanted}"));
        };
        (numbers(&version) < Some(FIRST)).then(|| format!("it takes {wanted}, not {version}"))
    }

    fn is_quickly_built(&self) -> bool {
        true
    }

    fn program(&self, site: &Site) -> PathBuf {
        site.folder.join(format!("go-tls{EXE_SUFFIX}"))
    }

    fn build(&self, site: &Site) -> Result<()> {
        // Uses the installed tool chain; another one is never fetched.
        let mut build = command("go", "build -C tools/interop/go -o");
        run(build.arg(self.program(site)).env("GOTOOLCHAIN", "local"))
    }

    fn side(&self, site: &Site, combination: &Combination, port: u16) -> Side {
        flags(&self.program(site), combination, site, port)
    }
}

/// Parses `go1.26.8` as 1.26; returns none for unnumbered versions, such as development ones.
fn numbers(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.trim().strip_prefix("go")?.split(|c: char| !c.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_go() {
        assert_eq!(numbers("go1.26.8\n"), Some(FIRST));
        assert_eq!(numbers("go1.27rc1"), Some((1, 27)));
        assert!(numbers("go1.9") < Some(FIRST));
        assert_eq!(numbers("devel +abc"), None);
    }
}
