//! `oaklath cert convert`.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, ensure};
use oaklath_pki::{Content, Form, PrivateKey, PublicKey, decode_pem, encode_pem, inspect};
use zeroize::Zeroizing;

use super::shared::Out;
use crate::failure::{usage, with_hint};
use crate::files;
use crate::keygen::form_for;
use crate::keys;

/// Arguments of `oaklath cert convert`.
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct ConvertArgs {
    /// Certificates, requests, public or private keys, as PEM or DER
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Form of a private key: seed, expanded, both, oqs, bare, bare-seed, parts
    #[arg(long, value_name = "FORM", value_parser = keys::form, conflicts_with = "public")]
    form: Option<Form>,
    /// Write the public keys of what is there
    #[arg(long)]
    public: bool,
    #[command(flatten)]
    out: Out,
}

const HELP: &str = "\
Private keys stay in their form unless `--form` names another one, and are
written with mode 0600. PEM may hold several things, DER one.";

/// One certificate, request or key.
struct Block {
    label: &'static str,
    der: Zeroizing<Vec<u8>>,
    is_secret: bool,
}

/// Reads every block, checks it and writes it.
pub(super) fn run(args: &ConvertArgs) -> Result<()> {
    let bytes = files::read_bytes(&args.file)?;
    let name = files::name(&args.file);
    let contents = inspect(&bytes).map_err(|error| anyhow!("{name}: {error}"))?;
    let ders = match keys::pem(&bytes) {
        Some(text) => decode_pem(text)?.into_iter().map(|block| block.bytes).collect(),
        None => vec![bytes],
    };
    let mut blocks = Vec::new();
    for (item, der) in contents.iter().zip(&ders) {
        blocks.push(block(args, &item.content, der)?);
    }
    let is_secret = blocks.iter().any(|block| block.is_secret);
    if args.form.is_some() && !is_secret {
        return Err(usage(anyhow!("{name}: no private key in it, which `--form` is about")));
    }
    if args.out.der {
        let several = anyhow!("{name}: {} certificates and keys in it", blocks.len());
        ensure!(blocks.len() == 1, with_hint(several, "a file of DER holds one"));
        return args.out.create(is_secret)?.write(&blocks[0].der);
    }
    // Has room for base64 and labels, so that no copy of a secret is left by a reallocation.
    let room = blocks.iter().map(|block| 2 * block.der.len() + 128).sum();
    let mut text = Zeroizing::new(String::with_capacity(room));
    for block in &blocks {
        text.push_str(&encode_pem(block.label, &block.der));
    }
    args.out.create(is_secret)?.write(text.as_bytes())
}

fn block(args: &ConvertArgs, content: &Content, der: &[u8]) -> Result<Block> {
    Ok(match content {
        Content::PrivateKey(_) if !args.public => {
            private(args, &keys::parse_private(&args.file, der)?)?
        }
        Content::PrivateKey(_) => public(&keys::parse_private(&args.file, der)?.public_key()),
        Content::Certificate(_) if !args.public => open("CERTIFICATE", der),
        Content::Request(_) if !args.public => open("CERTIFICATE REQUEST", der),
        Content::Certificate(_) | Content::Request(_) | Content::PublicKey(_) => {
            public(&keys::parse_public(&args.file, der)?)
        }
        Content::Unknown { reason } => return Err(unknown(&args.file, reason)),
        other => return Err(unknown(&args.file, other.kind())),
    })
}

fn private(args: &ConvertArgs, key: &PrivateKey) -> Result<Block> {
    let form = form_for(key.identity(), Some(args.form.unwrap_or(key.form())))?;
    let der = key.to_der(form).map_err(|error| keys::explained(&args.file, error))?;
    Ok(Block { label: "PRIVATE KEY", der, is_secret: true })
}

fn public(key: &PublicKey) -> Block {
    open("PUBLIC KEY", &key.to_der())
}

fn open(label: &'static str, der: &[u8]) -> Block {
    Block { label, der: Zeroizing::new(der.to_vec()), is_secret: false }
}

fn unknown(path: &Path, reason: &str) -> anyhow::Error {
    anyhow!("{}: {reason}", files::name(path))
}
