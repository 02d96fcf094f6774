//! Blocks of messages in words of the host, big-endian when they were bytes, and the last block of
//! chains.
use super::midstate::Midstate;
use crate::{Trace, ValueSpan};

/// A block of SHA-256.
pub type Block256 = [u32; 16];
/// A block of SHA-512.
pub type Block512 = [u64; 16];
/// What is before the value in the block of a chain, as words; bytes after its length are zero.
pub type Head = [u32; 6];

/// Words that begin a block of a chain: rounds that are the same in every step.
pub(super) const HEAD: usize = 4;

/// Returns which word of a chain's block has the one after the value, which is behind those of the
/// head, and that word.
pub(super) const fn padding(span: ValueSpan) -> (usize, u32) {
    let ValueSpan { at, n } = span;
    assert!(at > 16 && at < 24 && n >= 16 && at + n <= 55);
    ((at + n) >> 2, 0x80 << (8 * (3 - ((at + n) & 3))))
}

/// Returns the last word of a chain's block: the length in bits.
#[inline(always)]
pub(super) fn length(start: &Midstate, span: ValueSpan) -> u32 {
    8 * (start.len as u32 + (span.at + span.n) as u32)
}

/// The traces, for lanes from `first` on.
pub(super) struct LaneTraces<'a, 'b> {
    traces: &'a mut [Trace<'b>],
    first: usize,
}

impl<'a, 'b> LaneTraces<'a, 'b> {
    pub(super) fn new(traces: &'a mut [Trace<'b>], first: usize) -> Self {
        Self { traces, first }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.traces.is_empty()
    }

    /// Gives each trace of the lanes below `width` the value of its lane, of `n` bytes, after
    /// `step`.
    #[inline(always)]
    pub(super) fn record(
        &mut self,
        (width, n): (usize, usize),
        step: u32,
        mut value: impl FnMut(usize, &mut [u8]),
    ) {
        for (lane, trace) in self.traces.iter_mut() {
            if let Some(lane) = lane.checked_sub(self.first).filter(|lane| *lane < width) {
                value(lane, &mut trace[step as usize * n..][..n]);
            }
        }
    }
}
