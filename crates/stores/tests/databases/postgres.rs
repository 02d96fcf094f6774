//! PostgreSQL as a test server, and the disasters that may happen to it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use oaklath_stores::{Ledger, Postgres, StoreError, Tls};

use crate::disaster::Disaster;
use crate::server::{
    Process, Server, folder_with_certificate, free_port, give, is_root, succeed, wait_until,
};

/// The roles: `postgres` administers, the others have the documented privileges.
const ROLES: &str = "
    CREATE ROLE signer LOGIN; CREATE ROLE certified LOGIN;
    CREATE ROLE guarded LOGIN PASSWORD 'open : \\ sesame';
    GRANT signer TO guarded, certified;
    GRANT SELECT, INSERT ON oaklath_indices, oaklath_machines TO signer;
    GRANT UPDATE (epoch, next, children, timeline, writer) ON oaklath_indices TO signer;
    GRANT UPDATE (turn) ON oaklath_machines TO signer";

/// The rules of authentication.
const RULES: &str = "
local all all trust
host all postgres 127.0.0.1/32 trust
host replication all 127.0.0.1/32 trust
hostssl all guarded 127.0.0.1/32 scram-sha-256
hostssl all certified 127.0.0.1/32 trust clientcert=verify-ca
host all all 127.0.0.1/32 trust
";

const SETTINGS: &str = "
ssl = on
ssl_cert_file = '../cert.pem'
ssl_key_file = '../key.pem'
ssl_ca_file = '../root.pem'
listen_addresses = '127.0.0.1'
max_connections = 40
wal_keep_size = 256
archive_mode = on
archive_command = 'cp %p ../archive/%f'
";

pub(crate) struct PostgresServer {
    process: Arc<Process>,
    bin: PathBuf,
    folder: PathBuf,
    user: Option<(u32, u32)>,
    port: u16,
}

impl PostgresServer {
    /// Starts the server with these settings, one per line; an error if it is not installed.
    pub(crate) fn start(folder: &Path, settings: &str) -> Result<Self, String> {
        let bin = postgres_programs().ok_or("`initdb` is not installed (Debian: postgresql)")?;
        let user = unprivileged();
        if user.is_none() && is_root() {
            return Err("it does not run as root, and there is no user `postgres`".into());
        }
        folder_with_certificate(folder, user);
        let (data, archive) = (folder.join("data"), folder.join("archive"));
        fs::create_dir_all(&archive).unwrap();
        give(&archive, user);
        let mut initdb = as_user(Command::new(bin.join("initdb")), user);
        succeed(initdb.args(["--no-sync", "-U", "postgres", "-A", "trust", "-D"]).arg(&data));
        fs::write(data.join("pg_hba.conf"), RULES).unwrap();
        fs::write(data.join("postgresql.conf"), [SETTINGS, settings].concat()).unwrap();
        let server = Self::run(folder, bin, user).map_err(|error| error.to_string())?;
        server.sql(&[Postgres::TABLES, ROLES].join(";"));
        Ok(server)
    }

    /// Runs a server on the existing data of a folder.
    fn run(folder: &Path, bin: PathBuf, user: Option<(u32, u32)>) -> std::io::Result<Self> {
        let (owned, program, port) = (folder.to_owned(), bin.join("postgres"), free_port());
        let command = move || {
            let mut command = as_user(Command::new(&program), user);
            command.arg("-D").arg(owned.join("data")).arg("-k").arg(&owned);
            command.args(["-p", &port.to_string()]);
            command
        };
        let process = Process::start(command, port)?;
        let server = Self { process, bin, folder: folder.to_owned(), user, port };
        server.wait_until_it_answers();
        Ok(server)
    }

    /// Waits for an answer, since the server listens before it has recovered.
    fn wait_until_it_answers(&self) {
        wait_until("an answer", || self.answer("SELECT 1").is_some());
    }

    /// Returns the answer to a query, if it succeeds.
    pub(crate) fn answer(&self, query: &str) -> Option<String> {
        let mut psql = self.tool("psql");
        let output = psql.args(["-d", "postgres", "-Atc", query]).stdin(Stdio::null()).output();
        let output = output.unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        output.status.success().then(|| text.trim().to_owned())
    }

    pub(crate) fn sql(&self, statements: &str) {
        assert!(self.answer(statements).is_some(), "{statements}");
    }

    fn tool(&self, name: &str) -> Command {
        let mut command = as_user(Command::new(self.bin.join(name)), self.user);
        command.args(["-h", "127.0.0.1", "-U", "postgres", "-p"]).arg(self.port.to_string());
        command
    }

    pub(crate) fn url(&self, user: &str) -> String {
        format!("postgres://{user}@localhost:{}/postgres", self.port)
    }

    /// Makes a copy of the running server.
    fn base_backup(&self, options: &[&str]) -> PathBuf {
        let copy = self.folder.join("copy");
        let mut tool = self.tool("pg_basebackup");
        succeed(tool.args(["--no-sync", "-c", "fast", "-D"]).arg(&copy).args(options));
        copy
    }

    /// Stops the server and replaces its data.
    fn replace(&self, copy: &Path) {
        self.process.kill();
        let data = self.folder.join("data");
        fs::remove_dir_all(&data).unwrap();
        fs::rename(copy, &data).unwrap();
        self.process.restart();
        self.wait_until_it_answers();
    }

