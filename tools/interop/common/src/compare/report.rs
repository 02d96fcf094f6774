//! The output of `compare`: a head that describes the comparison and the machine, then a table for
//! each operation, or one JSON object per line.

use std::{fmt, fs, thread};

use oaklath_measure::{Level, Summary, clock};
use serde_json::json;

use super::bound::{self, Costs};
use crate::kem::Randomness;

/// The machine that the comparison runs on.
pub(super) struct Machine {
    cpu: String,
    cores: usize,
    load: String,
    /// The core that is measured on, once this thread is pinned.
    pub(super) core: Option<usize>,
    cycles_a_tick: f64,
}

impl Machine {
    pub(super) fn look() -> Self {
        let unknown = || "unknown".to_owned();
        let mut calibrations: Vec<f64> = (0..31).map(|_| clock::calibrate()).collect();
        calibrations.sort_by(f64::total_cmp);
        Self {
            cpu: cpu_name().unwrap_or_else(unknown),
            cores: thread::available_parallelism().map_or(1, usize::from),
            load: load_average().unwrap_or_else(unknown),
            core: None,
            cycles_a_tick: calibrations[calibrations.len() / 2],
        }
    }
}

/// Returns model, family and stepping: virtual machines hide the model's name.
fn cpu_name() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let field = |name: &str| {
        let line = text.lines().find(|line| line.split(':').next().map(str::trim) == Some(name))?;
        Some(line.split_once(':')?.1.trim())
    };
    let (name, family, model) = (field("model name")?, field("cpu family")?, field("model")?);
    Some(format!("{name} (family {family}, model {model})"))
}

/// Returns the load averages over the last 1, 5 and 15 minutes.
fn load_average() -> Option<String> {
    let text = fs::read_to_string("/proc/loadavg").ok()?;
    Some(text.split_whitespace().take(3).collect::<Vec<_>>().join(" "))
}

/// A line of a table.
#[derive(Clone, Copy)]
pub(super) enum Row {
    Ours(Level),
    Peer(&'static str),
}

/// What the head reports of a peer.
#[derive(PartialEq)]
pub(super) struct Introduction {
    pub(super) library: &'static str,
    pub(super) randomness: String,
    pub(super) remark: &'static str,
}

impl fmt::Display for Randomness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Given => f.write_str("randomness given"),
            Self::Own(generator) => write!(f, "its own randomness ({generator})"),
        }
    }
}

/// Notes of the head on the figures of all kinds.
const NOTES: &str = "\
bound: the least time for the permutations (in full lanes, or in the longest chain if that takes
      longer), transforms and products that the standard asks for; x: how many times that ours takes
";

pub(super) struct Reporter<'a> {
    pub(super) json: bool,
    pub(super) samples: u32,
    pub(super) levels: &'a [Level],
    /// The costs at each level.
    pub(super) costs: &'a [Costs],
}

impl Reporter<'_> {
    /// Prints the head with the lines of `notes`; on standard error if standard output has JSON.
    pub(super) fn head(&self, machine: &Machine, peers: &[Introduction], notes: &str) {
        let text = self.head_text(machine, peers, notes);
        if self.json { eprint!("{text}") } else { print!("{text}") }
    }

    fn head_text(&self, machine: &Machine, peers: &[Introduction], notes: &str) -> String {
        let levels: Vec<&str> = self.levels.iter().map(|level| level.name()).collect();
        let core = machine.core.map_or("not pinned".to_owned(), |core| format!("on core {core}"));
        let mut text = format!(
            "CPU: {}, {} cores, {core}; load average {}\n\
             Unit: {} ({:.3} a tick); medians of {} batches, interleaved\n\
             oaklath: levels {}; randomness given\n",
            machine.cpu,
            machine.cores,
            machine.load,
            match clock::UNIT {
                clock::Unit::CoreCycles =>
                    "cc, core cycles calibrated by dependent multiplications",
                clock::Unit::Nanoseconds => "ns, for want of a cycle counter",
            },
            machine.cycles_a_tick,
            self.samples,
            levels.join(", "),
        );
        text.extend(self.costs.iter().map(Costs::text));
        text += NOTES;
        text += notes;
        for (i, Introduction { library, randomness, remark }) in peers.iter().enumerate() {
            if !peers[..i].contains(&peers[i]) {
                text += &format!("{library}: {randomness}; {remark}\n");
            }
        }
        text
    }

    /// Prints one operation: `summaries` in the order of `rows`.
    pub(super) fn operation(
        &self,
        algorithm: &str,
        operation: &str,
        rows: &[Row],
        summaries: &[Summary],
    ) {
        let fastest = rows
            .iter()
            .zip(summaries)
            .filter(|(row, _)| matches!(row, Row::Peer(_)))
            .map(|(_, summary)| summary)
            .min_by(|a, b| a.median.total_cmp(&b.median));
        let bounds = self.bounds(algorithm, operation, rows, summaries);
        let lines: Vec<_> = rows.iter().copied().zip(summaries).zip(bounds).collect();
        if self.json {
            print!("{}", json_lines(algorithm, operation, &lines, fastest));
        } else {
            print!("{}", table(algorithm, operation, &lines, fastest));
        }
    }

    /// Returns the bound of each of our rows, if there is one.
    fn bounds(
        &self,
        algorithm: &str,
        operation: &str,
        rows: &[Row],
        summaries: &[Summary],
    ) -> Vec<Option<f64>> {
        let counts = bound::counts(algorithm, operation);
        let bound = |(row, summary): (&Row, &Summary)| {
            let Row::Ours(level) = row else { return None };
            let costs = self.costs.iter().find(|costs| costs.level() == *level)?;
            Some(costs.bound(counts.as_ref()?, summary.unit))
        };
        rows.iter().zip(summaries).map(bound).collect()
    }
}

