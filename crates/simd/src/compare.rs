//! Tests of kernels: the same random inputs at every level, in a configurable number.
use std::{env, println, vec};

use crate::level::Level;

/// Random numbers for a test, determined by a seed: splitmix64.
#[derive(Clone, Debug)]
pub struct Inputs(u64);

impl Inputs {
    /// Creates a generator, for a test that makes its own inputs.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number from `least` to `most`. Both ends are more frequent than other numbers.
    pub fn within(&mut self, least: i32, most: i32) -> i32 {
        let bits = self.bits();
        match bits >> 59 {
            0 => least,
            1 => most,
            _ => {
                let count = u64::from(most.abs_diff(least)) + 1;
                // The low 32 bits select a fraction of the range, which has at most 2^32 numbers.
                let offset = (u64::from(bits as u32) * count) >> 32;
                (i64::from(least) + offset as i64) as i32
            }
        }
    }

    /// Fills `out` with random bytes.
    pub fn fill(&mut self, out: &mut [u8]) {
        for bytes in out.chunks_mut(8) {
            bytes.copy_from_slice(&self.bits().to_le_bytes()[..bytes.len()]);
        }
    }

    /// Returns an array of random bytes.
    #[must_use]
    pub fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        self.fill(&mut bytes);
        bytes
    }
}

/// Asserts that `compute` returns the same at every available level as at `scalar`: on `few`
/// inputs, or on as many as the environment variable `OAKLATH_RUNS` says. `cargo xtask levels
/// --kernels` sums the printed counts. The name of the calling test ends in `same_at_every_level`.
///
/// ```
/// use oaklath_simd::compare::same_at_every_level;
/// use oaklath_simd::{I16s, Simd, dispatch};
///
/// fn double<S: Simd>(s: S, x: &mut [i16; 32]) {
///     for x in x.chunks_exact_mut(S::I16::LANES) {
///         let v = S::I16::load(s, x);
///         (v + v).store(x);
///     }
/// }
///
/// same_at_every_level("double", 10, |inputs| {
///     let mut x = [0; 32];
///     x.fill_with(|| inputs.within(-1000, 1000) as i16);
///     dispatch!(s => double(s, &mut x));
///     x
/// });
/// ```
///
/// # Panics
/// If two levels differ; the message has the number of the input.
pub fn same_at_every_level<T: PartialEq>(
    kernel: &str,
    few: u64,
    compute: impl Fn(&mut Inputs) -> T,
) {
    compare(kernel, few, &|run, levels| {
        let result = |level: &Level| level.with(|| compute(&mut Inputs(run)));
        let (lowest, others) = levels.split_first()?;
        let expected = result(lowest);
        others.iter().copied().find(|level| result(level) != expected)
    });
}

/// Asserts that `differing` returns no level for any input. If only one level is tested, it is
/// still compared with the lowest one, which comes first.
fn compare(kernel: &str, few: u64, differing: &dyn Fn(u64, &[Level]) -> Option<Level>) {
    let asked = env::var("OAKLATH_RUNS").ok().and_then(|runs| runs.parse().ok());
    let runs = asked.unwrap_or(if cfg!(miri) { 1 } else { few });
    let lowest = Level::by_name("scalar").expect("every CPU has it");
    let mut levels = vec![lowest];
    levels.extend(Level::available().filter(|level| *level != lowest));
    for run in 0..runs {
        if let Some(level) = differing(run, &levels) {
            panic!("{kernel}: {level} differs on input {run}");
        }
    }
    println!("kernel {kernel}: {runs} inputs at {} levels", levels.len());
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;

    #[test]
    fn numbers_stay_within_their_range() {
        let mut inputs = Inputs::new(1);
        let drawn: Vec<i32> = (0..1000).map(|_| inputs.within(-3, 4)).collect();
        assert!((-3..=4).all(|number| drawn.contains(&number)));
        assert!(drawn.iter().all(|number| (-3..=4).contains(number)));
        let all = (0..1000).map(|_| inputs.within(i32::MIN, i32::MAX));
        assert!(all.filter(|number| *number < 0).count() > 400);
    }

    #[test]
    #[cfg(panic = "unwind")]
    fn a_difference_is_found() {
        let by_level = || same_at_every_level("planted", 1, |_| Level::get().name());
        if Level::available().any(|level| Some(level) != Level::by_name("scalar")) {
            assert!(std::panic::catch_unwind(by_level).is_err());
        }
    }
}
