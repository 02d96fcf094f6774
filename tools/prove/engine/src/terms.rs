//! Terms: numbers as expressions in the inputs, in a normal form. Equal terms are equal numbers,
//! for every input; terms that differ may still be equal, and then a proof fails.
//!
//! Moved bits are [`Shape::Pieces`], whatever moved them: rotations, shifts, the order of bytes.
//! Sums, with or without carry, are sets of their parts. A theorem writes the standard's algorithm
//! over terms, and [cuts](Terms::cut) where the standard has a variable: the term then gets a new
//! name, on both sides; otherwise it would double with each round.
use std::collections::{HashMap, VecDeque};
use std::ops::Range;

use oaklath_simd::proof::memory::Id;
use oaklath_simd::proof::tape::{NONE, Node, Op, Source};

use crate::kernel::Kernel;

/// The index of a term.
pub type Term = u32;

/// Bits of a term, or constant ones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Piece {
    of: Option<Term>,
    from: u8,
    len: u8,
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum Shape {
    /// An unknown.
    Atom(u32),
    /// Bits of others side by side, the lowest first; the remaining ones are those of a constant.
    Pieces(u64, Vec<Piece>),
    /// The bitwise sum of a constant and of distinct terms.
    Xor(u64, Vec<Term>),
    /// The bitwise product.
    And(Term, Term),
    /// The sum of a constant and of terms, which wraps.
    Sum(u64, Vec<Term>),
    /// An output of a function that is opaque, of a list of terms.
    Call(&'static str, u32, u32),
}

/// Says what the outputs of an opaque call are: from its name, their number and its arguments.
pub type Meaning<'a> = dyn FnMut(&mut Terms, (&'static str, usize), &[Term]) -> Vec<Term> + 'a;

/// Terms over the inputs of a kernel.
pub struct Terms {
    shapes: Vec<(Shape, u8)>,
    numbers: HashMap<(Shape, u8), Term>,
    /// The arguments of opaque functions, each list once.
    lists: HashMap<Vec<Term>, u32>,
    atoms: u32,
    inputs: Vec<Term>,
    /// The index of the cut of a term, by its shape and by its new name.
    cuts: HashMap<Term, usize>,
    /// The operation whose term is being found.
    at: Option<Id>,
    /// The name of each cut, its new term, and the operation that equals it, if any yet.
    names: Vec<(String, Term, Option<Id>)>,
}

/// The most parts of a sum. A larger sum is an unknown of its own: where a kernel does not follow
/// the standard, sums would double with each round.
const MOST_PARTS: usize = 64;

/// Returns a number of that many one bits.
fn ones(bits: u8) -> u64 {
    u64::MAX >> (64 - bits)
}

impl Terms {
    /// Makes terms of the inputs of a kernel.
    #[must_use]
    pub fn new(k: &Kernel) -> Self {
        let (shapes, numbers, inputs) = (Vec::new(), HashMap::new(), Vec::new());
        let (lists, cuts, names) = (HashMap::new(), HashMap::new(), Vec::new());
        let mut terms = Self { shapes, numbers, lists, atoms: 0, inputs, cuts, at: None, names };
        terms.inputs = k.inputs().iter().map(|id| terms.atom(k.node(*id).bits)).collect();
        terms
    }

    /// Returns the term of an input.
    #[must_use]
    pub fn input(&self, i: usize) -> Term {
        self.inputs[i]
    }

    /// Returns the terms of inputs.
    #[must_use]
    pub fn inputs(&self, range: Range<usize>) -> &[Term] {
        &self.inputs[range]
    }

    /// Returns the width of a term in bits.
    #[must_use]
    pub fn bits(&self, term: Term) -> u8 {
        self.shapes[term as usize].1
    }

    fn shape(&self, term: Term) -> &Shape {
        &self.shapes[term as usize].0
    }

    fn intern(&mut self, shape: Shape, bits: u8) -> Term {
        let next = self.shapes.len() as Term;
        let term = *self.numbers.entry((shape, bits)).or_insert_with_key(|key| {
            self.shapes.push(key.clone());
            next
        });
        let Some(cut) = self.cuts.get(&term) else { return term };
        let (_, new, met) = &mut self.names[*cut];
        *met = met.or(self.at);
        *new
    }

    fn atom(&mut self, bits: u8) -> Term {
        self.atoms += 1;
        self.intern(Shape::Atom(self.atoms), bits)
    }

