//! Numbers as functions of one number with few values: evaluated at each of these.
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;

use oaklath_simd::proof::memory::Id;
use oaklath_simd::proof::tape::{NONE, Op, sign_extend};

use crate::kernel::Kernel;
use crate::known::{FunctionStep, Range as Values, Summary, mask};

const BLOCK: usize = 512;

/// Is called with values of a number, one of another, and what depends on both there.
pub type SeePairs<'a> = &'a mut dyn FnMut(&[i64], i64, &[i64]);

impl Kernel {
    /// Returns a number as a function of its root.
    pub(crate) fn function(&self, id: Id, root: Id) -> Vec<FunctionStep> {
        self.function_with(id, root, None)
    }

    /// A number as a function of a root, where another one has that value.
    fn function_with(&self, id: Id, root: Id, other: Option<(Id, i64)>) -> Vec<FunctionStep> {
        let (mut steps, mut todo, mut seen) = (Vec::new(), vec![id], HashSet::new());
        while let Some(id) = todo.pop() {
            if id != root && seen.insert(id) {
                steps.push(id);
                todo.extend(self.args(id).iter().map(|arg| arg.0));
            }
        }
        steps.sort_unstable();
        let place = |id: Id| {
            if id == root { 0 } else { 1 + steps.binary_search(&id).expect("seen") as u32 }
        };
        let step = |id: &Id| {
            let node = self.node(*id);
            let args =
                self.args(*id).iter().map(|(id, from, to)| (place(*id), *from, *to)).collect();
            // Lists of bits and tables are told apart by their arguments.
            let op = match (other, node.op) {
                (Some((other, value)), _) if other == *id => Op::Const(value),
                (_, Op::Bits(_)) => Op::Bits(0),
                (_, Op::Table(_)) => Op::Table(0),
                (_, op) => op,
            };
            FunctionStep { op, bits: node.bits, args }
        };
        steps.iter().map(step).collect()
    }

    /// Calls `see` with values of the root and the number's values there, until all are covered.
    fn for_each(&self, steps: &[FunctionStep], range: Values, see: &mut dyn FnMut(&[i64], &[i64])) {
        let mut values = vec![[0; BLOCK]; steps.len() + 1];
        let mut x = range.0;
        loop {
            let n = (range.1 - x + 1).min(BLOCK as i64) as usize;
            (x..).zip(&mut values[0][..n]).for_each(|(x, value)| *value = x);
            for (i, step) in steps.iter().enumerate() {
                let (before, after) = values.split_at_mut(i + 1);
                self.step(step, before, &mut after[0]);
            }
            let results = values.last().expect("a root at least");
            see(&values[0][..n], &results[..n]);
            x += n as i64;
            if x > range.1 {
                return;
            }
        }
    }

