//! Leases from etcd, through the HTTP/JSON gateway of its API v3: one entry per key, advanced by a
//! transaction that compares its revision.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::time::Duration;

use base64ct::{Base64, Encoding};
use oaklath_hash::sha2::sha256;
use rustls::pki_types::CertificateDer;
use rustls::sign::CertifiedKey;
use serde_json::{Value, json};
use ureq::Agent;
use ureq::http::StatusCode;
use ureq::tls::{Certificate, ClientCert, PrivateKey, RootCerts, TlsConfig};
use zeroize::Zeroizing;

use crate::error::StoreError;
use crate::key_id::KeyId;
use crate::password::Password;
use crate::shared::{Account, Change, Ledger, Machine};
use crate::tls::Tls;

/// The time limit of a request, including the connection.
const LIMIT: Duration = Duration::from_secs(20);

/// How often a transaction is retried with the new revision after another machine was faster.
const ATTEMPTS: u32 = 1000;

/// The path where a password is exchanged for a token; an expired token is not sent there.
const AUTHENTICATE: &str = "auth/authenticate";

/// The text of an answer to a token that is older than the last change of users. The status code
/// says only that the request is bad.
const OLD_TOKEN: &str = "revision of auth store is old";

/// An etcd cluster as the [`Ledger`] of a [`SharedStore`](crate::SharedStore).
///
/// etcd confirms what a majority of its members has synced, unless they run with
/// `--unsafe-no-fsync`, which no client can see.
///
/// ```no_run
/// use oaklath_stores::{Etcd, KeyId, Password, SharedStore, StoreError, Tls};
///
/// # fn open(tls: Tls, password: Password, key: KeyId) -> Result<(), StoreError> {
/// let cluster = Etcd::at("https://etcd.example:2379").tls(tls).login("signer", password);
/// let store = SharedStore::at(cluster.connect()?, "/var/lib/signer/firmware.mark").open(key)?;
/// # Ok(())
/// # }
/// ```
pub struct Etcd {
    agent: Agent,
    url: String,
    login: Option<Login>,
}

/// Options for connecting to an [`Etcd`].
#[derive(Debug)]
pub struct EtcdOptions {
    url: String,
    tls: Option<Tls>,
    user: Option<(String, Password)>,
}

/// A user with its password and the token that the password was exchanged for.
struct Login {
    name: String,
    password: Password,
    token: Zeroizing<String>,
}

impl fmt::Debug for Etcd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Etcd").field("url", &self.url).finish_non_exhaustive()
    }
}

/// An entry as read from the cluster.
struct Entry {
    /// The revision at which the entry was last written.
    modified: u64,
    /// How often the entry was written.
    version: u64,
    /// The current raft term of the cluster.
    term: u64,
    value: Numbers,
    account: Account,
}

/// The contents of an entry.
#[derive(Clone)]
struct Numbers {
    instance: String,
    epoch: u64,
    next: u64,
    end: u64,
    unit: u64,
    /// How often the entry was written; etcd counts the writes as well.
    version: u64,
    /// The raft term of the cluster when the entry was written.
    term: u64,
    /// The children of upper keys, in base64.
    children: String,
}

impl Etcd {
    /// Returns options for the cluster at a client URL, which must have no password in it.
    pub fn at(url: impl Into<String>) -> EtcdOptions {
        EtcdOptions { url: url.into(), tls: None, user: None }
    }
}

impl EtcdOptions {
    /// Sets how the server is authenticated: required for an `https:` address, and an error for
    /// any other.
    #[must_use]
    pub fn tls(mut self, tls: Tls) -> Self {
        self.tls = Some(tls);
        self
    }

    /// Logs in as a user with a password, which is exchanged for a token on connecting, and again
    /// when the token has expired (by default after five minutes without a request).
    #[must_use]
    pub fn login(mut self, name: impl Into<String>, password: Password) -> Self {
        self.user = Some((name.into(), password));
        self
    }