/// A row, its times, and its bound.
type Line<'a> = ((Row, &'a Summary), Option<f64>);

/// Writes one object for each of our levels; none where no peer offers the operation.
fn json_lines(
    algorithm: &str,
    operation: &str,
    rows: &[Line<'_>],
    fastest: Option<&Summary>,
) -> String {
    let mut lines = String::new();
    for ((row, ours), bound) in rows {
        if let (Row::Ours(level), Some(peer)) = (row, fastest) {
            let mut object = json!({
                "algorithm": algorithm,
                "operation": operation,
                "level": level.name(),
                (format!("ours_{}", ours.unit)): ours.median.round(),
                "peer": peer.name,
                (format!("peer_{}", peer.unit)): peer.median.round(),
                "ratio": (peer.median / ours.median * 1000.0).round() / 1000.0,
            });
            if let Some(bound) = bound {
                object["bound"] = bound.round().into();
            }
            lines += &format!("{object}\n");
        }
    }
    lines
}

fn table(algorithm: &str, operation: &str, rows: &[Line<'_>], fastest: Option<&Summary>) -> String {
    let title = format!("{algorithm} {operation}");
    let unit = rows.first().map_or(clock::UNIT, |((_, summary), _)| summary.unit);
    let mut text = format!("\n{title:<40} {unit:>9} {:>9} {:>9}     x  ratio\n", "p10", "bound");
    for ((row, summary), bound) in rows {
        let name = match row {
            Row::Ours(level) => format!("oaklath, {level}"),
            Row::Peer(library) => (*library).to_owned(),
        };
        let remark = match (row, fastest) {
            (Row::Ours(_), Some(peer)) => format!("{:6.2}", peer.median / summary.median),
            (Row::Ours(_), None) => "  no peer offers this".to_owned(),
            (Row::Peer(library), Some(peer)) if *library == peer.name => {
                "  fastest peer".to_owned()
            }
            (Row::Peer(_), _) => String::new(),
        };
        let bound = match (row, bound) {
            (Row::Ours(_), Some(bound)) => format!("{bound:>9.0} {:>5.2}", summary.median / bound),
            (Row::Ours(_), None) => format!("{:>9} {:>5}", "-", "-"),
            (Row::Peer(_), _) => " ".repeat(15),
        };
        let (median, p10) = (summary.median, summary.p10);
        let line = format!("  {name:<38} {median:>9.0} {p10:>9.0} {bound} {remark}");
        text += line.trim_end();
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use oaklath_measure::Unit;

    use super::*;

    fn summary(name: &str, median: f64) -> Summary {
        Summary {
            name: name.to_owned(),
            median,
            p10: median - 1.0,
            unit: Unit::CoreCycles,
            batch: 1,
        }
    }

    fn level() -> Level {
        Level::by_name("scalar").expect("every CPU has it")
    }

    #[test]
    fn ratios_are_of_the_fastest_peer_and_above_one_when_we_are_ahead() {
        let summaries = [summary("scalar", 100.0), summary("slow", 900.0), summary("fast", 250.0)];
        let [ours, slow, fast] = &summaries;
        let mut rows = [
            ((Row::Ours(level()), ours), Some(80.0)),
            ((Row::Peer("slow"), slow), None),
            ((Row::Peer("fast"), fast), None),
        ];
        let object = |rows: &[Line<'_>]| -> serde_json::Value {
            serde_json::from_str(&json_lines("A", "keygen", rows, Some(fast))).unwrap()
        };
        let mut expected = json!({
            "algorithm": "A", "operation": "keygen", "level": "scalar", "ours_cc": 100.0,
            "peer": "fast", "peer_cc": 250.0, "ratio": 2.5, "bound": 80.0,
        });
        assert_eq!(object(&rows), expected);
        assert!(table("A", "keygen", &rows, Some(fast)).contains("80  1.25   2.50"));
        // Without a bound there is a dash.
        rows[0].1 = None;
        expected.as_object_mut().unwrap().remove("bound");
        assert_eq!(object(&rows), expected);
        assert!(table("A", "keygen", &rows, Some(fast)).contains("-     -   2.50"));
    }

    #[test]
    fn an_operation_without_peers_has_a_table_but_no_json() {
        let ours = summary("scalar", 100.0);
        let rows = [((Row::Ours(level()), &ours), None)];
        assert_eq!(json_lines("A", "x", &rows, None), "");
        assert!(table("A", "x", &rows, None).contains("no peer offers this"));
    }
}
