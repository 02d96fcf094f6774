//! Files of bytes: read completely, written completely or not at all, secrets for their owner only.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Mutex, Once, PoisonError};

use anyhow::{Context, Result, anyhow, ensure};
use tempfile::{NamedTempFile, TempPath};
use zeroize::Zeroizing;

use crate::failure::{usage, with_hint};

pub(crate) use crate::input::{is_standard, name, open, read_bytes};

/// The encoding of bytes in files.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Format {
    /// Files hold hexadecimal digits instead of bytes
    #[arg(long)]
    pub(crate) hex: bool,
    /// Replace files that exist
    #[arg(long)]
    force: bool,
    /// Whether the command has `--force`.
    #[arg(skip = true)]
    may_force: bool,
}

/// Whether existing files are replaced, for commands without a choice of encoding.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Replace {
    /// Replace files that exist
    #[arg(long)]
    force: bool,
}

impl From<Replace> for Format {
    fn from(Replace { force }: Replace) -> Self {
        Self { hex: false, force, may_force: true }
    }
}

impl Format {
    /// Returns the format for files that are only read, or never replaced.
    pub(crate) fn reading(hex: bool) -> Self {
        Self { hex, force: false, may_force: false }
    }

    /// Returns the format for a text file, whose bytes are not decoded.
    pub(crate) fn text(self) -> Self {
        Self { hex: false, ..self }
    }
}

/// Rejects `paths`, described by `what`, that name one file or standard stream twice.
pub(crate) fn distinct(what: &str, paths: &[&Path]) -> Result<()> {
    let mut places = BTreeSet::new();
    for path in paths {
        if !places.insert(if is_standard(path) { path.to_path_buf() } else { place(path) }) {
            return Err(usage(anyhow!("{what} must differ, found `{}` twice", path.display())));
        }
    }
    Ok(())
}

/// Reads a file and decodes it from `format`.
pub(crate) fn read(path: &Path, format: Format) -> Result<Zeroizing<Vec<u8>>> {
    decode(path, read_bytes(path)?, format)
}

/// Reads a message, which is no secret and may be long.
pub(crate) fn read_message(path: &Path) -> Result<Vec<u8>> {
    let mut message = Vec::new();
    let read = open(path)?.read_to_end(&mut message);
    read.with_context(|| format!("cannot read {}", name(path)))?;
    Ok(message)
}

/// Decodes the bytes of a file, in constant time because they may be a secret key.
pub(crate) fn decode(
    path: &Path,
    mut bytes: Zeroizing<Vec<u8>>,
    format: Format,
) -> Result<Zeroizing<Vec<u8>>> {
    if !format.hex {
        return Ok(bytes);
    }
    bytes.retain(|byte| !byte.is_ascii_whitespace());
    let mut decoded = Zeroizing::new(vec![0; bytes.len() / 2]);
    base16ct::mixed::decode(&*bytes, &mut decoded)
        .map_err(|error| anyhow!("{} is not hexadecimal: {error}", name(path)))?;
    Ok(decoded)
}

/// Encodes bytes as hexadecimal digits and a line end, in constant time.
fn encode(bytes: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
    let mut text = Zeroizing::new(vec![b'\n'; 2 * bytes.len() + 1]);
    base16ct::lower::encode(bytes, &mut text)
        .map_err(|error| anyhow!("cannot encode as hexadecimal: {error}"))?;
    Ok(text)
}

/// Rejects a path that exists, even as a dangling link.
pub(crate) fn check_free(path: &Path, may_force: bool) -> Result<()> {
    if path.symlink_metadata().is_err() {
        return Ok(());
    }
    let hint = match may_force {
        true => "`--force` replaces files",
        false => "nothing is replaced: remove it, or name another",
    };
    Err(with_hint(anyhow!("cannot write {}: it exists", path.display()), hint))
}

/// A file to be written. Unless [`Output::write`] succeeds, nothing is left behind, even after
/// Ctrl-C or SIGTERM.
pub(crate) struct Output<'a> {
    path: &'a Path,
    hex: bool,
    to: Destination,
}

enum Destination {
    /// Standard output, a pipe, a device.
    Stream(Box<dyn Write + Send>),
    /// A temporary file in the folder of the path. That of a secret stays open, so that nobody can
    /// put another one in its place; the others do not, since there may be thousands.
    File { temporary: TempPath, open: Option<File>, replaces: bool },
}

