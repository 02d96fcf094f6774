//! Numbers as polynomials in the inputs modulo q.
use std::collections::BTreeMap;
use std::rc::Rc;

use oaklath_simd::proof::memory::Id;
use oaklath_simd::proof::tape::{NONE, Op};

use crate::kernel::Kernel;
use crate::known::Form;

impl Kernel {
    /// Returns the polynomial in the inputs to which a number is congruent modulo q; if q is 2^16,
    /// in the bits that are not [lost](Self::is_congruent_in). A number without such a polynomial
    /// is an unknown of its own.
    #[must_use]
    pub fn form(&self, id: Id) -> Form {
        let id = self.alias(id);
        if let Some(form) = self.known.borrow().forms.get(&id) {
            return Rc::clone(form);
        }
        let form = self.find_form(id).unwrap_or_else(|| Rc::new(vec![([id, NONE], 1)]));
        self.known.borrow_mut().forms.insert(id, Rc::clone(&form));
        form
    }
    fn find_form(&self, id: Id) -> Option<Form> {
        if self.q == 1 << 16 {
            return self.find_form_that_wraps(id);
        }
        if let Some(c) = self.constant(id) {
            return Some(self.line(&Form::default(), [0, c.rem_euclid(self.q) as u64]));
        }
        if let Some(summary) = self.summary(id) {
            return summary.line.map(|line| self.line(&self.form(self.root(id)), line));
        }
        let (node, args) = (self.node(id), self.args(id));
        let form = |i: usize| self.form(args[i].0);
        // The numbers themselves are equal if nothing overflows.
        let _ = self.range_of_parts(id);
        let exact = !self.known.borrow().wraps.contains_key(&id);
        match node.op {
            Op::Add if exact => Some(self.sum(&form(0), &form(1), 1)),
            Op::Sub if exact => Some(self.sum(&form(0), &form(1), self.q as u64 - 1)),
            Op::MulWide | Op::Mullo if exact => self.product(&form(0), &form(1)),
            Op::Low if exact => Some(form(0)),
            Op::Extend if exact => Some(form(0)),
            Op::Sll(n) if exact => Some(self.line(&form(0), [self.power(2, n.into()), 0])),
            // Two has an inverse.
            Op::High
                if exact && self.q & 1 == 1 && self.low_bits_are_zero(args[0].0, node.bits) =>
            {
                let half = (self.q as u64).div_ceil(2);
                Some(self.line(&form(0), [self.power(half, node.bits.into()), 0]))
            }
            _ => None,
        }
    }
    /// Finds a form modulo 2^16, where sums and products of 16 bits or more are always right. A
    /// shift divides exactly if the form is a multiple of 2^n; n fewer bits of the result are
    /// known.
    fn find_form_that_wraps(&self, id: Id) -> Option<Form> {
        let (node, args) = (self.node(id), self.args(id));
        if node.bits < 16 {
            return None;
        }
        let form = |i: usize| self.form(args[i].0);
        let lost = args
            .iter()
            .map(|arg| {
                let _ = self.form(arg.0);
                self.lost(arg.0)
            })
            .max()
            .unwrap_or(0);
        let (form, lost) = match node.op {
            Op::Const(c) => (self.line(&Form::default(), [0, c.rem_euclid(self.q) as u64]), 0),
            Op::Add => (self.sum(&form(0), &form(1), 1), lost),
            Op::Sub => (self.sum(&form(0), &form(1), self.q as u64 - 1), lost),
            Op::Mullo => (self.product(&form(0), &form(1))?, lost),
            Op::Sll(n) => {
                (self.line(&form(0), [self.power(2, n.into()), 0]), lost.saturating_sub(n))
            }
            Op::Srl(n) if lost + n < 16 => {
                let (known, whole) = ((1 << (16 - lost)) - 1, form(0));
                let parts = whole
                    .iter()
                    .map(|(m, x)| ((x & known) % (1 << n) == 0).then_some((*m, (x & known) >> n)));
                (
                    Rc::new(
                        parts
                            .collect::<Option<Vec<_>>>()?
                            .into_iter()
                            .filter(|(_, x)| *x != 0)
                            .collect(),
                    ),
                    lost + n,
                )
            }
            _ => return None,
        };
        self.known.borrow_mut().lost.insert(id, lost);
        Some(form)
    }
    /// Returns how many of the high bits a form modulo 2^16 says nothing about.
    pub(crate) fn lost(&self, id: Id) -> u32 {
        self.known.borrow().lost.get(&self.alias(id)).copied().unwrap_or(0)
    }
    /// Assumes that an input has this form, in other unknowns.
    pub fn assume(&self, i: usize, form: Form) {
        let mut known = self.known.borrow_mut();
        known.has_assumptions = true;
        known.forms.insert(self.input(i), form);
    }
    /// Proves that a number is congruent to a polynomial modulo 2^bits, for forms modulo 2^16.
    ///
    /// # Errors
    /// Where they differ, or if fewer bits are known.
    pub fn is_congruent_in(&self, id: Id, wanted: &Form, bits: u32) -> Result<(), String> {
        let difference = self.sum(&self.form(id), wanted, self.q as u64 - 1);
        let wrong = difference.iter().filter(|(_, x)| x & ((1 << bits) - 1) != 0).count();
        if self.q == 1 << 16 && wrong == 0 && self.lost(id) + bits <= 16 {
            return Ok(());
        }
        Err(format!(
            "{}: [{}] differs in {wrong} terms modulo 2^{bits}, has lost {} bits",
            self.name,
            self.describe(id),
            self.lost(id)
        ))
    }
    /// Returns the power modulo q.
    #[must_use]
    pub fn power(&self, base: u64, exponent: u64) -> u64 {
        (0..exponent).fold(1, |power, _| self.times(power, base))
    }
    fn times(&self, a: u64, b: u64) -> u64 {
        let q = self.q as u64;
        // Most forms have few coefficients but 1 and -1, and most moduli are small.
        match (a, b) {
            (1, x) | (x, 1) => x,
            (0, _) | (_, 0) => 0,
            (minus_one, x) | (x, minus_one) if minus_one == q - 1 => q - x,
            _ if (a | b) >> 32 == 0 => a * b % q,
            _ => (u128::from(a) * u128::from(b) % u128::from(q)) as u64,
        }
    }
    /// Returns a sum of numbers below q.
    fn plus(&self, a: u64, b: u64) -> u64 {
        let sum = a + b;
        if sum < self.q as u64 { sum } else { sum - self.q as u64 }
    }
    /// Returns a form + b.
    #[must_use]
    pub fn line(&self, form: &Form, [a, b]: [u64; 2]) -> Form {
        let scaled = form.iter().map(|(m, x)| (*m, self.times(*x, a)));
        let scaled = Rc::new(scaled.filter(|(_, x)| *x != 0).collect());
        if b == 0 { scaled } else { self.sum(&scaled, &Rc::new(vec![([NONE; 2], b)]), 1) }
    }
    /// Returns a + factor b.
    #[must_use]
    pub fn sum(&self, a: &Form, b: &Form, factor: u64) -> Form {
        let (mut sum, mut i, mut j) = (Vec::with_capacity(a.len() + b.len()), 0, 0);
        while i < a.len() || j < b.len() {
            let from_a = j == b.len() || i < a.len() && a[i].0 <= b[j].0;
            let from_b = i == a.len() || j < b.len() && b[j].0 <= a[i].0;
            let (x, y) = (
                if from_a { a[i].1 } else { 0 },
                if from_b { self.times(b[j].1, factor) } else { 0 },
            );
            let unknowns = if from_a { a[i].0 } else { b[j].0 };
            let both = self.plus(x, y);
            if both != 0 {
                sum.push((unknowns, both));
            }
            (i, j) = (i + usize::from(from_a), j + usize::from(from_b));
        }
        Rc::new(sum)
    }
    /// Returns the product, if its degree is at most two.
    #[must_use]
    pub fn product(&self, a: &Form, b: &Form) -> Option<Form> {
        for (a, b) in [(a, b), (b, a)] {
            if let [([NONE, NONE], factor)] = b[..] {
                return Some(self.line(a, [factor, 0]));
            }
        }
        let mut sum: BTreeMap<[Id; 2], u64> = BTreeMap::new();
        for (m, x) in a.iter() {
            for (n, y) in b.iter() {
                let mut all = [m[0], m[1], n[0], n[1]];
                all.sort_unstable();
                if all[2] != NONE {
                    return None;
                }
                let coefficient = sum.entry([all[0], all[1]]).or_insert(0);
                *coefficient = self.plus(*coefficient, self.times(*x, *y));
            }
        }
        sum.retain(|_, x| *x != 0);
        Some(Rc::new(sum.into_iter().collect()))
    }
    /// Returns a sum of inputs with coefficients.
    #[must_use]
    pub fn linear(&self, terms: impl IntoIterator<Item = (usize, i64)>) -> Form {
        self.linear_in(terms.into_iter().map(|(i, x)| (self.input(i), x)))
    }
    /// Returns a sum of unknowns with coefficients.
    #[must_use]
    pub fn linear_in(&self, terms: impl IntoIterator<Item = (Id, i64)>) -> Form {
        let mut sum: BTreeMap<_, _> = BTreeMap::new();
        for (id, x) in terms {
            let coefficient = sum.entry([id, NONE]).or_insert(0);
            *coefficient = (*coefficient + x.rem_euclid(self.q) as u64) % self.q as u64;
        }
        Rc::new(sum.into_iter().filter(|(_, x)| *x != 0).collect())
    }
}
