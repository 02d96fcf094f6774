//! The record of a kernel: its operations on single lanes, in order.
use core::array::from_fn;
use core::cell::RefCell;
use core::ops::Range;
use core::panic::Location;
use std::collections::{HashMap, HashSet};
use std::vec;
use std::vec::Vec;

use crate::proof::memory::{self, Id, LAST, RUNS, Seen};
use crate::watch;

/// Where in the kernel an operation is.
pub type Place = &'static Location<'static>;
/// A bit of an operation's result; `None` is zero.
pub type Source = Option<(Id, u8)>;

/// The number of an absent argument.
pub const NONE: Id = Id::MAX;
/// The number of the constant one, for constant bits.
pub const ONE: Id = 0;

/// What an operation does to numbers of [`Node::bits`] bits, which are signed. All arithmetic
/// wraps.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Op {
    /// Any number of the range.
    Input(i64, i64),
    /// A number.
    Const(i64),
    /// The contents of memory that has not been written.
    Undefined,
    /// While recording: a load, by first cell and number of bytes. Replaced after the last run.
    Load(u32, u8),
    /// The argument, unchanged.
    Copy,
    /// The bits in [`Tape::bits`] at this index, lowest first.
    Bits(u32),
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Bitwise AND.
    And,
    /// Bits of the second argument where those of the first are zero.
    AndNot,
    /// Bitwise OR.
    Or,
    /// Bitwise XOR.
    Xor,
    /// Low half of the product of two numbers of the same width.
    Mullo,
    /// Whole product of two numbers of half the width.
    MulWide,
    /// Low half of the product of polynomials over GF(2).
    ClmulLow,
    /// High half of the product of polynomials over GF(2).
    ClmulHigh,
    /// Low half of the argument.
    Low,
    /// High half of the argument.
    High,
    /// The argument, which has fewer bits, sign-extended.
    Extend,
    /// The smaller argument, as unsigned numbers.
    MinUnsigned,
    /// The smaller argument.
    Min,
    /// The larger argument.
    Max,
    /// Arithmetic shift right.
    Sra(u32),
    /// Logical shift right.
    Srl(u32),
    /// Shift left.
    Sll(u32),
    /// Rotation left.
    Rol(u32),
    /// The entry of [`Tape::tables`] at that index that has the number of the argument.
    Table(u32),
}

/// An operation on one lane.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// The operation.
    pub op: Op,
    /// Width of the result in bits.
    pub bits: u8,
    /// Its lane.
    pub lane: u8,
    /// Its arguments; absent ones are [`NONE`].
    pub args: [Id; 2],
    /// Where it is in the kernel.
    pub at: Place,
}

/// What the documentation of an operation asks of its caller.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Duty {
    /// The number is in the range.
    Within(Id, i64, i64),
    /// The numbers are not both the least one.
    NotBothLeast(Id, Id),
    /// The low half of the number is zero: Montgomery's reduction is exact.
    LowHalfIsZero(Id),
    /// The numbers are equal.
    Equal(Id, Id),
}

/// A call of a function that is not recorded: see [`OpaqueCall`](crate::proof::call::OpaqueCall).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    /// What the function is called.
    pub name: &'static str,
    /// What it reads.
    pub args: Vec<Id>,
    /// What it writes: any numbers of their ranges.
    pub outputs: Range<Id>,
}

