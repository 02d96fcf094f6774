//! Facts that are known about the numbers on a tape.
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use oaklath_simd::proof::memory::Id;
use oaklath_simd::proof::tape::Op;

/// The smallest and the largest value.
pub type Range = (i64, i64);

/// The coefficients modulo q by pairs of unknowns (`NONE`: no unknown), sorted by the pairs,
/// without zeros.
pub type Form = Rc<Vec<([Id; 2], u64)>>;

/// An operation of a function. Arguments are its inputs, numbered from 0, or results of steps,
/// numbered after these.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct FunctionStep {
    pub(crate) op: Op,
    pub(crate) bits: u8,
    pub(crate) args: Vec<(u32, u8, u8)>,
}

/// The least and largest value of a function and, if it is linear modulo q, its coefficients.
#[derive(Clone, Copy)]
pub(crate) struct Summary {
    pub(crate) range: Range,
    pub(crate) line: Option<[u64; 2]>,
}

/// What functions of one number are for each of its values, modulo one q.
pub(crate) type Summaries = HashMap<(Vec<FunctionStep>, Range), Summary>;

/// The facts found so far.
#[derive(Default)]
pub(crate) struct Known {
    pub(crate) ranges: HashMap<Id, Range>,
    pub(crate) forms: HashMap<Id, Form>,
    /// Forms that a theorem has claimed of numbers.
    pub(crate) claimed: Vec<(Id, Form)>,
    /// Whether so many low bits of a number are zero.
    pub(crate) zero_bits: HashMap<(Id, u8), bool>,
    pub(crate) functions: Summaries,
    /// Numbers that may overflow, each with a description.
    pub(crate) wraps: BTreeMap<Id, String>,
    /// For forms modulo 2^16: how many of the high bits are unknown.
    pub(crate) lost: HashMap<Id, u32>,
    /// Whether forms of inputs were assumed.
    pub(crate) has_assumptions: bool,
    /// The ranges of numbers that a claim assumes, by their names.
    pub(crate) assumed: BTreeSet<(&'static str, Range)>,
    /// The ranges of outputs as stated and as proven.
    pub(crate) stated: Vec<(Range, Range)>,
    /// The largest results of kernels as proven.
    pub(crate) results: Vec<(&'static str, i64)>,
    /// The outputs that a claim has looked at.
    pub(crate) seen: BTreeSet<usize>,
    /// Whether it has looked at the results.
    pub(crate) has_seen_results: bool,
}

pub(crate) fn mask(bits: u8) -> i64 {
    if bits >= 64 { -1 } else { i64::MAX >> (63 - bits) }
}

pub(crate) fn full(bits: u8) -> Range {
    (i64::MIN >> (64 - bits), i64::MAX >> (64 - bits))
}

pub(crate) fn within(inner: Range, outer: Range) -> bool {
    outer.0 <= inner.0 && inner.1 <= outer.1
}
