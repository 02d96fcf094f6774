//! Networks of comparisons, by the 0-1 principle (Knuth, "The Art of Computer Programming", volume
//! 3, section 5.3.4). What is made of numbers by minima and maxima alone is at least t exactly if
//! the same of zeros and ones is one, with ones for the numbers that are at least t. So a network
//! that sorts all zeros and ones sorts all numbers; and if parts of its inputs ascend already, so
//! do those of the zeros and ones: there are few such.
//!
//! A complement of all bits reverses the order. On numbers it is followed as a sign: what is
//! compared must have the same. All numbers have 32 bits, of which `i32::MAX` is the largest.
use std::collections::{BTreeSet, HashMap};

use oaklath_simd::proof::memory::Id;
use oaklath_simd::proof::tape::{NONE, Node, Op, Source};

use crate::kernel::Kernel;

/// What a number of a network is made of: others, by their places.
enum Gate {
    Given,
    Largest,
    Complement(usize),
    Least(usize, usize),
    Greatest(usize, usize),
}

/// A network as far as it is taken in.
#[derive(Default)]
struct Network {
    gates: Vec<Gate>,
    /// The place of a number, and whether it is the complement of what is sorted; of the largest
    /// number nothing.
    places: HashMap<Id, (usize, Option<bool>)>,
}

impl Network {
    fn push(&mut self, id: Id, gate: Gate, is_complement: Option<bool>) {
        self.places.insert(id, (self.gates.len(), is_complement));
        self.gates.push(gate);
    }

    /// Zeros and ones, 64 cases at once; those that are given are there.
    fn evaluate(&self, values: &mut [u64]) {
        for (i, gate) in self.gates.iter().enumerate() {
            values[i] = match *gate {
                Gate::Given => values[i],
                Gate::Largest => u64::MAX,
                Gate::Complement(a) => !values[a],
                Gate::Least(a, b) => values[a] & values[b],
                Gate::Greatest(a, b) => values[a] | values[b],
            };
        }
    }
}

impl Kernel {
    /// Proves that `to` are the numbers of all parts in ascending order, if each part ascends; of a
    /// part with `true` the complements.
    ///
    /// # Errors
    /// For which zeros and ones that is wrong, or what is no comparison.
    ///
    /// # Panics
    /// If there is no part.
    pub fn merges(&self, parts: &[(Vec<Id>, bool)], to: &[Id]) -> Result<(), String> {
        let network = self.network(parts, to)?;
        let outputs: Vec<usize> = to.iter().map(|id| network.places[&self.alias(*id)].0).collect();
        let ((first, is_first_complement), others) = parts.split_first().expect("a part");
        let mut values = vec![0; network.gates.len()];
        // How many zeros each of the other parts has.
        let mut zeros = vec![0; others.len()];
        loop {
            let (mut at, mut sum) = (first.len(), 0);
            for ((part, is_complement), zeros) in others.iter().zip(&zeros) {
                (0..part.len()).for_each(|i| values[at + i] = if i < *zeros { 0 } else { !0 });
                at += part.len();
                sum += if *is_complement { part.len() - zeros } else { *zeros };
            }
            for begin in (0..=first.len()).step_by(64) {
                for (i, value) in values[..first.len()].iter_mut().enumerate() {
                    // In case c the first part has begin + c zeros.
                    *value = match i.checked_sub(begin) {
                        Some(most) => u64::MAX >> (63 - most.min(63)),
                        None => 0,
                    };
                }
                network.evaluate(&mut values);
                for case in 0..=(first.len() - begin).min(63) {
                    let mine = begin + case;
                    let sum = sum + if *is_first_complement { first.len() - mine } else { mine };
                    let bit = |i: usize| values[outputs[i]] >> case & 1;
                    if sum > 0 && bit(sum - 1) == 1 || sum < to.len() && bit(sum) == 0 {
                        return Err(self.unsorted(to[sum.min(to.len() - 1)], mine, &zeros));
                    }
                }
                let descents = outputs.windows(2).map(|pair| values[pair[0]] & !values[pair[1]]);
                let cases = u64::MAX >> (63 - (first.len() - begin).min(63));
                if let Some(i) = descents.map(|bits| bits & cases).position(|bits| bits != 0) {
                    return Err(self.unsorted(to[i], begin, &zeros));
                }
            }
            let Some(next) = zeros.iter().zip(others).position(|(n, (part, _))| *n < part.len())
            else {
                return Ok(());
            };
            zeros[next] += 1;
            zeros[..next].fill(0);
        }
    }

    fn unsorted(&self, id: Id, first: usize, zeros: &[usize]) -> String {
        let is = self.describe(id);
        format!("{}: [{is}] is out of order where parts have {first}, {zeros:?} zeros", self.name)
    }

