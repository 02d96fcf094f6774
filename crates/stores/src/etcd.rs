//! Leases from etcd, by the HTTP/JSON gateway of its API v3: one entry a key, moved by a
//! transaction that compares its revision.

use std::fmt;
use std::ops::Range;
use std::time::Duration;

use base64ct::{Base64, Encoding};
use oaklath_hash::sha2::sha256;
use serde_json::{Value, json};
use ureq::Agent;
use ureq::http::StatusCode;
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use zeroize::Zeroizing;

use crate::error::StoreError;
use crate::key_id::KeyId;
use crate::shared::{Account, Ledger, Taken};
use crate::tls::Tls;

/// A request, connection included.
const LIMIT: Duration = Duration::from_secs(20);

/// How often a transaction that another machine was ahead of is tried with the new revision.
const ATTEMPTS: u32 = 1000;

/// Where a password becomes a token; an expired one is not shown there.
const AUTHENTICATE: &str = "auth/authenticate";

/// What an answer says of a token that is older than the last change of users. Its status says only
/// that the request is bad.
const OLD_TOKEN: &str = "revision of auth store is old";

/// An etcd cluster as the [`Ledger`] of a [`SharedStore`](crate::SharedStore).
///
/// etcd confirms what a majority has synced, unless its members run with `--unsafe-no-fsync`, which
/// no client can see.
///
/// ```no_run
/// use oaklath_stores::{Etcd, KeyId, SharedStore, StoreError, Tls};
///
/// # fn open(tls: Tls, key: KeyId) -> Result<(), StoreError> {
/// let ledger = Etcd::connect("https://etcd.example:2379", Some(&tls), None)?;
/// let store = SharedStore::at(ledger, "/var/lib/signer/firmware.mark").open(key)?;
/// # Ok(())
/// # }
/// ```
pub struct Etcd {
    agent: Agent,
    url: String,
    login: Option<Login>,
}

/// A user, and what the password was exchanged for.
struct Login {
    name: String,
    password: Zeroizing<String>,
    token: Zeroizing<String>,
}

impl fmt::Debug for Etcd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Etcd").field("url", &self.url).finish_non_exhaustive()
    }
}

/// An entry as it was read.
struct Entry {
    cluster: String,
    /// The revision of the whole store, which only grows.
    revision: u64,
    /// The revision at which the entry was written last.
    modified: u64,
    value: Numbers,
}

/// What an entry holds.
#[derive(Clone)]
struct Numbers {
    instance: String,
    epoch: u64,
    next: u64,
    end: u64,
    unit: u64,
    /// In base64; entries of the first version have none.
    children: String,
}

impl Etcd {
    /// A cluster's client URL; `http:` only where it is said so. A user's name and password are
    /// exchanged for a token at once, and again when the token has expired (by default after five
    /// minutes without a request).
    ///
    /// # Errors
    /// [`StoreError::Database`] if the URL or the password is not accepted, or the password would
    /// go over `http:`.
    pub fn connect(
        url: &str,
        tls: Option<&Tls>,
        user: Option<(&str, &str)>,
    ) -> Result<Self, StoreError> {
        let mut config = Agent::config_builder()
            .timeout_global(Some(LIMIT))
            .http_status_as_error(false)
            .max_redirects(0)
            .proxy(None);
        if url.starts_with("https:") {
            let tls = tls.ok_or_else(|| database("TLS needs a root certificate"))?;
            let roots: Vec<_> =
                tls.roots.iter().map(|root| Certificate::from_der(root).to_owned()).collect();
            config = config.https_only(true).tls_config(
                TlsConfig::builder()
                    .root_certs(RootCerts::new_with_certs(&roots))
                    .unversioned_rustls_crypto_provider(tls.provider.clone())
                    .build(),
            );
        } else if user.is_some() {
            return Err(database("a password needs TLS"));
        }
        let url = url.trim_end_matches('/').to_owned();
        let mut etcd = Self { agent: config.build().new_agent(), url, login: None };
        if let Some((name, password)) = user {
            let (name, password) = (name.to_owned(), Zeroizing::new(password.to_owned()));
            etcd.login = Some(Login { name, password, token: Zeroizing::default() });
            etcd.authenticate()?;
        }
        Ok(etcd)
    }

