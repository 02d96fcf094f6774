//! Slices cut into pieces whose length is known at run time only.
use core::mem;

/// The whole pieces of a slice: what `chunks_exact` gives, without its division, which
/// `cargo xtask disasm` admits in no cryptographic code, whatever is divided.
#[derive(Debug)]
pub struct Pieces<S>(S, usize);

/// Returns the pieces of `len` elements, from the front on. A rest that is shorter is left out.
///
/// ```
/// let pieces: Vec<&[u8]> = oaklath_simd::pieces(&[1, 2, 3, 4, 5], 2).collect();
/// assert_eq!(pieces, [[1, 2], [3, 4]]);
/// ```
#[inline(always)]
pub fn pieces<T>(slice: &[T], len: usize) -> Pieces<&[T]> {
    Pieces(slice, len)
}

/// Returns the pieces of `len` elements, from the front on, to be written. A rest that is shorter
/// is left out.
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
