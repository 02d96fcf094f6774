//! Babai's reduction of an unreduced solution by (f, g), with the doubles and the steps of the
//! reference, so that it fails where the reference fails and makes the same keys.
use alloc::vec;
use alloc::vec::Vec;

use oaklath_simd::ct::Mask;
use zeroize::Zeroizing;

use super::big::{Poly, limbs};
use super::fft::{
    add, conjugate, fft, inverse_fft, inverse_norm, multiply, multiply_real, subtract,
};
use super::multiplier::Multiplier;
use super::sizes::{LARGE, LARGE_SIZES, Rejection, SIZES, SMALL};
use crate::fn_dsa::fpr::{Real, compute};

/// Real numbers, erased when dropped.
pub(super) type KeygenReals<R> = Zeroizing<Vec<R>>;

/// Returns `n` zeros.
pub(super) fn reals<R: Real>(n: usize) -> KeygenReals<R> {
    Zeroizing::new(vec![R::ZERO; n])
}

/// Converts integers to real numbers.
pub(super) fn reals_of<R: Real>(integers: impl ExactSizeIterator<Item = i64>) -> KeygenReals<R> {
    Zeroizing::new(integers.map(R::of).collect())
}

/// How many of the highest digits are read: 310 bits.
const WINDOW: usize = 10;

/// Scratch memory of [`Window::read`].
struct Window {
    digits: Zeroizing<Vec<u32>>,
    negative: Zeroizing<Vec<u32>>,
    carries: Zeroizing<Vec<u32>>,
}

impl Window {
    fn new(n: usize) -> Self {
        let [digits, negative, carries] = [(); 3].map(|()| Zeroizing::new(vec![0; n]));
        Self { digits, negative, carries }
    }

    /// Converts `count` digits of 31 bits from digit `from` on, whose top bit is the sign, to a
    /// real number. Adds from the lowest digit up and rounds each sum, as in the reference.
    fn read<R: Real>(&mut self, a: &Poly, from: usize, count: usize, out: &mut [R]) {
        const DIGIT: u32 = u32::MAX >> 1;
        compute!(R, _s => {
            let n = out.len();
            let (digits, negative) = (&mut self.digits[..n], &mut self.negative[..n]);
            let carries = &mut self.carries[..n];
            a.digit(from + count - 1, digits);
            for i in 0..n {
                negative[i] = (digits[i] >> 30).wrapping_neg();
                carries[i] = negative[i] & 1;
            }
            out.fill(R::ZERO);
            for j in 0..count {
                let scale = R::scaled(1, 31 * j as i32);
                a.digit(from + j, digits);
                for i in 0..n {
                    // A digit of the absolute value, with the sign of the number.
                    let sum = (digits[i] ^ (negative[i] >> 1)) + carries[i];
                    carries[i] = sum >> 31;
                    let digit = sum & DIGIT;
                    let digit = digit.wrapping_sub(digit << 1 & negative[i]) as i32;
                    out[i] = out[i] + R::of(i64::from(digit)) * scale;
                }
            }
        });
    }
}

/// The adjoints of f and g in FFT slots, 1 / (f f* + g g*), and scratch memory.
struct Base<R: Real> {
    f: KeygenReals<R>,
    g: KeygenReals<R>,
    inverse: KeygenReals<R>,
    /// How many of the lowest bits of f and g are left out.
    left_out: i32,
    window: Window,
    numbers: [KeygenReals<R>; 2],
}

impl<R: Real> Base<R> {
    fn new(f: &Poly, g: &Poly, words: usize) -> Self {
        let (n, count) = (f.n(), words.min(WINDOW));
        let mut window = Window::new(n);
        let [f, g] = [f, g].map(|f| {
            let mut a = reals::<R>(n);
            window.read(f, words - count, count, &mut a);
            fft(&mut a);
            a
        });
        let mut base = Self {
            f,
            g,
            inverse: reals(n >> 1),
            left_out: 31 * (words - count) as i32,
            window,
            numbers: [(); 2].map(|()| reals(n)),
        };
        inverse_norm(&base.f, &base.g, &mut base.inverse);
        conjugate(&mut base.f);
        conjugate(&mut base.g);
        base
    }

