//! The representation of unknowns in memory.
//!
//! Kernels keep lanes in plain arrays, copy these, split them into bytes, mask and shift them, read
//! constants from tables of the same type. So an unknown needs a name that survives being moved as
//! plain bits and cannot be mistaken for a constant. The kernel runs [`RUNS`] times. Each bit of
//! each unknown has a code word: 0 and 1, the number of the bit, a checksum of this and the number
//! of the unknown, then the number of the unknown. In run k, the k-th bit of the code word is in
//! memory. After all runs, the sequence of values of a loaded bit shows what it is:
//! - always the same value: a constant. No name is constant, since the first two runs differ;
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
//! Memory that has not been written holds names, too: of numbers above those of all operations, one
//! for each word, so that no two of them cancel.
//!
//! Most kernels have far fewer unknowns than [`LAST`], whose numbers begin with zeros. A run in
//! which all names are zero is the first run again, and is not repeated: [`names_are_zero`].
/// The number of an unknown: that of the operation that made it. It has the size of a Keccak word,
/// since kernels compute with the size of a vector.
pub type Id = u64;

/// Widths in bits: 0 and 1, the number of a bit, the checksum, the number of an unknown.
const FIELDS: [usize; 4] = [2, 6, 14, 22];
const BIT: usize = FIELDS[0];
const SUM: usize = BIT + FIELDS[1];
const ID: usize = SUM + FIELDS[2];

/// How often a kernel runs at most.
pub const RUNS: usize = ID + FIELDS[3];

/// The largest number of an unknown.
pub const LAST: Id = (1 << FIELDS[3]) - 1;

/// Returns whether memory holds zeros for all of the first `unknowns` unknowns in run `run`.
#[must_use]
pub fn names_are_zero(unknowns: usize, run: usize) -> bool {
    run == 0 || run >= ID && (unknowns as Id).saturating_sub(1) >> (run - ID) == 0
}

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
        0 => 0,
        1 => 255,
        BIT..SUM => match run - BIT {
            low @ 0..3 => [0b1010_1010, 0b1100_1100, 0b1111_0000][low],
            high => ((byte >> (high - 3) & 1) as u8).wrapping_neg(),
        },
        SUM..ID => (0..8).fold(0, |all, i| {
            let bit = checksum(id, 8 * byte as u64 + i) >> (run - SUM) & 1;
            all | (bit as u8) << i
        }),
        _ => ((id >> (run - ID) & 1) as u8).wrapping_neg(),
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

/// Returns what the bits of a byte are that had these values in the runs, lowest first.
#[must_use]
pub fn seen(values: &[u8; RUNS]) -> [Seen; 8] {
    let mut codes = [0_u64; 8];
    for (i, rows) in values.chunks(8).enumerate() {
        let mut square = [0; 8];
        square[..rows.len()].copy_from_slice(rows);
        let columns = transpose(u64::from_le_bytes(square)).to_le_bytes();
        codes.iter_mut().zip(columns).for_each(|(code, bits)| *code |= u64::from(bits) << (8 * i));
    }
    codes.map(decode)
}

/// Transposes the matrix whose rows are the bytes.
fn transpose(rows: u64) -> u64 {
    let swap = |x: u64, shift: u32, mask: u64| {
        let differences = (x ^ x >> shift) & mask;
        x ^ differences ^ differences << shift
    };
    let pairs = swap(rows, 7, 0x00aa_00aa_00aa_00aa);
    let fours = swap(pairs, 14, 0x0000_cccc_0000_cccc);
    swap(fours, 28, 0x0000_0000_f0f0_f0f0)
}

/// Returns what a bit is that had the values of a code word in the runs.
fn decode(code: u64) -> Seen {
    if code == 0 || code == (1 << RUNS) - 1 {
        return Seen::Constant(code != 0);
    }
    let part = |from: usize, to: usize| code >> from & ((1 << (to - from)) - 1);
    let (id, bit) = (part(ID, RUNS) as Id, part(BIT, SUM));
    let is_name = part(SUM, ID) == checksum(id, bit) && part(0, BIT) == 0b10;
    if is_name { Seen::Bit(id, bit as u8) } else { Seen::Computed }
}
