//! etcd as a test server, and the disasters that may happen to it.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use oaklath_stores::{Etcd, Ledger, StoreError, Tls};

use crate::disaster::Disaster;
use crate::server::{Process, Server, folder_with_certificate, free_port, succeed, wait_until};

pub(crate) struct EtcdServer {
    process: Arc<Process>,
    folder: PathBuf,
    port: u16,
    peers: u16,
}

impl EtcdServer {
    /// Starts the server with these options. Returns an error if etcd is not installed.
    pub(crate) fn start(folder: &Path, options: &[&str]) -> Result<Self, String> {
        folder_with_certificate(folder, None);
        let (owned, port, peers) = (folder.to_owned(), free_port(), free_port());
        let options: Vec<_> = options.iter().map(|&option| option.to_owned()).collect();
        let command = move || {
            let clients = format!("https://127.0.0.1:{port}");
            let peers = format!("http://127.0.0.1:{peers}");
            let mut command = Command::new("etcd");
            command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
            command.current_dir(&owned).args(["--data-dir", "data"]);
            command.args(["--cert-file", "cert.pem", "--key-file", "key.pem"]);
            command.args(["--listen-client-urls", &clients, "--advertise-client-urls", &clients]);
            command.args(["--listen-peer-urls", &peers, "--initial-advertise-peer-urls", &peers]);
            command.args(["--initial-cluster", &format!("default={peers}")]);
            command.args(&options);
            command
        };
        match Process::start(command, port) {
            Ok(process) => Ok(Self { process, folder: folder.to_owned(), port, peers }),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Err("`etcd` is not installed (Debian: etcd-server)".into())
            }
            Err(error) => Err(error.to_string()),
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("https://localhost:{}", self.port)
    }

    /// Returns its command-line client; an error if that is not installed.
    pub(crate) fn tool(&self) -> Result<Command, String> {
        if Command::new("etcdctl").env("ETCDCTL_API", "3").arg("version").output().is_err() {
            return Err("`etcdctl` is not installed (Debian: etcd-client)".into());
        }
        let mut command = Command::new("etcdctl");
        command.env("ETCDCTL_API", "3").args(["--endpoints", &self.url()]);
        command.current_dir(&self.folder).args(["--cacert", "root.pem"]);
        Ok(command)
    }

    fn replace(&self, copy: &Path) {
        self.process.kill();
        let data = self.folder.join("data");
        fs::remove_dir_all(&data).unwrap();
        fs::rename(copy, &data).unwrap();
        self.process.restart();
    }

    /// Restores a snapshot as the data of a cluster with one member.
    fn restore_snapshot(&self, snapshot: &Path, token: &str) {
        let (data, peers) = (self.folder.join("new"), format!("http://127.0.0.1:{}", self.peers));
        let mut tool = self.tool().unwrap();
        tool.args(["snapshot", "restore"]).arg(snapshot).arg("--data-dir").arg(&data);
        tool.args(["--initial-cluster", &format!("default={peers}")]);
        succeed(tool.args([
            "--initial-advertise-peer-urls",
            &peers,
            "--initial-cluster-token",
            token,
        ]));
        fs::remove_file(snapshot).unwrap();
        self.replace(&data);
    }

    fn snapshot(&self) -> PathBuf {
        let snapshot = self.folder.join("snapshot");
        succeed(self.tool().unwrap().args(["snapshot", "save"]).arg(&snapshot));
        snapshot
    }
}

impl Server for EtcdServer {
    fn name(&self) -> &'static str {
        "etcd"
    }

    fn connect(&self, tls: &Tls) -> Result<Box<dyn Ledger>, StoreError> {
        Ok(Box::new(Etcd::at(self.url()).tls(tls.clone()).connect()?))
    }

    fn control(&self) -> Arc<Process> {
        Arc::clone(&self.process)
    }
}

/// Events that take a cluster back to the time of a copy.
pub(crate) const DISASTERS: [Disaster<EtcdServer>; 5] = [
    // The restored cluster has the same name and token. Its term starts again, which shows if there
    // was more than one election before.
    Disaster {
        name: "a member that was restored from a snapshot, after elections",
        shows_to_all: true,
        prepare: |server| {
            for _ in 0..3 {
                server.process.kill();
                server.process.restart();
                wait_until("an election", || {
                    server.tool().unwrap().args(["get", "x"]).status().unwrap().success()
                });
            }
        },
        copy: EtcdServer::snapshot,
        happen: |server, snapshot| server.restore_snapshot(snapshot, "etcd-cluster"),
    },
    Disaster {
        name: "a member that was restored from a snapshot",
        shows_to_all: false,
        prepare: |_| (),
        copy: EtcdServer::snapshot,
        happen: |server, snapshot| server.restore_snapshot(snapshot, "etcd-cluster"),
    },
    Disaster {
        name: "a snapshot as another cluster",
        shows_to_all: false,
        prepare: |_| (),
        copy: EtcdServer::snapshot,
        happen: |server, snapshot| {
            let token = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_nanos();
            server.restore_snapshot(snapshot, &token.to_string());
        },
    },
    Disaster {
        name: "an old copy of the data",
        shows_to_all: false,
        prepare: |_| (),
        copy: |server| {
            let copy = server.folder.join("copy");
            server.process.kill();
            succeed(Command::new("cp").arg("-r").arg(server.folder.join("data")).arg(&copy));
            server.process.restart();
            copy
        },
        happen: EtcdServer::replace,
    },
    Disaster {
        name: "an entry that was put back",
        shows_to_all: true,
        prepare: |_| (),
        copy: |server| {
            let mut get = server.tool().unwrap();
            let output = get.args(["get", "--prefix", "oaklath/indices/"]).output().unwrap();
            let copy = server.folder.join("entry");
            fs::write(&copy, output.stdout).unwrap();
            copy
        },
        happen: |server, copy| {
            let text = fs::read_to_string(copy).unwrap();
            let (name, value) = text.trim_end_matches('\n').split_once('\n').unwrap();
            succeed(server.tool().unwrap().args(["put", name, value]));
        },
    },
];