    /// Returns `(F f* + G g*) / (f f* + g g*)` times 2^-scale, for F and G of `words` digits.
    fn quotient(&mut self, F: [&Poly; 2], words: usize, scale: i32) -> &[R] {
        let count = words.min(WINDOW);
        for ((a, F), f) in self.numbers.iter_mut().zip(F).zip([&self.f, &self.g]) {
            self.window.read(F, words - count, count, a);
            fft(a);
            multiply(a, f);
        }
        let [a, b] = &mut self.numbers;
        add(a, b);
        multiply_real(a, &self.inverse);
        inverse_fft(a);
        let left_out = 31 * (words - count) as i32;
        let factor = R::scaled(1, left_out - self.left_out - scale);
        a.iter_mut().for_each(|x| *x = *x * factor);
        a
    }
}

/// Rounds numbers. Rejects, which is public, unless all absolute values are below `bound`.
pub(super) fn round<R: Real>(
    numbers: impl Iterator<Item = R>,
    bound: R,
) -> Result<Zeroizing<Vec<i64>>, Rejection> {
    let mut inside = 1;
    let rounded = numbers.map(|x| {
        inside &= (-bound).less(x).select(0, x.less(bound).select(0, 1));
        x.rint()
    });
    let rounded = Zeroizing::new(rounded.collect());
    if Mask::from_bit(inside).declassify() { Ok(rounded) } else { Err(Rejection::Reduction) }
}

/// Bits by which a step shortens F and G. With more, rounding errors would grow where f and g are
/// small in the same slot, as in one key of twelve.
const STEP: i32 = 25;

/// Returns the bits of F and G before they are reduced: at large depths all bits of their memory,
/// as in the reference, which sometimes fails there. At small depths the reference does not fail,
/// and the reduced solution is unique: steps that would change nothing are left out.
const fn size(depth: usize) -> i32 {
    if depth >= 6 { 31 * LARGE[depth] as i32 } else { LARGE_SIZES[depth] + 24 }
}

/// Returns how many digits hold `bits` bits.
const fn digits(bits: i32) -> usize {
    (bits as usize).div_ceil(31)
}

/// Reduces F and G by f and g at a depth of 2 or more.
pub(super) fn reduce<R: Real>(
    depth: usize,
    [F, G]: [&mut Poly; 2],
    [f, g]: [&Poly; 2],
) -> Result<(), Rejection> {
    let small = SMALL[depth];
    let mut base = Base::<R>::new(f, g, small);
    let multipliers = [f, g].map(|f| Multiplier::new(f, 31 * small));
    let (average, deviation) = SIZES[depth];
    let (least, most) = (average - 6 * deviation, average + 6 * deviation);
    let bound = R::of((1 << 31) - 1);
    // F and G are below 2^size.
    let mut size = size(depth);
    let mut words = digits(size);
    // k is scaled down by 2^scale.
    let mut scale = size - least;
    loop {
        let quotient = base.quotient([&*F, &*G], words, scale);
        let k = round(quotient.iter().copied(), bound)?;
        for (F, f) in [&mut *F, &mut *G].into_iter().zip(&multipliers) {
            f.subtract(&k, scale as usize, F, limbs(31 * words));
        }
        // The rest is at most ten bits longer than 2^scale (f, g).
        let left = scale + most + 10;
        if left < size {
            size = left;
            if 31 * words as i32 >= size + 31 {
                words -= 1;
            }
        }
        if scale == 0 {
            break;
        }
        scale = (scale - STEP).max(0);
    }
    for F in [F, G] {
        F.truncate(31 * words.min(small));
        F.extend(limbs(31 * small));
    }
    Ok(())
}

/// Reduces F and G at depth 1, where doubles are precise enough for a single step.
pub(super) fn reduce_once<R: Real>(
    [F, G]: [&mut Poly; 2],
    [f, g]: [&Poly; 2],
) -> Result<(), Rejection> {
    let mut base = Base::<R>::new(f, g, SMALL[1]);
    let quotient = base.quotient([&*F, &*G], LARGE[1], 0);
    // Each quotient must be below 2^63, to which `i64::MAX` is rounded.
    let k = round(quotient.iter().copied(), R::of(i64::MAX))?;
    let mut k = reals_of::<R>(k.iter().copied());
    fft(&mut k);
    let Base { f, g, window, numbers: [a, _], .. } = &mut base;
    for (f, F) in [(f, F), (g, G)] {
        window.read(F, 0, LARGE[1], a);
        fft(a);
        conjugate(f);
        multiply(f, &k);
        subtract(a, f);
        inverse_fft(a);
        *F = Poly::small(a.iter().map(|x| x.rint()));
        F.truncate(31);
    }
    Ok(())
}
