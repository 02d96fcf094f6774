//! Claims about a kernel as a whole: duties, ranges and congruences of its outputs.
use std::collections::HashMap;

use oaklath_simd::proof::memory::Id;
use oaklath_simd::proof::tape::{Duty, NONE, Op};

use crate::functions::SeenPairs;
use crate::kernel::Kernel;
use crate::known::{Form, Range, full, within};

impl Kernel {
    /// Proves that all duties are fulfilled, and that nothing is of memory that was not written.
    ///
    /// # Errors
    /// The first duty that is not, or what depends on such memory.
    pub fn duties(&self) -> Result<usize, String> {
        self.depends_on_what_was_written()?;
        let mut seen: HashMap<Range, SeenPairs> = HashMap::new();
        for (duty, at) in &self.tape.duties {
            let least = |id: Id| self.range(id).0 == full(self.node(id).bits).0;
            let equal = |a: Id, b: Id| {
                self.alias(a) == self.alias(b)
                    || self.constant(a).is_some_and(|x| self.constant(b) == Some(x))
            };
            let (done, of) = match *duty {
                Duty::Within(id, from, to) => {
                    let stated = (from, to);
                    let is_within = within(self.range(id), stated)
                        || self.is_within_by_pairs(id, stated, seen.entry(stated).or_default());
                    (is_within, id)
                }
                Duty::NotBothLeast(a, b) => (!least(b) || !least(a), a),
                Duty::LowHalfIsZero(id) => (self.low_half_is_zero(id), id),
                Duty::Equal(a, b) => (equal(a, b), a),
            };
            if !done {
                let place = self.describe(of);
                return Err(format!("{}: {at}: {duty:?} does not hold: {place}", self.name));
            }
        }
        Ok(self.tape.duties.len())
    }

    /// Memory that was not written may be moved, and idle lanes may compute with it. Whatever is
    /// computed from it is as unknown: outputs, decisions and calls must not be of it.
    fn depends_on_what_was_written(&self) -> Result<(), String> {
        let (tape, mut unwritten) = (&self.tape, Vec::<bool>::new());
        for node in &tape.nodes {
            let is_of = |id: &Id| unwritten.get(*id as usize) == Some(&true);
            let is_unwritten = match node.op {
                Op::Undefined => true,
                Op::Bits(n) => tape.bits[n as usize].iter().flatten().any(|(id, _)| is_of(id)),
                Op::Table(n) => is_of(&node.args[0]) || tape.tables[n as usize].iter().any(is_of),
                _ => node.args.iter().any(is_of),
            };
            unwritten.push(is_unwritten);
        }
        let outputs = tape.outputs.iter().map(|id| ("an output", id));
        let decisions = tape.decisions.iter().map(|(id, _)| ("a decision", id));
        let calls = tape.calls.iter().flat_map(|call| call.args.iter().map(|id| (call.name, id)));
        match outputs.chain(decisions).chain(calls).find(|(_, id)| unwritten[**id as usize]) {
            Some((what, id)) => Err(format!(
                "{}: {what} is of memory that was not written: {}",
                self.name,
                self.place_of(*id)
            )),
            None => Ok(()),
        }
    }

    /// Proves that these outputs are in a range.
    ///
    /// # Errors
    /// The first output that may be outside, and the first number that overflows.
    pub fn outputs_within(
        &self,
        outputs: core::ops::Range<usize>,
        stated: Range,
    ) -> Result<(), String> {
        let mut all = (i64::MAX, i64::MIN);
        for i in outputs {
            let range = self.range(self.output(i));
            if !within(range, stated) {
                let place = self.describe(self.output(i));
                let text = format!("{}: output {i} is stated in {stated:?}: {place}", self.name);
                return Err(text + &self.first_wrap());
            }
            all = (all.0.min(range.0), all.1.max(range.1));
        }
        self.known.borrow_mut().stated.push((stated, all));
        Ok(())
    }

    /// Proves that these outputs, which are results of a kernel, are in a range.
    ///
    /// # Errors
    /// As of [`outputs_within`](Self::outputs_within).
    pub fn results_within(
        &self,
        kernel: &'static str,
        outputs: core::ops::Range<usize>,
        stated: Range,
    ) -> Result<(), String> {
        self.outputs_within(outputs, stated)?;
        let mut known = self.known.borrow_mut();
        let largest = known.stated.last().map(|(_, (least, most))| *most.max(&-least));
        known.results.extend(largest.map(|largest| (kernel, largest)));
        Ok(())
    }

