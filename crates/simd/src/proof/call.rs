//! Functions that are not recorded, but opaque: what they read, and what they write.
use core::ops::RangeInclusive;
use core::panic::Location;
use std::vec::Vec;

use crate::proof::memory::Id;
use crate::proof::tape::{Duty, Op, Place, Tape, with};
use crate::proof::vector::Number;

/// A call of a function of which only a contract is known. It stands in for one that has a theorem
/// of its own: what the theorem takes for granted is a duty here, and what it gives may be any
/// numbers of the range. What they mean says who proves something of the tape.
pub struct OpaqueCall {
    at: Place,
    name: &'static str,
    args: Vec<Id>,
    number: Option<usize>,
}

impl OpaqueCall {
    /// Begins a call.
    #[track_caller]
    pub fn new(name: &'static str) -> Self {
        Self { at: Location::caller(), name, args: Vec::new(), number: None }
    }

    /// The function reads any numbers.
    pub fn reads<T: Number>(mut self, from: &[T]) -> Self {
        self.load(from);
        self
    }

    /// The function reads numbers of a range.
    pub fn reads_within<T: Number>(mut self, from: &[T], range: RangeInclusive<i64>) -> Self {
        let first = self.args.len();
        self.load(from);
        with(|tape| {
            for id in &self.args[first..] {
                tape.owe(self.at, Duty::Within(*id, *range.start(), *range.end()));
            }
        });
        self
    }

    /// The function reads any words, to each of which plain code may have added one that another
    /// call has written.
    pub fn reads_sums(mut self, from: &[u64]) -> Self {
        with(|tape| {
            let words = from.iter().enumerate();
            let load = |(i, x): (usize, &u64)| tape.load_sum(self.at, i, Op::Xor, &x.to_le_bytes());
            self.args.extend(words.map(load));
        });
        self
    }

    /// The function writes any numbers of a range.
    pub fn writes<T: Number>(mut self, to: &mut [T], range: RangeInclusive<i64>) -> Self {
        with(|tape| {
            for (i, to) in to.iter_mut().enumerate() {
                let id = self.output(tape, i, 8 * size_of::<T>() as u8, &range);
                *to = T::from_bytes(&tape.write(id, size_of::<T>()));
            }
        });
        self
    }

    /// The function answers yes or no. What it writes later may depend on that.
    #[must_use]
    pub fn decides(&mut self) -> bool {
        with(|tape| {
            let id = self.output(tape, 0, 8, &(0..=1));
            tape.decide(id)
        })
    }

    fn load<T: Number>(&mut self, from: &[T]) {
        with(|tape| {
            let numbers = from.iter().enumerate();
            let load = |(i, x): (usize, &T)| tape.load(self.at, i, &x.to_bytes()[..size_of::<T>()]);
            self.args.extend(numbers.map(load));
        });
    }

    fn output(&mut self, tape: &mut Tape, i: usize, bits: u8, range: &RangeInclusive<i64>) -> Id {
        let op = Op::Input(*range.start(), *range.end());
        let begin = || tape.push_call(self.name, core::mem::take(&mut self.args));
        let call = *self.number.get_or_insert_with(begin);
        tape.push_output(call, (self.at, i, op, bits))
    }
}

/// What is read must have become part of a call: what follows its first output does not.
impl Drop for OpaqueCall {
    fn drop(&mut self) {
        let is_read = self.args.is_empty() || std::thread::panicking();
        assert!(is_read, "{}: {} reads what is no argument", self.at, self.name);
    }
}
