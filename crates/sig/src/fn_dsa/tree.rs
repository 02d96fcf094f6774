//! The expanded key: the basis in FFT form, and the tree of Falcon, sections 3.8.3 and 3.9.1.
//!
//! All nodes of a level are in one array of n / 2 slots, so that every loop is over whole vectors:
//! node by node for fewer than eight nodes, slot by slot for more. All numbers are complex, since
//! rounding leaves small imaginary parts in numbers that are real in theory: the reference keeps
//! them, and once in thousands of signatures they decide how a number is rounded.
use oaklath_poly::q12289::Poly;
use oaklath_simd::{F64s, Simd, ct, each, secret};

use super::fft::{
    self, ComplexLanes, Reals, load, minus, plus, root, roots, store, times, times_conjugate,
};
use super::fpr::{Real, compute};
use super::leaves::{inverse_sigma, is_leaf};
use super::numbers::Arithmetic;

/// g, -f, G, -F in FFT form.
pub(super) type Basis<C, const N: usize> = [Reals<C, N>; 4];

/// l10 of all nodes: row d has the nodes of depth d, in the order of the walk.
pub(super) type Tree<C, const N: usize> = [Reals<C, N>; 10];

/// 1 / sigma' of all leaves in the order of the walk.
pub(super) type InverseSigmas<C, const N: usize> = Reals<C, N>;

/// The number of nodes from which on a level is stored slot by slot.
const MANY: usize = 8;

/// Computes the basis in FFT form.
pub(super) fn basis<A: Arithmetic, const N: usize>(
    [f, g, F, G]: &[Poly<N>; 4],
    basis: &mut Basis<A::Cell, N>,
) {
    let rows = [(g, false), (f, true), (G, false), (F, true)];
    for ((from, negative), to) in rows.into_iter().zip(basis) {
        row::<A, N>(from, negative, to);
    }
}

/// Transforms a polynomial, or its negative, to FFT form. Out of line.
#[inline(never)]
pub(super) fn row<A: Arithmetic, const N: usize>(
    from: &[i16; N],
    negative: bool,
    to: &mut [A::Cell; N],
) {
    compute!(A::Real, s => widen::<_, A>(s, from, negative, to));
    fft::fft::<A, N>(to);
}

/// Converts integers, or their negatives, to the numbers of an arithmetic.
#[inline(always)]
fn widen<S: Simd, A: Arithmetic>(s: S, from: &[i16], negative: bool, to: &mut [A::Cell]) {
    let zero = A::Lanes::<S>::splat(s, A::constant(0.0));
    each!(i in 0..from.len(), A::Lanes::<S>::LANES => {
        let x = A::Lanes::<S>::widen(s, &from[i..]);
        let x = if negative { zero - x } else { x };
        x.store(&mut to[i..]);
    });
}

/// Returns whether f G - g F = q, as polynomials over the integers. If so, every value of the left
/// side is q with an error of less than a thousandth; any other polynomial has a mean squared
/// distance of at least 1 from q.
pub(super) fn is_ntru<A: Arithmetic, const N: usize>(basis: &Basis<A::Cell, N>) -> bool {
    compute!(A::Real, s => is_ntru_at::<_, A, N>(s, basis))
}

#[inline(always)]
fn is_ntru_at<S: Simd, A: Arithmetic, const N: usize>(
    s: S,
    [g, minus_f, G, minus_F]: &Basis<A::Cell, N>,
) -> bool {
    let bound = A::Real::from_bits(0.1_f64.to_bits());
    let q = A::Lanes::<S>::splat(s, A::constant(12289.0));
    let mut good = true;
    each!(j in 0..N >> 1, A::Lanes::<S>::LANES => {
        let at = |x: &Reals<A::Cell, N>| load::<S, A::Lanes<S>>(s, &x[..], j);
        let (re, im) = minus(times(at(g), at(minus_F)), times(at(G), at(minus_f)));
        // |re - q|^2 + |im|^2.
        let difference = re - q;
        let mut distance = [A::constant(0.0); 8];
        (difference * difference + im * im).store(&mut distance);
        let lanes = &distance[..A::Lanes::<S>::LANES];
        good &= lanes.iter().fold(true, |good, x| good & A::real(*x).less(bound).declassify());
    });
    good
}

/// A level: g00 and g01 of its nodes, for which g11 = g00.
type Level<C, const N: usize> = [Reals<C, N>; 2];

