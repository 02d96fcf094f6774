//! What is trusted of the backends: that an operation does at each SIMD level of the CPU what the
//! tape has of it. On lanes of 16 bits that is compared for all pairs of numbers. On lanes of 32
//! the first operand is each number, beside edges and numbers that are drawn; words of hashes are
//! edges and drawn. Moves of lanes and bits are compared by the number of each place, filters at
//! each choice of lanes.
mod filters;
mod lanes;
mod moves;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use anyhow::{Result, bail};
use oaklath_prove_engine::Level;
use oaklath_simd::dispatch;

use lanes::Check;

/// Checks all operations, on all processors.
pub(crate) fn check_all() -> Result<()> {
    for level in Level::available() {
        dispatch!(level, s => filters::check_filters(s))?;
    }
    println!("filters: each choice of 16 lanes");
    moves::check_moves()?;
    let (checks, next, errors) = (lanes::checks(), AtomicUsize::new(0), Mutex::new(Vec::new()));
    let check_some = || {
        while let Some(Check { name, run }) = checks.get(next.fetch_add(1, Ordering::Relaxed)) {
            let start = Instant::now();
            match run(i64::MAX) {
                Ok(()) => println!("{name}, {:.0} s", start.elapsed().as_secs_f64()),
                Err(error) => errors.lock().expect("no thread has died").push(error),
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(check_some);
        }
    });
    match errors.into_inner().expect("no thread has died").first() {
        Some(error) => bail!("{error}"),
        None => Ok(()),
    }
}