    /// Checks that the claim has looked at all that was declared.
    pub(crate) fn claims_all(&self) -> Result<(), String> {
        let known = self.known.borrow();
        if let Some(i) = (0..self.tape.outputs.len()).find(|i| !known.seen.contains(i)) {
            return Err(format!("{}: nothing is claimed of output {i}", self.name));
        }
        if !self.tape.results.is_empty() && !known.has_seen_results {
            return Err(format!("{}: nothing is claimed of the results", self.name));
        }
        Ok(())
    }

    /// Proves that the outputs are what one filter keeps of numbers, in order: those below `bound`.
    /// Beyond as many as there are inputs none is.
    ///
    /// # Errors
    /// What is otherwise.
    pub fn keeps_below(&self, bound: i64) -> Result<(), String> {
        let all = self.outputs(0..self.tape.outputs.len());
        let filters = self.tape.filters.iter().map(|(id, bound)| (self.alias(*id), *bound));
        if !filters.eq(all.map(|id| (id, bound))) {
            return Err(format!("{}: the outputs are not what is below {bound}", self.name));
        }
        for i in self.inputs().len()..self.tape.outputs.len() {
            if self.constant(self.output(i)).is_none_or(|x| x < bound) {
                let at = self.describe(self.output(i));
                return Err(format!("{}: output {i} may be kept: {at}", self.name));
            }
        }
        Ok(())
    }

    /// Proves that a number is congruent to a polynomial modulo q.
    ///
    /// # Errors
    /// Where they differ.
    pub fn is_congruent(&self, id: Id, wanted: &Form) -> Result<(), String> {
        let found = self.form(id);
        let difference = self.sum(&found, wanted, self.q as u64 - 1);
        let Some((unknowns, _)) = difference.first() else {
            if self.lost(id) != 0 {
                let (is, lost) = (self.describe(id), self.lost(id));
                return Err(format!("{}: of [{is}] {lost} bits are not known", self.name));
            }
            self.known.borrow_mut().claimed.push((id, wanted.clone()));
            return Ok(());
        };
        let of = |form: &Form| form.iter().find(|(m, _)| m == unknowns).map_or(0, |(_, x)| *x);
        let names: Vec<String> = unknowns
            .iter()
            .filter(|id| **id != NONE)
            .map(|id| match self.tape.inputs.binary_search(id) {
                Ok(n) => format!("input {n}"),
                Err(_) => format!("[{}]", self.describe(*id)),
            })
            .collect();
        Err(format!(
            "{}: [{}] has {} for {}, wanted {}, and differs in {} terms{}",
            self.name,
            self.describe(id),
            of(&found),
            names.join(" x "),
            of(wanted),
            difference.len(),
            self.first_wrap()
        ))
    }

    /// Returns the operands of a difference that cannot overflow.
    ///
    /// # Errors
    /// If it is another operation, or may overflow.
    pub fn arguments_of_difference(&self, id: Id) -> Result<(Id, Id), String> {
        self.arguments_of(id, Op::Sub)
    }
    /// Returns the operands of that operation, a sum or a difference that cannot overflow.
    ///
    /// # Errors
    /// If it is another operation, or may overflow.
    pub fn arguments_of(&self, id: Id, op: Op) -> Result<(Id, Id), String> {
        let (node, _) = (self.node(id), self.range_of_parts(id));
        if node.op != op || self.known.borrow().wraps.contains_key(&id) {
            return Err(format!(
                "{}: [{}] is no {op:?}{}",
                self.name,
                self.describe(id),
                self.first_wrap()
            ));
        }
        Ok((self.alias(node.args[0]), self.alias(node.args[1])))
    }
    fn first_wrap(&self) -> String {
        let known = self.known.borrow();
        // Low products are meant to wrap.
        let mut wraps =
            known.wraps.iter().filter(|(id, _)| matches!(self.node(**id).op, Op::Add | Op::Sub));
        wraps.next().map_or(String::new(), |(id, text)| {
            format!("; before that wraps {}: {text}", self.place_of(*id))
        })
    }
}
