//! The compression function of SHA-256: by a unit of the CPU, or as in FIPS 180-4.
#![expect(unsafe_code, reason = "what `vectorize!` declares")]
use crate::memory::wipe;
use crate::vectorize;
use crate::vectors::hash::ShaUnit;

/// The constants of FIPS 180-4, section 4.2.2: fractional parts of the cube roots of the first 64
/// primes.
pub(crate) static K: [u32; 64] = {
    let (mut k, mut n, mut candidate) = ([0; 64], 0, 2);
    while n < 64 {
        if is_prime(candidate) {
            k[n] = cube_root_fraction(candidate);
            n += 1;
        }
        candidate += 1;
    }
    k
};

const fn is_prime(n: u128) -> bool {
    let mut d = 2;
    while d * d <= n {
        if n.is_multiple_of(d) {
            return false;
        }
        d += 1;
    }
    true
}

/// Returns the first 32 fractional bits of the cube root of `n`: floor(2^32 n^(1/3)) without the
/// integer part.
const fn cube_root_fraction(n: u128) -> u32 {
    let (mut root, mut bit) = (0, 1 << 36);
    while bit > 0 {
        let next = root | bit;
        if next * next * next <= n << 96 {
            root = next;
        }
        bit >>= 1;
    }
    root as u32
}

/// Compresses blocks into a state of SHA-256: FIPS 180-4, section 6.2.2.
pub(crate) fn sha256(state: &mut [u32; 8], blocks: &[[u8; 64]]) {
    let mut w = [0; 64];
    for block in blocks {
        for (w, bytes) in w.iter_mut().zip(block.as_chunks::<4>().0) {
            *w = u32::from_be_bytes(*bytes);
        }
        for t in 16..64 {
            let s0 = w[t - 15].rotate_right(7) ^ w[t - 15].rotate_right(18) ^ (w[t - 15] >> 3);
            let s1 = w[t - 2].rotate_right(17) ^ w[t - 2].rotate_right(19) ^ (w[t - 2] >> 10);
            w[t] = w[t - 16].wrapping_add(s0).wrapping_add(w[t - 7]).wrapping_add(s1);
        }
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
        for (k, w) in K.iter().zip(&w) {
            let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
            let choice = (e & f) ^ (!e & g);
            let t1 = h.wrapping_add(s1).wrapping_add(choice).wrapping_add(*k).wrapping_add(*w);
            let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
            let majority = (a & b) ^ (a & c) ^ (b & c);
            let t2 = s0.wrapping_add(majority);
            (h, g, f, e) = (g, f, e, d.wrapping_add(t1));
            (d, c, b, a) = (c, b, a, t1.wrapping_add(t2));
        }
        for (state, x) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
            *state = state.wrapping_add(x);
        }
    }
    wipe(&mut w);
}

/// Byte indices that reverse the bytes of each word.
const SWAP: [u8; 16] = [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12];

/// Compresses blocks like [`sha256`], with the unit.
#[inline(always)]
pub(crate) fn sha256_by<U: ShaUnit>(unit: U, state: &mut [u32; 8], blocks: &[[u8; 64]]) {
    vectorize!(unit => {
        let [abcd, efgh] = state.as_chunks_mut::<4>().0 else {
            unreachable!("eight are two times four")
        };
        let mut v = unit.state(unit.load(abcd), unit.load(efgh));
        for block in blocks {
            v = v + rounds(unit, v, block);
        }
        let words = unit.words(v);
        unit.store(words[0], abcd);
        unit.store(words[1], efgh);
    });
}

/// Runs all rounds of one block.
#[inline(always)]
fn rounds<U: ShaUnit>(unit: U, mut v: U::State, block: &[u8; 64]) -> U::State {
    let bytes = block.as_chunks::<4>().0;
    let word = |i: usize| u32::from_ne_bytes(bytes[i]);
    let row = |i: usize| [word(4 * i), word(4 * i + 1), word(4 * i + 2), word(4 * i + 3)];
    let words = |i: usize| unit.shuffle(unit.load(&row(i)), &SWAP);
    let mut w = [words(0), words(1), words(2), words(3)];
    each!(i in 0..16 => {
        let k = K[4 * i..].first_chunk().expect("64 constants");
        v = unit.rounds(v, w[0] + unit.load(k));
        // The last four rounds of the loop need no further words.
        let next = if i < 12 { unit.schedule(w) } else { w[0] };
        w = [w[1], w[2], w[3], next];
    });
    v
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FIPS 180-4, section 4.2.2: constants of the first primes and of the last, 311.
    #[test]
    fn constants_are_roots_of_primes() {
        let primes = (2..=311).filter(|n| is_prime(*n));
        assert!(primes.map(cube_root_fraction).eq(K));
        assert_eq!((K[0], K[1], K[63]), (0x428a_2f98, 0x7137_4491, 0xc671_78f2));
    }
}