/// The record of a kernel.
#[derive(Clone, Default)]
pub struct Tape {
    /// Its operations, each after its arguments.
    pub nodes: Vec<Node>,
    /// The lists of bits for [`Op::Bits`].
    pub bits: Vec<Vec<Source>>,
    /// The tables for [`Op::Table`].
    pub tables: Vec<[Id; 16]>,
    /// What a filter lets pass, in order: each number, if it is below the bound.
    pub filters: Vec<(Id, i64)>,
    /// Its duties, and where they arise.
    pub duties: Vec<(Duty, Place)>,
    /// Its calls of functions that are not recorded, in order.
    pub calls: Vec<Call>,
    /// Its decisions: the number of which a bit may be set, and the answer of this recording.
    pub decisions: Vec<(Id, bool)>,
    /// What was declared as inputs, in order.
    pub inputs: Vec<Id>,
    /// What was declared as outputs, in order.
    pub outputs: Vec<Id>,
    /// What was marked between inputs and outputs, in order.
    pub marks: Vec<Id>,
    /// What was declared as results, in order: public numbers.
    pub results: Vec<i64>,
    /// What memory was given, in order.
    written: Vec<Id>,
    /// Whether valgrind looks for branches and addresses that depend on unknowns. Then there is one
    /// run, and nothing is proven.
    pub is_watched: bool,
    run: usize,
    /// Of operations, bit lists, tables, duties, bytes loaded, decisions, results, calls and
    /// filters, how many this run has seen.
    counts: [usize; 9],
    /// How many words the first run has seen of memory that was not written, and this one.
    unwritten: [usize; 2],
    cells: Vec<[u8; RUNS]>,
    script: Vec<bool>,
}

std::thread_local! { static TAPE: RefCell<Option<Tape>> = const { RefCell::new(None) }; }

/// A recording on this thread, which ends when this is dropped.
pub(super) struct Recording;

impl Recording {
    /// Begins a tape, with answers to the first decisions.
    pub(super) fn new(script: Vec<bool>) -> Self {
        let is_watched = watch::is_watching();
        TAPE.set(Some(Tape { script, is_watched, ..Tape::default() }));
        Self
    }

    /// Takes the tape.
    pub(super) fn finish(self) -> Tape {
        let mut tape = TAPE.take().expect("it was set");
        if !tape.is_watched {
            tape.resolve();
        }
        tape
    }
}

/// Ends the recording, even after a panic.
impl Drop for Recording {
    fn drop(&mut self) {
        TAPE.set(None);
    }
}

/// Calls a function with the tape of this thread.
pub(super) fn with<R>(f: impl FnOnce(&mut Tape) -> R) -> R {
    TAPE.with_borrow_mut(|tape| {
        f(tape.as_mut().expect("the backend `Proof` runs in `record` only"))
    })
}

pub(super) fn is_recording() -> bool {
    TAPE.with_borrow(Option::is_some)
}

/// Returns a word of memory that has not been written: during a recording a name of its own,
/// otherwise what shows if it is read.
pub(crate) fn unwritten() -> [u8; 8] {
    TAPE.with_borrow_mut(|tape| tape.as_mut().map_or([0xa5; 8], Tape::unwritten))
}

impl Tape {
    /// Records an operation.
    #[inline(never)]
    pub(super) fn push(&mut self, at: Place, lane: usize, op: Op, bits: u8, args: [Id; 2]) -> Id {
        let n = self.counts[0];
        self.counts[0] += 1;
        if self.run == 0 {
            self.nodes.push(Node { op, bits, lane: lane as u8, args, at });
        } else {
            let was = self.nodes.get(n).map(|was| (was.op, was.bits, was.args));
            assert!(
                was == Some((op, bits, args)),
                "{at}: operation {n} differs in run {}: the kernel depends on unknowns",
                self.run
            );
        }
        n as Id
    }

    /// Records a number that is made of bits of other numbers.
    #[inline(never)]
    pub(super) fn push_bits(&mut self, at: Place, lane: usize, bits: u8, of: Vec<Source>) -> Id {
        let n = next(&mut self.counts[1], &mut self.bits, self.run, of);
        self.push(at, lane, Op::Bits(n), bits, [NONE; 2])
    }

    pub(super) fn push_table(&mut self, at: Place, table: &[i16; 16]) -> Op {
        let table = from_fn(|i| self.load(at, i, &table[i].to_le_bytes()));
        Op::Table(next(&mut self.counts[2], &mut self.tables, self.run, table))
    }

    pub(super) fn push_filter(&mut self, id: Id, bound: i64) {
        next(&mut self.counts[8], &mut self.filters, self.run, (id, bound));
    }

    pub(super) fn owe(&mut self, at: Place, duty: Duty) {
        next(&mut self.counts[3], &mut self.duties, self.run, (duty, at));
    }

