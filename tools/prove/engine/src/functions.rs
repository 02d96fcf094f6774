//! Numbers as functions of one number with few values: evaluated at each of these.
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;

use oaklath_simd::proof::memory::Id;
use oaklath_simd::proof::tape::{NONE, Op};

use crate::blocks::{Evaluation, Growing, for_each_block};
use crate::kernel::Kernel;
use crate::known::{FunctionStep, Range as Values, Summary};

/// Is called with values of a number, one of another, and what depends on both there.
type SeePairs<'a> = &'a mut dyn FnMut(&[i64], i64, &[i64]);
/// Functions of two numbers, with their ranges, that were looked at.
pub(crate) type SeenPairs = HashSet<(Vec<FunctionStep>, [Values; 2])>;

impl Kernel {
    /// Returns a number as a function of its root.
    pub(crate) fn function(&self, id: Id, root: Id) -> Vec<FunctionStep> {
        self.steps_to(&[id], &[root]).1
    }

    /// Returns a number as a function of these inputs, to be computed at many of their values.
    #[must_use]
    pub fn function_of(&self, id: Id, inputs: &[Id]) -> Evaluation {
        let (id, input) =
            (self.alias(id), inputs.iter().position(|input| *input == self.alias(id)));
        Evaluation::new(inputs.len(), self.steps_to(&[id], inputs).1, input)
    }

    /// The numbers that some others are computed from and these, in order, and the steps.
    fn steps_to(&self, ids: &[Id], roots: &[Id]) -> (Vec<Id>, Vec<FunctionStep>) {
        let (mut steps, mut todo, mut seen) = (Vec::new(), ids.to_vec(), HashSet::new());
        while let Some(id) = todo.pop() {
            if !roots.contains(&id) && seen.insert(id) {
                steps.push(id);
                todo.extend(self.args(id).iter().map(|arg| arg.0));
            }
        }
        steps.sort_unstable();
        let place = |id: Id| match roots.iter().position(|root| *root == id) {
            Some(at) => at as u32,
            None => (roots.len() + steps.binary_search(&id).expect("seen")) as u32,
        };
        let step = |id: &Id| {
            let node = self.node(*id);
            // Lists of bits and tables are told apart by their arguments.
            let op = match node.op {
                Op::Bits(_) => Op::Bits(0),
                Op::Table(_) => Op::Table(0),
                op => op,
            };
            let args =
                self.args(*id).iter().map(|(id, from, to)| (place(*id), *from, *to)).collect();
            FunctionStep { op, bits: node.bits, args }
        };
        let all = steps.iter().map(step).collect();
        (steps, all)
    }

    /// Returns a summary of a function of one number, if that has few enough values.
    pub(crate) fn summary(&self, id: Id) -> Option<Summary> {
        let root = self.root(id);
        if root == id {
            return None;
        }
        let range = if root == NONE { (0, 0) } else { self.range(root) };
        let key = (self.function(id, root), range);
        if let Some(summary) = self.known.borrow().functions.get(&key) {
            return Some(*summary);
        }
        // All functions of the root at once, since most have steps in common.
        let ids = if root == NONE { &[id][..] } else { self.functions_of(root) };
        let (all, steps) = self.steps_to(&[ids, &[id]].concat(), &[root]);
        let mut summaries = vec![Growing::default(); steps.len()];
        for_each_block(&steps, range, &[], &mut |values, n| {
            for (summary, values) in summaries.iter_mut().zip(&values[1..]) {
                summary.add(&values[..n], self.q);
            }
        });
        let mut known = self.known.borrow_mut();
        for (of, summary) in all.into_iter().zip(summaries) {
            if self.root(of) == root {
                let summary = summary.finish(range.0, self.q);
                known.functions.insert((self.function(of, root), range), summary);
            }
        }
        known.functions.get(&key).copied()
    }

    /// Proves that each of the numbers is this function of another number, at each value that the
    /// other may have; returns the other numbers.
    ///
    /// # Errors
    /// The first that is not.
    pub fn are_function(
        &self,
        ids: impl IntoIterator<Item = Id>,
        wanted: impl Fn(i64) -> i64,
    ) -> Result<Vec<Id>, String> {
        self.functions_have(ids, |x, y| wanted(x) == y)
    }

    /// Proves that these outputs are that function of inputs, of those from `first` on in order.
    ///
    /// # Errors
    /// The first that is not.
    pub fn maps(
        &self,
        first: usize,
        outputs: impl IntoIterator<Item = usize>,
        wanted: impl Fn(i64) -> i64,
    ) -> Result<(), String> {
        self.relates(first, outputs, |x, y| wanted(x) == y)
    }

