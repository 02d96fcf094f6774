//! The verifiers: this project, webpki, OpenSSL, Go.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use anyhow::{Context, Result, ensure};
use oaklath_pki::{Certificate, VerifyOptions, encode_pem, verify_chain};
use rustls::RootCertStore;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};

use crate::draft::{Chain, NOW};

/// The verdict of a verifier: an error says why it rejects a chain.
pub(crate) type Verdict = Result<(), String>;

/// Verifies with `verify_chain`.
pub(crate) fn ours(chain: &Chain) -> Verdict {
    let read = |der: &Vec<u8>| Certificate::from_der(der).map_err(|error| error.to_string());
    let (root, entity) = (read(&chain.root)?, read(&chain.entity)?);
    let between = chain.between.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let options = VerifyOptions::at(UNIX_EPOCH + Duration::from_secs(NOW)).server(chain.host);
    let path = verify_chain(&entity, &between, std::slice::from_ref(&root), &options);
    path.map(drop).map_err(|error| error.to_string())
}

/// Verifies with webpki as rustls uses it, with the signatures of our provider.
pub(crate) fn webpki(chain: &Chain) -> Verdict {
    let text = |error: &dyn ToString| error.to_string();
    let mut roots = RootCertStore::empty();
    let der = |der: &Vec<u8>| CertificateDer::from(der.clone());
    roots.add(der(&chain.root)).map_err(|error| text(&error))?;
    let provider = oaklath_tls::provider();
    let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider);
    let verifier = verifier.build().map_err(|error| text(&error))?;
    let name = ServerName::try_from(chain.host).map_err(|error| text(&error))?;
    let between: Vec<_> = chain.between.iter().map(der).collect();
    let now = UnixTime::since_unix_epoch(Duration::from_secs(NOW));
    let verified = verifier.verify_server_cert(&der(&chain.entity), &between, &name, &[], now);
    verified.map(drop).map_err(|error| text(&error))
}

/// Verifies with `openssl verify` and these further options.
pub(crate) fn openssl(folder: &Path, chain: &Chain, options: &[&str]) -> Result<Verdict> {
    let file = |name: &str, ders: &[&Vec<u8>]| -> Result<PathBuf> {
        let path = folder.join(name);
        let text: String =
            ders.iter().map(|der| encode_pem("CERTIFICATE", der).to_string()).collect();
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(path)
    };
    let mut command = Command::new("openssl");
    command.args(["verify", "-purpose", "sslserver", "-verify_hostname", chain.host]);
    command.args(["-attime", &NOW.to_string()]).args(options);
    command.arg("-CAfile").arg(file("root.pem", &[&chain.root])?);
    if !chain.between.is_empty() {
        let between: Vec<_> = chain.between.iter().collect();
        command.arg("-untrusted").arg(file("between.pem", &between)?);
    }
    let output = command.arg(file("entity.pem", &[&chain.entity])?).output();
    let output = output.context("`openssl` is not installed")?;
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    let reason = said.lines().find(|line| line.contains("error ")).unwrap_or(&said).to_owned();
    Ok(if output.status.success() { Ok(()) } else { Err(reason) })
}

/// Verifies all chains at once with Go's crypto/x509, by the program in `tools/interop/go/chains`.
pub(crate) fn go(folder: &Path, chains: &[Chain]) -> Result<Vec<Verdict>> {
    let program = folder.join("go-chains");
    let mut build = Command::new("go");
    build.args(["build", "-C", "tools/interop/go", "-o"]).arg(&program).arg("./chains");
    let built = build.env("GOTOOLCHAIN", "local").status().context("`go` is not installed")?;
    ensure!(built.success(), "the program of Go cannot be built");
    let mut go = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut lines = String::new();
    for chain in chains {
        let hex = |der: &Vec<u8>| der.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let between = chain.between.first().map(hex).unwrap_or_default();
        let (root, entity) = (hex(&chain.root), hex(&chain.entity));
        lines += &format!("{root},{between},{entity},{},{NOW}\n", chain.host);
    }
    let mut stdin = go.stdin.take().context("no standard input")?;
    let writer = std::thread::spawn(move || stdin.write_all(lines.as_bytes()));
    let output = go.wait_with_output()?;
    writer.join().expect("the writer does not panic")?;
    let said = String::from_utf8(output.stdout)?;
    let verdicts = said.lines().map(|line| match line {
        "ok" => Ok(()),
        reason => Err(reason.to_owned()),
    });
    let verdicts: Vec<_> = verdicts.collect();
    ensure!(verdicts.len() == chains.len(), "Go answered {} of {}", verdicts.len(), chains.len());
    Ok(verdicts)
}