    /// Connects.
    ///
    /// # Errors
    /// [`StoreError::PasswordInAddress`]; [`StoreError::Database`] if the URL or the password is
    /// not accepted, or a password or TLS is set for an address that is not `https:`.
    pub fn connect(self) -> Result<Etcd, StoreError> {
        if self.url.contains('@') {
            return Err(StoreError::PasswordInAddress);
        }
        let mut config = Agent::config_builder()
            .timeout_global(Some(LIMIT))
            .http_status_as_error(false)
            .max_redirects(0)
            .proxy(None);
        // Schemes are compared without regard to case: RFC 3986, section 3.1.
        if self.url.get(..6).is_some_and(|scheme| scheme.eq_ignore_ascii_case("https:")) {
            let tls = self.tls.ok_or_else(|| database("TLS needs a root certificate"))?;
            config = config.https_only(true).tls_config(tls_config(&tls)?);
        } else if self.user.is_some() || self.tls.is_some() {
            return Err(database("a password and TLS need an `https:` address"));
        }
        let url = self.url.trim_end_matches('/').to_owned();
        let login =
            self.user.map(|(name, password)| Login { name, password, token: Zeroizing::default() });
        let mut etcd = Etcd { agent: config.build().new_agent(), url, login };
        etcd.authenticate()?;
        Ok(etcd)
    }
}

impl Etcd {
    /// Exchanges the password, if there is one, for a token.
    fn authenticate(&mut self) -> Result<(), StoreError> {
        let Some(Login { name, password, .. }) = &self.login else {
            return Ok(());
        };
        let password = password.reveal();
        // Large enough that it is never reallocated, which would leave a copy that is not erased.
        let room = 64 + 6 * (name.len() + password.len());
        let mut user = Zeroizing::new(Vec::with_capacity(room));
        let fields = BTreeMap::from([("name", &**name), ("password", password)]);
        serde_json::to_writer(&mut *user, &fields).map_err(database)?;
        let answer = successful(self.send(AUTHENTICATE, &user)?)?;
        let token = answer["token"].as_str().ok_or_else(|| database("no token"))?;
        let token = Zeroizing::new(token.to_owned());
        if let Some(login) = &mut self.login {
            login.token = token;
        }
        Ok(())
    }

    /// Returns the answer of the cluster. A token that has expired, or is older than a change of
    /// the users, is renewed once.
    fn post(&mut self, path: &str, body: &Value) -> Result<Value, StoreError> {
        let body = body.to_string();
        let answer = self.send(path, body.as_bytes())?;
        let is_old = answer.0 == StatusCode::UNAUTHORIZED || answer.1.contains(OLD_TOKEN);
        if !is_old || self.login.is_none() {
            return successful(answer);
        }
        self.authenticate()?;
        successful(self.send(path, body.as_bytes())?)
    }

    fn send(&self, path: &str, body: &[u8]) -> Result<(StatusCode, String), StoreError> {
        let mut request = self.agent.post(format!("{}/v3/{path}", self.url));
        let token = self.login.as_ref().map_or("", |login| &login.token);
        if !token.is_empty() && path != AUTHENTICATE {
            request = request.header("Authorization", token);
        }
        let request = request.header("Content-Type", "application/json");
        let mut answer = request.send(body).map_err(database)?;
        let text = answer.body_mut().read_to_string().map_err(database)?;
        Ok((answer.status(), text))
    }

    /// Reads the entry of a key and, at the same revision, that of this machine.
    fn entry(&mut self, key: KeyId, machine: Machine) -> Result<Entry, StoreError> {
        let range = |name| json!({ "request_range": { "key": name } });
        let both = json!({ "success": [range(name(key)), range(machine_name(key, machine))] });
        Entry::parse(&self.post("kv/txn", &both)?)
    }

    /// Writes the entry of a key, and that of a machine if given, provided that the condition
    /// `compare` holds; reports whether it did.
    fn put(
        &mut self,
        compare: &Value,
        key: KeyId,
        machine: Option<Machine>,
        value: &Numbers,
    ) -> Result<bool, StoreError> {
        let put = |name, value: &str| {
            let value = Base64::encode_string(value.as_bytes());
            json!({ "request_put": { "key": name, "value": value } })
        };
        let entry = put(name(key), &value.text());
        let turn = machine.map(|machine| put(machine_name(key, machine), ""));
        let puts: Vec<_> = [Some(entry), turn].into_iter().flatten().collect();
        let answer = self.post("kv/txn", &json!({ "compare": [compare], "success": puts }))?;
        Ok(answer["succeeded"].as_bool() == Some(true))
    }
}

