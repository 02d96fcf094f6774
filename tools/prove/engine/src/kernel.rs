//! A tape with derived facts: which numbers are copies, and on what each depends.
use std::cell::RefCell;
use std::collections::HashMap;

use oaklath_simd::proof::memory::Id;
use oaklath_simd::proof::tape::{NONE, Node, Op, Source, Tape};

use crate::known::{Known, Summaries, full, mask, within};

/// The proof of a kernel, with all facts known so far.
pub struct Kernel {
    pub(crate) name: String,
    pub(crate) tape: Tape,
    pub(crate) q: i64,
    limit: u64,
    /// The number of which each number is a copy.
    alias: Vec<Id>,
    /// The root on which each number depends; [`NONE`] for constants.
    root: Vec<Id>,
    /// The numbers that are functions of each root.
    of_root: HashMap<Id, Vec<Id>>,
    pub(crate) known: RefCell<Known>,
}

impl Kernel {
    /// Takes a tape, for forms modulo `q`. Functions of one number that has at most `limit` values
    /// are evaluated at each of them.
    ///
    /// # Panics
    /// If the range of an input is empty, or wider than its bits.
    #[must_use]
    pub fn new(name: &str, q: i64, limit: u64, tape: Tape) -> Self {
        Self::with_summaries(name, (q, limit), tape, Summaries::new())
    }

    /// Takes a tape, and what is known of functions modulo q.
    pub(crate) fn with_summaries(
        name: &str,
        (q, limit): (i64, u64),
        tape: Tape,
        functions: Summaries,
    ) -> Self {
        let known = RefCell::new(Known { functions, ..Known::default() });
        let (alias, root, of_root) = (Vec::new(), Vec::new(), HashMap::new());
        let mut kernel = Self { name: name.into(), tape, q, limit, alias, root, of_root, known };
        for id in 0..kernel.tape.nodes.len() as Id {
            if let Node { op: Op::Input(least, most), bits, .. } = kernel.node(id) {
                let is_range = least <= most && within((least, most), full(bits));
                assert!(is_range, "{name}: {least} to {most} is no range of {bits} bits");
            }
            let alias = kernel.find_alias(id);
            kernel.alias.push(alias);
            let root = kernel.find_root(id);
            kernel.root.push(root);
            if alias == id && root != id {
                kernel.of_root.entry(root).or_default().push(id);
            }
        }
        kernel
    }

    /// Returns the numbers that are functions of that root.
    pub(crate) fn functions_of(&self, root: Id) -> &[Id] {
        self.of_root.get(&root).map_or(&[], Vec::as_slice)
    }

    /// Returns the number of operations on the tape.
    #[must_use]
    pub fn operations(&self) -> usize {
        self.tape.nodes.len()
    }

    /// Returns input `i`.
    #[must_use]
    pub fn input(&self, i: usize) -> Id {
        self.tape.inputs[i]
    }

    /// Returns output `i`.
    #[must_use]
    pub fn output(&self, i: usize) -> Id {
        self.known.borrow_mut().seen.insert(i);
        self.alias(self.tape.outputs[i])
    }

    /// Returns these outputs.
    pub fn outputs(&self, range: core::ops::Range<usize>) -> impl Iterator<Item = Id> {
        range.map(|i| self.output(i))
    }

    /// Returns these numbers in between, of those that were marked.
    pub fn marks(&self, range: core::ops::Range<usize>) -> impl Iterator<Item = Id> {
        range.map(|i| self.alias(self.tape.marks[i]))
    }

    /// Returns the declared results: the values that the kernel returns.
    #[must_use]
    pub fn results(&self) -> &[i64] {
        self.known.borrow_mut().has_seen_results = true;
        &self.tape.results
    }

    /// Returns how many outputs there are.
    #[must_use]
    pub fn count_outputs(&self) -> usize {
        self.tape.outputs.len()
    }

    /// Returns the answers to decisions, in order.
    pub fn answers(&self) -> impl Iterator<Item = bool> {
        self.tape.decisions.iter().map(|(_, answer)| *answer)
    }

    /// Returns all inputs.
    #[must_use]
    pub fn inputs(&self) -> &[Id] {
        &self.tape.inputs
    }

    /// Returns the constant that a number is equal to, if there is one.
    #[must_use]
    pub fn constant(&self, id: Id) -> Option<i64> {
        (self.root(self.alias(id)) == NONE).then(|| self.range(id).0)
    }

    /// Returns the bit of another number that a number is.
    #[must_use]
    pub fn bit_of(&self, id: Id) -> Option<(Id, u8)> {
        let id = self.alias(id);
        let args = self.args(id);
        let one = args.iter().position(|arg| self.constant(arg.0) == Some(1))?;
        let (mut of, mut bit) = (args[1 - one].0, 0);
        while let Node { op: Op::Sra(n) | Op::Srl(n), bits, .. } = self.node(of)
            && u32::from(bit) + n < bits.into()
        {
            (of, bit) = (self.args(of)[0].0, bit + n as u8);
        }
        (self.node(id).op == Op::And && bit < self.node(of).bits).then_some((of, bit))
    }

    /// What a number is, of which lane and where.
    pub(crate) fn place_of(&self, id: Id) -> String {
        let Node { op, lane, at, .. } = self.node(id);
        let file = at.file().rsplit("crates/").next().unwrap_or_default();
        format!("{op:?} of lane {lane} at {file}:{}:{}", at.line(), at.column())
    }

