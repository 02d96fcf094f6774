//! Operations on single lanes.
use std::fmt::LowerHex;

use anyhow::{Result, bail};
use oaklath_prove_engine::proof::io::Io;
use oaklath_prove_engine::proof::record::record;
use oaklath_prove_engine::proof::tape::sign_extend;
use oaklath_prove_engine::proof::{Proof8, Proof16, Proof32};
use oaklath_prove_engine::{BLOCK, Kernel, Level, Values};
use oaklath_simd::{Bits, HashWords, I16s, I32s, Simd, U64Lanes, U64s, dispatch};

/// Something to compare: what it is called, and how, in at most so many blocks.
pub(super) struct Check {
    pub(super) name: &'static str,
    pub(super) run: Box<dyn Fn(i64) -> Result<()> + Sync>,
}

/// The numbers at which operations are compared.
#[derive(Clone, Copy)]
enum At {
    /// All numbers of 16 bits.
    All16,
    /// All pairs of numbers of 16 bits.
    AllPairs,
    /// As [`AllPairs`](Self::AllPairs), but not the least number twice, which the documentation
    /// excepts.
    AllPairsButOne,
    /// All numbers of 32 bits, and others beside them.
    All32,
    /// 2^27 times edges and numbers that are drawn.
    Drawn,
}

/// Numbers at which sums, products and minima are most likely to go wrong.
const EDGES: [i64; 16] = [
    0,
    1,
    -1,
    i64::MIN,
    i64::MAX,
    1 << 31,
    (1 << 31) - 1,
    (1 << 31) + 1,
    1 << 32,
    (1 << 32) - 1,
    8_380_417,
    8_380_416,
    -8_380_417,
    0x5555_5555_5555_5555,
    0xff00_ff00,
    1 << 15,
];

impl At {
    fn blocks(self) -> i64 {
        match self {
            Self::All16 => 1 << 8,
            Self::AllPairs | Self::AllPairsButOne | Self::All32 => 1 << 24,
            Self::Drawn => 1 << 19,
        }
    }

    /// Writes block `n` of three operands.
    fn write(self, n: i64, pool: &mut Pool, to: &mut [Values; 3]) {
        if !matches!(self, Self::Drawn) {
            (n * BLOCK as i64..).zip(&mut to[0]).for_each(|(x, to)| *to = x);
        }
        match self {
            Self::All16 | Self::AllPairs | Self::AllPairsButOne => to[1] = [n >> 8; BLOCK],
            Self::All32 => to[1..].iter_mut().for_each(|to| pool.draw(to)),
            Self::Drawn => to.iter_mut().for_each(|to| pool.draw(to)),
        }
    }
}

/// Edges among numbers that are drawn.
struct Pool {
    state: u64,
    /// Each with what may be changed of it: nothing of an edge.
    numbers: Vec<[i64; 2]>,
}

impl Pool {
    fn new() -> Self {
        let mut pool = Self { state: 1, numbers: Vec::new() };
        for _ in 0..1 << 13 {
            let (edge, x, is_edge) = (pool.next(), pool.next(), pool.next() & 3 == 0);
            let edge = [EDGES[edge as usize & 15], 0];
            pool.numbers.push(if is_edge { edge } else { [x, -1] });
        }
        pool
    }

    fn next(&mut self) -> i64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.state ^ self.state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (x ^ x >> 31) as i64
    }

    /// Draws numbers: neighbours in the pool, and a word added to each that is no edge.
    fn draw(&mut self, to: &mut Values) {
        let (first, word) = (self.next() as usize % (self.numbers.len() - BLOCK), self.next());
        for (to, [number, mask]) in to.iter_mut().zip(&self.numbers[first..]) {
            *to = number ^ mask & word;
        }
    }
}

/// A lane.
trait Lane: Copy + Default + PartialEq + LowerHex + 'static {
    const BITS: u8;
    fn of(x: i64) -> Self;
}

macro_rules! lanes {
    ($($ty:ty)*) => { $(
        impl Lane for $ty {
            const BITS: u8 = <$ty>::BITS as u8;
            fn of(x: i64) -> Self {
                x as Self
            }
        }
    )* };
}
lanes! { i16 i32 u32 u64 }

/// How many lanes of each operand are recorded.
const ROOM: usize = 16;

/// An operation on up to three vectors: on the tape, and for numbers at a level.
struct Operation<T> {
    name: &'static str,
    at: At,
    record: fn(&mut Io),
    compute: fn(Level, &[[T; BLOCK]; 3], &mut [T; BLOCK]),
}

