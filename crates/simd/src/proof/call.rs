//! Functions that are not recorded, but opaque: what they read, and what they write.
use core::ops::RangeInclusive;
use core::panic::Location;
use std::vec::Vec;

use crate::proof::memory::Id;
use crate::proof::tape::{Duty, Op, Place, with};
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
        for (i, word) in from.iter().enumerate() {
            self.args.push(with(|tape| tape.load_sum(self.at, i, Op::Xor, &word.to_le_bytes())));
        }
        self
    }

    /// The function writes any numbers of a range.
    pub fn writes<T: Number>(mut self, to: &mut [T], range: RangeInclusive<i64>) -> Self {
        for (i, to) in to.iter_mut().enumerate() {
            let id = self.output(i, 8 * size_of::<T>() as u8, &range);
            *to = T::from_bytes(&with(|tape| tape.write(id, size_of::<T>())));
        }
        self
    }

    /// The function answers yes or no. What it writes later may depend on that.
    #[must_use]
    pub fn decides(&mut self) -> bool {
        let id = self.output(0, 8, &(0..=1));
        with(|tape| tape.decide(id))
    }

    fn load<T: Number>(&mut self, from: &[T]) {
        for (i, x) in from.iter().enumerate() {
            let bytes = &x.to_bytes()[..size_of::<T>()];
            self.args.push(with(|tape| tape.load(self.at, i, bytes)));
        }
    }

    fn output(&mut self, i: usize, bits: u8, range: &RangeInclusive<i64>) -> Id {
        let op = Op::Input(*range.start(), *range.end());
        with(|tape| {
            let call = *self
                .number
                .get_or_insert_with(|| tape.push_call(self.name, core::mem::take(&mut self.args)));
            tape.push_output(call, (self.at, i, op, bits))
        })
    }
}

/// What is read must have become part of a call: what follows its first output does not.
impl Drop for OpaqueCall {
    fn drop(&mut self) {
        let is_read = self.args.is_empty() || std::thread::panicking();
        assert!(is_read, "{}: {} reads what is no argument", self.at, self.name);
    }
}
