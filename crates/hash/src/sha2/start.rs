//! The states of SHA-256 from which chains start.
use core::fmt;

use oaklath_simd::{HashWords, Simd, array};

/// The most chains of a call whose states differ.
pub(super) const MOST: usize = 32;

/// The states from which chains start: one for all of them, or one for each.
#[derive(Clone, Copy)]
pub struct ChainStart<'a> {
    pub(super) state: StartState<'a>,
    /// The number of bytes that each has absorbed.
    pub(super) len: u64,
}

/// Does not print the states, which may come from secrets.
impl fmt::Debug for ChainStart<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChainStart").finish_non_exhaustive()
    }
}

#[derive(Clone, Copy)]
pub(super) enum StartState<'a> {
    Shared(&'a [u32; 8]),
    /// Word `i` of lane `l` is at `MOST * i + l`.
    OfLanes(&'a [u32]),
}

impl ChainStart<'_> {
    /// Returns the states from lane `first` on.
    #[inline(always)]
    pub(super) fn of_lanes_from(self, first: usize) -> Self {
        let state = match self.state {
            StartState::OfLanes(words) => StartState::OfLanes(&words[first..]),
            shared => shared,
        };
        Self { state, ..self }
    }

    /// Returns word `i` of each lane.
    #[inline(always)]
    pub(super) fn word<S: Simd, W: HashWords<S, u32>>(self, s: S, i: usize) -> W {
        match self.state {
            StartState::Shared(state) => W::splat(s, state[i]),
            StartState::OfLanes(words) => W::load(s, &words[MOST * i..]),
        }
    }

    /// Returns the state of a lane.
    #[inline(always)]
    pub(super) fn of_lane(self, lane: usize) -> [u32; 8] {
        match self.state {
            StartState::Shared(state) => *state,
            StartState::OfLanes(words) => {
                array!([0; 8]: i => words[MOST * i + lane])
            }
        }
    }
}
