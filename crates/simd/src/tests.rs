//! Every operation at every level against a plain loop.
use std::vec::Vec;

use crate::compare::same_at_every_level;
use crate::{Aes256, I16s, Level, Simd, U64Lanes, U64s, dispatch};

/// splitmix64.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// 32 lanes, extreme values among them.
    fn lanes(&mut self) -> Vec<i16> {
        const EXTREME: [i16; 6] = [0, 1, -1, i16::MAX, i16::MIN, 3329];
        let lane =
            |r: u64| if r & 7 == 0 { EXTREME[(r >> 8) as usize % 6] } else { (r >> 16) as i16 };
        (0..32).map(|_| lane(self.next())).collect()
    }
}

/// So many times, or fewer where an interpreter looks at each step.
pub(crate) const fn times(n: usize) -> usize {
    if cfg!(miri) { 2 } else { n }
}

pub(crate) fn each_level(check: impl Fn(Level, &mut Random)) {
    for level in Level::available() {
        check(level, &mut Random(42));
    }
}

fn stored<S: Simd>(v: S::I16) -> Vec<i16> {
    let mut out = std::vec![0; S::I16::LANES];
    v.store(&mut out);
    out
}

#[test]
fn arithmetic() {
    #[inline(always)]
    fn check<S: Simd>(s: S, a: &[i16], b: &[i16]) {
        let (n, (x, y)) = (S::I16::LANES, (S::I16::load(s, a), S::I16::load(s, b)));
        let equal = |v: S::I16, f: &dyn Fn(i16, i16) -> i16| {
            let want: Vec<i16> = (0..n).map(|i| f(a[i], b[i])).collect();
            assert_eq!(stored::<S>(v), want, "{s:?} {a:?} {b:?}");
        };
        let wide = |a: i16, b: i16| i32::from(a) * i32::from(b);
        equal(x, &|a, _| a);
        equal(S::I16::splat(s, a[3]), &|_, _| a[3]);
        equal(x + y, &i16::wrapping_add);
        equal(x - y, &i16::wrapping_sub);
        equal(x & y, &|a, b| a & b);
        equal(x | y, &|a, b| a | b);
        equal(x ^ y, &|a, b| a ^ b);
        equal(x.mullo(y), &i16::wrapping_mul);
        // The one pair of lanes that is excepted is no factor of anything.
        let factor = |b: i16| b.max(-i16::MAX);
        let bounded: Vec<i16> = b.iter().map(|b| factor(*b)).collect();
        let z = S::I16::load(s, &bounded);
        equal(x.mulhi(z), &|a, b| (wide(a, factor(b)) >> 16) as i16);
        let montgomery =
            x.mul_montgomery([z, z.mullo(S::I16::splat(s, -3327))], S::I16::splat(s, 3329));
        equal(montgomery, &|a, b| {
            let p = wide(a, factor(b));
            let m = (p as i16).wrapping_mul(-3327);
            ((p - wide(m, 3329)) >> 16) as i16
        });
        equal(x.mulhrs(S::I16::splat(s, 20159)), &|a, _| {
            ((wide(a, 20159) + (1 << 14)) >> 15) as i16
        });
        equal(x.min_unsigned(y), &|a, b| (a as u16).min(b as u16) as i16);
        equal(x.sra::<15>(), &|a, _| a >> 15);
        equal(x.sra::<3>(), &|a, _| a >> 3);
        equal(x.srl::<5>(), &|a, _| (a as u16 >> 5) as i16);
        equal(x.sll::<11>(), &|a, _| a << 11);
    }
    each_level(|level, random| {
        for _ in 0..times(200) {
            let (a, b) = (random.lanes(), random.lanes());
            dispatch!(level, s => check(s, &a, &b));
        }
    });
}

#[test]
fn fewer_elements_than_lanes() {
    #[inline(always)]
    fn check<S: Simd>(s: S, from: &[i16]) {
        let want: Vec<i16> =
            (0..S::I16::LANES).map(|i| from.get(i).copied().unwrap_or(0)).collect();
        assert_eq!(stored::<S>(S::I16::load_up_to(s, from)), want, "{s:?}");
    }
    each_level(|level, random| {
        let from = [random.lanes(), random.lanes()].concat();
        for len in 0..=40 {
            dispatch!(level, s => check(s, &from[from.len() - len..]));
        }
    });
}