    /// Proves that these outputs are functions of inputs with a property, of those from `first` on
    /// in order.
    ///
    /// # Errors
    /// The first that is not.
    pub fn relates(
        &self,
        first: usize,
        outputs: impl IntoIterator<Item = usize>,
        property: impl Fn(i64, i64) -> bool,
    ) -> Result<(), String> {
        let ids: Vec<Id> = outputs.into_iter().map(|i| self.output(i)).collect();
        let roots = self.functions_have(ids.iter().copied(), property)?;
        let wanted = &self.inputs()[first..];
        match (0..roots.len()).find(|i| wanted.get(*i) != Some(&roots[*i])) {
            Some(i) => {
                let [is, of] = [ids[i], roots[i]].map(|id| self.describe(id));
                Err(format!("{}: [{is}] is of [{of}], not of input {}", self.name, first + i))
            }
            None => Ok(()),
        }
    }

    /// Proves that the kernel returns true exactly if a number is `inside`, for all that it decides
    /// by; returns these.
    ///
    /// # Errors
    /// What is otherwise.
    pub fn returns_whether_all(&self, inside: impl Fn(i64) -> bool) -> Result<Vec<Id>, String> {
        let (roots, outside) = self.decision(0, &|x| !inside(x))?;
        if self.tape.decisions.len() != 1 {
            return Err(format!("{}: {} decisions", self.name, self.tape.decisions.len()));
        }
        if self.results() != [i64::from(!outside)] {
            return Err(format!("{}: returns {:?} instead", self.name, self.results()));
        }
        Ok(roots)
    }

    /// Proves that each of the numbers as a function of its root has a property, at each value of
    /// the root; returns the roots.
    ///
    /// # Errors
    /// The first number that does not have it.
    pub fn functions_have(
        &self,
        ids: impl IntoIterator<Item = Id>,
        property: impl Fn(i64, i64) -> bool,
    ) -> Result<Vec<Id>, String> {
        self.check_functions(&mut ids.into_iter(), &property)
    }

    fn check_functions(
        &self,
        ids: &mut dyn Iterator<Item = Id>,
        property: &dyn Fn(i64, i64) -> bool,
    ) -> Result<Vec<Id>, String> {
        let (mut proven, mut roots) = (HashSet::new(), Vec::new());
        for id in ids {
            let id = self.alias(id);
            let (root, is) = (self.root(id), self.describe(id));
            if root == NONE {
                return Err(format!("{}: [{is}] is a constant", self.name));
            }
            roots.push(root);
            let key = (self.function(id, root), self.range(root));
            let mut wrong = None;
            if !proven.contains(&key) {
                for_each(&key.0, key.1, &mut |xs, ys| {
                    let mut pairs = xs.iter().copied().zip(ys.iter().copied());
                    wrong = wrong.or_else(|| pairs.find(|(x, y)| !property(*x, *y)));
                });
                proven.insert(key);
            }
            if let Some((x, y)) = wrong {
                let of = self.describe(root);
                return Err(format!("{}: [{is}] is wrong: {y} where [{of}] is {x}", self.name));
            }
        }
        Ok(roots)
    }

    /// The two inputs, the one with more values first, on which a number depends.
    fn pair(&self, id: Id) -> Option<[Id; 2]> {
        let (mut todo, mut seen, mut roots) = (vec![id], HashSet::new(), BTreeSet::new());
        while let Some(id) = todo.pop() {
            let (root, args) = (self.root(id), self.args(id));
            if root == NONE || !seen.insert(id) {
                continue;
            }
            if root != id {
                todo.push(root);
            } else if args.is_empty() {
                roots.insert(root);
            } else {
                todo.extend(args.iter().map(|arg| arg.0));
            }
        }
        let [a, b] = roots.into_iter().collect::<Vec<_>>()[..] else { return None };
        let count = |id: Id| self.range(id).0.abs_diff(self.range(id).1).saturating_add(1);
        let is_enumerable = count(a).checked_mul(count(b)).is_some_and(|n| n <= self.limit());
        is_enumerable.then_some(if count(a) < count(b) { [b, a] } else { [a, b] })
    }

    /// Returns the numbers of which a number is made, each by a function of it alone, in order.
    #[must_use]
    pub fn roots_of(&self, id: Id) -> Vec<Id> {
        let (mut todo, mut seen, mut roots) = (vec![self.alias(id)], HashSet::new(), Vec::new());
        while let Some(id) = todo.pop() {
            let (root, args) = (self.root(id), self.args(id));
            if !seen.insert(id) || root == NONE {
                continue;
            }
            if root != id || args.is_empty() {
                roots.push(root);
            } else {
                todo.extend(args.iter().map(|arg| arg.0));
            }
        }
        roots.sort_unstable();
        roots.dedup();
        roots
    }