/// Lists operations on the lanes of a vector, which is loaded and stored as stated.
macro_rules! operations {
    ($token:ident, $ty:ty, $lanes:expr;
     |$s:ident, $from:ident| $load:expr, |$v:ident, $to:ident| $store:expr;
     |$x:ident, $y:ident, $z:ident|
     $($name:literal $at:ident: $e:expr;)*) => { vec![$({
        #[inline(always)]
        fn apply<S: Simd>($s: S, of: [&[$ty]; 3], to: &mut [$ty]) {
            for i in (0..to.len()).step_by($lanes) {
                let [$x, $y, $z] = of.map(|$from| {
                    let $from = &$from[i..];
                    $load
                });
                let _ = ($y, $z);
                let ($v, $to) = ($e, &mut to[i..i + $lanes]);
                $store;
            }
        }
        Operation::<$ty> {
            name: concat!(stringify!($ty), ": ", $name),
            at: At::$at,
            record: |io| {
                let mut of = [[0; ROOM]; 3];
                let [least, most] = [i64::MIN, i64::MAX].map(|x| x >> (64 - <$ty>::BITS));
                of.iter_mut().for_each(|of| io.inputs(of, least..=most));
                let mut to = [0; ROOM];
                apply($token {}, of.each_ref().map(|of| &of[..]), &mut to);
                io.outputs(&to);
            },
            compute: |level, of, to| {
                dispatch!(level, s => apply(s, of.each_ref().map(|of| &of[..]), to));
            },
        }
    }),*] };
}

fn of_16_bits() -> Vec<Operation<i16>> {
    operations! {
        Proof8, i16, S::I16::LANES; |s, from| S::I16::load(s, from), |v, to| v.store(to);
        |x, y, z|
        "+" AllPairs: x + y;
        "-" AllPairs: x - y;
        "&" AllPairs: x & y;
        "|" AllPairs: x | y;
        "mullo" AllPairs: x.mullo(y);
        "mulhi" AllPairsButOne: x.mulhi(y);
        "mulhrs" AllPairsButOne: x.mulhrs(y);
        "min_unsigned" AllPairs: x.min_unsigned(y);
        "mul_montgomery modulo 3329" AllPairsButOne: {
            let z = [y, y.mullo(S::I16::splat(s, -3327))];
            x.mul_montgomery(z, S::I16::splat(s, 3329))
        };
        "sra 1" All16: x.sra::<1>();
        "sra 3" All16: x.sra::<3>();
        "sra 7" All16: x.sra::<7>();
        "sra 8" All16: x.sra::<8>();
        "sra 10" All16: x.sra::<10>();
        "sra 15" All16: x.sra::<15>();
        "srl 1" All16: x.srl::<1>();
        "srl 2" All16: x.srl::<2>();
        "srl 3" All16: x.srl::<3>();
        "srl 5" All16: x.srl::<5>();
        "sll 1" All16: x.sll::<1>();
        "sll 2" All16: x.sll::<2>();
        "sll 4" All16: x.sll::<4>();
        "sll 7" All16: x.sll::<7>();
        "sll 11" All16: x.sll::<11>();
        "sll 15" All16: x.sll::<15>();
    }
}

/// 1 / 8380417 modulo 2^32.
const Q_INVERSE: i32 = 58_728_449;

fn of_32_bits() -> Vec<Operation<i32>> {
    operations! {
        Proof8, i32, S::I32::LANES; |s, from| S::I32::load(s, from), |v, to| v.store(to);
        |x, y, z|
        "+" All32: x + y;
        "-" All32: x - y;
        "&" All32: x & y;
        "|" All32: x | y;
        "^" All32: x ^ y;
        "mullo" All32: x.mullo(y);
        "mul_wide, sums and differences, montgomery modulo 8380417" All32: {
            let p = x.mul_wide(y) + z.mul_wide(y) - y.mul_wide(z);
            S::I32::montgomery(p, S::I32::splat(s, 8_380_417), S::I32::splat(s, Q_INVERSE))
        };
        "mul_montgomery modulo 8380417" All32: {
            let z = y.mullo(S::I32::splat(s, Q_INVERSE));
            // In even lanes what odd ones have.
            let (y_odd, z_odd) = (y.transpose::<1>(y).1, z.transpose::<1>(z).1);
            x.mul_montgomery([y, z, y_odd, z_odd], S::I32::splat(s, 8_380_417))
        };
        "min_unsigned" All32: x.min_unsigned(y);
        "the smaller of sort_pair" All32: x.sort_pair(y).0;
        "the larger of sort_pair" All32: x.sort_pair(y).1;
        "negative" All32: x.negative();
        "sra 1" All32: x.sra::<1>();
        "sra 22" All32: x.sra::<22>();
        "sra 23" All32: x.sra::<23>();
        "sra 24" All32: x.sra::<24>();
        "sll 2" All32: x.sll::<2>();
        "sll 10" All32: x.sll::<10>();
        "sll 14" All32: x.sll::<14>();
    }
}

