//! Keccak-f\[1600\] (FIPS 202, section 3), generic over one state or several in parallel.
use oaklath_simd::{Simd, U64s, aligned_frame, each, instances, vectorize};

/// The number of bytes that SHAKE128 absorbs with one permutation.
pub const RATE_SHAKE128: usize = 168;
/// The number of bytes that SHAKE256 and SHA3-256 absorb with one permutation.
pub const RATE_256: usize = 136;
/// The number of bytes that SHA3-512 absorbs with one permutation.
pub const RATE_SHA3_512: usize = 72;
/// Returns a rate in words.
pub(crate) const fn words(rate: usize) -> usize {
    rate >> 3
}

/// The byte after the message in SHA3: the suffix 01 and the first 1 of the padding.
pub const SUFFIX_SHA3: u8 = 0x06;
/// The byte after the message in SHAKE: the suffix 1111 and the first 1 of the padding.
pub const SUFFIX_SHAKE: u8 = 0x1f;

/// The constants of iota: FIPS 202, Algorithm 5.
static ROUND_CONSTANTS: [u64; 24] = {
    let mut constants = [0; 24];
    // The LFSR x^8 + x^6 + x^5 + x^4 + 1: output j of round i is bit 2^j - 1 of constant i.
    let mut lfsr: u16 = 1;
    each!(i in 0..24 => {
        each!(j in 0..7 => {
            constants[i] |= ((lfsr & 1) as u64) << ((1 << j) - 1);
            lfsr <<= 1;
            if lfsr & 0x100 != 0 {
                lfsr ^= 0x171;
            }
        });
    });
    constants
};

/// Permutes one state, whose word `x + 5 y` holds lane (x, y).
///
/// Out of line, so that there is one copy for each backend.
#[inline(never)]
pub fn permute<S: Simd>(s: S, state: &mut [u64; 25]) {
    vectorize!(s => {
        let mut a = [S::One::splat(s, 0); 25];
        each!(i in 0..25 => a[i] = S::One::splat(s, state[i]));
        f1600(s, &mut a);
        each!(i in 0..25 => state[i] = a[i].first());
    });
}

/// Permutes the states of the lanes whose bit is set in `active`; the others may or may not be
/// permuted too.
#[inline(never)]
pub fn permute_lanes<S: Simd, W: U64s<S>>(s: S, state: &mut [W; 25], active: u32) {
    vectorize!(s.keccak_unit() => {
        aligned_frame!();
        // The number of lanes in a part, which is 1 where parts are scalar words.
        let width = size_of::<W::Part>() >> 3;
        each!(p in 0..W::PARTS => {
            if active >> (p * width) & ((1 << width) - 1) != 0 {
                let mut part = [state[0].part(p); 25];
                each!(i in 1..25 => part[i] = state[i].part(p));
                f1600(s, &mut part);
                each!(i in 0..25 => state[i].set_part(p, part[i]));
            }
        });
    });
}

/// Permutes two groups of four states, as one group of eight where a register holds eight words.
#[inline(never)]
pub fn permute_two<S: Simd>(s: S, a: &mut [S::Four; 25], b: &mut [S::Four; 25]) {
    if const { S::Eight::PARTS != 1 } {
        permute_lanes(s, a, 15);
        return permute_lanes(s, b, 15);
    }
    vectorize!(s.keccak_unit() => {
        let mut state = [s.join(a[0], b[0]); 25];
        each!(i in 1..25 => state[i] = s.join(a[i], b[i]));
        f1600(s, &mut state);
        each!(i in 0..25 => [a[i], b[i]] = s.split(state[i]));
    });
}

/// Computes one plane of the result of a round: takes words of the state, each with its column,
/// adds theta's terms, rotates the sums left, and applies chi.
macro_rules! plane {
    ($a:ident $d:ident: $i0:literal $c0:literal $(<< $r0:literal)?,
     $($i:literal $c:literal << $r:literal),*) => {{
        let b = [add($a[$i0], $d[$c0])$(.rol::<$r0>())?, $(add($a[$i], $d[$c]).rol::<$r>()),*];
        [
            b[0].chi(b[1], b[2]),
            b[1].chi(b[2], b[3]),
            b[2].chi(b[3], b[4]),
            b[3].chi(b[4], b[0]),
            b[4].chi(b[0], b[1]),
        ]
    }};
}

/// Returns what theta adds to a column: two terms where an instruction adds three words, else one.
#[inline(always)]
fn terms<S: Simd, W: U64s<S>>(a: W, b: W) -> [W; 2] {
    if const { W::TERNARY } { [a, b] } else { [a ^ b; 2] }
}

/// Adds to a word what theta adds to its column.
#[inline(always)]
fn add<S: Simd, W: U64s<S>>(a: W, d: [W; 2]) -> W {
    if const { W::TERNARY } { a.xor3(d[0], d[1]) } else { a ^ d[0] }
}

/// Runs 24 rounds, one in each iteration: unrolling two spills more and is slower on vectors.
#[inline(always)]
fn f1600<S: Simd, W: U64s<S>>(s: S, state: &mut [W; 25]) {
    let mut a = *state;
    each!(i in 0..24 => a = round(s, &a, i));
    *state = a;
}

/// Permutes a state of which many words are zero before, or few are needed after: the first round
/// and the last are outside the loop, so that the compiler omits what is not needed.
#[inline(always)]
pub(crate) fn f1600_of_few<S: Simd, W: U64s<S>>(s: S, state: &[W; 25]) -> [W; 25] {
    let mut a = round(s, state, 0);
    each!(i in 1..23 => a = round(s, &a, i));
    round(s, &a, 23)
}

