//! `oaklath keygen`: a key pair of a KEM or a signature scheme.

use std::path::PathBuf;

use anyhow::{Result, anyhow};
use oaklath_pki::{Form, Identity, PrivateKey, Profile};
use zeroize::Zeroizing;

use crate::failure::{usage, with_hint};
use crate::files::{self, Format, Output};
use crate::keys::{self, draw};
use crate::progress;

/// Arguments of `oaklath keygen`.
#[derive(Debug, clap::Args)]
#[command(after_help = FORMATS, override_usage = "oaklath keygen [OPTIONS] <ALGORITHM> -p <FILE> -s <FILE>")]
pub(crate) struct KeygenArgs {
    /// The KEM or signature scheme, by any of its names
    algorithm: String,
    /// Where the public key goes
    #[arg(short, long, value_name = "FILE")]
    public: PathBuf,
    /// Where the secret key goes
    #[arg(short, long, value_name = "FILE")]
    secret: PathBuf,
    /// Write PEM, the secret key as seed, expanded, both, oqs, bare,
    /// bare-seed or parts
    #[arg(long, value_name = "FORM", value_parser = keys::form, conflicts_with_all = ["raw", "hex"])]
    form: Option<Form>,
    /// Put the keys under the object identifier of: current, appendix; of an
    /// algorithm that has several [default: current]
    #[arg(long, value_name = "PROFILE", value_parser = keys::profile, conflicts_with_all = ["raw", "hex"])]
    oid_profile: Option<Profile>,
    /// Write the bytes of the keys, nothing around them
    #[arg(long)]
    raw: bool,
    #[command(flatten)]
    format: Format,
}

const FORMATS: &str = "\
Keys of signature schemes are written as PEM: SPKI, and PKCS#8 in the form that
the algorithm's standard prefers. Keys of KEMs are written as the bytes of the
algorithm's specification; `--form` and `--raw` choose. `--hex` is raw. The
secret key is written with mode 0600; `-` is standard output.";

/// Generates a key pair and writes both keys.
pub(crate) fn run(args: &KeygenArgs) -> Result<()> {
    let is_raw = args.raw || args.format.hex;
    let kem = oaklath_kem::by_name(&args.algorithm).ok();
    match (kem, oaklath_sig::by_name(&args.algorithm).ok()) {
        (Some(kem), _) if args.form.is_none() && args.oid_profile.is_none() => {
            let (seed, info) = (kem.seed_len(), kem.info());
            write_raw(args, seed, (info.public_key, info.secret_key), |seed, public, secret| {
                Ok(kem.keypair_from(seed, public, secret)?)
            })
        }
        (_, Some(sig)) if is_raw => {
            let (seed, info) = (sig.seed_len(), sig.info());
            write_raw(args, seed, (info.public_key, info.secret_key), |seed, public, secret| {
                let make = || sig.keypair_from(seed, public, secret);
                Ok(progress::during(&making(info.name), make)?)
            })
        }
        (None, None) => Err(keys::unknown(&args.algorithm)),
        _ => write_pem(args, keys::in_profile(keys::identity(&args.algorithm)?, args.oid_profile)?),
    }
}

/// Draws a seed, and writes the bytes of both keys that `make` derives from it.
fn write_raw(
    args: &KeygenArgs,
    seed: usize,
    (public, secret): (usize, usize),
    make: impl FnOnce(&[u8], &mut [u8], &mut [u8]) -> Result<()>,
) -> Result<()> {
    let (secret_file, public_file) = outputs(args, args.format)?;
    let (mut public, mut secret) = (vec![0; public], Zeroizing::new(vec![0; secret]));
    make(&draw(seed)?, &mut public, &mut secret)?;
    secret_file.write(&secret)?;
    public_file.write(&public)
}

fn write_pem(args: &KeygenArgs, identity: Identity) -> Result<()> {
    let form = form_for(identity, args.form)?;
    let (secret_file, public_file) = outputs(args, args.format.text())?;
    let key = generate(identity)?;
    secret_file.write(key.to_pem(form)?.as_bytes())?;
    public_file.write(key.public_key().to_pem().as_bytes())
}

/// Generates a key.
pub(crate) fn generate(identity: Identity) -> Result<PrivateKey> {
    let made = progress::during(&making(identity.name()), || PrivateKey::generate(identity));
    made.map_err(|error| anyhow!("{error}"))
}

fn making(name: &str) -> String {
    format!("making a key of {name}")
}

/// Returns the form to write, which must suit the algorithm.
pub(crate) fn form_for(identity: Identity, asked: Option<Form>) -> Result<Form> {
    let form = asked.unwrap_or(identity.standard_form());
    if form.suits(identity) {
        return Ok(form);
    }
    let suits = Form::ALL.iter().filter(|form| form.suits(identity));
    let suits: Vec<_> = suits.map(|form| form.as_str()).collect();
    let error = anyhow!("secret keys of {identity} have no form `{form}`");
    Err(usage(with_hint(error, format!("they have: {}", suits.join(", ")))))
}

/// Creates both files, so that errors come before any work.
fn outputs(args: &KeygenArgs, format: Format) -> Result<(Output<'_>, Output<'_>)> {
    files::distinct("the files of the keys", &[&args.public, &args.secret])?;
    let secret = Output::create(&args.secret, true, format)?;
    Ok((secret, Output::create(&args.public, false, format)?))
}
