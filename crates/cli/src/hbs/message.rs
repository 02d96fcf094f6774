//! Messages that are read while they are hashed.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use anyhow::{Context, Result};
use oaklath_stateful::{Absorb, Message};

use crate::files;

/// How much of a file is in memory.
const PIECE: usize = 1 << 16;

/// A message to be signed or verified.
pub(super) enum MessageFile<'a> {
    /// A file that can be read again.
    File(&'a Path, File),
    /// What cannot: standard input, a pipe.
    Bytes(Vec<u8>),
}

impl<'a> MessageFile<'a> {
    pub(super) fn open(path: &'a Path) -> Result<Self> {
        // A name that is standard input is no file's.
        if let Some(file) = File::open(path).ok().filter(|_| !files::is_standard(path))
            && file.metadata().is_ok_and(|found| found.is_file())
        {
            return Ok(Self::File(path, file));
        }
        let mut bytes = Vec::new();
        let read = files::open(path)?.read_to_end(&mut bytes);
        read.with_context(|| format!("cannot read {}", files::name(path)))?;
        Ok(Self::Bytes(bytes))
    }

    /// Does something with the message. What it gives is worth nothing if this fails.
    pub(super) fn in_pieces<T>(&self, act: impl FnOnce(Message<'_>) -> T) -> Result<T> {
        let (path, file) = match self {
            Self::File(path, file) => (path, file),
            Self::Bytes(bytes) => return Ok(act(bytes.into())),
        };
        let failed = RefCell::new(None);
        let done = act(Message::in_pieces(&|absorb| {
            if let Err(error) = read_pieces(file, absorb) {
                failed.replace(Some(error));
            }
        }));
        match failed.into_inner() {
            Some(error) => Err(error).with_context(|| format!("cannot read {}", files::name(path))),
            None => Ok(done),
        }
    }
}

fn read_pieces(mut file: &File, absorb: &mut Absorb<'_>) -> io::Result<()> {
    file.seek(SeekFrom::Start(0))?;
    let mut piece = vec![0; PIECE];
    loop {
        match file.read(&mut piece) {
            Ok(0) => return Ok(()),
            Ok(count) => absorb(&piece[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