    /// Gives a term a new name, on both sides.
    pub fn cut(&mut self, name: String, term: Term) -> Term {
        if let Some(cut) = self.cuts.get(&term) {
            return self.names[*cut].1;
        }
        if matches!(self.shape(term), Shape::Atom(_)) || self.number(term).is_some() {
            return term;
        }
        let atom = self.atom(self.bits(term));
        self.cuts.extend([term, atom].map(|of| (of, self.names.len())));
        self.names.push((name, atom, None));
        atom
    }

    /// Returns the term of a constant.
    pub fn constant(&mut self, x: u64, bits: u8) -> Term {
        let piece = Piece { of: None, from: 0, len: bits };
        self.intern(Shape::Pieces(x & ones(bits), vec![piece]), bits)
    }

    /// Returns the number that a term is.
    #[must_use]
    pub fn number(&self, term: Term) -> Option<u64> {
        match self.shape(term) {
            Shape::Pieces(x, pieces) if pieces.iter().all(|piece| piece.of.is_none()) => Some(*x),
            _ => None,
        }
    }

    /// Returns the bitwise sum.
    pub fn xor(&mut self, a: Term, b: Term) -> Term {
        let bits = self.bits(a);
        let (mut number, mut parts) = (0, Vec::new());
        for term in [a, b] {
            match (self.number(term), self.shape(term)) {
                (Some(x), _) => number ^= x,
                (_, Shape::Xor(x, more)) => {
                    number ^= x;
                    parts.extend_from_slice(more);
                }
                _ => parts.push(term),
            }
        }
        parts.sort_unstable();
        let mut once: Vec<Term> = Vec::new();
        for part in parts {
            if once.last() == Some(&part) {
                once.pop();
            } else {
                once.push(part);
            }
        }
        match once[..] {
            [] => self.constant(number, bits),
            [one] if number == 0 => one,
            _ if once.len() > MOST_PARTS => self.atom(bits),
            _ => match self.side_by_side(number, &once) {
                Some((number, pieces)) => self.pieces(number, pieces, bits),
                None => self.intern(Shape::Xor(number, once), bits),
            },
        }
    }

    /// Returns the pieces of terms and a number, if no two of them have bits in the same place.
    fn side_by_side(&self, mut number: u64, terms: &[Term]) -> Option<(u64, Vec<Piece>)> {
        let none = |from| Piece { of: None, from, len: 1 };
        let mut bits: Vec<Piece> = (0..self.bits(*terms.first()?)).map(none).collect();
        for term in terms {
            let Shape::Pieces(x, pieces) = self.shape(*term) else { return None };
            for (at, taken) in bits.iter_mut().enumerate() {
                let is_one = x >> at & 1 == 1;
                let bit = bit_of(pieces, at as u8)?;
                if !is_one && bit.of.is_none() {
                    continue;
                }
                if taken.of.is_some() || number >> at & 1 == 1 {
                    return None;
                }
                *taken = bit;
                number |= u64::from(is_one) << at;
            }
        }
        Some((number, bits))
    }

    /// Returns the bitwise product. A factor and its complement share one form: that whose constant
    /// is even.
    pub fn and(&mut self, a: Term, b: Term) -> Term {
        let bits = self.bits(a);
        for (a, b) in [(a, b), (b, a)] {
            let number = match self.shape(a) {
                Shape::Xor(x, _) => *x,
                _ => self.number(a).unwrap_or(0),
            };
            if self.number(a) == Some(0) {
                return a;
            }
            if number & 1 == 1 {
                let complement = self.not(a);
                let product = self.and(complement, b);
                return self.xor(b, product);
            }
        }
        match (self.number(a), self.number(b)) {
            (Some(a), Some(b)) => self.constant(a & b, bits),
            _ if a == b => a,
            _ => self.intern(Shape::And(a.min(b), a.max(b)), bits),
        }
    }

    /// Returns the complement.
    pub fn not(&mut self, a: Term) -> Term {
        let bits = self.bits(a);
        let all = self.constant(u64::MAX, bits);
        self.xor(a, all)
    }

    /// Returns the sum.
    pub fn sum(&mut self, terms: &[Term]) -> Term {
        let bits = self.bits(terms[0]);
        let (mut number, mut parts) = (0_u64, Vec::new());
        for term in terms {
            let term = &self.cuts.get(term).map_or(*term, |cut| self.names[*cut].1);
            match (self.number(*term), self.shape(*term)) {
                (Some(x), _) => number = number.wrapping_add(x),
                (_, Shape::Sum(x, more)) => {
                    number = number.wrapping_add(*x);
                    parts.extend_from_slice(more);
                }
                _ => parts.push(*term),
            }
        }
        number &= ones(bits);
        parts.sort_unstable();
        match parts[..] {
            [] => self.constant(number, bits),
            [one] if number == 0 => one,
            _ if parts.len() > MOST_PARTS => self.atom(bits),
            _ => self.intern(Shape::Sum(number, parts), bits),
        }
    }

