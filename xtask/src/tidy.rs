//! `cargo xtask tidy`: checks rules of the project that neither rustc nor clippy knows.
//!
//! Each check adds to one list of findings; all of them are printed, and one is enough to fail.

mod commits;
mod errors;
mod imports;
mod layers;
mod literals;
mod modules;
mod names;
mod packages;
mod pages;
mod recorded;
mod shape;
mod source;
mod table;
mod text;
mod words;

use std::{
    fmt,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};

pub(crate) use packages::MSRV;

/// A broken rule, and where.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    file: String,
    line: usize,
    message: String,
}

impl Finding {
    fn new(file: impl Into<String>, line: usize, message: impl Into<String>) -> Self {
        Self { file: file.into(), line, message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.message)
    }
}

/// Runs all checks on the current directory.
pub(crate) fn run() -> Result<()> {
    let files = TextFile::all()?;
    let sources = source::parse_all(&files)?;
    let metadata = cargo_metadata::MetadataCommand::new().exec().context("cargo metadata")?;

    let mut findings = Vec::new();
    findings.extend(files.iter().flat_map(text::check));
    findings.extend(files.iter().flat_map(words::check_text));
    findings.extend(sources.iter().flat_map(words::check_strings));
    findings.extend(pages::check(&files));
    findings.extend(commits::check());
    findings.extend(sources.iter().flat_map(shape::check));
    findings.extend(sources.iter().flat_map(recorded::check));
    findings.extend(errors::check(&sources));
    findings.extend(modules::check(&sources));
    findings.extend(imports::check(&sources));
    findings.extend(names::check(&sources));
    findings.extend(literals::check(&sources, &table::Table::from_params()));
    findings.extend(layers::check(&metadata));
    findings.extend(packages::check(&metadata, &files)?);
    findings.sort();
    for finding in &findings {
        println!("{finding}");
    }
    if !findings.is_empty() {
        bail!("tidy: {} findings", findings.len());
    }
    println!("tidy: {} files, of which {} Rust, are clean", files.len(), sources.len());
    Ok(())
}

/// A text file of the project, with its path from the root written with `/`.
struct TextFile {
    path: String,
    text: String,
}

impl TextFile {
    /// Reads every UTF-8 file below the current directory, except build output and the folder of
    /// the version control.
    fn all() -> Result<Vec<Self>> {
        let mut files = Vec::new();
        let mut folders = vec![PathBuf::from(".")];
        while let Some(folder) = folders.pop() {
            for entry in folder.read_dir().with_context(|| folder.display().to_string())? {
                let path = entry?.path();
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                if path.is_symlink() || name == "target" || name == ".git" {
                    continue;
                } else if path.is_dir() {
                    folders.push(path);
                } else if let Some(file) = Self::read(&path)? {
                    files.push(file);
                }
            }
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(files)
    }

    /// Returns `None` for files that are not text, such as certificates and keys in DER.
    fn read(path: &Path) -> Result<Option<Self>> {
        let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
        let path = path.strip_prefix(".").unwrap_or(path).to_string_lossy().replace('\\', "/");
        Ok(String::from_utf8(bytes).ok().map(|text| Self { path, text }))
    }

    fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }
}
