//! Reporting of failures to the user: `error:` and, if something can be done, `hint:`.

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::anyhow;
use oaklath_stores::{SignError, StoreError};

use crate::text::printable;

/// An error with what the user should know about it.
#[derive(Debug)]
struct Explained {
    error: anyhow::Error,
    hint: Option<String>,
    /// Whether the command line is wrong, whatever the error is wrapped in.
    is_usage: bool,
}

impl fmt::Display for Explained {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#}", self.error)
    }
}

impl std::error::Error for Explained {}

/// Adds advice for the user to `error`.
#[must_use]
pub fn with_hint(error: anyhow::Error, hint: impl Into<String>) -> anyhow::Error {
    Explained { error, hint: Some(hint.into()), is_usage: false }.into()
}

/// Marks `error` as one of the command line: exit code 2.
#[must_use]
pub fn usage(error: anyhow::Error) -> anyhow::Error {
    Explained { error, hint: None, is_usage: true }.into()
}

/// Returns the error that no `what` has this name; the hint is a similar name, or `list`.
pub(crate) fn unknown_name(
    what: &str,
    name: &str,
    near: Option<&str>,
    list: &str,
) -> anyhow::Error {
    let hint = near.map_or_else(|| list.to_owned(), |near| format!("is it `{near}`?"));
    usage(with_hint(anyhow!("no {what} is called `{name}`"), hint))
}

/// Adds advice to the `error` of a chain that is too long for TLS.
pub(crate) fn too_long(error: anyhow::Error) -> anyhow::Error {
    with_hint(error, "let the root issue it, or an authority with shorter signatures")
}

/// Prints `error` to standard error, and returns the exit code.
#[must_use]
pub fn report(error: &anyhow::Error) -> ExitCode {
    // A reader that closes our output (`oaklath list | head`) is not an error.
    let io = error.chain().find_map(|cause| cause.downcast_ref::<io::Error>());
    if io.is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe) {
        return ExitCode::SUCCESS;
    }
    print(error);
    let is_usage = error.downcast_ref().is_some_and(|Explained { is_usage, .. }| *is_usage);
    match (is_usage, refusal(error)) {
        (true, _) => ExitCode::from(2),
        (false, Some(_)) => ExitCode::from(3),
        (false, None) => ExitCode::FAILURE,
    }
}

/// Returns why the state of a stateful key forbids signing, if that is the cause of an error.
pub(crate) fn refusal(error: &anyhow::Error) -> Option<&StoreError> {
    error.chain().find_map(|cause| {
        let found = match (cause.downcast_ref(), cause.downcast_ref()) {
            (Some(error), _) | (_, Some(SignError::Store(error))) => Some(error),
            _ => cause.downcast_ref().and_then(|Explained { error, .. }| refusal(error)),
        };
        found.filter(|error| error.is_refusal())
    })
}

/// Prints a warning, where nothing has failed.
pub(crate) fn warn(what: &str) {
    say(&format!("warning: {}", printable(what)));
}

/// Writes a line to standard error. If that is closed or full, only the exit code is left to say
/// what happened.
fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Prints `error`, with its hint if there is one.
pub(crate) fn print(error: &anyhow::Error) {
    // Peers, files and file names may have put control sequences into it.
    say(&format!("error: {}", printable(&format!("{error:#}"))));
    if let Some(hint) = hint(error) {
        say(&format!("hint: {}", printable(hint)));
    }
}

fn hint(error: &anyhow::Error) -> Option<&str> {
    // A usage error may contain its hint.
    let explained: &Explained = error.downcast_ref()?;
    explained.hint.as_deref().or_else(|| hint(&explained.error))
}