    /// Proves that numbers are that function of two others each, which are their
    /// [roots](Self::roots_of), at each pair of their values. An assumption says that one of the
    /// others is in a range, which the claim states by this name.
    ///
    /// # Errors
    /// The first that is not.
    pub fn are_functions_of_pairs(
        &self,
        ids: &[(Id, [Id; 2])],
        assumed: [Option<(&'static str, Values)>; 2],
        wanted: &dyn Fn(i64, i64) -> i64,
    ) -> Result<(), String> {
        if let Some((name, range)) = assumed.iter().flatten().find(|(_, (from, to))| from > to) {
            return Err(format!("{}: {name} is assumed within {range:?}", self.name));
        }
        self.known.borrow_mut().assumed.extend(assumed.iter().flatten());
        let mut seen = HashSet::new();
        for (id, [x, y]) in ids {
            let id = self.alias(*id);
            let is = self.describe(id);
            if self.roots_of(id) != [*x.min(y), *x.max(y)] {
                return Err(format!("{}: [{is}] is not of two numbers alone", self.name));
            }
            let steps = self.steps_to(&[id], &[*x, *y]).1;
            let range = |id, assumed: Option<(_, _)>| assumed.map_or(self.range(id), |of| of.1);
            let ranges = [range(*x, assumed[0]), range(*y, assumed[1])];
            if !seen.insert((steps.clone(), ranges)) {
                continue;
            }
            let mut wrong = None;
            for_each_pair(&steps, ranges, &mut |xs, y, zs| {
                let mut all = xs.iter().zip(zs);
                let is_wrong = |(x, z): &(&i64, &i64)| wanted(**x, y) != **z;
                wrong = wrong.or_else(|| all.find(is_wrong).map(|(x, z)| (*x, y, *z)));
            });
            if let Some((x, y, z)) = wrong {
                return Err(format!("{}: [{is}] is wrong: {z} for {x}, {y}", self.name));
            }
        }
        Ok(())
    }

    /// The first of two numbers and its function, and values of them, where these do not have the
    /// property. What was looked at once is not again.
    fn counterexample(
        &self,
        id: Id,
        [x, y]: [Id; 2],
        seen: &mut SeenPairs,
        property: &dyn Fn([i64; 2], i64) -> bool,
    ) -> Option<([i64; 2], i64)> {
        let (xs, ys) = (self.range(x), self.range(y));
        let steps = self.steps_to(&[id], &[x, y]).1;
        if !seen.insert((steps.clone(), [xs, ys])) {
            return None;
        }
        let mut wrong = None;
        for_each_pair(&steps, [xs, ys], &mut |xs, y, zs| {
            let mut all = xs.iter().zip(zs).map(|(x, z)| ([*x, y], *z));
            wrong = wrong.or_else(|| all.find(|(pair, z)| !property(*pair, *z)));
        });
        wrong
    }

    /// Whether a number that depends on two others is in a range, for each pair of their values.
    pub(crate) fn is_within_by_pairs(
        &self,
        id: Id,
        (least, most): Values,
        seen: &mut SeenPairs,
    ) -> bool {
        let is_within = |_, z| least <= z && z <= most;
        let id = self.alias(id);
        self.pair(id).is_some_and(|pair| self.counterexample(id, pair, seen, &is_within).is_none())
    }

    /// Returns what a number that is computed bit by bit from at most six others is: bit i for what
    /// bit j of i says of number j.
    ///
    /// # Errors
    /// What is not computed bit by bit, or from other numbers.
    ///
    /// # Panics
    /// If there are more others.
    pub fn truth_table(&self, id: Id, of: &[Id]) -> Result<u64, String> {
        assert!(of.len() <= 6, "64 rows of a table");
        let id = self.alias(id);
        if let Some(j) = of.iter().position(|other| self.alias(*other) == id) {
            return Ok((0..64).filter(|i| i >> j & 1 == 1).fold(0, |table, i| table | 1 << i));
        }
        match (self.constant(id), self.node(id).op) {
            (Some(0), _) => return Ok(0),
            (Some(-1), _) => return Ok(u64::MAX),
            (None, Op::And | Op::AndNot | Op::Or | Op::Xor) => {}
            _ => return Err(format!("{}: [{}]", self.name, self.describe(id))),
        }
        let args = self.args(id);
        let [a, b] = [self.truth_table(args[0].0, of)?, self.truth_table(args[1].0, of)?];
        Ok(match self.node(id).op {
            Op::And => a & b,
            Op::AndNot => !a & b,
            Op::Or => a | b,
            _ => a ^ b,
        })
    }

    /// Proves that these outputs are that function of two inputs each, of those from `large` and of
    /// those from `small` on in order, at each pair of values.
    ///
    /// # Errors
    /// The first that is not.
    pub fn maps_pairs(
        &self,
        [large, small]: [usize; 2],
        outputs: Range<usize>,
        wanted: &dyn Fn(i64, i64) -> i64,
    ) -> Result<(), String> {
        let mut seen = HashSet::new();
        for (i, id) in self.outputs(outputs).enumerate() {
            let (is, pair) = (self.describe(id), [large, small].map(|n| self.input(n + i)));
            if self.pair(id) != Some(pair) {
                return Err(format!("{}: [{is}] is not of two inputs alone", self.name));
            }
            let property = |[x, y]: [i64; 2], z| wanted(x, y) == z;
            if let Some((at, z)) = self.counterexample(id, pair, &mut seen, &property) {
                return Err(format!("{}: [{is}] is wrong: {z} for {at:?}", self.name));
            }
        }
        Ok(())
    }

    /// Proves what decision `n`, whether a bit of some numbers is set, depends on: these are
    /// functions of roots, and a bit is set exactly where a root is `outside`. Returns the roots
    /// and the answer of this tape.
    ///
    /// # Errors
    /// What is otherwise.
    pub fn decision(
        &self,
        n: usize,
        outside: &dyn Fn(i64) -> bool,
    ) -> Result<(Vec<Id>, bool), String> {
        let Some((id, answer)) = self.tape.decisions.get(n) else {
            return Err(format!("{}: there is no decision {n}", self.name));
        };
        let mut bits: BTreeMap<Id, Vec<(Id, u8)>> = BTreeMap::new();
        for (id, bit) in self.bits_of_sum(*id) {
            bits.entry(self.root(id)).or_default().push((id, bit));
        }
        let mut proven = HashSet::new();
        for (root, bits) in &bits {
            let functions: Vec<_> =
                bits.iter().map(|(id, bit)| (self.function(*id, *root), *bit)).collect();
            let range = self.range(*root);
            if !proven.insert((functions.clone(), range)) {
                continue;
            }
            let mut set = vec![false; (range.1 - range.0 + 1) as usize];
            for (steps, bit) in &functions {
                let mut next = set.iter_mut();
                for_each(steps, range, &mut |_, ys| {
                    for (y, set) in ys.iter().zip(next.by_ref()) {
                        *set |= y >> bit & 1 == 1;
                    }
                });
            }
            if let Some((x, _)) = (range.0..).zip(&set).find(|(x, set)| outside(*x) != **set) {
                let place = self.describe(*root);
                return Err(format!("{}: decided otherwise where [{place}] is {x}", self.name));
            }
        }
        Ok((bits.into_keys().collect(), *answer))
    }

    /// Returns the bits whose disjunction says whether a number is not zero.
    fn bits_of_sum(&self, id: Id) -> Vec<(Id, u8)> {
        let (mut todo, mut bits, mut seen) = (Vec::new(), Vec::new(), HashSet::new());
        todo.extend((0..self.node(id).bits).map(|bit| (id, bit)));
        while let Some((id, bit)) = todo.pop() {
            let id = self.alias(id);
            let node = self.node(id);
            match node.op {
                _ if !seen.insert((id, bit)) => {}
                Op::Or => todo.extend(node.args.map(|arg| (arg, bit))),
                Op::Bits(_) => todo.extend(self.sources(id)[usize::from(bit)]),
                Op::Const(x) if x >> bit & 1 == 0 => {}
                _ => bits.push((id, bit)),
            }
        }
        bits
    }
}

/// Calls `see` with values of the root and the number's values there, until all are covered.
fn for_each(steps: &[FunctionStep], range: Values, see: &mut dyn FnMut(&[i64], &[i64])) {
    for_each_block(steps, range, &[], &mut |values, n| {
        let results = values.last().expect("a root at least");
        see(&values[0][..n], &results[..n]);
    });
}

/// Calls `see` with values of the first number, one of the second, and what the function is there,
/// until it has seen all.
fn for_each_pair(steps: &[FunctionStep], [xs, ys]: [Values; 2], see: SeePairs<'_>) {
    for y in ys.0..=ys.1 {
        for_each_block(steps, xs, &[y], &mut |values, n| {
            let results = values.last().expect("two numbers at least");
            see(&values[0][..n], y, &results[..n]);
        });
    }
}
