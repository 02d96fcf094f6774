//! A clock in core cycles.
//!
//! The time-stamp counter of x86-64 ticks at a constant rate, whatever the core's frequency. A
//! chain of dependent 64-bit multiplications takes three core cycles per link (Intel since Nehalem,
//! 2008; AMD since Zen), so timing a chain in ticks yields core cycles per tick. On other
//! architectures the clock counts nanoseconds, and [`UNIT`] says so.
//!
//! # Soundness
//! `rdtsc` and `lfence` exist on every x86-64 core and touch no memory. The chain is inline
//! assembly over one register, declared as such.

use std::fmt;

/// The unit of [`ticks`] times [`calibrate`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Core cycles: independent of the current frequency.
    CoreCycles,
    /// Nanoseconds, where no cycle counter can be read.
    Nanoseconds,
}

impl Unit {
    /// Returns `cc` or `ns`.
    #[must_use]
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::CoreCycles => "cc",
            Self::Nanoseconds => "ns",
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.symbol())
    }
}

pub use arch::{UNIT, calibrate, ticks};

#[cfg(target_arch = "x86_64")]
mod arch {
    use core::arch::{
        asm,
        x86_64::{_mm_lfence, _rdtsc},
    };

    use super::Unit;

    /// The unit of this machine's clock.
    pub const UNIT: Unit = Unit::CoreCycles;

    /// Links in one turn of the loop: enough to hide the loop's own counting.
    const LINKS: u64 = 16;
    const TURNS: u64 = 4096;
    const CYCLES_A_LINK: u64 = 3;

    /// Reads the time-stamp counter, after all earlier and before all later instructions.
    ///
    /// ```
    /// use oaklath_measure::clock::ticks;
    ///
    /// let start = ticks();
    /// assert!(ticks() >= start);
    /// ```
    #[must_use]
    #[inline]
    pub fn ticks() -> u64 {
        // SAFETY: every x86-64 core has SSE2, hence both instructions; neither touches memory.
        unsafe {
            _mm_lfence();
            let now = _rdtsc();
            _mm_lfence();
            now
        }
    }

    /// Measures the current core cycles per tick, from one chain of about 200,000 cycles.
    ///
    /// An interrupt makes a result too small: take the median of several.
    ///
    /// ```
    /// use oaklath_measure::clock::{UNIT, calibrate, ticks};
    ///
    /// let start = ticks();
    /// let product = (1..=20u64).product::<u64>();
    /// let elapsed = (ticks() - start) as f64 * calibrate();
    /// println!("20! = {product} took {elapsed:.0} {UNIT}");
    /// # assert!(elapsed > 0.0);
    /// ```
    #[must_use]
    pub fn calibrate() -> f64 {
        let start = ticks();
        multiply_in_chain();
        let elapsed = ticks() - start;
        (TURNS * LINKS * CYCLES_A_LINK) as f64 / elapsed as f64
    }

    /// Computes `TURNS` x `LINKS` multiplications, each waiting for the one before it.
    #[inline(never)]
    fn multiply_in_chain() {
        let mut x = 3u64;
        for _ in 0..TURNS {
            // SAFETY: reads and writes only the declared register, and the flags.
            unsafe {
                asm!(
                    "imul {x}, {x}", "imul {x}, {x}", "imul {x}, {x}", "imul {x}, {x}",
                    "imul {x}, {x}", "imul {x}, {x}", "imul {x}, {x}", "imul {x}, {x}",
                    "imul {x}, {x}", "imul {x}, {x}", "imul {x}, {x}", "imul {x}, {x}",
                    "imul {x}, {x}", "imul {x}, {x}", "imul {x}, {x}", "imul {x}, {x}",
                    x = inout(reg) x,
                    options(nomem, nostack, pure),
                );
            }
        }
        core::hint::black_box(x);
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod arch {
    use std::{sync::OnceLock, time::Instant};

    use super::Unit;

    /// The unit of this machine's clock.
    pub const UNIT: Unit = Unit::Nanoseconds;

    /// Returns the nanoseconds since the first call.
    #[must_use]
    pub fn ticks() -> u64 {
        static START: OnceLock<Instant> = OnceLock::new();
        START.get_or_init(Instant::now).elapsed().as_nanos() as u64
    }

    /// Returns 1: a tick is a nanosecond.
    #[must_use]
    pub fn calibrate() -> f64 {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_never_run_backwards() {
        let mut last = ticks();
        for _ in 0..1000 {
            let now = ticks();
            assert!(now >= last, "{now} after {last}");
            last = now;
        }
    }

    #[test]
    fn calibration_lies_between_a_stalled_and_an_impossible_core() {
        // The best of several: a preempted chain looks slow, never fast.
        let cycles_a_tick = (0..50).map(|_| calibrate()).fold(0.0, f64::max);
        assert!((0.1..10.0).contains(&cycles_a_tick), "{cycles_a_tick} core cycles a tick");
    }

    #[test]
    fn units_say_what_they_are() {
        assert_eq!(format!("{:>3}|{}", Unit::CoreCycles, Unit::Nanoseconds), " cc|ns");
    }
}
