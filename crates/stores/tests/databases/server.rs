//! Servers that live as long as a test, in a folder of their own, as an unprivileged user.

use std::fs;
use std::io::ErrorKind;
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use oaklath_stores::{Etcd, Ledger, Postgres, StoreError, Tls};

/// Longer than any start takes.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) trait Server: Sync {
    fn name(&self) -> &'static str;

    fn connect(&self, tls: &Tls) -> Result<Box<dyn Ledger>, StoreError>;

    fn control(&self) -> Arc<Process>;

    /// A copy of what it holds.
    fn copy(&self) -> PathBuf;

    /// Puts the copy back.
    fn restore(&self, copy: &Path);
}

/// A server that is killed and started again.
pub(crate) struct Process {
    /// Makes the command, which is the same each time.
    command: Box<dyn Fn() -> Command + Send + Sync>,
    child: Mutex<Child>,
    port: u16,
}

impl Process {
    fn start(
        command: impl Fn() -> Command + Send + Sync + 'static,
        port: u16,
    ) -> std::io::Result<Arc<Self>> {
        let child = Mutex::new(spawn(&mut command())?);
        let process = Arc::new(Self { command: Box::new(command), child, port });
        process.wait_until_it_listens();
        Ok(process)
    }

    /// The whole group: PostgreSQL is many processes.
    pub(crate) fn kill(&self) {
        let mut child = self.child.lock().unwrap();
        let group = format!("-{}", child.id());
        let killed = Command::new("kill").args(["-9", "--", &group]).status().unwrap();
        assert!(killed.success(), "the server has ended before it was killed");
        child.wait().unwrap();
    }

    pub(crate) fn restart(&self) {
        *self.child.lock().unwrap() = spawn(&mut (self.command)()).unwrap();
        self.wait_until_it_listens();
    }