impl Ledger for Etcd {
    fn read(&mut self, key: KeyId, machine: Machine) -> Result<Account, StoreError> {
        self.entry(key, machine).map(|entry| entry.account)
    }

    fn create(&mut self, key: KeyId, indices: Range<u64>, unit: u64) -> Result<(), StoreError> {
        let mut instance = [0; 16];
        getrandom::fill(&mut instance)
            .map_err(|error| database(format!("no randomness: {error}")))?;
        let (instance, Range { start: next, end }) = (Base64::encode_string(&instance), indices);
        let children = String::new();
        let (epoch, version, term) = (0, 1, 0);
        let value = Numbers { instance, epoch, next, end, unit, version, term, children };
        let is_new = compare(name(key), "CREATE", "create_revision", 0);
        match self.put(&is_new, key, None, &value)? {
            true => Ok(()),
            false => Err(StoreError::Exists),
        }
    }

    /// Retries while other machines are faster.
    fn update(
        &mut self,
        key: KeyId,
        machine: Machine,
        change: Change,
    ) -> Result<[Account; 2], StoreError> {
        for _ in 0..ATTEMPTS {
            let entry = self.entry(key, machine)?;
            let Entry { modified, version, term, value, account: before } = entry;
            let after = change(&before)?;
            if after == before {
                return Ok([before, after]);
            }
            let after = Account { restored: None, ..after };
            // etcd itself counts the turns: the number of writes to the machine's entry.
            let takes_turn = match after.turn.checked_sub(before.turn) {
                Some(0) => None,
                Some(1) => Some(machine),
                _ => return Err(database("a machine takes one turn at a time")),
            };
            let is_same = compare(name(key), "MOD", "mod_revision", modified);
            let Account { epoch, next, .. } = after;
            let (version, children) = (version + 1, Base64::encode_string(&after.children));
            let value = Numbers { epoch, next, version, term, children, ..value };
            if self.put(&is_same, key, takes_turn, &value)? {
                return Ok([before, after]);
            }
        }
        Err(database("other machines are always faster"))
    }
}

impl Entry {
    /// Parses the answer to a transaction that reads the entries of a key and of a machine.
    fn parse(answer: &Value) -> Result<Self, StoreError> {
        let header = &answer["header"];
        let found = |at: usize| answer["responses"][at]["response_range"]["kvs"].get(0);
        let entry = found(0).ok_or(StoreError::Missing)?;
        let value = entry["value"].as_str().and_then(|value| Base64::decode_vec(value).ok());
        let value = value.and_then(|value| String::from_utf8(value).ok());
        let value = value.as_deref().and_then(Numbers::parse);
        let value = value.ok_or(StoreError::Corrupt("the entry in etcd is not one of a key"))?;
        let [cluster, created] = [&header["cluster_id"], &entry["create_revision"]].map(number);
        let name = format!("etcd {} {} {}", cluster?, created?, value.instance);
        let (term, version) = (number(&header["raft_term"])?, number(&entry["version"])?);
        let restored = match () {
            () if version != value.version => Some("its entry was put back, or changed by hand"),
            () if term < value.term => Some("the cluster was made anew from a snapshot"),
            () => None,
        };
        let account = Account {
            identity: sha256(name.as_bytes()),
            epoch: value.epoch,
            revision: number(&header["revision"])?,
            next: value.next,
            end: value.end,
            unit: value.unit,
            turn: found(1).map_or(Ok(0), |mine| number(&mine["version"]))?,
            children: Base64::decode_vec(&value.children).map_err(database)?,
            restored,
        };
        let modified = number(&entry["mod_revision"])?;
        Ok(Self { modified, version, term, value, account })
    }
}