#[test]
fn bits_at_places() {
    #[inline(always)]
    fn check<S: Simd>(s: S, places: &[i16], from: &[u64; 16]) {
        let picked = S::I16::load(s, places).pick_bits(from);
        let bit = |i: usize| from[places[i] as usize / 64] >> (places[i] % 64) & 1;
        let want = (0..S::I16::LANES).fold(0, |want, i| want | bit(i) << i);
        assert_eq!(u64::from(picked), want, "{s:?}");
    }
    each_level(|level, random| {
        for _ in 0..times(200) {
            let places: Vec<i16> = random.lanes().iter().map(|lane| lane & 1023).collect();
            let from = core::array::from_fn(|_| random.next());
            dispatch!(level, s => check(s, &places, &from));
        }
    });
}

#[test]
fn pairs() {
    #[inline(always)]
    fn check<S: Simd>(s: S, a: &[i16], b: &[i16]) {
        let (n, (x, y)) = (S::I16::LANES, (S::I16::load(s, a), S::I16::load(s, b)));
        let dot = |a: &[i16], b: &[i16], i: usize| {
            let product = |i: usize| i32::from(a[i]) * i32::from(b[i]);
            product(i & !1).wrapping_add(product(i | 1))
        };
        let want = |f: &dyn Fn(usize) -> i16| (0..n).map(f).collect::<Vec<_>>();
        let (c, d) = (x.dot_pairs(y), x.dot_pairs(x));
        let half = |w: i32, i: usize| (w >> (16 * (i & 1))) as i16;
        assert_eq!(stored::<S>(S::I16::halves(c)), want(&|i| half(dot(a, b, i), i)));
        let sum = S::I16::halves(c + d);
        assert_eq!(stored::<S>(sum), want(&|i| half(dot(a, b, i).wrapping_add(dot(a, a, i)), i)));
        let difference = S::I16::halves(c - d);
        let of = |i: usize| half(dot(a, b, i).wrapping_sub(dot(a, a, i)), i);
        assert_eq!(stored::<S>(difference), want(&of));
        let high = |i: usize| ((if i & 1 == 0 { dot(a, b, i) } else { dot(a, a, i) }) >> 16) as i16;
        assert_eq!(stored::<S>(S::I16::high_halves(c, d)), want(&high));
        assert_eq!(stored::<S>(x.swap_pairs()), want(&|i| a[i ^ 1]));
        assert_eq!(stored::<S>(x.with_odd(y)), want(&|i| if i & 1 == 0 { a[i] } else { b[i] }));
    }
    each_level(|level, random| {
        for _ in 0..times(200) {
            let (a, b) = (random.lanes(), random.lanes());
            dispatch!(level, s => check(s, &a, &b));
        }
    });
}

#[test]
fn transposes() {
    fn reference(v: &mut [Vec<i16>; 2], len: usize) {
        let [a, b] = v;
        for i in (0..a.len()).filter(|i| i & len == 0) {
            core::mem::swap(&mut a[i + len], &mut b[i]);
        }
    }
    #[inline(always)]
    fn check<S: Simd>(s: S) {
        let n = S::I16::LANES;
        let v: Vec<i16> = (0..2 * n as i16).collect();
        let (a, b) = (S::I16::load(s, &v), S::I16::load(s, &v[n..]));
        let start = [v[..n].to_vec(), v[n..].to_vec()];
        macro_rules! transpose {
            ($len:literal) => {{
                let mut want = start.clone();
                reference(&mut want, $len);
                let (x, y) = a.transpose::<$len>(b);
                assert_eq!([stored::<S>(x), stored::<S>(y)], want, "{s:?} {}", $len);
            }};
        }
        // 8 and 16 are seen through `unravel` where a backend has so many lanes.
        transpose!(1);
        transpose!(2);
        transpose!(4);
        let mut want = start.clone();
        let mut len = n / 2;
        while len >= 2 {
            reference(&mut want, len);
            len /= 2;
        }
        let (x, y) = a.unravel(b);
        assert_eq!([stored::<S>(x), stored::<S>(y)], want, "{s:?}");
        let (x, y) = x.ravel(y);
        assert_eq!([stored::<S>(x), stored::<S>(y)], start, "{s:?}");
    }
    each_level(|level, _| dispatch!(level, s => check(s)));
}

