//! Files of test vectors: found in a folder, unpacked, decoded.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, ensure};
use lzma_rust2::XzReader;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// A limit in bytes that no file of vectors reaches; a packed one may not fill the memory.
const LONGEST: u64 = 1 << 28;

/// A file below the folder.
#[derive(Debug)]
pub(super) struct VectorFile {
    path: PathBuf,
    /// Its path within the folder, with `/`.
    pub(super) name: String,
}

/// Returns all files below `folder`, in order.
pub(super) fn files(folder: &Path) -> Result<Vec<VectorFile>> {
    ensure!(folder.is_dir(), "{} is not a folder", folder.display());
    let mut files = Vec::new();
    let mut folders = vec![(folder.to_owned(), String::new())];
    while let Some((folder, prefix)) = folders.pop() {
        let failed = || format!("cannot read {}", folder.display());
        for entry in fs::read_dir(&folder).with_context(failed)? {
            let entry = entry.with_context(failed)?;
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            // A link to a folder is not followed: it could lead in circles.
            if entry.file_type().with_context(failed)?.is_dir() {
                folders.push((entry.path(), name + "/"));
            } else {
                files.push(VectorFile { path: entry.path(), name });
            }
        }
    }
    files.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(files)
}

impl VectorFile {
    /// Returns the path of its folder within the folder.
    pub(super) fn folder(&self) -> &str {
        self.name.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// Returns the name of the innermost folder.
    pub(super) fn parent(&self) -> &str {
        self.path.parent().and_then(|parent| parent.file_name()?.to_str()).unwrap_or_default()
    }

    /// Returns the file's name without `.xz`.
    pub(super) fn stem(&self) -> &str {
        let name = self.name.rsplit_once('/').map_or(&*self.name, |(_, name)| name);
        name.strip_suffix(".xz").unwrap_or(name)
    }

    /// Returns the path within the folder without endings, as tables show it.
    pub(super) fn title(&self) -> &str {
        let name = self.name.strip_suffix(".xz").unwrap_or(&self.name);
        [".json", ".txt", ".rsp"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name)
    }

    /// Returns the bytes, unpacked.
    pub(super) fn bytes(&self) -> Result<Vec<u8>> {
        let file = fs::File::open(&self.path)?;
        let mut bytes = Vec::new();
        if self.name.ends_with(".xz") {
            XzReader::new(file, true).take(LONGEST).read_to_end(&mut bytes)?;
        } else {
            file.take(LONGEST).read_to_end(&mut bytes)?;
        }
        Ok(bytes)
    }

    /// Returns the text, unpacked.
    pub(super) fn text(&self) -> Result<String> {
        Ok(String::from_utf8(self.bytes()?)?)
    }

    pub(super) fn json<T: DeserializeOwned>(&self) -> Result<T> {
        Ok(serde_json::from_str(&self.text()?)?)
    }
}

/// Bytes that JSON holds as hexadecimal digits.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Bytes(pub(super) Vec<u8>);

impl TryFrom<String> for Bytes {
    type Error = anyhow::Error;

    fn try_from(digits: String) -> Result<Self> {
        let bytes = hex::decode(digits).map_err(|error| anyhow!("not hexadecimal: {error}"))?;
        Ok(Self(bytes))
    }
}