/// Computes the tree and the leaves of a basis. Returns whether the sampler supports every sigma',
/// as it does for honest keys.
pub(super) fn grow<A: Arithmetic, const N: usize>(
    basis: &Basis<A::Cell, N>,
    tree: &mut Tree<A::Cell, N>,
    inverse_sigmas: &mut InverseSigmas<A::Cell, N>,
) -> bool {
    compute!(A::Real, s => {
        // Here, so that the compiler knows that nothing else refers to this memory.
        secret!(levels: [Level<A::Cell, N>; 2], g11: Reals<A::Cell, N>);
        secret!(l10: Reals<A::Cell, N>, d11: Reals<A::Cell, N>);
        let [level, next] = levels;
        let (mut from, mut to) = (level, next);
        gram::<_, A, N>(s, basis, from, g11);
        let last = (N >> 1).ilog2();
        each!(depth in 0..last + 1 => {
            if depth > 0 {
                g11.copy_from_slice(&from[0][..]);
            }
            ldl::<_, A, N>(s, from, g11, l10, d11);
            keep::<A, N>(depth, l10, &mut tree[depth as usize]);
            if depth < last {
                split::<_, A, N, 0>(s, depth, &from[0], to);
                split::<_, A, N, 1>(s, depth, d11, to);
                (from, to) = (to, from);
            }
        });
        leaves::<_, A, N>(s, &from[0], d11, inverse_sigmas)
    })
}

/// Computes the Gram matrix: b00 b00* + b01 b01*, b00 b10* + b01 b11*, b10 b10* + b11 b11*.
#[inline(always)]
fn gram<S: Simd, A: Arithmetic, const N: usize>(
    s: S,
    basis: &Basis<A::Cell, N>,
    [g00, g01]: &mut Level<A::Cell, N>,
    g11: &mut Reals<A::Cell, N>,
) {
    let zero = A::Lanes::<S>::splat(s, A::constant(0.0));
    let square = |x: ComplexLanes<A::Lanes<S>>| x.0 * x.0 + x.1 * x.1;
    each!(j in 0..N >> 1, A::Lanes::<S>::LANES => {
        let at = |i: usize| load::<S, A::Lanes<S>>(s, &basis[i][..], j);
        let (a, b, c, d) = (at(0), at(1), at(2), at(3));
        store((square(a) + square(b), zero), &mut g00[..], j);
        store(plus(times_conjugate(a, c), times_conjugate(b, d)), &mut g01[..], j);
        store((square(c) + square(d), zero), &mut g11[..], j);
    });
}

/// Computes the LDL decompositions of all slots of a level.
#[inline(always)]
fn ldl<S: Simd, A: Arithmetic, const N: usize>(
    s: S,
    [g00, g01]: &Level<A::Cell, N>,
    g11: &Reals<A::Cell, N>,
    l10: &mut Reals<A::Cell, N>,
    d11: &mut Reals<A::Cell, N>,
) {
    let one = A::Lanes::<S>::splat(s, A::constant(1.0));
    each!(j in 0..N >> 1, A::Lanes::<S>::LANES => {
        let at = |x: &Reals<A::Cell, N>| load::<S, A::Lanes<S>>(s, &x[..], j);
        let (a, b, c) = (at(g00), at(g01), at(g11));
        let [l, d] = fft::ldl(one, a, b, c);
        store(l, &mut l10[..], j);
        store(d, &mut d11[..], j);
    });
}

/// Splits d00 (side 0) or d11 (side 1) of all nodes into halves of the next level.
#[inline(always)]
fn split<S: Simd, A: Arithmetic, const N: usize, const SIDE: usize>(
    s: S,
    depth: u32,
    d: &Reals<A::Cell, N>,
    [g00, g01]: &mut Level<A::Cell, N>,
) {
    let (nodes, slots, lanes) = (1 << depth, N >> 1 >> depth, A::Lanes::<S>::LANES);
    let (half, all) = (slots >> 1, N >> 2);
    let one_half = A::Lanes::<S>::splat(s, A::constant(0.5));
    each!(i in 0..all, lanes => {
        // Slot j of node `node`, and the slot half a node after it.
        let (x, y, w, j, node) = if nodes < MANY {
            let (node, j) = (i >> half.ilog2(), i & (half - 1));
            let x = 2 * node * half + j;
            (x, x + half, roots::<S, A>(s, half + j), j, node)
        } else {
            let j = i >> depth;
            (i, i + all, root::<S, A>(s, half + j), j, i & (nodes - 1))
        };
        let (x, y) = (load::<S, A::Lanes<S>>(s, &d[..], x), load(s, &d[..], y));
        let [sum, difference] = fft::halves(one_half, x, y, w);
        if nodes == MANY >> 1 {
            // Changes the order from node by node to slot by slot.
            scatter::<S, A, N>(sum, (j, node + SIDE * nodes), g00);
            scatter::<S, A, N>(difference, (j, node + SIDE * nodes), g01);
        } else {
            let to =
                if nodes < MANY { SIDE * all + i } else { 2 * nodes * j + SIDE * nodes + node };
            store(sum, &mut g00[..], to);
            store(difference, &mut g01[..], to);
        }
    });
}

