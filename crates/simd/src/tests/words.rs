//! Tests words of Keccak states.
use std::vec::Vec;

use crate::dispatch;
use crate::tests::{each_level, times};
use crate::vectors::Simd;
use crate::vectors::words::{U64Lanes, U64s};

#[inline(always)]
fn one<S: Simd>(s: S, x: u64, y: u64, z: u64) {
    let [a, b, c] = [x, y, z].map(|x| S::One::splat(s, x));
    assert_eq!((a ^ b).first(), x ^ y);
    assert_eq!(a.chi(b, c).first(), x ^ (!y & z));
    assert_eq!(a.xor5(b, c, b, b).first(), x ^ y ^ z);
    assert_eq!(a.rol::<1>().first(), x.rotate_left(1));
    assert_eq!((S::One::PARTS, a.part(0).first()), (1, x));
    let mut replaced = a;
    replaced.set_part(0, b.part(0));
    assert_eq!(replaced.first(), y);
}

#[inline(always)]
fn many<S: Simd, W: U64Lanes<S, N>, const N: usize>(s: S, w: &[[u64; 8]; 5], mask: u64) {
    let cut = |w: &[u64; 8]| *w.first_chunk::<N>().expect("N is at most 8");
    let [x, y, z, t, u] = [cut(&w[0]), cut(&w[1]), cut(&w[2]), cut(&w[3]), cut(&w[4])];
    let [a, b, c] = [x, y, z].map(|x| W::from_array(s, x));
    let equal = |v: W, f: &dyn Fn(usize) -> u64| {
        assert_eq!(v.to_array(), core::array::from_fn::<u64, N, _>(f), "{s:?} {N}");
    };
    equal(W::splat(s, x[1]), &|_| x[1]);
    equal(a ^ b, &|i| x[i] ^ y[i]);
    equal(a.chi(b, c), &|i| x[i] ^ (!y[i] & z[i]));
    equal(a.xor3(b, c), &|i| x[i] ^ y[i] ^ z[i]);
    let five = a.xor5(b, c, W::from_array(s, t), W::from_array(s, u));
    equal(five, &|i| x[i] ^ y[i] ^ z[i] ^ t[i] ^ u[i]);
    macro_rules! rotations { ($($n:literal)*) => { $(
        equal(a.rol::<$n>(), &|i| x[i].rotate_left($n));
    )* } }
    rotations!(1 2 3 6 8 10 14 15 18 20 21 25 27 28 36 39 41 43 44 45 55 56 61 62 63);
    let lanes: [u64; N] = core::array::from_fn(|i| (mask >> i & 1).wrapping_neg());
    let m = W::from_array(s, lanes);
    equal(a.select(m, b), &|i| if lanes[i] == 0 { x[i] } else { y[i] });
    equal(a.xor_masked(m, y[0]), &|i| x[i] ^ (lanes[i] & y[0]));
    assert_eq!(a.first(), x[0]);

    let mut rebuilt = b;
    for i in 0..W::PARTS {
        rebuilt.set_part(i, a.part(i));
    }
    equal(rebuilt, &|i| x[i]);

    let mut rows = [[0xee; 40]; N];
    W::store_words([a, b, c, W::from_array(s, t)], &mut rows, 8);
    for (lane, row) in rows.iter().enumerate() {
        let want: Vec<u8> = [x, y, z, t].iter().flat_map(|w| w[lane].to_le_bytes()).collect();
        assert_eq!((&row[..8], &row[8..]), (&[0xee; 8][..], &want[..]), "{s:?} {N}");
    }
    let rows: [[u64; 4]; N] = core::array::from_fn(|i| [x[i], y[i], z[i], t[i]]);
    let [d, e, f, g] = W::load_words(s, rows.each_ref());
    for (word, want) in [(d, x), (e, y), (f, z), (g, t)] {
        equal(word, &|i| want[i]);
    }
}

#[inline(always)]
fn many_four<S: Simd>(s: S, w: &[[u64; 8]; 5], mask: u64) {
    many::<S, S::Four, 4>(s, w, mask);
}

#[inline(always)]
fn many_eight<S: Simd>(s: S, w: &[[u64; 8]; 5], mask: u64) {
    many::<S, S::Eight, 8>(s, w, mask);
    let halves = |w: &[u64; 8]| {
        let (low, high) = (w.first_chunk().expect("eight words"), w.last_chunk().expect("eight"));
        (S::Four::from_array(s, *low), S::Four::from_array(s, *high))
    };
    let (low, high) = halves(&w[0]);
    assert_eq!(s.join(low, high).to_array(), w[0], "{s:?}");
    let [low, high] = s.split(S::Eight::from_array(s, w[1]));
    assert_eq!([low.to_array(), high.to_array()].as_flattened(), w[1], "{s:?}");
}

#[test]
fn words() {
    each_level(|level, random| {
        for _ in 0..times(50) {
            let mut w = [[0; 8]; 5];
            w.as_flattened_mut().iter_mut().for_each(|w| *w = random.next());
            let mask = random.next();
            dispatch!(level, s => one(s, w[0][0], w[1][0], w[2][0]));
            dispatch!(level, s => many_four(s, &w, mask));
            dispatch!(level, s => many_eight(s, &w, mask));
        }
    });
}
