//! Ranges of numbers, and whether their low halves are zero.
use std::collections::BTreeMap;

use oaklath_simd::proof::memory::Id;
use oaklath_simd::proof::tape::Op;

use crate::kernel::Kernel;
use crate::known::{Range, full, mask};

impl Kernel {
    /// Returns a range that contains all values that a number may have.
    #[must_use]
    pub fn range(&self, id: Id) -> Range {
        let id = self.alias(id);
        if let Some(range) = self.known.borrow().ranges.get(&id) {
            return *range;
        }
        let range = match self.node(id).op {
            Op::Const(x) => (x, x),
            _ => match self.summary(id) {
                Some(summary) => summary.range,
                None => self.range_of_parts(id),
            },
        };
        self.known.borrow_mut().ranges.insert(id, range);
        range
    }
    pub(crate) fn range_of_parts(&self, id: Id) -> Range {
        let node = self.node(id);
        let full = full(node.bits);
        let args = self.args(id);
        let wide = |i: usize| {
            let (least, most) = self.range(args[i].0);
            [i128::from(least), i128::from(most)]
        };
        let fitting = |least: i128, most: i128| {
            if least >= full.0.into() && most <= full.1.into() {
                return (least as i64, most as i64);
            }
            let of: Vec<String> =
                args.iter().map(|arg| format!("{:?}", self.range(arg.0))).collect();
            let text = format!("{:?} of {} leaves {} bits", node.op, of.join(" and "), node.bits);
            self.known.borrow_mut().wraps.insert(id, text);
            full
        };
        match node.op {
            Op::Input(least, most) => (least, most),
            Op::Add => fitting(wide(0)[0] + wide(1)[0], wide(0)[1] + wide(1)[1]),
            Op::Sub => fitting(wide(0)[0] - wide(1)[1], wide(0)[1] - wide(1)[0]),
            Op::Mullo | Op::MulWide => {
                let (a, b) = (wide(0), wide(1));
                let products = [a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1]];
                fitting(
                    *products.iter().min().expect("four"),
                    *products.iter().max().expect("four"),
                )
            }
            Op::Low | Op::Extend => fitting(wide(0)[0], wide(0)[1]),
            Op::Sll(n) => fitting(wide(0)[0] << n, wide(0)[1] << n),
            Op::High => {
                let [least, most] = wide(0);
                let is_exact = self.low_bits_are_zero(args[0].0, node.bits);
                let up = if is_exact { mask(node.bits).into() } else { 0 };
                fitting((least + up) >> node.bits, most >> node.bits)
            }
            Op::Sra(n) => ((wide(0)[0] >> n) as i64, (wide(0)[1] >> n) as i64),
            Op::Srl(n) if wide(0)[0] >= 0 => ((wide(0)[0] >> n) as i64, (wide(0)[1] >> n) as i64),
            Op::Srl(n) if n > 0 && n < node.bits.into() => (0, mask(node.bits - n as u8)),
            Op::And | Op::Or | Op::Xor | Op::MinUnsigned => {
                bitwise(node.op, self.range(args[0].0), self.range(args[1].0)).unwrap_or(full)
            }
            Op::Min => (wide(0)[0].min(wide(1)[0]) as i64, wide(0)[1].min(wide(1)[1]) as i64),
            Op::Max => (wide(0)[0].max(wide(1)[0]) as i64, wide(0)[1].max(wide(1)[1]) as i64),
            Op::Bits(_) => {
                let top = args.iter().map(|arg| arg.2 + 1).max().unwrap_or(0);
                if top < node.bits { (0, mask(top)) } else { full }
            }
            _ => full,
        }
    }

    /// Reports whether the low half of a number is zero for all inputs.
    #[must_use]
    pub fn low_half_is_zero(&self, id: Id) -> bool {
        self.low_bits_are_zero(id, self.node(id).bits / 2)
    }
    /// Reports whether so many low bits of a number are zero for all inputs. What it is a copy of
    /// may have another width.
    pub(crate) fn low_bits_are_zero(&self, id: Id, bits: u8) -> bool {
        let key = (self.alias(id), bits);
        if let Some(zero) = self.known.borrow().zero_bits.get(&key) {
            return *zero;
        }
        let zero = self.residue(id, bits).is_empty();
        self.known.borrow_mut().zero_bits.insert(key, zero);
        zero
    }
    /// Returns a number modulo 2^bits as a polynomial in numbers of `bits` bits.
    fn residue(&self, id: Id, bits: u8) -> BTreeMap<Vec<Id>, u64> {
        let id = self.alias(id);
        let (node, args) = (self.node(id), self.args(id));
        let mut sum = BTreeMap::new();
        let mut add = |unknowns: Vec<Id>, x: u64| {
            let coefficient = sum.entry(unknowns).or_insert(0_u64);
            *coefficient = coefficient.wrapping_add(x) & mask(bits) as u64;
        };
        let part = |i: usize| self.residue(args[i].0, bits);
        match node.op {
            _ if self.constant(id).is_some() => add(Vec::new(), self.range(id).0 as u64),
            Op::Add if node.bits > bits => {
                (0..2).for_each(|i| part(i).into_iter().for_each(|(m, x)| add(m, x)));
            }
            Op::Sub if node.bits > bits => {
                part(0).into_iter().for_each(|(m, x)| add(m, x));
                part(1).into_iter().for_each(|(m, x)| add(m, x.wrapping_neg()));
            }
            // Of fewer bits nothing is known of those above.
            Op::MulWide | Op::Mullo if node.bits >= bits => {
                let b = part(1);
                for (m, x) in part(0) {
                    for (n, y) in &b {
                        let mut both = [m.as_slice(), n].concat();
                        both.sort_unstable();
                        add(both, x.wrapping_mul(*y));
                    }
                }
            }
            Op::Low if node.bits >= bits => part(0).into_iter().for_each(|(m, x)| add(m, x)),
            _ => add(vec![id], 1),
        }
        sum.retain(|_, x| *x != 0);
        sum
    }
}

/// Returns the range of a bitwise operation, or of the smaller of two unsigned numbers.
fn bitwise(op: Op, a: Range, b: Range) -> Option<Range> {
    match op {
        Op::And if a.0 >= 0 => Some((0, a.1)),
        Op::And if b.0 >= 0 => Some((0, b.1)),
        Op::Or | Op::Xor if a.0 >= 0 && b.0 >= 0 => {
            Some((0, mask(64 - a.1.max(b.1).leading_zeros() as u8)))
        }
        Op::MinUnsigned if a.0 >= 0 && b.0 >= 0 => Some((a.0.min(b.0), a.1.min(b.1))),
        Op::MinUnsigned => Some((a.0.min(b.0), a.1.max(b.1))),
        _ => None,
    }
}
