//! Speeds of hash-based signatures that others published, to stand beside ours.

/// Rows `setting, parameter set, operation, per second`; lines with `#` name source and hardware.
const SPEEDS: &str = include_str!("../data/hash_based_speed.csv");

/// One published figure.
#[derive(Clone, Copy, Debug)]
pub struct Published {
    /// Hardware and build: `i7-8700; 1 thread`.
    pub setting: &'static str,
    /// `LMS/HSS L2_H10_W4`, `XMSS-SHA2_10_256`, `SHA-256`.
    pub set: &'static str,
    /// `sign`, `verify` or `hash`.
    pub operation: &'static str,
    /// Operations a second; of SHA-256, MiB a second.
    pub per_second: f64,
}

/// All of them, in the order of the tables.
pub fn published() -> impl Iterator<Item = Published> {
    let lines = SPEEDS.lines().filter(|line| !line.starts_with('#')).skip(1);
    lines.filter_map(|line| {
        let [setting, set, operation, per_second] =
            line.split(',').collect::<Vec<_>>().try_into().ok()?;
        Some(Published { setting, set, operation, per_second: per_second.parse().ok()? })
    })
}

#[cfg(test)]
mod tests {
    use super::published;

    #[test]
    fn every_row_is_read() {
        let rows: Vec<_> = published().collect();
        assert_eq!(rows.len(), 84);
        let settings = ["i7-8700; 1 thread", "i7-8700; 4 threads", "Apple M1; SHA-256 assembly"];
        for setting in settings {
            assert!(rows.iter().any(|row| row.setting == setting), "{setting}");
        }
    }
}
