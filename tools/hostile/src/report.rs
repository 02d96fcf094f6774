//! Prints the results, and checks them against limits.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::kinds;
use crate::outcome::Outcome;
use crate::run::GroupReport;

/// The limit for the 99th percentile of a victim's time for a case.
const LONGEST_P99: Duration = Duration::from_millis(50);
/// The most memory, in bytes, that a victim may take at once for one input: twice the longest
/// message, a flight of 64 KiB, and what rustls copies of them.
const MOST_PEAK: usize = 1 << 20;
/// The most memory, in bytes, that a case may take: a victim keeps about as much between two calls,
/// and the attacker has the messages of both sides.
const MOST_WHOLE: usize = 2 << 20;
/// The most memory, in bytes, that all cases of a group may leave behind: what is cached once, and
/// the counts of outcomes.
const MOST_KEPT: usize = 64 << 10;

/// Describes a group in one line.
pub(crate) fn line(report: &GroupReport) -> String {
    let GroupReport { info, cases, wrong, p99, longest, peak, whole, kept, .. } = report;
    format!(
        "{:24} {cases:6} cases, {wrong} wrong; p99 {:6.2} ms, longest {:6.2} ms; at most {} KiB \
         at once, {} KiB in a case, {} KiB kept",
        info.name,
        p99.as_secs_f64() * 1e3,
        longest.as_secs_f64() * 1e3,
        peak >> 10,
        whole >> 10,
        kept >> 10,
    )
}

/// Prints all kinds over all groups, and reports whether everything was as it must be.
pub(crate) fn kinds(reports: &[GroupReport]) -> bool {
    println!("\n{:6} {:40} {:>7} {:>6} outcomes", "victim", "input", "cases", "wrong");
    for (index, kind) in kinds::all().enumerate() {
        let mut outcomes = BTreeMap::<Outcome, usize>::new();
        let mut wrong = 0;
        for tally in reports.iter().filter_map(|report| report.tallies.get(&index)) {
            wrong += tally.wrong;
            for (outcome, count) in &tally.outcomes {
                *outcomes.entry(*outcome).or_default() += count;
            }
        }
        let cases: usize = outcomes.values().sum();
        if cases > 0 {
            let outcomes = outcomes.iter().map(|(outcome, count)| match count {
                count if *count == cases => outcome.to_string(),
                count => format!("{outcome} {count}"),
            });
            let outcomes = outcomes.collect::<Vec<_>>().join(", ");
            let victim = kind.victim.side();
            println!("{victim:6} {:40} {cases:7} {wrong:6} {outcomes}", kind.name);
        }
    }
    let faults = faults(reports);
    let cases: usize = reports.iter().map(|report| report.cases).sum();
    println!("\n{cases} cases over {} groups", reports.len());
    faults.iter().for_each(|fault| println!("WRONG {fault}"));
    faults.is_empty()
}

fn faults(reports: &[GroupReport]) -> Vec<String> {
    let mut faults = Vec::new();
    for report in reports {
        let name = report.info.name;
        if report.wrong > 0 {
            faults.push(format!("{name}: {} cases ended in another way", report.wrong));
        }
        if report.p99 > LONGEST_P99 {
            faults.push(format!("{name}: p99 {:?}, more than {LONGEST_P99:?}", report.p99));
        }
        if report.peak > MOST_PEAK {
            faults.push(format!("{name}: {} bytes at once, more than {MOST_PEAK}", report.peak));
        }
        if report.whole > MOST_WHOLE {
            faults
                .push(format!("{name}: {} bytes in a case, more than {MOST_WHOLE}", report.whole));
        }
        if report.kept > MOST_KEPT {
            faults.push(format!("{name}: {} bytes kept, more than {MOST_KEPT}", report.kept));
        }
    }
    faults
}