    /// Exchanges the password, where there is one, for a token.
    fn authenticate(&mut self) -> Result<(), StoreError> {
        let Some(Login { name, password, .. }) = &self.login else {
            return Ok(());
        };
        let user = json!({ "name": name, "password": **password });
        let answer = successful(self.send(AUTHENTICATE, &user)?)?;
        let token = answer["token"].as_str().ok_or_else(|| database("no token"))?;
        let token = Zeroizing::new(token.to_owned());
        if let Some(login) = &mut self.login {
            login.token = token;
        }
        Ok(())
    }

    /// What the cluster answers; a token that has expired, or is older than a change of its users,
    /// is renewed once.
    fn post(&mut self, path: &str, body: &Value) -> Result<Value, StoreError> {
        let answer = self.send(path, body)?;
        let is_old = answer.0 == StatusCode::UNAUTHORIZED || answer.1.contains(OLD_TOKEN);
        if !is_old || self.login.is_none() {
            return successful(answer);
        }
        self.authenticate()?;
        successful(self.send(path, body)?)
    }

    fn send(&self, path: &str, body: &Value) -> Result<(StatusCode, String), StoreError> {
        let mut request = self.agent.post(format!("{}/v3/{path}", self.url));
        let token = self.login.as_ref().map_or("", |login| &login.token);
        if !token.is_empty() && path != AUTHENTICATE {
            request = request.header("Authorization", token);
        }
        let request = request.header("Content-Type", "application/json");
        let mut answer = request.send(body.to_string()).map_err(database)?;
        let text = answer.body_mut().read_to_string().map_err(database)?;
        Ok((answer.status(), text))
    }

    fn entry(&mut self, key: KeyId) -> Result<Entry, StoreError> {
        let answer = self.post("kv/range", &json!({ "key": name(key) }))?;
        let entry = answer["kvs"].get(0).ok_or(StoreError::Missing)?;
        let value = entry["value"].as_str().and_then(|value| Base64::decode_vec(value).ok());
        let value = value.and_then(|value| String::from_utf8(value).ok());
        let value = value.as_deref().and_then(Numbers::parse);
        let cluster = answer["header"]["cluster_id"].as_str();
        Ok(Entry {
            cluster: cluster.ok_or_else(|| database("an answer without a cluster"))?.to_owned(),
            revision: number(&answer["header"]["revision"])?,
            modified: number(&entry["mod_revision"])?,
            value: value.ok_or(StoreError::Corrupt("the entry in etcd is not one of a key"))?,
        })
    }

    /// Writes a value if the entry is still as it was at this revision; says at which revision, or
    /// nothing if it is not.
    fn replace(
        &mut self,
        key: KeyId,
        modified: u64,
        value: &Numbers,
    ) -> Result<Option<u64>, StoreError> {
        let key = name(key);
        let compare = json!({
            "key": key, "target": "MOD", "result": "EQUAL", "mod_revision": modified.to_string(),
        });
        let put = json!({ "key": key, "value": Base64::encode_string(value.text().as_bytes()) });
        let transaction = json!({ "compare": [compare], "success": [{ "request_put": put }] });
        let answer = self.post("kv/txn", &transaction)?;
        if answer["succeeded"].as_bool() != Some(true) {
            return Ok(None);
        }
        number(&answer["header"]["revision"]).map(Some)
    }

    /// Changes an entry by `change`, again and again while others are faster.
    fn update<T>(
        &mut self,
        key: KeyId,
        epoch: u64,
        change: impl Fn(&mut Numbers) -> Result<T, StoreError>,
    ) -> Result<(T, u64), StoreError> {
        for _ in 0..ATTEMPTS {
            let entry = self.entry(key)?;
            let mut value = entry.value;
            if value.epoch != epoch {
                return Err(StoreError::Fenced { epoch: value.epoch });
            }
            let changed = change(&mut value)?;
            if let Some(revision) = self.replace(key, entry.modified, &value)? {
                return Ok((changed, revision));
            }
        }
        Err(database("other machines are always faster"))
    }
}

impl Ledger for Etcd {
    fn read(&mut self, key: KeyId) -> Result<Account, StoreError> {
        let Entry { cluster, revision, value, .. } = self.entry(key)?;
        let identity = sha256(["etcd", &cluster, &value.instance].join(" ").as_bytes());
        let Numbers { epoch, next, end, unit, .. } = value;
        Ok(Account { identity, epoch, revision, next, end, unit })
    }