    /// Records a number loaded from memory.
    #[inline(never)]
    pub(super) fn load(&mut self, at: Place, lane: usize, bytes: &[u8]) -> Id {
        let first = self.counts[4];
        if self.run == 0 {
            self.cells.resize(first + bytes.len(), [0; RUNS]);
        }
        self.counts[4] += bytes.len();
        let cells = self.cells.get_mut(first..first + bytes.len());
        let cells = cells.expect("the kernel loads more in a later run: it depends on unknowns");
        cells.iter_mut().zip(bytes).for_each(|(cell, byte)| cell[self.run] = *byte);
        let op = Op::Load(first as u32, bytes.len() as u8);
        self.push(at, lane, op, 8 * bytes.len() as u8, [NONE; 2])
    }

    /// Writes down a word from memory to which plain code may have added one that it had found
    /// there, as `sum` says: with carry or without.
    pub(super) fn load_sum(&mut self, at: Place, lane: usize, sum: Op, bytes: &[u8]) -> Id {
        let word = self.load(at, lane, bytes);
        self.push(at, lane, sum, 8 * bytes.len() as u8, [word, NONE])
    }

    /// Writes down a call, whose outputs follow, and returns its number.
    pub(super) fn push_call(&mut self, name: &'static str, args: Vec<Id>) -> usize {
        let first = self.counts[0] as Id;
        let outputs = match self.calls.get(self.counts[7]).filter(|_| self.run > 0) {
            Some(call) => call.outputs.clone(),
            None => first..first,
        };
        let call = Call { name, args, outputs };
        next(&mut self.counts[7], &mut self.calls, self.run, call) as usize
    }

    /// Writes down an output of the last call, which has that number.
    pub(super) fn push_output(&mut self, call: usize, node: (Place, usize, Op, u8)) -> Id {
        let (at, lane, op, bits) = node;
        let id = self.push(at, lane, op, bits, [NONE; 2]);
        if self.run == 0 {
            self.calls[call].outputs.end = id + 1;
        }
        id
    }

    /// Answers whether any bit of the number is set: as the script says, and yes beyond its end.
    pub(super) fn decide(&mut self, id: Id) -> bool {
        let n = self.counts[5];
        let answer = self.script.get(n).copied().unwrap_or(true);
        next(&mut self.counts[5], &mut self.decisions, self.run, (id, answer));
        answer
    }

    pub(super) fn declare_input(&mut self, id: Id) {
        if self.run == 0 {
            self.inputs.push(id);
        }
    }

    pub(super) fn declare_output(&mut self, id: Id) {
        if self.run == 0 {
            self.outputs.push(id);
        }
    }

    /// Declares the sum of all numbers that memory was given in halves, which must be that of their
    /// names in each run: another sum would be in all of them only by chance.
    pub(super) fn declare_sum(&mut self, at: Place, x: u64) {
        let is_half = |id: &Id| matches!(self.nodes[*id as usize].op, Op::Low | Op::High);
        let halves: Vec<Id> = self.written.iter().copied().filter(is_half).collect();
        let name = |id, from| {
            let bytes = [0, 1].map(|byte| u64::from(self.name(id, byte)) << (8 * byte));
            (bytes[0] | bytes[1]) << from
        };
        let names = halves.chunks_exact(2).map(|half| name(half[0], 0) | name(half[1], 16));
        let is_sum = self.is_watched || names.sum::<u64>() == x;
        assert!(is_sum, "{at}: plain code has computed another sum");
        let mut sum = None;
        for (i, pair) in halves.chunks_exact(2).enumerate() {
            let bits = pair.iter().flat_map(|half| (0..16).map(|bit| Some((*half, bit))));
            let word = bits.chain(core::iter::repeat_n(None, 32)).collect();
            let word = self.push_bits(at, i, 64, word);
            sum = Some(sum.map_or(word, |sum| self.push(at, i, Op::Add, 64, [sum, word])));
        }
        self.declare_output(sum.expect("a number at least"));
    }

    pub(super) fn mark(&mut self, id: Id) {
        if self.run == 0 {
            self.marks.push(id);
        }
    }

