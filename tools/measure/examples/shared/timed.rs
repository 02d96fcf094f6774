//! Tests whether times differ between a fixed key and others: Welch's t-test, as in "Dude, is my
//! code constant time?" (Reparaz, Balasch, Verbauwhede, 2017).

use std::time::{Duration, Instant};

use oaklath_measure::clock::ticks;

use crate::traced::Case;

/// The largest |t|, and the number of runs.
pub(crate) struct Test {
    pub(crate) t: f64,
    pub(crate) runs: usize,
}

/// The |t| above which a difference is certain; the paper uses 4.5 for likely ones.
pub(crate) const CERTAIN: f64 = 10.0;
pub(crate) const LIKELY: f64 = 4.5;

/// The parts of all runs that are kept: the slowest are left out, since they were interrupted.
const CROPPED: [f64; 6] = [0.5, 0.75, 0.9, 0.95, 0.99, 1.0];

/// Runs the operation with the first key and with others in random order, for this time.
pub(crate) fn test(case: &Case, time: Duration) -> Test {
    let mut runs: Vec<(bool, f64)> = Vec::new();
    let (start, mut x) = (Instant::now(), 0x9e37_79b9_7f4a_7c15_u64);
    let mut next = || {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        x
    };
    while start.elapsed() < time {
        let is_fixed = next() & 1 == 1;
        let other = 1 + (next() >> 32) as usize % (case.secrets.len() - 1);
        let mut secret = case.secrets[if is_fixed { 0 } else { other }].clone();
        secret[case.key_len..].fill_with(|| (next() >> 32) as u8);
        let run = (case.prepare)(secret);
        let before = ticks();
        run();
        runs.push((is_fixed, (ticks() - before) as f64));
    }
    let mut times: Vec<_> = runs.iter().map(|(_, time)| *time).collect();
    times.sort_by(f64::total_cmp);
    let most = CROPPED.map(|part| times[((times.len() as f64 * part) as usize).max(1) - 1]);
    let t = most.map(|most| welch(runs.iter().filter(|(_, time)| *time <= most)).abs());
    Test { t: t.into_iter().fold(0.0, f64::max), runs: runs.len() }
}

/// Returns the difference of the means divided by its standard deviation; 0 if that is 0.
fn welch<'a>(runs: impl Iterator<Item = &'a (bool, f64)>) -> f64 {
    let mut classes = [(0.0, 0.0, 0.0); 2];
    for (is_fixed, time) in runs {
        // Welford's recurrence: the count, the mean, the sum of squared distances from it.
        let (n, mean, squares) = &mut classes[usize::from(*is_fixed)];
        *n += 1.0;
        let distance = time - *mean;
        *mean += distance / *n;
        *squares += distance * (time - *mean);
    }
    let variance = |(n, _, squares): (f64, f64, f64)| squares / (n - 1.0) / n;
    let deviation = (variance(classes[0]) + variance(classes[1])).sqrt();
    if deviation > 0.0 { (classes[0].1 - classes[1].1) / deviation } else { 0.0 }
}
