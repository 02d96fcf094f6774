//! A state on a local file system, and the checks made before it is written.

use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use oaklath_hash::sha2::sha256;

use crate::error::StoreError;
use crate::medium::{Medium, STATE_LEN};

/// A state in a folder of a local file system: `NAME`, `NAME.lock` and, while the state is being
/// created, `NAME.new`, all with mode 0600.
///
/// Symbolic links to the state are resolved once; the other files are beside it. A file is written
/// only if it is a regular file of the caller, is not writable by others, has one name, and is the
/// file that was opened. A draft left by a creation that was killed is removed; nothing else is.
///
/// The file system must honour `fdatasync` and enforce locks between all its users: local file
/// systems do, network file systems often do not. On Linux, file systems whose type is remote or
/// implemented by another program (NFS, SMB, 9p, FUSE and similar) are rejected unless
/// [`on_any_file_system`](Self::on_any_file_system) is called.
#[derive(Debug)]
pub struct Disk {
    path: PathBuf,
    /// `path` with links resolved, once that has been done.
    resolved: Option<PathBuf>,
    takes_any_file_system: bool,
    lock: Option<File>,
    state: Option<File>,
    draft: Option<File>,
}

impl Disk {
    /// Returns the state at `path`; nothing is opened yet.
    ///
    /// ```
    /// let disk = oaklath_stores::Disk::new("firmware.state");
    /// assert_eq!(disk.path().to_str(), Some("firmware.state"));
    /// ```
    pub fn new(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let (resolved, takes_any_file_system) = (None, false);
        Self { path, resolved, takes_any_file_system, lock: None, state: None, draft: None }
    }

    /// Accepts a file system of any kind, on the word of a person who knows that it enforces locks
    /// between all machines and keeps what it has synced.
    #[must_use]
    pub fn on_any_file_system(mut self) -> Self {
        self.takes_any_file_system = true;
        self
    }

    /// Returns the path of the state.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the state's path with links resolved, which is done once.
    fn resolve(&mut self) -> io::Result<&Path> {
        if self.resolved.is_none() {
            let resolved = match fs::canonicalize(&self.path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    let name = self.path.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
                    folder(&self.path).canonicalize()?.join(name)
                }
                found => found?,
            };
            self.resolved = Some(resolved);
        }
        self.resolved.as_deref().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn beside(&mut self, suffix: &str) -> io::Result<PathBuf> {
        let mut name = OsString::from(self.resolve()?);
        name.push(suffix);
        Ok(name.into())
    }

    /// Returns the state's file, which is opened once. A handle that has the lock also locks the
    /// file itself, since the file may have a second name, or the lock file may have been removed.
    fn state(&mut self) -> io::Result<&mut File> {
        if self.state.is_none() {
            let writes = self.lock.is_some();
            let path = self.resolve()?;
            let file = open(path, OpenOptions::new().read(true).write(writes))?;
            if writes {
                if !try_lock(&file)? {
                    return Err(StoreError::Busy.into());
                }
                check_owner(&file.metadata()?)?;
                check_place(&file, path)?;
            }
            self.state = Some(file);
        }
        self.state.as_mut().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Checks that the open file is still the one at its path.
    fn check(&self) -> io::Result<()> {
        match (&self.state, &self.resolved) {
            (Some(file), Some(path)) => check_place(file, path),
            _ => Ok(()),
        }
    }
}

impl Medium for Disk {
    fn lock(&mut self) -> io::Result<bool> {
        (self.lock, self.state) = (None, None);
        let path = self.beside(".lock")?;
        let file = open(&path, private().create(true).truncate(false))?;
        check_owner(&file.metadata()?)?;
        if !self.takes_any_file_system {
            check_file_system(&file)?;
        }
        if !try_lock(&file)? {
            return Ok(false);
        }
        if try_lock(&open(&path, &mut private())?)? {
            return Err(StoreError::Unsafe("the file system's locks keep nobody out").into());
        }
        self.lock = Some(file);
        Ok(true)
    }

    fn read(&mut self) -> io::Result<Option<Vec<u8>>> {
        let file = match self.state() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            found => found?,
        };
        file.seek(SeekFrom::Start(0))?;
        let mut bytes = Vec::with_capacity(STATE_LEN + 1);
        file.take(STATE_LEN as u64 + 1).read_to_end(&mut bytes)?;
        Ok(Some(bytes))
    }

