//! Slow work: spinners and bars, on a terminal only, and threads.

use std::io::{IsTerminal, stderr};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use indicatif::{ProgressBar, ProgressStyle};

/// The time before anything is shown.
const PATIENCE: Duration = Duration::from_millis(300);
const TICK: Duration = Duration::from_millis(100);

/// Runs `work`; on a terminal, shows on standard error what is running and for how long.
pub fn during<T>(what: &str, work: impl FnOnce() -> T) -> T {
    thread::scope(|scope| {
        let (working, done) = channel();
        if stderr().is_terminal() {
            scope.spawn(move || show(what, &done));
        }
        let result = work();
        drop(working);
        result
    })
}

/// Shows the spinner until the other end of the channel is dropped.
fn show(what: &str, done: &Receiver<()>) {
    let ends_within = |time| done.recv_timeout(time) != Err(RecvTimeoutError::Timeout);
    if ends_within(PATIENCE) {
        return;
    }
    let bar = ProgressBar::new_spinner().with_message(what.to_owned()).with_elapsed(PATIENCE);
    let style = ProgressStyle::with_template("{spinner} {msg} ({elapsed})");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
    bar.tick();
    while !ends_within(TICK) {
        bar.tick();
    }
}

/// Returns a bar of `steps` steps.
pub(crate) fn bar(what: &'static str, steps: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}");
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(steps).with_message(what).with_style(style)
}

/// Runs `work` with this many threads, by default one for each core.
pub(crate) fn on_threads<T: Send>(
    threads: Option<usize>,
    work: impl FnOnce() -> T + Send,
) -> Result<T> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).build();
    Ok(pool.context("cannot start threads")?.install(work))
}

/// Runs `work` on this many threads, and returns their results.
pub(crate) fn side_by_side<T: Send>(
    threads: u32,
    work: impl Fn() -> Result<T> + Sync,
) -> Result<Vec<T>> {
    thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(&work)).collect();
        threads.into_iter().map(|thread| joined(thread.join())).collect()
    })
}

/// Returns the result of a thread; a panic has already printed its message.
pub(crate) fn joined<T>(result: thread::Result<Result<T>>) -> Result<T> {
    result.unwrap_or_else(|_| Err(anyhow!("a thread panicked")))
}
