//! Files of bytes: read whole, written whole or not at all, secrets for their owner only.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Mutex, Once, PoisonError};

use anyhow::{Context, Error, Result, anyhow, ensure};
use zeroize::Zeroizing;

use crate::failure::{usage, with_hint};

/// More than any key, ciphertext or chain has, in hexadecimal too.
const LONGEST: u64 = 1 << 24;

/// How the bytes stand in files.
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

/// What becomes of files that exist, where the bytes are what they are.
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
    /// For files that are read only, or never replaced.
    pub(crate) fn reading(hex: bool) -> Self {
        Self { hex, force: false, may_force: false }
    }

    /// The same for a file of text, which stands for itself.
    pub(crate) fn text(self) -> Self {
        Self { hex: false, ..self }
    }
}

/// Whether a path stands for standard input or output.
fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Refuses a command line where `paths`, of `what`, name one file or standard stream twice.
pub(crate) fn distinct(what: &str, paths: &[&Path]) -> Result<()> {
    for (i, path) in paths.iter().enumerate() {
        if paths[..i].contains(path) {
            return Err(usage(anyhow!("{what} must differ, found `{}` twice", path.display())));
        }
    }
    Ok(())
}

/// A file, or standard input for `-`.
pub(crate) fn open(path: &Path) -> Result<Box<dyn Read>> {
    if is_standard(path) {
        return Ok(Box::new(io::stdin().lock()));
    }
    let file = File::open(path).with_context(|| format!("cannot read {}", name(path)))?;
    Ok(Box::new(file))
}

/// All bytes of a file that holds a key, a ciphertext, certificates.
pub(crate) fn read_bytes(path: &Path) -> Result<Zeroizing<Vec<u8>>> {
    let mut bytes = Zeroizing::new(Vec::new());
    let read = open(path)?.take(LONGEST + 1).read_to_end(&mut bytes);
    read.with_context(|| format!("cannot read {}", name(path)))?;
    ensure!(bytes.len() as u64 <= LONGEST, "{} has over {LONGEST} bytes", name(path));
    Ok(bytes)
}

/// The same, in a format.
pub(crate) fn read(path: &Path, format: Format) -> Result<Zeroizing<Vec<u8>>> {
    decode(path, read_bytes(path)?, format)
}

/// What the bytes of a file stand for.
pub(crate) fn decode(
    path: &Path,
    mut bytes: Zeroizing<Vec<u8>>,
    format: Format,
) -> Result<Zeroizing<Vec<u8>>> {
    if !format.hex {
        return Ok(bytes);
    }
    bytes.retain(|byte| !byte.is_ascii_whitespace());
    let decoded = hex::decode(&*bytes).map(Zeroizing::new);
    decoded.map_err(|error| anyhow!("{} is not hexadecimal: {error}", name(path)))
}

/// The path of a file to be read, as messages show it.
pub(crate) fn name(path: &Path) -> String {
    if is_standard(path) { "standard input".to_owned() } else { path.display().to_string() }
}

/// A file to be written. Unless [`Output::write`] succeeds, nothing stays behind, not after Ctrl-C
/// either.
#[derive(Debug)]
pub(crate) struct Output<'a> {
    path: &'a Path,
    hex: bool,
    /// None for standard output.
    file: Option<File>,
    /// What to remove if this is dropped too early.
    unfinished: Option<PathBuf>,
}

impl<'a> Output<'a> {
    /// Opens the file, so that refusals come before any work. A secret is its owner's alone: mode
    /// 0600. What exists is kept, but for pipes and devices, unless `--force` replaces it.
    pub(crate) fn create(path: &'a Path, is_secret: bool, format: Format) -> Result<Self> {
        let hex = format.hex;
        if is_standard(path) {
            return Ok(Self { path, hex, file: None, unfinished: None });
        }
        let refused = |error| Error::new(error).context(format!("cannot write {}", path.display()));
        ensure!(!path.is_dir(), "cannot write {}: it is a folder", path.display());
        if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
            let file = OpenOptions::new().write(true).open(path).map_err(refused)?;
            return Ok(Self { path, hex, file: Some(file), unfinished: None });
        }
        let place = if format.force { beside(path)? } else { path.to_owned() };
        let mut unfinished = unfinished();
        let file = create_new(&place, is_secret).map_err(|error| {
            let exists = error.kind() == io::ErrorKind::AlreadyExists && !format.force;
            let error = refused(error);
            match () {
                () if exists && format.may_force => with_hint(error, "`--force` replaces files"),
                () if exists => with_hint(error, "nothing is replaced: remove it, or name another"),
                () => error,
            }
        })?;
        unfinished.push(place.clone());
        Ok(Self { path, hex, file: Some(file), unfinished: Some(place) })
    }

    /// Writes everything and puts the file in its place.
    pub(crate) fn write(mut self, bytes: &[u8]) -> Result<()> {
        let text = self.hex.then(|| Zeroizing::new(hex::encode(bytes) + "\n"));
        let bytes = text.as_ref().map_or(bytes, |text| text.as_bytes());
        let written = match &mut self.file {
            None => io::stdout().lock().write_all(bytes).and_then(|()| io::stdout().flush()),
            Some(file) => file.write_all(bytes).and_then(|()| self.finish()),
        };
        written.with_context(|| format!("cannot write {}", self.path.display()))
    }

    fn finish(&mut self) -> io::Result<()> {
        let (Some(file), Some(place)) = (&self.file, &self.unfinished) else { return Ok(()) };
        // A key that is lost with the power is a key lost.
        file.sync_all()?;
        let mut unfinished = unfinished();
        if place != self.path {
            fs::rename(place, self.path)?;
        }
        unfinished.retain(|other| other != place);
        self.unfinished = None;
        Ok(())
    }
}

impl Drop for Output<'_> {
    fn drop(&mut self) {
        if let Some(place) = self.unfinished.take() {
            let mut unfinished = unfinished();
            unfinished.retain(|other| *other != place);
            // The failure that led here is what the user hears of.
            let _ = fs::remove_file(place);
        }
    }
}

/// The exit code of a program that was interrupted, as shells have it.
const INTERRUPTED: i32 = 130;

/// The files that are not finished, for this program to change alone. From the first call on,
/// Ctrl-C removes them before it ends the program.
fn unfinished() -> impl std::ops::DerefMut<Target = Vec<PathBuf>> {
    static PLACES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
    static HANDLER: Once = Once::new();
    let places = || PLACES.lock().unwrap_or_else(PoisonError::into_inner);
    HANDLER.call_once(|| {
        // Without a handler Ctrl-C ends the program all the same, and leaves an empty file at
        // worst.
        let _ = ctrlc::set_handler(move || {
            // Held to the end: no file is finished or begun meanwhile.
            let places = places();
            for place in places.iter() {
                let _ = fs::remove_file(place);
            }
            process::exit(INTERRUPTED);
        });
    });
    places()
}

/// A name in the same folder, so that renaming replaces the file in one step.
fn beside(path: &Path) -> Result<PathBuf> {
    let file = path.file_name().and_then(OsStr::to_str);
    let file =
        file.with_context(|| format!("cannot write {}: not a file's name", path.display()))?;
    Ok(path.with_file_name(format!(".{file}.{}.part", process::id())))
}

fn create_new(path: &Path, is_secret: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, if is_secret { 0o600 } else { 0o666 });
    #[cfg(not(unix))]
    let _ = is_secret; // the folder's access list decides
    options.open(path)
}
