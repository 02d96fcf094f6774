//! The recording backend: bytes.
use crate::proof::vector::{Vector, recorded};
use crate::vectors::i8::I8s;

impl<S> I8s<S> for Vector<8, 32> {
    const LANES: usize = 32;

    recorded! { at;
        fn splat(_: S, x: i8) -> Self = Self::constant(at, x.into());
        fn load(_: S, from: &[i8]) -> Self = Self::read(at, from);
    }

    inlined! {
        fn store(self, to: &mut [i8]) = self.write(to);
        fn nonzero(self) -> u32 = panic!("`nonzero` is not modelled: it is for public lanes");
    }
}