    /// [`place_of`](Self::place_of), and the range that was found.
    pub(crate) fn describe(&self, id: Id) -> String {
        format!("{} in {:?}", self.place_of(id), self.range(id))
    }

    pub(crate) fn node(&self, id: Id) -> Node {
        self.tape.nodes[id as usize]
    }

    /// Returns the number of which this is a copy; the one that is being added is itself.
    pub(crate) fn alias(&self, id: Id) -> Id {
        self.alias.get(id as usize).copied().unwrap_or(id)
    }

    pub(crate) fn root(&self, id: Id) -> Id {
        self.root.get(id as usize).copied().unwrap_or(id)
    }

    /// Returns the sources of the bits of a number that is made of others' bits, through all moves.
    pub(crate) fn sources(&self, id: Id) -> Vec<Source> {
        let Op::Bits(n) = self.node(id).op else { unreachable!("a list of bits") };
        self.tape.bits[n as usize].iter().map(|source| self.origin(*source)).collect()
    }

    /// Returns where a bit comes from, through all moves.
    fn origin(&self, mut source: Source) -> Source {
        while let Some((id, bit)) = source {
            // What a number is a copy of may have fewer bits: those above are its sign.
            let (id, bit) = (self.alias(id), bit.min(self.node(self.alias(id)).bits - 1));
            source = match self.node(id).op {
                Op::Bits(n) => self.tape.bits[n as usize].get(usize::from(bit)).copied().flatten(),
                Op::Const(x) if x >> bit & 1 == 0 => None,
                _ => return Some((id, bit)),
            };
        }
        None
    }

    /// Returns which bit of `whole` that is, if it is in one of its halves.
    fn bit_of_whole(&self, (id, bit): (Id, u8), whole: Id) -> (Id, u8) {
        let Node { op, bits, args, .. } = self.node(id);
        match op {
            Op::Low if self.alias(args[0]) == whole => (whole, bit),
            Op::High if self.alias(args[0]) == whole => (whole, bit + bits),
            _ => (id, bit),
        }
    }

    fn find_alias(&self, id: Id) -> Id {
        let node = self.node(id);
        match node.op {
            Op::Copy => self.alias(node.args[0]),
            Op::Table(n) => match self.constant(node.args[0]) {
                Some(index) => self.alias(self.tape.tables[n as usize][index as usize & 15]),
                None => id,
            },
            Op::Bits(_) => {
                let mut sources = self.sources(id);
                if let Some(Some((low, 0))) = sources.first().copied()
                    && sources.len() == 64
                    && self.node(low).op == Op::Low
                {
                    // Halves of one number side by side.
                    let whole = self.alias(self.node(low).args[0]);
                    for (id, bit) in sources.iter_mut().flatten() {
                        (*id, *bit) = self.bit_of_whole((*id, *bit), whole);
                    }
                }
                let Some(Some((of, 0))) = sources.first().copied() else { return id };
                let in_place = |(source, i): &(&Source, u8)| **source == Some((of, *i));
                let n = sources.iter().zip(0..).take_while(in_place).count();
                let (bits, rest) = (usize::from(node.bits), &sources[n..]);
                let fits = |least, most| n < bits && within(self.range(of), (least, most));
                let is_same = n == bits && self.node(of).bits == node.bits
                    || rest.iter().all(Option::is_none) && fits(0, mask(n as u8))
                    // A number that was shortened, and got its sign again.
                    || sources.len() == bits
                        && rest.iter().all(|source| *source == Some((of, n as u8 - 1)))
                        && fits(-1 << (n - 1), (1 << (n - 1)) - 1);
                if is_same { of } else { id }
            }
            _ => id,
        }
    }

    /// The arguments of an operation; of a list of bits each bit of which argument goes where; of a
    /// table its index and its entries.
    pub(crate) fn args(&self, id: Id) -> Vec<(Id, u8, u8)> {
        let node = self.node(id);
        if let Op::Bits(_) = node.op {
            let placed = |(to, source): (u8, Source)| source.map(|(id, bit)| (id, bit, to));
            return (0..).zip(self.sources(id)).filter_map(placed).collect();
        }
        let entries = match node.op {
            Op::Table(n) => &self.tape.tables[n as usize][..],
            _ => &[],
        };
        let args = node.args.iter().filter(|arg| **arg != NONE).chain(entries);
        args.map(|arg| (self.alias(*arg), 0, 0)).collect()
    }

    fn find_root(&self, id: Id) -> Id {
        if self.alias(id) != id {
            return self.root(self.alias(id));
        }
        match self.node(id).op {
            Op::Const(_) => NONE,
            Op::Input(..) | Op::Undefined => id,
            _ => {
                let mut roots: Vec<Id> = self.args(id).iter().map(|arg| self.root(arg.0)).collect();
                roots.retain(|root| *root != NONE);
                match roots.first() {
                    None => NONE,
                    Some(first)
                        if roots.iter().all(|root| root == first) && self.is_enumerable(*first) =>
                    {
                        *first
                    }
                    _ => id,
                }
            }
        }
    }

    pub(crate) fn limit(&self) -> u64 {
        self.limit
    }

    fn is_enumerable(&self, root: Id) -> bool {
        let (least, most) = self.range(root);
        least.abs_diff(most) < self.limit
    }
}
