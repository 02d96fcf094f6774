//! Blocks of messages as native words, which were big-endian as bytes, and the last block of
//! chains.
use crate::{Trace, ValueSpan};

/// A block of SHA-256.
pub type Block256 = [u32; 16];
/// A block of SHA-512.
pub type Block512 = [u64; 16];
/// The bytes before the value in the block of a chain, as words padded with zeros.
pub type Head = [u32; 6];

/// The number of first words of a chain's block, and so of first rounds, that no step changes.
pub(super) const HEAD: usize = 4;

/// Returns what a step adds to the last word of the head, whose last byte counts steps.
pub(super) const fn one_step(span: ValueSpan) -> u32 {
    1 << (8 * (24 - span.at))
}

/// Returns the index and the value of the padding word after a chain's value, which is after the
/// words of the head.
pub(super) const fn padding(span: ValueSpan) -> (usize, u32) {
    let ValueSpan { at, n } = span;
    assert!(at > 16 && at < 24 && n >= 16 && at + n <= 55);
    ((at + n) >> 2, 0x80 << (8 * (3 - ((at + n) & 3))))
}

/// Returns the last word of a chain's block, after `absorbed` bytes: the length in bits.
#[inline(always)]
pub(super) fn length(absorbed: u64, span: ValueSpan) -> u32 {
    8 * (absorbed as u32 + (span.at + span.n) as u32)
}

/// Traces of chains, for a group of lanes from `first` on.
pub(super) struct LaneTraces<'a, 'b> {
    traces: &'a mut [Trace<'b>],
    first: usize,
}

impl<'a, 'b> LaneTraces<'a, 'b> {
    pub(super) fn new(traces: &'a mut [Trace<'b>], first: usize) -> Self {
        Self { traces, first }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.traces.is_empty()
    }

    /// Writes the value of each trace's lane after `step`, of `n` bytes, to the trace, if the lane
    /// has that step.
    #[inline(always)]
    pub(super) fn record(
        &mut self,
        (step, steps): (u32, &[u32]),
        n: usize,
        mut value: impl FnMut(usize, &mut [u8]),
    ) {
        for (lane, trace) in self.traces.iter_mut() {
            let lane = lane.wrapping_sub(self.first);
            if steps.get(lane).is_some_and(|steps| step < *steps) {
                value(lane, &mut trace[n * step as usize..][..n]);
            }
        }
    }
}
