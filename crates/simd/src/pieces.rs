//! Slices cut into pieces whose length is known only at run time, and copies of such pieces.
use core::mem;

/// The whole pieces of a slice, as of `chunks_exact` but without its division: `cargo xtask disasm`
/// rejects every division in cryptographic code.
#[derive(Debug)]
pub struct Pieces<S>(S, usize);

/// Returns the pieces of `len` elements from the front. A shorter rest is left out.
///
/// # Panics
/// If `len` is 0: the pieces would not end.
///
/// ```
/// let pieces: Vec<&[u8]> = oaklath_simd::pieces(&[1, 2, 3, 4, 5], 2).collect();
/// assert_eq!(pieces, [[1, 2], [3, 4]]);
/// ```
#[inline(always)]
pub fn pieces<T>(slice: &[T], len: usize) -> Pieces<&[T]> {
    assert!(len > 0, "elements in each piece");
    Pieces(slice, len)
}

/// Returns mutable pieces of `len` elements from the front. A shorter rest is left out.
///
/// # Panics
/// If `len` is 0.
#[inline(always)]
pub fn pieces_mut<T>(slice: &mut [T], len: usize) -> Pieces<&mut [T]> {
    assert!(len > 0, "elements in each piece");
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

/// Copies a node of a hash tree to the beginning of a slice. For the usual lengths, this takes a
/// few instructions and no call.
///
/// # Panics
/// If the slice is shorter.
#[inline(always)]
pub fn copy_node(to: &mut [u8], node: &[u8]) {
    let to = &mut to[..node.len()];
    match node.len() {
        16 => to[..16].copy_from_slice(&node[..16]),
        24 => to[..24].copy_from_slice(&node[..24]),
        32 => to[..32].copy_from_slice(&node[..32]),
        _ => to.copy_from_slice(node),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "elements in each piece")]
    fn pieces_of_nothing() {
        let _ = pieces(&[1], 0);
    }

    #[test]
    #[should_panic(expected = "elements in each piece")]
    fn mutable_pieces_of_nothing() {
        let _ = pieces_mut(&mut [1], 0);
    }
}
