//! `oaklath hbs keygen` and `export-pub`; keys in files.

use std::fs::{self, File};
use std::io::Read;
use std::num::NonZeroU64;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use oaklath_params::stateful::xmss::{self, XmssInfo};
use oaklath_params::stateful::{self, lms};
use oaklath_pki::{Identity, PublicKey, decode_pem, encode_pem};
use oaklath_stateful::{
    Error, HssGeneration, HssLevels, HssSigningKey, NODE_BYTES, StatefulKey, XmssGeneration,
    XmssSigningKey, XmssTrees, xmss_seed_len,
};
use oaklath_stores::KeyId;
use zeroize::Zeroizing;

use super::store::{StateArgs, StoreArgs, beside, refused};
use crate::failure::{unknown_name, usage, warn};
use crate::files::{self, Format, Output};
use crate::keys::{draw, pem};
use crate::progress::{bar, on_threads};

/// Arguments of `oaklath hbs keygen`.
#[derive(Debug, clap::Args)]
#[command(after_help = LEVELS, override_usage = "oaklath hbs keygen [OPTIONS] <SET> -p <FILE> -s <FILE>")]
pub(crate) struct Keygen {
    /// The parameter set, or the types of all levels
    set: String,
    /// Where the public key goes
    #[arg(short, long, value_name = "FILE")]
    public: PathBuf,
    /// Where the secret key goes; its state and its nodes go beside it
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
Sets are those of `oaklath list stateful`. Types of levels are given from the
top down with commas between, a level as LMS_SHA256_M32_H5/LMOTS_SHA256_N32_W8.
The secret key is PEM with mode 0600 and does not change when it signs: its
state does. The public key is bytes as RFC 8554 and RFC 8391 encode them.
Nothing that exists is replaced.";

pub(super) const REWRITE: &str = "\
Secret keys of older versions have no checksum, and a wrong bit in one may be
noticed too late. The tree is grown anew and must lead to the public key, and
the state must be that of the key. The state does not change.";

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
    /// Write PEM as in certificates (RFC 9802), for `oaklath cert issue`
    #[arg(long)]
    spki: bool,
    #[command(flatten)]
    format: Format,
}

/// Generates a key, grows its tree, creates its state, and then writes the key.
pub(super) fn keygen(args: &Keygen) -> Result<()> {
    let nodes = beside(&args.secret, NODES);
    files::distinct("the files of the keys", &[&args.public, &args.secret, &nodes])?;
    let set = StatefulSet::find(&args.set)?;
    args.store.check_anchor()?;
    let place = args.store.place(&args.secret, NonZeroU64::MIN)?;
    let format = Format::reading(args.hex);
    let secret_file = Output::create(&args.secret, true, format.text())?;
    let public_file = Output::create(&args.public, false, format)?;
    files::check_free(&nodes, false)?;

    let seed = draw(set.seed_len())?;
    let key = on_threads(args.threads, || set.generate(&seed))??;

    // The state comes first, since a state without a key does no harm.
    let make_state = || {
        let (id, any) = (KeyId::of_key(key.any_ref()), key.any_ref());
        let created = place.create(id, 0..any.signatures(), any.signatures_of_tree());
        let status = created.and_then(|mut store| store.status()).map_err(refused)?;
        args.store.warn(&args.secret, &status);
        Ok(())
    };
    public_file.write_around(key.public_key(), || {
        secret_file.write_around(key.to_pem().as_bytes(), make_state)
    })?;
    key.write_nodes(&nodes);
    Ok(())
}

/// Rewrites a secret key and its nodes, after growing its tree.
pub(super) fn rewrite(args: &StateArgs) -> Result<()> {
    let mut key = SecretKey::read(&args.secret)?;
    let id = KeyId::of_key(key.any_ref());
    args.when_free(|place| place.status(id))?;
    let name = files::name(&args.secret);
    on_threads(None, || key.any_mut().prepare(0))?
        .with_context(|| format!("{name}: a damaged secret key"))?;
    key.write_nodes(&beside(&args.secret, NODES));
    Output::replace(&args.secret, true)?.write(key.to_pem().as_bytes())
}

/// Writes the public key of a secret key.
pub(super) fn export_public(args: &ExportPub) -> Result<()> {
    let key = SecretKey::read(&args.secret)?;
    let format = if args.spki { args.format.text() } else { args.format };
    let output = Output::create(&args.output, false, format)?;
    match args.spki {
        true => output.write(key.public()?.to_pem().as_bytes()),
        false => output.write(key.public_key()),
    }
}

/// The parameters of a key.
enum StatefulSet {
    Hss(HssLevels),
    Xmss(&'static XmssInfo),
}

impl StatefulSet {
    /// Returns the set with this name, or the levels of a list of types.
    fn find(name: &str) -> Result<Self> {
        if let Some(set) = lms::by_name(name) {
            return Ok(Self::Hss(set.into()));
        }
        if let Some(set) = xmss::by_name(name) {
            return Ok(Self::Xmss(set));
        }
        let types: Option<Vec<_>> = name
            .split(',')
            .map(|level| {
                let (tree, ots) = level.split_once('/')?;
                Some((lms::lms_by_name(tree)?, lms::lmots_by_name(ots)?))
            })
            .collect();
        if let Some(types) = types {
            let levels = HssLevels::new(&types);
            return levels.map(Self::Hss).map_err(|error| usage(anyhow!("{name}: {error}")));
        }
        let near = lms::suggest(name).or_else(|| xmss::suggest(name));
        let list = "`oaklath list stateful` prints the sets";
        Err(unknown_name("set of stateful signatures", name, near, list))
    }