/// Stores the slots from `j` on of one of eight nodes in slot-by-slot order.
#[inline(always)]
fn scatter<S: Simd, A: Arithmetic, const N: usize>(
    x: ComplexLanes<A::Lanes<S>>,
    (j, node): (usize, usize),
    to: &mut Reals<A::Cell, N>,
) {
    let mut parts = [[A::constant(0.0); 8]; 2];
    x.0.store(&mut parts[0]);
    x.1.store(&mut parts[1]);
    each!(lane in 0..A::Lanes::<S>::LANES => {
        let at = MANY * (j + lane) + node;
        to[at] = parts[0][lane];
        to[(N >> 1) + at] = parts[1][lane];
    });
}

/// Numbers of nine bits with their bits reversed.
static REVERSED: [u16; 512] = {
    let mut t = [0; 512];
    each!(i in 0..512 => t[i] = (i as u16).reverse_bits() >> 7);
    t
};

/// Returns the node that is number `n` in the walk of its depth, at most nine. Its bits, the lowest
/// first, say which halves lead to it; d11 comes before d00, and the first choice counts most.
#[inline(always)]
fn node(n: usize, depth: u32) -> usize {
    usize::from(REVERSED[!n & ((1 << depth) - 1)]) >> (9 - depth)
}

/// Stores l10 of a level in the order of the walk, for each node real parts before imaginary parts.
#[inline(always)]
fn keep<A: Arithmetic, const N: usize>(
    depth: u32,
    l10: &Reals<A::Cell, N>,
    row: &mut Reals<A::Cell, N>,
) {
    let (nodes, slots) = (1 << depth, N >> 1 >> depth);
    let (re, im) = l10.split_at(N >> 1);
    for (n, to) in row.chunks_exact_mut(2 * slots).enumerate() {
        let node = node(n, depth);
        let (to_re, to_im) = to.split_at_mut(slots);
        if nodes < MANY {
            to_re.copy_from_slice(&re[slots * node..slots * (node + 1)]);
            to_im.copy_from_slice(&im[slots * node..slots * (node + 1)]);
        } else {
            let mut at = node;
            for (to_re, to_im) in to_re.iter_mut().zip(to_im) {
                (*to_re, *to_im) = (re[at], im[at]);
                at += nodes;
            }
        }
    }
}

/// Computes 1 / sigma' = sqrt(d) / sigma of all leaves, d11 first. Returns whether all are valid.
#[inline(always)]
fn leaves<S: Simd, A: Arithmetic, const N: usize>(
    s: S,
    d00: &Reals<A::Cell, N>,
    d11: &Reals<A::Cell, N>,
    inverse_sigmas: &mut InverseSigmas<A::Cell, N>,
) -> bool {
    let scale = A::Lanes::<S>::splat(s, A::constant(const { inverse_sigma(N) }));
    secret!(sides: [Reals<A::Cell, N>; 2]);
    each!(j in 0..N >> 1, A::Lanes::<S>::LANES => {
        (A::Lanes::<S>::load(s, &d11[j..]).sqrt() * scale).store(&mut sides[0][j..]);
        (A::Lanes::<S>::load(s, &d00[j..]).sqrt() * scale).store(&mut sides[1][j..]);
    });
    let depth = (N >> 1).ilog2();
    let mut good = 1;
    for (n, pair) in inverse_sigmas.as_chunks_mut::<2>().0.iter_mut().enumerate() {
        let node = node(n, depth);
        *pair = [sides[0][node], sides[1][node]];
        good &= is_leaf(A::real(pair[0]), N) & is_leaf(A::real(pair[1]), N);
    }
    ct::declassify_bool(good != 0)
}