    fn create(&mut self, key: KeyId, indices: Range<u64>, unit: u64) -> Result<(), StoreError> {
        let mut instance = [0; 16];
        getrandom::fill(&mut instance)
            .map_err(|error| database(format!("no randomness: {error}")))?;
        let instance = Base64::encode_string(&instance);
        let Range { start: next, end } = indices;
        let value = Numbers { instance, epoch: 0, next, end, unit, children: String::new() };
        // An entry that is not there has revision 0.
        self.replace(key, 0, &value)?.map(|_| ()).ok_or(StoreError::Exists)
    }

    fn take(&mut self, key: KeyId, epoch: u64, count: u64) -> Result<Taken, StoreError> {
        let ((start, end), revision) = self.update(key, epoch, |value| {
            let start = value.next;
            if start >= value.end {
                return Err(StoreError::Exhausted);
            }
            value.next = start.saturating_add(count).min(value.end);
            Ok((start, value.next))
        })?;
        Ok(Taken { start, end, revision })
    }

    fn raise(&mut self, key: KeyId, epoch: u64, next: u64) -> Result<(), StoreError> {
        let raised = self.update(key, epoch, |value| {
            if next > value.end {
                return Err(StoreError::OutOfRange { end: value.end, found: next });
            }
            value.epoch += 1;
            value.next = value.next.max(next);
            Ok(())
        });
        raised.map(|_| ())
    }

    fn children(&mut self, key: KeyId) -> Result<Vec<u8>, StoreError> {
        let value = self.entry(key)?.value;
        Base64::decode_vec(&value.children).map_err(database)
    }

    fn replace_children(
        &mut self,
        key: KeyId,
        epoch: u64,
        from: &[u8],
        to: &[u8],
    ) -> Result<bool, StoreError> {
        let (from, to) = (Base64::encode_string(from), Base64::encode_string(to));
        let replaced = self.update(key, epoch, |value| {
            let is_known = value.children == from;
            if is_known {
                value.children.clone_from(&to);
            }
            Ok(is_known)
        });
        replaced.map(|(is_replaced, _)| is_replaced)
    }
}

impl Numbers {
    fn text(&self) -> String {
        let Self { instance, epoch, next, end, unit, children } = self;
        format!("oaklath-indices-1 {instance} {epoch} {next} {end} {unit} {children}")
    }

    fn parse(text: &str) -> Option<Self> {
        let mut words = text.split(' ');
        if words.next()? != "oaklath-indices-1" {
            return None;
        }
        let instance = words.next()?.to_owned();
        let mut number = || words.next()?.parse::<u64>().ok();
        let (epoch, next, end, unit) = (number()?, number()?, number()?, number()?);
        let children = words.next().unwrap_or_default().to_owned();
        let is_sensible = words.next().is_none() && next <= end && unit > 0;
        is_sensible.then_some(Self { instance, epoch, next, end, unit, children })
    }
}

/// The name of a key's entry, as the gateway wants it.
fn name(key: KeyId) -> String {
    Base64::encode_string(format!("oaklath/indices/{key}").as_bytes())
}

/// What an answer of the gateway says, unless it is an error.
fn successful((status, text): (StatusCode, String)) -> Result<Value, StoreError> {
    if !status.is_success() {
        return Err(database(format!("{status}: {}", text.trim())));
    }
    serde_json::from_str(&text).map_err(database)
}

/// A number of 64 bits, which JSON carries as text.
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
    fn an_entry_comes_back_and_another_is_refused() {
        let text = "oaklath-indices-1 aGVsbG8= 3 64 1024 32 AAAA";
        let numbers = Numbers::parse(text).unwrap();
        assert_eq!(numbers.text(), text);
        let old = Numbers::parse(text.trim_end_matches(" AAAA")).unwrap();
        assert_eq!((old.unit, &*old.children), (32, ""));
        assert_eq!((numbers.epoch, numbers.next, numbers.end, numbers.unit), (3, 64, 1024, 32));
        for wrong in [
            "",
            "oaklath-indices-2 aGVsbG8= 3 64 1024 32",
            "oaklath-indices-1 aGVsbG8= 3 64 1024",
            "oaklath-indices-1 aGVsbG8= 3 64 1024 32 AAAA 1",
            "oaklath-indices-1 aGVsbG8= 3 64 63 32",
            "oaklath-indices-1 aGVsbG8= 3 64 1024 0",
            "oaklath-indices-1 aGVsbG8= 3 -1 1024 32",
        ] {
            assert!(Numbers::parse(wrong).is_none(), "{wrong}");
        }
    }
}