    fn promote(&self) {
        self.sql("SELECT pg_promote()");
        wait_until("a primary", || {
            self.answer("SELECT pg_is_in_recovery()").is_some_and(|is| is == "f")
        });
    }

    /// Starts a standby of this server, which waits for it if its name is `waited`.
    pub(crate) fn standby(&self, folder: &Path, name: &str) -> Self {
        folder_with_certificate(folder, self.user);
        let copy = self.base_backup(&["-R"]);
        fs::rename(&copy, folder.join("data")).unwrap();
        let settings = folder.join("data/postgresql.auto.conf");
        let text = fs::read_to_string(&settings).unwrap();
        let named =
            text.replace("user=postgres", &format!("user=postgres application_name={name}"));
        assert_ne!(text, named);
        fs::write(settings, named).unwrap();
        let standby = Self::run(folder, self.bin.clone(), self.user).unwrap();
        wait_until("a standby", || self.standbys() == "1");
        standby
    }

    pub(crate) fn standbys(&self) -> String {
        let query = "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'";
        self.answer(query).unwrap_or_default()
    }
}

impl Server for PostgresServer {
    fn name(&self) -> &'static str {
        "PostgreSQL"
    }

    fn connect(&self, tls: &Tls) -> Result<Box<dyn Ledger>, StoreError> {
        Ok(Box::new(Postgres::at(self.url("signer")).tls(tls.clone()).connect()?))
    }

    fn control(&self) -> Arc<Process> {
        Arc::clone(&self.process)
    }
}

/// Events that take a server back to the time of a copy.
pub(crate) const DISASTERS: [Disaster<PostgresServer>; 6] = [
    Disaster {
        name: "a standby that lags behind is promoted",
        shows_to_all: true,
        prepare: |_| (),
        copy: |server| server.base_backup(&["-R"]),
        happen: |server, copy| {
            server.replace(copy);
            server.promote();
        },
    },
    Disaster {
        name: "recovery to a point in time",
        shows_to_all: true,
        prepare: |_| (),
        copy: |server| {
            let copy = server.base_backup(&[]);
            server.sql("SELECT pg_create_restore_point('here'); SELECT pg_switch_wal()");
            copy
        },
        happen: |server, copy| {
            let settings = "
                restore_command = 'cp ../archive/%f %p'
                recovery_target_name = 'here'
                recovery_target_action = 'promote'";
            let lines = settings.lines().map(str::trim_start).collect::<Vec<_>>().join("\n");
            let path = copy.join("postgresql.auto.conf");
            fs::write(path, lines).unwrap();
            fs::write(copy.join("recovery.signal"), "").unwrap();
            give(&copy.join("recovery.signal"), server.user);
            server.replace(copy);
            wait_until("a primary", || {
                server.answer("SELECT pg_is_in_recovery()").is_some_and(|is| is == "f")
            });
        },
    },
    Disaster {
        name: "a dump that replaces the tables",
        shows_to_all: true,
        prepare: |_| (),
        copy: |server| {
            let dump = server.folder.join("dump");
            succeed(server.tool("pg_dump").args(["--clean", "-d", "postgres", "-f"]).arg(&dump));
            dump
        },
        happen: |server, dump| {
            let mut psql = server.tool("psql");
            succeed(psql.args(["-d", "postgres", "-v", "ON_ERROR_STOP=1", "-f"]).arg(dump));
        },
    },
    Disaster {
        name: "a dump of the rows",
        shows_to_all: true,
        prepare: |_| (),
        copy: |server| {
            let dump = server.folder.join("dump");
            let mut tool = server.tool("pg_dump");
            succeed(tool.args(["--data-only", "-d", "postgres", "-f"]).arg(&dump));
            dump
        },
        happen: |server, dump| {
            server.sql("DELETE FROM oaklath_machines; DELETE FROM oaklath_indices");
            let mut psql = server.tool("psql");
            succeed(psql.args(["-d", "postgres", "-v", "ON_ERROR_STOP=1", "-f"]).arg(dump));
        },
    },
    Disaster {
        name: "a row that was changed by hand",
        shows_to_all: true,
        prepare: |_| (),
        copy: |server| server.answer("SELECT next FROM oaklath_indices").unwrap().into(),
        happen: |server, next| {
            server.sql(&format!("UPDATE oaklath_indices SET next = {}", next.display()));
        },
    },
    // Nothing in the database itself shows the event; only machines that have leased since
    // remember. The log is made longer than it was before.
    Disaster {
        name: "a base backup on the same timeline",
        shows_to_all: false,
        prepare: |_| (),
        copy: |server| server.base_backup(&[]),
        happen: |server, copy| {
            server.replace(copy);
            server.sql("CREATE TABLE junk AS SELECT generate_series(1, 100000); DROP TABLE junk");
        },
    },
];

/// Returns the folder of the programs: Debian's, or one in the path.
fn postgres_programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let debian = versions.map(|version| version.path().join("bin"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    debian.chain(std::env::split_paths(&path)).find(|folder| folder.join("initdb").exists())
}

/// Returns the user and group `postgres`, if this process is root.
fn unprivileged() -> Option<(u32, u32)> {
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let line = users.lines().find(|line| line.starts_with("postgres:")).filter(|_| is_root())?;
    let mut fields = line.split(':').skip(2);
    Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
}

fn as_user(mut command: Command, user: Option<(u32, u32)>) -> Command {
    use std::os::unix::process::CommandExt;
    if let Some((user, group)) = user {
        command.uid(user).gid(group).current_dir("/");
    }
    command
}
