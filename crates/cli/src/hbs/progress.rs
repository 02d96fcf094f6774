//! Progress bars for slow work, on a terminal only, and the number of threads.

use std::io::{self, IsTerminal};

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};

/// Returns a bar of `steps` steps, which is hidden if standard error is not a terminal.
pub(super) fn bar(what: &'static str, steps: u64) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(steps).with_message(what);
    let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}");
    style.map_or(bar.clone(), |style| bar.with_style(style))
}

/// Runs `work` with this many threads, by default one for each core.
pub(super) fn on_threads<T: Send>(
    threads: Option<usize>,
    work: impl FnOnce() -> T + Send,
) -> Result<T> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).build();
    Ok(pool.context("cannot start threads")?.install(work))
}
