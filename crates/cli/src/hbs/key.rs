//! `oaklath hbs keygen` and `export-pub`; keys in files.

use std::fs;
use std::num::NonZeroU64;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use oaklath_params::stateful::lms;
use oaklath_pki::{decode_pem, encode_pem};
use oaklath_stateful::{HssGeneration, HssLevels, HssSigningKey, NODE_BYTES, StatefulKey};
use oaklath_stores::KeyId;

use super::progress::{bar, on_threads};
use super::store::{StoreArgs, beside, refused};
use crate::failure::{usage, with_hint};
use crate::files::{self, Format, Output};
use crate::keys::{draw, pem};

/// Arguments of `oaklath hbs keygen`.
#[derive(Debug, clap::Args)]
#[command(after_help = LEVELS, override_usage = "oaklath hbs keygen [OPTIONS] <SET> -p <FILE> -s <FILE>")]
pub(crate) struct Keygen {
    /// The parameter set, or the types of all levels
    set: String,
    /// Where the public key goes
    #[arg(short, long, value_name = "FILE")]
    public: PathBuf,
    /// Where the secret key goes; its state and its nodes stand beside it
    #[arg(short, long, value_name = "FILE")]
    secret: PathBuf,
    #[command(flatten)]
    store: StoreArgs,
    /// Threads that grow the tree [default: one for each core]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// The public key is hexadecimal digits instead of bytes
    #[arg(long)]
    hex: bool,
}

const LEVELS: &str = "\
Sets are those of `oaklath list stateful`. Types of levels stand from the top
down: LMS_SHA256_M32_H10/LMOTS_SHA256_N32_W4,LMS_SHA256_M32_H5/LMOTS_SHA256_N32_W8
The secret key is PEM with mode 0600 and does not change when it signs: its
state does. The public key is bytes as RFC 8554 encodes them. Nothing that
exists is replaced.";

/// Arguments of `oaklath hbs export-pub`.
#[derive(Debug, clap::Args)]
#[command(override_usage = "oaklath hbs export-pub [OPTIONS] -s <FILE>")]
pub(crate) struct ExportPub {
    /// The secret key
    #[arg(short, long, value_name = "FILE")]
    secret: PathBuf,
    /// Where the public key goes
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    #[command(flatten)]
    format: Format,
}

/// What stands behind `BEGIN` in the file of a secret key.
const LABEL: &str = "OAKLATH HSS PRIVATE KEY";

/// Draws a key, grows its tree, and makes its state; then the key is written.
pub(super) fn keygen(args: &Keygen) -> Result<()> {
    files::distinct("the files of the keys", &[&args.public, &args.secret])?;
    let levels = levels(&args.set)?;
    let place = args.store.place(&args.secret, NonZeroU64::MIN)?;
    let format = Format::reading(args.hex);
    let secret_file = Output::create(&args.secret, true, format.text())?;
    let public_file = Output::create(&args.public, false, format)?;

    let seed = draw(levels.seed_len())?;
    let key = on_threads(args.threads, || {
        let mut generation = HssGeneration::new(&levels, &seed, NODE_BYTES)?;
        let bar = bar("growing the tree", 0);
        let grown = generation.run(|done, all| {
            bar.set_length(all);
            bar.set_position(done);
            ControlFlow::Continue(())
        });
        bar.finish_and_clear();
        grown.map(|()| generation.finish())
    })??;

    // A state without a key harms nobody.
    let id = KeyId::of(key.public_key());
    place.create(id, 0..key.signatures(), key.signatures_of_tree()).map_err(refused)?;
    write_nodes(&key, &args.secret)?;
    secret_file.write(encode_pem(LABEL, &key.to_bytes()).as_bytes())?;
    public_file.write(key.public_key())
}

/// Writes the public key of a secret key.
pub(super) fn export_public(args: &ExportPub) -> Result<()> {
    let key = read(&args.secret)?;
    Output::create(&args.output, false, args.format)?.write(key.public_key())
}

/// The secret key of a file, without its nodes.
pub(super) fn read(path: &Path) -> Result<HssSigningKey> {
    let bytes = files::read_bytes(path)?;
    let not_a_key = || anyhow!("{}: not a secret key of `oaklath hbs keygen`", files::name(path));
    let blocks = decode_pem(pem(&bytes).ok_or_else(not_a_key)?)?;
    let block = blocks.iter().find(|block| block.label == LABEL).ok_or_else(not_a_key)?;
    HssSigningKey::from_bytes(&block.bytes, NODE_BYTES)
        .with_context(|| format!("{}: a damaged secret key", files::name(path)))
}

/// The secret key of a file with its nodes, which are grown and written anew where they are missing.
pub(super) fn read_to_sign(path: &Path) -> Result<HssSigningKey> {
    let mut key = read(path)?;
    let kept = fs::read(beside(path, NODES)).ok();
    if kept.is_none_or(|nodes| key.load_nodes(&nodes).is_err()) {
        key.prepare(0)?;
        write_nodes(&key, path)?;
    }
    Ok(key)
}

/// Nodes are public, and checked when they are read.
const NODES: &str = ".nodes";

fn write_nodes(key: &HssSigningKey, secret: &Path) -> Result<()> {
    let (nodes, path) = (key.nodes().unwrap_or_default(), beside(secret, NODES));
    fs::write(&path, nodes).with_context(|| format!("cannot write {}", path.display()))
}

/// The levels of a set by name, or of a list of types.
fn levels(name: &str) -> Result<HssLevels> {
    if let Some(set) = lms::by_name(name) {
        return Ok(set.into());
    }
    let types: Option<Vec<_>> = name
        .split(',')
        .map(|level| {
            let (tree, ots) = level.split_once('/')?;
            Some((lms::lms_by_name(tree)?, lms::lmots_by_name(ots)?))
        })
        .collect();
    match types {
        Some(types) => HssLevels::new(&types).map_err(|error| usage(anyhow!("{name}: {error}"))),
        None => {
            let hint = lms::suggest(name).map_or_else(
                || "`oaklath list stateful` prints the sets".to_owned(),
                |near| format!("is it `{near}`?"),
            );
            Err(usage(with_hint(anyhow!("no set of LMS or HSS is called `{name}`"), hint)))
        }
    }
}
