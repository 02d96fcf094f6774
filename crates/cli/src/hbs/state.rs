//! `oaklath hbs status`, `reserve`, `advance`, `adopt` and `join`: the state of a key.

use std::io::{self, Write};
use std::num::NonZeroU64;
use std::ops::Range;

use anyhow::{Result, anyhow, ensure};
use oaklath_stores::{FileStore, KeyId, Signer, Status, Store, StoreError};
use serde_json::json;

use super::key::SecretKey;
use super::store::{Place, StateArgs, StoreName, missing_anchor, moved_anchor, refused};
use crate::failure::{refusal, usage, with_hint};
use crate::table::escaped;
use crate::text::printable;

/// Arguments of `oaklath hbs status`.
#[derive(Debug, clap::Args)]
#[command(override_usage = "oaklath hbs status [OPTIONS] -s <FILE>")]
pub(crate) struct StatusArgs {
    #[command(flatten)]
    key: StateArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Arguments of `oaklath hbs reserve`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = RESERVE,
    override_usage = "oaklath hbs reserve [OPTIONS] -s <FILE> --count <N> --to <STORE>"
)]
pub(crate) struct Reserve {
    #[command(flatten)]
    key: StateArgs,
    /// How many signatures, or up to a tree more
    #[arg(long, value_name = "N")]
    count: NonZeroU64,
    /// The new store that gets them: `file:PATH`
    #[arg(long, value_name = "STORE")]
    to: StoreName,
}

const RESERVE: &str = "\
The signatures leave this store for ever, and the new store has only these.
In a hierarchy they end with a bottom tree, so that there may be more than
requested. Move the new state to the other machine together with the secret key,
leave no copy behind, and begin there with `oaklath hbs adopt`. It gets an
anchor of its own when it is first used.";

/// Arguments of `oaklath hbs advance`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = ADVANCE,
    override_usage = "oaklath hbs advance [OPTIONS] -s <FILE> --past <INDEX>"
)]
pub(crate) struct Advance {
    #[command(flatten)]
    key: StateArgs,
    /// The highest index that may have signed; it and all below are given up
    #[arg(long, value_name = "INDEX")]
    past: u64,
    /// Go on with a state that is rejected; `--no-anchor` says that it never had
    /// an anchor, or that this is lost for good
    #[arg(long)]
    recover: bool,
    /// The first index behind those of this store, if its file cannot be read
    /// or has a higher one
    #[arg(long, value_name = "INDEX", requires = "recover")]
    end: Option<u64>,
}

const ADVANCE: &str = "\
A state that was restored from a backup, copied or damaged may give one-time
keys a second time, and then anybody can forge. Only who knows every signature
that was made since, on every machine, can say where to go on. Take the highest
index that any of them has (`oaklath hbs verify` prints it), or the end of the
last range that `oaklath hbs reserve` gave away, used or not, if that is higher,
and a good margin; if you do not know it, make a new key.";

pub(super) const ADOPT: &str = "\
A state knows its machine and its file, and a copy of it is rejected: two that
sign break the key. Adopt the newest copy, once, if nothing has signed since it
was made and all others are destroyed. An anchor must come along: move it, do
not copy it, and name its new place with `--anchor`. In doubt, or for an older
copy, see `oaklath hbs advance --help`.";

pub(super) const JOIN: &str = "\
Every machine records how far it has seen the database advance, and so notices
a restored one. A machine that has lost this record must not join again but
recover by a person's word: `oaklath hbs advance --past INDEX --recover`.";

/// Prints how many signatures the store can still make.
pub(super) fn status(args: &StatusArgs) -> Result<()> {
    let key = SecretKey::read(&args.key.secret)?;
    let id = KeyId::of_key(key.any_ref());
    let status = args.key.when_free(|place| place.status(id))?;
    let Status { instance, generation, next, end, is_anchored, anchor, is_shared, .. } = status;
    let (remaining, signatures) = (end - next, key.any_ref().signatures());
    if args.json {
        let report = json!({
            "key": id.to_string(),
            "instance": base16ct::lower::encode_string(&instance),
            "record": generation,
            "next": next,
            "end": end,
            "remaining": remaining,
            "signatures": signatures,
            "anchored": is_anchored,
            "anchor": anchor.map(|path| path.display().to_string()),
            "shared": is_shared,
        });
        return Ok(writeln!(io::stdout(), "{}", escaped(&format!("{report:#}")))?);
    }
    let mut out = io::stdout().lock();
    writeln!(out, "{remaining} of {signatures} signatures are left, the next is {next}")?;
    if is_shared {
        writeln!(out, "other machines may have leased more, and lease from these")?;
    } else if end < signatures {
        writeln!(out, "this store ends before {end}; others may have what follows")?;
    }
    if is_anchored {
        let place = anchor.as_ref().map(|path| format!(": {}", path.display())).unwrap_or_default();
        let about = match anchor.filter(|path| !path.exists()) {
            None => format!("an anchor guards the state against old copies{place}"),
            Some(path) => format!(
                "the anchor is not where it was, and nothing signs without it{place}\n{}",
                moved_anchor(&path)
            ),
        };
        writeln!(out, "{}", printable(&about))?;
    }
    Ok(())
}

