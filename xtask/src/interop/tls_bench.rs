//! wolfSSL's benchmark of connections, `tls_bench`, with the certificates of this repository and
//! one group at a time.
//!
//! It has its certificate compiled in, and runs through all its groups. So its source is compiled
//! once for each kind of certificate, with a header of ours in the place of the one that has
//! wolfSSL's certificates: it gives ours the names of those, and leaves one group to the program.

use std::{
    env::consts::ARCH,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result};
use base64ct::{Base64, Encoding};

use super::{
    build::run_quietly,
    chains::Chain,
    peer::{Role, Site},
    wolfssl,
};
use crate::shell::command;

/// Everything that makes it fast and that it leaves out unless it is asked for.
const FASTEST: &str = "--enable-sp=yes,4096,384,521 --enable-sp-asm";

/// Tells the program its group, by number.
const GROUP: &str = "TLS_BENCH_GROUP";

/// Bytes of a connection each way. With fewer the server does not hear that the time is over.
pub(super) const MESSAGE: usize = 16;

/// The folder of the library, at its fastest on this machine.
pub(super) fn build(site: &Site) -> Result<PathBuf> {
    let folder = site.folder.join("wolfssl-5.9.4-fastest");
    if !folder.join("src/.libs/libwolfssl.a").exists() {
        let assembly = match ARCH {
            "x86_64" => "--enable-intelasm",
            "aarch64" => "--enable-armasm",
            _ => "",
        };
        wolfssl::build(&folder, &format!("{FASTEST} {assembly}"), "src/libwolfssl.la")?;
    }
    Ok(folder)
}

/// The program with this chain, beside the library in `folder`.
pub(super) fn with_chain(site: &Site, folder: &Path, chain: &Chain) -> Result<PathBuf> {
    let own = folder.join("bench").join(chain.algorithm());
    let (header, program) = (own.join("wolfssl/certs_test.h"), own.join("tls_bench"));
    fs::create_dir_all(own.join("wolfssl"))?;
    fs::write(&header, header_of(site, chain)?)?;
    let mut cc = command("cc", "-O2 -w -DHAVE_CONFIG_H examples/benchmark/tls_bench.c");
    cc.current_dir(folder).arg("-I").arg(&own).args(["-I", ".", "-o"]).arg(&program);
    cc.args(["src/.libs/libwolfssl.a", "-lm", "-lpthread"]);
    run_quietly(&mut cc, &own.join("cc.log"))?;
    Ok(program)
}

/// Certificates and key under the names that the program knows, and its choice of groups.
fn header_of(site: &Site, chain: &Chain) -> Result<String> {
    let files = chain.files(site, Role::Server);
    let mut text =
        "#ifndef CERTS_OF_OAKLATH\n#define CERTS_OF_OAKLATH\n#include <stdlib.h>\n".to_owned();
    for (path, name, names) in [
        (files.root, "root", ["ca_cert_der_2048", "ca_ecc_cert_der_256"]),
        (files.cert, "certificate", ["server_cert_der_2048", "serv_ecc_der_256"]),
        (files.key, "private_key", ["server_key_der_2048", "ecc_key_der_256"]),
    ] {
        let context = || path.display().to_string();
        let pem = fs::read_to_string(&path).with_context(context)?;
        let digits: String = pem.lines().filter(|line| !line.starts_with("-----")).collect();
        let der = Base64::decode_vec(&digits).ok().with_context(context)?;
        writeln!(text, "static const unsigned char {name}[] = {{")?;
        for line in der.chunks(16) {
            writeln!(text, "{}", line.iter().map(|byte| format!("{byte},")).collect::<String>())?;
        }
        writeln!(text, "}};")?;
        for known in names {
            writeln!(text, "#define {known} {name}\n#define sizeof_{known} (sizeof {name})")?;
        }
    }
    // In parentheses the name is the function's again.
    writeln!(
        text,
        "#define wolfSSL_UseKeyShare(ssl, group) ((group) == atoi(getenv(\"{GROUP}\")) ? \
         (wolfSSL_UseKeyShare)((ssl), (group)) : BAD_FUNC_ARG)\n#endif"
    )?;
    Ok(text)
}

/// Runs it for some seconds with one group; `on_core` is what runs a command on one core.
pub(super) fn rate(mut on_core: Command, program: &Path, group: u16, seconds: u32) -> Result<f64> {
    let (size, time) = (MESSAGE.to_string(), seconds.to_string());
    on_core.arg(program).args(["-m", "-g", "-S", &size, "-p", &size, "-t", &time]);
    on_core.args(["-l", wolfssl::SUITE]).env(GROUP, group.to_string());
    let output = on_core.output().context("cannot start tls_bench")?;
    let text = String::from_utf8_lossy(&output.stderr);
    let connections = connections(&text).with_context(|| format!("tls_bench says: {text}"))?;
    Ok(connections / f64::from(seconds))
}

/// The connections of the server's line.
fn connections(text: &str) -> Option<f64> {
    let mut servers = text.lines().filter_map(|line| {
        let cells: Vec<_> = line.split_whitespace().collect();
        let ["Server", _, _, _, connections, ..] = cells[..] else {
            return None;
        };
        connections.parse().ok()
    });
    servers.next().filter(|connections| *connections > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tls_bench_prints() {
        let text = "Running TLS Benchmarks...\n\
            Side    Cipher                  Group            Total Bytes  Num Conns\n\
            Server  TLS13-AES256-GCM-SHA384 N/A                      700        350  1.0  2.0\n\
            Client  TLS13-AES256-GCM-SHA384 N/A                      700        351  1.0  2.0\n";
        assert_eq!(connections(text), Some(350.0));
        assert_eq!(connections(&text.replace("350", "0")), None);
        assert_eq!(connections("error connecting client\n"), None);
    }
}