    /// Returns the parts of a sum without a constant, or the term itself.
    #[must_use]
    pub fn parts(&self, term: Term) -> Vec<Term> {
        match self.shape(term) {
            Shape::Sum(0, parts) => parts.clone(),
            _ => vec![term],
        }
    }

    /// Returns the term rotated left.
    pub fn rotated(&mut self, a: Term, n: u8) -> Term {
        let bits = self.bits(a);
        let (n, of) = (n & (bits - 1), Some(a));
        let low = Piece { of, from: bits - n, len: n };
        self.pieces(0, vec![low, Piece { of, from: 0, len: bits - n }], bits)
    }

    /// Returns the term shifted right.
    pub fn shifted(&mut self, a: Term, n: u8) -> Term {
        let bits = self.bits(a);
        let low = Piece { of: Some(a), from: n, len: bits - n };
        self.pieces(0, vec![low, Piece { of: None, from: 0, len: n }], bits)
    }

    /// Returns `bits` bits of the term, starting at bit `from`.
    pub fn part(&mut self, a: Term, from: u8, bits: u8) -> Term {
        self.pieces(0, vec![Piece { of: Some(a), from, len: bits }], bits)
    }

    /// Returns terms side by side, the lowest first.
    pub fn joined(&mut self, parts: &[Term]) -> Term {
        let piece = |of: &Term| Piece { of: Some(*of), from: 0, len: self.bits(*of) };
        let pieces: Vec<Piece> = parts.iter().map(piece).collect();
        let bits = pieces.iter().map(|piece| piece.len).sum();
        self.pieces(0, pieces, bits)
    }

    /// Returns `count` outputs of an opaque function.
    pub fn calls(
        &mut self,
        name: &'static str,
        args: &[Term],
        (count, bits): (usize, u8),
    ) -> Vec<Term> {
        let next = self.lists.len() as u32;
        let list = *self.lists.entry(args.to_vec()).or_insert(next);
        let output = |i| self.intern(Shape::Call(name, list, i), bits);
        (0..count as u32).map(output).collect()
    }

    /// Puts bits side by side, in the normal form.
    fn pieces(&mut self, number: u64, pieces: Vec<Piece>, bits: u8) -> Term {
        let mut sources = pieces.iter().filter_map(|piece| piece.of);
        let first = sources.next();
        if let Some(first) = first
            && let Shape::Xor(x, parts) = self.shape(first).clone()
            && sources.all(|of| of == first)
        {
            // Moving bits is linear.
            let x = self.constant(x, self.bits(first));
            let moved = |terms: &mut Self, part| {
                let of = |piece: &Piece| Piece { of: piece.of.map(|_| part), ..*piece };
                terms.pieces(0, pieces.iter().map(of).collect(), bits)
            };
            let mut sum = moved(self, x);
            for part in parts {
                let part = moved(self, part);
                sum = self.xor(sum, part);
            }
            let number = self.constant(number, bits);
            return self.xor(sum, number);
        }
        let (mut number, mut normal, mut at) = (number, Vec::<Piece>::new(), 0);
        for piece in pieces {
            for i in 0..piece.len {
                let mut bit = Piece { of: piece.of, from: piece.from + i, len: 1 };
                if let Some(Shape::Pieces(x, of)) = bit.of.map(|of| self.shape(of)) {
                    number |= (x >> bit.from & 1) << at;
                    bit = bit_of(of, bit.from).expect("a bit of the term");
                }
                match normal.last_mut() {
                    Some(last) if last.of.is_none() && bit.of.is_none() => last.len += 1,
                    Some(last) if last.of == bit.of && last.from + last.len == bit.from => {
                        last.len += 1;
                    }
                    _ if bit.of.is_none() => normal.push(Piece { from: 0, ..bit }),
                    _ => normal.push(bit),
                }
                at += 1;
            }
        }
        match normal[..] {
            [Piece { of: Some(of), from: 0, len }] if len == self.bits(of) && len == bits => of,
            _ => self.intern(Shape::Pieces(number, normal), bits),
        }
    }