    fn step<const N: usize>(&self, step: &FunctionStep, before: &[[i64; N]], to: &mut [i64; N]) {
        let arg = |i: usize| &before[step.args[i].0 as usize];
        let bits = step.bits;
        macro_rules! each {
            ($a:ident => $e:expr) => {
                to.iter_mut().zip(arg(0)).for_each(|(to, $a)| *to = sign_extend($e, bits))
            };
            ($a:ident $b:ident => $e:expr) => {
                to.iter_mut()
                    .zip(arg(0).iter().zip(arg(1)))
                    .for_each(|(to, ($a, $b))| *to = sign_extend($e, bits))
            };
        }
        let unsigned = |x: i64| (x & mask(bits)) as u64;
        match step.op {
            Op::Const(c) => *to = [c; N],
            Op::Add => each!(a b => a.wrapping_add(*b)),
            Op::Sub => each!(a b => a.wrapping_sub(*b)),
            Op::Mullo | Op::MulWide => each!(a b => a.wrapping_mul(*b)),
            Op::ClmulLow => each!(a b => clmul(*a, *b)[0]),
            Op::ClmulHigh => each!(a b => clmul(*a, *b)[1]),
            Op::And => each!(a b => a & b),
            Op::AndNot => each!(a b => !a & b),
            Op::Or => each!(a b => a | b),
            Op::Xor => each!(a b => a ^ b),
            Op::Low | Op::Extend => each!(a => *a),
            Op::High => each!(a => a >> bits),
            Op::Sra(n) => each!(a => a >> n),
            Op::Srl(n) => each!(a => (unsigned(*a) >> n) as i64),
            Op::Sll(n) => each!(a => a << n),
            Op::Rol(n) => each!(a => a << n | (unsigned(*a) >> (u32::from(bits) - n)) as i64),
            Op::Min => each!(a b => *a.min(b)),
            Op::Max => each!(a b => *a.max(b)),
            Op::MinUnsigned => each!(a b => if (*a as u64) < (*b as u64) { *a } else { *b }),
            Op::Table(_) => to.iter_mut().zip(arg(0)).enumerate().for_each(|(i, (to, index))| {
                *to = arg(1 + (*index as usize & 15))[i];
            }),
            Op::Bits(_) => {
                to.fill(0);
                for (from, bit, at) in &step.args {
                    to.iter_mut()
                        .zip(&before[*from as usize])
                        .for_each(|(to, x)| *to |= (x >> bit & 1) << at);
                }
                to.iter_mut().for_each(|to| *to = sign_extend(*to, bits));
            }
            Op::Input(..) | Op::Undefined | Op::Load(..) | Op::Copy => {
                unreachable!("a root or an alias")
            }
        }
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
        let (mut least, mut most) = (i64::MAX, i64::MIN);
        // y = y0 + a (x - x0) modulo q?
        let (mut first, mut slope, mut linear) = (None, None, true);
        self.for_each(&key.0, range, &mut |xs, ys| {
            for (x, y) in xs.iter().zip(ys) {
                (least, most) = (least.min(*y), most.max(*y));
                let (x0, y0) = *first.get_or_insert((*x, *y));
                if linear {
                    let rise = y.wrapping_sub(y0) % self.q;
                    let a = if *x == x0 { 0 } else { *slope.get_or_insert(rise) };
                    linear = (rise - a * ((x - x0) % self.q)) % self.q == 0;
                }
            }
        });
        let (x0, y0) = first.expect("a value");
        let a = slope.unwrap_or(0);
        let b = i128::from(y0) - i128::from(a) * i128::from(x0);
        let line =
            linear.then(|| [a.rem_euclid(self.q) as u64, b.rem_euclid(self.q.into()) as u64]);
        let summary = Summary { range: (least, most), line };
        self.known.borrow_mut().functions.insert(key, summary);
        Some(summary)
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
        match roots.iter().zip(wanted).position(|(root, input)| root != input) {
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
                self.for_each(&key.0, key.1, &mut |xs, ys| {
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

    /// The first of two numbers and its function, and values of them, where these do not have the
    /// property. What was looked at once is not again.
    fn counterexample(
        &self,
        id: Id,
        [x, y]: [Id; 2],
        seen: &mut HashSet<(Vec<FunctionStep>, [Values; 2])>,
        property: &dyn Fn([i64; 2], i64) -> bool,
    ) -> Option<([i64; 2], i64)> {
        let (xs, ys) = (self.range(x), self.range(y));
        if !seen.insert((self.function_with(id, x, Some((y, ys.0))), [xs, ys])) {
            return None;
        }
        let mut wrong = None;
        self.for_each_pair(id, [x, y], &mut |xs, y, zs| {
            let mut all = xs.iter().zip(zs).map(|(x, z)| ([*x, y], *z));
            wrong = wrong.or_else(|| all.find(|(pair, z)| !property(*pair, *z)));
        });
        wrong
    }

    /// Calls `see` with values of the first number, one of the second, and what a number that
    /// depends on both is there, until it has seen all.
    pub fn for_each_pair(&self, id: Id, [x, y]: [Id; 2], see: SeePairs<'_>) {
        let (xs, ys) = (self.range(x), self.range(y));
        for y_now in ys.0..=ys.1 {
            let steps = self.function_with(id, x, Some((y, y_now)));
            self.for_each(&steps, xs, &mut |xs, zs| see(xs, y_now, zs));
        }
    }

    /// Whether a number that depends on two others is in a range, for each pair of their values.
    pub(crate) fn is_within_by_pairs(
        &self,
        id: Id,
        (least, most): Values,
        seen: &mut HashSet<(Vec<FunctionStep>, [Values; 2])>,
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
    pub fn truth_table(&self, id: Id, of: &[Id]) -> Result<u64, String> {
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
                self.for_each(steps, range, &mut |_, ys| {
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

/// Returns the product of polynomials over GF(2).
fn clmul(a: i64, b: i64) -> [i64; 2] {
    let product =
        (0..64).filter(|i| b >> i & 1 == 1).fold(0, |sum, i| sum ^ u128::from(a as u64) << i);
    [product as i64, (product >> 64) as i64]
}
