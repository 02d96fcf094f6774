//! NEON: 32 bytes, two registers. Why the `unsafe` is sound is in `arm.rs`.
use core::arch::aarch64::*;
use core::ops::Add;

use crate::arm::intrinsics::{halves, load, op, operators_of_two};
use crate::arm::tokens::Neon;
use crate::vectors::i8::I8s;

/// 32 bytes.
#[derive(Clone, Copy)]
pub struct I8x32([int8x16_t; 2]);

operators_of_two!(I8x32 Add add vaddq_s8;);

impl I8s<Neon> for I8x32 {
    const LANES: usize = 32;

    #[inline(always)]
    fn splat(_: Neon, x: i8) -> Self {
        Self([op!(vdupq_n_s8(x)); 2])
    }
    #[inline(always)]
    fn load(_: Neon, from: &[i8]) -> Self {
        let from = from.first_chunk::<32>().expect("32 elements");
        Self(halves!(I => vld1q_s8(from.as_ptr().add(16 * I))))
    }
    #[inline(always)]
    fn store(self, to: &mut [i8]) {
        let to = to.first_chunk_mut::<32>().expect("32 elements");
        op!({
            vst1q_s8(to.as_mut_ptr(), self.0[0]);
            vst1q_s8(to.as_mut_ptr().add(16), self.0[1]);
        });
    }
    #[inline(always)]
    fn nonzero(self) -> u32 {
        const BITS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];
        let [low, high] = halves!(I => vandq_u8(vtstq_s8(self.0[I], self.0[I]), load(&BITS)));
        op!({
            // Sums of neighbours, three times: of eight lanes each.
            let v = vpaddq_u8(low, high);
            let v = vpaddq_u8(v, v);
            vgetq_lane_u32::<0>(vreinterpretq_u32_u8(vpaddq_u8(v, v)))
        })
    }
}
