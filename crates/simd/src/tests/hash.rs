//! Tests every operation of the hash words at every level against a plain loop.
use core::fmt::Debug;
use std::vec::Vec;

use crate::level::Level;
use crate::tests::times;
use crate::vectors::Simd;
use crate::vectors::hash::{HashWords, ShaUnit};
use crate::{dispatch, vectorize};

/// Returns the generator splitmix64.
fn random(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed;
    move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// Tests the operations on words of one size.
macro_rules! words {
    ($check:ident $word:ident) => {
        #[inline(always)]
        fn $check<S: Simd, W: HashWords<S, $word>>(s: S, rows: &[[$word; 16]; 16]) {
            fn stored<S, W: HashWords<S, $word>>(v: W) -> Vec<$word> {
                let mut out = std::vec![0; W::LANES];
                v.store(&mut out);
                out
            }
            fn equal<T: PartialEq + Debug>(got: Vec<T>, f: impl Fn(usize) -> T) {
                let want: Vec<T> = (0..got.len()).map(f).collect();
                assert_eq!(got, want);
            }
            let [a, b, c, ..] = *rows;
            let load = |x: &[$word]| W::load(s, x);
            let (x, y, z) = (load(&a), load(&b), load(&c));
            let stored = stored::<S, W>;
            equal(stored(W::splat(s, a[3])), |_| a[3]);
            equal(stored(x), |i| a[i]);
            equal(stored(x + y), |i| a[i].wrapping_add(b[i]));
            equal(stored(x ^ y), |i| a[i] ^ b[i]);
            equal(stored(x.choose(y, z)), |i| (a[i] & b[i]) ^ (!a[i] & c[i]));
            equal(stored(x.majority(y, z)), |i| (a[i] & b[i]) ^ (a[i] & c[i]) ^ (b[i] & c[i]));
            equal(stored(x.xor3(y, z)), |i| a[i] ^ b[i] ^ c[i]);
            equal(stored(x.ror::<1>()), |i| a[i].rotate_right(1));
            equal(stored(x.ror::<19>()), |i| a[i].rotate_right(19));
            equal(stored(x.shr::<3>()), |i| a[i] >> 3);
            equal(stored(x.shl::<24>()), |i| a[i] << 24);
            for (i, column) in W::columns(s, rows).into_iter().enumerate() {
                equal(stored(column), |lane| rows[lane][i]);
            }
        }
    };
}
words!(words32 u32);
words!(words64 u64);

#[test]
fn words() {
    #[inline(always)]
    fn check<S: Simd>(s: S, rows: &[[u64; 16]; 16]) {
        let halves = rows.map(|row| row.map(|word| word as u32));
        words64::<S, S::W64>(s, rows);
        words64::<S, S::OneW64>(s, rows);
        words32::<S, S::W32>(s, &halves);
        words32::<S, S::OneW32>(s, &halves);
    }
    for level in Level::available() {
        let mut next = random(7);
        for _ in 0..times(100) {
            let rows = core::array::from_fn(|_| core::array::from_fn(|_| next()));
            dispatch!(level, s => check(s, &rows));
        }
    }
}

/// Runs a round with the sum of a message word and its constant: FIPS 180-4, section 6.2.2, step 3.
fn round([a, b, c, d, e, f, g, h]: [u32; 8], sum: u32) -> [u32; 8] {
    let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
    let t1 = h.wrapping_add(s1).wrapping_add((e & f) ^ (!e & g)).wrapping_add(sum);
    let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
    let t2 = s0.wrapping_add((a & b) ^ (a & c) ^ (b & c));
    [t1.wrapping_add(t2), a, b, c, d.wrapping_add(t1), e, f, g]
}

/// Returns the words after 16 words of the message schedule: FIPS 180-4, section 6.2.2, step 1.
fn next_words(first: &[u32; 16]) -> [u32; 4] {
    let mut w = first.to_vec();
    for t in 16..20 {
        let s0 = w[t - 15].rotate_right(7) ^ w[t - 15].rotate_right(18) ^ (w[t - 15] >> 3);
        let s1 = w[t - 2].rotate_right(17) ^ w[t - 2].rotate_right(19) ^ (w[t - 2] >> 10);
        w.push(s1.wrapping_add(w[t - 7]).wrapping_add(s0).wrapping_add(w[t - 16]));
    }
    core::array::from_fn(|i| w[16 + i])
}

#[test]
fn units() {
    #[inline(always)]
    fn check_rounds<U: ShaUnit>(unit: U, state: &mut [u32; 8], w: &[u32; 16], next: &mut [u32; 4]) {
        let rows = w.as_chunks::<4>().0;
        let (abcd, efgh) = (&[state[0], state[1], state[2], state[3]], &state[4..]);
        let efgh = efgh.first_chunk().unwrap();
        let start = unit.state(unit.load(abcd), unit.load(efgh));
        let words = unit.words(start + unit.rounds(start, unit.load(&rows[0])));
        let (low, high) = state.split_at_mut(4);
        unit.store(words[0], low.try_into().unwrap());
        unit.store(words[1], high.try_into().unwrap());
        let row = |i: usize| unit.load(&rows[i]);
        unit.store(unit.schedule([row(0), row(1), row(2), row(3)]) + row(0), next);
    }
    #[inline(always)]
    fn check<S: Simd>(s: S) {
        let Some(unit) = s.sha_unit() else {
            std::eprintln!("no unit for SHA-256 at {s:?}");
            return;
        };
        let mut next = random(9);
        for _ in 0..times(100) {
            let w: [u32; 16] = core::array::from_fn(|_| next() as u32);
            let start: [u32; 8] = core::array::from_fn(|_| next() as u32);
            let (mut state, mut words) = (start, [0; 4]);
            vectorize!(unit => check_rounds(unit, &mut state, &w, &mut words));
            let after = w[..4].iter().fold(start, |state, sum| round(state, *sum));
            assert!((0..8).all(|i| state[i] == start[i].wrapping_add(after[i])));
            let want = next_words(&w);
            assert!((0..4).all(|i| words[i] == want[i].wrapping_add(w[i])));
        }
        let mut table = [255; 16];
        table[3] = 0;
        table[4] = 14;
        let (mut got, words) = ([0; 4], [1, 2, 3, 0x0405_0607]);
        unit.store(unit.shuffle(unit.load(&words) ^ unit.load(&[0; 4]), &table), &mut got);
        assert_eq!(got, [1 << 24, 5, 0, 0]);
    }
    for level in Level::available() {
        dispatch!(level, s => check(s));
    }
}
