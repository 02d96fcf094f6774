//! The machine that a measurement was made on.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use oaklath_cli::machine::cpu;
use oaklath_measure::Level;
use serde::Serialize;

use crate::report::Measured;

/// The machine, the build and the moment of a measurement.
#[derive(Clone, Debug, Serialize)]
pub struct Machine {
    /// The processor's name.
    pub cpu: String,
    /// The number of cores that this process may use.
    pub cores: usize,
    /// The best SIMD level.
    pub level: String,
    /// The base provider of TLS.
    pub base: String,
    /// The compiler that made this program.
    pub compiler: &'static str,
    /// The day, in UTC: `2026-11-21`.
    pub date: String,
    /// The load average of the last minute; none where the system does not report it.
    pub load: Option<f64>,
}

impl Machine {
    /// Describes this machine, now.
    #[must_use]
    pub fn look(base: &str) -> Self {
        Self {
            cpu: cpu(),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            level: Level::get().name().to_owned(),
            base: base.to_owned(),
            compiler: env!("OAKLATH_COMPILER"),
            date: day(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()),
            load: load(),
        }
    }

    /// Returns the machine of an earlier measurement. Base and compiler are those of this program.
    #[must_use]
    pub fn of(&self, earlier: &Measured) -> Self {
        let Measured { cpu, cores, level, measured, load } = earlier.clone();
        Self { cpu, cores, level, date: measured, load: Some(load), ..self.clone() }
    }

    /// Describes the machine in one line.
    #[must_use]
    pub fn sentence(&self) -> String {
        let Self { cpu, cores, level, base, compiler, date, load } = self;
        let load = load.map(|load| format!(", load average {load:.1} when it began"));
        let load = load.unwrap_or_default();
        format!(
            "{cpu}, {cores} cores, best level {level}, TLS over {base}, {compiler}, {date}{load}"
        )
    }
}

/// Returns the date of a time since 1970: the civil calendar, counted in eras of 400 years that
/// begin on the first of March.
fn day(since_1970: Duration) -> String {
    let days = since_1970.as_secs() / 86_400 + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!("{}-{month:02}-{day:02}", era * 400 + year + later)
}

/// Returns the load average of the last minute, where the system reports it in a file.
fn load() -> Option<f64> {
    std::fs::read_to_string("/proc/loadavg").ok()?.split(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::day;

    #[test]
    fn days() {
        for (days, date) in [
            (0, "1970-01-01"),
            (58, "1970-02-28"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (19_723, "2024-01-01"),
            (20_513, "2026-03-01"),
        ] {
            assert_eq!(day(Duration::from_secs(days * 86_400 + 86_399)), date);
        }
    }
}