    /// What leads from the numbers of the parts to these.
    fn network(&self, parts: &[(Vec<Id>, bool)], to: &[Id]) -> Result<Network, String> {
        let mut network = Network::default();
        for (part, is_complement) in parts {
            for id in part {
                network.push(self.alias(*id), Gate::Given, Some(*is_complement));
            }
        }
        let mut todo: Vec<Id> = to.iter().map(|id| self.alias(*id)).collect();
        let mut all = BTreeSet::new();
        while let Some(id) = todo.pop() {
            if !network.places.contains_key(&id) && all.insert(id) {
                todo.extend(self.args(id).iter().map(|arg| arg.0));
            }
        }
        for id in all {
            self.add_gate(&mut network, id)?;
        }
        let is_plain =
            |id: &Id| network.places.get(&self.alias(*id)).is_some_and(|p| p.1 != Some(true));
        match to.iter().find(|id| !is_plain(id)) {
            Some(id) => Err(self.no_comparison(*id)),
            None => Ok(network),
        }
    }

    fn add_gate(&self, network: &mut Network, id: Id) -> Result<(), String> {
        let args = self.args(id);
        let arg = |i: usize| network.places.get(&args[i].0).copied();
        let Node { op, bits, .. } = self.node(id);
        match op {
            _ if self.constant(id) == Some(i32::MAX.into()) => {
                network.push(id, Gate::Largest, None);
            }
            _ if self.constant(id).is_some() => {}
            op @ (Op::Min | Op::Max) if bits == 32 => {
                let (Some((a, of_a)), Some((b, of_b))) = (arg(0), arg(1)) else {
                    return Err(self.no_comparison(id));
                };
                let sign = of_a.or(of_b);
                if of_b.or(of_a) != sign {
                    return Err(self.no_comparison(id));
                }
                let gate = if op == Op::Min { Gate::Least(a, b) } else { Gate::Greatest(a, b) };
                network.push(id, gate, sign);
            }
            Op::Xor if bits == 32 => {
                let mask = (0..2).find_map(|i| Some((i, self.constant(args[i].0)?)));
                let of = mask.and_then(|(i, mask)| Some((mask, arg(1 - i)?)));
                match of {
                    Some((0, (a, sign))) => {
                        network.places.insert(id, (a, sign));
                    }
                    Some((-1, (a, Some(sign)))) => {
                        network.push(id, Gate::Complement(a), Some(!sign));
                    }
                    _ => return Err(self.no_comparison(id)),
                }
            }
            _ => return Err(self.no_comparison(id)),
        }
        Ok(())
    }

    fn no_comparison(&self, id: Id) -> String {
        format!("{}: [{}] is not compared as the others", self.name, self.describe(id))
    }

    /// Returns how many lanes the comparisons have.
    #[must_use]
    pub fn compared_lanes(&self) -> usize {
        let compared = self.tape.nodes.iter().filter(|node| node.op == Op::Min);
        compared.map(|node| usize::from(node.lane) + 1).max().unwrap_or(0)
    }

    /// Proves that numbers are the same operations on the same inputs.
    ///
    /// # Errors
    /// The first that are not.
    pub fn are_same(&self, pairs: impl IntoIterator<Item = (Id, Id)>) -> Result<(), String> {
        let first = self.first_of_each();
        let differs = |(a, b): &(Id, Id)| first[*a as usize] != first[*b as usize];
        match pairs.into_iter().find(differs) {
            Some((a, b)) => {
                let [a, b] = [a, b].map(|id| self.describe(self.alias(id)));
                Err(format!("{}: [{a}] is not computed as [{b}]", self.name))
            }
            None => Ok(()),
        }
    }

    /// Of each number the first one that is computed in the same way.
    fn first_of_each(&self) -> Vec<Id> {
        let (mut first, mut seen): (Vec<Id>, HashMap<_, Id>) = (Vec::new(), HashMap::new());
        for (n, node) in (0..).zip(&self.tape.nodes) {
            let id = self.alias(n);
            if id != n {
                first.push(first[id as usize]);
                continue;
            }
            let now = |id: Id| if id == NONE { NONE } else { first[id as usize] };
            let bits: Vec<Source> = match node.op {
                Op::Bits(_) => self
                    .sources(n)
                    .iter()
                    .map(|source| source.map(|(id, bit)| (now(id), bit)))
                    .collect(),
                _ => Vec::new(),
            };
            let op = match node.op {
                Op::Bits(_) => Op::Bits(0),
                // Each is a number of its own.
                Op::Input(..) | Op::Undefined | Op::Table(_) => Op::Load(n as u32, 0),
                op => op,
            };
            let key = (op, node.bits, node.args.map(now), bits);
            first.push(*seen.entry(key).or_insert(n));
        }
        first
    }
}
