//! wolfSSL's benchmark of connections, `tls_bench`, with the certificates of this repository and
//! one group at a time.
//!
//! It has its certificate compiled in, and runs through all its groups. So its source is compiled
//! once for each kind of certificate, with a header of ours in place of the one with wolfSSL's
//! certificates: our header gives our certificates their names, and leaves the program one group.

use std::{
    env::consts::ARCH,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};
use base64ct::{Base64, Encoding};
use serde::Deserialize;

use super::{
    build::run_quietly,
    chains::Chain,
    peer::{Role, Site},
    wolfssl,
};
use crate::shell::command;

/// The options that make it fastest and that are off by default.
const FASTEST: &str = "--enable-sp=yes,4096,384,521 --enable-sp-asm";

/// Its sockets leave Nagle's algorithm on, by which Linux holds the first packet of a connection
/// back for 40 ms: with this they send at once, as ours do. Accepted sockets inherit that.
const AT_ONCE: &str = "#include <netinet/in.h>\n#include <netinet/tcp.h>\n#include <sys/socket.h>\n\
    static int at_once(int fd)\n{ int on = 1; return setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on); }\n\
    #define connect(fd, address, size) (at_once(fd), (connect)((fd), (address), (size)))\n\
    #define listen(fd, queue) (at_once(fd), (listen)((fd), (queue)))\n";

/// What its program calls in place of `recv`: it polls for as many microseconds as a variable says,
/// as `oaklath tls-bench --poll` does.
const POLLING: &str = "#include <errno.h>\n#include <sched.h>\n#include <stdlib.h>\n\
    #include <sys/socket.h>\n#include <time.h>\n\
    static double micros(void)\n{ struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); \
    return t.tv_sec * 1e6 + t.tv_nsec * 1e-3; }\n\
    static ssize_t polled(int fd, void *to, size_t size, int flags)\n{\n\
    static double time = -1;\n double start = micros();\n\
    if (time < 0) time = atof(getenv(\"TLS_BENCH_POLL\"));\n\
    while (micros() - start < time) {\n\
    ssize_t got = (recv)(fd, to, size, flags | MSG_DONTWAIT);\n\
    if (got >= 0 || (errno != EAGAIN && errno != EINTR)) return got;\n sched_yield();\n }\n\
    return (recv)(fd, to, size, flags);\n}\n\
    #define recv(fd, to, size, flags) polled((fd), (to), (size), (flags))\n";

/// The variable that tells the program how many microseconds to poll.
const POLL: &str = "TLS_BENCH_POLL";

/// The variable that tells the program its group, by number.
const GROUP: &str = "TLS_BENCH_GROUP";

/// Builds the library at its fastest on this machine; returns its folder.
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

/// Builds the program with this chain, beside the library in `folder`.
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

/// Returns a header with certificates and key under the names that the program uses, and its group.
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
    // In parentheses the name means the function again, not the macro.
    writeln!(
        text,
        "#define wolfSSL_UseKeyShare(ssl, group) ((group) == atoi(getenv(\"{GROUP}\")) ? \
         (wolfSSL_UseKeyShare)((ssl), (group)) : BAD_FUNC_ARG)"
    )?;
    Ok(text + AT_ONCE + POLLING + "#endif\n")
}

/// What a connection carries, and by what means.
#[derive(Clone, Copy)]
pub(super) struct Traffic {
    /// Bytes each way.
    pub(super) size: usize,
    /// Bytes of each write.
    pub(super) packet: usize,
    /// Whether it uses memory, not sockets.
    pub(super) memory: bool,
    /// The microseconds that a side polls its socket before it sleeps.
    pub(super) poll: u32,
}

impl Traffic {
    /// Almost no data. With fewer bytes the server would not notice that the time is over.
    pub(super) const HANDSHAKES: Self = Self { size: 16, packet: 16, memory: true, poll: 0 };
    /// The traffic of `tls_bench` by default.
    pub(super) const DATA: Self = Self { size: 131_072, packet: 16_384, memory: false, poll: 0 };
}

/// The figures of one side of a run.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq)]
pub(super) struct SideRates {
    pub(super) connections: f64,
    /// Megabytes (2^20) received per second of receiving, and sent per second of sending.
    #[serde(rename = "rx_mb_per_s")]
    pub(super) rx: f64,
    #[serde(rename = "tx_mb_per_s")]
    pub(super) tx: f64,
}

/// Runs it for some seconds with one group; `holder` is the command that runs a program on its
/// cores. Returns the server's figures first.
pub(super) fn rates(
    mut holder: Command,
    program: &Path,
    group: u16,
    traffic: Traffic,
    seconds: u32,
) -> Result<[SideRates; 2]> {
    let Traffic { size, packet, memory, poll } = traffic;
    holder.arg(program).args(["-g", "-l", wolfssl::SUITE]).args(memory.then_some("-m"));
    holder.args(["-S", &size.to_string(), "-p", &packet.to_string(), "-t", &seconds.to_string()]);
    holder.env(GROUP, group.to_string()).env(POLL, poll.to_string());
    let output = holder.output().context("cannot start tls_bench")?;
    let text = String::from_utf8_lossy(&output.stderr);
    let sides = [side(&text, "Server"), side(&text, "Client")];
    let [Some(server), Some(client)] = sides else { bail!("tls_bench says: {text}") };
    Ok([server, client])
}

/// Parses the figures in a side's line.
fn side(text: &str, name: &str) -> Option<SideRates> {
    let mut sides = text.lines().filter_map(|line| {
        let cells: Vec<_> = line.split_whitespace().collect();
        let [side, _, _, _, connections, _, _, rx, tx, ..] = cells[..] else {
            return None;
        };
        let [Ok(connections), Ok(rx), Ok(tx)] = [connections, rx, tx].map(str::parse) else {
            return None;
        };
        (side == name).then_some(SideRates { connections, rx, tx })
    });
    sides.next().filter(|side| side.connections > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tls_bench_prints() {
        let text = "Running TLS Benchmarks...\n\
            Side    Cipher                  Group  Total Bytes  Num Conns  Rx ms  Tx ms  Rx  Tx\n\
            Server  TLS13-AES256-GCM-SHA384 N/A            700        350    1.0    2.0  3.0 4.0\n\
            Client  TLS13-AES256-GCM-SHA384 N/A            700        351    1.0    2.0  5.0 6.0\n";
        let rates = |connections, rx, tx| Some(SideRates { connections, rx, tx });
        assert_eq!(side(text, "Server"), rates(350.0, 3.0, 4.0));
        assert_eq!(side(text, "Client"), rates(351.0, 5.0, 6.0));
        assert_eq!(side(&text.replace("350", "0"), "Server"), None);
        assert_eq!(side("error connecting client\n", "Client"), None);
    }
}