    /// What is left of a killed server may keep the new one from starting for a moment.
    fn wait_until_it_listens(&self) {
        let start = Instant::now();
        while std::net::TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            assert!(start.elapsed() < PATIENCE, "the server does not start");
            let mut child = self.child.lock().unwrap();
            if child.try_wait().unwrap().is_some() {
                *child = spawn(&mut (self.command)()).unwrap();
            }
            drop(child);
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

fn spawn(command: &mut Command) -> std::io::Result<Child> {
    command
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Makes a folder for this user, with the certificate and the key of the test PKI.
fn folder_with_certificate(folder: &Path, user: Option<(u32, u32)>) {
    fs::create_dir_all(folder).unwrap();
    let certs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../certs");
    for (from, to) in [("p256_server_cert.pem", "cert.pem"), ("p256_server_key.pem", "key.pem")] {
        let to = folder.join(to);
        fs::copy(certs.join(from), &to).unwrap();
        fs::set_permissions(&to, PermissionsExt::from_mode(0o600)).unwrap();
        give(&to, user);
    }
    give(folder, user);
}

fn give(path: &Path, user: Option<(u32, u32)>) {
    if let Some((user, group)) = user {
        chown(path, Some(user), Some(group)).unwrap();
    }
}

fn succeed(command: &mut Command) {
    let output = command.stdin(Stdio::null()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {text}");
}

pub(crate) struct PostgresServer {
    process: Arc<Process>,
    bin: PathBuf,
    folder: PathBuf,
    port: u16,
}

impl PostgresServer {
    pub(crate) fn start(folder: &Path) -> Result<Self, String> {
        Self::start_with(folder, &[])
    }

    /// With these settings off. An error if it is not installed.
    pub(crate) fn start_with(folder: &Path, off: &[&str]) -> Result<Self, String> {
        let bin = postgres_programs().ok_or("`initdb` is not installed (Debian: postgresql)")?;
        let user = unprivileged();
        if user.is_none() && is_root() {
            return Err("it does not run as root, and there is no user `postgres`".into());
        }
        folder_with_certificate(folder, user);
        let (data, port) = (folder.join("data"), free_port());
        let mut initdb = as_user(Command::new(bin.join("initdb")), user);
        succeed(initdb.args(["-U", "signer", "-A", "trust", "-D"]).arg(&data));
        let off: Vec<_> = off.iter().map(|setting| format!("{setting}=off")).collect();
        let (owned, program) = (folder.to_owned(), bin.join("postgres"));
        let command = move || {
            let mut command = as_user(Command::new(&program), user);
            command.arg("-D").arg(&data).arg("-k").arg(&owned);
            command.args(["-h", "127.0.0.1", "-p", &port.to_string(), "-c", "ssl=on"]);
            command.args(["-c", "ssl_cert_file=../cert.pem", "-c", "ssl_key_file=../key.pem"]);
            for setting in &off {
                command.args(["-c", setting]);
            }
            command
        };
        let process = Process::start(command, port).map_err(|error| error.to_string())?;
        let server = Self { process, bin, folder: folder.to_owned(), port };
        server.wait_until_it_answers();
        Ok(server)
    }

    /// It listens before it has recovered.
    fn wait_until_it_answers(&self) {
        let start = Instant::now();
        while !self.tool("psql").args(["-c", "SELECT 1"]).output().unwrap().status.success() {
            assert!(start.elapsed() < PATIENCE, "the server does not answer");
            thread::sleep(Duration::from_millis(50));
        }
    }

    fn tool(&self, name: &str) -> Command {
        let mut command = Command::new(self.bin.join(name));
        command.args(["-h", "127.0.0.1", "-U", "signer", "-d", "postgres", "-p"]);
        command.arg(self.port.to_string());
        command
    }
}

impl Server for PostgresServer {
    fn name(&self) -> &'static str {
        "PostgreSQL"
    }

    fn connect(&self, tls: &Tls) -> Result<Box<dyn Ledger>, StoreError> {
        let url = format!("postgres://signer@localhost:{}/postgres", self.port);
        Ok(Box::new(Postgres::connect(&url, Some(tls))?))
    }

    fn control(&self) -> Arc<Process> {
        Arc::clone(&self.process)
    }

    fn copy(&self) -> PathBuf {
        self.wait_until_it_answers();
        let dump = self.folder.with_extension("dump");
        succeed(self.tool("pg_dump").args(["--clean", "-f"]).arg(&dump));
        dump
    }

    fn restore(&self, copy: &Path) {
        succeed(self.tool("psql").args(["-v", "ON_ERROR_STOP=1", "-f"]).arg(copy));
    }
}

/// Where Debian puts the programs, or the path.
fn postgres_programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let debian = versions.map(|version| version.path().join("bin"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    debian.chain(std::env::split_paths(&path)).find(|folder| folder.join("initdb").exists())
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|meta| std::os::unix::fs::MetadataExt::uid(&meta) == 0)
}

/// The user and group `postgres`, where this process is root.
fn unprivileged() -> Option<(u32, u32)> {
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let line = users.lines().find(|line| line.starts_with("postgres:")).filter(|_| is_root())?;
    let mut fields = line.split(':').skip(2);
    Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
}

fn as_user(mut command: Command, user: Option<(u32, u32)>) -> Command {
    if let Some((user, group)) = user {
        command.uid(user).gid(group).current_dir("/");
    }
    command
}

pub(crate) struct EtcdServer {
    process: Arc<Process>,
    folder: PathBuf,
    port: u16,
}

impl EtcdServer {
    /// An error if it is not installed.
    pub(crate) fn start(folder: &Path) -> Result<Self, String> {
        Self::start_with(folder, &[])
    }

    /// The same with more options.
    pub(crate) fn start_with(
        folder: &Path,
        options: &'static [&'static str],
    ) -> Result<Self, String> {
        folder_with_certificate(folder, None);
        let (owned, port, peers) = (folder.to_owned(), free_port(), free_port());
        let command = move || {
            let clients = format!("https://127.0.0.1:{port}");
            let peers = format!("http://127.0.0.1:{peers}");
            let mut command = Command::new("etcd");
            command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
            command.arg("--data-dir").arg(owned.join("data"));
            command.arg("--cert-file").arg(owned.join("cert.pem"));
            command.arg("--key-file").arg(owned.join("key.pem"));
            command.args(["--listen-client-urls", &clients, "--advertise-client-urls", &clients]);
            command.args(["--listen-peer-urls", &peers, "--initial-advertise-peer-urls", &peers]);
            command.args(["--initial-cluster", &format!("default={peers}")]);
            command.args(options);
            command
        };
        match Process::start(command, port) {
            Ok(process) => Ok(Self { process, folder: folder.to_owned(), port }),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Err("`etcd` is not installed (Debian: etcd-server)".into())
            }
            Err(error) => Err(error.to_string()),
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("https://localhost:{}", self.port)
    }

    /// Runs its command line. Whether that succeeds; an error if it is not installed.
    pub(crate) fn run(&self, root: &Path, args: &[&str]) -> Result<bool, String> {
        let mut command = Command::new("etcdctl");
        command.env("ETCDCTL_API", "3").args(["--endpoints", &self.url(), "--cacert"]).arg(root);
        match command.args(args).output() {
            Ok(output) => Ok(output.status.success()),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Err("`etcdctl` is not installed (Debian: etcd-client)".into())
            }
            Err(error) => Err(error.to_string()),
        }
    }
}

impl Server for EtcdServer {
    fn name(&self) -> &'static str {
        "etcd"
    }

    fn connect(&self, tls: &Tls) -> Result<Box<dyn Ledger>, StoreError> {
        Ok(Box::new(Etcd::connect(&self.url(), Some(tls), None)?))
    }

    fn control(&self) -> Arc<Process> {
        Arc::clone(&self.process)
    }

    /// The data of a cluster that stands still: the same cluster, at an old revision.
    fn copy(&self) -> PathBuf {
        let copy = self.folder.join("copy");
        self.process.kill();
        succeed(Command::new("cp").arg("-r").arg(self.folder.join("data")).arg(&copy));
        self.process.restart();
        copy
    }

    fn restore(&self, copy: &Path) {
        self.process.kill();
        let data = self.folder.join("data");
        fs::remove_dir_all(&data).unwrap();
        succeed(Command::new("cp").arg("-r").arg(copy).arg(&data));
        self.process.restart();
    }
}
