//! Blocks of messages in words of the host, big-endian when they were bytes, and the last block of
//! chains.
use super::midstate::Midstate;
use crate::Trace;

/// A block of SHA-256.
pub type Block256 = [u32; 16];
/// A block of SHA-512.
pub type Block512 = [u64; 16];
/// What is before the value in the block of a chain, as words; bytes after its length are zero.
pub type Head = [u32; 6];

/// Words that begin a block of a chain: rounds that are the same in every step.
pub(super) const HEAD: usize = 4;

/// What is the same in all blocks of chains with values of `N` bytes after a head of `AT`: what
/// follows the value.
pub(super) struct ChainPadding<const N: usize, const AT: usize>;

impl<const N: usize, const AT: usize> ChainPadding<N, AT> {
    /// The word that has the one after the value, which is behind those of the head.
    pub(super) const PLACE: usize = {
        assert!(AT > 16 && AT < 24 && N >= 16 && AT + N <= 55);
        (AT + N) >> 2
    };
    pub(super) const ONE: u32 = 0x80 << (8 * (3 - ((AT + N) & 3)));

    /// The last word: the length in bits.
    #[inline(always)]
    pub(super) fn length(start: &Midstate) -> u32 {
        8 * (start.len as u32 + const { (AT + N) as u32 })
    }

    /// It as the last two rows of four words; the value comes to it.
    #[inline(always)]
    pub(super) fn rows(start: &Midstate) -> [[u32; 4]; 2] {
        const { assert!(Self::PLACE >= 8) };
        let mut words = [0; 8];
        words[const { Self::PLACE - 8 }] = Self::ONE;
        words[7] = Self::length(start);
        let [low, high] = words.as_chunks().0 else { unreachable!("eight are two times four") };
        [*low, *high]
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

    pub(super) fn is_empty(&self) -> bool {
        self.traces.is_empty()
    }

    /// Gives each trace of the lanes below `width` the value of its lane, of `N` bytes, after
    /// `step`.
    #[inline(always)]
    pub(super) fn record<const N: usize>(
        &mut self,
        width: usize,
        step: u32,
        mut value: impl FnMut(usize, &mut [u8; N]),
    ) {
        for (lane, trace) in self.traces.iter_mut() {
            if let Some(lane) = lane.checked_sub(self.first).filter(|lane| *lane < width) {
                value(lane, &mut trace.as_chunks_mut().0[step as usize]);
            }
        }
    }
}
