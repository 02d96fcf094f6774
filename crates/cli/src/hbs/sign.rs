//! `oaklath hbs sign` and `verify`.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use oaklath_stateful::{Checked, Error, Growth, HssPublicKey, Message, XmssPublicKey, XmssTrees};
use oaklath_stores::{KeyId, Signer};

use super::key::SecretKey;
use super::message::MessageFile;
use super::store::{StoreArgs, beside, refused};
use crate::failure::{usage, with_hint};
use crate::files::{self, Format, Output};
use crate::progress::{bar, on_threads};

/// Arguments of `oaklath hbs sign`.
#[derive(Debug, clap::Args)]
#[command(after_help = MANY, override_usage = "oaklath hbs sign [OPTIONS] -s <FILE> [FILES]...")]
pub(crate) struct HbsSign {
    /// Messages, of which each is signed to its name with `.sig`
    #[arg(conflicts_with_all = ["message", "output"])]
    files: Vec<PathBuf>,
    /// The secret key
    #[arg(short, long, value_name = "FILE")]
    secret: PathBuf,
    /// The message
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    message: PathBuf,
    /// Where the signature goes
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    #[command(flatten)]
    store: StoreArgs,
    /// One-time keys that are taken from the store at a time, and lost if this
    /// program ends before it has used them
    #[arg(long, value_name = "N", default_value = "1")]
    batch: NonZeroU64,
    /// Threads that grow trees [default: one for each core]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    #[command(flatten)]
    format: Format,
}

const MANY: &str = "\
The state is written and synced before anything is signed, and a signature is
verified before it is written. Whatever fails costs the one-time key.";

/// Arguments of `oaklath hbs verify`.
#[derive(Debug, clap::Args)]
#[command(override_usage = "oaklath hbs verify [OPTIONS] -p <FILE> -i <FILE>")]
pub(crate) struct HbsVerify {
    /// The public key, as its specification encodes it
    #[arg(short, long, value_name = "FILE")]
    public: PathBuf,
    /// The signature
    #[arg(short = 'i', long, value_name = "FILE")]
    signature: PathBuf,
    /// The message
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    message: PathBuf,
    /// The public key is for XMSS^MT, whose set numbers XMSS uses as well
    #[arg(long)]
    xmss_mt: bool,
    /// Key and signature are hexadecimal digits instead of bytes
    #[arg(long)]
    hex: bool,
}

/// Signs one message or all files.
pub(super) fn sign(args: &HbsSign) -> Result<()> {
    let signed: Vec<_> =
        args.files.iter().map(|file| (file.clone(), beside(file, ".sig"))).collect();
    let pairs = match signed.is_empty() {
        true => vec![(args.message.clone(), args.output.clone())],
        false => signed,
    };
    check_outputs(args, &pairs)?;
    let outputs: Result<Vec<_>> =
        pairs.iter().map(|(_, to)| Output::create(to, false, args.format)).collect();
    let outputs = outputs?;
    // Unreadable messages are reported before anything is signed or locked.
    let messages: Result<Vec<_>> = pairs.iter().map(|(from, _)| MessageFile::open(from)).collect();
    let messages = messages?;

    on_threads(args.threads, || sign_each(args, &messages, outputs))?
}

/// Rejects outputs that would replace a message, a file of the key, or each other.
fn check_outputs(args: &HbsSign, pairs: &[(PathBuf, PathBuf)]) -> Result<()> {
    files::distinct("messages", &args.files.iter().map(|file| &**file).collect::<Vec<_>>())?;
    let mut kept = args.store.files(&args.secret);
    kept.extend(["", ".nodes"].map(|suffix| beside(&args.secret, suffix)));
    kept.extend(pairs.iter().map(|(message, _)| message.clone()));
    kept.retain(|path| !files::is_standard(path));
    let places = |path: &PathBuf| [Some(files::place(path)), fs::canonicalize(path).ok()];
    let kept: BTreeSet<_> = kept.iter().flat_map(places).flatten().collect();
    let mut outputs = pairs.iter().map(|(_, output)| output);
    match outputs.find(|to| !files::is_standard(to) && kept.contains(&files::place(to))) {
        Some(to) => Err(usage(anyhow!("{}: the signature would replace it", to.display()))),
        None => Ok(()),
    }
}

fn sign_each(args: &HbsSign, messages: &[MessageFile<'_>], outputs: Vec<Output<'_>>) -> Result<()> {
    let key = SecretKey::read_to_sign(&args.secret)?;
    let store = args.store.open(&args.secret, args.batch, KeyId::of_key(&*key))?;
    // Nothing is grown in advance, since it would not outlive this process.
    let signer = Signer::new(key, store).map_err(refused)?.growth(Growth::Lazy);
    let mut signer = signer.batch(args.batch);
    let bar = bar("signing", messages.len() as u64);
    for (message, output) in bar.wrap_iter(messages.iter().zip(outputs)) {
        let signature = message.in_pieces(|message| signer.sign(message))?;
        output.write(&signature.map_err(refused)?)?;
    }
    Ok(())
}

/// Verifies that key, message and signature belong together.
pub(super) fn verify(args: &HbsVerify) -> Result<()> {
    let paths: [&Path; 3] = [&args.public, &args.signature, &args.message];
    files::distinct("the files to be read", &paths)?;
    let format = Format::reading(args.hex);
    let public = files::read(&args.public, format)?;
    let signature = files::read(&args.signature, format)?;
    let message = MessageFile::open(&args.message)?;
    let check = |check: &dyn Fn(Message<'_>) -> Result<Checked, Error>| message.in_pieces(check);
    // A number of levels (LMS, HSS) is lower than the number of any XMSS set of that length.
    let hss = HssPublicKey::from_bytes(&public).ok().filter(|_| !args.xmss_mt);
    let (name, checked) = match hss {
        Some(key) if key.levels() == 1 => ("LMS", check(&|m| key.check_message(m, &signature))),
        Some(key) => ("HSS", check(&|m| key.check_message(m, &signature))),
        None => {
            let trees = if args.xmss_mt { XmssTrees::Multi } else { XmssTrees::Single };
            let key = XmssPublicKey::from_bytes(trees, &public)
                .with_context(|| format!("{}: not a public key", files::name(&args.public)))?;
            (key.info().name, check(&|m| key.check_message(m, &signature)))
        }
    };
    match checked? {
        Ok(Checked { index, .. }) => {
            Ok(writeln!(io::stdout(), "{name}: signature {index} verifies")?)
        }
        Err(Error::Invalid) => {
            let path = files::name(&args.signature);
            let hint = "key and message must be those of the signer";
            Err(with_hint(anyhow!("{path}: {name} signature does not verify"), hint))
        }
        Err(error) => bail!("{}: {error}", files::name(&args.signature)),
    }
}