    fn seed_len(&self) -> usize {
        match self {
            Self::Hss(levels) => levels.seed_len(),
            Self::Xmss(info) => xmss_seed_len(info),
        }
    }

    /// Generates a key: grows the top tree, with a progress bar.
    fn generate(&self, seed: &[u8]) -> Result<SecretKey, Error> {
        let bar = bar("growing the tree", 0);
        let go_on = |done, all| {
            bar.set_length(all);
            bar.set_position(done);
            ControlFlow::Continue(())
        };
        Ok(match self {
            Self::Hss(levels) => {
                let mut generation = HssGeneration::new(levels, seed, NODE_BYTES)?;
                generation.run(go_on)?;
                SecretKey::Hss(generation.finish())
            }
            Self::Xmss(info) => {
                let mut generation = XmssGeneration::new(info, seed, NODE_BYTES)?;
                generation.run(go_on)?;
                SecretKey::Xmss(generation.finish())
            }
        })
    }
}

/// A secret key of any scheme.
pub(super) enum SecretKey {
    Hss(HssSigningKey),
    Xmss(XmssSigningKey),
}

/// The labels after `BEGIN` in the files of secret keys.
const HSS: &str = "OAKLATH HSS PRIVATE KEY";
const XMSS: &str = "OAKLATH XMSS PRIVATE KEY";
const XMSS_MT: &str = "OAKLATH XMSSMT PRIVATE KEY";

/// The suffix of the file of nodes, which are public and checked when they are read.
const NODES: &str = ".nodes";

/// Evaluates an expression for a key of either kind.
macro_rules! each {
    ($secret:expr, $key:ident => $value:expr) => {
        match $secret {
            SecretKey::Hss($key) => $value,
            SecretKey::Xmss($key) => $value,
        }
    };
}

impl SecretKey {
    /// Reads the secret key of a file, without its nodes.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let bytes = files::read_bytes(path)?;
        let name = files::name(path);
        let not_a_key = || anyhow!("{name}: not a secret key of `oaklath hbs keygen`");
        for block in decode_pem(pem(&bytes).ok_or_else(not_a_key)?)? {
            let (label, bytes) = (&*block.label, &*block.bytes);
            let key =
                match label {
                    HSS => HssSigningKey::from_bytes(bytes, NODE_BYTES).map(Self::Hss),
                    XMSS => XmssSigningKey::from_bytes(XmssTrees::Single, bytes, NODE_BYTES)
                        .map(Self::Xmss),
                    XMSS_MT => XmssSigningKey::from_bytes(XmssTrees::Multi, bytes, NODE_BYTES)
                        .map(Self::Xmss),
                    _ => continue,
                };
            return key.with_context(|| format!("{name}: a damaged secret key"));
        }
        Err(not_a_key())
    }

    /// Reads the secret key of a file with its nodes, which are computed and written again if they
    /// are missing or do not belong to the key.
    pub(super) fn read_to_sign(path: &Path) -> Result<Box<dyn StatefulKey>> {
        let (mut key, nodes) = (Self::read(path)?, beside(path, NODES));
        let kept = read_nodes(&nodes, each!(&key, key => key.nodes_len()));
        if kept.is_none_or(|nodes| each!(&mut key, key => key.load_nodes(&nodes)).is_err()) {
            key.any_mut().prepare(0)?;
            key.write_nodes(&nodes);
        }
        Ok(each!(key, key => Box::new(key)))
    }

    pub(super) fn any_ref(&self) -> &dyn StatefulKey {
        each!(self, key => key)
    }

    fn any_mut(&mut self) -> &mut dyn StatefulKey {
        each!(self, key => key)
    }

    pub(super) fn public_key(&self) -> &[u8] {
        self.any_ref().public_key()
    }

    /// Returns the public key as in certificates.
    pub(super) fn public(&self) -> Result<PublicKey> {
        let scheme = match self {
            Self::Hss(_) => &stateful::HSS_LMS,
            Self::Xmss(key) if key.public().info().multi_tree => &stateful::XMSS_MT,
            Self::Xmss(_) => &stateful::XMSS,
        };
        let identity = Identity::by_name(scheme.name).context("an algorithm of this build")?;
        Ok(PublicKey::new(identity, self.public_key())?)
    }

    fn label(&self) -> &'static str {
        match self {
            Self::Hss(_) => HSS,
            Self::Xmss(key) if key.public().info().d == 1 => XMSS,
            Self::Xmss(_) => XMSS_MT,
        }
    }

    fn to_pem(&self) -> Zeroizing<String> {
        encode_pem(self.label(), &each!(self, key => key.to_bytes()))
    }

    /// Writes the nodes of a key whose tree is grown. The key works without them, so a failure is
    /// only a warning.
    fn write_nodes(&self, path: &Path) {
        let nodes = each!(self, key => key.nodes()).unwrap_or_default();
        let written = Output::replace(path, false).and_then(|output| output.write(&nodes));
        if let Err(error) = written {
            warn(&format!("{error:#}; without it the tree is grown anew each time"));
        }
    }
}

/// Reads a regular file of this length in bytes.
fn read_nodes(path: &Path, len: usize) -> Option<Vec<u8>> {
    let found = fs::symlink_metadata(path).ok()?;
    if !found.is_file() || found.len() != len as u64 {
        return None;
    }
    let mut nodes = vec![0; len];
    File::open(path).ok()?.read_exact(&mut nodes).ok()?;
    Some(nodes)
}