    /// Returns the term of an operation, given those of all earlier ones. An operation without a
    /// rule is an unknown of its own.
    fn of_node(&mut self, k: &Kernel, node: &Node, known: &[Term]) -> Term {
        let bits = node.bits;
        let [a, b] = node.args.map(|id| if id == NONE { 0 } else { known[id as usize] });
        match node.op {
            Op::Const(x) => self.constant(x as u64, bits),
            Op::Copy => a,
            Op::Add => self.sum(&[a, b]),
            Op::And => self.and(a, b),
            Op::AndNot => {
                let product = self.and(a, b);
                self.xor(b, product)
            }
            Op::Xor => self.xor(a, b),
            Op::Rol(n) => self.rotated(a, n as u8),
            Op::Srl(n) => self.shifted(a, n as u8),
            Op::Sll(n) => {
                let zeros = Piece { of: None, from: 0, len: n as u8 };
                let high = Piece { of: Some(a), from: 0, len: bits - n as u8 };
                self.pieces(0, vec![zeros, high], bits)
            }
            Op::Bits(n) => {
                let bit = |source: &Source| match source {
                    Some((id, from)) => {
                        Piece { of: Some(known[*id as usize]), from: *from, len: 1 }
                    }
                    None => Piece { of: None, from: 0, len: 1 },
                };
                let pieces = k.tape.bits[n as usize].iter().map(bit).collect();
                self.pieces(0, pieces, bits)
            }
            _ => self.atom(bits),
        }
    }

    /// Proves that these outputs are equal to these terms.
    ///
    /// # Errors
    /// The first output that is not, and the first cut that no operation equals.
    ///
    /// # Panics
    /// If the kernel is another than that of the inputs.
    pub fn prove(self, k: &Kernel, from: usize, wanted: &[Term]) -> Result<(), String> {
        self.prove_calls(k, (from, wanted), &[], &mut |_, call, _| unreachable!("{call:?}"))
    }

    /// [`prove`](Self::prove) with opaque calls, and that decisions are on these terms.
    ///
    /// # Errors
    /// The first output or decision that is another, and the first cut that no operation came to.
    ///
    /// # Panics
    /// If the kernel is another than that of the inputs.
    pub fn prove_calls(
        mut self,
        k: &Kernel,
        (from, wanted): (usize, &[Term]),
        decisions: &[Term],
        meaning: &mut Meaning<'_>,
    ) -> Result<(), String> {
        let known = self.read(k, meaning);
        let (found, wanted_decisions) = (k.tape.decisions.len(), decisions.len());
        if found != wanted_decisions {
            return Err(format!("{}: {found} decisions, wanted {wanted_decisions}", k.name));
        }
        for (n, (wanted, (id, _))) in decisions.iter().zip(&k.tape.decisions).enumerate() {
            if known[*id as usize] != *wanted {
                return Err(self.difference(k, &format!("decision {n}"), *id));
            }
        }
        for (i, wanted) in wanted.iter().enumerate() {
            let id = k.output(from + i);
            if known[id as usize] != *wanted {
                return Err(self.difference(k, &format!("output {}", from + i), id));
            }
        }
        Ok(())
    }

    /// The terms of all numbers.
    fn read(&mut self, k: &Kernel, meaning: &mut Meaning<'_>) -> Vec<Term> {
        let (mut known, mut inputs): (Vec<Term>, _) = (Vec::new(), self.inputs.clone().into_iter());
        let (mut calls, mut outputs) = (k.tape.calls.iter().peekable(), VecDeque::new());
        for (id, node) in k.tape.nodes.iter().enumerate() {
            self.at = Some(id as Id);
            if let Some(call) = calls.next_if(|call| call.outputs.start == id as Id) {
                let args: Vec<Term> = call.args.iter().map(|arg| known[*arg as usize]).collect();
                let count = (call.outputs.end - call.outputs.start) as usize;
                outputs.extend(meaning(self, (call.name, count), &args));
                assert_eq!(outputs.len(), count, "the outputs of {}", call.name);
            }
            let term = match node.op {
                Op::Input(..) => outputs
                    .pop_front()
                    .or_else(|| inputs.next())
                    .expect("a term for each input and output"),
                _ => self.of_node(k, node, &known),
            };
            known.push(term);
        }
        known
    }

    fn difference(&self, k: &Kernel, what: &str, id: Id) -> String {
        let at = k.describe(id);
        let text = format!("{}: {what} is another term: {at}", k.name);
        let Some(first) = self.names.iter().position(|(_, _, met)| met.is_none()) else {
            return text;
        };
        let before = self.names[..first].iter().rev().find_map(|(_, _, met)| *met);
        let after = before.map_or(String::new(), |id| format!(", after {}", k.describe(id)));
        format!("{text}; nothing is {}{after}", self.names[first].0)
    }
}

/// Returns the piece that is bit `at` of a term.
fn bit_of(pieces: &[Piece], mut at: u8) -> Option<Piece> {
    for piece in pieces {
        if at < piece.len {
            return Some(Piece { of: piece.of, from: piece.from + at, len: 1 });
        }
        at -= piece.len;
    }
    None
}
