//! Files in a zip archive: PKWARE's APPNOTE.TXT, sections 4.3.7 (local header), 4.3.12 (central
//! directory) and 4.3.16 (its end), as far as archives of small files need them.

use anyhow::{Context, Result, anyhow, bail, ensure};
use miniz_oxide::inflate::decompress_to_vec_with_limit;

use crate::vectors::x509::documents::Document;

/// A limit in bytes that no key or certificate reaches; a packed one may not fill the memory.
const LONGEST: usize = 1 << 20;

const LOCAL: &[u8] = b"PK\x03\x04";
const CENTRAL: &[u8] = b"PK\x01\x02";
const END: &[u8] = b"PK\x05\x06";

/// Reads all files of an archive. Checksums are ignored, since the contents are checked.
pub(super) fn files(archive: &[u8]) -> Result<Vec<Document>> {
    let end = archive.windows(END.len()).rposition(|bytes| bytes == END);
    let end = part(archive, end.context("not a zip archive")?, 22)?;
    let mut files = Vec::new();
    let mut at = long(end, 16)?;
    for _ in 0..short(end, 10)? {
        let entry = archive.get(at..).unwrap_or_default();
        ensure!(entry.starts_with(CENTRAL), "a central directory that is too short");
        let [name, extra, comment] = [short(entry, 28)?, short(entry, 30)?, short(entry, 32)?];
        let name = str::from_utf8(part(entry, 46, name)?)?;
        at += 46 + name.len() + extra + comment;
        if name.ends_with('/') {
            continue;
        }
        let packed = packed(archive, long(entry, 42)?, long(entry, 20)?);
        let bytes = packed.and_then(|packed| unpacked(short(entry, 10)?, packed));
        let bytes = bytes.with_context(|| name.to_owned())?;
        ensure!(bytes.len() == long(entry, 24)?, "{name} of {} bytes", bytes.len());
        files.push(Document { name: name.to_owned(), bytes });
    }
    Ok(files)
}

/// Returns the bytes after a local header.
fn packed(archive: &[u8], at: usize, len: usize) -> Result<&[u8]> {
    let local = archive.get(at..).unwrap_or_default();
    ensure!(local.starts_with(LOCAL), "no local header");
    part(local, 30 + short(local, 26)? + short(local, 28)?, len)
}

fn unpacked(method: usize, packed: &[u8]) -> Result<Vec<u8>> {
    match method {
        0 => Ok(packed.to_vec()),
        8 => decompress_to_vec_with_limit(packed, LONGEST).map_err(|error| anyhow!("{error}")),
        other => bail!("compression method {other}"),
    }
}

fn part(bytes: &[u8], at: usize, len: usize) -> Result<&[u8]> {
    let part = bytes.get(at..).and_then(|bytes| bytes.get(..len));
    part.context("an archive that is too short")
}

fn short(bytes: &[u8], at: usize) -> Result<usize> {
    Ok(part(bytes, at, 2)?.iter().rev().fold(0, |value, &byte| value << 8 | usize::from(byte)))
}

fn long(bytes: &[u8], at: usize) -> Result<usize> {
    Ok(short(bytes, at)? | short(bytes, at + 2)? << 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `a` = "abc" stored, `b/c` = 300 times `x` deflated; made by Python.
    const ARCHIVE: &str = concat!(
        "504b03041400000000000000215cc241243503000000030000000100000061616263504b030414000000000000",
        "00215c00000000000000000000000002000000622f504b03041400000008000000215c132d431b070000002c01",
        "000003000000622f63aba81805c40200504b010214031400000000000000215cc2412435030000000300000001",
        "000000000000000000000080010000000061504b010214031400000000000000215c0000000000000000000000",
        "00020000000000000000000000800122000000622f504b010214031400000008000000215c132d431b07000000",
        "2c010000030000000000000000000000800142000000622f63504b05060000000003000300900000006a000000",
        "0000",
    );

    #[test]
    fn stored_and_packed_files_come_out() {
        let archive = hex::decode(ARCHIVE).unwrap();
        let found = files(&archive).unwrap();
        let found: Vec<(&str, &[u8])> = found.iter().map(|f| (&*f.name, &*f.bytes)).collect();
        assert_eq!(found, [("a", b"abc".as_slice()), ("b/c", &[b'x'; 300])]);
    }

    #[test]
    fn a_broken_archive_is_an_error() {
        let archive = hex::decode(ARCHIVE).unwrap();
        for len in 0..archive.len() {
            assert!(files(&archive[..len]).is_err(), "{len}");
        }
    }
}
