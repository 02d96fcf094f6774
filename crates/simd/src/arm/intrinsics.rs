//! Helpers shared by the files of the backend.

/// Returns the first eight bytes as a little-endian word.
#[inline(always)]
pub(super) fn first8(from: &[u8]) -> u64 {
    u64::from_le_bytes(*from.first_chunk().expect("8 bytes"))
}

/// Evaluates an expression for each of two registers.
macro_rules! halves {
    ($i:ident => $e:expr) => {
        op!([
            {
                const $i: usize = 0;
                $e
            },
            {
                const $i: usize = 1;
                $e
            }
        ])
    };
}
pub(super) use halves;
