//! Runs the cases of a group and counts their outcomes.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use oaklath_measure::count_allocations;
use oaklath_params::group::GroupInfo;

use crate::dice::Dice;
use crate::hash_trees::HashTree;
use crate::kinds::{self, Case, Cases, Kind};
use crate::outcome::Outcome;
use crate::target::Target;
use crate::victim::Role;

/// The extent of a run.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    /// Cases for each group and role, in addition to those at each byte.
    pub(crate) cases: usize,
    /// The distance between the bytes of a stream that are tried.
    pub(crate) stride: usize,
    pub(crate) seed: u64,
}

/// The outcomes of the cases of one kind.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) outcomes: BTreeMap<Outcome, usize>,
    pub(crate) wrong: usize,
}

/// The results of all cases of a group.
pub(crate) struct GroupReport {
    pub(crate) info: &'static GroupInfo,
    /// The tallies by the number of the kind in [`kinds::all`].
    pub(crate) tallies: BTreeMap<usize, Tally>,
    pub(crate) cases: usize,
    pub(crate) wrong: usize,
    /// The 99th percentile of the times that victims took for a case.
    pub(crate) p99: Duration,
    pub(crate) longest: Duration,
    /// The most memory, in bytes, that a victim took at once for one input.
    pub(crate) peak: usize,
    /// The most memory, in bytes, that a case took at once: all that a victim collects, and the
    /// attacker.
    pub(crate) whole: usize,
    /// The bytes that all cases together left behind.
    pub(crate) kept: usize,
}

/// The number of wrong cases that are printed one by one.
const TOLD: usize = 20;

/// Tries every kind on one group.
pub(crate) fn group(
    info: &'static GroupInfo,
    tree: Arc<HashTree>,
    plan: Plan,
) -> Result<GroupReport> {
    let target = Target::new(info, tree)?;
    let todo = plan.of(&target)?;
    let mut report = GroupReport {
        info,
        tallies: BTreeMap::new(),
        cases: todo.len(),
        wrong: 0,
        p99: Duration::ZERO,
        longest: Duration::ZERO,
        peak: 0,
        whole: 0,
        kept: 0,
    };
    let mut times = Vec::with_capacity(todo.len());
    for index in kinds::all().enumerate().map(|(index, _)| index) {
        report.tallies.insert(index, Tally::default());
    }
    // Whatever a first connection builds and keeps is not a leak.
    report.run(&target, plan, &todo[..todo.len().min(50)], &mut Vec::new());
    report.forget();
    let ((), memory) = count_allocations(|| report.run(&target, plan, &todo, &mut times));
    report.kept = memory.kept;
    times.sort_unstable();
    report.p99 = times[times.len() * 99 / 100];
    report.longest = times[times.len() - 1];
    Ok(report)
}

impl GroupReport {
    fn forget(&mut self) {
        self.wrong = 0;
        self.tallies.values_mut().for_each(|tally| *tally = Tally::default());
    }

    fn run(
        &mut self,
        target: &Target,
        plan: Plan,
        todo: &[(usize, &Kind, usize)],
        times: &mut Vec<Duration>,
    ) {
        for (index, kind, number) in todo {
            let names = [target.info.name, kind.name];
            let dice = Dice::new(plan.seed, names, *number);
            let (victim, memory) =
                count_allocations(|| Case { target, dice, number: *number }.run(kind));
            times.push(victim.time);
            self.peak = self.peak.max(victim.peak);
            self.whole = self.whole.max(memory.peak);
            self.count(*index, kind, *number, victim.outcome(), &victim.error);
        }
    }

    fn count(
        &mut self,
        index: usize,
        kind: &Kind,
        number: usize,
        outcome: Outcome,
        error: &Option<rustls::Error>,
    ) {
        let tally = self.tallies.entry(index).or_default();
        *tally.outcomes.entry(outcome).or_default() += 1;
        if !kind.expected.contains(&outcome) {
            tally.wrong += 1;
            self.wrong += 1;
            if self.wrong <= TOLD {
                let (group, name, victim) = (self.info.name, kind.name, kind.victim.side());
                let error = error.as_ref().map(|error| format!(": {error:?}")).unwrap_or_default();
                println!("WRONG {group}, {victim}, {name}, case {number}: {outcome}{error}");
            }
        }
    }
}

impl Plan {
    /// Returns the cases of a group: number of the kind, the kind, number of the case.
    fn of(self, target: &Target) -> Result<Vec<(usize, &'static Kind, usize)>> {
        let mut todo = Vec::new();
        for role in [Role::Server, Role::Client] {
            let suits = |kind: &Kind| kind.victim == role && (kind.applies)(target.info);
            let kinds: Vec<_> = kinds::all().enumerate().filter(|(_, kind)| suits(kind)).collect();
            let mut in_turn = 0;
            for round in 0.. {
                for (index, kind) in &kinds {
                    let due = match kind.cases {
                        Cases::InTurn => true,
                        Cases::Few => round % 10 == 0,
                        Cases::EachByte(_) => false,
                    };
                    if due {
                        todo.push((*index, *kind, round));
                        in_turn += 1;
                    }
                }
                if in_turn >= self.cases {
                    break;
                }
            }
            for (index, kind) in kinds {
                if let Cases::EachByte(len) = kind.cases {
                    let bytes = (0..len(target)?).step_by(self.stride);
                    todo.extend(bytes.map(|at| (index, kind, at)));
                }
            }
        }
        Ok(todo)
    }
}
