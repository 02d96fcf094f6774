//! Files of bytes: read whole, written whole or not at all, secrets for their owner only.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Mutex, Once, PoisonError};

use anyhow::{Context, Result, anyhow, ensure};
use tempfile::NamedTempFile;
use zeroize::Zeroizing;

use crate::failure::{usage, with_hint};

/// More than any key, ciphertext or chain has, in hexadecimal too.
const LONGEST: u64 = 1 << 24;

/// How bytes are written in files.
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

    /// For a file of text, whose bytes are taken as they are.
    pub(crate) fn text(self) -> Self {
        Self { hex: false, ..self }
    }
}

/// Whether a path stands for standard input or output.
pub(crate) fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Rejects a command line where `paths`, of `what`, name one file or standard stream twice.
pub(crate) fn distinct(what: &str, paths: &[&Path]) -> Result<()> {
    for (i, path) in paths.iter().enumerate() {
        if paths[..i].contains(path) {
            return Err(usage(anyhow!("{what} must differ, found `{}` twice", path.display())));
        }
    }
    Ok(())
}

/// A file, or standard input for `-`. Without a buffer, which nobody would erase.
pub(crate) fn open(path: &Path) -> Result<Box<dyn Read>> {
    let file = if is_standard(path) { standard_input() } else { open_file(path) };
    file.with_context(|| format!("cannot read {}", name(path)))
}

fn open_file(path: &Path) -> io::Result<Box<dyn Read>> {
    Ok(Box::new(File::open(path)?))
}

#[cfg(unix)]
fn standard_input() -> io::Result<Box<dyn Read>> {
    use std::os::fd::AsFd;
    Ok(Box::new(File::from(io::stdin().as_fd().try_clone_to_owned()?)))
}

#[cfg(not(unix))]
fn standard_input() -> io::Result<Box<dyn Read>> {
    Ok(Box::new(io::stdin().lock()))
}

/// All bytes of a file that holds a key, a ciphertext, certificates.
pub(crate) fn read_bytes(path: &Path) -> Result<Zeroizing<Vec<u8>>> {
    let bytes = read_erased(&mut open(path)?.take(LONGEST + 1));
    let bytes = bytes.with_context(|| format!("cannot read {}", name(path)))?;
    ensure!(bytes.len() as u64 <= LONGEST, "{} has over {LONGEST} bytes", name(path));
    Ok(bytes)
}

