//! `ffSampling`: Falcon, Algorithm 11. The tree is walked in the order of the reference: first the
//! half of d11, and in each slot the real part before the imaginary part.
use oaklath_hash::sha3::Squeeze;
use oaklath_simd::{Complex, F64s, Simd, each, vectorize};

use super::fft::{ComplexLanes, halves, load, minus, plus, store, times};
use super::fpr::compute;
use super::leaves::{Leaves, Sampler, sigma_min};
use super::numbers::Arithmetic;
use super::sampler::Sampling;
use super::variant::FalconVariant;

/// The rows of a [`Tree`](super::tree::Tree), so that one walk serves both degrees.
pub(super) type Rows<'a, C> = [&'a [C]; 10];

/// Slots of a node that is held in registers.
const FOUR: usize = 4;

/// The constants of a walk.
struct FfSampling<'a, S: Simd, A: Arithmetic, R: Sampler<S, A>> {
    s: S,
    tree: Rows<'a, A::Cell>,
    leaves: &'a Leaves<'a, A::Cell>,
    sampler: &'a mut R,
}

/// Samples `z` around `t` with the numbers of a stream. `work` is memory for the halves.
pub(super) fn sample<A: Sampling, V: FalconVariant>(
    walk: (Rows<'_, A::Cell>, &Leaves<'_, A::Cell>),
    stream: &mut Squeeze<136>,
    t: [&[A::Cell]; 2],
    z: [&mut [A::Cell]; 2],
    work: [&mut [A::Cell]; 4],
) {
    compute!(A::Real, s => sample_at::<_, A, V>(s, walk, stream, t, z, work));
}

#[inline(always)]
fn sample_at<S: Simd, A: Sampling, V: FalconVariant>(
    s: S,
    (tree, leaves): (Rows<'_, A::Cell>, &Leaves<'_, A::Cell>),
    stream: &mut Squeeze<136>,
    t: [&[A::Cell]; 2],
    z: [&mut [A::Cell]; 2],
    work: [&mut [A::Cell]; 4],
) {
    let mut sampler = A::Sampler::<S, V::Source<S>>::empty(s);
    sampler.start(stream, sigma_min(t[0].len()));
    FfSampling::<S, A, _> { s, tree, leaves, sampler: &mut sampler }.node(0, 0, t, z, work);
}

/// Merges two halves into `z`.
#[inline(always)]
fn merge_all<S: Simd, A: Arithmetic>(s: S, [y0, y1]: [&[A::Cell]; 2], z: &mut [A::Cell]) {
    let half = z.len() >> 2;
    each!(j in 0..half, A::Few::<S>::LANES => {
        let w = few_roots::<S, A>(s, half + j);
        let (x, y): (ComplexLanes<A::Few<S>>, _) = (load(s, y0, j), times(load(s, y1, j), w));
        store(plus(x, y), z, j);
        store(minus(x, y), z, half + j);
    });
}

/// Returns t0 + (t1 - z1) l10. (A function, since a closure is not always inlined.)
#[inline(always)]
fn near<S: Simd, V: F64s<S>>(
    s: S,
    [t0, t1, l10]: [&[V::Cell]; 3],
    z1: ComplexLanes<V>,
    j: usize,
) -> ComplexLanes<V> {
    let difference = minus(load(s, t1, j), z1);
    plus(times(difference, load(s, l10, j)), load(s, t0, j))
}

/// Loads the roots of the slots from `i` on.
#[inline(always)]
fn few_roots<S: Simd, A: Arithmetic>(s: S, i: usize) -> ComplexLanes<A::Few<S>> {
    (A::Few::<S>::load(s, &A::ROOTS.re[i..]), A::Few::<S>::load(s, &A::ROOTS.im[i..]))
}