    /// Hashes the machine's own identifier with the inode number and the creation time of the file,
    /// which last as long as the file. The device number is left out: it may change at a reboot.
    fn place(&mut self) -> io::Result<Option<[u8; 32]>> {
        let found = self.state()?.metadata()?;
        #[cfg(unix)]
        let number = std::os::unix::fs::MetadataExt::ino(&found);
        #[cfg(not(unix))]
        let number = 0_u64;
        let born = found.created().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let born = born.map_or(0, |since| since.as_nanos());
        let file = [&number.to_be_bytes()[..], &born.to_be_bytes()].concat();
        Ok(Some(sha256(&[b"oaklath place\0", &*file, &machine()].concat())))
    }

    fn name(&self) -> Option<PathBuf> {
        std::path::absolute(&self.path).ok()
    }

    fn write(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.check()?;
        let file = self.state()?;
        file.seek(SeekFrom::Start(offset))?;
        file.write_all(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.state()?.sync_data()
    }

    fn write_draft(&mut self, bytes: &[u8]) -> io::Result<()> {
        let path = self.beside(".new")?;
        match fs::symlink_metadata(&path) {
            Ok(found) if found.is_file() && check_owner(&found).is_ok() => fs::remove_file(&path)?,
            Ok(_) => return Err(StoreError::Unsafe("something else has the draft's name").into()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        let file = self.draft.insert(private().create_new(true).open(path)?);
        if !try_lock(file)? {
            return Err(StoreError::Busy.into());
        }
        file.write_all(bytes)?;
        file.sync_all()
    }

    fn rename(&mut self) -> io::Result<()> {
        self.check()?;
        // Only on Unix can an open file be renamed or replaced; elsewhere the state is opened again
        // afterwards.
        let draft = self.draft.take().filter(|_| cfg!(unix));
        self.state = self.state.take().filter(|_| cfg!(unix));
        let renamed = fs::rename(self.beside(".new")?, self.resolve()?);
        *(if renamed.is_ok() { &mut self.state } else { &mut self.draft }) = draft;
        renamed
    }

    fn remove(&mut self) -> io::Result<()> {
        self.check()?;
        fs::remove_file(self.resolve()?)
    }

    fn sync_folder(&mut self) -> io::Result<()> {
        sync_folder_of(self.resolve()?)
    }
}

impl Drop for Disk {
    /// Removes a draft that did not become the state, because the disk was full or creation failed.
    fn drop(&mut self) {
        if self.draft.take().is_some()
            && let Ok(path) = self.beside(".new")
        {
            let _ = fs::remove_file(path);
        }
    }
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// Makes the name of a file or folder durable.
fn sync_folder_of(path: &Path) -> io::Result<()> {
    // Only on Unix can a folder be synced; elsewhere the file system's journal must suffice.
    if cfg!(unix) { File::open(folder(path))?.sync_all() } else { Ok(()) }
}

/// Creates a folder and its parents for their owner only, and makes their names durable; existing
/// folders are left unchanged.
pub(crate) fn make_private(folder: &Path) -> io::Result<()> {
    let is_missing = |folder: &&Path| *folder != Path::new("") && !folder.exists();
    let missing: Vec<_> = folder.ancestors().take_while(is_missing).collect();
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    missing.into_iter().try_for_each(sync_folder_of)
}

/// Returns options that open files for reading and writing, and create them for their owner only.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Opens a regular file, without following a link or waiting for the writer of a pipe. On Windows
/// the share mode keeps others from renaming or deleting the file while it is open.
fn open(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits();
        std::os::unix::fs::OpenOptionsExt::custom_flags(options, flags as i32);
    }
    #[cfg(windows)]
    std::os::windows::fs::OpenOptionsExt::share_mode(options, 1 | 2); // read and write
    let file = options.open(path)?;
    if !file.metadata()?.is_file() {
        return Err(StoreError::Unsafe("it is not a regular file").into());
    }
    Ok(file)
}

fn try_lock(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Checks that a file belongs to the caller and that nobody else may write to it.
#[cfg(unix)]
fn check_owner(found: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    if found.uid() != rustix::process::geteuid().as_raw() {
        return Err(StoreError::Unsafe("a file belongs to another user").into());
    }
    if found.mode() & 0o022 != 0 {
        return Err(StoreError::Unsafe("other users may write a file").into());
    }
    Ok(())
}

#[cfg(not(unix))]
fn check_owner(_: &Metadata) -> io::Result<()> {
    Ok(()) // left to the access control list of the folder
}

/// Checks that an open file has this name and no other.
#[cfg(unix)]
fn check_place(file: &File, path: &Path) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    let (open, named) = match (file.metadata()?, fs::symlink_metadata(path)) {
        (open, Ok(named)) => (open, named),
        (_, Err(error)) if error.kind() == io::ErrorKind::NotFound => {
            return Err(StoreError::Replaced("its file is gone").into());
        }
        (_, Err(error)) => return Err(error),
    };
    if (open.dev(), open.ino()) != (named.dev(), named.ino()) {
        return Err(StoreError::Replaced("another file is in its place").into());
    }
    if open.nlink() != 1 {
        return Err(StoreError::Replaced("its file has a second name").into());
    }
    Ok(())
}

#[cfg(not(unix))]
fn check_place(_: &File, _: &Path) -> io::Result<()> {
    Ok(()) // Windows lets nobody replace a file that is open.
}

/// Checks that a file system is local, as far as its type shows.
#[cfg(target_os = "linux")]
fn check_file_system(file: &File) -> io::Result<()> {
    match is_local(rustix::fs::fstatfs(file)?.f_type as u32) {
        true => Ok(()),
        false => {
            let what = "its file system is remote or another program's, and may keep no locks";
            Err(StoreError::Unsafe(what).into())
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn check_file_system(_: &File) -> io::Result<()> {
    Ok(())
}

/// Reports whether file systems of this statfs(2) type are local.
#[cfg(target_os = "linux")]
fn is_local(kind: u32) -> bool {
    const AFS: u32 = 0x5346_414f;
    const BEEGFS: u32 = 0x1983_0326;
    const CEPH: u32 = 0x00c3_6400;
    const CIFS: u32 = 0xff53_4d42;
    const CODA: u32 = 0x7375_7245;
    const FUSE: u32 = 0x6573_5546;
    const GPFS: u32 = 0x4750_4653;
    const KERNEL_AFS: u32 = 0x6b41_4653;
    const LUSTRE: u32 = 0x0bd0_0bd0;
    const NCP: u32 = 0x564c;
    const NFS: u32 = 0x6969;
    const PANFS: u32 = 0xaad7_aaea;
    const SMB: u32 = 0x517b;
    const SMB2: u32 = 0xfe53_4d42;
    const V9FS: u32 = 0x0102_1997;
    const VBOXSF: u32 = 0x786f_4256;
    let remote = [
        AFS, BEEGFS, CEPH, CIFS, CODA, FUSE, GPFS, KERNEL_AFS, LUSTRE, NCP, NFS, PANFS, SMB, SMB2,
        V9FS, VBOXSF,
    ];
    !remote.contains(&kind)
}

/// Returns the machine's permanent identifier, if the system keeps one in a file.
fn machine() -> Vec<u8> {
    let names = ["/etc/machine-id", "/var/lib/dbus/machine-id", "/etc/hostid"];
    let mut found = names.iter().filter_map(|name| fs::read(name).ok());
    found.find(|id| !id.trim_ascii().is_empty()).unwrap_or_default().trim_ascii().to_vec()
}

#[cfg(test)]
mod tests {
    /// Checks NFS, 9p, FUSE, AFS, `vboxsf`, `BeeGFS` and `PanFS`, and then ext4, btrfs, xfs
    /// and tmpfs.
    #[cfg(target_os = "linux")]
    #[test]
    fn file_systems_of_others_are_not_local() {
        use super::is_local;
        let common = [0x6969, 0x0102_1997, 0x6573_5546];
        let rare = [0x6b41_4653, 0x786f_4256, 0x1983_0326, 0xaad7_aaea];
        assert!(common.iter().chain(&rare).all(|kind| !is_local(*kind)));
        assert!([0xef53, 0x9123_683e, 0x5846_5342, 0x0102_1994].iter().all(|kind| is_local(*kind)));
    }
}
