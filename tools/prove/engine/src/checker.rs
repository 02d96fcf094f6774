//! A test of a proof, by code that shares nothing with the engine but the tape: small, slow and
//! obvious. The tape is computed on concrete numbers, operation by operation as [`Op`] documents
//! them, without aliases, roots and steps; each number must be in the range, and congruent to the
//! form, that the engine found for it and that the theorem claims of it. What it does not test:
//! other claims, inputs that are not drawn, and a tape whose decisions none of those makes.
use oaklath_simd::proof::memory::Id;
use oaklath_simd::proof::tape::{NONE, Node, Op, Tape};

use crate::kernel::Kernel;

/// Returns the low bits of a number, read as a signed one.
fn wrapped(x: i128, bits: u8) -> i128 {
    let modulus = 1_i128 << bits;
    let x = x.rem_euclid(modulus);
    if x >= modulus / 2 { x - modulus } else { x }
}

/// Returns the low bits of a number, read as an unsigned one.
fn unsigned(x: i128, bits: u8) -> i128 {
    x.rem_euclid(1_i128 << bits)
}

/// Returns all numbers on the tape.
pub(crate) fn values(tape: &Tape, inputs: &[i64]) -> Vec<i128> {
    let (mut values, mut inputs): (Vec<i128>, _) = (Vec::new(), inputs.iter());
    for node in &tape.nodes {
        let value = match node.op {
            Op::Input(..) => i128::from(*inputs.next().expect("a number for each input")),
            op => computed(tape, node, op, &values),
        };
        values.push(wrapped(value, node.bits));
    }
    values
}

fn computed(tape: &Tape, node: &Node, op: Op, values: &[i128]) -> i128 {
    let value = |id: Id| if id == NONE { 0 } else { values[id as usize] };
    let [a, b] = node.args.map(value);
    let bits = node.bits;
    match op {
        Op::Const(x) => x.into(),
        Op::Undefined => 0,
        Op::Copy | Op::Low | Op::Extend => a,
        Op::Bits(n) => {
            let bit =
                |source: &Option<(Id, u8)>| source.map_or(0, |(id, bit)| value(id) >> bit & 1);
            let list = &tape.bits[n as usize];
            list.iter().zip(0..).map(|(source, at)| bit(source) << at).sum()
        }
        Op::Add => a + b,
        Op::Sub => a - b,
        Op::Mullo | Op::MulWide => wrapped(a, 64) * wrapped(b, 64),
        Op::And => a & b,
        Op::AndNot => !a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::ClmulLow | Op::ClmulHigh => {
            let terms = (0..bits).filter(|i| b >> i & 1 == 1);
            let product = terms.fold(0, |sum, i| sum ^ (unsigned(a, bits) as u128) << i);
            (if op == Op::ClmulLow { product } else { product >> bits }) as i128
        }
        Op::High => a >> bits,
        Op::Sra(n) => a >> n,
        Op::Srl(n) => unsigned(a, bits) >> n,
        Op::Sll(n) => a << n,
        Op::Rol(n) => unsigned(a, bits) << n | unsigned(a, bits) >> (u32::from(bits) - n),
        Op::Min => a.min(b),
        Op::Max => a.max(b),
        Op::MinUnsigned => unsigned(a, bits).min(unsigned(b, bits)),
        Op::Table(n) => value(tape.tables[n as usize][usize::try_from(a).expect("an index")]),
        Op::Input(..) | Op::Load(..) => unreachable!("taken before"),
    }
}

