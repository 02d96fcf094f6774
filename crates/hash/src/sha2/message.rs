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

/// The last word of heads: its last byte counts the steps of a chain.
pub(super) const COUNTER: usize = 5;

/// The block of a chain: a head of 22 or 23 bytes, the value, the padding.
#[derive(Clone, Copy)]
pub(super) struct ChainBlock {
    /// Bytes before the value, of its first word.
    pub(super) at: usize,
    /// Bytes of the value.
    pub(super) n: usize,
    /// What follows the value: FIPS 180-4, section 5.1.1.
    pub(super) padding: Block256,
}

impl ChainBlock {
    /// After `start`, the state after the blocks before.
    ///
    /// # Panics
    /// If the head has not 22 or 23 bytes or the value not 16, 24 or 32.
    pub(super) fn new(start: &Midstate, ValueSpan { at, n }: ValueSpan) -> Self {
        assert!(matches!(at, 22 | 23) && matches!(n, 16 | 24 | 32), "{n} bytes at {at}");
        let mut padding = [0; 16];
        padding[(at + n) >> 2] = 0x80 << (8 * (3 - ((at + n) & 3)));
        padding[15] = 8 * (start.len as u32 + (at + n) as u32);
        Self { at: at & 3, n, padding }
    }

    /// One in the last byte of the head.
    pub(super) fn count(self) -> u32 {
        1 << (8 * (4 - self.at))
    }
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

    /// Gives each trace of the lanes below `width` the value of its lane, of `n` bytes, after `step`.
    #[inline(always)]
    pub(super) fn record(
        &mut self,
        width: usize,
        step: u32,
        n: usize,
        mut value: impl FnMut(usize, &mut [u8]),
    ) {
        for (lane, trace) in self.traces.iter_mut() {
            if let Some(lane) = lane.checked_sub(self.first).filter(|lane| *lane < width) {
                value(lane, &mut trace[step as usize * n..][..n]);
            }
        }
    }
}