impl<S: Simd, A: Arithmetic, R: Sampler<S, A>> FfSampling<'_, S, A, R> {
    /// Samples node `n` of a depth. `a` to `d` are work arrays, each as long as an input.
    #[inline(never)]
    fn node(
        &mut self,
        depth: usize,
        n: usize,
        [t0, t1]: [&[A::Cell]; 2],
        [z0, z1]: [&mut [A::Cell]; 2],
        [a, b, c, d]: [&mut [A::Cell]; 4],
    ) {
        let s = self.s;
        vectorize!(s => {
            if t1.len() == 2 * FOUR {
                self.four(depth, n, [t0, t1], [z0, z1]);
                return;
            }
            let (half, lanes) = (t1.len() >> 2, A::Few::<S>::LANES);
            let one_half = A::Few::<S>::splat(s, A::constant(0.5));
            let (a, rest_a) = a.split_at_mut(2 * half);
            let (b, rest_b) = b.split_at_mut(2 * half);
            let (y0, rest_c) = c.split_at_mut(2 * half);
            let (y1, rest_d) = d.split_at_mut(2 * half);
            let l10 = &self.tree[depth][4 * half * n..4 * half * (n + 1)];
            each!(j in 0..half, lanes => {
                let w = few_roots::<S, A>(s, half + j);
                let [x, y] = halves(one_half, load(s, t1, j), load(s, t1, half + j), w);
                store(x, a, j);
                store(y, b, j);
            });
            let rest = [&mut *rest_a, &mut *rest_b, &mut *rest_c, &mut *rest_d];
            self.node(depth + 1, 2 * n, [a, b], [y0, y1], rest);
            // Merges z1, computes t0 + (t1 - z1) l10 and splits it, in one pass.
            each!(j in 0..half, lanes => {
                let w = few_roots::<S, A>(s, half + j);
                let (x, y) = (load(s, y0, j), times(load(s, y1, j), w));
                let (x, y) = (plus(x, y), minus(x, y));
                store(x, z1, j);
                store(y, z1, half + j);
                let (x, y) =
                    (near(s, [t0, t1, l10], x, j), near(s, [t0, t1, l10], y, half + j));
                let [x, y] = halves(one_half, x, y, w);
                store(x, a, j);
                store(y, b, j);
            });
            let rest = [rest_a, rest_b, rest_c, rest_d];
            self.node(depth + 1, 2 * n + 1, [a, b], [y0, y1], rest);
            merge_all::<S, A>(s, [y0, y1], z0);
        });
    }

    /// Samples a node of four slots.
    #[inline(always)]
    fn four(
        &mut self,
        depth: usize,
        n: usize,
        [t0, t1]: [&[A::Cell]; 2],
        [z0, z1]: [&mut [A::Cell]; 2],
    ) {
        let s = self.s;
        let l10 = &self.tree[depth][2 * FOUR * n..2 * FOUR * (n + 1)];
        let x = [
            slot::<S, A>(s, t1, 0),
            slot::<S, A>(s, t1, 1),
            slot::<S, A>(s, t1, 2),
            slot::<S, A>(s, t1, 3),
        ];
        let z = self.half_of_four(depth, 2 * n, x);
        put::<S, A>(z, z1);
        let near = |j: usize| (x[j] - z[j]) * slot::<S, A>(s, l10, j) + slot::<S, A>(s, t0, j);
        let x = [near(0), near(1), near(2), near(3)];
        let z = self.half_of_four(depth, 2 * n + 1, x);
        put::<S, A>(z, z0);
    }

    /// Splits four slots, samples and merges.
    #[inline(always)]
    fn half_of_four(
        &mut self,
        depth: usize,
        n: usize,
        x: [A::Complex<S>; 4],
    ) -> [A::Complex<S>; 4] {
        let w = [self.root(2), self.root(3)];
        let ([a0, b0], [a1, b1]) =
            (halve::<S, A>(x[0], x[2], w[0]), halve::<S, A>(x[1], x[3], w[1]));
        let [y0, y1] = self.two(depth + 1, n, [[a0, a1], [b0, b1]]);
        let [z0, z2] = merge::<S, A>(y0[0], y1[0], w[0]);
        let [z1, z3] = merge::<S, A>(y0[1], y1[1], w[1]);
        [z0, z1, z2, z3]
    }

    /// Samples a node of two slots.
    #[inline(always)]
    fn two(
        &mut self,
        depth: usize,
        n: usize,
        [t0, t1]: [[A::Complex<S>; 2]; 2],
    ) -> [[A::Complex<S>; 2]; 2] {
        let (s, w) = (self.s, self.root(1));
        let l10 = &self.tree[depth][4 * n..4 * n + 4];
        let y = self.one(depth + 1, 2 * n, halve::<S, A>(t1[0], t1[1], w));
        let z1 = merge::<S, A>(y[0], y[1], w);
        let near = |j: usize| (t1[j] - z1[j]) * slot::<S, A>(s, l10, j) + t0[j];
        let y = self.one(depth + 1, 2 * n + 1, halve::<S, A>(near(0), near(1), w));
        [merge::<S, A>(y[0], y[1], w), z1]
    }

    /// Samples a node of one slot, which has two leaves.
    #[inline(always)]
    fn one(&mut self, depth: usize, n: usize, [t0, t1]: [A::Complex<S>; 2]) -> [A::Complex<S>; 2] {
        let s = self.s;
        let l10 = slot::<S, A>(s, &self.tree[depth][2 * n..2 * n + 2], 0);
        self.sampler.step();
        let z1 = self.sampler.pair(s, t1, self.leaves, 2 * n);
        let x = (t1 - z1) * l10 + t0;
        [self.sampler.pair(s, x, self.leaves, 2 * n + 1), z1]
    }

    #[inline(always)]
    fn root(&self, i: usize) -> A::Complex<S> {
        A::Complex::<S>::new(self.s, A::ROOTS.re[i], A::ROOTS.im[i])
    }
}

/// Returns slot `j`.
#[inline(always)]
pub(super) fn slot<S: Simd, A: Arithmetic>(s: S, x: &[A::Cell], j: usize) -> A::Complex<S> {
    A::Complex::<S>::new(s, x[j], x[(x.len() >> 1) + j])
}

/// Stores four slots.
#[inline(always)]
fn put<S: Simd, A: Arithmetic>(z: [A::Complex<S>; 4], to: &mut [A::Cell]) {
    let parts = [z[0].parts(), z[1].parts(), z[2].parts(), z[3].parts()];
    each!(j in 0..FOUR => [to[j], to[FOUR + j]] = parts[j]);
}

/// Splits a pair of slots.
#[inline(always)]
pub(super) fn halve<S: Simd, A: Arithmetic>(
    x: A::Complex<S>,
    y: A::Complex<S>,
    w: A::Complex<S>,
) -> [A::Complex<S>; 2] {
    [(x + y).half(), (x - y).mul_conjugate(w).half()]
}

/// Merges a pair of slots.
#[inline(always)]
pub(super) fn merge<S: Simd, A: Arithmetic>(
    x: A::Complex<S>,
    y: A::Complex<S>,
    w: A::Complex<S>,
) -> [A::Complex<S>; 2] {
    let y = y * w;
    [x + y, x - y]
}
