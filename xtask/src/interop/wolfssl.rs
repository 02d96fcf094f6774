//! wolfSSL's example server and client, on which Oaklath's command line is modelled.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{self, Command},
    sync::atomic::{AtomicU32, Ordering},
};

use anyhow::Result;
use oaklath_params::group::{self, GroupInfo};

use super::{
    build::{make, missing, run_quietly, source_of_crate},
    chains::{self, Chain},
    peer::{Combination, Expected, Peer, Port, Role, Side, Site, product},
};
use crate::shell::command;

/// The peer without session tickets, or with them: its clients then read only eight bytes of a
/// ticket's nonce, while rustls sends 32; `-T` makes `oaklath server` send none.
pub(super) struct WolfSsl {
    pub(super) has_tickets: bool,
}

/// All groups that it shares with us.
pub(super) const GROUPS: &[&GroupInfo] = &[
    &group::KYBER_LEVEL1,
    &group::KYBER_LEVEL3,
    &group::KYBER_LEVEL5,
    &group::P256_KYBER_LEVEL1,
    &group::P384_KYBER_LEVEL3,
    &group::P521_KYBER_LEVEL5,
    &group::X25519_KYBER_LEVEL1,
    &group::X25519_KYBER_LEVEL3,
    &group::P256_KYBER_LEVEL3,
    &group::MLKEM512,
    &group::MLKEM768,
    &group::MLKEM1024,
    &group::X25519MLKEM512,
    &group::SECP256R1MLKEM512,
    &group::SECP384R1MLKEM768,
    &group::SECP521R1MLKEM1024,
    &group::SECP256R1MLKEM768,
    &group::X25519MLKEM768,
    &group::SECP384R1MLKEM1024,
];

/// The chains of Falcon under today's object identifiers.
const FALCON: &[&Chain] = &[&chains::FALCON_512, &chains::FALCON_1024];

const CONFIGURE: &str = "--enable-experimental --enable-tls13 --enable-curve25519 \
    --enable-mlkem=yes,all,original --enable-mldsa --enable-falcon --enable-slhdsa=yes,sha2 \
    --enable-extra-pqc-hybrids --enable-tls-mlkem-standalone --disable-shared --enable-static";

/// wolfSSL's name of `TLS_AES_256_GCM_SHA384`.
pub(super) const SUITE: &str = "TLS13-AES256-GCM-SHA384";

impl Peer for WolfSsl {
    fn name(&self) -> &'static str {
        if self.has_tickets { "wolfssl-tickets" } else { "wolfssl" }
    }

    fn title(&self) -> String {
        if self.has_tickets { "wolfSSL 5.9.4 with session tickets" } else { "wolfSSL 5.9.4" }.into()
    }

    fn about(&self) -> &'static str {
        if self.has_tickets {
            return "The same with `--enable-session-ticket` alone, as distributions build it. Its client ends with -425 \
                at a ticket whose nonce has more than 8 bytes, and those of rustls have 32: the handshake is complete \
                then, but the connection breaks. Either wolfSSL is also built with `-DWOLFSSL_TICKET_NONCE_MALLOC`, or the \
                server sends no tickets (`send_tls13_tickets = 0`), here by `oaklath server -T`.";
        }
        "Its example programs, built from the source that the crate `wolfssl-sys` carries (GPL: processes of \
         their own, never linked). Falcon has the object identifiers and signature schemes of today, which are \
         not those of the appendix."
    }

    fn combinations(&self) -> Vec<Combination> {
        if self.has_tickets {
            return product(&[&group::X25519MLKEM768], chains::CLASSICAL);
        }
        let chains = [chains::CLASSICAL, FALCON, chains::ML_DSA, chains::SLH_DSA].concat();
        let mut all = product(GROUPS, &chains);
        // The command lines of the appendix of 2026.
        all.extend(product(&[&group::SECP521R1MLKEM1024], &[&chains::ML_DSA_44_87]));
        let expected = Expected::Refuses {
            says: "cert file",
            because: "it does not know this object identifier",
        };
        let old = product(&[&group::P521_KYBER_LEVEL5], &[&chains::FALCON_512_OLD]);
        all.extend(old.into_iter().map(|combination| Combination { expected, ..combination }));
        all
    }

    fn missing(&self) -> Option<String> {
        missing(&[
            ("autoreconf", "autoconf"),
            ("automake", "automake"),
            ("libtoolize", "libtool"),
            ("make", "make"),
            ("cc", "gcc"),
        ])
    }

    fn program(&self, site: &Site) -> PathBuf {
        self.folder(site).join("examples/client/client")
    }

    fn build(&self, site: &Site) -> Result<()> {
        let folder = self.folder(site);
        if self.program(site).exists() {
            return Ok(());
        }
        let flags = if self.has_tickets { "--enable-session-ticket" } else { "" };
        build(&folder, flags, "src/libwolfssl.la examples/server/server examples/client/client")
    }

    fn side(&self, site: &Site, combination: &Combination, port: u16) -> Side {
        let Combination { role, group, chain, .. } = combination;
        let folder = self.folder(site);
        let name = role.name();
        let mut command = Command::new(folder.join(format!("examples/{name}/{name}")));
        let files = chain.files(site, *role);
        let group_name = group.wolfssl.unwrap_or(group.name);
        command.current_dir(&folder).args(["-v", "4", "-l", SUITE, "--pqc", group_name]);
        command.args(["-p", &port.to_string()]);
        command.arg("-A").arg(&files.root).arg("-c").arg(&files.cert).arg("-k").arg(&files.key);
        let mut side = match role {
            Role::Server => server(command, &folder),
            Role::Client => {
                // The certificate must have this name.
                command.args(["-h", "localhost", "-m"]);
                Side { says: vec!["I hear you fa shizzle!".into()], ..Side::new(command) }
            }
        };
        side.says.push(format!("SSL curve name is {group_name}"));
        side
    }

    fn ours(&self, site: &Site, combination: &Combination, port: u16) -> Side {
        let mut side = site.ours(combination, port);
        if self.has_tickets && combination.role == Role::Client {
            side.command.arg("-T");
        }
        side
    }
}

impl WolfSsl {
    fn folder(&self, site: &Site) -> PathBuf {
        site.folder.join(if self.has_tickets { "wolfssl-5.9.4-tickets" } else { "wolfssl-5.9.4" })
    }
}

/// Builds these targets of its source in `folder`, with flags in addition to those of the programs.
pub(super) fn build(folder: &Path, flags: &str, targets: &str) -> Result<()> {
    source_of_crate("wolfssl-sys", "5.3.0", "wolfssl-src", folder)?;
    // The programs look for this file to find their folder, but the crate leaves it out.
    fs::write(folder.join("certs/dh2048.pem"), "")?;
    let log = |name: &str| folder.join(name);
    run_quietly(command("autoreconf", "--install").current_dir(folder), &log("autoreconf.log"))?;
    let mut configure = Command::new(folder.join("configure"));
    configure.args(CONFIGURE.split_whitespace()).args(flags.split_whitespace());
    run_quietly(configure.current_dir(folder), &log("configure.log"))?;
    make(folder, targets)
}

/// Returns a server that requires a certificate of the client.
fn server(mut command: Command, folder: &Path) -> Side {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let n = COUNT.fetch_add(1, Ordering::Relaxed);
    let ready = folder.join(format!("ready.{}.{n}", process::id()));
    command.arg("-F").arg("-R").arg(&ready);
    let says = vec!["Client message: hello wolfssl!".into()];
    Side { port: Port::File(ready), says, ..Side::new(command) }
}