impl Numbers {
    fn text(&self) -> String {
        let Self { instance, epoch, next, end, unit, version, term, children } = self;
        let numbers = format!("{epoch} {next} {end} {unit} {version} {term}");
        ["oaklath-indices-2", instance, &numbers, children].join(" ")
    }

    fn parse(text: &str) -> Option<Self> {
        let mut words = text.split(' ');
        if words.next()? != "oaklath-indices-2" {
            return None;
        }
        let instance = words.next()?.to_owned();
        let mut number = || words.next()?.parse::<u64>().ok();
        let (epoch, next, end, unit) = (number()?, number()?, number()?, number()?);
        let (version, term) = (number()?, number()?);
        let children = words.next()?.to_owned();
        let is_sensible = words.next().is_none() && next <= end && unit > 0;
        is_sensible.then_some(Self { instance, epoch, next, end, unit, version, term, children })
    }
}

/// Returns the name of a key's entry, in base64 as the gateway requires.
fn name(key: KeyId) -> String {
    Base64::encode_string(format!("oaklath/indices/{key}").as_bytes())
}

/// Returns the name of the entry that a machine writes each time it takes a lease, in base64.
fn machine_name(key: KeyId, machine: Machine) -> String {
    let machine = u128::from_be_bytes(machine);
    Base64::encode_string(format!("oaklath/machines/{key}/{machine:032x}").as_bytes())
}

/// Builds a condition on a number of an entry, which is 0 if there is no entry.
fn compare(name: String, target: &str, field: &str, number: u64) -> Value {
    json!({ "key": name, "target": target, "result": "EQUAL", field: number.to_string() })
}

fn tls_config(tls: &Tls) -> Result<TlsConfig, StoreError> {
    let owned = |certificate: &CertificateDer<'_>| Certificate::from_der(certificate).to_owned();
    let client = match &tls.client {
        None => None,
        Some((chain, key)) => {
            // The client library panics if chain and key do not match, and takes keys as PEM.
            CertifiedKey::from_der(chain.clone(), key.clone_key().into(), &tls.provider)
                .map_err(database)?;
            let base64 = Zeroizing::new(Base64::encode_string(key.secret_pkcs8_der()));
            let [begin, end] = ["BEGIN", "END"].map(|what| format!("-----{what} PRIVATE KEY-----"));
            let pem = Zeroizing::new([&*begin, &*base64, &*end].join("\n"));
            let key = PrivateKey::from_pem(pem.as_bytes()).map_err(database)?;
            let chain: Vec<_> = chain.iter().map(owned).collect();
            Some(ClientCert::new_with_certs(&chain, key))
        }
    };
    let roots: Vec<_> = tls.roots.iter().map(owned).collect();
    Ok(TlsConfig::builder()
        .root_certs(RootCerts::new_with_certs(&roots))
        .client_cert(client)
        .unversioned_rustls_crypto_provider(tls.provider.clone())
        .build())
}

/// Parses an answer of the gateway, unless it is an error.
fn successful((status, text): (StatusCode, String)) -> Result<Value, StoreError> {
    if !status.is_success() {
        return Err(database(format!("{status}: {}", text.trim())));
    }
    serde_json::from_str(&text).map_err(database)
}

/// Parses a 64-bit number, which the gateway's JSON represents as a string.
fn number(value: &Value) -> Result<u64, StoreError> {
    let number = value.as_str().and_then(|text| text.parse().ok());
    number.ok_or_else(|| database(format!("expected a number, found {value}")))
}

