//! How a failure reaches the user: `error:` and, where something can be done, `hint:`.

use std::fmt;
use std::io;
use std::process::ExitCode;

/// An error with advice.
#[derive(Debug)]
struct Hinted {
    error: anyhow::Error,
    hint: String,
}

impl fmt::Display for Hinted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#}", self.error)
    }
}

impl std::error::Error for Hinted {}

/// `error`, with what the user can do about it.
pub(crate) fn with_hint(error: anyhow::Error, hint: impl Into<String>) -> anyhow::Error {
    Hinted { error, hint: hint.into() }.into()
}

/// Prints `error` to standard error.
pub(crate) fn report(error: &anyhow::Error) -> ExitCode {
    // Whoever reads our output closed it (`oaklath list | head`): nothing is wrong.
    let io = error.chain().find_map(|cause| cause.downcast_ref::<io::Error>());
    if io.is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe) {
        return ExitCode::SUCCESS;
    }
    eprintln!("error: {error:#}");
    if let Some(Hinted { hint, .. }) = error.downcast_ref() {
        eprintln!("hint: {hint}");
    }
    ExitCode::FAILURE
}