/// Reads to the end. A buffer that has become too small is erased before it is freed.
fn read_erased(from: &mut dyn Read) -> io::Result<Zeroizing<Vec<u8>>> {
    let (mut bytes, mut count) = (Zeroizing::new(vec![0; 1 << 14]), 0);
    loop {
        if count == bytes.len() {
            let mut longer = Zeroizing::new(vec![0; 2 * count]);
            longer[..count].copy_from_slice(&bytes);
            bytes = longer;
        }
        match from.read(&mut bytes[count..]) {
            Ok(0) => break,
            Ok(more) => count += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(count);
    Ok(bytes)
}

/// The bytes of a file in a format.
pub(crate) fn read(path: &Path, format: Format) -> Result<Zeroizing<Vec<u8>>> {
    decode(path, read_bytes(path)?, format)
}

/// What the bytes of a file stand for. In constant time: they may be a secret key.
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

/// Hexadecimal digits and the end of the line, in constant time.
fn encode(bytes: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
    let mut text = Zeroizing::new(vec![b'\n'; 2 * bytes.len() + 1]);
    base16ct::lower::encode(bytes, &mut text)
        .map_err(|error| anyhow!("no hexadecimal: {error}"))?;
    Ok(text)
}

/// The path of a file to be read, as messages show it.
pub(crate) fn name(path: &Path) -> String {
    if is_standard(path) { "standard input".to_owned() } else { path.display().to_string() }
}

/// Rejects a path that is taken, even by a link that leads nowhere.
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

/// A file to be written. Unless [`Output::write`] succeeds, nothing stays behind, not after Ctrl-C
/// or SIGTERM either.
pub(crate) struct Output<'a> {
    path: &'a Path,
    hex: bool,
    to: Destination,
}

enum Destination {
    /// Standard output, a pipe, a device.
    Stream(Box<dyn Write + Send>),
    /// A file beside its place.
    File { file: NamedTempFile, replaces: bool },
}

impl<'a> Output<'a> {
    /// Begins the file, so that rejections come before any work. A secret is its owner's alone:
    /// mode 0600, and in nothing that somebody else may read from. What exists is kept, except
    /// pipes and devices, unless `--force` replaces it.
    pub(crate) fn create(path: &'a Path, is_secret: bool, format: Format) -> Result<Self> {
        let cannot = || format!("cannot write {}", path.display());
        if is_standard(path) {
            let to = Destination::Stream(Box::new(io::stdout()));
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

    /// Begins a file that replaces what has its name, a link and not what it leads to, and keeps
    /// its owner.
    pub(crate) fn replace(path: &'a Path, is_secret: bool) -> Result<Self> {
        let format = Format { hex: false, force: true, may_force: true };
        let output = Self::begin(path, is_secret, format)?;
        #[cfg(unix)]
        if let (Destination::File { file, .. }, Ok(old)) = (&output.to, path.symlink_metadata()) {
            let kept = keep_owner(file.as_file(), &old);
            kept.with_context(|| format!("cannot give {} to its owner", path.display()))?;
        }
        Ok(output)
    }

    fn begin(path: &'a Path, is_secret: bool, format: Format) -> Result<Self> {
        // Held from before the file is there: a signal finds it in the list, or not at all.
        let mut unfinished = unfinished();
        let begun = create_beside(path, is_secret);
        let file = begun.with_context(|| format!("cannot write {}", path.display()))?;
        unfinished.push(file.path().to_owned());
        Ok(Self { path, hex: format.hex, to: Destination::File { file, replaces: format.force } })
    }

    /// Writes everything and puts the file in its place.
    pub(crate) fn write(self, bytes: &[u8]) -> Result<()> {
        self.write_around(bytes, || Ok(()))
    }

    /// Writes everything, acts, and then puts the file in its place: a disk that is full is noticed
    /// before the act.
    pub(crate) fn write_around(
        mut self,
        bytes: &[u8],
        act: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        let cannot = format!("cannot write {}", self.path.display());
        let text = self.hex.then(|| encode(bytes)).transpose()?;
        let bytes = text.as_ref().map_or(bytes, |text| text);
        if let Destination::File { file, .. } = &mut self.to {
            // So that a power failure cannot lose the key.
            let written = file.write_all(bytes).and_then(|()| file.as_file().sync_all());
            written.with_context(|| cannot.clone())?;
        }
        act()?;
        let written = match &mut self.to {
            Destination::Stream(stream) => stream.write_all(bytes).and_then(|()| stream.flush()),
            Destination::File { .. } => self.finish(),
        };
        written.context(cannot)
    }

    fn finish(&mut self) -> io::Result<()> {
        let done = Destination::Stream(Box::new(io::sink()));
        let Destination::File { file, replaces } = std::mem::replace(&mut self.to, done) else {
            return Ok(());
        };
        // Held until the file has its name: a signal finds it before or after.
        let mut unfinished = unfinished();
        unfinished.retain(|place| place != file.path());
        match replaces {
            true => file.persist(self.path)?,
            false => file.persist_noclobber(self.path)?,
        };
        drop(unfinished);
        sync_folder(self.path)
    }
}

impl Drop for Output<'_> {
    fn drop(&mut self) {
        if let Destination::File { file, .. } = &self.to {
            unfinished().retain(|place| place != file.path());
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

/// A file of a new name in the folder of `path`, so that it can take its place in one step.
fn create_beside(path: &Path, is_secret: bool) -> Result<NamedTempFile> {
    let name = path.file_name().and_then(OsStr::to_str).context("it is not a file's name")?;
    let prefix = format!(".{name}.");
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(".part");
    #[cfg(unix)]
    {
        let mode = if is_secret { 0o600 } else { 0o666 };
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
    }
    #[cfg(not(unix))]
    let _ = is_secret; // the folder's access list decides
    Ok(builder.tempfile_in(folder(path))?)
}

/// Gives a file to the owner of the one that it replaces, which root alone can and does.
#[cfg(unix)]
fn keep_owner(file: &File, old: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    if file.metadata()?.uid() == old.uid() {
        return Ok(());
    }
    fchown(file, Some(old.uid()), Some(old.gid()))
}

/// The place of a file that may not be there yet, by whichever name its folder is called.
pub(crate) fn place(path: &Path) -> PathBuf {
    match (folder(path).canonicalize(), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Makes the new name durable, which a power failure may lose as it may the file.
fn sync_folder(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    File::open(folder(path))?.sync_all()?;
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}
