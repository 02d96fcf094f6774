//! Families of schemes, each with what compares its whole operations between the SIMD levels.

use crate::levels::{self, SIGNS};

/// Schemes that share most of their code.
#[derive(Clone, Debug)]
pub struct Family {
    /// What people call them.
    pub name: &'static str,
    /// One for each parameter set.
    pub sets: Vec<Comparison>,
}

/// Compares the whole operations of a parameter set.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The set's name.
    pub set: String,
    /// What scripts of the set begin with.
    number: u8,
    /// Runs a script.
    ///
    /// Panics where two levels differ.
    pub run: fn(&[u8]),
    /// The target whose corpus a script may go to; none where a script takes seconds.
    pub target: Option<&'static str>,
}

impl Comparison {
    /// A random script: a seed of eight bytes, mostly honest objects, with a few bytes changed or
    /// otherwise.
    pub fn script(&self, mut random: impl FnMut() -> u64) -> Vec<u8> {
        let mut script = vec![self.number];
        script.extend_from_slice(&random().to_be_bytes());
        let dice = random().to_le_bytes();
        // Half of the runs of hash trees sign; the other schemes always do.
        script.push(if dice[0] & 1 == 0 { SIGNS } else { dice[1] });
        let ways = if dice[2] & 3 == 0 { dice[3] } else { 0 };
        script.push(ways);
        script.extend(random().to_le_bytes().into_iter().take(usize::from(dice[4] % 3) * 3));
        script
    }
}

/// What compares the sets of a function of `levels` whose names are wanted.
fn of(
    sets: Vec<(String, u8)>,
    run: fn(&[u8]),
    target: Option<&'static str>,
    is_wanted: fn(&str) -> bool,
) -> Vec<Comparison> {
    let wanted = sets.into_iter().filter(|(set, _)| is_wanted(set));
    wanted.map(|(set, number)| Comparison { set, number, run, target }).collect()
}

fn kems(is_wanted: fn(&str) -> bool) -> Vec<Comparison> {
    of(levels::kem_sets(), levels::kem, Some("level_diff_kem"), is_wanted)
}

fn lattices(is_wanted: fn(&str) -> bool) -> Vec<Comparison> {
    of(levels::lattice_sets(), levels::lattices, Some("level_diff_lattices"), is_wanted)
}

fn trees(slow: bool) -> Vec<Comparison> {
    let mut sets = of(levels::slh_sets(), levels::slh, Some("level_diff_slh"), |_| true);
    if slow {
        sets.extend(of(levels::slh_small_sets(), levels::slh_small, None, |_| true));
    }
    sets
}

fn stateful(slow: bool, is_wanted: fn(&str) -> bool) -> Vec<Comparison> {
    let target = Some("level_diff_stateful");
    let mut sets = of(levels::stateful_quick_sets(), levels::stateful, target, is_wanted);
    if slow {
        sets.extend(of(levels::stateful_slow_sets(), levels::stateful_slow, None, is_wanted));
    }
    sets
}

/// All families; with the sets whose operations take seconds, if `slow`.
#[must_use]
pub fn families(slow: bool) -> Vec<Family> {
    vec![
        Family {
            name: "ML-KEM, Kyber",
            sets: kems(|name| name.starts_with("ML-KEM") || name.starts_with("Kyber")),
        },
        Family { name: "NTRU", sets: kems(|name| name.starts_with("NTRU")) },
        Family { name: "SABER", sets: kems(|name| name.ends_with("Saber-KEM")) },
        Family {
            name: "ML-DSA, Dilithium",
            sets: lattices(|name| name.starts_with("ML-DSA") || name.starts_with("Dilithium")),
        },
        Family {
            name: "Falcon, FN-DSA",
            sets: lattices(|name| name.starts_with("Falcon") || name.starts_with("FN-DSA")),
        },
        Family { name: "SLH-DSA, SPHINCS+", sets: trees(slow) },
        Family { name: "LMS, HSS", sets: stateful(slow, |name| name.starts_with("LM")) },
        Family { name: "XMSS, XMSS^MT", sets: stateful(slow, |name| name.starts_with("XMSS")) },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nothing that has a comparison is left out by a name that no family knows.
    #[test]
    fn every_set_is_in_a_family() {
        let sets: usize = families(true).iter().map(|family| family.sets.len()).sum();
        let all = [
            levels::kem_sets(),
            levels::lattice_sets(),
            levels::slh_sets(),
            levels::slh_small_sets(),
            levels::stateful_quick_sets(),
            levels::stateful_slow_sets(),
        ];
        assert_eq!(sets, all.iter().map(Vec::len).sum::<usize>());
        assert!(families(false).iter().all(|family| !family.sets.is_empty()));
        let schemes = oaklath_kem::all().len() + oaklath_sig::all().len();
        assert_eq!(all[..4].iter().map(Vec::len).sum::<usize>(), schemes);
    }
}