#[test]
fn packing() {
    #[inline(always)]
    fn check<S: Simd, const D: usize>(s: S, bytes: &[u8], pack: bool) {
        let n = S::I16::LANES;
        let bit = |i: usize| i16::from(bytes[i / 8] >> (i % 8) & 1);
        let field = |j: usize| (0..D).map(|i| bit(j * D + i) << i).sum::<i16>();
        let v = S::I16::unpack::<D>(s, &bytes[..n * D / 8]);
        assert_eq!(stored::<S>(v), (0..n).map(field).collect::<Vec<_>>(), "{s:?} {D}");
        if pack {
            let mut out = [0xee; 64];
            v_pack::<S, D>(v, &mut out);
            assert_eq!(out[..n * D / 8], bytes[..n * D / 8], "{s:?} {D}");
            assert!(out[n * D / 8..].iter().all(|b| *b == 0xee), "exactly so many bytes");
        }
    }
    #[inline(always)]
    fn v_pack<S: Simd, const D: usize>(v: S::I16, out: &mut [u8]) {
        v.pack::<D>(&mut out[..S::I16::LANES * D / 8]);
    }
    #[inline(always)]
    fn all<S: Simd>(s: S, bytes: &[u8]) {
        check::<S, 4>(s, bytes, true);
        check::<S, 5>(s, bytes, true);
        check::<S, 10>(s, bytes, true);
        check::<S, 11>(s, bytes, true);
        check::<S, 12>(s, bytes, true);
        // Six bits are never written: no `pack::<6>`.
        let n = S::I16::LANES;
        let bit = |i: usize| i16::from(bytes[i / 8] >> (i % 8) & 1);
        let field = |j: usize| (0..6).map(|i| bit(j * 6 + i) << i).sum::<i16>();
        let v = S::I16::unpack::<6>(s, &bytes[..n * 6 / 8]);
        assert_eq!(stored::<S>(v), (0..n).map(field).collect::<Vec<_>>(), "{s:?} 6");
    }
    each_level(|level, random| {
        for _ in 0..times(200) {
            let bytes: Vec<u8> = (0..48).map(|_| random.next() as u8).collect();
            dispatch!(level, s => all(s, &bytes));
        }
    });
}

#[test]
fn selection() {
    #[inline(always)]
    fn check<S: Simd>(s: S, a: &[i16], table: &[i16; 16], bits: u32) {
        let n = S::I16::LANES;
        let x = S::I16::load(s, a);
        let small = x & S::I16::splat(s, 15);
        let want: Vec<i16> = a[..n].iter().map(|a| table[(a & 15) as usize]).collect();
        assert_eq!(stored::<S>(small.lookup(table)), want, "{s:?}");
        let signs = (0..n).map(|i| u32::from(a[i] < 0) << i).sum::<u32>();
        assert_eq!(x.signs(), signs, "{s:?}");
        let want: Vec<i16> = (0..n).map(|i| if bits >> i & 1 == 1 { 1665 } else { 0 }).collect();
        assert_eq!(stored::<S>(S::I16::from_bits(s, bits, 1665)), want, "{s:?}");
        let positive = x & S::I16::splat(s, 0xfff);
        let mut out = [-1; 80];
        let everything = positive.append_below_vartime(4096, &mut out[..5 + n], 5);
        assert!(everything == 5 + n && out[5..5 + n].iter().zip(a).all(|(o, a)| *o == a & 0xfff));
        let m = positive.append_below_vartime(3329, &mut out[..5 + n], 5);
        let want: Vec<i16> = a[..n].iter().map(|a| a & 0xfff).filter(|a| *a < 3329).collect();
        assert_eq!((m, &out[5..m]), (5 + want.len(), &want[..]), "{s:?}");
        assert_eq!(out[..5], [-1; 5]);
    }
    each_level(|level, random| {
        for _ in 0..times(500) {
            let (a, t) = (random.lanes(), random.lanes());
            let bits = random.next() as u32;
            dispatch!(level, s => check(s, &a, t.first_chunk().expect("16"), bits));
        }
    });
}

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