    pub(super) fn declare_result(&mut self, x: i64) {
        next(&mut self.counts[6], &mut self.results, self.run, x);
    }

    /// Returns byte `byte` of an unknown, as memory holds it.
    pub(super) fn name(&self, id: Id, byte: usize) -> u8 {
        let name = memory::name(id, byte, self.run);
        if self.is_watched { watch::secret(name) } else { name }
    }

    fn unwritten(&mut self) -> [u8; 8] {
        // In the first run, which does not know the number of operations, all names are equal.
        let id = (self.nodes.len() + self.unwritten[1]) as Id;
        self.unwritten[1] += 1;
        from_fn(|byte| self.name(id, byte))
    }

    /// Gives memory an unknown of so many bytes, which plain code may add to others. Returns its
    /// bytes, and zeros.
    pub(super) fn write(&mut self, id: Id, len: usize) -> [u8; 8] {
        if self.run == 0 {
            self.written.push(id);
        }
        from_fn(|byte| if byte < len { self.name(id, byte) } else { 0 })
    }

    /// Finds out what was loaded, after all runs.
    fn resolve(&mut self) {
        let mut sums = Sums::default();
        for n in 0..self.nodes.len() {
            let Node { op: Op::Load(first, len), at, lane, .. } = self.nodes[n] else { continue };
            let cells = &self.cells[first as usize..][..usize::from(len)];
            let sum = self.nodes.get(n + 1).filter(|next| next.args == [n as Id, NONE]);
            let sum = sum.map(|next| next.op).filter(|op| matches!(op, Op::Add | Op::Xor));
            let mut read = sums.rest(cells).map(|rest| (None, rest));
            if let (None, Some(sum)) = (&read, sum) {
                // Most often one of the last.
                read = self.words_before(n, 8 * len).find_map(|id| {
                    sums.may_begin(&without(&cells[..1], id, sum)[0]).then_some(())?;
                    Some((Some(id), sums.rest(&without(cells, id, sum))?))
                });
            }
            let Some((addend, rest)) = read else {
                panic!("{at}, lane {lane}: plain code has computed with an unknown")
            };
            if sum.is_some() {
                match addend {
                    Some(id) => {
                        sums.insert(cells, n as Id + 1);
                        self.nodes[n + 1].args[1] = id;
                    }
                    None => self.nodes[n + 1].op = Op::Copy,
                }
            }
            (self.nodes[n].op, self.nodes[n].args[0]) = match rest {
                Rest::Bits(sources) => self.what_is_loaded(sources),
                Rest::Sum(id) => (Op::Copy, id),
            };
        }
        self.cells = Vec::new();
    }

    /// The words of that width that memory was given before an operation, the last first.
    fn words_before(&self, n: usize, bits: u8) -> impl Iterator<Item = Id> {
        let is_before = move |id: &Id| *id < n as Id && self.nodes[*id as usize].bits == bits;
        self.written.iter().rev().copied().filter(is_before)
    }

    fn what_is_loaded(&mut self, sources: Vec<Source>) -> (Op, Id) {
        if sources.iter().flatten().any(|(id, _)| *id >= self.nodes.len() as Id) {
            return (Op::Undefined, NONE);
        }
        if sources.iter().flatten().all(|(id, _)| *id == ONE) {
            let bit = |source: &Source| i64::from(source.is_some());
            let x = sources.iter().rev().fold(0, |x, source| x << 1 | bit(source));
            return (Op::Const(sign_extend(x, sources.len() as u8)), NONE);
        }
        if let Some((id, 0)) = sources[0]
            && usize::from(self.nodes[id as usize].bits) == sources.len()
            && sources.iter().zip(0..).all(|(source, bit)| *source == Some((id, bit)))
        {
            return (Op::Copy, id);
        }
        self.bits.push(sources);
        (Op::Bits(self.bits.len() as u32 - 1), NONE)
    }

