//! Shared parts of the number-theoretic transforms: which block takes which zeta, and for rings of
//! 256 coefficients the tables, the layers across eight vectors and those inside pairs of vectors.
use oaklath_simd::each;
#[cfg(any(feature = "q3329", feature = "q12289"))]
use oaklath_simd::{I16s, Simd};

/// Returns the index of the zeta of block `block` in the layer with distance `len`, for `n`
/// coefficients. The zetas of the inverse are the negatives of the others, in reverse order.
#[inline(always)]
pub(crate) const fn zeta_index(n: usize, len: usize, block: usize, inverse: bool) -> usize {
    let blocks = n >> (len.ilog2() + 1);
    if inverse { 2 * blocks - 1 - block } else { blocks + block }
}

/// Returns, for each lane of a pair of `W`-lane vectors after `transpose` from `W / 2` down to
/// `len`, the block of its butterfly in the layer with distance `len`, which is below `W`.
pub(crate) const fn blocks<const W: usize>(pair: usize, len: usize) -> [usize; W] {
    // The index of the coefficient that each lane holds.
    let mut v = [[0; W]; 2];
    each!(i in 0..W => (v[0][i], v[1][i]) = (2 * W * pair + i, 2 * W * pair + W + i));
    let mut l = W >> 1;
    while l >= len {
        each!(i in 0..W => {
            if i & l == 0 {
                (v[0][i + l], v[1][i]) = (v[1][i], v[0][i + l]);
            }
        });
        l >>= 1;
    }
    each!(i in 0..W => {
        assert!(v[0][i] + len == v[1][i], "the two halves of a butterfly meet");
        v[0][i] >>= len.ilog2() + 1;
    });
    v[0]
}

/// The two inputs or outputs of a butterfly.
pub(crate) type Pair<V> = (V, V);

/// Stores four vectors `step` coefficients apart, the first at `i`.
#[cfg(any(feature = "q3329", feature = "q12289"))]
#[inline(always)]
pub(crate) fn store_four<S: Simd>(v: [S::I16; 4], f: &mut [i16], i: usize, step: usize) {
    v[0].store(&mut f[i..]);
    v[1].store(&mut f[step + i..]);
    v[2].store(&mut f[2 * step + i..]);
    v[3].store(&mut f[3 * step + i..]);
}

/// Evaluates `$e` for the first `N` of four indices, unrolled: a `for` over a register array leaves
/// it on the stack. Going layer by layer over `N` pairs hides their latencies.
#[cfg(any(feature = "q3329", feature = "q8380417"))]
macro_rules! each_of {
    ($n:ident $i:ident => $e:expr) => {
        each_of!($n $i => $e; 0 1 2 3)
    };
    ($n:ident $i:ident => $e:expr; $($k:literal)*) => { $(
        if const { $k < $n } {
            const $i: usize = $k;
            $e
        }
    )* };
}
#[cfg(any(feature = "q3329", feature = "q8380417"))]
pub(crate) use each_of;

/// Applies butterflies with zeta `k` to the pairs `r[i], r[j]` of `N` columns, also unrolled.
#[cfg(any(feature = "q3329", feature = "q8380417"))]
macro_rules! butterflies {
    ($f:expr, $s:ident $r:ident $n:ident: $($k:expr => $(($i:literal $j:literal))*;)*) => { $( {
        let z = zeta($s, $k);
        $( each_of!($n I => ($r[I][$i], $r[I][$j]) = $f($s, ($r[I][$i], $r[I][$j]), z)); )*
    } )* };
}
#[cfg(any(feature = "q3329", feature = "q8380417"))]
pub(crate) use butterflies;

