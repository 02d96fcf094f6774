//! The representation of unknowns in memory.
//!
//! Kernels keep lanes in plain arrays, copy these, split them into bytes, mask and shift them, read
//! constants from tables of the same type. So an unknown needs a name that survives being moved as
//! plain bits and cannot be mistaken for a constant. The kernel runs [`RUNS`] times. Each bit of
//! each unknown has a code word: the number of the unknown, the number of the bit, a checksum of
//! both, then 0 and 1. In run k, the k-th bit of the code word is in memory. After all runs, the
//! sequence of values of a loaded bit shows what it is:
//! - always the same value: a constant. No name is constant, since the last two runs differ;
//! - a code word: that bit of that unknown, wherever it was moved;
//! - anything else: plain code has computed with a name. This is an error, reported with the place
//!   of the load; except that words of hashes may be sums of two that memory held before, with
//!   carry or without, which are told by what they were in all runs.
//!
//! A kernel that branches on a name, or computes an address from one, is noticed if it does not do
//! the same in all runs: a name takes few values. So `cargo xtask prove --branches` records each
//! kernel once more under valgrind, with names that are undefined there: it reports each branch and
//! each address that depends on a name, whatever its value. What neither notices is plain code that
//! computes a condition without a branch, and with it a number that is a name in all runs.
//! Memory that has not been written holds names, too: of numbers that count down from [`LAST`], one
//! for each word, so that no two of them cancel.
/// The number of an unknown: that of the operation that made it. It has the size of a Keccak word,
/// since kernels compute with the size of a vector.
pub type Id = u64;

/// Widths in bits: of the number of an unknown, of the number of a bit, of the checksum of both.
const FIELDS: [usize; 3] = [22, 6, 14];
const ID: usize = FIELDS[0];
const BIT: usize = ID + FIELDS[1];
const SUM: usize = BIT + FIELDS[2];

/// How often a kernel runs.
pub const RUNS: usize = SUM + 2;

/// The largest number of an unknown.
pub const LAST: Id = (1 << FIELDS[0]) - 1;

/// Returns the checksum of bit `bit` of an unknown.
#[inline(always)]
fn checksum(id: Id, bit: u64) -> u64 {
    let both = id << 6 | bit;
    (both + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - FIELDS[2])
}

/// Returns what memory holds for byte `byte` of an unknown in run `run`.
///
/// # Panics
/// If there are too many unknowns.
#[must_use]
pub fn name(id: Id, byte: usize, run: usize) -> u8 {
    assert!(id <= LAST, "at most 2^22 operations");
    // Most of the time of a recording is spent here.
    match run {
        0..ID => ((id >> run & 1) as u8).wrapping_neg(),
        ID..BIT => match run - ID {
            low @ 0..3 => [0b1010_1010, 0b1100_1100, 0b1111_0000][low],
            high => ((byte >> (high - 3) & 1) as u8).wrapping_neg(),
        },
        BIT..SUM => (0..8).fold(0, |all, i| {
            let bit = checksum(id, 8 * byte as u64 + i) >> (run - BIT) & 1;
            all | (bit as u8) << i
        }),
        SUM => 0,
        _ => 255,
    }
}

/// What the runs saw in one bit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seen {
    /// Always the same.
    Constant(bool),
    /// A bit of an unknown.
    Bit(Id, u8),
    /// The result of a computation on names.
    Computed,
}

/// Returns what bit `i` of a byte is that had these values in the runs.
#[must_use]
pub fn seen(values: &[u8; RUNS], i: usize) -> Seen {
    let code = (0..RUNS).fold(0_u64, |code, run| code | u64::from(values[run] >> i & 1) << run);
    if code == 0 || code == (1 << RUNS) - 1 {
        return Seen::Constant(code != 0);
    }
    let part = |from: usize, to: usize| code >> from & ((1 << (to - from)) - 1);
    let (id, bit) = (part(0, ID) as Id, part(ID, BIT));
    let is_name = part(BIT, SUM) == checksum(id, bit) && part(SUM, RUNS) == 0b10;
    if is_name { Seen::Bit(id, bit as u8) } else { Seen::Computed }
}
