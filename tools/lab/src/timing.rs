//! Times operations: repeats them for a given time, and returns the spread of single calls.

use std::time::{Duration, Instant};

use anyhow::Result;
use oaklath_measure::{Level, Unit, clock};

/// An operation that can be measured.
pub type Operation = Box<dyn FnMut() -> Result<()>>;

/// The result of measuring an operation.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// The number of calls.
    pub ops: u64,
    /// The seconds that all calls took.
    pub seconds: f64,
    /// Microseconds per call, and the standard deviation.
    pub micros: (f64, f64),
    /// Core cycles per call, and the standard deviation; none where they cannot be counted.
    pub cycles: Option<(f64, f64)>,
}

impl Timing {
    /// Returns the operations per second.
    #[must_use]
    pub fn per_second(&self) -> f64 {
        self.ops as f64 / self.seconds
    }
}

/// Repeats `operation` for `time`, after one call that pays for what is prepared only once.
///
/// # Errors
/// If the operation fails.
pub fn repeat(time: Duration, mut operation: impl FnMut() -> Result<()>) -> Result<Timing> {
    operation()?;
    let (start, mut ticks) = (Instant::now(), Moments::default());
    let mut last = clock::ticks();
    let first = last;
    let elapsed = loop {
        operation()?;
        let now = clock::ticks();
        ticks.add((now - last) as f64);
        last = now;
        // Reading the clock after each call would distort the result, unlike after eight calls.
        if ticks.count.is_multiple_of(8) || now - first > LONG {
            let elapsed = start.elapsed();
            if elapsed >= time {
                break elapsed;
            }
        }
    };
    let seconds = elapsed.as_secs_f64();
    let micros_a_tick = seconds * 1e6 / (last - first) as f64;
    let cycles_a_tick = cycles_a_tick();
    let scaled = |unit: f64| (ticks.mean() * unit, ticks.deviation() * unit);
    Ok(Timing {
        ops: ticks.count,
        seconds,
        micros: scaled(micros_a_tick),
        cycles: (clock::UNIT == Unit::CoreCycles).then(|| scaled(cycles_a_tick)),
    })
}

/// The ticks after which one call more between two readings of the clock does not matter: some
/// milliseconds.
const LONG: u64 = 1 << 24;

/// Sums of values and of their squares.
#[derive(Clone, Copy, Debug, Default)]
struct Moments {
    count: u64,
    sum: f64,
    squares: f64,
}

impl Moments {
    fn add(&mut self, value: f64) {
        self.count += 1;
        self.sum += value;
        self.squares += value * value;
    }

    fn mean(&self) -> f64 {
        self.sum / self.count as f64
    }

    fn deviation(&self) -> f64 {
        (self.squares / self.count as f64 - self.mean().powi(2)).max(0.0).sqrt()
    }
}

/// Returns the median of several calibrations, since an interrupt can spoil one.
fn cycles_a_tick() -> f64 {
    let mut rates = [0.0; 9].map(|_: f64| clock::calibrate());
    rates.sort_by(f64::total_cmp);
    rates[rates.len() / 2]
}

/// The timings of one operation at the best level of this CPU, at AVX2, and scalar.
#[derive(Clone, Copy, Debug)]
pub struct Levels {
    /// At the best level.
    pub best: Timing,
    /// At AVX2, if the CPU has it.
    pub avx2: Option<Timing>,
    /// Without vectors.
    pub scalar: Option<Timing>,
}

/// Calls [`repeat`] at each of these levels; a level that is the best is measured once.
///
/// # Errors
/// If the operation fails.
pub fn at_levels(time: Duration, mut operation: impl FnMut() -> Result<()>) -> Result<Levels> {
    let best = repeat(time, &mut operation)?;
    let mut at = |name: &str| -> Result<Option<Timing>> {
        match Level::by_name(name) {
            None => Ok(None),
            Some(level) if level == Level::get() => Ok(Some(best)),
            Some(level) => level.with(|| repeat(time, &mut operation)).map(Some),
        }
    };
    Ok(Levels { best, avx2: at("avx2")?, scalar: at("scalar")? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_of_known_values() {
        let mut moments = Moments::default();
        [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0].into_iter().for_each(|x| moments.add(x));
        assert_eq!((moments.mean(), moments.deviation()), (5.0, 2.0));
    }

    #[test]
    fn every_call_is_counted() {
        let mut calls = 0;
        let timing = repeat(Duration::from_millis(2), || {
            calls += 1;
            Ok(())
        });
        let timing = timing.unwrap();
        assert_eq!(timing.ops + 1, calls);
        assert!(timing.seconds >= 0.002 && timing.per_second() > 0.0);
    }

    #[test]
    fn each_level_is_measured() {
        let mut seen = Vec::new();
        let levels = at_levels(Duration::ZERO, || {
            seen.push(Level::get().name());
            Ok(())
        });
        let levels = levels.unwrap();
        assert!(levels.scalar.is_some() && seen.contains(&"scalar"));
        assert_eq!(levels.avx2.is_some(), Level::by_name("avx2").is_some());
    }
}
