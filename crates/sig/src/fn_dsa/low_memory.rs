//! Signing in little memory: the tree is not stored, but each node is computed when the sampler
//! reaches it, in the arrays of the Gram matrix, as in `sign_dyn` of the reference; the basis is
//! transformed when it is needed. Takes memory for eight polynomials of doubles, and processes one
//! slot after the other: for machines without vectors.
use alloc::boxed::Box;
use core::marker::PhantomData;

use oaklath_hash::sha3::Squeeze;
use oaklath_poly::q12289::Poly;
use oaklath_simd::arrays::map;
use oaklath_simd::{A64, Complex, F64s, Secret, Simd, ct, each, secret, vectorize};

use super::encoding::{decode_private, encode_signature, hash_secret, hash_to_point};
use super::ff_sampling::{halve, merge, slot};
use super::fft::{self, ComplexLanes, load, plus, store, times_conjugate};
use super::fpr::{Real, compute};
use super::leaves::{Leaves, Sampler, inverse_sigma, is_leaf, sigma_min};
use super::sampler::Sampling;
use super::short_vector::{combination, finish_s2, subtract, target};
use super::tree;
use super::variant::{FalconVariant, Randomness, SECRET_HASH};
use crate::error::Error;
use crate::message::Formatted;

/// `COUNT` polynomials of doubles.
type Cells<C, const COUNT: usize, const N: usize> = A64<[[C; N]; COUNT]>;

/// Signs in little memory with an encoded key of the right length. About 26 kilobytes of it are on
/// the heap: the hash point, the Gram matrix and, for degree 512, the memory for halves.
pub(super) fn sign<A: Sampling, V: FalconVariant, const N: usize>(
    sk: &[u8],
    message: &Formatted<'_>,
    coins: &[u8],
    out: &mut [u8],
) -> Result<usize, Error> {
    secret!(secrets: [Poly<N>; 4], t: Cells<A::Cell, 2, N>, hash: [u8; SECRET_HASH]);
    secret_on_heap!(c: Poly<N>, gram: Cells<A::Cell, 3, N>);
    decode_private::<V, N>(sk, secrets)?;
    hash_secret::<V, N>(sk, hash);
    let mut randomness = Randomness::empty();
    V::begin(&mut randomness, coins, hash, message);
    if N == 512 {
        secret_on_heap!(work: Cells<A::Cell, 3, N>);
        let memory = AttemptMemory { t, gram, work };
        attempts::<A, V, N>(secrets, memory, &mut randomness, (message, c), out)
    } else {
        secret!(work: Cells<A::Cell, 3, N>);
        let memory = AttemptMemory { t, gram, work };
        attempts::<A, V, N>(secrets, memory, &mut randomness, (message, c), out)
    }
}

/// Makes attempts until a signature has a small norm and a short encoding.
fn attempts<A: Sampling, V: FalconVariant, const N: usize>(
    secrets: &[Poly<N>; 4],
    mut memory: AttemptMemory<'_, A::Cell, N>,
    randomness: &mut Randomness,
    (message, c): (&Formatted<'_>, &mut Poly<N>),
    out: &mut [u8],
) -> Result<usize, Error> {
    secret!(s2: Poly<N>);
    for number in 0..V::ATTEMPTS {
        V::attempt(randomness, number);
        let Randomness { nonce, stream, .. } = &mut *randomness;
        hash_to_point::<V::Format>(nonce, message, &mut c[..]);
        let short = attempt::<A, V, N>(secrets, &mut memory, stream, c, s2);
        if short.ok_or(Error::SecretKeyInconsistent)?
            && let Some(len) = encode_signature::<V, N>(nonce, s2, out)
        {
            return Ok(len);
        }
    }
    Err(Error::SecretKeyInconsistent)
}

/// The memory of an attempt: t0, t1, the Gram matrix, and space for halves.
struct AttemptMemory<'a, C, const N: usize> {
    t: &'a mut A64<[[C; N]; 2]>,
    gram: &'a mut A64<[[C; N]; 3]>,
    work: &'a mut A64<[[C; N]; 3]>,
}

/// Makes one attempt with f, g, F and G. Returns whether (s1, s2) is short enough, with s1 in the
/// place of c, or `None` if the tree has a leaf that the sampler does not support.
fn attempt<A: Sampling, V: FalconVariant, const N: usize>(
    secrets: &[Poly<N>; 4],
    AttemptMemory { t, gram, work }: &mut AttemptMemory<'_, A::Cell, N>,
    stream: &mut Squeeze<136>,
    c: &mut Poly<N>,
    s2: &mut Poly<N>,
) -> Option<bool> {
    let [x, y, _] = &mut ***work;
    let [t0, t1] = &mut ***t;
    column::<A, N>(secrets, 0, [x, y]);
    add_to_gram::<A, N>([x, y], gram, true);
    column::<A, N>(secrets, 1, [x, y]);
    add_to_gram::<A, N>([x, y], gram, false);
    target::<A, N>(c, [x, y], [t0, t1]);
    let matrix = map(gram.each_mut(), |g| &mut g[..]);
    if !sample::<A, V>(stream, [t0, t1], matrix, work.as_flattened_mut()) {
        return None;
    }
    let [x, y, sum] = &mut ***work;
    column::<A, N>(secrets, 0, [x, y]);
    combination::<A, N>([t0, t1], [x, y], sum, s2);
    subtract(c, s2);
    column::<A, N>(secrets, 1, [x, y]);
    combination::<A, N>([t0, t1], [x, y], sum, s2);
    Some(finish_s2::<V, N>(c, s2))
}

