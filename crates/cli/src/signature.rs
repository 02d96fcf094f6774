//! `oaklath sign`, `oaklath verify`: signatures over files.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, ensure};
use oaklath_params::hash::HashInfo;
use oaklath_pki::Identity;
use oaklath_sig::{Error, Message, Signature, derived_coins, verify_many};

use crate::failure::{unknown_name, usage, with_hint};
use crate::files::{self, Format, Output};
use crate::keys::{self, KeyBytes, draw};
use crate::text::printable;
use crate::{prehash, progress};

/// Arguments of `oaklath sign`.
#[derive(Debug, clap::Args)]
#[command(after_help = SIGN, override_usage = "oaklath sign [OPTIONS] -s <FILE>")]
pub(crate) struct Sign {
    /// The secret key: PKCS#8 as PEM or DER, or raw with --algorithm
    #[arg(short, long, value_name = "FILE")]
    secret: PathBuf,
    /// Where the signature goes
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    #[command(flatten)]
    subject: SignedArgs,
    /// Sign without randomness: the same signature each time
    #[arg(long)]
    deterministic: bool,
    #[command(flatten)]
    format: Format,
}

/// Arguments of `oaklath verify`.
#[derive(Debug, clap::Args)]
#[command(after_help = VERIFY, override_usage = "\
    oaklath verify [OPTIONS] -p <FILE> -i <FILE>
       oaklath verify [OPTIONS] -p <FILE> --batch <LIST>")]
pub(crate) struct Verify {
    /// The public key: SPKI or a certificate as PEM or DER, or raw with
    /// --algorithm
    #[arg(short, long, value_name = "FILE")]
    public: PathBuf,
    /// The signature
    #[arg(short = 'i', long, value_name = "FILE", required_unless_present = "batch")]
    signature: Option<PathBuf>,
    /// Verify many signatures: each line of this file names a signature and,
    /// after spaces, its message
    #[arg(long, value_name = "LIST", conflicts_with_all = ["signature", "message"])]
    batch: Option<PathBuf>,
    #[command(flatten)]
    subject: SignedArgs,
    /// Raw keys and the signature are hexadecimal digits instead of bytes
    #[arg(long)]
    hex: bool,
}

/// What is signed.
#[derive(Debug, clap::Args)]
#[group(skip)]
struct SignedArgs {
    /// The message
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    message: PathBuf,
    /// A context, which signer and verifier must share
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    context: String,
    /// Take the message's digest by this function: HashML-DSA, HashSLH-DSA
    #[arg(long, value_name = "HASH")]
    prehash: Option<String>,
    /// The key is raw and of this algorithm
    #[arg(long, value_name = "NAME")]
    algorithm: Option<String>,
}

const SIGN: &str = "\
The signature is as the algorithm's specification encodes it, in hexadecimal
with `--hex`; `-` is standard input or output. Signatures draw randomness, so
that two of one message differ, unless `--deterministic` is given.";

const VERIFY: &str = "\
`-` is standard input. The exit code is 0 if the signature verifies and 1 if it
does not. With `--batch` a line is printed for each message, and the exit code
is 0 if all signatures verify.";

/// How many signatures of a list are verified side by side, with their messages in memory.
const SIDE_BY_SIDE: usize = 64;

/// Reads a key and a message; writes the signature.
pub(crate) fn sign(args: &Sign) -> Result<()> {
    files::distinct("the files to be read", &[&args.secret, &args.subject.message])?;
    let (scheme, secret) = args.subject.key(&args.secret, args.format.hex, keys::private_bytes)?;
    let hash = args.subject.hash()?;
    let output = Output::create(&args.output, false, args.format)?;
    let content = args.subject.content(&args.subject.message, hash)?;

    let coins = if !args.deterministic {
        Some(draw(scheme.coins_len())?)
    } else {
        // Falcon always needs randomness: here its random bytes are derived from key and message.
        scheme.needs_coins().then(|| derived_coins(scheme, &secret, &content))
    };
    let coins = coins.as_ref().map(|coins| coins.as_slice());
    let mut signature = vec![0; scheme.info().longest_signature()];
    let message = args.subject.message(hash, &content);
    let what = format!("signing with {}", scheme.info().name);
    let signed = progress::during(&what, || scheme.sign(&secret, &message, coins, &mut signature));
    let len = signed.map_err(|error| refused(scheme, &args.secret, error))?;
    output.write(&signature[..len])
}

