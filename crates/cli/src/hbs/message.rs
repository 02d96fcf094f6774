//! Messages that are hashed while they are read.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use anyhow::{Context, Result};
use oaklath_stateful::{Absorb, Message};

use crate::files;

/// The number of bytes of a file that are in memory at a time.
const PIECE: usize = 1 << 16;

/// A message to be signed or verified.
pub(super) enum MessageFile<'a> {
    /// A file that can be read again. It is not kept open, since there may be thousands.
    File(&'a Path),
    /// The contents of what cannot be read again: standard input, a pipe.
    Bytes(Vec<u8>),
}

impl<'a> MessageFile<'a> {
    /// Opens a file, or reads everything if it can be read only once. Its writer may be slow, so
    /// nothing should be locked yet.
    pub(super) fn open(path: &'a Path) -> Result<Self> {
        // The name of standard input is not that of a file.
        if !files::is_standard(path) && path.metadata().is_ok_and(|found| found.is_file()) {
            files::open(path)?;
            return Ok(Self::File(path));
        }
        Ok(Self::Bytes(files::read_message(path)?))
    }

    /// Calls `act` with the message. If reading fails, the result of `act` is discarded.
    pub(super) fn in_pieces<T>(&self, act: impl FnOnce(Message<'_>) -> T) -> Result<T> {
        let path = match self {
            Self::File(path) => path,
            Self::Bytes(bytes) => return Ok(act(bytes.into())),
        };
        let cannot = || format!("cannot read {}", files::name(path));
        let file = File::open(path).with_context(cannot)?;
        let failed = RefCell::new(None);
        let done = act(Message::in_pieces(&|absorb| {
            if let Err(error) = read_pieces(&file, absorb) {
                failed.replace(Some(error));
            }
        }));
        match failed.into_inner() {
            Some(error) => Err(error).with_context(cannot),
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