/// Reserves indices for a new store.
pub(super) fn reserve(args: &Reserve) -> Result<()> {
    let StoreName::File(to) = &args.to else {
        return Err(usage(anyhow!("signatures are given to a new file: `--to file:PATH`")));
    };
    let store = &args.key.store;
    // Signatures reserved for a place that cannot hold a state would be lost.
    let claimed = FileStore::on(store.disk(to)).claim();
    let new = claimed.map_err(|error| refused(error).context(format!("{}", to.display())))?;
    let key = SecretKey::read_to_sign(&args.key.secret)?;
    let mut open = store.open(&args.key.secret, NonZeroU64::MIN, KeyId::of_key(&*key))?;
    let left = open.remaining().map_err(refused)?.indices;
    ensure!(args.count.get() <= left, "{left} signatures are left, expected {}", args.count);
    let mut signer = Signer::new(key, open).map_err(refused)?;
    let reservation = signer.reserve(args.count).map_err(refused)?;
    let Range { start, end } = reservation.indices();
    new.take_over(reservation).map_err(refused)?;
    Ok(writeln!(io::stdout(), "{}: signatures {start} to {}", to.display(), end - 1)?)
}

/// Gives up indices on a person's word.
pub(super) fn advance(args: &Advance) -> Result<()> {
    let advanced = match args.recover {
        true => recover(args).map_err(refused_again),
        false => args.key.open().and_then(|mut store| {
            store.advance(args.past).map_err(refused)?;
            Ok(store)
        }),
    };
    let mut store = advanced.map_err(|error| match refusal(&error) {
        Some(
            StoreError::Missing
            | StoreError::Corrupt(_)
            | StoreError::RolledBack { .. }
            | StoreError::Restored(_),
        ) if !args.recover => {
            with_hint(error, "read `oaklath hbs advance --help`, then give `--recover`")
        }
        _ => error,
    })?;
    let status = store.status().map_err(refused)?;
    Ok(writeln!(io::stdout(), "the next signature is {}", status.next)?)
}

/// Replaces a state that was rejected. Its range must be within that of the key.
fn recover(args: &Advance) -> Result<Box<dyn Store>> {
    let Advance { key, past, end, .. } = args;
    let secret = SecretKey::read(&key.secret)?;
    let (id, signatures) = (KeyId::of_key(secret.any_ref()), secret.any_ref().signatures());
    if *past >= signatures {
        return Err(StoreError::OutOfRange { end: signatures, found: *past }.into());
    }
    if let Some(end) = end.filter(|end| *end > signatures) {
        return Err(usage(anyhow!("the key ends before {signatures}, found `--end {end}`")));
    }
    key.when_free(|place| place.recover(id, *past, *end))
}

/// Adds advice on what is missing to the error of a recovery.
fn refused_again(error: anyhow::Error) -> anyhow::Error {
    let Some(refusal) = refusal(&error) else { return error };
    let hint = match refusal {
        StoreError::Missing => "give `--end`, the first index behind those of this store".into(),
        StoreError::AnchorMissing => {
            let anchor = missing_anchor();
            format!("{anchor}; `--no-anchor` if there never was one or it is lost for good")
        }
        StoreError::RolledBack { known, .. } => {
            format!("the anchor knows signatures up to index {}: `--past` is too low", known - 1)
        }
        _ => return refused(error),
    };
    with_hint(error, hint)
}

/// Adopts a state that was moved here.
pub(super) fn adopt(args: &StateArgs) -> Result<()> {
    let id = args.id()?;
    let status = args.when_free(|place| place.adopted().open(id))?.status().map_err(refused)?;
    args.store.warn(&args.secret, &status);
    Ok(writeln!(io::stdout(), "the next signature is {}", status.next)?)
}

/// Creates the mark of this machine.
pub(super) fn join(args: &StateArgs) -> Result<()> {
    let id = args.id()?;
    args.when_free(|place| place.join(id)).map(drop)
}

impl StateArgs {
    fn id(&self) -> Result<KeyId> {
        Ok(KeyId::of_key(SecretKey::read(&self.secret)?.any_ref()))
    }

    /// Calls `act` with the store, retrying until no other process has it open.
    pub(super) fn when_free<T, E: Into<anyhow::Error>>(
        &self,
        act: impl FnMut(Place) -> Result<T, E>,
    ) -> Result<T> {
        self.store.when_free(&self.secret, NonZeroU64::MIN, act).map_err(refused)
    }

    fn open(&self) -> Result<Box<dyn Store>> {
        self.store.open(&self.secret, NonZeroU64::MIN, self.id()?)
    }
}
