//! Lengths of values that are hashed in lanes.

/// Runs an expression with the length of values, 16, 24 or 32 bytes, as a constant `N`.
macro_rules! with_length {
    ($n:expr, $length:ident => $e:expr) => {
        match $n {
            16 => {
                const $length: usize = 16;
                $e
            }
            24 => {
                const $length: usize = 24;
                $e
            }
            _ => {
                const $length: usize = 32;
                $e
            }
        }
    };
}
pub(crate) use with_length;
