//! The inputs and outputs of a kernel, which a theorem declares.
use core::ops::RangeInclusive;
use core::panic::Location;
use std::collections::BTreeSet;
use std::vec::Vec;

use crate::proof::memory::Id;
use crate::proof::tape::{self, NONE, Op, Place, Tape, with};
use crate::proof::vector::{Number, pack, unpack};

/// Declares inputs and outputs: to the tape, or on a real backend with random numbers.
#[derive(Default)]
pub struct Io {
    random: Option<u64>,
    numbers: [Vec<i64>; 3],
    /// The ranges of arguments that the claim states.
    pub stated: Vec<(&'static str, (i64, i64))>,
    /// Which of these were declared as inputs.
    pub given: BTreeSet<(&'static str, (i64, i64))>,
}

impl Io {
    /// Declares the numbers as inputs, each of which is any number of the range.
    #[track_caller]
    pub fn inputs<T: Number>(&mut self, to: &mut [T], range: RangeInclusive<i64>) {
        for (i, to) in to.iter_mut().enumerate() {
            let bytes = match self.draw(&range) {
                Some(x) => x.to_le_bytes(),
                None => {
                    let id = input(Location::caller(), i, 8 * size_of::<T>() as u8, &range);
                    with(|tape| tape.write(id, size_of::<T>()))
                }
            };
            *to = T::from_bytes(&bytes);
        }
    }

    /// Declares the numbers as inputs that are an argument of which the claim states one range.
    ///
    /// # Panics
    /// If it states none, or several.
    #[track_caller]
    pub fn given<T: Number>(&mut self, argument: &str, to: &mut [T]) {
        let of_it = self.stated.iter().filter(|(name, _)| *name == argument);
        let ranges: Vec<(i64, i64)> = of_it.map(|(_, range)| *range).collect();
        let [(least, most)] = ranges[..] else {
            panic!("the claim states {} ranges of {argument}", ranges.len())
        };
        self.given_within(argument, to, least..=most);
    }

    /// Declares the numbers as inputs that are an argument of which the claim states this range,
    /// for some parameter.
    ///
    /// # Panics
    /// If it does not.
    #[track_caller]
    pub fn given_within<T: Number>(
        &mut self,
        argument: &str,
        to: &mut [T],
        range: RangeInclusive<i64>,
    ) {
        let wanted = (*range.start(), *range.end());
        let stated = self.stated.iter().find(|stated| **stated == (argument, wanted));
        let Some(stated) = stated else {
            panic!("the claim does not state {range:?} of {argument}")
        };
        self.given.insert(*stated);
        self.inputs(to, range);
    }

    /// Declares the fields of `bits` bits in the bytes as inputs. Bits after the last one are zero.
    ///
    /// # Panics
    /// If `bits` is zero.
    #[track_caller]
    pub fn fields(&mut self, to: &mut [u8], bits: usize) {
        self.fields_within(to, bits, 0..=(1 << bits) - 1);
    }

    /// Declares the fields of `bits` bits in the bytes as inputs, each of which is any number of
    /// the range.
    ///
    /// # Panics
    /// If `bits` is zero.
    #[track_caller]
    pub fn fields_within(&mut self, to: &mut [u8], bits: usize, range: RangeInclusive<i64>) {
        let (at, n) = (Location::caller(), 8 * to.len() / bits);
        if self.random.is_some() {
            to.fill(0);
            for i in 0..n * bits {
                if i.is_multiple_of(bits) {
                    self.draw(&range);
                }
                let field = self.numbers[0].last().expect("drawn");
                to[i / 8] |= ((field >> (i % bits) & 1) as u8) << (i % 8);
            }
            return;
        }
        let fields: Vec<Id> = (0..n).map(|i| input(at, i, 32, &range)).collect();
        with(|tape| pack(tape, at, &fields, bits, to));
    }

    /// Declares the numbers as outputs.
    #[track_caller]
    pub fn outputs<T: Number>(&mut self, from: &[T]) {
        let at = Location::caller();
        self.declare_outputs(from, |tape, i, bytes| tape.load(at, i, bytes));
    }

    /// Declares the numbers as outputs, to which plain code may have added others.
    #[track_caller]
    pub fn output_sums<T: Number>(&mut self, from: &[T]) {
        let at = Location::caller();
        self.declare_outputs(from, |tape, i, bytes| tape.load_sum(at, i, Op::Add, bytes));
    }

    fn declare_outputs<T: Number>(
        &mut self,
        from: &[T],
        load: impl Fn(&mut Tape, usize, &[u8]) -> Id,
    ) {
        for (i, x) in from.iter().enumerate() {
            let bytes = x.to_bytes();
            if self.random.is_some() {
                self.numbers[1].push(i64::from_le_bytes(bytes));
                continue;
            }
            with(|tape| {
                let id = load(tape, i, &bytes[..size_of::<T>()]);
                tape.declare_output(id);
            });
        }
    }

    /// The numbers are marked on the tape. They may be other ones on backends with other lanes.
    #[track_caller]
    pub fn marks<T: Number>(&mut self, from: &[T]) {
        let at = Location::caller();
        for (i, x) in from.iter().enumerate().filter(|_| self.random.is_none()) {
            with(|tape| {
                let id = tape.load(at, i, &x.to_bytes()[..size_of::<T>()]);
                tape.mark(id);
            });
        }
    }

    /// Declares the fields of `bits` bits in the bytes as outputs.
    #[track_caller]
    pub fn output_fields(&mut self, from: &[u8], bits: usize) {
        let (at, n) = (Location::caller(), 8 * from.len() / bits);
        if self.random.is_some() {
            let bit = |i: usize| i64::from(from[i / 8] >> (i % 8) & 1);
            let field = |i: usize| (0..bits).map(|b| bit(i * bits + b) << b).sum::<i64>();
            self.numbers[1].extend((0..n).map(field));
            return;
        }
        with(|tape| {
            let fields = unpack(tape, at, 32, bits, from, n);
            fields.into_iter().for_each(|field| tape.declare_output(field));
        });
    }

    /// Declares a number as an output that plain code has summed up from all numbers of 32 bits
    /// that the kernel has stored, as halves of 16 bits side by side.
    #[track_caller]
    pub fn sum(&mut self, x: u64) {
        if self.random.is_some() {
            self.numbers[1].push(x as i64);
        } else {
            with(|tape| tape.declare_sum(Location::caller(), x));
        }
    }

    /// Declares a number that depends only on decisions, such as a return value, as a result.
    pub fn result(&mut self, x: i64) {
        if self.random.is_some() {
            self.numbers[2].push(x);
        } else {
            with(|tape| tape.declare_result(x));
        }
    }

    /// Draws a number of the range, with more frequent ends, if this is a run on a real backend.
    fn draw(&mut self, range: &RangeInclusive<i64>) -> Option<i64> {
        let state = self.random.as_mut()?;
        *state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        let (bits, least, most) = (*state >> 16, *range.start(), *range.end());
        let count = least.abs_diff(most).wrapping_add(1);
        let x = match bits & 15 {
            0 => least,
            1 => most,
            _ if count == 0 => *state as i64,
            _ => least.wrapping_add(((bits >> 4) % count) as i64),
        };
        self.numbers[0].push(x);
        Some(x)
    }
}

/// Returns memory that has not been written, of a length that is known at run time: otherwise there
/// is [`scratch!`](crate::scratch).
#[must_use]
pub fn unwritten<T: Number>(n: usize) -> Vec<T> {
    let words = (0..(n * size_of::<T>()).div_ceil(8)).map(|_| tape::unwritten());
    let bytes: Vec<u8> = words.flatten().collect();
    bytes.chunks_exact(size_of::<T>()).take(n).map(T::from_bytes).collect()
}

fn input(at: Place, i: usize, bits: u8, range: &RangeInclusive<i64>) -> Id {
    with(|tape| {
        let id = tape.push(at, i, Op::Input(*range.start(), *range.end()), bits, [NONE; 2]);
        tape.declare_input(id);
        id
    })
}

/// Runs a kernel of a real backend on random inputs; returns these, the outputs and the results.
pub fn sample(seed: u64, kernel: impl FnOnce(&mut Io)) -> [Vec<i64>; 3] {
    let mut io = Io { random: Some(seed), ..Io::default() };
    kernel(&mut io);
    io.numbers
}
