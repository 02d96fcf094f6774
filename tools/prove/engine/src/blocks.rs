//! Functions of one number, or of a few, computed at many of their values side by side.
use oaklath_simd::proof::tape::{Op, sign_extend};
use oaklath_simd::{Simd, dispatch, vectorize};

use crate::known::{FunctionStep, Range, Summary, mask};

/// The number of values that are computed side by side.
pub const BLOCK: usize = 256;
/// Values of a number.
pub type Values = [i64; BLOCK];

/// A function of some inputs.
pub struct Evaluation {
    inputs: usize,
    steps: Vec<FunctionStep>,
    /// Of the inputs and of each step.
    values: Vec<Values>,
    /// The place of the result among these.
    result: usize,
}

impl Evaluation {
    /// Takes the steps; without any, the function is that input.
    pub(crate) fn new(inputs: usize, steps: Vec<FunctionStep>, input: Option<usize>) -> Self {
        let values = vec![[0; BLOCK]; inputs + steps.len()];
        let result = input.unwrap_or(values.len() - 1);
        Self { inputs, steps, values, result }
    }

    /// Returns what the function is where the inputs have these values.
    ///
    /// # Panics
    /// If there are more or fewer inputs, or if the function depends on others.
    pub fn at(&mut self, inputs: &[Values]) -> &Values {
        self.values[..self.inputs].copy_from_slice(inputs);
        dispatch!(s => compute(s, self.inputs, &self.steps, &mut self.values));
        &self.values[self.result]
    }
}

/// Calls `see` with blocks of values of the root, of others, of which each has one, and of each
/// step, and with how many there are, until all values in the range are covered.
pub(crate) fn for_each_block(
    steps: &[FunctionStep],
    range: Range,
    others: &[i64],
    see: &mut dyn FnMut(&[Values], usize),
) {
    let inputs = 1 + others.len();
    let mut values = vec![[0; BLOCK]; inputs + steps.len()];
    values[1..].iter_mut().zip(others).for_each(|(values, other)| *values = [*other; BLOCK]);
    let mut x = range.0;
    loop {
        let n = (range.1 - x + 1).min(BLOCK as i64) as usize;
        (x..).zip(&mut values[0][..n]).for_each(|(x, value)| *value = x);
        dispatch!(s => compute(s, inputs, steps, &mut values));
        see(&values, n);
        x += n as i64;
        if x > range.1 {
            return;
        }
    }
}

/// Computes all steps. Out of line, with the instructions of a level.
#[inline(never)]
fn compute<S: Simd>(s: S, inputs: usize, steps: &[FunctionStep], values: &mut [Values]) {
    vectorize!(s => {
        for (i, step) in steps.iter().enumerate() {
            let (before, after) = values.split_at_mut(inputs + i);
            compute_step(step, before, &mut after[0]);
        }
    });
}

#[inline(always)]
fn compute_step(step: &FunctionStep, before: &[Values], to: &mut Values) {
    let arg = |i: usize| &before[step.args[i].0 as usize];
    let (bits, above) = (step.bits.into(), 64 - u32::from(step.bits));
    // Checks of shifts would stay in the loops.
    let fit = |x: i64| x.wrapping_shl(above).wrapping_shr(above);
    macro_rules! each {
        ($a:ident => $e:expr) => {
            for (to, $a) in to.iter_mut().zip(arg(0).iter().copied()) {
                *to = fit($e);
            }
        };
        ($a:ident $b:ident => $e:expr) => {
            for (to, ($a, $b)) in
                to.iter_mut().zip(arg(0).iter().copied().zip(arg(1).iter().copied()))
            {
                *to = fit($e);
            }
        };
    }
    let low = mask(step.bits);
    match step.op {
        Op::Const(c) => *to = [c; BLOCK],
        Op::Add => each!(a b => a.wrapping_add(b)),
        Op::Sub => each!(a b => a.wrapping_sub(b)),
        Op::Mullo | Op::MulWide => each!(a b => a.wrapping_mul(b)),
        Op::ClmulLow => each!(a b => clmul(a & low, b & low) as i64),
        Op::ClmulHigh => each!(a b => (clmul(a & low, b & low) >> bits) as i64),
        Op::And => each!(a b => a & b),
        Op::AndNot => each!(a b => !a & b),
        Op::Or => each!(a b => a | b),
        Op::Xor => each!(a b => a ^ b),
        Op::Low | Op::Extend => each!(a => a),
        Op::High => each!(a => a.wrapping_shr(bits)),
        Op::Sra(n) => each!(a => a.wrapping_shr(n)),
        Op::Srl(n) => each!(a => ((a & low) as u64).wrapping_shr(n) as i64),
        Op::Sll(n) => each!(a => a.wrapping_shl(n)),
        Op::Rol(n) => {
            each!(a => a.wrapping_shl(n) | ((a & low) as u64).wrapping_shr(bits - n) as i64)
        }
        Op::Min => each!(a b => a.min(b)),
        Op::Max => each!(a b => a.max(b)),
        Op::MinUnsigned => each!(a b => if (a as u64) < (b as u64) { a } else { b }),
        Op::Table(_) => {
            for (i, (to, index)) in to.iter_mut().zip(arg(0)).enumerate() {
                *to = arg(1 + (*index as usize & 15))[i];
            }
        }
        Op::Bits(_) => join_bits(step, before, to),
        Op::Input(..) | Op::Undefined | Op::Load(..) | Op::Copy => {
            unreachable!("a root or an alias")
        }
    }
}