/// Verifies one signature, or those of a list.
pub(crate) fn verify(args: &Verify) -> Result<()> {
    let Some(path) = &args.signature else { return verify_batch(args) };
    let read: [&Path; 3] = [&args.public, path, &args.subject.message];
    files::distinct("the files to be read", &read)?;
    let (scheme, public) = args.subject.key(&args.public, args.hex, keys::public_bytes)?;
    let hash = args.subject.hash()?;
    let signature = files::read(path, Format::reading(args.hex))?;
    let content = args.subject.content(&args.subject.message, hash)?;

    let message = args.subject.message(hash, &content);
    match scheme.verify(&public, &message, &signature) {
        Ok(()) => Ok(writeln!(io::stdout(), "{}: signature verifies", scheme.info().name)?),
        Err(Error::InvalidSignature) => Err(not_verified(scheme, path, &signature)),
        Err(error) => Err(refused(scheme, &args.public, error)),
    }
}

/// Verifies the signatures of a list, and prints the result of each.
fn verify_batch(args: &Verify) -> Result<()> {
    let list = args.batch.as_deref().context("neither a signature nor a list")?;
    files::distinct("the files to be read", &[&args.public, list])?;
    let (scheme, public) = args.subject.key(&args.public, args.hex, keys::public_bytes)?;
    let of_key = |error| refused(scheme, &args.public, error);
    let key = scheme.prepare_verifier(&public).map_err(of_key)?;
    let text = files::read_bytes(list)?;
    let pairs = pairs(&text).with_context(|| files::name(list))?;

    let (mut failed, mut printed) = (0, Ok(()));
    for pairs in pairs.chunks(SIDE_BY_SIDE) {
        let verdicts = verify_side_by_side(args, scheme, &*key, pairs)?;
        failed += verdicts.iter().filter(|verdict| verdict.is_err()).count();
        // The signatures count even if nobody reads what is printed about them.
        printed = printed.and_then(|()| print(&verdicts));
    }
    ensure!(failed == 0, "{failed} of {} signatures do not verify", pairs.len());
    Ok(printed?)
}

fn print(verdicts: &[Result<String, String>]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    verdicts.iter().try_for_each(|(Ok(line) | Err(line))| writeln!(out, "{}", printable(line)))
}

/// Parses a list: each line names a signature's file and a message's file.
fn pairs(list: &[u8]) -> Result<Vec<[&Path; 2]>> {
    let text = std::str::from_utf8(list)?;
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let pairs = lines.map(|(number, line)| {
        let pair = line.trim().split_once(char::is_whitespace);
        let pair =
            pair.map(|(signature, message)| [signature, message.trim_start()].map(Path::new));
        let files = pair.filter(|pair| !pair.iter().any(|path| files::is_standard(path)));
        files.with_context(|| format!("line {number}: expected two names of files"))
    });
    let pairs = pairs.collect::<Result<Vec<_>>>()?;
    ensure!(!pairs.is_empty(), "no signature is listed");
    Ok(pairs)
}

