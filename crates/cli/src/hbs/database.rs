//! Databases that count indices: `postgres://…`, `etcd://…`, and how this machine logs in there.

use std::path::PathBuf;

use anyhow::{Result, anyhow};
use oaklath_stores::Ledger;

use crate::failure::{usage, with_hint};
#[cfg(any(feature = "postgres", feature = "etcd"))]
use {
    crate::files,
    oaklath_stores::{Password, StoreError, Tls},
    rustls::pki_types::{PrivatePkcs8KeyDer, pem::PemObject},
    std::env,
    zeroize::Zeroizing,
};

/// The options of a store that is a database.
#[derive(Debug, Default, clap::Args)]
pub(super) struct DatabaseArgs {
    /// The roots that vouch for a database's certificate, as PEM
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
    /// The password for a database, in a file that others cannot read
    /// [default: `PGPASSWORD`, `PGPASSFILE`, `~/.pgpass`; `ETCDCTL_PASSWORD`]
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,
    /// The certificates that this machine shows to a database, as PEM
    #[arg(long, value_name = "FILE", requires = "client_key")]
    client_cert: Option<PathBuf>,
    /// The private key of the first of them, as PEM (PKCS#8)
    #[arg(long, value_name = "FILE", requires = "client_cert")]
    client_key: Option<PathBuf>,
    /// Use a database whose standby may lack what it confirms; a promotion
    /// still stops every signer
    #[arg(long)]
    accept_asynchronous: bool,
}

impl DatabaseArgs {
    #[cfg(feature = "postgres")]
    pub(super) fn postgres(&self, url: &str) -> Result<Box<dyn Ledger>> {
        let mut server = oaklath_stores::Postgres::at(url);
        if let Some(tls) = self.tls()? {
            server = server.tls(tls);
        }
        if let Some(password) = self.password("PGPASSWORD")? {
            server = server.password(password);
        }
        let passfile = env::var_os("PGPASSFILE").map(PathBuf::from);
        let beside_home = || env::home_dir().map(|home| home.join(".pgpass"));
        if let Some(path) = passfile.or_else(|| beside_home().filter(|path| path.exists())) {
            server = server.passfile(path);
        }
        if self.accept_asynchronous {
            server = server.accept_asynchronous();
        }
        Ok(Box::new(server.connect().map_err(rejected)?))
    }

    #[cfg(not(feature = "postgres"))]
    pub(super) fn postgres(&self, _: &str) -> Result<Box<dyn Ledger>> {
        Err(not_built("PostgreSQL", "postgres"))
    }

    /// Connects to `[user@]host:port`, over TLS unless `?tls=off` follows.
    #[cfg(feature = "etcd")]
    pub(super) fn etcd(&self, address: &str) -> Result<Box<dyn Ledger>> {
        let (address, scheme) = match address.strip_suffix("?tls=off") {
            Some(address) => (address, "http"),
            None => (address, "https"),
        };
        let (user, host) = match address.rsplit_once('@') {
            Some((user, _)) if user.contains(':') => {
                return Err(rejected(StoreError::PasswordInAddress));
            }
            Some((user, host)) => (Some(user), host),
            None => (None, address),
        };
        let mut cluster = oaklath_stores::Etcd::at(format!("{scheme}://{host}"));
        if let Some(tls) = self.tls()?.filter(|_| scheme == "https") {
            cluster = cluster.tls(tls);
        }
        if let Some(user) = user {
            let password = self.password("ETCDCTL_PASSWORD")?;
            let missing = || with_hint(anyhow!("the user `{user}` has no password"), PASSWORDS);
            cluster = cluster.login(user, password.ok_or_else(missing).map_err(usage)?);
        }
        Ok(Box::new(cluster.connect().map_err(rejected)?))
    }

    #[cfg(not(feature = "etcd"))]
    pub(super) fn etcd(&self, _: &str) -> Result<Box<dyn Ledger>> {
        Err(not_built("etcd", "etcd"))
    }

    /// Returns the password from `--password-file` or else from an environment variable.
    #[cfg(any(feature = "postgres", feature = "etcd"))]
    fn password(&self, variable: &str) -> Result<Option<Password>> {
        if let Some(path) = &self.password_file {
            let password = Password::from_file(path);
            return password.map(Some).map_err(|error| anyhow!("{}: {error}", path.display()));
        }
        Ok(env::var(variable).ok().map(|text| Password::new(Zeroizing::new(text))))
    }

    #[cfg(any(feature = "postgres", feature = "etcd"))]
    fn tls(&self) -> Result<Option<Tls>> {
        let Some(path) = &self.ca else { return Ok(None) };
        let chain = |path| -> Result<_> {
            let certificates = crate::keys::certificates(path)?;
            Ok(certificates.iter().map(|one| one.as_der().to_vec().into()).collect())
        };
        let base = crate::base::choose(None)?;
        let provider = oaklath_tls::Builder::new((base.provider)()).build()?;
        let tls = Tls::new(provider.into(), chain(path)?);
        let (Some(certificates), Some(key)) = (&self.client_cert, &self.client_key) else {
            return Ok(Some(tls));
        };
        let pem = files::read_bytes(key)?;
        let private = PrivatePkcs8KeyDer::from_pem_slice(&pem)
            .map_err(|error| anyhow!("{}: {error}", files::name(key)))?;
        Ok(Some(tls.client(chain(certificates)?, private)))
    }
}

/// Advice on where passwords come from.
#[cfg(any(feature = "postgres", feature = "etcd"))]
const PASSWORDS: &str = "give `--password-file`, or set PGPASSWORD or PGPASSFILE for PostgreSQL, \
                         ETCDCTL_PASSWORD for etcd";

/// Adds advice to the error of a connection.
#[cfg(any(feature = "postgres", feature = "etcd"))]
fn rejected(error: StoreError) -> anyhow::Error {
    match error {
        StoreError::PasswordInAddress => {
            let why = "other users may read it in the list of processes";
            usage(with_hint(anyhow!("{error}: {why}"), PASSWORDS))
        }
        error => error.into(),
    }
}

#[cfg(not(all(feature = "postgres", feature = "etcd")))]
fn not_built(name: &str, feature: &str) -> anyhow::Error {
    let error = anyhow!("{name} is not in this build");
    let hint = format!("build with `--features {feature}`");
    usage(with_hint(error, hint))
}