fn database(what: impl ToString) -> StoreError {
    StoreError::Database(what.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_comes_back_and_another_is_rejected() {
        let text = "oaklath-indices-2 aGVsbG8= 3 64 1024 32 7 4 AAAA";
        let numbers = Numbers::parse(text).unwrap();
        assert_eq!(numbers.text(), text);
        assert_eq!((numbers.epoch, numbers.next, numbers.end, numbers.unit), (3, 64, 1024, 32));
        assert_eq!((numbers.version, numbers.term, &*numbers.children), (7, 4, "AAAA"));
        for wrong in [
            "",
            "oaklath-indices-3 aGVsbG8= 3 64 1024 32 7 4 ",
            "oaklath-indices-2 aGVsbG8= 3 64 1024 32 7 4",
            "oaklath-indices-2 aGVsbG8= 3 64 1024 32 7 4 AAAA 1",
            "oaklath-indices-2 aGVsbG8= 3 64 63 32 7 4 ",
            "oaklath-indices-2 aGVsbG8= 3 64 1024 0 7 4 ",
            "oaklath-indices-2 aGVsbG8= 3 -1 1024 32 7 4 ",
        ] {
            assert!(Numbers::parse(wrong).is_none(), "{wrong}");
        }
    }

    /// Builds etcd's answer with these numbers of its own and an entry like the one above.
    fn answer(cluster: &str, created: u64, version: u64, term: u64) -> Value {
        let text = "oaklath-indices-2 aGVsbG8= 3 64 1024 32 7 4 ";
        let entry = json!({
            "create_revision": created.to_string(), "mod_revision": "40",
            "version": version.to_string(), "value": Base64::encode_string(text.as_bytes()),
        });
        json!({
            "header": {
                "cluster_id": cluster, "member_id": "9", "revision": "50",
                "raft_term": term.to_string(),
            },
            "succeeded": true,
            "responses": [
                { "response_range": { "kvs": [entry], "count": "1" } },
                { "response_range": { "kvs": [{ "version": "5" }], "count": "1" } },
            ],
        })
    }

    #[test]
    fn an_entry_that_no_signer_left_so_is_noticed() {
        let account = |cluster, created, version, term| {
            Entry::parse(&answer(cluster, created, version, term)).unwrap().account
        };
        let same = account("6", 10, 7, 4);
        assert_eq!((same.revision, same.turn, same.restored), (50, 5, None));
        assert_eq!(account("6", 10, 7, 9).restored, None, "an election");
        let snapshot = account("6", 10, 7, 3).restored.unwrap();
        assert!(snapshot.contains("snapshot"), "{snapshot}");
        for version in [6, 8] {
            let put_back = account("6", 10, version, 4).restored.unwrap();
            assert!(put_back.contains("put back"), "{put_back}");
        }
        for other in [account("7", 10, 7, 4), account("6", 11, 7, 4)] {
            assert_ne!(other.identity, same.identity);
        }
    }

    #[test]
    fn a_machine_that_has_written_nothing_has_had_no_turn() {
        let mut answer = answer("6", 10, 7, 4);
        answer["responses"][1] = json!({ "response_range": { "header": {} } });
        assert_eq!(Entry::parse(&answer).unwrap().account.turn, 0);
        answer["responses"][0] = answer["responses"][1].take();
        assert!(matches!(Entry::parse(&answer), Err(StoreError::Missing)));
    }

    #[test]
    fn passwords_are_neither_in_addresses_nor_sent_without_tls() {
        let inside = Etcd::at("https://signer:secret@localhost:2379").connect();
        assert!(matches!(inside, Err(StoreError::PasswordInAddress)));
        let password = Password::new(Zeroizing::new("secret".into()));
        let plain = Etcd::at("http://localhost:2379").login("signer", password);
        assert!(!format!("{plain:?}").contains("secret"));
        let refused = plain.connect();
        assert!(matches!(refused, Err(StoreError::Database(what)) if what.contains("https")));
    }

    #[test]
    fn tls_is_used_if_and_only_if_the_scheme_is_https() {
        let tls = || Tls::new(rustls::crypto::aws_lc_rs::default_provider().into(), Vec::new());
        for url in ["https://localhost:2379", "HTTPS://localhost:2379", "Https://localhost:2379"] {
            let refused = Etcd::at(url).connect();
            assert!(matches!(refused, Err(StoreError::Database(what)) if what.contains("root")));
            assert!(Etcd::at(url).tls(tls()).connect().unwrap().agent.config().https_only());
        }
        for url in ["http://localhost:2379", "HTTP://localhost:2379", "localhost:2379", "äö"] {
            let refused = Etcd::at(url).tls(tls()).connect();
            assert!(matches!(refused, Err(StoreError::Database(what)) if what.contains("https")));
        }
    }
}