/// Adds up what SHA-256 makes of a word by rotations and shifts.
macro_rules! turned_32 {
    ($x:ident) => {{
        let a = $x.ror::<2>() + $x.ror::<13>() + $x.ror::<22>() + $x.ror::<6>() + $x.ror::<11>();
        let b = $x.ror::<25>() + $x.ror::<7>() + $x.ror::<18>() + $x.ror::<17>() + $x.ror::<19>();
        let c = $x.ror::<16>() + $x.ror::<20>() + $x.ror::<24>() + $x.ror::<1>();
        let right = $x.shr::<3>() + $x.shr::<10>() + $x.shr::<16>() + $x.shr::<24>();
        a + b + c + right + $x.shl::<8>() + $x.shl::<16>() + $x.shl::<24>()
    }};
}

/// Adds up what SHA-512 makes of a word by rotations and shifts.
macro_rules! turned_64 {
    ($x:ident) => {{
        let a = $x.ror::<28>() + $x.ror::<34>() + $x.ror::<39>() + $x.ror::<14>() + $x.ror::<18>();
        let b = $x.ror::<41>() + $x.ror::<1>() + $x.ror::<8>() + $x.ror::<19>() + $x.ror::<61>();
        a + b + $x.shr::<7>() + $x.shr::<6>()
    }};
}

/// Lists operations on words of SHA-2, in lanes and alone.
macro_rules! of_sha2 {
    ($word:ident $lanes:ident $one:ident $turned:ident) => {{
        let mut all = operations! {
            Proof8, $word, S::$lanes::LANES; |s, from| S::$lanes::load(s, from), |v, to| v.store(to);
            |x, y, z|
            "+" Drawn: x + y;
            "^" Drawn: x ^ y;
            "xor3" Drawn: x.xor3(y, z);
            "choose" Drawn: x.choose(y, z);
            "majority" Drawn: x.majority(y, z);
            "rotations and shifts" Drawn: $turned!(x);
        };
        all.extend(operations! {
            Proof8, $word, S::$one::LANES; |s, from| S::$one::load(s, from), |v, to| v.store(to);
            |x, y, z|
            "one word: +, ^, choose, majority" Drawn: x.choose(y, z) + (x ^ y).majority(y, z);
            "one word: rotations and shifts" Drawn: $turned!(x);
        });
        all
    }};
}

fn of_words_of_32_bits() -> Vec<Operation<u32>> {
    of_sha2!(u32 W32 OneW32 turned_32)
}

fn of_words_of_64_bits() -> Vec<Operation<u64>> {
    let mut all = of_sha2!(u64 W64 OneW64 turned_64);
    all.extend(operations! {
        Proof8, u64, 1; |s, from| from[0], |v, to| to[0] = v;
        |x, y, z|
        "multiply_bits, low" Drawn: s.multiply_bits(x, y)[0];
        "multiply_bits, high" Drawn: s.multiply_bits(x, y)[1];
    });
    all
}

/// Lists operations on words of Keccak states.
macro_rules! of_keccak {
    ($token:ident, $lanes:expr;
     |$s:ident, $from:ident| $load:expr, |$v:ident, $to:ident| $store:expr) => { operations! {
        $token, u64, $lanes; |$s, $from| $load, |$v, $to| $store;
        |x, y, z|
        "^ of Keccak" Drawn: x ^ y;
        "xor3 of Keccak" Drawn: x.xor3(y, z);
        "xor5 of Keccak" Drawn: x.xor5(y, z, x, y);
        "chi of Keccak" Drawn: x.chi(y, z);
        "rotations of Keccak" Drawn: {
            let a = x.rol::<1>() ^ x.rol::<62>() ^ x.rol::<28>() ^ x.rol::<27>() ^ x.rol::<36>();
            let b = x.rol::<44>() ^ x.rol::<6>() ^ x.rol::<55>() ^ x.rol::<20>() ^ x.rol::<3>();
            let c = x.rol::<10>() ^ x.rol::<43>() ^ x.rol::<25>() ^ x.rol::<39>() ^ x.rol::<41>();
            let d = x.rol::<45>() ^ x.rol::<15>() ^ x.rol::<21>() ^ x.rol::<8>() ^ x.rol::<18>();
            a ^ b ^ c ^ d ^ x.rol::<2>() ^ x.rol::<61>() ^ x.rol::<56>() ^ x.rol::<14>()
        };
    } };
}

