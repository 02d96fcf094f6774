//! `oaklath keygen`, `encap`, `decap`: a KEM over files.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use getrandom::SysRng;
use getrandom::rand_core::TryRng;
use oaklath_kem::{Kem, all, by_name};
use zeroize::Zeroizing;

use crate::failure::{usage, with_hint};
use crate::files::{self, Format, Output};

/// Arguments of `oaklath keygen`.
#[derive(Debug, clap::Args)]
#[command(after_help = FORMATS, override_usage = "oaklath keygen [OPTIONS] <ALGORITHM> -p <FILE> -s <FILE>")]
pub(crate) struct Keygen {
    /// The KEM, by any of its names
    algorithm: String,
    /// Where the public key goes
    #[arg(short, long, value_name = "FILE")]
    public: PathBuf,
    /// Where the secret key goes
    #[arg(short, long, value_name = "FILE")]
    secret: PathBuf,
    #[command(flatten)]
    format: Format,
}

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
around them; `-` is standard input or output. Secret keys and shared secrets
are written with mode 0600.";

/// Draws a key pair and writes both keys.
pub(crate) fn keygen(args: &Keygen) -> Result<()> {
    let kem = find(&args.algorithm)?;
    files::distinct("the files of the keys", &[&args.public, &args.secret])?;
    let secret_file = Output::create(&args.secret, true, args.format)?;
    let public_file = Output::create(&args.public, false, args.format)?;

    let seed = draw(kem.seed_len())?;
    let mut public = vec![0; kem.info().public_key];
    let mut secret = Zeroizing::new(vec![0; kem.info().secret_key]);
    kem.keypair_from(&seed, &mut public, &mut secret)?;

    secret_file.write(&secret)?;
    public_file.write(&public)
}

/// Reads a public key; writes a ciphertext and the shared secret in it.
pub(crate) fn encap(args: &Encap) -> Result<()> {
    let kem = find(&args.algorithm)?;
    files::distinct("the files to be written", &[&args.ciphertext, &args.shared])?;
    let expected = kem.info().public_key;
    let public = read(&args.public, args.format, expected, |kem| kem.info().public_key)?;
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
    let (key_len, ciphertext_len) = (kem.info().secret_key, kem.info().ciphertext);
    let secret = read(&args.secret, args.format, key_len, |kem| kem.info().secret_key)?;
    let ciphertext =
        read(&args.ciphertext, args.format, ciphertext_len, |kem| kem.info().ciphertext)?;
    let shared_file = Output::create(&args.shared, true, args.format)?;

    let mut shared = Zeroizing::new(vec![0; kem.info().shared_secret]);
    kem.decapsulate(&secret, &ciphertext, &mut shared)
        .with_context(|| files::name(&args.secret))?;
    shared_file.write(&shared)
}

/// The KEM of a name on the command line.
pub(crate) fn find(name: &str) -> Result<&'static dyn Kem> {
    by_name(name).map_err(|unknown| {
        let list = "`oaklath list kems` prints the names and what is built".to_owned();
        let (error, hint) = match (unknown.known, unknown.suggestion) {
            (Some(info), _) => (anyhow!("{} is not in this build", info.name), list),
            (None, Some(near)) => {
                (anyhow!("no KEM is called `{name}`"), format!("is it `{near}`?"))
            }
            (None, None) => (anyhow!("no KEM is called `{name}`"), list),
        };
        usage(with_hint(error, hint))
    })
}

/// A file of `expected` bytes. If it is not, says what else it may be: `len` tells the length of
/// such a file for any KEM.
fn read(
    path: &Path,
    format: Format,
    expected: usize,
    len: impl Fn(&dyn Kem) -> usize,
) -> Result<Zeroizing<Vec<u8>>> {
    let bytes = files::read(path, format)?;
    if bytes.len() == expected {
        return Ok(bytes);
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

/// Bytes of the operating system's generator.
fn draw(len: usize) -> Result<Zeroizing<Vec<u8>>> {
    let mut bytes = Zeroizing::new(vec![0; len]);
    SysRng.try_fill_bytes(&mut bytes).context("no randomness")?;
    Ok(bytes)
}
