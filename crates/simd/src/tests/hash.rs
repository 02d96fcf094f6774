//! Tests every operation of the hash words at every level against a plain loop.
use core::fmt::Debug;
use std::vec::Vec;

use crate::level::Level;
use crate::scalar::sha;
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
        words64::<S, S::W64>(s, rows);
        words32::<S, S::W32>(s, &rows.map(|row| row.map(|word| word as u32)));
    }
    for level in Level::available() {
        let mut next = random(7);
        for _ in 0..times(100) {
            let rows = core::array::from_fn(|_| core::array::from_fn(|_| next()));
            dispatch!(level, s => check(s, &rows));
        }
    }
}

/// The unit's operations, combined into a compression.
#[test]
fn units() {
    #[inline(always)]
    fn compress<U: ShaUnit>(unit: U, state: &mut [u32; 8], block: &[u32; 16]) {
        let four = |i: usize| {
            unit.load(&[block[4 * i], block[4 * i + 1], block[4 * i + 2], block[4 * i + 3]])
        };
        let mut w = [four(0), four(1), four(2), four(3)];
        let [low, high] = [0, 4].map(|i| *state[i..].first_chunk().unwrap());
        let start = unit.state(unit.load(&low), unit.load(&high));
        let mut v = start;
        for k in sha::K.as_chunks::<4>().0 {
            v = unit.rounds(v, w[0] + unit.load(k));
            w = [w[1], w[2], w[3], unit.schedule(w)];
        }
        let [abcd, efgh] = unit.words(start + v);
        let (low, high) = state.split_at_mut(4);
        unit.store(abcd, low.try_into().unwrap());
        unit.store(efgh, high.try_into().unwrap());
    }
    #[inline(always)]
    fn check<S: Simd>(s: S) {
        let Some(unit) = s.sha_unit() else {
            std::eprintln!("no unit for SHA-256 at {s:?}");
            return;
        };
        let mut next = random(9);
        for _ in 0..times(100) {
            let block: [u32; 16] = core::array::from_fn(|_| next() as u32);
            let mut state: [u32; 8] = core::array::from_fn(|_| next() as u32);
            let (mut want, mut bytes) = (state, [0; 64]);
            for (bytes, word) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(&block) {
                *bytes = word.to_be_bytes();
            }
            sha::sha256(&mut want, &[bytes]);
            vectorize!(unit => compress(unit, &mut state, &block));
            assert_eq!(state, want);
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
