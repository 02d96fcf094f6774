//! Slices cut into pieces whose length is known only at run time.
use core::mem;

/// The whole pieces of a slice, as of `chunks_exact` but without its division: `cargo xtask disasm`
/// rejects every division in cryptographic code.
#[derive(Debug)]
pub struct Pieces<S>(S, usize);

/// Returns the pieces of `len` elements from the front. A shorter rest is left out.
///
/// ```
/// let pieces: Vec<&[u8]> = oaklath_simd::pieces(&[1, 2, 3, 4, 5], 2).collect();
/// assert_eq!(pieces, [[1, 2], [3, 4]]);
/// ```
#[inline(always)]
pub fn pieces<T>(slice: &[T], len: usize) -> Pieces<&[T]> {
    Pieces(slice, len)
}

/// Returns mutable pieces of `len` elements from the front. A shorter rest is left out.
#[inline(always)]
pub fn pieces_mut<T>(slice: &mut [T], len: usize) -> Pieces<&mut [T]> {
    Pieces(slice, len)
}

impl<'a, T> Iterator for Pieces<&'a [T]> {
    type Item = &'a [T];

    #[inline(always)]
    fn next(&mut self) -> Option<&'a [T]> {
        let (piece, rest) = self.0.split_at_checked(self.1)?;
        self.0 = rest;
        Some(piece)
    }
}

impl<'a, T> Iterator for Pieces<&'a mut [T]> {
    type Item = &'a mut [T];

    #[inline(always)]
    fn next(&mut self) -> Option<&'a mut [T]> {
        let (piece, rest) = mem::take(&mut self.0).split_at_mut_checked(self.1)?;
        self.0 = rest;
        Some(piece)
    }
}