fn of_states() -> Vec<Operation<u64>> {
    let mut all = of_keccak! {
        Proof8, 1; |s, from| S::One::splat(s, from[0]), |v, to| to[0] = v.first()
    };
    all.extend(of_keccak! {
        Proof16, 4;
        |s, from| S::Four::from_array(s, *from.first_chunk().expect("four lanes")),
        |v, to| to.copy_from_slice(&v.to_array())
    });
    all.extend(of_keccak! {
        Proof32, 8;
        |s, from| S::Eight::from_array(s, *from.first_chunk().expect("eight lanes")),
        |v, to| to.copy_from_slice(&v.to_array())
    });
    all.extend(operations! {
        Proof8, u64, 4;
        |s, from| S::Bits::from_words(s, from.first_chunk().expect("four words")),
        |v, to| to.copy_from_slice(&v.to_words());
        |x, y, z|
        "&, | and ^ of bit strings" Drawn: x & y ^ (y | z);
    });
    all
}

/// Returns the checks of all operations on lanes.
pub(super) fn checks() -> Vec<Check> {
    let words = [of_words_of_64_bits(), of_states()].into_iter().flatten();
    let checks = of_16_bits().into_iter().map(Operation::into_check);
    let checks = checks.chain(of_32_bits().into_iter().map(Operation::into_check));
    let checks = checks.chain(of_words_of_32_bits().into_iter().map(Operation::into_check));
    checks.chain(words.map(Operation::into_check)).collect()
}

impl<T: Lane> Operation<T> {
    fn into_check(self) -> Check {
        Check { name: self.name, run: Box::new(move |most| self.check(most)) }
    }

    /// Compares the first lane of the tape with all lanes at each level, in so many blocks at most.
    fn check(&self, most: i64) -> Result<()> {
        let k = Kernel::new(self.name, 3329, 2, record(&self.record).remove(0));
        let mut function = k.function_of(k.output(0), &[0, 1, 2].map(|i| k.input(ROOM * i)));
        let levels: Vec<Level> = Level::available().collect();
        let (mut pool, mut operands) = (Pool::new(), [[0; BLOCK]; 3]);
        let (mut of, mut is, mut wanted) =
            ([[T::of(0); BLOCK]; 3], [T::of(0); BLOCK], [T::of(0); BLOCK]);
        for n in 0..self.at.blocks().min(most) {
            self.at.write(n, &mut pool, &mut operands);
            for (x, of) in operands.as_flattened_mut().iter_mut().zip(of.as_flattened_mut()) {
                (*x, *of) = (sign_extend(*x, T::BITS), T::of(*x));
            }
            let results = function.at(&operands);
            wanted.iter_mut().zip(results).for_each(|(wanted, x)| *wanted = T::of(*x));
            for level in &levels {
                (self.compute)(*level, &of, &mut is);
                if is == wanted {
                    continue;
                }
                let is_wrong = |i: &usize| is[*i] != wanted[*i] && !self.excepts(&operands, *i);
                if let Some(i) = (0..BLOCK).find(is_wrong) {
                    let [x, y, z] = of.map(|of| of[i]);
                    let (name, is, wanted) = (self.name, is[i], wanted[i]);
                    bail!("{name} of {x:x}, {y:x}, {z:x} at {level} is {is:x}, not {wanted:x}");
                }
            }
        }
        Ok(())
    }

    /// Whether the documentation excepts these operands.
    fn excepts(&self, operands: &[Values; 3], i: usize) -> bool {
        let is_least = |of: &Values| of[i] == i16::MIN.into();
        matches!(self.at, At::AllPairsButOne) && operands[..2].iter().all(is_least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A small part of what `--operations` compares.
    #[test]
    fn each_operation_is_that_of_its_tape() {
        for Check { name, run } in checks() {
            run(1 << 9).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }

    #[test]
    fn another_operation_is_found() {
        let of = |name| of_16_bits().into_iter().find(|operation| operation.name == name).unwrap();
        of("i16: srl 3").check(1 << 8).unwrap();
        let wrong = Operation { compute: of("i16: sra 3").compute, ..of("i16: srl 3") };
        let error = wrong.check(1 << 8).unwrap_err().to_string();
        assert_eq!(error, "i16: srl 3 of 8000, 0, 0 at scalar is f000, not 1000");
    }
}
