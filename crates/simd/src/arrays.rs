//! Arrays made from arrays, in one loop. The standard library's `map` is six functions for each
//! closure, which the optimiser has to merge: in `oaklath-kem`, where arrays of one or two
//! operations are everywhere, these would be two fifths of all code.
//!
//! Why the `unsafe` here is sound: the loop reads and writes each place once. If it panics, values
//! are not dropped, which is safe.
#![expect(unsafe_code, reason = "values move one by one")]
use core::mem::{ManuallyDrop, MaybeUninit};

/// Returns what `f` makes of each item.
#[inline(always)]
pub fn map<A, B, const N: usize>(items: [A; N], mut f: impl FnMut(A) -> B) -> [B; N] {
    let items = ManuallyDrop::new(items);
    let mut results = MaybeUninit::<[B; N]>::uninit();
    let (from, to) = (items.as_ptr(), results.as_mut_ptr().cast::<B>());
    each!(i in 0..N => {
        // SAFETY: both places are in arrays of N. The item is not read again, nor dropped.
        unsafe { to.add(i).write(f(from.add(i).read())) };
    });
    // SAFETY: the loop has written all places.
    unsafe { results.assume_init() }
}

/// Pairs the items of two arrays.
#[inline(always)]
pub fn zip<A, B, const N: usize>(a: [A; N], b: [B; N]) -> [(A, B); N] {
    let b = ManuallyDrop::new(b);
    let mut from = b.as_ptr();
    map(
        a,
        #[inline(always)]
        |a| {
            // SAFETY: `map` calls N times, and each item is read once and not dropped.
            let pair = (a, unsafe { from.read() });
            // SAFETY: at most one past the end.
            from = unsafe { from.add(1) };
            pair
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::{String, ToString};
    use std::vec::Vec;

    #[test]
    fn items_keep_their_order() {
        let words: [String; 3] = map([1, 2, 3], |i: u8| i.to_string());
        let pairs = zip(words, map([4, 5, 6], |i: u8| std::vec![i]));
        let [first, second, third]: [(String, Vec<u8>); 3] = pairs;
        assert_eq!((&*first.0, &first.1[..]), ("1", &[4][..]));
        assert_eq!((&*second.0, &second.1[..]), ("2", &[5][..]));
        assert_eq!((&*third.0, &third.1[..]), ("3", &[6][..]));
        assert_eq!(zip::<u8, String, 0>([], []), []);
    }
}
