//! NEON: 32 bytes, two registers. `arm.rs` explains why the `unsafe` is sound.
use core::arch::aarch64::*;

use crate::arm::intrinsics::halves;
use crate::arm::tokens::Neon;
use crate::registers::{load, store};
use crate::vectors::i8::I8s;

/// 32 bytes.
#[derive(Clone, Copy)]
pub struct I8x32([int8x16_t; 2]);

operators!(I8x32 [two] Add add vaddq_s8;);

impl I8s<Neon> for I8x32 {
    const LANES: usize = 32;

    inlined! {
        fn splat(_: Neon, x: i8) -> Self = Self([op!(vdupq_n_s8(x)); 2]);
        fn load(_: Neon, from: &[i8]) -> Self = Self(load(from));
        fn store(self, to: &mut [i8]) = store(self.0, to);
    }

    #[inline(always)]
    fn nonzero(self) -> u32 {
        const BITS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];
        let [low, high] = halves!(I => vandq_u8(vtstq_s8(self.0[I], self.0[I]), load(&BITS)));
        op!({
            // Adds neighbours three times: each sum has the bits of eight lanes.
            let v = vpaddq_u8(low, high);
            let v = vpaddq_u8(v, v);
            vgetq_lane_u32::<0>(vreinterpretq_u32_u8(vpaddq_u8(v, v)))
        })
    }
}