/// Computes column `j` of the basis: g and G, or -f and -F.
fn column<A: Sampling, const N: usize>(
    [f, g, F, G]: &[Poly<N>; 4],
    j: usize,
    [x, y]: [&mut [A::Cell; N]; 2],
) {
    let (upper, lower) = if j == 0 { (g, G) } else { (f, F) };
    tree::row::<A, N>(upper, j == 1, x);
    tree::row::<A, N>(lower, j == 1, y);
}

/// Adds the products of a column to the Gram matrix, which the first column initializes.
fn add_to_gram<A: Sampling, const N: usize>(
    column: [&[A::Cell; N]; 2],
    gram: &mut [[A::Cell; N]; 3],
    first: bool,
) {
    let (column, gram) = (map(column, |x| &x[..]), map(gram.each_mut(), |g| &mut g[..]));
    compute!(A::Real, s => add_products::<_, A>(s, column, gram, first));
}

#[inline(always)]
fn add_products<S: Simd, A: Sampling>(
    s: S,
    [x, y]: [&[A::Cell]; 2],
    [g00, g01, g11]: [&mut [A::Cell]; 3],
    first: bool,
) {
    let zero = A::Lanes::<S>::splat(s, A::constant(0.0));
    each!(j in 0..x.len() >> 1, A::Lanes::<S>::LANES => {
        let at = |x: &[A::Cell]| -> ComplexLanes<A::Lanes<S>> { load(s, x, j) };
        let (x, y) = (at(x), at(y));
        let square = |x: ComplexLanes<A::Lanes<S>>| (x.0 * x.0 + x.1 * x.1, zero);
        let terms = [square(x), times_conjugate(x, y), square(y)];
        for (term, to) in terms.into_iter().zip([&mut *g00, &mut *g01, &mut *g11]) {
            let sum = if first { term } else { plus(load(s, to, j), term) };
            store(sum, to, j);
        }
    });
}

/// Samples around t, in place, with the numbers of a stream. Overwrites the Gram matrix; `work` is
/// three times as long as each of the other arrays. Returns whether all leaves were valid.
fn sample<A: Sampling, V: FalconVariant>(
    stream: &mut Squeeze<136>,
    t: [&mut [A::Cell]; 2],
    gram: [&mut [A::Cell]; 3],
    work: &mut [A::Cell],
) -> bool {
    compute!(A::Real, s => sample_at::<_, A, V>(s, stream, t, gram, work))
}

#[inline(always)]
fn sample_at<S: Simd, A: Sampling, V: FalconVariant>(
    s: S,
    stream: &mut Squeeze<136>,
    t: [&mut [A::Cell]; 2],
    gram: [&mut [A::Cell]; 3],
    work: &mut [A::Cell],
) -> bool {
    let n = t[0].len();
    let mut sampler = A::Sampler::<S, V::Source<S>>::empty(s);
    sampler.start(stream, sigma_min(n));
    let numbers = PhantomData::<A>;
    let mut walk = DynamicSampling { s, n, sampler: &mut sampler, numbers, good: true };
    walk.node(t, gram, work);
    walk.good
}

struct DynamicSampling<'a, S: Simd, A: Sampling, R: Sampler<S, A>> {
    s: S,
    n: usize,
    sampler: &'a mut R,
    numbers: PhantomData<A>,
    /// Whether all leaves so far were valid.
    good: bool,
}

#[inline(always)]
fn put<S: Simd, A: Sampling>(x: A::Complex<S>, to: &mut [A::Cell], j: usize) {
    let half = to.len() >> 1;
    [to[j], to[half + j]] = x.parts();
}

/// Splits in place: the results are the halves of the array.
#[inline(always)]
fn split<S: Simd, A: Sampling>(s: S, x: &mut [A::Cell]) {
    let half = x.len() >> 2;
    each!(j in 0..half => {
        let w = A::Complex::<S>::new(s, A::ROOTS.re[half + j], A::ROOTS.im[half + j]);
        let [a, b] = halve::<S, A>(slot::<S, A>(s, x, j), slot::<S, A>(s, x, half + j), w);
        [x[j], x[half + j]] = a.parts();
        [x[2 * half + j], x[3 * half + j]] = b.parts();
    });
}