    /// Begins a run, with the number that every tape has, unless it is the first again: then memory
    /// held what it did there, and this returns `false`.
    pub(super) fn begin_run(&mut self, run: usize) -> bool {
        if run > 0 && memory::names_are_zero(self.unknowns(), run) {
            self.cells.iter_mut().for_each(|cell| cell[run] = cell[0]);
            return false;
        }
        (self.run, self.counts, self.unwritten[1]) = (run, [0; 9], 0);
        self.push(Location::caller(), 0, Op::Const(1), 8, [NONE; 2]);
        true
    }

    /// Ends a run, which must have done as much as the first.
    pub(super) fn end_run(&mut self) {
        if self.run == 0 {
            self.unwritten[0] = self.unwritten[1];
        }
        let all = [
            self.nodes.len(),
            self.bits.len(),
            self.tables.len(),
            self.duties.len(),
            self.cells.len(),
            self.decisions.len(),
            self.results.len(),
            self.calls.len(),
            self.filters.len(),
        ];
        let less = "the kernel does less in a later run: it depends on unknowns";
        assert_eq!((self.counts, self.unwritten[1]), (all, self.unwritten[0]), "{less}");
        assert!(self.unknowns() <= LAST as usize, "numbers have names of their own");
    }

    /// The number of names that memory may hold.
    fn unknowns(&self) -> usize {
        self.nodes.len() + self.unwritten[0]
    }
}

/// What memory holds beside a word that plain code has added.
enum Rest {
    Bits(Vec<Source>),
    Sum(Id),
}

/// The sums by plain code that were found so far, by what memory held of them in the runs.
#[derive(Default)]
struct Sums {
    whole: HashMap<Vec<[u8; RUNS]>, Id>,
    first: HashSet<[u8; RUNS]>,
}

impl Sums {
    fn insert(&mut self, cells: &[[u8; RUNS]], id: Id) {
        self.whole.insert(cells.to_vec(), id);
        self.first.insert(cells[0]);
    }

    fn rest(&self, cells: &[[u8; RUNS]]) -> Option<Rest> {
        let sum = || self.whole.get(cells).map(|id| Rest::Sum(*id));
        sources(cells).map(Rest::Bits).or_else(sum)
    }

    /// Whether the rest may have that byte first.
    fn may_begin(&self, cell: &[u8; RUNS]) -> bool {
        self.first.contains(cell) || sources(&[*cell]).is_some()
    }
}

/// The bits that are in memory, unless plain code has computed one.
fn sources(cells: &[[u8; RUNS]]) -> Option<Vec<Source>> {
    cells
        .iter()
        .flat_map(memory::seen)
        .map(|seen| match seen {
            Seen::Constant(set) => Some(set.then_some((ONE, 0))),
            Seen::Bit(id, bit) => Some(Some((id, bit))),
            Seen::Computed => None,
        })
        .collect()
}

/// What memory would hold if the number had not been added.
fn without(cells: &[[u8; RUNS]], id: Id, sum: Op) -> Vec<[u8; RUNS]> {
    let mut rest = vec![[0; RUNS]; cells.len()];
    for run in 0..RUNS {
        let word = |byte: &dyn Fn(usize) -> u8| -> u64 {
            (0..cells.len()).fold(0, |word, at| word | u64::from(byte(at)) << (8 * at))
        };
        let (seen, name) = (word(&|at| cells[at][run]), word(&|at| memory::name(id, at, run)));
        let left = if sum == Op::Add { seen.wrapping_sub(name) } else { seen ^ name };
        rest.iter_mut().zip(left.to_le_bytes()).for_each(|(cell, byte)| cell[run] = byte);
    }
    rest
}

/// Adds an item to a list, or compares it with that of the first run. Returns its number.
fn next<T: PartialEq>(count: &mut usize, list: &mut Vec<T>, run: usize, item: T) -> u32 {
    if run == 0 {
        list.push(item);
    } else {
        let is_same = list.get(*count) == Some(&item);
        assert!(is_same, "the kernel does something else in run {run}: it depends on unknowns");
    }
    *count += 1;
    *count as u32 - 1
}

/// Returns the low `bits` bits of `x` as a signed number.
#[must_use]
#[inline(always)]
pub fn sign_extend(x: i64, bits: u8) -> i64 {
    x << (64 - bits) >> (64 - bits)
}