/// Defines the layers of a transform of 256 coefficients, in vectors `S::$vector` with one of the
/// numbers `$lanes` of lanes, for a module that defines `ZETAS`, `Q_INVERSE`, `zeta`, and the
/// butterflies `forward`, `inverse` (of the layer with a given distance) and `inverse_last`.
///
/// A zeta is two vectors, plain and divided by q, for each offset `$further`, which is the number
/// of lanes added to its place in a table of `$table` numbers; these include the last offset.
///
/// A macro, since vectors of 16-bit and of 32-bit lanes share no trait with loads and `transpose`.
#[cfg(any(feature = "q3329", feature = "q8380417"))]
macro_rules! transform_256 {
    ($vector:ident of $number:ident, lanes $($lanes:literal)*;
     zetas $table:literal $($further:literal)*;
     layers $($len:literal)*; inverse $($inverse_len:literal)*) => {
        /// Returns the zetas of a layer on pairs of `W`-lane vectors after `transpose` from `W / 2`
        /// down to `len`, each times `factor`. The rest of the table is zero, and so is all of it
        /// if that layer is not inside vectors.
        const fn twiddles<const W: usize>(
            len: usize,
            factor: $number,
            inverse: bool,
        ) -> [$number; $table] {
            let mut t = [0; $table];
            if len < W {
                each!(pair in 0..128 >> W.ilog2() => {
                    let blocks = crate::ntt::blocks::<W>(pair, len);
                    each!(i in 0..W => {
                        let zeta = ZETAS[crate::ntt::zeta_index(256, len, blocks[i], inverse)];
                        t[pair * W + i] = zeta.wrapping_mul(factor);
                    });
                });
            }
            t
        }

        /// The zetas of one layer inside vectors, plain and divided by q.
        struct Layer<const W: usize, const LEN: usize>;

        impl<const W: usize, const LEN: usize> Layer<W, LEN> {
            const FORWARD: [&[$number; $table]; 2] =
                [&twiddles::<W>(LEN, 1, false), &twiddles::<W>(LEN, Q_INVERSE, false)];
            const INVERSE: [&[$number; $table]; 2] =
                [&twiddles::<W>(LEN, 1, true), &twiddles::<W>(LEN, Q_INVERSE, true)];
        }

        /// Loads the zetas of pair `p` in a layer inside vectors.
        #[inline(always)]
        fn zetas<S: Simd, const LEN: usize>(s: S, p: usize, inverse: bool) -> Zeta<S::$vector> {
            let [plain, divided] = match (S::$vector::LANES, inverse) {
                $(($lanes, false) => Layer::<$lanes, LEN>::FORWARD,
                ($lanes, true) => Layer::<$lanes, LEN>::INVERSE,)*
                _ => unreachable!("the number of lanes of a backend"),
            };
            let at = p * S::$vector::LANES;
            [$(
                S::$vector::load(s, &plain[at + $further..]),
                S::$vector::load(s, &divided[at + $further..]),
            )*]
        }

        /// Runs the layers inside the pairs of vectors from `p` on, then restores natural order.
        #[inline(always)]
        fn in_register_forward<S: Simd, const N: usize>(
            s: S,
            p: usize,
            mut v: [Pair<S::$vector>; N],
        ) -> [Pair<S::$vector>; N] {
            $(if const { $len < S::$vector::LANES } {
                each_of!(N I => {
                    let pair = v[I].0.transpose::<$len>(v[I].1);
                    v[I] = forward(s, pair, zetas::<S, $len>(s, p + I, false));
                });
            })*
            each_of!(N I => v[I] = v[I].0.ravel(v[I].1));
            v
        }

        /// Inverts the layers of [`in_register_forward`], from natural order.
        #[inline(always)]
        fn in_register_inverse<S: Simd, const N: usize>(
            s: S,
            p: usize,
            mut v: [Pair<S::$vector>; N],
        ) -> [Pair<S::$vector>; N] {
            each_of!(N I => v[I] = v[I].0.unravel(v[I].1));
            $(if const { $inverse_len < S::$vector::LANES } {
                each_of!(N I => {
                    let z = zetas::<S, $inverse_len>(s, p + I, true);
                    let (a, b) = inverse::<S, $inverse_len>(s, v[I], z);
                    v[I] = a.transpose::<$inverse_len>(b);
                });
            })*
            v
        }

        /// Runs layers 128, 64 and 32 on eight vectors 32 coefficients apart, in `N` columns.
        #[inline(always)]
        fn across_forward<S: Simd, const N: usize>(
            s: S,
            mut r: [[S::$vector; 8]; N],
        ) -> [[S::$vector; 8]; N] {
            butterflies!(forward, s r N:
                1 => (0 4) (1 5) (2 6) (3 7);
                2 => (0 2) (1 3); 3 => (4 6) (5 7);
                4 => (0 1); 5 => (2 3); 6 => (4 5); 7 => (6 7););
            r
        }

        /// Runs the inverses of layers 32, 64 and 128.
        #[inline(always)]
        fn across_inverse<S: Simd, const N: usize>(
            s: S,
            mut r: [[S::$vector; 8]; N],
        ) -> [[S::$vector; 8]; N] {
            butterflies!(inverse::<S, 32>, s r N:
                7 => (0 1); 6 => (2 3); 5 => (4 5); 4 => (6 7););
            butterflies!(inverse::<S, 64>, s r N:
                3 => (0 2) (1 3); 2 => (4 6) (5 7););
            each_of!(N I => {
                (r[I][0], r[I][4]) = inverse_last(s, (r[I][0], r[I][4]));
                (r[I][1], r[I][5]) = inverse_last(s, (r[I][1], r[I][5]));
                (r[I][2], r[I][6]) = inverse_last(s, (r[I][2], r[I][6]));
                (r[I][3], r[I][7]) = inverse_last(s, (r[I][3], r[I][7]));
            });
            r
        }

        /// Loads eight vectors `STEP` coefficients apart.
        #[inline(always)]
        fn load_eight<S: Simd, const STEP: usize>(s: S, f: &[$number]) -> [S::$vector; 8] {
            let load = |i: usize| S::$vector::load(s, &f[STEP * i..]);
            [load(0), load(1), load(2), load(3), load(4), load(5), load(6), load(7)]
        }

        #[inline(always)]
        fn store_eight<S: Simd, const STEP: usize>(r: [S::$vector; 8], f: &mut [$number]) {
            // Unrolled: a loop would leave the registers on the stack.
            r[0].store(f);
            r[1].store(&mut f[STEP..]);
            r[2].store(&mut f[2 * STEP..]);
            r[3].store(&mut f[3 * STEP..]);
            r[4].store(&mut f[4 * STEP..]);
            r[5].store(&mut f[5 * STEP..]);
            r[6].store(&mut f[6 * STEP..]);
            r[7].store(&mut f[7 * STEP..]);
        }
    };
}
#[cfg(any(feature = "q3329", feature = "q8380417"))]
pub(crate) use transform_256;