#[inline(always)]
fn join_bits(step: &FunctionStep, before: &[Values], to: &mut Values) {
    to.fill(0);
    for (from, from_bit, to_bit) in &step.args {
        let (from_bit, to_bit) = (u32::from(*from_bit), u32::from(*to_bit));
        for (to, x) in to.iter_mut().zip(&before[*from as usize]) {
            *to |= (x.wrapping_shr(from_bit) & 1).wrapping_shl(to_bit);
        }
    }
    to.iter_mut().for_each(|to| *to = sign_extend(*to, step.bits));
}

/// Returns the product of polynomials over GF(2).
fn clmul(a: i64, b: i64) -> u128 {
    (0..64).filter(|i| b >> i & 1 == 1).fold(0, |sum, i| sum ^ u128::from(a as u64) << i)
}

/// What is known of a function after its first values.
#[derive(Clone, Copy)]
pub(crate) struct Growing {
    range: Range,
    /// The first value.
    first: i64,
    /// The last value so far.
    last: i64,
    /// The first difference of neighbours; there may be none.
    slope: Option<i64>,
    /// A difference of differences that is a multiple of q.
    multiple: i64,
    /// Whether all differences of neighbours are equal modulo q.
    is_linear: bool,
}

impl Default for Growing {
    fn default() -> Self {
        let range = (i64::MAX, i64::MIN);
        Self { range, first: 0, last: 0, slope: None, multiple: 0, is_linear: true }
    }
}

#[inline(always)]
fn ends(range: Range, values: &[i64]) -> Range {
    values.iter().fold(range, |(least, most), y| (least.min(*y), most.max(*y)))
}

impl Growing {
    /// Adds the next values.
    pub(crate) fn add(&mut self, values: &[i64], q: i64) {
        let is_first = self.range.0 > self.range.1;
        self.range = dispatch!(_s => ends(self.range, values));
        if is_first {
            (self.first, self.last) = (values[0], values[0]);
        }
        if self.is_linear {
            self.is_linear = self.continues(&values[usize::from(is_first)..], q).is_some();
        }
    }

    fn continues(&mut self, values: &[i64], q: i64) -> Option<()> {
        for y in values {
            let rise = y.checked_sub(self.last)?;
            let difference = rise.checked_sub(*self.slope.get_or_insert(rise))?;
            if difference != 0 && difference != self.multiple {
                if difference % q != 0 {
                    return None;
                }
                self.multiple = difference;
            }
            self.last = *y;
        }
        Some(())
    }

    /// Returns what is known after all values, of which the first is at `x`.
    pub(crate) fn finish(self, x: i64, q: i64) -> Summary {
        // y = first + a (. - x) modulo q.
        let a = self.slope.unwrap_or(0);
        let b = i128::from(self.first) - i128::from(a) * i128::from(x);
        let line = [a.rem_euclid(q) as u64, b.rem_euclid(q.into()) as u64];
        Summary { range: self.range, line: self.is_linear.then_some(line) }
    }
}
