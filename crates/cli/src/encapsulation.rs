//! `oaklath encap`, `decap`: a KEM over files.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, ensure};
use oaklath_kem::{Kem, all, by_name};
use oaklath_pki::Identity;
use zeroize::Zeroizing;

use crate::failure::{unknown_name, usage, with_hint};
use crate::files::{self, Format, Output};
use crate::keys::{self, KeyBytes, draw};

/// Arguments of `oaklath encap`.
#[derive(Debug, clap::Args)]
#[command(after_help = FORMATS, override_usage = "oaklath encap [OPTIONS] <ALGORITHM> -p <FILE> -c <FILE> -o <FILE>")]
pub(crate) struct Encap {
    /// The KEM, by any of its names
    algorithm: String,
    /// The public key
    #[arg(short, long, value_name = "FILE")]
    public: PathBuf,
    /// Where the ciphertext goes
    #[arg(short, long, value_name = "FILE")]
    ciphertext: PathBuf,
    /// Where the shared secret goes
    #[arg(short = 'o', long, value_name = "FILE")]
    shared: PathBuf,
    #[command(flatten)]
    format: Format,
}

/// Arguments of `oaklath decap`.
#[derive(Debug, clap::Args)]
#[command(after_help = FORMATS, override_usage = "oaklath decap [OPTIONS] <ALGORITHM> -s <FILE> -c <FILE> -o <FILE>")]
pub(crate) struct Decap {
    /// The KEM, by any of its names
    algorithm: String,
    /// The secret key
    #[arg(short, long, value_name = "FILE")]
    secret: PathBuf,
    /// The ciphertext
    #[arg(short, long, value_name = "FILE")]
    ciphertext: PathBuf,
    /// Where the shared secret goes
    #[arg(short = 'o', long, value_name = "FILE")]
    shared: PathBuf,
    #[command(flatten)]
    format: Format,
}

const FORMATS: &str = "\
Files hold the bytes as the algorithm's specification encodes them, nothing
around them; keys may also be PEM. `-` is standard input or output. Shared
secrets are written with mode 0600.";

/// Reads a public key; writes a ciphertext and the shared secret in it.
pub(crate) fn encap(args: &Encap) -> Result<()> {
    let kem = find(&args.algorithm)?;
    files::distinct("the files to be written", &[&args.ciphertext, &args.shared])?;
    let len = |kem: &dyn Kem| kem.info().public_key;
    let public = key(kem, &args.public, args.format, len, keys::public_bytes)?;
    let ciphertext_file = Output::create(&args.ciphertext, false, args.format)?;
    let shared_file = Output::create(&args.shared, true, args.format)?;

    let coins = draw(kem.coins_len())?;
    let mut ciphertext = vec![0; kem.info().ciphertext];
    let mut shared = Zeroizing::new(vec![0; kem.info().shared_secret]);
    kem.encapsulate_from(&coins, &public, &mut ciphertext, &mut shared)
        .with_context(|| files::name(&args.public))?;

    shared_file.write(&shared)?;
    ciphertext_file.write(&ciphertext)
}

/// Reads a secret key and a ciphertext; writes the shared secret.
pub(crate) fn decap(args: &Decap) -> Result<()> {
    let kem = find(&args.algorithm)?;
    files::distinct("the files to be read", &[&args.secret, &args.ciphertext])?;
    let len = |kem: &dyn Kem| kem.info().secret_key;
    let secret = key(kem, &args.secret, args.format, len, keys::private_bytes)?;
    let ciphertext = files::read(&args.ciphertext, args.format)?;
    fits(kem, &args.ciphertext, args.format, &ciphertext, |kem| kem.info().ciphertext)?;
    let shared_file = Output::create(&args.shared, true, args.format)?;

    let mut shared = Zeroizing::new(vec![0; kem.info().shared_secret]);
    kem.decapsulate(&secret, &ciphertext, &mut shared)
        .with_context(|| files::name(&args.secret))?;
    shared_file.write(&shared)
}

/// Returns the KEM with a name from the command line.
pub(crate) fn find(name: &str) -> Result<&'static dyn Kem> {
    const LIST: &str = "`oaklath list kems` prints the names and what is built";
    by_name(name).map_err(|unknown| match unknown.known {
        Some(info) => usage(with_hint(anyhow!("{} is not in this build", info.name), LIST)),
        None => unknown_name("KEM", name, unknown.suggestion, LIST),
    })
}

/// Reads a key, as PEM with `parse` or as bytes.
fn key(
    kem: &dyn Kem,
    path: &Path,
    format: Format,
    len: impl Fn(&dyn Kem) -> usize,
    parse: impl Fn(&Path, &[u8]) -> Result<(Identity, KeyBytes)>,
) -> Result<KeyBytes> {
    let bytes = files::read_bytes(path)?;
    if keys::pem(&bytes).is_none() {
        let bytes = files::decode(path, bytes, format)?;
        fits(kem, path, format, &bytes, len)?;
        return Ok(bytes);
    }
    let (identity, bytes) = parse(path, &bytes)?;
    let (found, expected) = (identity.name(), kem.info().name);
    ensure!(found == expected, "{}: key of {found}, expected {expected}", files::name(path));
    Ok(bytes)
}

/// Checks that bytes have the length for `kem`. If not, the hint says which KEMs they fit: `len`
/// returns the length of such a file for any KEM.
fn fits(
    kem: &dyn Kem,
    path: &Path,
    format: Format,
    bytes: &[u8],
    len: impl Fn(&dyn Kem) -> usize,
) -> Result<()> {
    let expected = len(kem);
    if bytes.len() == expected {
        return Ok(());
    }
    let error = anyhow!("{} has {} bytes, expected {expected}", files::name(path), bytes.len());
    let others = all().iter().filter(|kem| len(**kem) == bytes.len());
    let others: Vec<_> = others.map(|kem| kem.info().name).collect();
    Err(if !others.is_empty() {
        with_hint(error, format!("it has the length for {}", others.join(", ")))
    } else if !format.hex && bytes.iter().all(|b| b.is_ascii_hexdigit() || b.is_ascii_whitespace())
    {
        with_hint(error, "`--hex` reads hexadecimal digits")
    } else {
        error
    })
}
