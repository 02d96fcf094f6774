//! Rules about the subjects of commits: one thought, short enough for one line of a log.

use crate::{
    shell::{capture, command},
    tidy::Finding,
};

/// The rules apply to the commits after this one.
const BASE: &str = "2bb0ae8bbfb2995fe534bff2282703a33d455a91";

const MAX_COLUMNS: usize = 72;

/// Checks the commits since the base; returns nothing if there is no repository, or no base in it.
pub(super) fn check() -> Vec<Finding> {
    let log = capture(&mut command("git", &format!("log --no-merges --format=%h:%s {BASE}..HEAD")));
    let log = log.unwrap_or_default();
    log.lines().filter_map(|line| line.split_once(':')).filter_map(check_subject).collect()
}

fn check_subject((commit, subject): (&str, &str)) -> Option<Finding> {
    let finding = |message: String| Some(Finding::new(format!("commit {commit}"), 1, message));
    match subject.chars().count() {
        _ if subject.contains(';') => finding("a subject of two thoughts (`;`)".into()),
        columns if columns > MAX_COLUMNS => finding(format!("a subject of {columns} columns")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_are_short_and_of_one_thought() {
        let is_good = |subject: &str| check_subject(("1234", subject)).is_none();
        assert!(is_good("kem: reject a decapsulation key whose hash is wrong"));
        assert!(is_good(&"k".repeat(72)));
        assert!(!is_good(&"k".repeat(73)));
        assert!(!is_good("kem: one; two"));
    }
}
