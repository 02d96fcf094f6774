//! The portable backend: bytes.
#![expect(missing_debug_implementations, reason = "vectors may hold secrets")]
use crate::vectors::i8::I8s;

/// 32 bytes.
#[derive(Clone, Copy)]
pub struct I8x32([i8; 32]);

operators!(I8x32 [lanes] Add add i8::wrapping_add;);

impl<S> I8s<S> for I8x32 {
    const LANES: usize = 32;

    inlined! {
        fn splat(_: S, x: i8) -> Self = Self([x; 32]);
        fn load(_: S, from: &[i8]) -> Self =
            Self(*from.first_chunk().expect("an element for each lane"));
        fn store(self, to: &mut [i8]) = to[..32].copy_from_slice(&self.0);
        fn nonzero(self) -> u32 = bits!(32: i => self.0[i] != 0);
    }
}