/// Checks what the engine knows of each number against its value for these inputs; returns `None`
/// if the kernel decides differently for them, otherwise the outputs.
///
/// # Errors
/// The first number that differs.
pub(crate) fn check(kernel: &Kernel, inputs: &[i64]) -> Result<Option<Vec<i64>>, String> {
    let values = values(&kernel.tape, inputs);
    let same = |(id, answer): &(Id, bool)| (values[*id as usize] != 0) == *answer;
    if !kernel.tape.decisions.iter().all(same) {
        return Ok(None);
    }
    let known = kernel.known.borrow();
    let differs = |id: Id, what: &str| {
        let place = kernel.place_of(id);
        Err(format!("{}: checked again, {what} of {place} is another", kernel.name))
    };
    for (id, (least, most)) in &known.ranges {
        let value = values[*id as usize];
        if value < (*least).into() || value > (*most).into() {
            return differs(*id, "the range");
        }
    }
    let q = i128::from(kernel.q);
    let reduced: Vec<i128> = values.iter().map(|value| value.rem_euclid(q)).collect();
    // Concrete numbers need not satisfy the assumptions.
    let lost = |id| known.lost.get(id).copied().unwrap_or(0);
    // Forms modulo 2^16 hold in the bits that are not lost, claims in all.
    let forms = known.forms.iter().map(|(id, form)| (id, form, q >> lost(id)));
    let claimed = known.claimed.iter().map(|(id, form)| (id, form, q));
    for (id, form, modulus) in forms.chain(claimed).filter(|_| !known.has_assumptions) {
        let product = |[a, b]: [Id; 2]| match [a, b].map(|id| reduced.get(id as usize)) {
            [Some(a), Some(b)] if (a * b) >> 61 == 0 => a * b,
            [Some(a), Some(b)] => a * b % q,
            [one, other] => *one.or(other).unwrap_or(&1),
        };
        let sum = form.iter().fold(0, |sum, (unknowns, x)| {
            let sum = sum + product(*unknowns) * i128::from(*x);
            // Products of two numbers are below 2^122.
            if sum >> 126 == 0 { sum } else { sum % q }
        });
        if (sum - values[*id as usize]).rem_euclid(modulus) != 0 {
            return differs(*id, "the form");
        }
    }
    // What a filter does not let pass is no output.
    let origin = |mut id: Id| {
        while kernel.node(id).op == Op::Copy {
            id = kernel.node(id).args[0];
        }
        id
    };
    let is_kept = |id: &&Id| {
        let mut filters = kernel.tape.filters.iter();
        let value = values[**id as usize];
        filters.all(|(of, bound)| origin(*of) != origin(**id) || value < i128::from(*bound))
    };
    let output = |id: &Id| values[*id as usize] as i64;
    Ok(Some(kernel.tape.outputs.iter().filter(is_kept).map(output).collect()))
}

#[cfg(test)]
mod tests {
    use core::panic::Location;

    use super::*;

    /// What the engine believes without a reason, and what a theorem claims so, is found.
    #[test]
    fn what_is_wrong_is_found() {
        let at = Location::caller();
        let node = |lane, op, args| Node { op, bits: 16, lane, args, at };
        let kernel = || {
            let mut tape = Tape::default();
            let any = Op::Input(-9, 9);
            tape.nodes.extend([0, 1].map(|lane| node(lane, any, [NONE; 2])));
            tape.nodes.push(node(0, Op::Add, [0, 1]));
            (tape.inputs, tape.outputs) = (vec![0, 1], vec![2]);
            Kernel::new("test", 3329, 2, tape)
        };
        let outcome = |know: &dyn Fn(&Kernel)| {
            let kernel = kernel();
            know(&kernel);
            check(&kernel, &[3, 4])
        };
        let right = |k: &Kernel| k.is_congruent(2, &k.linear([(0, 1), (1, 1)])).unwrap();
        assert_eq!(outcome(&right), Ok(Some(vec![7])));
        let wrong = |k: &Kernel| k.linear([(0, 1), (1, 2)]);
        assert!(outcome(&|k| k.known.borrow_mut().claimed.push((2, wrong(k)))).is_err());
        assert!(outcome(&|k| _ = k.known.borrow_mut().forms.insert(2, wrong(k))).is_err());
        assert!(outcome(&|k| _ = k.known.borrow_mut().ranges.insert(2, (-6, 6))).is_err());
    }
}
