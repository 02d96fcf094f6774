//! Numbers as functions of one number that has few values: evaluated at each of them.
use std::collections::{BTreeMap, HashSet};

use oaklath_simd::proof::memory::Id;
use oaklath_simd::proof::tape::{NONE, Op, sign_extend};

use crate::kernel::Kernel;
use crate::known::{FunctionStep, Range, Summary, mask, place};

const BLOCK: usize = 512;

impl Kernel {
    /// A number as a function of its root.
    pub(crate) fn function(&self, id: Id, root: Id) -> Vec<FunctionStep> {
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
            // Lists of bits are told apart by their arguments.
            let op = if let Op::Bits(_) = node.op { Op::Bits(0) } else { node.op };
            FunctionStep { op, bits: node.bits, args }
        };
        steps.iter().map(step).collect()
    }

    /// Calls `see` with values of the root and the number's values there, until it has seen all.
    fn for_each(&self, steps: &[FunctionStep], range: Range, see: &mut dyn FnMut(&[i64], &[i64])) {
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
            Op::Table(n) => each!(a => self.tape.tables[n as usize][*a as usize & 15].into()),
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

    /// What is known of a function of one number, if that has few enough values.
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

    /// Proves that each of the numbers is that function of another, at each value that this may
    /// have; returns the others.
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

    /// Proves that each of the numbers as a function of its root has a property, at each value of
    /// the root; returns the roots.
    ///
    /// # Errors
    /// The first that has not.
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
            let (root, is) = (self.root(id), place(&self.node(id)));
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
                let of = place(&self.node(root));
                return Err(format!("{}: [{is}] is wrong: {y} where [{of}] is {x}", self.name));
            }
        }
        Ok(roots)
    }

    /// Proves of decision `n`, whether a bit of some numbers is set: that these are functions of
    /// roots, and that a bit is set exactly where a root is `outside`. Returns the roots and the
    /// answer of this tape.
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
                let place = place(&self.node(*root));
                return Err(format!("{}: decided otherwise where [{place}] is {x}", self.name));
            }
        }
        Ok((bits.into_keys().collect(), *answer))
    }

    /// The bits whose logical sum is whether a number is not zero.
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

/// The product of polynomials over GF(2).
fn clmul(a: i64, b: i64) -> [i64; 2] {
    let product =
        (0..64).filter(|i| b >> i & 1 == 1).fold(0, |sum, i| sum ^ u128::from(a as u64) << i);
    [product as i64, (product >> 64) as i64]
}
