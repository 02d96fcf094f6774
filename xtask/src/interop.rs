//! `cargo xtask interop`: live connections between the command line and other implementations of TLS.

use std::{
    env::consts::EXE_SUFFIX,
    fmt,
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use cargo_metadata::MetadataCommand;
use clap::Subcommand;
use oaklath_params::group::{self, GroupInfo};

use crate::shell::{capture, cargo, command, run as run_shown};

/// With whom.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    peer: Peer,
}

#[derive(Clone, Copy, Subcommand)]
enum Peer {
    /// Go's crypto/tls: each of its hybrid groups, in both roles, with mutual authentication.
    Go,
    /// OpenSSL 3.6, built from source (needs `make` and `perl`): mutual authentication with each
    /// ML-DSA set, in both roles, and the chains of every SLH-DSA set.
    Openssl,
}

/// Builds both sides and tries every combination; fails if one of them does. Where the peer is not
/// installed, this says so and succeeds.
pub(crate) fn run(args: &Args) -> Result<()> {
    match args.peer {
        Peer::Go => go(),
        Peer::Openssl => {
            let manifest = "interop/openssl/Cargo.toml";
            run_shown(&mut cargo(&format!("test --manifest-path {manifest} -- --nocapture")))
        }
    }
}

/// Every group of Go in both roles.
fn go() -> Result<()> {
    if let Some(gap) = go_missing() {
        println!("GAP: nothing was tried with Go: {gap}");
        return Ok(());
    }
    let (ours, go) = (build_ours()?, build_go()?);
    let mut failed = 0;
    println!("\n{:8} {:8} {:24} result", "server", "client", "group");
    for info in GO_GROUPS {
        for (server, client) in [(&go, &ours), (&ours, &go)] {
            let result = connect(server, client, info);
            let group = format!("{} {}", info.codepoint, info.name);
            match result {
                Ok(suite) => println!("{server:8} {client:8} {group:24} ok, {suite}"),
                Err(error) => {
                    failed += 1;
                    println!("{server:8} {client:8} {group:24} FAILED: {error:#}");
                }
            }
        }
    }
    ensure!(failed == 0, "{failed} of {} connections failed", 2 * GO_GROUPS.len());
    Ok(())
}

/// The post-quantum groups of Go 1.26.
const GO_GROUPS: &[&GroupInfo] =
    &[&group::SECP256R1MLKEM768, &group::X25519MLKEM768, &group::SECP384R1MLKEM1024];

/// The first Go with all of them; `interop/go/go.mod` says the same.
const GO: (u32, u32) = (1, 26);

/// Why Go cannot be tried, if so.
fn go_missing() -> Option<String> {
    let (major, minor) = GO;
    let wanted = format!("go {major}.{minor} or later");
    let Ok(version) = capture(command("go", "env GOVERSION").env("GOTOOLCHAIN", "local")) else {
        return Some(format!("`go` is not installed; it takes {wanted}"));
    };
    (go_version(&version) < Some(GO)).then(|| format!("it takes {wanted}, not {}", version.trim()))
}