/// NIST SP 800-38A, F.5.5: CTR-AES256.
#[test]
fn aes_counter_mode() {
    const KEY: [u8; 32] = [
        0x60, 0x3d, 0xeb, 0x10, 0x15, 0xca, 0x71, 0xbe, 0x2b, 0x73, 0xae, 0xf0, 0x85, 0x7d, 0x77,
        0x81, 0x1f, 0x35, 0x2c, 0x07, 0x3b, 0x61, 0x08, 0xd7, 0x2d, 0x98, 0x10, 0xa3, 0x09, 0x14,
        0xdf, 0xf4,
    ];
    const NONCE: [u8; 12] =
        [0xf0, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa, 0xfb];
    // The published output blocks of the first two counters.
    const STREAM: [u8; 32] = [
        0x0b, 0xdf, 0x7d, 0xf1, 0x59, 0x17, 0x16, 0x33, 0x5e, 0x9a, 0x8b, 0x15, 0xc8, 0x60, 0xc5,
        0x02, 0x5a, 0x6e, 0x69, 0x9d, 0x53, 0x61, 0x19, 0x06, 0x54, 0x33, 0x86, 0x3c, 0x8f, 0x65,
        0x7b, 0x94,
    ];
    #[inline(always)]
    fn stream<S: Simd>(s: S, nonce: &[u8; 12], counter: u32, out: &mut [u8]) {
        S::Aes::new(s, &KEY).key_stream(nonce, counter, out);
    }
    for level in Level::available() {
        let mut out = [0; 32];
        dispatch!(level, s => stream(s, &NONCE, 0xfcfd_feff, &mut out));
        assert_eq!(out, STREAM, "{level}");
        // Every length, a counter that wraps; against the portable text.
        let (mut want, mut got) = ([0; 700], [0; 700]);
        stream(crate::Scalar, &NONCE, u32::MAX - 3, &mut want);
        for len in (0..700).step_by(if cfg!(miri) { 99 } else { 1 }) {
            got.fill(0);
            dispatch!(level, s => stream(s, &NONCE, u32::MAX - 3, &mut got[..len]));
            assert!(got[..len] == want[..len] && got[len..].iter().all(|b| *b == 0), "{level}");
        }
    }
}

#[test]
fn block_primitives_same_at_every_level() {
    #[inline(always)]
    fn stream<S: Simd>(s: S, key: &[u8; 32], nonce: &[u8; 12], counter: u32, out: &mut [u8]) {
        S::Aes::new(s, key).key_stream(nonce, counter, out);
    }
    same_at_every_level("AES-256 counter mode", 50, |inputs| {
        let (key, nonce, counter) = (inputs.bytes(), inputs.bytes(), inputs.bits() as u32);
        // Now and then it wraps.
        let counter = if counter % 4 == 0 { u32::MAX - counter % 32 } else { counter };
        let mut out = std::vec![0; (inputs.bits() % 600) as usize];
        dispatch!(s => stream(s, &key, &nonce, counter, &mut out));
        out
    });
    same_at_every_level("SHA-256", 50, |inputs| {
        let mut state = core::array::from_fn(|_| inputs.bits() as u32);
        let blocks: [[u8; 64]; 4] = core::array::from_fn(|_| inputs.bytes());
        let count = (inputs.bits() % 5) as usize;
        dispatch!(s => s.sha256(&mut state, &blocks[..count]));
        state
    });
}

#[test]
fn sha256_compression() {
    const INITIAL: [u32; 8] = [
        0x6a09_e667,
        0xbb67_ae85,
        0x3c6e_f372,
        0xa54f_f53a,
        0x510e_527f,
        0x9b05_688c,
        0x1f83_d9ab,
        0x5be0_cd19,
    ];
    // FIPS 180-4's example "abc": the padded block and the digest.
    let mut abc = [0; 64];
    (abc[0], abc[1], abc[2], abc[3], abc[63]) = (b'a', b'b', b'c', 0x80, 24);
    let random = &mut Random(7);
    let blocks: [[u8; 64]; 5] =
        core::array::from_fn(|_| core::array::from_fn(|_| random.next() as u8));
    let mut want = INITIAL;
    crate::Scalar.sha256(&mut want, &blocks);
    for level in Level::available() {
        let mut state = INITIAL;
        dispatch!(level, s => s.sha256(&mut state, &[abc]));
        assert_eq!((state[0], state[7]), (0xba78_16bf, 0xf200_15ad), "{level}");
        let mut state = INITIAL;
        dispatch!(level, s => s.sha256(&mut state, &blocks));
        assert_eq!(state, want, "{level}");
    }
}
