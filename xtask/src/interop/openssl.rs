//! OpenSSL's `s_server` and `s_client`, of the first versions with ML-KEM and ML-DSA.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, ensure};
use oaklath_params::group::{self, GroupInfo};

use super::{
    build::{make, missing, run_quietly, source_of_crate},
    chains::{self, Chain},
    peer::{Combination, Peer, Port, Role, Side, Site, product},
};
use crate::shell::{capture, command};

/// One version of OpenSSL.
pub(super) struct OpenSsl {
    pub(super) name: &'static str,
    /// The versions of the crate that carries the source, and of the source.
    pub(super) versions: (&'static str, &'static str),
}

const GROUPS: &[&GroupInfo] = &[
    &group::MLKEM512,
    &group::MLKEM768,
    &group::MLKEM1024,
    &group::SECP256R1MLKEM768,
    &group::X25519MLKEM768,
    &group::SECP384R1MLKEM1024,
];

/// Options for a static build, without what is not needed here.
const CONFIGURE: &str = "no-shared no-module no-tests no-docs no-legacy";

impl Peer for OpenSsl {
    fn name(&self) -> &'static str {
        self.name
    }

    fn title(&self) -> String {
        format!("OpenSSL {}", self.versions.1)
    }

    fn about(&self) -> &'static str {
        "Its programs `s_server` and `s_client`, built from the source that the crate `openssl-src` carries. It \
         has no signature scheme of TLS for SLH-DSA, so those chains go through `openssl verify`: it takes each, \
         and rejects it when a byte of the signature is changed."
    }

    fn combinations(&self) -> Vec<Combination> {
        product(GROUPS, &[chains::CLASSICAL, chains::ML_DSA].concat())
    }

    fn verifies(&self) -> &'static [&'static Chain] {
        chains::SLH_DSA
    }

    fn verify(&self, site: &Site, chain: &Chain) -> Result<()> {
        let files = chain.files(site, Role::Server);
        let verify = |cert: &Path| {
            let mut command = command(&self.program(site).to_string_lossy(), "verify -CAfile");
            command.arg(&files.root).arg(cert).env("OPENSSL_CONF", "/dev/null");
            capture(&mut command)
        };
        verify(&files.cert)?;
        // The last line belongs to the signature, with which the certificate ends.
        let text = fs::read_to_string(&files.cert)?;
        let end = text.rfind("\n-----END").context("not PEM")?;
        let place = text[..end].rfind('\n').context("not PEM")? + 1;
        let other = if &text[place..=place] == "A" { "B" } else { "A" };
        let changed = self.folder(site).join("changed.pem");
        fs::write(&changed, [&text[..place], other, &text[place + 1..]].concat())?;
        let refused = verify(&changed).err().context("the changed signature was taken")?;
        let refused = refused.to_string();
        ensure!(refused.contains("certificate signature failure"), "{refused}");
        Ok(())
    }

    fn missing(&self) -> Option<String> {
        missing(&[("perl", "perl"), ("make", "make"), ("cc", "gcc")])
    }

    fn program(&self, site: &Site) -> PathBuf {
        self.folder(site).join(PROGRAM)
    }

    fn build(&self, site: &Site) -> Result<()> {
        let folder = self.folder(site);
        if self.program(site).exists() {
            return Ok(());
        }
        source_of_crate("openssl-src", self.versions.0, "openssl", &folder)?;
        let mut configure = Command::new(folder.join("Configure"));
        configure.args(CONFIGURE.split(' ')).current_dir(&folder);
        run_quietly(&mut configure, &folder.join("configure.log"))?;
        make(&folder, "build_generated")?;
        make(&folder, PROGRAM)
    }

    fn side(&self, site: &Site, combination: &Combination, port: u16) -> Side {
        let Combination { role, group, chain, .. } = combination;
        let mut command = Command::new(self.program(site));
        // The system's configuration is for another version.
        command.env("OPENSSL_CONF", "/dev/null");
        command.args([&format!("s_{}", role.name()), "-tls1_3", "-groups", group.name]);
        let files = chain.files(site, *role);
        command.arg("-CAfile").arg(&files.root);
        command.arg("-cert").arg(&files.cert).arg("-key").arg(&files.key);
        command.args(["-verify_return_error", "-nameopt", "RFC2253"]);
        let subject = chain.subject(role.other());
        match role {
            Role::Server => {
                // A single connection of a client with a certificate, which gets a page about it.
                command.args(["-accept", "127.0.0.1:0", "-naccept", "1", "-www", "-Verify", "1"]);
                let says = vec![format!("depth=0 {subject}")];
                Side { port: Port::Line("ACCEPT "), says, ..Side::new(command) }
            }
            Role::Client => {
                command.args(["-connect", &format!("127.0.0.1:{port}"), "-verify", "1"]);
                command.args(["-verify_hostname", "localhost", "-brief", "-ign_eof"]);
                let says = vec![
                    format!("Peer certificate: {subject}"),
                    "Verification: OK".into(),
                    format!("Negotiated TLS1.3 group: {}", group.name),
                ];
                Side { input: "hello wolfssl!\n", says, ..Side::new(command) }
            }
        }
    }

    fn ours(&self, site: &Site, combination: &Combination, port: u16) -> Side {
        let mut side = site.ours(combination, port);
        if combination.role == Role::Server {
            // The page from the server reports what the server has seen.
            side.command.arg("-g");
            side.says.push(format!("Shared groups: {}", combination.group.name));
            side.says.push("Verify return code: 0 (ok)".into());
        }
        side
    }
}

/// The path of the program below the folder of a version.
const PROGRAM: &str = "apps/openssl";

impl OpenSsl {
    fn folder(&self, site: &Site) -> PathBuf {
        site.folder.join(format!("openssl-{}", self.versions.1))
    }
}