/// Verifies signatures side by side. Returns a line about each: an error if it does not verify.
fn verify_side_by_side(
    args: &Verify,
    scheme: &dyn Signature,
    key: &dyn oaklath_sig::Verify,
    pairs: &[[&Path; 2]],
) -> Result<Vec<Result<String, String>>> {
    let (hash, name) = (args.subject.hash()?, scheme.info().name);
    let read = |[signature, message]: &[&Path; 2]| -> Result<_> {
        let signature = files::read(signature, Format::reading(args.hex))?;
        Ok((args.subject.content(message, hash)?, signature))
    };
    let files: Vec<_> = pairs.iter().map(read).collect();
    let read = files.iter().flatten();
    let signed = read.map(|(content, signature)| {
        (key, args.subject.message(hash, content), signature.as_slice())
    });
    let signed: Vec<_> = signed.collect();
    let mut results = vec![Ok(()); signed.len()];
    verify_many(&signed, &mut results);

    let mut results = results.into_iter();
    let verdict = |([_, message], files): (&[&Path; 2], &Result<_>)| {
        let message = message.display();
        Ok(match files.as_ref().map(|_| results.next()) {
            Ok(Some(Ok(()))) => Ok(format!("{message}: {name} signature verifies")),
            Ok(Some(Err(error))) if error != Error::InvalidSignature => {
                return Err(refused(scheme, &args.public, error));
            }
            Ok(_) => Err(format!("{message}: {name} signature does not verify")),
            Err(error) => Err(format!("{message}: {error:#}")),
        })
    };
    pairs.iter().zip(&files).map(verdict).collect()
}

impl SignedArgs {
    /// Returns the scheme and the bytes of a key; `parse` reads keys that are not raw.
    fn key(
        &self,
        path: &Path,
        hex: bool,
        parse: impl Fn(&Path, &[u8]) -> Result<(Identity, KeyBytes)>,
    ) -> Result<(&'static dyn Signature, KeyBytes)> {
        if let Some(name) = &self.algorithm {
            return Ok((find(name)?, files::read(path, Format::reading(hex))?));
        }
        let (identity, bytes) = parse(path, &files::read_bytes(path)?)?;
        let scheme = identity.scheme().with_context(|| {
            format!("{}: keys of {} make no signatures here", files::name(path), identity.name())
        })?;
        Ok((scheme, bytes))
    }

    fn hash(&self) -> Result<Option<&'static HashInfo>> {
        self.prehash.as_deref().map(prehash::find).transpose()
    }

    /// A message, or its digest.
    fn content(&self, path: &Path, hash: Option<&'static HashInfo>) -> Result<Vec<u8>> {
        let message = files::read_message(path)?;
        let Some(hash) = hash else { return Ok(message) };
        prehash::digest(hash, &message).with_context(|| format!("{} is not built", hash.name))
    }

    fn message<'a>(&'a self, hash: Option<&'static HashInfo>, content: &'a [u8]) -> Message<'a> {
        let context = self.context.as_bytes();
        match hash {
            Some(hash) => Message::PreHashed { hash, digest: content, context },
            None => Message::with_context(content, context),
        }
    }
}

/// Returns the scheme with a name from the command line.
pub(crate) fn find(name: &str) -> Result<&'static dyn Signature> {
    const LIST: &str = "`oaklath list signatures` prints the names and what is built";
    oaklath_sig::by_name(name).map_err(|unknown| match unknown.known {
        Some(info) => usage(with_hint(anyhow!("{} is not in this build", info.name), LIST)),
        None => unknown_name("signature scheme", name, unknown.suggestion, LIST),
    })
}

/// Explains why a scheme rejects a key or a message.
fn refused(scheme: &dyn Signature, key: &Path, error: Error) -> anyhow::Error {
    let name = scheme.info().name;
    match error {
        Error::MessageForm => usage(with_hint(
            anyhow!("{name} knows neither contexts nor digests of messages"),
            "leave `--context` and `--prehash` out",
        )),
        Error::ContextLength { .. } => usage(anyhow!("{error}")),
        _ => anyhow!("{}: {name} {error}", files::name(key)),
    }
}

fn not_verified(scheme: &dyn Signature, path: &Path, signature: &[u8]) -> anyhow::Error {
    let (info, found, path) = (scheme.info(), signature.len(), files::name(path));
    if info.variable.is_none() && found != info.signature {
        let expected = info.signature;
        return anyhow!("{path}: {} signature of {found} bytes, expected {expected}", info.name);
    }
    let hint = "key, message, `--context` and `--prehash` must be those of the signer";
    with_hint(anyhow!("{path}: {} signature does not verify", info.name), hint)
}