/// `go1.26.8` is 1.26; none for what is not numbered, such as a development version.
fn go_version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.trim().strip_prefix("go")?.split(|c: char| !c.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

/// One side: a program that is a client or a server, with the letters of wolfSSL's examples.
struct Program {
    name: &'static str,
    path: PathBuf,
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

fn build_ours() -> Result<Program> {
    run_shown(&mut cargo("build --quiet -p oaklath-cli"))?;
    Ok(Program { name: "oaklath", path: target()?.join(format!("debug/oaklath{EXE_SUFFIX}")) })
}

fn build_go() -> Result<Program> {
    let path = target()?.join(format!("interop/go-tls{EXE_SUFFIX}"));
    // The tool chain that is installed; another one is never fetched.
    let mut build = command("go", "build -C interop/go -o");
    run_shown(build.arg(&path).env("GOTOOLCHAIN", "local"))?;
    Ok(Program { name: "go", path })
}

fn target() -> Result<PathBuf> {
    Ok(MetadataCommand::new().no_deps().exec()?.target_directory.into())
}

impl Program {
    /// Ready to run in this role, with its certificate of the test PKI and this one group.
    fn command(&self, role: &str, port: u16, info: &GroupInfo) -> Command {
        let file = |name: String| Path::new("certs").join(name);
        let mut command = Command::new(&self.path);
        command.args([role, "-h", "127.0.0.1", "-p", &port.to_string()]);
        command.args(["--pqc", &info.codepoint.to_string()]);
        command.arg("-A").arg(file("p256_root_cert.pem".into()));
        command.arg("-c").arg(file(format!("p256_{role}_cert.pem")));
        command.arg("-k").arg(file(format!("p256_{role}_key.pem")));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

/// One connection. Both sides must have authenticated the other and negotiated this group; returns
/// the cipher suite.
fn connect(server: &Program, client: &Program, info: &GroupInfo) -> Result<String> {
    let mut server = Running::start(server.command("server", 0, info)).context("server")?;
    let port = server.port().context("server")?;
    let client = Running::start(client.command("client", port, info)).context("client")?;
    match (client.finish(), server.finish()) {
        (Ok(client), Ok(server)) => {
            check(&client, "CN=P-256 test server", info).context("client")?;
            check(&server, "CN=P-256 test client", info).context("server")
        }
        // Each side may know only half of what went wrong.
        (Err(client), Err(server)) => bail!("client: {client:#}; server: {server:#}"),
        (Err(error), Ok(_)) => Err(error.context("client")),
        (Ok(_), Err(error)) => Err(error.context("server")),
    }
}

/// Compares what a side printed with what was to happen; returns the cipher suite.
fn check(printed: &str, peer: &str, info: &GroupInfo) -> Result<String> {
    let value = |key: &str| {
        let found = printed.lines().find_map(|line| line.strip_prefix(key)).map(str::trim);
        found.with_context(|| format!("`{key}` was not printed"))
    };
    let subject = value("peer's certificate:")?;
    ensure!(subject.contains(peer), "expected the peer {peer}, found {subject}");
    let name = value("SSL curve name is")?;
    let found = group::by_name(name).with_context(|| format!("the group is called {name}"))?;
    ensure!(found == info, "expected the group {}, found {name}", info.name);
    Ok(value("SSL cipher suite is")?.to_owned())
}

/// Longer than both sides' own limits, 10 seconds for each step.
const PATIENCE: Duration = Duration::from_secs(30);

/// A process that does not outlive this value.
struct Running {
    child: Child,
    output: BufReader<ChildStdout>,
    printed: String,
}

impl Running {
    fn start(mut command: Command) -> Result<Self> {
        let name = Path::new(command.get_program()).display().to_string();
        let mut child = command.spawn().with_context(|| format!("cannot start {name}"))?;
        let output = BufReader::new(child.stdout.take().context("no standard output")?);
        Ok(Self { child, output, printed: String::new() })
    }

    /// The port that a server says it listens on.
    fn port(&mut self) -> Result<u16> {
        loop {
            let start = self.printed.len();
            if self.output.read_line(&mut self.printed)? == 0 {
                bail!("it does not listen: {}", self.errors()?);
            }
            if let Some(address) = self.printed[start..].strip_prefix("listening on ") {
                let port = address.trim().rsplit(':').next().and_then(|port| port.parse().ok());
                return port.with_context(|| format!("no port in {address}"));
            }
        }
    }

    /// Waits for a good end; returns what was printed, which is too little to fill a pipe.
    fn finish(mut self) -> Result<String> {
        let start = Instant::now();
        while self.child.try_wait()?.is_none() {
            ensure!(start.elapsed() < PATIENCE, "it does not end");
            thread::sleep(Duration::from_millis(5));
        }
        self.output.read_to_string(&mut self.printed)?;
        ensure!(self.child.wait()?.success(), "{}", self.errors()?);
        Ok(std::mem::take(&mut self.printed))
    }

    /// What it said on standard error, on one line.
    fn errors(&mut self) -> Result<String> {
        let mut text = String::new();
        self.child.stderr.take().context("no standard error")?.read_to_string(&mut text)?;
        Ok(text.lines().collect::<Vec<_>>().join("; "))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // An error means that it has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINTED: &str = "listening on 127.0.0.1:4433\n\
        peer's certificate: CN=P-256 test client,O=Oaklath\n\
        SSL cipher suite is TLS_AES_128_GCM_SHA256\n\
        SSL curve name is X25519MLKEM768\n";

    #[test]
    fn a_connection_counts_only_with_the_peer_and_the_group_that_were_wanted() {
        let (client, wanted) = ("CN=P-256 test client", &group::X25519MLKEM768);
        assert_eq!(check(PRINTED, client, wanted).unwrap(), "TLS_AES_128_GCM_SHA256");
        check(PRINTED, "CN=P-256 test server", wanted).unwrap_err();
        check(PRINTED, client, &group::SECP256R1MLKEM768).unwrap_err();
        check(&PRINTED.replace("X25519MLKEM768", "X25519"), client, wanted).unwrap_err();
        check(&PRINTED.replace("SSL curve", "curve"), client, wanted).unwrap_err();
    }

    #[test]
    fn versions_of_go() {
        assert_eq!(go_version("go1.26.8\n"), Some(GO));
        assert_eq!(go_version("go1.27rc1"), Some((1, 27)));
        assert!(go_version("go1.9") < Some(GO));
        assert_eq!(go_version("devel +abc"), None);
    }
}
