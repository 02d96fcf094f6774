//! Filters at every choice of lanes.
use anyhow::{Result, ensure};
use oaklath_simd::{I16s, I32s, Simd};

/// Filters that keep each choice of 16 lanes next to each other.
#[inline(always)]
pub(super) fn check_filters<S: Simd>(s: S) -> Result<()> {
    for kept in 0..=u16::MAX {
        for others in [0, u64::MAX] {
            for at in (0..S::I16::LANES).step_by(16) {
                let kept = others & !(0xffff << at) | u64::from(kept) << at;
                let lanes: Vec<i16> =
                    (0..32).map(|i| (kept >> i & 1 ^ 1) as i16 * 99 + i).collect();
                let mut to = [0; 64];
                let n = S::I16::load(s, &lanes).append_below_vartime(99, &mut to, 7);
                let lanes = lanes[..S::I16::LANES].iter().filter(|lane| **lane < 99);
                ensure!(lanes.eq(&to[7..n]), "a filter of 16 bits at {s:?}: {kept:x}");
            }
            let kept = u64::from(kept);
            let lanes: Vec<i32> = (0..16).map(|i| (kept >> i & 1 ^ 1) as i32 * 99 + i).collect();
            let mut to = [0; 64];
            let n = S::I32::load(s, &lanes).append_below_vartime(99, &mut to, 7);
            let lanes = lanes[..S::I32::LANES].iter().filter(|lane| **lane < 99);
            ensure!(lanes.eq(&to[7..n]), "a filter of 32 bits at {s:?}: {kept:x}");
        }
    }
    Ok(())
}