/// Computes round `i`: FIPS 202, section 3.3.
#[inline(always)]
fn round<S: Simd, W: U64s<S>>(s: S, a: &[W; 25], i: usize) -> [W; 25] {
    // Theta: the parities of the columns, and what is added to each column.
    let c0 = a[0].xor5(a[5], a[10], a[15], a[20]);
    let c1 = a[1].xor5(a[6], a[11], a[16], a[21]);
    let c2 = a[2].xor5(a[7], a[12], a[17], a[22]);
    let c3 = a[3].xor5(a[8], a[13], a[18], a[23]);
    let c4 = a[4].xor5(a[9], a[14], a[19], a[24]);
    let d = [
        terms(c4, c1.rol::<1>()),
        terms(c0, c2.rol::<1>()),
        terms(c1, c3.rol::<1>()),
        terms(c2, c4.rol::<1>()),
        terms(c3, c0.rol::<1>()),
    ];
    let [e0, e1, e2, e3, e4] = plane!(a d: 0 0, 6 1 << 44, 12 2 << 43, 18 3 << 21, 24 4 << 14);
    let [e5, e6, e7, e8, e9] = plane!(a d: 3 3 << 28, 9 4 << 20, 10 0 << 3, 16 1 << 45, 22 2 << 61);
    let [f0, f1, f2, f3, f4] = plane!(a d: 1 1 << 1, 7 2 << 6, 13 3 << 25, 19 4 << 8, 20 0 << 18);
    let [f5, f6, f7, f8, f9] =
        plane!(a d: 4 4 << 27, 5 0 << 36, 11 1 << 10, 17 2 << 15, 23 3 << 56);
    let [g0, g1, g2, g3, g4] = plane!(a d: 2 2 << 62, 8 3 << 55, 14 4 << 39, 15 0 << 41, 21 1 << 2);
    let e0 = e0 ^ W::splat(s, ROUND_CONSTANTS[i]);
    [
        e0, e1, e2, e3, e4, e5, e6, e7, e8, e9, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, g0, g1, g2,
        g3, g4,
    ]
}

instances! { S =>
    permute::<S>,
    permute_lanes::<S, <S as Simd>::Four>,
    permute_lanes::<S, <S as Simd>::Eight>,
    permute_two::<S>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use oaklath_simd::{Level, U64Lanes, dispatch};

    /// The first words of the permuted zero state: XKCP's `KeccakF-1600-IntermediateValues.txt`.
    const ZERO_PERMUTED: [u64; 3] =
        [0xF125_8F79_40E1_DDE7, 0x84D5_CCF9_33C0_478A, 0xD598_261E_A65A_A9EE];

    #[test]
    fn round_constants() {
        assert_eq!(ROUND_CONSTANTS[..4], [1, 0x8082, 0x8000_0000_0000_808a, 0x8000_0000_8000_8000]);
        assert_eq!(ROUND_CONSTANTS[23], 0x8000_0000_8000_8008);
    }

    #[test]
    fn every_lane_of_every_level_is_the_permutation() {
        #[inline(always)]
        fn lanes<S: Simd, W: U64Lanes<S, N>, const N: usize>(s: S, start: &[[u64; 25]; 8]) {
            let word = |i: usize| W::from_array(s, core::array::from_fn(|lane| start[lane][i]));
            let mut state: [W; 25] = core::array::from_fn(word);
            permute_lanes(s, &mut state, (1 << N) - 1);
            for (lane, start) in start.iter().enumerate().take(N) {
                let mut want = *start;
                permute(s, &mut want);
                let got: [u64; 25] = core::array::from_fn(|i| state[i].to_array()[lane]);
                assert_eq!(got, want, "{s:?} lane {lane} of {N}");
            }
        }
        #[inline(always)]
        fn two<S: Simd>(s: S, start: &[[u64; 25]; 8]) {
            let words = |first: usize| {
                core::array::from_fn(|i| {
                    S::Four::from_array(s, core::array::from_fn(|lane| start[first + lane][i]))
                })
            };
            let (mut a, mut b): ([S::Four; 25], [S::Four; 25]) = (words(0), words(4));
            let (mut want_a, mut want_b) = (a, b);
            permute_two(s, &mut a, &mut b);
            permute_lanes(s, &mut want_a, 15);
            permute_lanes(s, &mut want_b, 15);
            let arrays = |state: [S::Four; 25]| state.map(S::Four::to_array);
            assert_eq!(arrays(a), arrays(want_a), "{s:?}");
            assert_eq!(arrays(b), arrays(want_b), "{s:?}");
        }
        let mut start = [[0; 25]; 8];
        let mut x: u64 = 1;
        for word in start[1..].as_flattened_mut() {
            x = x.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            *word = x;
        }
        let mut scalar = start[7];
        permute(oaklath_simd::Scalar, &mut scalar);
        for level in Level::available() {
            let mut zero = [0; 25];
            dispatch!(level, s => permute(s, &mut zero));
            assert_eq!(zero[..3], ZERO_PERMUTED, "{level}");
            let mut other = start[7];
            dispatch!(level, s => permute(s, &mut other));
            assert_eq!(other, scalar, "{level}");
            dispatch!(level, s => four(s, &start));
            dispatch!(level, s => eight(s, &start));
        }
        #[inline(always)]
        fn four<S: Simd>(s: S, start: &[[u64; 25]; 8]) {
            lanes::<S, S::Four, 4>(s, start);
            two(s, start);
        }
        #[inline(always)]
        fn eight<S: Simd>(s: S, start: &[[u64; 25]; 8]) {
            lanes::<S, S::Eight, 8>(s, start);
        }
    }
}
