//! AVX2: 32 bytes. `x86.rs` explains why the `unsafe` is sound.
use core::arch::x86_64::*;

use crate::registers::{load, store};
use crate::vectors::i8::I8s;
use crate::x86::tokens::ProvesAvx2;

/// 32 bytes, also with AVX-512: half registers are as fast there and do not cross cache lines.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct I8x32(__m256i);

operators!(I8x32 Add add _mm256_add_epi8;);

impl<S: ProvesAvx2> I8s<S> for I8x32 {
    const LANES: usize = 32;

    inlined! {
        fn splat(_: S, x: i8) -> Self = Self(op!(_mm256_set1_epi8(x)));
        fn load(_: S, from: &[i8]) -> Self = Self(load(from));
        fn store(self, to: &mut [i8]) = store(self.0, to);
        fn nonzero(self) -> u32 = op!({
            let zero = _mm256_cmpeq_epi8(self.0, _mm256_setzero_si256());
            !_mm256_movemask_epi8(zero) as u32
        });
    }
}