impl<'a> Output<'a> {
    /// Begins the file, so that errors come before any work. A secret is written for its owner
    /// only: with mode 0600, and not to a pipe or a device. Existing files are rejected unless
    /// `--force` replaces them; pipes and devices are written to.
    pub(crate) fn create(path: &'a Path, is_secret: bool, format: Format) -> Result<Self> {
        let cannot = || format!("cannot write {}", path.display());
        if is_standard(path) {
            let to = Destination::Stream(standard_output().with_context(cannot)?);
            return Ok(Self { path, hex: format.hex, to });
        }
        ensure!(!path.is_dir(), "{}: it is a folder", cannot());
        if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
            if is_secret {
                let error = anyhow!("{}: a secret goes into files only", cannot());
                return Err(with_hint(error, "`-` is standard output"));
            }
            let file = File::options().write(true).open(path).with_context(cannot)?;
            return Ok(Self { path, hex: format.hex, to: Destination::Stream(Box::new(file)) });
        }
        if !format.force {
            check_free(path, format.may_force)?;
        }
        Self::begin(path, is_secret, format)
    }

    /// Begins a file that replaces the one of its name and keeps its owner. A link itself is
    /// replaced, not its target.
    pub(crate) fn replace(path: &'a Path, is_secret: bool) -> Result<Self> {
        let format = Format { hex: false, force: true, may_force: true };
        let output = Self::begin(path, is_secret, format)?;
        #[cfg(unix)]
        if let (Destination::File { temporary, .. }, Ok(old)) =
            (&output.to, path.symlink_metadata())
        {
            let kept = keep_owner(temporary, &old);
            kept.with_context(|| format!("cannot give {} to its owner", path.display()))?;
        }
        Ok(output)
    }

    fn begin(path: &'a Path, is_secret: bool, format: Format) -> Result<Self> {
        // Locked before the file is created, so that a signal finds it listed or not existing.
        let mut unfinished = unfinished();
        let begun = create_beside(path, is_secret);
        let begun = begun.with_context(|| format!("cannot write {}", path.display()))?;
        let (file, temporary) = begun.into_parts();
        unfinished.push(temporary.to_path_buf());
        let open = is_secret.then_some(file);
        let to = Destination::File { temporary, open, replaces: format.force };
        Ok(Self { path, hex: format.hex, to })
    }

    /// Writes everything and renames the file to its path.
    pub(crate) fn write(self, bytes: &[u8]) -> Result<()> {
        self.write_around(bytes, || Ok(()))
    }

    /// Writes everything, calls `act`, and then renames the file to its path, so that a full disk
    /// is noticed before `act`.
    pub(crate) fn write_around(
        mut self,
        bytes: &[u8],
        act: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        let cannot = format!("cannot write {}", self.path.display());
        let text = self.hex.then(|| encode(bytes)).transpose()?;
        let bytes = text.as_ref().map_or(bytes, |text| text);
        if let Destination::File { temporary, open, .. } = &mut self.to {
            let file = open.take().map_or_else(|| File::options().write(true).open(temporary), Ok);
            // Synced so that a power failure cannot lose the key.
            let written =
                file.and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()));
            written.with_context(|| cannot.clone())?;
        }
        act()?;
        let written = match &mut self.to {
            // The reader of a pipe that closes it has no key, so this is not a success.
            Destination::Stream(stream) => {
                let written = stream.write_all(bytes).and_then(|()| stream.flush());
                written.map_err(io::Error::other)
            }
            Destination::File { .. } => self.finish(),
        };
        written.context(cannot)
    }

    fn finish(&mut self) -> io::Result<()> {
        let done = Destination::Stream(Box::new(io::sink()));
        let Destination::File { temporary, replaces, .. } = std::mem::replace(&mut self.to, done)
        else {
            return Ok(());
        };
        // Locked until the file has its name, so that a signal comes before or after the rename.
        let mut unfinished = unfinished();
        unfinished.retain(|place| *place != *temporary);
        match replaces {
            true => temporary.persist(self.path)?,
            false => temporary.persist_noclobber(self.path)?,
        }
        drop(unfinished);
        sync_folder(self.path)
    }
}

impl Drop for Output<'_> {
    fn drop(&mut self) {
        if let Destination::File { temporary, .. } = &self.to {
            // Locked until the file is gone, so that a signal finds it listed or not existing.
            let mut unfinished = unfinished();
            let _ = fs::remove_file(temporary);
            unfinished.retain(|place| *place != **temporary);
        }
    }
}

/// Returns standard output without a buffer, which would not be erased.
#[cfg(unix)]
fn standard_output() -> io::Result<Box<dyn Write + Send>> {
    use std::os::fd::AsFd;
    Ok(Box::new(File::from(io::stdout().as_fd().try_clone_to_owned()?)))
}

#[cfg(not(unix))]
fn standard_output() -> io::Result<Box<dyn Write + Send>> {
    Ok(Box::new(io::stdout()))
}

/// The exit code of an interrupted program, as in shells.
const INTERRUPTED: i32 = 130;

/// Locks the list of unfinished files. From the first call on, Ctrl-C removes them before it ends
/// the program.
fn unfinished() -> impl std::ops::DerefMut<Target = Vec<PathBuf>> {
    static PLACES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
    static HANDLER: Once = Once::new();
    let places = || PLACES.lock().unwrap_or_else(PoisonError::into_inner);
    HANDLER.call_once(|| {
        // Without a handler Ctrl-C also ends the program, but may leave an unfinished file.
        let _ = ctrlc::set_handler(move || {
            // Locked until the exit, so that no file is finished or begun in the meantime.
            let places = places();
            for place in places.iter() {
                let _ = fs::remove_file(place);
            }
            process::exit(INTERRUPTED);
        });
    });
    places()
}

/// Creates a file with a new name in the folder of `path`, so that it can be renamed atomically.
fn create_beside(path: &Path, is_secret: bool) -> Result<NamedTempFile> {
    let name = path.file_name().context("it is not a file's name")?;
    let prefix = [OsStr::new("."), name, OsStr::new(".")].join(OsStr::new(""));
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(".part");
    #[cfg(unix)]
    {
        let mode = if is_secret { 0o600 } else { 0o666 };
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
    }
    #[cfg(not(unix))]
    let _ = is_secret; // left to the access control list of the folder
    Ok(builder.tempfile_in(folder(path))?)
}

/// Gives a file to the owner of the one that it replaces, which only root may do.
#[cfg(unix)]
fn keep_owner(file: &Path, old: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, lchown};
    if file.symlink_metadata()?.uid() == old.uid() {
        return Ok(());
    }
    lchown(file, Some(old.uid()), Some(old.gid()))
}

/// Returns the path, with its folder resolved, of a file that may not exist yet.
pub(crate) fn place(path: &Path) -> PathBuf {
    match (folder(path).canonicalize(), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Makes the new name durable, which a power failure might lose like the contents.
fn sync_folder(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    File::open(folder(path))?.sync_all()?;
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}
