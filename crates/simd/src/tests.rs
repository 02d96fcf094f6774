//! Tests every operation at every level against a plain loop.
#![expect(unsafe_code, reason = "what `dispatch!` declares")]
mod bits;
mod f64;
mod hash;
mod i16;
mod i32;
mod units;
mod words;

use std::vec::Vec;

use crate::level::Level;

/// The generator splitmix64.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns 32 lanes, extreme values among them.
    fn lanes(&mut self) -> Vec<i16> {
        const EXTREME: [i16; 6] = [0, 1, -1, i16::MAX, i16::MIN, 3329];
        let lane =
            |r: u64| if r & 7 == 0 { EXTREME[(r >> 8) as usize % 6] } else { (r >> 16) as i16 };
        (0..32).map(|_| lane(self.next())).collect()
    }
}

/// Returns `n`, or 2 under Miri, which is slow.
pub(crate) const fn times(n: usize) -> usize {
    if cfg!(miri) { 2 } else { n }
}

pub(crate) fn each_level(check: impl Fn(Level, &mut Random)) {
    for level in Level::available() {
        check(level, &mut Random(42));
    }
}
