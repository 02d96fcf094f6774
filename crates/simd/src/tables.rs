//! Tables of indices, and other helpers shared by backends of more than one architecture.
use crate::memory::wipe;

/// Returns for each mask the indices whose bits are set, where `each` indices have the same bit.
pub(crate) const fn compress<const N: usize, const MASKS: usize>(each: usize) -> [[u8; N]; MASKS] {
    let mut t = [[0; N]; MASKS];
    each!(good in 0..MASKS => {
        let mut n = 0;
        each!(i in 0..N => {
            if good >> (i / each) & 1 == 1 {
                t[good][n] = i as u8;
                n += 1;
            }
        });
    });
    t
}

/// For each mask, the byte indices of the 16-bit lanes whose bits are set.
pub(crate) static COMPRESS16: [[u8; 16]; 256] = compress(2);

/// Positions of eight fields of `D` bits for 32-bit lanes: four fields are in a load from the first
/// byte on, four in another from byte `SECOND` on.
pub(crate) struct Unpack32<const D: usize>;

impl<const D: usize> Unpack32<D> {
    /// The byte at which the load of the upper four fields begins.
    pub(crate) const SECOND: usize = if D >= 16 { D - 16 } else { D.saturating_sub(8) };
    /// The indices of four bytes for each field; bytes beyond a load belong to no field.
    pub(crate) const SPREAD: [u8; 32] = {
        let mut t = [0; 32];
        each!(i in 0..32 => {
            let byte = i / 4 * D / 8 + i % 4 - if i < 16 { 0 } else { Self::SECOND };
            t[i] = if byte < 16 { byte as u8 } else { 0x80 };
        });
        t
    };
    /// The first bit of each field in its four bytes.
    pub(crate) const SHIFT: [i32; 8] = {
        let mut t = [0; 8];
        each!(i in 0..8 => {
            t[i] = (i * D % 8) as i32;
            assert!(t[i] as usize + D <= 32, "the field is within four bytes");
        });
        t
    };
}

/// Joins four words of `2 D` bits to `D` bytes.
#[inline(always)]
pub(crate) fn join<const D: usize>([a, b, c, d]: [u64; 4], to: &mut [u8]) {
    if D <= 16 {
        let (low, high) = (a | b << (2 * D), c | d << (2 * D));
        if D <= 8 {
            to.copy_from_slice(&(low | high << (4 * D)).to_le_bytes()[..D]);
        } else {
            let all = u128::from(low) | u128::from(high) << (4 * D);
            to.copy_from_slice(&all.to_le_bytes()[..D]);
        }
    } else {
        // D is even: the halves fill whole bytes.
        let half = |a: u64, b: u64| (u128::from(a) | u128::from(b) << (2 * D)).to_le_bytes();
        to[..D / 2].copy_from_slice(&half(a, b)[..D / 2]);
        to[D / 2..].copy_from_slice(&half(c, d)[..D / 2]);
    }
}

/// Fills `out` with batches of `N` bytes, starting at a counter. The last batch is cut.
#[inline(always)]
pub(crate) fn fill_by_batches<const N: usize>(
    mut counter: u32,
    out: &mut [u8],
    encrypt: impl Fn(u32, &mut [u8; N]),
) {
    for out in out.chunks_mut(N) {
        let mut batch = [0; N];
        let whole = out.len() == N;
        // A single call, so that it is inlined.
        encrypt(counter, if whole { out.first_chunk_mut().expect("a batch") } else { &mut batch });
        if !whole {
            out.copy_from_slice(&batch[..out.len()]);
            wipe(&mut batch);
        }
        counter = counter.wrapping_add(const { (N >> 4) as u32 });
    }
}
