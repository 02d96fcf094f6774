//! Vectors in memory that are a distance apart, whose bounds are checked once for all of them.
//!
//! Why the `unsafe` here is sound: the place of each vector is below the number of whole vectors.
#![expect(unsafe_code, reason = "a check at each vector takes as long as the work on it")]
use crate::vectors::Simd;
use crate::vectors::i32::I32s;

/// Replaces groups of `N` vectors by what `f` makes of them. The vectors of a group are `step`
/// apart, and the groups of `N step` vectors are neighbours; a rest that is too short for all of
/// them is left as it is. If `MIRRORED`, the vectors of a group after its first four are as far
/// from the end of their step as the first four are from the beginning.
///
/// # Panics
/// If `N step` is zero or overflows.
#[inline(always)]
pub fn each_group<S: Simd, const N: usize, const MIRRORED: bool>(
    s: S,
    values: &mut [i32],
    step: usize,
    f: impl Fn([S::I32; N]) -> [S::I32; N],
) {
    let lanes = S::I32::LANES;
    const { assert!(S::I32::LANES.is_power_of_two(), "a shift divides by it") };
    let vectors = values.len() >> lanes.ilog2();
    let group = N.checked_mul(step).filter(|n| *n > 0).expect("groups of vectors");
    let mut first = 0;
    while vectors - first >= group {
        each!(i in 0..step => {
            // Below first + N * step: i is below `step`, and so is its mirror image.
            let place = |k: usize| {
                first + k * step + if MIRRORED && k >= 4 { step - 1 - i } else { i }
            };
            let mut v = [S::I32::splat(s, 0); N];
            each!(k in 0..N => {
                let at = place(k) * lanes;
                // SAFETY: the place is below `vectors`, the number of whole vectors: the range ends
                // at `values.len()` or before, and nothing overflows.
                v[k] = S::I32::load(s, unsafe { values.get_unchecked(at..at + lanes) });
            });
            let v = f(v);
            each!(k in 0..N => {
                let at = place(k) * lanes;
                // SAFETY: as above.
                v[k].store(unsafe { values.get_unchecked_mut(at..at + lanes) });
            });
        });
        first += group;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Level, dispatch};
    use std::vec::Vec;

    #[inline(always)]
    fn run<S: Simd, const N: usize, const MIRRORED: bool>(s: S, values: &mut [i32], step: usize) {
        // Vector k of a group gets what is in vector k + 1.
        each_group::<S, N, MIRRORED>(
            s,
            values,
            step,
            #[inline(always)]
            |v| {
                let mut next = v;
                each!(k in 0..N => next[k] = v[if k + 1 < N { k + 1 } else { 0 }]);
                next
            },
        );
    }

    fn check<const N: usize, const MIRRORED: bool>(level: Level) {
        for (count, step) in [(64, 1), (64, 2), (64, 5), (65, 8), (63, 8), (7, 7), (3, 1), (1, 9)] {
            let lanes = dispatch!(level, s => lanes_of(s));
            // A rest that is shorter than a vector.
            let before: Vec<i32> = (0..(count * lanes + lanes - 1) as i32).collect();
            let mut after = before.clone();
            dispatch!(level, s => run::<_, N, MIRRORED>(s, &mut after, step));
            let mut want = before.clone();
            for (first, i) in (0..=count.saturating_sub(N * step))
                .step_by(N * step)
                .filter(|first| first + N * step <= count)
                .flat_map(|first| (0..step).map(move |i| (first, i)))
            {
                let row =
                    |k: usize| first + k * step + if MIRRORED && k >= 4 { step - 1 - i } else { i };
                for k in 0..N {
                    let from = row((k + 1) % N) * lanes;
                    let to = row(k) * lanes;
                    want[to..to + lanes].copy_from_slice(&before[from..from + lanes]);
                }
            }
            assert!(after == want, "{level} {N} {count} {step}");
        }
    }

    #[inline(always)]
    fn lanes_of<S: Simd>(_: S) -> usize {
        S::I32::LANES
    }

    #[test]
    fn groups_are_at_their_places() {
        for level in Level::available() {
            check::<2, false>(level);
            check::<3, false>(level);
            check::<8, false>(level);
            check::<6, true>(level);
            check::<8, true>(level);
        }
    }

    #[test]
    #[should_panic(expected = "groups of vectors")]
    fn no_step() {
        run::<_, 2, false>(crate::Scalar, &mut [0; 16], 0);
    }

    #[test]
    #[should_panic(expected = "groups of vectors")]
    fn a_step_that_overflows() {
        run::<_, 2, false>(crate::Scalar, &mut [0; 16], 1 << (usize::BITS - 1));
    }
}
