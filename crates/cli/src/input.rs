//! Files and standard input, read completely into memory that is erased.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use zeroize::Zeroizing;

/// The maximum length of a file in bytes, more than any key or chain has in hexadecimal.
const LONGEST: u64 = 1 << 24;

/// Reports whether a path means standard input or output.
pub(crate) fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Opens a file, or standard input for `-`, without a buffer, which would not be erased.
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

/// Reads all bytes of a file that holds a key, a ciphertext or certificates.
pub(crate) fn read_bytes(path: &Path) -> Result<Zeroizing<Vec<u8>>> {
    let bytes = read_erased(&mut open(path)?.take(LONGEST + 1));
    let bytes = bytes.with_context(|| format!("cannot read {}", name(path)))?;
    ensure!(bytes.len() as u64 <= LONGEST, "{} has over {LONGEST} bytes", name(path));
    Ok(bytes)
}

/// Reads to the end. A buffer that becomes too small is erased before it is freed.
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

/// Returns the path of an input file, as messages show it.
pub(crate) fn name(path: &Path) -> String {
    if is_standard(path) { "standard input".to_owned() } else { path.display().to_string() }
}