/// Merges in place.
#[inline(always)]
fn merge_all<S: Simd, A: Sampling>(s: S, x: &mut [A::Cell]) {
    let half = x.len() >> 2;
    each!(j in 0..half => {
        let w = A::Complex::<S>::new(s, A::ROOTS.re[half + j], A::ROOTS.im[half + j]);
        let a = A::Complex::<S>::new(s, x[j], x[half + j]);
        let b = A::Complex::<S>::new(s, x[2 * half + j], x[3 * half + j]);
        let [a, b] = merge::<S, A>(a, b, w);
        put::<S, A>(a, x, j);
        put::<S, A>(b, x, half + j);
    });
}

impl<S: Simd, A: Sampling, R: Sampler<S, A>> DynamicSampling<'_, S, A, R> {
    /// Samples a node around t, in place. Overwrites the Gram matrix; `work` is three times as long
    /// as each of the other arrays.
    #[inline(never)]
    fn node(
        &mut self,
        [t0, t1]: [&mut [A::Cell]; 2],
        [g00, g01, g11]: [&mut [A::Cell]; 3],
        work: &mut [A::Cell],
    ) {
        let s = self.s;
        vectorize!(s => {
            // l10 replaces g01, and d11 replaces g11.
            let slots = t1.len() >> 1;
            each!(j in 0..slots => {
                let [l, d] = ldl::<S, A>(
                    s,
                    slot::<S, A>(s, g00, j),
                    slot::<S, A>(s, g01, j),
                    slot::<S, A>(s, g11, j),
                );
                put::<S, A>(l, g01, j);
                put::<S, A>(d, g11, j);
            });
            if slots == 1 {
                self.leaves([t0, t1], [g00, g01, g11]);
                return;
            }
            let (z1, rest) = work.split_at_mut(2 * slots);
            z1.copy_from_slice(t1);
            self.half(z1, g11, rest);
            each!(j in 0..slots => {
                let z = slot::<S, A>(s, z1, j);
                let x = (slot::<S, A>(s, t1, j) - z) * slot::<S, A>(s, g01, j);
                put::<S, A>(x + slot::<S, A>(s, t0, j), t0, j);
                put::<S, A>(z, t1, j);
            });
            self.half(t0, g00, work);
        });
    }

    /// Samples around t with the subtree of d, both split in place.
    #[inline(always)]
    fn half(&mut self, t: &mut [A::Cell], d: &mut [A::Cell], work: &mut [A::Cell]) {
        let s = self.s;
        let half = t.len() >> 1;
        split::<S, A>(s, t);
        split::<S, A>(s, d);
        let ((t0, t1), (g00, g01)) = (t.split_at_mut(half), d.split_at_mut(half));
        let (g11, work) = work.split_at_mut(half);
        g11.copy_from_slice(g00);
        self.node([t0, t1], [g00, g01, g11], work);
        merge_all::<S, A>(s, t);
    }

    /// Samples a node of one slot. Out of line, so that its arrays are not on the stack of each
    /// node above.
    #[inline(never)]
    fn leaves(&mut self, [t0, t1]: [&mut [A::Cell]; 2], [d00, l10, d11]: [&mut [A::Cell]; 3]) {
        let (s, n) = (self.s, self.n);
        vectorize!(s => {
            let scale = A::real(A::constant(inverse_sigma(n)));
            let sigma = |d: &[A::Cell]| A::real(d[0]).sqrt() * scale;
            secret!(inverse_sigmas: A64<[A::Cell; 8]>, limits: A64<[[f32; 4]; 8]>);
            inverse_sigmas.fill(A::constant(0.75));
            (inverse_sigmas[0], inverse_sigmas[1]) = (A::cell(sigma(d11)), A::cell(sigma(d00)));
            let leaves = is_leaf(A::real(inverse_sigmas[0]), n)
                & is_leaf(A::real(inverse_sigmas[1]), n);
            self.good &= ct::declassify_bool(leaves != 0);
            if !self.good {
                return;
            }
            A::limits(s, &inverse_sigmas[..], sigma_min(n), &mut limits[..]);
            let leaves = Leaves { inverse_sigmas: &inverse_sigmas[..], limits: &limits[..] };
            let x = slot::<S, A>(s, t1, 0);
            self.sampler.step();
            let z1 = self.sampler.pair(s, x, &leaves, 0);
            let x = (x - z1) * slot::<S, A>(s, l10, 0) + slot::<S, A>(s, t0, 0);
            put::<S, A>(self.sampler.pair(s, x, &leaves, 1), t0, 0);
            put::<S, A>(z1, t1, 0);
        });
    }
}

/// Computes the LDL decomposition of one slot.
#[inline(always)]
fn ldl<S: Simd, A: Sampling>(
    s: S,
    a: A::Complex<S>,
    b: A::Complex<S>,
    c: A::Complex<S>,
) -> [A::Complex<S>; 2] {
    let real = |x: A::Complex<S>| {
        let [re, im] = x.parts();
        (A::real(re), A::real(im))
    };
    let complex = |(re, im)| A::Complex::<S>::new(s, A::cell(re), A::cell(im));
    let [l, d] = fft::ldl(A::Real::ONE, real(a), real(b), real(c));
    [complex(l), complex(d)]
}
