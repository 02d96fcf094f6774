//! Servers that live as long as a test, in a folder of their own, as an unprivileged user.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use oaklath_stores::{Ledger, StoreError, Tls};

/// The time limit of a start.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) trait Server: Sync {
    fn name(&self) -> &'static str;

    fn connect(&self, tls: &Tls) -> Result<Box<dyn Ledger>, StoreError>;

    fn control(&self) -> Arc<Process>;
}

/// A server that is killed and started again.
pub(crate) struct Process {
    /// Returns the command, which is the same each time.
    command: Box<dyn Fn() -> Command + Send + Sync>,
    child: Mutex<Child>,
    port: u16,
}

impl Process {
    pub(crate) fn start(
        command: impl Fn() -> Command + Send + Sync + 'static,
        port: u16,
    ) -> std::io::Result<Arc<Self>> {
        let child = Mutex::new(spawn(&mut command())?);
        let process = Arc::new(Self { command: Box::new(command), child, port });
        process.wait_until_it_listens();
        Ok(process)
    }

    /// Kills the whole process group, since PostgreSQL has many processes.
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

    /// Waits until the server listens; remains of a killed one may delay its start.
    fn wait_until_it_listens(&self) {
        let start = Instant::now();
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
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

/// Repeats a check until it succeeds.
pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < PATIENCE, "{what}: not in {PATIENCE:?}");
        thread::sleep(Duration::from_millis(50));
    }
}

pub(crate) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Creates a folder for this user, with a certificate and a key of the test PKI.
pub(crate) fn folder_with_certificate(folder: &Path, user: Option<(u32, u32)>) {
    fs::create_dir_all(folder).unwrap();
    let certs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../certs");
    for (from, to) in [
        ("p256_server_cert.pem", "cert.pem"),
        ("p256_server_key.pem", "key.pem"),
        ("p256_root_cert.pem", "root.pem"),
    ] {
        let to = folder.join(to);
        fs::copy(certs.join(from), &to).unwrap();
        fs::set_permissions(&to, PermissionsExt::from_mode(0o600)).unwrap();
        give(&to, user);
    }
    give(folder, user);
}

pub(crate) fn give(path: &Path, user: Option<(u32, u32)>) {
    if let Some((user, group)) = user {
        chown(path, Some(user), Some(group)).unwrap();
    }
}

pub(crate) fn succeed(command: &mut Command) {
    let output = command.stdin(Stdio::null()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {text}");
}

pub(crate) fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|meta| meta.uid() == 0)
}
